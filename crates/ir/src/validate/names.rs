//! Names: words that can be names, and no two alike where they share a set.

use super::Report;
use crate::{Binder, Choreography, LineKind, Local, Song, System, words};
use plainsong_diagnostics::Span;
use std::collections::BTreeSet;

/// Checks the names of all declarations.
pub(super) fn check(song: &Song, report: &mut Report) {
    report.enter("items");
    distinct(report, values(song));
    distinct(report, messages_and_actions(song));
    let lines = song.lines.iter().filter(|line| !is_contract(line));
    distinct(report, lines.map(|line| (&*line.name, line.span)));
    distinct(
        report,
        song.properties
            .iter()
            .chain(&song.constraints)
            .map(|property| (&*property.name, property.span)),
    );
    types(song, report);
    families(song, report);
    for line in &song.lines {
        report.enter(format!("choreography {}", line.name));
        let endpoints = line
            .endpoints
            .iter()
            .filter_map(|id| song.families.get(id.index()));
        distinct(report, endpoints.map(|family| (&*family.name, family.span)));
        locals(report, &line.code.locals, line.code.arity);
    }
    systems(song, report);
    for decl in &song.functions {
        report.enter(format!("fn {}", decl.name));
        report.require(decl.name != "pending", decl.span, || {
            "a function cannot be called `pending`".to_owned()
        });
        locals(report, &decl.locals, decl.arity);
    }
    for decl in &song.consts {
        report.enter(format!("const {}", decl.name));
        locals(report, &decl.locals, 0);
    }
    for decl in song.properties.iter().chain(&song.constraints) {
        report.enter(format!("property {}", decl.name));
        locals(report, &decl.locals, 0);
    }
}

fn is_contract(line: &Choreography) -> bool {
    matches!(line.kind, LineKind::Contract(_))
}

/// Names that expressions can begin with share one set.
fn values(song: &Song) -> Vec<(&str, Span)> {
    let mut names: Vec<(&str, Span)> = Vec::new();
    names.extend(song.sorts.iter().map(|decl| (&*decl.name, decl.span)));
    names.extend(song.enums.iter().map(|decl| (&*decl.name, decl.span)));
    names.extend(song.structs.iter().map(|decl| (&*decl.name, decl.span)));
    names.extend(song.consts.iter().map(|decl| (&*decl.name, decl.span)));
    names.extend(song.functions.iter().map(|decl| (&*decl.name, decl.span)));
    match &song.system {
        System::None => {}
        System::Voices(voices) => {
            let processes = voices.processes.iter();
            let families = processes.filter_map(|row| song.families.get(row.family.index()));
            names.extend(families.map(|family| (&*family.name, family.span)));
        }
        System::Actions(actions) => {
            names.extend(actions.globals.iter().map(|decl| (&*decl.name, decl.span)));
        }
    }
    names
}

fn messages_and_actions(song: &Song) -> Vec<(&str, Span)> {
    match &song.system {
        System::None => Vec::new(),
        System::Voices(voices) => voices
            .messages
            .iter()
            .map(|decl| (&*decl.name, decl.span))
            .collect(),
        System::Actions(actions) => {
            let invariants = actions.invariants.iter();
            let procedures = actions.procedures.iter();
            let all = actions.actions.iter().map(|decl| (&*decl.name, decl.span));
            all.chain(invariants.map(|decl| (&*decl.name, decl.span)))
                .chain(procedures.map(|decl| (&*decl.name, decl.span)))
                .collect()
        }
    }
}

fn types(song: &Song, report: &mut Report) {
    for decl in &song.enums {
        report.enter(format!("enum {}", decl.name));
        distinct(
            report,
            decl.variants
                .iter()
                .map(|variant| (&*variant.name, decl.span)),
        );
    }
    for decl in &song.structs {
        report.enter(format!("struct {}", decl.name));
        distinct(
            report,
            decl.fields.iter().map(|(name, _)| (&**name, decl.span)),
        );
    }
}

fn families(song: &Song, report: &mut Report) {
    for family in &song.families {
        report.enter(format!("family {}", family.name));
        distinct(report, [(&*family.name, family.span)]);
        binders(report, &family.index, family.span);
        distinct(report, family.vars.iter().map(|var| (&*var.name, var.span)));
        for var in &family.vars {
            locals(report, &var.locals, 0);
        }
    }
}

fn systems(song: &Song, report: &mut Report) {
    match &song.system {
        System::None => {}
        System::Voices(voices) => {
            for message in &voices.messages {
                report.enter(format!("message {}", message.name));
                binders(report, &message.fields, message.span);
                locals(report, &message.measures.locals, message.fields.len());
                locals(report, &message.order.locals, message.fields.len());
            }
            for process in &voices.processes {
                report.enter(format!("process {}", process.family.0));
                locals(report, &process.locals, 0);
                locals(report, &process.measures.locals, 0);
                locals(report, &process.order.locals, 0);
            }
        }
        System::Actions(actions) => {
            for global in &actions.globals {
                report.enter(format!("var {}", global.name));
                locals(report, &global.locals, 0);
            }
            for action in &actions.actions {
                report.enter(format!("action {}", action.name));
                locals(report, &action.code.locals, action.code.arity);
            }
            for invariant in &actions.invariants {
                report.enter(format!("invariant {}", invariant.name));
                locals(report, &invariant.locals, invariant.arity);
            }
            for procedure in &actions.procedures {
                report.enter(format!("procedure {}", procedure.name));
                locals(report, &procedure.code.locals, procedure.code.arity);
            }
        }
    }
}

fn binders(report: &mut Report, rows: &[Binder], span: Span) {
    distinct(report, rows.iter().map(|row| (&*row.name, span)));
}

/// All can be names, and the parameters differ.
fn locals(report: &mut Report, rows: &[Local], arity: usize) {
    distinct(
        report,
        rows.iter().take(arity).map(|row| (&*row.name, row.span)),
    );
    for row in rows {
        name(report, &row.name, row.span);
    }
}

fn distinct<'a>(report: &mut Report, names: impl IntoIterator<Item = (&'a str, Span)>) {
    let mut seen = BTreeSet::new();
    for (word, span) in names {
        name(report, word, span);
        report.require(seen.insert(word), span, || {
            format!("the name `{word}` is used twice")
        });
    }
}

fn name(report: &mut Report, word: &str, span: Span) {
    report.require(words::is_name(word), span, || {
        format!("`{word}` cannot be a name")
    });
}

//! Declarations without their code: types are well formed, families belong to someone, tables of
//! locals begin with the right parameters.

use super::{Report, show};
use crate::finite::{contains_itself, contains_process, is_finite};
use crate::permission::split_by;
use crate::{
    Action, Binder, Claim, Code, EnumDecl, EnumId, Family, FamilyId, FaultKind, Global, Local,
    LocalId, Property, RangeEnd, Sizing, Song, SortKind, StructId, System, Ty, Voices,
};
use plainsong_diagnostics::Span;

/// Checks everything that is declared, but no expressions and statements.
pub(super) fn check(song: &Song, report: &mut Report) {
    types(song, report);
    for decl in &song.consts {
        report.enter(format!("const {}", decl.name));
        ty(song, report, &decl.ty, decl.span);
        rows(song, report, &decl.locals);
        report.require(
            decl.value.is_none() || decl.constraint.is_none(),
            decl.span,
            || "only a parameter has a constraint".to_owned(),
        );
    }
    for decl in &song.functions {
        report.enter(format!("fn {}", decl.name));
        arity(report, decl.arity, &decl.locals, decl.span);
        rows(song, report, &decl.locals);
    }
    families(song, report);
    systems(song, report);
    for property in song.properties.iter().chain(&song.constraints) {
        self::property(song, report, property);
    }
    for constraint in &song.constraints {
        let is_plain = matches!(constraint.claim, Claim::Always(_))
            && constraint.engines.is_empty()
            && constraint.sizes.is_empty();
        report.require(is_plain, constraint.span, || {
            "a constraint is a condition on states".to_owned()
        });
    }
    report.enter("sizes");
    sizings(song, report, &song.sizes);
}

fn types(song: &Song, report: &mut Report) {
    for sort in &song.sorts {
        report.enter(format!("sort {}", sort.name));
        if let SortKind::Range(range) = &sort.kind {
            let end = match &range.end {
                RangeEnd::Open => None,
                RangeEnd::Before(end) | RangeEnd::With(end) => Some(end),
            };
            for bound in std::iter::once(&range.start).chain(end) {
                report.require(bound.ty == Ty::Int, bound.span, || {
                    "a bound is an int".to_owned()
                });
            }
        }
    }
    for (at, decl) in song.enums.iter().enumerate() {
        report.enter(format!("enum {}", decl.name));
        report.require(!decl.variants.is_empty(), decl.span, || {
            "an enum has variants".to_owned()
        });
        for field in decl.variants.iter().flat_map(|variant| &variant.fields) {
            ty(song, report, field, decl.span);
        }
        let endless = contains_itself(song, &Ty::Enum(EnumId::from(at)));
        report.require(!endless, decl.span, || "an enum contains itself".to_owned());
    }
    for (at, decl) in song.structs.iter().enumerate() {
        report.enter(format!("struct {}", decl.name));
        for (_, field) in &decl.fields {
            ty(song, report, field, decl.span);
        }
        let endless = contains_itself(song, &Ty::Struct(StructId::from(at)));
        report.require(!endless, decl.span, || {
            "a struct contains itself".to_owned()
        });
    }
}

/// Families are those of the processes and then the endpoints of each choreography, in the order
/// of their declarations.
fn families(song: &Song, report: &mut Report) {
    report.enter("families");
    let processes = song.voices().map_or(&[][..], |voices| &voices.processes);
    let owned = processes.iter().map(|process| process.family);
    let owned = owned.chain(
        song.lines
            .iter()
            .flat_map(|line| line.endpoints.iter().copied()),
    );
    let all = (0..song.families.len()).map(FamilyId::from);
    report.require(owned.eq(all), Span::default(), || {
        "families are those of the processes, then the endpoints".to_owned()
    });
    for (at, family) in song.families.iter().enumerate() {
        self::family(song, report, FamilyId::from(at), family);
    }
}

fn family(song: &Song, report: &mut Report, id: FamilyId, family: &Family) {
    report.enter(format!("family {}", family.name));
    for index in &family.index {
        ty(song, report, &index.ty, family.span);
        let listed = is_finite(song, &index.ty) && !contains_process(song, &index.ty);
        report.require(listed, family.span, || {
            format!("an index cannot have the type {}", show(song, &index.ty))
        });
    }
    let line = song.lines.iter().find(|line| line.endpoints.contains(&id));
    let parameters: &[Local] = line.map_or(&[], |line| {
        &line.code.locals[..line.code.arity.min(line.code.locals.len())]
    });
    for var in &family.vars {
        ty(song, report, &var.ty, var.span);
        rows(song, report, &var.locals);
        indices(report, &family.index, &var.locals, var.span);
        let outer = var.locals.iter().skip(family.index.len());
        let same = parameters.iter().all(|row| !row.mutable)
            && outer.clone().count() >= parameters.len()
            && outer
                .zip(parameters)
                .all(|(a, b)| a.name == b.name && a.ty == b.ty);
        report.require(same, var.span, || {
            format!("the locals of {} go on with the parameters", var.name)
        });
    }
}

/// Faults are about processes and messages there are, and only a restart or a loss has no number.
fn faults(report: &mut Report, voices: &Voices) {
    report.enter("faults");
    for fault in &voices.faults {
        let is_there = match fault.kind {
            FaultKind::Crash(family) | FaultKind::Restart(family) => {
                let mut processes = voices.processes.iter();
                processes.any(|process| process.family == family)
            }
            FaultKind::Lose(message) | FaultKind::Duplicate(message) => {
                message.index() < voices.messages.len()
            }
        };
        report.require(is_there, fault.span, || {
            "a fault of something that is not there".to_owned()
        });
        let is_numbered = match fault.kind {
            FaultKind::Restart(_) => fault.most.is_none(),
            FaultKind::Lose(_) => true,
            FaultKind::Crash(_) | FaultKind::Duplicate(_) => fault.most.is_some(),
        };
        report.require(is_numbered, fault.span, || {
            "a fault has a number, unless it is a restart or a loss".to_owned()
        });
    }
}

/// An action that is always on offer is there for every value of its parameters, and nobody calls it.
fn repeated(song: &Song, report: &mut Report, action: &Action) {
    let parameters = action.code.locals.iter().take(action.code.arity);
    if action.role.repeat {
        for parameter in parameters.filter(|row| !is_finite(song, &row.ty)) {
            let name = &parameter.name;
            report.add(
                action.span,
                format!("the values of `{name}` cannot be listed"),
            );
        }
        if action.role.result.is_some() {
            report.add(action.span, "nobody calls it, but it has a result");
        }
    }
}

fn systems(song: &Song, report: &mut Report) {
    match &song.system {
        System::None => {}
        System::Voices(voices) => {
            for message in &voices.messages {
                report.enter(format!("message {}", message.name));
                for field in &message.fields {
                    ty(song, report, &field.ty, message.span);
                }
                rows(song, report, &message.measures.locals);
                rows(song, report, &message.order.locals);
            }
            for process in &voices.processes {
                let Some(family) = song.families.get(process.family.index()) else {
                    continue;
                };
                report.enter(format!("process {}", family.name));
                rows(song, report, &process.locals);
                rows(song, report, &process.measures.locals);
                rows(song, report, &process.order.locals);
                indices(report, &family.index, &process.locals, family.span);
            }
            code_rows(song, report, voices.init.as_ref());
            faults(report, voices);
        }
        System::Actions(actions) => {
            for global in &actions.globals {
                report.enter(format!("var {}", global.name));
                ty(song, report, &global.ty, global.span);
                rows(song, report, &global.locals);
                share(song, report, global);
            }
            for action in &actions.actions {
                report.enter(format!("action {}", action.name));
                arity(report, action.code.arity, &action.code.locals, action.span);
                rows(song, report, &action.code.locals);
                result(report, action.role.result, &action.code, action.span);
                permissions(report, &action.role.linear, action.code.arity, action.span);
                taken(report, &action.role.taken, &action.role.linear, action.span);
                permissions(report, &action.role.given, action.code.arity, action.span);
                given(report, &action.role.given, &action.role.linear, action.span);
                repeated(song, report, action);
            }
            for invariant in &actions.invariants {
                report.enter(format!("invariant {}", invariant.name));
                arity(report, invariant.arity, &invariant.locals, invariant.span);
                rows(song, report, &invariant.locals);
                permissions(report, &invariant.linear, invariant.arity, invariant.span);
            }
            for procedure in &actions.procedures {
                report.enter(format!("procedure {}", procedure.name));
                let code = &procedure.code;
                arity(report, code.arity, &code.locals, procedure.span);
                rows(song, report, &code.locals);
                result(report, procedure.result, code, procedure.span);
                permissions(report, &procedure.linear, code.arity, procedure.span);
                taken(report, &procedure.taken, &procedure.linear, procedure.span);
                permissions(report, &procedure.given, code.arity, procedure.span);
                given(report, &procedure.given, &procedure.linear, procedure.span);
            }
            for commute in &actions.commutes {
                report.enter("commute");
                let named = commute.named.iter().sum();
                arity(report, named, &commute.locals, commute.span);
                rows(song, report, &commute.locals);
            }
            code_rows(song, report, actions.init.as_ref());
        }
    }
    for line in &song.lines {
        report.enter(format!("choreography {}", line.name));
        arity(report, line.code.arity, &line.code.locals, line.span);
        rows(song, report, &line.code.locals);
    }
}

/// The result is the variable after the parameters.
fn result(report: &mut Report, result: Option<LocalId>, code: &Code, span: Span) {
    let Some(local) = result else { return };
    let row = code.locals.get(local.index());
    let fits = local.index() == code.arity && row.is_some_and(|row| row.mutable);
    report.require(fits, span, || {
        "the result is the variable after the parameters".to_owned()
    });
}

/// Permissions are carried by parameters.
fn permissions(report: &mut Report, linear: &[LocalId], arity: usize, span: Span) {
    let fits = linear.iter().all(|local| local.index() < arity) && linear.is_sorted();
    report.require(fits, span, || {
        "the linear parameters are parameters, ascending".to_owned()
    });
}

/// What is taken is among what is carried.
fn taken(report: &mut Report, taken: &[LocalId], linear: &[LocalId], span: Span) {
    let fits = taken.iter().all(|local| linear.contains(local)) && taken.is_sorted();
    report.require(fits, span, || {
        "the permissions that are taken are linear parameters, ascending".to_owned()
    });
}

/// A part that a variable holds is one of its elements.
fn share(song: &Song, report: &mut Report, global: &Global) {
    let Some((id, variant)) = global.share else {
        return;
    };
    let element = global.ty.element();
    let split = element.and_then(|of| split_by(&song.enums, of));
    let known = |decl: &EnumDecl| variant < decl.variants.len();
    let fits = global.linear && split == Some(id) && song.enums.get(id.index()).is_some_and(known);
    report.require(fits, global.span, || {
        "the part that a variable holds is one of what is split".to_owned()
    });
}

/// What is given is not there before.
fn given(report: &mut Report, given: &[LocalId], linear: &[LocalId], span: Span) {
    let fits = !given.iter().any(|local| linear.contains(local));
    report.require(fits, span, || {
        "the permissions that are given are other parameters than the linear ones".to_owned()
    });
}

fn code_rows(song: &Song, report: &mut Report, init: Option<&crate::Code>) {
    if let Some(init) = init {
        report.enter("init");
        report.require(init.arity == 0, Span::default(), || {
            "init has no parameters".to_owned()
        });
        rows(song, report, &init.locals);
    }
}

fn property(song: &Song, report: &mut Report, property: &Property) {
    report.enter(format!("property {}", property.name));
    rows(song, report, &property.locals);
    sizings(song, report, &property.sizes);
}

/// Sizes are of sorts that have one to choose and of parameters that are numbers.
fn sizings(song: &Song, report: &mut Report, sizings: &[Sizing]) {
    for sizing in sizings {
        let sort = song.sorts.iter().find(|sort| sort.name == sizing.name);
        let sized = sort.is_some_and(crate::SortDecl::is_sized);
        let parameter = song.consts.iter().find(|decl| decl.name == sizing.name);
        let number = parameter
            .is_some_and(|decl| decl.value.is_none() && crate::finite::is_number(song, &decl.ty));
        report.require(sized || number, sizing.span, || {
            format!("`{}` has no size to choose", sizing.name)
        });
        let least = if sized { 1 } else { 0 };
        report.require(
            least <= sizing.low && sizing.low <= sizing.high,
            sizing.span,
            || {
                format!(
                    "the sizes of `{}` go upwards from at least {least}",
                    sizing.name
                )
            },
        );
    }
}

fn arity(report: &mut Report, arity: usize, locals: &[Local], span: Span) {
    let parameters = locals.get(..arity);
    let fixed = parameters.is_some_and(|rows| rows.iter().all(|row| !row.mutable));
    report.require(fixed, span, || {
        "the first locals are the parameters".to_owned()
    });
}

fn indices(report: &mut Report, index: &[Binder], locals: &[Local], span: Span) {
    let same = locals.len() >= index.len()
        && index
            .iter()
            .zip(locals)
            .all(|(a, b)| a.name == b.name && a.ty == b.ty && !b.mutable);
    report.require(same, span, || "the first locals are the indices".to_owned());
}

fn rows(song: &Song, report: &mut Report, locals: &[Local]) {
    for row in locals {
        ty(song, report, &row.ty, row.span);
    }
}

/// A type is well formed: ids in range, tuples of two or more, keys of maps finite.
pub(super) fn ty(song: &Song, report: &mut Report, of: &Ty, span: Span) {
    let known = match of {
        Ty::Bool | Ty::Int | Ty::Nat | Ty::Process => true,
        Ty::Sort(id) => id.index() < song.sorts.len(),
        Ty::Enum(id) => id.index() < song.enums.len(),
        Ty::Struct(id) => id.index() < song.structs.len(),
        Ty::Tuple(parts) => {
            parts.iter().for_each(|part| ty(song, report, part, span));
            parts.len() >= 2
        }
        Ty::Option(inner) | Ty::Set(inner) | Ty::Bag(inner) | Ty::Seq(inner) => {
            ty(song, report, inner, span);
            true
        }
        Ty::Map(key, value) => {
            ty(song, report, key, span);
            ty(song, report, value, span);
            is_finite(song, key)
        }
    };
    report.require(known, span, || {
        format!("there is no type {}", show(song, of))
    });
}

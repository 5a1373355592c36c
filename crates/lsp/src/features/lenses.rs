//! Verdicts: lenses above what can be checked, and diagnostics for what is refuted, unknown or open.

use super::mistakes::SOURCE;
use crate::document::Document;
use crate::verdicts::{Standing, Told, Verdicts, with_lines};
use lsp_types::{
    CodeLens, Command, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity,
    NumberOrString, Range,
};
use plainsong_diagnostics::Span;
use plainsong_semantics::search::{Question, questions};
use plainsong_semantics::verdict::Outcome;
use plainsong_syntax::SyntaxKind;
use plainsong_syntax::ast::span_of;
use serde::Serialize;
use serde_json::json;

/// Checks a property, or everything.
pub const CHECK: &str = "plainsong.check";
/// Looks for a proof for any size.
pub const PROVE: &str = "plainsong.prove";
/// Shows the execution that refutes a property.
pub const SHOW: &str = "plainsong.show";
/// Gives up what is running.
pub const CANCEL: &str = "plainsong.cancel";

/// What the client draws beside a line.
#[derive(Debug, Serialize)]
pub struct Mark {
    /// The property.
    pub property: String,
    /// Where it stands.
    pub range: Range,
    /// `not-asked`, `running`, or the outcome.
    pub standing: &'static str,
    /// Has the text changed since?
    pub stale: bool,
    /// In words.
    pub title: String,
}

/// What can be asked of a document, each with the place where it is shown.
pub fn asked(document: &Document) -> Vec<(Question, Span)> {
    let Some(song) = &document.analysis().front.compiled.song else {
        return Vec::new();
    };
    let system = start_of_system(document);
    let all = questions(song).into_iter();
    all.map(|question| {
        let span = question.span(song).unwrap_or(system);
        (question, span)
    })
    .collect()
}

/// Where what is asked about the whole system is shown: its first process, message or action.
fn start_of_system(document: &Document) -> Span {
    let tree = document.tree();
    let mut items = tree.children().filter(|node| {
        use SyntaxKind::{
            ActionItem, InitItem, MessageItem, ProcedureItem, ProcessItem, SongFile, VarDecl,
        };
        debug_assert_ne!(node.kind(), SongFile, "files do not nest");
        matches!(
            node.kind(),
            ActionItem | InitItem | MessageItem | ProcedureItem | ProcessItem | VarDecl
        )
    });
    items.next().map_or(Span::new(0, 0), |node| {
        let start = span_of(&node).start;
        Span::new(start, start)
    })
}

/// All lenses of a document.
pub fn lenses(document: &Document, verdicts: &Verdicts) -> Vec<CodeLens> {
    let mut found = Vec::new();
    let lens = |span: Span, title: String, command: &str, property: Option<&str>| CodeLens {
        range: document.range(span),
        command: Some(Command {
            title,
            command: command.to_owned(),
            arguments: Some(match property {
                Some(property) => vec![json!(document.uri.as_str()), json!(property)],
                None => vec![json!(document.uri.as_str())],
            }),
        }),
        data: None,
    };
    let asked = asked(document);
    if !asked.is_empty() {
        let (title, command) = match verdicts.is_running() {
            true => ("checking … (click to stop)", CANCEL),
            false => ("check everything", CHECK),
        };
        found.push(lens(
            start_of_system(document),
            title.to_owned(),
            command,
            None,
        ));
    }
    for (question, span) in &asked {
        let name = question.name.as_str();
        let standing = verdicts.standing(name, document);
        found.push(lens(
            *span,
            title(document, name, standing),
            CHECK,
            Some(name),
        ));
        let Standing::Told { told, .. } = standing else {
            if matches!(standing, Standing::NotAsked) {
                found.push(lens(
                    *span,
                    "prove for any size".to_owned(),
                    PROVE,
                    Some(name),
                ));
            }
            continue;
        };
        match told.answer.verdict.outcome {
            Outcome::Holds | Outcome::Unknown => {
                found.push(lens(
                    *span,
                    "prove for any size".to_owned(),
                    PROVE,
                    Some(name),
                ));
            }
            Outcome::Refuted if told.page.is_some() => {
                found.push(lens(
                    *span,
                    "show the execution".to_owned(),
                    SHOW,
                    Some(name),
                ));
            }
            Outcome::Refuted | Outcome::Proved => {}
        }
    }
    found
}

/// For the gutter.
pub fn marks(document: &Document, verdicts: &Verdicts) -> Vec<Mark> {
    let mark = |(question, span): (Question, Span)| {
        let standing = verdicts.standing(&question.name, document);
        let (word, stale) = match standing {
            Standing::NotAsked => ("not-asked", false),
            Standing::Running => ("running", false),
            Standing::Told { told, stale } => (told.answer.verdict.outcome.name(), stale),
        };
        Mark {
            title: title(document, &question.name, standing),
            property: question.name,
            range: document.range(span),
            standing: word,
            stale,
        }
    };
    asked(document).into_iter().map(mark).collect()
}

/// What is said of a property in one line.
pub fn title(document: &Document, property: &str, standing: Standing<'_>) -> String {
    match standing {
        Standing::NotAsked => format!("check {property}"),
        Standing::Running => format!("checking {property} …"),
        Standing::Told { told, stale } => {
            let mut title = sentence(document, told);
            if stale {
                title.push_str(" (text changed since)");
            }
            title
        }
    }
}

/// The verdict in one line: the property, the outcome, within which sizes, and what the result line says besides.
pub fn sentence(document: &Document, told: &Told) -> String {
    let answer = &told.answer;
    let outcome = match answer.verdict.outcome {
        Outcome::Proved => "✓ proved",
        Outcome::Holds => "holds",
        Outcome::Refuted => "✗ refuted",
        Outcome::Unknown => "? unknown",
    };
    let source = document.source();
    let detail = match answer.verdict.outcome {
        Outcome::Refuted => with_lines(&answer.verdict.reason, source.text()),
        _ => with_lines(&answer.detail(), source.text()),
    };
    let detail = match detail.is_empty() {
        true => String::new(),
        false => format!(
            " · {}",
            detail.split_whitespace().collect::<Vec<_>>().join(" ")
        ),
    };
    let bound = answer.bound_text();
    format!("{}: {outcome} ({bound}){detail}", answer.verdict.property)
}

/// Refutations, what is not known, and obligations that are open, of the text as it is.
pub fn diagnostics(document: &Document, verdicts: &Verdicts) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (question, span) in asked(document) {
        let standing = verdicts.standing(&question.name, document);
        let Standing::Told { told, stale: false } = standing else {
            continue;
        };
        let severity = match told.answer.verdict.outcome {
            Outcome::Refuted => DiagnosticSeverity::ERROR,
            Outcome::Unknown => DiagnosticSeverity::INFORMATION,
            Outcome::Proved | Outcome::Holds => continue,
        };
        let related = told.place.map(|place| {
            vec![DiagnosticRelatedInformation {
                location: document.location(place),
                message: "it fails here".to_owned(),
            }]
        });
        found.push(Diagnostic {
            range: document.range(span),
            severity: Some(severity),
            code: Some(NumberOrString::String(
                told.answer.verdict.outcome.name().to_owned(),
            )),
            source: Some(SOURCE.to_owned()),
            message: sentence(document, told),
            related_information: related,
            ..Diagnostic::default()
        });
        let text = document.source();
        for open in &told.answer.verdict.open {
            found.push(Diagnostic {
                range: document.range(open.span),
                severity: Some(DiagnosticSeverity::INFORMATION),
                code: Some(NumberOrString::String(open.rule.clone())),
                source: Some(SOURCE.to_owned()),
                message: with_lines(
                    &format!("open obligation: {}: {}", open.sentence, open.why),
                    text.text(),
                ),
                related_information: Some(vec![DiagnosticRelatedInformation {
                    location: document.location(span),
                    message: format!("the proof of `{}` asks for it", question.name),
                }]),
                ..Diagnostic::default()
            });
        }
    }
    found
}

//! Mistakes and suspicions of the front end, as diagnostics.

use crate::document::Document;
use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, NumberOrString,
};
use plainsong_diagnostics::{self as own, Severity};

/// Who says so.
pub const SOURCE: &str = "plainsong";

/// All of a document.
pub fn mistakes(document: &Document) -> Vec<Diagnostic> {
    let analysis = document.analysis();
    let found = &analysis.front.compiled.diagnostics;
    let mut all: Vec<Diagnostic> = found.iter().map(|one| told(document, one)).collect();
    if let Some(bug) = &analysis.bug {
        all.push(Diagnostic {
            severity: Some(DiagnosticSeverity::ERROR),
            source: Some(SOURCE.to_owned()),
            message: format!("this is a bug of plainsong: {bug}"),
            ..Diagnostic::default()
        });
    }
    all
}

/// One of them.
pub fn told(document: &Document, one: &own::Diagnostic) -> Diagnostic {
    let mut message = one.message.clone();
    if !one.primary.text.is_empty() {
        message.push_str(&format!(": {}", one.primary.text));
    }
    if let Some(help) = &one.help {
        message.push_str(&format!("\nhelp: {help}"));
    }
    let related = one
        .secondary
        .iter()
        .map(|label| DiagnosticRelatedInformation {
            location: document.location(label.span),
            message: label.text.clone(),
        });
    let related: Vec<_> = related.collect();
    let severity = match one.severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
    };
    let unused = one.code.name.starts_with("unused");
    Diagnostic {
        range: document.range(one.primary.span),
        severity: Some(severity),
        code: Some(NumberOrString::String(one.code.name.to_owned())),
        source: Some(SOURCE.to_owned()),
        message,
        related_information: (!related.is_empty()).then_some(related),
        tags: unused.then(|| vec![DiagnosticTag::UNNECESSARY]),
        ..Diagnostic::default()
    }
}

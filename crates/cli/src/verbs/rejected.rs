//! What is wrong with a file that was rejected, for reports that are written at the end.

use plainsong_diagnostics::{Severity, line_and_column};
use plainsong_driver::{LoadedSong, Source, song};
use plainsong_report::Mistake;
use std::path::Path;

/// The mistakes in a file, found again; at least one.
pub(super) fn mistakes(file: &Path) -> Vec<Mistake> {
    let name = file.display().to_string();
    let whole = |message: String| {
        vec![Mistake {
            file: name.clone(),
            code: "input".to_owned(),
            message,
            place: None,
        }]
    };
    // Standard input was read and is gone.
    if name == "-" {
        return whole("the song on standard input was rejected".to_owned());
    }
    let source = match Source::load(file) {
        Ok(source) => source,
        Err(problem) => return whole(problem.message),
    };
    match song::compile(source) {
        Ok(loaded) if !errors(&loaded).is_empty() => errors(&loaded),
        _ => whole("the song was rejected".to_owned()),
    }
}

fn errors(loaded: &LoadedSong) -> Vec<Mistake> {
    let found = loaded.diagnostics.iter();
    found
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .map(|diagnostic| {
            let at = line_and_column(&loaded.source.text, diagnostic.primary.span.start);
            Mistake {
                file: loaded.source.name.clone(),
                code: diagnostic.code.name.to_owned(),
                message: diagnostic.message.clone(),
                place: Some((at.line, at.column)),
            }
        })
        .collect()
}

//! Reading saved traces.

use plainsong_driver::{Problem, Source};
use plainsong_report::trace_file::{self, SavedTrace};
use std::path::Path;

/// A saved trace, with the name of its file.
pub(super) fn read(path: &Path) -> Result<(String, SavedTrace), Problem> {
    let source = Source::load(path)?;
    let saved = trace_file::read(&source.text)
        .map_err(|error| Problem::new(error.to_string()).in_file(&source.name))?;
    Ok((source.name, saved))
}

/// The song of a trace, where it is at hand and readable; the trace can be shown without.
pub(super) fn source_of(saved: &SavedTrace, song: Option<&Path>) -> Result<Source, Problem> {
    Source::load(song.unwrap_or(Path::new(&saved.header.file)))
}

//! Reading saved traces.

use plainsong_driver::{Problem, Source};
use plainsong_report::trace_file::{self, SavedTrace};
use std::path::{Path, PathBuf};

/// A saved trace, with the name of its file.
pub(super) fn read(path: &Path) -> Result<(String, SavedTrace), Problem> {
    let source = Source::load(path)?;
    let saved = trace_file::read(&source.text)
        .map_err(|error| Problem::new(error.to_string()).in_file(&source.name))?;
    Ok((source.name, saved))
}

/// The song of a trace, where it is at hand and readable; the trace can be shown without.
pub(super) fn source_of(
    saved: &SavedTrace,
    trace: &Path,
    song: Option<&Path>,
) -> Result<Source, Problem> {
    Source::load(&song_of(saved, trace, song))
}

/// Where the song of a trace is: where somebody says, where it was from here, or where it was from one of the folders that
/// the trace is in. A trace is usually written beside its song, and read from anywhere.
pub(super) fn song_of(saved: &SavedTrace, trace: &Path, song: Option<&Path>) -> PathBuf {
    let told = Path::new(&saved.header.file);
    if let Some(song) = song {
        return song.to_owned();
    }
    if told.exists() || told.is_absolute() {
        return told.to_owned();
    }
    let folders = trace.ancestors().skip(1);
    let found = folders
        .map(|folder| folder.join(told))
        .find(|path| path.exists());
    found.unwrap_or_else(|| told.to_owned())
}

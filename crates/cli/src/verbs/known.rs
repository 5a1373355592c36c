//! What is known about a saved execution when its song is at hand: what decided it, the values of the
//! properties, and the lines of the source.

use plainsong_driver::counterexample::{Background, background};
use plainsong_driver::replay::{Again, again};
use plainsong_driver::{Source, song};
use plainsong_report::trace_file::SavedTrace;
use plainsong_report::{Page, Text};

/// What is known about a trace besides what it tells.
pub(super) struct Known {
    source: Option<Source>,
    pub(super) background: Background,
    pub(super) note: Option<&'static str>,
}

impl Known {
    /// Looks the song up; where it has changed and still follows the trace, the trace becomes its own.
    pub(super) fn new(saved: &mut SavedTrace, source: Option<Source>) -> Self {
        let without = |source, note| Known {
            source,
            background: Background::default(),
            note: Some(note),
        };
        let Some(source) = source else {
            return without(None, "the song was not found");
        };
        let Ok(loaded) = song::compile(source.clone()) else {
            return without(Some(source), "the song could not be read");
        };
        let Some(song) = loaded.song.clone() else {
            return without(None, "the song has mistakes now");
        };
        match again(&loaded, &song, saved) {
            Ok(Again::Same) => Known {
                source: Some(source),
                background: background(&song, saved),
                note: None,
            },
            Ok(Again::Follows(trace)) => {
                saved.trace = *trace;
                Known {
                    source: Some(source),
                    background: background(&song, saved),
                    note: Some("the song has changed since, and still follows this execution"),
                }
            }
            _ => without(None, "the song no longer follows this execution"),
        }
    }

    /// The song, or nothing under its name.
    pub(super) fn text<'a>(&'a self, saved: &'a SavedTrace) -> Text<'a> {
        match &self.source {
            Some(source) => source.text(),
            None => Text {
                name: &saved.header.file,
                text: "",
            },
        }
    }

    /// What a page about the trace says.
    pub(super) fn page<'a>(&'a self, saved: &'a SavedTrace) -> Page<'a> {
        Page {
            saved,
            source: self.source.as_ref().map(Source::text),
            truths: &self.background.truths,
            race: self.background.race.as_ref(),
            other_truths: &self.background.other_truths,
            note: self.note,
        }
    }
}

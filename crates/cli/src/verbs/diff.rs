//! `plainsong diff`: two saved executions side by side. Like other programs of this name, it ends with
//! exit code 1 when they differ.

use super::replay::heading;
use super::saved::{read, source_of};
use crate::arguments::DiffArguments;
use crate::session::Session;
use plainsong_driver::{Exit, Problem};
use plainsong_report::trace_file::SavedTrace;
use plainsong_report::{Text, difference};
use std::path::Path;

/// Compares two traces.
pub(crate) fn diff(arguments: &DiffArguments, session: &mut Session) -> Exit {
    match compare(&arguments.left, &arguments.right) {
        Ok((same, text)) => {
            session.console.result(&text);
            if same { Exit::Fine } else { Exit::Refuted }
        }
        Err(problem) => session.reject(&problem),
    }
}

fn compare(left: &Path, right: &Path) -> Result<(bool, String), Problem> {
    let (left, right) = (Side::read(left)?, Side::read(right)?);
    let found = difference(
        (left.text(), &left.title, &left.saved.trace),
        (right.text(), &right.title, &right.saved.trace),
    );
    Ok((found.same, found.text))
}

struct Side {
    title: String,
    saved: SavedTrace,
    /// Empty when the song is not at hand: then lines are not known.
    song: String,
}

impl Side {
    fn read(path: &Path) -> Result<Self, Problem> {
        let (name, saved) = read(path)?;
        let song = source_of(&saved, None).map_or(String::new(), |source| source.text);
        Ok(Side {
            title: format!("{name}: {}", heading(&saved)),
            saved,
            song,
        })
    }

    fn text(&self) -> Text<'_> {
        Text {
            name: &self.saved.header.file,
            text: &self.song,
        }
    }
}

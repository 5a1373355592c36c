//! `plainsong diff`: two saved executions side by side. Like other programs of this name, it ends with
//! exit code 1 when they differ.

use super::known::Known;
use super::replay::heading;
use super::saved::{read, source_of};
use crate::arguments::DiffArguments;
use crate::session::Session;
use plainsong_driver::save::replace;
use plainsong_driver::{Exit, Problem};
use plainsong_report::trace_file::SavedTrace;
use plainsong_report::{Difference, Text, comparison_html, difference};
use std::path::{Path, PathBuf};

/// Compares two traces.
pub(crate) fn diff(arguments: &DiffArguments, session: &mut Session) -> Exit {
    match compare(arguments) {
        Ok(found) => {
            session.console.result(&found.text);
            if found.same {
                Exit::Fine
            } else {
                Exit::Refuted
            }
        }
        Err(problem) => session.reject(&problem),
    }
}

fn compare(arguments: &DiffArguments) -> Result<Difference, Problem> {
    let (left, right) = (Side::read(&arguments.left)?, Side::read(&arguments.right)?);
    let found = difference(
        (left.text(), &left.title, &left.saved.trace),
        (right.text(), &right.title, &right.saved.trace),
    );
    if let Some(path) = &arguments.html {
        let page = left.beside(right, &found);
        replace(path, &page)
            .map_err(|error| Problem::new(format!("cannot write {}: {error}", path.display())))?;
    }
    Ok(found)
}

struct Side {
    path: PathBuf,
    title: String,
    saved: SavedTrace,
    /// Empty when the song is not at hand: then lines are not known.
    song: String,
}

impl Side {
    fn read(path: &Path) -> Result<Self, Problem> {
        let (name, saved) = read(path)?;
        let song = source_of(&saved, path, None).map_or(String::new(), |source| source.text);
        Ok(Side {
            path: path.to_owned(),
            title: format!("{name}: {}", heading(&saved)),
            saved,
            song,
        })
    }

    /// Both on one page.
    fn beside(mut self, mut other: Side, found: &Difference) -> String {
        let source = source_of(&self.saved, &self.path, None).ok();
        let ours = Known::new(&mut self.saved, source);
        let source = source_of(&other.saved, &other.path, None).ok();
        let theirs = Known::new(&mut other.saved, source);
        comparison_html(
            (&self.title, &ours.page(&self.saved)),
            (&other.title, &theirs.page(&other.saved)),
            found,
        )
    }

    fn text(&self) -> Text<'_> {
        Text {
            name: &self.saved.header.file,
            text: &self.song,
        }
    }
}

//! `--page FILE`: what came of a run, as one page for a browser.

use super::known::Known;
use super::saved::{read, source_of};
use plainsong_driver::save::TOOL;
use plainsong_report::trace_file::SavedTrace;
use plainsong_report::{Answer, Checked, Coverage, overview_html};
use std::path::Path;

/// One song of the run.
pub(super) struct Song {
    name: String,
    answers: Vec<Answer>,
    coverage: Option<Coverage>,
    /// For each answer, the execution that refutes it, if one does.
    executions: Vec<Option<(SavedTrace, Known)>>,
}

impl Song {
    /// What came of one file. The executions were saved.
    pub(super) fn new(name: &str, answers: &[Answer], coverage: Option<&Coverage>) -> Self {
        Song {
            name: name.to_owned(),
            answers: answers.to_vec(),
            coverage: coverage.cloned(),
            executions: answers.iter().map(execution).collect(),
        }
    }
}

fn execution(answer: &Answer) -> Option<(SavedTrace, Known)> {
    let path = Path::new(answer.trace_path.as_ref()?);
    let (_, mut saved) = read(path).ok()?;
    let source = source_of(&saved, path, None).ok();
    let known = Known::new(&mut saved, source);
    Some((saved, known))
}

/// The page.
pub(super) fn page(songs: &[Song]) -> String {
    let checked = songs.iter().map(|song| Checked {
        name: &song.name,
        answers: &song.answers,
        coverage: song.coverage.as_ref(),
        pages: song
            .executions
            .iter()
            .map(|one| one.as_ref().map(|(saved, known)| known.page(saved)))
            .collect(),
    });
    overview_html(TOOL, &checked.collect::<Vec<_>>())
}

//! `plainsong replay`: the steps of a saved trace, taken again.

use super::saved::{read, song_of};
use crate::arguments::ReplayArguments;
use crate::limits::Limited;
use crate::session::Session;
use plainsong_driver::counterexample::background;
use plainsong_driver::replay::{Again, again};
use plainsong_driver::{Exit, LoadedSong, Problem};
use plainsong_ir::Song;
use plainsong_report::trace_file::SavedTrace;
use std::sync::Arc;

/// Takes the trace again and shows it, or says where the song no longer follows it.
pub(crate) fn replay(arguments: &ReplayArguments, session: &mut Session) -> Exit {
    let _limited = Limited::begin(&arguments.limits, "replay", false);
    take(arguments, session).unwrap_or_else(|exit| exit)
}

fn take(arguments: &ReplayArguments, session: &mut Session) -> Result<Exit, Exit> {
    let (file, saved) = read(&arguments.trace).map_err(|problem| session.reject(&problem))?;
    let song_path = song_of(&saved, &arguments.trace, arguments.song.as_deref());
    if !song_path.exists() {
        let problem = Problem::new("the song of this trace is not there");
        let problem = problem.help("`--song FILE` says where it is now");
        return Err(session.reject(&problem.in_file(song_path.display().to_string())));
    }
    let (loaded, song) = session.song(&song_path)?;
    if arguments.to_test {
        return to_test(&loaded, &song, &saved, session);
    }
    let outcome = again(&loaded, &song, &saved)
        .map_err(|problem| session.reject(&problem.in_file(&loaded.source.name)))?;
    let heading = heading(&saved);
    match outcome {
        Again::Same => {
            let text = told(&loaded, &song, &saved);
            session.console.result(&format!("{heading}\n\n{text}"));
            Ok(Exit::of_ending(&saved.trace.ending))
        }
        Again::Follows(trace) => {
            let current = SavedTrace {
                header: saved.header.clone(),
                trace: (*trace).clone(),
            };
            let text = told(&loaded, &song, &current);
            let note = "the song has changed since, and still follows it";
            session
                .console
                .result(&format!("{heading}\n\n{text}  note: {note}\n"));
            Ok(Exit::of_ending(&trace.ending))
        }
        Again::Parted { mismatch, changed } => {
            let event = mismatch
                .event
                .map(|at| format!("event {}: ", at + 1))
                .unwrap_or_default();
            let why = if changed {
                " (the song has changed since)"
            } else {
                ""
            };
            session.console.result(&format!(
                "{heading}\n\n  the song no longer follows {file}{why}\n  {event}{}\n",
                mismatch.message
            ));
            Ok(Exit::Unknown)
        }
        Again::Bug(crash) => Err(session.bug(Some(&loaded.source), &crash)),
    }
}

/// The execution, with what decided it.
fn told(loaded: &LoadedSong, song: &Arc<Song>, saved: &SavedTrace) -> String {
    let background = background(song, saved);
    let source = loaded.source.text();
    let mut text = plainsong_report::execution(source, &saved.trace, &background.start);
    if let Some(race) = &background.race {
        text.push_str(&format!("  {}: {}\n", race.kind.word(), race.sentence));
    }
    text
}

/// Prints a test, once it is known that the execution is one of the song.
fn to_test(
    loaded: &LoadedSong,
    song: &Arc<Song>,
    saved: &SavedTrace,
    session: &mut Session,
) -> Result<Exit, Exit> {
    let outcome = again(loaded, song, saved)
        .map_err(|problem| session.reject(&problem.in_file(&loaded.source.name)))?;
    let mut current = saved.clone();
    match outcome {
        Again::Same => {}
        Again::Follows(trace) => current.trace = *trace,
        Again::Parted { mismatch, .. } => {
            let problem = Problem::new(format!(
                "the song no longer follows this trace: {}",
                mismatch.message
            ));
            return Err(session.reject(&problem));
        }
        Again::Bug(crash) => return Err(session.bug(Some(&loaded.source), &crash)),
    }
    current.header.file.clone_from(&loaded.source.name);
    match plainsong_report::to_test(&current) {
        Some(test) => {
            session.console.raw(&test);
            Ok(Exit::Fine)
        }
        None => Err(session.reject(&Problem::new(
            "nothing goes wrong in this execution: there is nothing to test for",
        ))),
    }
}

/// What a trace is about, in one line.
pub(super) fn heading(saved: &SavedTrace) -> String {
    let header = &saved.header;
    let mut heading = header.file.clone();
    heading.extend(
        header
            .property
            .iter()
            .map(|property| format!("  {property}")),
    );
    heading.extend(
        header
            .sizes
            .iter()
            .map(|(name, size)| format!("  {name}={size}")),
    );
    heading
}

//! `plainsong replay`: the steps of a saved trace, taken again.

use super::saved::read;
use crate::arguments::ReplayArguments;
use crate::session::Session;
use plainsong_driver::Exit;
use plainsong_driver::again::{Again, again};
use plainsong_report::trace_file::SavedTrace;
use std::path::PathBuf;

/// Takes the trace again and shows it, or says where the song no longer follows it.
pub(crate) fn replay(arguments: &ReplayArguments, session: &mut Session) -> Exit {
    take(arguments, session).unwrap_or_else(|exit| exit)
}

fn take(arguments: &ReplayArguments, session: &mut Session) -> Result<Exit, Exit> {
    let (file, saved) = read(&arguments.trace).map_err(|problem| session.reject(&problem))?;
    let song_path = arguments
        .song
        .clone()
        .unwrap_or_else(|| PathBuf::from(&saved.header.file));
    let (loaded, song) = session.song(&song_path)?;
    let outcome = again(&loaded, &song, &saved)
        .map_err(|problem| session.reject(&problem.in_file(&loaded.source.name)))?;
    let heading = heading(&saved);
    match outcome {
        Again::Same => {
            let text = plainsong_report::execution(loaded.source.text(), &saved.trace);
            session.console.result(&format!("{heading}\n\n{text}"));
            Ok(Exit::of_ending(&saved.trace.ending))
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

//! `plainsong replay`: the steps of a saved trace, taken again.

use crate::arguments::ReplayArguments;
use crate::session::Session;
use plainsong_driver::again::{Again, again};
use plainsong_driver::{Exit, Problem, Source};
use plainsong_report::trace_file::{self, SavedTrace};
use std::path::PathBuf;

/// Takes the trace again and shows it, or says where the song no longer follows it.
pub(crate) fn replay(arguments: &ReplayArguments, session: &mut Session) -> Exit {
    take(arguments, session).unwrap_or_else(|exit| exit)
}

fn take(arguments: &ReplayArguments, session: &mut Session) -> Result<Exit, Exit> {
    let (file, saved) = read(arguments).map_err(|problem| session.reject(&problem))?;
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

fn read(arguments: &ReplayArguments) -> Result<(String, SavedTrace), Problem> {
    let source = Source::load(&arguments.trace)?;
    let saved = trace_file::read(&source.text)
        .map_err(|error| Problem::new(error.to_string()).in_file(&source.name))?;
    Ok((source.name, saved))
}

fn heading(saved: &SavedTrace) -> String {
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

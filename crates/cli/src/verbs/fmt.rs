//! `plainsong fmt`: the one canonical style. A file is replaced as a whole or not at all.

use super::request::files;
use crate::arguments::FmtArguments;
use crate::session::Session;
use plainsong_driver::format::{Unformatted, format};
use plainsong_driver::save::replace;
use plainsong_driver::{Exit, Problem, Source};
use std::path::Path;

/// Formats the files, or says which would change.
pub(crate) fn fmt(arguments: &FmtArguments, session: &mut Session) -> Exit {
    let files = match files(&arguments.files) {
        Ok(files) => files,
        Err(problem) => return session.reject(&problem),
    };
    files.iter().fold(Exit::Fine, |exit, file| {
        exit.and(one(arguments, session, file).unwrap_or_else(|exit| exit))
    })
}

fn one(arguments: &FmtArguments, session: &mut Session, file: &Path) -> Result<Exit, Exit> {
    let source = Source::load(file).map_err(|problem| session.reject(&problem))?;
    let formatted = format(&source).map_err(|error| refuse(session, &source, error))?;
    let changed = formatted != source.text;
    if arguments.check {
        if changed {
            session
                .console
                .result(&format!("{} is not formatted\n", source.name));
        }
        return Ok(if changed { Exit::Refuted } else { Exit::Fine });
    }
    match &source.path {
        Some(path) if !arguments.stdout => {
            if changed {
                replace(path, &formatted).map_err(|error| {
                    let problem = Problem::new(format!("cannot be written: {error}"));
                    session.reject(&problem.in_file(&source.name))
                })?;
            }
        }
        _ => session.console.raw(&formatted),
    }
    Ok(Exit::Fine)
}

fn refuse(session: &mut Session, source: &Source, error: Unformatted) -> Exit {
    match error {
        Unformatted::Mistakes(mistakes) => {
            session.diagnostics(source, &mistakes);
            Exit::Rejected
        }
        Unformatted::Bug(crash) => session.bug(Some(source), &crash),
    }
}

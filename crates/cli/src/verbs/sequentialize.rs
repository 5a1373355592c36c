//! `plainsong sequentialize`: the verdicts, and with `--emit` the line.

use super::check::check;
use super::request::{files, request};
use crate::arguments::SequentializeArguments;
use crate::session::Session;
use plainsong_driver::{Exit, Source, line, song};

/// Looks for the line of each file.
pub(crate) fn sequentialize(arguments: &SequentializeArguments, session: &mut Session) -> Exit {
    let exit = check(&arguments.check, Some("sequentialize"), session);
    if !arguments.emit {
        return exit;
    }
    let delivery = request(&arguments.check.instance).delivery;
    for file in files(&arguments.check.files).unwrap_or_default() {
        // What is wrong with a file was said before.
        let Ok(Ok(loaded)) = Source::load(&file).map(song::compile) else {
            continue;
        };
        let Some(song) = &loaded.song else { continue };
        let told = line::line(song, &loaded.source.text, delivery);
        session.console.result(&format!("\n{told}"));
    }
    exit
}

//! `plainsong recheck`: a certificate of `sequentialize`, checked by other code than the one that made it.

use crate::arguments::RecheckArguments;
use crate::session::Session;
use plainsong_driver::Exit;
use plainsong_driver::certificate::{Rechecked, again, read};
use std::path::PathBuf;

/// Checks a certificate again.
pub(crate) fn recheck(arguments: &RecheckArguments, session: &mut Session) -> Exit {
    let certificate = match read(&arguments.certificate) {
        Ok(certificate) => certificate,
        Err(problem) => return session.reject(&problem),
    };
    let named = PathBuf::from(&certificate.file);
    let song = arguments.song.clone().unwrap_or(named);
    let (loaded, song) = match session.song(&song) {
        Ok(found) => found,
        Err(exit) => return exit,
    };
    let (exit, told) = match again(&song, &loaded.source, &certificate) {
        Rechecked::Accepted => (
            Exit::Fine,
            "accepted   every step was checked: no deadlock and no message left over, for any size"
                .to_owned(),
        ),
        Rechecked::NotCovered(why) => (Exit::Unknown, format!("unknown    {why}")),
        Rechecked::Refused(why) => (Exit::Refuted, format!("REFUSED    {why}")),
    };
    let name = &loaded.source.name;
    session.console.result(&format!("{name}\n  {told}\n"));
    exit
}

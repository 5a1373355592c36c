//! `plainsong recheck`: a certificate of `sequentialize` or `diverge`, checked by other code than the one that made it.

use crate::arguments::RecheckArguments;
use crate::limits::Limited;
use crate::session::Session;
use plainsong_driver::certificate::{Rechecked, again, read, trusted};
use plainsong_driver::rank_certificate::{self, RankCertificate};
use plainsong_driver::termination_certificate::{self, TerminationCertificate};
use plainsong_driver::{Exit, LoadedSong};
use plainsong_ir::Song;
use plainsong_semantics::verdict::Assumption;
use std::sync::Arc;

/// Checks a certificate again.
pub(crate) fn recheck(arguments: &RecheckArguments, session: &mut Session) -> Exit {
    let _limited = Limited::begin(&arguments.limits, "recheck", false);
    if let Some(certificate) = termination_certificate::read(&arguments.certificate) {
        return rest(arguments, &certificate, session);
    }
    if let Some(certificate) = rank_certificate::read(&arguments.certificate) {
        return ranks(arguments, &certificate, session);
    }
    let certificate = match read(&arguments.certificate) {
        Ok(certificate) => certificate,
        Err(problem) => return session.reject(&problem),
    };
    let (loaded, song) = match about(arguments, &certificate.file, session) {
        Ok(found) => found,
        Err(exit) => return exit,
    };
    let (again, claim) = again(&song, &loaded.source, &certificate);
    let accepted = format!("every step was checked: {claim}");
    tell(
        &loaded.source.name,
        again,
        &accepted,
        &trusted(&song),
        session,
    )
}

/// Checks a termination certificate again.
fn rest(
    arguments: &RecheckArguments,
    certificate: &TerminationCertificate,
    session: &mut Session,
) -> Exit {
    let (loaded, song) = match about(arguments, &certificate.file, session) {
        Ok(found) => found,
        Err(exit) => return exit,
    };
    let (again, claim, notes) = termination_certificate::again(&song, &loaded.source, certificate);
    let accepted = format!("every strike was checked: {claim}");
    tell(&loaded.source.name, again, &accepted, &notes, session)
}

/// Checks a ranking certificate again.
fn ranks(
    arguments: &RecheckArguments,
    certificate: &RankCertificate,
    session: &mut Session,
) -> Exit {
    let (loaded, song) = match about(arguments, &certificate.file, session) {
        Ok(found) => found,
        Err(exit) => return exit,
    };
    match rank_certificate::again(&song, &loaded.source, certificate) {
        Ok((again, accepted, notes)) => {
            tell(&loaded.source.name, again, &accepted, &notes, session)
        }
        Err(problem) => session.reject(&problem.in_file(&loaded.source.name)),
    }
}

/// The song that a certificate is about: the one that is given, or else the one that it names.
fn about(
    arguments: &RecheckArguments,
    named: &str,
    session: &mut Session,
) -> Result<(LoadedSong, Arc<Song>), Exit> {
    let given = arguments.song.clone();
    session.song(&given.unwrap_or_else(|| named.into()))
}

fn tell(
    name: &str,
    again: Rechecked,
    accepted: &str,
    notes: &[Assumption],
    session: &mut Session,
) -> Exit {
    let (exit, mut told) = match again {
        Rechecked::Accepted => (Exit::Fine, format!("accepted   {accepted}")),
        Rechecked::NotCovered(why) => (Exit::Unknown, format!("unknown    {why}")),
        Rechecked::Refused(why) => (Exit::Refuted, format!("REFUSED    {why}")),
    };
    if exit == Exit::Fine {
        told.extend(notes.iter().map(|note| format!("\n  note       {note}")));
    }
    session.console.result(&format!("{name}\n  {told}\n"));
    exit
}

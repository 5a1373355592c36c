//! `plainsong diverge`: what never comes to rest; with `--certificate` why an instance does.

use super::check::{Manner, check_in};
use super::request::{files, request};
use crate::arguments::{DivergeArguments, DivergeMethod, FairHow};
use crate::session::Session;
use plainsong_driver::engine::{Fairness, Method, RestOptions};
use plainsong_driver::rest_certificate::certificate;
use plainsong_driver::{Exit, Problem, Source, song};

/// Looks for periods.
pub(crate) fn diverge(arguments: &DivergeArguments, session: &mut Session) -> Exit {
    let fairness = arguments.fair.map(|how| match how {
        FairHow::Pending => Fairness::Fair,
        FairHow::Resent => Fairness::Resent,
    });
    let method = match arguments.method {
        None => Method::All,
        Some(DivergeMethod::Nearest) => Method::Nearest,
        Some(DivergeMethod::Rounds) => Method::Rounds,
        Some(DivergeMethod::Covering) => Method::Covering,
        Some(DivergeMethod::Structural) => Method::Structural,
        Some(DivergeMethod::States) => Method::States,
        Some(DivergeMethod::Shifted) => Method::Shifted,
        Some(DivergeMethod::Drifting) => Method::Drifting,
        Some(DivergeMethod::Alive) => Method::Alive {
            delay: arguments.delay,
            recursion: arguments.recursion,
        },
    };
    let manner = Manner {
        rest: RestOptions {
            fairness,
            method,
            prove: true,
        },
        engine: Some("diverge"),
        ..Manner::default()
    };
    let exit = check_in(&arguments.check, manner, session);
    write(arguments, fairness, session).unwrap_or(exit)
}

/// Writes the certificate; the exit code if that cannot be done.
fn write(
    arguments: &DivergeArguments,
    fairness: Option<Fairness>,
    session: &mut Session,
) -> Option<Exit> {
    let path = arguments.certificate.as_ref()?;
    let files = files(&arguments.check.files).unwrap_or_default();
    let [file] = &files[..] else {
        let why = "a certificate is about one file";
        return Some(session.reject(&Problem::new(why)));
    };
    // What is wrong with the file was said before.
    let loaded = Source::load(file).map(song::compile).ok()?.ok()?;
    let song = loaded.song.as_ref()?;
    let sizes = request(&arguments.check.instance).sizes;
    match certificate(song, &loaded.source, &sizes, fairness) {
        Err(problem) => Some(session.reject(&problem)),
        Ok(None) => {
            let remark =
                "no certificate: counting what is pending does not show that it comes to rest";
            session.console.remark(remark);
            None
        }
        Ok(Some(text)) => {
            let error = std::fs::write(path, text).err()?;
            let why = format!("cannot write {}: {error}", path.display());
            Some(session.reject(&Problem::new(why)))
        }
    }
}

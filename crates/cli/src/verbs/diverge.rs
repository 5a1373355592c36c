//! `plainsong diverge`: what never terminates; with `--certificate` why everything does, with `--emit` the programs of
//! the paper's translations.

use super::check::{Manner, check_in};
use super::request::{files, request};
use crate::arguments::{DivergeArguments, DivergeMethod, FairHow, Translation};
use crate::session::Session;
use plainsong_driver::engine::{Fairness, LivenessOptions, Method};
use plainsong_driver::rank_certificate;
use plainsong_driver::termination_certificate::{Asked, certificate};
use plainsong_driver::translation::{Bounds, Which, emitted};
use plainsong_driver::{Exit, Problem, Source, song};

/// Rounds of the translations, unless it is said otherwise.
const DELAY: u32 = 2;

/// Tasks of a kind in a chain.
const RECURSION: u32 = 5;

/// Looks for cycles.
pub(crate) fn diverge(arguments: &DivergeArguments, session: &mut Session) -> Exit {
    let fairness = arguments.fair.map(|how| match how {
        FairHow::Pending => Fairness::Fair,
        FairHow::Resent => Fairness::Resent,
    });
    if let Some(which) = arguments.emit {
        return emit(arguments, which, session);
    }
    let is_alive = matches!(
        arguments.method,
        Some(DivergeMethod::Alive | DivergeMethod::AliveSmt)
    );
    for (flag, value) in [
        ("--delay", arguments.delay),
        ("--recursion", arguments.recursion),
    ] {
        if value.is_some() && !is_alive {
            return session.reject(&Problem::new(format!(
                "`{flag}` has no effect: it is for `--method alive`, `--method alive-smt` and `--emit`"
            )));
        }
    }
    let method = match arguments.method {
        None => Method::All,
        Some(DivergeMethod::Nearest) => Method::Nearest,
        Some(DivergeMethod::Rounds) => Method::Rounds,
        Some(DivergeMethod::Covering) => Method::Covering,
        Some(DivergeMethod::Structural) => Method::Structural,
        Some(DivergeMethod::States) => Method::States,
        Some(DivergeMethod::Shifted) => Method::Shifted,
        Some(DivergeMethod::Covers) => Method::Covers,
        Some(DivergeMethod::Drifting) => Method::Drifting,
        Some(DivergeMethod::Alive | DivergeMethod::AliveSmt) => Method::Alive {
            delay: arguments.delay.unwrap_or(DELAY),
            recursion: arguments.recursion.unwrap_or(RECURSION),
        },
    };
    let manner = Manner {
        liveness: LivenessOptions {
            fairness,
            level: None,
            method,
            prove: true,
            solve: arguments.method == Some(DivergeMethod::AliveSmt),
        },
        engine: Some("diverge"),
        ..Manner::default()
    };
    let exit = check_in(&arguments.check, manner, session);
    match exit {
        // What was asked cannot be answered, so there is nothing to certify either.
        Exit::Rejected | Exit::Bug => exit,
        _ => write(arguments, fairness, session).unwrap_or(exit),
    }
}

/// Prints a translated program, and nothing else, so that it can be fed back.
fn emit(arguments: &DivergeArguments, which: Translation, session: &mut Session) -> Exit {
    let files = files(&arguments.check.files).unwrap_or_default();
    let [file] = &files[..] else {
        return session.reject(&Problem::new("one program is printed of one file"));
    };
    let (loaded, song) = match session.song(file) {
        Ok(known) => known,
        Err(exit) => return exit,
    };
    let bounds = Bounds {
        delay: arguments.delay.unwrap_or(DELAY),
        recursion: arguments.recursion.unwrap_or(RECURSION),
        fair: arguments.fair.is_some(),
    };
    let which = match which {
        Translation::Nt => Which::Period,
        Translation::Db => Which::Rounds,
    };
    match emitted(&song, which, bounds) {
        Ok(text) => {
            session.console.result(&text);
            Exit::Fine
        }
        Err(problem) => session.reject(&problem.in_file(&loaded.source.name)),
    }
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
    let request = request(&arguments.check.instance);
    if request.every_delivery {
        let why = "a certificate is about one model of delivery";
        return Some(session.reject(&Problem::new(why)));
    }
    let asked = Asked {
        sizes: request.sizes,
        fairness,
        bounds: request.bounds,
        delivery: request.delivery,
        properties: arguments.check.property.clone(),
    };
    let for_every_size = match asked.sizes.is_empty() {
        true => {
            rank_certificate::certificate(song, &loaded.source, &arguments.check.cache.caching())
        }
        false => None,
    };
    let found = match for_every_size {
        Some(text) => Ok(Ok(text)),
        None => certificate(song, &loaded.source, &asked),
    };
    match found {
        Err(problem) => Some(session.reject(&problem)),
        Ok(Err(why)) => {
            session.console.remark(&format!("no certificate: {why}\n"));
            None
        }
        Ok(Ok(text)) => {
            let error = std::fs::write(path, text).err()?;
            let why = format!("cannot write {}: {error}", path.display());
            Some(session.reject(&Problem::new(why)))
        }
    }
}

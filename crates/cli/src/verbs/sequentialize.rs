//! `plainsong sequentialize`: the verdicts, with `--emit` the line, with `--certificate` the derivation.

use super::check::check;
use super::request::{files, request};
use crate::arguments::SequentializeArguments;
use crate::session::Session;
use plainsong_driver::certificate::certificate;
use plainsong_driver::{Exit, Problem, Source, line, song};

/// Looks for the line of each file.
pub(crate) fn sequentialize(arguments: &SequentializeArguments, session: &mut Session) -> Exit {
    let exit = check(&arguments.check, Some("sequentialize"), session);
    let exit = match certify(arguments, session) {
        Some(worse) => worse,
        None => exit,
    };
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

/// Writes the certificate; the exit code if that cannot be done.
fn certify(arguments: &SequentializeArguments, session: &mut Session) -> Option<Exit> {
    let path = arguments.certificate.as_ref()?;
    let reject = |session: &mut Session, why: String| Some(session.reject(&Problem::new(why)));
    let files = files(&arguments.check.files).unwrap_or_default();
    let [file] = &files[..] else {
        return reject(session, "a certificate is about one file".to_owned());
    };
    // What is wrong with the file was said before.
    let loaded = Source::load(file).map(song::compile).ok()?.ok()?;
    let song = loaded.song.as_ref()?;
    let delivery = request(&arguments.check.instance).delivery;
    let Some(text) = certificate(song, &loaded.source, delivery) else {
        session
            .console
            .remark("no certificate: there is no line to certify");
        return None;
    };
    match std::fs::write(path, text) {
        Ok(()) => None,
        Err(error) => reject(session, format!("cannot write {}: {error}", path.display())),
    }
}

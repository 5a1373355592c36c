//! `plainsong sequentialize`: the verdicts, with `--emit` the line, with `--certificate` the derivation, with `--html` a page.

use super::check::check;
use super::request::{files, request};
use crate::arguments::SequentializeArguments;
use crate::session::Session;
use plainsong_driver::certificate::certificate;
use plainsong_driver::{Exit, Problem, Source, line, song};

/// Looks for the line of each file.
pub(crate) fn sequentialize(arguments: &SequentializeArguments, session: &mut Session) -> Exit {
    let exit = check(&arguments.check, Some("sequentialize"), session);
    if matches!(exit, Exit::Rejected | Exit::Bug) {
        return exit;
    }
    let exit = match write(arguments, session) {
        Some(worse) => worse,
        None => exit,
    };
    if !arguments.emit {
        return exit;
    }
    let delivery = request(&arguments.check.instance).delivery;
    let caching = arguments.check.cache.caching();
    for file in files(&arguments.check.files).unwrap_or_default() {
        // What is wrong with a file was said before.
        let Ok(Ok(loaded)) = Source::load(&file).map(song::compile) else {
            continue;
        };
        let Some(song) = &loaded.song else { continue };
        let told = line::line(song, &loaded.source.text, delivery, &caching);
        session.console.result(&format!("\n{told}"));
    }
    exit
}

/// Writes what goes to files; the exit code if that cannot be done.
fn write(arguments: &SequentializeArguments, session: &mut Session) -> Option<Exit> {
    if arguments.certificate.is_none() && arguments.html.is_none() {
        return None;
    }
    let files = files(&arguments.check.files).unwrap_or_default();
    let [file] = &files[..] else {
        let why = "a certificate or a page is about one file";
        return Some(session.reject(&Problem::new(why)));
    };
    // What is wrong with the file was said before.
    let loaded = Source::load(file).map(song::compile).ok()?.ok()?;
    let song = loaded.song.as_ref()?;
    let delivery = request(&arguments.check.instance).delivery;
    let caching = arguments.check.cache.caching();
    let certificate = || certificate(song, &loaded.source, delivery, &caching);
    let page = || line::page(song, &loaded.source, delivery, &caching);
    let wanted: [(_, &str, &dyn Fn() -> Option<String>); 2] = [
        (&arguments.certificate, "certificate", &certificate),
        (&arguments.html, "page", &page),
    ];
    for (path, what, make) in wanted {
        let Some(path) = path else { continue };
        let Some(text) = make() else {
            let remark = format!("no {what}: there is no line to show\n");
            session.console.remark(&remark);
            continue;
        };
        if let Err(error) = std::fs::write(path, text) {
            let why = format!("cannot write {}: {error}", path.display());
            return Some(session.reject(&Problem::new(why)));
        }
    }
    None
}

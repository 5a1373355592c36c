//! `plainsong project`: the processes that do what a choreography says.

use super::agreement::{agreed, warn_if_refuted};
use super::mend::{correct, mend_line};
use crate::arguments::ProjectArguments;
use crate::limits::Limited;
use crate::session::Session;
use plainsong_driver::projection::{self, Options, Projection, Rejected, external};
use plainsong_driver::{Exit, LoadedSong, Problem};
use plainsong_ir::{Sizing, Song};
use std::path::Path;

/// Projects a choreography and prints or writes what it becomes.
pub(crate) fn project(arguments: &ProjectArguments, session: &mut Session) -> Exit {
    let limited = Limited::begin(&arguments.limits, "project", false);
    done(arguments, &limited, session).unwrap_or_else(|exit| exit)
}

fn done(
    arguments: &ProjectArguments,
    limited: &Limited,
    session: &mut Session,
) -> Result<Exit, Exit> {
    if arguments.fix {
        // It writes the song, which no limit may interrupt.
        limited.lift();
        correct(&arguments.file, arguments.quiet, session)?;
    }
    let (loaded, song) = session.song(&arguments.file)?;
    let line = projection::line(&song, arguments.line.as_deref());
    let line = line.map_err(|problem| session.reject(&problem.in_file(&loaded.source.name)))?;
    let (mut sizings, mut texts): (Vec<Sizing>, Vec<(String, String)>) = Default::default();
    for given in &arguments.size {
        sizings.extend(given.sizes.iter().cloned());
        texts.extend(given.written.iter().cloned());
    }
    let given = projection::given(&song, line, (&sizings, &texts));
    let given = given.map_err(|problem| session.reject(&problem.in_file(&loaded.source.name)))?;
    if !arguments.size.is_empty() && arguments.out.is_none() {
        let problem = "`--size` has no effect: it is for the program that `--out` writes";
        return Err(session.reject(&Problem::new(problem)));
    }
    let options = Options {
        strict: arguments.strict_paper,
        decide: arguments.decide,
    };
    if arguments.fix {
        let name = &song.lines[line].name;
        mend_line(&arguments.file, name, &options, arguments.quiet, session)?;
        return Ok(Exit::Fine);
    }
    let projected = projection::project(&song, line, &options).map_err(|problems| {
        session.diagnostics(&loaded.source, &problems);
        Exit::Rejected
    })?;
    if !arguments.quiet {
        session.diagnostics(&loaded.source, &projected.notes);
    }
    let caching = arguments.cache.caching();
    if !options.decide && projection::has_to_agree(&song, line) {
        agreed((&loaded, &song), line, arguments.quiet, &caching, session)?;
    } else if !arguments.quiet {
        warn_if_refuted((&loaded, &song), line, &caching, session);
    }
    let name = &song.lines[line].name;
    if arguments.emit {
        session.console.raw(&projection::text(&projected));
    } else if !arguments.quiet {
        session.console.result(&summary(name, &projected));
    }
    if let Some(directory) = &arguments.out {
        let files = projection::files(&loaded.source, &song.lines[line], &projected, &given);
        let files = files.map_err(|rejected| refuse(session, &loaded, rejected))?;
        limited.lift();
        let left = write(directory, &projected.song, &files);
        let left = left.map_err(|problem| session.reject(&problem))?;
        if !arguments.quiet {
            session
                .console
                .result(&written(directory, &projected.song, &left));
        }
    }
    Ok(Exit::Fine)
}

fn refuse(session: &mut Session, loaded: &LoadedSong, rejected: Rejected) -> Exit {
    match rejected {
        Rejected::Problem(problem) => session.reject(&problem.in_file(&loaded.source.name)),
        Rejected::Mistakes(mistakes) => {
            session.diagnostics(&loaded.source, &mistakes);
            Exit::Rejected
        }
    }
}

/// Writes the crate, but not over something that is none of ours; returns files of the user that were left alone.
fn write(
    directory: &Path,
    song: &Song,
    files: &[(String, String)],
) -> Result<Vec<(String, String)>, Problem> {
    let is_empty =
        std::fs::read_dir(directory).map_or(true, |mut entries| entries.next().is_none());
    let place = directory.display();
    if !is_empty && !directory.join("voices.song").exists() {
        let message = format!("{place} is not empty and was not written by `project`");
        return Err(Problem::new(message).help("choose a directory that is not there yet"));
    }
    projection::write(directory, song, files)
        .map_err(|error| Problem::new(format!("{place} cannot be written: {error}")))
}

/// Where the crate is, and what the user has to do in it.
fn written(directory: &Path, song: &Song, left: &[(String, String)]) -> String {
    let place = directory.display();
    let told = format!("written to {place}: `cargo run` there runs it\n");
    if !external::has_external(song) {
        return told;
    }
    let text = left.iter().find(|(path, _)| path == "src/external.rs");
    let missing = external::missing(song, text.map_or("", |(_, text)| text));
    let names: Vec<String> = missing.iter().map(|name| format!("`{name}`")).collect();
    let names = names.join(", ");
    let yours = match (text, names.is_empty()) {
        (None, _) => format!("yours to write, in src/external.rs: {names}\n"),
        (Some(_), true) => "src/external.rs and Cargo.toml were left as they are\n".to_owned(),
        (Some(_), false) => format!("src/external.rs was left as it is; it has no {names}\n"),
    };
    told + &yours
}

/// What came out, in one line.
fn summary(name: &str, projected: &Projection) -> String {
    let messages = projected
        .song
        .voices()
        .map_or(0, |voices| voices.messages.len());
    let messages = plainsong_report::count(messages as u64, "kind");
    let processes = projected.song.families.iter();
    let (families, single): (Vec<_>, Vec<_>) = processes.partition(|one| !one.index.is_empty());
    let single = (!single.is_empty()).then(|| counted(single.len(), "process", "processes"));
    let families = (!families.is_empty()).then(|| counted(families.len(), "family", "families"));
    let processes = [single, families];
    let processes: Vec<String> = processes.into_iter().flatten().collect();
    let processes = processes.join(" and ");
    let added = match projected.added_messages {
        0 => "all in the text".to_owned(),
        added => format!("{added} added by projection"),
    };
    format!("{name}: {processes}, {messages} of messages, {added}\n")
}

fn counted(number: usize, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}

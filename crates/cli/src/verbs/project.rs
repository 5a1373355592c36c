//! `plainsong project`: the processes that do what a choreography says.

use crate::arguments::ProjectArguments;
use crate::session::Session;
use plainsong_driver::Exit;
use plainsong_driver::projection::{self, Options, Projection};

/// Projects a choreography and prints or writes what it becomes.
pub(crate) fn project(arguments: &ProjectArguments, session: &mut Session) -> Exit {
    done(arguments, session).unwrap_or_else(|exit| exit)
}

fn done(arguments: &ProjectArguments, session: &mut Session) -> Result<Exit, Exit> {
    let (loaded, song) = session.song(&arguments.file)?;
    let line = projection::line(&song, arguments.line.as_deref());
    let line = line.map_err(|problem| session.reject(&problem.in_file(&loaded.source.name)))?;
    let options = Options {
        strict: arguments.strict_paper,
        decide: arguments.decide,
    };
    let projected = projection::project(&song, line, &options).map_err(|problems| {
        session.diagnostics(&loaded.source, &problems);
        Exit::Rejected
    })?;
    if !arguments.quiet {
        session.diagnostics(&loaded.source, &projected.notes);
    }
    if arguments.emit {
        session.console.raw(&projection::text(&projected));
    } else if !arguments.quiet {
        session
            .console
            .result(&summary(&song.lines[line].name, &projected));
    }
    Ok(Exit::Fine)
}

/// What came out, in one line.
fn summary(name: &str, projected: &Projection) -> String {
    let messages = projected
        .song
        .voices()
        .map_or(0, |voices| voices.messages.len());
    let processes = projected.song.families.len();
    let added = match projected.added_messages {
        0 => "all in the text".to_owned(),
        added => format!("{added} added by projection"),
    };
    format!("{name}: {processes} processes, {messages} kinds of messages, {added}\n")
}

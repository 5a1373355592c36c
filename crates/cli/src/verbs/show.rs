//! `plainsong show`: a saved execution for people and for other tools.
//!
//! A trace tells everything that happened, so most renderings need nothing else. The page and the text
//! say more when the song is at hand and still follows the trace: what decided it, the values of the
//! properties, and the lines of the source.

use super::known::Known;
use super::replay::heading;
use super::saved::{read, source_of};
use crate::arguments::{Format, ShowArguments};
use crate::session::Session;
use plainsong_driver::Exit;
use plainsong_driver::save::Saver;
use plainsong_report::trace_file::SavedTrace;
use std::path::Path;

/// Renders a trace.
pub(crate) fn show(arguments: &ShowArguments, session: &mut Session) -> Exit {
    render(arguments, session).unwrap_or_else(|exit| exit)
}

fn render(arguments: &ShowArguments, session: &mut Session) -> Result<Exit, Exit> {
    let (_, mut saved) = read(&arguments.trace).map_err(|problem| session.reject(&problem))?;
    let source = match source_of(&saved, &arguments.trace, arguments.song.as_deref()) {
        Err(problem) if arguments.song.is_some() => return Err(session.reject(&problem)),
        source => source.ok(),
    };
    let known = Known::new(&mut saved, source);
    let text = rendering(arguments.format, &saved, &known);
    match &arguments.out {
        None if arguments.format == Format::Text => session.console.result(&text),
        None => session.console.raw(&text),
        Some(folder) => {
            let name = format!("{}.{}", stem(&arguments.trace), extension(arguments.format));
            let path = Saver::new(folder.clone())
                .rendering(&name, &text)
                .map_err(|problem| session.reject(&problem))?;
            session.console.result(&format!("{}\n", path.display()));
        }
    }
    Ok(Exit::Fine)
}

fn rendering(format: Format, saved: &SavedTrace, known: &Known) -> String {
    let trace = &saved.trace;
    match format {
        Format::Text => for_the_terminal(saved, known),
        Format::Html => plainsong_report::html(&known.page(saved)),
        Format::Svg => {
            let reason = plainsong_report::reason(known.text(saved), trace);
            let title = match &saved.header.property {
                Some(property) => format!("{property}: {reason}"),
                None => reason,
            };
            plainsong_report::svg(&title, trace)
        }
        Format::Mermaid => plainsong_report::mermaid(trace),
        Format::Plantuml => plainsong_report::plantuml(trace),
        Format::Itf => plainsong_report::itf(saved),
        Format::Shiviz => plainsong_report::shiviz(trace),
        Format::Json => plainsong_report::json(saved),
    }
}

fn for_the_terminal(saved: &SavedTrace, known: &Known) -> String {
    let source = known.text(saved);
    let execution = plainsong_report::execution(source, &saved.trace, &known.background.start);
    let mut text = format!("{}\n\n{execution}", heading(saved));
    if let Some(race) = &known.background.race {
        text.push_str(&format!("  {}: {}\n", race.kind.word(), race.sentence));
    }
    if let Some(note) = known.note {
        text.push_str(&format!("  note: {note}\n"));
    }
    text
}

fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(
        || "trace".to_owned(),
        |stem| stem.to_string_lossy().into_owned(),
    )
}

fn extension(format: Format) -> &'static str {
    match format {
        Format::Text => "txt",
        Format::Html => "html",
        Format::Svg => "svg",
        Format::Mermaid => "mmd",
        Format::Plantuml => "puml",
        Format::Itf => "itf.json",
        Format::Shiviz => "log",
        Format::Json => "json",
    }
}

//! `plainsong show`: a saved execution for people and for other tools.
//!
//! A trace tells everything that happened, so most renderings need nothing else. The page and the text
//! say more when the song is at hand and still follows the trace: what decided it, the values of the
//! properties, and the lines of the source.

use super::replay::heading;
use super::saved::{read, source_of};
use crate::arguments::{Format, ShowArguments};
use crate::session::Session;
use plainsong_driver::account::{Background, background};
use plainsong_driver::again::{Again, again};
use plainsong_driver::save::Saver;
use plainsong_driver::{Exit, Source, song};
use plainsong_report::trace_file::SavedTrace;
use plainsong_report::{Page, Text};
use std::path::Path;

/// Renders a trace.
pub(crate) fn show(arguments: &ShowArguments, session: &mut Session) -> Exit {
    render(arguments, session).unwrap_or_else(|exit| exit)
}

fn render(arguments: &ShowArguments, session: &mut Session) -> Result<Exit, Exit> {
    let (_, mut saved) = read(&arguments.trace).map_err(|problem| session.reject(&problem))?;
    let source = match source_of(&saved, arguments.song.as_deref()) {
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
            let path = Saver::new(folder.clone(), false)
                .rendering(&name, &text)
                .map_err(|problem| session.reject(&problem))?;
            session.console.result(&format!("{}\n", path.display()));
        }
    }
    Ok(Exit::Fine)
}

/// What is known about a trace besides what it tells.
struct Known {
    source: Option<Source>,
    background: Background,
    note: Option<&'static str>,
}

impl Known {
    fn new(saved: &mut SavedTrace, source: Option<Source>) -> Self {
        let without = |source, note| Known {
            source,
            background: Background::default(),
            note: Some(note),
        };
        let Some(source) = source else {
            return without(None, "the song was not found");
        };
        let Ok(loaded) = song::compile(source.clone()) else {
            return without(Some(source), "the song could not be read");
        };
        let Some(song) = loaded.song.clone() else {
            return without(None, "the song has mistakes now");
        };
        match again(&loaded, &song, saved) {
            Ok(Again::Same) => Known {
                source: Some(source),
                background: background(&song, saved),
                note: None,
            },
            Ok(Again::Follows(trace)) => {
                saved.trace = *trace;
                Known {
                    source: Some(source),
                    background: background(&song, saved),
                    note: Some("the song has changed since, and still follows this execution"),
                }
            }
            _ => without(None, "the song no longer follows this execution"),
        }
    }

    fn text<'a>(&'a self, saved: &'a SavedTrace) -> Text<'a> {
        match &self.source {
            Some(source) => source.text(),
            None => Text {
                name: &saved.header.file,
                text: "",
            },
        }
    }
}

fn rendering(format: Format, saved: &SavedTrace, known: &Known) -> String {
    let trace = &saved.trace;
    match format {
        Format::Text => for_the_terminal(saved, known),
        Format::Html => plainsong_report::html(&Page {
            saved,
            source: known.source.as_ref().map(Source::text),
            truths: &known.background.truths,
            race: known.background.race.as_ref(),
            other_truths: &known.background.other_truths,
            note: known.note,
        }),
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
    let execution = plainsong_report::execution(source, &saved.trace);
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

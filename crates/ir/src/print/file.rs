//! A whole file: which items come in which order, and where empty lines stand.

use super::layout::{Doc, join, separated, text};
use super::{items, systems};
use crate::{Choreography, LineKind, Song, System};

/// A whole song as source text.
pub fn song(song: &Song) -> String {
    let mut sections: Vec<Vec<Doc>> = vec![
        song.sorts
            .iter()
            .map(|decl| items::sort(song, decl))
            .collect(),
        song.enums
            .iter()
            .map(|decl| items::enumeration(song, decl))
            .collect(),
        song.structs
            .iter()
            .map(|decl| items::structure(song, decl))
            .collect(),
        song.consts
            .iter()
            .map(|decl| items::constant(song, decl))
            .collect(),
        song.functions
            .iter()
            .map(|decl| items::function(song, decl))
            .collect(),
    ];
    let init = match &song.system {
        System::None => None,
        System::Voices(voices) => {
            let messages = voices
                .messages
                .iter()
                .map(|decl| systems::message(song, decl));
            sections.push(messages.collect());
            let processes = voices
                .processes
                .iter()
                .map(|decl| systems::process(song, decl));
            sections.extend(processes.map(|process| vec![process]));
            let faults = voices.faults.iter();
            sections.push(
                faults
                    .map(|decl| systems::fault(song, voices, decl))
                    .collect(),
            );
            let sequences = voices.sequences.iter();
            sections.extend(sequences.map(|decl| vec![systems::sequence(song, decl)]));
            voices.init.as_ref()
        }
        System::Actions(actions) => {
            let globals = actions
                .globals
                .iter()
                .map(|decl| systems::global(song, decl));
            sections.push(globals.collect());
            sections.extend(
                actions
                    .actions
                    .iter()
                    .map(|decl| vec![systems::action(song, decl)]),
            );
            let invariants = actions.invariants.iter();
            sections.extend(invariants.map(|decl| vec![systems::invariant(song, decl)]));
            let sequences = actions.sequences.iter();
            let sequences = sequences.map(|decl| vec![systems::sequence(song, decl)]);
            let procedures = actions.procedures.iter();
            sections.extend(procedures.map(|decl| vec![systems::procedure(song, decl)]));
            sections.extend(sequences);
            let commutes = actions.commutes.iter();
            sections.extend(commutes.map(|decl| vec![systems::commute(song, decl)]));
            actions.init.as_ref()
        }
    };
    sections.extend(init.map(|code| vec![systems::init(song, code)]));
    sections.extend(
        song.lines
            .iter()
            .filter(|decl| !matches!(decl.kind, LineKind::Contract(_)))
            .map(|decl| vec![systems::line(song, decl)]),
    );
    sections.push(
        song.properties
            .iter()
            .map(|decl| items::property(song, decl))
            .collect(),
    );
    sections.push(
        song.constraints
            .iter()
            .map(|decl| items::constraint(song, decl))
            .collect(),
    );
    sections.push(song.sizes.iter().map(items::size).collect());
    file(sections)
}

/// One of a song's choreographies as source text.
pub fn choreography(song: &Song, decl: &Choreography) -> String {
    file(vec![vec![systems::line(song, decl)]])
}

/// Sections are kept apart by an empty line.
fn file(sections: Vec<Vec<Doc>>) -> String {
    let sections = sections.into_iter().filter(|lines| !lines.is_empty());
    let sections = sections.map(|lines| separated(lines, || Doc::End));
    let doc = separated(sections.collect(), || Doc::Gap);
    let written = join([doc, text("\n")]).render();
    if written == "\n" {
        String::new()
    } else {
        written
    }
}

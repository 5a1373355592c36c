//! The two translations of [Alive12], as programs that can be printed, read and run.
//!
//! | translation | from | to | what is asked of it |
//! |---|---|---|---|
//! | [`printable_actions`] | processes with handlers | actions on global variables | nothing: the same program |
//! | [`period_to_end`] (*nt*) | actions | actions | can it end with nothing pending, as a period would? |
//! | [`rounds_to_line`] (*db*) | actions | one sequential line | can it get to its end, as a period would? |
//!
//! In both, the answer is a property `no_period`: it is violated exactly by those executions of the result that are a
//! stem and a cycle of the original (second translation: within `K` rounds and `N` tasks of a kind in a chain). So
//! `explore` looks for periods in the first, `prove` in the second, without knowing what a period is.
//!
//! What the translations do not cover is refused with the reason; nothing is translated in part.

mod names;
mod period_to_end;
mod points;
mod posts;
mod printable;
mod rounds_to_line;

use period_to_end::period_to_end;
use plainsong_diagnostics::Span;
use plainsong_ir::{FamilyId, Song, System};
use printable::printable_actions;
use rounds_to_line::rounds_to_line;

/// Why a program is not translated, and where that stands in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// What it has that is not covered.
    pub why: String,
    pub span: Span,
}

impl Refused {
    fn new(span: Span, why: impl Into<String>) -> Self {
        Refused {
            why: why.into(),
            span,
        }
    }
}

/// How far a translated program goes, and what it looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// `K`: so many rounds, at least one.
    pub delay: u32,
    /// `N`: so many tasks of one message or action in a chain.
    pub recursion: u32,
    /// Are only fair cycles meant?
    pub fair: bool,
}

/// The name of the property that a cycle violates.
pub const NO_PERIOD: &str = "no_period";

/// The song as a system of actions.
pub fn actions(song: &Song) -> Result<Song, Refused> {
    match &song.system {
        System::Voices(_) => printable_actions(song),
        System::Actions(actions) if actions.is_layered() => {
            let why = "it is a program in layers; only actions and handlers are translated";
            Err(Refused::new(Span::default(), why))
        }
        System::Actions(_) => {
            let mut song = song.clone();
            song.properties.clear();
            song.lines.clear();
            Ok(song)
        }
        System::None => Err(Refused::new(
            Span::default(),
            "there are neither processes nor actions",
        )),
    }
}

/// What the tasks of a translated program are in the original: the kind of message and who receives it, or the action.
pub fn tasks(song: &Song) -> Vec<(usize, Option<FamilyId>)> {
    match &song.system {
        System::Voices(voices) => (voices.message_actions().iter())
            .map(|row| (row.message.index(), Some(row.family)))
            .collect(),
        System::Actions(actions) => (0..actions.actions.len()).map(|at| (at, None)).collect(),
        System::None => Vec::new(),
    }
}

/// The first translation: ends with nothing pending and `no_period` violated, exactly when there is a cycle.
pub fn period(song: &Song, fair: bool) -> Result<Song, Refused> {
    Ok(period_to_end(&actions(song)?, fair)?.song)
}

/// Both translations: a line that ends with `no_period` violated exactly when there is a cycle within the bounds.
pub fn rounds(song: &Song, bounds: Bounds) -> Result<Song, Refused> {
    rounds_to_line(&period_to_end(&actions(song)?, bounds.fair)?, bounds)
}

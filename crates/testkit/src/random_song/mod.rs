//! Random well-typed songs.
//!
//! [`song`] composes a song that uses, over many seeds, every construct of all three forms. It is
//! valid and normal: printed and read again it is the same song. [`small_voices`] composes small
//! closed programs of processes that end, for comparing interpreters exhaustively.
//!
//! Types come first, then constants and functions, then the systems. Expressions are written the
//! way the front end reads them ([`exprs`]), so conversions between numbers stand where it puts them.

mod actions;
mod collections;
mod composer;
mod dice;
mod exprs;
mod items;
mod leaves;
mod lines;
mod names;
mod normal;
mod numbers;
mod patterns;
mod scope;
mod small;
mod stmts;
mod types;
mod voices;

pub use dice::Dice;
pub use small::small_voices;

use composer::Composer;
use plainsong_ir::{Song, visit};

/// Which systems a song describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Processes and messages.
    Voices,
    /// Globals and actions.
    Actions,
    /// Choreographies only.
    Line,
    /// Processes, and choreographies beside them.
    VoicesAndLine,
    /// Actions, and choreographies beside them.
    ActionsAndLine,
}

impl Form {
    pub const ALL: [Form; 5] = [
        Form::Voices,
        Form::Actions,
        Form::Line,
        Form::VoicesAndLine,
        Form::ActionsAndLine,
    ];
}

/// A random song; the seed also decides the form. `size` is from 0 (tiny) to about 4 (large).
pub fn song(seed: u64, size: usize) -> Song {
    song_of(
        Form::ALL[(seed % Form::ALL.len() as u64) as usize],
        seed,
        size,
    )
}

/// A random song of one form.
pub fn song_of(form: Form, seed: u64, size: usize) -> Song {
    let mut composer = Composer::new(seed, size);
    composer.declare_types(size);
    if matches!(form, Form::Voices | Form::VoicesAndLine) {
        composer.declare_processes();
        composer.declare_messages();
    }
    composer.constants_and_parameters();
    composer.pure_functions();
    composer.constants_and_parameters();
    match form {
        Form::Voices | Form::VoicesAndLine => composer.voices(),
        Form::Actions | Form::ActionsAndLine => composer.action_system(),
        Form::Line => {}
    }
    if matches!(
        form,
        Form::Line | Form::VoicesAndLine | Form::ActionsAndLine
    ) {
        composer.line();
        if composer.dice.once_in(3) {
            composer.line();
        }
    }
    composer.all_properties();
    composer.song.sizes = composer.sizings();
    let mut song = composer.song;
    visit::renumber_locals(&mut song);
    song
}

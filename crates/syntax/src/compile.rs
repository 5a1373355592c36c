//! From text to a song: the whole way.

use crate::{accents, lower, parse};
use plainsong_diagnostics::{Diagnostic, sort};
use plainsong_ir::Song;
use plainsong_ir::visit::renumber_locals;

/// What became of a text.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The song; there is one exactly if no diagnostic is an error.
    pub song: Option<Song>,
    /// Every mistake and suspicion, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses and checks a text and builds the song it describes.
///
/// After syntax errors, what could be understood is still checked; an item with a syntax error in it
/// is left out, and the names in it count as declared.
pub fn compile(text: &str) -> Compiled {
    let parsed = parse(text);
    let (song, found) = lower::lower(text, &parsed.root(), parsed.errors());
    let mut diagnostics = parsed.errors().to_vec();
    diagnostics.extend(found);
    sort(&mut diagnostics);
    let diagnostics = accents::recognised(text, diagnostics);
    let song = song.map(|mut song| {
        renumber_locals(&mut song);
        debug_assert_eq!(
            plainsong_ir::validate::validate(&song),
            Ok(()),
            "a checked file is valid"
        );
        song
    });
    Compiled { song, diagnostics }
}

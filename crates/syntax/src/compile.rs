//! From text to a song: the whole way.

use crate::types::TypesInText;
use crate::{Parse, accents, lower, parse};
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
    whole_way(text, false).compiled
}

/// What an editor wants to know about a text.
#[derive(Clone, Debug)]
pub struct Analysed {
    /// The tree.
    pub parse: Parse,
    /// The song and the mistakes.
    pub compiled: Compiled,
    /// The types of expressions, names, patterns and places, also of a text with mistakes.
    pub types: TypesInText,
}

/// [`compile`], with the tree and with what has which type.
pub fn analyse(text: &str) -> Analysed {
    whole_way(text, true)
}

fn whole_way(text: &str, recording: bool) -> Analysed {
    let parsed = parse(text);
    let lowered = lower::lower(text, &parsed.root(), parsed.errors(), recording);
    let mut diagnostics = parsed.errors().to_vec();
    diagnostics.extend(lowered.diagnostics);
    sort(&mut diagnostics);
    let diagnostics = accents::recognised(text, diagnostics);
    let song = lowered.song.map(|mut song| {
        renumber_locals(&mut song);
        debug_assert_eq!(
            plainsong_ir::validate::validate(&song),
            Ok(()),
            "a checked file is valid"
        );
        song
    });
    Analysed {
        parse: parsed,
        compiled: Compiled { song, diagnostics },
        types: lowered.types,
    }
}

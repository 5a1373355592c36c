//! From a source to a song, or to what is wrong with it.

use crate::Source;
use crate::contain::{Crash, contained};
use plainsong_diagnostics::Diagnostic;
use plainsong_ir::{Song, Ty};
use std::sync::Arc;

/// A source that was compiled.
#[derive(Clone, Debug)]
pub struct LoadedSong {
    /// Where it comes from.
    pub source: Source,
    /// What it means; nothing when it has errors.
    pub song: Option<Arc<Song>>,
    /// What is wrong or suspicious.
    pub diagnostics: Vec<Diagnostic>,
}

pub fn compile(source: Source) -> Result<LoadedSong, (Source, Crash)> {
    match contained(|| plainsong_syntax::compile(&source.text)) {
        Ok(compiled) => Ok(LoadedSong {
            source,
            song: compiled.song.map(Arc::new),
            diagnostics: compiled.diagnostics,
        }),
        Err(crash) => Err((source, crash)),
    }
}

/// What can be given a size, and what kind of number it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sizeable {
    /// A sort whose number of members is free: from 1.
    Sort,
    Parameter,
    /// A sort whose size follows from its bounds.
    Fixed,
}

/// Every name that `--size` may mention, in the order of the text.
pub fn sizeable(song: &Song) -> Vec<(&str, Sizeable)> {
    let sorts = song.sorts.iter().map(|sort| {
        (
            sort.name.as_str(),
            if sort.is_sized() {
                Sizeable::Sort
            } else {
                Sizeable::Fixed
            },
        )
    });
    let parameters = song
        .consts
        .iter()
        .filter(|constant| constant.value.is_none())
        .filter(|constant| matches!(constant.ty, Ty::Bool | Ty::Int | Ty::Nat | Ty::Sort(_)))
        .map(|constant| (constant.name.as_str(), Sizeable::Parameter));
    sorts.chain(parameters).collect()
}

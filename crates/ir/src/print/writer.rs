//! What printing needs to know at each point: the song, the names of locals, and whether a `{`
//! would be taken for the beginning of a block.

use super::layout::{Doc, delimited};
use super::names::Names;
use crate::{Choreography, Family, FamilyId, Local, LocalId, Song};

/// Prints pieces of one declaration.
pub(super) struct Writer<'a> {
    pub(super) song: &'a Song,
    pub(super) names: Names<'a>,
    /// Whose variables are meant by bare names.
    pub(super) family: Option<FamilyId>,
    /// Is this a property, where endpoints of all choreographies can be named?
    pub(super) in_property: bool,
    /// Does a block follow, so that a struct literal needs parentheses?
    block_follows: bool,
}

impl<'a> Writer<'a> {
    /// For code outside of processes and choreographies.
    pub(super) fn new(song: &'a Song, locals: &'a [Local]) -> Self {
        Writer::among(song, locals, Vec::new())
    }

    /// For the code of a process, or a variable of a process or endpoint. The locals begin with the
    /// indices of the family and then, for an endpoint, the parameters of its choreography.
    pub(super) fn of_family(song: &'a Song, locals: &'a [Local], family: FamilyId) -> Self {
        let line = song
            .lines
            .iter()
            .find(|line| line.endpoints.contains(&family));
        let known = match line {
            Some(line) => line_names(song, line),
            None => family_names(song, family),
        };
        let mut writer = Writer {
            family: Some(family),
            ..Writer::among(song, locals, known)
        };
        let indices = writer
            .family_decl(family)
            .map_or(0, |decl| decl.index.len());
        let parameters = line.map_or(0, |line| line.code.arity);
        for at in (indices..indices + parameters).chain(0..indices) {
            writer.names.bind(LocalId::from(at));
        }
        writer
    }

    /// For the contracts and statements of a choreography.
    pub(super) fn of_line(song: &'a Song, line: &'a Choreography) -> Self {
        Writer::among(song, &line.code.locals, line_names(song, line))
    }

    /// For a property, where processes and the endpoints of all choreographies can be named.
    pub(super) fn of_property(song: &'a Song, locals: &'a [Local]) -> Self {
        let endpoints = song.families.iter().map(|decl| &*decl.name);
        let known = endpoints
            .chain(song.lines.iter().map(|line| &*line.name))
            .collect();
        Writer {
            in_property: true,
            ..Writer::among(song, locals, known)
        }
    }

    fn among(song: &'a Song, locals: &'a [Local], known: Vec<&'a str>) -> Self {
        Writer {
            song,
            names: Names::new(song, locals, known),
            family: None,
            in_property: false,
            block_follows: false,
        }
    }

    /// Binds the first `count` locals, the parameters.
    pub(super) fn bind_parameters(&mut self, count: usize) -> Vec<String> {
        (0..count)
            .map(|at| self.names.bind(LocalId::from(at)))
            .collect()
    }

    /// What `print` gives when names bound in it end with it.
    pub(super) fn scoped<T>(&mut self, print: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.names.mark();
        let out = print(self);
        self.names.leave(mark);
        out
    }

    /// What `print` gives where a block follows.
    pub(super) fn before_block<T>(&mut self, print: impl FnOnce(&mut Self) -> T) -> T {
        self.with_block_follows(true, print)
    }

    /// What `print` gives inside brackets of any kind, where no block can follow.
    pub(super) fn delimited<T>(&mut self, print: impl FnOnce(&mut Self) -> T) -> T {
        self.with_block_follows(false, print)
    }

    /// Does a block follow what is being printed?
    pub(super) fn block_follows(&self) -> bool {
        self.block_follows
    }

    /// `(doc)`, from a printer that runs inside the parentheses.
    pub(super) fn parenthesised(&mut self, print: impl FnOnce(&mut Self) -> Doc) -> Doc {
        delimited("(", self.delimited(print), ")", Doc::Break)
    }

    /// A type.
    pub(super) fn ty(&self, ty: &crate::Ty) -> String {
        super::types::ty(self.song, ty)
    }

    /// A family by its id.
    pub(super) fn family_decl(&self, id: FamilyId) -> Option<&'a Family> {
        self.song.families.get(id.index())
    }

    fn with_block_follows<T>(&mut self, value: bool, print: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.block_follows, value);
        let out = print(self);
        self.block_follows = outer;
        out
    }
}

/// The variables of a family.
fn family_names(song: &Song, family: FamilyId) -> Vec<&str> {
    let decl = song.families.get(family.index());
    decl.map_or(Vec::new(), |decl| {
        decl.vars.iter().map(|var| &*var.name).collect()
    })
}

/// The endpoints of a choreography and their variables.
fn line_names<'a>(song: &'a Song, line: &Choreography) -> Vec<&'a str> {
    let mut names = Vec::new();
    for id in &line.endpoints {
        names.extend(song.families.get(id.index()).map(|decl| &*decl.name));
        names.extend(family_names(song, *id));
    }
    names
}

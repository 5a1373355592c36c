//! From data back to text: a song that reads as what it was made from.
//!
//! What [`song`] writes is a source text in the canonical style. Read again, it gives the same song
//! but for spans, provided that the song is valid and *normal*: its conversions between numbers are
//! those the front end inserts (they are not shown in the text), and its locals have their
//! [canonical numbers](crate::visit::renumber_locals). Everything that comes from a text is normal.
//!
//! A local whose name already means something where it is bound is written with a number:
//! `x_1`. Nothing here fails: what a broken song lacks is written as a stand-in like `sort_7`.

mod branches;
mod collections;
mod exprs;
mod file;
mod items;
mod layout;
mod levels;
mod names;
mod patterns;
mod references;
mod stmts;
mod systems;
mod types;
mod writer;

pub use file::{choreography, song};
pub use references::variant_name;

use crate::visit::locals_free;
use crate::{Expr, FamilyId, Local, LocalId, Pattern, Place, Song, Stmt, Ty};
use std::collections::BTreeSet;
use writer::Writer;

/// A type.
pub fn ty(song: &Song, ty: &Ty) -> String {
    types::ty(song, ty)
}

/// An expression outside of processes; see [`Context`] for others.
pub fn expr(song: &Song, locals: &[Local], expr: &Expr) -> String {
    Context {
        song,
        locals,
        family: None,
    }
    .expr(expr)
}

/// A statement outside of processes; see [`Context`] for others.
pub fn stmt(song: &Song, locals: &[Local], stmt: &Stmt) -> String {
    Context {
        song,
        locals,
        family: None,
    }
    .stmt(stmt)
}

pub fn pattern(song: &Song, locals: &[Local], pattern: &Pattern) -> String {
    Context {
        song,
        locals,
        family: None,
    }
    .pattern(pattern)
}

/// Where a single piece of code stands.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The song it belongs to.
    pub song: &'a Song,
    /// The table its locals are in.
    pub locals: &'a [Local],
    /// Whose state variables are meant by bare names: those of the process whose code it is.
    pub family: Option<FamilyId>,
}

impl Context<'_> {
    /// An expression.
    pub fn expr(&self, expr: &Expr) -> String {
        self.writer(locals_free(expr)).expr(expr).render()
    }

    /// A statement.
    pub fn stmt(&self, stmt: &Stmt) -> String {
        self.writer(locals_free(stmt)).stmt(stmt).render()
    }

    /// What an assignment writes to.
    pub fn place(&self, place: &Place) -> String {
        self.writer(locals_free(place)).place(place).render()
    }

    pub fn pattern(&self, pattern: &Pattern) -> String {
        self.writer(BTreeSet::new()).pattern(pattern).render()
    }

    /// A writer in which the free locals are bound.
    fn writer(&self, free: BTreeSet<LocalId>) -> Writer<'_> {
        let mut writer = Writer::new(self.song, self.locals);
        writer.family = self.family;
        for local in free {
            writer.names.bind(local);
        }
        writer
    }
}

//! Forgetting where things stood in the text.

use super::{VisitMut, walk_mut};
use crate::{Expr, Song};
use plainsong_diagnostics::Span;

/// Sets every span to its default, so that songs from different texts can be compared. What is known by its place, as fair
/// choices are, is forgotten.
pub fn erase_spans(song: &mut Song) {
    walk_mut::song(&mut Eraser, song);
    song.fair_choices.clear();
}

/// The same expression, as if nobody had written it.
pub fn without_spans(expr: &Expr) -> Expr {
    let mut expr = expr.clone();
    Eraser.expr(&mut expr);
    expr
}

struct Eraser;

impl VisitMut for Eraser {
    fn span(&mut self, span: &mut Span) {
        *span = Span::default();
    }
}

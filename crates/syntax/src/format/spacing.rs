//! Where a space stands between two tokens on a line.

use crate::kinds::SyntaxKind::{self, *};

/// A token, as far as spacing is concerned: what it is and in what kind of node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) kind: SyntaxKind,
    pub(super) parent: SyntaxKind,
}

/// Is there a space between `before` and `after` when they stand on one line?
pub(super) fn wants_space(before: Piece, after: Piece) -> bool {
    !(is_tight_before(before, after) || is_tight_after(before, after))
}

/// Tokens that follow the one before them closely.
fn is_tight_before(before: Piece, after: Piece) -> bool {
    match after.kind {
        Comma | Semicolon | RParen | RBracket | Colon => true,
        // `1 .f()`, because `1.` would go on as a number.
        Dot => before.parent != Literal || before.kind != Int,
        DotDot | DotDotEq => after.parent != StructBase,
        ColonColon => !matches!(after.parent, QuantifierExpr | QuantifiedClaim),
        Lt | Gt => after.parent == GenericType,
        LParen => follows_a_name(after.parent),
        LBracket => matches!(
            after.parent,
            IndexList | BinderList | SlotList | ProcessPattern
        ),
        RBrace => before.kind == LBrace || has_tight_braces(after.parent),
        _ => false,
    }
}

/// Tokens that are followed closely by the next.
fn is_tight_after(before: Piece, after: Piece) -> bool {
    match before.kind {
        LParen | LBracket | Dot | DotDot | DotDotEq => true,
        ColonColon => !matches!(before.parent, QuantifierExpr | QuantifiedClaim),
        Lt => before.parent == GenericType,
        Bang => true,
        Minus => matches!(before.parent, PrefixExpr | LiteralPattern),
        LBrace => after.kind == RBrace || has_tight_braces(before.parent),
        _ => false,
    }
}

fn follows_a_name(parent: SyntaxKind) -> bool {
    matches!(
        parent,
        ArgList
            | BinderList
            | CommuteSide
            | SlotList
            | Variant
            | VariantPattern
            | SomePattern
            | SomeExpr
            | OldExpr
            | PendingExpr
    )
}

/// `{1, 2}`, but `{ x in S where p }` and `Point { x: 1 }`.
pub(super) fn has_tight_braces(parent: SyntaxKind) -> bool {
    matches!(parent, SetExpr | BagExpr)
}

//! Views of properties and sizes.

use super::patterns::integer;
use super::{AstNode, Expr, Name, accessors, child, children, names, nodes, token, tokens};
use crate::kinds::SyntaxKind;

nodes! {
    /// `property p by … at …: claim;`
    PropertyItem = PropertyItem;
    /// `constraint c: e;`
    ConstraintItem = ConstraintItem;
    /// `finally e`, `always e` or `eventually quiescent fair`.
    Claim = Claim;
    /// `size Db = 3;`
    SizeItem = SizeItem;
    /// `Db = 3` or `Db = 2..=4`.
    Sizing = Sizing;
    /// `by explore, diverge`
    EngineList = EngineList;
    /// `at Db = 3, N = 4`
    SizingList = SizingList;
}

/// When a property should hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimKind {
    /// `finally e`: in every final state.
    Finally,
    /// `always e`: initially and after every step.
    Always,
    /// `eventually quiescent`: every execution terminates.
    Quiescent,
}

accessors! {
    PropertyItem {
        /// The property.
        name: Name;
        /// Is it written as `invariant name: e;`?
        is_invariant: {InvariantKw};
        /// What is claimed.
        claim: Claim;
    }
    ConstraintItem {
        /// The constraint.
        name: Name;
        /// What is true of the states that are searched further.
        condition: Expr;
    }
    Claim {
        /// `fair`?
        is_fair: {FairKw};
        /// What should hold; nothing for `eventually quiescent`.
        condition: Expr;
    }
    SizeItem {
        /// The sizes.
        sizings: [Sizing];
    }
    Sizing {
        /// The sort or parameter.
        name: Name;
    }
}

impl PropertyItem {
    /// The engines named after `by`.
    pub fn engines(&self) -> impl Iterator<Item = Name> + use<> {
        child::<EngineList>(&self.syntax)
            .into_iter()
            .flat_map(|list| names(list.syntax()))
    }

    /// The sizes given after `at`.
    pub fn sizings(&self) -> impl Iterator<Item = Sizing> + use<> {
        child::<SizingList>(&self.syntax)
            .into_iter()
            .flat_map(|list| children(list.syntax()))
    }
}

impl Claim {
    /// When it should hold.
    pub fn kind(&self) -> Option<ClaimKind> {
        tokens(&self.syntax).find_map(|token| match token.kind() {
            SyntaxKind::FinallyKw => Some(ClaimKind::Finally),
            SyntaxKind::AlwaysKw => Some(ClaimKind::Always),
            SyntaxKind::EventuallyKw => Some(ClaimKind::Quiescent),
            _ => None,
        })
    }
}

impl Sizing {
    /// The size, or the smallest of several.
    pub fn first(&self) -> Option<i64> {
        integer(token(&self.syntax, SyntaxKind::Int)?.text())
    }

    /// The largest size; the same as the first when there is only one.
    pub fn last(&self) -> Option<i64> {
        let last = tokens(&self.syntax)
            .filter(|token| token.kind() == SyntaxKind::Int)
            .last()?;
        integer(last.text())
    }
}

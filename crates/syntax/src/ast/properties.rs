//! Views of properties and sizes.

use super::patterns::integer;
use super::{
    AstNode, Binding, Expr, Name, accessors, child, children, names, nodes, token, tokens,
};
use crate::kinds::SyntaxKind;

nodes! {
    /// `property p by … at …: claim;`
    PropertyItem = PropertyItem;
    /// `constraint c: e;`
    ConstraintItem = ConstraintItem;
    /// `finally e`, `always e`, `eventually quiescent fair`, or a temporal claim.
    Claim = Claim;
    /// `forall x: T :: claim`
    QuantifiedClaim = QuantifiedClaim;
    /// `by measure (e, …)`
    MeasureClause = MeasureClause;
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
    /// `eventually e`: in some state.
    Eventually,
    /// `infinitely often e`: in infinitely many states.
    InfinitelyOften,
    /// `eventually always e`: in all states from some point on.
    EventuallyAlways,
    /// `p leads to q`: after each state with `p` one with `q`.
    LeadsTo,
}

accessors! {
    PropertyItem {
        /// The property.
        name: Name;
        /// Is it written as `invariant name: e;`?
        is_invariant: {InvariantKw};
        claim: Claim;
    }
    ConstraintItem {
        /// The constraint.
        name: Name;
        /// What is true of the states that are searched further.
        condition: Expr;
    }
    Claim {
        is_fair: {FairKw};
        is_weakly: {WeaklyKw};
        is_unfair: {UnfairKw};
        /// What should hold; nothing for `eventually quiescent`.
        condition: Expr;
        /// The conditions, of which `leads to` has two.
        conditions: [Expr];
        /// `forall x: T :: …`
        quantified: QuantifiedClaim;
        /// `(…) && (…)`
        parts: [Claim];
        /// What decreases until it comes true.
        measure: MeasureClause;
    }
    MeasureClause {
        /// The numbers.
        measures: [Expr];
    }
    QuantifiedClaim {
        /// The names.
        bindings: [Binding];
        /// What is claimed for each of their values.
        claim: Claim;
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
        let kinds: Vec<SyntaxKind> = tokens(&self.syntax).map(|token| token.kind()).collect();
        let has = |kind: SyntaxKind| kinds.contains(&kind);
        if has(SyntaxKind::LeadsKw) {
            return Some(ClaimKind::LeadsTo);
        }
        kinds.iter().find_map(|kind| match kind {
            SyntaxKind::FinallyKw => Some(ClaimKind::Finally),
            SyntaxKind::AlwaysKw => Some(ClaimKind::Always),
            SyntaxKind::InfinitelyKw => Some(ClaimKind::InfinitelyOften),
            SyntaxKind::EventuallyKw if has(SyntaxKind::QuiescentKw) => Some(ClaimKind::Quiescent),
            SyntaxKind::EventuallyKw if has(SyntaxKind::AlwaysKw) => {
                Some(ClaimKind::EventuallyAlways)
            }
            SyntaxKind::EventuallyKw => Some(ClaimKind::Eventually),
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

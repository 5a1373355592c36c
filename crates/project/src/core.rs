//! The located program: a line in which every statement says who executes it, and every message is
//! written out.
//!
//! It stands between the line and the voices. Lines may leave things to the reader (who tells `c`
//! that the loop goes on?); voices say them once per process. Here they are said once.

use crate::owner::{Owner, Who};
use plainsong_diagnostics::Span;
use plainsong_ir::unanimity::FamilyPart;
use plainsong_ir::{Domain, Expr, LocalId, MessageId, Pattern, Stmt};

/// A statement with its place in the text.
#[derive(Clone, Debug)]
pub(crate) struct Core {
    pub(crate) kind: CoreKind,
    pub(crate) span: Span,
}

/// What is done, and by whom.
#[derive(Clone, Debug)]
pub(crate) enum CoreKind {
    /// A statement without parts, at one endpoint or at everybody. A `weak` one is done only by
    /// those who are there anyway.
    Do {
        at: Option<Owner>,
        stmt: Stmt,
        weak: bool,
    },
    /// Values are brought to `to`, which then does `then`.
    Obtain {
        to: Owner,
        items: Vec<Item>,
        then: Stmt,
    },
    /// One value from each of several endpoints is brought to `to`, into a map.
    Gather(Gather),
    /// The value of a local of `from` becomes known to others.
    Tell {
        from: Owner,
        to: Vec<(Who, MessageId)>,
        local: LocalId,
    },
    /// A choice of two ways.
    If(Guard, Vec<Core>, Vec<Core>),
    /// Rounds; `before` is done before each test of the guard. Nobody does anything in the rounds of a loop that is
    /// kept by some: they go through it all the same, since it may have no end.
    While {
        before: Vec<Core>,
        guard: Guard,
        body: Vec<Core>,
        kept_by: Vec<Who>,
        /// Is it shown to have an end?
        ends: bool,
    },
    /// Rounds over elements, at one endpoint or at everybody.
    For {
        at: Option<Owner>,
        local: LocalId,
        domain: Domain,
        filter: Option<Expr>,
        body: Vec<Core>,
    },
    /// A choice by pattern, at one endpoint or at everybody; with `told`, others know the number of
    /// the arm.
    Match {
        at: Option<Owner>,
        scrutinee: Expr,
        arms: Vec<(Pattern, Vec<Core>)>,
        told: Option<Told>,
    },
    /// A free choice of two ways by one endpoint alone.
    Maybe(Owner, Vec<Core>, Vec<Core>),
    Break,
    Continue,
}

/// A value in flight.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) from: Owner,
    pub(crate) value: Expr,
    /// What the receiver calls it.
    pub(crate) local: LocalId,
    pub(crate) message: MessageId,
}

/// A variable of every member of a family in flight to one endpoint.
#[derive(Clone, Debug)]
pub(crate) struct Gather {
    pub(crate) to: Owner,
    /// Names for the indices of a member.
    pub(crate) keys: Vec<LocalId>,
    /// The member with these indices.
    pub(crate) from: Owner,
    /// Its variable.
    pub(crate) value: Expr,
    /// The map from indices to values, at the receiver.
    pub(crate) map: LocalId,
    /// What the receiver calls one value.
    pub(crate) local: LocalId,
    pub(crate) message: MessageId,
}

/// Who knows which way to go, and how.
#[derive(Clone, Debug)]
pub(crate) enum Guard {
    /// Everybody can tell.
    Common(Expr),
    /// Some by their own conjunct, which agree; every member of some families by its part; others because
    /// they were told. No family occurs in two of these.
    Known {
        own: Vec<(Owner, Expr)>,
        each: Vec<FamilyPart>,
        told: Option<Told>,
    },
}

/// A local that `at` computed and `to` was told.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(crate) local: LocalId,
    pub(crate) at: Owner,
    pub(crate) to: Vec<Who>,
}

//! The three forms of a system as inert, typed data.
//!
//! A [`Song`] is what one source text means once its names are resolved and its types are known:
//! shared declarations (sorts, enums, structs, constants, functions), at most one *system*, written
//! as [`voices`] (processes that exchange messages) or as [`actions`] (globals and pending asyncs),
//! any number of [`line`]s (choreographies), and properties.
//!
//! The data is *inert*: nothing here runs, proves or reads files, and there are no syntax types and
//! no solver terms. What it means is said by `plainsong-semantics`.
//!
//! Invariants, checked by [`validate`](validate::validate):
//! - every id is in range, every expression's `ty` is the type its parts give it;
//! - conversions between `int` and its subtypes are explicit ([`ExprKind::Widen`],
//!   [`ExprKind::Narrow`]);
//! - a statement stands only where its form allows it (no `send` in an action, and so on).
//!
//! Every construct here has a place in the language, so [`print`] writes a song that can be edited
//! and read again: a dump *is* a source text, and there is no second notation to learn.

pub mod actions;
pub mod build;
pub mod components;
pub mod covers;
pub mod delivery;
pub mod expr;
pub mod failing;
pub mod finite;
pub mod ghost;
pub mod handlers;
pub mod handlers_to_actions;
pub mod ids;
pub mod line;
pub mod links;
pub mod patterns;
pub mod permission;
mod place;
pub mod print;
pub mod property;
pub mod recursion;
pub mod song;
pub mod stmt;
pub mod sub_choreography;
pub mod symmetry;
pub mod temporal;
pub mod ty;
pub mod unanimity;
pub mod validate;
pub mod visit;
pub mod voices;
pub mod waiting;
pub mod words;

pub use actions::{
    Action, Actions, Clause, ClauseKind, Commute, Eliminated, Global, Handled, Induction,
    Invariant, InvariantCall, Layers, Mover, Moves, Procedure, Role, Sequentialization,
};
pub use covers::Covers;
pub use delivery::{Delivery, Precedence};
pub use expr::{
    BinOp, Binding, Builtin, Collection, Domain, Expr, ExprKind, Pattern, PatternKind, PendingOf,
    Quantifier, UnOp,
};
pub use ids::{
    ActionId, ConstId, EnumId, FamilyId, FnId, GlobalId, InvariantId, LocalId, MessageId,
    ProcedureId, SortId, StructId, VarId,
};
pub use line::{Choreography, LineKind};
pub use links::linked_families;
pub use property::{Claim, Property, Sizing};
pub use song::{Binder, Code, Const, Contract, Function, Local, Song, System};
pub use stmt::{
    Accept, Access, Block, Call, Callee, Choice, LoopClauses, Part, Place, Player, Root, Source,
    Stmt, StmtKind, Use,
};
pub use temporal::{
    DeclaredFairness, Fairness, Temporal, TemporalOperator, TemporalPart, binds_by_state,
};
pub use ty::{EnumDecl, Range, RangeEnd, SortDecl, SortKind, StructDecl, Ty, Variant};
pub use voices::{
    Body, Family, Fault, FaultKind, Handler, Measures, Message, Process, StartValue, StateVar,
    Voices,
};

//! Walks over expressions, patterns, statements and whole songs, and what can be asked of them.
//!
//! [`Visit`] looks, [`VisitMut`] changes. Both have one method per kind of node; the default of
//! each walks on into the parts, so a visitor overrides only what it cares about and calls
//! `walk::…` (or `walk_mut::…`) to go deeper. What a closure can do needs no visitor: [`any_expr`], [`each_stmt`],
//! [`replace`] and the others beside them.
//!
//! Parts are visited in *reading order*: what is computed before what it is bound to, and a name's
//! binding before everything in its scope. So one pass suffices to rename or renumber.

mod closures;
mod queries;
mod renumber;
mod spans;
mod total;
mod walkers;

pub(crate) use closures::locals_free;
pub use closures::{
    Node, any_expr, any_place, any_stmt, change_exprs, each_expr, each_place, each_stmt,
    free_locals, is_closed, locals_bound, locals_used, rename_locals, replace, shift_locals,
};
pub use queries::{
    conjuncts, endpoints_read, families_read, globals_read, owner, reads_crashed, reads_pending,
    reads_state,
};
pub use renumber::renumber_locals;
pub use spans::{erase_spans, without_spans};
pub use total::{is_total, may_fail_here};
pub use walkers::{Visit, VisitMut, walk, walk_mut};

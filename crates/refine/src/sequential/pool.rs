//! Which asyncs can be pending.
//!
//! Before the first sequentialization: what `init` creates, and what that creates, and so on. After one:
//! the rest of them, and what the rest creates. Actions that are not among them are specifications.

use plainsong_ir::visit::each_stmt;
use plainsong_ir::{ActionId, Actions, Block, Sequentialization, StmtKind};
use std::collections::BTreeSet;

/// The actions of which asyncs can be pending when sequentialization number `at` begins.
pub(crate) fn pool(actions: &Actions, at: usize) -> BTreeSet<ActionId> {
    let init = actions.init.as_ref().map(|code| created(&code.body));
    let mut pool = closure(actions, init.unwrap_or_default());
    for sequence in &actions.sequences[..at] {
        pool = closure(actions, left(pool, sequence));
    }
    pool
}

/// An eliminated action of which only abstractions create asyncs. What is known of pending asyncs is about the pool, so
/// nothing would be asked of such an action.
pub(crate) fn created_by_abstractions_only(
    actions: &Actions,
    sequence: &Sequentialization,
) -> Option<ActionId> {
    let pool = pool(actions, 0);
    let is_gone = |id: &ActionId| sequence.eliminated.iter().any(|one| one.action == *id);
    let abstractions = sequence.eliminated.iter().filter_map(|one| one.by);
    let mut made = abstractions.flat_map(|by| created(&actions.actions[by.index()].code.body));
    made.find(|id| is_gone(id) && !pool.contains(id))
}

/// What is left of a pool when some are eliminated.
fn left(pool: BTreeSet<ActionId>, sequence: &Sequentialization) -> BTreeSet<ActionId> {
    let gone: BTreeSet<ActionId> = sequence.eliminated.iter().map(|one| one.action).collect();
    &pool - &gone
}

/// The actions that a block creates asyncs of.
pub(crate) fn created(block: &Block) -> BTreeSet<ActionId> {
    let mut asyncs = BTreeSet::new();
    each_stmt(block, |stmt| {
        if let StmtKind::Async(id, _) = stmt.kind {
            asyncs.insert(id);
        }
    });
    asyncs
}

fn closure(actions: &Actions, from: BTreeSet<ActionId>) -> BTreeSet<ActionId> {
    let mut all = BTreeSet::new();
    let mut open: Vec<ActionId> = from.into_iter().collect();
    while let Some(id) = open.pop() {
        if all.insert(id) {
            open.extend(created(&actions.actions[id.index()].code.body));
        }
    }
    all
}

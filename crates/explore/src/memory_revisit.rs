//! Backward revisits of loads: when a new store may change what an earlier load reads.
//!
//! Statement. When a store `w` is about to be inserted, an atomic load `r` of its location that is not in its causal
//! past might read `w` instead. The graph for that is what was inserted before `r`, the causal past of `w`, `r` reading
//! `w`, and `w` at one of its places in modification order; the rest is deleted. It is taken from the graph in which `r`
//! and every deleted event is *maximal*, that is as if nothing had been tried (see [`revisit`](crate::revisit)), in
//! the view of what was inserted no later and the causal past of `w`:
//! - a load reads something of that view, and no store of that view comes behind that in modification order;
//! - a store is the last of that view in modification order, and no load of that view reads it.
//!
//! What a replay decides (`only`, `rank`) has no other outcome, so there the place in modification order does not matter.
//!
//! `r` keeps its place in the order of insertion. So it reads from a later event, and is not maximal until it is
//! deleted itself: that is why each graph has one origin.
//!
//! Updates. Two updates that read the same store are no execution: the store of the later one has no place. But it may
//! turn the load of the other one round, so its revisits are made before the graph is given up ("half-graphs"). Without
//! them `n` increments would miss executions.
//!
//! Source. [Trust22].

use crate::event::{EventId, Read};
use crate::graph::Graph;
use crate::memory::{Access, MemoryOrder};
use crate::program::Program;
use crate::receive_sets::ReceivableSet;
use crate::revisit::{Turn, Walk, untried};

/// What may become of a store.
#[derive(Clone, Debug)]
pub(crate) enum StoreOutcome {
    /// It comes at this place in modification order.
    Place(u32),
    /// The same, counted among the stores that stay, and a load reads it.
    Revisit(Turn, u32),
}

/// What may become of a store that was just inserted, last in modification order.
pub(crate) fn store_outcomes<P: Program>(
    graph: &Graph<P>,
    walk: &mut Walk,
    store: EventId,
    stores: &[EventId],
) -> Vec<StoreOutcome> {
    let places = graph.places(store, stores, None);
    let mut outcomes: Vec<StoreOutcome> = places
        .into_iter()
        .map(|place| StoreOutcome::Place(place as u32))
        .collect();
    let Some(&Access::Store {
        location, order, ..
    }) = graph.access(store)
    else {
        unreachable!("only stores are placed")
    };
    if order == MemoryOrder::Plain {
        return outcomes;
    }
    let is_atomic = |load: EventId| graph.order_of(load) != MemoryOrder::Plain;
    let may_turn = |load: &EventId| is_atomic(*load) && !graph.happens_before(*load, store);
    let mut left = graph.loads(location).filter(may_turn).count();
    if left == 0 {
        return outcomes;
    }
    walk.start(graph, &[store]);
    for &id in graph.order().iter().rev() {
        if id != store && !walk.keeps(id) {
            if !untried(graph, walk, id, store) {
                break;
            }
            if let Some(&Access::Load { location: from, .. }) = graph.access(id)
                && from == location
                && is_atomic(id)
            {
                outcomes.extend(turns(graph, walk, id, store, stores));
                left -= 1;
                if left == 0 {
                    break;
                }
            }
        }
        walk.so_far[id.thread as usize] -= 1;
    }
    outcomes
}

/// The ways in which a load may read the store.
fn turns<P: Program>(
    graph: &Graph<P>,
    walk: &mut Walk,
    load: EventId,
    store: EventId,
    stores: &[EventId],
) -> Vec<StoreOutcome> {
    walk.look_at_all();
    let stays = |&id: &EventId| walk.limit[id.thread as usize] > id.index;
    let kept: Vec<EventId> = stores.iter().copied().filter(stays).collect();
    let Some(&Access::Load { location, only, .. }) = graph.access(load) else {
        unreachable!("only loads are turned round")
    };
    if only.is_some() {
        return Vec::new();
    }
    let view = graph.view_before(load.thread, load.index);
    let after = graph.first_visible(&kept, location, &view);
    let places = graph.places(store, &kept, Some(after));
    let turn = |place| {
        let turn = Turn {
            receive: load,
            taking: ReceivableSet::one(store),
            kept: vec![store],
        };
        StoreOutcome::Revisit(turn, place as u32)
    };
    places.into_iter().map(turn).collect()
}

/// Is an access maximal among the first events of each thread?
pub(crate) fn is_maximal<P: Program>(graph: &Graph<P>, id: EventId, limit: &[u32]) -> bool {
    let sees = |id: EventId| limit[id.thread as usize] > id.index;
    let Some(access) = graph.access(id) else {
        unreachable!("only accesses are asked")
    };
    if access.order() == MemoryOrder::Plain {
        return true;
    }
    let (location, store, is_decided) = match *access {
        Access::Fence { .. } => return true,
        Access::Load { location, only, .. } => match graph.event(id).read {
            Read::From(store) if sees(store) => (location, store, only.is_some()),
            _ => return false,
        },
        Access::Store { location, rank, .. } => {
            let is_read = |load: EventId| graph.read_store(load) == Some(id) && sees(load);
            if graph.loads(location).any(is_read) {
                return false;
            }
            (location, id, rank.is_some())
        }
    };
    let mut later = graph.stores(location).iter().rev();
    is_decided
        || later
            .by_ref()
            .take_while(|&&other| other != store)
            .all(|&other| !sees(other))
}

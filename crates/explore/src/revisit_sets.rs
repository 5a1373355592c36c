//! Revisits of receives that take sets, or messages that may be lost.
//!
//! Statement. As in [`revisit`](crate::revisit), but what the receive `r` takes instead is a set `U`:
//! the new send `s`, and others that are in the graph already and not causally after `r`. What stays is
//! everything inserted before `r` and the causal pasts of all of `U`; every other event must be as if
//! nothing had been tried.
//!
//! Why each result has one origin. Start from the result without `r` and without `U`, and extend it as
//! the scheduler says, answering "as if nothing had been tried" where the result does not say
//! otherwise. All of `U` will be inserted; the last of them is `s`, and the graph at that moment is the
//! only origin. It is recognised by `r` having been inserted without knowing of messages of `U` that
//! came later ([`Walk`]'s view leaves them out): otherwise `r`, turned round to one of `U` first, could
//! be turned round again to all of it when the others come back in another order. A set that lacks `s`
//! was found when its own last message was inserted.

use crate::candidates::Reader;
use crate::event::{EventId, Kind};
use crate::graph::Graph;
use crate::program::{Fate, Program, Want};
use crate::receive_sets::{
    ReceivableSet, is_simple, open_messages, requires, sort_by_key, subsets, taking_of, waiting_of,
};
use crate::revisit::{Turn, Walk, untried};

/// Adds the receives of sets, or of messages that may be lost, that `send` may turn round.
pub(crate) fn turns_to_sets<P: Program>(
    graph: &Graph<P>,
    walk: &mut Walk,
    send: EventId,
    found: &mut Vec<Turn>,
) {
    let (to, _) = graph.place(send);
    for &receive in graph.boxes[to as usize].receives.iter().rev() {
        let Kind::Receive { pattern, want } = &graph.event(receive).kind else {
            unreachable!("mailboxes know their receives")
        };
        if is_simple(graph, pattern, *want)
            || graph.happens_before(receive, send)
            || !P::accepts(pattern, graph.message(send), send.thread)
        {
            continue;
        }
        let reader = Reader {
            id: receive,
            pattern,
        };
        let company = company(graph, &reader, send);
        for set in sets_with(graph, send, &company, *want, P::mailboxes(pattern)) {
            if let Some(taking) = turn(graph, walk, &reader, send, &set) {
                found.push(Turn {
                    receive,
                    taking,
                    kept: set,
                });
            }
        }
        let is_lossy = |&other: &EventId| matches!(graph.fate(other), Fate::Lossy(_));
        if want.waits() && (is_lossy(&send) || company.iter().any(is_lossy)) {
            turns_to_waiting(graph, walk, (&reader, *want), (send, &company), found);
        }
    }
}

/// The other messages that the receive could take together with `send`.
fn company<P: Program>(
    graph: &Graph<P>,
    reader: &Reader<'_, P::Pattern>,
    send: EventId,
) -> Vec<EventId> {
    // Everything but what earlier receives read; later ones would be deleted.
    let all: Vec<u32> = (0..graph.threads())
        .map(|thread| graph.live(thread as u32) as u32)
        .collect();
    let mut company = open_messages(graph, reader, Some(&all));
    company.retain(|&other| other != send && !graph.happens_before(reader.id, other));
    company
}

/// The sets of messages with `send` that the receive wants, each ordered by sender's key and age.
fn sets_with<P: Program>(
    graph: &Graph<P>,
    send: EventId,
    company: &[EventId],
    want: Want,
    mailboxes: &[u32],
) -> Vec<Vec<EventId>> {
    match want {
        Want::One | Want::Maybe => vec![vec![send]],
        Want::Set { least, most } => {
            let mut all = [company, &[send]].concat();
            sort_by_key(graph, &mut all);
            let sizes = (least.max(1) as usize, most as usize);
            let mut sets = subsets(&all, sizes, &|later, earlier| {
                requires(graph, later, earlier)
            });
            sets.retain(|set| set.contains(&send));
            sets
        }
        Want::Each => {
            let mut sets = vec![vec![send]];
            for &mailbox in mailboxes {
                if mailbox == graph.destination(send) {
                    continue;
                }
                let here = company
                    .iter()
                    .filter(|&&other| graph.destination(other) == mailbox);
                let here: Vec<EventId> = here.copied().collect();
                sets = sets
                    .iter()
                    .flat_map(|set| here.iter().map(move |&other| [&set[..], &[other]].concat()))
                    .collect();
            }
            sets
        }
    }
}

/// May the receive be turned round to this set?
fn turn<P: Program>(
    graph: &Graph<P>,
    walk: &mut Walk,
    reader: &Reader<'_, P::Pattern>,
    send: EventId,
    set: &[EventId],
) -> Option<ReceivableSet> {
    if !may_delete(graph, walk, reader.id, send, set) {
        return None;
    }
    let limit = Some(&walk.limit[..]);
    let taking = taking_of(graph, &mut walk.order, reader, limit, set)?;
    (taking.reads.len() == set.len()).then_some(taking)
}

/// Adds that the receive waits for ever: `send` is there but lost, or others are.
///
/// The set is here what has arrived for the receive since it was inserted; all of it stays.
fn turns_to_waiting<P: Program>(
    graph: &Graph<P>,
    walk: &mut Walk,
    (reader, want): (&Reader<'_, P::Pattern>, Want),
    (send, company): (EventId, &[EventId]),
    found: &mut Vec<Turn>,
) {
    if graph.is_copy(send) {
        return;
    }
    let stamp = graph.event(reader.id).stamp;
    let arrived = |&&other: &&EventId| !graph.is_copy(other) && graph.event(other).stamp > stamp;
    let others: Vec<EventId> = company.iter().filter(arrived).copied().collect();
    // What happened before something that stays, stays.
    let all = [&others[..], &[send]].concat();
    let is_before = |later, earlier| graph.happens_before(earlier, later);
    let mut sets = subsets(&all, (1, usize::MAX), &is_before);
    sets.retain(|set| set.contains(&send));
    for set in sets {
        if !may_delete(graph, walk, reader.id, send, &set) {
            continue;
        }
        let kept = |id: EventId| id.index < walk.limit[id.thread as usize];
        let is_all = others
            .iter()
            .all(|&other| set.contains(&other) || !kept(other));
        if !is_all {
            continue;
        }
        let limit = Some(&walk.limit[..]);
        if let Some(taking) = waiting_of(graph, &mut walk.order, reader, want, limit) {
            found.push(Turn {
                receive: reader.id,
                taking,
                kept: set,
            });
        }
    }
}

/// May the receive be turned round when this set is to stay? Then the walk looks at what stays.
fn may_delete<P: Program>(
    graph: &Graph<P>,
    walk: &mut Walk,
    receive: EventId,
    send: EventId,
    set: &[EventId],
) -> bool {
    walk.start(graph, set);
    for &id in graph.order().iter().rev() {
        if id != send && !walk.keeps(id) && !untried(graph, walk, id, send) {
            return false;
        }
        if id == receive {
            break;
        }
        walk.so_far[id.thread as usize] -= 1;
    }
    walk.look_at_all();
    true
}

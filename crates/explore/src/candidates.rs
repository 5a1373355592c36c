//! Which sends a receive may read: the delivery models.
//!
//! Statement. Let `r` be the last event of its thread (new, or about to be turned round), and call
//! a send *open* when it goes to `r`'s mailbox, `r` accepts it, and no earlier receive reads it.
//! Then `r` may read an open `s` exactly when no other open message of the same model
//! - `Unordered`: (no condition)
//! - `Fifo`: of the same sender is older;
//! - `Causal`: happens before `s`;
//! - `Mailbox`: is before `s` in the order that mailboxes force ([`SendOrder`]);
//! - `Custom`: must not be overtaken by `s`, and happens before it or is before it in that order.
//!
//! Each model looks only at its own messages to the same mailbox, so models mix freely.
//!
//! Every model here lets a receive read the open message that comes first in a linear extension of
//! its order, so something can be read whenever anything is open: the extensibility that optimality
//! needs.

use crate::event::{EventId, Kind, Read};
use crate::graph::Graph;
use crate::mailbox_order::{Limit, SendOrder};
use crate::program::{Earlier, Mailbox, Model, Program};

/// The receive whose options are looked for.
pub(crate) struct Reader<'a, R> {
    /// Its place: the last event of its thread, there or about to be.
    pub(crate) id: EventId,
    /// What it accepts, from where.
    pub(crate) pattern: &'a R,
}

/// Is there anything that may be read? That is so when anything is open.
pub(crate) fn has_candidate<P: Program>(graph: &Graph<P>, reader: &Reader<'_, P::Pattern>) -> bool {
    let mut queues = P::mailboxes(reader.pattern)
        .iter()
        .flat_map(|&mailbox| &graph.boxes[mailbox as usize].queues);
    queues.any(|queue| {
        queue.sends[queue.head..].iter().any(|&index| {
            let event = graph.event_at(queue.sender, index as usize);
            let Kind::Send { ref message, .. } = event.kind else {
                unreachable!("queues hold sends")
            };
            !matches!(event.read, Read::By(_)) && P::accepts(reader.pattern, message, queue.sender)
        })
    })
}

/// Is it decided what may be read, or must the order that mailboxes force be asked?
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decided {
    Yes,
    NotYet,
}

/// What may be read as far as happens-before tells; with [`Decided::NotYet`],
/// [`keep_first_ones`] has to say which mailbox messages come first.
///
/// With a `limit`, only that part of the graph counts, and receives from the reader's mailbox from the
/// reader on do not count as having read anything.
pub(crate) fn collect<P: Program>(
    graph: &Graph<P>,
    reader: &Reader<'_, P::Pattern>,
    limit: Limit<'_>,
    found: &mut Vec<EventId>,
) -> Decided {
    found.clear();
    if let (None, &[only]) = (limit, P::mailboxes(reader.pattern))
        && !graph.needs_clocks
        && !graph.symmetry
    {
        collect_at_once(graph, reader.pattern, only, found);
        return Decided::Yes;
    }
    let (mut causal, mut mailbox) = (0, 0);
    let mailboxes = P::mailboxes(reader.pattern);
    for queue in mailboxes
        .iter()
        .flat_map(|&mailbox| &graph.boxes[mailbox as usize].queues)
    {
        let from = if limit.is_some() { 0 } else { queue.head };
        let mut fifo_taken = false;
        for &index in &queue.sends[from..] {
            if limit.is_some_and(|limit| index >= limit[queue.sender as usize]) {
                break;
            }
            let send = EventId {
                thread: queue.sender,
                index,
            };
            let event = graph.event(send);
            let read = match event.read {
                Read::By(by) => limit.is_none() || graph.received_before(by, reader.id),
                _ => false,
            };
            let Kind::Send {
                model, ref message, ..
            } = event.kind
            else {
                unreachable!("queues hold sends")
            };
            if read || (model == Model::Fifo && fifo_taken) {
                continue;
            }
            if P::accepts(reader.pattern, message, queue.sender) {
                match model {
                    Model::Unordered => {}
                    Model::Fifo => fifo_taken = true,
                    Model::Causal | Model::Custom(Earlier::Causally) => causal += 1,
                    Model::Mailbox | Model::Custom(Earlier::Globally) => mailbox += 1,
                }
                found.push(send);
            }
        }
    }
    if mailboxes.len() > 1 {
        found.sort_by_key(|send| (graph.rank(send.thread), send.index));
    }
    if graph.symmetry && found.len() > 1 {
        keep_first_of_families(graph, found);
    }
    if causal > 1 || mailbox > 1 {
        keep_causally_first_ones(graph, found);
    }
    let open_question = mailbox > 1
        && found.len() > 1
        && found
            .iter()
            .any(|&send| is_global(graph.place(send).1) && !is_dead_end(graph, send, limit));
    if open_question {
        Decided::NotYet
    } else {
        Decided::Yes
    }
}

/// The same for one mailbox, when causality does not count: all messages are `Unordered` or `Fifo`.
fn collect_at_once<P: Program>(
    graph: &Graph<P>,
    pattern: &P::Pattern,
    mailbox: Mailbox,
    found: &mut Vec<EventId>,
) {
    for queue in &graph.boxes[mailbox as usize].queues {
        let unread = &queue.sends[queue.head..];
        if unread.is_empty() {
            continue;
        }
        let script = &graph.threads[queue.sender as usize].script;
        let mut fifo_taken = false;
        for &index in unread {
            let event = &script[index as usize];
            let Kind::Send {
                model, ref message, ..
            } = event.kind
            else {
                unreachable!("queues hold sends")
            };
            let is_fifo = model == Model::Fifo;
            if matches!(event.read, Read::By(_))
                || (is_fifo && fifo_taken)
                || !P::accepts(pattern, message, queue.sender)
            {
                continue;
            }
            fifo_taken |= is_fifo;
            found.push(EventId {
                thread: queue.sender,
                index,
            });
        }
    }
}

/// Did the sender of an unread message do nothing after it that others could have noticed? Then
/// the message is before no other one.
pub(crate) fn is_dead_end<P: Program>(graph: &Graph<P>, send: EventId, limit: Limit<'_>) -> bool {
    let live = graph.live(send.thread);
    let end = limit.map_or(live, |limit| live.min(limit[send.thread as usize] as usize));
    (send.index as usize + 1..end).all(|index| match graph.event_at(send.thread, index).kind {
        Kind::Send { .. } | Kind::Spawn { .. } | Kind::Memory(_) => false,
        Kind::End => graph.joins() == 0,
        _ => true,
    })
}

/// Drops first sends of threads that are alike, except that of the first of them.
fn keep_first_of_families<P: Program>(graph: &Graph<P>, found: &mut Vec<EventId>) {
    retain_first(found, |other, id| {
        graph.place(other) == graph.place(id)
            && graph
                .family_sends_before(id)
                .any(|earlier| earlier == other)
    });
}

/// Drops messages that happen after another open one that they must not overtake.
fn keep_causally_first_ones<P: Program>(graph: &Graph<P>, found: &mut Vec<EventId>) {
    retain_first(found, |other, id| {
        graph.happens_before(other, id) && must_wait(graph, other, id)
    });
}

/// Drops mailbox messages that come after another open one in the order that mailboxes force.
pub(crate) fn keep_first_ones<P: Program>(
    graph: &Graph<P>,
    order: &SendOrder,
    found: &mut Vec<EventId>,
) {
    retain_first(found, |other, id| {
        order.before(other, id) && is_global(graph.place(id).1) && must_wait(graph, other, id)
    });
}

/// Does one order of all sends decide?
pub(crate) fn is_global(model: Model) -> bool {
    matches!(model, Model::Mailbox | Model::Custom(Earlier::Globally))
}

/// Of two sends, must `later` not overtake `earlier` if it was sent before? (Messages in `Fifo`
/// order have been looked at already.)
pub(crate) fn must_wait<P: Program>(graph: &Graph<P>, earlier: EventId, later: EventId) -> bool {
    let here = graph.place(later);
    here == graph.place(earlier)
        && match here.1 {
            Model::Causal | Model::Mailbox => true,
            Model::Custom(_) => P::keeps_order(graph.message(earlier), graph.message(later)),
            Model::Unordered | Model::Fifo => false,
        }
}

/// Keeps the events that no other one precedes.
fn retain_first(found: &mut Vec<EventId>, precedes: impl Fn(EventId, EventId) -> bool) {
    retain_by_all(found, |id, all| {
        !all.iter().any(|&other| other != id && precedes(other, id))
    });
}

/// Keeps the events that a question about them and all of the events says yes to.
pub(crate) fn retain_by_all(
    events: &mut Vec<EventId>,
    mut keeps: impl FnMut(EventId, &[EventId]) -> bool,
) {
    // Those to be kept move behind all of them, so that nothing is lost while there are questions.
    let all = events.len();
    for at in 0..all {
        let event = events[at];
        if keeps(event, &events[..all]) {
            events.push(event);
        }
    }
    events.drain(..all);
}

//! What everything from a graph on depends on.
//!
//! | part of the key | decides |
//! |---|---|
//! | where each thread is, and whether it runs | what it does next |
//! | the unread messages of each mailbox, by sender, oldest first | what may be read |
//! | who knows of the last receive of a mailbox to which somebody may still send | whether a send may turn receives round that were there before |
//! | who knows of which unread message, if its model asks for causality | what must not be overtaken |
//!
//! *Who* is a thread that may still send, or an unread message: what either knows of, a send from here on
//! may know of. Whatever a send from here on knows of events before, it knows through one of
//! them.
//!
//! Under [`Model::Mailbox`] "knows of" is the order that mailboxes force ([`SendOrder`]). The edges that
//! are added to it from here on lead between messages that are unread now or sent later, so of the order
//! between what was there before only what lies between unread messages and threads counts. One kind
//! of edge begins earlier: from a message that was read to one that is sent to the same mailbox later.
//! Where there is such a mailbox, and somebody else than who receives from it may send to it, there is no key. (Who
//! receives from it knows all that it has read.)

use crate::candidates::is_dead_end;
use crate::event::{EventId, Kind, Read, Tid};
use crate::graph::Graph;
use crate::mailbox_order::SendOrder;
use crate::program::{Fate, History, Mailbox, Mailboxes, Model, Program};

/// Between the parts of a key; no mailbox and sender have this number together.
const END: u32 = u32::MAX;

/// A thread that does not exist.
const NOBODY: u32 = u32::MAX;

/// The most mailboxes that have a bit each.
const MOST: usize = Mailboxes::BITS as usize;

/// The most that fits into a word beside the model.
const MOST_NUMBERS: u32 = u32::MAX >> 2;

/// Memory, kept between calls.
#[derive(Default)]
pub(crate) struct Scratch {
    /// The last events of threads that may still send, and the unread messages with where they go.
    who: Vec<(EventId, Option<Mailbox>)>,
    /// Unread messages whose order is more than that of one sender.
    ordered: Vec<(EventId, Mailbox, Model)>,
}

/// Writes the key of a graph, behind what is there; false if it has none.
pub(crate) fn describe<P: Program>(
    graph: &mut Graph<P>,
    order: &mut SendOrder,
    program: &mut P,
    scratch: &mut Scratch,
    key: &mut Vec<u32>,
) -> bool {
    scratch.who.clear();
    scratch.ordered.clear();
    if graph.symmetry || graph.faults.may_happen() || graph.joins() > 0 || graph.boxes.len() > MOST
    {
        return false;
    }
    let Some(open) = threads(graph, program, scratch, key) else {
        return false;
    };
    let known = open.to_others & received(graph);
    if known != 0 && graph.some_global || !messages(graph, scratch, key) {
        return false;
    }
    if known != 0 {
        graph.settle_clocks();
        for mailbox in bits(known) {
            knows_last_receive(graph, scratch, mailbox, key);
        }
    }
    if !scratch.ordered.is_empty() {
        graph.settle_clocks();
        overtaking(graph, order, scratch, open.to_any, key);
    }
    true
}

/// To which mailboxes somebody may still send.
#[derive(Default)]
struct Open {
    to_any: Mailboxes,
    /// The same, without what threads send to mailboxes that they receive from themselves.
    to_others: Mailboxes,
}

/// Where the threads are; nothing if the program does not say.
fn threads<P: Program>(
    graph: &Graph<P>,
    program: &mut P,
    scratch: &mut Scratch,
    key: &mut Vec<u32>,
) -> Option<Open> {
    let mut open = Open::default();
    key.push(graph.threads() as u32);
    for thread in 0..graph.threads() as Tid {
        if !graph.exists(thread) {
            key.push(NOBODY);
            continue;
        }
        let asked = graph.scripted(thread).and_then(|next| next.outlook);
        let to = asked.or_else(|| program.outlook(thread, History { graph, thread }))?;
        program.standing(thread, History { graph, thread }, key);
        if !graph.is_running(thread) {
            key.push(0);
            continue;
        }
        key.push(1);
        if to != 0 {
            open.to_any |= to;
            open.to_others |= to & !received_by(graph, thread);
            scratch
                .who
                .extend(frontier(graph, thread).map(|last| (last, None)));
        }
    }
    key.push(END);
    Some(open)
}

/// What a thread knows, it knows since this event.
fn frontier<P: Program>(graph: &Graph<P>, thread: Tid) -> Option<EventId> {
    match graph.live(thread) as u32 {
        0 => graph.spawned_by(thread),
        live => Some(EventId {
            thread,
            index: live - 1,
        }),
    }
}

/// The unread messages; false if there is one that this cannot describe.
fn messages<P: Program>(graph: &Graph<P>, scratch: &mut Scratch, key: &mut Vec<u32>) -> bool {
    for (mailbox, postbox) in graph.boxes.iter().enumerate() {
        for queue in &postbox.queues {
            let unread = &queue.sends[queue.head..];
            if unread.is_empty() {
                continue;
            }
            key.push((mailbox as u32) << 24 | queue.sender);
            let count = key.len();
            key.push(0);
            for &index in unread {
                let send = EventId {
                    thread: queue.sender,
                    index,
                };
                let event = graph.event(send);
                let Kind::Send {
                    model,
                    ref message,
                    fate,
                    ..
                } = event.kind
                else {
                    unreachable!("queues hold sends")
                };
                if event.read != Read::None {
                    continue;
                }
                let (mailbox, number) = (mailbox as Mailbox, P::number(message));
                let kind = match model {
                    _ if fate != Fate::Sure || number > MOST_NUMBERS => return false,
                    Model::Unordered => 0,
                    Model::Fifo => 1,
                    Model::Causal => 2,
                    Model::Mailbox => 3,
                    Model::Custom(_) => return false,
                };
                if kind > 1 {
                    scratch.ordered.push((send, mailbox, model));
                }
                scratch.who.push((send, Some(mailbox)));
                key.push(number << 2 | kind);
                key[count] += 1;
            }
            if key[count] == 0 {
                key.truncate(count - 1);
            }
        }
    }
    key.push(END);
    true
}

/// The mailboxes from which something was received.
fn received<P: Program>(graph: &Graph<P>) -> Mailboxes {
    let boxes = graph.boxes.iter().enumerate();
    boxes
        .filter(|(_, postbox)| !postbox.receives.is_empty())
        .fold(0, |all, (mailbox, _)| all | 1 << mailbox)
}

/// The mailboxes from which this thread receives, as far as it has.
fn received_by<P: Program>(graph: &Graph<P>, thread: Tid) -> Mailboxes {
    let boxes = graph.boxes.iter().enumerate();
    let is_own = |last: &EventId| last.thread == thread;
    boxes
        .filter(|(_, postbox)| postbox.receives.last().is_some_and(is_own))
        .fold(0, |all, (mailbox, _)| all | 1 << mailbox)
}

/// Who knows of the last receive of a mailbox.
fn knows_last_receive<P: Program>(
    graph: &Graph<P>,
    scratch: &Scratch,
    mailbox: Mailbox,
    key: &mut Vec<u32>,
) {
    let receives = &graph.boxes[mailbox as usize].receives;
    let &last = receives.last().expect("something was received");
    key.push(mailbox);
    let who = scratch.who.iter();
    write_bits(key, who.map(|&(it, _)| graph.happens_before(last, it)));
}

/// Who knows of which unread message.
fn overtaking<P: Program>(
    graph: &Graph<P>,
    order: &mut SendOrder,
    scratch: &Scratch,
    open: Mailboxes,
    key: &mut Vec<u32>,
) {
    for &(send, to, model) in &scratch.ordered {
        if is_dead_end(graph, send, None) {
            // Only its own sender knows of it.
            key.push(END);
            continue;
        }
        let is_global = model == Model::Mailbox;
        if is_global {
            order.ensure(graph);
        }
        let who = scratch.who.iter();
        let knows = who.map(|&(it, mailbox)| {
            let counts = is_global || mailbox.is_none_or(|own| own == to || open >> to & 1 == 1);
            counts
                && match is_global {
                    true => order.before(send, it),
                    false => graph.happens_before(send, it),
                }
        });
        write_bits(key, knows);
    }
}

/// Writes bits, 31 to a word: no word is [`END`].
fn write_bits(key: &mut Vec<u32>, bits: impl Iterator<Item = bool>) {
    let (mut word, mut count) = (0, 0);
    for bit in bits {
        word = word << 1 | u32::from(bit);
        count += 1;
        if count == 31 {
            key.push(word);
            (word, count) = (0, 0);
        }
    }
    key.push(word);
}

fn bits(mut all: Mailboxes) -> impl Iterator<Item = Mailbox> {
    std::iter::from_fn(move || {
        let first = (all != 0).then(|| all.trailing_zeros())?;
        all &= all - 1;
        Some(first)
    })
}

//! Sends that fail because the receiver was dropped.
//!
//! Whether a send fails depends on one event, the drop of the receiver. To ask some server before each
//! send would give all sends an order that nobody can tell. So each process that sends has a *gate*, a
//! mailbox of its own for each channel; the dropped receiver sends [`HungUp`] to every gate, and a
//! process that is about to send asks its own: it sends [`StillThere`] to its gate and reads what comes
//! first in [`Delivery::Mailbox`] order. Then the drop and each send are ordered, causally if they
//! are so, and sends among themselves are not. To be dropped is one event though the receiver tells
//! several processes: who was told goes on when all were told ([`ToldAll`]), so whatever it does then
//! is causally after all of it.
//!
//! The receiver has to know the gates, and most sends cannot fail at all. Both are learnt. At first
//! nobody asks. When an execution has a send that is not causally before the drop of its receiver,
//! its sender is an *asker* from then on, and the exploration starts again ([`missing_askers`]). The
//! askers of an exploration are fixed, so it is deterministic; there are finitely many, so an end is
//! reached, and then each send that may fail is asked for. Executions seen before that are executions
//! all the same (an estimate counts only those), except those with a send causally after the drop, and those are not judged.

use super::link::Link;
use crate::delivery::Delivery;
use crate::determinism_check::What;
use crate::machine::Machine;
use crate::message::{Role, Value};
use crate::pattern::Arm;
use crate::receive::take;
use crate::send::{Letter, post};
use crate::shared_context::World;
use crate::sync::server::{Place, protocol, tell};
use crate::task::Task;
use plainsong_explore::{EventId, Graph, Kind, Mailbox, Tid};
use std::collections::BTreeSet;
use std::panic::Location;
use std::rc::Rc;

/// Who asks: for the `.1`-th channel of process `.0`, process `.2`, by full names.
pub(crate) type Askers = BTreeSet<(String, u32, String)>;

protocol! {
    /// The receiver of a channel was dropped, for the record.
    Left { pub(crate) data: Mailbox, pub(crate) maker: (Tid, u32) } Plumbing "the receiver was dropped"
    /// The receiver was dropped, for one who asks.
    HungUp { pub(crate) is_told_to_one: bool } Deed "the receiver was dropped"
    /// Everybody was told.
    ToldAll {} Plumbing "everybody was told"
    /// Is the receiver still there?
    StillThere { pub(crate) ticket: u32 } Plumbing "still there?"
}

/// What is received at gates.
const ANSWERS: [&str; 2] = ["HungUp", "StillThere"];

/// The receiver of a channel was dropped.
pub(super) fn hang_up(link: &Link) {
    let Some(task) = Task::of_destructor() else {
        return;
    };
    let link = link.clone();
    let owner = Rc::clone(&task);
    task.soon(move || tell_everybody(&owner, &link));
}

fn tell_everybody(task: &Task, link: &Link) {
    let world = &task.world;
    world.has_hung_up.set(true);
    let (data, maker) = (link.data, link.maker);
    tell(link.tracker, Left { data, maker }, link.place);
    let maker = world.full_name(link.maker.0);
    let known = world.askers.iter();
    let mut askers: BTreeSet<&str> = known
        .filter(|asker| asker.0 == maker && asker.1 == link.maker.1)
        .map(|asker| asker.2.as_str())
        .collect();
    if let Some(guide) = &world.guide {
        askers.extend(guide.receivers_of(&ANSWERS));
    }
    let gate = |asker: &&str| world.mailboxes.borrow_mut().of_gate(link.data, asker);
    let gates: Vec<Mailbox> = askers.iter().map(gate).collect();
    let is_told_to_one = gates.len() == 1;
    for &gate in &gates {
        send(HungUp { is_told_to_one }, gate, link.place);
    }
    if !is_told_to_one {
        for &gate in &gates {
            send(ToldAll {}, gate, link.place);
        }
    }
}

/// Was the receiver dropped before this send?
pub(super) fn receiver_is_gone(link: &Link, place: Place) -> bool {
    let Some(task) = Task::live("send") else {
        return false;
    };
    if task.hung_up.borrow().contains(&link.data) {
        return true;
    }
    if !asks(&task, link) {
        return false;
    }
    let own = task.world.full_name(task.process);
    let gate = task.world.mailboxes.borrow_mut().of_gate(link.data, &own);
    let ticket = task.next_ticket();
    send(StillThere { ticket }, gate, place);
    let mine = Arm {
        filter: Some(Rc::new(move |message| {
            let asked = message.get::<StillThere>();
            asked.is_some_and(|asked| asked.ticket == ticket)
        })),
        ..Arm::typed::<StillThere>(gate)
    };
    let arms = [Arm::typed::<HungUp>(gate), mine];
    let answer = take(&task, &arms, place, true);
    let Some(hung_up) = answer.as_ref().and_then(|answer| answer.get::<HungUp>()) else {
        return false;
    };
    if !hung_up.is_told_to_one {
        take(&task, &[Arm::typed::<ToldAll>(gate)], place, true);
    }
    task.hung_up.borrow_mut().push(link.data);
    true
}

fn asks(task: &Task, link: &Link) -> bool {
    let world = &task.world;
    let told = world.guide.as_ref();
    if let Some(told) = told.and_then(|guide| guide.wants_one_of(task, &ANSWERS)) {
        return told;
    }
    !world.askers.is_empty() && {
        let maker = world.full_name(link.maker.0);
        let own = world.full_name(task.process);
        world.askers.contains(&(maker, link.maker.1, own))
    }
}

fn send(message: impl Value, gate: Mailbox, place: &'static Location<'static>) {
    let letter = Letter::plain(message).via(Delivery::Mailbox);
    post(letter, gate, place, None, What::Send);
}

/// Those who have sent without asking, though the receiver may have been dropped.
pub(crate) fn missing_askers(graph: &Graph<Machine>, world: &World) -> Askers {
    let mut missing = Askers::new();
    for &drop in graph.order() {
        let Some(left) = message::<Left>(graph, drop) else {
            continue;
        };
        for &send in graph.order() {
            if is_data(graph, send, left.data) && !graph.happens_before(send, drop) {
                let maker = world.full_name(left.maker.0);
                missing.insert((maker, left.maker.1, world.full_name(send.thread)));
            }
        }
    }
    missing.retain(|asker| !world.askers.contains(asker));
    missing
}

fn message<M: 'static>(graph: &Graph<Machine>, id: EventId) -> Option<&M> {
    match &graph.event(id).kind {
        Kind::Send { message, .. } => message.get(),
        _ => None,
    }
}

fn is_data(graph: &Graph<Machine>, id: EventId, data: Mailbox) -> bool {
    match &graph.event(id).kind {
        Kind::Send { to, message, .. } => *to == data && message.value.role() == Role::Message,
        _ => false,
    }
}

//! Ring and chain topologies (neighbours): one family whose members talk to the ones beside them.
//!
//! Statement. There is one family, named by consecutive integers from 0, as many as one likes. Every message goes
//! to, and is expected from, the member before or behind, perhaps around the end; what is sent and received does
//! not depend on data, but may depend on how far the member is from either end. Then for every number of members
//! all of them come to their end and no message is left, if this is so for the numbers that are tried: 1, 2, … until
//! adding one more member to the middle makes no difference any more.
//!
//! Why sound. Every receive names its sender, so every queue has one writer and one reader, and whether all come
//! to their end does not depend on the schedule: they do if and only if the actions can be ordered such that each
//! comes after the one before it in its process, and the `i`th receive of a kind from a member after that member's
//! `i`th send. A row of members in the middle takes part in such an order only through its two outermost members,
//! by which of their actions must come before which: its *signature*. A row with one member more has a signature
//! that depends on the row's only; so when a signature comes for the second time, all further ones have come too. The
//! ends are [`END`] members wide, beyond which conditions about the position are all the same.
//!
//! Source. A cut-off argument; the literature's rules are for one token. DIFFERS. Any fixed number of messages in
//! both directions, decided exactly. NOT COVERED. Anything beside the family; elections, where what is sent
//! depends on what was received. The line is told where a fixed number of sweeps will do (`schedule.rs`).

pub(crate) mod schedule;
mod steps;

use crate::Sequentialized;
use crate::line::{Line, Row, of_row};
use crate::stuck::{Obstacle, Stuck};
use plainsong_certificate::Event;
use plainsong_ir::{Delivery, MessageId, Song, Voices};
use std::collections::{BTreeMap, BTreeSet};
use steps::{Action, Steps};

/// Members nearer to an end than this may do something of their own.
const END: i64 = 3;
/// More members than any sensible protocol needs.
const MOST: i64 = 150;

/// The answer for a ring or chain; nothing if it is none.
pub(crate) fn neighbours(
    song: &Song,
    delivery: Option<Delivery>,
) -> Option<Result<Sequentialized, Stuck>> {
    let steps = steps::steps(song)?;
    if let Err(stuck) = check_delivery(song.voices()?, delivery) {
        return Some(Err(stuck));
    }
    let open = steps.risks.clone();
    Some(every_size(song, &steps).map(|tried| Sequentialized {
        open,
        line: line(song, &steps),
        pruned: false,
        may_leave: false,
        steps: tried.actions,
    }))
}

/// The line, if it goes through the row a fixed number of times.
fn line(song: &Song, steps: &Steps<'_>) -> Result<Line, String> {
    let no_line = || "no fixed number of walks through the row tells it".to_owned();
    let sweeps = schedule::sweeps(steps).ok_or_else(no_line)?;
    let process = song.voices().and_then(|voices| voices.processes.first());
    let row = Row {
        song,
        process: process.ok_or_else(no_line)?,
        sort: steps.sort,
        sweeps: &sweeps,
        sides: &steps.sides(),
    };
    of_row(&row)
}

/// Between neighbours several messages of a kind may be in flight, so their order has to be kept.
fn check_delivery(voices: &Voices, delivery: Option<Delivery>) -> Result<(), Stuck> {
    for message in &voices.messages {
        if delivery
            .or(message.delivery)
            .is_some_and(|one| !one.keeps_order())
        {
            let sentence = format!("unordered delivery of `{}` is not covered", message.name);
            let stuck = Stuck::new(Obstacle::NotCovered, message.span, sentence);
            return Err(stuck.help("use `via fifo`"));
        }
    }
    Ok(())
}

/// The claim about a ring or chain, for its certificate; nothing if it is none.
pub(crate) fn row(song: &Song, delivery: Option<Delivery>) -> Option<Result<Event, Stuck>> {
    let steps = steps::steps(song)?;
    if let Err(stuck) = check_delivery(song.voices()?, delivery) {
        return Some(Err(stuck));
    }
    Some(every_size(song, &steps).map(|tried| Event::Row {
        who: steps.name.to_owned(),
        middle: tried.middle,
    }))
}

/// What was tried.
struct Tried {
    /// How many actions were looked at.
    actions: usize,
    /// With so many members in the middle, one more makes no difference.
    middle: i64,
}

/// Tries sizes until further ones make no difference.
fn every_size(song: &Song, steps: &Steps<'_>) -> Result<Tried, Stuck> {
    let mut actions = 0;
    for size in 1..=2 * END {
        actions += together(song, steps, size)?;
    }
    let mut seen = BTreeSet::new();
    for middle in 1..MOST {
        actions += together(song, steps, 2 * END + middle)?;
        if !seen.insert(signature(steps, middle)?) {
            return Ok(Tried { actions, middle });
        }
    }
    let sentence = "adding members to the middle goes on making a difference";
    Err(Stuck::new(Obstacle::TooLong, steps.span, sentence))
}

/// Do so many members all come to their end, and is no message left? How many actions that takes.
fn together(song: &Song, steps: &Steps<'_>, size: i64) -> Result<usize, Stuck> {
    let members: Result<Vec<Vec<Action>>, Stuck> = (0..size).map(|at| steps.of(at, size)).collect();
    let members = members?;
    let mut done = vec![0; members.len()];
    let mut waiting: BTreeMap<(i64, i64, MessageId), usize> = BTreeMap::new();
    let mut moved = true;
    while moved {
        moved = false;
        for (at, actions) in members.iter().enumerate() {
            while let Some(action) = actions.get(done[at]) {
                let at_hand = at as i64;
                if action.sends {
                    *waiting
                        .entry((at_hand, action.peer, action.message))
                        .or_default() += 1;
                } else {
                    let queue = waiting.get_mut(&(action.peer, at_hand, action.message));
                    match queue {
                        Some(queue) if *queue > 0 => *queue -= 1,
                        _ => break,
                    }
                }
                done[at] += 1;
                moved = true;
            }
        }
    }
    let name = |message: MessageId| {
        let voices = song.voices();
        voices.map_or("", |voices| &voices.messages[message.index()].name)
    };
    let who = steps.name;
    for (at, actions) in members.iter().enumerate() {
        if let Some(action) = actions.get(done[at]) {
            let sentence = format!(
                "of {size} in a row, `{who}[{at}]` waits for `{}` from `{who}[{}]`",
                name(action.message),
                action.peer
            );
            return Err(Stuck::new(Obstacle::Blocked, action.span, sentence));
        }
    }
    if let Some(((from, to, message), _)) = waiting.iter().find(|(_, left)| **left > 0) {
        let sentence = format!(
            "of {size} in a row, `{who}[{to}]` never receives a `{}` from `{who}[{from}]`",
            name(*message)
        );
        return Err(Stuck::new(Obstacle::SuperfluousSend, steps.span, sentence));
    }
    Ok(done.into_iter().sum())
}

/// Which actions of the outermost members of a row in the middle come before which: of the last one?, which action.
type Signature = BTreeSet<((bool, usize), (bool, usize))>;

fn signature(steps: &Steps<'_>, row: i64) -> Result<Signature, Stuck> {
    let size = 2 * END + row;
    let members: Result<Vec<Vec<Action>>, Stuck> =
        (END..END + row).map(|at| steps.of(at, size)).collect();
    let members = members?;
    let later = later(&members);
    let last = members.len() - 1;
    let mut signature = Signature::new();
    for (member, is_last) in [(0, false), (last, true)] {
        for at in 0..members[member].len() {
            for (other, action) in reached(&later, (member, at)) {
                if other == 0 {
                    signature.insert(((is_last, at), (false, action)));
                }
                if other == last {
                    signature.insert(((is_last, at), (true, action)));
                }
            }
        }
    }
    Ok(signature)
}

/// Of each action of each member, what comes directly after it: members by their position in the row.
type Later = BTreeMap<(usize, usize), Vec<(usize, usize)>>;

fn later(members: &[Vec<Action>]) -> Later {
    let mut later = Later::new();
    for (member, actions) in members.iter().enumerate() {
        for at in 1..actions.len() {
            later
                .entry((member, at - 1))
                .or_default()
                .push((member, at));
        }
    }
    for left in 1..members.len() {
        for (from, to) in [(left - 1, left), (left, left - 1)] {
            let step = to as i64 - from as i64;
            for (send, receive) in matched(&members[from], &members[to], step) {
                later.entry((from, send)).or_default().push((to, receive));
            }
        }
    }
    later
}

/// The sends of a member in a direction, with the receives that take them.
fn matched(from: &[Action], to: &[Action], step: i64) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let kinds: BTreeSet<MessageId> = from.iter().map(|action| action.message).collect();
    for kind in kinds {
        let of = |actions: &[Action], sends: bool, step: i64| -> Vec<usize> {
            let actions = actions.iter().enumerate();
            actions
                .filter(|(_, one)| one.sends == sends && one.message == kind && one.step == step)
                .map(|(at, _)| at)
                .collect()
        };
        pairs.extend(of(from, true, step).into_iter().zip(of(to, false, -step)));
    }
    pairs
}

fn reached(later: &Later, from: (usize, usize)) -> BTreeSet<(usize, usize)> {
    let mut found = BTreeSet::new();
    let mut open = vec![from];
    while let Some(one) = open.pop() {
        for next in later.get(&one).into_iter().flatten() {
            if found.insert(*next) {
                open.push(*next);
            }
        }
    }
    found
}

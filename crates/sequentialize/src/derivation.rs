//! The derivation as data: what a certificate is made of.
//!
//! All ways to the end, each a list of moves, read off the stories of the search. Statements are named by where they
//! begin in the text, members by numbers. Nothing here is trusted: whoever wants to rely on it checks it.

use crate::line;
use crate::part::OpKind;
use crate::rules::Engine;
use crate::story::{Event, Story};
use crate::stuck::Stuck;
use crate::value::{Comp, Role};
use crate::{race, voices_to_parts};
use plainsong_ir::{Delivery, Song};

/// A way to the end.
pub type Way = Vec<Move>;

/// A step of a derivation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Move {
    /// A process does a statement that does not communicate.
    Does(String, u32),
    /// A process sends at a statement, to a process.
    Sends(String, u32, String),
    /// A process receives at a statement, from a process.
    Receives(String, u32, String),
    /// A process decides at a statement for an arm.
    Decides(String, u32, usize),
    /// A process goes through a loop over a family; all ways through the round of a member.
    Each(String, u32, String, Vec<Way>),
    /// A rule of another kind, in words.
    Other(&'static str),
}

/// The derivation of a song's line.
pub fn derivation(song: &Song, delivery: Option<Delivery>) -> Result<Vec<Way>, Box<Stuck>> {
    if let Some(answer) = crate::neighbours::neighbours(song, delivery) {
        answer.map_err(Box::new)?;
        return Ok(vec![vec![Move::Other(
            "members that talk to the ones beside them",
        )]]);
    }
    let score = voices_to_parts::score(song, delivery)?;
    let senders = race::senders(&score)?;
    let mut engine = Engine::new(score, senders);
    let ends = engine.finish()?;
    if engine.pruned {
        return Ok(vec![vec![Move::Other("a way on which an assertion fails")]]);
    }
    let stories = ends.iter().map(|end| way(&engine, &end.story));
    Ok(once(stories))
}

/// Ways that differ only in what is not told are one.
fn once(all: impl Iterator<Item = Way>) -> Vec<Way> {
    let mut ways: Vec<Way> = Vec::new();
    for way in all {
        if !ways.contains(&way) {
            ways.push(way);
        }
    }
    ways
}

fn way(engine: &Engine<'_>, story: &Story) -> Way {
    let events = story.events().into_iter();
    events.filter_map(|event| told(engine, event)).collect()
}

fn told(engine: &Engine<'_>, event: &Event) -> Option<Move> {
    let name = |comp: Comp| {
        let family = engine.score.name(comp.family);
        match comp.role {
            Role::Member(number) => format!("{family}#{number}"),
            Role::Single | Role::Rest => family.to_owned(),
        }
    };
    let place = event.at().map_or(0, |at| line::op(engine, at).1.start);
    let who = event.at().map_or(String::new(), |at| name(at.comp));
    Some(match event {
        Event::Did(_) => Move::Does(who, place),
        Event::Sent(_, _, to) => Move::Sends(who, place, name(*to)),
        Event::Received {
            from,
            per_round: false,
            ..
        } => Move::Receives(who, place, name(*from)),
        Event::Received { .. } => Move::Other("a message kept per round"),
        Event::Took(at, arm) => match line::op(engine, *at).0 {
            OpKind::Select { .. } => Move::Other("a receive of several kinds, or with a timeout"),
            OpKind::Send(..) => Move::Other("a message that may be lost"),
            _ => Move::Decides(who, place, *arm),
        },
        Event::Each { rounds: true, .. } => Move::Other("rounds of daemons"),
        Event::Each { member, second, .. } if member != second => {
            Move::Other("a round that deals with two members")
        }
        Event::Each { member, leaves, .. } => {
            let ways = once(leaves.iter().map(|story| way(engine, story)));
            Move::Each(who, place, name(*member), ways)
        }
        Event::Repeat { .. } | Event::Serves(_) => Move::Other("a loop with a number of rounds"),
        Event::Chose(..) => Move::Other("a choice of a member"),
        Event::Forgot(..) => return None,
    })
}

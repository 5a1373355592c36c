//! Ways that differ only in how members are numbered, told alike.
//!
//! A statement that decides nothing in the text may still lead to several states (`c = !no`), and whatever comes after
//! it is then found once for each of them, with members that are numbered anew. Here members are numbered in the order
//! in which a story comes to speak of them: stories that do the same things with some members do them with the same ones.
//!
//! Why it may be done. A story is about *some* members: names are given to them when they come up, so one numbering is as
//! good as another, as long as two members of one story keep different numbers. A numbering goes on from what came
//! before, and stories that share their beginning share its numbers.

use crate::derivation_log::{At, Event, Story};
use crate::value::{Comp, Role};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The numbers of members in one story.
#[derive(Clone, Default)]
pub(super) struct Numbers(BTreeMap<Comp, u32>);

impl Numbers {
    /// The story with its members numbered anew.
    pub(super) fn story(&mut self, story: &Story) -> Story {
        let mut told = Story::default();
        for event in story.events() {
            told.push(self.event(event));
        }
        told
    }

    /// Rounds: each way goes on from what was known before them, and what comes up in one of them stays there.
    fn leaves(&self, leaves: &Rc<[Story]>) -> Rc<[Story]> {
        let each = leaves.iter();
        each.map(|leaf| self.clone().story(leaf)).collect()
    }

    fn event(&mut self, event: &Event) -> Event {
        match event {
            Event::Did(at) => Event::Did(self.at(*at)),
            Event::Chose(at, member) => Event::Chose(self.at(*at), self.comp(*member)),
            Event::Sent(at, number, to) => Event::Sent(self.at(*at), *number, self.comp(*to)),
            Event::Forgot(at, vars) => Event::Forgot(self.at(*at), vars.clone()),
            Event::Claimed(at) => Event::Claimed(self.at(*at)),
            Event::Received {
                at,
                arm,
                sent,
                from,
                per_round,
            } => Event::Received {
                at: self.at(*at),
                arm: *arm,
                sent: *sent,
                from: self.comp(*from),
                per_round: *per_round,
            },
            Event::Serves(member) => Event::Serves(self.comp(*member)),
            Event::Took(at, arm) => Event::Took(self.at(*at), *arm),
            Event::Each {
                at,
                family,
                member,
                second,
                rounds,
                with,
                leaves,
            } => Event::Each {
                at: self.at(*at),
                family: *family,
                member: self.comp(*member),
                second: self.comp(*second),
                rounds: *rounds,
                with: *with,
                leaves: self.leaves(leaves),
            },
            Event::Repeat {
                at,
                partner,
                over,
                leaves,
            } => Event::Repeat {
                at: self.at(*at),
                partner: partner.map(|partner| self.at(partner)),
                over: *over,
                leaves: self.leaves(leaves),
            },
        }
    }

    fn at(&mut self, at: At) -> At {
        At {
            comp: self.comp(at.comp),
            ..at
        }
    }

    fn comp(&mut self, comp: Comp) -> Comp {
        if !comp.is_member() {
            return comp;
        }
        let next = self.0.len() as u32;
        let number = *self.0.entry(comp).or_insert(next);
        Comp {
            role: Role::Member(number),
            ..comp
        }
    }
}

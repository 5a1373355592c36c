//! The derivation as data: what a certificate is made of.
//!
//! All ways to the end, each a list of events, read off the stories of the search. Statements are named by where they
//! begin in the text, members by numbers. Nothing here is trusted: whoever wants to rely on it checks it. The format is
//! the checker's; nothing else of it is used.

use crate::arithmetic_oracle::{Arbiter, Nobody};
use crate::derivation_log::{At, Event, Story};
use crate::line;
use crate::process_code::OpKind;
use crate::rules::Engine;
use crate::stuck::Stuck;
use crate::value::{Comp, Role};
use crate::{neighbours, race, voices_to_parts};
use plainsong_certificate::Event as Told;
use plainsong_ir::{Delivery, Song};
use std::collections::BTreeMap;

/// A way to the end.
type Way = Vec<Told>;

/// The derivation of a song's line.
pub fn derivation(song: &Song, delivery: Option<Delivery>) -> Result<Vec<Way>, Box<Stuck>> {
    derivation_with(song, delivery, &Nobody)
}

/// The same, with somebody who is asked where decisions depend on arithmetic.
pub fn derivation_with(
    song: &Song,
    delivery: Option<Delivery>,
    arbiter: &dyn Arbiter,
) -> Result<Vec<Way>, Box<Stuck>> {
    if let Some(answer) = neighbours::row(song, delivery) {
        return answer.map(|row| vec![vec![row]]).map_err(Box::new);
    }
    let score = voices_to_parts::score(song, delivery)?;
    let senders = race::senders(&score)?;
    let mut engine = Engine::new(score, senders, arbiter);
    let ends = engine.finish()?;
    if engine.pruned {
        let rule = "a way on which an assertion fails".to_owned();
        return Ok(vec![vec![Told::NotCovered { rule }]]);
    }
    let mut teller = Teller {
        engine: &engine,
        members: BTreeMap::new(),
    };
    let stories: Vec<Story> = ends.iter().map(|end| end.story.clone()).collect();
    Ok(teller.ways(&stories))
}

/// Tells stories. Members are numbered in the order in which they come up, so that ways that are alike look alike.
struct Teller<'e, 'a> {
    engine: &'e Engine<'a>,
    members: BTreeMap<Comp, usize>,
}

impl Teller<'_, '_> {
    /// All ways from here; those that differ only in what is not told are one.
    fn ways(&mut self, stories: &[Story]) -> Vec<Way> {
        let known = self.members.clone();
        let mut ways: Vec<Way> = Vec::new();
        for story in stories {
            let events = story.events().into_iter();
            let way = events.filter_map(|event| self.told(event)).collect();
            if !ways.contains(&way) {
                ways.push(way);
            }
            self.members.clone_from(&known);
        }
        ways
    }

    fn name(&mut self, comp: Comp) -> String {
        let family = self.engine.score.name(comp.family);
        if !matches!(comp.role, Role::Member(_)) {
            return family.to_owned();
        }
        let next = self.members.len() + 1;
        let number = self.members.entry(comp).or_insert(next);
        format!("{family}#{number}")
    }

    fn place(&self, at: At) -> u32 {
        line::op(self.engine, at).1.start
    }

    fn told(&mut self, event: &Event) -> Option<Told> {
        let Some(at) = event.at() else {
            return match event {
                Event::Serves(comp) => Some(Told::Comes {
                    member: self.name(*comp),
                }),
                _ => None,
            };
        };
        let who = self.name(at.comp);
        let at = self.place(at);
        Some(match event {
            Event::Did(_) => Told::Does { who, at },
            Event::Chose(_, comp) => Told::Chooses {
                who,
                at,
                member: self.name(*comp),
            },
            Event::Sent(_, _, to) => Told::Sends {
                who,
                at,
                to: self.name(*to),
            },
            Event::Received {
                from,
                per_round: true,
                ..
            } => Told::Collects {
                who,
                at,
                from: self.name(*from),
            },
            Event::Received { from, arm, .. } => Told::Receives {
                who,
                at,
                from: self.name(*from),
                kind: *arm,
            },
            Event::Took(place, arm) => return self.took(*place, *arm),
            Event::Each { .. } | Event::Repeat { .. } => self.rounds(event, who, at)?,
            Event::Forgot(..) | Event::Claimed(_) | Event::Serves(_) => return None,
        })
    }

    fn rounds(&mut self, event: &Event, who: String, at: u32) -> Option<Told> {
        Some(match event {
            Event::Each {
                rounds: true,
                family,
                member,
                with,
                leaves,
                ..
            } => {
                let who = self.engine.score.name(*family).to_owned();
                let member = self.name(*member);
                let ways = self.ways(leaves);
                match with {
                    None => Told::Serves { who, member, ways },
                    Some(with) => Told::Pairs {
                        who,
                        member,
                        with: self.engine.score.name(*with).to_owned(),
                        ways,
                    },
                }
            }
            Event::Each {
                member,
                second,
                leaves,
                ..
            } => Told::Each {
                who,
                at,
                member: self.name(*member),
                named: self.name(*second),
                ways: self.ways(leaves),
            },
            Event::Repeat {
                partner, leaves, ..
            } => Told::Repeats {
                who,
                at,
                with: partner.map(|other| (self.name(other.comp), self.place(other))),
                ways: self.ways(leaves),
            },
            _ => return None,
        })
    }

    /// A branch that was taken. That a message was taken or sent is told by what follows.
    fn took(&mut self, at: At, arm: usize) -> Option<Told> {
        let who = self.name(at.comp);
        let place = self.place(at);
        match line::op(self.engine, at).0 {
            OpKind::Select { arms, .. } => {
                (arm == arms.len()).then_some(Told::TimesOut { who, at: place })
            }
            OpKind::Send(..) => (arm == 1).then_some(Told::Loses { who, at: place }),
            _ => Some(Told::Decides {
                who,
                at: place,
                arm,
            }),
        }
    }
}

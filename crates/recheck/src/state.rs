//! The symbolic state: where everybody is, what they hold, which messages wait, and who deals with whom.
//!
//! A queue between a whole family and a process is one queue per member. Messages that the rounds of a loop leave for
//! somebody else are kept apart, one per round.

use crate::actor::Actor;
use crate::causes::{Pin, Round};
use crate::linear_arithmetic::Sum;
use crate::position::{Position, Var};
use crate::symbol::{Symbol, Unknown};
use plainsong_ir::{Expr, FamilyId, MessageId, SortId};
use std::collections::{BTreeMap, BTreeSet};

/// A queue: from whom, to whom, which kind.
pub(crate) type Channel = (Actor, Actor, MessageId);

/// Does a queue begin or end at an actor?
pub(crate) fn touches(channel: &Channel, actor: Actor) -> bool {
    channel.0 == actor || channel.1 == actor
}

/// With one actor in the place of another.
pub(crate) fn redirect(channel: &Channel, old: Actor, new: Actor) -> Channel {
    let swap = |actor: Actor| if actor == old { new } else { actor };
    (swap(channel.0), swap(channel.1), channel.2)
}

/// With whole families in the place of members.
pub(crate) fn general(channel: &Channel) -> Channel {
    (channel.0.whole(), channel.1.whole(), channel.2)
}

/// A message that waits.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) values: Vec<Symbol>,
    /// Which sending it is; later ones have greater numbers.
    pub(crate) sending: u32,
    /// How much its sender had heard.
    pub(crate) heard: usize,
    /// What its sender knew to have happened, and for which client it was sent (`causes.rs`).
    pub(crate) knows: BTreeSet<u32>,
    pub(crate) purpose: Option<u32>,
}

/// What the rounds of a loop are counted by. Loops with equal indices have equally many rounds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Index {
    /// The members of a family.
    Members(FamilyId),
    /// The members of a sort that names no processes.
    Sort(SortId),
    /// A collection that depends on nothing; without places in the text.
    Closed(Box<Expr>),
}

/// One message for each round of a loop.
#[derive(Clone, Debug)]
pub(crate) struct PerRound {
    pub(crate) index: Index,
    pub(crate) values: Vec<Symbol>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct SymbolicState<'a> {
    pub(crate) positions: BTreeMap<Actor, Position<'a>>,
    pub(crate) values: BTreeMap<(Actor, Var), Symbol>,
    /// Oldest first; no empty queues.
    pub(crate) queues: BTreeMap<Channel, Vec<Message>>,
    /// No empty ones.
    pub(crate) per_round: BTreeMap<Channel, Vec<PerRound>>,
    /// Messages taken from those, in the round at hand.
    pub(crate) used: Vec<Channel>,
    /// Queues with a message that nobody waited for.
    pub(crate) stale: BTreeSet<Channel>,
    /// What is known to differ.
    pub(crate) differ: Vec<(Symbol, Symbol)>,
    /// Numbers that are known not to be positive.
    pub(crate) bounds: Vec<Sum>,
    /// Parameters that are known, by their number.
    pub(crate) parameters: BTreeMap<u32, Symbol>,
    /// Who is committed to a member in the round at hand.
    pub(crate) engaged: BTreeMap<Actor, BTreeSet<Actor>>,
    /// Who has received from any member of which family in the round at hand.
    pub(crate) taken: BTreeSet<(Actor, FamilyId)>,
    /// The queues that this was from, of every kind that the receive would have taken.
    pub(crate) consumed: BTreeSet<Channel>,
    /// From whom everybody has received.
    pub(crate) heard: BTreeMap<Actor, Vec<Actor>>,
    /// From whom a daemon has received in its round.
    pub(crate) heard_in_round: BTreeMap<Actor, BTreeSet<Actor>>,
    /// Whom a daemon serves, and how much that one had heard when it asked.
    pub(crate) serving: BTreeMap<Actor, (Actor, usize)>,
    /// What everybody knows to have happened.
    pub(crate) knows: BTreeMap<Actor, BTreeSet<u32>>,
    /// The rounds that daemons are in.
    pub(crate) rounds: BTreeMap<Actor, Round>,
    /// Who began a conversation, and how much it had heard.
    pub(crate) clients: BTreeMap<u32, (Actor, usize)>,
    /// Receives that hold as long as others are not told.
    pub(crate) pins: Vec<Pin>,
    /// Families of which members were looked at that a round chose, or that came.
    pub(crate) strangers: BTreeSet<FamilyId>,
    /// Families that act as daemons.
    pub(crate) reactive: BTreeSet<FamilyId>,
    /// Families of which whoever comes first may still be served in the round at hand.
    pub(crate) may_come: BTreeSet<FamilyId>,
}

/// Numbers for unknowns and sendings.
#[derive(Debug, Default)]
pub(crate) struct Numbers(u32);

impl Numbers {
    /// A number that is greater than all before.
    pub(crate) fn next(&mut self) -> u32 {
        self.0 += 1;
        self.0
    }

    /// The greatest so far.
    pub(crate) fn last(&self) -> u32 {
        self.0
    }

    /// Anything.
    pub(crate) fn fresh(&mut self, owner: Actor) -> Symbol {
        self.one_of(owner, None)
    }

    /// Anything, or one of a list.
    pub(crate) fn one_of(&mut self, owner: Actor, among: Option<Vec<Symbol>>) -> Symbol {
        Symbol::Unknown(Unknown {
            number: self.next(),
            owner: Some(owner),
            among: among.map(Into::into),
        })
    }
}

impl<'a> SymbolicState<'a> {
    /// The members of a family that are looked at by themselves.
    pub(crate) fn members(&self, family: FamilyId) -> Vec<Actor> {
        let actors = self.positions.keys().copied();
        actors
            .filter(|actor| actor.family == family && actor.member.is_some())
            .collect()
    }

    /// How much an actor has heard.
    pub(crate) fn heard_by(&self, actor: Actor) -> usize {
        self.heard.get(&actor).map_or(0, Vec::len)
    }

    /// Which messages wait in a queue.
    pub(crate) fn waiting(&self, channel: &Channel) -> &[Message] {
        self.queues.get(channel).map_or(&[], Vec::as_slice)
    }

    /// Takes the oldest message of a queue.
    pub(crate) fn pop(&mut self, channel: &Channel) -> Option<Message> {
        let queue = self.queues.get_mut(channel)?;
        let first = queue.remove(0);
        if queue.is_empty() {
            self.queues.remove(channel);
        }
        Some(first)
    }

    /// Forgets what these variables hold.
    pub(crate) fn forget<'v>(
        &mut self,
        numbers: &mut Numbers,
        actor: Actor,
        vars: impl IntoIterator<Item = &'v Var>,
    ) {
        for var in vars {
            let value = numbers.fresh(actor);
            self.values.insert((actor, *var), value);
        }
    }

    /// Forgets what the messages of a queue say.
    pub(crate) fn forget_messages(&mut self, numbers: &mut Numbers, channel: &Channel) {
        for message in self.queues.get_mut(channel).into_iter().flatten() {
            for value in &mut message.values {
                *value = numbers.fresh(channel.0);
            }
        }
    }

    /// A member by itself: what is known of all is known of it.
    pub(crate) fn unfold(&mut self, member: Actor) {
        let whole = member.whole();
        let position = self.positions[&whole].clone();
        self.positions.insert(member, position);
        let values = self.values.iter().filter(|((actor, _), _)| *actor == whole);
        let values: Vec<_> = values
            .map(|((_, var), value)| ((member, *var), value.replace(whole, member)))
            .collect();
        self.values.extend(values);
        let queues = self.queues.iter();
        let queues: Vec<_> = queues
            .filter(|(channel, _)| touches(channel, whole))
            .map(|(channel, queue)| {
                let mut queue = queue.clone();
                for message in &mut queue {
                    for value in &mut message.values {
                        *value = value.replace(whole, member);
                    }
                }
                (redirect(channel, whole, member), queue)
            })
            .collect();
        self.queues.extend(queues);
        let stale = self.stale.iter();
        let stale: Vec<Channel> = stale
            .filter(|channel| touches(channel, whole))
            .map(|channel| redirect(channel, whole, member))
            .collect();
        self.stale.extend(stale);
        if let Some(heard) = self.heard.get(&whole).cloned() {
            self.heard.insert(member, heard);
        }
        if let Some(knows) = self.knows.get(&whole).cloned() {
            self.knows.insert(member, knows);
        }
    }

    /// Begins a round: what is about rounds only is empty.
    pub(crate) fn begin_round(&mut self) {
        self.used.clear();
        self.consumed.clear();
        self.may_come.clear();
    }

    /// An unknown turns out to be a value.
    pub(crate) fn learn(&mut self, unknown: &Unknown, value: &Symbol) {
        if unknown.owner.is_none() {
            self.parameters.insert(unknown.number, value.clone());
        }
        self.change(&|symbol| {
            symbol.map(&mut |part| match part {
                Symbol::Unknown(one) if one == unknown => Some(value.clone()),
                _ => None,
            })
        });
    }

    /// Every value changed.
    fn change(&mut self, change: &dyn Fn(&Symbol) -> Symbol) {
        for value in self.values.values_mut() {
            *value = change(value);
        }
        for message in self.queues.values_mut().flatten() {
            for value in &mut message.values {
                *value = change(value);
            }
        }
        for value in self
            .per_round
            .values_mut()
            .flatten()
            .flat_map(|one| &mut one.values)
        {
            *value = change(value);
        }
        for value in self.parameters.values_mut() {
            *value = change(value);
        }
        for bound in &mut self.bounds {
            if let Some(sum) = Sum::of(&change(&Symbol::Sum(bound.clone()))) {
                *bound = sum;
            }
        }
        for (a, b) in &mut self.differ {
            *a = change(a);
            *b = change(b);
        }
    }
}

//! The symbolic state: where every component is, what it knows, and which messages wait.
//!
//! A queue between a whole family and a process stands for one queue per member; so a postponed send is
//! simply a message that waits, and every step is a step that some real execution takes, whatever the
//! size. Messages that the rounds of a loop leave for a third party are kept apart in *bags*: one message
//! per round.

use crate::derivation_log::{At, Story};
use crate::process_code::{Place, Rounds, Var};
use crate::value::{Chan, Comp, Differs, Key, Value};
use plainsong_ir::FamilyId;
use std::collections::{BTreeMap, BTreeSet};

/// A message that waits.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct QueuedMessage {
    pub(crate) values: Vec<Value>,
    /// How much its sender had received when it was sent.
    pub(crate) stamp: usize,
    /// Which sending it comes from.
    pub(crate) sent: u32,
    /// What its sender knew to have happened, and in whose round it was sent (`rules/causes.rs`).
    pub(crate) knows: BTreeSet<u32>,
    pub(crate) cause: Option<u32>,
}

/// A round of a daemon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Round {
    pub(crate) number: u32,
    /// The round of a daemon with a client that this one is on behalf of.
    pub(crate) cause: Option<u32>,
}

/// A receive from any member that could only be about one, as long as others do not hear of this round.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pinned {
    pub(crate) number: u32,
    pub(crate) member: Comp,
    pub(crate) by: Comp,
    /// Of whom other members would have to hear.
    pub(crate) engaged: BTreeSet<Comp>,
    /// Is the receiver the client whose conversation this is?
    pub(crate) own: bool,
}

/// One message for each round of a loop.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PerRound {
    pub(crate) index: Index,
    pub(crate) values: Vec<Value>,
    pub(crate) sent: u32,
}

/// What messages in bags are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Index {
    /// The members of a family.
    Members(FamilyId),
    /// The rounds of a loop.
    Rounds(Rounds),
}

/// The symbolic state.
#[derive(Clone, Debug, Default)]
pub(crate) struct SymbolicState {
    pub(crate) places: BTreeMap<Comp, Place>,
    pub(crate) env: BTreeMap<(Comp, Var), Value>,
    /// No empty queues.
    pub(crate) queues: BTreeMap<Chan, Vec<QueuedMessage>>,
    pub(crate) bags: BTreeMap<Chan, Vec<PerRound>>,
    /// Queues with a message that was not waited for.
    pub(crate) stale: BTreeSet<Chan>,
    /// Receives from any member of a family done in the current round of a component.
    pub(crate) taken: BTreeSet<(Comp, FamilyId)>,
    /// Who is committed to an unfolded member in the current round.
    pub(crate) engaged: BTreeMap<Comp, BTreeSet<Comp>>,
    /// From whom each component has received so far.
    pub(crate) heard: BTreeMap<Comp, Vec<Comp>>,
    /// Daemons in the middle of serving a member: which one, and the stamp of its first message.
    pub(crate) serving: BTreeMap<Comp, (Comp, usize)>,
    /// From whom a daemon has received in its round.
    pub(crate) round_heard: BTreeMap<Comp, Vec<Comp>>,
    /// Which receives and which beginnings of rounds everybody knows to have happened.
    pub(crate) knows: BTreeMap<Comp, BTreeSet<u32>>,
    /// The round that a daemon is in.
    pub(crate) rounds: BTreeMap<Comp, Round>,
    /// Who began a round of a daemon, and the stamp of that message.
    pub(crate) clients: BTreeMap<u32, (Comp, usize)>,
    /// Receives that must be known before others are told anything.
    pub(crate) pinned: Vec<Pinned>,
    pub(crate) differs: Differs,
    /// Parameters that are known, by their number.
    pub(crate) params: BTreeMap<u32, Value>,
    /// What else is known of numbers: claims that hold (`rules/entail.rs`).
    pub(crate) facts: Vec<Value>,
    /// Queues from which a member's message was taken by a receive from any member.
    pub(crate) consumed: Vec<Chan>,
    /// Bags from which a message was taken.
    pub(crate) used: Vec<Chan>,
    /// Members that may go through their loop once more.
    pub(crate) active: BTreeSet<Comp>,
    /// Who may still unfold a member of which family by receiving from it.
    pub(crate) may_unfold: BTreeSet<(Comp, FamilyId)>,
    /// Families of which a member was looked at that a round chose, or that came to it (`rules/drift.rs`).
    pub(crate) strangers: BTreeSet<FamilyId>,
    /// Families whose members loop for ever and whose rounds were checked.
    pub(crate) reactive: BTreeSet<FamilyId>,
    /// How often the exit of a loop was not decided on this path.
    pub(crate) undecided: BTreeMap<At, usize>,
    pub(crate) story: Story,
}

impl SymbolicState {
    /// The unfolded members of a family.
    pub(crate) fn members(&self, family: FamilyId) -> Vec<Comp> {
        let members = self.places.keys().copied();
        members
            .filter(|comp| comp.family == family && comp.is_member())
            .collect()
    }

    /// An unknown turns out to be a value.
    pub(crate) fn bind(&mut self, key: Key, value: &Value) {
        self.values_mut(&mut |one| *one = one.bind(key, value));
        if key.owner.is_none() {
            self.params.insert(key.number, value.clone());
        }
    }

    /// Every unknown in use.
    pub(crate) fn unknowns(&self) -> BTreeSet<Key> {
        let mut found = BTreeSet::new();
        self.env
            .values()
            .for_each(|value| value.unknowns(&mut found));
        let waiting = self.queues.values().flatten().flat_map(|one| &one.values);
        let bags = self.bags.values().flatten().flat_map(|one| &one.values);
        waiting
            .chain(bags)
            .for_each(|value| value.unknowns(&mut found));
        found
    }

    /// Appends a message.
    pub(crate) fn push(&mut self, chan: Chan, waiting: QueuedMessage) {
        self.queues.entry(chan).or_default().push(waiting);
    }

    /// Takes the oldest message of a queue.
    pub(crate) fn pop(&mut self, chan: Chan) -> Option<QueuedMessage> {
        let queue = self.queues.get_mut(&chan)?;
        let first = queue.remove(0);
        if queue.is_empty() {
            self.queues.remove(&chan);
        }
        Some(first)
    }

    /// How much a component has received.
    pub(crate) fn heard_by(&self, comp: Comp) -> usize {
        self.heard.get(&comp).map_or(0, Vec::len)
    }

    fn values_mut(&mut self, change: &mut dyn FnMut(&mut Value)) {
        self.env.values_mut().for_each(&mut *change);
        self.params.values_mut().for_each(&mut *change);
        self.facts.iter_mut().for_each(&mut *change);
        for waiting in self.queues.values_mut().flatten() {
            waiting.values.iter_mut().for_each(&mut *change);
        }
        for bag in self.bags.values_mut().flatten() {
            bag.values.iter_mut().for_each(&mut *change);
        }
    }
}

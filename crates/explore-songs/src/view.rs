//! What a property sees of the processes.
//!
//! A property about one state reads some variables of some processes. A *look* is what it sees of
//! one process: the values of these variables. Looks have numbers, so that a state, as far as the
//! property is concerned, is a row of numbers, and it is evaluated once for each row.

use crate::process_automata::{Edge, EdgeId, Roles};
use plainsong_ir::visit::{endpoints_read, reads_pending};
use plainsong_ir::{Claim, Expr, Property, VarId};
use plainsong_semantics::claim::{Verity, verity};
use plainsong_semantics::local_process::Part;
use plainsong_semantics::machine::{Config, Machine, Subject};
use plainsong_semantics::search::{Check, Coverage};
use plainsong_semantics::vacuity::Premises;
use plainsong_semantics::value::Value;
use rustc_hash::{FxHashMap, FxHashSet};

/// The most rows that are remembered; after that they are evaluated again.
const MOST_ROWS: usize = 1_000_000;

/// The number of a look.
pub(crate) type Look = u32;

/// What a property sees.
pub(crate) struct View<'a> {
    machine: &'a Machine,
    pub(crate) property: usize,
    /// The processes that it reads, ascending.
    pub(crate) lanes: Vec<usize>,
    /// The variables that it reads of each of them.
    vars: Vec<Vec<VarId>>,
    looks: FxHashMap<(usize, Vec<Value>), Look>,
    /// A state of the process for each look.
    samples: Vec<Part>,
    /// The looks after the steps of an edge.
    after: FxHashMap<EdgeId, Box<[Look]>>,
    /// The look where an edge leads.
    at: FxHashMap<EdgeId, Look>,
    /// Which numbers of edges these are.
    generation: u64,
    /// Rows in which the property holds.
    good: FxHashSet<Box<[Look]>>,
    /// Does it count messages in flight, which no row tells?
    pub(crate) counts_messages: bool,
    premises: Premises<'a>,
}

/// The claim of a property that is about states.
pub(crate) fn claim_of(property: &Property) -> &Expr {
    match &property.claim {
        Claim::Finally(claim) | Claim::Always(claim) => claim,
        Claim::Step(_) | Claim::Quiescent { .. } | Claim::Temporal(_) => {
            panic!("{} is not about states", property.name)
        }
    }
}

impl<'a> View<'a> {
    /// What a property sees.
    pub(crate) fn new(machine: &'a Machine, property: usize) -> Self {
        let instance = machine.instance();
        let claim = claim_of(&instance.song().properties[property]);
        let read = endpoints_read(claim);
        let (mut lanes, mut vars) = (Vec::new(), Vec::new());
        let members = &instance.members()[instance.lanes(Subject::System)];
        for (lane, member) in members.iter().enumerate() {
            let family = member.family;
            let own = read.iter().filter(|(read, ..)| *read == family);
            let mut own: Vec<VarId> = own.map(|(_, _, var)| *var).collect();
            own.sort_unstable();
            own.dedup();
            if !own.is_empty() {
                lanes.push(lane);
                vars.push(own);
            }
        }
        View {
            machine,
            property,
            lanes,
            vars,
            looks: FxHashMap::default(),
            samples: Vec::new(),
            after: FxHashMap::default(),
            at: FxHashMap::default(),
            generation: 0,
            good: FxHashSet::default(),
            counts_messages: reads_pending(claim),
            premises: Premises::new(machine, [Check::Property(property)]),
        }
    }

    /// What the `at`-th process that it reads looks like.
    pub(crate) fn look(&mut self, at: usize, part: &Part) -> Look {
        let values = self.vars[at].iter().map(|var| part.value(*var).clone());
        let seen = (at, values.collect());
        *self.looks.entry(seen).or_insert_with(|| {
            self.samples.push(part.clone());
            (self.samples.len() - 1) as Look
        })
    }

    /// What the `at`-th process that it reads looks like after each step of an edge.
    pub(crate) fn looks(&mut self, at: usize, id: EdgeId, edge: &Edge) -> &[Look] {
        if !self.after.contains_key(&id) {
            let states = edge.moves.iter().filter_map(|done| done.after.as_ref());
            let looks = states.map(|part| self.look(at, part)).collect();
            self.after.insert(id, looks);
        }
        &self.after[&id]
    }

    /// What the `at`-th process that it reads looks like where an edge leads: to its end, or where it
    /// waits.
    pub(crate) fn last_look(&mut self, at: usize, id: EdgeId, part: &Part) -> Look {
        if let Some(&known) = self.at.get(&id) {
            return known;
        }
        let look = self.look(at, part);
        self.at.insert(id, look);
        look
    }

    /// Forgets what it knows of edges if they have got new numbers.
    pub(crate) fn follow(&mut self, generation: u64) {
        if self.generation != generation {
            self.generation = generation;
            self.after.clear();
            self.at.clear();
        }
    }

    /// Is the property known to hold in this row?
    pub(crate) fn is_good(&self, row: &[Look]) -> bool {
        self.good.contains(row)
    }

    /// Does the property hold in this row, in executions with this start?
    pub(crate) fn holds(&mut self, roles: &Roles, start: usize, row: &[Look]) -> Verity {
        if self.good.contains(row) {
            return Verity::Holds;
        }
        let start = roles.starts[start].as_ref();
        let mut parts = start.expect("there are processes").clone();
        for (&lane, &look) in self.lanes.iter().zip(row) {
            parts[lane] = self.samples[look as usize].clone();
        }
        let state = roles.parts.state(parts.into_iter(), &[]);
        let found = self.judge(&state);
        if found == Verity::Holds {
            if self.good.len() >= MOST_ROWS {
                self.good.clear();
            }
            self.good.insert(row.into());
        }
        found
    }

    /// Does the property hold in a state, as far as it sees it?
    pub(crate) fn judge(&mut self, state: &Config) -> Verity {
        let property = &self.machine.instance().song().properties[self.property];
        if self.has_open_premises() {
            let at_the_end = matches!(property.claim, Claim::Finally(_));
            self.premises.look(state, at_the_end);
        }
        verity(self.machine, property, claim_of(property), state)
    }

    /// Has some premise of the property not been true yet?
    pub(crate) fn has_open_premises(&self) -> bool {
        self.premises.are_open(true) || self.premises.are_open(false)
    }

    /// Enters which premises were true.
    pub(crate) fn enter_premises(&self, coverage: &mut Coverage) {
        self.premises.enter(coverage);
    }
}

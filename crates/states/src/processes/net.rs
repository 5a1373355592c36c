//! Capsules: a process with its inbox is one number, and what can happen in it is worked out once.
//!
//! *Statement.* The steps of a state are those of its capsules: a process reads its own variables and the message it takes,
//! and what it changes is its own local state, its inbox, and the inboxes of those to whom it sends. So what can
//! happen in a capsule is a list (capsule after, batches to others), the same in every state that contains
//! the capsule, and what a batch does to a capsule is a function of both. The interpreter works out what a process does
//! in a local state with one message; the list of a capsule is put together from that by the order of delivery.
//!
//! *Source.* Process components as numbers: collapse compression [Holzmann97]; short vectors of what a step reads and
//! writes: [LTSmin15]. DIFFERS: the component includes the channel, so a step needs no dependency matrix.

use super::journal::{Asked, Journal};
use super::lane::{
    Alone, DISCARDS, Expansion, FAILS, Failing, Lane, Outcome, RUNS, Reaction, STUTTERS, Signs,
    Taken, WAITS, Way, Ways,
};
use super::names::Names;
use super::order::Order;
use super::tables::{FREE, Memo, Rows, Values, number};
use plainsong_ir::{FamilyId, FaultKind};
use plainsong_semantics::capsules::{self, Local, Marks, Parts, Processes};
use plainsong_semantics::machine::Config;
use plainsong_semantics::trace::Failure;

/// All processes, and the inbox of `init` with what has gone wrong.
pub(super) struct Net<'m> {
    pub(super) processes: Processes<'m>,
    /// One for each process; the last is that of `init`, whose local state is how often each fault has happened.
    pub(super) lanes: Vec<Lane>,
    pub(super) spent: Values<Vec<u32>>,
    /// Receiver and batch, again and again.
    pub(super) sends: Rows,
    faults: Vec<(FaultKind, Option<u32>)>,
    families: Vec<FamilyId>,
    pub(super) spending: Memo,
    /// The names that do not matter, if states are kept up to names.
    pub(super) names: Option<Box<Names<'m>>>,
    /// What took part.
    pub(super) marks: Marks,
    /// Are messages dropped that cannot matter any more?
    pub(super) drops: bool,
    /// Was a message dropped that can matter after all?
    pub(super) is_wrong: bool,
    /// What the interpreter was asked.
    pub(super) journal: Journal,
    /// What is known of the order of steps, if anybody wants that.
    pub(super) order: Order,
}

impl<'m> Net<'m> {
    /// Nothing is known yet.
    pub(super) fn new(processes: Processes<'m>, drops: bool) -> Self {
        let faults = processes.faults().iter();
        let members = processes.machine().instance().members();
        let count = processes.count();
        Net {
            processes,
            lanes: (0..=count).map(|_| Lane::default()).collect(),
            spent: Values::default(),
            sends: Rows::default(),
            faults: faults.map(|fault| (fault.kind, fault.most)).collect(),
            families: members[..count].iter().map(|one| one.family).collect(),
            spending: Memo::default(),
            names: None,
            marks: Marks::default(),
            drops,
            is_wrong: false,
            journal: Journal::default(),
            order: Order::default(),
        }
    }

    /// The row of a state.
    pub(super) fn encode(&mut self, config: &Config) -> Vec<u32> {
        let Parts {
            locals,
            inboxes,
            spent,
        } = self.processes.split(config);
        let mut row = Vec::new();
        for (slot, inbox) in inboxes.into_iter().enumerate() {
            let local = match locals.get(slot) {
                Some(local) => number(&mut self.lanes[slot].locals, local.clone()),
                None => number(&mut self.spent, spent.clone()),
            };
            let lane = &mut self.lanes[slot];
            let inbox = inbox.into_iter().map(|one| lane.message(one)).collect();
            row.push(self.capsule(slot, local, inbox));
        }
        row
    }

    /// The row that stands for a state.
    pub(super) fn encode_up_to_names(&mut self, config: &Config) -> Vec<u32> {
        let mut row = self.encode(config);
        self.represent(&mut row);
        row
    }

    /// The state of a row.
    pub(super) fn decode(&self, row: &[u32]) -> Config {
        let count = self.lanes.len() - 1;
        let mut parts = Parts {
            locals: Vec::new(),
            inboxes: Vec::new(),
            spent: Vec::new(),
        };
        for (slot, lane) in self.lanes.iter().enumerate() {
            let (local, inbox) = lane.capsules.get(row[slot]);
            match slot < count {
                true => parts.locals.push(self.local(slot, local).clone()),
                false => parts.spent.clone_from(&self.spent[local as usize]),
            }
            let inbox = lane.inboxes.get(inbox).iter();
            let message = |one: &u32| lane.messages[*one as usize].clone();
            parts.inboxes.push(inbox.map(message).collect());
        }
        self.processes.join(&parts)
    }

    /// A local state.
    pub(super) fn local(&self, slot: usize, local: u32) -> &Local {
        &self.lanes[slot].locals[local as usize]
    }

    /// What can happen in a capsule.
    #[inline]
    pub(super) fn expansion(&mut self, slot: usize, capsule: u32) -> Expansion {
        match self.lanes[slot].expansion(capsule) {
            Some(known) => known,
            None => self.expand(slot, capsule),
        }
    }

    /// The capsule after a batch arrived.
    #[inline]
    pub(super) fn deliver(&mut self, slot: usize, capsule: u32, batch: u32) -> u32 {
        match self.lanes[slot].deliveries.get(capsule, batch) {
            Some(known) => known,
            None => self.delivered(slot, capsule, batch),
        }
    }

    #[cold]
    fn delivered(&mut self, slot: usize, capsule: u32, batch: u32) -> u32 {
        let lane = &self.lanes[slot];
        let (local, inbox) = lane.capsules.get(capsule);
        let row = [lane.inboxes.get(inbox), lane.batches.get(batch)].concat();
        let after = self.capsule(slot, local, row);
        self.lanes[slot].deliveries.put(capsule, batch, after);
        after
    }

    /// The same as to [`spend`](Net::spend), if it is known.
    #[inline]
    pub(super) fn known_spending(&self, capsule: u32, fault: u32) -> Option<Option<u32>> {
        if self.faults[fault as usize].1.is_none() {
            return Some(Some(capsule));
        }
        let known = self.spending.get(capsule, fault)?;
        Some((known != FREE).then_some(known))
    }

    /// The last capsule after a fault happened once more; none when it may not.
    #[inline]
    pub(super) fn spend(&mut self, capsule: u32, fault: u32) -> Option<u32> {
        let Some(most) = self.faults[fault as usize].1 else {
            return Some(capsule);
        };
        if let Some(known) = self.spending.get(capsule, fault) {
            return (known != FREE).then_some(known);
        }
        let slot = self.lanes.len() - 1;
        let (local, inbox) = self.lanes[slot].capsules.get(capsule);
        let mut spent = self.spent[local as usize].clone();
        let at = fault as usize;
        let mut after = FREE;
        if spent.get(at).copied().unwrap_or(0) < most {
            spent.resize(spent.len().max(at + 1), 0);
            spent[at] += 1;
            let local = number(&mut self.spent, spent);
            let inbox = self.lanes[slot].inboxes.get(inbox).to_vec();
            after = self.capsule(slot, local, inbox);
        }
        self.spending.put(capsule, fault, after);
        (after != FREE).then_some(after)
    }

    /// The number of a local state with messages in the order of sending.
    pub(super) fn capsule(&mut self, slot: usize, local: u32, mut row: Vec<u32>) -> u32 {
        self.lanes[slot].normalise(&mut row);
        if self.drops && slot + 1 < self.lanes.len() {
            row.retain(|message| !self.is_dropped(slot, local, *message));
        }
        let lane = &mut self.lanes[slot];
        let inbox = lane.inboxes.number(&row);
        lane.capsules.number(local, inbox)
    }

    #[cold]
    fn expand(&mut self, slot: usize, capsule: u32) -> Expansion {
        let (local, inbox) = self.lanes[slot].capsules.get(capsule);
        let mut found = Found {
            slot,
            local,
            capsule,
            row: self.lanes[slot].inboxes.get(inbox).to_vec(),
            ..Found::default()
        };
        if slot + 1 < self.lanes.len() {
            self.by_itself(&mut found);
        }
        for number in 0..self.faults.len() {
            self.fault(number, &mut found);
        }
        if !found.fails.is_empty() {
            found.signs |= FAILS;
            self.lanes[slot].fails.insert(capsule, found.fails);
        }
        self.lanes[slot].expand(capsule, &found.outcomes, (found.steps, found.signs))
    }

    /// What a process does that has not gone wrong: with a message, or without.
    fn by_itself(&mut self, found: &mut Found) {
        let alone = self.alone(found.slot, found.local).clone();
        if alone.waits {
            found.signs |= WAITS;
        }
        if let Some(failure) = alone.broken {
            found.fail(failure);
        } else if alone.takes {
            self.take_each(found);
        }
        self.go(found, &alone.ways, None);
    }

    /// Takes each message that may be taken: accepted, and with no accepted one before it that has precedence.
    fn take_each(&mut self, found: &mut Found) {
        let mut accepted: Vec<u32> = Vec::new();
        for at in 0..found.row.len() {
            let message = found.row[at];
            let lane = &self.lanes[found.slot];
            let one = |number: u32| &lane.messages[number as usize];
            if !lane.is_unordered(message)
                && accepted
                    .iter()
                    .any(|first| one(*first).precedes(one(message)))
            {
                continue;
            }
            let is_again = lane.is_unordered(message) && at > 0 && found.row[at - 1] == message;
            let reaction = self.reaction(found.slot, found.local, message, true);
            match self.lanes[found.slot].taken[reaction].taken.clone() {
                Taken::Refused => continue,
                Taken::Fails(failure) => found.fail(failure),
                Taken::Ways(ways) if is_again => found.steps += ways.all,
                Taken::Ways(ways) => self.go(found, &ways, Some(at)),
            }
            if !self.lanes[found.slot].is_unordered(message) {
                accepted.push(message);
            }
        }
    }

    /// Goes along ways, without the message at a position.
    fn go(&mut self, found: &mut Found, ways: &Ways, without: Option<usize>) {
        found.steps += ways.all;
        if ways.discarded > 0 {
            found.signs |= DISCARDS;
        }
        for failure in &ways.fails {
            found.signs |= RUNS;
            found.fails.push(Failing {
                fault: 0,
                failure: failure.clone(),
            });
        }
        for way in &ways.next {
            found.signs |= RUNS;
            let mut row = found.row.clone();
            if let Some(at) = without {
                row.remove(at);
            }
            row.extend_from_slice(self.lanes[found.slot].batches.get(way.own));
            if self.observes_order() {
                let step = (found.local, way.local);
                found.signs |= self.note_order(found.slot, step, (way.own, way.sends));
            }
            let after = self.stepped(found, way.local, row);
            found.outcome(after, way.sends, 0);
        }
    }

    /// The capsule after a local step.
    fn stepped(&mut self, found: &Found, local: u32, row: Vec<u32>) -> u32 {
        if self.drops {
            self.note_local_step(found.slot, found.local, local);
        }
        self.capsule(found.slot, local, row)
    }

    /// A fault leads to another local state.
    fn goes_wrong(&mut self, found: &mut Found, local: u32, fault: u32) {
        if self.observes_order() {
            found.signs |= self.note_order(found.slot, (found.local, local), (0, 0));
        }
        let after = self.stepped(found, local, found.row.clone());
        found.outcome(after, 0, fault);
    }

    /// What goes wrong with a capsule.
    fn fault(&mut self, number: usize, found: &mut Found) {
        let kind = self.faults[number].0;
        let fault = number as u32 + 1;
        let is_of = |family| self.families.get(found.slot) == Some(&family);
        match kind {
            FaultKind::Crash(family) if is_of(family) => {
                let local = self.local(found.slot, found.local);
                let down = self.processes.crash(found.slot, local);
                self.journal.note(Asked::Crash, found.slot, found.local, 0);
                if let Some(down) = down {
                    let local = self.number_local(found.slot, down);
                    self.goes_wrong(found, local, fault);
                }
            }
            FaultKind::Restart(family) if is_of(family) => {
                let local = self.lanes[found.slot].locals[found.local as usize].clone();
                let ups = self.processes.restart(found.slot, &local, &mut self.marks);
                self.journal
                    .note(Asked::Restart, found.slot, found.local, 0);
                match ups {
                    None => {}
                    Some(Err(failure)) => found.fails.push(Failing { fault, failure }),
                    Some(Ok(ups)) => {
                        // All are numbered before another question is asked, as the journal has it.
                        let number = |up| self.number_local(found.slot, up);
                        let locals: Vec<u32> = ups.into_iter().map(number).collect();
                        for local in locals {
                            self.goes_wrong(found, local, fault);
                        }
                    }
                }
            }
            FaultKind::Crash(_) | FaultKind::Restart(_) => {}
            FaultKind::Lose(kind) | FaultKind::Duplicate(kind) => {
                for at in 0..found.row.len() {
                    let message = found.row[at];
                    let lane = &self.lanes[found.slot];
                    if lane.messages[message as usize].kind() != kind {
                        continue;
                    }
                    let mut row = found.row.clone();
                    match self.faults[number].0 {
                        FaultKind::Lose(_) => drop(row.remove(at)),
                        _ => row.push(message),
                    }
                    let after = self.capsule(found.slot, found.local, row);
                    found.outcome(after, 0, fault);
                }
            }
        }
    }

    /// The family of a process.
    pub(super) fn family(&self, slot: usize) -> FamilyId {
        self.families[slot]
    }

    /// The number of a local state.
    pub(super) fn number_local(&mut self, slot: usize, local: Local) -> u32 {
        number(&mut self.lanes[slot].locals, local)
    }

    /// What a process does without a message.
    pub(super) fn alone(&mut self, slot: usize, local: u32) -> &Alone {
        let at = local as usize;
        if self.lanes[slot].alone.len() <= at {
            self.lanes[slot].alone.resize(at + 1, None);
        }
        if self.lanes[slot].alone[at].is_none() {
            let state = self.lanes[slot].locals[at].clone();
            let alone = self.processes.alone(slot, &state, &mut self.marks);
            self.journal.note(Asked::Alone, slot, local, 0);
            let ways = self.number_ways(slot, alone.ways);
            self.lanes[slot].alone[at] = Some(Alone {
                ways,
                takes: alone.takes,
                broken: alone.broken,
                waits: alone.waits,
            });
        }
        self.lanes[slot].alone[at].as_ref().expect("it is there")
    }

    /// What a process that takes messages does with one, as a position; does it really happen, or is it only asked?
    pub(super) fn reaction(
        &mut self,
        slot: usize,
        local: u32,
        message: u32,
        is_real: bool,
    ) -> usize {
        let at = match self.lanes[slot].receives.get(local, message) {
            Some(known) => known as usize,
            None => {
                let lane = &self.lanes[slot];
                let state = lane.locals[local as usize].clone();
                let taken = lane.messages[message as usize].clone();
                let mut marks = Marks::default();
                self.journal.note(Asked::Take, slot, local, message);
                let taken = match self.processes.take(slot, &state, &taken, &mut marks) {
                    capsules::Taken::Refused => Taken::Refused,
                    capsules::Taken::Fails(failure) => Taken::Fails(failure),
                    capsules::Taken::Ways(ways) => Taken::Ways(self.number_ways(slot, ways)),
                };
                let lane = &mut self.lanes[slot];
                let at = lane.taken.len();
                lane.receives.put(local, message, at as u32);
                lane.taken.push(Reaction {
                    taken,
                    marks: Some(Box::new(marks)),
                });
                at
            }
        };
        if is_real && let Some(marks) = self.lanes[slot].taken[at].marks.take() {
            self.marks.include(&marks);
        }
        at
    }

    fn number_ways(&mut self, slot: usize, ways: Vec<capsules::Way>) -> Ways {
        let mut all = Ways {
            all: ways.len() as u32,
            ..Ways::default()
        };
        for way in ways {
            match way {
                capsules::Way::Discarded => all.discarded += 1,
                capsules::Way::Fails(failure) => all.fails.push(failure),
                capsules::Way::Next(local, sent) => {
                    let local = self.number_local(slot, local);
                    let mut rows = vec![Vec::new(); self.lanes.len()];
                    for (to, message) in sent {
                        let to = to.unwrap_or(self.lanes.len() - 1);
                        rows[to].push(self.lanes[to].message(message));
                    }
                    let (mut own, mut sends) = (0, Vec::new());
                    for (to, mut row) in rows.into_iter().enumerate() {
                        let lane = &mut self.lanes[to];
                        lane.normalise(&mut row);
                        let batch = lane.batches.number(&row);
                        match to == slot {
                            true => own = batch,
                            false if batch == 0 => {}
                            false => sends.extend([to as u32, batch]),
                        }
                    }
                    let sends = self.sends.number(&sends);
                    let way = Way { local, own, sends };
                    if !all.next.contains(&way) {
                        all.next.push(way);
                    }
                }
            }
        }
        all
    }

    /// Forgets everything that depends on which messages are kept.
    pub(super) fn forget_capsules(&mut self) {
        self.lanes.iter_mut().for_each(Lane::forget_capsules);
        self.spending = Memo::default();
        if let Some(names) = &mut self.names {
            names.forget_capsules();
        }
        self.order.begin_again();
        self.is_wrong = false;
    }

    /// How many bytes it takes.
    pub(super) fn bytes(&self) -> u64 {
        let names = self.names.as_ref().map_or(0, |names| names.bytes());
        let lanes = self.lanes.iter().map(Lane::bytes).sum::<u64>();
        lanes + names + self.sends.bytes() + self.spending.bytes() + self.journal.bytes()
    }
}

/// What is found out about a capsule.
#[derive(Default)]
struct Found {
    slot: usize,
    local: u32,
    capsule: u32,
    row: Vec<u32>,
    outcomes: Vec<Outcome>,
    fails: Vec<Failing>,
    steps: u32,
    signs: Signs,
}

impl Found {
    /// A step that is no fault fails.
    fn fail(&mut self, failure: Failure) {
        self.steps += 1;
        self.signs |= RUNS;
        self.fails.push(Failing { fault: 0, failure });
    }

    /// Something happens. What changes nothing at all is no more than noted.
    fn outcome(&mut self, after: u32, sends: u32, fault: u32) {
        let is_same =
            |one: &&mut Outcome| (one.after, one.sends, one.fault) == (after, sends, fault);
        match self.outcomes.iter_mut().find(is_same) {
            Some(known) => known.times += 1,
            None if after == self.capsule && sends == 0 && fault == 0 => self.signs |= STUTTERS,
            None => self.outcomes.push(Outcome {
                after,
                sends,
                fault,
                times: 1,
            }),
        }
    }
}

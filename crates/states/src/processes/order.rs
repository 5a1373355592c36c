//! Partial-order reduction: where the steps of some processes do not depend on what others do, only those are taken.
//!
//! *Statement.* In a state, take all steps of the processes of a set P, and of no other, if
//!
//! 1. no process outside of P can ever send, while P waits, what makes a difference to P now: a message that one of P may take where
//!    it stands and that is not behind an accepted one of the same queue, one that can be lost or duplicated, or one to a mailbox
//!    to which P is about to send;
//! 2. one of P has a step that is no fault, no step of P fails or is discarded, and none changes a variable that a claim reads;
//! 3. one of the states that such a step, no fault, leads to is looked at later than this one.
//!
//! *How 1 is known.* What a process may send from some place of its text on is not analysed but observed: the places that
//! followed each place so far, and what was sent there. When more is observed than a choice relied on, the search begins
//! again with all of it, as with dead messages (`dead`).
//!
//! *Why sound.* P is a persistent set: messages are added at the end of what is in flight, which never disables a step and commutes with
//! all that 1 leaves. By 3, who follows such choices comes to a state in which everything is taken, so no step waits for ever [Bosnacki09].
//! By induction over the length of an execution, each of its local steps is taken somewhere, also those that 1 is about: so
//! what was observed is all there is. Faults with a common limit do not commute; but whoever moves one to the front of an execution spends no more than
//! the execution does, and what is put in front of one is no fault. Final states are the same (2: a step that others cannot disable is in P), and so are failures,
//! which are local steps; claims read the same along some execution that the search follows, because what P does first is
//! invisible [Peled94].
//!
//! *Source.* Persistent and stubborn sets [Godefroid96, Valmari90]; visibility and the proviso for breadth-first search
//! [Peled94, Bosnacki09]. DIFFERS: whole processes are chosen, and dependence is observed.
//!
//! NOT COVERED: states up to names, claims about steps or about messages in flight, constraints, duplicates of ordered messages.

use super::lane::{DISCARDS, FAILS, RUNS, Signs};
use super::net::Net;
use super::tables::{FREE, Values, number};
use crate::snapshot::{Pen, Reader, damaged};
use plainsong_ir::visit::{any_expr, endpoints_read, reads_crashed};
use plainsong_ir::{Claim, Delivery, Expr, ExprKind, FamilyId, FaultKind, MessageId, VarId};
use plainsong_semantics::capsules::Processes;
use plainsong_semantics::search::Check;
use plainsong_semantics::vacuity::Premise;
use std::collections::BTreeSet;
use std::io;

/// A step changes what a claim reads.
pub(super) const SHOWS: Signs = 32;
/// A step sends a message to a mailbox of its own.
pub(super) const MAILS_ITSELF: Signs = 64;

/// Sets of processes, and of kinds of messages, are words.
const MOST: usize = 64;
/// After so many states it is judged whether it is worth its price.
const TRIAL: u64 = 1 << 16;

/// What was observed, and what was relied on.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// Is it made use of?
    pub(super) is_on: bool,
    /// Was it, and given up?
    pub(super) is_given_up: bool,
    lanes: Vec<Seen>,
    /// For each process, the kinds of messages to it with a queue of each sender, and with one queue for all.
    queues: Vec<(u64, u64)>,
    /// The kinds that can be lost or duplicated.
    unsafe_kinds: u64,
    /// The variables that claims read, and do they ask who has crashed?
    shown: BTreeSet<(FamilyId, VarId)>,
    shows_crashes: bool,
    needs: Values<Vec<u64>>,
    /// States in which it was tried, their steps, and those that were taken.
    tried: u64,
    steps: (u64, u64),
}

/// What was observed of a process. A place is one of its text, and whether the process is down.
#[derive(Debug, Default)]
struct Seen {
    places: Values<(usize, bool)>,
    of_local: Vec<u32>,
    /// What followed each place.
    after: Vec<BTreeSet<u32>>,
    /// The kinds that were sent from it, to each process.
    sends: Vec<Vec<u64>>,
    /// The same from it on.
    from_there_on: Vec<Option<Vec<u64>>>,
    /// Was that relied on?
    is_relied_on: Vec<bool>,
    /// For each local state, the kinds it may take from each process.
    takes: Vec<Option<Vec<u64>>>,
    /// For each capsule, what it depends on.
    needs: Vec<u32>,
}

/// Why a query is answered without.
pub(super) fn obstacle(
    processes: Processes<'_>,
    checks: &[Check],
    premises: &[Premise],
) -> Option<&'static str> {
    let machine = processes.machine();
    let song = machine.instance().song();
    let kinds = song.voices().map_or(0, |all| all.messages.len());
    if processes.count() > MOST || kinds > MOST {
        return Some("there are more than 64 processes or kinds of messages");
    }
    if machine.is_constrained() {
        return Some("a constraint cuts states off");
    }
    let claims = checks.iter().filter_map(|check| match check {
        Check::Property(at) => Some(&song.properties[*at].claim),
        _ => None,
    });
    if claims
        .into_iter()
        .any(|claim| matches!(claim, Claim::Step(_)))
    {
        return Some("a property is about steps");
    }
    let is_strange = |of: &Expr| matches!(of.kind, ExprKind::Own(_) | ExprKind::Global(_));
    let shown = shown(processes, checks, premises);
    if shown.iter().any(|claim| any_expr(*claim, is_strange)) {
        return Some("a property reads more than variables of processes");
    }
    let is_ordered = |kind: MessageId| {
        (0..processes.count()).any(|lane| processes.delivery(kind, lane) != Delivery::Unordered)
    };
    let duplicates = processes.faults().iter().any(|fault| match fault.kind {
        FaultKind::Duplicate(kind) => is_ordered(kind),
        _ => false,
    });
    duplicates.then_some("ordered messages can be duplicated")
}

/// What is claimed about every state.
fn shown<'a>(processes: Processes<'a>, checks: &[Check], premises: &'a [Premise]) -> Vec<&'a Expr> {
    let song = processes.machine().instance().song();
    let claims = checks.iter().filter_map(|check| match check {
        Check::Property(at) => match &song.properties[*at].claim {
            Claim::Always(claim) => Some(claim),
            _ => None,
        },
        _ => None,
    });
    let premises = premises.iter().filter(|premise| !premise.at_the_end);
    claims
        .chain(premises.map(|premise| &premise.probe))
        .collect()
}

impl Order {
    /// Nothing is observed yet.
    pub(super) fn new(processes: Processes<'_>, checks: &[Check], premises: &[Premise]) -> Self {
        let count = processes.count();
        let song = processes.machine().instance().song();
        let kinds = song.voices().map_or(0, |all| all.messages.len());
        let mut unsafe_kinds = 0;
        for fault in processes.faults() {
            if let FaultKind::Lose(kind) | FaultKind::Duplicate(kind) = fault.kind {
                unsafe_kinds |= 1 << kind.index();
            }
        }
        let of = |lane: usize, model: Delivery| {
            let all = (0..kinds)
                .filter(|kind| processes.delivery(MessageId(*kind as u32), lane) == model);
            all.fold(0, |set, kind| set | 1 << kind)
        };
        let claims = shown(processes, checks, premises);
        let vars = claims.iter().flat_map(|claim| endpoints_read(claim));
        Order {
            lanes: (0..count).map(|_| Seen::default()).collect(),
            queues: (0..count)
                .map(|lane| (of(lane, Delivery::Fifo), of(lane, Delivery::Mailbox)))
                .collect(),
            unsafe_kinds,
            shown: vars.map(|(family, _, var)| (family, var)).collect(),
            shows_crashes: claims.iter().any(|claim| reads_crashed(claim)),
            ..Order::default()
        }
    }

    /// Begins to make use of it.
    pub(super) fn begin(&mut self) {
        (self.is_on, self.tried, self.steps) = (true, 0, (0, 0));
    }

    /// Forgets what was relied on, and what depends on the numbers of capsules.
    pub(super) fn begin_again(&mut self) {
        for lane in &mut self.lanes {
            lane.is_relied_on.fill(false);
            lane.needs.clear();
        }
        self.tried = 0;
        self.steps = (0, 0);
    }

    /// Gives it up where it leaves out too little.
    pub(super) fn judge(&mut self, all: u64, taken: u64) {
        self.tried += 1;
        self.steps.0 += all;
        self.steps.1 += taken;
        if self.tried == TRIAL && self.steps.1 * 10 > self.steps.0 * 9 {
            (self.is_on, self.is_given_up) = (false, true);
        }
    }

    /// Writes what follows from no number.
    pub(super) fn write(&self, pen: &mut Pen<'_>) -> io::Result<()> {
        let flags = [self.is_on, self.is_given_up].map(u64::from);
        pen.words(2, flags)?;
        pen.words(3, [self.tried, self.steps.0, self.steps.1])?;
        for lane in &self.lanes {
            let places = lane.places.iter();
            let places = places.map(|(at, down)| (*at as u64) << 1 | u64::from(*down));
            pen.words(lane.places.len(), places)?;
            for at in 0..lane.places.len() {
                let after = lane.after[at].iter().map(|next| u64::from(*next));
                pen.words(lane.after[at].len(), after)?;
                pen.words(lane.sends[at].len(), lane.sends[at].iter().copied())?;
                pen.word(u64::from(lane.is_relied_on[at]))?;
            }
        }
        Ok(())
    }

    /// Reads it again.
    pub(super) fn read(&mut self, reader: &mut Reader<'_>) -> io::Result<()> {
        let flags: [u64; 2] = reader.all_words()?.try_into().map_err(|_| damaged())?;
        (self.is_on, self.is_given_up) = (flags[0] == 1, flags[1] == 1);
        let tried: [u64; 3] = reader.all_words()?.try_into().map_err(|_| damaged())?;
        (self.tried, self.steps) = (tried[0], (tried[1], tried[2]));
        let count = self.lanes.len();
        for lane in &mut self.lanes {
            *lane = Seen::default();
            for place in reader.all_words()? {
                lane.place((place as usize >> 1, place & 1 == 1), count);
            }
            for at in 0..lane.places.len() {
                let after = reader.all_words()?.into_iter().map(|next| next as u32);
                lane.after[at] = after.collect();
                lane.sends[at] = reader.all_words()?;
                lane.is_relied_on[at] = reader.word()? == 1;
                if lane.sends[at].len() != count {
                    return Err(damaged());
                }
            }
            let is_known = |next: &u32| (*next as usize) < lane.places.len();
            if !lane.after.iter().flatten().all(is_known) {
                return Err(damaged());
            }
        }
        Ok(())
    }
}

impl Seen {
    /// The number of a place, in a system of so many processes.
    fn place(&mut self, place: (usize, bool), count: usize) -> u32 {
        let at = number(&mut self.places, place);
        if at as usize == self.after.len() {
            self.after.push(BTreeSet::new());
            self.sends.push(vec![0; count]);
            self.from_there_on.push(None);
            self.is_relied_on.push(false);
        }
        at
    }

    /// The kinds that may be sent to each process from a place on.
    fn future(&mut self, place: u32) -> &[u64] {
        let at = place as usize;
        if self.from_there_on[at].is_none() {
            let (mut all, mut open) = (self.sends[at].clone(), vec![place]);
            let mut seen = BTreeSet::from([place]);
            while let Some(here) = open.pop() {
                for (kinds, more) in all.iter_mut().zip(&self.sends[here as usize]) {
                    *kinds |= more;
                }
                let next = self.after[here as usize].iter().copied();
                open.extend(next.filter(|next| seen.insert(*next)));
            }
            self.from_there_on[at] = Some(all);
        }
        self.from_there_on[at].as_deref().expect("it is there")
    }

    /// Adds what was observed; is it more than was relied on?
    fn observe(&mut self, from: u32, to: u32, sends: &[(usize, u64)]) -> bool {
        let at = from as usize;
        let is_known = |(to, kinds): &(usize, u64)| self.sends[at][*to] & kinds == *kinds;
        if (from == to || self.after[at].contains(&to)) && sends.iter().all(is_known) {
            return false;
        }
        let relied_on = |at: &usize| self.is_relied_on[*at];
        let relied_on: Vec<usize> = (0..self.after.len()).filter(relied_on).collect();
        let before: Vec<Vec<u64>> = relied_on
            .iter()
            .map(|at| self.future(*at as u32).to_vec())
            .collect();
        if from != to {
            self.after[at].insert(to);
        }
        for (to, kinds) in sends {
            self.sends[at][*to] |= kinds;
        }
        self.from_there_on.fill(None);
        let mut after = relied_on.iter().zip(before);
        after.any(|(at, before)| self.future(*at as u32) != before)
    }
}

impl Net<'_> {
    /// Is the order of steps observed?
    #[inline]
    pub(super) fn observes_order(&self) -> bool {
        !self.order.lanes.is_empty()
    }

    /// A process took a local step and sent what is in these batches; what has to be known of it.
    pub(super) fn note_order(
        &mut self,
        slot: usize,
        (from, to): (u32, u32),
        (own, sends): (u32, u32),
    ) -> Signs {
        let mut signs = 0;
        let kinds = |net: &Self, to: usize, batch: u32| {
            let messages = net.lanes[to].batches.get(batch).iter();
            let kind = |one: &u32| net.lanes[to].messages[*one as usize].kind().index();
            messages.fold(0, |set, one| set | 1 << kind(one))
        };
        let mut sent = vec![(slot, kinds(self, slot, own))];
        if sent[0].1 & self.order.queues[slot].1 != 0 {
            signs |= MAILS_ITSELF;
        }
        for pair in self.sends.get(sends).chunks_exact(2) {
            let to = pair[0] as usize;
            // Nobody takes what is sent to `init`.
            if to < self.order.lanes.len() {
                sent.push((to, kinds(self, to, pair[1])));
            }
        }
        let places = [from, to].map(|local| self.place(slot, local));
        if self.order.lanes[slot].observe(places[0], places[1], &sent) {
            self.is_wrong = true;
        }
        if self.shows(slot, from, to) {
            signs |= SHOWS;
        }
        signs
    }

    /// Does a local step change what a claim reads?
    fn shows(&self, slot: usize, from: u32, to: u32) -> bool {
        if from == to {
            return false;
        }
        let [from, to] = [from, to].map(|local| self.local(slot, local));
        let family = self.family(slot);
        let of = (family, VarId(0))..=(family, VarId(u32::MAX));
        self.order.shows_crashes && from.is_down() != to.is_down()
            || self
                .order
                .shown
                .range(of)
                .any(|(_, var)| from.var(*var) != to.var(*var))
    }

    fn place(&mut self, slot: usize, local: u32) -> u32 {
        let at = local as usize;
        let known = self.order.lanes[slot].of_local.get(at);
        if let Some(known) = known.filter(|known| **known != FREE) {
            return *known;
        }
        let place = self.local(slot, local).place();
        let count = self.order.lanes.len();
        let lane = &mut self.order.lanes[slot];
        if lane.of_local.len() <= at {
            lane.of_local.resize(at + 1, FREE);
        }
        lane.of_local[at] = lane.place(place, count);
        lane.of_local[at]
    }

    /// What a capsule depends on: for each process, the kinds of messages from it that make a difference; and last, the processes
    /// to whose mailboxes it may send next.
    fn needs(&mut self, slot: usize, capsule: u32) -> u32 {
        let at = capsule as usize;
        if let Some(known) = self.order.lanes[slot].needs.get(at)
            && *known != FREE
        {
            return *known;
        }
        let count = self.order.lanes.len();
        let expansion = self.expansion(slot, capsule);
        let (local, inbox) = self.lanes[slot].capsules.get(capsule);
        let (queues, mailbox) = self.order.queues[slot];
        let mut needs = self.takes(slot, local);
        for message in self.lanes[slot].inboxes.get(inbox).to_vec() {
            let one = &self.lanes[slot].messages[message as usize];
            let (model, from) = (one.model(), one.from().member());
            if model == Delivery::Unordered || !self.alone(slot, local).takes {
                continue;
            }
            let reaction = self.reaction(slot, local, message, false);
            if !self.lanes[slot].taken[reaction].taken.is_accepted() {
                continue;
            }
            // Whatever comes is behind this one.
            match (model, from) {
                (Delivery::Mailbox, _) => needs.iter_mut().for_each(|one| *one &= !mailbox),
                (_, Some(from)) => needs[from] &= !queues,
                (_, None) => {}
            }
        }
        for kinds in &mut needs {
            *kinds |= self.order.unsafe_kinds;
            if expansion.signs & MAILS_ITSELF != 0 {
                *kinds |= mailbox;
            }
        }
        let mut mails = 0;
        for at in expansion.first..expansion.first + expansion.count {
            let sends = self.lanes[slot].outcomes[at as usize].sends;
            for pair in self.sends.get(sends).chunks_exact(2) {
                let to = pair[0] as usize;
                let is_mail =
                    |one: &u32| self.lanes[to].messages[*one as usize].model() == Delivery::Mailbox;
                if to < count && self.lanes[to].batches.get(pair[1]).iter().any(is_mail) {
                    mails |= 1 << to;
                }
            }
        }
        needs.push(mails);
        let needs = number(&mut self.order.needs, needs);
        let lane = &mut self.order.lanes[slot];
        if lane.needs.len() <= at {
            lane.needs.resize(at + 1, FREE);
        }
        lane.needs[at] = needs;
        needs
    }

    /// The kinds of messages that a process may take from each in a local state.
    fn takes(&mut self, slot: usize, local: u32) -> Vec<u64> {
        let at = local as usize;
        let count = self.order.lanes.len();
        if let Some(Some(known)) = self.order.lanes[slot].takes.get(at) {
            return known.clone();
        }
        let state = self.local(slot, local);
        let kinds = self.processes.machine().instance().song().voices();
        let kinds = kinds.map_or(0, |all| all.messages.len());
        let from = |from: usize| {
            let may = |kind: &usize| {
                let kind = MessageId(*kind as u32);
                self.processes.may_take(slot, state, kind, from)
            };
            (0..kinds).filter(may).fold(0, |set, kind| set | 1 << kind)
        };
        let takes: Vec<u64> = (0..count).map(from).collect();
        let known = &mut self.order.lanes[slot].takes;
        if known.len() <= at {
            known.resize(at + 1, None);
        }
        known[at] = Some(takes.clone());
        takes
    }

    /// The processes whose steps are enough in a state, as a set, with the number of their outcomes; none if all are needed. Is the choice
    /// relied on?
    pub(super) fn enough(&mut self, row: &[u32], is_relied_on: bool) -> Option<(u64, u32)> {
        let count = self.order.lanes.len();
        let mut signs = [0; MOST];
        let mut outcomes = [0; MOST];
        let mut all = 0;
        for slot in 0..count {
            let expansion = self.expansion(slot, row[slot]);
            (signs[slot], outcomes[slot]) = (expansion.signs, expansion.count);
            all += expansion.count;
        }
        let mut best: Option<(u64, u32)> = None;
        for slot in 0..count {
            if signs[slot] & RUNS == 0 || best.is_some_and(|(set, _)| set >> slot & 1 == 1) {
                continue;
            }
            let Some(set) = self.close(slot, row, &signs) else {
                continue;
            };
            let taken = (0..count).filter(|slot| set >> slot & 1 == 1);
            let taken = taken.map(|slot| outcomes[slot]).sum();
            if taken > 0 && taken < all && best.is_none_or(|(_, least)| taken < least) {
                best = Some((set, taken));
            }
        }
        if let Some((set, _)) = best.filter(|_| is_relied_on) {
            for slot in (0..count).filter(|slot| set >> slot & 1 == 0) {
                let (local, _) = self.lanes[slot].capsules.get(row[slot]);
                let place = self.place(slot, local);
                self.order.lanes[slot].is_relied_on[place as usize] = true;
            }
        }
        best
    }

    /// The least set of processes with this one that depends on no other; none if one of them has a step that must not be alone.
    fn close(&mut self, first: usize, row: &[u32], signs: &[Signs]) -> Option<u64> {
        let count = self.order.lanes.len();
        let (mut set, mut open) = (1 << first, 1u64 << first);
        while open != 0 {
            let one = open.trailing_zeros() as usize;
            open &= open - 1;
            if signs[one] & (FAILS | DISCARDS | SHOWS) != 0 {
                return None;
            }
            let needs = self.needs(one, row[one]);
            for other in (0..count).filter(|other| *other != one) {
                if set >> other & 1 == 1 {
                    continue;
                }
                let (local, _) = self.lanes[other].capsules.get(row[other]);
                let place = self.place(other, local);
                let needs = &self.order.needs[needs as usize];
                let mailboxes = needs[count];
                let future = self.order.lanes[other].future(place);
                let mails = |to: &usize| {
                    mailboxes >> to & 1 == 1 && future[*to] & self.order.queues[*to].1 != 0
                };
                if future[one] & needs[other] != 0 || (0..count).any(|to| mails(&to)) {
                    set |= 1 << other;
                    open |= 1 << other;
                }
            }
        }
        Some(set)
    }
}

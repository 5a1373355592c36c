//! What is claimed about states, looked at only where something changed that it reads.
//!
//! A claim is kept in parts ([`Part`]), and of each part it is known which variables of which processes it ever
//! read. The values of these in a local state are a *view*, and views have numbers; that a part is as it should be is kept
//! for the numbers of the views it reads. A step looks again only at parts with a view that it changes.
//!
//! Claims about steps are looked at for every step, on the views before and after it. Constraints are claims as well: a state in which
//! one is false is not searched further, so the state before a step never has one that is.
//!
//! *Why sound.* Evaluation is deterministic: in a state that agrees with another on all that was read there, the same is read, with
//! the same result. What was read is always among the variables of the views: where it is not, the views get wider, and what was
//! known is forgotten.

use super::net::Net;
use super::tables::{FREE, Pairs, Values, number, pack, unpack};
use crate::snapshot::{Pen, Reader, damaged};
use plainsong_ir::Claim;
use plainsong_ir::VarId;
use plainsong_semantics::claim_parts::{Part, Reads};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::search::Check;
use plainsong_semantics::vacuity::Premise;
use plainsong_semantics::value::Value;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::io;

/// What a part is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// An `always` or a `finally`, by the number of the property.
    Property(usize),
    /// A premise, by number.
    Premise(usize),
    /// A constraint, by number: it says which states are not searched further.
    Constraint(usize),
}

/// Where a part is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    /// In every state.
    Always,
    /// In final states.
    AtTheEnd,
    /// At every step.
    Step,
}

/// All that is looked at in states.
pub(super) struct Claims<'a> {
    instance: &'a Instance,
    watched: Vec<Watched>,
    views: Vec<View>,
    /// For each process, its views with the parts that read them.
    readers: Vec<Vec<(usize, Vec<usize>)>>,
    /// Parts that count messages in flight.
    counting: Vec<usize>,
    /// Parts about steps.
    stepping: Vec<usize>,
    /// For each process, how many messages of each kind are in an inbox, as a number.
    counts: Vec<Vec<u32>>,
    counted: Values<Vec<u32>>,
}

struct Watched {
    about: About,
    when: When,
    part: Part,
    /// It is news when it comes to this.
    news: bool,
    reads: Reads,
    /// The process and the view of each that it reads.
    views: Vec<(usize, usize)>,
    /// Views with which it is no news.
    known: FxHashSet<u64>,
    /// More than two views in one number.
    folded: Pairs,
}

/// Some variables of a process, and perhaps whether it is down.
struct View {
    slot: usize,
    vars: Vec<VarId>,
    down: bool,
    of_local: Vec<u32>,
    values: Values<Vec<Value>>,
}

impl<'a> Claims<'a> {
    /// What is asked, and the premises of it.
    pub(super) fn new(instance: &'a Instance, checks: &[Check], premises: &[Premise]) -> Self {
        let song = instance.song();
        let mut watched = Vec::new();
        for check in checks {
            let Check::Property(number) = *check else {
                continue;
            };
            let property = &song.properties[number];
            let when = match property.claim {
                Claim::Finally(_) => When::AtTheEnd,
                Claim::Step(_) => When::Step,
                Claim::Always(_) | Claim::Quiescent { .. } | Claim::Temporal(_) => When::Always,
            };
            let about = About::Property(number);
            let parts = Part::of_property(instance, property).into_iter();
            watched.extend(parts.map(|part| Watched::new(about, when, part, false)));
        }
        for (at, premise) in premises.iter().enumerate() {
            let when = match premise.at_the_end {
                true => When::AtTheEnd,
                false => When::Always,
            };
            let part = Part::of_premise(premise);
            watched.push(Watched::new(About::Premise(at), when, part, true));
        }
        for (at, constraint) in song.constraints.iter().enumerate() {
            let about = About::Constraint(at);
            let parts = Part::of_property(instance, constraint).into_iter();
            watched.extend(parts.map(|part| Watched::new(about, When::Always, part, false)));
        }
        let mut claims = Claims {
            instance,
            watched,
            views: Vec::new(),
            readers: Vec::new(),
            counting: Vec::new(),
            stepping: Vec::new(),
            counts: Vec::new(),
            counted: Values::default(),
        };
        claims.index();
        claims
    }

    /// Writes what each part has read: only what changes something that it read is looked at.
    pub(super) fn write(&self, pen: &mut Pen<'_>) -> io::Result<()> {
        pen.word(self.watched.len() as u64)?;
        for Watched { reads, .. } in &self.watched {
            let vars = reads
                .vars
                .iter()
                .map(|(slot, var)| pack(*slot as u32, var.0));
            pen.words(reads.vars.len(), vars)?;
            pen.words(
                reads.crashed.len(),
                reads.crashed.iter().map(|slot| *slot as u64),
            )?;
            pen.word(u64::from(reads.pending))?;
        }
        Ok(())
    }

    /// Reads it again.
    pub(super) fn read(&mut self, reader: &mut Reader<'_>) -> io::Result<()> {
        if reader.word()? != self.watched.len() as u64 {
            return Err(damaged());
        }
        for at in 0..self.watched.len() {
            let mut reads = Reads::default();
            reader.words(|pair| {
                let (slot, var) = unpack(pair);
                reads.vars.insert((slot as usize, VarId(var)));
            })?;
            reader.words(|slot| {
                reads.crashed.insert(slot as usize);
            })?;
            reads.pending = reader.word()? == 1;
            let slots = self.instance.members().len();
            let read = reads.vars.iter().map(|(slot, _)| slot);
            if read.chain(&reads.crashed).any(|slot| *slot >= slots) {
                return Err(damaged());
            }
            self.watched[at].known.clear();
            self.watched[at].reads = reads;
            self.choose_views(at);
        }
        self.index();
        Ok(())
    }

    /// Is something asked about steps?
    #[inline]
    pub(super) fn are_about_steps(&self) -> bool {
        !self.stepping.is_empty()
    }

    /// The properties about steps.
    pub(super) fn about_steps(&self) -> BTreeSet<Check> {
        let about = self.stepping.iter().map(|at| self.watched[*at].about);
        let property = |about| match about {
            About::Property(at) => Some(Check::Property(at)),
            About::Premise(_) | About::Constraint(_) => None,
        };
        about.filter_map(property).collect()
    }

    /// Does something count messages in flight?
    pub(super) fn counts_messages(&self) -> bool {
        self.watched.iter().any(|one| one.reads.pending)
    }

    /// Leaves out what is of no interest any more.
    pub(super) fn retain(&mut self, is_open: impl Fn(About) -> bool) {
        self.watched.retain(|one| is_open(one.about));
        self.index();
    }

    /// What is news in a state, all of which is new.
    pub(super) fn first(&mut self, net: &Net<'_>, row: &[u32]) -> Vec<About> {
        let mut news = Vec::new();
        for at in 0..self.watched.len() {
            if self.watched[at].when == When::Always && self.is_news(net, (row, row), at) {
                news.push(self.watched[at].about);
            }
        }
        news
    }

    /// What is news in a final state.
    pub(super) fn last(&mut self, net: &Net<'_>, row: &[u32]) -> Vec<About> {
        let mut news = Vec::new();
        for at in 0..self.watched.len() {
            if self.watched[at].when == When::AtTheEnd && self.is_news(net, (row, row), at) {
                news.push(self.watched[at].about);
            }
        }
        news
    }

    /// What is news in a state, given that a state before it had no news.
    pub(super) fn after(&mut self, net: &Net<'_>, before: &[u32], row: &[u32]) -> Vec<About> {
        let mut news = Vec::new();
        for slot in 0..net.lanes.len() - 1 {
            if before[slot] == row[slot] || self.readers.get(slot).is_none_or(Vec::is_empty) {
                continue;
            }
            let capsules = &net.lanes[slot].capsules;
            let (old, _) = capsules.get(before[slot]);
            let (new, _) = capsules.get(row[slot]);
            if old == new {
                continue;
            }
            for at in 0..self.readers[slot].len() {
                let view = self.readers[slot][at].0;
                if self.view(net, view, old) == self.view(net, view, new) {
                    continue;
                }
                let readers = std::mem::take(&mut self.readers[slot][at].1);
                let mut has_moved = false;
                for reader in &readers {
                    let (is_news, moved) = self.look(net, (row, row), *reader);
                    has_moved |= moved;
                    if is_news {
                        news.push(self.watched[*reader].about);
                    }
                }
                self.readers[slot][at].1 = readers;
                if has_moved {
                    // Views got wider: all is looked at again, under the new ones.
                    self.index();
                    return self.first(net, row);
                }
            }
        }
        for at in 0..self.counting.len() {
            let reader = self.counting[at];
            if self.look(net, (row, row), reader).0 {
                news.push(self.watched[reader].about);
            }
        }
        news
    }

    /// What is news at a step from one state to another.
    pub(super) fn step(&mut self, net: &Net<'_>, before: &[u32], row: &[u32]) -> Vec<About> {
        let mut news = Vec::new();
        for at in 0..self.stepping.len() {
            let part = self.stepping[at];
            if self.is_news(net, (before, row), part) {
                news.push(self.watched[part].about);
            }
        }
        news
    }

    fn is_news(&mut self, net: &Net<'_>, rows: (&[u32], &[u32]), at: usize) -> bool {
        let (is_news, has_moved) = self.look(net, rows, at);
        if has_moved {
            self.index();
        }
        is_news
    }

    /// Is a part news in the second of two states, or at the step from one to the other? And did it read more than before?
    fn look(&mut self, net: &Net<'_>, rows: (&[u32], &[u32]), at: usize) -> (bool, bool) {
        let key = self.key(net, rows, at);
        if self.watched[at].known.contains(&key) {
            return (false, false);
        }
        let config = net.decode(rows.1);
        let one = &mut self.watched[at];
        let mut reads = one.reads.clone();
        let truth = match one.when {
            When::Step => {
                let before = net.decode(rows.0);
                let step = (&before, &config);
                one.part.is_true_of_step(self.instance, step, &mut reads)
            }
            When::Always | When::AtTheEnd => one.part.is_true(self.instance, &config, &mut reads),
        };
        let is_news = truth == one.news;
        let has_moved = reads != one.reads;
        if has_moved {
            one.reads = reads;
            one.known.clear();
            self.choose_views(at);
        }
        if !is_news {
            let key = self.key(net, rows, at);
            self.watched[at].known.insert(key);
        }
        (is_news, has_moved)
    }

    /// The numbers of the views of a part, as one.
    fn key(&mut self, net: &Net<'_>, (before, row): (&[u32], &[u32]), at: usize) -> u64 {
        let mut folded = std::mem::take(&mut self.watched[at].folded);
        let mut key = Key {
            folded: &mut folded,
            key: 0,
            count: 0,
        };
        if self.watched[at].when == When::Step {
            self.add_views(net, before, at, &mut key);
        }
        self.add_views(net, row, at, &mut key);
        let key = key.key;
        self.watched[at].folded = folded;
        key
    }

    /// Adds the numbers of the views of a part in one state.
    fn add_views(&mut self, net: &Net<'_>, row: &[u32], at: usize, key: &mut Key<'_>) {
        for of in 0..self.watched[at].views.len() {
            let (slot, view) = self.watched[at].views[of];
            let (local, _) = net.lanes[slot].capsules.get(row[slot]);
            key.add(self.view(net, view, local));
        }
        if self.watched[at].reads.pending {
            for (slot, capsule) in row.iter().enumerate().take(net.lanes.len()) {
                let (_, inbox) = net.lanes[slot].capsules.get(*capsule);
                key.add(self.count(net, slot, inbox));
            }
        }
    }

    /// The number of what a view shows of a local state.
    fn view(&mut self, net: &Net<'_>, view: usize, local: u32) -> u32 {
        let View {
            slot,
            vars,
            down,
            of_local,
            values,
        } = &mut self.views[view];
        let at = local as usize;
        if of_local.len() <= at {
            of_local.resize(at + 1, FREE);
        }
        if of_local[at] == FREE {
            let state = net.local(*slot, local);
            let shown = vars.iter().map(|var| state.var(*var).clone());
            let down = down.then(|| Value::Bool(state.is_down()));
            of_local[at] = number(values, shown.chain(down).collect());
        }
        of_local[at]
    }

    /// The number of how many messages of each kind are in an inbox.
    fn count(&mut self, net: &Net<'_>, slot: usize, inbox: u32) -> u32 {
        self.counts.resize(net.lanes.len(), Vec::new());
        let known = &mut self.counts[slot];
        let at = inbox as usize;
        if known.len() <= at {
            known.resize(at + 1, FREE);
        }
        if known[at] == FREE {
            let lane = &net.lanes[slot];
            let mut counts = Vec::new();
            for message in lane.inboxes.get(inbox) {
                let kind = lane.messages[*message as usize].kind().index();
                counts.resize(counts.len().max(kind + 1), 0);
                counts[kind] += 1;
            }
            known[at] = number(&mut self.counted, counts);
        }
        known[at]
    }

    /// Finds the views of what a part reads, or makes them.
    fn choose_views(&mut self, at: usize) {
        let reads = self.watched[at].reads.clone();
        let slots = reads.vars.iter().map(|(slot, _)| *slot);
        let slots: BTreeSet<usize> = slots.chain(reads.crashed.iter().copied()).collect();
        let mut chosen = Vec::new();
        for slot in slots {
            let of = reads.vars.iter().filter(|(one, _)| *one == slot);
            let vars: Vec<VarId> = of.map(|(_, var)| *var).collect();
            let down = reads.crashed.contains(&slot);
            let is_it = |view: &View| view.slot == slot && view.vars == vars && view.down == down;
            let view = self.views.iter().position(is_it).unwrap_or_else(|| {
                self.views.push(View {
                    slot,
                    vars: vars.clone(),
                    down,
                    of_local: Vec::new(),
                    values: Values::default(),
                });
                self.views.len() - 1
            });
            chosen.push((slot, view));
        }
        self.watched[at].views = chosen;
        self.watched[at].folded = Pairs::default();
    }

    /// Works out who reads what.
    fn index(&mut self) {
        let slots = self.views.iter().map(|view| view.slot + 1).max();
        let mut readers: Vec<Vec<(usize, Vec<usize>)>> = vec![Vec::new(); slots.unwrap_or(0)];
        self.counting.clear();
        self.stepping.clear();
        for (at, one) in self.watched.iter().enumerate() {
            match one.when {
                When::Always => {}
                When::AtTheEnd => continue,
                When::Step => {
                    self.stepping.push(at);
                    continue;
                }
            }
            if one.reads.pending {
                self.counting.push(at);
            }
            for (slot, view) in &one.views {
                let of = &mut readers[*slot];
                match of.iter_mut().find(|(known, _)| known == view) {
                    Some((_, parts)) => parts.push(at),
                    None => of.push((*view, vec![at])),
                }
            }
        }
        self.readers = readers;
    }
}

/// Numbers in one, as they are added.
struct Key<'a> {
    /// More than two of them.
    folded: &'a mut Pairs,
    key: u64,
    count: u32,
}

impl Key<'_> {
    fn add(&mut self, number: u32) {
        let (first, second) = unpack(self.key);
        self.key = match self.count {
            0 => u64::from(number),
            1 => pack(second, number),
            _ => pack(self.folded.number(first, second), number),
        };
        self.count += 1;
    }
}

impl Watched {
    fn new(about: About, when: When, part: Part, news: bool) -> Self {
        Watched {
            about,
            when,
            part,
            news,
            reads: Reads::default(),
            views: Vec::new(),
            known: FxHashSet::default(),
            folded: Pairs::default(),
        }
    }
}

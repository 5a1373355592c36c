//! What is claimed about states, looked at only where something changed that it reads.
//!
//! A claim is kept in parts ([`Part`]), and of each part it is known which variables of which processes it ever
//! read. The values of these in a local state are a *view*, and views have numbers; that a part is as it should be is kept
//! for the numbers of the views it reads. A step looks again only at parts with a view that it changes.
//!
//! *Why sound.* Evaluation is deterministic: in a state that agrees with another on all that was read there, the same is read, with
//! the same result. What was read is always among the variables of the views: where it is not, the views get wider, and what was
//! known is forgotten.

use super::net::Net;
use super::tables::{FREE, Pairs, Values, number, pack};
use plainsong_ir::Claim;
use plainsong_ir::VarId;
use plainsong_semantics::claim_parts::{Part, Reads};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::search::Check;
use plainsong_semantics::vacuity::Premise;
use plainsong_semantics::value::Value;
use rustc_hash::FxHashSet;

/// What a part is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// An `always` or a `finally`, by the number of the property.
    Property(usize),
    /// A premise, by number.
    Premise(usize),
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
    /// For each process, how many messages of each kind are in an inbox, as a number.
    counts: Vec<Vec<u32>>,
    counted: Values<Vec<u32>>,
}

struct Watched {
    about: About,
    at_the_end: bool,
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

/// Some variables of a process.
struct View {
    slot: usize,
    vars: Vec<VarId>,
    of_local: Vec<u32>,
    values: Values<Vec<Value>>,
}

impl<'a> Claims<'a> {
    /// What is asked, and the premises of it.
    pub(super) fn new(instance: &'a Instance, checks: &[Check], premises: &[Premise]) -> Self {
        let mut watched = Vec::new();
        for check in checks {
            let Check::Property(property) = *check else {
                continue;
            };
            let claim = &instance.song().properties[property].claim;
            for part in Part::of_property(instance, property) {
                let at_the_end = matches!(claim, Claim::Finally(_));
                watched.push(Watched::new(
                    About::Property(property),
                    at_the_end,
                    part,
                    false,
                ));
            }
        }
        for (at, premise) in premises.iter().enumerate() {
            let part = Part::of_premise(premise);
            watched.push(Watched::new(
                About::Premise(at),
                premise.at_the_end,
                part,
                true,
            ));
        }
        Claims {
            instance,
            watched,
            views: Vec::new(),
            readers: Vec::new(),
            counting: Vec::new(),
            counts: Vec::new(),
            counted: Values::default(),
        }
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
            if !self.watched[at].at_the_end && self.is_news(net, row, at) {
                news.push(self.watched[at].about);
            }
        }
        news
    }

    /// What is news in a final state.
    pub(super) fn last(&mut self, net: &Net<'_>, row: &[u32]) -> Vec<About> {
        let mut news = Vec::new();
        for at in 0..self.watched.len() {
            if self.watched[at].at_the_end && self.is_news(net, row, at) {
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
                    let (is_news, moved) = self.look(net, row, *reader);
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
            if self.look(net, row, reader).0 {
                news.push(self.watched[reader].about);
            }
        }
        news
    }

    fn is_news(&mut self, net: &Net<'_>, row: &[u32], at: usize) -> bool {
        let (is_news, has_moved) = self.look(net, row, at);
        if has_moved {
            self.index();
        }
        is_news
    }

    /// Is a part news in a state? And did it read more than before?
    fn look(&mut self, net: &Net<'_>, row: &[u32], at: usize) -> (bool, bool) {
        let key = self.key(net, row, at);
        if self.watched[at].known.contains(&key) {
            return (false, false);
        }
        let config = net.decode(row);
        let one = &mut self.watched[at];
        let mut reads = one.reads.clone();
        let truth = one.part.is_true(self.instance, &config, &mut reads);
        let is_news = truth == one.news;
        let has_moved = reads != one.reads;
        if has_moved {
            one.reads = reads;
            one.known.clear();
            self.choose_views(at);
        }
        if !is_news {
            let key = self.key(net, row, at);
            self.watched[at].known.insert(key);
        }
        (is_news, has_moved)
    }

    /// The numbers of the views of a part, as one.
    fn key(&mut self, net: &Net<'_>, row: &[u32], at: usize) -> u64 {
        let (mut key, mut count) = (0, 0);
        let mut add = |number: u32, folded: &mut Pairs| {
            key = match count {
                0 => u64::from(number),
                1 => pack(key as u32, number),
                _ => pack(folded.number((key >> 32) as u32, key as u32), number),
            };
            count += 1;
        };
        let mut folded = std::mem::take(&mut self.watched[at].folded);
        for of in 0..self.watched[at].views.len() {
            let (slot, view) = self.watched[at].views[of];
            let (local, _) = net.lanes[slot].capsules.get(row[slot]);
            add(self.view(net, view, local), &mut folded);
        }
        if self.watched[at].reads.pending {
            for (slot, capsule) in row.iter().enumerate().take(net.lanes.len()) {
                let (_, inbox) = net.lanes[slot].capsules.get(*capsule);
                add(self.count(net, slot, inbox), &mut folded);
            }
        }
        self.watched[at].folded = folded;
        key
    }

    /// The number of what a view shows of a local state.
    fn view(&mut self, net: &Net<'_>, view: usize, local: u32) -> u32 {
        let View {
            slot,
            vars,
            of_local,
            values,
        } = &mut self.views[view];
        let at = local as usize;
        if of_local.len() <= at {
            of_local.resize(at + 1, FREE);
        }
        if of_local[at] == FREE {
            let state = net.local(*slot, local);
            let shown = vars.iter().map(|var| state.var(*var).clone()).collect();
            of_local[at] = number(values, shown);
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
        let reads = self.watched[at].reads.vars.clone();
        let mut slots: Vec<usize> = reads.iter().map(|(slot, _)| *slot).collect();
        slots.dedup();
        let mut chosen = Vec::new();
        for slot in slots {
            let of = reads.iter().filter(|(one, _)| *one == slot);
            let vars: Vec<VarId> = of.map(|(_, var)| *var).collect();
            let is_it = |view: &View| view.slot == slot && view.vars == vars;
            let view = self.views.iter().position(is_it).unwrap_or_else(|| {
                self.views.push(View {
                    slot,
                    vars: vars.clone(),
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
        for (at, one) in self.watched.iter().enumerate() {
            if one.at_the_end {
                continue;
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

impl Watched {
    fn new(about: About, at_the_end: bool, part: Part, news: bool) -> Self {
        Watched {
            about,
            at_the_end,
            part,
            news,
            reads: Reads::default(),
            views: Vec::new(),
            known: FxHashSet::default(),
            folded: Pairs::default(),
        }
    }
}

//! Receive sets: what a receive may take (sets of messages, and messages that may be lost).
//!
//! [`candidates`](crate::candidates) has the rule for one message out of messages that are all
//! there. This is the general rule, for receives that take sets and for mailboxes with messages that
//! may be lost or duplicated.
//!
//! Statement. A message is *open* as in `candidates`; a copy only if its original has been read.
//! A receive may take a set `U` of open messages, of a size
//! that it wants, when every other open message that should come before one of `U` ([`precedes`]) can
//! be lost; it is lost then, and the budgets must allow that. A receive that waits may also wait for ever, when so many open messages
//! can be lost that not enough are left.
//!
//! Within `U` there is no order; so under `Fifo` the sets are prefixes per sender. Where one order of all sends
//! decides and `U` comes from several mailboxes, there must be an order that explains all of them at once.
//!
//! The first taking is the one that counts as untried. It spends nothing: it is to take nothing, if
//! that is possible; or to read messages that no other open one precedes; or, if only copies are open,
//! to wait for ever. It depends on keys and indices, never on insertion.

use crate::candidates::{Reader, is_global, must_wait};
use crate::event::{EventId, Kind, More, Read};
use crate::graph::Graph;
use crate::mailbox_order::{Limit, SendOrder};
use crate::program::{Budget, Fate, Model, Program, Want};

/// What a receive takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReceivableSet {
    /// The sends it reads, ordered by sender's key and age.
    pub(crate) reads: Vec<EventId>,
    /// The sends that are lost because of that.
    pub(crate) drops: Vec<EventId>,
    /// Does it wait for ever?
    pub(crate) waits: bool,
}

impl ReceivableSet {
    /// One message, nothing lost.
    pub(crate) fn one(send: EventId) -> Self {
        ReceivableSet {
            reads: vec![send],
            ..ReceivableSet::default()
        }
    }

    pub(crate) fn read(&self) -> Read {
        match self.reads.first() {
            _ if self.waits => Read::Lost,
            Some(&send) => Read::From(send),
            None => Read::None,
        }
    }

    pub(crate) fn more(&self) -> Option<Box<More>> {
        let reads = self.reads.get(1..).unwrap_or_default();
        let needed = !reads.is_empty() || !self.drops.is_empty();
        needed.then(|| {
            Box::new(More {
                reads: reads.to_vec(),
                drops: self.drops.clone(),
            })
        })
    }
}

/// Is the rule for single messages that are all there enough?
pub(crate) fn is_simple<P: Program>(graph: &Graph<P>, pattern: &P::Pattern, want: Want) -> bool {
    let sure = |&mailbox: &u32| graph.boxes[mailbox as usize].unsure == 0;
    want.is_single() && P::mailboxes(pattern).iter().all(sure)
}

/// Is there enough for a receive to read, whatever may be lost?
pub(crate) fn is_enabled<P: Program>(
    graph: &Graph<P>,
    reader: &Reader<'_, P::Pattern>,
    want: Want,
) -> bool {
    let open = open_messages(graph, reader, None);
    is_enough::<P>(graph, &open, reader.pattern, want)
}

/// Are these messages enough for what a receive wants?
pub(crate) fn is_enough<P: Program>(
    graph: &Graph<P>,
    open: &[EventId],
    pattern: &P::Pattern,
    want: Want,
) -> bool {
    let is_here = |mailbox, send: &EventId| graph.destination(*send) == mailbox;
    match want {
        Want::One => !open.is_empty(),
        Want::Maybe => true,
        Want::Set { least, .. } => open.len() >= least as usize,
        Want::Each => P::mailboxes(pattern)
            .iter()
            .all(|&mailbox| open.iter().any(|send| is_here(mailbox, send))),
    }
}

/// Everything a receive may take; with a `limit`, only that part of the graph counts, without the
/// reader.
pub(crate) fn receivable_sets<P: Program>(
    graph: &Graph<P>,
    order: &mut SendOrder,
    reader: &Reader<'_, P::Pattern>,
    want: Want,
    limit: Limit<'_>,
) -> Vec<ReceivableSet> {
    let rule = Rule::new(graph, order, reader, limit);
    let mut found = Vec::new();
    match want {
        Want::One => rule.sets(1, 1, &mut found),
        Want::Maybe => rule.sets(0, 1, &mut found),
        Want::Set { least, most } => rule.sets(least as usize, most as usize, &mut found),
        Want::Each => rule.one_of_each(P::mailboxes(reader.pattern), &mut found),
    }
    found.extend(rule.waiting_for_ever(want, P::mailboxes(reader.pattern)));
    let place = |send: &EventId| rule.open.iter().position(|open| open == send);
    found.sort_by_cached_key(|taking| {
        let places: Vec<Option<usize>> = taking.reads.iter().map(place).collect();
        (rule.cost(taking) > 0, taking.waits, places.len(), places)
    });
    found
}

/// May a receive that waits wait for ever, and what is lost then?
pub(crate) fn waiting_of<P: Program>(
    graph: &Graph<P>,
    order: &mut SendOrder,
    reader: &Reader<'_, P::Pattern>,
    want: Want,
    limit: Limit<'_>,
) -> Option<ReceivableSet> {
    let rule = Rule::new(graph, order, reader, limit);
    rule.waiting_for_ever(want, P::mailboxes(reader.pattern))
}

/// May a receive take exactly these messages, and what is lost then?
pub(crate) fn taking_of<P: Program>(
    graph: &Graph<P>,
    order: &mut SendOrder,
    reader: &Reader<'_, P::Pattern>,
    limit: Limit<'_>,
    reads: &[EventId],
) -> Option<ReceivableSet> {
    let rule = Rule::new(graph, order, reader, limit);
    let reads = rule.open.iter().filter(|send| reads.contains(send));
    rule.consider(reads.copied().collect())
}

/// The messages that a receive could read, ordered by sender's key and age.
pub(crate) fn open_messages<P: Program>(
    graph: &Graph<P>,
    reader: &Reader<'_, P::Pattern>,
    limit: Limit<'_>,
) -> Vec<EventId> {
    let mut open = Vec::new();
    let mailboxes = P::mailboxes(reader.pattern);
    for queue in mailboxes
        .iter()
        .flat_map(|&mailbox| &graph.boxes[mailbox as usize].queues)
    {
        let from = if limit.is_some() { 0 } else { queue.head };
        for &index in &queue.sends[from..] {
            let send = EventId {
                thread: queue.sender,
                index,
            };
            if limit.is_some_and(|limit| index >= limit[queue.sender as usize]) {
                break;
            }
            if !is_read(graph, reader, limit, send)
                && P::accepts(reader.pattern, graph.message(send), send.thread)
                && is_there(graph, reader.id, send)
            {
                open.push(send);
            }
        }
    }
    if mailboxes.len() > 1 {
        sort_by_key(graph, &mut open);
    }
    open
}

/// By the sender's place in the tree of spawns, then by age.
pub(crate) fn sort_by_key<P: Program>(graph: &Graph<P>, sends: &mut [EventId]) {
    sends.sort_by_key(|send| (graph.rank(send.thread), send.index));
}

/// Must `earlier` be read before `later` is, as far as happens-before tells, because it cannot be
/// lost?
pub(crate) fn requires<P: Program>(graph: &Graph<P>, later: EventId, earlier: EventId) -> bool {
    if graph.fate(earlier) != Fate::Sure
        || graph.is_copy(later)
        || graph.place(earlier) != graph.place(later)
    {
        return false;
    }
    match graph.place(later).1 {
        Model::Unordered => false,
        Model::Fifo => earlier.thread == later.thread && earlier.index < later.index,
        _ => graph.happens_before(earlier, later) && must_wait(graph, earlier, later),
    }
}

/// Has an earlier receive read the message, or lost it?
fn is_read<P: Program>(
    graph: &Graph<P>,
    reader: &Reader<'_, P::Pattern>,
    limit: Limit<'_>,
    send: EventId,
) -> bool {
    match graph.event(send).read {
        Read::By(by) => limit.is_none() || graph.received_before(by, reader.id),
        _ => false,
    }
}

/// A copy is there when its original has been read. Whether it can be afforded is another question:
/// whether a receive is inserted must not depend on what others spend.
fn is_there<P: Program>(graph: &Graph<P>, reader: EventId, send: EventId) -> bool {
    if !graph.is_copy(send) {
        return true;
    }
    let original = EventId {
        thread: send.thread,
        index: send.index - 1,
    };
    match graph.event(original).read {
        Read::By(by) => {
            graph.received_before(by, reader)
                && graph.event(by).reads().any(|read| read == original)
        }
        _ => false,
    }
}

/// Does an event count when `reader` decides what to take?
fn counts(reader: EventId, limit: Limit<'_>, id: EventId) -> bool {
    match limit {
        None => true,
        Some(_) if id.thread == reader.thread => id.index < reader.index,
        Some(limit) => id.index < limit[id.thread as usize],
    }
}

/// Must `earlier` be read, or lost, before `later` is?
fn precedes<P: Program>(
    graph: &Graph<P>,
    order: &SendOrder,
    earlier: EventId,
    later: EventId,
) -> bool {
    if earlier == later
        || graph.is_copy(earlier)
        || graph.is_copy(later)
        || graph.place(earlier) != graph.place(later)
    {
        return false;
    }
    match graph.place(later).1 {
        Model::Unordered => false,
        Model::Fifo => earlier.thread == later.thread && earlier.index < later.index,
        model if is_global(model) => {
            order.before(earlier, later) && must_wait(graph, earlier, later)
        }
        _ => graph.happens_before(earlier, later) && must_wait(graph, earlier, later),
    }
}

/// All subsets of so many messages in which nothing is missing that another one requires.
pub(crate) fn subsets(
    messages: &[EventId],
    sizes: (usize, usize),
    requires: &dyn Fn(EventId, EventId) -> bool,
) -> Vec<Vec<EventId>> {
    let mut found = Vec::new();
    let mut search = Subsets {
        messages,
        sizes,
        requires,
        found: &mut found,
    };
    search.decide(0, &mut Vec::new());
    found
}

struct Subsets<'a> {
    messages: &'a [EventId],
    sizes: (usize, usize),
    requires: &'a dyn Fn(EventId, EventId) -> bool,
    found: &'a mut Vec<Vec<EventId>>,
}

impl Subsets<'_> {
    /// Decides about the messages from the `at`-th on.
    fn decide(&mut self, at: usize, chosen: &mut Vec<EventId>) {
        let (least, most) = self.sizes;
        let Some(&next) = self.messages.get(at) else {
            if chosen.len() >= least {
                self.found.push(chosen.clone());
            }
            return;
        };
        if chosen.len() + (self.messages.len() - at) < least {
            return;
        }
        if !chosen.iter().any(|&other| (self.requires)(other, next)) {
            self.decide(at + 1, chosen);
        }
        let left_out = |other: &&EventId| !chosen.contains(other);
        let mut missing = self.messages[..at].iter().filter(left_out);
        if chosen.len() < most && !missing.any(|&other| (self.requires)(next, other)) {
            chosen.push(next);
            self.decide(at + 1, chosen);
            chosen.pop();
        }
    }
}

/// The rule for one receive in one view of the graph.
struct Rule<'a, P: Program> {
    graph: &'a Graph<P>,
    order: &'a SendOrder,
    reader: EventId,
    limit: Limit<'a>,
    open: Vec<EventId>,
}

impl<'a, P: Program> Rule<'a, P> {
    fn new(
        graph: &'a Graph<P>,
        order: &'a mut SendOrder,
        reader: &Reader<'_, P::Pattern>,
        limit: Limit<'a>,
    ) -> Self {
        let open = open_messages(graph, reader, limit);
        let is_mailbox = |&&send: &&EventId| is_global(graph.place(send).1);
        if open.iter().filter(is_mailbox).count() > 1 {
            match limit {
                None => order.ensure(graph),
                Some(limit) => {
                    // The receive itself has not read anything yet in this view.
                    let mut limit = limit.to_vec();
                    limit[reader.id.thread as usize] = reader.id.index;
                    order.rebuild(graph, Some(&limit));
                }
            }
        }
        Rule {
            graph,
            order,
            reader: reader.id,
            limit,
            open,
        }
    }

    /// All receivable_sets of so many messages.
    fn sets(&self, least: usize, most: usize, found: &mut Vec<ReceivableSet>) {
        let requires = |later, earlier| {
            !self.can_be_lost(earlier) && precedes(self.graph, self.order, earlier, later)
        };
        let sets = subsets(&self.open, (least, most), &requires);
        found.extend(sets.into_iter().filter_map(|reads| self.consider(reads)));
    }

    /// All receivable_sets of one message from each mailbox.
    fn one_of_each(&self, mailboxes: &[u32], found: &mut Vec<ReceivableSet>) {
        let mut partial: Vec<Vec<EventId>> = vec![Vec::new()];
        for &mailbox in mailboxes {
            let here = self
                .open
                .iter()
                .filter(|&&send| self.graph.destination(send) == mailbox);
            let here: Vec<EventId> = here.copied().collect();
            partial = partial
                .iter()
                .flat_map(|chosen| {
                    here.iter()
                        .map(move |&send| [&chosen[..], &[send]].concat())
                })
                .collect();
        }
        for chosen in partial {
            let ordered = self.open.iter().copied();
            let reads = ordered.filter(|send| chosen.contains(send)).collect();
            found.extend(self.consider(reads));
        }
    }

    fn can_be_lost(&self, send: EventId) -> bool {
        matches!(self.graph.fate(send), Fate::Lossy(_))
    }

    /// What is lost when exactly these are read; none if something cannot be lost.
    fn consider(&self, reads: Vec<EventId>) -> Option<ReceivableSet> {
        if self.graph.symmetry && self.breaks_up_a_family(&reads) {
            return None;
        }
        let mut drops = Vec::new();
        for &send in &self.open {
            if !reads.contains(&send)
                && reads
                    .iter()
                    .any(|&later| precedes(self.graph, self.order, send, later))
            {
                if !self.can_be_lost(send) {
                    return None;
                }
                drops.push(send);
            }
        }
        let taking = ReceivableSet {
            reads,
            drops,
            waits: false,
        };
        (self.is_affordable(&taking) && !self.goes_round(&taking)).then_some(taking)
    }

    /// Is there no order of all sends in which each message that is read comes before those that it was read
    /// instead of?
    ///
    /// Within one mailbox [`precedes`] says so. With several, `u` is before `v` also when a message that `u`
    /// was read instead of is before `v`, and there must be no way round.
    fn goes_round(&self, taking: &ReceivableSet) -> bool {
        let is_global = |send: &&EventId| is_global(self.graph.place(**send).1);
        let reads: Vec<EventId> = taking.reads.iter().filter(is_global).copied().collect();
        let mailbox = |send: &EventId| self.graph.destination(*send);
        if reads.iter().all(|send| mailbox(send) == mailbox(&reads[0])) {
            return false;
        }
        let left = |send: &&EventId| !taking.reads.contains(send) && !taking.drops.contains(send);
        let left: Vec<EventId> = self.open.iter().filter(left).copied().collect();
        let before = |u: EventId, v: EventId| {
            let instead = |m: &&EventId| must_wait(self.graph, **m, u);
            u != v && self.order.before(u, v)
                || left
                    .iter()
                    .filter(instead)
                    .any(|&m| self.order.before(m, v))
        };
        let mut waiting = reads;
        loop {
            let is_first = |&v: &EventId| !waiting.iter().any(|&u| before(u, v));
            let count = waiting.len();
            let later = waiting.iter().filter(|v| !is_first(v)).copied().collect();
            waiting = later;
            if waiting.is_empty() || waiting.len() == count {
                return !waiting.is_empty();
            }
        }
    }

    /// Is one of these the first send of a thread, and that of a thread before it that is like it left
    /// out?
    fn breaks_up_a_family(&self, reads: &[EventId]) -> bool {
        let is_left_out = |before: EventId| self.open.contains(&before) && !reads.contains(&before);
        reads.iter().any(|&send| {
            self.graph.family_sends_before(send).any(|before| {
                is_left_out(before) && self.graph.place(before) == self.graph.place(send)
            })
        })
    }

    /// A receive that waits may wait for ever when enough is lost.
    fn waiting_for_ever(&self, want: Want, mailboxes: &[u32]) -> Option<ReceivableSet> {
        let all: Vec<EventId> = self.open.clone();
        match want {
            Want::One => self.without(&all, 1),
            Want::Set { least, .. } if least > 0 => self.without(&all, least as usize),
            Want::Each => mailboxes.iter().find_map(|&mailbox| {
                let here = all
                    .iter()
                    .filter(|&&send| self.graph.destination(send) == mailbox);
                self.without(&here.copied().collect::<Vec<_>>(), 1)
            }),
            Want::Maybe | Want::Set { .. } => None,
        }
    }

    /// Fewer than `enough` of these are left: what has to be lost for that.
    fn without(&self, messages: &[EventId], enough: usize) -> Option<ReceivableSet> {
        if messages.len() < enough {
            return None;
        }
        let is_copy = |send: &&EventId| self.graph.is_copy(**send);
        let copies = messages.iter().filter(is_copy).count();
        let too_many = (messages.len() - copies + 1).saturating_sub(enough);
        let mut taking = ReceivableSet {
            waits: true,
            ..ReceivableSet::default()
        };
        for &send in messages.iter().filter(|&&send| self.can_be_lost(send)) {
            if taking.drops.len() < too_many {
                taking.drops.push(send);
                if !self.is_affordable(&taking) {
                    taking.drops.pop();
                }
            }
        }
        (taking.drops.len() == too_many).then_some(taking)
    }

    fn is_affordable(&self, taking: &ReceivableSet) -> bool {
        if self.cost(taking) == 0 {
            return true;
        }
        let budgets = self.spending(taking);
        budgets.clone().all(|budget| {
            let needed = budgets.clone().filter(|&other| other == budget).count() as u32;
            needed
                <= self
                    .graph
                    .left(budget, |id| counts(self.reader, self.limit, id))
        })
    }

    fn cost(&self, taking: &ReceivableSet) -> usize {
        self.spending(taking).count()
    }

    /// The budgets that are taken from, one for each time.
    fn spending<'s>(
        &'s self,
        taking: &'s ReceivableSet,
    ) -> impl Iterator<Item = Budget> + Clone + 's {
        let lost = taking
            .drops
            .iter()
            .filter_map(|&send| match self.graph.fate(send) {
                Fate::Lossy(budget) => Some(budget),
                _ => None,
            });
        let copies = taking
            .reads
            .iter()
            .filter_map(|&send| match self.graph.fate(send) {
                Fate::Copy(budget) => Some(budget),
                _ => None,
            });
        lost.chain(copies)
    }
}

impl<P: Program> Graph<P> {
    /// Mailbox and model of a send.
    pub(crate) fn place(&self, send: EventId) -> (u32, Model) {
        match self.event(send).kind {
            Kind::Send { to, model, .. } => (to, model),
            _ => unreachable!("only sends have a destination"),
        }
    }

    /// Where a message was sent.
    pub(crate) fn destination(&self, send: EventId) -> u32 {
        self.place(send).0
    }
}

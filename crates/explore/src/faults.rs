//! Faults in a graph: what was spent on them, and who waits for what is lost.
//!
//! Statement. A graph must not spend more than there is of a budget, and a receive that waits for
//! ever because messages are lost ([`Read::Lost`]) must not have a message to read that is not lost.
//!
//! Loss is lazy: nothing is decided when a message that may be lost is sent. It is lost when a receive
//! reads another one that should have come later, or waits for ever although it is there. A message
//! that nobody misses is not lost; so n messages that nobody reads are one execution, not 2ⁿ.
//!
//! Why the search stays complete. Not to spend is always possible, and whatever spends counts as tried
//! when a receive is turned round ([`revisit`](crate::revisit)); so what an event may spend depends only
//! on events that stay. A receive that waits for ever, and then gets a message, is turned round by it
//! ([`revisit_sets`](crate::revisit_sets)); what remains of the graph in which it goes on waiting is *doomed*, and
//! not shown at its end.

use crate::candidates::Reader;
use crate::event::{EventId, Kind, Read};
use crate::graph::Graph;
use crate::program::{Budget, Fate, Program};
use crate::receive_sets::{is_enough, open_messages};

/// The faults of one graph.
pub(crate) struct Faults {
    /// How much there is of each budget.
    budgets: Vec<u32>,
    /// Events that took from a budget.
    pub(crate) spenders: Vec<EventId>,
    /// Receives that wait for ever because messages are lost.
    pub(crate) lost: Vec<EventId>,
}

impl Faults {
    pub(crate) fn new(budgets: Vec<u32>) -> Self {
        Faults {
            budgets,
            spenders: Vec::new(),
            lost: Vec::new(),
        }
    }

    /// Is there any budget?
    #[inline]
    pub(crate) fn may_happen(&self) -> bool {
        !self.budgets.is_empty()
    }
}

impl<P: Program> Graph<P> {
    /// Is this no execution, because a receive that waits for ever has enough to read?
    pub(crate) fn is_doomed(&self) -> bool {
        self.faults
            .lost
            .iter()
            .any(|&id| match &self.event(id).kind {
                Kind::Receive { pattern, want } => {
                    let mut open = open_messages(self, &Reader { id, pattern }, None);
                    open.retain(|&send| !self.is_copy(send));
                    is_enough::<P>(self, &open, pattern, *want)
                }
                _ => unreachable!("only receives wait for messages"),
            })
    }

    /// What is left of a budget, counting only the events that `counts` accepts.
    pub(crate) fn left(&self, budget: Budget, counts: impl Fn(EventId) -> bool) -> u32 {
        let spenders = self.faults.spenders.iter().filter(|&&id| counts(id));
        let spent: u32 = spenders.map(|&id| self.spent_by(id, budget)).sum();
        self.faults.budgets[budget as usize].saturating_sub(spent)
    }

    fn spent_by(&self, id: EventId, wanted: Budget) -> u32 {
        let event = self.event(id);
        match event.kind {
            Kind::Choose { budget, .. } => u32::from(budget == Some(wanted)),
            _ => {
                let lost = event
                    .drops()
                    .filter(|&send| self.fate(send) == Fate::Lossy(wanted));
                let copies = event
                    .reads()
                    .filter(|&send| self.fate(send) == Fate::Copy(wanted));
                (lost.count() + copies.count()) as u32
            }
        }
    }

    /// What may happen to a message.
    pub(crate) fn fate(&self, send: EventId) -> Fate {
        match self.event(send).kind {
            Kind::Send { fate, .. } => fate,
            _ => unreachable!("only sends are on the way"),
        }
    }

    /// Registers what a receive spends, and that it waits for ever.
    #[inline]
    pub(crate) fn count_faults(&mut self, receive: EventId) {
        let event = self.event(receive);
        match event.read {
            _ if event.more.is_some() => self.count_some_faults(receive),
            Read::From(send) if !self.is_copy(send) => {}
            _ => self.count_some_faults(receive),
        }
    }

    fn count_some_faults(&mut self, receive: EventId) {
        let event = self.event(receive);
        let spends = event.drops().next().is_some()
            || event
                .reads()
                .any(|send| matches!(self.fate(send), Fate::Copy(_)));
        let waits = event.read == Read::Lost;
        if spends {
            self.faults.spenders.push(receive);
        }
        if waits {
            self.faults.lost.push(receive);
        }
    }

    /// Undoes [`Graph::count_faults`].
    #[inline]
    pub(crate) fn uncount_faults(&mut self, receive: EventId) {
        if !self.faults.spenders.is_empty() || !self.faults.lost.is_empty() {
            self.faults.spenders.retain(|&id| id != receive);
            self.faults.lost.retain(|&id| id != receive);
        }
    }

    /// Is it a second copy?
    pub(crate) fn is_copy(&self, send: EventId) -> bool {
        matches!(self.fate(send), Fate::Copy(_))
    }
}

//! Which executions an order of delivery allows, by definition.
//!
//! An execution is consistent when nothing depends on itself, and no receive overtakes: for a receive
//! that reads `s`, let `o` be any other message that it accepts and no earlier receive has taken, such
//! that `s` must not overtake `o`. Then `o` was not sent before `s`. For an order that goes by one
//! order of all sends, such an order has to exist: each `s` before its `o`s, and the past before the
//! future.

use super::sketch::{Deed, Place, Sketch};
use super::{BrokenLaw, Law};
use crate::order::{Earlier, Order};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// What an order has said so far.
pub(super) struct Answers<'o> {
    order: &'o dyn Order,
    earlier: Earlier,
    /// By the Debug forms and senders and tags of the two messages.
    said: RefCell<BTreeMap<(String, String), bool>>,
    changed: RefCell<Option<String>>,
}

impl<'o> Answers<'o> {
    pub(super) fn of(order: &'o dyn Order) -> Self {
        Answers {
            order,
            earlier: order.earlier(),
            said: RefCell::default(),
            changed: RefCell::default(),
        }
    }

    /// Is the execution consistent?
    pub(super) fn allow(&self, execution: &Sketch) -> bool {
        let receives = execution.places(|deed| matches!(deed, Deed::Receive { .. }));
        if receives.iter().any(|&r| execution.past(r).contains(&r)) {
            return false;
        }
        if self.order.earlier() != self.earlier {
            let text = "what it means to be sent earlier is not the same each time";
            self.changed.replace(Some(text.to_owned()));
        }
        let forced = self.forced(execution, &receives);
        match self.earlier {
            Earlier::Causally => forced
                .iter()
                .all(|&(send, other)| !execution.past(send).contains(&other)),
            Earlier::Globally => has_order(execution, forced),
        }
    }

    /// An error if some answer was not the same each time.
    pub(super) fn have_not_changed(&self) -> Result<(), BrokenLaw> {
        match self.changed.take() {
            None => Ok(()),
            Some(message) => Err(BrokenLaw::new(Law::Function, message, &Sketch::new(0))),
        }
    }

    /// Pairs of a message that is read and one that it must not overtake, and does.
    fn forced(&self, execution: &Sketch, receives: &[Place]) -> Vec<(Place, Place)> {
        let mut forced = Vec::new();
        for &receive in receives {
            if let Some(send) = execution.read(receive) {
                let open = execution.open(receive);
                let others = open.into_iter().filter(|&other| other != send);
                let kept = others.filter(|&other| self.keeps(execution, other, send));
                forced.extend(kept.map(|other| (send, other)));
            }
        }
        forced
    }

    fn keeps(&self, execution: &Sketch, earlier: Place, later: Place) -> bool {
        let (first, second) = (execution.message(earlier), execution.message(later));
        let says = self.order.keeps(first, second);
        let about = (execution.describe(earlier), execution.describe(later));
        let mut said = self.said.borrow_mut();
        let before = *said.entry(about.clone()).or_insert(says);
        if before != says {
            self.changed.replace(Some(format!(
                "first {}, then {}: asked whether the second must not overtake, it said {before} \
                 and later {says}",
                about.0, about.1
            )));
        }
        says
    }
}

/// Is there an order of all events that extends the past and these pairs? Takes away events that
/// nothing is before, until none is left.
fn has_order(execution: &Sketch, forced: Vec<(Place, Place)>) -> bool {
    let mut left = execution.places(|_| true);
    let mut before = forced;
    for &event in &left {
        before.extend(execution.past(event).into_iter().map(|past| (past, event)));
    }
    while !left.is_empty() {
        let count = left.len();
        let first: Vec<Place> = left
            .iter()
            .copied()
            .filter(|event| !before.iter().any(|edge| edge.1 == *event))
            .collect();
        left.retain(|event| !first.contains(event));
        before.retain(|edge| !first.contains(&edge.0));
        if left.len() == count {
            return false;
        }
    }
    true
}

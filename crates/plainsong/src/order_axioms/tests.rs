//! The laws hold for the usual orders, and each of them can be broken.

use super::sketch::{Deed, Place, Sketch};
use super::{BrokenLaw, Consistent, Law, Random, check_order, grow};
use crate::delivery::Delivery;
use crate::message::AnyMessage;
use crate::order::{Earlier, Order};
use std::sync::atomic::{AtomicU32, Ordering};

#[test]
fn the_usual_orders_keep_the_laws() {
    for delivery in [
        Delivery::Unordered,
        Delivery::Fifo,
        Delivery::Causal,
        Delivery::Mailbox,
    ] {
        check_order(&delivery, &[1, 2, 3])
            .unwrap_or_else(|broken| panic!("{delivery:?}: {broken}"));
    }
}

/// Smaller numbers do not overtake larger ones, and nothing else is promised.
struct Downwards(Earlier);

impl Order for Downwards {
    fn keeps(&self, earlier: &AnyMessage, later: &AnyMessage) -> bool {
        earlier.get::<i32>() > later.get::<i32>()
    }

    fn earlier(&self) -> Earlier {
        self.0
    }
}

#[test]
fn orders_of_ones_own_keep_the_laws() {
    check_order(&Downwards(Earlier::Causally), &[1, 2, 3]).unwrap();
    check_order(&Downwards(Earlier::Globally), &[1, 2, 3]).unwrap();
    let by_tag =
        |earlier: &AnyMessage, later: &AnyMessage| earlier.info().tag() == later.info().tag();
    check_order(&by_tag, &["x"]).unwrap();
}

#[test]
fn an_order_that_remembers_is_found_out() {
    static ASKED: AtomicU32 = AtomicU32::new(0);
    let tired = |_: &AnyMessage, _: &AnyMessage| ASKED.fetch_add(1, Ordering::Relaxed) < 40;
    let broken = check_order(&tired, &[1, 2]).unwrap_err();
    assert_eq!(broken.law, Law::Function);
    let text = broken.to_string();
    assert!(text.contains("it said true and later false"), "{text}");
}

struct Undecided(AtomicU32);

impl Order for Undecided {
    fn keeps(&self, _earlier: &AnyMessage, _later: &AnyMessage) -> bool {
        true
    }

    fn earlier(&self) -> Earlier {
        match self.0.fetch_add(1, Ordering::Relaxed) {
            0..50 => Earlier::Causally,
            _ => Earlier::Globally,
        }
    }
}

#[test]
fn an_order_whose_past_changes_is_found_out() {
    let broken = check_order(&Undecided(AtomicU32::new(0)), &[1, 2]).unwrap_err();
    assert_eq!(broken.law, Law::Function);
}

/// The first broken law of a model that is given by the executions it allows.
fn first_broken(consistent: Consistent<'_>) -> Option<BrokenLaw> {
    (0..500).find_map(|seed| grow(&mut Random(seed), &[1, 2, 3], consistent).err())
}

fn receives(execution: &Sketch) -> Vec<(Place, Place)> {
    let all = execution.places(|deed| matches!(deed, Deed::Receive { .. }));
    let read = |receive: Place| execution.read(receive).map(|send| (receive, send));
    all.into_iter().filter_map(read).collect()
}

fn is_acyclic(execution: &Sketch) -> bool {
    let all = execution.places(|_| true);
    all.into_iter()
        .all(|event| !execution.past(event).contains(&event))
}

#[test]
fn a_model_that_allows_everything_has_cycles() {
    let broken = first_broken(&|_| true).unwrap();
    assert_eq!(broken.law, Law::Acyclic, "{broken}");
    assert!(
        first_broken(&is_acyclic).is_none(),
        "it is what unordered allows"
    );
}

#[test]
fn a_model_with_priorities_does_not_extend() {
    // Large numbers first, wherever they are: a new send forbids what was received before.
    let value = |execution: &Sketch, send| *execution.message(send).get::<i32>().unwrap();
    let largest_first = |execution: &Sketch| {
        is_acyclic(execution)
            && receives(execution).into_iter().all(|(receive, send)| {
                let mut open = execution.open(receive).into_iter();
                open.all(|other| value(execution, other) <= value(execution, send))
            })
    };
    let broken = first_broken(&largest_first).unwrap();
    assert_eq!(broken.law, Law::Extensible, "{broken}");
    assert!(
        broken.message.contains("should always be possible"),
        "{broken}"
    );
}

#[test]
fn a_model_that_loses_messages_does_not_extend() {
    // Nobody receives anything above 2, not even when it waits for it.
    let value = |execution: &Sketch, send| *execution.message(send).get::<i32>().unwrap();
    let small_only = |execution: &Sketch| {
        is_acyclic(execution)
            && receives(execution)
                .into_iter()
                .all(|(_, send)| value(execution, send) < 3)
    };
    let broken = first_broken(&small_only).unwrap();
    assert_eq!(broken.law, Law::Extensible, "{broken}");
    assert!(broken.message.contains("may get none of them"), "{broken}");
}

#[test]
fn a_model_that_counts_all_events_is_not_closed_under_prefixes() {
    // While there are three events, what counts is that there is a send to oneself.
    let strange = |execution: &Sketch| {
        let all = execution.places(|_| true).len();
        let mut sends = execution
            .places(|deed| matches!(deed, Deed::Send { .. }))
            .into_iter();
        let to_oneself =
            |send: Place| matches!(execution.deed(send), Deed::Send { to, .. } if *to == send.0);
        is_acyclic(execution)
            && (all != 3 || receives(execution).is_empty() || sends.any(to_oneself))
    };
    let broken = (0..500)
        .filter_map(|seed| grow(&mut Random(seed), &[1, 2, 3], &strange).err())
        .find(|broken| broken.law == Law::Prefixes);
    let broken = broken.expect("three events of a longer execution may lack the send");
    assert!(broken.message.contains("but not without"), "{broken}");
}

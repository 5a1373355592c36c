//! Which model a message has, and several models in one program.

use super::{complete, executions};
use crate::build::*;
use plainsong_ir::{Delivery, MessageId, Song, Source, Stmt};

fn of_kind(message: MessageId) -> plainsong_ir::Accept {
    accept(message, None, Source::Anyone(None), None)
}

fn either(a: MessageId, b: MessageId) -> Stmt {
    select(vec![(of_kind(a), vec![]), (of_kind(b), vec![])], None)
}

/// One sender sends an `A` and a `B`; the receiver takes both, whichever comes.
fn two_kinds(a: Option<Delivery>, b: Option<Delivery>) -> Song {
    let mut band = Band::new(&["r", "s"]);
    let (a, b) = (band.message("A", a), band.message("B", b));
    band.body(0, times(2, &either(a, b)));
    band.body(
        1,
        vec![send_kind(a, int(0), pid(0)), send_kind(b, int(0), pid(0))],
    );
    band.done()
}

#[test]
fn kinds_of_the_same_model_keep_their_order_and_others_do_not() {
    for a in Delivery::ALL {
        for b in Delivery::ALL {
            let expected = if a == b && a != Delivery::Unordered {
                1
            } else {
                2
            };
            let found = executions(&two_kinds(Some(a), Some(b)), None);
            assert_eq!(found.complete.len(), expected, "{} {}", a.name(), b.name());
        }
    }
    complete(&two_kinds(None, Some(Delivery::Causal)), [2, 1, 1, 1]);
}

#[test]
fn without_a_model_bodies_are_fifo() {
    assert_eq!(executions(&two_kinds(None, None), None).complete.len(), 1);
    assert_eq!(
        executions(&two_kinds(None, Some(Delivery::Fifo)), None)
            .complete
            .len(),
        1
    );
    assert_eq!(
        executions(&two_kinds(None, Some(Delivery::Unordered)), None)
            .complete
            .len(),
        2
    );
}

#[test]
fn without_a_model_handlers_are_unordered() {
    for (declared, expected) in [(None, 2), (Some(Delivery::Fifo), 1)] {
        let mut band = Band::new(&["r", "s"]);
        let a = band.message("A", declared);
        band.handlers(0, vec![(of_kind(a), vec![])]);
        band.body(1, times(2, &send_kind(a, int(0), pid(0))));
        assert_eq!(executions(&band.done(), None).complete.len(), expected);
    }
}

/// Handlers of different messages are one receive: an older `A` goes before a younger `B`.
#[test]
fn handlers_keep_the_order_of_the_model_across_kinds() {
    let mut band = Band::new(&["r", "s"]);
    let (a, b) = (
        band.message("A", Some(Delivery::Fifo)),
        band.message("B", Some(Delivery::Fifo)),
    );
    band.handlers(0, vec![(of_kind(b), vec![]), (of_kind(a), vec![])]);
    band.body(
        1,
        vec![send_kind(a, int(0), pid(0)), send_kind(b, int(0), pid(0))],
    );
    assert_eq!(executions(&band.done(), None).complete.len(), 1);
}

/// `init` sends before everybody else, so causally before.
#[test]
fn what_init_sends_comes_first_when_causes_or_queues_count() {
    let mut band = Band::new(&["r", "s"]);
    band.init(vec![send(0, 0)]);
    band.body(0, times(2, &receive(any())));
    band.body(1, vec![send(0, 0)]);
    complete(&band.done(), [2, 2, 1, 1]);
}

/// The receive in the middle takes a message that is not older in any order but the causal one.
#[test]
fn causes_pass_through_messages_of_other_models() {
    let mut band = Band::new(&["a", "b", "c"]);
    let causal = band.message("C", Some(Delivery::Causal));
    let plain = band.message("U", Some(Delivery::Unordered));
    band.body(
        0,
        vec![
            send_kind(causal, int(0), pid(2)),
            send_kind(plain, int(0), pid(1)),
        ],
    );
    band.body(
        1,
        vec![receive(of_kind(plain)), send_kind(causal, int(0), pid(2))],
    );
    band.body(2, times(2, &receive(of_kind(causal))));
    assert_eq!(executions(&band.done(), None).complete.len(), 1);
}

/// Causal delivery looks at unread messages only: what was received in time is no obstacle.
#[test]
fn a_poll_may_skip_a_cause_for_good() {
    let mut band = Band::new(&["a", "b", "c"]);
    band.body(0, vec![send(0, 2), send(0, 1)]);
    band.body(1, vec![receive(any()), send(0, 2)]);
    band.body(2, vec![poll(from(1), vec![]), poll(any(), vec![])]);
    // The first poll accepts only b's message, so a's does not stand in its way.
    complete(&band.done(), [5, 5, 4, 4]);
}

/// The receiver begins only when everything has been sent, so the order of sending, which no log
/// shows, decides what it takes.
#[test]
fn a_mailbox_remembers_the_order_of_sending() {
    let mut band = Band::new(&["r", "gate", "a", "b"]);
    band.body(0, vec![receive(only(9)), receive(only(1)), receive(any())]);
    band.body(1, vec![receive(any()), receive(any()), send(9, 0)]);
    for sender in [2, 3] {
        band.body(sender, vec![send(1, 0), send(0, 1)]);
    }
    complete(&band.done(), [4; 4]);
}

//! Small programs with a known number of executions per delivery model.

use super::{complete, counts, executions};
use crate::build::*;
use plainsong_ir::{BinOp, Delivery, Domain, Source};

#[test]
fn a_choice_before_a_send_to_a_poll() {
    let mut band = Band::new(&["main", "h"]);
    band.body(0, vec![maybe(vec![send(0, 1)], vec![send(1, 1)])]);
    band.body(1, vec![poll(any(), vec![])]);
    complete(&band.done(), [4; 4]);
    for (values, expected) in [(5, 10), (4, 8)] {
        let mut band = Band::new(&["main", "h"]);
        let to_h = send_kind(M, name(0), pid(1));
        band.body(0, vec![choose(0, Domain::In(range(0, values)), None), to_h]);
        band.body(1, vec![poll(any(), vec![])]);
        complete(&band.done(), [expected; 4]);
    }
}

/// Two forwarders that may give up, and a receiver that polls.
fn forwarders(polls: usize) -> plainsong_ir::Song {
    let mut band = Band::new(&["main", "r", "s1", "s2"]);
    band.body(0, vec![send(0, 2), send(0, 3)]);
    band.body(1, times(polls, &poll(any(), vec![])));
    band.body(2, vec![poll(any(), vec![send(0, 1)])]);
    band.body(3, vec![poll(any(), vec![send(0, 1)])]);
    band.done()
}

#[test]
fn forwarders_that_may_give_up() {
    complete(&forwarders(2), [14; 4]);
    complete(&forwarders(1), [8; 4]);
}

#[test]
fn a_forwarder_of_two() {
    let mut band = Band::new(&["main", "s", "r"]);
    band.body(0, vec![send(0, 1)]);
    band.body(1, vec![poll(any(), times(2, &send(0, 2)))]);
    band.body(2, vec![poll(any(), vec![])]);
    complete(&band.done(), [4, 3, 3, 3]);
}

#[test]
fn an_assumption_about_a_poll_discards_the_rest() {
    let got = |then| select(vec![(any(), then)], Some(vec![assume(truth(false))]));
    let mut band = Band::new(&["main", "s", "r"]);
    band.body(0, vec![send(0, 1)]);
    band.body(1, vec![got(times(2, &send(0, 2)))]);
    band.body(2, vec![got(vec![])]);
    let song = band.done();
    for (delivery, expected) in Delivery::ALL.into_iter().zip([2, 1, 1, 1]) {
        let found = executions(&song, Some(delivery));
        let numbers = (
            found.complete.len(),
            found.blocked.len(),
            found.discarded.len(),
        );
        assert_eq!(numbers, (expected, 0, 2), "{}", delivery.name());
    }
}

#[test]
fn a_receiver_waits_for_what_may_not_be_forwarded() {
    let mut band = Band::new(&["main", "r", "s1", "s2"]);
    band.body(0, vec![send(1, 2), send(0, 3)]);
    band.body(1, vec![receive(any())]);
    band.body(
        2,
        vec![receive(named(0)), when(is(name(0), 1), vec![send(0, 1)])],
    );
    band.body(3, vec![receive(any()), send(0, 2)]);
    counts(&band.done(), [(1, 1), (1, 1), (1, 0), (1, 0)]);
}

#[test]
fn unread_answers_do_not_multiply() {
    let mut band = Band::new(&["main", "a", "b", "c"]);
    band.body(0, vec![send(0, 1), send(0, 2), send(0, 3)]);
    for i in 1..=3 {
        band.body(i, vec![receive(any()), send(0, 0)]);
    }
    complete(&band.done(), [1; 4]);
}

#[test]
fn a_late_value_is_assumed() {
    for (last, expected) in [(receive(any()), 2), (poll(any(), vec![]), 3)] {
        let mut band = Band::new(&["main", "h1", "h2", "h3", "h4"]);
        band.body(0, vec![send(0, 2), send(0, 4), send(0, 4)]);
        let right = assume(is(name(0), 42));
        let poll = select(
            vec![(named(0), vec![right])],
            Some(vec![assume(truth(false))]),
        );
        band.body(1, vec![poll]);
        band.body(2, vec![receive(any()), send(0, 3)]);
        band.body(3, vec![last]);
        band.body(
            4,
            vec![receive(any()), receive(any()), send(0, 3), send(42, 1)],
        );
        let found = executions(&band.done(), Some(Delivery::Fifo));
        assert_eq!((found.complete.len(), found.blocked.len()), (expected, 0));
    }
}

#[test]
fn selective_receives_take_messages_out_of_order() {
    for order in [[1, 2], [2, 1]] {
        let mut band = Band::new(&["s", "r"]);
        band.body(0, vec![send(1, 1), send(2, 1)]);
        band.body(1, order.map(|n| receive(only(n))).to_vec());
        complete(&band.done(), [1; 4]);
    }
    let mut band = Band::new(&["s", "r"]);
    band.body(0, vec![send(1, 1), send(2, 1)]);
    band.body(1, [1, 2].map(|n| poll(only(n), vec![])).to_vec());
    complete(&band.done(), [4; 4]);
}

#[test]
fn two_senders_of_one_number() {
    let mut band = Band::new(&["p", "r", "q"]);
    band.body(0, vec![send(2, 1), send(1, 1)]);
    band.body(1, vec![receive(only(2)), receive(only(1))]);
    band.body(2, vec![send(1, 1), send(0, 1)]);
    complete(&band.done(), [2; 4]);
}

#[test]
fn receiving_from_one_sender_among_four() {
    for (statement, expected) in [(receive(from(3)), 1), (poll(from(3), vec![]), 2)] {
        let mut band = Band::new(&["r", "a", "b", "c", "d"]);
        band.body(0, vec![statement]);
        for i in 1..=4 {
            band.body(i, vec![send(0, 0)]);
        }
        complete(&band.done(), [expected; 4]);
    }
}

#[test]
fn contradictory_orders_need_two_queues() {
    let mut band = Band::new(&["a", "b", "t3", "t4"]);
    band.body(0, vec![send(1, 3), send(1, 2)]);
    band.body(1, vec![send(2, 2), send(2, 3)]);
    band.body(2, vec![receive(named(0)), assume(is(name(0), 1))]);
    band.body(3, vec![receive(named(0)), assume(is(name(0), 2))]);
    let song = band.done();
    for (delivery, expected) in Delivery::ALL.into_iter().zip([1, 1, 1, 0]) {
        assert_eq!(executions(&song, Some(delivery)).complete.len(), expected);
    }
}

#[test]
fn a_value_that_depends_on_a_poll_elsewhere() {
    let mut band = Band::new(&["main", "t1", "t2"]);
    band.body(
        0,
        vec![send(0, 0), receive(named(0)), assume(is(name(0), 3))],
    );
    band.body(1, vec![send(1, 0), send(1, 2)]);
    band.body(
        2,
        vec![
            send(2, 0),
            poll(named(0), vec![when(is(name(0), 1), vec![send(3, 0)])]),
        ],
    );
    let song = band.done();
    for (delivery, expected) in Delivery::ALL.into_iter().zip([1, 0, 0, 0]) {
        // Sent first by the same process, 2 must go first everywhere but in an unordered network.
        assert_eq!(executions(&song, Some(delivery)).complete.len(), expected);
    }
}

#[test]
fn two_polls_and_two_senders() {
    let mut band = Band::new(&["t", "a", "b"]);
    band.body(0, times(2, &poll(any(), vec![])));
    band.body(1, vec![send(0, 0)]);
    band.body(2, vec![send(0, 0)]);
    complete(&band.done(), [7; 4]);
}

#[test]
fn a_process_polls_what_it_sent_itself() {
    let mut band = Band::new(&["p"]);
    band.body(0, vec![send(0, 0), poll(any(), vec![])]);
    complete(&band.done(), [2; 4]);
}

#[test]
fn polls_of_one_stream() {
    for n in 0..=5 {
        let mut band = Band::new(&["r", "s"]);
        band.body(0, times(n, &poll(any(), vec![])));
        band.body(1, times(2, &send(0, 0)));
        let ordered = 1 + n + n * n.saturating_sub(1) / 2;
        complete(&band.done(), [n * n + n + 1, ordered, ordered, ordered]);
    }
    for n in 0..=4 {
        let mut band = Band::new(&["r", "s"]);
        band.body(0, times(n, &poll(any(), vec![])));
        band.body(1, times(n, &send(0, 0)));
        let song = band.done();
        for delivery in [Delivery::Fifo, Delivery::Causal, Delivery::Mailbox] {
            assert_eq!(executions(&song, Some(delivery)).complete.len(), 1 << n);
        }
    }
}

#[test]
fn a_poll_cannot_take_what_it_causes() {
    let mut band = Band::new(&["p", "q"]);
    band.body(0, vec![poll(any(), vec![]), send(0, 1)]);
    band.body(1, vec![receive(any()), send(0, 0)]);
    complete(&band.done(), [1; 4]);
}

#[test]
fn a_poll_may_take_what_a_receive_needs() {
    let mut band = Band::new(&["r", "s"]);
    band.body(0, vec![poll(any(), vec![]), receive(any())]);
    band.body(1, vec![send(0, 0)]);
    counts(&band.done(), [(1, 1); 4]);
}

#[test]
fn a_choice_of_two_kinds() {
    let mut band = Band::new(&["r", "a", "b"]);
    let n = band.message("N", None);
    let other = accept(n, None, Source::Anyone(None), None);
    band.body(
        0,
        vec![select(vec![(any(), vec![]), (other, vec![])], Some(vec![]))],
    );
    band.body(1, vec![send(0, 0)]);
    band.body(2, vec![send_kind(n, int(0), pid(0))]);
    complete(&band.done(), [3; 4]);
}

#[test]
fn the_models_differ_on_three_receives_of_four() {
    let mut band = Band::new(&["main", "m", "a", "b"]);
    band.body(0, vec![send(1, 1), send(2, 1)]);
    band.body(1, times(3, &receive(any())));
    band.body(2, vec![send(3, 1), send(5, 3)]);
    band.body(3, vec![receive(only(5)), send(4, 1)]);
    complete(&band.done(), [24, 12, 6, 6]);
    let mut band = Band::new(&["main", "a"]);
    band.body(0, vec![send(1, 1), send(2, 1), send(3, 1)]);
    band.body(1, times(3, &receive(any())));
    complete(&band.done(), [6, 1, 1, 1]);
}

/// `a` sends to `t` and `u`, `b` to `u` and `t`; each receiver tells `w` what it took last.
#[test]
fn an_assertion_that_only_a_mailbox_keeps() {
    let mut band = Band::new(&["a", "b", "t", "u", "w"]);
    band.body(0, vec![send(1, 2), send(1, 3)]);
    band.body(1, vec![send(2, 3), send(2, 2)]);
    for receiver in [2, 3] {
        let tell = send_kind(M, name(0), pid(4));
        band.body(receiver, vec![receive(named(0)), receive(named(0)), tell]);
    }
    let from_t = accept(M, Some(0), Source::Process(pid(2)), None);
    let from_u = accept(M, Some(1), Source::Process(pid(3)), None);
    let not_both = binary(BinOp::Or, is(name(0), 2), is(name(1), 1));
    band.body(4, vec![receive(from_t), receive(from_u), assert(not_both)]);
    let song = band.done();
    for (delivery, expected) in Delivery::ALL
        .into_iter()
        .zip([(3, 1), (3, 1), (3, 1), (3, 0)])
    {
        let found = executions(&song, Some(delivery));
        assert_eq!(
            (found.complete.len(), found.failed.len()),
            expected,
            "{}",
            delivery.name()
        );
    }
}

//! Orders of delivery of one's own.

use crate::random::{Random, generate};
use crate::script::{every_way, play};
use plainsong::{
    AnyMessage, Delivery, Earlier, Explorer, FailureKind, Letter, Order, Verdict, check_order,
    current, receive, send, spawn,
};
use std::sync::Arc;

#[test]
fn custom_orders() {
    // Messages to the same key stay in order.
    fn same_key(earlier: &AnyMessage, later: &AnyMessage) -> bool {
        let key = |message: &AnyMessage| message.get::<(u32, u32)>().map(|pair| pair.0);
        key(earlier) == key(later)
    }
    let program = || {
        let main = current();
        spawn(move || [(1, 1), (2, 1), (1, 2), (2, 2)].map(|pair: (u32, u32)| send(main, pair)));
        let mut last = [0; 3];
        for _ in 0..4 {
            let (key, version) = receive::<(u32, u32)>();
            assert!(version > std::mem::replace(&mut last[key as usize], version));
        }
    };
    assert_eq!(every_way(Delivery::Custom(&same_key), || program), (6, 0));
    assert_eq!(
        Explorer::new()
            .delivery(Delivery::Unordered)
            .run(program)
            .verdict,
        Verdict::Refuted
    );
}

#[test]
fn the_usual_orders_are_orders_like_any_other() {
    static USUAL: [Delivery; 4] = [
        Delivery::Unordered,
        Delivery::Fifo,
        Delivery::Causal,
        Delivery::Mailbox,
    ];
    let mut random = Random(0x5eed_5eed_5eed_5eed);
    for _ in 0..100 {
        let script = Arc::new(generate(&mut random));
        for usual in &USUAL {
            let count = |delivery| {
                let script = Arc::clone(&script);
                let order: Vec<usize> = (0..script.len()).collect();
                let explorer = Explorer::new().delivery(delivery).allow_deadlock(true);
                let report = explorer.run(move || play(&script, &order));
                (report.executions, report.blocked)
            };
            assert_eq!(
                count(Delivery::Custom(usual)),
                count(*usual),
                "{usual:?} {script:#?}"
            );
        }
    }
}

/// Messages of one tag arrive in one order of all sends.
struct Lanes;

impl Order for Lanes {
    fn keeps(&self, earlier: &AnyMessage, later: &AnyMessage) -> bool {
        earlier.info().tag() == later.info().tag()
    }

    fn earlier(&self) -> Earlier {
        Earlier::Globally
    }
}

/// Two senders, two receivers, and each sender begins with another receiver.
fn crossing(tags: [u32; 4]) {
    let receivers = [(); 2].map(|()| spawn(|| (receive::<u32>(), receive::<u32>())).process());
    for sender in 0..2_usize {
        let tags = [tags[2 * sender], tags[2 * sender + 1]];
        spawn(move || {
            for (tag, to) in tags
                .into_iter()
                .zip([receivers[sender], receivers[1 - sender]])
            {
                Letter::new(sender as u32).tagged(tag).send(to);
            }
        });
    }
}

#[test]
fn an_order_of_all_sends_of_ones_own() {
    check_order(&Lanes, &["x"]).unwrap();
    // In one lane, one of the 2 * 2 outcomes contradicts every order of all sends; if the two
    // messages to one receiver are in different lanes, its order says nothing.
    for (tags, expected) in [([0, 0, 0, 0], 3), ([0, 0, 0, 1], 4), ([0, 1, 1, 0], 3)] {
        let counted = every_way(Delivery::Custom(&Lanes), || move || crossing(tags));
        assert_eq!(counted, (expected, 0), "{tags:?}");
    }
}

#[test]
fn different_orders_in_one_mailbox_do_not_constrain_each_other() {
    fn always(_: &AnyMessage, _: &AnyMessage) -> bool {
        true
    }
    // Two streams of one sender, two messages each: 4! / (2! * 2!) ways to merge them.
    let program = || {
        let receiver = spawn(|| [(); 4].map(|()| receive::<u32>())).process();
        for n in 0..4_u32 {
            let order: &dyn Order = if n % 2 == 0 { &Lanes } else { &always };
            Letter::new(n).via(Delivery::Custom(order)).send(receiver);
        }
    };
    assert_eq!(every_way(Delivery::Fifo, || program), (6, 0));
}

#[test]
fn an_order_that_panics_is_a_failure_at_its_line() {
    fn picky(earlier: &AnyMessage, _: &AnyMessage) -> bool {
        assert!(earlier.is::<u32>(), "numbers only");
        true
    }
    for jobs in [1, 2] {
        let explorer = Explorer::new()
            .delivery(Delivery::Custom(&picky))
            .jobs(jobs);
        let report = explorer.run(|| {
            send(current(), "one");
            send(current(), "two");
            receive::<&str>();
        });
        assert_eq!(report.verdict, Verdict::Refuted);
        let failure = &report.failures[0];
        assert_eq!(failure.kind, FailureKind::Panic);
        assert!(failure.message.contains("numbers only"), "{report}");
        assert!(failure.message.contains("picky"), "{report}");
        let location = failure.location.as_ref().unwrap();
        assert!(location.contains("orders.rs"), "{location}");
    }
}

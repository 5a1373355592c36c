//! Delivery models: defaults, precedence, and several at once.

use crate::ask::*;
use crate::build::*;
use crate::threads::{Op::*, count, song};
use plainsong_ir::Delivery::{Causal, Fifo, Mailbox, Unordered};
use plainsong_ir::*;

#[test]
fn bodies_receive_in_order_by_default_and_handlers_do_not() {
    let order_kept = |handlers: bool, via: Option<Delivery>| {
        let mut b = Builder::default();
        let m = b.message("M", &[("n", Ty::Int)], via);
        let p = b.family("p", &[], &[("last", int(0))]);
        let q = b.family("q", &[], &[]);
        let mut l = Locals::default();
        let n = l.add("n", Ty::Int);
        let check = || {
            vec![
                assert(eq(plus(own(0, Ty::Int), int(1)), l.read(n))),
                set_own(0, l.read(n)),
            ]
        };
        let take = accept(m, &[Some(n)], anyone());
        let body = if handlers {
            Body::Handlers(vec![Handler {
                accept: take,
                body: check(),
            }])
        } else {
            let round = [vec![receive(take)], check()].concat();
            Body::Sequential([round.clone(), round].concat())
        };
        b.process(p, l, false, body);
        let to_p = |n| send(m, vec![int(n)], pid(p, vec![]));
        b.body(q, Locals::default(), vec![to_p(1), to_p(2)]);
        let report = ask(&b.instance(&[]));
        matches!(
            answer(&report, "assertions"),
            plainsong_semantics::search::Answer::NotRefuted
        )
    };
    assert!(order_kept(false, None));
    assert!(!order_kept(false, Some(Unordered)));
    assert!(!order_kept(true, None));
    assert!(order_kept(true, Some(Fifo)));
    assert!(order_kept(true, Some(Mailbox)));
    assert!(order_kept(true, Some(Causal)));
}

#[test]
fn each_model_looks_only_at_its_own_messages() {
    // One sender, one message of each kind, one receiver of both.
    let threads = [vec![S(1, 1), S2(1, 2)], vec![R, R]];
    for (via, expected) in [
        ([Fifo, Fifo], 1),
        ([Fifo, Causal], 2),
        ([Mailbox, Fifo], 2),
        ([Causal, Causal], 1),
        ([Unordered, Unordered], 2),
    ] {
        let instance = song(&threads, via.map(Some)).instance(&[]);
        assert_eq!(count(&instance).complete, expected, "{via:?}");
    }
}

#[test]
fn causality_passes_through_messages_of_every_model() {
    // The triangle: a causal message, then word of it by another model, then a causal one.
    let threads = [vec![S(2, 0), S2(1, 0)], vec![R, S(2, 1)], vec![R, R]];
    for other in Delivery::ALL {
        let instance = song(&threads, [Some(Causal), Some(other)]).instance(&[]);
        assert_eq!(count(&instance).complete, 1, "through {other:?}");
    }
    let instance = song(&threads, [Some(Fifo), Some(Causal)]).instance(&[]);
    assert_eq!(count(&instance).complete, 2);
}

#[test]
fn a_selective_receive_overtakes_what_it_does_not_accept() {
    let threads = [vec![S(1, 1), S(1, 2)], vec![Rt(2), R]];
    for model in Delivery::ALL {
        let instance = song(&threads, [Some(model), None]).instance(&[]);
        let count = count(&instance);
        assert_eq!((count.complete, count.blocked), (1, 0));
    }
}

#[test]
fn messages_of_init_are_older_than_all_others() {
    let receives_inits_first = |via| {
        let mut b = Builder::default();
        let m = b.message("M", &[("n", Ty::Int)], Some(via));
        let p = b.family("p", &[], &[]);
        let q = b.family("q", &[], &[]);
        let mut l = Locals::default();
        let n = l.add("n", Ty::Int);
        let take = receive(accept(m, &[Some(n)], anyone()));
        let body = vec![take.clone(), assert(eq(l.read(n), int(0))), take];
        b.body(p, l, body);
        let to_p = |n| send(m, vec![int(n)], pid(p, vec![]));
        b.body(q, Locals::default(), vec![to_p(1)]);
        b.voices().init = Some(Code {
            arity: 0,
            locals: vec![],
            body: vec![to_p(0)],
        });
        count(&b.instance(&[])).failed == 0
    };
    assert!(receives_inits_first(Mailbox));
    assert!(receives_inits_first(Causal));
    assert!(!receives_inits_first(Fifo));
    assert!(!receives_inits_first(Unordered));
}

#[test]
fn irrelevant_orders_do_not_multiply_states() {
    // Three senders, nobody receives: what is in flight is a set of three independent messages.
    let threads = [vec![], vec![S(0, 1)], vec![S(0, 2)], vec![S(0, 3)]];
    for (model, states) in [(Unordered, 8), (Fifo, 8), (Causal, 8), (Mailbox, 16)] {
        let instance = song(&threads, [Some(model), None]).instance(&[]);
        assert_eq!(ask(&instance).states, states, "{model:?}");
    }
}

//! Parametric programs whose numbers of executions have a formula.

use super::{complete, executions_at};
use crate::build::*;
use plainsong_diagnostics::Span;
use plainsong_ir::{
    BinOp, Delivery, Domain, Root, Song, SortDecl, SortId, SortKind, Source, StartValue, Ty,
};

/// `n` senders of one message each to `r`, which is process 0.
fn racing_senders(n: usize, receiver: Vec<plainsong_ir::Stmt>) -> Song {
    let names: Vec<String> = (0..=n).map(|i| format!("p{i}")).collect();
    let mut band = Band::new(&names.iter().map(String::as_str).collect::<Vec<_>>());
    band.body(0, receiver);
    for i in 1..=n {
        band.body(i as u32, vec![send(i as i64, 0)]);
    }
    band.done()
}

fn factorial(n: usize) -> usize {
    (1..=n).product()
}

fn choose_of(n: usize, k: usize) -> usize {
    factorial(n) / factorial(k) / factorial(n - k)
}

#[test]
fn one_receive_takes_any_of_n_messages() {
    for n in 1..=5 {
        complete(&racing_senders(n, vec![receive(any())]), [n; 4]);
    }
}

#[test]
fn n_receives_take_n_messages_in_every_order() {
    for n in 1..=5 {
        complete(
            &racing_senders(n, times(n, &receive(any()))),
            [factorial(n); 4],
        );
    }
}

#[test]
fn selective_receives_leave_one_order() {
    for n in 1..=5 {
        let receives = (1..=n).map(|i| receive(only(i as i64))).collect();
        complete(&racing_senders(n, receives), [1; 4]);
    }
}

#[test]
fn a_worker_with_n_requests_races_with_its_client() {
    for n in 1..=3 {
        let names: Vec<String> = (0..n + 2).map(|i| format!("p{i}")).collect();
        let mut band = Band::new(&names.iter().map(String::as_str).collect::<Vec<_>>());
        band.body(0, vec![send(0, 0), receive(any())]);
        band.body(1, [times(n, &receive(any())), vec![send(1, 0)]].concat());
        for i in 0..n {
            band.body(i as u32 + 2, vec![send(0, 1)]);
        }
        complete(&band.done(), [2 * factorial(n); 4]);
    }
}

#[test]
fn crossing_sends_are_ordered_only_by_a_mailbox() {
    for n in 1..=2 {
        let names: Vec<String> = (0..4 * n).map(|i| format!("p{i}")).collect();
        let mut band = Band::new(&names.iter().map(String::as_str).collect::<Vec<_>>());
        for i in (0..4 * n as u32).step_by(4) {
            band.body(i, times(2, &receive(any())));
            band.body(i + 1, times(2, &receive(any())));
            band.body(i + 2, vec![send(0, i), send(0, i + 1)]);
            band.body(i + 3, vec![send(0, i + 1), send(0, i)]);
        }
        let (four, three) = (4_usize.pow(n as u32), 3_usize.pow(n as u32));
        complete(&band.done(), [four, four, four, three]);
    }
}

#[test]
fn one_stream_keeps_its_order_unless_unordered() {
    for n in 1..=5 {
        let mut band = Band::new(&["r", "s"]);
        band.body(0, times(n, &receive(any())));
        band.body(1, times(n, &send(0, 0)));
        complete(&band.done(), [factorial(n), 1, 1, 1]);
    }
}

#[test]
fn two_streams_interleave() {
    for n in 1..=3 {
        let mut band = Band::new(&["r", "s", "t"]);
        band.body(0, times(2 * n, &receive(any())));
        band.body(1, times(n, &send(0, 0)));
        band.body(2, times(n, &send(0, 0)));
        let merged = choose_of(2 * n, n);
        complete(&band.done(), [factorial(2 * n), merged, merged, merged]);
    }
}

#[test]
fn a_message_by_way_of_a_third_arrives_later_when_causes_count() {
    let mut band = Band::new(&["a", "b", "c"]);
    band.body(0, vec![send(0, 2), send(0, 1)]);
    band.body(1, vec![receive(any()), send(0, 2)]);
    band.body(2, times(2, &receive(any())));
    complete(&band.done(), [2, 2, 1, 1]);
}

#[test]
fn two_independent_races_multiply() {
    let mut band = Band::new(&["t1", "t2", "t3", "t4", "t5"]);
    band.body(0, vec![send(0, 0), receive(any())]);
    band.body(1, vec![send(0, 3)]);
    band.body(2, vec![send(0, 3)]);
    band.body(3, vec![receive(any())]);
    band.body(4, vec![send(0, 0)]);
    complete(&band.done(), [4; 4]);
}

#[test]
fn polls_without_a_sender_time_out() {
    for n in 0..=5 {
        let mut band = Band::new(&["r"]);
        band.body(0, times(n, &poll(any(), vec![])));
        complete(&band.done(), [1; 4]);
    }
}

#[test]
fn n_polls_take_some_of_n_messages_in_any_order() {
    for (n, expected) in [(1, 2), (2, 7), (3, 34), (4, 209)] {
        complete(
            &racing_senders(n, times(n, &poll(any(), vec![]))),
            [expected; 4],
        );
    }
}

#[test]
fn choices_multiply() {
    for n in 0..=5 {
        let mut band = Band::new(&["p"]);
        band.body(0, times(n, &maybe(vec![], vec![])));
        complete(&band.done(), [1 << n; 4]);
        let mut band = Band::new(&["p"]);
        band.body(0, times(n, &choose(0, Domain::In(range(0, 3)), None)));
        complete(&band.done(), [3_usize.pow(n as u32); 4]);
    }
}

/// Each of `n` voters tosses, votes and hears the decision.
#[test]
fn a_poll_of_voters_has_every_vote_in_every_order() {
    for n in 1..=3 {
        let names: Vec<String> = (0..=n).map(|i| format!("p{i}")).collect();
        let mut band = Band::new(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let decide = (1..=n as u32).map(|voter| send(0, voter));
        band.body(
            0,
            times(n, &receive(any()))
                .into_iter()
                .chain(decide)
                .collect(),
        );
        for voter in 1..=n as u32 {
            band.body(
                voter,
                vec![maybe(vec![], vec![]), send(0, 0), receive(any())],
            );
        }
        complete(&band.done(), [(1 << n) * factorial(n); 4]);
    }
}

/// The two-phase commit of the book, with its family of databases.
fn two_phase_commit() -> Song {
    let db = Ty::Sort(SortId(0));
    let mut band = Band::new(&["coordinator"]);
    let kind = SortKind::Identities { ordered: false };
    band.song.sorts.push(SortDecl {
        name: "Db".to_string(),
        kind,
        span: Span::default(),
    });
    band.family("db", std::slice::from_ref(&db));
    let [prepare, vote, decide, done] =
        ["Prepare", "Vote", "Decide", "Done"].map(|name| band.message(name, None));
    let commit = band.var(0, Ty::Int, StartValue::Value(int(1)));
    let outcome = band.var(1, Ty::Int, StartValue::Value(int(-1)));
    let each = |body| for_each(0, Domain::Type(db.clone()), body);
    let to_db = |message, n| send_kind(message, n, member(1, vec![typed(0, db.clone())]));
    let family = || Source::Family(plainsong_ir::FamilyId(1), vec![], None);
    let commit_now = || own(commit, Ty::Int);
    band.body(
        0,
        vec![
            each(vec![to_db(prepare, int(0))]),
            each(vec![
                receive(accept(vote, Some(1), family(), None)),
                set(Root::Own(commit), binary(BinOp::Mul, commit_now(), name(1))),
            ]),
            each(vec![to_db(decide, commit_now())]),
            each(vec![receive(accept(done, None, family(), None))]),
        ],
    );
    let coordinator = || Source::Process(pid(0));
    band.body(
        1,
        vec![
            receive(accept(prepare, None, coordinator(), None)),
            choose(1, Domain::In(range(0, 2)), None),
            send_kind(vote, name(1), pid(0)),
            receive(accept(decide, Some(2), coordinator(), None)),
            assert(binary(BinOp::Le, name(2), name(1))),
            set(Root::Own(outcome), name(2)),
            send_kind(done, int(0), pid(0)),
        ],
    );
    band.done()
}

#[test]
fn two_phase_commit_has_two_races_and_agrees() {
    let song = two_phase_commit();
    for n in 1..=3 {
        let found = executions_at(&song, &[("Db", n as i64)], Some(Delivery::Fifo));
        let votes_and_orders = (1 << n) * factorial(n) * factorial(n);
        assert_eq!(found.complete.len(), votes_and_orders);
        assert!(found.blocked.is_empty() && found.failed.is_empty());
        let commits = |outcome: &plainsong_testkit::enumerate::Outcome| {
            let decision = &outcome["coordinator.v0"];
            assert!((0..n).all(|d| outcome[&format!("db[{d}].v0")] == *decision));
            decision.text.clone()
        };
        let decisions: Vec<String> = found.outcomes.iter().map(commits).collect();
        assert_eq!(decisions, ["0", "1"]);
    }
}

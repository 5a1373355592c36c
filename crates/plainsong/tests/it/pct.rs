//! Executions drawn by priorities: real ones, and bugs of small depth among them.

use plainsong::sync::Mutex;
use plainsong::{
    Delivery, End, Explorer, Letter, Limit, Report, Restart, Verdict, choose, cover, current,
    receive, receive_timeout, send, spawn, spawn_named, thread, try_receive,
};
use std::sync::Arc;
use std::time::Duration;

/// Fails if the alarm comes directly after number 13 of 16.
fn alarm() {
    let main = current();
    spawn_named("numbers", move || (1..=16).for_each(|n| send(main, n)));
    spawn_named("alarm", move || send(main, 0));
    let seen = [(); 17].map(|()| receive::<i32>());
    let is_there = seen.windows(2).any(|two| two == [13, 0]);
    assert!(!is_there, "the alarm at the wrong moment");
}

#[test]
fn a_bug_of_depth_two_that_even_chances_do_not_show() {
    for delivery in [Delivery::Mailbox, Delivery::Fifo] {
        for seed in 0..3 {
            let explorer = Explorer::new().delivery(delivery).seed(seed);
            let evenly = explorer.clone().sample(300).run(alarm);
            assert_eq!(evenly.verdict, Verdict::Unknown);
            let once = explorer.clone().pct(300, 1).run(alarm);
            assert_eq!(
                once.verdict,
                Verdict::Unknown,
                "not by luck: it has depth 2"
            );
            let found = explorer.clone().pct(1000, 2).run(alarm);
            assert_eq!(found.verdict, Verdict::Refuted);
            assert_eq!(found.end, End::Failure);
            let trace = found.failures[0].trace.as_ref().expect("a trace");
            let again = explorer.replay(trace, alarm);
            assert_eq!(again.verdict, Verdict::Refuted, "{again}");
            assert_eq!(again.failures[0].message, found.failures[0].message);
        }
    }
}

#[test]
fn a_sample_proves_nothing() {
    let report = Explorer::new().pct(50, 2).run(|| {
        choose(0..1000);
    });
    assert_eq!(report.verdict, Verdict::Unknown);
    assert_eq!(report.end, End::Limit(Limit::Samples));
    assert_eq!(report.executions, 50);
    let estimate = report.estimate.expect("a sample has one");
    assert!((estimate.executions - 1000.0).abs() < 1e-6, "{estimate}");
}

/// Receives and choices of many kinds; what happens is marked.
fn mixture() {
    let main = current();
    let lock = Arc::new(Mutex::new(0));
    for n in 0..2_u32 {
        let lock = Arc::clone(&lock);
        thread::spawn(move || {
            *lock.lock().expect("no panic") += n + 1;
            Letter::new(n).lossy().send(main);
            send(main, choose(["a", "b"]));
        });
    }
    let mut seen = format!("{:?}", receive_timeout::<u32>(Duration::ZERO));
    seen += receive::<&str>();
    seen += receive::<&str>();
    seen += &format!(
        "{:?} {}",
        try_receive::<u32>(),
        lock.lock().expect("no panic")
    );
    cover(seen);
}

fn marks(report: &Report) -> Vec<&String> {
    assert_ne!(report.verdict, Verdict::Refuted, "{report}");
    report.coverage.keys().collect()
}

#[test]
fn what_is_drawn_exists_and_everything_is_drawn() {
    for delivery in [Delivery::Unordered, Delivery::Fifo, Delivery::Causal] {
        let explorer = Explorer::new().delivery(delivery);
        let whole = explorer.run(mixture);
        for restart in [Restart::Changed, Restart::All] {
            let drawn = explorer.clone().restart(restart).pct(1500, 3).run(mixture);
            assert_eq!(marks(&drawn), marks(&whole), "{delivery:?}");
        }
        assert!(whole.coverage.len() > 20, "{whole}");
    }
}

#[test]
fn the_seed_decides() {
    let drawn = |seed| {
        let report = Explorer::new().seed(seed).pct(20, 2).run(mixture);
        (report.coverage, report.events)
    };
    assert_eq!(drawn(1), drawn(1));
    assert_ne!(drawn(1), drawn(2));
}

#[test]
fn messages_overtake_as_their_delivery_allows() {
    let relay = || {
        let main = current();
        let friend = spawn(move || send(main, receive::<&str>())).process();
        spawn(move || {
            send(main, "news");
            send(friend, "comment on the news");
        });
        assert_eq!(receive::<&str>(), "news");
    };
    let verdict = |delivery| {
        let explorer = Explorer::new().delivery(delivery).pct(100, 2);
        explorer.run(relay).verdict
    };
    assert_eq!(verdict(Delivery::Unordered), Verdict::Refuted);
    assert_eq!(verdict(Delivery::Fifo), Verdict::Refuted);
    assert_eq!(verdict(Delivery::Causal), Verdict::Unknown);
    assert_eq!(verdict(Delivery::Mailbox), Verdict::Unknown);
}

#[test]
fn who_polls_lets_others_go_on() {
    let report = Explorer::new().limit_events(2000).pct(300, 3).run(|| {
        let main = current();
        spawn(move || (0..3).for_each(|n| send(main, n)));
        for n in 0..3 {
            let got = std::iter::repeat_with(try_receive::<i32>).flatten().next();
            assert_eq!(got, Some(n));
        }
    });
    assert_eq!((report.executions, report.blocked), (300, 0), "{report}");
}

#[test]
fn lost_messages_are_missed() {
    let report = Explorer::new().keep_going(true).pct(200, 2).run(|| {
        let main = current();
        spawn(move || Letter::new(1_u32).lossy().send(main));
        receive::<u32>();
    });
    assert!(report.executions > 50, "{report}");
    assert!(report.failed > 10, "it waits for ever: {report}");
}

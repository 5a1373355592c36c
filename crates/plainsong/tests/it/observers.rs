//! Observers: each execution begins and ends once, whoever explores it.

use crate::script::DELIVERIES;
use plainsong::{
    Execution, Explorer, Observer, Outcome, Report, Restart, Verdict, assume, choose, current,
    receive, send, spawn, spawn_daemon,
};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

/// Remembers everything.
#[derive(Default)]
struct Diary(Mutex<Pages>);

#[derive(Default)]
struct Pages {
    open: BTreeSet<u64>,
    ended: BTreeMap<u64, Outcome>,
    events: u64,
    restarts: u32,
    last: Option<String>,
}

impl Observer for Diary {
    fn before(&self, number: u64) {
        let mut pages = self.0.lock().unwrap();
        assert!(pages.open.insert(number), "{number} begins twice");
        assert!(!pages.ended.contains_key(&number));
    }

    fn after(&self, execution: &Execution<'_>) {
        let mut pages = self.0.lock().unwrap();
        assert!(pages.open.remove(&execution.number()), "it has begun");
        let outcome = execution.outcome().clone();
        pages.ended.insert(execution.number(), outcome);
        pages.events += execution.events();
        assert!(execution.processes() > 0);
    }

    fn start_again(&self) {
        let mut pages = self.0.lock().unwrap();
        *pages = Pages {
            restarts: pages.restarts + 1,
            ..Pages::default()
        };
    }

    fn at_end(&self, report: &Report) {
        self.0.lock().unwrap().last = Some(report.to_string());
    }
}

impl Diary {
    fn count(&self, what: impl Fn(&Outcome) -> bool) -> u64 {
        let pages = self.0.lock().unwrap();
        pages.ended.values().filter(|it| what(it)).count() as u64
    }
}

fn observe(explorer: &Explorer, program: fn()) -> (Report, Arc<Diary>) {
    let diary = Arc::new(Diary::default());
    let report = explorer.clone().observer(diary.clone()).run(program);
    let last = diary.0.lock().unwrap().last.clone();
    assert_eq!(last, Some(report.to_string()));
    (report, diary)
}

/// Executions of every kind: 10 complete, 10 give up, some fail.
fn every_outcome() {
    let main = current();
    for n in 0..3_u32 {
        spawn(move || send(main, n));
    }
    let order = [(); 3].map(|()| receive::<u32>());
    let way = choose(0..5);
    assume(way != 1);
    assert!(way != 2 || order != [2, 1, 0], "backwards");
    if way == 3 {
        receive::<()>();
    }
    if way == 4 {
        loop {
            send(main, ());
        }
    }
}

#[test]
fn each_execution_begins_and_ends_once_with_its_outcome() {
    for delivery in DELIVERIES {
        for restart in [Restart::Changed, Restart::All] {
            for jobs in [1, 2, 4] {
                let explorer = Explorer::new()
                    .delivery(delivery)
                    .restart(restart)
                    .jobs(jobs)
                    .keep_going(true)
                    .limit_events(60);
                let (report, diary) =
                    observe(&explorer.clone().allow_deadlock(true), every_outcome);
                let failed = |it: &Outcome| matches!(it, Outcome::Failed(_));
                assert_eq!(diary.count(|it| *it == Outcome::Completed), 11);
                assert_eq!(diary.count(|it| *it == Outcome::GaveUp), 6);
                assert_eq!(diary.count(|it| *it == Outcome::Deadlocked), 6);
                assert_eq!(diary.count(|it| *it == Outcome::TooLong), 6);
                assert_eq!(diary.count(failed), 1);
                assert_eq!(
                    (report.executions, report.blocked, report.failed),
                    (11, 18, 1)
                );
                let pages = diary.0.lock().unwrap();
                assert!(pages.open.is_empty(), "{:?}", pages.open);
                let message = Outcome::Failed("backwards".to_owned());
                assert!(pages.ended.values().any(|it| *it == message));
                drop(pages);
                let (report, diary) = observe(&explorer, every_outcome);
                assert_eq!((report.failed, diary.count(failed)), (7, 7));
            }
        }
    }
}

#[test]
fn an_exploration_that_stops_leaves_at_most_one_open_per_worker() {
    for jobs in [1, 3] {
        let explorer = Explorer::new().jobs(jobs).limit_executions(7);
        let (report, diary) = observe(&explorer, || {
            choose(0..1000);
        });
        assert_eq!(report.executions, 7);
        let pages = diary.0.lock().unwrap();
        assert_eq!(pages.ended.len(), 7);
        assert!(pages.open.len() <= jobs, "{:?}", pages.open);
    }
    let (report, diary) = observe(&Explorer::new().sample(5), || {
        choose(0..1000);
    });
    assert_eq!(report.executions, 5);
    assert_eq!(diary.0.lock().unwrap().ended.len(), 5);
}

#[test]
fn when_everything_starts_again_the_observer_is_told() {
    // The receiver is dropped, which senders have to ask about: that is found out on the way.
    let program = || {
        let (sender, receiver) = plainsong::sync::mpsc::channel::<u32>();
        let other = plainsong::thread::spawn(move || drop(receiver));
        let _ = sender.send(1);
        other.join().unwrap();
    };
    let (report, diary) = observe(&Explorer::new(), program);
    report.assert_holds();
    let pages = diary.0.lock().unwrap();
    assert!(pages.restarts > 0);
    assert_eq!(pages.ended.len() as u64, report.executions);
    assert!(pages.open.is_empty());
}

struct Panics(u64);

impl Observer for Panics {
    fn after(&self, execution: &Execution<'_>) {
        assert!(execution.number() < self.0, "the observer has had enough");
    }
}

#[test]
fn a_panic_of_an_observer_goes_on_in_the_caller() {
    for jobs in [1, 4] {
        let explorer = Explorer::new().jobs(jobs).observer(Arc::new(Panics(20)));
        let panic = catch_unwind(AssertUnwindSafe(|| {
            let _ = explorer.run(|| {
                let main = current();
                // Somebody who is still there when the exploration ends.
                spawn_daemon(|| receive::<()>());
                for n in 0..5_u32 {
                    spawn(move || send(main, n));
                }
                let sum: u32 = (0..5).map(|_| receive::<u32>()).sum();
                assert_eq!(sum, 10);
            });
        }));
        let panic = panic.expect_err("the observer panics");
        let message = panic.downcast_ref::<String>().map(String::as_str);
        let message = message.or(panic.downcast_ref::<&str>().copied());
        assert_eq!(message, Some("the observer has had enough"));
    }
    // And nothing is left of it.
    plainsong::explore(|| send(current(), 1)).assert_no_failure();
}

#[test]
fn replays_are_observed_and_searches_for_races_are_not() {
    let program = || {
        let main = current();
        for n in 0..2_u32 {
            spawn(move || send(main, n));
        }
        assert_eq!(receive::<u32>(), 0);
    };
    let (report, diary) = observe(&Explorer::new(), program);
    assert_eq!(report.verdict, Verdict::Refuted);
    assert!(report.failures[0].race.is_some());
    assert_eq!(diary.0.lock().unwrap().ended.len(), 2);
    let trace = report.failures[0].trace.clone().unwrap();
    let diary = Arc::new(Diary::default());
    let explorer = Explorer::new().observer(diary.clone());
    let again = explorer.replay(&trace, program);
    assert_eq!(again.verdict, Verdict::Refuted);
    assert_eq!(diary.count(|it| matches!(it, Outcome::Failed(_))), 1);
}

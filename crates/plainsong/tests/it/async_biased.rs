//! `biased;` in `select!`: branches are polled in their order, each at a moment of its own.

use plainsong::tokio::sync::{Notify, Semaphore, mpsc, oneshot, watch};
use plainsong::tokio::time::{self, Duration};
use plainsong::{Explorer, Report, tokio};
use std::sync::Arc;

const SECOND: Duration = Duration::from_secs(1);

fn explore<F: Future<Output = ()>>(program: impl Fn() -> F + Send + Sync + 'static) -> Report {
    Explorer::new().run(move || tokio::block_on(program()))
}

/// A queue with this in it.
fn queue(message: i32) -> (mpsc::Sender<i32>, mpsc::Receiver<i32>) {
    let (sender, receiver) = mpsc::channel(2);
    sender.try_send(message).unwrap();
    (sender, receiver)
}

#[test]
fn of_two_queues_the_first_that_has_a_message_wins() {
    let report = explore(|| async {
        let (_a, mut first) = queue(1);
        let (_b, mut second) = queue(2);
        let got = tokio::select! {
            biased;
            got = first.recv() => got,
            got = second.recv() => got,
        };
        assert_eq!(got, Some(1));
        assert_eq!(second.recv().await, Some(2), "it is still there");
    });
    report.assert_holds();
    assert_eq!((report.executions, report.blocked), (1, 0));
    let report = explore(|| async {
        let (_a, mut first) = mpsc::channel::<i32>(1);
        let (_b, mut second) = queue(2);
        let got = tokio::select! {
            biased;
            got = first.recv() => got,
            got = second.recv() => got,
        };
        assert_eq!(got, Some(2));
    });
    report.assert_holds();
    assert_eq!((report.executions, report.blocked), (1, 0));
}

/// What is sent while branches are polled may come too late for the first and in time for the second.
#[test]
fn messages_to_both_that_are_sent_meanwhile_may_win_in_either_order() {
    let report = explore(|| async {
        let (a, mut first) = mpsc::channel(1);
        let (b, mut second) = mpsc::channel(1);
        tokio::spawn(async move {
            a.send(1).await.ok();
            b.send(2).await.ok();
        });
        let got = tokio::select! {
            biased;
            got = first.recv() => got,
            got = second.recv() => got,
        };
        plainsong::cover(format!("{got:?}"));
    });
    report.assert_holds();
    let got: Vec<&str> = report.coverage.keys().map(String::as_str).collect();
    assert_eq!(got, ["Some(1)", "Some(2)"]);
}

#[test]
fn without_a_bias_either_wins() {
    let report = explore(|| async {
        let (_a, mut first) = queue(1);
        let (_b, mut second) = queue(2);
        let got = tokio::select! {
            got = first.recv() => got,
            got = second.recv() => got,
        };
        assert_eq!(got, Some(1));
    });
    assert!(report.failures[0].message.contains("left == right"));
}

#[test]
fn a_queue_whose_senders_were_dropped_wins_as_one_with_a_message_does() {
    let report = explore(|| async {
        let (stop, mut stopped) = mpsc::channel::<()>(1);
        let (_b, mut jobs) = queue(2);
        drop(stop);
        let is_stopped = tokio::select! {
            biased;
            _ = stopped.recv() => true,
            _ = jobs.recv() => false,
        };
        assert!(is_stopped);
    });
    report.assert_holds();
    assert_eq!((report.executions, report.blocked), (1, 0));
    let report = explore(|| async {
        let (stop, mut stopped) = oneshot::channel::<()>();
        let (_b, mut jobs) = queue(2);
        drop(stop);
        let is_stopped = tokio::select! {
            biased;
            _ = &mut stopped => true,
            _ = jobs.recv() => false,
        };
        assert!(is_stopped);
    });
    report.assert_holds();
    assert_eq!((report.executions, report.blocked), (1, 0));
}

#[test]
fn what_is_there_wins_against_time_that_passes() {
    let report = explore(|| async {
        let (_a, mut first) = queue(1);
        let got = tokio::select! {
            biased;
            got = first.recv() => got,
            () = time::sleep(SECOND) => None,
        };
        assert_eq!(got, Some(1));
    });
    report.assert_holds();
    let report = explore(|| async {
        let (a, mut first) = mpsc::channel(1);
        tokio::spawn(async move { a.send(1).await.ok() });
        let got = tokio::select! {
            biased;
            got = first.recv() => got,
            () = time::sleep(SECOND) => None,
        };
        assert_eq!(got, Some(1), "it may come too late");
    });
    assert!(report.failures[0].message.contains("too late"));
}

#[test]
fn notifications_changes_and_permits_that_are_there_win() {
    let report = explore(|| async {
        let notify = Notify::new();
        notify.notify_one();
        let (_b, mut second) = queue(2);
        tokio::select! {
            biased;
            () = notify.notified() => {}
            _ = second.recv() => panic!("the first was ready"),
        }
        let (value, mut changes) = watch::channel(0);
        value.send(1).unwrap();
        tokio::select! {
            biased;
            _ = changes.changed() => {}
            _ = second.recv() => panic!("the first was ready"),
        }
        let permits = Arc::new(Semaphore::new(1));
        tokio::select! {
            biased;
            _ = second.recv() => {}
            _ = permits.acquire() => panic!("the first was ready"),
        }
    });
    report.assert_holds();
    assert_eq!((report.executions, report.blocked), (1, 0));
}

/// A receiver that has lost is used again: what was marked there is no message.
#[test]
fn a_branch_that_lost_gets_what_comes_later() {
    let report = explore(|| async {
        let (a, mut first) = oneshot::channel();
        let (b, mut second) = queue(2);
        let mut got = Vec::new();
        for _ in 0..2 {
            tokio::select! {
                biased;
                value = &mut first, if !got.contains(&1) => got.push(value.unwrap()),
                value = second.recv() => got.push(value.unwrap()),
            }
            b.send(3).await.unwrap();
        }
        assert_eq!(got, [2, 3]);
        a.send(1).unwrap();
        assert_eq!(first.await, Ok(1));
    });
    report.assert_holds();
    assert_eq!((report.executions, report.blocked), (1, 0));
}

/// Stop before the next job: the shape that `biased` is there for.
#[test]
fn a_worker_that_was_told_to_stop_before_it_looks_takes_no_job() {
    let report = explore(|| async {
        let (stop, mut stopped) = mpsc::channel::<()>(1);
        let (jobs, mut more) = mpsc::channel(2);
        let worker = tokio::spawn(async move {
            let mut done = 0;
            loop {
                tokio::select! {
                    biased;
                    _ = stopped.recv() => break done,
                    job = more.recv() => match job {
                        Some(_) => done += 1,
                        None => break done,
                    },
                }
            }
        });
        jobs.send(1).await.ok();
        stop.send(()).await.ok();
        let is_before = jobs.send(2).await.is_err();
        let done = worker.await.unwrap();
        assert!(!is_before || done <= 1, "nobody takes what cannot be sent");
        plainsong::cover(format!("{done}"));
    });
    report.assert_holds();
    let done: Vec<&str> = report.coverage.keys().map(String::as_str).collect();
    assert_eq!(done, ["0", "1", "2"]);
}

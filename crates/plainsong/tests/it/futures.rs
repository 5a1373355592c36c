//! Async code: tasks, awaited messages, joins, aborts, combinators of others.

use crate::script::{DELIVERIES, every_way};
use futures_util::future::{Either, join_all, select, select_all};
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use plainsong::future::{async_receive, block_on};
use plainsong::{
    Delivery, Explorer, FailureKind, Process, channel, choose_bool, cover, current, receive, send,
    spawn, tokio,
};
use std::pin::pin;
use std::task::Poll;

/// Complete executions in every way there is, with nothing blocked.
fn count<F: Fn() + Send + Sync + 'static>(delivery: Delivery, program: impl Fn() -> F) -> u64 {
    let (complete, blocked) = every_way(delivery, program);
    assert_eq!(blocked, 0, "{delivery:?}");
    complete
}

fn count_everywhere<F: Fn() + Send + Sync + 'static>(expected: u64, program: impl Fn() -> F) {
    for delivery in DELIVERIES {
        assert_eq!(count(delivery, &program), expected, "{delivery:?}");
    }
}

#[derive(Clone, Debug)]
enum Order {
    Prepare(Process),
    Commit,
    Abort,
}

#[derive(Clone, Debug)]
struct Vote(bool);

fn participant() {
    let Order::Prepare(to) = receive::<Order>() else {
        panic!("a participant is asked first")
    };
    let vote = choose_bool();
    send(to, Vote(vote));
    match receive::<Order>() {
        Order::Commit => assert!(vote, "committed against a vote"),
        Order::Abort => {}
        Order::Prepare(_) => panic!("asked twice"),
    }
}

async fn ask(participant: Process) -> bool {
    send(participant, Order::Prepare(current()));
    async_receive::<Vote>().await.0
}

#[test]
fn a1_two_phase_commit_with_participants_awaited_one_by_one() {
    for n in 1..=4_u32 {
        count_everywhere(2_u64.pow(n), || {
            move || {
                let participants: Vec<Process> =
                    (0..n).map(|_| spawn(participant).process()).collect();
                block_on(async {
                    let tasks: Vec<_> = participants
                        .iter()
                        .map(|&participant| tokio::spawn(ask(participant)))
                        .collect();
                    let mut all = true;
                    for task in tasks {
                        all &= task.await.unwrap();
                    }
                    for &participant in &participants {
                        send(participant, if all { Order::Commit } else { Order::Abort });
                    }
                });
            }
        });
    }
}

#[test]
fn a2_an_awaited_and_an_unawaited_task_and_an_unjoined_process() {
    let greet = |from: &'static str, to: Process| send(to, from);
    // With causal delivery the greeting from before the spawn comes first.
    let count_both = |program: fn(fn(&'static str, Process))| {
        for (delivery, expected) in DELIVERIES.into_iter().zip([2, 2, 1, 1]) {
            assert_eq!(count(delivery, || move || program(greet)), expected);
        }
    };
    count_both(|greet| {
        let main = current();
        block_on(async {
            greet("main", main);
            let task = tokio::spawn(async move { greet("task", main) });
            async_receive::<&str>().await;
            task.await.unwrap();
        });
    });
    count_both(|greet| {
        let main = current();
        block_on(async {
            greet("main", main);
            tokio::spawn(async move { greet("task", main) });
            async_receive::<&str>().await;
        });
    });
    count_both(|greet| {
        let main = current();
        greet("main", main);
        spawn(move || greet("process", main));
        receive::<&str>();
    });
}

#[test]
fn a2_a_task_that_has_done_its_work_is_aborted_in_vain() {
    count_everywhere(1, || {
        || {
            let main = current();
            let task = tokio::spawn(async move { send(main, "hello") });
            receive::<&str>();
            task.abort();
            assert!(block_on(task).is_ok());
        }
    });
}

#[test]
fn a_task_is_aborted_before_it_begins_where_it_waits_or_not_at_all() {
    // Before: 1. It chose, and then waits for ever unless it is aborted: 2.
    let program = || {
        let task = tokio::spawn(async {
            cover(format!("chose {}", choose_bool()));
            std::future::pending::<()>().await;
        });
        task.abort();
        assert!(block_on(task).unwrap_err().is_cancelled());
    };
    count_everywhere(3, || program);
    let report = plainsong::explore(program);
    assert_eq!(report.coverage.values().collect::<Vec<_>>(), [&1, &1]);
}

#[test]
fn an_abort_races_with_what_the_task_waits_for() {
    count_everywhere(3, || {
        || {
            let task = tokio::spawn(async { async_receive::<u32>().await });
            send(task.process(), 5_u32);
            task.abort();
            match block_on(task) {
                Ok(n) => assert_eq!(n, 5),
                Err(error) => assert_eq!(error.to_string(), "task was cancelled"),
            }
        }
    });
}

#[test]
fn an_aborted_task_drops_what_it_holds() {
    struct Guard(Process);
    impl Drop for Guard {
        fn drop(&mut self) {
            if !std::thread::panicking() {
                send(self.0, "dropped");
            }
        }
    }
    count_everywhere(2, || {
        || {
            let guard = Guard(current());
            let task = tokio::spawn(async move {
                let _guard = guard;
                std::future::pending::<()>().await;
            });
            task.abort();
            block_on(async {
                task.await.unwrap_err();
                assert_eq!(async_receive::<&str>().await, "dropped");
            });
        }
    });
}

#[test]
fn awaited_messages_come_in_every_order() {
    for n in 1..=4_u64 {
        count_everywhere((1..=n).product(), || {
            move || {
                let (sender, receiver) = channel::<u64>("numbers");
                for i in 0..n {
                    let sender = sender.clone();
                    tokio::spawn(async move { sender.send(i) });
                }
                let sum = block_on(async {
                    let mut sum = 0;
                    for _ in 0..n {
                        sum += receiver.receive_async().await;
                    }
                    sum
                });
                assert_eq!(sum, n * (n - 1) / 2);
            }
        });
    }
}

#[test]
fn an_awaited_message_is_one_event() {
    let events = |messages: u64| {
        let report = plainsong::explore(move || {
            let main = current();
            spawn(move || (0..messages).for_each(|n| send(main, n)));
            block_on(async {
                for n in 0..messages {
                    assert_eq!(async_receive::<u64>().await, n);
                }
            });
        });
        assert_eq!(report.executions, 1);
        report.events
    };
    assert_eq!(events(10) - events(0), 20);
}

#[test]
fn a_receive_and_the_send_it_waits_for_in_one_task() {
    count_everywhere(1, || {
        || {
            let (sender, receiver) = channel("both");
            let (got, ()) = block_on(async {
                tokio::join!(receiver.receive_async(), async { sender.send(42) })
            });
            assert_eq!(got, 42);
        }
    });
}

#[test]
fn combinators_of_the_futures_crate() {
    // Two channels with a message each, whichever comes first.
    let first_of_two = || {
        let (left, from_left) = channel::<()>("left");
        let (right, from_right) = channel::<()>("right");
        let task = tokio::spawn(async move {
            match select(from_left.receive_async(), from_right.receive_async()).await {
                Either::Left(((), _)) => "left",
                Either::Right(((), _)) => "right",
            }
        });
        left.send(());
        right.send(());
        cover(block_on(task).unwrap());
    };
    count_everywhere(2, || first_of_two);
    let report = plainsong::explore(first_of_two);
    assert_eq!(report.coverage.len(), 2);

    count_everywhere(6, || {
        || {
            let channels = [1_u32, 2, 3].map(|n| {
                let (sender, receiver) = channel::<u32>("number");
                spawn(move || sender.send(n));
                receiver
            });
            block_on(async {
                let mut rest: Vec<_> = channels.iter().map(|c| c.receive_async()).collect();
                while !rest.is_empty() {
                    let (_, _, others) = select_all(rest).await;
                    rest = others;
                }
            });
        }
    });
}

#[test]
fn combinators_that_poll_only_what_was_woken() {
    // Six orders, twice: after it has polled all of them it wakes itself, and a message may come
    // before or after that.
    count_everywhere(12, || {
        || {
            let receivers = [1_u32, 2, 3].map(|n| {
                let (sender, receiver) = channel::<u32>("number");
                spawn(move || sender.send(n));
                receiver
            });
            let sum = block_on(async {
                let mut all: FuturesUnordered<_> =
                    receivers.iter().map(|c| c.receive_async()).collect();
                let mut sum = 0;
                while let Some(n) = all.next().await {
                    sum += n;
                }
                sum
            });
            assert_eq!(sum, 6);
        }
    });
    let many = 40; // `join_all` changes its ways at 30.
    let report = plainsong::explore(move || {
        let (senders, receivers): (Vec<_>, Vec<_>) =
            (0..many).map(|n| channel::<u32>(format!("{n}"))).unzip();
        let child = spawn(move || {
            for (n, to) in (0..many).zip(senders) {
                to.send(n);
                receive::<()>();
            }
        });
        let take = async |receiver: &plainsong::Receiver<u32>| {
            let n = receiver.receive_async().await;
            send(child.process(), ());
            n
        };
        let numbers = block_on(join_all(receivers.iter().map(take)));
        assert!(numbers.into_iter().eq(0..many));
    });
    report.assert_holds();
    assert_eq!(report.executions, 2, "it wakes itself once");
}

#[test]
fn a_message_for_a_dropped_future_is_not_lost() {
    // The first branch becomes ready for no reason, just when the second has got its message.
    let report = plainsong::explore(|| {
        let (sender, receiver) = channel::<u32>("kept");
        sender.send(7);
        block_on(async {
            let mut polls = 0;
            let odd = std::future::poll_fn(move |_| {
                polls += 1;
                if polls < 2 {
                    Poll::Pending
                } else {
                    Poll::Ready(())
                }
            });
            match select(pin!(odd), receiver.receive_async()).await {
                Either::Left(_) => {}
                Either::Right(_) => unreachable!("the first is asked first"),
            }
            assert_eq!(receiver.receive_async().await, 7);
        });
        sender.send(8);
        assert_eq!(receiver.receive(), 8);
    });
    report.assert_holds();
    assert_eq!(report.executions, 1);
}

#[test]
fn a_future_that_is_kept_but_not_polled_receives_nothing() {
    let report = plainsong::explore(|| {
        let (sender, receiver) = channel::<u32>("kept");
        sender.send(1);
        block_on(async {
            let mut kept = pin!(receiver.receive_async());
            tokio::select! {
                biased;
                () = std::future::ready(()) => {}
                _ = &mut kept => unreachable!("the other is ready at once"),
            }
            assert_eq!(tokio::time::sleep(std::time::Duration::ZERO).await, ());
            assert_eq!(kept.await, 1);
        });
    });
    report.assert_holds();
    assert_eq!(report.executions, 1);
}

#[test]
fn a_task_that_waits_for_nothing_is_a_deadlock_with_its_line() {
    let line = line!() + 4;
    let report = plainsong::explore(|| {
        let task = tokio::task::Builder::new()
            .name("stuck")
            .spawn(std::future::pending::<()>());
        block_on(task).ok();
    });
    let failure = &report.failures[0];
    assert_eq!(failure.kind, FailureKind::Deadlock);
    assert_eq!(
        failure.message,
        "deadlock: main waits for the result of stuck; stuck waits for something to wake it"
    );
    let place = format!("futures.rs:{line}:");
    assert!(
        failure.location.as_ref().unwrap().contains(&place),
        "{failure}"
    );

    let line = line!() + 1;
    let report = plainsong::explore(|| block_on(std::future::pending::<()>()));
    let failure = &report.failures[0];
    assert_eq!(
        failure.message,
        "deadlock: main waits for something to wake it"
    );
    let place = format!("futures.rs:{line}:");
    assert!(
        failure.location.as_ref().unwrap().contains(&place),
        "{failure}"
    );
}

#[test]
fn a_future_that_waits_for_a_message_shows_where_it_was_made() {
    async fn wait(receiver: plainsong::Receiver<u32>) -> u32 {
        receiver.receive_async().await // here
    }
    let line = line!() - 2;
    let report = plainsong::explore(|| {
        let (_sender, receiver) = channel("nothing");
        block_on(wait(receiver));
    });
    let failure = &report.failures[0];
    assert_eq!(failure.message, "deadlock: main waits for u32 on `nothing`");
    let place = format!("futures.rs:{line}:");
    assert!(
        failure.location.as_ref().unwrap().contains(&place),
        "{failure}"
    );
}

#[test]
fn futures_that_wake_themselves() {
    async fn wakes(times: u32) {
        let mut left = times;
        std::future::poll_fn(|cx| {
            if left == 0 {
                return Poll::Ready(());
            }
            left -= 1;
            cx.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }
    plainsong::explore(|| block_on(wakes(100))).assert_holds();
    let report = plainsong::explore(|| block_on(wakes(u32::MAX)));
    assert!(
        report.failures[0].message.contains("wakes itself"),
        "{report}"
    );
}

#[test]
fn block_on_inside_of_async_code_is_refused() {
    let report = plainsong::explore(|| block_on(async { block_on(async {}) }));
    assert!(
        report.failures[0].message.contains("use `.await`"),
        "{report}"
    );
    // One after the other is fine, and so is a blocking task.
    plainsong::explore(|| {
        block_on(async {});
        block_on(async {
            tokio::task::spawn_blocking(|| block_on(async {}))
                .await
                .unwrap();
        });
    })
    .assert_holds();
}

#[test]
fn a_panic_in_a_task_is_a_failure() {
    let report = plainsong::explore(|| {
        let task = tokio::spawn(async { assert_eq!(1, 2, "in a task") });
        block_on(task).unwrap();
    });
    assert_eq!(report.failures[0].kind, FailureKind::Panic);
    assert!(report.failures[0].message.contains("in a task"));
    assert_eq!(report.failures[0].process.as_deref(), Some("thread 1"));
}

#[test]
fn join_sets_give_results_as_they_come_and_abort_the_rest() {
    count_everywhere(6, || {
        || {
            block_on(async {
                let mut tasks = tokio::task::JoinSet::new();
                for n in 0..3 {
                    tasks.spawn(async move { n });
                }
                let mut sum = 0;
                while let Some(n) = tasks.join_next().await {
                    sum += n.unwrap();
                }
                assert_eq!((sum, tasks.len()), (3, 0));
            });
        }
    });
    let report = plainsong::explore(|| {
        block_on(async {
            let mut tasks = tokio::task::JoinSet::new();
            tasks.spawn(std::future::pending::<()>());
            drop(tasks);
        });
    });
    report.assert_holds();
    assert_eq!(
        report.executions, 2,
        "aborted before it begins, or where it waits"
    );
}

#[test]
fn is_finished_is_honest() {
    count_everywhere(2, || {
        || {
            let main = current();
            let task = tokio::spawn(async move { send(main, ()) });
            receive::<()>();
            // It has sent, but it may not be over yet.
            let first = task.is_finished();
            let second = first && !task.is_finished();
            assert!(!second, "once finished, always finished");
            block_on(task).unwrap();
        }
    });
    // Known through somebody else: it must be finished.
    count_everywhere(1, || {
        || {
            let task = tokio::spawn(async {});
            let main = current();
            block_on(async {
                let waiter = tokio::spawn(async move {
                    async_receive::<()>().await;
                    send(main, ());
                });
                send(waiter.process(), ());
                async_receive::<()>().await;
                waiter.await.unwrap();
            });
            block_on(task).unwrap();
        }
    });
}

#[test]
fn a_sleep_ends_and_sleeps_end_in_any_order() {
    use std::time::Duration;
    count_everywhere(1, || {
        || block_on(tokio::time::sleep(Duration::from_secs(1)))
    });
    count_everywhere(2, || {
        || {
            block_on(async {
                tokio::join!(
                    tokio::time::sleep(Duration::from_secs(1)),
                    tokio::time::sleep(Duration::from_secs(2))
                )
            });
        }
    });
}

#[test]
fn a_timeout_may_come_unless_what_it_waits_for_is_there() {
    use std::time::Duration;
    let second = Duration::from_secs(1);
    count_everywhere(2, || {
        move || {
            let (sender, receiver) = channel::<u32>("late");
            spawn(move || sender.send(1));
            let got = block_on(tokio::time::timeout(second, receiver.receive_async()));
            assert!(got.is_err() || got == Ok(1));
        }
    });
    count_everywhere(1, || {
        move || {
            let (sender, receiver) = channel::<u32>("there");
            sender.send(1);
            let got = block_on(tokio::time::timeout(second, receiver.receive_async()));
            assert_eq!(got, Ok(1));
        }
    });
    // What a joined process sent is there.
    count_everywhere(2, || {
        move || {
            let (sender, receiver) = channel::<u32>("joined");
            let child = spawn(move || {
                if choose_bool() {
                    sender.send(1);
                }
            });
            child.join();
            let got = block_on(tokio::time::timeout(second, receiver.receive_async()));
            cover(format!("{}", got.is_ok()));
        }
    });
}

#[test]
fn results_agree_on_a_larger_program() {
    let report = Explorer::new().run(|| {
        block_on(async {
            let mut tasks = tokio::task::JoinSet::new();
            for n in 0..3_u32 {
                tasks.spawn(async move {
                    tokio::task::yield_now().await;
                    if choose_bool() { n } else { 10 * n }
                });
            }
            let all = tasks.join_all().await;
            assert_eq!(all.len(), 3);
        });
    });
    report.assert_holds();
    assert_eq!(report.executions, 6 * 8);
}

#[test]
fn a_loop_that_only_waits_for_time_is_too_long() {
    use plainsong::{End, Explorer, Limit, tokio};
    let explorer = Explorer::new().limit_events(1000);
    let report = explorer.run(|| {
        tokio::block_on(async {
            loop {
                tokio::task::yield_now().await;
            }
        });
    });
    assert_eq!(report.end, End::Limit(Limit::Events));
    assert!(
        report.notes[0].contains("more than 1000 events"),
        "{report}"
    );
    let some = |passes: u32| {
        let report = explorer.run(move || {
            tokio::block_on(async {
                for _ in 0..passes {
                    tokio::task::yield_now().await;
                }
            });
        });
        report.assert_holds();
        (report.executions, report.events)
    };
    assert_eq!(some(100), (1, 1), "its end");
    assert_eq!(some(130), (1, 31));
}

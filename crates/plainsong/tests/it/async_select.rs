//! `select!`: who can win does, somewhere.

use crate::script::{DELIVERIES, every_way};
use plainsong::future::block_on;
use plainsong::{
    Report, channel, choose_bool, cover, current, explore, receive, send, spawn, tokio,
};
use std::collections::BTreeMap;
use std::time::Duration;

fn count_everywhere<F: Fn() + Send + Sync + 'static>(expected: u64, program: impl Fn() -> F) {
    for delivery in DELIVERIES {
        assert_eq!(every_way(delivery, &program), (expected, 0), "{delivery:?}");
    }
}

/// As [`count_everywhere`], where messages of one sender stay in order.
fn count_in_order<F: Fn() + Send + Sync + 'static>(expected: u64, program: impl Fn() -> F) {
    for delivery in &DELIVERIES[1..] {
        assert_eq!(
            every_way(*delivery, &program),
            (expected, 0),
            "{delivery:?}"
        );
    }
}

/// How many executions reach which mark.
fn covered(report: &Report) -> BTreeMap<&str, u64> {
    report.assert_holds();
    let marks = report.coverage.iter();
    marks.map(|(name, &count)| (name.as_str(), count)).collect()
}

#[test]
fn every_channel_with_a_message_wins() {
    let program = || {
        let (senders, receivers): (Vec<_>, Vec<_>) =
            ["a", "b", "c"].map(channel::<u32>).into_iter().unzip();
        for sender in senders {
            spawn(move || sender.send(1));
        }
        block_on(async {
            tokio::select! {
                n = receivers[0].receive_async() => cover(format!("a {n}")),
                n = receivers[1].receive_async() => cover(format!("b {n}")),
                n = receivers[2].receive_async() => cover(format!("c {n}")),
            }
        });
    };
    count_everywhere(3, || program);
    let report = explore(program);
    assert_eq!(
        covered(&report),
        [("a 1", 1), ("b 1", 1), ("c 1", 1)].into()
    );
}

#[test]
fn a_loop_that_is_told_to_stop() {
    // Between the jobs, or before or after them.
    for n in 0..4 {
        count_in_order(n + 1, || {
            move || {
                let (jobs, more) = channel::<u64>("jobs");
                let (stop, stopped) = channel::<()>("stop");
                spawn(move || (0..n).for_each(|job| jobs.send(job)));
                spawn(move || stop.send(()));
                let done = block_on(async {
                    let mut done = 0;
                    loop {
                        tokio::select! {
                            job = more.receive_async(), if done < n => {
                                assert_eq!(job, done);
                                done += 1;
                            }
                            () = stopped.receive_async() => break done,
                        }
                    }
                });
                assert!(done <= n);
            }
        });
    }
}

#[test]
fn branches_that_are_ready_at_once_all_win() {
    let program = || {
        block_on(async {
            tokio::select! {
                () = async {} => cover("first"),
                () = std::future::ready(()) => cover("second"),
                () = async {} => cover("third"),
            }
        });
    };
    count_everywhere(3, || program);
    let report = explore(program);
    assert_eq!(
        covered(&report),
        [("first", 1), ("second", 1), ("third", 1)].into()
    );
}

#[test]
fn the_first_of_biased_branches_that_are_ready_wins() {
    count_everywhere(1, || {
        || {
            block_on(async {
                tokio::select! {
                    biased;
                    () = std::future::pending() => unreachable!(),
                    n = async { 2 } => assert_eq!(n, 2),
                    () = async {} => unreachable!(),
                }
            });
        }
    });
}

#[test]
fn a_message_may_come_before_other_branches_begin() {
    let program = || {
        let (stop, stopped) = channel::<()>("stop");
        let main = current();
        let other = spawn(move || stop.send(()));
        block_on(async {
            tokio::select! {
                () = stopped.receive_async() => {}
                () = async {
                    send(main, "began");
                    std::future::pending::<()>().await;
                } => unreachable!(),
            }
        });
        other.wait();
        let began = plainsong::try_receive::<&str>().is_some();
        plainsong::cover_if(began, "began");
    };
    // It had not begun; it had, and that is seen or not.
    count_everywhere(3, || program);
    assert_eq!(covered(&explore(program)), [("began", 1)].into());
}

#[test]
fn in_biased_order_a_message_that_is_there_wins_against_later_branches() {
    count_everywhere(1, || {
        || {
            let (sender, receiver) = channel::<u32>("there");
            sender.send(1);
            let got = block_on(async {
                tokio::select! {
                    biased;
                    n = receiver.receive_async() => n,
                    () = async {} => 0,
                }
            });
            assert_eq!(got, 1);
        }
    });
    // Without bias the other may be first.
    count_everywhere(2, || {
        || {
            let (sender, receiver) = channel::<u32>("there");
            sender.send(1);
            block_on(async {
                tokio::select! {
                    n = receiver.receive_async() => n,
                    () = async {} => 0,
                }
            });
        }
    });
}

#[test]
fn branches_that_do_not_match_are_out() {
    // Two messages, each before or after the second branch begins.
    count_everywhere(4, || {
        || {
            let (sender, receiver) = channel::<Option<u32>>("maybe");
            let (other, others) = channel::<u32>("other");
            spawn(move || sender.send(choose_bool().then_some(1)));
            let got = block_on(async {
                tokio::select! {
                    Some(n) = receiver.receive_async() => n,
                    Ok(n) = async { Err::<u32, ()>(()) } => n,
                    else => 7,
                }
            });
            assert!(matches!(got, 1 | 7));
            other.send(2);
            let got = block_on(async {
                tokio::select! {
                    n = others.receive_async(), if got == 7 => n,
                    else => 8,
                }
            });
            assert!(matches!(got, 2 | 8));
        }
    });
}

#[test]
fn all_out_and_no_else_is_a_failure_at_the_users_line() {
    let line = line!() + 3;
    let report = explore(|| {
        block_on(async {
            tokio::select! {
                () = async {}, if false => {}
            }
        });
    });
    let failure = &report.failures[0];
    assert!(
        failure.message.contains("all branches are disabled"),
        "{report}"
    );
    let place = format!("async_select.rs:{line}:");
    assert!(
        failure.location.as_ref().unwrap().contains(&place),
        "{report}"
    );
}

#[test]
fn handlers_break_continue_return_and_await() {
    async fn run() -> Result<u32, String> {
        let mut sum = 0;
        for n in 0..4 {
            tokio::select! {
                m = async move { n } => match m {
                    0 => continue,
                    3 => break,
                    _ => sum += async { m }.await,
                },
            }
        }
        let text = tokio::select! {
            text = async { Ok::<_, String>("3") } => text?,
        };
        let three: u32 = text.parse().map_err(|_| "no number")?;
        Ok(sum + three)
    }
    explore(|| assert_eq!(block_on(run()), Ok(6))).assert_holds();
}

#[test]
fn losers_are_dropped_before_the_winner_goes_on() {
    explore(|| {
        let mut numbers = vec![1];
        block_on(async {
            tokio::select! {
                () = async { numbers.push(2); std::future::pending().await } => {}
                () = tokio::time::sleep(Duration::ZERO) => numbers.push(3),
            }
        });
        assert_eq!(numbers, [1, 2, 3]);
    })
    .assert_holds();
}

#[test]
fn a_sleep_in_a_loop_ends_at_any_time() {
    let program = || {
        let (jobs, more) = channel::<u32>("jobs");
        spawn(move || (0..2).for_each(|n| jobs.send(n)));
        let done = block_on(async {
            let mut done = 0;
            let sleep = tokio::time::sleep(Duration::from_secs(1));
            tokio::pin!(sleep);
            loop {
                tokio::select! {
                    _ = more.receive_async() => done += 1,
                    () = &mut sleep => break done,
                }
            }
        });
        cover(format!("{done} done"));
    };
    count_in_order(3, || program);
    assert_eq!(explore(program).coverage.len(), 3);
}

#[test]
fn tasks_race_too() {
    count_everywhere(2, || {
        || {
            block_on(async {
                let mut left = tokio::spawn(async { 1 });
                let mut right = tokio::spawn(async { 2 });
                let (first, second) = tokio::select! {
                    n = &mut left => (n.unwrap(), right.await.unwrap()),
                    n = &mut right => (n.unwrap(), left.await.unwrap()),
                };
                assert_eq!(first + second, 3);
            });
        }
    });
}

#[test]
fn a_winner_among_async_blocks_that_wait() {
    // Who begins is chosen, and whether it has its message before the other begins, although nobody can tell:
    // see the header of `racing`.
    let program = || {
        let (left, from_left) = channel::<()>("left");
        let (right, from_right) = channel::<()>("right");
        spawn(move || left.send(()));
        spawn(move || right.send(()));
        block_on(async {
            tokio::select! {
                () = async { from_left.receive_async().await } => cover("left"),
                () = async { from_right.receive_async().await } => cover("right"),
            }
        });
    };
    assert_eq!(
        covered(&explore(program)),
        [("left", 3), ("right", 3)].into()
    );
}

#[test]
fn a_request_is_not_sent_twice_by_a_select_that_goes_on() {
    count_everywhere(2, || {
        || {
            let main = current();
            let server = spawn(move || {
                receive::<()>();
                send(main, 1_u32);
            });
            let (tick, ticks) = channel::<()>("tick");
            spawn(move || tick.send(()));
            block_on(async {
                let request = async {
                    send(server.process(), ());
                    plainsong::future::async_receive::<u32>().await
                };
                tokio::pin!(request);
                let mut ticked = false;
                loop {
                    tokio::select! {
                        biased;
                        n = &mut request => break assert_eq!(n, 1),
                        () = ticks.receive_async(), if !ticked => ticked = true,
                    }
                }
            });
        }
    });
}

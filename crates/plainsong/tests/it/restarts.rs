//! Only what has changed runs again; programs that cannot bear that are run as a whole.

use crate::script::every_way;
use plainsong::{
    Delivery, Explorer, Process, Receiver, Restart, Sender, channel, choose, cover, current,
    explore, messages, receive, send, spawn, spawn_named, try_receive,
};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

#[test]
fn a_process_that_only_sends_runs_once() {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let report = Explorer::new().restart(Restart::Changed).run(|| {
        let main = current();
        for n in 0..5_u32 {
            spawn(move || {
                RUNS.fetch_add(1, Ordering::Relaxed);
                send(main, n);
            });
        }
        (0..5).for_each(|_| assert!(receive::<u32>() < 5));
    });
    assert_eq!(report.executions, 120);
    // Once each for the exploration, and twice, in two orders, for the checks of executions 1, 2, 4, …, 64.
    assert_eq!(RUNS.load(Ordering::Relaxed), 5 + 2 * 5 * 7);
}

#[test]
fn shared_state_is_noticed_and_the_program_run_as_a_whole() {
    let program = || {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let main = current();
        let children = [1_u32, 2].map(|n| {
            let seen = Arc::clone(&seen);
            spawn(move || {
                seen.lock().unwrap().push(n);
                send(main, n);
            })
        });
        let first = receive::<u32>();
        for child in children {
            child.join();
        }
        let mut seen = seen.lock().unwrap().clone();
        seen.sort_unstable();
        assert_eq!(seen, [1, 2], "after {first}");
        send(main, first);
    };
    let report = Explorer::new().run(program);
    assert_eq!(report.verdict, plainsong::Verdict::Unknown, "{report}");
    assert_eq!(report.executions, 2);
    assert_eq!(report.restart, Restart::All);
    assert!(report.notes[0].contains("share state"), "{report}");
    // Who says that the order does not matter gets an answer.
    let report = Explorer::new().restart(Restart::All).run(program);
    report.assert_holds();
    assert!(report.notes.is_empty(), "{report}");
}

#[test]
fn results_of_children_that_did_not_run_again() {
    // The parent runs again, its children do not: their results are still there.
    let program = || {
        let children = [10_u32, 20].map(|n| spawn(move || vec![n, n + 1]));
        let main = current();
        for n in [1_u32, 2] {
            spawn(move || send(main, n));
        }
        let order = (receive::<u32>(), receive::<u32>());
        let sum: u32 = children.map(|child| child.join().iter().sum()).iter().sum();
        assert_eq!(sum, 62);
        cover(format!("{order:?}"));
    };
    for delivery in crate::script::DELIVERIES {
        assert_eq!(every_way(delivery, || program), (2, 0));
    }
}

#[test]
fn children_of_children() {
    fn tree(depth: u32, to: plainsong::Process) -> u32 {
        if depth == 0 {
            send(to, 1_u32);
            return 1;
        }
        let children = [(); 2].map(|()| spawn(move || tree(depth - 1, to)));
        children.map(|child| child.join()).iter().sum()
    }
    let program = || {
        let main = current();
        let root = spawn(move || tree(2, main));
        (0..4).for_each(|_| assert_eq!(receive::<u32>(), 1));
        assert_eq!(root.join(), 4);
    };
    for delivery in crate::script::DELIVERIES {
        assert_eq!(every_way(delivery, || program), (24, 0));
    }
}

#[test]
fn choices_after_a_join() {
    // What a process does after a join is looked at again; its choices must not get lost.
    let program = || {
        let main = current();
        let child = spawn(move || {
            if choose(0..2) == 1 {
                send(main, 1_u32);
            }
        });
        child.join();
        if choose([false, true]) {
            send(main, 2_u32);
            cover("chosen");
        }
    };
    for delivery in crate::script::DELIVERIES {
        assert_eq!(every_way(delivery, || program), (4, 0));
    }
}

#[test]
fn children_spawned_after_a_race() {
    // What is spawned, and with what, depends on what was received.
    let program = || {
        let main = current();
        for n in [1_u32, 2, 3] {
            spawn(move || send(main, n));
        }
        let mut results = Vec::new();
        for _ in 0..3 {
            let n = receive::<u32>();
            if n != 2 {
                let child = spawn_named(format!("child {n}"), move || n * choose([1, 10]));
                results.push(child);
            }
        }
        let sum: u32 = results.into_iter().map(plainsong::JoinHandle::join).sum();
        assert!([4, 13, 31, 40].contains(&sum));
    };
    for delivery in crate::script::DELIVERIES {
        assert_eq!(every_way(delivery, || program), (24, 0));
    }
}

/// A random program as a tree: what a process does, children included.
#[derive(Clone, Debug)]
enum Act {
    Send(usize),
    Receive,
    Try,
    Choose,
    Spawn(usize, Vec<Act>),
    Join,
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> usize {
        self.0 = self
            .0
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        ((self.0 >> 33) % n) as usize
    }
}

/// What a process does; `processes` counts how many there are so far.
fn acts(random: &mut Random, processes: &mut usize, depth: usize, left: &mut usize) -> Vec<Act> {
    let mut acts = Vec::new();
    for _ in 0..2 + random.below(6) {
        if *left == 0 {
            break;
        }
        *left -= 1;
        acts.push(match random.below(16) {
            0 => Act::Choose,
            1..=4 => Act::Send(random.below(4)),
            5..=6 => Act::Receive,
            7 => Act::Try,
            8 => Act::Join,
            _ if depth == 0 || *processes == 4 => Act::Send(random.below(2)),
            _ => {
                let me = *processes;
                *processes += 1;
                Act::Spawn(me, acts_of_child(random, processes, depth, left))
            }
        });
    }
    acts
}

fn acts_of_child(
    random: &mut Random,
    processes: &mut usize,
    depth: usize,
    left: &mut usize,
) -> Vec<Act> {
    acts(random, processes, depth - 1, left)
}

/// Mailboxes of four processes; each takes its own.
#[derive(Clone)]
struct Boxes {
    senders: Vec<Sender<usize>>,
    receivers: std::rc::Rc<Vec<Receiver<usize>>>,
}

/// Performs a random process and returns a number that depends on all it saw.
fn perform(me: usize, acts: &[Act], boxes: &Boxes) -> usize {
    let mut saw = me;
    let mut children = Vec::new();
    for act in acts {
        let got = match act {
            Act::Send(to) => {
                boxes.senders[*to].send(saw % 7);
                0
            }
            Act::Receive => 1 + boxes.receivers[me].receive(),
            Act::Try => 2 + boxes.receivers[me].try_receive().unwrap_or(9),
            Act::Choose => choose(0..2),
            Act::Spawn(child, acts) => {
                let (child, acts, boxes) = (*child, acts.clone(), boxes.clone());
                // What it was spawned with matters.
                children.push(spawn(move || saw + perform(child, &acts, &boxes)));
                0
            }
            Act::Join => children.pop().map_or(0, plainsong::JoinHandle::join),
        };
        saw = saw * 13 % 10_007 + got;
    }
    cover(format!("{me}: {saw}"));
    saw
}

#[test]
fn random_trees_of_processes_see_the_same_however_they_are_run() {
    let programs: u32 =
        std::env::var("PLAINSONG_PROGRAMS").map_or(150, |n| n.parse().expect("a number"));
    let mut random = Random(42);
    let mut largest = 0;
    for number in 0..programs {
        let acts = Arc::new(acts(&mut random, &mut 1, 2, &mut 16));
        for delivery in [Delivery::Unordered, Delivery::Fifo, Delivery::Mailbox] {
            let run = |explorer: Explorer| -> (u64, u64, BTreeMap<String, u64>) {
                let acts = Arc::clone(&acts);
                let report = explorer
                    .delivery(delivery)
                    .allow_deadlock(true)
                    .run(move || {
                        let (senders, receivers) = (0..4).map(|n| channel(format!("{n}"))).unzip();
                        let receivers: Vec<Receiver<usize>> = receivers;
                        let boxes = Boxes {
                            senders,
                            receivers: receivers.into(),
                        };
                        perform(0, &acts, &boxes);
                    });
                report.assert_holds();
                (report.executions, report.blocked, report.coverage)
            };
            let expected = run(Explorer::new().restart(Restart::All));
            let usual = Explorer::new().restart(Restart::Changed);
            largest = largest.max(expected.0 + expected.1);
            assert_eq!(
                run(usual.clone()),
                expected,
                "{number} {delivery:?} {acts:#?}"
            );
            assert_eq!(
                run(usual.clone().seed(3)),
                expected,
                "{number} {delivery:?} {acts:#?}"
            );
            assert_eq!(
                run(usual.clone().jobs(2)),
                expected,
                "{number} {delivery:?} {acts:#?}"
            );
        }
    }
    assert!(
        largest > 50,
        "some programs have many executions, not {largest}"
    );
}

#[test]
fn tries_of_a_parent_and_its_children() {
    let program = || {
        let main = current();
        let child = spawn(move || {
            let got = try_receive::<u32>();
            send(main, got);
            got.map_or(0, |n| n + 1)
        });
        send(child.process(), 5_u32);
        let seen = try_receive::<Option<u32>>();
        let result = child.join();
        assert!(matches!(
            (seen, result),
            (None, 0 | 6) | (Some(None), 0) | (Some(Some(5)), 6)
        ));
    };
    for delivery in crate::script::DELIVERIES {
        assert_eq!(every_way(delivery, || program), (4, 0));
    }
}

#[test]
fn shared_state_that_travels_in_messages_belongs_to_its_execution() {
    // A slot is sent along and filled by the receiver. If an old slot were delivered, the new one
    // would stay empty.
    let program = || {
        let main = current();
        let worker = spawn(move || {
            let slot = receive::<Arc<Mutex<Vec<u32>>>>();
            for _ in 0..2 {
                let n = receive::<u32>();
                slot.lock().unwrap().push(n);
            }
            send(main, ());
        })
        .process();
        let slot = Arc::new(Mutex::new(Vec::<u32>::new()));
        send(worker, Arc::clone(&slot));
        for n in [1_u32, 2] {
            spawn(move || send(worker, n));
        }
        receive::<()>();
        assert_eq!(slot.lock().unwrap().len(), 2);
    };
    for restart in [Restart::All, Restart::Auto] {
        let report = Explorer::new().restart(restart).run(program);
        report.assert_no_failure();
        assert_eq!(report.executions, 2);
    }
}

#[test]
fn shared_state_that_is_returned_belongs_to_its_execution() {
    let program = || {
        let main = current();
        let maker = spawn(|| Arc::new(Mutex::new(Vec::new())));
        let slot = maker.join();
        for n in [1_u32, 2] {
            let slot = Arc::clone(&slot);
            spawn(move || {
                slot.lock().unwrap().push(n);
                send(main, n);
            });
        }
        let first = receive::<u32>();
        receive::<u32>();
        assert_eq!(slot.lock().unwrap().len(), 2, "after {first}");
    };
    let report = Explorer::new().restart(Restart::All).run(program);
    report.assert_holds();
    assert_eq!(report.executions, 2);
}

#[test]
fn a_process_that_gets_the_same_answer_again_is_not_run_again() {
    let (thanks, counted) = counter();
    let report = explore(move || {
        let server = spawn(|| {
            let clients = [(); 3].map(|()| receive::<Process>());
            for client in clients {
                send(client, true);
            }
        });
        let server = server.process();
        for _ in 0..3 {
            let thanks = Arc::clone(&thanks);
            spawn(move || {
                send(server, current());
                receive::<bool>();
                thanks.fetch_add(1, Ordering::Relaxed);
            });
        }
    });
    report.assert_holds();
    assert_eq!(report.executions, 6);
    // Three in the first execution, and three in each of those that were run again twice to be compared: the
    // first, the second and the fourth.
    assert_eq!(counted.load(Ordering::Relaxed), 21);
}

#[test]
fn the_same_value_from_somebody_else_is_another_answer() {
    let report = explore(|| {
        let main = current();
        let first = spawn(move || send(main, true)).process();
        spawn(move || send(main, true));
        receive::<bool>();
        let (_, info) = messages::<bool>().receive_with_info();
        cover(if info.from() == first {
            "first"
        } else {
            "second"
        });
    });
    assert_eq!(report.executions, 2);
    assert_eq!(
        (report.coverage["first"], report.coverage["second"]),
        (1, 1)
    );
}

#[test]
fn the_same_answer_after_another_one_goes_on_from_there() {
    let report = explore(|| {
        let client = spawn(|| (receive::<u8>(), receive::<u8>()));
        let to = client.process();
        let server = spawn(move || {
            let n = receive::<u8>() + receive::<u8>() * 2;
            send(to, n % 2);
            send(to, n);
        });
        for n in [1_u8, 2, 3] {
            let server = server.process();
            spawn(move || send(server, n));
        }
        let (low, n) = client.join();
        assert_eq!(low, n % 2);
        cover(n.to_string());
    });
    assert_eq!(report.executions, 6);
    let sums: Vec<&str> = report.coverage.keys().map(String::as_str).collect();
    assert_eq!(sums, ["4", "5", "7", "8"]);
}

fn counter() -> (Arc<AtomicUsize>, Arc<AtomicUsize>) {
    let counter = Arc::new(AtomicUsize::new(0));
    (Arc::clone(&counter), counter)
}

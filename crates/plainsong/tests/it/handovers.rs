//! Receivers and handles that are handed on after their first use: who receives has it from who received before,
//! so nothing changes but names.
//!
//! The random test plays a program twice: once by a single process, once by several that hand two receivers
//! on, by spawning or in a message. Both have the same executions.

use crate::random::Random;
use plainsong::sync::{Arc, Mutex, mpsc};
use plainsong::tokio::task::JoinSet;
use plainsong::{
    Delivery, End, Explorer, FailureKind, Receiver, Report, Restart, Sender, Verdict, channel,
    cover, explore, receive, send, spawn, thread, tokio,
};
use std::collections::BTreeMap;
use std::rc::Rc;

#[derive(Clone, Copy, Debug)]
enum Step {
    Receive(usize),
    TryReceive(usize),
    /// Sends to one of the two channels, or wakes the helper.
    Send(usize),
    /// Hands the receivers on: in a message, or by spawning.
    HandOn(bool),
}

/// What the one who has the receivers does, what others send, and whether the first of them waits for a word.
#[derive(Clone, Debug)]
struct Program {
    line: Vec<Step>,
    others: Vec<Vec<usize>>,
    waits: bool,
}

#[derive(Clone, Debug)]
struct Baton {
    receivers: [Receiver<u32>; 2],
    at: usize,
    log: Vec<Option<u32>>,
}

fn play(program: &Arc<Program>, hands_on: bool) {
    let (senders, receivers): (Vec<Sender<u32>>, Vec<Receiver<u32>>) =
        ["a", "b", "word"].map(channel::<u32>).into_iter().unzip();
    let [a, b, word] = <[_; 3]>::try_from(receivers).expect("three channels");
    let mut word = Some(word).filter(|_| program.waits);
    for (number, sends) in program.others.iter().cloned().enumerate() {
        let (senders, word) = (senders.clone(), word.take());
        spawn(move || {
            if let Some(word) = word {
                word.receive();
            }
            for (count, to) in sends.into_iter().enumerate() {
                senders[to].send((10 * (number + 1) + count) as u32);
            }
        });
    }
    let baton = Baton {
        receivers: [a, b],
        at: 0,
        log: Vec::new(),
    };
    run(program, hands_on, &senders, baton);
}

fn run(program: &Arc<Program>, hands_on: bool, senders: &[Sender<u32>], mut baton: Baton) {
    while let Some(&step) = program.line.get(baton.at) {
        baton.at += 1;
        match step {
            Step::Receive(from) => baton.log.push(Some(baton.receivers[from].receive())),
            Step::TryReceive(from) => baton.log.push(baton.receivers[from].try_receive()),
            Step::Send(to) => senders[to].send(baton.at as u32),
            Step::HandOn(_) if !hands_on => {}
            Step::HandOn(in_a_message) => {
                let (program, senders) = (Arc::clone(program), senders.to_vec());
                if in_a_message {
                    let heir = spawn(move || run(&program, hands_on, &senders, receive()));
                    send(heir.process(), baton);
                } else {
                    spawn(move || run(&program, hands_on, &senders, baton));
                }
                return;
            }
        }
    }
    cover(format!("{:?}", baton.log));
}

fn generate(random: &mut Random) -> Program {
    let mut line = Vec::new();
    for _ in 0..5 + random.below(4) {
        line.push(match random.below(9) {
            0..=2 => Step::Receive(random.below(2) as usize),
            3 => Step::TryReceive(random.below(2) as usize),
            4 => Step::Send(random.below(3) as usize),
            5..=6 => Step::HandOn(true),
            _ => Step::HandOn(false),
        });
    }
    let others = (0..2 + random.below(2)).map(|_| {
        let sends = 1 + random.below(3);
        (0..sends).map(|_| random.below(2) as usize).collect()
    });
    Program {
        line,
        others: others.collect(),
        waits: random.below(2) == 0,
    }
}

type Counts = (u64, u64, BTreeMap<String, u64>);

fn counts(report: &Report) -> Counts {
    report.assert_holds();
    (report.executions, report.blocked, report.coverage.clone())
}

#[test]
fn who_receives_makes_no_difference() {
    let programs = std::env::var("PLAINSONG_PROGRAMS");
    let programs: u64 = programs.map_or(60, |n| n.parse().unwrap());
    let mut most = 0;
    for seed in 1..=programs {
        let program = generate(&mut Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        // Messages of several are not in the order of one.
        let sends = program
            .line
            .iter()
            .any(|step| matches!(step, Step::Send(_)));
        let program = Arc::new(program);
        for delivery in [
            Delivery::Unordered,
            Delivery::Fifo,
            Delivery::Causal,
            Delivery::Mailbox,
        ] {
            if matches!(delivery, Delivery::Fifo) && sends {
                continue;
            }
            let usual = Explorer::new().delivery(delivery).allow_deadlock(true);
            let played = |explorer: &Explorer, hands_on: bool| {
                let program = Arc::clone(&program);
                counts(&explorer.run(move || play(&program, hands_on)))
            };
            let expected = played(&usual, false);
            most = most.max(expected.0);
            for explorer in [
                usual.clone().restart(Restart::Changed),
                usual.clone().restart(Restart::All),
                usual.clone().restart(Restart::Changed).seed(seed),
                usual.clone().restart(Restart::Changed).jobs(2),
            ] {
                let found = played(&explorer, true);
                assert_eq!(found, expected, "seed {seed}, {delivery:?}: {program:?}");
            }
        }
    }
    assert!(most > 50, "some programs have many executions, not {most}");
}

#[test]
fn a_receiver_is_handed_on_by_a_spawn_and_back_by_a_join() {
    let report = explore(|| {
        let (sender, receiver) = mpsc::channel();
        for n in 1..=3 {
            let sender = sender.clone();
            thread::spawn(move || sender.send(n).unwrap());
        }
        let first = receiver.recv().unwrap();
        let heir = thread::spawn(move || (receiver.recv().unwrap(), receiver));
        let (second, receiver) = heir.join().unwrap();
        let third = receiver.recv().unwrap();
        assert_eq!(first + second + third, 6);
    });
    report.assert_holds();
    assert_eq!(report.executions, 6);
}

#[test]
fn a_receiver_travels_in_a_message() {
    explore(|| {
        let (sender, receiver) = mpsc::sync_channel(2);
        let (hand_on, handed_on) = mpsc::channel::<mpsc::Receiver<u8>>();
        let heir = thread::spawn(move || handed_on.recv().unwrap().recv());
        sender.send(1).unwrap();
        sender.send(2).unwrap();
        assert_eq!(receiver.recv(), Ok(1));
        hand_on.send(receiver).unwrap();
        assert_eq!(heir.join().unwrap(), Ok(2));
    })
    .assert_holds();
}

/// The pool of threads that everybody has written once.
fn pool(until_the_end: bool) -> Report {
    Explorer::new().run(move || {
        let (sender, receiver) = mpsc::channel();
        let receiver = Arc::new(Mutex::new(receiver));
        let workers = [1, 2].map(|_| {
            let receiver = Arc::clone(&receiver);
            thread::spawn(move || {
                let mut done = Vec::new();
                loop {
                    let job = receiver.lock().unwrap().recv();
                    let Ok(job) = job else { break };
                    done.push(job);
                    if !until_the_end {
                        break;
                    }
                }
                done
            })
        });
        sender.send(1).unwrap();
        sender.send(2).unwrap();
        drop(sender);
        let mut done = workers.map(|worker| worker.join().unwrap()).concat();
        done.sort_unstable();
        assert_eq!(done, [1, 2]);
    })
}

#[test]
fn a_lock_hands_a_receiver_on() {
    let report = pool(true);
    report.assert_holds();
    // Who takes each job, and who sees the end first.
    assert_eq!(report.executions, 8);
    let report = pool(false);
    report.assert_holds();
    assert_eq!(report.executions, 2);
}

#[test]
fn what_lost_a_select_is_handed_on() {
    use tokio::sync::oneshot;
    let report = explore(|| {
        tokio::block_on(async {
            let (sender, mut receiver) = oneshot::channel();
            tokio::spawn(async move { sender.send(3).unwrap() });
            let early = tokio::select! {
                n = &mut receiver => Some(n),
                () = tokio::time::sleep(tokio::time::Duration::from_secs(1)) => None,
            };
            let n = match early {
                Some(n) => n,
                None => tokio::spawn(receiver).await.unwrap(),
            };
            assert_eq!(n, Ok(3));
        });
    });
    report.assert_holds();
    assert_eq!(report.executions, 2);
}

#[test]
fn a_set_of_tasks_is_handed_on() {
    let report = explore(|| {
        tokio::block_on(async {
            let mut tasks = JoinSet::new();
            for n in 1..=3 {
                tasks.spawn(async move { n });
            }
            let first = tasks.join_next().await.unwrap().unwrap();
            let rest = tokio::spawn(async move { tasks.join_all().await });
            assert_eq!(first + rest.await.unwrap().iter().sum::<i32>(), 6);
        });
    });
    report.assert_holds();
    assert_eq!(report.executions, 6);
}

#[test]
fn who_asked_need_not_be_who_joins() {
    let report = explore(|| {
        let worker = thread::spawn(|| 1);
        let was_finished = worker.is_finished();
        let other = thread::spawn(move || (worker.is_finished(), worker.join().unwrap()));
        let (is_finished, result) = other.join().unwrap();
        assert!(!was_finished || is_finished);
        assert_eq!(result, 1);
    });
    report.assert_holds();
}

#[test]
fn an_heir_that_gets_less_than_it_expects_is_found() {
    let report = explore(|| {
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || (1..=2).for_each(|n| sender.send(n).unwrap()));
        let first = receiver.try_recv().unwrap_or(0);
        thread::spawn(move || assert_eq!(receiver.recv(), Ok(first + 1)));
        assert!(first < 1, "the heir is not to blame");
    });
    assert_eq!(report.verdict, Verdict::Refuted);
}

#[test]
fn receivers_that_nothing_orders_are_not_explored() {
    let report = explore(|| {
        let (sender, receiver) = channel::<u32>("shared");
        let receiver = Rc::new(receiver);
        for _ in 0..2 {
            let receiver = Rc::clone(&receiver);
            spawn(move || receiver.receive());
        }
        sender.send(1);
        sender.send(2);
    });
    assert_eq!(
        (report.verdict, report.end),
        (Verdict::Unknown, End::Unsupported)
    );
    assert_eq!(report.failures[0].kind, FailureKind::TwoReceivers);
    assert_eq!(report.failed, 0);
}

#[test]
#[should_panic(expected = "a `mpsc::Receiver` has one owner")]
fn a_receiver_is_not_cloned() {
    explore(|| {
        let (_sender, receiver) = mpsc::channel::<u8>();
        drop(receiver.clone());
    })
    .assert_holds();
}

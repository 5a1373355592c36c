//! The cases that every explorer of this kind should agree on and that are no scripts: sets, locks,
//! monitors, faults, selection by sender. Under every order of delivery, with the processes spawned in
//! every order, whatever runs again, with several jobs and schedules.

use crate::counting::counts;
use crate::script::DELIVERIES;
use plainsong::{
    Delivery, Explorer, Letter, Process, channel, choose_bool, current, inbox, messages, receive,
    select, send, shared_channel, spawn, sync, thread, try_receive,
};
use std::sync::Arc;

/// All orders of 0, 1, …
fn orders<const N: usize>() -> Vec<[usize; N]> {
    let mut orders = vec![Vec::new()];
    for n in 0..N {
        let longer = orders.iter().flat_map(|order: &Vec<usize>| {
            (0..=order.len()).map(move |at| {
                let mut order = order.clone();
                order.insert(at, n);
                order
            })
        });
        orders = longer.collect();
    }
    let whole = |order: Vec<usize>| order.try_into().expect("all of them");
    orders.into_iter().map(whole).collect()
}

/// Checks a program under every order of delivery and in every order of its parts.
#[track_caller]
fn check<const N: usize, F: Fn() + Copy + Send + Sync + 'static>(
    explorer: &Explorer,
    expected: [(u64, u64); 4],
    program: impl Fn([usize; N]) -> F,
) {
    for (delivery, expected) in DELIVERIES.into_iter().zip(expected) {
        for order in orders::<N>() {
            let explorer = explorer.clone().delivery(delivery);
            let counted = counts(&explorer, program(order));
            assert_eq!(counted, expected, "{delivery:?} {order:?}");
        }
    }
}

struct Votes;

#[plainsong::monitor(bool)]
impl Votes {
    fn vote(&mut self, _vote: &bool) {}
}

#[test]
fn c14_monitored_two_phase_commit() {
    for n in 1..=2_u64 {
        let orders = (1..=n).product::<u64>();
        let expected = (1 << n) * orders * orders;
        check(
            &Explorer::new().monitor(|| Votes),
            [(expected, 0); 4],
            move |_: [usize; 1]| {
                move || {
                    let main = current();
                    let voter = || {
                        spawn(move || {
                            send(main, choose_bool());
                            receive::<u8>()
                        })
                    };
                    let voters: Vec<_> = (0..n).map(|_| voter()).collect();
                    let all = (0..n).fold(true, |all, _| receive::<bool>() && all);
                    voters
                        .iter()
                        .for_each(|voter| send(voter.process(), u8::from(all)));
                    voters
                        .into_iter()
                        .for_each(|voter| assert_eq!(voter.join(), u8::from(all)));
                }
            },
        );
    }
}

#[test]
fn c15_and_c16_a_set_of_messages() {
    check(&Explorer::new(), [(8, 0); 4], |order: [usize; 3]| {
        move || {
            let main = current();
            for n in order {
                spawn(move || send(main, n));
            }
            assert!(inbox::<usize>().len() <= 3);
        }
    });
    let stream = [(8, 0), (4, 0), (4, 0), (4, 0)];
    check(&Explorer::new(), stream, |order: [usize; 2]| {
        move || {
            // The receiver before or after the sender.
            let receive_all = || assert!(inbox::<u32>().len() <= 3);
            let send_all = |to: Process| (0..3_u32).for_each(|n| send(to, n));
            if order[0] == 0 {
                let receiver = spawn(receive_all).process();
                spawn(move || send_all(receiver));
            } else {
                let main = current();
                spawn(move || send_all(main));
                receive_all();
            }
        }
    });
}

#[test]
fn c17_and_s1_a_mutex() {
    check(&Explorer::new(), [(6, 0); 4], |order: [usize; 3]| {
        move || {
            let mutex = Arc::new(sync::Mutex::new(0));
            let threads = order.map(|n| {
                let mutex = Arc::clone(&mutex);
                thread::spawn(move || *mutex.lock().unwrap() += n)
            });
            threads
                .into_iter()
                .for_each(|thread| thread.join().unwrap());
        }
    });
}

#[test]
fn s2_a_race_to_set_a_flag() {
    check(&Explorer::new(), [(2, 0); 4], |order: [usize; 2]| {
        move || {
            use sync::atomic::{AtomicBool, Ordering::SeqCst};
            let flag = Arc::new(AtomicBool::new(false));
            let threads = order.map(|_| {
                let flag = Arc::clone(&flag);
                thread::spawn(move || {
                    let set = flag.compare_exchange(false, true, SeqCst, SeqCst);
                    usize::from(set.is_ok())
                })
            });
            let winners = threads.map(|thread| thread.join().unwrap());
            assert_eq!(winners.iter().sum::<usize>(), 1);
        }
    });
}

#[test]
fn c18_lossy_messages_that_nobody_receives() {
    // Where mailboxes have one order, a message that may be lost is decided on when it is sent.
    let explorer = Explorer::new().losses(3);
    for delivery in [Delivery::Unordered, Delivery::Fifo, Delivery::Causal] {
        let explorer = explorer.clone().delivery(delivery);
        for order in orders::<3>() {
            let counted = counts(&explorer, move || {
                let main = current();
                for n in order {
                    spawn(move || Letter::new(n).lossy().send(main));
                }
            });
            assert_eq!(counted, (1, 0), "{delivery:?}");
        }
    }
}

#[test]
fn l17_a_receive_that_selects_its_sender() {
    let program = |order: [usize; 4], waits: bool| {
        move || {
            let main = current();
            let mut senders = [main; 4];
            for n in order {
                senders[n] = spawn(move || send(main, n)).process();
            }
            let from = messages::<usize>().from(senders[2]);
            match waits {
                true => assert_eq!(from.receive(), 2),
                false => assert!(from.try_receive().is_none_or(|n| n == 2)),
            }
        }
    };
    check(&Explorer::new(), [(1, 0); 4], |order| program(order, true));
    check(&Explorer::new(), [(2, 0); 4], |order| program(order, false));
}

#[test]
fn b6_nothing_comes_from_the_future() {
    check(&Explorer::new(), [(1, 0); 4], |_: [usize; 1]| {
        || {
            let main = current();
            assert_eq!(try_receive::<u32>(), None);
            spawn(move || send(main, 1_u32));
        }
    });
    check(&Explorer::new(), [(1, 0); 4], |_: [usize; 1]| {
        || {
            let other = spawn(|| assert_eq!(try_receive::<u32>(), None));
            let to = other.process();
            other.join();
            send(to, 1_u32);
        }
    });
}

#[test]
fn b9_select_over_two_channels() {
    check(&Explorer::new(), [(3, 0); 4], |order: [usize; 2]| {
        move || {
            let (first, first_end) = channel::<usize>("first");
            let (second, second_end) = channel::<usize>("second");
            let senders = [first, second];
            for n in order {
                let sender = senders[n].clone();
                spawn(move || sender.send(n));
            }
            let got = select()
                .on(&first_end, |n| n)
                .on(&second_end, |n| n)
                .try_receive();
            assert!(got.is_none_or(|n| n < 2));
        }
    });
}

#[test]
fn b12_two_receivers_of_one_channel() {
    // One of them gets the message, and the other waits for ever.
    check(&Explorer::new(), [(0, 2); 4], |order: [usize; 2]| {
        move || {
            let (sender, receiver) = shared_channel::<usize>("jobs");
            for _ in order {
                let receiver = receiver.clone();
                spawn(move || receiver.receive());
            }
            sender.send(1);
        }
    });
    // Nothing and nothing; the first message to one of them; both, one each. Out of order, a lone
    // message is either, and two are taken in either order as well.
    let tries = [(9, 0), (5, 0), (5, 0), (5, 0)];
    check(&Explorer::new(), tries, |order: [usize; 2]| {
        move || {
            let (sender, receiver) = shared_channel::<usize>("jobs");
            for _ in order {
                let receiver = receiver.clone();
                spawn(move || receiver.try_receive());
            }
            sender.send(1);
            sender.send(2);
        }
    });
}

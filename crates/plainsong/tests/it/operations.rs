//! Operations one by one.

use crate::script::{DELIVERIES, every_way};
use plainsong::{
    AnyMessage, Builder, Choices, End, Explorer, Letter, Limit, Process, Tag, Verdict, assume,
    choose, choose_any, choose_bool, cover, cover_if, current, messages, receive, receive_any,
    receive_timeout, receive_where, select, send, spawn, spawn_daemon, spawn_named, try_receive,
    try_receive_any, try_receive_where,
};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

#[test]
fn receives_select_by_type() {
    plainsong::explore(|| {
        send(current(), 1_u8);
        send(current(), 2_u16);
        send(current(), "three");
        assert_eq!(try_receive::<u64>(), None);
        assert_eq!(receive::<&str>(), "three");
        assert_eq!(receive::<u16>(), 2);
        assert_eq!(receive_any().downcast::<u8>().unwrap(), 1);
        assert!(try_receive_any().is_none());
    })
    .assert_holds();
}

#[test]
fn any_message_knows_where_it_comes_from() {
    plainsong::explore(|| {
        let main = current();
        let child = spawn(move || Letter::new(5_u32).tagged("five").send(main));
        let message: AnyMessage = receive_any();
        assert!(message.is::<u32>() && !message.is::<u8>());
        assert_eq!(message.get::<u32>(), Some(&5));
        assert_eq!(message.info().from(), child.process());
        assert_eq!(message.info().tag(), Some(&Tag::from("five")));
        assert_eq!(
            message
                .downcast::<u8>()
                .unwrap_err()
                .downcast::<u32>()
                .unwrap(),
            5
        );
    })
    .assert_holds();
}

#[test]
fn conditions_add_up() {
    plainsong::explore(|| {
        let main = current();
        for n in 1..=6_u32 {
            Letter::new(n).tagged(n % 2).send(main);
        }
        let wanted = messages::<u32>()
            .tagged(0)
            .filter(|n, _| *n > 2)
            .filter(|n, _| *n < 6);
        assert_eq!(wanted.receive(), 4);
        assert_eq!(
            receive_where(|n: &u32, info| info.tag() == Some(&Tag::from(1)) && *n > 4),
            5
        );
        assert!(matches!(
            try_receive_where(|n: &u32, _| *n == 6),
            None | Some(6)
        ));
        assert_eq!(messages::<u32>().tagged(7).try_receive(), None);
        assert_eq!(receive_timeout::<String>(Duration::ZERO), None);
    })
    .assert_holds();
}

#[test]
fn tags_are_numbers_words_and_lists() {
    plainsong::explore(|| {
        let main = current();
        Letter::new('a').tagged([1, 2]).send(main);
        Letter::new('b').tagged(("x", "y")).send(main);
        Letter::new('c').tagged(vec![1_u8]).send(main);
        assert_eq!(messages::<char>().tagged(vec!["x", "y"]).receive(), 'b');
        assert_eq!(messages::<char>().tagged([1]).receive(), 'c');
        assert_eq!(messages::<char>().tagged((1, 2)).receive(), 'a');
    })
    .assert_holds();
    assert_eq!(
        format!("{} {}", Tag::from([1, 2]), Tag::from("w")),
        "[1, 2] w"
    );
}

#[test]
fn select_takes_from_several_places() {
    let report = plainsong::explore(|| {
        let (sender, receiver) = plainsong::channel::<u32>("numbers");
        let main = current();
        spawn(move || sender.send(1));
        spawn(move || send(main, "text"));
        spawn(move || Letter::new("tagged").tagged(1).send(main));
        let mut kinds = BTreeSet::new();
        for _ in 0..3 {
            kinds.insert(
                select()
                    .on(&receiver, |n| format!("number {n}"))
                    .on(messages::<&str>().tagged(1), |text| {
                        format!("with a tag {text}")
                    })
                    .on(messages::<&str>(), str::to_owned)
                    .receive(),
            );
        }
        let kinds: Vec<String> = kinds.into_iter().collect();
        assert_eq!(kinds, ["number 1", "text", "with a tag tagged"]);
        let nothing = select()
            .on(&receiver, |n| n)
            .receive_timeout(Duration::from_secs(1));
        assert_eq!(nothing, None);
    });
    report.assert_holds();
    assert_eq!(report.executions, 6);
}

#[test]
fn choose_takes_anything() {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Colour {
        Red,
        Green,
    }
    let words = ["a", "b", "c"];
    let report = plainsong::explore(move || {
        let range = choose(2..4);
        let inclusive = choose(7..=7);
        let colour = choose([Colour::Red, Colour::Green]);
        let word: &&str = choose(&words);
        let filtered = choose((0..10).filter(|n| n % 5 == 0));
        assert!(range < inclusive && filtered % 5 == 0 && !word.is_empty());
        assert!(matches!(colour, Colour::Red | Colour::Green));
    });
    report.assert_holds();
    assert_eq!(report.executions, 2 * 2 * 3 * 2);
}

#[derive(Clone, Debug, PartialEq, Choices)]
struct Link<T> {
    up: bool,
    load: Option<T>,
}

#[derive(Clone, Debug, PartialEq, Choices)]
enum Event {
    Stop,
    Change(Link<bool>),
    Both(bool, bool),
}

#[derive(Clone, Debug, Choices)]
enum Never {}

#[test]
fn choose_takes_all_values_of_a_type() {
    // 1 + 2 * (1 + 2) + 2 * 2
    let report = plainsong::explore(|| assert_ne!(choose_any::<Event>(), Event::Both(true, false)));
    assert_eq!(report.verdict, Verdict::Refuted);
    let all = Explorer::new().keep_going(true);
    let report = all.run(|| assert_ne!(choose_any::<Event>(), Event::Stop));
    assert_eq!((report.executions, report.failed), (10, 1));
    let links = Link::<bool>::choices();
    assert_eq!(
        links.first(),
        Some(&Link {
            up: false,
            load: None
        })
    );
    assert_eq!(
        links.last(),
        Some(&Link {
            up: true,
            load: Some(true)
        })
    );
    let report = plainsong::explore(|| match choose_any::<Never>() {});
    assert!(
        report.failures[0].message.contains("at least one option"),
        "{report}"
    );
}

#[test]
fn coverage_counts_executions_not_visits() {
    for delivery in DELIVERIES {
        for jobs in [1, 2] {
            let report = Explorer::new().delivery(delivery).jobs(jobs).run(|| {
                let main = current();
                for n in 0..5_u32 {
                    spawn(move || {
                        send(main, n);
                        cover("sent");
                    });
                }
                for place in 0..5 {
                    let n = receive::<u32>();
                    cover("received");
                    cover_if(n == place, format!("{n} in place"));
                }
            });
            assert_eq!(report.coverage["sent"], 120);
            assert_eq!(report.coverage["received"], 120);
            assert_eq!(report.coverage["3 in place"], 24);
            assert_eq!(report.executions, 120);
        }
    }
}

#[test]
fn names_and_order_of_processes() {
    plainsong::explore(|| {
        let main = current();
        let a = spawn_named("a", || spawn(current).join());
        let again = spawn_named("a", current);
        let nameless = spawn(|| ());
        let (a, again, nameless) = (a.join(), again.join(), nameless.process());
        assert_eq!(
            format!("{main:?} {a} {again:?} {nameless}"),
            "main thread 1.1 a#2 thread 3"
        );
        let mut processes = [nameless, again, a, main];
        processes.sort();
        assert_eq!(processes, [main, a, again, nameless]);
    })
    .assert_holds();
}

#[test]
fn builders_and_handles() {
    plainsong::explore(|| {
        let handle = Builder::new().name("worker").spawn(|| vec![1, 2, 3]);
        assert_eq!(format!("{handle:?}"), "JoinHandle(worker)");
        handle.wait();
        handle.wait();
        assert_eq!(handle.join(), [1, 2, 3]);
        let daemon = spawn_daemon(receive::<u32>);
        send(daemon.process(), 9_u32);
        assert_eq!(daemon.join(), 9);
    })
    .assert_holds();
}

#[test]
fn a_handle_can_be_joined_elsewhere() {
    let program = || {
        let worker = spawn(|| receive::<u32>() + 1);
        let to = worker.process();
        let joiner = spawn(move || worker.join() * 2);
        for n in [1_u32, 5] {
            spawn(move || send(to, n));
        }
        assert!(matches!(joiner.join(), 4 | 12));
    };
    for delivery in DELIVERIES {
        assert_eq!(every_way(delivery, || program), (2, 0));
    }
}

#[test]
fn results_need_no_debug() {
    #[derive(Clone)]
    struct Opaque(Rc<Cell<u32>>);
    plainsong::explore(|| {
        let handle = spawn(|| Opaque(Rc::new(Cell::new(5))));
        assert_eq!(handle.join().0.get(), 5);
    })
    .assert_holds();
}

/// Sends when it is dropped, as a guard does that gives something back.
struct Guard(Process, &'static str);

impl Drop for Guard {
    fn drop(&mut self) {
        send(self.0, self.1);
    }
}

#[test]
fn destructors_may_send() {
    let program = || {
        let main = current();
        let holder = spawn(move || {
            let _guard = Guard(main, "released");
            receive::<u32>()
        });
        let unused = Guard(main, "moved into a process");
        let other = spawn(move || drop(unused));
        for n in [1_u32, 2] {
            let to = holder.process();
            spawn(move || send(to, n));
        }
        let mut texts = [receive::<&str>(), receive::<&str>()];
        texts.sort_unstable();
        assert_eq!(texts, ["moved into a process", "released"]);
        other.join();
        assert!(holder.join() > 0);
    };
    for delivery in DELIVERIES {
        assert_eq!(every_way(delivery, || program), (4, 0));
    }
}

#[test]
fn destructors_may_send_when_a_process_panics() {
    let report = plainsong::explore(|| {
        let _guard = Guard(current(), "too late");
        assert!(choose_bool(), "dropped while it panics");
    });
    assert_eq!(report.failures[0].message, "dropped while it panics");
}

#[test]
fn destructors_run_when_an_execution_is_given_up() {
    thread_local! {
        static ALIVE: Cell<i32> = const { Cell::new(0) };
    }
    struct Counted;
    impl Counted {
        fn new() -> Self {
            ALIVE.set(ALIVE.get() + 1);
            Counted
        }
    }
    impl Drop for Counted {
        fn drop(&mut self) {
            ALIVE.set(ALIVE.get() - 1);
        }
    }
    let report = Explorer::new().allow_deadlock(true).run(|| {
        let main = current();
        let unused = Counted::new();
        for n in 0..4_u32 {
            let captured = Counted::new();
            spawn(move || {
                let _local = Counted::new();
                send(main, n);
                drop(captured);
                receive::<()>();
            });
        }
        for _ in 0..3 {
            assume(receive::<u32>() < 3);
        }
        drop(unused);
    });
    report.assert_holds();
    assert_eq!(ALIVE.get(), 0, "what was made was dropped");
}

#[test]
fn limits_end_an_exploration() {
    let endless = || {
        let main = current();
        spawn_daemon(move || {
            loop {
                send(main, choose(0..2));
            }
        });
    };
    let events = Explorer::new()
        .limit_events(40)
        .limit_executions(100)
        .run(endless);
    assert_eq!(events.verdict, Verdict::Unknown);
    assert!(matches!(
        events.end,
        End::Limit(Limit::Events | Limit::Executions)
    ));
    let many = || (0..60).for_each(|_| assert!(choose(0..4) < 4));
    let time = Explorer::new()
        .limit_time(Duration::from_millis(50))
        .run(many);
    assert_eq!(
        (time.verdict, time.end),
        (Verdict::Unknown, End::Limit(Limit::Time))
    );
    assert!(time.seconds < 20.0);
    assert!(
        time.estimate
            .is_some_and(|estimate| estimate.executions > 1e30)
    );
    let memory = Explorer::new()
        .limit_memory(1)
        .limit_executions(10_000)
        .run(many);
    assert_eq!(memory.end, End::Limit(Limit::Memory));
    let exactly = Explorer::new()
        .limit_executions(4)
        .run(|| assert!(choose(0..4) < 4));
    assert_eq!((exactly.verdict, exactly.executions), (Verdict::Holds, 4));
}

#[test]
fn a_limit_for_each_process() {
    // Two sends, and the end of a process is an event too.
    let two_sends = || {
        let receiver = plainsong::spawn_named("receiver", || {
            (0..4).for_each(|_| assert!(receive::<u32>() < 4));
        });
        let to = receiver.process();
        for n in [0_u32, 2] {
            spawn(move || [n, n + 1].map(|n| send(to, n)));
        }
    };
    let run = |limit| {
        Explorer::new()
            .limit_events_per_process(limit)
            .jobs(2)
            .run(two_sends)
    };
    let enough = run(5);
    enough.assert_holds();
    assert_eq!(enough.executions, 6);
    let short = run(4);
    assert_eq!(
        (short.verdict, short.end),
        (Verdict::Unknown, End::Limit(Limit::Events))
    );
    assert_eq!(short.notes.len(), 1);
    let note = "`receiver` has more than 4 events in some execution; the last ones at ";
    assert!(short.notes[0].starts_with(note), "{short}");
}

fn rare() {
    let main = current();
    for n in 0..5_u32 {
        spawn(move || send(main, n));
    }
    let order = [(); 5].map(|()| receive::<u32>());
    assert_ne!(order, [4, 3, 2, 1, 0]);
}

#[test]
fn samples_depend_on_the_seed_only() {
    let run = |seed| {
        Explorer::new()
            .sample(20)
            .seed(seed)
            .keep_going(true)
            .run(rare)
    };
    let (a, again, other) = (run(1), run(1), run(2));
    assert_eq!(
        (a.executions, a.failed, a.events),
        (again.executions, again.failed, again.events)
    );
    assert_eq!(a.executions + a.failed, 20);
    assert_eq!(other.executions + other.failed, 20);
    assert_eq!(a.estimate.map(|estimate| estimate.executions), Some(120.0));
    assert_eq!(a.end, End::Limit(Limit::Samples));
}

#[test]
fn samples_find_failures() {
    let report = Explorer::new().sample(10_000).run(rare);
    assert_eq!(report.verdict, Verdict::Refuted);
    assert!(report.executions < 10_000);
    let trace = report.failures[0].trace.as_ref().unwrap();
    assert_eq!(
        Explorer::new().replay(trace, rare).verdict,
        Verdict::Refuted
    );
}

#[test]
fn estimates() {
    for delivery in DELIVERIES {
        let explorer = Explorer::new().delivery(delivery);
        let estimate = explorer.estimate(50, || {
            let receiver = spawn(|| [(); 6].map(|()| receive::<u32>()));
            for n in 0..6_u32 {
                let to = receiver.process();
                spawn(move || send(to, n));
            }
        });
        assert!((estimate.executions - 720.0).abs() < 1e-6, "{estimate:?}");
    }
}

#[test]
fn an_exploration_inside_an_exploration() {
    plainsong::explore(|| {
        let outer = choose(0..2);
        let inner = plainsong::explore(|| {
            spawn(|| choose(0..3));
        });
        inner.assert_holds();
        assert_eq!(inner.executions, 3);
        assert_eq!(format!("{:?}", current()), "main");
        assert!(outer < 2);
    })
    .assert_holds();
}

#[test]
fn nothing_at_all() {
    let report = plainsong::explore(|| {});
    report.assert_holds();
    assert_eq!(
        (report.executions, report.blocked, report.events),
        (1, 0, 1)
    );
}

#[test]
fn a_program_that_checks_nothing_is_noted() {
    let report = plainsong::explore(|| assume(false));
    assert_eq!(report.verdict, Verdict::Holds);
    assert_eq!(
        report.notes,
        ["no execution ended: nothing was checked to its end"]
    );
}

#[test]
fn messages_that_nobody_receives_are_named() {
    let report = plainsong::explore(|| {
        let clerk = plainsong::spawn_named("clerk", || try_receive::<u32>());
        send(clerk.process(), 1_i32);
    });
    report.assert_holds();
    let [note] = &report.notes[..] else {
        panic!("{:?}", report.notes)
    };
    assert!(
        note.starts_with("no execution receives the `i32` sent to clerk at "),
        "{note}"
    );
    assert!(note.contains("operations.rs"), "{note}");
    // A kind that is received in one execution only is fine, whoever finds that one.
    for jobs in [1, 2] {
        let report = plainsong::Explorer::new().jobs(jobs).run(|| {
            let clerk = plainsong::spawn_named("clerk", || {
                let numbers = [(); 4].map(|()| try_receive::<u32>());
                (numbers.iter().all(Option::is_some)).then(|| try_receive::<&str>())
            });
            (0..4_u32).for_each(|n| send(clerk.process(), n));
            send(clerk.process(), "rare");
        });
        report.assert_holds();
        assert!(report.notes.is_empty(), "{:?}", report.notes);
    }
}

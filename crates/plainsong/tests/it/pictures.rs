//! What people see when something fails.

use plainsong::{
    Failure, channel, choose_bool, current, receive, send, spawn, spawn_daemon, spawn_named,
    try_receive,
};

fn failure_of(program: impl Fn() + Send + Sync + 'static) -> Failure {
    plainsong::explore(program).failures.remove(0)
}

/// Compares a text with what is expected, lines from the first column on.
fn same(text: &str, expected: &str) {
    let expected = expected.trim_matches('\n');
    assert_eq!(text.trim_end(), expected.trim_end(), "\n{text}\n");
}

#[derive(Clone, Debug)]
struct Lock;
#[derive(Clone, Debug)]
struct Granted;

#[test]
fn messages_are_arrows_and_the_failure_is_marked() {
    let failure = failure_of(|| {
        let main = current();
        let server = spawn_named("server", || {
            for _ in 0..2 {
                let (client, Lock) = receive::<(plainsong::Process, Lock)>();
                send(client, Granted);
            }
        });
        for n in 1..=2 {
            let server = server.process();
            spawn_named(format!("client {n}"), move || {
                send(server, (current(), Lock));
                receive::<Granted>();
                send(main, current());
            });
        }
        receive::<plainsong::Process>();
        assert!(
            try_receive::<plainsong::Process>().is_none(),
            "two hold the lock"
        );
    });
    assert_eq!(failure.process.as_deref(), Some("main"));
    same(
        &failure.picture,
        "
    main   server                 client 1   client 2
      |       |<- (client 1, Lock) ---|          |
      |       |<------- (client 2, Lock) --------|
      |       |------- Granted ------>|          |
      |<--------- client 1 -----------|          |
      |       |------------ Granted ------------>|
      |<--------------- client 2 ----------------|
      X       |                       |          |   <- here",
    );
    let race = failure.race.as_deref().unwrap();
    assert!(
        race.starts_with("main received client 2 from client 2 at "),
        "{race}"
    );
    assert!(
        race.ends_with("had it received nothing, the execution that follows is fine"),
        "{race}"
    );
}

#[test]
fn what_does_not_matter_is_left_out() {
    let failure = failure_of(|| {
        let bystander = spawn_named("bystander", || while try_receive::<u32>().is_some() {});
        let (sender, receiver) = channel("orders");
        let shop = spawn_named("shop", move || assert_ne!(receiver.receive(), 13));
        send(bystander.process(), 1_u32);
        sender.send(13);
        assert_ne!(shop.process(), bystander.process());
    });
    same(
        &failure.picture,
        "
    main              shop
      |-- orders: 13 -->|
      |                 X   <- here",
    );
    assert!(failure.events.1 < failure.events.0);
    assert!(failure.to_string().contains("shrunk from"), "{failure}");
}

#[test]
fn choices_and_empty_hands_are_shown() {
    let failure = failure_of(|| {
        let sure = choose_bool();
        let got = try_receive::<u32>();
        assert!(!sure || got.is_some());
    });
    same(
        &failure.picture,
        "
    main
      * chose true
      * no u32
      X   <- here",
    );
}

#[test]
fn a_deadlock_shows_who_waits_for_what() {
    let failure = failure_of(|| {
        let echo = spawn_named("echo", || {
            let from = receive::<plainsong::Process>();
            send(from, "hello");
        });
        spawn_daemon(receive::<u8>);
        send(echo.process(), current());
        receive::<String>();
    });
    let text = failure.to_string();
    assert!(
        text.starts_with("deadlock: main waits for String\n  at "),
        "{text}"
    );
    let picture: Vec<&str> = failure.picture.lines().collect();
    assert_eq!(picture[0].trim_end(), "    main        echo");
    assert_eq!(picture[1], "      |-- main -->|");
    assert!(
        picture[2].starts_with("      ?           |   <- waits for String, at "),
        "{text}"
    );
    assert_eq!(
        picture[3],
        "  never received: \"hello\" (a &str) from echo to main"
    );
}

#[test]
fn the_race_names_the_message_that_would_have_been_better() {
    let failure = failure_of(|| {
        let main = current();
        for name in ["left", "right"] {
            spawn_named(name, move || send(main, name));
        }
        let first = receive::<&str>();
        receive::<&str>();
        assert_eq!(first, "left");
    });
    let race = failure.race.as_deref().unwrap();
    assert!(
        race.starts_with("main received \"right\" from right at "),
        "{race}"
    );
    assert!(
        race.ends_with(
            "had it received \"left\" from left first, the execution that follows is fine"
        ),
        "{race}"
    );
}

#[test]
fn no_race_is_claimed_where_there_is_none() {
    let failure = failure_of(|| {
        let main = current();
        for n in [1, 2] {
            spawn(move || send(main, n));
        }
        receive::<i32>();
        panic!("always");
    });
    assert_eq!(failure.race, None);
}

#[test]
fn children_of_one_name_are_told_apart() {
    let failure = failure_of(|| {
        let main = current();
        for n in [1, 2] {
            spawn_named("worker", move || send(main, n));
        }
        receive::<i32>();
        receive::<i32>();
        panic!("look");
    });
    assert!(
        failure.picture.contains("main    worker   worker#2"),
        "{failure}"
    );
}

#[test]
fn a_report_says_what_was_done() {
    let report = plainsong::explore(|| {
        let main = current();
        for n in [1, 2, 3] {
            spawn(move || send(main, n));
        }
        plainsong::cover_if(receive::<i32>() == 2, "two first");
    });
    let text = report.to_string();
    assert!(
        text.starts_with("holds: every execution was explored\n  3 executions, "),
        "{text}"
    );
    assert!(text.contains("\n  reached: two first (1)"), "{text}");
}

/// Shows itself as long as nobody asks.
#[derive(Clone)]
struct Shy;

impl std::fmt::Debug for Shy {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        panic!("do not look")
    }
}

#[test]
fn messages_that_cannot_be_shown() {
    let failure = failure_of(|| {
        let main = current();
        spawn_named("shy", move || send(main, Shy));
        plainsong::choose([Shy]);
        receive::<Shy>();
        panic!("look");
    });
    assert_eq!(failure.message, "look");
    same(
        &failure.picture,
        r"
    main                       shy
      * chose (its Debug panics)|
      |<- (its Debug panics) ---|
      X                         |   <- here",
    );
    let asked = failure_of(|| {
        send(current(), Shy);
        drop(format!("{:?}", plainsong::receive_any()));
    });
    assert_eq!(asked.message, "do not look", "asked by the program itself");
}

#[test]
fn executions_add_up() {
    let report = plainsong::Explorer::new().keep_going(true).run(|| {
        let n = plainsong::choose(0..6);
        plainsong::assume(n < 3);
        assert!(n != 1);
    });
    let text = report.to_string();
    assert!(
        text.contains("\n  6 executions: 2 fine, 1 failed, 3 blocked, "),
        "{text}"
    );
    let fine = plainsong::explore(|| {}).to_string();
    assert!(fine.contains("\n  1 execution, 1 events, "), "{fine}");
}

#[test]
fn a_limit_is_named() {
    let explorer = plainsong::Explorer::new().limit_events(50);
    let report = explorer.run(|| {
        let main = current();
        spawn_named("chatterbox", move || {
            loop {
                send(main, ());
            }
        });
        choose_bool();
    });
    let note =
        "some execution has more than 50 events, most of them of `chatterbox`; the last ones at ";
    assert!(report.notes[0].starts_with(note), "{report}");
    let how = "; `Explorer::limit_events` sets the limit";
    assert!(report.notes[0].ends_with(how), "{report}");
    let notes = report.notes.iter();
    assert_eq!(notes.filter(|note| note.starts_with("some")).count(), 1);
}

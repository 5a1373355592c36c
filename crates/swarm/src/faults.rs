//! Faults on purpose, with a real server: whoever dies where, whatever comes twice or not at all, each piece counts once.
//!
//! A piece is a range of numbers and its result is their sum, so a total tells what was counted twice or lost. Without a
//! `nats-server` on the path these tests say so and pass, unless `PLAINSONG_SWARM=required`.

use crate::names::{digest, outcome_key};
use crate::record::{Outcome, Piece, sealed};
use crate::{
    Asked, Collector, Connection, Desk, Done, Metrics, Pause, Progress, Run, RunRecord, Server,
    Wish, Work,
};
use plainsong_children::Guarded;
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const BUILD: &str = "0123456789abcdef";
const LAST: u64 = 400;
/// The sum of the numbers below [`LAST`].
const TOTAL: u64 = LAST * (LAST - 1) / 2;

struct NatsServer {
    folder: TempDir,
    port: u16,
    process: Option<Guarded>,
}

impl NatsServer {
    /// Nothing where there is none to start.
    fn start() -> Option<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        drop(listener);
        let mut server = NatsServer {
            folder: tempfile::tempdir().expect("a folder"),
            port,
            process: None,
        };
        if server.restart().is_some() {
            return Some(server);
        }
        let is_required =
            std::env::var_os("PLAINSONG_SWARM").is_some_and(|value| value == "required");
        assert!(
            !is_required,
            "no nats-server found, and PLAINSONG_SWARM=required"
        );
        None
    }

    /// Kills it, if it runs, and starts it with what it has stored.
    fn restart(&mut self) -> Option<()> {
        self.process = None;
        let mut command = Command::new("nats-server");
        command
            .args([
                "-js",
                "-a",
                "127.0.0.1",
                "-p",
                &self.port.to_string(),
                "-sd",
            ])
            .arg(self.folder.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        self.process = Some(plainsong_children::spawn(&mut command).ok()?);
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(10), "it listens");
            std::thread::sleep(Duration::from_millis(10));
        }
        Some(())
    }

    fn connection(&self) -> Arc<Connection> {
        let server = Server::new(&format!("nats://127.0.0.1:{}", self.port), |_| None);
        Arc::new(Connection::new(&server.expect("an address")).expect("a server"))
    }
}

fn asked() -> Asked {
    Asked {
        build: BUILD.to_owned(),
        title: "sum".to_owned(),
        body: String::new(),
    }
}

/// Adds numbers up, slowly, and shares when it is asked to.
struct Adding {
    pace: Duration,
}

fn range(body: &str) -> (u64, u64) {
    let (begin, end) = body.split_once("..").expect("a range");
    (
        begin.parse().expect("a number"),
        end.parse().expect("a number"),
    )
}

impl Work for Adding {
    fn carry_out(&mut self, _: &RunRecord, body: &str, pause: &Pause) -> Result<Done, String> {
        let (begin, end) = range(body);
        let (mut number, mut sum) = (begin, 0);
        while number < end {
            sum += number;
            number += 1;
            std::thread::sleep(self.pace);
            if pause.wish() != Wish::GoOn {
                break;
            }
        }
        let middle = number.midpoint(end);
        let children = match pause.wish() {
            _ if number == end => Vec::new(),
            Wish::Share if middle > number => {
                vec![format!("{number}..{middle}"), format!("{middle}..{end}")]
            }
            _ => vec![format!("{number}..{end}")],
        };
        Ok(Done {
            result: sum.to_string(),
            children,
        })
    }
}

#[derive(Default)]
struct Sum {
    total: u64,
    pieces: u64,
    most_desks: u64,
    /// When to stop asking.
    until: Option<Instant>,
}

impl Collector for Sum {
    fn take(&mut self, _: &str, result: &str) -> Result<(), String> {
        self.total += result.parse::<u64>().map_err(|error| error.to_string())?;
        self.pieces += 1;
        Ok(())
    }

    fn go_on(&mut self, progress: Progress) -> bool {
        self.most_desks = self.most_desks.max(progress.desks);
        self.until.is_none_or(|until| Instant::now() < until)
    }
}

/// Tells workers to stop, also where a test fails.
struct Stopping<'s>(&'s AtomicBool);

impl Drop for Stopping<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Does something while so many workers are there.
fn with_workers<T>(
    server: &mut NatsServer,
    workers: usize,
    act: impl FnOnce(&mut NatsServer) -> T,
) -> T {
    let stop = Arc::new(AtomicBool::new(false));
    let metrics = Arc::new(Metrics::default());
    let say = |_: &str| {};
    std::thread::scope(|scope| {
        let _stopping = Stopping(&stop);
        for number in 0..workers {
            let (connection, stop, metrics) = (server.connection(), stop.clone(), metrics.clone());
            let say = &say;
            scope.spawn(move || {
                connection.announce(BUILD, &format!("w{number}"), 1, &metrics);
                let slice = Duration::from_millis(400);
                let desk = Desk::new(&connection, (BUILD, "w"), slice, &stop, &metrics, say);
                let pace = Duration::from_millis(5);
                desk.work(&mut Adding { pace });
            });
        }
        act(server)
    })
}

/// Asks for the sum of the numbers below `last`, in a run of this name, with `meanwhile` going on.
fn ask(
    server: &mut NatsServer,
    (name, last): (&str, u64),
    meanwhile: impl FnOnce(&mut NatsServer, &Run),
) -> Sum {
    let connection = server.connection();
    let run = Run::start_or_join(&connection, name, &asked()).expect("a run");
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| {
            let mut sum = Sum::default();
            let is_whole = run.ask("sum", &[format!("0..{last}")], &mut sum);
            assert_eq!(is_whole, Ok(true));
            sum
        });
        meanwhile(server, &run);
        asking.join().expect("it adds up")
    })
}

/// Asks for the sum, with so many workers, and with `meanwhile` going on.
fn sum(
    server: &mut NatsServer,
    workers: usize,
    meanwhile: impl FnOnce(&mut NatsServer, &Run),
) -> Sum {
    with_workers(server, workers, |server| {
        ask(server, ("night", LAST), meanwhile)
    })
}

#[test]
fn workers_share_and_every_number_counts_once() {
    let Some(mut server) = NatsServer::start() else {
        return;
    };
    let sum = sum(&mut server, 3, |_, _| {});
    assert_eq!(sum.total, TOTAL);
    assert!(sum.pieces > 3, "it was shared: {}", sum.pieces);
    assert_eq!(sum.most_desks, 3);
}

#[test]
fn a_server_that_is_killed_loses_nothing() {
    let Some(mut server) = NatsServer::start() else {
        return;
    };
    let sum = sum(&mut server, 2, |server, _| {
        for _ in 0..2 {
            std::thread::sleep(Duration::from_millis(300));
            server.restart().expect("it starts again");
        }
    });
    assert_eq!(sum.total, TOTAL);
}

/// A server that is killed when its queue is empty may begin to count messages anew, and its consumer does not.
#[test]
fn a_server_that_is_killed_with_an_empty_queue_takes_the_next_question() {
    let Some(mut server) = NatsServer::start() else {
        return;
    };
    let totals = with_workers(&mut server, 2, |server| {
        ["one", "two", "three", "four"].map(|name| {
            let total = ask(server, (name, 40), |_, _| {}).total;
            server.restart().expect("it starts again");
            total
        })
    });
    assert_eq!(totals, [40 * 39 / 2; 4]);
}

#[test]
fn a_queue_that_loses_everything_is_filled_again() {
    let Some(mut server) = NatsServer::start() else {
        return;
    };
    let sum = sum(&mut server, 2, |_, run| {
        for _ in 0..10 {
            std::thread::sleep(Duration::from_millis(50));
            run.lose_the_queue();
        }
    });
    assert_eq!(sum.total, TOTAL);
}

/// A worker that stores an outcome and dies before its children are in the queue, and before it acknowledges: the piece comes
/// again, and whoever gets it sends the children of the outcome that is stored, not of its own.
#[test]
fn a_worker_that_dies_after_storing_leaves_its_children_to_others() {
    let Some(mut server) = NatsServer::start() else {
        return;
    };
    let connection = server.connection();
    let run = Run::start_or_join(&connection, "night", &asked()).expect("a run");
    let first = run.first_piece("sum", &format!("0..{LAST}"));
    let outcome = Outcome {
        result: Ok("6".to_owned()),
        children: vec!["4..10".to_owned(), format!("10..{LAST}")],
        worker: "dead".to_owned(),
        milliseconds: 1,
    };
    let stored = connection.runtime.block_on(async {
        connection.hub.send(BUILD, &first, None).await?;
        connection.hub.store(&first, &outcome).await
    });
    assert_eq!(stored, Ok((outcome.clone(), true)));
    // A second outcome of the same piece, with other children, is dropped.
    let other = Outcome {
        children: vec![format!("4..{LAST}")],
        ..outcome.clone()
    };
    let stored = connection
        .runtime
        .block_on(connection.hub.store(&first, &other));
    assert_eq!(stored, Ok((outcome, false)));
    assert_eq!(sum(&mut server, 2, |_, _| {}).total, TOTAL);
}

#[test]
fn garbage_on_the_subject_and_in_the_store_counts_for_nothing() {
    let Some(mut server) = NatsServer::start() else {
        return;
    };
    let connection = server.connection();
    let run = Run::start_or_join(&connection, "night", &asked()).expect("a run");
    let first = run.first_piece("sum", &format!("0..{LAST}"));
    let key = outcome_key(&first.run, &first.question, &first.id());
    let hub = &connection.hub;
    let forged = Outcome {
        result: Ok("7".to_owned()),
        children: Vec::new(),
        worker: String::new(),
        milliseconds: 0,
    };
    // Sealed for another place, and sealed for a piece that nobody left.
    let moved = sealed("elsewhere", &forged);
    let stranger = outcome_key(&first.run, &first.question, "ffff");
    let unasked = sealed(&stranger, &forged);
    connection.runtime.block_on(async {
        hub.outcomes
            .put(&key, moved.into())
            .await
            .expect("it is stored");
        hub.outcomes
            .put(&stranger, unasked.into())
            .await
            .expect("it is stored");
        let subject = hub.names.work(BUILD, &first.run);
        for text in ["", "garbage", "{}\n0", "{\"run\":1}\nff"] {
            let sent = hub.client.publish(subject.clone(), text.into()).await;
            sent.expect("it is sent");
        }
        hub.client.flush().await.expect("it is sent");
    });
    assert_eq!(sum(&mut server, 2, |_, _| {}).total, TOTAL);
}

#[test]
fn every_piece_may_come_three_times() {
    let Some(mut server) = NatsServer::start() else {
        return;
    };
    let sent = AtomicU64::new(0);
    let sum = sum(&mut server, 3, |server, run| {
        let connection = server.connection();
        let until = Instant::now() + Duration::from_secs(1);
        while Instant::now() < until {
            for piece in run.known_pieces("sum", &format!("0..{LAST}")) {
                let number = sent.fetch_add(1, Ordering::Relaxed);
                let again = connection.hub.send(BUILD, &piece, Some(u128::from(number)));
                // The run may be over.
                let _ = connection.runtime.block_on(again);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    assert!(sent.load(Ordering::Relaxed) > 5);
    assert_eq!(sum.total, TOTAL);
}

#[test]
fn who_asked_may_go_away_and_somebody_else_goes_on() {
    let Some(mut server) = NatsServer::start() else {
        return;
    };
    let connection = server.connection();
    let run = Run::start_or_join(&connection, "night", &asked()).expect("a run");
    let mut impatient = Sum {
        until: Some(Instant::now() + Duration::from_millis(300)),
        ..Sum::default()
    };
    let first = format!("0..{LAST}");
    let asked_first = run.ask("sum", std::slice::from_ref(&first), &mut impatient);
    assert_eq!(asked_first, Ok(false));
    run.pause().expect("it is written down");
    assert_eq!(sum(&mut server, 2, |_, _| {}).total, TOTAL);
    run.finish().expect("it is written down");
    // Without any worker: the results are there.
    let again = Run::start_or_join(&connection, "night", &asked()).expect("a run");
    let mut sum = Sum::default();
    assert_eq!(again.ask("sum", &[first], &mut sum), Ok(true));
    assert_eq!(sum.total, TOTAL);
    let listed = connection.run("night").expect("a list").expect("the run");
    assert_eq!((listed.done, listed.waiting), (sum.pieces, 0));
    assert_eq!(connection.delete("night"), Ok(true));
    assert_eq!(connection.delete("night"), Ok(false));
    assert_eq!(connection.runs(), Ok(Vec::new()));
}

#[test]
fn another_question_and_another_build_are_refused() {
    let Some(server) = NatsServer::start() else {
        return;
    };
    let connection = server.connection();
    Run::start_or_join(&connection, "night", &asked()).expect("a run");
    let refused = |asked: Asked| {
        let run = Run::start_or_join(&connection, "night", &asked);
        run.expect_err("it is refused").message
    };
    let other = Asked {
        body: "else".to_owned(),
        ..asked()
    };
    assert_eq!(refused(other), "run night asks something else: sum");
    let other = Asked {
        build: "fedcba9876543210".to_owned(),
        ..asked()
    };
    assert!(refused(other).starts_with("run night belongs to another build"));
    let runs = connection.of_other_builds("fedcba9876543210");
    assert_eq!(runs.expect("a list").len(), 1);
    assert_eq!(connection.of_other_builds(BUILD).expect("a list").len(), 0);
}

impl Run {
    /// The queue forgets what it has.
    fn lose_the_queue(&self) {
        let cleared = self.connection.hub.clear(BUILD, &self.record.id);
        let _ = self.connection.runtime.block_on(cleared);
    }

    fn first_piece(&self, question: &str, body: &str) -> Piece {
        let question = digest(&[question]);
        Piece {
            run: self.record.id.clone(),
            name: self.record.name.clone(),
            parent: question.clone(),
            question,
            body: body.to_owned(),
        }
    }

    /// All pieces that follow from what is stored.
    fn known_pieces(&self, question: &str, body: &str) -> Vec<Piece> {
        let mut known = vec![self.first_piece(question, body)];
        let mut at = 0;
        while at < known.len() {
            let piece = known[at].clone();
            at += 1;
            let stored = self.connection.hub.outcome(&piece);
            if let Ok(crate::store::Stored::Outcome(outcome)) =
                self.connection.runtime.block_on(stored)
            {
                let parent = piece.id();
                known.extend(outcome.children.into_iter().map(|body| Piece {
                    parent: parent.clone(),
                    body,
                    ..piece.clone()
                }));
            }
        }
        known
    }
}

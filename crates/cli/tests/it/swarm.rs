//! One question over many machines, with a real server: the answers are those of one machine, whatever is killed.
//!
//! Without a `nats-server` on the path these tests say so and pass, unless `PLAINSONG_SWARM=required`.
//! `PLAINSONG_KILLS=100` kills about so many workers in each run instead of a few.

use crate::songs;
use crate::stage::{Ran, Stage, finished};
use plainsong_children::Guarded;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A server with its store in the stage's folder.
struct Server {
    port: u16,
    flags: Vec<String>,
    process: Option<Guarded>,
}

impl Server {
    /// Nothing where there is none to start.
    fn start(stage: &Stage, flags: &[&str]) -> Option<Server> {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        drop(listener);
        let store = stage.path("store").display().to_string();
        let port_text = port.to_string();
        let usual = ["-a", "127.0.0.1", "-p", &port_text, "-sd", &store];
        let mut server = Server {
            port,
            flags: usual.iter().chain(flags).map(ToString::to_string).collect(),
            process: None,
        };
        if server.restart() {
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
    fn restart(&mut self) -> bool {
        self.process = None;
        let mut command = Command::new("nats-server");
        command
            .args(&self.flags)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let Ok(process) = plainsong_children::spawn(&mut command) else {
            return false;
        };
        self.process = Some(process);
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(10), "it listens");
            std::thread::sleep(Duration::from_millis(10));
        }
        true
    }

    fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }
}

fn worker(stage: &Stage, server: &Server) -> Guarded {
    let url = server.url();
    let mut command = stage.command(&["worker", "--swarm", &url, "--jobs", "1"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    plainsong_children::spawn(&mut command).expect("a worker")
}

/// What does not depend on the clock or on the machine.
fn settled(ran: &Ran) -> String {
    let mut text = String::new();
    for line in ran.timeless().lines() {
        let words = line
            .split_whitespace()
            .map(|word| match word.parse::<f64>() {
                Ok(_) if word.contains('.') => "TIME",
                _ if word.ends_with("/s):") => "",
                _ => word,
            });
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        text += &words.join(" ").replace("TIME s:", "TIME s");
        text.push('\n');
    }
    text.replace("TIME s ", "TIME s: ")
}

/// With the workers at work, and killed one after the other, and the server restarted.
fn undisturbed(stage: &Stage, server: &mut Server, question: &[&str], run: &str) -> Ran {
    let url = server.url();
    let arguments = [question, &["--swarm", &url, "--run", run]].concat();
    let mut command = stage.command(&arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut asking = plainsong_children::spawn(&mut command).expect("the command runs");
    // A server that is away when somebody begins is told at once: that is another test.
    let list = ["swarm", "list", "--swarm", &url];
    let begun = Instant::now();
    while !stage.run(&list).out.contains(run) {
        assert!(begun.elapsed() < Duration::from_secs(30), "it begins");
    }
    let mut workers = [worker(stage, server), worker(stage, server)];
    let kills = std::env::var("PLAINSONG_KILLS")
        .ok()
        .and_then(|number| number.parse().ok());
    for kill in 0..kills.unwrap_or(3) {
        std::thread::sleep(Duration::from_millis(400));
        if asking.try_wait().expect("it can be asked").is_some() {
            break;
        }
        let at = kill % workers.len();
        // SIGKILL: nothing is left to the process.
        workers[at].end().expect("it ends");
        workers[at] = worker(stage, server);
        if kill == 1 {
            server.restart();
        }
    }
    finished(asking.output().expect("it ends"))
}

#[test]
fn answers_are_those_of_one_machine_though_workers_and_server_are_killed() {
    let stage = Stage::new();
    stage.write("watched.song", songs::WATCHED);
    stage.write("race.song", songs::RACE);
    let Some(mut server) = Server::start(&stage, &["-js"]) else {
        return;
    };
    let questions: &[&[&str]] = &[
        &[
            "sim",
            "watched.song",
            "--size",
            "Client=5",
            "--runs",
            "200000",
            "--seed",
            "7",
        ],
        &[
            "sim",
            "race.song",
            "--runs",
            "200000",
            "--seed",
            "3",
            "--fail-fast",
        ],
        &["explore", "watched.song", "--size", "Client=6"],
        &["explore", "race.song", "--size", "Client=4"],
    ];
    for (number, question) in questions.iter().enumerate() {
        let alone = stage.run(question);
        let run = format!("run{number}");
        let together = undisturbed(&stage, &mut server, question, &run);
        assert_eq!(
            settled(&together),
            settled(&alone),
            "{question:?}\n{}",
            together.err
        );
        assert_eq!(together.code, alone.code, "{question:?}");
        // Nobody works any more: what was found is read again.
        let url = server.url();
        let again = stage.run(&[*question, &["--swarm", &url, "--run", &run]].concat());
        assert_eq!(settled(&again), settled(&alone), "{question:?}");
        assert!(again.err.contains("was finished before"), "{}", again.err);
    }
    let url = server.url();
    let list = stage.run(&["swarm", "list", "--swarm", &url]).exits(0);
    assert_eq!(list.out.lines().count(), questions.len(), "{}", list.out);
    assert!(
        list.out.contains("explore --size=Client=6 watched.song"),
        "{}",
        list.out
    );
    let show = stage
        .run(&["swarm", "show", "run0", "--swarm", &url])
        .exits(0);
    assert!(show.out.contains("state    finished"), "{}", show.out);
    stage
        .run(&["swarm", "delete", "run0", "--swarm", &url])
        .exits(0);
    let gone = stage
        .run(&["swarm", "show", "run0", "--swarm", &url])
        .exits(3);
    assert!(gone.err.contains("there is no run `run0`"), "{}", gone.err);
}

#[test]
fn a_run_that_was_interrupted_goes_on_by_its_name() {
    let stage = Stage::new();
    stage.write("a.song", songs::WATCHED);
    let Some(server) = Server::start(&stage, &["-js"]) else {
        return;
    };
    let url = server.url();
    let question = [
        "sim", "a.song", "--size", "Client=5", "--runs", "30000", "--seed", "7",
    ];
    let swarm = ["--swarm", &url, "--run", "night"];
    let first = stage
        .run(&[&question[..], &swarm, &["--timeout", "1"]].concat())
        .exits(2);
    assert!(first.err.contains("run night is paused"), "{}", first.err);
    let _worker = worker(&stage, &server);
    let second = stage.run(&[&question[..], &swarm].concat()).exits(0);
    assert_eq!(settled(&second), settled(&stage.run(&question)));
    let other = [
        "sim", "a.song", "--size", "Client=4", "--runs", "30000", "--seed", "7",
    ];
    let refused = stage.run(&[&other[..], &swarm].concat()).exits(3);
    assert!(
        refused.err.contains("run night asks something else"),
        "{}",
        refused.err
    );
}

#[test]
fn a_server_that_cannot_be_used_is_told_and_no_password_is() {
    let stage = Stage::new();
    stage.write("a.song", songs::WATCHED);
    let ask = |url: &str, environment: &[(&str, &str)]| {
        let mut command = stage.command(&["sim", "a.song", "--runs", "9", "--swarm", url]);
        command.envs(environment.iter().copied());
        let ran = plainsong_children::output(&mut command).expect("the command runs");
        let ran = finished(ran).exits(3);
        assert!(
            !ran.err.contains("secret") && !ran.out.contains("secret"),
            "{}",
            ran.err
        );
        ran.err
    };
    let nobody = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = nobody.local_addr().expect("an address").port();
    drop(nobody);
    let said = ask(&format!("nats://127.0.0.1:{port}"), &[]);
    assert!(said.contains("no NATS server answers at"), "{said}");
    let said = ask("nats://me:secret@127.0.0.1:4222", &[]);
    assert!(said.contains("no place for credentials"), "{said}");
    let said = ask("http://127.0.0.1", &[]);
    assert!(said.contains("is no address of a server"), "{said}");
    let Some(server) = Server::start(&stage, &["-js", "--user", "me", "--pass", "secret"]) else {
        return;
    };
    let said = ask(&server.url(), &[]);
    assert!(said.contains("refuses these credentials"), "{said}");
    let wrong = [
        ("PLAINSONG_SWARM_USER", "me"),
        ("PLAINSONG_SWARM_PASSWORD", "secret2"),
    ];
    let said = ask(&server.url(), &wrong);
    assert!(said.contains("refuses these credentials"), "{said}");
    let url = server.url();
    let mut command = stage.command(&["swarm", "list", "--swarm", &url]);
    let right = [
        ("PLAINSONG_SWARM_USER", "me"),
        ("PLAINSONG_SWARM_PASSWORD", "secret"),
    ];
    command.envs(right);
    finished(plainsong_children::output(&mut command).expect("the command runs")).exits(0);
    let Some(plain) = Server::start(&stage, &[]) else {
        return;
    };
    let said = ask(&plain.url(), &[]);
    assert!(said.contains("keeps no streams for us"), "{said}");
}

#[test]
fn a_worker_serves_what_it_did() {
    let stage = Stage::new();
    stage.write("a.song", songs::WATCHED);
    let Some(server) = Server::start(&stage, &["-js"]) else {
        return;
    };
    let url = server.url();
    let mut command = stage.command(&[
        "worker",
        "--swarm",
        &url,
        "--jobs",
        "1",
        "--metrics",
        "127.0.0.1:0",
    ]);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut worker = plainsong_children::spawn(&mut command).expect("a worker");
    let mut said = String::new();
    let mut told = BufReader::new(worker.stderr().expect("a pipe"));
    told.read_line(&mut said).expect("it says where");
    stage
        .run(&["sim", "a.song", "--runs", "100", "--swarm", &url])
        .exits(0);
    let address = said
        .trim()
        .strip_prefix("metrics at http://")
        .and_then(|rest| rest.strip_suffix("/metrics"));
    // The answer may be there before the worker has counted the piece.
    let begun = Instant::now();
    loop {
        let mut stream = TcpStream::connect(address.expect("an address")).expect("it listens");
        stream
            .write_all(b"GET /metrics HTTP/1.1\r\n\r\n")
            .expect("it reads");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("it answers");
        let pieces = text
            .lines()
            .find_map(|line| line.strip_prefix("plainsong_worker_pieces_total "));
        let pieces: u64 = pieces
            .and_then(|number| number.parse().ok())
            .expect("a number");
        if pieces > 0 {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(5), "{text}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

//! Lines and their voices end alike on every transport. The voices are written by hand here; those that
//! projection makes are compared in `crates/driver`.

use plainsong_ir::Song;
use plainsong_run::{End, Line, NoStart, Voices};
use plainsong_runtime::{Error, tcp, threads};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::sizes::{Bounds, Sizes};
use std::sync::Arc;
use std::time::Duration;

fn song(text: &str) -> Arc<Song> {
    let compiled = plainsong_syntax::compile(text);
    let song = compiled.song;
    Arc::new(song.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics)))
}

fn line(text: &str, sizes: &Sizes, given: &Sizes, seed: u64) -> Result<Line, NoStart> {
    let instances = Instance::all(song(text), sizes, &Bounds::default()).unwrap();
    Line::new(&instances[0], 0, seed, given)
}

fn options() -> threads::Options {
    threads::Options {
        deadline: Some(Duration::from_secs(10)),
        ..threads::Options::default()
    }
}

/// All ways but the line.
fn every_way(voices: &Voices, turns: u64) -> Vec<Vec<Result<End, Error>>> {
    vec![
        voices.on_threads(&options()),
        voices.over_tcp(&tcp::Options::default()),
        voices.in_the_simulator(turns),
    ]
}

const SWAP: &str = "
    choreography swap(x: int, y: int) {
        endpoint a { var v: int = x; var t: int = 0; }
        endpoint b { var v: int = y; var t: int = 0; }
        a.t = a.v;
        b.t = b.v;
        a.v = b.t;
        b.v = a.t;
    }";

const SWAPPERS: &str = "
    param x: int;
    param y: int;
    message ToA(value: int);
    message ToB(value: int);
    process a {
        var v: int = x;
        var t: int = 0;
        t = v;
        receive ToA(got) from b;
        v = got;
        send ToB(t) to b;
    }
    process b {
        var v: int = y;
        var t: int = 0;
        t = v;
        send ToA(t) to a;
        receive ToB(got) from a;
        v = got;
    }";

#[test]
fn swap_swaps_everywhere() {
    for seed in 0..5 {
        let given = Sizes::new().with("x", 40);
        let line = line(SWAP, &Sizes::new(), &given, seed).unwrap();
        let ends = line.play().unwrap();
        assert!(
            ends[1].to_string().starts_with("v = 40, t = "),
            "{}",
            ends[1]
        );
        let voices = line.voices(&song(SWAPPERS), &Sizes::new()).unwrap();
        for way in every_way(&voices, seed) {
            let way: Vec<End> = way.into_iter().map(Result::unwrap).collect();
            assert_eq!(way, ends);
        }
    }
}

const VOTES: &str = "
    sort Server;
    enum Mood { Calm, Angry(nat) }
    choreography votes() {
        endpoint c {
            var votes: map<Server, (bool, Mood)> = map s: Server => (false, Calm);
            var yes: set<Server> = {};
            var all: bool = false;
        }
        endpoint server[s: Server] {
            var vote: bool = choose bool;
            var mood: Mood = Calm;
            var result: option<bool> = none;
        }
        for s in Server {
            server[s].vote = choose bool;
            server[s].mood = choose Mood;
        }
        for s in Server {
            c.votes[s] = (server[s].vote, server[s].mood);
        }
        c.all = forall s: Server :: c.votes[s].0;
        for s in Server {
            server[s].result = some(c.all);
        }
    }";

const VOTERS: &str = "
    sort Server;
    enum Mood { Calm, Angry(nat) }
    message Vote(value: (bool, Mood));
    message Result(value: option<bool>);
    process c {
        var votes: map<Server, (bool, Mood)> = map s: Server => (false, Calm);
        var yes: set<Server> = {};
        var all: bool = false;
        for s in Server {
            receive Vote(got) from server[s];
            votes[s] = got;
        }
        all = forall s: Server :: votes[s].0;
        for s in Server {
            send Result(some(all)) to server[s];
        }
    }
    process server[s: Server] {
        var vote: bool = choose bool;
        var mood: Mood = Calm;
        var result: option<bool> = none;
        vote = choose bool;
        mood = choose Mood;
        send Vote((vote, mood)) to c;
        receive Result(got) from c;
        result = got;
    }";

#[test]
fn choices_and_starting_values_are_the_same_everywhere() {
    let sizes = Sizes::new().with("Server", 3);
    let mut different = std::collections::BTreeSet::new();
    for seed in 0..12 {
        let line = line(VOTES, &sizes, &Sizes::new(), seed).unwrap();
        let ends = line.play().unwrap();
        different.insert(format!("{ends:?}"));
        let voices = line.voices(&song(VOTERS), &sizes).unwrap();
        for way in every_way(&voices, seed) {
            let way: Vec<End> = way.into_iter().map(Result::unwrap).collect();
            assert_eq!(way, ends, "seed {seed}");
        }
    }
    assert!(different.len() > 6, "seeds matter: {different:?}");
}

#[test]
fn what_cannot_begin_says_why() {
    let impossible = "
        choreography never(n: nat) {
            endpoint a { var n: nat = n; }
            requires n % 50 == 17 && n > 60;
            a.n = 0;
        }";
    let sizes = Sizes::new();
    assert!(matches!(
        line(impossible, &sizes, &sizes, 0),
        Err(NoStart::Failed(_))
    ));
    // Outside the window of what is tried, but given.
    assert!(line(impossible, &sizes, &Sizes::new().with("n", 67), 0).is_ok());
    assert!(matches!(
        line(impossible, &sizes, &Sizes::new().with("n", -11), 0),
        Err(NoStart::Nothing)
    ));
    let swap = line(SWAP, &sizes, &sizes, 0).unwrap();
    let foreign = swap.voices(&song(VOTERS), &sizes);
    assert!(foreign.is_err());
}

#[test]
fn a_failure_of_one_voice_is_an_error_at_all_who_need_it() {
    let text = "
        choreography divide(n: int) {
            endpoint a { var n: int = n; }
            endpoint b { var q: int = 0; }
            endpoint c { var q: int = 0; }
            b.q = 12 / a.n;
            c.q = b.q;
        }";
    let voices = "
        param n: int;
        message ToB(value: int);
        message ToC(value: int);
        process a { var n: int = n; send ToB(12 / n) to b; }
        process b { var q: int = 0; receive ToB(got) from a; q = got; send ToC(q) to c; }
        process c { var q: int = 0; receive ToC(got) from b; q = got; }";
    let line = line(text, &Sizes::new(), &Sizes::new().with("n", 0), 0).unwrap();
    let alone = line.play().unwrap_err().to_string();
    assert!(alone.contains("division by zero"), "{alone}");
    let voices = line.voices(&song(voices), &Sizes::new()).unwrap();
    for way in every_way(&voices, 1) {
        for end in way {
            let error = end.unwrap_err().to_string();
            assert!(error.contains("division by zero"), "{error}");
        }
    }
}

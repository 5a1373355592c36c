//! Choreographies played: all ways end alike, and what cannot be played says why.

use crate::stage::Stage;
use std::net::TcpListener;

const SWAP: &str = "
choreography swap(x: int, y: int) {
    endpoint a { var v: int = x; var t: int = 0; }
    endpoint b { var v: int = y; var t: int = 0; }
    ensures a.v == old(b.v) && b.v == old(a.v);
    a.t = a.v;
    b.t = b.v;
    a.v = b.t;
    b.v = a.t;
}
";

const VOTES: &str = "
sort Server;
choreography votes() {
    endpoint coordinator {
        var votes: map<Server, bool> = map s: Server => false;
        var commit: bool = false;
    }
    endpoint server[s: Server] {
        var vote: bool = false;
        var commit: bool = false;
    }
    for s in Server {
        server[s].vote = choose bool;
        coordinator.votes[s] = server[s].vote;
    }
    coordinator.commit = forall s: Server :: coordinator.votes[s];
    for s in Server { server[s].commit = coordinator.commit; }
}
";

const WAYS: [&[&str]; 5] = [
    &[],
    &["--sequential"],
    &["--threads"],
    &["--tcp"],
    &["--sim", "7"],
];

#[test]
fn all_ways_print_the_same() {
    let stage = Stage::with(SWAP);
    for way in WAYS {
        let arguments = [&["run", "a.song", "--size", "x=40,y=-2"], way].concat();
        let ran = stage.run(&arguments).exits(0);
        assert_eq!(ran.out, "a: v = -2, t = 40\nb: v = 40, t = -2\n");
        assert_eq!(ran.err, "swap(x = 40, y = -2), seed 0\n");
    }
}

#[test]
fn free_choices_come_from_the_seed() {
    let stage = Stage::with(VOTES);
    let mut different = std::collections::BTreeSet::new();
    for seed in ["1", "2", "3", "4"] {
        let run = |way: &[&str]| {
            let arguments = ["run", "a.song", "--size", "Server=3", "--seed", seed];
            stage.run(&[&arguments[..], way].concat()).exits(0).out
        };
        let line = run(&["--sequential"]);
        for way in WAYS {
            assert_eq!(run(way), line);
        }
        different.insert(line);
    }
    assert!(different.len() > 1, "{different:?}");
}

#[test]
fn every_endpoint_can_be_a_process() {
    let stage = Stage::with(VOTES);
    let free = || TcpListener::bind("127.0.0.1:0").expect("a free port");
    let ports = [free(), free(), free()].map(|port| port.local_addr().expect("an address"));
    let roles = ["coordinator", "server[0]", "server[1]"];
    let peers: Vec<String> = roles
        .iter()
        .zip(ports)
        .map(|(role, address)| format!("{role}={address}"))
        .collect();
    let peers = peers.join(",");
    let started: Vec<_> = roles
        .iter()
        .map(|role| {
            let arguments = ["run", "a.song", "--seed", "5", "--role", role];
            let arguments = [&arguments[..], &["--peers", &peers]].concat();
            let mut command = stage.command(&arguments);
            std::thread::spawn(move || command.output().expect("it runs"))
        })
        .collect();
    let said: String = started
        .into_iter()
        .map(|role| {
            let output = role.join().expect("it ends");
            String::from_utf8_lossy(&output.stdout).into_owned()
        })
        .collect();
    let together = stage.run(&["run", "a.song", "--seed", "5"]).exits(0);
    assert_eq!(said, together.out);
}

/// Roles that do not play the same thing do not talk.
#[test]
fn another_seed_is_another_run() {
    let stage = Stage::with(SWAP);
    let free = || TcpListener::bind("127.0.0.1:0").expect("a free port");
    let ports = [free(), free()].map(|port| port.local_addr().expect("an address"));
    let peers = format!("a={},b={}", ports[0], ports[1]);
    let play = |role: &str, seed: &str| {
        let arguments = ["run", "a.song", "--role", role, "--peers", &peers];
        let more = ["--seed", seed, "--patience", "2"];
        let mut command = stage.command(&[&arguments[..], &more].concat());
        std::thread::spawn(move || command.output().expect("it runs"))
    };
    let (a, b) = (play("a", "1"), play("b", "2"));
    // Who connects is a stranger, and learns nothing; the people at the other side learn why.
    for (role, named) in [
        (a, "other parameters than here: x = -1, y = 1"),
        (b, "refused the connection: it does not say why"),
    ] {
        let output = role.join().expect("it ends");
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(named), "{said}");
    }
}

#[test]
fn what_goes_wrong_is_told_at_every_endpoint() {
    let stage = Stage::with(
        "choreography divide(n: int) {
            endpoint a { var n: int = n; }
            endpoint b { var q: int = 0; }
            b.q = 12 / a.n;
        }",
    );
    for way in WAYS {
        let arguments = [&["run", "a.song", "--size", "n=0"], way].concat();
        let ran = stage.run(&arguments).exits(1);
        assert_eq!(ran.out, "");
        let told = ran.err.matches("division by zero").count();
        let roles = if way == ["--sequential"] { 1 } else { 2 };
        assert_eq!(told, roles, "{}", ran.err);
    }
}

#[test]
fn a_broken_promise_is_told_by_the_line() {
    let stage = Stage::with(
        "choreography keep() {
            endpoint a { var n: int = 0; }
            ensures a.n == 0;
            a.n = 1;
        }",
    );
    let ran = stage.run(&["run", "a.song", "--sequential"]).exits(1);
    assert!(ran.err.contains("a.n == 0"), "{}", ran.err);
}

#[test]
fn what_cannot_be_played_says_why() {
    let processes = Stage::with("process p { var x: int = 0; x = 1; }");
    let ran = processes.run(&["run", "a.song"]).exits(3);
    assert!(ran.err.contains("no choreography to run"), "{}", ran.err);

    let swap = Stage::with(SWAP);
    let cases: [(&[&str], &str); 6] = [
        (&["--size", "z=1"], "no sort or parameter `z`"),
        (&["--size", "x=1..2"], "one run has one size"),
        (&["--line", "swop"], "no choreography `swop`"),
        (&["--tcp", "--threads"], "cannot be used with"),
        (&["--role", "a"], "--peers"),
        (&["--role", "c", "--peers", "a=h:1,b=h:2"], "no role `c`"),
    ];
    for (more, said) in cases {
        let ran = swap.run(&[&["run", "a.song"], more].concat()).exits(3);
        assert!(ran.err.contains(said), "{more:?}: {}", ran.err);
    }

    let impossible = Stage::with(
        "choreography never(n: nat) {
            endpoint a { var n: nat = n; }
            requires n % 50 == 17 && n > 60;
            a.n = 0;
        }",
    );
    let ran = impossible.run(&["run", "a.song"]).exits(3);
    assert!(ran.err.contains("satisfies `requires`"), "{}", ran.err);
    let ran = impossible
        .run(&["run", "a.song", "--size", "n=67"])
        .exits(0);
    assert_eq!(ran.out, "a: n = 0\n");
}

/// Values are given as they are shown, whatever their type.
#[test]
fn parameters_of_every_type_can_be_given() {
    let stage = Stage::with(
        "sort Server;
        enum Place { Home, Away(int, bool) }
        struct Entry { term: nat, place: Place }
        param table: map<Server, seq<int>>;
        choreography given(l: seq<int>, s: set<Server>, o: option<Entry>, n: int) {
            endpoint a { var l: seq<int> = []; var s: set<Server> = {}; var o: option<Entry> = none; }
            endpoint server[i: Server] { var mine: seq<int> = table[i]; var n: int = n; }
            requires l.len() < 9;
            a.l = l;
            a.s = s;
            a.o = o;
            for i in Server { server[i].mine = a.l; server[i].mine = server[i].mine + table[i]; }
        }",
    );
    let given = [
        "run",
        "a.song",
        "--size",
        "n=-7,l=[1, -2, 30], s={Server#1, 0},o=some(Entry { place: Away(4, true), term: 2 })",
        "--size",
        "table=map {Server#1 => [], 0 => [8, 9]}",
    ];
    for way in [
        &["--sequential"][..],
        &["--threads"],
        &["--tcp"],
        &["--sim", "3"],
    ] {
        let ran = stage.run(&[&given, way].concat()).exits(0);
        let ends = "a: l = [1, -2, 30], s = {Server#0, Server#1}, o = some(Entry { term: 2, place: Away(4, true) })
server[0]: mine = [1, -2, 30, 8, 9], n = -7
server[1]: mine = [1, -2, 30], n = -7
";
        assert_eq!(ran.out, ends, "{way:?}: {}", ran.err);
    }
    let cases = [
        (
            "l=[1, true]",
            "`l` cannot be `[1, true]`: it is of type seq<int>, and a number is expected at `true]`",
        ),
        ("l=[1", "`,` or `]` is expected at the end"),
        ("l=[1] 2", "nothing is expected at `2`"),
        (
            "l=3",
            "is of type seq<int>, and what `--size` gives it is a number",
        ),
        ("s={2}", "2 is no member of Server: these are 0..=1"),
        ("o=some(Entry { term: -1, place: Home })", "-1 is no nat"),
        (
            "o=some(Entry { term: 1 })",
            "the field `place` has no value",
        ),
        ("table=map {0 => [1]}", "there is no value for Server#1"),
        (
            "table=map {0 => [1], 1 => [], 0 => []}",
            "there are two values for Server#0",
        ),
        ("l=[1],l=[2]", "says twice what `l` is"),
        ("Server=[1]", "`[1]` is no number of members of `Server`"),
        ("k=[1]", "no sort or parameter `k`"),
    ];
    for (wrong, said) in cases {
        let ran = stage.run(&["run", "a.song", "--size", wrong]).exits(3);
        assert!(ran.err.contains(said), "{wrong}: {}", ran.err);
    }
}

#[test]
fn ends_can_be_read_by_programs() {
    let stage = Stage::with(SWAP);
    let mut all = std::collections::BTreeSet::new();
    for way in WAYS {
        let arguments = [&["run", "a.song", "--size", "x=40,y=-2", "--json"], way].concat();
        let ran = stage.run(&arguments).exits(0);
        let events: Vec<serde_json::Value> = ran
            .out
            .lines()
            .map(|line| serde_json::from_str(line).expect("one object per line"))
            .collect();
        let kinds: Vec<&str> = events
            .iter()
            .map(|event| event["event"].as_str().expect("events have kinds"))
            .collect();
        assert_eq!(kinds, ["start", "performance", "summary"]);
        assert_eq!(events[1]["parameters"]["x"], "40");
        assert_eq!(events[1]["ends"][1]["role"], "b");
        assert_eq!(events[2]["exit"], 0);
        all.insert(events[1]["ends"].to_string());
    }
    let expected = r#"[{"role":"a","variables":{"t":"40","v":"-2"}},{"role":"b","variables":{"t":"-2","v":"40"}}]"#;
    assert_eq!(all.into_iter().collect::<Vec<_>>(), [expected]);
}

/// The client and the agency decide each for itself, and only the client knows that there is no money.
const DISAGREEMENT: &str = "
choreography booking() {
    endpoint client { var wants: bool = false; }
    endpoint agency { var wants: bool = true; }
    endpoint airline { var paid: bool = false; }
    if client.wants && agency.wants {
        airline.paid = agency.wants;
    }
}
";

#[test]
fn what_is_sent_and_never_received_is_told_however_it_is_run() {
    let stage = Stage::with(DISAGREEMENT);
    let seeds: Vec<String> = (0..8).map(|seed| seed.to_string()).collect();
    let simulated = seeds.iter().map(|seed| vec!["--sim", seed]);
    let fast = [["--threads"], ["--tcp"]].into_iter().cycle().take(8);
    for way in simulated.chain(fast.map(Vec::from)) {
        let ran = stage.run(&[&["run", "a.song"], &way[..]].concat()).exits(2);
        let told = ran
            .err
            .contains("agency: airline never received what statement")
            || ran
                .err
                .contains("agency: airline is gone before it got what statement");
        assert!(told, "{way:?}: {}", ran.err);
    }
}

/// Both take the first free cell, so there is one run.
#[test]
fn the_last_mover_has_the_board() {
    let stage = Stage::with(include_str!(
        "../../../../songs/project/tic-tac-toe-that-the-last-mover-keeps.song"
    ));
    let expected = "\
p1: board = some(map {0 => Nought, 1 => Cross, 2 => Nought, 3 => Cross, 4 => Nought, 5 => Cross, 6 => Nought, 7 => Free, 8 => Free}), result = Won(Nought)
p2: board = none, result = Won(Nought)
";
    for way in WAYS {
        let arguments = [&["run", "a.song"], way].concat();
        assert_eq!(stage.run(&arguments).exits(0).out, expected);
    }
}

//! `plainsong project`: the processes of a choreography, as a song and as a Rust crate that runs.

use crate::stage::Stage;
use std::process::Command;

const SWAP: &str = include_str!("../../../../examples/swap.song");

const COMMIT: &str = "\
sort Server;

choreography commit(veto: bool) {
    endpoint coordinator {
        var votes: map<Server, bool> = map s: Server => false;
        var commit: bool = false;
    }
    endpoint server[s: Server] {
        var vote: bool = !veto;
        var committed: option<bool> = none;
    }
    for s in Server {
        coordinator.votes[s] = server[s].vote;
    }
    coordinator.commit = forall s: Server :: coordinator.votes[s];
    for s in Server {
        server[s].committed = some(coordinator.commit);
    }
}
";

#[test]
fn what_is_printed_can_be_explored() {
    let stage = Stage::new();
    stage.write("swap.song", SWAP);
    let ran = stage.run(&["project", "swap.song", "--emit"]).exits(0);
    assert!(ran.out.contains("receive V(new_v) from b;"), "{}", ran.out);
    stage.write("voices.song", &ran.out);
    let ran = stage.run(&["explore", "voices.song"]).exits(0);
    // One execution for each of the 25 pairs of parameters.
    assert!(ran.out.contains("25 executions, 0 blocked"), "{}", ran.out);
    assert!(ran.out.contains("holds      promise"), "{}", ran.out);
}

#[test]
fn strict_repairs_nothing() {
    let stage = Stage::new();
    stage.write("mixed.song", SWAP.replace("b.v = a.t;", "b.v = a.t + b.t;"));
    let ran = stage.run(&["project", "mixed.song"]).exits(0);
    assert!(ran.out.contains("1 added by projection"), "{}", ran.out);
    let ran = stage
        .run(&["project", "mixed.song", "--strict-paper"])
        .exits(3);
    assert!(ran.err.contains("error[mixed-endpoints]"), "{}", ran.err);
}

#[test]
fn what_is_repaired_can_be_written_into_the_song() {
    let stage = Stage::new();
    let text = SWAP.replace("b.v = a.t;", "b.v = a.t + b.t; // both");
    stage.write("mixed.song", &text);
    let ran = stage.run(&["project", "mixed.song", "--fix"]).exits(0);
    assert_eq!(ran.out, "swap: 1 fix, 1 message added to the text\n");
    let mended = std::fs::read_to_string(stage.path("mixed.song")).expect("it is there");
    assert!(
        mended.contains("b.t_of_a = a.t;\n    b.v = b.t_of_a + b.t; // both\n"),
        "{mended}"
    );
    stage
        .run(&["project", "mixed.song", "--strict-paper"])
        .exits(0);
    let ran = stage.run(&["project", "mixed.song", "--fix"]).exits(0);
    assert_eq!(ran.out, "swap: nothing to fix\n");
    assert_eq!(
        std::fs::read_to_string(stage.path("mixed.song")).expect("it is there"),
        mended
    );
}

#[test]
fn check_fixes_all_choreographies_before_it_checks() {
    let stage = Stage::new();
    let text = "\
choreography rules(x: int, y: int) {
    endpoint s1 { var x: int = x; }
    endpoint s2 { var y: int = y; var n: int = 0; }
    endpoint s3 { var n: int = 0; }
    ensures s2.n == s3.n;
    s1.x = s1.x + s2.y;
    if s1.x + 4 == s2.y { s2.n = 1; s3.n = 1; }
}
";
    stage.write("rules.song", text);
    let ran = stage.run(&["check", "rules.song", "--fix"]).exits(0);
    let told = "rules: 2 fixes, 3 messages added to the text\n";
    assert!(ran.out.starts_with(told), "{}", ran.out);
    assert!(ran.out.contains("proved     rules"), "{}", ran.out);
    let ran = stage.run(&["check", "rules.song", "--fix"]).exits(0);
    assert!(
        ran.out.starts_with("rules: nothing to fix\n"),
        "{}",
        ran.out
    );
    let ran = stage.run(&["project", "rules.song"]).exits(0);
    assert!(ran.out.contains("all in the text"), "{}", ran.out);
}

#[test]
fn what_is_not_shown_to_agree_is_not_projected() {
    let stage = Stage::new();
    let guards = "\
choreography guards(x: int, y: int) {
    endpoint a { var x: int = x; }
    endpoint b { var x: int = y; }
    if a.x > 0 && b.x > 0 { b.x = a.x; } else { a.x = b.x; }
}
";
    stage.write("guards.song", guards);
    let ran = stage
        .run(&["project", "guards.song", "--out", "made"])
        .exits(1);
    assert!(ran.err.contains("`guards` is not projected"), "{}", ran.err);
    assert!(ran.out.contains("`a` and `b` do not agree"), "{}", ran.out);
    assert!(!stage.path("made").exists());
    let ran = stage.run(&["project", "guards.song", "--decide"]).exits(0);
    assert!(ran.out.contains("added by projection"), "{}", ran.out);
    let agreeing = guards.replace("{ var x: int = y; }", "{ var x: int = x; }");
    stage.write("guards.song", &agreeing);
    stage.run(&["project", "guards.song"]).exits(0);
    // They agree, but the contract, on which the proof of that may rest, is wrong.
    stage.write(
        "guards.song",
        agreeing.replace("    if", "    ensures a.x == b.x + 1;\n    if"),
    );
    let ran = stage.run(&["project", "guards.song"]).exits(1);
    let said = "its contract, and that is refuted here: ensures a.x == b.x + 1 is false";
    assert!(ran.err.contains(said), "{}", ran.err);
    assert!(ran.err.contains("guards.song:4:13: "), "{}", ran.err);
    assert!(!ran.err.contains("is not proved"), "{}", ran.err);
    // The part agrees where its `requires` holds, and here it does not.
    let part = "\
choreography part() {
    endpoint a { var x: int = choose int; }
    endpoint b { var x: int = choose int; }
    requires a.x == b.x;
    if a.x > 0 && b.x > 0 { b.x = a.x; } else { a.x = b.x; }
}
choreography whole(x: int) {
    endpoint a { var x: int = x; }
    endpoint b { var x: int = 0; }
    call part();
}
";
    stage.write("part.song", part);
    let ran = stage.run(&["project", "part.song"]).exits(1);
    assert!(ran.out.contains("a.x == b.x is false"), "{}", ran.out);
    stage.write("part.song", part.replace("= 0; }", "= x; }"));
    stage.run(&["project", "part.song"]).exits(0);
}

/// Nothing before the end relies on what is ensured there: that it is open is said, and is no reason to blame agreement.
#[test]
fn what_is_open_is_named_and_only_what_agreement_rests_on_stands_in_the_way() {
    let stage = Stage::new();
    let squares = "\
choreography squares(n: nat) {
    endpoint a { var x: int = n; var s: int = 0; }
    endpoint b { var x: int = n; var s: int = 0; }
    ensures a.s == b.s;
    while a.x > 0 && b.x > 0 invariant a.x == b.x {
        a.x -= 1;
        b.x -= 1;
        a.s += a.x * a.x;
        b.s += b.x * b.x;
    }
}
";
    stage.write("squares.song", squares);
    let ran = stage.run(&["project", "squares.song"]).exits(0);
    let said = "the endpoints of `squares` always agree, but what it ensures is not proved: \
                1 of 5 obligations open: line/ensures `a.s == b.s`";
    assert!(ran.err.contains(said), "{}", ran.err);
    // With the invariant that it needs there is nothing to warn of.
    let proved = squares.replace("a.x == b.x {", "a.x == b.x && a.s == b.s {");
    stage.write("squares.song", proved);
    let ran = stage.run(&["project", "squares.song"]).exits(0);
    assert!(!ran.err.contains("warning"), "{}", ran.err);
    // The invariant does not say that they go on alike: that is what is open.
    let weak = squares.replace("a.x == b.x {", "a.x <= n {");
    stage.write("squares.song", weak);
    let ran = stage.run(&["project", "squares.song"]).exits(2);
    assert!(
        ran.err.contains("`squares` is not projected"),
        "{}",
        ran.err
    );
    assert!(ran.err.contains("guard/unanimity"), "{}", ran.err);
    assert!(!ran.err.contains("line/ensures"), "{}", ran.err);
}

#[test]
fn only_one_choreography_is_projected_at_a_time() {
    let stage = Stage::new();
    stage.write(
        "two.song",
        format!(
            "{SWAP}\n{}",
            SWAP.replace("choreography swap", "choreography again")
        ),
    );
    let ran = stage.run(&["project", "two.song"]).exits(3);
    assert!(ran.err.contains("`swap`, `again`"), "{}", ran.err);
    stage
        .run(&["project", "two.song", "--line", "again"])
        .exits(0);
    stage
        .run(&["project", "two.song", "--line", "never"])
        .exits(3);
}

#[test]
fn a_directory_of_something_else_is_left_alone() {
    let stage = Stage::new();
    stage.write("swap.song", SWAP);
    std::fs::create_dir(stage.path("mine")).expect("a folder can be made");
    stage.write("mine/notes.txt", "keep me");
    let ran = stage
        .run(&["project", "swap.song", "--out", "mine"])
        .exits(3);
    assert!(ran.err.contains("is not empty"), "{}", ran.err);
    stage
        .run(&["project", "swap.song", "--out", "fresh"])
        .exits(0);
    stage
        .run(&["project", "swap.song", "--out", "fresh"])
        .exits(0);
}

/// The crates are built by the cargo that runs this test, into a folder beside its own.
#[test]
fn the_crate_runs_without_warnings() {
    let stage = Stage::new();
    stage.write("swap.song", SWAP);
    stage.write("commit.song", COMMIT);
    stage
        .run(&["project", "swap.song", "--out", "swap"])
        .exits(0);
    stage
        .run(&["project", "commit.song", "--out", "commit"])
        .exits(0);
    assert_eq!(
        run(&stage, "swap", &["x=5", "y=7"]),
        "a: v = 7, t = 5\nb: v = 5, t = 7\n"
    );
    let expected = "\
coordinator: votes = map {Server#0 => true, Server#1 => true, Server#2 => true}, commit = true
server[0]: vote = true, committed = some(true)
server[1]: vote = true, committed = some(true)
server[2]: vote = true, committed = some(true)
";
    assert_eq!(run(&stage, "commit", &["Server=3", "veto=false"]), expected);
}

/// Votes weigh as the parameter says, and some are drawn.
const WEIGHED: &str = "\
param N: nat where N >= 1;
sort Voter = 0..N;

choreography weighed(weight: map<Voter, int>, extra: seq<int>) {
    endpoint voter[v: Voter] {
        var weight: int = weight[v];
        var die: int = 0;
    }
    endpoint box { var total: int = 0; }
    for v in Voter {
        voter[v].die = choose 0..1000;
        box.total = box.total + voter[v].weight;
    }
    box.total = box.total + extra.len();
}
";

/// A crate is made once and runs at every size; its parameters can be given, and turns are not choices.
#[test]
fn parameters_grow_with_the_sizes_and_turns_are_no_choices() {
    let stage = Stage::new();
    stage.write("weighed.song", WEIGHED);
    stage
        .run(&["project", "weighed.song", "--out", "weighed"])
        .exits(0);
    let given = [
        "N=3",
        "weight=map {0 => 5, 1 => -7, 2 => 100}",
        "extra=[4, 4]",
    ];
    let said = run(&stage, "weighed", &given);
    assert!(said.contains("voter[2]: weight = 100"), "{said}");
    assert!(said.contains("box: total = 100"), "{said}");
    for size in ["N=1", "N=2", "N=6"] {
        let said = run(&stage, "weighed", &[size]);
        assert_eq!(
            said.lines().count(),
            size[2..].parse::<usize>().unwrap() + 1
        );
    }
    let said = run(&stage, "weighed", &["N=4", "weight=map {0 => 1, 1 => 2}"]);
    assert!(said.contains("voter[3]: weight = "), "{said}");
    let (is_good, said) = start(&stage, "weighed", &["weight=3"]);
    assert!(
        !is_good && said.contains("`3` is no value of `weight`"),
        "{said}"
    );

    let seeded = run(&stage, "weighed", &["N=3", "--seed", "3"]);
    assert_ne!(seeded, run(&stage, "weighed", &["N=3", "--seed", "4"]));
    for turns in ["5", "6"] {
        let simulated = run(&stage, "weighed", &["N=3", "--seed", "3", "--sim", turns]);
        assert_eq!(seeded, simulated);
    }
}

/// Parameters with more values than can be listed are no reason to write nothing: runs say what they are, and of those
/// that are listed the first ones are taken where they say nothing.
#[test]
fn parameters_with_many_values_have_some() {
    let stage = Stage::new();
    let song = "\
sort S = 0..3;
struct Offer { price: int, weights: map<S, int> }
choreography trade(offers: map<S, Offer>, least: int, most: int, named: option<int>) {
    endpoint buyer { var least: int = 0; var named: option<int> = named; }
    endpoint seller { var least: int = least; }
    requires least <= most;
    ensures buyer.least == least;
    buyer.least = seller.least;
}
";
    stage.write("trade.song", song);
    let written = stage.run(&["project", "trade.song", "--out", "trade"]);
    let said = written.exits(0);
    assert!(said.out.contains("written to trade"), "{}", said.out);
    assert!(stage.read("trade/src/lib.rs").contains("offers"));
}

const ORDER: &str = "\
extern fn price at server(item: int, amounts: seq<int>) -> int
    requires item >= 0
    ensures item <= result && result <= 10 * item;

choreography order(item: int) {
    endpoint client {
        in budget: nat where budget >= 5;
        var paid: int = 0;
    }
    endpoint server { var item: int = item; }
    requires item >= 0;
    ensures client.paid >= item;
    client.paid = price(server.item, [1, 2]);
}
";

const WRITTEN: &str = "\
use crate::{World, client, server};
use plainsong_runtime::Failure;
use plainsong_runtime::value::{Int, Seq};

pub struct Client;

pub fn client(_world: &World) -> Result<Client, Failure> {
    Ok(Client)
}

impl client::Code for Client {
    fn budget(&mut self, _world: &World) -> Result<Int, Failure> {
        Ok(\"20\".parse()?)
    }
}

pub struct Server {
    asked: Int,
}

pub fn server(_world: &World) -> Result<Server, Failure> {
    Ok(Server { asked: 0 })
}

impl server::Code for Server {
    fn price(&mut self, _world: &World, item: Int, amounts: &Seq<Int>) -> Result<Int, Failure> {
        self.asked += 1;
        Ok(item * amounts.len() * self.asked)
    }
}
";

/// The user writes external functions, the generated code looks at their contracts, and nobody overwrites them.
#[test]
fn external_functions_are_written_by_the_user() {
    let stage = Stage::new();
    stage.write("order.song", ORDER);
    let made = stage
        .run(&["project", "order.song", "--out", "order"])
        .exits(0);
    let yours = "yours to write, in src/external.rs: `budget`, `price`\n";
    assert!(made.out.ends_with(yours), "{}", made.out);
    let (ran, said) = start(&stage, "order", &["item=3"]);
    assert!(!ran, "{said}");
    assert!(
        said.contains("`budget` is not written yet: src/external.rs"),
        "{said}"
    );
    stage.write("order/src/external.rs", WRITTEN);
    let made = stage
        .run(&["project", "order.song", "--out", "order"])
        .exits(0);
    assert!(made.out.contains("were left as they are"), "{}", made.out);
    let text = std::fs::read_to_string(stage.path("order/src/external.rs"));
    assert_eq!(text.ok().as_deref(), Some(WRITTEN));
    let (ran, said) = start(&stage, "order", &["item=3"]);
    assert!(
        ran && said.starts_with("client: budget = 20, paid = 6\nserver: item = 3\n"),
        "{said}"
    );
    stage.write(
        "order/src/external.rs",
        WRITTEN.replace("item *", "1 - item *"),
    );
    let (ran, said) = start(&stage, "order", &["item=3"]);
    assert!(
        !ran && said.contains("`price` promises `item <= result"),
        "{said}"
    );
    stage.write("order/src/external.rs", WRITTEN.replace("\"20\"", "\"3\""));
    let (ran, said) = start(&stage, "order", &["item=3"]);
    let wrong = "own code gives what is declared: `in budget: nat where budget >= 5`";
    assert!(!ran && said.contains(wrong), "{said}");
    stage.write("order/src/external.rs", WRITTEN.replace("\"20\"", "\"x\""));
    let (ran, said) = start(&stage, "order", &["item=3"]);
    assert!(
        !ran && said.contains("client: invalid digit found in string"),
        "{said}"
    );
    let more = format!(
        "extern fn tax(n: int) -> int\n    ensures result >= n;\n{}",
        ORDER.replace("server.item, [", "tax(server.item), [")
    );
    stage.write("order.song", more);
    let made = stage
        .run(&["project", "order.song", "--out", "order"])
        .exits(0);
    assert!(
        made.out
            .ends_with("src/external.rs was left as it is; it has no `tax`\n"),
        "{}",
        made.out
    );
}

/// What `run --size` takes, `project --size` takes: also parameters of the choreography, and values that are no numbers.
#[test]
fn sizes_of_the_crate_are_those_of_runs() {
    let stage = Stage::new();
    let song = "sort Shop;
choreography total(price: int, prices: map<Shop, int>, extra: seq<int>) {
    endpoint bank { var price: int = price; var extra: seq<int> = extra; }
    endpoint shop[s: Shop] { var price: int = prices[s]; }
}
";
    stage.write("total.song", song);
    let sizes = "Shop=2,price=-3,prices=map {0 => 5, 1 => 7}";
    let made = ["project", "total.song", "--out", "total", "--size", sizes];
    stage
        .run(&[&made[..], &["--size", "extra=[1, 2]"]].concat())
        .exits(0);
    let text = std::fs::read_to_string(stage.path("total/src/lib.rs")).expect("it is there");
    let text: String = text.split_whitespace().collect();
    let values = "shop_count:2,price:-3,prices:Map::pairs([(0,5),(1,7)]),extra:Seq::of([1,2]),";
    assert!(text.contains(values), "{text}");
    let ran = stage
        .run(&[
            "project",
            "total.song",
            "--out",
            "total",
            "--size",
            "pric=3",
        ])
        .exits(3);
    assert!(ran.err.contains("`pric`"), "{}", ran.err);
}

/// Nothing has to be proved to project it, but that it does not keep its promise is said.
#[test]
fn what_is_refuted_is_not_projected_without_a_word() {
    let stage = Stage::new();
    stage.write("swap.song", SWAP.replace("b.v = a.t;", "b.v = b.t;"));
    let ran = stage.run(&["project", "swap.song"]).exits(0);
    assert!(
        ran.err.contains("is projected, and it is refuted: "),
        "{}",
        ran.err
    );
    stage.write("swap.song", SWAP);
    let ran = stage.run(&["project", "swap.song"]).exits(0);
    assert_eq!(ran.err, "");
}

#[test]
fn names_that_would_be_one_in_rust_are_refused() {
    let stage = Stage::new();
    stage.write(
        "swap.song",
        SWAP.replace("var t: int = 0;", "var t: int = 0; var T: int = 0;"),
    );
    let ran = stage
        .run(&["project", "swap.song", "--out", "made"])
        .exits(3);
    assert!(
        ran.err.contains("`t` and `T` would both be `t` in Rust"),
        "{}",
        ran.err
    );
    assert!(!stage.path("made").exists());
}

/// All ways draw the same value for an external function, and say so.
#[test]
fn runs_draw_what_contracts_allow() {
    let stage = Stage::new();
    stage.write("order.song", ORDER);
    let way = |way: &str| {
        stage
            .run(&["run", "order.song", way, "--seed", "4", "--size", "item=2"])
            .exits(0)
    };
    let line = way("--sequential");
    assert!(line.err.contains("what `price` returned"), "{}", line.err);
    assert_eq!(way("--threads").out, line.out);
    assert_eq!(way("--tcp").out, line.out);
    let json = stage.run(&["run", "order.song", "--json"]).exits(0);
    assert!(
        json.out.contains("\"external\":[\"price\"]"),
        "{}",
        json.out
    );
}

fn run(stage: &Stage, folder: &str, arguments: &[&str]) -> String {
    let (ran, said) = start(stage, folder, arguments);
    assert!(ran, "{said}");
    said
}

/// Whether the program ended well, and what it said.
fn start(stage: &Stage, folder: &str, arguments: &[&str]) -> (bool, String) {
    let target = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("generated");
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["run", "--offline", "--quiet", "--"])
        .args(arguments)
        .env("CARGO_TARGET_DIR", target)
        .env("RUSTFLAGS", "-D warnings")
        .current_dir(stage.path(folder));
    let ran = plainsong_children::output(&mut cargo).expect("cargo can be started");
    let said = if ran.status.success() {
        ran.stdout
    } else {
        ran.stderr
    };
    (
        ran.status.success(),
        String::from_utf8_lossy(&said).into_owned(),
    )
}

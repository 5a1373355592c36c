//! How much a search looks at: `--bound states=N` and its like, with defaults that `--help` states.

use crate::songs;
use crate::stage::Stage;
use plainsong_driver::effort;
use plainsong_semantics::search::Limits;

/// Steps that may be taken in any order.
const COUNTING: &str = "\
sort Step;
size Step = 4;

var taken: set<Step> = {};

action Take(s: Step) { taken = taken.with(s); }

init { for s in Step { async Take(s); } }

property all_taken: finally taken == Step;
";

/// Handlers with far more executions than states.
const BUMPS: &str = "\
sort Client;
size Client = 4;
message Bump;
process counter { var n: nat = 0; on Bump { n += 1; } }
process client[c: Client] { on Bump { send Bump to counter; send Bump to counter; } }
init { for c in Client { send Bump to client[c]; } }
property few: always counter.n <= 2 * Client.len();
";

/// Every limit on searches is a flag, and `--help` says what it is where nobody chooses.
#[test]
fn the_limits_and_their_defaults_are_in_the_help() {
    let stage = Stage::new();
    for verb in ["check", "explore", "diverge", "sequentialize"] {
        let help = stage.run(&[verb, "--help"]).exits(0).out;
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        let (open, beside) = (effort::STATES_OF_OPEN_PROOFS, effort::STATES_BESIDE_LINES);
        for said in [
            format!(
                "[default: {}, of states of processes none;",
                Limits::default().states
            ),
            format!("for `diverge` {}", effort::STATES_OF_DIVERGE),
            format!("beside `sequentialize` {beside}"),
            format!("for what `check` does not prove {open}"),
            format!("may have no end {}]", effort::STATES_WITHOUT_END),
            format!("executions [default: {}]", effort::FIRST_STATES),
            format!("searched [default: {}]", effort::FIRST_EXECUTIONS),
            format!("given [default: {}]", effort::STATES_OF_GROWING),
        ] {
            assert!(help.contains(&said), "{verb}: {said}: {help}");
        }
    }
}

/// `check` looks at few states, then at executions, whatever the limit on both is.
#[test]
fn a_limit_on_states_does_not_choose_the_engine() {
    let stage = Stage::with(songs::RACE);
    let check = |bound: &str| {
        let arguments = [
            "check",
            "a.song",
            "--size",
            "Client=3",
            "--property",
            "some_order",
        ];
        stage.run(&[&arguments[..], &["--bound", bound]].concat())
    };
    let few = check("states=100000").exits(0);
    assert!(few.out.contains(" states "), "{}", few.out);
    let many = check("states=100000,first-states=5").exits(0);
    assert!(many.out.contains(" explore "), "{}", many.out);
    assert!(many.out.contains(" executions"), "{}", many.out);
    let limited = check("states=2,first-states=1").exits(2);
    let said = "limit on states: --bound states=2 (nothing wrong in the first 2 executions)";
    assert!(limited.out.contains(said), "{}", limited.out);
}

/// States of an action system are looked at by the engine that packs them, and every limit is the user's.
#[test]
fn action_systems_are_checked_by_packed_states() {
    let stage = Stage::with(COUNTING);
    let ran = stage.run(&["check", "a.song"]).exits(0);
    assert!(ran.out.contains(" explore "), "{}", ran.out);
    assert!(!ran.out.contains(" states "), "{}", ran.out);
    let ran = stage
        .run(&["check", "a.song", "--bound", "states=3"])
        .exits(2);
    let said = "limit on states: --bound states=3 (nothing wrong in the first 3 states)";
    assert!(ran.out.contains(said), "{}", ran.out);
    let ran = stage.run(&["check", "a.song", "--jobs", "2"]).exits(0);
    assert!(ran.out.contains(" explore "), "{}", ran.out);
}

/// After some executions of handlers their states are searched; both numbers are the user's.
#[test]
fn handlers_with_many_executions_are_searched_by_states() {
    let stage = Stage::with(BUMPS);
    let explore = |bound: &str| stage.run(&["explore", "a.song", "--bound", bound]);
    let ran = explore("first-executions=3").exits(0);
    let note = "searched state by state: there are more executions than states";
    assert!(ran.out.contains(note), "{}", ran.out);
    let ran = explore("first-executions=3,states=10").exits(2);
    let said = "limit on states: --bound states=10 (nothing wrong in the first 10 executions)";
    assert!(ran.out.contains(said), "{}", ran.out);
}

#[test]
fn a_bound_that_is_none_is_refused() {
    let stage = Stage::with(COUNTING);
    for bad in [
        "states=0",
        "growing-states=0",
        "first-states=0",
        "first-executions=",
        "first=3",
    ] {
        let ran = stage.run(&["check", "a.song", "--bound", bad]).exits(3);
        assert!(ran.err.contains("first-executions=1000"), "{}", ran.err);
    }
}

/// Messages of which there are more orders than states.
const HITS: &str = "\
sort Client;
size Client = 4;
message Hit;
process counter { var n: nat = 0; for c in Client { receive Hit from any client; n += 1; } }
process client[c: Client] { let n = choose {1, 2, 3}; if n > 0 { send Hit to counter; } }
property few: always pending(Hit) <= 4;
property no_more: always pending(Hit) <= 3;
property counted: always counter.n <= 4;
";

/// What holds in all states holds, whether or not all executions were counted.
#[test]
fn a_count_that_was_cut_off_takes_nothing_from_what_was_seen() {
    let stage = Stage::with(HITS);
    let ran = stage.run(&["explore", "a.song", "--bound", "states=1500"]);
    let ran = ran.exits(1);
    assert!(ran.out.contains("  unknown    assertions "), "{}", ran.out);
    assert!(ran.out.contains("  holds      few "), "{}", ran.out);
    assert!(ran.out.contains("  REFUTED    no_more "), "{}", ran.out);
    let note = "few: the executions were not all counted (limit on states: --bound states=1500)";
    assert!(ran.out.contains(note), "{}", ran.out);
}

/// Requests are sent again and again; nothing waits for an answer for long.
const RETRY: &str = "\
message Req;
message Ack;
process client {
    var done: bool = false;
    while !done {
        send Req to server;
        receive { Ack => { done = true; } timeout => {} }
    }
}
daemon process server { loop { receive Req from client; send Ack to client; } }
property ok: always pending(Req) <= 1000;
";

#[test]
fn a_program_without_an_end_is_told_what_grows_and_how_to_bound_it() {
    let stage = Stage::with(RETRY);
    let few = "first-states=2000,first-executions=100,states=5000";
    let ran = stage.run(&["check", "a.song", "--bound", few]).exits(2);
    let grows = "30 `Req` from client to server are in flight";
    assert!(ran.out.contains(grows), "{}", ran.out);
    let next = "`--bound pending=3` searches";
    assert!(ran.out.contains(next), "{}", ran.out);
    let few = "first-states=2000,first-executions=100,growing-states=4000";
    let ran = stage.run(&["check", "a.song", "--bound", few]).exits(2);
    let limit = "limit on states: --bound states=4000";
    assert!(
        ran.out.contains(limit) && ran.out.contains(next),
        "{}",
        ran.out
    );
    let ran = stage
        .run(&["check", "a.song", "--bound", "pending=3"])
        .exits(0);
    let holds = "holds      ok                     constraint=pending<=3";
    assert!(ran.out.contains(holds), "{}", ran.out);
    let broken = RETRY.replace("done = true;", "");
    let broken = broken.replace("pending(Req) <= 1000", "pending(Ack) < 2");
    let ran = Stage::with(&broken).run(&["check", "a.song", "--bound", "pending=3"]);
    assert!(ran.exits(1).out.contains("REFUTED    ok"));
}

#[test]
fn what_is_large_and_has_an_end_is_not_called_endless() {
    let ran = Stage::with(HITS).run(&["check", "a.song", "--bound", "first-states=10,states=20"]);
    assert!(ran.out.contains("limit on states"), "{}", ran.out);
    assert!(!ran.out.contains("may have no end"), "{}", ran.out);
}

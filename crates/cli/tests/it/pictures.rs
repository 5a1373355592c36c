//! What a check looks like, from end to end.

use crate::songs;
use crate::stage::Stage;
use expect_test::expect;

#[test]
fn a_race() {
    let ran = Stage::with(songs::RACE).run(&["check", "a.song"]).exits(1);
    expect![[r#"
        a.song
          proved     assertions             any size      states  TIME
          proved     no_deadlock            any size      sequentialize  TIME
          holds      some_order             Client=2      states  TIME   10 states
          REFUTED    same                   Client=2      states  TIME   2 messages   trace out/a.same.trace
          covered    5 of 5 statements, 1 of 1 message kinds

        REFUTED same   a.song:20:24
          c = Client#1: server.first == some(c) is false: server.first = some(Client#0), some(c) = some(Client#1)

            server                client[0]   client[1]
               |<-- Hello(Client#0) --|           |
               |<-------------- Hello(Client#1) --|   <- here: same is false

          state:       server.first = some(Client#0)   (was none)
          both executions fail
          replay: plainsong replay out/a.same.trace      as a test: ... --to-test

        1 refuted, 3 fine.    replay: plainsong replay out/a.same.trace
    "#]].assert_eq(&ran.timeless());
}

#[test]
fn a_deadlock() {
    let ran = Stage::with(songs::DEADLOCK)
        .run(&["check", "a.song"])
        .exits(1);
    expect![[r#"
        a.song
          proved     assertions             any size      states  TIME   1 state
          REFUTED    no_deadlock            -             states  TIME   0 steps   trace out/a.no_deadlock.trace
          covered    0 of 4 statements, 0 of 2 message kinds; never executed: a.song:5, a.song:6, a.song:10 and 1 more; never sent: Ping, Pong

        REFUTED no_deadlock   a.song:5:5
          nothing can happen, and left waits for Pong from right (line 5), right waits for Ping from left (line 10)

            (at the start, before any step)

          waiting:     left waits for Pong from right (line 5)
                       right waits for Ping from left (line 10)
          the only execution fails
          replay: plainsong replay out/a.no_deadlock.trace      as a test: ... --to-test

        1 refuted, 1 fine.    replay: plainsong replay out/a.no_deadlock.trace
    "#]].assert_eq(&ran.timeless());
}

#[test]
fn a_failed_assertion() {
    let ran = Stage::with(songs::ASSERTION)
        .run(&["check", "a.song"])
        .exits(1);
    expect![[r#"
        a.song
          REFUTED    assertions             -             states  TIME   1 message   trace out/a.assertions.trace
          holds      no_deadlock            -             states  TIME   provided `assertions`   10 states
          note       no_deadlock: an execution that fails ends there: what would come after was not looked at
          covered    4 of 4 statements, 1 of 1 message kinds

        REFUTED assertions   a.song:10:5
          sink: the assertion fails: n < 3 is false: n = 3

            source            sink
               * starts         |   source: n = 3
               |-- Number(3) -->|   <- here: the assertion fails

          choice:      source chose n = 3; had it chosen n = 0, it would end well
          1 of 4 executions fails
          replay: plainsong replay out/a.assertions.trace      as a test: ... --to-test

        1 refuted, 1 conditional.    replay: plainsong replay out/a.assertions.trace
    "#]].assert_eq(&ran.timeless());
}

#[test]
fn actions() {
    let ran = Stage::with(songs::ACTIONS)
        .run(&["check", "a.song"])
        .exits(1);
    expect![[r#"
        a.song
          holds      assertions             Tid=2         explore  TIME   8 states
          holds      no_deadlock            Tid=2         explore  TIME   8 states
          holds      free                   Tid=2         explore  TIME   8 states
          REFUTED    never_held             Tid=2         explore  TIME   2 steps   trace out/a.never_held.trace
          covered    7 of 7 statements, 2 of 2 actions

        REFUTED never_held   a.song:23:29
          owner == none is false: owner = some(Tid#0)

            1  init             leaves Acquire(Tid#0), leaves Acquire(Tid#1)
            2  Acquire(Tid#0)   leaves Release(Tid#0), owner = some(Tid#0)   <- here: never_held is false

          state:       owner = some(Tid#0)   (was none)
          replay: plainsong replay out/a.never_held.trace      as a test: ... --to-test

        1 refuted, 3 fine.    replay: plainsong replay out/a.never_held.trace
    "#]].assert_eq(&ran.timeless());
}

#[test]
fn colours_only_where_they_are_wanted() {
    let stage = Stage::with(songs::RACE);
    assert!(!stage.run(&["check", "a.song"]).out.contains('\u{1b}'));
    assert!(
        stage
            .run(&["check", "a.song", "--color", "always"])
            .out
            .contains("\u{1b}[")
    );
    let slip = Stage::with(songs::SLIP);
    assert!(
        !slip
            .run(&["check", "a.song", "--color", "never"])
            .err
            .contains('\u{1b}')
    );
    assert!(
        slip.run(&["check", "a.song", "--color", "always"])
            .err
            .contains("\u{1b}[")
    );
}

/// The voter forgets its vote when it restarts; no order of messages is to blame.
const FORGETS: &str = "\
sort Candidate;

message Ask(from: Candidate);
message Grant;

process voter {
    var vote: option<Candidate> = none;

    on Ask(c) {
        if vote == none {
            vote = some(c);
            send Grant to candidate[c];
        }
    }
}

process candidate[c: Candidate] {
    var leads: bool = false;

    on Grant { leads = true; }
}

init { for c in Candidate { send Ask(c) to voter; } }

fault crash voter <= 1;
fault restart voter;

property one_leader: always forall a, b: Candidate :: candidate[a].leads && candidate[b].leads ==> a == b;
property nobody_leads: always forall c: Candidate :: !candidate[c].leads;
";

/// Three clients arrive in six orders; in two of them the last one is first. In the end is as good as always here.
#[test]
fn how_many_executions_fail_is_told() {
    let stage = Stage::with(
        "sort Client = 0..=2;
message Hello(who: Client);
process server {
    var first: option<Client> = none;
    for c in Client {
        receive Hello(who) from any client;
        if first == none { first = some(who); }
    }
}
process client[c: Client] { send Hello(c) to server; }
property in_the_end: finally server.first != some(2);
property always_so: always server.first != some(2);
",
    );
    let ran = stage.run(&["explore", "a.song"]).exits(1);
    let told = ran.out.matches("  2 of 6 executions fail\n").count();
    assert_eq!(told, 2, "{}", ran.out);
    let ran = stage.run(&["explore", "a.song", "--json"]).exits(1);
    let counted = ran.out.matches("\"refuting\":2,\"refuting_of\":6").count();
    assert_eq!(
        counted, 4,
        "two verdicts, and again in the summary: {}",
        ran.out
    );
}

#[test]
fn faults_that_are_needed_are_named() {
    let stage = Stage::with(FORGETS);
    let ran = stage
        .run(&["check", "a.song", "--property", "one_leader"])
        .exits(1);
    let line = "faults:      voter crashes, voter restarts; without faults, one_leader holds";
    assert!(ran.out.contains(line), "{}", ran.out);
    let ran = stage
        .run(&["check", "a.song", "--property", "nobody_leads"])
        .exits(1);
    assert!(!ran.out.contains("faults:"), "{}", ran.out);
}

#[test]
fn first_values_that_were_chosen_are_told() {
    let stage = Stage::with(
        "\
sort Node = 0..3;

var s: map<Node, bool> = choose map<Node, bool>;
var other: int = 4;

action Move(n: Node) { s[n] = true; }

init { async Move(0); }

property few: always (count n in Node :: s[n]) < 3;
",
    );
    let ran = stage.run(&["check", "a.song"]).exits(1);
    assert!(
        ran.out
            .contains("    start: s = map {0 => true, 1 => true, 2 => true}\n"),
        "{}",
        ran.out
    );
    assert!(
        ran.out
            .contains("(count n in Node :: s[n]) < 3 is false: left side = 3"),
        "{}",
        ran.out
    );
}

/// The receiver's send and the sender's next one are independent: that one of them comes first says nothing.
#[test]
fn what_decided_it_is_another_message_rather_than_another_order() {
    let text = include_str!("../../../../songs/explore/go-back-n.song");
    let ran = Stage::with(text).run(&["explore", "a.song", "--size", "M=2"]);
    let told = ran.exits(1).timeless();
    let race = "race:        sender gave up waiting; had it received Ack(1) from receiver instead, in_order could still hold";
    assert!(told.contains(race), "{told}");
}

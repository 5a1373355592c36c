//! The message picture.

use crate::scenes;
use expect_test::{Expect, expect};
use plainsong_report::picture;
use plainsong_semantics::trace::{Ending, EventKind, Trace};

fn check(trace: &Trace, expected: Expect) {
    // A line without indentation, so that that of the others counts.
    expected.assert_eq(&format!("picture:\n{}", picture(trace)));
}

#[test]
fn each_message_is_one_line_and_the_failure_is_marked() {
    check(
        &scenes::late_commit(),
        expect![[r#"
            picture:
                coordinator            db[0]   db[1]
                     |-- Prepare ------->|       |   db[0]: yes = true
                     |-- Prepare --------------->|   db[1]: yes = false
                     |<----------- Vote(false) --|
                     |<---- Vote(true) --|       |
                     |-- Decide(true) -->|       |
                     |-- Decide(true) ---------->|   <- here: the assertion fails
        "#]],
    );
}

#[test]
fn of_two_crossing_messages_one_is_drawn_as_two_lines() {
    check(
        &scenes::crossing(),
        expect![[r#"
            picture:
                left               right
                  |-- Hello(1) #1 ...|
                  |<----- Hello(2) --|
                  |.. Hello(1) #1 ..>|
        "#]],
    );
}

#[test]
fn faults_are_drawn_while_the_message_is_on_its_way_and_the_violation_last() {
    check(
        &scenes::doubled(),
        expect![[r#"
            picture:
                a               b               c
                |-- Token #1 ...|               |
                * Token is duplicated #1        |
                |.. Token #1 ..>|               |
                |               |-- Token #2 ...|
                |-- Token ----->|               |   the copy
                |-- Late .......................|
                |               |               * Late is lost
                |               |.. Token #2 ..>|   <- here: exclusive is false
        "#]],
    );
}

#[test]
fn handlers_and_init_and_messages_to_oneself() {
    check(
        &scenes::handlers(),
        expect![[r#"
            picture:
                init            node[0]          node[1]   node[2]
                  * init           |                |         |   root = 0
                  |-- Search(0) -->|                |         |
                  |                |-- Search(0) ------------>|
                  |                |-- Search(0) -->|         |
                  |                |-- Adopt(0) -> self       |
        "#]],
    );
}

#[test]
fn a_message_nobody_takes_has_no_head() {
    check(
        &scenes::deadlock(),
        expect![[r#"
            picture:
                client       server
                   |-- Hello ...|
        "#]],
    );
}

#[test]
fn actions_are_a_list() {
    check(
        &scenes::actions(),
        expect![[r#"
            picture:
                1  init         leaves Acquire(0), leaves Acquire(1)
                2  Acquire(1)   leaves Release(1), owner = some(1)
                3  Release(1)   owner = none   <- here: held is false
        "#]],
    );
}

#[test]
fn lines_are_a_list() {
    check(
        &scenes::swap(),
        expect![[r#"
            picture:
                1  a       a.t = a.v   a.t = 1
                2  b       b.t = b.v   b.t = 2
                3  b -> a  a.v = b.t   a.v = 2
        "#]],
    );
}

#[test]
fn too_many_lanes_are_a_list() {
    check(
        &scenes::crowd(),
        expect![[r#"
            picture:
                 1  leader -> worker[0]  Job
                 2  leader -> worker[1]  Job
                 3  leader -> worker[2]  Job
                 4  leader -> worker[3]  Job
                 5  leader -> worker[4]  Job
                 6  leader -> worker[5]  Job
                 7  leader -> worker[6]  Job
                 8  leader -> worker[7]  Job
                 9  leader -> worker[8]  Job
                10  leader               timeout
        "#]],
    );
}

#[test]
fn idle_lanes_make_room() {
    let mut lanes = vec!["client", "server"];
    lanes.extend(["spare"; 10]);
    let mut scene = scenes::Scene::new(&lanes);
    let hello = scene.send(0, 1, "Hello");
    scene.receive(hello);
    scene.event(EventKind::Timeout, Some(0), "timeout");
    check(
        &scene.end(Ending::Final),
        expect![[r#"
            picture:
                client       server
                   |-- Hello -->|
                   * timeout    |
        "#]],
    );
}

#[test]
fn long_labels_are_cut() {
    let mut scene = scenes::Scene::new(&["client", "cache", "server"]);
    let payload = format!("Store({})", ["12345"; 20].join(", "));
    for to in [1, 2] {
        let store = scene.send(0, to, &payload);
        scene.receive(store);
    }
    check(
        &scene.end(Ending::Final),
        expect![[r#"
            picture:
                client                                                   cache   server
                   |-- Store(12345, 12345, 12345, 12345, 12345, 12345,… -->|        |
                   |-- Store(12345, 12345, 12345, 12345, 12345, 12345,… ----------->|
        "#]],
    );
}

#[test]
fn a_line_independent_of_the_one_above_is_marked() {
    let mut scene = scenes::Scene::new(&["left", "right", "cache", "server"]);
    let to_cache = scene.send(0, 2, "Store");
    let to_server = scene.send(1, 3, "Store");
    scene.receive(to_cache);
    scene.receive(to_server);
    let answer = scene.send(3, 1, "Done");
    scene.receive(answer);
    check(
        &scene.end(Ending::Final),
        expect![[r#"
            picture:
                left    right   cache   server
                  |-- Store ----->|        |
             ~    |       |-- Store ------>|
                  |       |<------- Done --|
             ~  independent of the line above: neither is a cause of the other
        "#]],
    );
}

#[test]
fn nothing_happened() {
    check(
        &scenes::Scene::new(&["client"]).end(Ending::Final),
        expect![[r#"
            picture:
        "#]],
    );
}

#[test]
fn a_long_trace_is_drawn_quickly() {
    let mut scene = scenes::Scene::new(&["ping", "pong"]);
    for _ in 0..5_000 {
        let there = scene.send(0, 1, "Ping");
        let back = scene.send(1, 0, "Pong");
        scene.receive(back);
        scene.receive(there);
    }
    let drawn = picture(&scene.end(Ending::Cut));
    assert_eq!(
        drawn.lines().count(),
        1 + 15_000 + 1,
        "a heading, then three lines for each crossing, and what the mark means"
    );
}

//! What has no rule is refused by name, never overlooked.

use crate::oracle::compile;
use plainsong_ir::Delivery;
use plainsong_sequentialize::{Obstacle, sequentialize};

const GATHER: &str = "\
sort Q;
message Hello;
process p { for q in Q { receive Hello from any member; } }
process member[q: Q] { send Hello to p; }
";

fn refused(text: &str) -> String {
    let stuck = sequentialize(&compile(text), None).expect_err("there is no rule for it");
    assert_eq!(stuck.obstacle, Obstacle::NotCovered, "{}", stuck.sentence);
    stuck.sentence
}

#[test]
fn the_program_that_is_changed_here_is_proved() {
    assert!(sequentialize(&compile(GATHER), None).is_ok());
}

#[test]
fn constructs_without_a_rule() {
    let cases = [
        (
            "message Hello;",
            "message Hello;\nfault duplicate Hello <= 1;",
            "`fault duplicate`",
        ),
        (
            "message Hello;",
            "message Hello;\nfault crash member <= 1;\nfault restart member;",
            "`fault restart`",
        ),
        (
            "message Hello;",
            "message Hello;\ninit { send Hello to p; }",
            "`init`",
        ),
        (
            "from any member;",
            "from any member where 1 == 1;",
            "`where`",
        ),
        (
            "receive Hello from any member;",
            "receive { Hello => {} Hello => {} }",
            "same kind",
        ),
        (
            "process p { for q in Q { receive Hello from any member; } }",
            "process p { for q in Q { receive Hello from any member; } }\nmessage Note;\ndaemon process d { loop { send Note to p; receive Hello from p; } }",
            "something else than a receive",
        ),
        (
            "process p { for q in Q { receive Hello from any member; } }",
            "process p { for q in Q { receive Hello from any member; } }\ndaemon process d { loop { assert false; receive Hello from p; } }",
            "something else than a receive",
        ),
        (
            "process p { for q in Q { receive Hello from any member; } }",
            "daemon process p { loop { receive { Hello => {} timeout => {} } } }",
            "a daemon with a timeout",
        ),
        ("for q in Q {", "for q in Q where q != q {", "skips members"),
        ("from any member;", "from any member; break;", "`break`"),
        ("sort Q;", "sort Q ordered;", "told apart"),
        ("sort Q;", "sort Q = 0..;", "told apart"),
        ("sort Q;", "sort Q;\nparam leader: Q;", "singles out"),
        (
            "sort Q;",
            "sort Q;\nprocess other[q: Q] {}",
            "both named by",
        ),
        (
            "{ send Hello to p; }",
            "{ on Hello { send Hello to p; } }",
            "handlers",
        ),
    ];
    for (old, new, said) in cases {
        let text = GATHER.replace(old, new);
        assert_ne!(text, GATHER, "{new}");
        let sentence = refused(&text);
        assert!(sentence.contains(said), "{new}: {sentence}");
    }
}

#[test]
fn messages_that_overtake_each_other() {
    let twice = GATHER.replace("send Hello to p;", "send Hello to p; send Hello to p;");
    let twice = twice.replace(
        "for q in Q { receive Hello from any member; }",
        "for q in Q { receive Hello from member[q]; receive Hello from member[q]; }",
    );
    for (text, is_proved) in [(GATHER, true), (&twice, false)] {
        let song = compile(text);
        let found = sequentialize(&song, Some(Delivery::Unordered));
        assert_eq!(found.is_ok(), is_proved, "{text}");
        assert!(sequentialize(&song, Some(Delivery::Causal)).is_ok());
    }
    let declared = twice.replace("message Hello;", "message Hello via unordered;");
    assert!(refused(&declared).contains("any order"));
}

#[test]
fn what_may_be_lost_needs_a_timeout() {
    let cases = [
        ("message Hello;", "message Hello;\nfault lose Hello <= 1;"),
        ("message Hello;", "message Hello;\nfault crash member <= 1;"),
    ];
    for (old, new) in cases {
        let text = GATHER.replace(old, new);
        let stuck = sequentialize(&compile(&text), None).expect_err("a member may be silent");
        assert_eq!(stuck.obstacle, Obstacle::Blocked, "{}", stuck.sentence);
        assert!(stuck.sentence.contains("may be lost"), "{}", stuck.sentence);
        let ready = text.replace(
            "receive Hello from any member;",
            "receive { Hello from any member => {} timeout => {} }",
        );
        let line = sequentialize(&compile(&ready), None);
        assert!(line.is_ok_and(|line| line.may_leave), "{ready}");
    }
}

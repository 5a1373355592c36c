//! Two executions side by side.

use crate::{plain, scenes};
use expect_test::expect;
use plainsong_report::{Text, difference};
use plainsong_semantics::trace::{EventKind, Trace};

const SOURCE: Text<'static> = Text {
    name: "demo.song",
    text: "sort Db;\n",
};

fn compare(left: &Trace, right: &Trace) -> (bool, String) {
    let found = difference((SOURCE, "left.trace", left), (SOURCE, "right.trace", right));
    (found.same, plain(&found.text))
}

#[test]
fn an_execution_is_the_same_as_itself_and_in_another_order() {
    let one = scenes::crossing();
    assert!(compare(&one, &one).0);
    let mut other = one.clone();
    other.events.swap(0, 1);
    assert!(compare(&one, &other).0, "the two sends are concurrent");
}

#[test]
fn the_first_event_that_differs_is_marked() {
    let one = scenes::crossing();
    let mut other = one.clone();
    other.events[3].label = "Hello(9)".to_owned();
    let (same, text) = compare(&one, &other);
    assert!(!same);
    expect![[r#"
          left.trace                                                   right.trace
          left sends Hello(1) to right                                 left sends Hello(1) to right
          right sends Hello(2) to left                                 right sends Hello(2) to left
          left receives Hello(2) from right                            left receives Hello(2) from right
        > right receives Hello(1) from left                          > right receives Hello(9) from left

          first difference: event 2 of right
            left:  right receives Hello(1) from left
            right: right receives Hello(9) from left

          left ends:   it terminated: there is nothing left to do
          right ends:  it terminated: there is nothing left to do
    "#]].assert_eq(&text);
}

#[test]
fn one_that_goes_on_differs_where_the_other_ends() {
    let one = scenes::crossing();
    let mut shorter = one.clone();
    shorter.events.pop();
    let (same, text) = compare(&one, &shorter);
    assert!(!same);
    assert!(text.contains("right: nothing more"), "{text}");
}

#[test]
fn faults_are_named() {
    let one = scenes::crossing();
    let cases = [
        (EventKind::Crash, "right crashes"),
        (EventKind::Restart, "right restarts"),
        (EventKind::Lose, "Hello(1) to right is lost"),
        (EventKind::Duplicate, "Hello(1) of right is duplicated"),
    ];
    for (kind, said) in cases {
        let mut other = one.clone();
        other.events[3].kind = kind;
        let (same, text) = compare(&one, &other);
        assert!(
            !same && text.contains(&format!("right: {said}\n")),
            "{text}"
        );
    }
}

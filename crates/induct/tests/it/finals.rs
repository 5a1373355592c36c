//! Claims about final states: of random actions, handlers and bodies nothing is shown that a search refutes; and what is shown of
//! programs that come to an end.

use crate::random::{Dice, compared_some};
use crate::shown;

/// The same system with claims about final states: half of those that it has, and that there are none.
fn with_finals(dice: &mut Dice, mut text: String) -> String {
    for at in [1, 3, 5] {
        text = text.replace(&format!("p{at}: always"), &format!("p{at}: finally"));
    }
    if text.contains("loop {") && dice.below(2) == 0 {
        text = text.replace("process hub", "daemon process hub");
    }
    text.push_str("property endless: finally false;\n");
    text
}

fn nothing_wrong_is_shown(system: impl Fn(&mut Dice) -> String, usual: u64) {
    let both = |dice: &mut Dice| {
        let text = system(dice);
        with_finals(dice, text)
    };
    let (count, proved, wrong) = compared_some(both, usual);
    assert!(proved > 0, "{proved} proved, {wrong} refuted");
    assert!(wrong >= count, "{proved} proved, {wrong} refuted");
}

#[test]
fn of_actions_nothing_is_shown_that_a_search_refutes() {
    nothing_wrong_is_shown(Dice::system, 8);
}

#[test]
fn of_handlers_nothing_is_shown_that_a_search_refutes() {
    nothing_wrong_is_shown(Dice::processes, 5);
}

#[test]
fn of_bodies_nothing_is_shown_that_a_search_refutes() {
    nothing_wrong_is_shown(|dice| dice.bodies(false), 3);
}

/// Clients that ask once; the server counts.
const ASKED: &str = "\
sort C;
message Ask;
daemon process server { var n: nat = 0; loop { receive Ask; n += 1; } }
process client[c: C] { var asked: bool = false; send Ask to server; asked = true; }
";

#[test]
fn a_final_state_is_where_nobody_can_go_on() {
    let asked = "property asked: finally forall c: C :: client[c].asked;";
    let names = shown(&format!("{ASKED}{asked}"), None);
    assert!(names.contains(&"asked".to_owned()), "{names:?}");
    // Not where a client may give up before.
    let hasty = ASKED.replace("send Ask", "maybe { receive Ask; } send Ask");
    let names = shown(
        &format!("{hasty}property gone: finally server.n == 0;"),
        None,
    );
    assert!(!names.contains(&"gone".to_owned()), "{names:?}");
}

#[test]
fn what_is_never_taken_may_be_left_over() {
    let picky = "\
sort C;
message Ask(n: nat);
process server { var n: nat = 0; on Ask(k) where k < 2 { n += k; } }
init { for c in C { send Ask(3) to server; } }
property gone: finally pending(Ask) == 0;
";
    assert!(!shown(picky, None).contains(&"gone".to_owned()));
    let open = picky.replace(" where k < 2", "");
    assert!(shown(&open, None).contains(&"gone".to_owned()));
    let mut down = open.replace("init", "fault crash server <= 1;\ninit");
    assert!(!shown(&down, None).contains(&"gone".to_owned()));
    down = open.replace("n += k;", "assume n < 2; n += k;");
    assert!(!shown(&down, None).contains(&"gone".to_owned()));
}

#[test]
fn an_action_on_offer_that_can_run_is_no_end() {
    let text = "\
var n: nat = 0;
repeat action Up() { assume n < 5; n += 1; }
property up: finally n >= 5;
property low: always n <= 5;
";
    assert!(shown(text, None).contains(&"up".to_owned()));
    let hidden = text.replace("n += 1;", "let k = choose nat where k < n; n = k + 1;");
    assert!(!shown(&hidden, None).contains(&"up".to_owned()));
}

#[test]
fn what_nobody_takes_is_left_over_and_hinders_no_other_proof() {
    let text = "\
message Ask;
message Bye;
process server { var n: nat = 0; on Ask { n = 1; } }
process client { send Ask to server; send Bye to server; }
property few: always server.n <= 1;
property gone: finally pending(Bye) == 0;
property nothing: finally pending() == 0;
";
    let names = shown(text, None);
    assert!(names.contains(&"few".to_owned()), "{names:?}");
    assert!(!names.contains(&"gone".to_owned()), "{names:?}");
    assert!(!names.contains(&"nothing".to_owned()), "{names:?}");
}

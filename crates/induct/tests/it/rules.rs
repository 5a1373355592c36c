//! What is shown, what is not, and what is refused.

use crate::{report, shown};
use plainsong_induct::{Found, System};
use std::sync::Arc;

/// Why a song is refused.
fn refused(text: &str) -> String {
    let song = plainsong_syntax::compile(text).song.expect("it is a song");
    match System::of(&Arc::new(song)) {
        Ok(_) => panic!("it is not refused"),
        Err(refused) => refused.why,
    }
}

#[test]
fn start_values_that_are_chosen_are_any_values() {
    let text = "sort S; var x: S = choose S; var n: nat = choose nat where n <= 3;
        repeat action Pick(s: S) { x = s; }
        property small: always n <= 3; property two: always n != 2; param p: S; property mine: always x == p;";
    assert_eq!(shown(text, None), ["small", "assertions"]);
}

#[test]
fn parameters_keep_their_where() {
    let text = "param Most: nat where Most >= 2; var n: nat = 0;
        repeat action Up() { assume n < Most; n += 1; }
        property most: always n <= Most; property two: always n <= 2;";
    assert_eq!(shown(text, None), ["most", "assertions"]);
}

#[test]
fn a_swap_is_not_shown_by_assuming_what_it_leads_to() {
    let text =
        "var x: bool = true; var y: bool = false; repeat action Swap() { let z = x; x = y; y = z; }
        property mine: always x; property both: always x != y;";
    assert_eq!(shown(text, None), ["both", "assertions"]);
}

#[test]
fn a_gate_is_shown_by_the_invariants() {
    let text = "var s: seq<int> = [1]; var at: nat = 0;
        repeat action Read() { let x = s[at]; at = 0; }
        invariant inside: at < s.len();";
    assert_eq!(shown(text, None), ["inside", "assertions"]);
    let without = text.replace("invariant inside: at < s.len();", "invariant plain: true;");
    assert_eq!(shown(&without, None), ["plain"]);
}

#[test]
fn a_claim_that_is_not_covered_does_not_support_others() {
    let text = "extern fn f(x: int) -> int; var x: int = 0; repeat action Same() { x = x; }
        property odd: always f(x) == 1; property zero: always x == 0;";
    let report = report(text, None);
    assert!(matches!(report.claims[&0], Found::NotCovered(..)));
    assert!(matches!(report.claims[&1], Found::Shown(_)));
}

#[test]
fn messages_of_handlers_are_a_bag() {
    let text = "sort Client; message Ask; message Tell;
        process server { var n: nat = 0; on Ask { n += 1; } }
        process client[c: Client] { var asked: bool = false; on Tell { asked = true; send Ask to server; } }
        init { for c in Client { send Tell to client[c]; } }
        property positive: always server.n >= 0; property few: always pending(Tell) <= 1;";
    assert_eq!(shown(text, None), ["positive", "assertions"]);
}

#[test]
fn what_is_not_covered_is_refused() {
    let order = refused(
        "message M; process p { loop { receive M; } } process q { for i in [1, 2] { send M to p; } }
        property t: always true;",
    );
    assert!(order.contains("have an order"), "{order}");
    let asked = refused(
        "message M; process p { receive M from any as who; } process q { send M to p; } process r { send M to p; }
        property t: always true;",
    );
    assert!(asked.contains("ask who sent it"), "{asked}");
    let bounded = refused("var x: int = 0; repeat action Up() { x += 1; } constraint few: x < 3;");
    assert!(bounded.contains("searched"), "{bounded}");
}

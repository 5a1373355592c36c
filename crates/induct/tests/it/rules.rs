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

#[test]
fn what_a_body_knows_where_it_is_supports_claims() {
    let text = "sort S; message Go; message Ok;
        process p[i: S] { var here: bool = false; receive Go; here = true; send Ok to q; here = false; }
        process q { var told: bool = false; receive Ok; told = true; }
        init { for i in S { send Go to p[i]; } }
        fault crash p <= 1; fault lose Go <= 2; fault duplicate Go <= 1;
        property told: always q.told ==> pending(Ok to q) >= 0; property never: always !q.told;
        property once: always forall i: S :: p[i].here ==> !q.told;";
    assert_eq!(shown(text, None), ["told", "assertions"]);
    let told = text.replace("var told: bool", "var seen: bool = true; var told: bool");
    let told = told.replace("always !q.told;", "always q.told ==> q.seen;");
    assert_eq!(shown(&told, None), ["told", "never", "assertions"]);
}

#[test]
fn a_lock_of_bodies_is_shown_by_what_they_know() {
    let text = include_str!("../../../../songs/induct/lock-server-with-bodies.song");
    let shown_here = shown(text, None);
    assert!(
        shown_here.contains(&"exclusive".to_owned()),
        "{shown_here:?}"
    );
    let twice = text.replace("fault lose Ask <= 1;", "fault duplicate Grant <= 1;");
    assert_eq!(shown(&twice, None), ["assertions"]);
}

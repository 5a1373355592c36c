//! Counterexamples to induction: what is told of claims that are not proved.

use crate::{report, solvers};
use plainsong_induct::{System, counterexample};
use plainsong_smt::Cancel;
use std::sync::Arc;

/// The picture for a claim that is endangered.
fn picture(text: &str, claim: usize) -> String {
    let report = report(text, None);
    let song = plainsong_syntax::compile(text)
        .song
        .expect("it was compiled before");
    let system = System::of(&Arc::new(song)).expect("it is covered");
    let action = report.endangered[&claim];
    let found = counterexample::find(&system, claim, action, &solvers(), &Cancel::default());
    let found = found.expect("there is a small state");
    found.picture(&system).join("\n")
}

#[test]
fn it_is_the_smallest_state_near_the_start() {
    let text = "sort Node; var has: map<Node, bool> = map n: Node => false; var n: nat = 0;
        repeat action Take(a: Node) { assume n == 0; has[a] = true; n = 1; }
        property one: always forall a, b: Node :: has[a] && has[b] ==> a == b;";
    let told = picture(text, 0);
    assert_eq!(
        told,
        "before   has[0] = true, has[1] = false, n = 0   <- allowed by the invariants (Node=2)
step     Take(Node#1)
after    has[1] = true, n = 1   <- one is false"
    );
}

#[test]
fn messages_are_told_with_their_receivers() {
    let text = "sort Client; message Grant; message Free;
        process server { var free: bool = true; on Free { free = true; } }
        process client[c: Client] { var holds: bool = false; on Grant { holds = true; send Free to server; } }
        init { for c in Client { send Grant to client[c]; } }
        invariant once: pending(Free to server) <= 1;";
    let told = picture(text, 0);
    assert!(told.contains("Free to server is in flight"), "{told}");
    assert!(told.contains("client[0] takes Grant"), "{told}");
}

#[test]
fn a_claim_that_others_support_names_them() {
    let text = "var x: nat = 0; var y: nat = 0; repeat action Up() { x += 1; } repeat action Copy() { y = x; }
        property small: always x <= 3; property copied: always y <= 3;";
    let report = report(text, None);
    assert!(report.endangered.contains_key(&0) && !report.endangered.contains_key(&1));
    assert_eq!(report.missed[&1], [0]);
}

//! Invariants that are found: with them a claim is shown, and as text they do the same again.

use crate::{shown, solvers};
use plainsong_induct::{Ask, find};
use plainsong_smt::Cancel;
use std::sync::Arc;

/// The invariants found for a claim, as text.
fn found(text: &str, claim: usize) -> Option<Vec<String>> {
    let song = plainsong_syntax::compile(text)
        .song
        .unwrap_or_else(|| panic!("{text}"));
    let solvers = solvers();
    let ask = Ask {
        solvers: &solvers,
        cancel: &Cancel::default(),
        seed: 0,
        recheck: false,
        dropped: None,
    };
    let lemmas = find::lemmas(&Arc::new(song), &[claim], &ask, &mut || false);
    lemmas.map(|lemmas| lemmas.texts)
}

const LOCK: &str = "sort Node; param first: Node;
    var has: map<Node, bool> = map n: Node => n == first;
    repeat action Send(s: Node, d: Node) { assume has[s]; has[s] = false; async Receive(d); }
    action Receive(d: Node) { has[d] = true; }
    property one: always forall x, y: Node :: has[x] && has[y] ==> x == y;";

#[test]
fn what_is_found_can_be_pasted() {
    let texts = found(LOCK, 0).expect("there are such invariants");
    assert_eq!(
        texts,
        [
            "invariant has_receive: forall a, b: Node :: !(has[a] && pending(Receive(b)) > 0);",
            "invariant receive_kept: forall a: Node :: pending(Receive(a)) <= 1;",
            "invariant receive_kept_2: forall a, b: Node :: pending(Receive(a)) > 0 && pending(Receive(b)) > 0 ==> a == b;",
        ]
    );
    assert_eq!(shown(LOCK, None), ["assertions"]);
    let pasted = format!("{LOCK}\n{}", texts.join("\n"));
    assert_eq!(shown(&pasted, None).len(), 5);
}

#[test]
fn messages_are_among_what_is_found() {
    let text = "sort Client; message Start; message Hello;
        process server { var greeted: bool = false; on Hello { greeted = true; } }
        process client[c: Client] { var begun: bool = false; on Start { begun = true; send Hello to server; } }
        param first: Client;
        init { send Start to client[first]; }
        property begun: always server.greeted ==> client[first].begun;";
    let texts = found(text, 0).expect("there are such invariants");
    let pasted = format!("{text}\n{}", texts.join("\n"));
    let shown = shown(&pasted, None);
    assert!(shown.contains(&"begun".to_owned()), "{texts:?} {shown:?}");
}

#[test]
fn nothing_is_found_for_what_is_false() {
    let broken = LOCK.replace("has[s] = false; ", "");
    assert_eq!(found(&broken, 0), None);
}

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

const QUORUMS: &str = "sort Node; sort Value; sort Quorum;
    param member: map<(Node, Quorum), bool> where forall p, q: Quorum :: exists n: Node :: member[(n, p)] && member[(n, q)];
    var voted: set<Node> = {};
    var vote: map<(Node, Value), bool> = map x: (Node, Value) => false;
    var decided: set<Value> = {};
    repeat action Vote(n: Node, v: Value) { assume !(n in voted); voted = voted.with(n); vote[(n, v)] = true; }
    repeat action Decide(v: Value, q: Quorum) {
        assume forall n: Node :: member[(n, q)] ==> vote[(n, v)]; decided = decided.with(v);
    }
    property agreement: always forall v, w: Value :: v in decided && w in decided ==> v == w;";

#[test]
fn what_a_step_asked_of_a_member_that_it_does_not_keep_is_found() {
    let texts = found(QUORUMS, 0).expect("there are such invariants");
    let quorum = "exists q: Quorum :: forall n: Node :: member[(n, q)] ==> vote[(n, ";
    assert!(texts.iter().any(|text| text.contains(quorum)), "{texts:?}");
    let apart = QUORUMS.replace(
        "where forall p, q: Quorum :: exists",
        "where forall p, q: Quorum :: p == q ==> exists",
    );
    assert_eq!(found(&apart, 0), None);
}

const EPOCHS: &str = "sort Node; sort Epoch ordered;
    var told: map<(Epoch, Node), bool> = map t: (Epoch, Node) => false;
    var at: map<Node, option<Epoch>> = map n: Node => none;
    repeat action Tell(n: Node, e: Epoch) { told[(e, n)] = true; }
    repeat action Take(n: Node, e: Epoch) { assume told[(e, n)]; at[n] = some(e); }
    var kept: map<Node, option<Epoch>> = map n: Node => none;
    repeat action Keep(n: Node) { kept[n] = at[n]; }
    property heard: always forall n: Node, e: Epoch :: kept[n] == some(e) ==> told[(e, n)];";

#[test]
fn maps_whose_keys_have_an_order_are_among_what_is_found() {
    let texts = found(EPOCHS, 0).expect("there are such invariants");
    assert_eq!(
        texts,
        ["invariant at_told: forall a: Node, d: Epoch :: at[a] == some(d) ==> told[(d, a)];"]
    );
}

#[test]
fn nothing_is_found_for_what_is_false() {
    let broken = LOCK.replace("has[s] = false; ", "");
    assert_eq!(found(&broken, 0), None);
}

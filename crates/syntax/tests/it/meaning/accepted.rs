//! Right programs: compiled without a word, printed, and compiled again to the same song.

use super::compile_clean;
use crate::corpus::songs;
use plainsong_ir::visit::erase_spans;
use plainsong_ir::{Song, System};
use plainsong_syntax::compile;

/// Compiles a program, prints it and compiles that; both must give the same song.
fn check(text: &str) -> Song {
    let song = compile_clean(text);
    let printed = plainsong_ir::print::song(&song);
    let again = compile(&printed);
    let Some(mut again) = again.song else {
        panic!("{printed}\n{:?}", again.diagnostics)
    };
    let mut first = song.clone();
    erase_spans(&mut first);
    erase_spans(&mut again);
    assert_eq!(first, again, "{text}\n{printed}");
    song
}

#[test]
fn programs_of_the_book() {
    let book = include_str!("../../../../../book/src/language.md");
    let blocks: Vec<(&str, &str)> = book
        .split("```song")
        .skip(1)
        .filter_map(|rest| rest.split("```").next()?.split_once('\n'))
        .collect();
    assert!(blocks.iter().any(|(kind, _)| *kind == ",check"));
    for (kind, text) in blocks {
        // Programs that the book runs are whole; the others only show declarations.
        if kind == ",check" {
            check(text);
        } else {
            assert!(compile(text).song.is_some(), "{text}");
        }
    }
}

#[test]
fn examples() {
    let examples = songs("examples");
    assert!(examples.len() >= 3);
    for (path, text) in examples {
        assert!(compile(&text).song.is_some(), "{}", path.display());
    }
}

#[test]
fn an_empty_file_is_a_song() {
    assert_eq!(check("").system, System::None);
    assert_eq!(check("// nothing\n"), Song::default());
}

#[test]
fn sorts() {
    check(
        "sort Db; sort Node ordered; param N: nat where N >= 1; sort Slot = 0..N; sort Round = 1..; \
         sort Id = 1..=5; const LAST = Id.max(); fn first(s: set<Node>) -> Node { s.min() } \
         fn later(a: Node, b: Node) -> bool { a < b && a != b } \
         fn all(d: Db) -> bool { d in Db && Db.len() > 0 && Slot.contains(0) } \
         size Db = 3, Round = 2..=4, N = 2;",
    );
}

#[test]
fn enums_and_structs() {
    check(
        "enum Reply { Free, Taken, Value(int, bool) } struct Entry { term: nat, value: int } \
         const E = Entry { value: 1, term: 2 }; const F = Entry { value: 5, ..E }; \
         const R = Reply::Value(1, true); const S = Value(2, false); const T = Free; \
         fn f(e: Entry) -> int { e.value + e.term } fn g(r: Reply) -> bool { r is Value(_, true) }",
    );
}

#[test]
fn a_variant_of_several_enums_is_known_where_its_enum_is_wanted() {
    check(
        "enum A { X, Y } enum B { X, Z(int) } enum C { Z(bool) } const ONE: A = A::X; const TWO: B = X; \
         fn f(b: B) -> bool { X == b || b == X } fn g(b: B) -> int { match b { X => 1, Z(n) => n } } \
         fn h() -> set<A> { {X, Y} } fn i() -> C { Z(true) }",
    );
}

#[test]
fn constants_in_any_order() {
    check("const A = B + 1; const B = f(C); const C: int = 3; fn f(n: int) -> int { n * 2 }");
}

#[test]
fn recursive_functions() {
    check(
        "fn sum_to(n: nat) -> nat { if n == 0 { 0 } else { n + sum_to(n - 1) } } \
         fn even(n: nat) -> bool { n == 0 || odd(n - 1) } fn odd(n: nat) -> bool { n != 0 && even(n - 1) }",
    );
}

#[test]
fn quantifiers_and_comprehensions() {
    check(
        "sort Db; fn f(s: set<int>, n: nat) -> bool { \
         forall a, b: Db, k in 0..n where a != b && k > 0 :: exists x in s where x > k :: x != 0 } \
         fn g(s: set<int>) -> set<int> { { x in s where x > 2 } | { x + 1 for x in s } } \
         fn h(s: seq<int>) -> seq<int> { [x * 2 for x in s where x % 2 == 0] } \
         fn i(s: set<nat>) -> nat { (sum x in s :: x) + (count x in s :: x > 1) } \
         fn j() -> map<Db, bool> { map d: Db => forall e: Db :: d == e }",
    );
}

#[test]
fn types_found_from_use() {
    check(
        "sort Node; process p { assert true; var best = none; var seen = {}; var log = []; \
         for n in Node { best = some(n); seen = seen.with(n); log = log + [n]; } \
         var most = none; assert most.unwrap_or(0) < 3 && most.unwrap() + 1 == 2; most = some(1); \
         assert best.is_none() || best.unwrap() in seen && log.len() == 1; } \
         fn f(o: option<int>) -> bool { none == o && {} != {1} && [] + [1] == [1] }",
    );
}

#[test]
fn methods() {
    check(
        "sort K; fn f(s: set<int>, b: bag<int>, q: seq<int>, m: map<K, nat>, k: K, o: option<nat>) -> bool { \
         s.len() == 1 && s.is_empty() && s.contains(1) && s.with(1).without(2).subset(s) && s.min() < s.max() \
         && b.count(1) == 2 && b.to_set() == s && b.with(1) != b && q.first() == q.last() \
         && q.push(1).drop_first().drop_last().update(0, 1) == q && q.to_set() == s && q.to_bag() == b \
         && m.update(k, 2)[k] == m[k] && o.is_some() && !o.is_none() && o.unwrap() == o.unwrap_or(1) }",
    );
}

#[test]
fn patterns() {
    check(
        "enum E { A, B(int, option<bool>) } struct P { x: int, y: E } sort D; process q[d: D] { } process r { } \
         fn f(p: P) -> int { match p { P { x: 0, y: A } => 1, P { y: B(n, some(true)), x: _ } => n, \
         P { x, y: B(-1, _) } => x, P { x, y: _ } => x } } \
         fn g(p: process, t: (bool, nat)) -> nat { match (p, t) { (q[_], (true, n)) => n, (r, (_, 0)) => 1, \
         (w, (b, n)) => if b && w == r { n } else { 2 } } }",
    );
}

#[test]
fn two_phase_commit() {
    check(
        "sort Db; message Prepare; message Vote(yes: bool); message Decide(commit: bool); message Done;
         process coordinator {
             var commit: bool = true;
             for d in Db { send Prepare to db[d]; }
             for d in Db { receive Vote(yes) from any db; commit = commit && yes; }
             for d in Db { send Decide(commit) to db[d]; }
             for d in Db { receive Done from any db; }
         }
         process db[d: Db] {
             var outcome: option<bool> = none;
             receive Prepare from coordinator;
             let yes = choose bool;
             send Vote(yes) to coordinator;
             receive Decide(c) from coordinator;
             assert c ==> yes;
             outcome = some(c);
             send Done to coordinator;
         }
         property agreement: finally forall a, b: Db :: db[a].outcome == db[b].outcome;",
    );
}

#[test]
fn spanning_tree() {
    check(
        "sort Node; message Search(from: Node); message Adopt(parent: Node);
         process node[n: Node] {
             var parent: option<Node> = none;
             on Search(from) {
                 if parent == none {
                     send Adopt(from) to node[n];
                     for m in Node where m != n && m != from { maybe { send Search(n) to node[m]; } }
                 }
             }
             on Adopt(p) { parent = some(p); }
         }
         init { let root = choose Node; send Search(root) to node[root]; }
         property quiet: eventually quiescent;",
    );
}

#[test]
fn swap() {
    check(
        "choreography swap(x: int, y: int) {
             endpoint a { var v: int = x; var t: int = 0; }
             endpoint b { var v: int = y; var t: int = 0; }
             ensures a.v == old(b.v) && b.v == old(a.v);
             a.t = a.v; b.t = b.v; a.v = b.t; b.v = a.t;
         }",
    );
}

#[test]
fn every_way_to_receive() {
    check(
        "sort Db; message Vote(yes: bool, n: nat); message Cancel via unordered;
         process db[d: Db] { send Vote(true, 1) to main; maybe { send Cancel to main; } }
         daemon process main {
             var votes: bag<process> = bag {};
             receive Vote(a, _) from db[choice()];
             assert a;
             receive Vote from any db;
             receive Vote(yes, n) from any db[d] where yes && n > 0;
             assert db[d] != self && yes && n != 0;
             receive Vote(_, m) from any as who;
             votes = votes.with(who);
             assert m >= 0;
             receive Cancel;
             loop {
                 receive {
                     Vote(v, _) from any db[_] as w where v => { votes = votes.with(w); }
                     Cancel from any => { break; }
                     timeout => { continue; }
                 }
             }
         }
         param root: Db; fn choice() -> Db { root }",
    );
}

#[test]
fn families_with_several_indices() {
    check(
        "sort Row = 0..3; sort Col = 0..3; message Ping(r: Row);
         process cell[r: Row, c: Col] {
             var last: int = r;
             on Ping(x) from any cell[a, b] where a == r && b != c { last = x + b; }
         }
         init { for r in Row { for c in Col { send Ping(r) to cell[r, c]; } } }
         property p: always forall r: Row, c: Col :: cell[r, c].last >= 0 || pending(Ping) > 0;",
    );
}

#[test]
fn what_gets_less_is_declared_by_processes_and_messages() {
    check(
        "sort K;
         message M(hops: nat, seen: set<K>) via fifo decreases hops decreases seen.len();
         process p[k: K] {
             var left: nat = 3;
             decreases left;
             durable var seen: set<K> = {};
             decreases 5 - (count o in K where o != k :: o in seen);
             on M(hops, _) { if left > 0 { left -= 1; send M(hops, {k}) to p[k]; } }
         }",
    );
}

#[test]
fn what_covers_is_declared_by_processes_and_messages() {
    check(
        "sort K;
         message M(hops: nat, seen: set<K>) via unordered decreases hops covers hops >= old(hops) covers old(seen).subset(seen);
         process p[k: K] {
             var covers: nat = 3;
             covers covers >= old(covers) && (forall o in K :: o == k || old(left) <= left);
             var left: nat = 3;
             covers (left > 0) == (old(left) > 0);
             on M(hops, _) { if left > 0 { covers = 1; send M(hops, {k}) to p[k]; } }
         }
         process q { var covers = 1; loop { receive M(covers_, _); covers = covers_; covers += 1; } }",
    );
}

#[test]
fn statements() {
    check(
        "struct P { x: int, t: (int, bool) } sort K;
         process p {
             var m: map<K, P> = map k: K => P { x: 0, t: (0, true) };
             var n = 0;
             var s: set<int> = {};
             for k in K where n < 3 invariant n >= 0 {
                 m[k].x = n; m[k].t.0 += 1; m[k].t = (1, false); m[k] = P { x: 1, ..m[k] };
                 n += 1; n -= 2; n *= 3; s |= {n}; s &= 0..9; s -= {1};
             }
             while n > 0 invariant n >= 0 decreases n { n -= 1; if n == 2 { break; } else if n == 3 { continue; } }
             let a = choose 1..=3 where a != 2;
             let k = choose K where m[k].x == a;
             var b: bool = choose bool;
             b = choose {b, m[k].t.1} where b;
             match (b, a) { (true, 1) => { n = 1; } (_, x) => { n = x; } }
             maybe { assert b; } else { assume !b; }
             n = choose int;
         }",
    );
}

#[test]
fn actions() {
    check(
        "sort Tid; var held: bool = false; var owner: option<Tid> = none; var waiting = Tid;
         action Acquire(t: Tid) {
             assume owner == none; owner = some(t); held = true; waiting = waiting.without(t);
             let next = choose Tid where next != t; async Release(t); async Note(next, waiting.len());
         }
         action Release(t: Tid) { assert owner == some(t); owner = none; held = false; }
         action Note(t: Tid, n: nat) { for u in Tid where u != t { assert n >= 0; } }
         init { for t in Tid { async Acquire(t); } }
         property free: finally owner == none && !held;
         property few: always pending(Acquire) <= Tid.len() && pending() >= pending(Note);",
    );
}

#[test]
fn choreographies() {
    check(
        "sort Server;
         choreography poll(limit: nat) {
             endpoint a { var sum: int = 0; var seen: set<Server> = {}; }
             endpoint server[i: Server] { var value: int = limit; var me = i; }
             requires limit > 0;
             ensures a.sum >= old(a.sum) && forall i: Server :: server[i].value == old(server[i].value);
             for i in Server invariant a.sum >= old(a.sum) {
                 let v = server[i].value;
                 a.sum = a.sum + v;
                 a.seen = a.seen.with(server[i].me);
             }
             while a.sum > 10 decreases a.sum { a.sum -= 1; }
             a.sum = choose 0..3 where sum > 1;
             if a.sum > 2 { assert a.seen == Server; }
         }
         choreography other() { endpoint a { var v: bool = true; } a.v = false; }
         property p: always poll.a.sum >= 0 && forall i: Server :: server[i].value > 0;
         property q: finally other.a.v == false;",
    );
}

#[test]
fn properties() {
    check(
        "sort Client; process c[i: Client] { var ok: bool = choose bool; }
         property a by states, explore, sequentialize, diverge, refine, project at Client = 2..=3:
             always forall i, j: Client :: c[i].ok ==> c[j] == c[i] || i != j;
         property b: eventually quiescent; property d: eventually quiescent fair;
         size Client = 2;",
    );
}

#[test]
fn names_may_be_hidden() {
    compile_clean(
        "const n = 1; enum E { A } process p { var x = 1; let n = 2; for x in 0..n { assert x < n; } \
         if true { let A = 3; assert A == n + 1; } assert A == E::A && x == 1; }",
    );
}

#[test]
fn words_of_the_grammar_may_be_names() {
    check(
        "message from(by: int); process at { var sum = 1; var count = 2; receive from(fair); \
         sum = count + fair; count = sum; send from(sum) to at; }",
    );
}

#[test]
fn choices_are_converted_to_the_type_of_their_variable() {
    check(
        "sort Slot = 0..4; process p { var n: nat = choose 0..3; var s: Slot = choose {1, 2}; \
         let i: int = choose Slot; n = choose [1, 2]; assert i >= n - s; n = choose 0..i where n > 1; }",
    );
}

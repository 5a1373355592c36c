//! Wrong programs: each has exactly one diagnostic, of a known code, at a marked place.

use super::check_marked;

#[test]
fn names() {
    check_marked(&[
        ("unknown-name", "const A: int = «b»;"),
        (
            "unknown-name",
            "message M; process p { send M to «servr»; } process server { receive M; }",
        ),
        (
            "unknown-name",
            "process p { if true { let x = 1; assert x == 1; } assert «x» == 1; }",
        ),
        ("unknown-name", "fn f(n: int) -> int { «g»(n) }"),
        (
            "unknown-name",
            "message M; process p { receive M from any «q»; }",
        ),
        (
            "unknown-name",
            "process p { var n: int = 0; } property q: always «n» == 0;",
        ),
        ("unknown-name", "var a = «b»; var b = 1;"),
        ("unknown-type", "message M(x: «Nod»);"),
        ("unknown-type", "const N = 1; fn f(x: «N») -> int { 1 }"),
        ("unknown-type", "const A = «Vote»::Yes;"),
        ("unknown-type", "fn f() -> int { «P» { x: 1 }.x }"),
        ("unknown-message", "process p { receive «Ask»; }"),
        ("unknown-message", "process p { send «Ask»(1, true) to p; }"),
        (
            "unknown-message",
            "process p { on «Ask»(x) { assert x == 1; } }",
        ),
        ("unknown-message", "property p: always pending(«Ask») == 0;"),
        ("unknown-action", "action A() { async «B»(1); }"),
        (
            "unknown-field",
            "struct P { x: int } fn f(p: P) -> int { p.«y» }",
        ),
        (
            "unknown-field",
            "struct P { x: int } fn f() -> P { P { x: 1, «y»: 2 } }",
        ),
        ("unknown-field", "fn f(n: int) -> int { n.«x» }"),
        ("unknown-field", "fn f(t: (int, bool)) -> int { t.«2» }"),
        (
            "unknown-field",
            "process p { } property q: always p.«n» == 0;",
        ),
        (
            "unknown-field",
            "choreography c() { endpoint a { var v: int = 0; } a.«w» = 1; }",
        ),
        ("unknown-variant", "enum E { A } const x = E::«B»;"),
        (
            "unknown-variant",
            "enum E { A } fn f(e: E) -> int { match e { «B»(_) => 1, _ => 2 } }",
        ),
        ("unknown-method", "fn f(s: set<int>) -> nat { s.«size»() }"),
        ("unknown-method", "fn f(n: int) -> int { n.«abs»() }"),
        ("ambiguous-name", "enum A { X } enum B { X } const c = «X»;"),
        (
            "ambiguous-name",
            "choreography c() { endpoint a { var v: int = 0; } } \
             choreography d() { endpoint a { var v: int = 0; } } property p: always «a».v == 0;",
        ),
        ("duplicate-name", "sort N; enum «N» { A }"),
        ("duplicate-name", "message M; message «M»;"),
        ("duplicate-name", "enum E { A, B, «A» }"),
        ("duplicate-name", "struct S { x: int, «x»: int }"),
        ("duplicate-name", "fn f(a: int, «a»: int) -> int { a }"),
        ("duplicate-name", "process p { var x = 1; var «x» = 2; }"),
        ("duplicate-name", "sort D; process p[d: D] { var «d» = 1; }"),
        (
            "duplicate-name",
            "choreography c() { endpoint a { } endpoint «a» { } }",
        ),
        (
            "duplicate-name",
            "choreography c() { } choreography «c»() { }",
        ),
        (
            "duplicate-name",
            "property p: always true; property «p»: always true;",
        ),
        (
            "duplicate-name",
            "fn f(t: (int, int)) -> int { match t { (a, «a») => a } }",
        ),
        (
            "duplicate-name",
            "fn f() -> bool { forall a, «a»: bool :: a }",
        ),
        (
            "duplicate-name",
            "message M(a: int, b: int); process p { receive M(x, «x»); }",
        ),
        (
            "duplicate-name",
            "struct S { x: int } const s = S { x: 1, «x»: 2 };",
        ),
        ("duplicate-name", "sort A; size A = 2, «A» = 3;"),
    ]);
}

#[test]
fn types() {
    check_marked(&[
        ("type-mismatch", "const A: int = «true»;"),
        (
            "type-mismatch",
            "message V(yes: bool); process p { send V(«1») to p; }",
        ),
        ("type-mismatch", "process p { if «1» { } }"),
        ("type-mismatch", "process p { while «none» { } }"),
        ("type-mismatch", "process p { assert «3»; }"),
        ("type-mismatch", "process p { var x = 1; x = «true»; }"),
        (
            "type-mismatch",
            "process p { var x = (1, true); x.1 = «3»; }",
        ),
        (
            "type-mismatch",
            "process p { var x = 1; var y = true; x += 1; y = «x + 1»; }",
        ),
        (
            "type-mismatch",
            "fn f() -> bool { if true { true } else { «1» } }",
        ),
        (
            "type-mismatch",
            "fn f() -> bool { let x = if true { true } else { «1» }; x }",
        ),
        (
            "type-mismatch",
            "fn f(n: int) -> bool { let s = {1, «true»}; n in s }",
        ),
        ("type-mismatch", "fn f(n: int) -> bool { «n == true» }"),
        ("type-mismatch", "fn f(o: option<int>) -> bool { «o == 1» }"),
        ("type-mismatch", "fn f(n: int) -> bool { «true» in {n} }"),
        ("type-mismatch", "fn f(s: set<nat>) -> set<int> { «s» }"),
        ("type-mismatch", "fn f(n: nat) -> bool { !«n» }"),
        ("type-mismatch", "fn f(n: bool) -> int { -«n» }"),
        (
            "type-mismatch",
            "sort D; process db[d: D] { } fn f(n: int) -> process { db[«n»] }",
        ),
        (
            "type-mismatch",
            "sort D; message M; process db[d: D] { send M to «d»; receive M; }",
        ),
        ("type-mismatch", "enum E { A(int) } const x = E::A(«true»);"),
        (
            "type-mismatch",
            "struct S { x: int } const s = S { x: «none» };",
        ),
        (
            "type-mismatch",
            "struct S { x: int } fn f(n: int) -> S { S { x: 1, ..«n» } }",
        ),
        (
            "type-mismatch",
            "fn g(a: int) -> int { a } fn f() -> int { g(«true») }",
        ),
        ("type-mismatch", "fn f(m: map<bool, int>) -> int { m[«1»] }"),
        (
            "type-mismatch",
            "fn f(s: seq<int>) -> seq<int> { s.push(«true») }",
        ),
        ("type-mismatch", "fn f() -> int { sum b: bool :: «b» }"),
        ("type-mismatch", "fn f() -> set<int> { 0..«true» }"),
        (
            "type-mismatch",
            "process p { let x: bool = choose «0..3»; assert x; }",
        ),
        ("type-mismatch", "process p { var n: nat = choose «int»; }"),
        ("type-mismatch", "action A(t: int) { async A(«true»); }"),
        (
            "type-mismatch",
            "message M; process p { receive M from «1»; }",
        ),
        ("cannot-infer", "process p { var x = «none»; }"),
        ("cannot-infer", "process p { let x = «{}»; assert x == x; }"),
        ("cannot-infer", "fn f() -> nat { «[]».len() }"),
        (
            "cannot-infer",
            "process p { assert true; var x = none; assert «x.unwrap()» < x.unwrap(); x = some(1); }",
        ),
        (
            "cannot-infer",
            "process p { assert true; var x = none; assert «x.unwrap()».y == 1; }",
        ),
        (
            "not-finite",
            "property p: always forall n: «int» :: n == n;",
        ),
        (
            "not-finite",
            "fn f() -> map<bool, int> { let m = map k: «nat» => 1; map k: bool => m[1] }",
        ),
        ("not-finite", "fn f(m: map<«int», bool>) -> bool { true }"),
        ("not-finite", "process p[n: «nat»] { }"),
        (
            "not-finite",
            "process p { for x in «seq<bool>» { assert x == x; } }",
        ),
        (
            "not-finite",
            "action A() { for s in «bag<bool>» { assert s == s; } }",
        ),
        (
            "not-finite",
            "struct S { n: int } fn f() -> nat { «S».len() }",
        ),
        (
            "argument-count",
            "fn g(a: int) -> int { a } fn f() -> int { g«(1, 2)» }",
        ),
        (
            "argument-count",
            "message M(a: int); process p { send «M» to p; receive M; }",
        ),
        (
            "argument-count",
            "message M(a: int, b: int); process p { receive M«(x)»; }",
        ),
        ("argument-count", "enum E { A(int) } const x = «E::A»;"),
        (
            "argument-count",
            "enum E { A(int) } fn f(e: E) -> int { match e { «A» => 1 } }",
        ),
        (
            "argument-count",
            "fn f(s: set<int>) -> bool { s.contains«()» }",
        ),
        ("argument-count", "action A(t: int) { async A«()»; }"),
        ("argument-count", "fn f(s: seq<int>) -> int { s[«1», 2] }"),
        (
            "argument-count",
            "message M; sort D; process q[d: D] { receive M from any q«[a, b]»; }",
        ),
        ("not-a-function", "const L = 1; fn f() -> int { «L»() }"),
        (
            "not-a-function",
            "fn g() -> int { 1 } fn f() -> int { «g» + 1 }",
        ),
        (
            "bad-operand",
            "sort N; fn f(a: N, b: N) -> bool { «a» < b }",
        ),
        ("bad-operand", "fn f(s: set<int>) -> set<int> { «s» + s }"),
        ("bad-operand", "fn f(b: bool) -> bool { «b» | b }"),
        ("bad-operand", "fn f(b: bag<int>) -> bag<int> { «b» & b }"),
        ("bad-operand", "fn f(n: int) -> bool { n in «n» }"),
        ("bad-operand", "sort N; fn f(s: set<N>) -> N { s.«min»() }"),
        ("bad-operand", "process p { for i in «3» { } }"),
        (
            "bad-operand",
            "process p { while true decreases «true» { } }",
        ),
        ("bad-operand", "fn f(n: int) -> int { n + «true» }"),
        ("not-indexable", "fn f(s: set<int>) -> int { «s»[0] }"),
        (
            "family-index",
            "sort D; message M; process q[d: D] { receive M; } init { send M to «q»; }",
        ),
        (
            "family-index",
            "message M; process q { receive M; } init { send M to «q[1]»; }",
        ),
        (
            "missing-field",
            "struct S { x: int, y: int } const s = «S» { x: 1 };",
        ),
        (
            "type-too-large",
            "fn f(a: int) -> int { let b = (a, a, a, a, a, a, a, a); let c = (b, b, b, b, b, b, b, b); \
             let d = (c, c, c, c, c, c, c, c); let e = (d, d, d, d, d, d, d, d); \
             let g = «(e, e, e, e, e, e, e, e)»; g.0.0.0.0.0 }",
        ),
    ]);
}

#[test]
fn patterns() {
    check_marked(&[
        (
            "missing-case",
            "enum E { A, B } fn f(e: E) -> int { match «e» { A => 1 } }",
        ),
        (
            "missing-case",
            "fn f(n: int) -> int { match «n» { 0 => 1, 1 => 2 } }",
        ),
        (
            "missing-case",
            "fn f(t: (bool, bool)) -> int { match «t» { (true, _) => 1, (_, true) => 2 } }",
        ),
        (
            "missing-case",
            "fn f(o: option<option<int>>) -> int { match «o» { none => 1, some(none) => 2 } }",
        ),
        (
            "missing-case",
            "process p { } process q { let w = p; match «w» { p => { } } }",
        ),
        ("missing-case", "process p { match «true» { } }"),
        (
            "bad-pattern",
            "fn f(n: int) -> int { match n { «true» => 1, _ => 2 } }",
        ),
        (
            "bad-pattern",
            "fn f(n: int) -> int { match n { «none» => 1, _ => 2 } }",
        ),
        (
            "bad-pattern",
            "fn f(t: (int, int)) -> int { match t { «(a, b, c)» => a, _ => 2 } }",
        ),
        (
            "bad-pattern",
            "enum E { A } enum F { B(int) } fn f(e: E) -> bool { e is «F::B(_)» }",
        ),
        (
            "bad-pattern",
            "struct S { x: int } fn f(n: int) -> bool { n is «S { x }» }",
        ),
        (
            "bad-pattern",
            "process p { } sort D; process q[d: D] { } fn f(n: int) -> bool { n is «q[_]» }",
        ),
        ("bad-pattern", "fn f(n: nat) -> bool { n is «-1» }"),
        (
            "argument-count",
            "sort D; process q[d: D] { } fn f(p: process) -> bool { p is «q» }",
        ),
    ]);
}

#[test]
fn places() {
    check_marked(&[
        (
            "misplaced-statement",
            "message M; process p { on M { «receive» M; } } init { send M to p; }",
        ),
        (
            "misplaced-statement",
            "message M; process p { receive M; } init { «receive» M; }",
        ),
        ("misplaced-statement", "action A() { «send» M to p; }"),
        ("misplaced-statement", "action A() { «while» true { } }"),
        ("misplaced-statement", "var x = 1; init { «loop» { } }"),
        ("misplaced-statement", "process p { «async» A(); }"),
        (
            "misplaced-statement",
            "choreography c() { «receive» M(x); }",
        ),
        ("misplaced-statement", "choreography c() { «var x = 1;» }"),
        ("outside-loop", "process p { «break;» }"),
        ("outside-loop", "action A() { if true { «continue;» } }"),
        ("empty-receive", "process p { «receive { }» }"),
        (
            "misplaced-expression",
            "process p { assert «old(1)» == 1; }",
        ),
        (
            "misplaced-expression",
            "choreography c(x: int) { requires «old(x)» == x; }",
        ),
        (
            "misplaced-expression",
            "choreography c(x: int) { ensures old(«old(x)») == x; }",
        ),
        (
            "misplaced-expression",
            "process p { assert «pending()» == 0; }",
        ),
        ("misplaced-expression", "fn f() -> process { «self» }"),
        (
            "misplaced-expression",
            "process p { var x = 1; x += «choose 0..3»; }",
        ),
        ("not-assignable", "process p { let x = 1; «x» = 2; }"),
        ("not-assignable", "process p { for i in 0..3 { «i» = 2; } }"),
        (
            "not-assignable",
            "message M(n: int); process p { receive M(n); «n» = 2; send M(n) to p; }",
        ),
        ("not-assignable", "const C = 1; process p { «C» = 2; }"),
        ("not-assignable", "param N: nat; process p { «N» = 2; }"),
        ("not-assignable", "process p { «p» = 2; }"),
        ("not-assignable", "sort D; process q[d: D] { «q[d]» = 2; }"),
        ("not-assignable", "action A(t: int) { «t» = 1; }"),
        (
            "not-assignable",
            "choreography c() { endpoint a { var v: int = 0; } «a» = 1; }",
        ),
        (
            "foreign-state",
            "process p { var n = 1; } process q { assert «p.n» == 1; }",
        ),
        (
            "foreign-state",
            "process p { var n = 1; assert «p.n» == 1; }",
        ),
        (
            "foreign-state",
            "process p { var n = 1; } process q { «p.n» = 1; }",
        ),
        (
            "foreign-state",
            "process p { var n = 1; } choreography c() { assert «p.n» == 1; }",
        ),
        (
            "not-state",
            "process p { assert true; var n = 1; n = 2; assert n == 2; } property q: always p.«n» == 1;",
        ),
        ("not-closed", "var g = 1; const C = «g»;"),
        ("not-closed", "var g = 1; fn f() -> int { «g» }"),
        (
            "not-closed",
            "process p { var n = 1; } fn f() -> int { «p.n» }",
        ),
        (
            "mixed-forms",
            "message M; process p { receive M; send M to p; } var «g» = 1;",
        ),
    ]);
}

#[test]
fn declarations() {
    check_marked(&[
        ("recursive-definition", "const «A»: int = A;"),
        (
            "recursive-definition",
            "const «A»: int = B; const B: int = A;",
        ),
        ("recursive-definition", "const A = «A» + 1;"),
        (
            "recursive-definition",
            "const «A»: int = f(); fn f() -> int { A }",
        ),
        (
            "recursive-definition",
            "sort «S» = 0..N; const N: int = S.len();",
        ),
        ("recursive-definition", "sort «S» = 0..N; param N: S;"),
        ("infinite-type", "struct «S» { next: option<S> }"),
        ("infinite-type", "enum «E» { A(S) } struct S { e: set<E> }"),
        ("empty-enum", "enum «E» { }"),
        (
            "second-init",
            "message M; process p { receive M; } init { send M to p; } «init» { }",
        ),
        (
            "second-measure",
            "process p { while true decreases 1 «decreases 2» { } }",
        ),
        (
            "misplaced-statement",
            "message M; process p { «decreases 1;» receive M; }",
        ),
        (
            "bad-operand",
            "message M(b: bool) decreases «b»; process p { receive M(_); }",
        ),
        (
            "misplaced-statement",
            "message M; process p { «covers true;» receive M; }",
        ),
        (
            "type-mismatch",
            "message M(n: nat) covers «n»; process p { receive M(_); }",
        ),
        (
            "misplaced-expression",
            "message M(n: nat) decreases «old(n)»; process p { on M(_) { } }",
        ),
        ("unknown-delivery", "message M via «lossy»;"),
        ("unknown-engine", "property p by «magic»: always true;"),
        ("bad-size", "size «Db» = 3;"),
        ("bad-size", "sort Slot = 0..4; size «Slot» = 3;"),
        ("bad-size", "sort Db; size «Db = 0»;"),
        ("bad-size", "sort Db; size «Db = 4..=2»;"),
        ("bad-size", "const N = 1; size «N» = 3;"),
        ("bad-size", "sort Db; param root: Db; size «root» = 3;"),
        ("bad-size", "property p at «Db» = 3: always true;"),
        ("reserved-name", "property «no_deadlock»: always true;"),
        ("reserved-name", "fn «pending»() -> int { 1 }"),
        ("binding-in-bound", "sort S = 0..«(count b: bool :: b)»;"),
        (
            "mixed-property",
            "process p { var n = 1; } choreography c() { endpoint a { var v: int = 0; } } \
             property q: always p.n == «a.v»;",
        ),
    ]);
}

//! Which conversions between numbers are inserted, and where.
//!
//! `^x` is a widened `x`, `!x` a narrowed one; `1n` is a literal of type `nat`.

use super::compile_clean;
use plainsong_ir::{BinOp, Body, Expr, ExprKind, Local, StmtKind, Ty, UnOp};

/// The body of the function `f`, with conversions shown.
fn body_of(text: &str) -> String {
    let declarations = "sort Slot = 0..9; sort Id = 1..=5; param N: nat;";
    let song = compile_clean(&format!("{declarations} {text}"));
    let f = song
        .functions
        .iter()
        .find(|function| function.name == "f")
        .expect("a function f");
    show(f.body.as_ref().expect("a body"), &f.locals)
}

fn show(expr: &Expr, locals: &[Local]) -> String {
    let one = |inner: &Expr| show(inner, locals);
    let list = |parts: &[Expr]| parts.iter().map(one).collect::<Vec<_>>().join(", ");
    match &expr.kind {
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Int(value) if expr.ty == Ty::Nat => format!("{value}n"),
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Local(local) => locals[local.index()].name.clone(),
        ExprKind::Const(_) => "N".to_owned(),
        ExprKind::Widen(inner) => format!("^{}", one(inner)),
        ExprKind::Narrow(inner) => format!("!{}", one(inner)),
        ExprKind::Unary(UnOp::Neg, inner) => format!("-{}", one(inner)),
        ExprKind::Binary(op, a, b) => format!("({} {} {})", one(a), symbol(*op), one(b)),
        ExprKind::Range { start, end, .. } => format!("{}..{}", one(start), one(end)),
        ExprKind::If(c, a, b) => format!("if {} {{{}}} {{{}}}", one(c), one(a), one(b)),
        ExprKind::Match(e, arms) => {
            let values: Vec<String> = arms.iter().map(|(_, value)| one(value)).collect();
            format!("match {} {{{}}}", one(e), values.join(", "))
        }
        ExprKind::Let(local, value, body) => {
            format!(
                "let {} = {}; {}",
                locals[local.index()].name,
                one(value),
                one(body)
            )
        }
        ExprKind::Tuple(parts) => format!("({})", list(parts)),
        ExprKind::Some(inner) => format!("some({})", one(inner)),
        ExprKind::Literal(parts) => format!("{{{}}}", list(parts)),
        ExprKind::Comprehension(_, body) => format!("{{{} for …}}", one(body)),
        ExprKind::MapOf(_, body) => format!("map {}", one(body)),
        ExprKind::Index(a, i) => format!("{}[{}]", one(a), one(i)),
        ExprKind::Method(builtin, parts) => format!("{}({})", builtin.name(), list(parts)),
        ExprKind::Call(_, parts) => format!("call({})", list(parts)),
        ExprKind::Struct(_, parts) => format!("struct({})", list(parts)),
        ExprKind::Variant(_, _, parts) => format!("variant({})", list(parts)),
        ExprKind::Quantifier(_, _, body) => format!("quantifier {}", one(body)),
        other => format!("{other:?}"),
    }
}

fn symbol(op: BinOp) -> &'static str {
    match op {
        BinOp::Add => "+",
        BinOp::Sub => "-",
        BinOp::Mul => "*",
        BinOp::Div => "/",
        BinOp::Rem => "%",
        BinOp::Eq => "==",
        BinOp::Ne => "!=",
        BinOp::Lt => "<",
        BinOp::Le => "<=",
        BinOp::In => "in",
        BinOp::Union => "|",
        BinOp::And => "&&",
        _ => "?",
    }
}

fn check(rows: &[(&str, &str)]) {
    for (text, expected) in rows {
        assert_eq!(body_of(text), *expected, "{text}");
    }
}

#[test]
fn literals_take_the_wanted_type() {
    check(&[
        ("fn f() -> int { 1 }", "1"),
        ("fn f() -> nat { 1 }", "1n"),
        ("fn f() -> Slot { 1 }", "!1"),
        ("fn f() -> int { -1 }", "-1"),
        ("fn f() -> nat { -1 }", "!-1"),
        ("fn f() -> option<nat> { some(1) }", "some(1n)"),
        ("fn f() -> (nat, int) { (1, 1) }", "(1n, 1)"),
    ]);
}

#[test]
fn values_are_converted_at_the_top() {
    check(&[
        ("fn f(n: nat) -> int { n }", "^n"),
        ("fn f(s: Slot) -> int { s }", "^s"),
        ("fn f(i: int) -> nat { i }", "!i"),
        ("fn f(i: int) -> Slot { i }", "!i"),
        ("fn f(n: nat) -> Slot { n }", "!^n"),
        ("fn f(s: Slot) -> nat { s }", "!^s"),
        ("fn f(s: Slot) -> Id { s }", "!^s"),
        ("fn f(n: nat) -> nat { n }", "n"),
        ("fn f() -> int { N }", "^N"),
    ]);
}

#[test]
fn arithmetic() {
    check(&[
        ("fn f(n: nat) -> nat { n + 1 }", "(n + 1n)"),
        ("fn f(n: nat) -> nat { 1 + n }", "(1n + n)"),
        (
            "fn f(n: nat) -> nat { n * n / 2 % n }",
            "(((n * n) / 2n) % n)",
        ),
        ("fn f(n: nat) -> int { n - 1 }", "(^n - 1)"),
        ("fn f(n: nat) -> nat { n - 1 }", "!(^n - 1)"),
        ("fn f(n: nat, i: int) -> int { n + i }", "(^n + i)"),
        ("fn f(s: Slot) -> int { s + s }", "(^s + ^s)"),
        ("fn f(s: Slot) -> Slot { s + 1 }", "!(^s + 1)"),
        ("fn f(s: Slot, n: nat) -> int { s * n }", "(^s * ^n)"),
        ("fn f(n: nat) -> int { -n }", "-^n"),
        ("fn f() -> nat { 1 + 2 }", "!(1 + 2)"),
    ]);
}

#[test]
fn comparisons() {
    check(&[
        ("fn f(n: nat) -> bool { n == 1 }", "(n == 1n)"),
        ("fn f(n: nat) -> bool { 1 < n }", "(1n < n)"),
        ("fn f(n: nat, i: int) -> bool { n <= i }", "(^n <= i)"),
        ("fn f(s: Slot, t: Slot) -> bool { s < t }", "(s < t)"),
        ("fn f(s: Slot) -> bool { s == 3 }", "(^s == 3)"),
        ("fn f(s: Slot, n: nat) -> bool { s != n }", "(^s != ^n)"),
        ("fn f(s: Slot, i: Id) -> bool { s == i }", "(^s == ^i)"),
        ("fn f(n: nat) -> bool { n == -1 }", "(^n == -1)"),
        (
            "fn f(o: option<nat>) -> bool { some(1) == o }",
            "(some(1n) == o)",
        ),
        (
            "fn f(o: option<nat>, i: int) -> bool { o == some(i) }",
            "(o == some(!i))",
        ),
        ("fn f(s: set<nat>) -> bool { {1} == s }", "({1n} == s)"),
    ]);
}

#[test]
fn collections_and_methods() {
    check(&[
        ("fn f(n: nat) -> set<int> { {n, 1} }", "{^n, 1}"),
        (
            "fn f(n: nat) -> bool { let s = {n, 1}; n in s }",
            "let s = {n, 1n}; (n in s)",
        ),
        ("fn f(n: nat) -> set<int> { 0..n }", "0..^n"),
        ("fn f(n: nat) -> bool { n in 0..3 }", "(^n in 0..3)"),
        ("fn f(s: set<nat>) -> set<nat> { s | {1} }", "(s | {1n})"),
        (
            "fn f(s: set<int>, n: nat) -> set<int> { s.with(n) }",
            "with(s, ^n)",
        ),
        ("fn f(s: seq<int>, n: nat) -> int { s[n] }", "s[^n]"),
        ("fn f(m: map<Slot, int>) -> int { m[3] }", "m[!3]"),
        ("fn f() -> map<Slot, int> { map s: Slot => s }", "map ^s"),
        (
            "fn f(s: set<int>) -> set<nat> { { x for x in s } }",
            "{!x for …}",
        ),
        (
            "fn f(o: option<nat>) -> nat { o.unwrap_or(3) }",
            "unwrap_or(o, 3n)",
        ),
    ]);
}

#[test]
fn branches_and_calls() {
    check(&[
        (
            "fn f(c: bool, n: nat) -> int { if c { n } else { 1 } }",
            "if c {^n} {1}",
        ),
        (
            "fn f(c: bool, n: nat, i: int) -> nat { let x = if c { n } else { i }; x }",
            "let x = if c {n} {!i}; x",
        ),
        (
            "fn f(n: nat) -> int { match n { 0 => n, _ => 1 } }",
            "match n {^n, 1}",
        ),
        ("fn f(i: int) -> nat { let x = i; x }", "let x = i; !x"),
        (
            "fn f(i: int) -> nat { g(i) } fn g(n: nat) -> nat { n }",
            "call(!i)",
        ),
        (
            "fn f(n: nat) -> S { S { x: n } } struct S { x: int }",
            "struct(^n)",
        ),
        (
            "fn f(i: int) -> E { A(i) } enum E { A(Slot) }",
            "variant(!i)",
        ),
        (
            "fn f(s: set<nat>) -> nat { sum x in s :: x }",
            "quantifier x",
        ),
        (
            "fn f(s: set<Slot>) -> int { sum x in s :: x }",
            "quantifier ^x",
        ),
        ("fn f() -> int { sum b: bool :: 1 }", "quantifier 1"),
    ]);
}

#[test]
fn assignments_and_choices() {
    let song = compile_clean(
        "process p { var n: nat = choose 0..3; n += 1; n -= 1; n = choose {1, 2} where n > 1; }",
    );
    let start = &song.families[0].vars[0];
    let plainsong_ir::StartValue::Choice(choice) = &start.start else {
        panic!("{start:?}")
    };
    let plainsong_ir::Domain::In(set) = &choice.domain else {
        panic!("{choice:?}")
    };
    assert_eq!(show(set, &start.locals), "{!n_0 for …}");
    let process = &song.voices().expect("voices").processes[0];
    let Body::Sequential(body) = &process.body else {
        panic!("a body")
    };
    let values: Vec<&Expr> = body
        .iter()
        .filter_map(|stmt| match &stmt.kind {
            StmtKind::Assign(_, value) => Some(value),
            _ => None,
        })
        .collect();
    assert!(matches!(&values[0].kind, ExprKind::Binary(BinOp::Add, _, one) if one.ty == Ty::Nat));
    assert!(matches!(&values[1].kind, ExprKind::Narrow(inner) if inner.ty == Ty::Int));
    let StmtKind::AssignChoice(_, choice) = &body[2].kind else {
        panic!("a choice")
    };
    let plainsong_ir::Domain::In(set) = &choice.domain else {
        panic!("{choice:?}")
    };
    assert_eq!(show(set, &process.locals), "{1n, 2n}");
}

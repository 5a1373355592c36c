//! What the printer writes.

use crate::make::*;
use plainsong_ir::*;

fn shown(locals: &[Local], expr: &Expr) -> String {
    print::expr(&types(), locals, expr)
}

/// A song with an enum and a struct to write about.
fn types() -> Song {
    Song {
        enums: vec![
            enumeration("Vote", vec![variant("Yes", vec![]), variant("No", vec![])]),
            enumeration(
                "Reply",
                vec![variant("Yes", vec![]), variant("Value", vec![Ty::Int])],
            ),
        ],
        structs: vec![structure("Point", vec![("x", Ty::Int), ("y", Ty::Int)])],
        ..Song::default()
    }
}

fn point() -> Expr {
    expr(
        ExprKind::Struct(StructId(0), vec![int(1), int(2)]),
        Ty::Struct(StructId(0)),
    )
}

#[test]
fn parentheses_stand_only_where_the_levels_want_them() {
    use BinOp::*;
    let n = || int(1);
    let t = || truth(true);
    let all = || quantifier(Quantifier::Forall, 0, Ty::Bool, var(0, Ty::Bool));
    let cases = [
        (binary(Add, n(), binary(Mul, n(), n())), "1 + 1 * 1"),
        (binary(Mul, binary(Add, n(), n()), n()), "(1 + 1) * 1"),
        (binary(Sub, binary(Sub, n(), n()), n()), "1 - 1 - 1"),
        (binary(Sub, n(), binary(Sub, n(), n())), "1 - (1 - 1)"),
        (
            binary(Implies, t(), binary(Implies, t(), t())),
            "true ==> true ==> true",
        ),
        (
            binary(Implies, binary(Implies, t(), t()), t()),
            "(true ==> true) ==> true",
        ),
        (
            binary(Iff, binary(Iff, t(), t()), t()),
            "true <==> true <==> true",
        ),
        (
            binary(Iff, t(), binary(Iff, t(), t())),
            "true <==> (true <==> true)",
        ),
        (
            binary(Or, t(), binary(And, t(), t())),
            "true || true && true",
        ),
        (
            binary(And, binary(Or, t(), t()), t()),
            "(true || true) && true",
        ),
        (binary(Eq, binary(Lt, n(), n()), t()), "(1 < 1) == true"),
        (unary(UnOp::Not, binary(Eq, n(), n())), "!(1 == 1)"),
        (unary(UnOp::Neg, unary(UnOp::Neg, n())), "--1"),
        (binary(Sub, n(), unary(UnOp::Neg, n())), "1 - -1"),
        (binary(And, all(), t()), "(forall x: bool :: x) && true"),
        (binary(And, t(), all()), "true && (forall x: bool :: x)"),
        (
            binary(Add, if_expr(t(), n(), n()), n()),
            "(if true { 1 } else { 1 }) + 1",
        ),
        (
            binary(Add, n(), widen(expr(ExprKind::Int(2), Ty::Nat))),
            "1 + 2",
        ),
    ];
    let locals = [local("x", Ty::Bool)];
    for (expr, text) in cases {
        assert_eq!(shown(&locals, &expr), text);
    }
}

#[test]
fn ranges_bind_between_intersection_and_sum() {
    let range = |inclusive| {
        let end = Box::new(binary(BinOp::Add, int(2), int(1)));
        expr(
            ExprKind::Range {
                start: Box::new(int(0)),
                end,
                inclusive,
            },
            set(Ty::Int),
        )
    };
    assert_eq!(
        shown(&[], &binary(BinOp::In, int(1), range(false))),
        "1 in 0..2 + 1"
    );
    let len = method(Builtin::Len, vec![range(true)], Ty::Nat);
    assert_eq!(shown(&[], &len), "(0..=2 + 1).len()");
    let union = binary(BinOp::Union, range(false), literal(set(Ty::Int), vec![]));
    assert_eq!(shown(&[], &union), "0..2 + 1 | {}");
}

#[test]
fn variants_are_qualified_when_several_enums_have_them() {
    let variant = |id, at, arguments| {
        let id = EnumId(id);
        expr(ExprKind::Variant(id, at, arguments), Ty::Enum(id))
    };
    assert_eq!(shown(&[], &variant(0, 0, vec![])), "Vote::Yes");
    assert_eq!(shown(&[], &variant(0, 1, vec![])), "No");
    assert_eq!(shown(&[], &variant(1, 1, vec![int(3)])), "Value(3)");
}

#[test]
fn a_struct_before_a_block_stands_in_parentheses() {
    let is_point = binary(BinOp::Eq, point(), point());
    let text = "if (Point { x: 1, y: 2 }) == (Point { x: 1, y: 2 }) { 1 } else { 2 }";
    assert_eq!(shown(&[], &if_expr(is_point.clone(), int(1), int(2))), text);
    assert_eq!(
        shown(&[], &is_point),
        "Point { x: 1, y: 2 } == Point { x: 1, y: 2 }"
    );
    let inside = literal(set(point().ty), vec![point()]);
    let condition = method(Builtin::IsEmpty, vec![inside], Ty::Bool);
    let text = "if {Point { x: 1, y: 2 }}.is_empty() { 1 } else { 2 }";
    assert_eq!(shown(&[], &if_expr(condition, int(1), int(2))), text);
    let parts = vec![pattern(PatternKind::Wild), pattern(PatternKind::Int(-2))];
    let pattern = pattern(PatternKind::Struct(StructId(0), parts));
    let is = expr(
        ExprKind::Is(Box::new(var(0, point().ty)), pattern),
        Ty::Bool,
    );
    let locals = [local("p", point().ty)];
    assert_eq!(shown(&locals, &is), "p is Point { x: _, y: -2 }");
    let text = "if (p is Point { x: _, y: -2 }) { 1 } else { 2 }";
    assert_eq!(shown(&locals, &if_expr(is, int(1), int(2))), text);
}

#[test]
fn a_set_in_a_branch_keeps_its_braces() {
    let one = literal(set(Ty::Int), vec![int(1)]);
    let arms = vec![
        (pattern(PatternKind::Bool(true)), one.clone()),
        (
            pattern(PatternKind::Wild),
            binary(BinOp::Union, one.clone(), one.clone()),
        ),
    ];
    let of = expr(ExprKind::Match(Box::new(truth(true)), arms), set(Ty::Int));
    assert_eq!(
        shown(&[], &of),
        "match true { true => { {1} }, _ => { {1} | {1} } }"
    );
    let chosen = if_expr(truth(true), one.clone(), one);
    assert_eq!(shown(&[], &chosen), "if true { {1} } else { {1} }");
}

#[test]
fn comprehensions_have_a_short_form() {
    let locals = [local("x", Ty::Int)];
    let over = |filter| {
        let domain = Domain::In(literal(set(Ty::Int), vec![int(1)]));
        Box::new(Binding {
            names: vec![LocalId(0)],
            domain,
            filter,
        })
    };
    let body = |e| Box::new(e);
    let x = || var(0, Ty::Int);
    let positive = binary(BinOp::Gt, x(), int(0));
    let cases = [
        (
            ExprKind::Comprehension(over(Some(positive.clone())), body(x())),
            set(Ty::Int),
            "{ x in {1} where x > 0 }",
        ),
        (
            ExprKind::Comprehension(over(None), body(x())),
            set(Ty::Int),
            "{ x in {1} }",
        ),
        (
            ExprKind::Comprehension(over(None), body(binary(BinOp::Add, x(), int(1)))),
            set(Ty::Int),
            "{ x + 1 for x in {1} }",
        ),
        (
            ExprKind::Comprehension(over(Some(positive)), body(x())),
            Ty::Seq(Box::new(Ty::Int)),
            "[ x for x in {1} where x > 0 ]",
        ),
    ];
    for (kind, ty, text) in cases {
        assert_eq!(shown(&locals, &expr(kind, ty)), text);
    }
    let member = binary(BinOp::In, x(), literal(set(Ty::Int), vec![]));
    assert_eq!(
        shown(&locals, &literal(set(Ty::Bool), vec![member])),
        "{(x in {})}"
    );
}

#[test]
fn lets_say_their_type_only_when_the_value_does_not() {
    let nat = |value| expr(ExprKind::Int(value), Ty::Nat);
    let cases = [
        (int(1), "let x = 1;"),
        (nat(1), "let x: nat = 1;"),
        (widen(var(1, Ty::Nat)), "let x: int = n;"),
        (
            expr(ExprKind::None, option(Ty::Bool)),
            "let x: option<bool> = none;",
        ),
        (
            literal(set(Ty::Nat), vec![var(1, Ty::Nat), nat(2)]),
            "let x = {n, 2};",
        ),
        (
            literal(set(Ty::Nat), vec![nat(2), var(1, Ty::Nat)]),
            "let x: set<nat> = {2, n};",
        ),
    ];
    for (value, text) in cases {
        let locals = [local("x", value.ty.clone()), local("n", Ty::Nat)];
        assert_eq!(print::stmt(&types(), &locals, &let_stmt(0, value)), text);
    }
    let locals = [variable("x", Ty::Int)];
    assert_eq!(
        print::stmt(&types(), &locals, &let_stmt(0, int(1))),
        "var x: int = 1;"
    );
}

#[test]
fn a_whole_song_is_written_in_the_canonical_style() {
    let text = "\
sort Client;

message Acquire(from: Client);
message Granted;
message Release via causal;

process server {
    for c in Client {
        receive Acquire(who) from any client;
        send Granted to client[who];
        receive Release from client[who];
    }
}

process client[c: Client] {
    var in_section: bool = false;
    send Acquire(c) to server;
    receive Granted from server;
    in_section = true;
    in_section = false;
    send Release to server;
}

property exclusive by explore at Client = 2..=3: always forall a, b: Client ::
    client[a].in_section && client[b].in_section ==> a == b;
";
    assert_eq!(print::song(&lock()), text);
    assert_eq!(print::song(&Song::default()), "");
}

#[test]
fn long_expressions_break_before_operators_and_between_items() {
    let long = |count: usize| (0..count).map(|_| var(0, Ty::Bool)).collect::<Vec<_>>();
    let locals = [local("a_rather_long_name_for_a_truth_value", Ty::Bool)];
    let chain = long(4)
        .into_iter()
        .reduce(|a, b| binary(BinOp::And, a, b))
        .unwrap();
    let text = shown(&locals, &chain);
    assert_eq!(text.lines().count(), 4);
    assert!(
        text.lines()
            .skip(1)
            .all(|line| line.starts_with("    && a_rather"))
    );
    let items = literal(set(Ty::Bool), long(4));
    let text = shown(&locals, &items);
    assert_eq!(text.lines().count(), 6);
    assert!(text.ends_with("value,\n}"));
}

#[test]
fn a_broken_song_is_still_printed() {
    let strange = expr(
        ExprKind::Call(FnId(7), vec![var(9, Ty::Sort(SortId(3)))]),
        Ty::Int,
    );
    assert_eq!(shown(&[], &strange), "fn_7(local)");
    assert_eq!(
        print::ty(&Song::default(), &set(Ty::Sort(SortId(3)))),
        "set<sort_3>"
    );
}

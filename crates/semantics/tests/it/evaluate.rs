//! What expressions come to: constants of a song are evaluated when it is instantiated.

use crate::build::*;
use plainsong_ir::*;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::show::show;
use plainsong_semantics::sizes::{Bounds, Sizes};
use std::sync::Arc;

/// The text of what `value` comes to, or what goes wrong.
fn evaluated(b: Builder, value: Expr, locals: Locals) -> String {
    let mut b = b;
    let ty = value.ty.clone();
    let at = b.add_const("it", ty.clone(), Some(value), None);
    b.song.consts[at.index()].locals = locals.0;
    match Instance::all(Arc::new(b.song), &Sizes::new(), &Bounds::default()) {
        Ok(instances) => show(&instances[0], instances[0].constant(at), &ty),
        Err(error) => error.message,
    }
}

fn value(expr: Expr) -> String {
    evaluated(Builder::default(), expr, Locals::default())
}

fn seq_of(ints: &[i64]) -> Expr {
    collection(Ty::Seq(Box::new(Ty::Int)), ints)
}

fn set_of(ints: &[i64]) -> Expr {
    collection(Ty::Set(Box::new(Ty::Int)), ints)
}

fn bag_of(ints: &[i64]) -> Expr {
    collection(Ty::Bag(Box::new(Ty::Int)), ints)
}

fn collection(ty: Ty, ints: &[i64]) -> Expr {
    expr(
        ExprKind::Literal(ints.iter().map(|one| int(*one)).collect()),
        ty,
    )
}

fn arithmetic(op: BinOp, a: i64, b: i64) -> String {
    value(binary(op, int(a), int(b), Ty::Int))
}

#[test]
fn arithmetic_is_exact_and_divides_towards_zero() {
    assert_eq!(arithmetic(BinOp::Add, 2, 3), "5");
    assert_eq!(arithmetic(BinOp::Div, -7, 2), "-3");
    assert_eq!(arithmetic(BinOp::Rem, -7, 2), "-1");
    assert_eq!(
        arithmetic(BinOp::Div, 7, 0),
        "`it` has no value: division by zero: 7 / 0"
    );
    assert_eq!(
        arithmetic(BinOp::Rem, 7, 0),
        "`it` has no value: remainder of a division by zero: 7 % 0"
    );
    let beyond = "`it` has no value: an integer grows beyond 64 bits";
    assert_eq!(arithmetic(BinOp::Add, i64::MAX, 1), beyond);
    assert_eq!(arithmetic(BinOp::Mul, i64::MIN, -1), beyond);
    assert_eq!(arithmetic(BinOp::Div, i64::MIN, -1), beyond);
    assert_eq!(
        value(expr(
            ExprKind::Unary(UnOp::Neg, Box::new(int(i64::MIN))),
            Ty::Int
        )),
        beyond
    );
}

#[test]
fn connectives_look_at_the_right_side_only_when_they_must() {
    let undefined = || eq(binary(BinOp::Div, int(1), int(0), Ty::Int), int(1));
    assert_eq!(value(and(no(), undefined())), "false");
    assert_eq!(value(is(BinOp::Or, yes(), undefined())), "true");
    assert_eq!(value(implies(no(), undefined())), "true");
    assert!(value(and(yes(), undefined())).contains("division by zero"));
    assert_eq!(value(is(BinOp::Iff, no(), no())), "true");
    assert_eq!(value(implies(yes(), no())), "false");
}

#[test]
fn sets_bags_and_sequences() {
    let sets = |op, a: &[i64], b: &[i64]| {
        value(binary(op, set_of(a), set_of(b), Ty::Set(Box::new(Ty::Int))))
    };
    assert_eq!(sets(BinOp::Union, &[3, 1], &[2, 1]), "{1, 2, 3}");
    assert_eq!(sets(BinOp::Inter, &[3, 1], &[2, 1]), "{1}");
    assert_eq!(sets(BinOp::Sub, &[3, 1], &[2, 1]), "{3}");
    let bags = |op, a: &[i64], b: &[i64]| {
        value(binary(op, bag_of(a), bag_of(b), Ty::Bag(Box::new(Ty::Int))))
    };
    assert_eq!(bags(BinOp::Union, &[2, 1], &[2]), "bag {1, 2, 2}");
    assert_eq!(
        bags(BinOp::Sub, &[1, 2, 2, 2, 4], &[0, 2, 2, 3]),
        "bag {1, 2, 4}"
    );
    let joined = binary(
        BinOp::Add,
        seq_of(&[2, 1]),
        seq_of(&[2]),
        Ty::Seq(Box::new(Ty::Int)),
    );
    assert_eq!(value(joined), "[2, 1, 2]");
    assert_eq!(value(is(BinOp::In, int(2), bag_of(&[1, 2]))), "true");
    assert_eq!(value(range(2, 5)), "{2, 3, 4}");
    assert_eq!(value(range(5, 2)), "{}");
    assert!(value(range(0, 2_000_000)).contains("too many"));
}

#[test]
fn methods() {
    let nat = |what, receiver| value(method(what, vec![receiver], Ty::Nat));
    assert_eq!(nat(Builtin::Len, bag_of(&[1, 1])), "2");
    assert_eq!(nat(Builtin::Min, seq_of(&[3, 1, 2])), "1");
    assert_eq!(nat(Builtin::Max, set_of(&[3, 1, 2])), "3");
    assert_eq!(
        nat(Builtin::Min, set_of(&[])),
        "`it` has no value: min of an empty set"
    );
    assert_eq!(
        nat(Builtin::First, seq_of(&[])),
        "`it` has no value: first of an empty sequence"
    );
    assert_eq!(nat(Builtin::Last, seq_of(&[4, 5])), "5");
    let same = |what, receiver: Expr, argument| {
        let ty = receiver.ty.clone();
        value(method(what, vec![receiver, argument], ty))
    };
    assert_eq!(same(Builtin::With, set_of(&[1]), int(1)), "{1}");
    assert_eq!(same(Builtin::With, bag_of(&[1]), int(1)), "bag {1, 1}");
    assert_eq!(
        same(Builtin::Without, bag_of(&[1, 1, 2]), int(1)),
        "bag {1, 2}"
    );
    assert_eq!(same(Builtin::Without, set_of(&[1]), int(7)), "{1}");
    assert_eq!(same(Builtin::Push, seq_of(&[2]), int(1)), "[2, 1]");
    let seq = Ty::Seq(Box::new(Ty::Int));
    let drop = |what| value(method(what, vec![seq_of(&[1, 2, 3])], seq.clone()));
    assert_eq!(drop(Builtin::DropFirst), "[2, 3]");
    assert_eq!(drop(Builtin::DropLast), "[1, 2]");
    let update = |at| {
        value(method(
            Builtin::Update,
            vec![seq_of(&[1, 2]), int(at), int(9)],
            seq.clone(),
        ))
    };
    assert_eq!(update(1), "[1, 9]");
    assert_eq!(
        update(2),
        "`it` has no value: index 2 is outside a sequence of length 2"
    );
    assert_eq!(
        value(method(
            Builtin::Count,
            vec![bag_of(&[1, 1]), int(1)],
            Ty::Nat
        )),
        "2"
    );
    assert_eq!(
        value(method(
            Builtin::Subset,
            vec![set_of(&[1]), set_of(&[1, 2])],
            Ty::Bool
        )),
        "true"
    );
    assert_eq!(
        value(method(Builtin::Unwrap, vec![none(Ty::Int)], Ty::Int)),
        "`it` has no value: unwrap of none"
    );
    assert_eq!(
        value(method(
            Builtin::UnwrapOr,
            vec![some(int(1)), int(2)],
            Ty::Int
        )),
        "1"
    );
    assert_eq!(
        value(method(
            Builtin::UnwrapOr,
            vec![none(Ty::Int), int(2)],
            Ty::Int
        )),
        "2"
    );
    assert_eq!(
        value(method(Builtin::IsNone, vec![none(Ty::Int)], Ty::Bool)),
        "true"
    );
    let set = Ty::Set(Box::new(Ty::Int));
    assert_eq!(
        value(method(Builtin::ToSet, vec![seq_of(&[2, 1, 2])], set)),
        "{1, 2}"
    );
    let bag = Ty::Bag(Box::new(Ty::Int));
    assert_eq!(
        value(method(Builtin::ToBag, vec![seq_of(&[2, 1, 2])], bag)),
        "bag {1, 2, 2}"
    );
}

#[test]
fn an_int_that_does_not_fit_fails() {
    assert_eq!(
        value(narrow(int(-1), Ty::Nat)),
        "`it` has no value: -1 is not a nat"
    );
    assert_eq!(value(narrow(int(1), Ty::Nat)), "1");
    let mut b = Builder::default();
    let round = b.add_sort(
        "Round",
        SortKind::Range(Range {
            start: int(1),
            end: RangeEnd::With(int(3)),
        }),
    );
    let seven = narrow(int(7), round.clone());
    assert_eq!(
        evaluated(b, seven, Locals::default()),
        "`it` has no value: 7 is outside Round = 1..=3"
    );
}

#[test]
fn quantifiers_count_and_sum() {
    let quantify = |quantifier, body: fn(Expr, Expr) -> Expr| {
        let mut l = Locals::default();
        let (x, y) = (l.add("x", Ty::Int), l.add("y", Ty::Int));
        let mut bindings = vec![binding(&[x, y], Domain::In(range(0, 3)))];
        bindings[0].filter = Some(is(BinOp::Lt, l.read(x), l.read(y)));
        let body = body(l.read(x), l.read(y));
        evaluated(
            Builder::default(),
            quantified(quantifier, bindings, body),
            l,
        )
    };
    // The pairs are (0, 1), (0, 2), (1, 2).
    assert_eq!(quantify(Quantifier::Sum, plus), "6");
    assert_eq!(quantify(Quantifier::Count, |x, _| eq(x, int(0))), "2");
    assert_eq!(
        quantify(Quantifier::Forall, |x, _| is(BinOp::Le, x, int(1))),
        "true"
    );
    assert_eq!(
        quantify(Quantifier::Exists, |x, y| eq(plus(x, y), int(4))),
        "false"
    );
}

#[test]
fn later_bindings_see_earlier_names() {
    let mut l = Locals::default();
    let (x, y) = (l.add("x", Ty::Int), l.add("y", Ty::Int));
    let up_to_x = expr(
        ExprKind::Range {
            start: Box::new(int(0)),
            end: Box::new(l.read(x)),
            inclusive: true,
        },
        Ty::Set(Box::new(Ty::Int)),
    );
    let bindings = vec![
        binding(&[x], Domain::In(range(0, 3))),
        binding(&[y], Domain::In(up_to_x)),
    ];
    let all = quantified(Quantifier::Count, bindings, yes());
    assert_eq!(evaluated(Builder::default(), all, l), "6");
}

#[test]
fn comprehensions_follow_their_collection() {
    let squares = |ty: Ty, over: Expr| {
        let mut l = Locals::default();
        let x = l.add("x", Ty::Int);
        let body = binary(BinOp::Mul, l.read(x), l.read(x), Ty::Int);
        let binding = binding(&[x], Domain::In(over));
        evaluated(
            Builder::default(),
            expr(
                ExprKind::Comprehension(Box::new(binding), Box::new(body)),
                ty,
            ),
            l,
        )
    };
    assert_eq!(
        squares(Ty::Seq(Box::new(Ty::Int)), seq_of(&[3, -1, 1])),
        "[9, 1, 1]"
    );
    assert_eq!(
        squares(Ty::Set(Box::new(Ty::Int)), seq_of(&[3, -1, 1])),
        "{1, 9}"
    );
}

#[test]
fn maps_are_total_over_their_keys() {
    let mut b = Builder::default();
    let db = b.sort("Db");
    let mut l = Locals::default();
    let (k, d) = (l.add("k", db.clone()), l.add("d", db.clone()));
    let ty = Ty::Map(Box::new(db.clone()), Box::new(Ty::Bool));
    let map = || expr(ExprKind::MapOf(k, Box::new(no())), ty.clone());
    // Is there a key that `update` turns to true and leaves the other?
    let updated = method(Builtin::Update, vec![map(), l.read(d), yes()], ty.clone());
    let at = expr(
        ExprKind::Index(Box::new(updated), Box::new(l.read(k))),
        Ty::Bool,
    );
    let count = quantified(
        Quantifier::Count,
        vec![
            binding(&[d], Domain::Type(db.clone())),
            binding(&[k], Domain::Type(db)),
        ],
        at,
    );
    assert_eq!(evaluated(b, count, l), "2");
    let mut b = Builder::default();
    b.sort("Db");
    let mut l = Locals::default();
    l.add("k", Ty::Sort(0usize.into()));
    let shown = evaluated(b, map(), l);
    assert_eq!(shown, "map {Db#0 => false, Db#1 => false}");
}

#[test]
fn enums_structs_tuples_and_patterns() {
    let mut b = Builder::default();
    let variant = |name: &str, fields: Vec<Ty>| Variant {
        name: name.to_owned(),
        fields,
    };
    b.song.enums.push(EnumDecl {
        splits: None,
        name: "Reply".to_owned(),
        variants: vec![
            variant("Free", vec![]),
            variant("Value", vec![Ty::Int, Ty::Bool]),
        ],
        span: span(),
    });
    b.song.structs.push(StructDecl {
        name: "Point".to_owned(),
        fields: vec![("x".to_owned(), Ty::Int), ("y".to_owned(), Ty::Int)],
        span: span(),
    });
    let reply = Ty::Enum(0usize.into());
    let point = Ty::Struct(0usize.into());
    let mut l = Locals::default();
    let n = l.add("n", Ty::Int);
    let pattern = |kind| Pattern { kind, span: span() };
    let with_payload = pattern(PatternKind::Variant(
        0usize.into(),
        1,
        vec![
            pattern(PatternKind::Bind(n)),
            pattern(PatternKind::Bool(true)),
        ],
    ));
    let reply_value = |truth: Expr| {
        expr(
            ExprKind::Variant(0usize.into(), 1, vec![int(5), truth]),
            reply.clone(),
        )
    };
    let read = |truth: Expr| {
        let arms = vec![
            (with_payload.clone(), plus(l.read(n), int(1))),
            (pattern(PatternKind::Wild), int(0)),
        ];
        expr(ExprKind::Match(Box::new(reply_value(truth)), arms), Ty::Int)
    };
    let base = expr(
        ExprKind::Struct(0usize.into(), vec![read(yes()), read(no())]),
        point.clone(),
    );
    let updated = expr(
        ExprKind::Update(Box::new(base), vec![(1, int(8))]),
        point.clone(),
    );
    let is_it = expr(
        ExprKind::Is(Box::new(reply_value(yes())), with_payload),
        Ty::Bool,
    );
    let parts = vec![updated, is_it, reply_value(no())];
    let ty = Ty::Tuple(parts.iter().map(|part| part.ty.clone()).collect());
    let whole = expr(ExprKind::Tuple(parts), ty);
    assert_eq!(
        evaluated(b, whole, l),
        "(Point { x: 6, y: 8 }, true, Value(5, false))"
    );
}

/// `fn sum_to(n) { if n == 0 { 0 } else { n + sum_to(n - 1) } }`; without the test, for ever.
fn sum_to(n: i64, ends: bool) -> String {
    let mut b = Builder::default();
    let mut l = Locals::default();
    let x = l.add("n", Ty::Int);
    let call = |argument| expr(ExprKind::Call(0usize.into(), vec![argument]), Ty::Int);
    let step = plus(l.read(x), call(minus(l.read(x), int(1))));
    let test = if ends { eq(l.read(x), int(0)) } else { no() };
    let body = expr(
        ExprKind::If(Box::new(test), Box::new(int(0)), Box::new(step)),
        Ty::Int,
    );
    let name = "sum_to".to_owned();
    b.song.functions.push(Function {
        name,
        arity: 1,
        locals: l.0,
        contract: Default::default(),
        result: body.ty.clone(),
        body: Some(body),
        at: None,
        span: span(),
    });
    evaluated(b, call(int(n)), Locals::default())
}

#[test]
fn functions_recur_deeply_but_not_for_ever() {
    assert_eq!(sum_to(10, true), "55");
    assert_eq!(sum_to(999, true), "499500");
    assert_eq!(
        sum_to(10, false),
        "`it` has no value: sum_to is called more than 1000 levels deep"
    );
}

#[test]
fn nesting_does_not_overflow_the_stack() {
    let deep = (0..20_000).fold(int(0), |inner, _| plus(inner, int(1)));
    // Dropping such an expression needs stack too; give it some.
    let run = move || {
        let text = evaluated(Builder::default(), deep.clone(), Locals::default());
        std::mem::forget(deep);
        text
    };
    let thread = std::thread::Builder::new()
        .stack_size(64 << 20)
        .spawn(run)
        .unwrap();
    assert_eq!(thread.join().unwrap(), "20000");
}

#[test]
fn work_without_end_is_given_up() {
    // fib of a large number: not deep, but endless.
    let mut b = Builder::default();
    let mut l = Locals::default();
    let x = l.add("n", Ty::Int);
    let call = |argument| expr(ExprKind::Call(0usize.into(), vec![argument]), Ty::Int);
    let sum = plus(
        call(minus(l.read(x), int(1))),
        call(minus(l.read(x), int(2))),
    );
    let test = is(BinOp::Lt, l.read(x), int(2));
    let body = expr(
        ExprKind::If(Box::new(test), Box::new(l.read(x)), Box::new(sum)),
        Ty::Int,
    );
    let name = "fib".to_owned();
    b.song.functions.push(Function {
        name,
        arity: 1,
        locals: l.0,
        contract: Default::default(),
        result: body.ty.clone(),
        body: Some(body),
        at: None,
        span: span(),
    });
    let text = evaluated(b, call(int(80)), Locals::default());
    assert_eq!(text, "`it` has no value: this takes too long to compute");
}

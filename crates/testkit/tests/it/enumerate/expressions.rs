//! Expressions and declarations.

use super::{executions_at, row};
use crate::build::*;
use plainsong_diagnostics::Span;
use plainsong_ir::{
    BinOp, Binding, Builtin, Const, ConstId, Domain, EnumDecl, EnumId, Expr, ExprKind, FnId,
    Function, LocalId, Pattern, PatternKind, Quantifier, Range, RangeEnd, Song, SortDecl, SortId,
    SortKind, StartValue, Ty, UnOp, Variant,
};

fn ints() -> Ty {
    Ty::Set(Box::new(Ty::Int))
}

fn seq(elements: &[i64]) -> Expr {
    let elements = elements.iter().map(|n| int(*n)).collect();
    expr(ExprKind::Literal(elements), Ty::Seq(Box::new(Ty::Int)))
}

fn bag(elements: &[i64]) -> Expr {
    let elements = elements.iter().map(|n| int(*n)).collect();
    expr(ExprKind::Literal(elements), Ty::Bag(Box::new(Ty::Int)))
}

fn method(builtin: Builtin, arguments: Vec<Expr>, ty: Ty) -> Expr {
    expr(ExprKind::Method(builtin, arguments), ty)
}

/// The value of a closed expression as text; `undefined` when it has none.
fn value_in(mut song: Song, sizes: &[(&str, i64)], value: Expr) -> String {
    let mut band = Band::new(&["p"]);
    band.var(0, value.ty.clone(), StartValue::Value(value));
    let families = std::mem::take(&mut band.song.families);
    song.families = families;
    song.system = band.done().system;
    let found = executions_at(&song, sizes, None);
    match (found.outcomes.first(), found.failed.len()) {
        (Some(outcome), 0) => outcome["p.v0"].text.clone(),
        (None, 1) => "undefined".to_string(),
        other => panic!("{other:?}"),
    }
}

fn value(expr: Expr) -> String {
    value_in(Song::default(), &[], expr)
}

#[test]
fn numbers_divide_towards_zero() {
    let divided = |op, a, b| value(binary(op, int(a), int(b)));
    assert_eq!(divided(BinOp::Div, -7, 2), "-3");
    assert_eq!(divided(BinOp::Rem, -7, 2), "-1");
    assert_eq!(divided(BinOp::Rem, 7, -2), "1");
    assert_eq!(divided(BinOp::Rem, 1, 0), "undefined");
    assert_eq!(
        value(expr(ExprKind::Unary(UnOp::Neg, Box::new(int(3))), Ty::Int)),
        "-3"
    );
}

#[test]
fn connectives_stop_when_decided() {
    let bad = || is(binary(BinOp::Div, int(1), int(0)), 0);
    assert_eq!(value(binary(BinOp::And, truth(false), bad())), "false");
    assert_eq!(value(binary(BinOp::Or, truth(true), bad())), "true");
    assert_eq!(value(binary(BinOp::Implies, truth(false), bad())), "true");
    assert_eq!(
        value(binary(BinOp::Implies, truth(true), bad())),
        "undefined"
    );
    assert_eq!(
        value(binary(BinOp::Iff, truth(false), truth(false))),
        "true"
    );
}

#[test]
fn narrowing_checks() {
    let narrow = |n, ty| value(expr(ExprKind::Narrow(Box::new(int(n))), ty));
    assert_eq!(narrow(3, Ty::Nat), "3");
    assert_eq!(narrow(-3, Ty::Nat), "undefined");
}

#[test]
fn collections_have_their_operators() {
    let on_sets = |op| {
        let kind = ExprKind::Binary(op, Box::new(range(0, 3)), Box::new(range(2, 5)));
        value(expr(kind, ints()))
    };
    assert_eq!(on_sets(BinOp::Union), "{0, 1, 2, 3, 4}");
    assert_eq!(on_sets(BinOp::Inter), "{2}");
    assert_eq!(on_sets(BinOp::Sub), "{0, 1}");
    let on_bags = |op| {
        let (left, right) = (Box::new(bag(&[1, 1, 2])), Box::new(bag(&[1, 3])));
        value(expr(
            ExprKind::Binary(op, left, right),
            Ty::Bag(Box::new(Ty::Int)),
        ))
    };
    assert_eq!(on_bags(BinOp::Union), "bag {1, 1, 1, 2, 3}");
    assert_eq!(on_bags(BinOp::Sub), "bag {1, 2}");
    assert_eq!(
        value(binary(BinOp::Add, seq(&[1, 2]), seq(&[1]))),
        "[1, 2, 1]"
    );
    let member = |collection| value(binary(BinOp::In, int(2), collection));
    assert_eq!(
        [range(0, 3), bag(&[1]), seq(&[2])].map(member),
        ["true", "false", "true"]
    );
}

#[test]
fn collections_have_their_methods() {
    use Builtin::*;
    let of_seq = |builtin, more: Vec<Expr>, ty| {
        value(method(builtin, [vec![seq(&[3, 1, 3])], more].concat(), ty))
    };
    let list = || Ty::Seq(Box::new(Ty::Int));
    assert_eq!(of_seq(Len, vec![], Ty::Nat), "3");
    assert_eq!(of_seq(Min, vec![], Ty::Int), "1");
    assert_eq!(of_seq(Last, vec![], Ty::Int), "3");
    assert_eq!(of_seq(Push, vec![int(5)], list()), "[3, 1, 3, 5]");
    assert_eq!(of_seq(DropFirst, vec![], list()), "[1, 3]");
    assert_eq!(of_seq(DropLast, vec![], list()), "[3, 1]");
    assert_eq!(of_seq(Update, vec![int(1), int(8)], list()), "[3, 8, 3]");
    assert_eq!(of_seq(Update, vec![int(3), int(8)], list()), "undefined");
    assert_eq!(of_seq(ToSet, vec![], ints()), "{1, 3}");
    assert_eq!(
        of_seq(ToBag, vec![], Ty::Bag(Box::new(Ty::Int))),
        "bag {1, 3, 3}"
    );
    assert_eq!(value(method(First, vec![seq(&[])], Ty::Int)), "undefined");
    let bags = || Ty::Bag(Box::new(Ty::Int));
    assert_eq!(
        value(method(Without, vec![bag(&[1, 1]), int(1)], bags())),
        "bag {1}"
    );
    assert_eq!(
        value(method(With, vec![bag(&[1, 1]), int(1)], bags())),
        "bag {1, 1, 1}"
    );
    assert_eq!(
        value(method(Count, vec![bag(&[1, 1]), int(1)], Ty::Nat)),
        "2"
    );
    assert_eq!(
        value(method(With, vec![range(0, 2), int(1)], ints())),
        "{0, 1}"
    );
    assert_eq!(
        value(method(Without, vec![range(0, 2), int(7)], ints())),
        "{0, 1}"
    );
    assert_eq!(
        value(method(Subset, vec![range(0, 2), range(0, 3)], Ty::Bool)),
        "true"
    );
    let none = || expr(ExprKind::None, Ty::Option(Box::new(Ty::Int)));
    assert_eq!(value(method(Unwrap, vec![none()], Ty::Int)), "undefined");
    assert_eq!(value(method(UnwrapOr, vec![none(), int(4)], Ty::Int)), "4");
    assert_eq!(value(method(IsNone, vec![none()], Ty::Bool)), "true");
}

fn over(names: &[u32], domain: Domain, filter: Option<Expr>) -> Binding {
    Binding {
        names: names.iter().map(|n| LocalId(*n)).collect(),
        domain,
        filter,
    }
}

#[test]
fn quantifiers_range_over_every_combination() {
    let quantified = |quantifier, ty, body| {
        let domain = Domain::In(range(0, 4));
        let different = binary(BinOp::Lt, name(0), name(1));
        let bindings = vec![over(&[0, 1], domain, Some(different))];
        value(expr(
            ExprKind::Quantifier(quantifier, bindings, Box::new(body)),
            ty,
        ))
    };
    let adjacent = || is(binary(BinOp::Sub, name(1), name(0)), 1);
    assert_eq!(quantified(Quantifier::Count, Ty::Nat, adjacent()), "3");
    assert_eq!(
        quantified(Quantifier::Forall, Ty::Bool, adjacent()),
        "false"
    );
    assert_eq!(quantified(Quantifier::Exists, Ty::Bool, adjacent()), "true");
    assert_eq!(quantified(Quantifier::Sum, Ty::Int, name(1)), "14");
}

#[test]
fn comprehensions_and_maps() {
    let odd = is(binary(BinOp::Rem, name(0), int(2)), 1);
    let binding = over(&[0], Domain::In(seq(&[3, 2, 1, 3])), Some(odd));
    let made = |ty| {
        let doubled = binary(BinOp::Mul, name(0), int(2));
        value(expr(
            ExprKind::Comprehension(Box::new(binding.clone()), Box::new(doubled)),
            ty,
        ))
    };
    assert_eq!(made(Ty::Seq(Box::new(Ty::Int))), "[6, 2, 6]");
    assert_eq!(made(ints()), "{2, 6}");
    let map_ty = Ty::Map(Box::new(Ty::Bool), Box::new(Ty::Bool));
    let not = expr(
        ExprKind::Unary(UnOp::Not, Box::new(typed(0, Ty::Bool))),
        Ty::Bool,
    );
    let map = expr(ExprKind::MapOf(LocalId(0), Box::new(not)), map_ty.clone());
    assert_eq!(value(map.clone()), "map {false => true, true => false}");
    let index = ExprKind::Index(Box::new(map), Box::new(truth(true)));
    assert_eq!(value(expr(index, Ty::Bool)), "false");
    assert_eq!(
        value(method(
            Builtin::Len,
            vec![expr(
                ExprKind::All(map_ty.clone()),
                Ty::Set(Box::new(map_ty))
            )],
            Ty::Nat
        )),
        "4"
    );
}

/// `fn f(n: nat) -> nat { if n == 0 { 0 } else { n + f(n - 1) } }`, `sort S = 0..N`, `param N`.
fn declarations() -> Song {
    let n = || typed(0, Ty::Nat);
    let call = |argument| expr(ExprKind::Call(FnId(0), vec![argument]), Ty::Nat);
    let less = expr(
        ExprKind::Narrow(Box::new(binary(BinOp::Sub, n(), int(1)))),
        Ty::Nat,
    );
    let step = binary(BinOp::Add, n(), call(less));
    let body = ExprKind::If(Box::new(is(n(), 0)), Box::new(int(0)), Box::new(step));
    let (name, span) = ("f".to_string(), Span::default());
    let body = expr(body, Ty::Nat);
    let bound = expr(ExprKind::Const(ConstId(0)), Ty::Nat);
    let end = RangeEnd::Before(expr(ExprKind::Widen(Box::new(bound.clone())), Ty::Int));
    let kind = SortKind::Range(Range { start: int(0), end });
    Song {
        functions: vec![Function {
            name,
            arity: 1,
            locals: vec![row(Ty::Nat)],
            contract: Default::default(),
            result: body.ty.clone(),
            body: Some(body),
            at: None,
            span,
        }],
        consts: vec![Const {
            name: "N".to_string(),
            ty: Ty::Nat,
            value: None,
            constraint: Some(binary(BinOp::Ge, bound, int(1))),
            locals: vec![],
            span,
        }],
        sorts: vec![SortDecl {
            name: "S".to_string(),
            kind,
            span,
        }],
        ..Song::default()
    }
}

#[test]
fn functions_recur_and_sorts_follow_parameters() {
    let f = |n| expr(ExprKind::Call(FnId(0), vec![int(n)]), Ty::Nat);
    assert_eq!(value_in(declarations(), &[("N", 1)], f(10)), "55");
    assert_eq!(value_in(declarations(), &[("N", 1)], f(-1)), "undefined");
    let sort = Ty::Sort(SortId(0));
    let all = expr(ExprKind::All(sort.clone()), Ty::Set(Box::new(sort.clone())));
    assert_eq!(value_in(declarations(), &[("N", 3)], all), "{0, 1, 2}");
    let narrow = |n| expr(ExprKind::Narrow(Box::new(int(n))), sort.clone());
    assert_eq!(value_in(declarations(), &[("N", 3)], narrow(2)), "2");
    assert_eq!(
        value_in(declarations(), &[("N", 3)], narrow(3)),
        "undefined"
    );
}

#[test]
fn nothing_happens_when_a_parameter_is_not_allowed() {
    let mut song = declarations();
    song.system = Band::new(&[]).done().system;
    assert_eq!(executions_at(&song, &[("N", 1)], None).complete.len(), 1);
    assert_eq!(executions_at(&song, &[("N", 0)], None).complete.len(), 0);
}

#[test]
fn matches_bind() {
    let variants = [("A", vec![]), ("B", vec![Ty::Int, Ty::Bool])].map(|(name, fields)| Variant {
        name: name.to_string(),
        fields,
    });
    let span = Span::default();
    let reply = EnumDecl {
        splits: None,
        name: "Reply".to_string(),
        variants: variants.to_vec(),
        span,
    };
    let song = || Song {
        enums: vec![reply.clone()],
        ..Song::default()
    };
    let pattern = |kind| Pattern { kind, span };
    let ty = Ty::Enum(EnumId(0));
    let matched = |subject| {
        let bound = vec![
            pattern(PatternKind::Bind(LocalId(0))),
            pattern(PatternKind::Bool(true)),
        ];
        let arms = vec![
            (pattern(PatternKind::Variant(EnumId(0), 1, bound)), name(0)),
            (pattern(PatternKind::Wild), int(-1)),
        ];
        value_in(
            song(),
            &[],
            expr(ExprKind::Match(Box::new(subject), arms), Ty::Int),
        )
    };
    let b = |n, flag| {
        expr(
            ExprKind::Variant(EnumId(0), 1, vec![int(n), truth(flag)]),
            ty.clone(),
        )
    };
    assert_eq!(matched(b(5, true)), "5");
    assert_eq!(matched(b(5, false)), "-1");
    assert_eq!(
        matched(expr(ExprKind::Variant(EnumId(0), 0, vec![]), ty.clone())),
        "-1"
    );
    assert_eq!(value_in(song(), &[], b(5, true)), "B(5, true)");
}

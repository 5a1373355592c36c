//! Statements of a process alone.

use super::{executions, table};
use crate::build::*;
use plainsong_diagnostics::Span;
use plainsong_ir::{
    Access, BinOp, Domain, Expr, ExprKind, LocalId, LoopClauses, Place, Root, StartValue, Stmt,
    StmtKind, Ty, VarId,
};
use plainsong_testkit::enumerate::enumerate;
use std::collections::BTreeSet;

/// The final values of the one state variable, an `int` that starts at 0, of a process alone.
fn results(body: impl FnOnce(VarId) -> Vec<Stmt>) -> BTreeSet<String> {
    let mut band = Band::new(&["p"]);
    let v = band.var(0, Ty::Int, StartValue::Value(int(0)));
    band.body(0, body(v));
    let found = executions(&band.done(), None);
    found
        .outcomes
        .iter()
        .map(|outcome| outcome["p.v0"].text.clone())
        .collect()
}

fn appended(v: VarId, digit: Expr) -> Stmt {
    let shifted = binary(BinOp::Mul, own(v, Ty::Int), int(10));
    set(Root::Own(v), binary(BinOp::Add, shifted, digit))
}

#[test]
fn loops_break_and_continue() {
    let found = results(|v| {
        let skip = when(is(name(0), 2), vec![stmt(StmtKind::Continue)]);
        let stop = when(is(name(0), 4), vec![stmt(StmtKind::Break)]);
        let inner = for_each(
            1,
            Domain::In(range(8, 10)),
            vec![appended(v, name(1)), stmt(StmtKind::Break)],
        );
        vec![
            for_each(
                0,
                Domain::In(range(1, 7)),
                vec![skip, stop, inner, appended(v, name(0))],
            ),
            appended(v, int(0)),
        ]
    });
    assert_eq!(found, BTreeSet::from(["81830".to_string()]));
}

#[test]
fn a_filter_of_for_is_looked_at_in_each_round() {
    let found = results(|v| {
        let filter = Some(binary(BinOp::Lt, own(v, Ty::Int), int(20)));
        let (local, domain) = (LocalId(0), Domain::In(range(1, 9)));
        let (clauses, body) = (LoopClauses::default(), vec![appended(v, name(0))]);
        vec![stmt(StmtKind::For {
            local,
            domain,
            filter,
            clauses,
            body,
        })]
    });
    assert_eq!(found, BTreeSet::from(["123".to_string()]));
}

#[test]
fn while_goes_on_as_long_as_it_may() {
    let found = results(|v| {
        let more = binary(BinOp::Lt, own(v, Ty::Int), int(3));
        let one = binary(BinOp::Add, own(v, Ty::Int), int(1));
        vec![repeat(
            more,
            vec![
                set(Root::Own(v), one),
                maybe(vec![], vec![stmt(StmtKind::Break)]),
            ],
        )]
    });
    assert_eq!(found, ["1", "2", "3"].map(str::to_string).into());
}

#[test]
fn parts_are_assigned_in_place() {
    let pair = Ty::Tuple(vec![Ty::Int, Ty::Seq(Box::new(Ty::Int))]);
    let mut band = Band::new(&["p"]);
    let two = expr(
        ExprKind::Literal(vec![int(5), int(6)]),
        Ty::Seq(Box::new(Ty::Int)),
    );
    let start = expr(ExprKind::Tuple(vec![int(0), two]), pair.clone());
    let v = band.var(0, pair, StartValue::Value(start));
    let place = |path| Place {
        root: Root::Own(v),
        path,
        span: Span::default(),
    };
    let element = place(vec![Access::Project(1), Access::Index(int(1))]);
    let outside = place(vec![Access::Project(1), Access::Index(int(2))]);
    let chosen = choice(0, Domain::In(range(1, 3)), None);
    band.body(
        0,
        vec![
            stmt(StmtKind::AssignChoice(
                place(vec![Access::Project(0)]),
                chosen,
            )),
            stmt(StmtKind::Assign(element, int(7))),
            maybe(vec![], vec![stmt(StmtKind::Assign(outside, int(7)))]),
        ],
    );
    let found = executions(&band.done(), None);
    let values: Vec<&str> = found
        .outcomes
        .iter()
        .map(|o| o["p.v0"].text.as_str())
        .collect();
    assert_eq!(values, ["(1, [5, 7])", "(2, [5, 7])"]);
    assert_eq!(found.failed.len(), 2);
}

#[test]
fn unbounded_choices_are_windows() {
    for (ty, expected) in [
        (Ty::Int, 5),
        (Ty::Nat, 4),
        (Ty::Option(Box::new(Ty::Nat)), 5),
    ] {
        let mut band = Band::new(&["p"]);
        band.body(0, vec![choose(0, Domain::Type(ty), None)]);
        assert_eq!(executions(&band.done(), None).complete.len(), expected);
    }
}

#[test]
fn a_limit_is_a_limit() {
    let mut band = Band::new(&["p"]);
    band.body(0, vec![repeat(truth(true), vec![send(0, 0)])]);
    let song = band.done();
    assert!(enumerate(&song, &table(&[]), None, 100).is_none());
}

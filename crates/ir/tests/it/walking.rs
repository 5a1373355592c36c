//! Walks and the questions they answer.

use crate::make::*;
use plainsong_diagnostics::Span;
use plainsong_ir::visit::{self, Visit, VisitMut, walk, walk_mut};
use plainsong_ir::*;
use std::collections::BTreeSet;

#[test]
fn free_locals_are_those_used_and_not_bound() {
    let inner = binary(BinOp::And, var(0, Ty::Bool), var(1, Ty::Bool));
    let all = quantifier(Quantifier::Exists, 1, Ty::Bool, inner);
    assert_eq!(visit::free_locals(&all), BTreeSet::from([LocalId(0)]));
}

#[test]
fn reads_of_endpoints_and_globals_are_found() {
    let of = |family, index| expr(ExprKind::Of(FamilyId(family), index, VarId(2)), Ty::Int);
    let nested = binary(BinOp::Add, of(1, vec![of(3, vec![])]), int(1));
    assert_eq!(
        visit::families_read(&nested),
        BTreeSet::from([FamilyId(1), FamilyId(3)])
    );
    let reads = visit::endpoints_read(&nested);
    assert_eq!(reads[0], (FamilyId(1), vec![of(3, vec![])], VarId(2)));
    let global = expr(ExprKind::Global(GlobalId(4)), Ty::Bool);
    assert_eq!(
        visit::globals_read(&unary(UnOp::Not, global)),
        BTreeSet::from([GlobalId(4)])
    );
}

#[test]
fn a_place_of_an_endpoint_has_an_owner() {
    let place = |root| Place {
        root,
        path: vec![],
        span: Span::default(),
    };
    let at = place(Root::Of(FamilyId(1), vec![int(0)], VarId(0)));
    assert_eq!(visit::owner(&at), Some((FamilyId(1), &[int(0)][..])));
    assert_eq!(visit::owner(&place(Root::Own(VarId(0)))), None);
}

/// Gives every span a number of its own.
struct Spans(u32);

impl VisitMut for Spans {
    fn span(&mut self, span: &mut Span) {
        self.0 += 1;
        *span = Span::new(self.0, self.0 + 1);
    }
}

#[test]
fn erasing_spans_reaches_every_one() {
    let plain = lock();
    let mut marked = plain.clone();
    let mut spans = Spans(0);
    walk_mut::song(&mut spans, &mut marked);
    let there = format!("{plain:?}").matches("Span {").count();
    assert_eq!(spans.0 as usize, there);
    assert_ne!(marked, plain);
    visit::erase_spans(&mut marked);
    assert_eq!(marked, plain);
}

/// Counts what it sees.
#[derive(Default)]
struct Counts {
    exprs: usize,
    stmts: usize,
    bound: usize,
    used: usize,
}

impl Visit for Counts {
    fn expr(&mut self, expr: &Expr) {
        self.exprs += 1;
        walk::expr(self, expr);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        self.stmts += 1;
        walk::stmt(self, stmt);
    }

    fn binds(&mut self, _local: &LocalId) {
        self.bound += 1;
    }

    fn uses(&mut self, _local: &LocalId) {
        self.used += 1;
    }
}

#[test]
fn a_walk_sees_every_part_once() {
    let mut counts = Counts::default();
    walk::song(&mut counts, &lock());
    assert_eq!((counts.stmts, counts.bound), (9, 4));
    assert_eq!((counts.exprs, counts.used), (22, 7));
}

#[test]
fn renumbering_follows_the_text_and_settles() {
    // The same code with its locals in another order, and a row that nothing uses.
    let body = |x: u32, y: u32| {
        vec![
            let_stmt(x, int(1)),
            let_stmt(y, binary(BinOp::Add, var(x, Ty::Int), int(2))),
        ]
    };
    let mut mixed = action_song(
        vec![
            local("stale", Ty::Bool),
            local("y", Ty::Int),
            local("x", Ty::Int),
        ],
        body(2, 1),
    );
    visit::renumber_locals(&mut mixed);
    let rows = vec![
        local("stale", Ty::Bool),
        local("x", Ty::Int),
        local("y", Ty::Int),
    ];
    let canonical = action_song(rows, body(1, 2));
    assert_eq!(mixed, canonical);
    visit::renumber_locals(&mut mixed);
    assert_eq!(mixed, canonical);
    let mut lock_again = lock();
    visit::renumber_locals(&mut lock_again);
    assert_eq!(lock_again, lock());
}

//! Which sorts are symmetric in a system of processes.
//!
//! Statement. Let a sort pass [`asymmetry_of_processes`] for some processes, claims and a delivery model. Let
//! the *loosened* system be the same with one difference: a `for` of a body that communicates and names its
//! element ([`Round::Named`]) takes the elements of a set, a bag or a type in any order. Then renaming the
//! sort's members by any permutation, throughout a state (variables, locals, indices and identities of
//! processes, messages), maps initial states of the loosened system to initial ones, steps to steps, states at
//! rest to such, failures to failures, and keeps the truth of the claims.
//!
//! Why. What is said in [`super`] about expressions holds here too, where the identity of a process counts as
//! a value that contains its indices. Loops are what is left:
//! - one that communicates, in a body, takes its elements in any order, which is the same for all renamings. Its
//!   filter must be the same whenever it is looked at, and have a value, so that it does not matter when
//!   an element is passed over;
//! - one that communicates but does not name its element only counts its rounds;
//! - the others run within one step, and their rounds must not see each other (see `rounds`).
//!
//! Every execution is one of the loosened system, so what holds there holds. What fails there may need
//! another order of some loop than the real one: whoever says *refuted* has to find a real execution.

use super::{Asymmetry, OrderDependence, is_total, numbers, rounds};
use crate::visit::{Visit, free_locals, locals_bound, walk};
use crate::{
    Body, Delivery, Expr, ExprKind, LocalId, LoopClauses, MessageId, Place, Root, Song, SortId,
    Stmt, StmtKind, VarId, Voices,
};
use plainsong_diagnostics::Span;
use std::collections::BTreeSet;

/// What a `for` in a body does with its rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Round {
    /// It computes: nobody sees it between two rounds.
    Local,
    /// It communicates, and does not look at the element.
    Blind,
    /// It communicates, and looks at the element.
    Named,
}

/// What tells the members of a sort apart in processes and in claims about them; none when nothing does.
/// All messages are delivered by one model if it is given.
pub fn asymmetry_of_processes(
    song: &Song,
    voices: &Voices,
    claims: &[&Expr],
    sort: SortId,
    delivery: Option<Delivery>,
) -> Option<Asymmetry> {
    if let Some(found) = numbers(song, sort) {
        return Some(found);
    }
    let mut order = OrderDependence::new(song, sort);
    order.processes = Some(Context {
        voices,
        delivery,
        in_body: false,
    });
    order.constants();
    for process in &voices.processes {
        for var in &song.families[process.family.index()].vars {
            walk::start(&mut order, &var.start);
        }
        match &process.body {
            Body::Sequential(block) => {
                order.set_in_body(true);
                order.block(block);
                order.set_in_body(false);
            }
            Body::Handlers(handlers) => {
                for handler in handlers {
                    order.accept(&handler.accept);
                    order.block(&handler.body);
                }
            }
        }
    }
    if let Some(init) = &voices.init {
        order.block(&init.body);
    }
    claims.iter().for_each(|claim| order.claim(claim));
    order.found
}

/// What a `for` over `element` does with its rounds.
pub fn round(
    element: LocalId,
    filter: Option<&Expr>,
    clauses: &LoopClauses,
    body: &[Stmt],
) -> Round {
    let mut look = Look {
        element,
        communicates: false,
        names: false,
    };
    filter.into_iter().for_each(|filter| look.expr(filter));
    look.clauses(clauses);
    body.iter().for_each(|stmt| look.stmt(stmt));
    match (look.communicates, look.names) {
        (false, _) => Round::Local,
        (true, false) => Round::Blind,
        (true, true) => Round::Named,
    }
}

/// Where processes are looked at.
#[derive(Clone, Copy)]
pub(super) struct Context<'s> {
    voices: &'s Voices,
    delivery: Option<Delivery>,
    /// In a body, whose steps go from one communication to the next?
    in_body: bool,
}

impl Context<'_> {
    fn model(&self, kind: MessageId) -> Option<Delivery> {
        self.delivery
            .or(self.voices.messages[kind.index()].delivery)
    }
}

impl OrderDependence<'_> {
    fn set_in_body(&mut self, is_so: bool) {
        if let Some(processes) = &mut self.processes {
            processes.in_body = is_so;
        }
    }

    /// How the rounds of a `for` that goes through members show their order.
    pub(super) fn rounds(
        &self,
        stmt: &Stmt,
        (element, filter): (LocalId, Option<&Expr>),
        clauses: &LoopClauses,
        body: &[Stmt],
    ) -> Option<Asymmetry> {
        let invariants = || {
            let first = clauses.invariants.first()?;
            let why = "this is looked at between rounds, in the order of members".to_owned();
            let span = first.span;
            Some(Asymmetry { span, why })
        };
        let Some(context) = self.processes else {
            return invariants()
                .or_else(|| rounds::dependence(self.song, element, filter, body, None));
        };
        match round(element, filter, clauses, body) {
            Round::Local | Round::Blind | Round::Named if !context.in_body => {}
            Round::Local => {}
            Round::Blind => return None,
            Round::Named => return self.passed_over(filter, body, stmt.span),
        }
        let model = |kind| context.model(kind);
        invariants().or_else(|| rounds::dependence(self.song, element, filter, body, Some(&model)))
    }

    /// Does it matter when an element is passed over?
    fn passed_over(&self, filter: Option<&Expr>, body: &[Stmt], span: Span) -> Option<Asymmetry> {
        let filter = filter?;
        let mut written = Written::default();
        body.iter().for_each(|stmt| written.stmt(stmt));
        let mut read = Read::default();
        read.expr(filter);
        let locals = free_locals(filter);
        let is_stable = read.own.is_disjoint(&written.own)
            && locals.is_disjoint(&written.locals)
            && locals.is_disjoint(&locals_bound(body));
        let why = if !is_stable {
            "which members this loop takes depends on what its rounds did"
        } else if !is_total(self.song, filter) {
            "the condition of this loop may fail for some members before others"
        } else {
            return None;
        };
        let why = why.to_owned();
        Some(Asymmetry { span, why })
    }
}

/// Looks at the rounds of a loop.
struct Look {
    element: LocalId,
    communicates: bool,
    names: bool,
}

impl Visit for Look {
    fn stmt(&mut self, stmt: &Stmt) {
        self.communicates |= matches!(
            stmt.kind,
            StmtKind::Send(..) | StmtKind::Receive(_) | StmtKind::Select(..)
        );
        walk::stmt(self, stmt);
    }

    fn uses(&mut self, local: &LocalId) {
        self.names |= *local == self.element;
    }
}

/// Collects what code writes.
#[derive(Default)]
struct Written {
    locals: BTreeSet<LocalId>,
    own: BTreeSet<VarId>,
}

impl Visit for Written {
    fn expr(&mut self, _: &Expr) {}

    fn place(&mut self, place: &Place) {
        match &place.root {
            Root::Local(local) => drop(self.locals.insert(*local)),
            Root::Own(var) => drop(self.own.insert(*var)),
            Root::Of(..) | Root::Global(_) => {}
        }
    }
}

/// Collects the variables of its process that an expression reads.
#[derive(Default)]
struct Read {
    own: BTreeSet<VarId>,
}

impl Visit for Read {
    fn expr(&mut self, of: &Expr) {
        if let ExprKind::Own(var) = of.kind {
            self.own.insert(var);
        }
        walk::expr(self, of);
    }
}

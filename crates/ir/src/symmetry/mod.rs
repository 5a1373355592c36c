//! Which sorts of a system are symmetric: nobody can tell their members apart.
//!
//! Statement. Let a sort of identities pass [`asymmetry`] for an action system and some claims. Then renaming its
//! members by any permutation, throughout a state (values, keys, arguments of asyncs), maps initial states to
//! initial states, steps to steps, blocked asyncs to blocked ones, failures to failures, and keeps the truth of
//! the claims. So of states that differ only by such a renaming one is enough.
//!
//! Why. There are no names for members in the language, and `==`, membership, maps, sets, counts, sums and
//! choices are the same after renaming. What could tell members apart is their order, which is
//! visible in these places, each of which is refused:
//! - `<` and its like on values that contain members, and `min`, `max` of collections of such values;
//! - a sequence built by going through a type, a set or a bag of them;
//! - an external function that gets or returns them, of which nothing is known but its contract;
//! - a constant that holds one, since it does not change when states are renamed;
//! - `forall` and `exists` over them, which stop at the first that decides, if what is looked at may fail:
//!   whether it is reached depends on the order (but see [`OrderDependence::claim`]);
//! - a `for` over them in which rounds see each other (see `rounds`).
//!
//! Sums are taken to be the same in every order: numbers so large that only some orders overflow are not
//! considered.
//!
//! Processes have conditions of their own: see `processes`.
//!
//! NOT COVERED. Procedures and choreographies.

mod processes;
mod rounds;

pub use processes::{Round, asymmetry_of_processes, round};

use crate::finite::contains;
use crate::visit::{Visit, walk};
use crate::{
    Actions, BinOp, Binding, Builtin, Collection, Domain, Expr, ExprKind, FnId, Quantifier, Song,
    SortId, SortKind, StartValue, Stmt, StmtKind, Ty,
};
use plainsong_diagnostics::Span;
use processes::Context;
use std::collections::BTreeSet;

/// What tells the members of a sort apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asymmetry {
    pub span: Span,
    /// What, to be read after "not symmetric: ".
    pub why: String,
}

/// What tells the members of a sort apart in an action system and in claims about it; none when nothing does.
pub fn asymmetry(
    song: &Song,
    actions: &Actions,
    claims: &[&Expr],
    sort: SortId,
) -> Option<Asymmetry> {
    if let Some(found) = numbers(song, sort) {
        return Some(found);
    }
    let mut order = OrderDependence::new(song, sort);
    order.constants();
    for global in &actions.globals {
        match &global.start {
            StartValue::Value(value) => order.expr(value),
            StartValue::Choice(choice) => order.choice(choice),
        }
    }
    let codes = actions.actions.iter().map(|action| &action.code);
    for code in codes.chain(&actions.init) {
        order.block(&code.body);
    }
    claims.iter().for_each(|claim| order.claim(claim));
    order.found
}

/// A sort of numbers is never symmetric.
fn numbers(song: &Song, sort: SortId) -> Option<Asymmetry> {
    let declared = &song.sorts[sort.index()];
    let is_of_numbers = !matches!(declared.kind, SortKind::Identities { .. });
    is_of_numbers.then(|| Asymmetry {
        span: declared.span,
        why: format!("the members of `{}` are numbers", declared.name),
    })
}

/// Looks for places where the order of a sort's members is visible.
struct OrderDependence<'s> {
    song: &'s Song,
    sort: SortId,
    /// The processes, where there are some.
    processes: Option<Context<'s>>,
    /// Functions that were looked at.
    known: BTreeSet<FnId>,
    found: Option<Asymmetry>,
}

impl<'s> OrderDependence<'s> {
    fn new(song: &'s Song, sort: SortId) -> Self {
        OrderDependence {
            song,
            sort,
            processes: None,
            known: BTreeSet::new(),
            found: None,
        }
    }

    /// Are there members in values of the type? The identity of a process has its indices.
    fn is_about(&self, ty: &Ty) -> bool {
        contains(self.song, ty, &Ty::Sort(self.sort))
            || self.processes.is_some() && contains(self.song, ty, &Ty::Process)
    }

    fn constants(&mut self) {
        for constant in &self.song.consts {
            if self.is_about(&constant.ty) {
                let why = format!("the constant `{}` holds a member", constant.name);
                self.seen(constant.span, why);
            }
        }
    }

    fn seen(&mut self, span: Span, why: String) {
        self.found.get_or_insert(Asymmetry { span, why });
    }

    /// Are members gone through in their own order, rather than in that of a sequence?
    fn goes_through(&self, domain: &Domain) -> bool {
        match domain {
            Domain::Type(ty) => self.is_about(ty),
            Domain::In(of) => !matches!(of.ty, Ty::Seq(_)) && self.is_about(&of.ty),
        }
    }

    /// Looks at a claim, of which only matters whether it is true: one that has no value is violated, as one that is
    /// false. So a `forall` whose body may fail is the same in every order, where the claim is true only if it is:
    /// it is true if its body is for all members, and otherwise false or without a value, by the first member for
    /// which the body is either.
    fn claim(&mut self, of: &Expr) {
        match &of.kind {
            ExprKind::Quantifier(Quantifier::Forall, bindings, body) => {
                bindings.iter().for_each(|binding| self.binding(binding));
                self.claim(body);
            }
            ExprKind::Binary(BinOp::And, a, b) => {
                self.claim(a);
                self.claim(b);
            }
            ExprKind::Binary(BinOp::Implies, a, b) => {
                self.expr(a);
                self.claim(b);
            }
            ExprKind::If(condition, yes, no) => {
                self.expr(condition);
                self.claim(yes);
                self.claim(no);
            }
            ExprKind::Let(_, value, body) => {
                self.expr(value);
                self.claim(body);
            }
            _ => self.expr(of),
        }
    }

    /// Does what a quantifier looks at always have a value?
    fn may_stop_early(&mut self, bindings: &[Binding], body: &Expr, span: Span) {
        let through = |binding: &Binding| self.goes_through(&binding.domain);
        let mut parts = bindings
            .iter()
            .filter_map(|binding| binding.filter.as_ref());
        if bindings.iter().any(through)
            && !(parts.all(|part| is_total(self.song, part)) && is_total(self.song, body))
        {
            let why =
                "what this looks at may fail, and which members it looks at depends on their order";
            self.seen(span, why.to_owned());
        }
    }
}

impl Visit for OrderDependence<'_> {
    fn expr(&mut self, of: &Expr) {
        match &of.kind {
            ExprKind::Binary(BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge, a, _)
                if self.is_about(&a.ty) =>
            {
                self.seen(of.span, "members are compared here".to_owned());
            }
            ExprKind::Method(by @ (Builtin::Min | Builtin::Max), parts)
                if self.is_about(&parts[0].ty) =>
            {
                self.seen(of.span, format!("`{}` depends on their order", by.name()));
            }
            ExprKind::Comprehension(binding, _)
                if Collection::of(&of.ty) == Some(Collection::Seq)
                    && self.goes_through(&binding.domain) =>
            {
                let why = "this sequence is built in the order of members";
                self.seen(of.span, why.to_owned());
            }
            ExprKind::Quantifier(Quantifier::Forall | Quantifier::Exists, bindings, body) => {
                self.may_stop_early(bindings, body, of.span);
            }
            ExprKind::Call(function, _) if self.known.insert(*function) => {
                let song = self.song;
                let function = &song.functions[function.index()];
                let parameters = function.locals[..function.arity].iter();
                let mut types = parameters.map(|local| &local.ty).chain([&function.result]);
                if function.is_external() && types.any(|ty| self.is_about(ty)) {
                    let name = &function.name;
                    let why = format!("the external function `{name}` may tell members apart");
                    self.seen(of.span, why);
                }
                function.computed().for_each(|expr| self.expr(expr));
            }
            _ => {}
        }
        walk::expr(self, of);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::For {
            local,
            domain,
            filter,
            clauses,
            body,
        } = &stmt.kind
            && self.goes_through(domain)
            && let Some(found) = self.rounds(stmt, (*local, filter.as_ref()), clauses, body)
        {
            self.found.get_or_insert(found);
        }
        walk::stmt(self, stmt);
    }
}

/// Does it have a value in every state? Functions are looked into; one that calls itself counts as able to
/// fail.
fn is_total(song: &Song, of: &Expr) -> bool {
    let mut partial = Partial {
        song,
        calls: Vec::new(),
        found: false,
    };
    partial.expr(of);
    !partial.found
}

struct Partial<'s> {
    song: &'s Song,
    /// The functions that are being looked into.
    calls: Vec<FnId>,
    found: bool,
}

impl Visit for Partial<'_> {
    fn expr(&mut self, of: &Expr) {
        if let ExprKind::Call(function, arguments) = &of.kind {
            if self.calls.contains(function) {
                self.found = true;
                return;
            }
            self.calls.push(*function);
            let song = self.song;
            let function = &song.functions[function.index()];
            self.found |= !function.contract.requires.is_empty();
            match &function.body {
                Some(body) => self.expr(body),
                None => self.found = true,
            }
            self.calls.pop();
            return walk::exprs(self, arguments);
        }
        self.found |= crate::visit::may_fail_here(of);
        walk::expr(self, of);
    }
}

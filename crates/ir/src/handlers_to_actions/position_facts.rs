//! What a process with a body knows of its own variables where it is: constant propagation between its control points.
//!
//! Only a process writes its variables. So what its own code says about them, from one control point to the next, whatever the
//! others do, holds whenever it is there. These facts are claims like any other, and proofs show them before they use
//! them: nothing rests on this analysis.

use super::bodies::OfBody;
use super::{ActionBuilder, local};
use crate::build::{all, binary, equal, expr, nat, proposition};
use crate::visit::each_place;
use crate::{
    BinOp, Binding, Block, Claim, Domain, Expr, ExprKind, FaultKind, Local, LocalId, Property,
    Quantifier, Root, StartValue, Stmt, StmtKind, UnOp, VarId,
};
use std::collections::BTreeMap;

/// The variables whose value is known.
type Known = BTreeMap<VarId, Expr>;

impl ActionBuilder<'_> {
    /// One claim for each body: at which control points it may be, and the values that its variables have there.
    pub(super) fn position_facts(&self) -> Vec<Property> {
        let bodies = self.control.bodies.iter();
        bodies.filter_map(|body| self.facts_of(body)).collect()
    }

    fn facts_of(&self, body: &OfBody) -> Option<Property> {
        let family = &self.song.families[body.family.index()];
        let rows = family.index.iter().map(|binder| Local {
            name: binder.name.clone(),
            ty: binder.ty.clone(),
            mutable: false,
            span: family.span,
        });
        let locals: Vec<Local> = rows.collect();
        let member: Vec<Expr> = (0..locals.len())
            .map(|at| local(&locals, at, family.span))
            .collect();
        let of = |var: VarId| {
            let ty = family.vars[var.index()].ty.clone();
            expr(ExprKind::Of(body.family, member.clone(), var), ty)
        };
        let at = |number: usize| equal(of(body.position), nat(number as i64));
        let facts = self.flow_of(body);
        let reached = facts
            .iter()
            .enumerate()
            .filter(|(_, known)| known.is_some());
        let somewhere = reached.map(|(number, _)| at(number));
        let somewhere = somewhere.reduce(|one, other| binary(BinOp::Or, one, other));
        let facts = facts.into_iter().enumerate();
        let known = facts.filter_map(|(number, known)| {
            let known: Vec<Expr> = known?
                .into_iter()
                .map(|(var, value)| equal(of(var), value))
                .collect();
            (!known.is_empty()).then(|| binary(BinOp::Implies, at(number), all(known)))
        });
        let known: Vec<Expr> = known.chain(somewhere).collect();
        if known.is_empty() {
            return None;
        }
        let bindings: Vec<Binding> = (locals.iter().enumerate())
            .map(|(at, row)| Binding {
                names: vec![LocalId::from(at)],
                domain: Domain::Type(row.ty.clone()),
                filter: None,
            })
            .collect();
        let whole = all(known);
        let claim = match bindings.is_empty() {
            true => whole,
            false => {
                let kind = ExprKind::Quantifier(Quantifier::Forall, bindings, Box::new(whole));
                proposition(kind).at(family.span)
            }
        };
        Some(Property {
            name: format!("where `{}` is", family.name),
            is_invariant: true,
            engines: Vec::new(),
            sizes: Vec::new(),
            claim: Claim::Always(claim),
            locals,
            span: family.span,
        })
    }

    /// What is known at each point; nothing where nobody comes. One past the last is the end.
    fn flow_of(&self, body: &OfBody) -> Vec<Option<Known>> {
        let mut at: Vec<Option<Known>> = vec![None; body.points.len() + 1];
        at[body.first] = Some(self.at_start(body));
        loop {
            let before = at.clone();
            for (number, point) in body.points.iter().enumerate() {
                let Some(known) = before[number].clone() else {
                    continue;
                };
                let mut walk = Walk {
                    position: body.position,
                    arrives: &mut at,
                };
                if let Some(block) = &point.moves {
                    walk.block(known.clone(), block);
                }
                for (accept, block) in &point.receives {
                    let mut known = known.clone();
                    if let Some(filter) = &accept.filter {
                        supposed(&mut known, filter, true);
                    }
                    walk.block(known, block);
                }
            }
            if at == before {
                return at;
            }
        }
    }

    /// The first values; after a restart, durable variables may have others.
    fn at_start(&self, body: &OfBody) -> Known {
        let restarts = self.voices.faults.iter();
        let mut restarts = restarts.map(|fault| fault.kind == FaultKind::Restart(body.family));
        let is_restarted = restarts.any(|one| one);
        let mut known = Known::new();
        for (at, row) in self.vars(body.family).iter().enumerate() {
            let var = VarId::from(at);
            if let StartValue::Value(value) = &row.start
                && var < body.position
                && !(is_restarted && row.durable)
            {
                assigned(&mut known, var, value);
            }
        }
        known
    }
}

/// A walk through the code of a segment.
struct Walk<'a> {
    position: VarId,
    arrives: &'a mut Vec<Option<Known>>,
}

impl Walk<'_> {
    fn block(&mut self, mut known: Known, block: &Block) -> Known {
        for one in block {
            known = self.stmt(known, one);
        }
        known
    }

    fn stmt(&mut self, mut known: Known, one: &Stmt) -> Known {
        match &one.kind {
            StmtKind::Assign(place, value) => match (&place.root, &place.path[..]) {
                (Root::Own(var), []) if *var == self.position => {
                    if let ExprKind::Int(number) = value.kind {
                        join(&mut self.arrives[number as usize], &known);
                    }
                }
                (Root::Own(var), []) => assigned(&mut known, *var, value),
                (Root::Own(var), _) => _ = known.remove(var),
                _ => {}
            },
            StmtKind::If(condition, yes, no) => {
                let (mut then, mut otherwise) = (known.clone(), known);
                supposed(&mut then, condition, true);
                supposed(&mut otherwise, condition, false);
                let (one, other) = (self.block(then, yes), self.block(otherwise, no));
                return both(one, &other);
            }
            StmtKind::Maybe(yes, no) => {
                let one = self.block(known.clone(), yes);
                return both(one, &self.block(known, no));
            }
            StmtKind::Match(_, arms) => {
                let rows = arms.iter();
                let ends = rows.map(|(_, body)| self.block(known.clone(), body));
                let ends: Vec<Known> = ends.collect();
                let ends = ends.into_iter().reduce(|one, other| both(one, &other));
                return ends.unwrap_or(known);
            }
            StmtKind::Assume(condition) | StmtKind::Assert(condition) => {
                supposed(&mut known, condition, true);
            }
            _ => each_place(one, |place| {
                if let Root::Own(var) = place.root {
                    known.remove(&var);
                }
            }),
        }
        known
    }
}

/// Is it a value by itself?
fn is_constant(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::None => true,
        ExprKind::Variant(_, _, fields) => fields.is_empty(),
        _ => false,
    }
}

fn assigned(known: &mut Known, var: VarId, value: &Expr) {
    let value = match &value.kind {
        ExprKind::Own(other) => known.get(other).cloned(),
        _ => is_constant(value).then(|| value.clone()),
    };
    match value {
        Some(value) => _ = known.insert(var, value),
        None => _ = known.remove(&var),
    }
}

/// A condition on the variables is true, or false.
fn supposed(known: &mut Known, condition: &Expr, truth: bool) {
    match &condition.kind {
        ExprKind::Own(var) => {
            _ = known.insert(*var, crate::build::truth(truth));
        }
        ExprKind::Unary(UnOp::Not, inner) => supposed(known, inner, !truth),
        ExprKind::Binary(BinOp::And, one, other) if truth => {
            supposed(known, one, true);
            supposed(known, other, true);
        }
        ExprKind::Binary(BinOp::Or, one, other) if !truth => {
            supposed(known, one, false);
            supposed(known, other, false);
        }
        ExprKind::Binary(BinOp::Eq, one, other) if truth && is_constant(other) => {
            if let ExprKind::Own(var) = one.kind {
                known.insert(var, (**other).clone());
            }
        }
        _ => {}
    }
}

fn both(mut one: Known, other: &Known) -> Known {
    one.retain(|var, value| other.get(var) == Some(value));
    one
}

fn join(into: &mut Option<Known>, known: &Known) {
    *into = Some(match into.take() {
        None => known.clone(),
        Some(already) => both(already, known),
    });
}

//! Premises that endpoints check: `requires` about values that they choose at the start.
//!
//! What a choreography requires of its parameters constrains these (see
//! [`projection_context`](crate::projection_context)). A value that an endpoint chooses has no name in a constraint. So
//! such a premise is an `assume` before the first statement: of the endpoint that it reads, of each member of a family, or
//! of one endpoint that the others send their values to.
//!
//! Why sound. The executions of the line are those that pass these assumptions, and [`ahead`](crate::ahead) lets nobody
//! fail before it hears that they were passed.
//!
//! A premise that calls an external function is checked in the same way: no constraint on a parameter can call it.

use super::Locate;
use super::external::external_functions;
use crate::codes::{ASSUMED, UNSTATED_PREMISE};
use crate::core::Core;
use crate::owner::{Owner, Reads};
use crate::terms::{all, conjuncts, expr, is_total, stmt};
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::unanimity::family_part;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{
    Choreography, Domain, Expr, ExprKind, FamilyId, FnId, LoopClauses, Song, StartValue, Stmt,
    StmtKind, Ty, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// What of a premise is a constraint on parameters, and what has to be checked by somebody. A part that may have no value
/// stays behind what is checked before it.
pub(crate) fn divided(song: &Song, premise: &Expr) -> (Option<Expr>, Option<Expr>) {
    let (mut constraints, mut checked) = (Vec::new(), Vec::new());
    for part in conjuncts(premise) {
        let is_constraint = !is_checked(song, part) && (checked.is_empty() || is_total(part));
        match is_constraint {
            true => constraints.push(part.clone()),
            false => checked.push(part.clone()),
        }
    }
    let joined = |parts: Vec<Expr>| {
        let span = premise.span;
        (!parts.is_empty()).then(|| Expr { span, ..all(parts) })
    };
    (joined(constraints), joined(checked))
}

/// Does somebody check this, because no constraint on parameters can say it?
fn is_checked(song: &Song, premise: &Expr) -> bool {
    let mut depends = Depends {
        song,
        external: external_functions(song),
        own: None,
        found: false,
    };
    depends.expr(premise);
    depends.found
}

/// Looks for free choices and external calls, also behind the starting values of variables.
struct Depends<'a> {
    song: &'a Song,
    external: BTreeSet<FnId>,
    /// The family whose starting value is looked at.
    own: Option<FamilyId>,
    found: bool,
}

impl Depends<'_> {
    fn start(&mut self, family: FamilyId, var: VarId) {
        let decl = &self.song.families[family.index()].vars[var.index()];
        match &decl.start {
            StartValue::Value(value) => {
                let around = self.own.replace(family);
                self.expr(value);
                self.own = around;
            }
            _ => self.found = true,
        }
    }
}

impl Visit for Depends<'_> {
    fn expr(&mut self, of: &Expr) {
        match &of.kind {
            _ if self.found => return,
            ExprKind::Of(family, _, var) => self.start(*family, *var),
            ExprKind::Own(var) => {
                if let Some(family) = self.own {
                    self.start(family, *var);
                }
            }
            ExprKind::Call(id, _) => self.found |= self.external.contains(id),
            _ => {}
        }
        walk::expr(self, of);
    }
}

impl Locate<'_> {
    /// A whole line: what endpoints check of its premises, then its statements.
    pub(crate) fn with_premises(&mut self, song: &Song, line: &Choreography) -> Vec<Core> {
        let checked = line.requires.iter().filter_map(|one| divided(song, one).1);
        let mut statements = Vec::new();
        for premise in checked {
            self.premise(&premise, &mut statements);
        }
        let before = self.problems.len();
        let mut all = self.block(&statements, &[]);
        for problem in &mut self.problems[before..] {
            problem.fix = None;
        }
        // That a premise is relied on needs no warning.
        self.problems.retain(|one| {
            let is_premise = line.requires.iter().any(|of| holds(of, one));
            one.code != &ASSUMED || !is_premise
        });
        all.extend(self.block(&line.code.body, &[]));
        all
    }

    /// The statements that check a premise.
    fn premise(&mut self, premise: &Expr, out: &mut Vec<Stmt>) {
        let reads = Reads::of([premise], &BTreeMap::new());
        let assume = |of: &Expr| stmt(StmtKind::Assume(of.clone()), of.span);
        if let ([_], false) = (&reads.owners[..], reads.gathers) {
            return out.push(assume(premise));
        }
        if let Some(part) = family_part(premise) {
            let mut inner = assume(&part.body);
            for (name, domain) in part.member.iter().zip(&part.domains).rev() {
                let kind = StmtKind::For {
                    local: *name,
                    domain: looped_over(domain, premise.span),
                    filter: None,
                    clauses: LoopClauses::default(),
                    body: vec![inner],
                };
                inner = stmt(kind, premise.span);
            }
            return out.push(inner);
        }
        match &conjuncts(premise)[..] {
            [_] if reads.gathers && !self.has_named(&reads.owners) => {
                let message = "no endpoint can check this `requires`: it is about several members";
                let help = "declare an endpoint that is no family, or make these values parameters";
                let problem = Diagnostic::error(&UNSTATED_PREMISE, premise.span, message);
                self.problems.push(problem.help(help));
            }
            [_] => out.push(assume(premise)),
            several => several.iter().for_each(|one| self.premise(one, out)),
        }
    }

    /// Is there an endpoint that is no family?
    fn has_named(&self, owners: &[Owner]) -> bool {
        owners.iter().any(|one| one.index.is_empty()) || self.single().is_some()
    }
}

/// Is a diagnostic about this premise, or a part of it?
fn holds(premise: &Expr, one: &Diagnostic) -> bool {
    let (whole, part) = (premise.span, one.primary.span);
    whole.start <= part.start && part.end <= whole.end
}

/// What a loop goes through where a quantifier ranges over a type: all of its values, as a set.
fn looped_over(domain: &Domain, span: Span) -> Domain {
    match domain {
        Domain::Type(ty) => {
            let kind = ExprKind::All(ty.clone());
            Domain::In(expr(kind, Ty::Set(Box::new(ty.clone())), span))
        }
        other => other.clone(),
    }
}

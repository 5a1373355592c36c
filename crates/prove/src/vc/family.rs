//! A loop that does something to each member of a family by itself.
//!
//! Statement. If the body of `for x in S` writes only variables `f[x].v` of the member at `x`, reads of
//! the variables that it writes only those of that member, and neither jumps out, loops nor chooses,
//! then its effect is that of doing it to all members at once.
//!
//! Why sound. Two rounds have different `x`, so neither writes what the other reads or writes; in any
//! order, each sees the state before the loop. No invariant is needed.

use super::loops::{Round, Through, Written};
use super::{Flow, Following, State, States};
use crate::term::Term;
use crate::theory::Result;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{Block, Expr, ExprKind, FamilyId, LocalId, Place, Root, Stmt, StmtKind, VarId};
use std::collections::BTreeSet;

impl Following<'_> {
    /// The state after the loop, if it is one of that kind.
    pub(super) fn all_at_once(
        &mut self,
        state: &State,
        round: &Round<'_>,
    ) -> Result<Option<States>> {
        if !round.clauses.invariants.is_empty() || !is_separate(round) {
            return Ok(None);
        }
        let mut state = state.clone();
        let through = self.through(&mut state, round)?;
        let Some((member, guard)) = self.any_member(&through)? else {
            return Ok(None);
        };
        let common = state.hypotheses.len();
        let mut inside = state.clone();
        inside.hypotheses.push(guard);
        inside.env.locals.insert(round.local, member);
        let mut counts = guard;
        if let Some(filter) = round.filter {
            let passes = self.read(&mut inside, filter)?;
            inside.hypotheses.push(passes);
            counts = self.theory.terms.and(&[guard, passes]);
        }
        let ends = self.block(inside, round.body)?;
        let [(Flow::Next, end)] = &ends[..] else {
            return Ok(None);
        };
        self.everywhere(&mut state, round, member, counts, end);
        for &known in &end.hypotheses[common..] {
            let known = self.theory.terms.implies(counts, known);
            let known = self.theory.terms.forall(member, known);
            state.hypotheses.push(known);
        }
        Ok(Some(vec![(Flow::Next, state)]))
    }

    /// An arbitrary element of what is run through, and that it is one.
    fn any_member(&mut self, through: &Through) -> Result<Option<(Term, Term)>> {
        Ok(match through {
            Through::Range(first, end) => {
                let at = self.theory.terms.fresh("member", crate::term::Sort::INT);
                let low = self.theory.terms.le(*first, at);
                let high = self.theory.terms.lt(at, *end);
                Some((at, self.theory.terms.and(&[low, high])))
            }
            Through::Set(ty, whole) => {
                let at = self.theory.terms.fresh_place("member", *whole);
                let member = self.theory.terms.select(*whole, at);
                let valid = self.theory.valid(ty, at)?;
                Some((at, self.theory.terms.and(&[member, valid])))
            }
            // The same element may come twice.
            Through::Seq(_) => None,
        })
    }

    /// What the body writes, for all members at once.
    fn everywhere(
        &mut self,
        state: &mut State,
        round: &Round<'_>,
        member: Term,
        counts: Term,
        end: &State,
    ) {
        let mut written = Written::default();
        written.block(round.body);
        for key in written.vars {
            let (Some(&before), Some(&after)) =
                (state.env.store.vars.get(&key), end.env.store.vars.get(&key))
            else {
                continue;
            };
            let terms = &mut self.theory.terms;
            let old = terms.select(before, member);
            let new = terms.select(after, member);
            let held = terms.ite(counts, new, old);
            let all = terms.lambda(member, held);
            state.env.store.vars.insert(key, all);
        }
    }
}

/// Does the body do something to each member by itself?
fn is_separate(round: &Round<'_>) -> bool {
    let mut written = Written::default();
    written.block(round.body);
    if written.vars.is_empty() || !written.globals.is_empty() || !written.locals.is_empty() {
        return false;
    }
    let mut looking = Looking {
        local: round.local,
        written: &written.vars,
        separate: true,
    };
    looking.block(round.body);
    if let Some(filter) = round.filter {
        looking.expr(filter);
    }
    looking.separate && simple(round.body)
}

/// No loops, jumps or free choices.
fn simple(block: &Block) -> bool {
    block.iter().all(|stmt: &Stmt| match &stmt.kind {
        StmtKind::Let(..) | StmtKind::Assign(..) | StmtKind::Assert(_) => true,
        StmtKind::If(_, yes, no) => simple(yes) && simple(no),
        StmtKind::Match(_, arms) => arms.iter().all(|(_, body)| simple(body)),
        _ => false,
    })
}

struct Looking<'a> {
    local: LocalId,
    written: &'a BTreeSet<(FamilyId, VarId)>,
    separate: bool,
}

impl Looking<'_> {
    fn at_member(&self, index: &[Expr]) -> bool {
        matches!(index, [one] if matches!(one.kind, ExprKind::Local(local) if local == self.local))
    }
}

impl Visit for Looking<'_> {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Of(family, index, var) = &expr.kind
            && self.written.contains(&(*family, *var))
            && !self.at_member(index)
        {
            self.separate = false;
        }
        walk::expr(self, expr);
    }

    fn place(&mut self, place: &Place) {
        if let Root::Of(_, index, _) = &place.root
            && !self.at_member(index)
        {
            self.separate = false;
        }
        walk::place(self, place);
    }
}

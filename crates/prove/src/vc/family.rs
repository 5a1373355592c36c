//! A loop whose rounds have nothing to do with each other.
//!
//! Statement. A variable of endpoints is a function of *coordinates*: the indices of the family, then
//! the keys of maps. If in the body of `for x in S` every write to a variable, and every read of a
//! variable that the body writes, has `x` as its coordinate number `c` (one `c` for each variable), and
//! the body neither jumps out, nor assigns names, nor contains a loop that has to be cut, then the
//! effect of the loop is that of all rounds at once: at coordinates with `x` in place `c`, the variable
//! has the value that round `x` gives it, from the state before the loop.
//!
//! Why sound. Two rounds have different `x`, so neither writes what the other reads or writes; in any
//! order, each sees the state before the loop. What a round chooses is a function of `x`. No invariant
//! is needed. Sending to every member, gathering from every member, and an exchange of all with all
//! (`for p in P { for q in P { node[q].got[p] = node[p].mine; } }`) are such loops.

use super::loops::{Round, Through, Written};
use super::{Flow, Following, State, States};
use crate::term::Term;
use crate::theory::Result;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{
    Access, Block, Expr, ExprKind, FamilyId, LocalId, Place, Root, Song, Stmt, StmtKind, Ty, VarId,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Which coordinate of each written variable is the loop's name.
type Coordinates = BTreeMap<(FamilyId, VarId), usize>;

impl Following<'_> {
    /// The state after the loop, if it is one of that kind.
    pub(super) fn all_at_once(
        &mut self,
        state: &State,
        round: &Round<'_>,
    ) -> Result<Option<States>> {
        if !round.clauses.invariants.is_empty() {
            return Ok(None);
        }
        let song = self.theory.song.clone();
        let Some(coordinates) = separate(&song, round) else {
            return Ok(None);
        };
        let asked = self.conditions.clone();
        let (chosen, cuts) = (self.chosen.len(), self.cuts);
        let after = self.every_round(state, round, &coordinates)?;
        let cut = self.cuts > cuts;
        self.cuts = cuts;
        if after.is_none() || cut {
            self.chosen.truncate(chosen);
            self.conditions = asked;
            return Ok(None);
        }
        Ok(after)
    }

    fn every_round(
        &mut self,
        state: &State,
        round: &Round<'_>,
        coordinates: &Coordinates,
    ) -> Result<Option<States>> {
        let mut state = state.clone();
        let through = self.through(&mut state, round)?;
        let Some((member, guard)) = self.any_member(&through)? else {
            return Ok(None);
        };
        let common = state.hypotheses.len();
        let chosen = self.chosen.len();
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
        let by_member = self.choices_of(member, chosen);
        for (&key, &coordinate) in coordinates {
            self.everywhere(
                &mut state,
                key,
                coordinate,
                (member, counts),
                end,
                &by_member,
            );
        }
        for &known in &end.hypotheses[common..] {
            let known = self.theory.terms.replace(known, &by_member);
            let known = self.theory.terms.implies(counts, known);
            let known = self.theory.terms.forall(member, known);
            state.hypotheses.push(known);
        }
        Ok(Some(vec![(Flow::Next, state)]))
    }

    /// What was chosen since, as functions of the member.
    fn choices_of(&mut self, member: Term, since: usize) -> FxHashMap<Term, Term> {
        let from = self.theory.terms.sort(member);
        let mut by_member = FxHashMap::default();
        for at in since..self.chosen.len() {
            let choice = self.chosen[at];
            let sort = self
                .theory
                .terms
                .array_sort(from, self.theory.terms.sort(choice));
            let all = self.theory.terms.fresh("chosen", sort);
            let here = self.theory.terms.select(all, member);
            by_member.insert(choice, here);
            // A loop around this one chooses the whole function.
            self.chosen[at] = all;
        }
        by_member
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

    /// What the body writes to a variable, for all members at once.
    fn everywhere(
        &mut self,
        state: &mut State,
        key: (FamilyId, VarId),
        coordinate: usize,
        (member, counts): (Term, Term),
        end: &State,
        by_member: &FxHashMap<Term, Term>,
    ) {
        let (Some(&before), Some(&after)) =
            (state.env.store.vars.get(&key), end.env.store.vars.get(&key))
        else {
            return;
        };
        let terms = &mut self.theory.terms;
        let (mut old, mut new) = (before, terms.replace(after, by_member));
        let mut outer = Vec::new();
        for _ in 0..coordinate {
            let at = terms.fresh_place("at", old);
            old = terms.select(old, at);
            new = terms.select(new, at);
            outer.push(at);
        }
        let old = terms.select(old, member);
        let new = terms.select(new, member);
        let counts = terms.replace(counts, by_member);
        let held = terms.ite(counts, new, old);
        let mut all = terms.lambda(member, held);
        for at in outer.into_iter().rev() {
            all = terms.lambda(at, all);
        }
        state.env.store.vars.insert(key, all);
    }
}

/// The coordinates, if the rounds have nothing to do with each other.
fn separate(song: &Song, round: &Round<'_>) -> Option<Coordinates> {
    let mut written = Written::default();
    written.block(round.body);
    let only_variables = written.globals.is_empty() && written.locals.is_empty();
    if written.vars.is_empty() || !only_variables || !simple(round.body) {
        return None;
    }
    let mut coordinates = Coordinates::new();
    for &key in &written.vars {
        let most = song.families[key.0.index()].index.len() + depth(song, key);
        let fits = |coordinate: &usize| {
            let mut looking = Looking {
                local: round.local,
                key,
                coordinate: *coordinate,
                separate: true,
            };
            looking.block(round.body);
            if let Some(filter) = round.filter {
                looking.expr(filter);
            }
            looking.separate
        };
        coordinates.insert(key, (0..most).find(fits)?);
    }
    Some(coordinates)
}

/// How many keys lead into a variable: `map<A, map<B, C>>` has two.
fn depth(song: &Song, (family, var): (FamilyId, VarId)) -> usize {
    let mut ty = &song.families[family.index()].vars[var.index()].ty;
    let mut depth = 0;
    while let Ty::Map(_, value) = ty {
        ty = value;
        depth += 1;
    }
    depth
}

/// No jumps out of it, and loops only over elements.
fn simple(block: &Block) -> bool {
    block.iter().all(|stmt: &Stmt| match &stmt.kind {
        StmtKind::Let(..)
        | StmtKind::LetChoice(_)
        | StmtKind::Assign(..)
        | StmtKind::AssignChoice(..)
        | StmtKind::Assert(_) => true,
        StmtKind::If(_, yes, no) | StmtKind::Maybe(yes, no) => simple(yes) && simple(no),
        StmtKind::Match(_, arms) => arms.iter().all(|(_, body)| simple(body)),
        StmtKind::For { body, .. } => simple(body),
        _ => false,
    })
}

/// Has every access to a variable the name as one of its coordinates?
struct Looking {
    local: LocalId,
    key: (FamilyId, VarId),
    coordinate: usize,
    separate: bool,
}

impl Looking {
    fn is_name(&self, expr: Option<&Expr>) -> bool {
        matches!(expr.map(|expr| &expr.kind), Some(ExprKind::Local(local)) if *local == self.local)
    }

    /// The coordinates of an access to the variable, outermost first.
    fn coordinates<'e>(&self, expr: &'e Expr) -> Option<Vec<&'e Expr>> {
        match &expr.kind {
            ExprKind::Of(family, index, var) if (*family, *var) == self.key => {
                Some(index.iter().collect())
            }
            ExprKind::Index(whole, key) if matches!(whole.ty, Ty::Map(..)) => {
                let mut all = self.coordinates(whole)?;
                all.push(key);
                Some(all)
            }
            _ => None,
        }
    }
}

impl Visit for Looking {
    fn expr(&mut self, expr: &Expr) {
        let Some(coordinates) = self.coordinates(expr) else {
            return walk::expr(self, expr);
        };
        if !self.is_name(coordinates.get(self.coordinate).copied()) {
            self.separate = false;
        }
        for coordinate in coordinates {
            self.expr(coordinate);
        }
    }

    fn place(&mut self, place: &Place) {
        if let Root::Of(family, index, var) = &place.root
            && (*family, *var) == self.key
        {
            let mut coordinates: Vec<&Expr> = index.iter().collect();
            for access in &place.path {
                match access {
                    Access::Index(key) => coordinates.push(key),
                    _ => break,
                }
            }
            if !self.is_name(coordinates.get(self.coordinate).copied()) {
                self.separate = false;
            }
        }
        walk::place(self, place);
    }
}

//! Linearization point: somewhere between entry and exit, the procedure does what its action does, once.
//!
//! Statement. Let *seen* be the globals that exist one layer up. From yield to yield either nothing seen
//! changes (a stuttering step), or all of it changes as the action may from the state at the first of the two; the latter at
//! most once; asyncs that are created count as a change. At the exit, some stretch was a step of the action (the one that changed something, if one
//! did), and the result is the action's.
//!
//! What may be relied on: as long as nothing seen has changed, the action's gate holds after each yield;
//! where it does not, the program above fails if it lets the action happen there, and then nothing is
//! claimed about the one below.
//!
//! The point is not given but found: each stretch is a candidate ([`Point`]), and the exit asks that one of
//! them will do. A procedure that refines nothing changes nothing that is seen.
//!
//! Source. [Kragl20] section 3.4. DIFFERS. The result may be assigned after the point; it is compared with
//! the one of the action at the exit. An action with choices is asked to allow *some* of them, with which it does what the
//! stretch does and has that result.

use super::{Path, ProcedureWalk, action, actions, at_exit};
use crate::movers::some_way;
use plainsong_diagnostics::Span;
use plainsong_ir::{ActionId, GlobalId, InvariantCall, LocalId};
use plainsong_prove::gated_actions::{Created, Gated};
use plainsong_prove::lower::Store;
use plainsong_prove::term::Term;
use plainsong_prove::theory::Result;

/// A stretch in which the action may have happened.
#[derive(Clone, Debug)]
pub(super) struct Point {
    /// Is the stretch a step of the action, with some of these choices?
    matches: Term,
    choices: Vec<Term>,
    /// Did it change anything that is seen?
    changes: Term,
    /// The result of the action there: what the procedure has to return.
    result: Option<Term>,
}

impl ProcedureWalk<'_> {
    /// Relies on the action's gate, unless something seen has changed already.
    pub(super) fn gate_may_hold(&mut self, path: &mut Path) -> Result<()> {
        let Some(id) = self.abstraction() else {
            return Ok(());
        };
        let run = self.run_abstraction(path, id, &path.env.store.clone())?;
        let gate = run.gate(self.theory);
        let holds = self.theory.terms.or(&[path.changed, gate]);
        path.known.push(holds);
        Ok(())
    }

    /// The action that the procedure gives way to at this layer.
    fn abstraction(&self) -> Option<ActionId> {
        let decl = self.decl(&self.song);
        decl.refines.filter(|_| self.refines_here())
    }

    fn run_abstraction(&mut self, path: &Path, id: ActionId, store: &Store) -> Result<Gated> {
        let song = self.song.clone();
        let action = action(&song, id);
        let arity = action.code.arity;
        let arguments: Vec<Term> = (0..arity)
            .map(|at| path.env.locals[&LocalId::from(at)])
            .collect();
        let result = action.role.result;
        let run = Gated::run(self.theory, &action.code, result, store, &arguments, None)?;
        Ok(run)
    }

    /// The end of a stretch: what is seen from above changed as the action says, or not at all.
    pub(super) fn linearise(&mut self, path: &mut Path, span: Span) -> Result<()> {
        if !self.refines_here() {
            return Ok(());
        }
        let (before, now) = (path.since.clone(), path.env.store.clone());
        let unchanged = self.same(&before, &now);
        let created = std::mem::take(&mut path.created);
        let nothing = self.nothing_created(&created);
        let same = self.theory.terms.and(&[unchanged, nothing]);
        let Some(id) = self.abstraction() else {
            let told = "nothing changes that is seen from above";
            self.oblige(path, "refine/change", span, told, same);
            path.known.push(same);
            return Ok(());
        };
        let run = self.run_abstraction(path, id, &before)?;
        let reached = self.same(&run.after, &now);
        let mut parts = vec![run.guard, reached];
        parts.extend(self.created_alike(&created, &run.created)?);
        let step = self.theory.terms.and(&parts);
        let witness = self.witness(path, &run.choices);
        let step = self.theory.terms.replace(step, &witness.values);
        let result = run.result;
        let result = result.map(|one| self.theory.terms.replace(one, &witness.values));
        let matches = some_way(self.theory, &witness.open, step);
        let name = action(&self.song, id).name.clone();
        let terms = &mut self.theory.terms;
        let once = terms.implies(path.changed, same);
        let told = format!("nothing changes that is seen from above after `{name}` happened");
        let as_said = terms.or(&[path.changed, same, matches]);
        self.oblige(path, "refine/second-change", span, &told, once);
        let left = self.left_behind(&created, &run.created);
        let told = format!("what is seen from above changes as in `{name}`{left}");
        self.oblige(path, "refine/change", span, &told, as_said);
        let changes = self.theory.terms.not(same);
        path.changed = self.theory.terms.or(&[path.changed, changes]);
        path.points.push(Point {
            matches: step,
            choices: witness.open,
            changes,
            result,
        });
        Ok(())
    }

    /// What is to be said about an action that is left behind and never is by the abstraction.
    fn left_behind(&self, here: &[Created], above: &[Created]) -> String {
        let is_above = |one: &&Created| above.iter().any(|other| other.action == one.action);
        let only_here = here.iter().find(|one| !is_above(one));
        only_here.map_or(String::new(), |one| {
            let name = &action(&self.song, one.action).name;
            format!(
                ", which does not leave `{name}` behind as is done here (what is started can be thought to be done at \
                 once: `synchronizes`)"
            )
        })
    }

    /// Is everything seen from above the same in two stores?
    fn same(&mut self, a: &Store, b: &Store) -> Term {
        let song = self.song.clone();
        let mut parts = Vec::new();
        for (at, global) in actions(&song).globals.iter().enumerate() {
            let id = GlobalId::from(at);
            if global.exists_at(self.layer + 1) {
                let equal = self
                    .theory
                    .equal(&global.ty, a.globals[&id], b.globals[&id]);
                parts.push(equal);
            }
        }
        self.theory.terms.and(&parts)
    }

    /// The exit: a yield, and the action has happened.
    pub(super) fn exit(&mut self, mut path: Path) -> Result<()> {
        let song = self.song.clone();
        let decl = self.decl(&song);
        let calls: Vec<&InvariantCall> = at_exit(decl).map(|one| &one.call).collect();
        let wanted = self.wanted(&mut path, &calls)?;
        self.stop(&mut path, &wanted, decl.span)?;
        let Some(id) = self.abstraction() else {
            return Ok(());
        };
        let mut ways = Vec::new();
        for point in path.points.clone() {
            let unchanged = self.theory.terms.not(path.changed);
            let only = self.theory.terms.or(&[point.changes, unchanged]);
            let mut parts = vec![point.matches, only];
            if let (Some(result), Some(local)) = (point.result, decl.result) {
                let ty = &decl.code.locals[local.index()].ty;
                let out = path.env.locals.get(&local).copied();
                parts.push(match out {
                    Some(out) => self.theory.equal(ty, out, result),
                    None => self.theory.terms.bool(false),
                });
            }
            let step = self.theory.terms.and(&parts);
            ways.push(some_way(self.theory, &point.choices, step));
        }
        let goal = self.theory.terms.or(&ways);
        let name = &action(&song, id).name;
        let told = format!("`{name}` has happened, with this result");
        self.oblige(&path, "refine/happens", decl.span, &told, goal);
        Ok(())
    }
}

//! Yield invariants (rely-guarantee, Owicki-Gries noninterference): what holds when others may act, and what is left
//! afterwards.
//!
//! Statement. At a yield, with the state at the last yield as *before*:
//!
//! - *sequential*: the invariants that are wanted there hold;
//! - *noninterference*: each invariant of the layer that held before, for any arguments whose permissions
//!   are not the procedure's own, holds now.
//!
//! Why sound. By induction over yields of all threads: an invariant that a thread relies on after its yield
//! held there, and each stretch of another thread keeps it. Arguments for linear parameters belong to the
//! thread that relies on it, so they differ from those this procedure holds, or held when the stretch began.

use super::{Path, ProcedureWalk, Wanted, actions};
use crate::linear_permissions::{apart, not_in_variables, parts};
use plainsong_diagnostics::Span;
use plainsong_prove::term::Term;
use plainsong_prove::theory::Result;

impl ProcedureWalk<'_> {
    /// A yield at which `wanted` holds, and is relied on afterwards.
    pub(super) fn yield_with(
        &mut self,
        path: &mut Path,
        wanted: &[Wanted],
        span: Span,
    ) -> Result<()> {
        self.stop(path, wanted, span)?;
        self.resume(path)?;
        self.rely_on(path, wanted)
    }

    /// The end of a stretch: everything that has to hold where others may act.
    pub(super) fn stop(&mut self, path: &mut Path, wanted: &[Wanted], span: Span) -> Result<()> {
        for one in wanted {
            self.holds(path, one, "holds here")?;
        }
        for one in std::mem::take(&mut path.owed) {
            self.holds(path, &one, "holds for the thread that is started")?;
        }
        self.noninterference(path, span)?;
        self.linearise(path, span)
    }

    /// Others act; then the stretch behind the yield begins.
    pub(super) fn resume(&mut self, path: &mut Path) -> Result<()> {
        self.anything(path)?;
        self.holds_alone(path)?;
        self.gate_may_hold(path)
    }

    fn holds(&mut self, path: &Path, one: &Wanted, told: &str) -> Result<()> {
        let store = path.env.store.clone();
        let goal = self.says(one.invariant, &one.arguments, &store)?;
        let name = &actions(&self.song).invariants[one.invariant].name;
        let told = format!("`{name}` {told}");
        self.oblige(path, "yield/sequential", one.span, &told, goal);
        Ok(())
    }

    pub(super) fn noninterference(&mut self, path: &Path, span: Span) -> Result<()> {
        if path.since == path.env.store {
            return Ok(());
        }
        let song = self.song.clone();
        let mut held = self.held(path)?;
        held.extend(path.had.clone());
        for (at, invariant) in actions(&song).invariants.iter().enumerate() {
            if invariant.layer != self.layer {
                continue;
            }
            let mut known = path.known.clone();
            let mut arguments: Vec<Term> = Vec::new();
            for row in &invariant.locals[..invariant.arity] {
                let (value, valid) = self.theory.arbitrary(&row.name, &row.ty, row.span)?;
                known.push(valid);
                arguments.push(value);
            }
            for local in &invariant.linear {
                let ty = &invariant.locals[local.index()].ty;
                let own = parts(self.theory, ty, arguments[local.index()])?;
                known.push(apart(self.theory, &own, &held));
                let layers = self.layer..=self.layer;
                known.push(not_in_variables(self.theory, &layers, &path.since, &own)?);
            }
            let before = self.says(at, &arguments, &path.since)?;
            known.push(before);
            let goal = self.says(at, &arguments, &path.env.store)?;
            let told = format!("`{}` of other threads survives", invariant.name);
            let inside = Path {
                known,
                ..path.clone()
            };
            self.oblige(&inside, "yield/noninterference", span, &told, goal);
            let rows = invariant.locals.iter().zip(&arguments);
            let theirs = rows.map(|(row, value)| {
                let name = format!("{} of {}", row.name, invariant.name);
                (name, row.ty.clone(), *value)
            });
            if let Some(scene) = self.scenes.last_mut() {
                scene.locals.extend(theirs);
            }
        }
        Ok(())
    }
}

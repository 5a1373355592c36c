//! `init` of an action system as sequential code: first values of the globals, then its statements.
//!
//! For engines that turn an action system into one sequential program, whose `init` does everything.

use super::{Conditions, SymbolicState, VcWalk};
use crate::lower::{Env, Unsupported};
use crate::obligation::{Obligation, Rule};
use crate::symbolic_execution::SymbolicExecution;
use crate::term::Term;
use crate::theory::{Result, Theory};
use plainsong_diagnostics::Span;
use plainsong_ir::unanimity::Owners;
use plainsong_ir::visit::any_stmt;
use plainsong_ir::{Block, Claim, Code, Global, GlobalId, StartValue, StmtKind};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Somebody who asks for more at some assertions of `init`.
pub trait Watch {
    /// Is an assertion of interest?
    fn watches(&self, span: Span) -> bool;

    /// What to ask for just before it: names and variables stand for what `env` says, and what is known
    /// there is in `known`.
    fn ask(
        &self,
        theory: &mut Theory,
        env: &Env,
        known: &[Term],
        span: Span,
    ) -> Result<Vec<Obligation>>;
}

/// What somebody asks for at assertions of `init`. Nothing else is asked for, though it is relied on: that
/// [`of_init`] shows it. Loops with such assertions are cut at their heads, so that what is known is
/// known of the state that a round really begins in.
pub fn watched(theory: &mut Theory, watch: &dyn Watch) -> Result<Vec<Obligation>> {
    Ok(followed(theory, &[], Some(watch))?.watched)
}

/// The obligations of `init`, with those of the properties in `finally` at its end.
pub fn of_init(theory: &mut Theory, finally: &[usize]) -> Result<Conditions> {
    followed(theory, finally, None)
}

fn followed(
    theory: &mut Theory,
    finally: &[usize],
    watch: Option<&dyn Watch>,
) -> Result<Conditions> {
    let song = theory.song.clone();
    let init = song.actions().and_then(|actions| actions.init.as_ref());
    let Some(code) = init else {
        return Err(Unsupported::new(Span::default(), "there is no `init`"));
    };
    let mut following = VcWalk {
        theory,
        locals: code.locals.clone(),
        // There are no endpoints that could decide apart from each other.
        owners: Owners::default(),
        text: String::new(),
        conditions: Conditions::default(),
        chosen: Vec::new(),
        beyond: false,
        cuts: 0,
        lemma: None,
        used: BTreeSet::new(),
        watch,
    };
    following.init(code, finally)?;
    Ok(following.conditions)
}

impl VcWalk<'_> {
    fn init(&mut self, code: &Code, finally: &[usize]) -> Result<()> {
        let song = self.theory.song.clone();
        let mut state = SymbolicState::default();
        for (at, global) in song
            .actions()
            .map_or(&[][..], |all| &all.globals)
            .iter()
            .enumerate()
        {
            self.locals.clone_from(&global.locals);
            self.global(&mut state, at.into(), global)?;
        }
        state.env.locals.clear();
        state.env.old = Some(Rc::new(state.env.store.clone()));
        self.locals.clone_from(&code.locals);
        for (_, state) in self.block(state, &code.body)? {
            for &at in finally {
                let property = &song.properties[at];
                if let Claim::Finally(claim) = &property.claim {
                    let mut ending = state.clone();
                    ending.env.locals.clear();
                    self.locals.clone_from(&property.locals);
                    let rule = Rule::Finally(at);
                    self.check(&mut ending, claim, rule, "may be false at the end")?;
                }
            }
        }
        Ok(())
    }

    fn global(&mut self, state: &mut SymbolicState, id: GlobalId, global: &Global) -> Result<()> {
        state.env.locals.clear();
        let value = match &global.start {
            StartValue::Value(value) => self.read(state, value)?,
            StartValue::Choice(choice) => {
                let sort = self.theory.sort_of_type(&global.ty, global.span)?;
                let value = self.theory.terms.fresh(global.name.clone(), sort);
                self.choose(state, choice, value, global.span)?;
                value
            }
        };
        state.env.store.globals.insert(id, value);
        Ok(())
    }
}

/// Is something in the block watched?
pub(super) fn watches(watch: &dyn Watch, block: &Block) -> bool {
    any_stmt(block, |stmt| {
        matches!(stmt.kind, StmtKind::Assert(_)) && watch.watches(stmt.span)
    })
}

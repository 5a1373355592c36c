//! `init` of an action system as sequential code: first values of the globals, then its statements.
//!
//! For engines that turn an action system into one sequential program, whose `init` does everything.

use super::{Conditions, Following, State};
use crate::lower::Unsupported;
use crate::obligation::Rule;
use crate::theory::{Result, Theory};
use plainsong_diagnostics::Span;
use plainsong_ir::unanimity::Owners;
use plainsong_ir::{Claim, Code, Global, GlobalId, StartValue};
use std::collections::BTreeSet;
use std::rc::Rc;

/// The obligations of `init`, with those of the properties in `finally` at its end.
pub fn of_init(theory: &mut Theory, finally: &[usize]) -> Result<Conditions> {
    let song = theory.song.clone();
    let init = song.actions().and_then(|actions| actions.init.as_ref());
    let Some(code) = init else {
        return Err(Unsupported::new(Span::default(), "there is no `init`"));
    };
    let mut following = Following {
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
    };
    following.init(code, finally)?;
    Ok(following.conditions)
}

impl Following<'_> {
    fn init(&mut self, code: &Code, finally: &[usize]) -> Result<()> {
        let song = self.theory.song.clone();
        let mut state = State::default();
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

    fn global(&mut self, state: &mut State, id: GlobalId, global: &Global) -> Result<()> {
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

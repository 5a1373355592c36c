//! How a choreography begins: arbitrary parameters, then the endpoints' variables.

use super::{SymbolicState, VcWalk};
use crate::bounded::Input;
use crate::lower::{Lowering, Unsupported};
use crate::symbolic_execution::SymbolicExecution;
use crate::term::{Sort, Term};
use crate::theory::Result;
use plainsong_ir::{
    Choice, Choreography, Domain, Family, FamilyId, LocalId, StartValue, StateVar, VarId,
};
use std::rc::Rc;

impl VcWalk<'_> {
    /// The state before `requires`.
    pub(super) fn start(&mut self, line: &Choreography) -> Result<SymbolicState> {
        let song = self.theory.song.clone();
        let mut state = SymbolicState {
            hypotheses: Vec::new(),
            ..SymbolicState::default()
        };
        let mut params = Vec::new();
        for (at, param) in line.code.locals[..line.code.arity].iter().enumerate() {
            let value = match self.theory.bounded {
                Some(_) => self
                    .theory
                    .open_value(Input::Param, &param.ty, param.span, false)?,
                None => {
                    let (value, valid) =
                        self.theory.arbitrary(&param.name, &param.ty, param.span)?;
                    state.hypotheses.push(valid);
                    value
                }
            };
            state.env.locals.insert(LocalId::from(at), value);
            params.push(value);
        }
        for &family in &line.endpoints {
            self.family(&mut state, family, &song.families[family.index()], &params)?;
        }
        state.env.old = Some(Rc::new(state.env.store.clone()));
        Ok(state)
    }

    fn family(
        &mut self,
        state: &mut SymbolicState,
        id: FamilyId,
        family: &Family,
        params: &[Term],
    ) -> Result<()> {
        let mut index = Vec::new();
        let mut valid = Vec::new();
        for binder in &family.index {
            let (at, is_valid) = self
                .theory
                .arbitrary(&binder.name, &binder.ty, family.span)?;
            index.push(at);
            valid.push(is_valid);
        }
        let member = self.theory.terms.and(&valid);
        let outside = std::mem::take(&mut state.env.locals);
        for (number, var) in family.vars.iter().enumerate() {
            let names = index.iter().chain(params).enumerate();
            state.env.locals = names.map(|(at, term)| (LocalId::from(at), *term)).collect();
            let whose = (id, VarId::from(number));
            let value = self.start_value(state, var, whose, &index, member)?;
            state.env.own.insert(VarId::from(number), value);
            let mut whole = value;
            for &at in index.iter().rev() {
                whole = self.theory.terms.lambda(at, whole);
            }
            state
                .env
                .store
                .vars
                .insert((id, VarId::from(number)), whole);
        }
        state.env.own.clear();
        state.env.locals = outside;
        Ok(())
    }

    /// The value of one variable of the member `index`.
    fn start_value(
        &mut self,
        state: &mut SymbolicState,
        var: &StateVar,
        whose: (FamilyId, VarId),
        index: &[Term],
        member: Term,
    ) -> Result {
        match &var.start {
            StartValue::Value(value) => {
                let mut inside = state.clone();
                inside.hypotheses.push(member);
                self.read(&mut inside, value)
            }
            StartValue::Choice(choice) => {
                let value = match self.theory.bounded {
                    Some(_) => self.open_starts(whose, var, choice, index)?,
                    None => self.any_start(var, index)?,
                };
                self.start_choice(state, var, choice, (index, member), value)
            }
        }
    }

    /// Any value: a function of the index.
    fn any_start(&mut self, var: &StateVar, index: &[Term]) -> Result {
        let mut sort = self.theory.sort_of_type(&var.ty, var.span)?;
        for &at in index.iter().rev() {
            let from: Sort = self.theory.terms.sort(at);
            sort = self.theory.terms.array_sort(from, sort);
        }
        let mut value = self.theory.terms.fresh(var.name.clone(), sort);
        for &at in index {
            value = self.theory.terms.select(value, at);
        }
        Ok(value)
    }

    /// A chosen value, about which only the choice is known.
    fn start_choice(
        &mut self,
        state: &mut SymbolicState,
        var: &StateVar,
        choice: &Choice,
        (index, member): (&[Term], Term),
        value: Term,
    ) -> Result {
        let mut inside = state.clone();
        inside.hypotheses.push(member);
        let before = inside.hypotheses.len();
        self.choose(&mut inside, choice, value, var.span)?;
        let mut known = self.theory.terms.and(&inside.hypotheses[before..]);
        known = self.theory.terms.implies(member, known);
        for &at in index.iter().rev() {
            known = self.theory.terms.forall(at, known);
        }
        state.hypotheses.push(known);
        Ok(value)
    }

    /// Relies on `value` being one that the choice allows; its name stands for it.
    pub(super) fn choose(
        &mut self,
        state: &mut SymbolicState,
        choice: &Choice,
        value: Term,
        span: plainsong_diagnostics::Span,
    ) -> Result<()> {
        let allowed = match &choice.domain {
            Domain::Type(ty) => self.theory.valid(ty, value)?,
            Domain::In(collection) => {
                let element = collection.ty.element().cloned().ok_or_else(|| {
                    Unsupported::new(span, "a choice is from a type, set, bag or sequence")
                })?;
                let whole = self.read(state, collection)?;
                let member = {
                    let mut lowering = Lowering::new(self.theory, Default::default());
                    lowering.is_member(&collection.ty, whole, &element, value)?
                };
                let valid = self.theory.valid(&element, value)?;
                self.theory.terms.and(&[member, valid])
            }
        };
        state.hypotheses.push(allowed);
        state.env.locals.insert(choice.local, value);
        if let Some(filter) = &choice.filter {
            let passes = self.read(state, filter)?;
            state.hypotheses.push(passes);
        }
        Ok(())
    }
}

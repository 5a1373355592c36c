//! Assignments and choices: local steps.
//!
//! Statement. A variable gets what its expression comes to. A choice from a type gets a new unknown. A
//! choice from the members of a family leads to one state for each member that is unfolded and one with a
//! new one: the choice may hit the same member again (condition S13c; trap `a1`). In a round it may also hit
//! one that earlier rounds chose, so nothing is known of what the member's code changes (S3; traps `c4`, `c5`). A
//! whole family chooses no member, because each of its members would choose its own.
//!
//! Why sound. Local steps of a process commute with everything that others do. Every evaluation of a
//! choice is a new unknown, so two choices are never equal by construction (condition S12; trap `f1`).
//! The `where` of a choice is not looked at: more candidates mean more behaviour.

use super::{Engine, Scene, Step, place_mut};
use crate::derivation_log::{At, Event};
use crate::eval::{risks_in, risks_of};
use crate::process_code::{OpKind, Var};
use crate::state::SymbolicState;
use crate::stuck::Stuck;
use crate::value::{Comp, Value};
use plainsong_ir::{Access, Choice, Domain, ExprKind, FamilyId, Place, Stmt, Ty};
use std::collections::BTreeSet;

impl<'a> Engine<'a> {
    pub(super) fn assign(
        &mut self,
        state: &mut SymbolicState,
        at: At,
        op: &OpKind<'a>,
    ) -> Result<Step, Stuck> {
        let comp = at.comp;
        let (var, place, expr) = match op {
            OpKind::Set(var, expr) => (*var, None, *expr),
            OpKind::SetPart(var, place, expr) => (*var, Some(*place), *expr),
            _ => unreachable!("only assignments are assigned"),
        };
        let value = match self.eval(state, comp, |eval| eval.expr(expr)) {
            Ok(value) => value,
            Err(fact) => return Ok(self.ask(state, comp, fact)),
        };
        self.put(state, at, var, place, value);
        Ok(Step::Taken)
    }

    pub(super) fn choose(
        &mut self,
        state: &mut SymbolicState,
        at: At,
        op: &OpKind<'a>,
        scene: &Scene,
    ) -> Result<Step, Stuck> {
        let comp = at.comp;
        let (var, place, choice) = match op {
            OpKind::Choose(var, choice) => (*var, None, *choice),
            OpKind::ChoosePart(var, place, choice) => (*var, Some(*place), *choice),
            _ => unreachable!("only choices are chosen"),
        };
        if let Some(filter) = &choice.filter {
            let risks = risks_in(filter);
            self.risks.extend(risks);
        }
        if let Some(family) = self.chosen_family(choice) {
            return Ok(match place {
                None => self.choose_member(state, at, var, family, scene),
                Some(_) => Step::Waits,
            });
        }
        let value = self.candidate(state, comp, choice);
        self.put(state, at, var, place, value);
        Ok(Step::Taken)
    }

    /// A loop or the like that does not communicate: what it assigns is forgotten.
    pub(super) fn opaque(
        &mut self,
        state: &mut SymbolicState,
        at: At,
        stmt: &Stmt,
        vars: &BTreeSet<Var>,
    ) -> Result<Step, Stuck> {
        self.risks.extend(risks_of(stmt));
        self.forget(state, at.comp, vars);
        state.story.push(Event::Did(at));
        self.advance_place(state, at.comp);
        Ok(Step::Taken)
    }

    /// The variable, or the part of it at a place, gets a value.
    fn put(
        &mut self,
        state: &mut SymbolicState,
        at: At,
        var: Var,
        place: Option<&Place>,
        value: Value,
    ) {
        let value = match place {
            None => value,
            Some(place) => self.update(state, at.comp, var, &place.path, value),
        };
        state.env.insert((at.comp, var), value);
        state.story.push(Event::Did(at));
        self.advance_place(state, at.comp);
    }

    /// The variable with one part replaced, as far as its parts are known.
    fn update(
        &mut self,
        state: &SymbolicState,
        comp: Comp,
        var: Var,
        path: &[Access],
        value: Value,
    ) -> Value {
        let ty = self.ty(comp, var).clone();
        for access in path {
            if let Access::Index(key) = access {
                self.risks.insert(key.span);
            }
        }
        let old = state.env.get(&(comp, var)).cloned();
        old.and_then(|old| updated(&old, path, &value))
            .unwrap_or_else(|| self.fresh(comp, &ty))
    }

    fn candidate(&mut self, state: &SymbolicState, comp: Comp, choice: &Choice) -> Value {
        let ty = match &choice.domain {
            Domain::Type(ty) => ty.clone(),
            Domain::In(expr) => {
                if let ExprKind::Literal(elements) = &expr.kind {
                    let values = self.eval(state, comp, |eval| {
                        let each = elements.iter().map(|one| eval.expr(one));
                        each.collect::<Result<Vec<_>, _>>()
                    });
                    if let Ok(values) = values {
                        let number = self.number();
                        return crate::eval::unknown(number, comp, Some(values));
                    }
                }
                self.risks.extend(risks_in(expr));
                expr.ty.element().cloned().unwrap_or(Ty::Process)
            }
        };
        self.fresh(comp, &ty)
    }

    /// The family that a choice takes a member of.
    fn chosen_family(&self, choice: &Choice) -> Option<FamilyId> {
        let ty = match &choice.domain {
            Domain::Type(ty) => ty,
            Domain::In(expr) => match &expr.kind {
                ExprKind::All(ty) => ty,
                _ => return None,
            },
        };
        match ty {
            Ty::Sort(sort) => self.score.named_by.get(sort).copied(),
            _ => None,
        }
    }

    fn choose_member(
        &mut self,
        state: &SymbolicState,
        at: At,
        var: Var,
        family: FamilyId,
        scene: &Scene,
    ) -> Step {
        if at.comp.is_rest() {
            return Step::Waits;
        }
        let mut states = Vec::new();
        let known = state.members(family).into_iter().map(Some);
        for member in known.chain([None]) {
            let mut next = state.clone();
            let member = member.unwrap_or_else(|| self.choose_new(&mut next, family, scene));
            next.engaged.entry(member).or_default().insert(at.comp);
            next.env.insert((at.comp, var), Value::Id(member));
            next.story.push(Event::Chose(at, member));
            place_mut(&mut next, at.comp).advance(&self.score.parts[&at.comp.family]);
            states.push(next);
        }
        Step::Split(states)
    }

    /// A member that was not looked at so far. In a round it may be one that earlier rounds chose.
    fn choose_new(&mut self, state: &mut SymbolicState, family: FamilyId, scene: &Scene) -> Comp {
        let member = self.unfold(state, family);
        state.strangers.insert(family);
        if scene.depth > 0 {
            let vars = self.part(member).assigned_after(&state.places[&member]);
            self.forget(state, member, &vars);
        }
        member
    }
}

fn updated(old: &Value, path: &[Access], value: &Value) -> Option<Value> {
    let Some((first, rest)) = path.split_first() else {
        return Some(value.clone());
    };
    let (Access::Field(at) | Access::Project(at)) = first else {
        return None;
    };
    let Value::Data(tag, parts) = old else {
        return None;
    };
    let mut parts = parts.to_vec();
    parts[*at] = updated(&parts[*at], rest, value)?;
    Some(Value::data(*tag, parts))
}

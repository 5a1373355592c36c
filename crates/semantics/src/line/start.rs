//! How a choreography begins: parameters, endpoints, `requires`.

use super::Line;
use super::config::{Endpoints, LineConfig};
use crate::code::coverage::Covered;
use crate::code::run::{Halt, Run};
use crate::eval::{Eval, Result};
use crate::failure::resource;
use crate::machine::{Config, Form, Outcome, Subject};
use crate::read::{read, refusal};
use crate::search::Steering;
use crate::sizes::Sizes;
use crate::start::{combinations, start_values};
use crate::value::{Pid, Value};
use crate::world::OwnVars;
use plainsong_ir::finite::is_finite;
use plainsong_ir::{Local, Ty, VarId};
use std::sync::Arc;

impl Line {
    /// The states at the start: parameters and free starting values in every combination that
    /// `requires` allows.
    pub(crate) fn initial(&self, covered: &mut Covered) -> Vec<Outcome> {
        self.initial_with(&Sizes::new(), covered)
    }

    /// Those in which parameters have the values that are given.
    pub(crate) fn initial_with(&self, given: &Sizes, covered: &mut Covered) -> Vec<Outcome> {
        self.begun(self.starts(given, None), covered)
    }

    /// The one in which parameters and free starting values are those that are wanted.
    pub(crate) fn initial_steered(
        &self,
        steering: &Steering,
        covered: &mut Covered,
    ) -> Vec<Outcome> {
        self.begun(self.starts(&Sizes::new(), Some(steering)), covered)
    }

    fn begun(&self, starts: Result<Vec<LineConfig>>, covered: &mut Covered) -> Vec<Outcome> {
        match starts {
            Ok(starts) => starts
                .into_iter()
                .map(|config| Outcome::Next(Config(Form::Line(self.ahead(config, covered)))))
                .collect(),
            Err(failure) => {
                let endpoints = self.endpoints(Vec::new());
                let config = LineConfig {
                    pc: 0,
                    slots: Vec::new(),
                    endpoints,
                };
                vec![Outcome::Failed(failure, Config(Form::Line(config)))]
            }
        }
    }

    fn starts(&self, given: &Sizes, steering: Option<&Steering>) -> Result<Vec<LineConfig>> {
        let line = &self.instance.song().lines[self.number];
        let mut domains = Vec::new();
        for (at, param) in line.code.locals[..line.code.arity].iter().enumerate() {
            domains.push(match steering.map(|steering| steering.params.get(at)) {
                Some(wanted) => wanted.cloned().into_iter().collect(),
                None => self.parameter(param, given)?,
            });
        }
        let mut starts = Vec::new();
        for params in combinations(&domains)? {
            let rows = self.instance.lanes(Subject::Line(self.number));
            let each: Vec<Vec<Vec<Value>>> = rows
                .map(|row| self.endpoint(row, &params, steering))
                .collect::<Result<_>>()?;
            for vars in combinations(&each)? {
                let mut slots = params.clone();
                slots.resize(self.code.slots, Value::None);
                let endpoints = self.endpoints(vars);
                if self.allowed(&endpoints, &mut slots.clone())? {
                    let before = Some(Arc::new(endpoints.clone()));
                    let endpoints = Endpoints {
                        before,
                        ..endpoints
                    };
                    starts.push(LineConfig {
                        pc: 0,
                        slots,
                        endpoints,
                    });
                }
            }
        }
        if starts.is_empty() && steering.is_none() && self.tries_window(given) {
            let message = self.instance.beyond_window("`requires`");
            return Err(resource(line.span, message));
        }
        Ok(starts)
    }

    /// Is there a parameter whose values are tried within a window?
    fn tries_window(&self, given: &Sizes) -> bool {
        let song = self.instance.song();
        let line = &song.lines[self.number];
        let params = line.code.locals[..line.code.arity].iter();
        let mut tried = params.filter(|param| !given.has(&param.name));
        tried.any(|param| !is_finite(song, &param.ty))
    }

    /// The values of a parameter: the one that is given, else all that are tried.
    fn parameter(&self, param: &Local, given: &Sizes) -> Result<Vec<Value>> {
        if let Some(text) = given.written.get(&param.name) {
            let value = read(&self.instance, &param.ty, text).map_err(|why| {
                let refusal = refusal(&self.instance, &param.ty, (&param.name, text), &why);
                resource(param.span, refusal)
            })?;
            return Ok(vec![value]);
        }
        let too_many = |message| resource(param.span, message);
        let Some(wanted) = given.get(&param.name) else {
            return self.instance.choosable(&param.ty).map_err(too_many);
        };
        match &param.ty {
            Ty::Int => Ok(vec![Value::Int(wanted)]),
            Ty::Nat if wanted >= 0 => Ok(vec![Value::Int(wanted)]),
            ty => {
                let all = self.instance.candidates(ty).map_err(too_many)?;
                let is_wanted = |value: &Value| match value {
                    Value::Bool(truth) => i64::from(*truth) == wanted,
                    Value::Int(int) => *int == wanted,
                    Value::Id(number) => i64::from(*number) == wanted,
                    _ => false,
                };
                Ok(all.into_iter().filter(is_wanted).collect())
            }
        }
    }

    fn endpoints(&self, vars: Vec<Vec<Value>>) -> Endpoints {
        let first = self.instance.lanes(Subject::Line(self.number)).start;
        Endpoints {
            first,
            vars,
            before: None,
        }
    }

    fn allowed(&self, endpoints: &Endpoints, slots: &mut [Value]) -> Result<bool> {
        let line = &self.instance.song().lines[self.number];
        for condition in &line.requires {
            if !Eval::new(&self.instance, endpoints).truth(condition, slots)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Every way the variables of an endpoint can start.
    fn endpoint(
        &self,
        row: usize,
        params: &[Value],
        steering: Option<&Steering>,
    ) -> Result<Vec<Vec<Value>>> {
        let member = &self.instance.members()[row];
        let family = &self.instance.song().families[member.family.index()];
        let mut starts = vec![Vec::new()];
        for (number, var) in family.vars.iter().enumerate() {
            let wanted = steering.and_then(|steering| {
                steering.start(member.family, &member.index, VarId::from(number))
            });
            let mut longer = Vec::new();
            for vars in starts {
                let world = OwnVars {
                    me: Pid::Member(row as u32),
                    vars: &vars,
                };
                let mut eval = Eval::new(&self.instance, &world);
                let mut slots = [&member.index[..], params].concat();
                slots.resize(var.locals.len().max(slots.len()), Value::None);
                let values = start_values(&mut eval, &var.start, var.span, &mut slots)?;
                let values = values.into_iter();
                for value in values.filter(|value| wanted.is_none_or(|wanted| wanted == value)) {
                    longer.push([&vars[..], &[value]].concat());
                }
            }
            starts = longer;
        }
        Ok(starts)
    }

    /// The state behind what comes before the first assignment, if nobody could tell: when it
    /// chooses nothing and does not fail.
    fn ahead(&self, config: LineConfig, covered: &mut Covered) -> LineConfig {
        let run = Run::new(0, config.slots.clone(), config.endpoints.clone());
        let branches = self.runner().branches(run, false, covered);
        match &branches[..] {
            [only] if matches!(only.halt, Halt::Stop) && only.run.chosen.is_empty() => {
                let pc = only.run.pc;
                // A choreography without assignments is over, but still says what it began with.
                let slots = match self.code.is_end(pc) {
                    true => config.slots,
                    false => only.run.slots.clone(),
                };
                LineConfig {
                    pc,
                    slots,
                    endpoints: config.endpoints,
                }
            }
            _ => config,
        }
    }
}

//! Actions: global variables and pending asyncs.
//!
//! One step takes one pending async and runs its action as a whole, or runs an action that is always on offer
//! (`repeat action`, see [`offers`]). `assume` means *not now*: a branch of the action that it cuts off is no step.

pub(crate) mod config;
mod offers;

use crate::atomic::Globals;
use crate::code::coverage::{Covered, Statements};
use crate::code::flatten::flatten;
use crate::code::run::{Branch, Halt, Outgoing, Run, Runner};
use crate::code::{FlatCode, Pace};
use crate::eval::{Eval, Result};
use crate::failure::resource;
use crate::instance::Instance;
use crate::machine::{Config, Form, Outcome, Step, Taken};
use crate::show;
use crate::start::start_values;
use crate::trace::{EventKind, Failure, Waiting};
use crate::value::Value;
use config::{ActionsConfig, Pending};
use plainsong_diagnostics::Span;
use plainsong_ir::{ActionId, Actions};
use std::sync::Arc;

/// The most states at the start.
const MOST_STARTS: usize = 100_000;

/// An action system, ready to run.
#[derive(Clone, Debug)]
pub(crate) struct ActionSystem {
    instance: Instance,
    /// One for each action, then `init`.
    pub(crate) codes: Vec<FlatCode>,
    has_init: bool,
    /// The actions that are always on offer, with all of their arguments, ascending; or why they cannot be listed.
    offers: Result<Vec<Pending>>,
}

impl ActionSystem {
    /// Prepares the actions of an instance.
    pub(crate) fn new(instance: &Instance, actions: &Actions, statements: &mut Statements) -> Self {
        let codes = actions
            .actions
            .iter()
            .map(|action| &action.code)
            .chain(&actions.init);
        ActionSystem {
            instance: instance.clone(),
            codes: codes
                .map(|code| flatten(&code.body, &code.locals, code.arity, statements))
                .collect(),
            has_init: actions.init.is_some(),
            offers: offers::list(instance, actions),
        }
    }

    /// The actions that are always on offer, with all of their arguments, ascending.
    pub(crate) fn offers(&self) -> &[Pending] {
        self.offers.as_deref().unwrap_or_default()
    }

    /// The code of an action, or of `init` after the last.
    pub(crate) fn code(&self, number: usize) -> &FlatCode {
        &self.codes[number]
    }

    /// The states at the start, one for each combination of starting values.
    pub(crate) fn initial(&self) -> Vec<Outcome> {
        let offers = self.offers.as_ref().map(drop).map_err(Failure::clone);
        match offers.and_then(|()| self.starts()) {
            Ok(starts) => starts
                .into_iter()
                .map(|globals| Outcome::Next(self.config(globals)))
                .collect(),
            Err(failure) => vec![Outcome::Failed(failure, self.config(Vec::new()))],
        }
    }

    /// Everything that can happen, in a fixed order.
    pub(crate) fn steps(&self, config: &ActionsConfig, covered: &mut Covered) -> Vec<Step> {
        if !config.begun {
            return self.init_steps(config, covered);
        }
        let mut steps = Vec::new();
        let mut offers = self.offers().iter().peekable();
        for (position, pending) in config.pending.iter().enumerate() {
            while let Some(offer) = offers.next_if(|offer| **offer < *pending) {
                self.action_steps(config, None, offer, covered, &mut steps);
            }
            let repeated = position > 0 && config.pending[position - 1] == *pending;
            if !repeated {
                self.action_steps(config, Some(position), pending, covered, &mut steps);
            }
        }
        for offer in offers {
            self.action_steps(config, None, offer, covered, &mut steps);
        }
        steps
    }

    /// The steps of an action that is on offer with these arguments.
    pub(crate) fn steps_of_offer(
        &self,
        config: &ActionsConfig,
        (action, arguments): (ActionId, &Arc<[Value]>),
        covered: &mut Covered,
    ) -> Vec<Step> {
        let mut steps = Vec::new();
        let offer = offers::offer(action, arguments.clone());
        self.action_steps(config, None, &offer, covered, &mut steps);
        steps
    }

    /// The steps that take the pending async at `position`.
    pub(crate) fn steps_of(
        &self,
        config: &ActionsConfig,
        position: usize,
        covered: &mut Covered,
    ) -> Vec<Step> {
        let mut steps = Vec::new();
        let pending = &config.pending[position];
        self.action_steps(config, Some(position), pending, covered, &mut steps);
        steps
    }

    /// The blocked asyncs, in a state where nothing can happen.
    pub(crate) fn waiting(&self, config: &ActionsConfig) -> Vec<Waiting> {
        let song = self.instance.song();
        let actions = &song
            .actions()
            .expect("an action system has actions")
            .actions;
        let waits = |pending: &Pending| Waiting {
            lane: None,
            what: self.text(pending),
            span: actions[pending.action.index()].span,
        };
        config.pending.iter().map(waits).collect()
    }

    /// `Acquire(Tid#0)`.
    pub(crate) fn text(&self, pending: &Pending) -> String {
        let song = self.instance.song();
        let actions = &song
            .actions()
            .expect("an action system has actions")
            .actions;
        let action = &actions[pending.action.index()];
        let types = action.code.locals.iter().map(|local| &local.ty);
        show::call(&self.instance, &action.name, &pending.arguments, types)
    }

    fn config(&self, globals: Vec<Value>) -> Config {
        Config(Form::Actions(ActionsConfig::new(!self.has_init, globals)))
    }

    fn starts(&self) -> Result<Vec<Vec<Value>>> {
        let song = self.instance.song();
        let globals = &song
            .actions()
            .expect("an action system has actions")
            .globals;
        let mut starts = vec![Vec::new()];
        for global in globals {
            let mut longer = Vec::new();
            for values in starts {
                let world = Globals { values };
                let mut slots = vec![Value::None; global.locals.len()];
                let mut eval = Eval::new(&self.instance, &world);
                for value in start_values(&mut eval, &global.start, global.span, &mut slots)? {
                    longer.push([&world.values[..], &[value]].concat());
                }
                if longer.len() > MOST_STARTS {
                    let message =
                        format!("there are more than {MOST_STARTS} ways to start: too many");
                    return Err(resource(global.span, message));
                }
            }
            starts = longer;
        }
        Ok(starts)
    }

    fn init_steps(&self, config: &ActionsConfig, covered: &mut Covered) -> Vec<Step> {
        let number = self.codes.len() - 1;
        let branches = self.branches(config, number, &[], covered);
        branches
            .into_iter()
            .map(|branch| self.step(config, number, branch, (None, None)))
            .collect()
    }

    fn action_steps(
        &self,
        config: &ActionsConfig,
        position: Option<usize>,
        pending: &Pending,
        covered: &mut Covered,
        steps: &mut Vec<Step>,
    ) {
        let number = pending.action.index();
        for branch in self.branches(config, number, &pending.arguments, covered) {
            if matches!(branch.halt, Halt::Blocked) {
                continue;
            }
            covered.received(number);
            let taken = match position {
                Some(_) => Taken::Async(pending.clone()),
                None => Taken::Offer(pending.clone()),
            };
            steps.push(self.step(config, number, branch, (position, Some(taken))));
        }
    }

    fn branches(
        &self,
        config: &ActionsConfig,
        number: usize,
        arguments: &[Value],
        covered: &mut Covered,
    ) -> Vec<Branch<Globals>> {
        let code = &self.codes[number];
        let mut slots = arguments.to_vec();
        slots.resize(code.slots, Value::None);
        let run = Run::new(
            0,
            slots,
            Globals {
                values: config.globals.clone(),
            },
        );
        let runner = Runner {
            instance: &self.instance,
            code,
            pace: Pace::Whole,
        };
        runner.branches(run, false, covered)
    }

    fn step(
        &self,
        config: &ActionsConfig,
        number: usize,
        branch: Branch<Globals>,
        (position, taken): (Option<usize>, Option<Taken>),
    ) -> Step {
        let Branch { run, halt } = branch;
        let chosen = run.chosen.clone();
        let outcome = match halt {
            Halt::Blocked => Outcome::Discarded,
            Halt::Stop => Outcome::Next(after(config, run, position)),
            Halt::Failed(failure) => Outcome::Failed(failure, after(config, run, position)),
        };
        let kind = if taken.is_some() {
            EventKind::Act
        } else {
            EventKind::Init
        };
        let song = self.instance.song();
        let actions = &song
            .actions()
            .expect("an action system has actions")
            .actions;
        let first_op = || {
            self.codes[number]
                .ops
                .first()
                .map_or(Span::default(), |op| op.span)
        };
        Step {
            lane: None,
            kind,
            span: actions
                .get(number)
                .map_or_else(first_op, |action| action.span),
            outcome,
            taken,
            chosen,
            code: number,
            pc: 0,
        }
    }
}

fn after(config: &ActionsConfig, run: Run<Globals>, taken: Option<usize>) -> Config {
    let mut config = config.clone();
    config.begun = true;
    config.globals = run.memory.values;
    if let Some(position) = taken {
        config.pending.remove(position);
    }
    for outgoing in run.sent {
        let Outgoing::Async(action, arguments) = outgoing else {
            panic!("actions send no messages")
        };
        config.leave(action, arguments);
    }
    config.pending.sort();
    Config(Form::Actions(config))
}

//! Action systems from outside, for engines that keep states in a form of their own.
//!
//! An [`ActionState`] is a state as plain data, to take apart and put together. [`Deeds`] asks the
//! interpreter for the steps that take one pending async, and keeps account of which statements ran,
//! so that an engine can run the easy ones itself and leave the rest to the oracle. [`value`] is the
//! evaluator, for single expressions.

use crate::actions::ActionSystem;
use crate::actions::config::ActionsConfig;
use crate::code::OpKind;
use crate::code::coverage::Covered;
use crate::eval::Eval;
use crate::instance::Instance;
use crate::machine::{Config, Form, Machine, Outcome, Step};
use crate::search::Coverage;
use crate::trace::Failure;
use crate::value::Value;
use crate::world::World;
use plainsong_diagnostics::Span;
use plainsong_ir::{ActionId, Expr, GlobalId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A state of an action system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionState {
    /// Has `init` run (or is there none)?
    pub begun: bool,
    pub globals: Vec<Value>,
    /// The pending asyncs, ascending.
    pub pending: Vec<(ActionId, Arc<[Value]>)>,
}

impl ActionState {
    /// What a state of an action system consists of.
    ///
    /// # Panics
    ///
    /// When it is the state of another form.
    pub fn of(config: &Config) -> ActionState {
        let config = actions(config);
        let pending = config.pending.iter();
        ActionState {
            begun: config.begun,
            globals: config.globals.clone(),
            pending: pending
                .map(|pending| (pending.action, pending.arguments.clone()))
                .collect(),
        }
    }

    /// The state; its pending asyncs are numbered from 0, whatever their history.
    pub fn config(self) -> Config {
        let mut config = ActionsConfig::new(self.begun, self.globals);
        for (action, arguments) in self.pending {
            config.leave(action, arguments.to_vec());
        }
        config.pending.sort();
        Config(Form::Actions(config))
    }
}

/// The steps of an action system, and an account of what ran.
pub struct Deeds<'a> {
    machine: &'a Machine,
    covered: Covered,
    /// The number of a statement at each place in the text.
    statements: FxHashMap<Span, u32>,
}

impl<'a> Deeds<'a> {
    /// Nothing ran yet.
    pub fn new(machine: &'a Machine) -> Self {
        let spans = machine.statements.spans.iter().enumerate();
        Deeds {
            machine,
            covered: Covered::default(),
            statements: spans.map(|(at, span)| (*span, at as u32)).collect(),
        }
    }

    /// Everything that can happen in a state.
    pub fn steps(&mut self, config: &Config) -> Vec<Step> {
        self.machine.steps_covering(config, &mut self.covered)
    }

    /// The states at the start.
    pub fn initial(&mut self) -> Vec<Outcome> {
        self.machine.initial_covering(&mut self.covered)
    }

    /// The steps that take the pending async at this position.
    pub fn steps_of(&mut self, config: &Config, position: usize) -> Vec<Step> {
        system(self.machine).steps_of(actions(config), position, &mut self.covered)
    }

    /// The actions that are always on offer, with all of their arguments, ascending.
    pub fn offers(&self) -> Vec<(ActionId, Arc<[Value]>)> {
        let offers = system(self.machine).offers().iter();
        offers
            .map(|one| (one.action, one.arguments.clone()))
            .collect()
    }

    /// The steps of an action that is on offer with these arguments.
    pub fn steps_of_offer(
        &mut self,
        config: &Config,
        offer: (ActionId, &Arc<[Value]>),
    ) -> Vec<Step> {
        system(self.machine).steps_of_offer(actions(config), offer, &mut self.covered)
    }

    /// The statement at this place ran.
    pub fn ran(&mut self, span: Span) {
        if let Some(number) = self.statements.get(&span) {
            self.covered.ran(*number);
        }
    }

    /// The condition of the `assume` at this place was true.
    pub fn passed(&mut self, condition: Span) {
        self.covered.passed(condition);
    }

    /// This action was run.
    pub fn acted(&mut self, action: ActionId) {
        self.covered.received(action.index());
    }

    /// The premise of an assertion at this place was true.
    pub fn met(&mut self, span: Span) {
        let premises = self.machine.statements.premises.iter().enumerate();
        for (number, _) in premises.filter(|(_, known)| **known == span) {
            self.covered.met(number as u32);
        }
    }

    /// Which parts of the text took part so far. An `async` that ran left something pending.
    pub fn coverage(&self) -> Coverage {
        let mut covered = self.covered.clone();
        let codes = &system(self.machine).codes;
        for op in codes.iter().flat_map(|code| &code.ops) {
            if let (OpKind::Async(action, _), Some(statement)) = (&op.kind, op.statement)
                && covered.has_run(statement as usize)
            {
                covered.sent(action.index());
            }
        }
        Coverage::new(self.machine, &covered)
    }
}

/// What an expression of an action comes to, given all globals and its locals.
pub fn value(
    instance: &Instance,
    globals: &[Value],
    expr: &Expr,
    locals: &mut [Value],
) -> Result<Value, Failure> {
    Eval::new(instance, &Plain { globals }).expr(expr, locals)
}

struct Plain<'a> {
    globals: &'a [Value],
}

impl World for Plain<'_> {
    fn global(&self, global: GlobalId) -> &Value {
        &self.globals[global.index()]
    }
}

fn actions(config: &Config) -> &ActionsConfig {
    match &config.0 {
        Form::Actions(config) => config,
        _ => panic!("the state of an action system is wanted"),
    }
}

fn system(machine: &Machine) -> &ActionSystem {
    match &machine.form {
        Form::Actions(system) => system,
        _ => panic!("an action system is wanted"),
    }
}

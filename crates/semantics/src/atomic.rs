//! Single actions from outside: what one does from any state, reachable or not.
//!
//! For engines that ask about actions by themselves (do two of them commute?), beside [`crate::machine`],
//! which asks what a whole system does.

use crate::code::assign::{Memory, Target};
use crate::code::coverage::{Covered, Statements};
use crate::code::flatten::flatten_called;
use crate::code::run::{Branch, Halt, Outgoing, Run, Runner};
use crate::code::{FlatCode, Pace};
use crate::instance::Instance;
use crate::trace::{Failure, FailureKind};
use crate::value::Value;
use crate::world::World;
use plainsong_ir::{Action, ActionId, GlobalId, LocalId, Song};

/// The actions of an instance, ready to run one at a time.
#[derive(Clone, Debug)]
pub struct Atoms {
    instance: Instance,
    codes: Vec<(FlatCode, Option<LocalId>)>,
}

/// What an action may do. An action that blocks does nothing, and is not listed.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// It fails: its gate does not hold.
    Failed(Failure),
    /// It comes to its end.
    Done(Done),
}

/// What an action left behind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Done {
    /// The globals afterwards.
    pub globals: Vec<Value>,
    /// Its result, if it has one.
    pub result: Option<Value>,
    /// The asyncs it created, ascending.
    pub created: Vec<(ActionId, Vec<Value>)>,
}

impl Effect {
    /// Did the interpreter give up, so that nothing is known?
    pub fn is_limit(&self) -> bool {
        matches!(self, Effect::Failed(failure) if failure.kind == FailureKind::Resource)
    }
}

impl Atoms {
    /// Prepares the actions of a song at some sizes.
    pub fn new(instance: &Instance) -> Atoms {
        let song = instance.song();
        let mut statements = Statements::default();
        let codes = actions(song).iter().map(|action| {
            let result = action.role.result;
            (
                flatten_called(&action.code, result, &mut statements),
                result,
            )
        });
        Atoms {
            instance: instance.clone(),
            codes: codes.collect(),
        }
    }

    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// The first way in which `action` fails, with the globals at that point.
    pub fn fails(
        &self,
        action: ActionId,
        globals: &[Value],
        arguments: &[Value],
    ) -> Option<(Failure, Vec<Value>)> {
        self.failures(action, globals, arguments).into_iter().next()
    }

    /// All ways in which `action` fails, with the globals at those points.
    pub fn failures(
        &self,
        action: ActionId,
        globals: &[Value],
        arguments: &[Value],
    ) -> Vec<(Failure, Vec<Value>)> {
        let branches = self.branches(action, globals, arguments).into_iter();
        let failed = branches.filter_map(|branch| match branch.halt {
            Halt::Failed(failure) if failure.kind != FailureKind::Resource => {
                Some((failure, branch.run.memory.values))
            }
            _ => None,
        });
        failed.collect()
    }

    /// Everything that `action` may do.
    pub fn run(&self, action: ActionId, globals: &[Value], arguments: &[Value]) -> Vec<Effect> {
        let result = &self.codes[action.index()].1;
        let branches = self.branches(action, globals, arguments);
        let effects = branches.into_iter().filter_map(|branch| match branch.halt {
            Halt::Blocked => None,
            Halt::Failed(failure) => Some(Effect::Failed(failure)),
            Halt::Stop => Some(Effect::Done(done(branch.run, *result))),
        });
        effects.collect()
    }

    fn branches(
        &self,
        action: ActionId,
        globals: &[Value],
        arguments: &[Value],
    ) -> Vec<Branch<Globals>> {
        let (code, _) = &self.codes[action.index()];
        let mut slots = arguments.to_vec();
        slots.resize(code.slots, Value::None);
        let memory = Globals {
            values: globals.to_vec(),
        };
        let runner = Runner {
            instance: &self.instance,
            code,
            pace: Pace::Calls,
        };
        let run = Run::new(0, slots, memory);
        runner.branches(run, false, &mut Covered::default())
    }
}

fn done(run: Run<Globals>, result: Option<LocalId>) -> Done {
    let mut created: Vec<(ActionId, Vec<Value>)> = run
        .sent
        .into_iter()
        .map(|outgoing| match outgoing {
            Outgoing::Async(action, arguments) => (action, arguments),
            other => panic!("an action leaves asyncs behind, not {other:?}"),
        })
        .collect();
    created.sort();
    Done {
        globals: run.memory.values,
        result: result.map(|local| run.slots[local.index()].clone()),
        created,
    }
}

fn actions(song: &Song) -> &[Action] {
    song.actions().map_or(&[], |system| &system.actions)
}

/// The global variables while something runs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Globals {
    pub(crate) values: Vec<Value>,
}

impl World for Globals {
    fn global(&self, global: GlobalId) -> &Value {
        &self.values[global.index()]
    }
}

impl Memory for Globals {
    fn variable(&mut self, target: Target) -> &mut Value {
        match target {
            Target::Global(global) => &mut self.values[global.index()],
            other => panic!("actions write global variables, not {other:?}"),
        }
    }
}

//! Where a statement of a choreography happens, and between whom.

use super::Line;
use super::config::LineConfig;
use crate::code::assign::{Target, target};
use crate::code::run::candidates;
use crate::code::{Op, OpKind};
use crate::eval::Eval;
use crate::phrase::Phrase;
use crate::trace::EventKind;
use crate::value::Value;
use crate::world::World;
use plainsong_ir::VarId;
use std::sync::{Mutex, PoisonError};

/// Who takes part in a step, as lanes of the choreography.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Located {
    /// The endpoint that owns the target; none before the first assignment.
    pub(crate) owner: Option<usize>,
    /// The first other endpoint that is read.
    pub(crate) peer: Option<usize>,
}

impl Located {
    /// What kind of step it is.
    pub(crate) fn kind(&self) -> EventKind {
        match self {
            Located { owner: None, .. } => EventKind::Start,
            Located { peer: None, .. } => EventKind::Local,
            Located { .. } => EventKind::Transfer,
        }
    }
}

impl Line {
    /// Who takes part in the next step.
    pub(crate) fn located(&self, config: &LineConfig) -> Located {
        let nobody = Located {
            owner: None,
            peer: None,
        };
        let Some(op) = self.code.ops.get(config.pc) else {
            return nobody;
        };
        let (OpKind::Assign(place, _) | OpKind::AssignChoice(place, _)) = &op.kind else {
            return nobody;
        };
        let first = config.endpoints.first;
        let mut slots = config.slots.clone();
        let mut eval = Eval::new(&self.instance, &config.endpoints);
        let Ok(Target::Of(owner, _)) = target(&mut eval, place, &mut slots) else {
            return nobody;
        };
        let read = self.read(config, op, &mut slots);
        let peer = read.into_iter().find(|member| *member != owner);
        Located {
            owner: Some(owner - first),
            peer: peer.map(|member| member - first),
        }
    }

    /// The next statement, with endpoints named in full.
    pub(crate) fn statement(&self, config: &LineConfig) -> String {
        let mut phrase = Phrase::new(&self.instance, &self.code.locals, None);
        for (at, value) in config.slots.iter().enumerate().take(self.code.locals.len()) {
            if *value != Value::None {
                phrase.know(at.into(), value);
            }
        }
        match self.code.ops.get(config.pc).map(|op| &op.kind) {
            Some(OpKind::Assign(place, value)) => {
                format!("{} = {}", phrase.place(place), phrase.expr(value))
            }
            Some(OpKind::AssignChoice(place, _)) => format!("{} = choose", phrase.place(place)),
            _ => "start".to_owned(),
        }
    }

    /// The endpoints that the value of an assignment reads, in order.
    fn read(&self, config: &LineConfig, op: &Op, slots: &mut [Value]) -> Vec<usize> {
        let world = ReadObserver {
            inner: &config.endpoints,
            members: Mutex::new(Vec::new()),
        };
        let mut eval = Eval::new(&self.instance, &world);
        // What cannot be evaluated fails when it is executed; until then it has read something.
        match &op.kind {
            OpKind::Assign(_, value) => drop(eval.expr(value, slots)),
            OpKind::AssignChoice(_, choice) => drop(candidates(&mut eval, choice, op.span, slots)),
            _ => {}
        }
        world
            .members
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// A world that remembers whose variables are read.
struct ReadObserver<'a> {
    inner: &'a dyn World,
    members: Mutex<Vec<usize>>,
}

impl World for ReadObserver<'_> {
    fn of(&self, member: usize, var: VarId) -> &Value {
        self.members
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(member);
        self.inner.of(member, var)
    }
}

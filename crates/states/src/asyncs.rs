//! The asyncs that were ever seen, with numbers.
//!
//! An async with its arguments is one *ground* async: its action is compiled for just these arguments,
//! and a state has one field that counts how many of it are pending. Which ones there are is found out on
//! the way, so endless types of arguments do no harm as long as few of their values occur.
//!
//! An action that is always on offer is a ground async for each of its arguments too. Its field has no bits, so it costs
//! nothing; running it takes nothing off, and it does not count as pending.

use crate::interner::Interner;
use crate::leaves::encode;
use crate::shape::{Shape, Shapes};
use plainsong_ir::{ActionId, Actions};
use plainsong_semantics::value::Value;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// One async with its arguments.
#[derive(Clone, Debug)]
pub(crate) struct Ground {
    pub(crate) action: ActionId,
    pub(crate) arguments: Arc<[Value]>,
    /// The field that counts it.
    pub(crate) field: usize,
    /// Is it always on offer (`repeat action`)? Then its field has no bits and says one, and it is not pending.
    pub(crate) is_offer: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Asyncs {
    grounds: Vec<Ground>,
    /// Their numbers, in the order in which the interpreter looks at them.
    order: Vec<usize>,
    /// The shapes of the parameters of each action.
    parameters: Vec<Vec<Arc<Shape>>>,
    /// By the leaves of their arguments, for each action.
    by_leaves: Vec<FxHashMap<Box<[u64]>, usize>>,
}

impl Asyncs {
    /// None seen yet.
    pub(crate) fn new(actions: &Actions, shapes: &mut Shapes) -> Self {
        let mut of = |action: &plainsong_ir::Action| {
            let parameters = action.code.locals[..action.code.arity].iter();
            parameters.map(|local| shapes.of(&local.ty)).collect()
        };
        Asyncs {
            grounds: Vec::new(),
            order: Vec::new(),
            parameters: actions.actions.iter().map(&mut of).collect(),
            by_leaves: vec![FxHashMap::default(); actions.actions.len()],
        }
    }

    /// All of them, by number.
    pub(crate) fn all(&self) -> &[Ground] {
        &self.grounds
    }

    /// Their numbers, in the order in which the interpreter looks at them.
    pub(crate) fn order(&self) -> &[usize] {
        &self.order
    }

    /// The shapes of an action's parameters.
    pub(crate) fn parameters(&self, action: ActionId) -> &[Arc<Shape>] {
        &self.parameters[action.index()]
    }

    /// The number of an async, by the leaves of its arguments.
    pub(crate) fn find(&self, action: ActionId, leaves: &[u64]) -> Option<usize> {
        self.by_leaves[action.index()].get(leaves).copied()
    }

    /// The leaves of arguments.
    pub(crate) fn leaves(
        &self,
        action: ActionId,
        arguments: &[Value],
        interner: &mut Interner,
    ) -> Vec<u64> {
        let mut leaves = Vec::new();
        for (shape, value) in self.parameters(action).iter().zip(arguments) {
            encode(shape, value, interner, &mut leaves);
        }
        leaves
    }

    /// One more, counted by `field`.
    pub(crate) fn add(
        &mut self,
        action: ActionId,
        arguments: Arc<[Value]>,
        leaves: Vec<u64>,
        (field, is_offer): (usize, bool),
    ) -> usize {
        let number = self.grounds.len();
        self.by_leaves[action.index()].insert(leaves.into(), number);
        let place = self.order.partition_point(|other| {
            let other = &self.grounds[*other];
            (other.action, &other.arguments) < (action, &arguments)
        });
        self.order.insert(place, number);
        self.grounds.push(Ground {
            action,
            arguments,
            field,
            is_offer,
        });
        number
    }
}

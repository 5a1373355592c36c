//! States as words and back.

use crate::asyncs::Asyncs;
use crate::interner::Interner;
use crate::layout::Layout;
use crate::leaves::{decode, encode};
use crate::shape::{Fit, Grows, Shape, Shapes};
use plainsong_ir::{ActionId, Actions};
use plainsong_semantics::action_state::ActionState;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::value::Value;
use std::sync::Arc;

/// The most different asyncs that a state counts one by one.
const MOST_ASYNCS: usize = 4_000;

/// How the states of one instance are written down.
pub(crate) struct Coding {
    /// The instance.
    pub(crate) instance: Instance,
    /// Shapes of types.
    pub(crate) shapes: Shapes,
    /// Where leaves lie.
    pub(crate) layout: Layout,
    /// Values without a shape.
    pub(crate) interner: Interner,
    /// Asyncs seen.
    pub(crate) asyncs: Asyncs,
    /// The shape and the first field of each global.
    globals: Vec<(Arc<Shape>, usize)>,
}

/// Why a state cannot be written down as things are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// This field is too narrow.
    Narrow(usize),
    /// There are too many different asyncs.
    Asyncs,
}

/// The field that says whether `init` has run.
const BEGUN: usize = 0;

const COUNT: Fit = Fit {
    bits: 1,
    bias: 0,
    grows: Grows::Up,
    blank: 0,
};

impl Coding {
    /// For the states of an instance.
    pub(crate) fn new(instance: &Instance, actions: &Actions) -> Self {
        let mut shapes = Shapes::new(instance);
        let mut layout = Layout::default();
        layout.add(Fit {
            grows: Grows::Never,
            ..COUNT
        });
        let mut globals = Vec::new();
        for global in &actions.globals {
            let shape = shapes.of(&global.ty);
            let mut fits = Vec::new();
            shape.fits(&mut fits);
            globals.push((shape, layout.fields().len()));
            for fit in fits {
                layout.add(fit);
            }
        }
        Coding {
            instance: instance.clone(),
            asyncs: Asyncs::new(actions, &mut shapes),
            shapes,
            layout,
            interner: Interner::default(),
            globals,
        }
    }

    /// The shape and the first field of a global.
    pub(crate) fn global(&self, global: usize) -> (&Arc<Shape>, usize) {
        let (shape, first) = &self.globals[global];
        (shape, *first)
    }

    /// How many globals there are.
    pub(crate) fn globals(&self) -> usize {
        self.globals.len()
    }

    /// The value of a global.
    pub(crate) fn value(&self, global: usize, words: &[u64]) -> Value {
        let (shape, first) = self.global(global);
        let fields = &self.layout.fields()[first..first + shape.width];
        let leaves: Vec<u64> = fields.iter().map(|field| field.load(words)).collect();
        decode(shape, &leaves, &self.interner)
    }

    /// Has `init` run?
    pub(crate) fn has_begun(&self, words: &[u64]) -> bool {
        self.layout.fields()[BEGUN].load(words) != 0
    }

    /// The state that these words stand for.
    pub(crate) fn state(&self, words: &[u64]) -> ActionState {
        let mut pending = Vec::new();
        for number in self.asyncs.order() {
            let ground = &self.asyncs.all()[*number];
            let count = self.layout.fields()[ground.field].load(words);
            for _ in 0..count {
                pending.push((ground.action, ground.arguments.clone()));
            }
        }
        ActionState {
            begun: self.has_begun(words),
            globals: (0..self.globals.len())
                .map(|global| self.value(global, words))
                .collect(),
            pending,
        }
    }

    /// Appends the words of a state.
    pub(crate) fn words(&mut self, state: &ActionState, out: &mut Vec<u64>) -> Result<(), Misfit> {
        let mut numbers = Vec::with_capacity(self.layout.fields().len());
        numbers.push(u64::from(state.begun));
        for ((shape, _), value) in self.globals.iter().zip(&state.globals) {
            encode(shape, value, &mut self.interner, &mut numbers);
        }
        let mut counts = Vec::new();
        for (action, arguments) in &state.pending {
            counts.push(self.ground(*action, arguments)?);
        }
        let globals = numbers.len();
        numbers.resize(self.layout.fields().len(), 0);
        for number in counts {
            let field = self.asyncs.all()[number].field;
            debug_assert!(field >= globals, "asyncs are counted after the globals");
            numbers[field] += 1;
        }
        let first = out.len();
        out.resize(first + self.layout.words(), 0);
        for (at, (field, number)) in self.layout.fields().iter().zip(numbers).enumerate() {
            if !field.store(&mut out[first..], number) {
                return Err(Misfit::Narrow(at));
            }
        }
        Ok(())
    }

    /// The number of an async; a new one gets a field, perhaps in a new word.
    pub(crate) fn ground(
        &mut self,
        action: ActionId,
        arguments: &Arc<[Value]>,
    ) -> Result<usize, Misfit> {
        let leaves = self.asyncs.leaves(action, arguments, &mut self.interner);
        if let Some(known) = self.asyncs.find(action, &leaves) {
            return Ok(known);
        }
        if self.asyncs.all().len() >= MOST_ASYNCS {
            return Err(Misfit::Asyncs);
        }
        let field = self.layout.add(COUNT);
        Ok(self.asyncs.add(action, arguments.clone(), leaves, field))
    }
}

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

/// How the states of one instance are written down. Before `init` nothing is pending, whatever the fields
/// that count asyncs say.
#[derive(Clone)]
pub(crate) struct Coding {
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
    /// Is there a state after `init`? Then it has none of the asyncs that were not seen yet.
    is_settled: bool,
}

/// Why a state cannot be written down as things are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// This field is too narrow.
    Narrow(usize),
    /// There are too many different asyncs.
    Asyncs,
}

/// A field that is 1 in every state, so that no first word is zero.
const THERE: usize = 0;
/// The field that says whether `init` has run.
const BEGUN: usize = 1;

const COUNT: Fit = Fit {
    bits: 1,
    bias: 0,
    grows: Grows::Up,
    blank: 0,
};

impl Coding {
    /// For the states of an instance in which these actions are always on offer.
    pub(crate) fn new(
        instance: &Instance,
        actions: &Actions,
        offers: &[(ActionId, Arc<[Value]>)],
    ) -> Self {
        let mut shapes = Shapes::new(instance);
        let mut layout = Layout::default();
        for field in [THERE, BEGUN] {
            let added = layout.add(Fit {
                grows: Grows::Never,
                ..COUNT
            });
            assert_eq!(added, field, "these are the first fields");
        }
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
        let mut coding = Coding {
            instance: instance.clone(),
            asyncs: Asyncs::new(actions, &mut shapes),
            shapes,
            layout,
            interner: Interner::default(),
            globals,
            is_settled: false,
        };
        for (action, arguments) in offers {
            coding.offer(*action, arguments);
        }
        coding
    }

    /// An action that is always on offer: a field without bits that says one.
    fn offer(&mut self, action: ActionId, arguments: &Arc<[Value]>) {
        let leaves = self.asyncs.leaves(action, arguments, &mut self.interner);
        let field = self.layout.add(Fit {
            bits: 0,
            bias: 1,
            grows: Grows::Never,
            ..COUNT
        });
        let arguments = arguments.clone();
        self.asyncs.add(action, arguments, leaves, (field, true));
    }

    /// Are there too many different asyncs on offer to look at them one by one?
    pub(crate) fn is_crowded(&self) -> bool {
        self.asyncs.all().len() > MOST_ASYNCS
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
        decode(shape, &leaves, &self.interner).expect("a global has a value")
    }

    /// Has `init` run?
    pub(crate) fn has_begun(&self, words: &[u64]) -> bool {
        self.layout.fields()[BEGUN].load(words) != 0
    }

    /// The state that these words stand for.
    pub(crate) fn state(&self, words: &[u64]) -> ActionState {
        let begun = self.has_begun(words);
        let mut pending = Vec::new();
        for number in self.asyncs.order().iter().filter(|_| begun) {
            let ground = &self.asyncs.all()[*number];
            let count = self.layout.fields()[ground.field].load(words);
            for _ in 0..if ground.is_offer { 0 } else { count } {
                pending.push((ground.action, ground.arguments.clone()));
            }
        }
        ActionState {
            begun,
            globals: (0..self.globals.len())
                .map(|global| self.value(global, words))
                .collect(),
            pending,
        }
    }

    /// Appends the words of a state.
    pub(crate) fn words(&mut self, state: &ActionState, out: &mut Vec<u64>) -> Result<(), Misfit> {
        let mut numbers = Vec::with_capacity(self.layout.fields().len());
        numbers.push(1);
        numbers.push(u64::from(state.begun));
        for ((shape, _), value) in self.globals.iter().zip(&state.globals) {
            encode(shape, value, &mut self.interner, &mut numbers);
        }
        let mut counts: Vec<(usize, u64)> = Vec::new();
        for same in state.pending.chunk_by(|one, other| one == other) {
            let (action, arguments) = &same[0];
            let count = same.len() as u64;
            counts.push((self.ground_of(*action, arguments, count)?, count));
        }
        let fields = self.layout.fields();
        match state.begun {
            true => numbers.resize(fields.len(), 0),
            false => numbers.extend(fields[numbers.len()..].iter().map(|field| field.bias)),
        }
        for offer in self.asyncs.all().iter().filter(|ground| ground.is_offer) {
            numbers[offer.field] = 1;
        }
        for (ground, count) in counts {
            numbers[self.asyncs.all()[ground].field] = count;
        }
        let first = out.len();
        out.resize(first + self.layout.words(), 0);
        for (at, (field, number)) in self.layout.fields().iter().zip(numbers).enumerate() {
            if !field.store(&mut out[first..], number) {
                return Err(Misfit::Narrow(at));
            }
        }
        self.is_settled |= state.begun;
        Ok(())
    }

    /// The number of an async that is not known to be pending.
    pub(crate) fn ground(
        &mut self,
        action: ActionId,
        arguments: &Arc<[Value]>,
    ) -> Result<usize, Misfit> {
        self.ground_with(action, arguments, COUNT)
    }

    /// The number of an async in a state that has `count` of it. The asyncs of the first state after
    /// `init` often stay: they are counted in no bits at all until one of them does not.
    fn ground_of(
        &mut self,
        action: ActionId,
        arguments: &Arc<[Value]>,
        count: u64,
    ) -> Result<usize, Misfit> {
        let fit = match self.is_settled {
            true => COUNT,
            false => Fit {
                bits: 0,
                bias: count as i64,
                ..COUNT
            },
        };
        self.ground_with(action, arguments, fit)
    }

    /// A new async gets a field, perhaps in a new word.
    fn ground_with(
        &mut self,
        action: ActionId,
        arguments: &Arc<[Value]>,
        fit: Fit,
    ) -> Result<usize, Misfit> {
        let leaves = self.asyncs.leaves(action, arguments, &mut self.interner);
        if let Some(known) = self.asyncs.find(action, &leaves) {
            return Ok(known);
        }
        if self.asyncs.all().len() >= MOST_ASYNCS {
            return Err(Misfit::Asyncs);
        }
        let field = self.layout.add(fit);
        let arguments = arguments.clone();
        Ok(self.asyncs.add(action, arguments, leaves, (field, false)))
    }
}

//! What can happen in a state: by direct forms, by programs, or by the interpreter.

use super::{Compiled, Obstacle, Odd, Search, Turn};
use crate::code::Guard;
use crate::compile::{self, Trouble};
use crate::direct::{Attempt, Came};
use crate::run::Ran;
use plainsong_semantics::action_state::ActionState;
use plainsong_semantics::machine::{Config, Outcome};

impl<'s> Search<'s> {
    /// Finds everything that can happen in a state, with other names where states are kept up to names.
    pub(super) fn look(&mut self, at: usize) -> Result<usize, Obstacle> {
        let steps = self.steps_from(at)?;
        self.look_at_steps();
        if self.swaps.is_some() {
            let mut emitted = std::mem::take(&mut self.runs.emitted);
            let renamed = self.rename(&mut emitted);
            self.runs.emitted = emitted;
            renamed?;
            if !self.store.fits(self.coding.layout.form()) {
                return Err(Obstacle::Repack(None));
            }
        }
        Ok(steps)
    }

    /// Finds everything that can happen in a state: what it leads to lies in `runs.emitted`, the rest
    /// in `odd`. Gives the number of steps.
    fn steps_from(&mut self, at: usize) -> Result<usize, Obstacle> {
        self.base.clear();
        self.base.extend_from_slice(self.store.state(at));
        self.runs.emitted.clear();
        self.odd.clear();
        self.is_cut = false;
        if !self.coding.has_begun(&self.base) {
            let config = self.coding.state(&self.base).config();
            let steps = self.deeds.steps(&config);
            let outcomes = steps.into_iter().map(|step| step.outcome);
            return self.interpreted(0, outcomes);
        }
        self.cut_off();
        if self.is_cut {
            return Ok(0);
        }
        if self.turns.len() != self.coding.asyncs.all().len() {
            self.order_turns();
        }
        let mut steps = 0;
        for at in 0..self.turns.len() {
            let turn = self.turns[at];
            let (word, mask, none) = turn.count;
            if self.base[word] & mask == none {
                continue;
            }
            if !turn.guard.holds(&self.base) {
                self.taken.by_programs += 1;
                continue;
            }
            if let Attempt::Direct(direct) = &self.directs[at] {
                let came = direct.run(&self.base, &mut self.runs.emitted);
                if came != Came::Misfit {
                    self.taken.by_programs += 1;
                    steps += usize::from(came == Came::State);
                    continue;
                }
            }
            steps = self.take(turn.ground, steps)?;
            self.attempt(at);
            if turn.is_new
                && let Compiled::Program(program) = &self.programs[turn.ground]
            {
                self.turns[at].guard = program.guard(&self.runs.marks);
                self.turns[at].is_new = false;
            }
        }
        Ok(steps)
    }

    fn order_turns(&mut self) {
        let grounds = self.coding.asyncs.all();
        let fields = self.coding.layout.fields();
        let turn = |ground: &usize| {
            let field = fields[grounds[*ground].field];
            // A number that cannot be is like no bits.
            let none = field.raw(0).map_or(u64::MAX, |raw| raw << field.shift);
            Turn {
                ground: *ground,
                count: (field.word, field.mask << field.shift, none),
                guard: Guard::default(),
                is_new: true,
            }
        };
        self.turns = self.coding.asyncs.order().iter().map(turn).collect();
        self.directs = self.turns.iter().map(|_| Attempt::NotYet).collect();
        self.ahead.clear();
    }

    /// Finds the direct form of a program that just ran, once that can be known.
    fn attempt(&mut self, at: usize) {
        let ground = self.turns[at].ground;
        let async_ = &self.coding.asyncs.all()[ground];
        if let (Attempt::NotYet, Some(Compiled::Program(program))) =
            (&self.directs[at], self.programs.get(ground))
            && self.acted[async_.action.index()]
        {
            let words = self.store.words();
            let count = self.coding.layout.fields()[async_.field];
            let count = (!async_.is_offer).then_some(count);
            self.directs[at] = Attempt::at(program, words, (ground, count), &self.runs.marks);
        }
    }

    /// Takes one async; `steps` were found before.
    fn take(&mut self, ground: usize, steps: usize) -> Result<usize, Obstacle> {
        if self.programs.len() <= ground {
            self.programs.resize_with(ground + 1, || Compiled::Open);
        }
        if matches!(self.programs[ground], Compiled::Open) {
            self.programs[ground] = self.compile(ground)?;
        }
        let action = self.coding.asyncs.all()[ground].action.index();
        let after = match &self.programs[ground] {
            Compiled::Program(program) => {
                let words = self.base.len();
                let before = self.runs.emitted.len();
                let taken = Some(ground);
                match self.runs.run(program, &self.base, taken, &mut self.coding) {
                    Ran::Well => {
                        self.taken.by_programs += 1;
                        steps + (self.runs.emitted.len() - before) / words
                    }
                    Ran::Bailed => self.interpret(ground, steps)?,
                }
            }
            Compiled::Open | Compiled::Interpreted => self.interpret(ground, steps)?,
        };
        self.acted[action] |= after > steps;
        Ok(after)
    }

    fn compile(&mut self, ground: usize) -> Result<Compiled<'s>, Obstacle> {
        let async_ = self.coding.asyncs.all()[ground].clone();
        let code = &self.actions.actions[async_.action.index()].code;
        let (song, numbers) = (self.song, self.numbers);
        let program = compile::action(song, code, &async_.arguments, numbers, &mut self.coding);
        if !self.store.fits(self.coding.layout.form()) {
            return Err(Obstacle::Repack(None));
        }
        match program {
            Ok(program) => {
                self.runs.make_room(&program);
                Ok(Compiled::Program(Box::new(program)))
            }
            Err(Trouble::Misfit(misfit)) => Err(misfit.into()),
            Err(Trouble::NoForm | Trouble::GivesUp) => Ok(Compiled::Interpreted),
        }
    }

    /// Takes one async by the interpreter.
    fn interpret(&mut self, ground: usize, steps: usize) -> Result<usize, Obstacle> {
        self.taken.by_interpreter += 1;
        let state = self.coding.state(&self.base);
        let ground = &self.coding.asyncs.all()[ground];
        if ground.is_offer {
            let offer = (ground.action, &ground.arguments);
            let found = self.deeds.steps_of_offer(&state.config(), offer);
            return self.interpreted(steps, found.into_iter().map(|step| step.outcome));
        }
        let position = state
            .pending
            .iter()
            .position(|(action, arguments)| {
                *action == ground.action && *arguments == ground.arguments
            })
            .expect("the async that is taken is pending");
        let found = self.deeds.steps_of(&state.config(), position);
        self.interpreted(steps, found.into_iter().map(|step| step.outcome))
    }

    /// Notes what the interpreter found.
    fn interpreted(
        &mut self,
        mut steps: usize,
        outcomes: impl Iterator<Item = Outcome>,
    ) -> Result<usize, Obstacle> {
        for outcome in outcomes {
            match outcome {
                Outcome::Next(config) => self.emit(&config)?,
                Outcome::Failed(failure, _) => self.odd.push((steps, Odd::Failed(failure))),
                Outcome::Discarded => self.odd.push((steps, Odd::Discarded)),
            }
            steps += 1;
        }
        Ok(steps)
    }

    fn emit(&mut self, config: &Config) -> Result<(), Obstacle> {
        let state = ActionState::of(config);
        self.coding.words(&state, &mut self.runs.emitted)?;
        if !self.store.fits(self.coding.layout.form()) {
            return Err(Obstacle::Repack(None));
        }
        Ok(())
    }
}

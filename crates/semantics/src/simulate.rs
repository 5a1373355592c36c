//! One random execution.

use crate::machine::{Machine, Outcome, Status, Step};
use crate::path_to_trace::retrace;
use crate::trace::{Ending, Trace};

/// One execution by chance, of at most `max_steps` steps: the same for the same seed.
///
/// What an `assume` would cut off is avoided as long as there is something else to do.
pub fn simulate(machine: &Machine, seed: u64, max_steps: usize) -> Trace {
    let mut dice = Dice(seed);
    let starts = machine.initial();
    let Some(at) = dice.pick(starts.len()) else {
        return nothing(machine, Ending::Discarded);
    };
    let start = match &starts[at] {
        Outcome::Next(config) => config.clone(),
        Outcome::Failed(failure, config) => {
            return retrace(machine, config, &[], Ending::Failed(failure.clone())).0;
        }
        Outcome::Discarded => return nothing(machine, Ending::Discarded),
    };
    let mut path = Vec::new();
    let mut config = start.clone();
    let ending = loop {
        let steps = machine.steps(&config);
        match machine.status_given(&config, &steps) {
            Status::Running if path.len() >= max_steps => break Ending::Cut,
            Status::Running => {}
            Status::Final => break Ending::Final,
            Status::Deadlock(waiting) => break Ending::Deadlock(waiting),
            Status::Discarded => break Ending::Discarded,
        }
        let (position, outcome) = dice.step(steps);
        path.push(position);
        match outcome {
            Outcome::Next(next) => config = next,
            Outcome::Failed(failure, _) => break Ending::Failed(failure),
            Outcome::Discarded => panic!("only steps that are not discarded are picked"),
        }
    };
    retrace(machine, &start, &path, ending).0
}

fn nothing(machine: &Machine, ending: Ending) -> Trace {
    Trace {
        lanes: machine.lanes(),
        start: vec![],
        events: vec![],
        ending,
        undelivered: vec![],
    }
}

/// A small generator of random numbers (splitmix64): the same on every machine.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// A number below `count`, if there is one.
    pub(crate) fn pick(&mut self, count: usize) -> Option<usize> {
        (count > 0).then(|| (self.next() % count as u64) as usize)
    }

    /// One of the steps that are not discarded, with its position.
    fn step(&mut self, steps: Vec<Step>) -> (usize, Outcome) {
        let mut possible: Vec<(usize, Outcome)> = steps
            .into_iter()
            .map(|step| step.outcome)
            .enumerate()
            .filter(|(_, outcome)| !matches!(outcome, Outcome::Discarded))
            .collect();
        let at = self
            .pick(possible.len())
            .expect("a running state has a step");
        possible.swap_remove(at)
    }
}

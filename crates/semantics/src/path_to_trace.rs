//! From a path (a start and the numbers of steps) to a trace in words.

use crate::machine::{Config, Machine, Outcome};
use crate::trace::{Ending, Trace};

/// The trace along `steps` from `start`, with the state it comes to.
///
/// Each number must be that of a step in the state reached so far; the last step may fail.
pub(crate) fn retrace(
    machine: &Machine,
    start: &Config,
    steps: &[usize],
    ending: Ending,
) -> (Trace, Config) {
    let mut config = start.clone();
    let mut events = Vec::new();
    for position in steps {
        let mut enabled = machine.steps(&config);
        assert!(
            *position < enabled.len(),
            "a path is made of steps that are enabled"
        );
        let step = enabled.swap_remove(*position);
        events.push(machine.event(&config, *position, &step));
        config = match step.outcome {
            Outcome::Next(next) | Outcome::Failed(_, next) => next,
            Outcome::Discarded => panic!("a path does not lead through what is discarded"),
        };
    }
    let trace = Trace {
        lanes: machine.lanes(),
        start: machine.start(start),
        events,
        ending,
        undelivered: machine.undelivered(&config),
    };
    (trace, config)
}

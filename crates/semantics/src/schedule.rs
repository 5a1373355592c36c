//! A trace as a schedule: who does what in which order, to be performed again.
//!
//! A [`Cue`] names a step by who acts, what kind of step it is, the message that it takes (by the
//! number it has in the trace) and the choices it makes: enough to find the step again in a state
//! where other messages are in flight. Payloads are not compared, so a script still fits when an
//! earlier choice is replaced by another. Whatever is performed is made of steps of the interpreter,
//! so it is an execution; that it ends as wanted is for the caller to check.

use crate::machine::{Config, Machine, Outcome, Step, Taken};
use crate::trace::{Event, EventKind, Trace};
use std::collections::BTreeMap;

/// One step to be found again.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cue {
    /// Who acts.
    pub(crate) lane: Option<usize>,
    /// What kind of step it is.
    kind: EventKind,
    /// What it takes, by the number in the trace.
    taken: Option<u64>,
    /// The action with its arguments, in words, if it takes nothing: it is always on offer.
    offer: Option<String>,
    /// The choices that it makes, in words.
    pub(crate) choices: Vec<String>,
    /// What it sends, by the numbers in the trace.
    pub(crate) sent: Vec<u64>,
}

impl Cue {
    /// The cue of an event.
    pub(crate) fn new(event: &Event) -> Self {
        let own = event.message.filter(|_| event.kind == EventKind::Send);
        Cue {
            lane: event.lane,
            kind: event.kind,
            taken: event.message.filter(|_| event.kind != EventKind::Send),
            offer: (event.kind == EventKind::Act && event.message.is_none())
                .then(|| event.label.clone()),
            choices: event.choices.clone(),
            sent: own
                .into_iter()
                .chain(event.sends.iter().map(|sent| sent.message))
                .collect(),
        }
    }

    /// Must `self` come after `earlier`, which comes before it in the trace?
    pub(crate) fn follows(&self, earlier: &Cue) -> bool {
        self.lane == earlier.lane || self.takes_from(earlier)
    }

    /// Does it take something that `earlier` sends?
    pub(crate) fn takes_from(&self, earlier: &Cue) -> bool {
        self.taken
            .is_some_and(|taken| earlier.sent.contains(&taken))
    }

    /// Is it the send of a body?
    pub(crate) fn is_send(&self) -> bool {
        self.kind == EventKind::Send
    }
}

/// The cues of a trace.
pub(crate) fn script(trace: &Trace) -> Vec<Cue> {
    trace.events.iter().map(Cue::new).collect()
}

/// An execution in progress.
#[derive(Clone, Debug)]
pub(crate) struct Performance<'a> {
    machine: &'a Machine,
    /// The state reached.
    pub(crate) config: Config,
    /// The steps taken so far, by number.
    pub(crate) steps: Vec<usize>,
    /// From numbers in the script to numbers here.
    names: BTreeMap<u64, u64>,
}

impl<'a> Performance<'a> {
    pub(crate) fn new(machine: &'a Machine, start: &Config) -> Self {
        Performance {
            machine,
            config: start.clone(),
            steps: Vec::new(),
            names: BTreeMap::new(),
        }
    }

    /// From the start of a trace; none when the machine has no such start.
    pub(crate) fn of(machine: &'a Machine, trace: &Trace) -> Option<Self> {
        start_of(machine, trace).map(|start| Performance::new(machine, &start))
    }

    /// The action with its arguments, in words, of a step that runs what is always on offer.
    fn offer(&self, step: &Step) -> Option<String> {
        match &step.taken {
            Some(Taken::Offer(_)) => Some(self.machine.label(&self.config, step)),
            _ => None,
        }
    }

    /// The step that a cue means, with its number, among the steps of the state reached.
    pub(crate) fn find(&self, cue: &Cue, steps: &[Step]) -> Option<usize> {
        let taken = match cue.taken {
            None => None,
            Some(number) => Some(*self.names.get(&number)?),
        };
        let fits = |&at: &usize| {
            let step = &steps[at];
            step.lane == cue.lane
                && step.kind == cue.kind
                && taken_number(step) == taken
                && self.offer(step) == cue.offer
                && self.machine.choices(step) == cue.choices
        };
        (0..steps.len()).find(fits)
    }

    /// Takes a step that leads to a state; `false` (and nothing happens) when it leads to none.
    pub(crate) fn take(&mut self, number: usize, step: &Step, cue: Option<&Cue>) -> bool {
        let Outcome::Next(next) = &step.outcome else {
            return false;
        };
        if let Some(cue) = cue {
            let told = Cue::new(&self.machine.event(&self.config, number, step));
            self.names
                .extend(cue.sent.iter().copied().zip(told.sent.iter().copied()));
        }
        self.config = next.clone();
        self.steps.push(number);
        true
    }

    /// Follows one cue; `false` when there is no such step, or it leads to no state.
    pub(crate) fn follow(&mut self, cue: &Cue) -> bool {
        let steps = self.machine.steps(&self.config);
        match self.find(cue, &steps) {
            Some(number) => self.take(number, &steps[number], Some(cue)),
            None => false,
        }
    }
}

/// The start that a trace has.
pub(crate) fn start_of(machine: &Machine, trace: &Trace) -> Option<Config> {
    machine.initial().into_iter().find_map(|start| match start {
        Outcome::Next(config) if machine.start(&config) == trace.start => Some(config),
        _ => None,
    })
}

/// The number of what a step takes.
pub(crate) fn taken_number(step: &Step) -> Option<u64> {
    match &step.taken {
        Some(Taken::Message(message) | Taken::Hit(message)) => Some(message.number.0),
        Some(Taken::Async(pending)) => Some(pending.number.0),
        Some(Taken::Offer(_) | Taken::Awaited(_)) | None => None,
    }
}

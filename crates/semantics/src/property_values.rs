//! What the properties of a song are worth along a trace.

use crate::claim::{Verity, subjects, verity};
use crate::machine::{Machine, Outcome};
use crate::schedule::start_of;
use crate::trace::Trace;
use plainsong_ir::Claim;

/// One property along a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Truths {
    pub property: String,
    /// Is it judged only in final states?
    pub at_the_end: bool,
    /// Is it true at the start and after each event? Nothing where it has no value.
    pub holds: Vec<Option<bool>>,
}

/// The properties about single states along `trace`; none when the machine has no such execution.
pub fn truths(machine: &Machine, trace: &Trace) -> Vec<Truths> {
    let Some(mut config) = start_of(machine, trace) else {
        return Vec::new();
    };
    let mut states = vec![config.clone()];
    for event in &trace.events {
        let mut steps = machine.steps(&config);
        if event.step >= steps.len() {
            return Vec::new();
        }
        match steps.swap_remove(event.step).outcome {
            Outcome::Next(next) | Outcome::Failed(_, next) => config = next,
            Outcome::Discarded => return Vec::new(),
        }
        states.push(config.clone());
    }
    let song = machine.instance().song();
    let mut found = Vec::new();
    for property in &song.properties {
        let (Claim::Always(claim) | Claim::Finally(claim)) = &property.claim else {
            continue;
        };
        if !subjects(song, property).contains(&machine.subject()) {
            continue;
        }
        let value = |config| match verity(machine, property, claim, config) {
            Verity::Holds => Some(true),
            Verity::Violated(_) => Some(false),
            Verity::Unknown(_) => None,
        };
        found.push(Truths {
            property: property.name.clone(),
            at_the_end: matches!(property.claim, Claim::Finally(_)),
            holds: states.iter().map(value).collect(),
        });
    }
    found
}

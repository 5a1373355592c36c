//! How many executions there probably are, and what makes them so many.
//!
//! Random walks down the search tree ([`plainsong_explore::sample()`]). A walk that had to choose among
//! `k` outcomes at a receive multiplies its guess by `k` there; the geometric mean of that over the
//! walks, for each place of the text, says how much the place contributes.

use crate::explore::{GaveUp, MOST_EVENTS};
use crate::process_automata::Node;
use crate::program::Song;
use crate::thread_states::Stage;
use plainsong_diagnostics::Span;
use plainsong_explore::{Estimate, Fork, Graph, Leaf, Visitor, sample};
use plainsong_semantics::local_process::Parts;
use plainsong_semantics::machine::Machine;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// How many local steps are kept.
const KEPT: usize = 100_000;

/// How many executions there probably are.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimated {
    /// The number, and how sure it is.
    pub number: Estimate,
    /// What contributes to it, and by which factor, the greatest first.
    pub causes: Vec<(Cause, f64)>,
}

/// What makes executions many.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// This receive may take one of several messages.
    Receive(Span),
    /// Processes of this family may handle one of several messages.
    Handlers(String),
    /// Choices that processes of this family make.
    Choices(String),
    Start,
}

/// Draws executions as long as `goes_on` says so, but at least one.
pub fn estimate(
    machine: &Machine,
    seed: u64,
    goes_on: &mut dyn FnMut(u32) -> bool,
) -> Result<Estimated, GaveUp> {
    let parts = Parts::new(machine).ok_or(GaveUp::NotVoices)?;
    if parts.starts().is_empty() {
        return Ok(Estimated {
            number: Estimate::of(&[0.0]),
            causes: Vec::new(),
        });
    }
    let stage = Rc::new(RefCell::new(Stage::new(parts, KEPT)));
    let mut song = Song(stage.clone());
    let mut look = Drawn {
        families: machine.lanes().iter().map(|lane| family(lane)).collect(),
        stage,
        powers: BTreeMap::new(),
        gave_up: None,
    };
    let mut guesses = Vec::new();
    // Samples of neighbouring seeds have nothing in common.
    let seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    loop {
        let seed = seed.wrapping_add(guesses.len() as u64);
        let one = sample(&mut song, 1, seed, &mut look, |engine| {
            engine.limit_events(MOST_EVENTS)
        });
        guesses.push(one.executions);
        let gave_up = look.gave_up.max(look.stage.borrow().roles.gave_up);
        if let Some(gave_up) = gave_up {
            return Err(gave_up);
        }
        if !goes_on(guesses.len() as u32) {
            break;
        }
    }
    let walks = guesses.len() as f64;
    let mut causes: Vec<(Cause, f64)> = look.powers.into_iter().collect();
    causes
        .iter_mut()
        .for_each(|(_, power)| *power = (*power / walks).exp());
    causes.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
    Ok(Estimated {
        number: Estimate::of(&guesses),
        causes,
    })
}

/// `db[0]` belongs to `db`.
fn family(lane: &str) -> String {
    lane.split('[').next().unwrap_or(lane).to_owned()
}

/// Sees the executions that are drawn.
struct Drawn {
    stage: Rc<RefCell<Stage>>,
    families: Vec<String>,
    /// The sum of the logarithms of the factors.
    powers: BTreeMap<Cause, f64>,
    gave_up: Option<GaveUp>,
}

impl Drawn {
    fn cause(&self, graph: &Graph<Song>, fork: &Fork) -> Option<Cause> {
        let thread = fork.event.thread;
        let exists = (thread as usize) < graph.threads() && graph.exists(thread);
        if !exists || fork.event.index as usize >= graph.live(thread) {
            return None;
        }
        let Some(lane) = (thread as usize).checked_sub(1) else {
            return Some(Cause::Start);
        };
        let mut stage = self.stage.borrow_mut();
        let edge = stage.state(graph, thread, fork.event.index as usize);
        let family = || self.families[lane].clone();
        Some(match stage.roles.at(edge) {
            Node::Waits(waiting) => match stage.roles.parts.place(&waiting.wait) {
                Some(span) => Cause::Receive(span),
                None => Cause::Handlers(family()),
            },
            Node::Fork { .. } | Node::Perhaps { .. } => Cause::Choices(family()),
            // A send that turns receives round took away the one that it is about.
            _ => return None,
        })
    }
}

impl Visitor<Song> for Drawn {
    fn leaf(&mut self, _: &Graph<Song>, leaf: Leaf) -> bool {
        if leaf == Leaf::TooLong {
            self.gave_up = Some(GaveUp::TooLong);
        }
        true
    }

    fn drawn(&mut self, graph: &Graph<Song>, forks: &[Fork]) {
        for fork in forks {
            if let Some(cause) = self.cause(graph, fork) {
                *self.powers.entry(cause).or_default() += fork.factor.ln();
            }
        }
        self.stage.borrow_mut().tidy();
    }
}

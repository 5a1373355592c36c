//! Growth: an execution in which one channel, or the asyncs of one action, become ever more, or a variable ever larger.
//!
//! A search of a program without an end stops at a limit and knows nothing. What helps is to know what grows. Hill
//! climbing finds it: of all steps, one is taken after which most messages or asyncs are pending. A loop that sends
//! without waiting for an answer is found within a few rounds.
//!
//! Statement. [`Growth`] is what was seen in one execution of the program, and says no more: that many of one kind were
//! pending at once, and more than in its first half; or that a variable was much larger than at the start.
//!
//! NOT COVERED. Growth that needs steps after which less is pending.

mod values;

use crate::machine::{Config, Form, Machine, Outcome};
use crate::voices::network::InFlight;
use std::collections::BTreeMap;

/// So many of one kind are many.
const MANY: usize = 30;
/// The most steps of the execution.
const STEPS: usize = 400;
/// The most steps that are looked at to choose them.
const LOOKED_AT: usize = 20_000;

/// What grows, as far as one execution shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Growth {
    /// `` `Req` from client to server ``, `` `Retry` ``, or the place of a variable: `worker[w].epoch`.
    pub what: String,
    /// How many were pending, or how large it was.
    pub count: u64,
    /// After so many steps.
    pub steps: usize,
    /// What kind of thing it is.
    pub kind: Growing,
}

/// What grows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Growing {
    /// What is pending: messages of a channel, asyncs of an action.
    Pending,
    /// A variable.
    Value {
        /// `constraint few: token <= 3;`: what keeps it small, if that can be said in one line.
        constraint: Option<String>,
        /// Is it a set, a bag or a sequence, and not a number?
        is_collection: bool,
    },
}

/// An execution in which something grows, if hill climbing finds one: what is pending, else a variable.
pub fn growth(machine: &Machine) -> Option<Growth> {
    pending(machine).or_else(|| values::growth(machine))
}

fn pending(machine: &Machine) -> Option<Growth> {
    let mut config = machine.initial().into_iter().find_map(next)?;
    let mut half: BTreeMap<String, usize> = BTreeMap::new();
    let mut looked_at = 0;
    for steps in 0..STEPS {
        let pending = by_kind(machine, &config);
        let most = pending.iter().max_by_key(|(_, count)| **count);
        if let Some((what, &count)) = most
            && count >= MANY
            && half.get(what).is_some_and(|before| *before < count)
        {
            return Some(Growth {
                what: what.clone(),
                count: count as u64,
                steps,
                kind: Growing::Pending,
            });
        }
        if pending.values().any(|&count| count >= MANY / 2) && half.is_empty() {
            half = pending;
        }
        let choices = machine.steps(&config);
        looked_at += choices.len();
        if looked_at > LOOKED_AT {
            return None;
        }
        let choices = choices.into_iter().filter_map(|step| next(step.outcome));
        // Of equals the last, so that a process that can go on at once does not starve the others.
        config = choices.max_by_key(in_all)?;
    }
    None
}

fn next(outcome: Outcome) -> Option<Config> {
    match outcome {
        Outcome::Next(config) => Some(config),
        Outcome::Failed(..) | Outcome::Discarded => None,
    }
}

fn in_all(config: &Config) -> usize {
    match &config.0 {
        Form::Voices(config) => config.network.messages().len(),
        Form::Actions(config) => config.pending.len(),
        Form::Line(_) => 0,
    }
}

/// How many are pending, channel by channel or action by action.
fn by_kind(machine: &Machine, config: &Config) -> BTreeMap<String, usize> {
    let song = machine.instance().song();
    let mut counts = BTreeMap::new();
    match &config.0 {
        Form::Voices(config) => {
            let kinds = song.voices().map_or(&[][..], |voices| &voices.messages);
            let lanes = machine.lanes();
            for InFlight { kind, from, to, .. } in config.network.messages() {
                let name = &kinds[kind.index()].name;
                let name_of = |at: Option<usize>| at.and_then(|at| lanes.get(at));
                let (Some(from), Some(to)) = (name_of(from.member()), name_of(to.member())) else {
                    continue;
                };
                let what = format!("`{name}` from {from} to {to}");
                *counts.entry(what).or_default() += 1;
            }
        }
        Form::Actions(config) => {
            let actions = song.actions().map_or(&[][..], |actions| &actions.actions);
            for pending in &config.pending {
                let name = &actions[pending.action.index()].name;
                *counts.entry(format!("`{name}`")).or_default() += 1;
            }
        }
        Form::Line(_) => {}
    }
    counts
}

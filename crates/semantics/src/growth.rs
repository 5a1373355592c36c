//! Growth: an execution in which one channel, or the asyncs of one action, become ever more.
//!
//! A search of a program without an end stops at a limit and knows nothing. What helps is to know what grows. Hill
//! climbing finds it: of all steps, one is taken after which most messages or asyncs are pending. A loop that sends
//! without waiting for an answer is found within a few rounds.
//!
//! Statement. [`Growth`] is what was seen in one execution of the program, and says no more: that many of one kind were
//! pending at once, and more than in its first half.
//!
//! NOT COVERED. Variables that grow while nothing is pending; growth that needs steps after which less is pending.

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
    /// `` `Req` from client to server `` or `` `Retry` ``.
    pub what: String,
    /// How many were pending.
    pub pending: usize,
    /// After so many steps.
    pub steps: usize,
}

/// An execution in which something grows, if hill climbing finds one.
pub fn growth(machine: &Machine) -> Option<Growth> {
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
                pending: count,
                steps,
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

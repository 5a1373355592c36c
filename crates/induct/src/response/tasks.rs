//! Helpful tasks: runs of an action that somebody is owed, with arguments of the claim or open ones.
//!
//! *Enabled* with some arguments: they are values of their types, the run is pending where it has to be, it does not fail,
//! and some choice does not block. So what is enabled here is enabled in the interpreter, and a term for it means the same in
//! every state. Only choices of `maybe` are looked at: an action that chooses values is no candidate, and neither is one that is
//! owed nothing (`unfair`), nor a message that keeps an order (it may be held up by an older one).

use crate::steps::Step;
use crate::system::System;
use plainsong_ir::{Action, ActionId, DeclaredFairness, Delivery, Local, LocalId, Song};
use plainsong_prove::gated_actions::Gated;
use plainsong_prove::lower::Store;
use plainsong_prove::term::{Sort, Term};
use plainsong_prove::theory::{Result, Theory};
use std::collections::BTreeMap;

/// The most candidates of one action.
const MOST: usize = 16;

/// A task that may be helpful, in each of some states.
pub(super) struct Candidate {
    pub(super) action: ActionId,
    /// In words, for readers: `Req(c)`, with `_` for what is open.
    pub(super) words: String,
    arguments: Vec<Term>,
    /// By state: it is enabled with these arguments, the open ones included.
    pub(super) enabled: Vec<Term>,
    /// By state: it is enabled for some values of the open ones.
    pub(super) at_hand: Vec<Term>,
}

impl Candidate {
    /// Does a step run the task with its arguments?
    pub(super) fn same_arguments(&self, theory: &mut Theory, system: &System, step: &Step) -> Term {
        let rows = &system.actions().actions[self.action.index()].code.locals;
        let pairs = rows.iter().zip(&self.arguments).zip(&step.arguments);
        let same: Vec<Term> = pairs
            .map(|((row, mine), its)| theory.equal(&row.ty, *mine, *its))
            .collect();
        theory.terms.and(&same)
    }
}

/// All candidates for a claim with these names, in these states.
pub(super) fn candidates(
    theory: &mut Theory,
    (song, system): (&Song, &System),
    (locals, names): (&[Local], &BTreeMap<LocalId, Term>),
    stores: &[Store],
) -> Result<Vec<Candidate>> {
    let mut all = Vec::new();
    for (at, action) in system.actions().actions.iter().enumerate() {
        if !is_owed(song, action) {
            continue;
        }
        let id = ActionId::from(at);
        for chosen in argument_lists(action, locals, names) {
            all.extend(candidate(
                theory,
                system,
                id,
                (&chosen, locals, names),
                stores,
            )?);
        }
    }
    Ok(all)
}

/// Is weak fairness owed to it, at every level but `none`, and is it never held up by others?
fn is_owed(song: &Song, action: &Action) -> bool {
    let unfair = Some(DeclaredFairness::Unfair);
    let Some(handled) = &action.role.handles else {
        return action.role.fairness != unfair;
    };
    let Some(voices) = song.voices() else {
        return false;
    };
    let mut processes = voices.processes.iter();
    let receiver = processes.find(|one| one.family == handled.to);
    let mut messages = voices.messages.iter();
    let message = messages.find(|one| one.name == handled.name);
    let is_ordered = message.is_none_or(|one| {
        let delivery = one.delivery;
        delivery.is_some_and(|delivery| delivery != Delivery::Unordered)
    });
    receiver.is_some_and(|one| one.fairness != unfair) && !is_ordered
}

/// Each parameter as a name of the claim that has its type, or open; the most names first.
fn argument_lists(
    action: &Action,
    locals: &[Local],
    names: &BTreeMap<LocalId, Term>,
) -> Vec<Vec<Option<LocalId>>> {
    let mut lists: Vec<Vec<Option<LocalId>>> = vec![Vec::new()];
    for row in &action.code.locals[..action.code.arity] {
        let fits = |name: &&LocalId| locals[name.index()].ty == row.ty;
        let choices: Vec<Option<LocalId>> = (names.keys().filter(fits).map(|name| Some(*name)))
            .chain([None])
            .collect();
        lists = lists
            .iter()
            .flat_map(|list| choices.iter().map(|one| [&list[..], &[*one]].concat()))
            .collect();
        lists.truncate(MOST);
    }
    lists.sort_by_key(|list| list.iter().filter(|one| one.is_none()).count());
    lists
}

/// A candidate with these arguments; none if it chooses values.
fn candidate(
    theory: &mut Theory,
    system: &System,
    id: ActionId,
    (chosen, locals, names): (&[Option<LocalId>], &[Local], &BTreeMap<LocalId, Term>),
    stores: &[Store],
) -> Result<Option<Candidate>> {
    let action = &system.actions().actions[id.index()];
    let (mut arguments, mut open, mut valid, mut words) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (row, name) in action.code.locals.iter().zip(chosen) {
        match name {
            Some(name) => {
                arguments.push(names[name]);
                words.push(locals[name.index()].name.clone());
            }
            None => {
                let (value, is_value) = theory.arbitrary(&row.name, &row.ty, row.span)?;
                arguments.push(value);
                open.push(value);
                valid.push(is_value);
                words.push("_".to_owned());
            }
        }
    }
    let (mut enabled, mut at_hand) = (Vec::new(), Vec::new());
    for store in stores {
        let run = Gated::run(theory, &action.code, None, store, &arguments, None)?;
        let is_maybe = |choice: &Term| theory.terms.sort(*choice) == Sort::BOOL;
        if !run.choices.iter().all(is_maybe) {
            return Ok(None);
        }
        let mut guard = run.guard;
        for choice in run.choices.iter().rev() {
            guard = theory.terms.exists(*choice, guard);
        }
        let mut parts = valid.clone();
        parts.extend(run.gate.iter().map(|part| part.holds));
        parts.push(guard);
        if !action.role.repeat {
            let Some(counts) = store.pending.get(&id) else {
                return Ok(None);
            };
            let mut count = *counts;
            for argument in &arguments {
                count = theory.terms.select(count, *argument);
            }
            let one = theory.terms.int(1);
            parts.push(theory.terms.le(one, count));
        }
        let here = theory.terms.and(&parts);
        enabled.push(here);
        let mut some = here;
        for value in open.iter().rev() {
            some = theory.terms.exists(*value, some);
        }
        at_hand.push(some);
    }
    let name = &action.name;
    Ok(Some(Candidate {
        action: id,
        words: format!("{name}({})", words.join(", ")),
        arguments,
        enabled,
        at_hand,
    }))
}

//! Helpful tasks: what somebody is owed, with arguments of the claim or open ones.
//!
//! | task | taken by | enabled |
//! |---|---|---|
//! | a run of an action, pending or on offer | that run | where it can be run |
//! | a message | the receive or handler that takes it | where it can be taken |
//! | a process with a body | any step of it | where it can do something by itself |
//!
//! *Enabled* with some arguments: they are values of their types, the run is pending where it has to be, it does not fail,
//! and some choice does not block. So what is enabled here is enabled in the interpreter, and a term for it means the same in
//! every state. Only choices of `maybe` are looked at: an action that chooses values is no candidate, and neither is one that is
//! owed nothing (`unfair`). A body that chooses values or has an `assume` is no candidate either: a step of it goes from one communication to the
//! next, and what it begins it might not be able to end.
//!
//! *Messages that keep an order* are held up by older ones, of which there are finitely many. Where messages are treated strongly, the oldest
//! of those that can be taken is taken at last, each time that one can be; so it makes no difference. Where they are treated weakly,
//! such a message is no candidate.

use crate::steps::Step;
use crate::system::System;
use plainsong_ir::build::{equal, global, local, some};
use plainsong_ir::visit::any_stmt;
use plainsong_ir::{
    Action, ActionId, Body, DeclaredFairness, Delivery, Domain, Fairness, FamilyId, GlobalId,
    Local, LocalId, Song, StmtKind, Ty,
};
use plainsong_prove::gated_actions::Gated;
use plainsong_prove::lower::{Env, Lowering, Store};
use plainsong_prove::term::{Sort, Term};
use plainsong_prove::theory::{Result, Theory};
use std::collections::BTreeMap;

/// The most candidates of one action.
const MOST: usize = 16;

/// By which rule a task is helpful.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// It stays enabled until it is taken (justice).
    Stays,
    /// It is enabled again and again until it is taken (compassion).
    Returns,
}

/// A task that may be helpful, in each of some states.
#[derive(Clone)]
pub(super) struct Candidate {
    /// The actions that take it, each with its first parameters as the arguments.
    takes: Vec<ActionId>,
    pub(super) rule: Rule,
    /// In words, for readers: `Req(c)`, with `_` for what is open.
    pub(super) words: String,
    arguments: Vec<Term>,
    /// By state: it is enabled with these arguments, the open ones included.
    pub(super) enabled: Vec<Term>,
    /// By state: what has to stay until it is taken: that it is enabled, or, where it returns, that it is there.
    pub(super) stays: Vec<Term>,
    /// By state: that holds for some values of the open arguments.
    pub(super) at_hand: Vec<Term>,
}

impl Candidate {
    /// Is it the same task, which need not even return?
    pub(super) fn is_also(&self, other: &Candidate) -> bool {
        (self.rule, other.rule) == (Rule::Stays, Rule::Returns)
            && (&self.takes, &self.arguments) == (&other.takes, &other.arguments)
    }

    /// Does a step take the task? None if it never does.
    pub(super) fn taken_by(
        &self,
        theory: &mut Theory,
        system: &System,
        step: &Step,
    ) -> Option<Term> {
        let action = step.action.filter(|action| self.takes.contains(action))?;
        let rows = &system.actions().actions[action.index()].code.locals;
        let pairs = rows.iter().zip(&self.arguments).zip(&step.arguments);
        let same: Vec<Term> = pairs
            .map(|((row, mine), its)| theory.equal(&row.ty, *mine, *its))
            .collect();
        Some(theory.terms.and(&same))
    }
}

/// All candidates for a claim with these names, in these states, at a level of fairness.
pub(super) fn candidates(
    theory: &mut Theory,
    (song, system, level): (&Song, &System, Fairness),
    (locals, names): (&[Local], &BTreeMap<LocalId, Term>),
    stores: &[Store],
) -> Result<Vec<Candidate>> {
    let mut all = Vec::new();
    for (at, action) in system.actions().actions.iter().enumerate() {
        if action.role.moves.is_some() {
            continue;
        }
        let Some(is_strong) = owed(song, action, level) else {
            continue;
        };
        let id = ActionId::from(at);
        let rows = &action.code.locals[..action.code.arity];
        for chosen in argument_lists(rows, locals, names) {
            let name = action.name.clone();
            let mut task = Task::new(theory, name, rows, (&chosen, locals, names))?;
            task.compared.clear();
            all.extend(task.candidates(theory, system, (&[id], &[id]), is_strong, stores)?);
        }
    }
    for family in bodies(song) {
        let actions = system.actions().actions.iter().enumerate();
        let (mut moves, mut takes) = (Vec::new(), Vec::new());
        for (at, action) in actions {
            let own = action.role.moves.as_ref().map(|moves| moves.family);
            let receives = action.role.handles.as_ref().map(|handled| handled.to);
            if own == Some(family) {
                moves.push(ActionId::from(at));
            }
            if own == Some(family) || receives == Some(family) {
                takes.push(ActionId::from(at));
            }
        }
        let Some(first) = moves.first() else {
            continue;
        };
        let code = &system.actions().actions[first.index()].code;
        let rows = &code.locals[..code.arity];
        for chosen in argument_lists(rows, locals, names) {
            let name = song.families[family.index()].name.clone();
            let task = Task::new(theory, name, rows, (&chosen, locals, names))?;
            all.extend(task.candidates(theory, system, (&moves, &takes), false, stores)?);
        }
    }
    Ok(all)
}

/// The families with bodies whose steps cannot be cut off, and to which something is owed.
fn bodies(song: &Song) -> Vec<FamilyId> {
    let voices = song.voices().into_iter();
    let processes = voices.flat_map(|voices| &voices.processes);
    let cuts = |kind: &StmtKind| match kind {
        StmtKind::Assume(_) => true,
        StmtKind::LetChoice(choice) | StmtKind::AssignChoice(_, choice) => {
            choice.filter.is_some() || matches!(choice.domain, Domain::In(_))
        }
        _ => false,
    };
    let fits = processes.filter(|one| {
        let Body::Sequential(body) = &one.body else {
            return false;
        };
        one.fairness != Some(DeclaredFairness::Unfair) && !any_stmt(body, |stmt| cuts(&stmt.kind))
    });
    fits.map(|one| one.family).collect()
}

/// Is something owed to it at this level, and is that strong fairness? Nothing if it may be held up by others for ever.
fn owed(song: &Song, action: &Action, level: Fairness) -> Option<bool> {
    let unfair = Some(DeclaredFairness::Unfair);
    let Some(handled) = &action.role.handles else {
        let declared = action.role.fairness;
        let is_strong = declared == Some(DeclaredFairness::Strong)
            || declared.is_none() && level == Fairness::Strong;
        return (declared != unfair).then_some(is_strong);
    };
    let voices = song.voices()?;
    let mut processes = voices.processes.iter();
    let receiver = processes.find(|one| one.family == handled.to)?;
    let mut messages = voices.messages.iter();
    let message = messages.find(|one| one.name == handled.name)?;
    let by_default = match receiver.body {
        Body::Handlers(_) => Delivery::Unordered,
        Body::Sequential(_) => Delivery::Fifo,
    };
    let is_ordered = message.delivery.unwrap_or(by_default) != Delivery::Unordered;
    let is_strong = level >= Fairness::Standard;
    (receiver.fairness != unfair && (is_strong || !is_ordered)).then_some(is_strong)
}

/// Each parameter as a name of the claim that has its type, or open; the most names first.
fn argument_lists(
    rows: &[Local],
    locals: &[Local],
    names: &BTreeMap<LocalId, Term>,
) -> Vec<Vec<Option<LocalId>>> {
    let mut lists: Vec<Vec<Option<LocalId>>> = vec![Vec::new()];
    for row in rows {
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

/// Somebody with arguments.
struct Task {
    words: String,
    arguments: Vec<Term>,
    open: Vec<Term>,
    /// That the open ones are values of their types.
    valid: Vec<Term>,
    /// What variables are compared with: open arguments and names of the claim, with their types. A message says by its arguments
    /// what it is about; a process does so by its variables.
    compared: Vec<(String, Ty, Term)>,
}

impl Task {
    fn new(
        theory: &mut Theory,
        name: String,
        rows: &[Local],
        (chosen, locals, names): (&[Option<LocalId>], &[Local], &BTreeMap<LocalId, Term>),
    ) -> Result<Task> {
        let (mut arguments, mut open, mut valid, mut words) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut compared = Vec::new();
        for (row, name) in rows.iter().zip(chosen) {
            match name {
                Some(name) => {
                    arguments.push(names[name]);
                    words.push(locals[name.index()].name.clone());
                }
                None => {
                    let (value, is_value) = theory.arbitrary(&row.name, &row.ty, row.span)?;
                    arguments.push(value);
                    compared.push(("_".to_owned(), row.ty.clone(), value));
                    open.push(value);
                    valid.push(is_value);
                    words.push("_".to_owned());
                }
            }
        }
        if chosen.iter().all(Option::is_none) {
            let names = names.iter().map(|(name, value)| {
                let row = &locals[name.index()];
                (row.name.clone(), row.ty.clone(), *value)
            });
            compared.extend(names);
        }
        Ok(Task {
            words: format!("{name}({})", words.join(", ")),
            arguments,
            open,
            valid,
            compared,
        })
    }

    /// By each rule; none if nothing that enables it is without choices of values. It is enabled where one of the first
    /// actions is.
    fn candidates(
        &self,
        theory: &mut Theory,
        system: &System,
        (enabling, takes): (&[ActionId], &[ActionId]),
        is_strong: bool,
        stores: &[Store],
    ) -> Result<Vec<Candidate>> {
        let (mut enabled, mut there) = (Vec::new(), Vec::new());
        for store in stores {
            let (mut ways, mut present) = (Vec::new(), Vec::new());
            for id in enabling {
                if let Some((way, is_there)) = self.enabled(theory, system, *id, store)? {
                    ways.push(way);
                    present.push(is_there);
                }
            }
            if ways.is_empty() {
                return Ok(Vec::new());
            }
            enabled.push(theory.terms.or(&ways));
            there.push(theory.terms.or(&present));
        }
        let make = |theory: &mut Theory, rule: Rule, stays: &[Term], words: String| {
            let at_hand = stays.iter().map(|here| {
                let values = self.open.iter().rev();
                values.fold(*here, |some, value| theory.terms.exists(*value, some))
            });
            Candidate {
                takes: takes.to_vec(),
                rule,
                words: format!("{}{words}", self.words),
                arguments: self.arguments.clone(),
                enabled: enabled.clone(),
                at_hand: at_hand.collect(),
                stays: stays.to_vec(),
            }
        };
        let mut all = vec![make(theory, Rule::Stays, &enabled, String::new())];
        if is_strong {
            all.push(make(
                theory,
                Rule::Returns,
                &there,
                " again and again".to_owned(),
            ));
        }
        for (words, conditions) in self.conditions(theory, system, stores) {
            let pairs = enabled.iter().zip(&conditions);
            let stays: Vec<Term> = pairs
                .map(|(here, condition)| theory.terms.and(&[*here, *condition]))
                .collect();
            all.push(make(theory, Rule::Stays, &stays, words));
        }
        Ok(all)
    }

    /// That a variable is what it is compared with, or holds it, in each state.
    fn conditions(
        &self,
        theory: &mut Theory,
        system: &System,
        stores: &[Store],
    ) -> Vec<(String, Vec<Term>)> {
        let mut all = Vec::new();
        let name = LocalId::from(0);
        for (at, row) in system.actions().globals.iter().enumerate() {
            for (word, ty, value) in &self.compared {
                let wanted = match &row.ty {
                    own if own == ty => local(name, ty),
                    Ty::Option(inner) if **inner == *ty => some(local(name, ty)),
                    _ => continue,
                };
                let condition = equal(global(GlobalId::from(at), &row.ty), wanted);
                let here: Result<Vec<Term>> = stores
                    .iter()
                    .map(|store| {
                        let env = Env {
                            locals: BTreeMap::from([(name, *value)]),
                            store: store.clone(),
                            ..Env::default()
                        };
                        Lowering::new(theory, env).expr(&condition)
                    })
                    .collect();
                if let Ok(here) = here {
                    all.push((format!(" while `{}` is {word}", row.name), here));
                }
            }
        }
        all
    }

    /// That an action can be run with the arguments, and that it is there to be run.
    fn enabled(
        &self,
        theory: &mut Theory,
        system: &System,
        id: ActionId,
        store: &Store,
    ) -> Result<Option<(Term, Term)>> {
        let action = &system.actions().actions[id.index()];
        let run = Gated::run(theory, &action.code, None, store, &self.arguments, None)?;
        let is_maybe = |choice: &Term| theory.terms.sort(*choice) == Sort::BOOL;
        if !run.choices.iter().all(is_maybe) {
            return Ok(None);
        }
        let mut guard = run.guard;
        for choice in run.choices.iter().rev() {
            guard = theory.terms.exists(*choice, guard);
        }
        let mut there = self.valid.clone();
        if !action.role.repeat {
            let Some(counts) = store.pending.get(&id) else {
                return Ok(None);
            };
            let mut count = *counts;
            for argument in &self.arguments {
                count = theory.terms.select(count, *argument);
            }
            let one = theory.terms.int(1);
            there.push(theory.terms.le(one, count));
        }
        let mut parts = there.clone();
        parts.extend(run.gate.iter().map(|part| part.holds));
        parts.push(guard);
        Ok(Some((theory.terms.and(&parts), theory.terms.and(&there))))
    }
}

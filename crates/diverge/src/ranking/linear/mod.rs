//! Linear rankings of handlers: measures found from path relations by Farkas' lemma.
//!
//! A proposal is a song with `decreases` for processes and for messages, as somebody might have declared them
//! ([`super`]'s third way). First each process gets a tuple of linear measures of what it has, which no handler increases and
//! which falls wherever possible when one sends. Where nothing falls the messages that are sent have to be less than the
//! one that was taken: by linear measures of payloads, with a number for each kind.
//!
//! How a condition is written makes no difference to this: `2 * tries < 8` and `tries < 4` are the same half-space, a
//! field of a struct is a variable like others, and a helper function is what it returns.
//!
//! NOT COVERED: sums over maps, measures that are not linear, facts that no handler states (invariants), numbers
//! in payloads that come before all else.

mod farkas;
mod path_relations;
mod values;

use super::{handlers, sending};
use crate::terms::{expr, local, named};
use farkas::{Component, Transition, lexicographic};
use path_relations::{Relation, relation, rigid};
use plainsong_ir::print::Context;
use plainsong_ir::{Expr, ExprKind, LocalId, Measures, Song, System, VarId, Voices};
use std::collections::BTreeSet;
use values::{Value, combination, features};

/// Measures for processes and messages that may decrease.
pub struct Linear {
    /// The song where they are declared.
    pub song: Song,
    /// What decreases, in words.
    pub words: Vec<String>,
}

/// What may decrease, if something linear does.
pub fn linear(song: &Song) -> Option<Linear> {
    sending(song)?;
    let voices = song.voices()?;
    let rigid = rigid(song);
    let mut written = song.clone();
    let (mut words, mut left) = (Vec::new(), Vec::new());
    for process in 0..voices.processes.len() {
        let all = handlers(voices, process).iter();
        let relations: Option<Vec<(usize, Relation)>> = all
            .map(|one| Some((one.accept.message.index(), relation(song, process, one)?)))
            .collect();
        let relations = relations?;
        let (tuple, rest) = of_process(&relations)?;
        left.extend(rest);
        let parts = [own_features(song, voices, process), rigid.clone()].concat();
        let levels: Vec<Expr> = tuple
            .iter()
            .map(|component| level(component, 0, &parts))
            .collect();
        let family = voices.processes[process].family;
        let context = Context {
            song,
            locals: &voices.processes[process].locals,
            family: Some(family),
        };
        let name = &song.families[family.index()].name;
        let told = levels.iter().map(|level| context.expr(level));
        words.extend(told.map(|level| format!("`{level}` of `{name}` decreases")));
        let System::Voices(written) = &mut written.system else {
            return None;
        };
        let indices = song.families[family.index()].index.len();
        let process = &mut written.processes[process];
        process.measures = Measures {
            locals: process.locals[..indices].to_vec(),
            levels,
        };
    }
    let (components, rest) = lexicographic(&left)?;
    if !rest.is_empty() {
        return None;
    }
    let told = of_messages(song, voices, &mut written, &components, &rigid)?;
    words.extend(told);
    Some(Linear {
        song: written,
        words,
    })
}

/// The tuple of a process, and how the messages have to decrease that are sent where it does not.
fn of_process(relations: &[(usize, Relation)]) -> Option<(Vec<Component>, Vec<Transition>)> {
    let (mut transitions, mut from) = (Vec::new(), Vec::new());
    let mut unpaid = Vec::new();
    for (taken, relation) in relations {
        let all = |own: &[Value]| {
            let own = own.iter().flat_map(Value::features);
            own.chain(relation.rigid.iter().cloned())
                .collect::<Vec<_>>()
        };
        for path in &relation.paths {
            let (before, after) = (all(&relation.own), all(&path.own));
            if before.len() != after.len() {
                return None;
            }
            if before == after {
                unpaid.extend((!path.sends.is_empty()).then_some((*taken, relation, path)));
                continue;
            }
            transitions.push(Transition {
                known: path.known.clone(),
                before: (0, before),
                after: (0, after),
                must: !path.sends.is_empty(),
            });
            from.push((*taken, relation, path));
        }
    }
    let (tuple, rest) = lexicographic(&transitions)?;
    unpaid.extend(rest.into_iter().map(|at| from[at]));
    let mut messages = Vec::new();
    for (taken, relation, path) in unpaid {
        let all = |payload: &[Value]| {
            let payload = payload.iter().flat_map(Value::features);
            payload
                .chain(relation.rigid.iter().cloned())
                .collect::<Vec<_>>()
        };
        for sent in &path.sends {
            messages.push(Transition {
                known: sent.known.clone(),
                before: (taken, all(&relation.payload)),
                after: (sent.message.index(), all(&sent.payload)),
                must: true,
            });
        }
    }
    Some((tuple, messages))
}

/// Writes the measures of messages, and tells them.
fn of_messages(
    song: &Song,
    voices: &Voices,
    written: &mut Song,
    components: &[Component],
    rigid: &[Expr],
) -> Option<Vec<String>> {
    let System::Voices(written) = &mut written.system else {
        return None;
    };
    let owners: BTreeSet<usize> = components
        .iter()
        .flat_map(|one| one.keys().copied())
        .collect();
    let mut told = Vec::new();
    for owner in owners {
        let fields = &voices.messages[owner].fields;
        let locals: Vec<_> = fields
            .iter()
            .map(|field| named(&field.name, &field.ty))
            .collect();
        let payload = fields.iter().enumerate().flat_map(|(at, field)| {
            let field = local(LocalId::from(at), &field.ty);
            features(song, &field)
        });
        let parts: Vec<Expr> = payload.chain(rigid.iter().cloned()).collect();
        let levels: Vec<Expr> = components
            .iter()
            .map(|component| level(component, owner, &parts))
            .collect();
        let context = Context {
            song,
            locals: &locals,
            family: None,
        };
        let words: Vec<String> = levels.iter().map(|level| context.expr(level)).collect();
        let message = &mut written.messages[owner];
        told.push(format!("`{}` by {}", message.name, words.join(", ")));
        message.measures = Measures { locals, levels };
    }
    Some(match told.is_empty() {
        true => Vec::new(),
        false => vec![format!(
            "what it sends is less than what it took ({})",
            told.join("; ")
        )],
    })
}

fn own_features(song: &Song, voices: &Voices, process: usize) -> Vec<Expr> {
    let family = &song.families[voices.processes[process].family.index()];
    let vars = family.vars.iter().enumerate();
    vars.flat_map(|(at, var)| {
        let own = expr(ExprKind::Own(VarId::from(at)), var.ty.clone());
        features(song, &own)
    })
    .collect()
}

/// A component as an expression of its owner.
fn level(component: &Component, owner: usize, parts: &[Expr]) -> Expr {
    let Some((constant, factors)) = component.get(&owner).and_then(|all| all.split_last()) else {
        return combination(0, &[]);
    };
    let pairs = factors
        .iter()
        .zip(parts)
        .filter(|(factor, _)| **factor != 0);
    let pairs = pairs.map(|(factor, part)| {
        let part = plainsong_ir::build::widened(part.clone());
        (*factor, part)
    });
    combination(*constant, &pairs.collect::<Vec<_>>())
}

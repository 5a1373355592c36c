//! Small configurations in which something that is not shown is false.
//!
//! Like [`crate::doubt`] for procedures: the solver is asked for a model of the same obligation with sorts of a few members. It
//! is an example for people and proves nothing: the configuration need not be one that the program gets to.

use super::bag::Ledger;
use super::context::Known;
use crate::answer::Prover;
use crate::compare::instances;
use crate::telling::{told_async as in_words, told_global};
use plainsong_ir::{ActionId, GlobalId, Ty};
use plainsong_prove::bounded::{Doubt, Shown, example};
use plainsong_prove::lower::Store;
use plainsong_prove::obligation::Obligation;
use plainsong_prove::term::Term;
use plainsong_prove::theory::{Result, Theory};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::show::show;
use plainsong_semantics::value::Value;

/// What one example may cost, in the solver's units.
const RESOURCES: u64 = 2_000_000;
/// The largest size of sorts.
const LARGEST: i64 = 2;

/// Obligations about one configuration.
pub(super) struct Asked {
    pub(super) all: Vec<Obligation>,
    pub(super) scene: Scene,
}

/// A configuration, and an async of it.
#[derive(Clone)]
pub(super) struct Scene {
    action: ActionId,
    store: Store,
    arguments: Vec<Term>,
    /// What is chosen, by name.
    pub(super) chosen: Vec<(String, Ty, Term)>,
}

impl Scene {
    pub(super) fn new(action: ActionId, store: Store, arguments: Vec<Term>) -> Scene {
        Scene {
            action,
            store,
            arguments,
            chosen: Vec::new(),
        }
    }
}

/// Makes obligations, in any theory of the staged song.
pub(super) type Asks<'a> = dyn Fn(&mut Theory) -> Result<Option<Asked>> + 'a;

/// `; for example, reachable or not, where A(Node#0) is about to run, x = 0, pending: A(Node#0)`, if a small configuration is found in
/// which obligation number `at` is false.
pub(super) fn told(known: &Known<'_>, asks: &Asks<'_>, at: usize, prover: &Prover<'_>) -> String {
    let song = &known.stage.staged.song;
    for size in 1..=LARGEST {
        let Some(instance) = instances(song, size).into_iter().next() else {
            break;
        };
        if let Some(told) = at_size(known, &instance, asks, at, prover) {
            return told;
        }
        if song.sorts.is_empty() {
            break;
        }
    }
    String::new()
}

fn at_size(
    known: &Known<'_>,
    instance: &Instance,
    asks: &Asks<'_>,
    at: usize,
    prover: &Prover<'_>,
) -> Option<String> {
    let stage = known.stage;
    let globals = &stage.actions().globals;
    let (mut action, mut chosen) = (None, Vec::new());
    let mut build = |theory: &mut Theory| {
        let Some(asked) = asks(theory)? else {
            return Ok(None);
        };
        let scene = asked.scene;
        action = Some(scene.action);
        let code = &stage.action(scene.action).code;
        let rows = code.locals.iter().zip(&scene.arguments);
        let mut shown: Vec<Shown> = rows.map(|(row, term)| seen(&row.ty, *term)).collect();
        for (number, row) in globals.iter().enumerate() {
            shown.push(seen(&row.ty, scene.store.globals[&GlobalId::from(number)]));
        }
        shown.extend(scene.chosen.iter().map(|(_, ty, term)| seen(ty, *term)));
        chosen = scene.chosen;
        let obligation = asked.all.into_iter().nth(at);
        Ok(obligation.map(|obligation| Doubt { obligation, shown }))
    };
    let (solvers, cancel) = (prover.solvers, prover.cancel);
    let values = example(instance, &mut build, RESOURCES, solvers, cancel).ok()??;
    let action = action?;
    let (arguments, stores) = values.split_at(stage.action(action).code.arity);
    let (stores, choices) = stores.split_at(globals.len());
    let mut parts = vec![format!(
        "{} is about to run",
        told_async(known, instance, action, arguments)?
    )];
    let mut pending = Vec::new();
    for (number, (row, value)) in globals.iter().zip(stores).enumerate() {
        let id = GlobalId::from(number);
        let counted = stage.bags.actions().into_iter();
        let mut counted = counted.filter(|one| stage.bags.of(*one).is_some_and(|(of, _)| of == id));
        match (counted.next(), value) {
            (Some(action), Some(value)) => {
                instances_of(
                    known,
                    instance,
                    action,
                    value,
                    &mut Vec::new(),
                    &mut pending,
                );
            }
            (None, Some(value)) => {
                parts.extend(told_global(instance, row, value));
            }
            _ => {}
        }
    }
    for ((name, ty, _), value) in chosen.iter().zip(choices) {
        if let Some(value) = value {
            parts.push(format!("{name} = {}", show(instance, value, ty)));
        }
    }
    parts.push(format!("pending: {}", pending.join(", ")));
    let parts = parts.join(", ");
    Some(format!("; for example, reachable or not, where {parts}"))
}

fn seen(ty: &Ty, term: Term) -> Shown {
    Shown {
        ty: ty.clone(),
        term,
    }
}

fn told_async(
    known: &Known<'_>,
    instance: &Instance,
    action: ActionId,
    arguments: &[Option<Value>],
) -> Option<String> {
    let action = known.stage.action(action);
    let values = arguments.iter().cloned().collect::<Option<Vec<Value>>>()?;
    Some(in_words(instance, action, &values))
}

/// The asyncs that a variable counts, as the user knows them.
fn instances_of(
    known: &Known<'_>,
    instance: &Instance,
    action: ActionId,
    counts: &Value,
    keys: &mut Vec<Option<Value>>,
    found: &mut Vec<String>,
) {
    match counts {
        Value::Map(rows) => {
            for (key, counts) in rows.iter() {
                keys.push(Some(key.clone()));
                instances_of(known, instance, action, counts, keys, found);
                keys.pop();
            }
        }
        Value::Int(0) => {}
        Value::Int(count) => {
            let told = told_async(known, instance, action, keys).unwrap_or_default();
            found.push(match count {
                1 => told,
                _ => format!("{count} times {told}"),
            });
        }
        _ => {}
    }
}

//! Initial safety: nothing fails that `init` starts.
//!
//! A proof of refinement says that the program of layer 1 fails only where the one above all procedures fails. So that
//! one must not: an action at the top whose assertions are false from the start would make every proof empty.
//!
//! | rule | asks |
//! |---|---|
//! | `started/init` | `init` itself does not fail |
//! | `started/initial` | what `init` starts does not fail in a state at the start, whatever its arguments |
//! | `started/survives` | what does not fail where another acts does not fail behind it either |
//! | `started/created` | what an action creates fails nowhere |
//!
//! Why sound. `init` changes no variable (or nothing is said). By induction on the steps, no async that is pending fails in
//! the state reached: at first by *initial*; a step leaves those that were pending able to run by *survives* (their `linear`
//! arguments are different, because no action doubles a permission), and what it creates by *created*.
//!
//! What is refuted was seen to fail in the program of layer 1, by the interpreter, at a small size. Where that is not
//! seen, and not proved either, small sizes of the program above are run for the sake of the explanation.

use crate::answer::{Answer, Missing, Proof, Prover, Refutation, obligation};
use crate::compare::{behaviours, instances};
use crate::layer_program::extract;
use crate::movers::survives;
use crate::retrace::{Goal, run};
use crate::sequential::created;
use plainsong_diagnostics::Span;
use plainsong_ir::visit::{VisitMut, any_place, walk_mut};
use plainsong_ir::{
    Action, ActionId, Actions, Block, Code, GlobalId, Local, LocalId, Root, Song, StartValue, Stmt,
    StmtKind, System,
};
use plainsong_prove::gated_actions::Gated;
use plainsong_prove::lower::{Store, Unsupported};
use plainsong_prove::obligation::{Obligation, Rule};
use plainsong_prove::theory::{Result, Theory};
use plainsong_prove::vc::of_init;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The largest size of sorts at which programs are run.
const LARGEST: i64 = 2;
/// The most states of one run.
const MOST: usize = 20_000;

/// A failure of the program of layer 1.
pub(crate) fn refuted(song: &Arc<Song>) -> Option<Refutation> {
    let below = Arc::new(extract(song, 1));
    let (failure, picture) = failure(&below)?;
    Some(Refutation {
        reason: format!("the program of layer 1 fails: {failure}"),
        picture,
    })
}

/// Why a program fails at a small size, if it does, and how it gets there.
fn failure(program: &Arc<Song>) -> Option<(String, Vec<String>)> {
    for size in 1..=LARGEST {
        for instance in instances(program, size) {
            let all = behaviours(&instance, &[], MOST)?;
            if let Some(failure) = all.into_values().find_map(|one| one.failure) {
                let sizes = instance.bound();
                let sizes: Vec<String> = sizes.iter().map(|(at, n)| format!("{at}={n}")).collect();
                let with = match sizes.is_empty() {
                    true => String::new(),
                    false => format!(" (with {})", sizes.join(", ")),
                };
                let picture = run(&instance, &|_| true, &Goal::Failure);
                return Some((format!("{failure}{with}"), picture));
            }
        }
        if program.sorts.is_empty() {
            break;
        }
    }
    None
}

/// That nothing fails in the program above all procedures.
pub(crate) fn shown(top: &Arc<Song>, prover: &mut Prover<'_>) -> Answer {
    let mut proof = Proof::default();
    for (song, of) in [
        (&without_asyncs(top), init_alone as Of),
        (top, what_it_starts),
    ] {
        let mut theory = Theory::new(song.clone());
        let mut inside = Prover {
            theory: &mut theory,
            solvers: prover.solvers,
            cancel: prover.cancel,
            seed: prover.seed,
            second: prover.second,
        };
        let all = match of(inside.theory, song) {
            Ok(all) => all,
            Err(why) => return Answer::unknown(why.message),
        };
        let open = inside.open("started", &all);
        if let Some((at, why)) = open.first() {
            let one = &all[*at];
            let (sentence, rule) = (&one.sentence, one.rule.name());
            let seen = match failure(top) {
                Some((failure, _)) => {
                    format!("; the program above all procedures fails: {failure}")
                }
                None => String::new(),
            };
            let why = format!("not proved: {sentence} ({rule}, {why}){seen}");
            return Answer::unknown(Missing::of(why, &all, &open));
        }
        proof.obligations += all.len();
        let explained = all.iter();
        let explained = explained.map(|one| format!("{}: {}", one.rule.name(), one.sentence));
        proof.explained.extend(explained);
    }
    Answer::Proved(proof)
}

/// What has to be shown of a song.
type Of = fn(&mut Theory, &Arc<Song>) -> Result<Vec<Obligation>>;

/// That `init` does not fail by itself.
fn init_alone(theory: &mut Theory, song: &Arc<Song>) -> Result<Vec<Obligation>> {
    if song.actions().is_none_or(|actions| actions.init.is_none()) {
        return Ok(Vec::new());
    }
    let conditions = of_init(theory, &[])?.obligations.into_iter();
    let all = conditions.filter(|one| one.rule != Rule::Vacuity);
    let all = all.map(|one| Obligation {
        rule: Rule::Refinement("started/init"),
        sentence: format!("`init` does not fail: {}", one.sentence),
        ..one
    });
    Ok(all.collect())
}

/// That what `init` starts does not fail.
fn what_it_starts(theory: &mut Theory, top: &Arc<Song>) -> Result<Vec<Obligation>> {
    let empty = Actions::default();
    let actions = top.actions().unwrap_or(&empty);
    let Some(init) = &actions.init else {
        return Ok(Vec::new());
    };
    let first = created(&init.body);
    if writes(init) && !first.is_empty() {
        let message = "`init` changes variables: what holds then is not looked at";
        return Err(Unsupported::new(Span::default(), message));
    }
    let mut all = Vec::new();
    let mut pool: BTreeSet<ActionId> = BTreeSet::new();
    let mut open: Vec<ActionId> = first.iter().copied().collect();
    while let Some(id) = open.pop() {
        if pool.insert(id) {
            for more in created(&action(actions, id).code.body) {
                all.extend(fails_nowhere(theory, actions, more)?);
                open.push(more);
            }
        }
    }
    for &id in &first {
        all.extend(at_the_start(theory, actions, id)?);
    }
    for &one in &pool {
        for &other in &pool {
            let kept = survives(theory, one, other)?.into_iter();
            all.extend(kept.map(|kept| Obligation {
                rule: Rule::Refinement("started/survives"),
                ..kept
            }));
        }
    }
    Ok(all)
}

/// An action does not fail at the start.
fn at_the_start(theory: &mut Theory, actions: &Actions, id: ActionId) -> Result<Vec<Obligation>> {
    let told = format!("`{}` does not fail at the start", action(actions, id).name);
    fails_not(theory, actions, id, true, ("started/initial", told))
}

/// An action does not fail, whatever the state.
fn fails_nowhere(theory: &mut Theory, actions: &Actions, id: ActionId) -> Result<Vec<Obligation>> {
    let told = format!("`{}` fails nowhere", action(actions, id).name);
    fails_not(theory, actions, id, false, ("started/created", told))
}

fn fails_not(
    theory: &mut Theory,
    actions: &Actions,
    id: ActionId,
    start: bool,
    (rule, told): (&'static str, String),
) -> Result<Vec<Obligation>> {
    let action = action(actions, id);
    let (mut known, mut store) = (Vec::new(), Store::default());
    for (at, global) in actions.globals.iter().enumerate() {
        let value = match &global.start {
            StartValue::Value(value) if start => theory.closed(value)?,
            _ => {
                let (value, valid) = theory.arbitrary(&global.name, &global.ty, global.span)?;
                known.push(valid);
                value
            }
        };
        store.globals.insert(GlobalId::from(at), value);
    }
    let arguments = theory.arbitrary_arguments(&action.code, &mut known)?;
    let (code, result) = (&action.code, action.role.result);
    let run = Gated::run(theory, code, result, &store, &arguments, None)?;
    let parts = run.gate.iter();
    let all =
        parts.map(|part| obligation(rule, part.span, told.clone(), known.clone(), part.holds));
    Ok(all.collect())
}

fn action(actions: &Actions, id: ActionId) -> &Action {
    &actions.actions[id.index()]
}

/// The song whose `init` creates no asyncs; it computes their arguments.
fn without_asyncs(song: &Arc<Song>) -> Arc<Song> {
    let mut song = (**song).clone();
    if let System::Actions(actions) = &mut song.system
        && let Some(init) = &mut actions.init
    {
        let mut body = std::mem::take(&mut init.body);
        Without(&mut init.locals).block(&mut body);
        init.body = body;
    }
    Arc::new(song)
}

struct Without<'a>(&'a mut Vec<Local>);

impl VisitMut for Without<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut without = Vec::new();
        for stmt in std::mem::take(block) {
            let span = stmt.span;
            let StmtKind::Async(_, arguments) = stmt.kind else {
                without.push(stmt);
                continue;
            };
            for argument in arguments {
                let local = LocalId::from(self.0.len());
                self.0.push(Local {
                    name: "argument".to_owned(),
                    ty: argument.ty.clone(),
                    mutable: false,
                    span,
                });
                let kind = StmtKind::Let(local, argument);
                without.push(Stmt { kind, span });
            }
        }
        *block = without;
        walk_mut::block(self, block);
    }
}

/// Does code change a global?
fn writes(code: &Code) -> bool {
    any_place(&code.body, |place| matches!(place.root, Root::Global(_)))
}

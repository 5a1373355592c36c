//! The conditions of a mover as obligations.

use super::setting::Setting;
use super::witness::instead;
use super::{Condition, Context, Need};
use crate::answer::obligation;
use plainsong_ir::{ActionId, Commute, GlobalId};
use plainsong_prove::gated_actions::Gated;
use plainsong_prove::obligation::Obligation;
use plainsong_prove::term::{Sort, Term};
use plainsong_prove::theory::{Result, Theory};
use rustc_hash::FxHashMap;

/// The most choices between two that are tried one by one.
const MOST_SPLIT: usize = 4;

/// What has to be shown for a need.
pub(super) fn obligations(
    theory: &mut Theory,
    need: &Need,
    context: &dyn Context,
) -> Result<Vec<Obligation>> {
    let setting = Setting::new(theory, need, context)?;
    match need.condition {
        Condition::Commutes => commutes(theory, &setting),
        Condition::Gate => gate(theory, &setting),
        Condition::Failure => failure(theory, &setting),
        Condition::Nonblocking => nonblocking(theory, &setting),
        Condition::AsyncFree => async_free(theory, &setting),
    }
}

/// First then second, and what is known before the swapped order is looked at.
struct Original {
    one: Gated,
    two: Gated,
    known: Vec<Term>,
}

fn original(theory: &mut Theory, setting: &Setting) -> Result<Original> {
    let one = setting.run(theory, 0, &setting.store, None)?;
    let early = setting.run(theory, 1, &setting.store, None)?;
    let two = setting.run(theory, 1, &one.after, None)?;
    let mut known = setting.known.clone();
    known.push(one.gate(theory));
    known.push(early.gate(theory));
    known.push(one.guard);
    known.push(two.guard);
    Ok(Original { one, two, known })
}

/// Statement. From a state where both gates hold, what first and then second leads to, second and then
/// first leads to as well, with the same results and asyncs.
fn commutes(theory: &mut Theory, setting: &Setting) -> Result<Vec<Obligation>> {
    let Original { one, two, known } = original(theory, setting)?;
    let doings = [one.doings(theory), two.doings(theory)];
    swapped(theory, setting, Original { one, two, known }, doings)
}

/// The same with the choices that the song names.
pub(super) fn commutes_with(
    theory: &mut Theory,
    need: &Need,
    context: &dyn Context,
    commute: &Commute,
) -> Result<Vec<Obligation>> {
    let setting = Setting::new(theory, need, context)?;
    let original = original(theory, &setting)?;
    let runs = [&original.one, &original.two];
    let doings = instead(theory, &setting, runs, commute)?;
    swapped(theory, &setting, original, doings)
}

/// That the swapped order with these choices leads to the same.
fn swapped(
    theory: &mut Theory,
    setting: &Setting,
    original: Original,
    doings: [Vec<Term>; 2],
) -> Result<Vec<Obligation>> {
    let Original { one, two, known } = original;
    let swapped_two = setting.run(theory, 1, &setting.store, Some(&doings[1]))?;
    let swapped_one = setting.run(theory, 0, &swapped_two.after, Some(&doings[0]))?;
    let goals = same(theory, setting, [&one, &two], [&swapped_one, &swapped_two])?;
    let rule = Condition::Commutes.name();
    let span = setting.action(1).span;
    let all = goals.into_iter();
    let all = all.map(|(what, goal)| obligation(rule, span, what, known.clone(), goal));
    Ok(all.collect())
}

/// A goal for some choices; those between two are tried one by one.
pub(crate) fn some_way(theory: &mut Theory, choices: &[Term], goal: Term) -> Term {
    let mut goal = goal;
    let mut split = 0;
    for &choice in choices.iter().rev() {
        let terms = &mut theory.terms;
        if terms.sort(choice) == Sort::BOOL && split < MOST_SPLIT {
            split += 1;
            let ways = [true, false].map(|way| {
                let way = terms.bool(way);
                terms.replace(goal, &FxHashMap::from_iter([(choice, way)]))
            });
            goal = terms.or(&ways);
        } else {
            goal = terms.exists(choice, goal);
        }
    }
    goal
}

/// The same with any choices in the swapped order; `None` when nothing is chosen.
pub(super) fn commutes_somehow(
    theory: &mut Theory,
    need: &Need,
    context: &dyn Context,
) -> Result<Option<Obligation>> {
    let setting = Setting::new(theory, need, context)?;
    let Original { one, two, known } = original(theory, &setting)?;
    let swapped_two = setting.run(theory, 1, &setting.store, None)?;
    let swapped_one = setting.run(theory, 0, &swapped_two.after, None)?;
    let choices = [&swapped_two.choices[..], &swapped_one.choices[..]].concat();
    if choices.is_empty() {
        return Ok(None);
    }
    let goals = same(theory, &setting, [&one, &two], [&swapped_one, &swapped_two])?;
    let goals: Vec<Term> = goals.into_iter().map(|(_, goal)| goal).collect();
    let goal = theory.terms.and(&goals);
    let goal = some_way(theory, &choices, goal);
    let sentence = "some choices lead to the same state";
    let rule = Condition::Commutes.name();
    let span = setting.action(1).span;
    Ok(Some(obligation(rule, span, sentence, known, goal)))
}

/// What is the same in both orders, and that the swapped one does not block.
fn same(
    theory: &mut Theory,
    setting: &Setting,
    [one, two]: [&Gated; 2],
    [swapped_one, swapped_two]: [&Gated; 2],
) -> Result<Vec<(String, Term)>> {
    let names = [&setting.action(0).name, &setting.action(1).name];
    let mut goals = vec![
        (
            format!("`{}` does not block before `{}`", names[1], names[0]),
            swapped_two.guard,
        ),
        (
            format!("`{}` does not block after `{}`", names[0], names[1]),
            swapped_one.guard,
        ),
    ];
    let song = theory.song.clone();
    let globals = song.actions().map_or(&[][..], |actions| &actions.globals);
    for (at, global) in globals.iter().enumerate() {
        let id = GlobalId::from(at);
        let (a, b) = (two.after.globals[&id], swapped_one.after.globals[&id]);
        let equal = theory.equal(&global.ty, a, b);
        let told = format!(
            "`{}` is the same after `{}`, `{}` and after `{}`, `{}`",
            global.name, names[0], names[1], names[1], names[0]
        );
        goals.push((told, equal));
    }
    let runs = [(0, one, swapped_one), (1, two, swapped_two)];
    for (which, before, after) in runs {
        if let (Some(a), Some(b), Some(local)) = (
            before.result,
            after.result,
            setting.action(which).role.result,
        ) {
            let ty = setting.action(which).code.locals[local.index()].ty.clone();
            let equal = theory.equal(&ty, a, b);
            goals.push((format!("`{}` has the same result", names[which]), equal));
        }
    }
    goals.extend(same_asyncs(
        theory,
        names,
        [one, two],
        [swapped_one, swapped_two],
    )?);
    Ok(goals)
}

/// The bag of what both create is the same in both orders, action by action.
fn same_asyncs(
    theory: &mut Theory,
    names: [&String; 2],
    runs: [&Gated; 2],
    swapped: [&Gated; 2],
) -> Result<Vec<(String, Term)>> {
    let song = theory.song.clone();
    let actions = song.actions().map_or(&[][..], |actions| &actions.actions);
    let mut goals = Vec::new();
    for (at, action) in actions.iter().enumerate() {
        let id = ActionId::from(at);
        let of = |run: &&Gated| run.created.iter().any(|one| one.action == id);
        if !runs.iter().chain(&swapped).any(of) {
            continue;
        }
        let mut arguments = Vec::new();
        let mut valid = Vec::new();
        for row in &action.code.locals[..action.code.arity] {
            let (value, is_valid) = theory.arbitrary(&row.name, &row.ty, row.span)?;
            arguments.push(value);
            valid.push(is_valid);
        }
        let mut count = |runs: [&Gated; 2]| {
            let a = runs[0].created(theory, id, &arguments);
            let b = runs[1].created(theory, id, &arguments);
            theory.terms.add(a, b)
        };
        let (before, after) = (count(runs), count(swapped));
        let equal = theory.terms.eq(before, after);
        let valid = theory.terms.and(&valid);
        let told = format!(
            "`{}` and `{}` create the same asyncs of `{}` in both orders",
            names[0], names[1], action.name
        );
        let mut goal = theory.terms.implies(valid, equal);
        for argument in arguments.into_iter().rev() {
            goal = theory.terms.forall(argument, goal);
        }
        goals.push((told, goal));
    }
    Ok(goals)
}

/// Statement. From a state where both gates hold, the second's still holds after the first.
fn gate(theory: &mut Theory, setting: &Setting) -> Result<Vec<Obligation>> {
    let one = setting.run(theory, 0, &setting.store, None)?;
    let early = setting.run(theory, 1, &setting.store, None)?;
    let two = setting.run(theory, 1, &one.after, None)?;
    let mut known = setting.known.clone();
    known.push(one.gate(theory));
    known.push(early.gate(theory));
    known.push(one.guard);
    let told = format!(
        "`{}` does not make `{}` fail",
        setting.action(0).name,
        setting.action(1).name
    );
    Ok(each_part(Condition::Gate, &two, &told, &known))
}

/// Statement. If the second's gate holds and the first's holds after it, the first's holds before it.
fn failure(theory: &mut Theory, setting: &Setting) -> Result<Vec<Obligation>> {
    let two = setting.run(theory, 1, &setting.store, None)?;
    let early = setting.run(theory, 0, &setting.store, None)?;
    let late = setting.run(theory, 0, &two.after, None)?;
    let mut known = setting.known.clone();
    known.push(two.gate(theory));
    known.push(two.guard);
    known.push(late.gate(theory));
    let told = format!(
        "`{}` hides no failure of `{}`",
        setting.action(1).name,
        setting.action(0).name
    );
    Ok(each_part(Condition::Failure, &early, &told, &known))
}

/// That each part of a gate holds, as an obligation of its own.
fn each_part(condition: Condition, of: &Gated, told: &str, known: &[Term]) -> Vec<Obligation> {
    let parts = of.gate.iter();
    let all = parts.map(|part| {
        let known = known.to_vec();
        obligation(condition.name(), part.span, told, known, part.holds)
    });
    all.collect()
}

/// Statement. Where its gate holds, some choice does not block.
fn nonblocking(theory: &mut Theory, setting: &Setting) -> Result<Vec<Obligation>> {
    let run = setting.run(theory, 1, &setting.store, None)?;
    let mut known = setting.known.clone();
    known.push(run.gate(theory));
    let goal = some_way(theory, &run.choices, run.guard);
    let action = setting.action(1);
    let told = format!("`{}` does not block", action.name);
    let rule = Condition::Nonblocking.name();
    Ok(vec![obligation(rule, action.span, told, known, goal)])
}

/// Statement. Where its gate holds, no async is created.
fn async_free(theory: &mut Theory, setting: &Setting) -> Result<Vec<Obligation>> {
    let run = setting.run(theory, 1, &setting.store, None)?;
    let mut known = setting.known.clone();
    known.push(run.gate(theory));
    known.push(run.guard);
    let action = setting.action(1);
    let told = format!("`{}` creates no asyncs", action.name);
    let rule = Condition::AsyncFree.name();
    let mut all = Vec::new();
    for created in &run.created {
        let goal = theory.terms.not(created.condition);
        all.push(obligation(
            rule,
            action.span,
            told.clone(),
            known.clone(),
            goal,
        ));
    }
    Ok(all)
}

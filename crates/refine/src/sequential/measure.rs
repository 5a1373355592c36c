//! Cooperation: what is eliminated can always be run to its end.
//!
//! Statement. From every configuration in which an eliminated async is pending and its abstraction does not
//! fail, the abstraction has a step that makes a measure smaller: a list of numbers, compared from the
//! first on, each of which is not negative when it decreases.
//!
//! Why needed. An async of the schedule that an execution never runs is inserted before the failure of that
//! execution. If inserting goes on for ever, the failure is never reached: a program that creates
//! itself again and again would hide every failure of the others.
//!
//! Measures are found where counting suffices. Eliminated actions of which each can lead to the other
//! form a group; groups are ordered so that asyncs are created in the same or later groups. The measure
//! is, group by group, the number of its asyncs, and for a group with a cycle the length of one
//! collection. A group without a cycle needs no solver: running its only member takes one away and creates
//! none of its own or of earlier groups.
//!
//! Or, for a group with a cycle, the bag of one number of each of its asyncs, an argument: who runs has one that is not
//! negative, and those that it creates in its group have smaller ones, however many they are. Bags are compared as
//! usual: one is smaller if it comes of the other by replacing a number by finitely many smaller ones. With all
//! negative numbers taken for one, nothing decreases for ever in this order.

use super::conditions::after;
use super::context::{Known, arbitrary, lowered};
use super::example::{Asked, Asks, Before, Measured, Scene, told};
use super::pool::created;
use crate::answer::{GUESS, Prover, obligation};
use crate::movers::some_way as way;
use plainsong_diagnostics::quote_marker;
use plainsong_ir::visit::any_stmt;
use plainsong_ir::{ActionId, Block, Builtin, Expr, ExprKind, GlobalId, Root, StmtKind, Ty};
use plainsong_prove::gated_actions::Gated;
use plainsong_prove::term::{Op, Sort, Term};
use plainsong_prove::theory::{Result, Theory};
use std::collections::{BTreeMap, BTreeSet};

const RULE: &str = "sequentialize/cooperation";

/// Actions with their abstractions.
pub(crate) type Pairs = [(ActionId, ActionId)];

/// A group of actions of which each can lead to the other, and the collection that gets shorter.
struct Group {
    members: BTreeSet<ActionId>,
    cyclic: bool,
    shrinks: Option<GlobalId>,
    /// The argument of each member that decreases.
    smaller: Option<BTreeMap<ActionId, usize>>,
}

/// What may decrease in a group with a cycle, beside the number of its asyncs.
#[derive(Clone)]
enum Candidate {
    Nothing,
    Length(GlobalId),
    Argument(BTreeMap<ActionId, usize>),
}

/// Shows cooperation; how many obligations that took, or what is open.
pub(crate) fn cooperates(
    known: &Known<'_>,
    prover: &mut Prover<'_>,
) -> std::result::Result<usize, String> {
    let pairs = &known.stage.staged.eliminated[known.sequence];
    if !known.stage.staged.decreases[known.sequence].is_empty() {
        for pair in pairs {
            let asks = |theory: &mut Theory| said(theory, known, *pair).map(Some);
            let effort = Effort {
                steps: None,
                tells: true,
            };
            shown(known, &asks, prover, effort)??;
        }
        return Ok(pairs.len());
    }
    let mut groups = groups(known, pairs);
    let mut count = 0;
    for at in 0..groups.len() {
        count += found(known, prover, pairs, &mut groups, at)?;
    }
    Ok(count)
}

/// How much is done for a measure: the steps of a proof, if it is a guess, and whether to look for an example when it
/// is not proved.
#[derive(Clone, Copy)]
struct Effort {
    steps: Option<usize>,
    tells: bool,
}

/// Shows what is asked, or says what is open, with a configuration in which no step leaves less to do if one is found.
fn shown(
    known: &Known<'_>,
    asks: &Asks<'_>,
    prover: &mut Prover<'_>,
    effort: Effort,
) -> std::result::Result<std::result::Result<(), String>, String> {
    let asked = asks(prover.theory).map_err(|why| why.message)?;
    let Some(asked) = asked else {
        let why = "an action creates asyncs of its own group in a loop";
        return Ok(Err(why.to_owned()));
    };
    let open = prover.open_within("cooperation", &asked.all, effort.steps);
    Ok(match open.first() {
        None => Ok(()),
        Some((at, why)) => {
            let example = match effort.tells {
                true => told(known, asks, *at, prover),
                false => String::new(),
            };
            let sentence = &asked.all[*at].sentence;
            Err(format!("{sentence} ({RULE}, {why}){example}"))
        }
    })
}

/// Tries the measures of one group.
fn found(
    known: &Known<'_>,
    prover: &mut Prover<'_>,
    pairs: &Pairs,
    groups: &mut [Group],
    at: usize,
) -> std::result::Result<usize, String> {
    let needed = groups[at].cyclic || groups[..at].iter().any(|one| one.shrinks.is_some());
    if !needed {
        return Ok(0);
    }
    let mut candidates = vec![Candidate::Nothing];
    if groups[at].cyclic {
        let own = pairs
            .iter()
            .filter(|(one, _)| groups[at].members.contains(one));
        let bodies: Vec<&Block> = own
            .map(|(_, by)| &known.stage.action(*by).code.body)
            .collect();
        let (first, others): (Vec<_>, Vec<_>) = collections(known)
            .into_iter()
            .partition(|global| bodies.iter().any(|body| takes_from(body, *global)));
        let may_stop = bodies
            .iter()
            .all(|body| may_stop(body, &groups[at].members));
        let place = if may_stop { 1 } else { 0 };
        candidates.splice(place..place, first.into_iter().map(Candidate::Length));
        candidates.extend(others.into_iter().map(Candidate::Length));
        candidates.extend(arguments(known, &groups[at]).map(Candidate::Argument));
    }
    let mut first = None;
    // A wrong guess costs much when everything is tried for it, so all are tried a little first.
    for steps in [GUESS, None] {
        for candidate in &candidates {
            (groups[at].shrinks, groups[at].smaller) = match candidate.clone() {
                Candidate::Nothing => (None, None),
                Candidate::Length(global) => (Some(global), None),
                Candidate::Argument(argument) => (None, Some(argument)),
            };
            let effort = Effort {
                steps,
                tells: steps.is_none() && first.is_none(),
            };
            match tried(known, prover, pairs, groups, at, effort)? {
                Ok(count) => return Ok(count),
                // One example is enough, that of the likeliest.
                Err(why) if steps.is_none() => _ = first.get_or_insert(why),
                Err(_) => {}
            }
        }
    }
    Err(first.unwrap_or_default())
}

/// Tries one measure; how many obligations that took, or what is open.
fn tried(
    known: &Known<'_>,
    prover: &mut Prover<'_>,
    pairs: &Pairs,
    groups: &[Group],
    at: usize,
    effort: Effort,
) -> std::result::Result<std::result::Result<usize, String>, String> {
    let members = pairs
        .iter()
        .filter(|(one, _)| groups[at].members.contains(one));
    let mut count = 0;
    for pair in members {
        let asks = |theory: &mut Theory| counted(theory, known, groups, at, *pair);
        match shown(known, &asks, prover, effort)? {
            Ok(()) => count += 1,
            Err(why) => return Ok(Err(why)),
        }
    }
    Ok(Ok(count))
}

/// The groups, those that create before those that are created.
fn groups(known: &Known<'_>, pairs: &Pairs) -> Vec<Group> {
    let own: BTreeSet<ActionId> = pairs.iter().map(|(action, _)| *action).collect();
    let mut leads: BTreeMap<ActionId, BTreeSet<ActionId>> = BTreeMap::new();
    for (action, by) in pairs {
        let creates = created(&known.stage.action(*by).code.body);
        leads.insert(*action, &creates & &own);
    }
    for _ in 0..pairs.len() {
        for action in &own {
            let further: Vec<ActionId> = leads[action]
                .iter()
                .flat_map(|one| leads[one].clone())
                .collect();
            leads
                .get_mut(action)
                .expect("each leads somewhere")
                .extend(further);
        }
    }
    let mut groups: Vec<Group> = Vec::new();
    let mut placed = BTreeSet::new();
    // Who leads to more comes first: if one leads to another and not back, it leads to all of the other's. It may
    // lead to no more than the other one, if that leads back to itself: then it comes first because it does not.
    let mut order: Vec<ActionId> = own.iter().copied().collect();
    order.sort_by_key(|one| {
        (
            std::cmp::Reverse(leads[one].len()),
            leads[one].contains(one),
        )
    });
    for action in order {
        if !placed.insert(action) {
            continue;
        }
        let together =
            |other: &&ActionId| leads[&action].contains(other) && leads[other].contains(&action);
        let mut members: BTreeSet<ActionId> = own.iter().filter(together).copied().collect();
        let cyclic = !members.is_empty();
        members.insert(action);
        placed.extend(&members);
        groups.push(Group {
            members,
            cyclic,
            shrinks: None,
            smaller: None,
        });
    }
    groups
}

/// The first number among the arguments of each member, the second of each, and so on.
fn arguments(known: &Known<'_>, group: &Group) -> impl Iterator<Item = BTreeMap<ActionId, usize>> {
    let numbers = group.members.iter().map(|&member| {
        let code = &known.stage.action(member).code;
        let rows = code.locals[..code.arity].iter().enumerate();
        let numbers = rows.filter(|(_, row)| matches!(row.ty, Ty::Int | Ty::Nat | Ty::Sort(_)));
        (member, numbers.map(|(at, _)| at).collect::<Vec<usize>>())
    });
    let numbers: Vec<(ActionId, Vec<usize>)> = numbers.collect();
    (0..).map_while(move |nth| {
        let of_each = numbers.iter();
        of_each
            .map(|(member, all)| Some((*member, *all.get(nth)?)))
            .collect()
    })
}

/// Can the block be gone through without creating one of these, whatever its conditions are? Then counting them is worth
/// trying first.
fn may_stop(block: &Block, members: &BTreeSet<ActionId>) -> bool {
    block.iter().all(|stmt| match &stmt.kind {
        StmtKind::Async(id, _) => !members.contains(id),
        StmtKind::If(_, yes, no) => may_stop(yes, members) && may_stop(no, members),
        StmtKind::Maybe(yes, no) => may_stop(yes, members) || may_stop(no, members),
        StmtKind::Match(_, arms) => arms.iter().all(|(_, body)| may_stop(body, members)),
        StmtKind::For { body, .. } => may_stop(body, members),
        _ => true,
    })
}

/// Is something taken out of a collection somewhere? Then its length is worth trying before that of others.
fn takes_from(block: &Block, global: GlobalId) -> bool {
    any_stmt(block, |stmt| match &stmt.kind {
        StmtKind::Assign(place, value) => {
            place.root == Root::Global(global)
                && matches!(
                    value.kind,
                    ExprKind::Method(Builtin::Without | Builtin::DropFirst, _)
                )
        }
        _ => false,
    })
}

/// Globals that have a length.
fn collections(known: &Known<'_>) -> Vec<GlobalId> {
    let globals = known.stage.actions().globals.iter().enumerate();
    let sized = globals.filter(|(_, one)| matches!(one.ty, Ty::Bag(_) | Ty::Set(_) | Ty::Seq(_)));
    sized.map(|(at, _)| GlobalId::from(at)).collect()
}

/// A step of an abstraction: what is known before, and where it leads.
struct Step {
    hypotheses: Vec<Term>,
    run: Gated,
    before: plainsong_prove::lower::Store,
    arguments: Vec<Term>,
}

fn step(
    theory: &mut Theory,
    known: &Known<'_>,
    (action, by): (ActionId, ActionId),
) -> Result<Step> {
    let code = &known.stage.action(by).code;
    let (before, arguments, mut hypotheses) = arbitrary(theory, code)?;
    hypotheses.extend(known.invariants(theory, &before)?);
    hypotheses.extend(known.standing(theory, &before, (by, &arguments))?);
    hypotheses.push(known.pending(theory, &before, (action, &arguments), 1));
    let run = Gated::run(theory, code, None, &before, &arguments, None)?;
    hypotheses.push(run.gate(theory));
    Ok(Step {
        hypotheses,
        run,
        before,
        arguments,
    })
}

/// The obligation with the measure that was found; `None` when asyncs cannot be counted.
fn counted(
    theory: &mut Theory,
    known: &Known<'_>,
    groups: &[Group],
    at: usize,
    pair: (ActionId, ActionId),
) -> Result<Option<Asked>> {
    let step = step(theory, known, pair)?;
    let mut parts = vec![step.run.guard];
    for earlier in &groups[..at] {
        if let Some(global) = earlier.shrinks {
            let (before, after) = lengths(theory, known, &step, global)?;
            parts.push(theory.terms.le(after, before));
        }
    }
    let group = &groups[at];
    if let Some(argument) = &group.smaller {
        let Some(goals) = replaced(theory, &step, pair.0, argument) else {
            return Ok(None);
        };
        parts.extend(goals);
        let goal = theory.terms.and(&parts);
        return Ok(Some(some_way(
            theory,
            known,
            pair,
            step,
            (goal, Vec::new()),
        )));
    }
    let mut measured = Vec::new();
    let mut delta = theory.terms.int(-1);
    for &member in &group.members {
        let Some(more) = step.run.created_in_all(theory, member) else {
            return Ok(None);
        };
        delta = theory.terms.add(delta, more);
    }
    let zero = theory.terms.int(0);
    let fewer = theory.terms.lt(delta, zero);
    let names = group.members.iter();
    let names = names.map(|one| format!("`{}`", known.stage.action(*one).name));
    measured.push(Measured {
        told: format!("asyncs of {}", names.collect::<Vec<_>>().join(" and ")),
        before: Before::Asyncs(group.members.clone()),
        after: delta,
    });
    let mut ways = vec![fewer];
    if let Some(global) = group.shrinks {
        let equal = theory.terms.eq(delta, zero);
        let (before, after) = lengths(theory, known, &step, global)?;
        let shorter = theory.terms.lt(after, before);
        ways.push(theory.terms.and(&[equal, shorter]));
        measured.push(Measured {
            told: format!(
                "`{}.len()`",
                known.stage.actions().globals[global.index()].name
            ),
            before: Before::Number(before),
            after,
        });
    }
    parts.push(theory.terms.or(&ways));
    let goal = theory.terms.and(&parts);
    Ok(Some(some_way(theory, known, pair, step, (goal, measured))))
}

/// That a step replaces its number by smaller ones; `None` if they are no numbers, or plainly not smaller.
fn replaced(
    theory: &mut Theory,
    step: &Step,
    own: ActionId,
    argument: &BTreeMap<ActionId, usize>,
) -> Option<Vec<Term>> {
    let before = step.arguments[argument[&own]];
    if theory.terms.sort(before) != Sort::INT {
        return None;
    }
    let zero = theory.terms.int(0);
    let mut goals = vec![theory.terms.le(zero, before)];
    for one in &step.run.created {
        let Some(&at) = argument.get(&one.action) else {
            continue;
        };
        if theory.terms.sort(one.arguments[at]) != Sort::INT {
            return None;
        }
        let less = theory.terms.lt(one.arguments[at], before);
        if theory.terms.op(less) == Op::False {
            return None;
        }
        let mut goal = theory.terms.implies(one.condition, less);
        for &member in one.each.iter().rev() {
            goal = theory.terms.forall(member, goal);
        }
        goals.push(goal);
    }
    Some(goals)
}

fn lengths(
    theory: &mut Theory,
    known: &Known<'_>,
    step: &Step,
    global: GlobalId,
) -> Result<(Term, Term)> {
    let row = &known.stage.actions().globals[global.index()];
    let span = row.span;
    let whole = Expr {
        kind: ExprKind::Global(global),
        ty: row.ty.clone(),
        span,
    };
    let len = Expr {
        kind: ExprKind::Method(Builtin::Len, vec![whole]),
        ty: Ty::Nat,
        span,
    };
    let (before, _) = lowered(theory, &step.before, &len)?;
    let (after, _) = lowered(theory, &step.run.after, &len)?;
    Ok((before, after))
}

/// The obligation with the measure that is said.
fn said(theory: &mut Theory, known: &Known<'_>, pair: (ActionId, ActionId)) -> Result<Asked> {
    let step = step(theory, known, pair)?;
    let end = after(
        theory,
        known,
        pair.0,
        &step.arguments,
        &step.run,
        &step.before,
    )?;
    let (mut smaller, mut measured) = (theory.terms.bool(false), Vec::new());
    for measure in known.stage.staged.decreases[known.sequence].iter().rev() {
        let (a, defined) = lowered(theory, &step.before, measure)?;
        let (b, also) = lowered(theory, &end, measure)?;
        measured.push(Measured {
            told: quote_marker(measure.span),
            before: Before::Number(a),
            after: b,
        });
        let zero = theory.terms.int(0);
        let positive = theory.terms.le(zero, a);
        let less = theory.terms.lt(b, a);
        let less = theory.terms.and(&[positive, less]);
        let equal = theory.terms.eq(a, b);
        let later = theory.terms.and(&[equal, smaller]);
        let either = theory.terms.or(&[less, later]);
        let mut parts = vec![either];
        parts.extend(defined.into_iter().chain(also));
        smaller = theory.terms.and(&parts);
    }
    measured.reverse();
    let goal = theory.terms.and(&[step.run.guard, smaller]);
    Ok(some_way(theory, known, pair, step, (goal, measured)))
}

/// The goal for some choices; those between two are tried one by one.
fn some_way(
    theory: &mut Theory,
    known: &Known<'_>,
    (action, by): (ActionId, ActionId),
    step: Step,
    (goal, measured): (Term, Vec<Measured>),
) -> Asked {
    let goal = way(theory, &step.run.choices, goal);
    let own = known.stage.action(by);
    let sentence = format!(
        "`{}` may go on for ever: no step of it is known to leave less to do",
        own.name
    );
    let all = vec![obligation(RULE, own.span, sentence, step.hypotheses, goal)];
    let mut scene = Scene::new(action, step.before, step.arguments);
    scene.measured = measured;
    scene.steps = Some(step.run.guard);
    Asked { all, scene }
}

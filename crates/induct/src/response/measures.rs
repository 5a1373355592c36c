//! Measures that nobody stated: numbers that no step makes greater while the goal is owed.
//!
//! Candidates are the integers of a state, as far as the names of the claim reach them: variables and entries of maps, sizes of
//! collections, parameters, and the differences of any two; how many values satisfy a flag, or have a variant, in a map; the
//! distance on a ring of numbers from a variable to a name or another variable; how many messages or asyncs are pending. Those
//! that no step increases, where those before them stay as they are, are put into one lexicographic measure.
//!
//! Why sound. A measure may be anything: the rules of a response are shown for it. Numbers that never rise do no harm in front of others.

use super::tasks::{Candidate, Rule};
use super::{Asked, Prover, measured, read};
use crate::fixpoint::obligation;
use plainsong_ir::build::{
    all_of, binary, equal, expr, global, index, int, local, method, not, quantified, widened,
};
use plainsong_ir::finite::{is_finite, is_range_sort};
use plainsong_ir::print::Context;
use plainsong_ir::{
    ActionId, BinOp, Builtin, ConstId, Expr, ExprKind, GlobalId, Local, LocalId, PendingOf,
    Quantifier, Song, TemporalPart, Ty,
};
use plainsong_prove::discharge::Shown;
use plainsong_prove::term::Term;
use plainsong_prove::theory::Result;
use std::collections::BTreeSet;

/// The most candidates that are tried.
const MOST: usize = 120;
/// The most numbers of a measure.
const LEVELS: usize = 6;

/// Numbers that never rise, in the words of the song.
pub(super) struct Steady {
    pub(super) tuple: Vec<Expr>,
    /// The names of the claim, and those that the numbers bind.
    locals: Vec<Local>,
}

impl Steady {
    /// As they would be stated.
    pub(super) fn words(&self, song: &Song) -> Vec<String> {
        let context = Context {
            song,
            locals: &self.locals,
            family: None,
        };
        self.tuple.iter().map(|one| context.expr(one)).collect()
    }
}

impl Prover<'_> {
    /// The numbers that never rise while the goal of a claim is owed.
    pub(super) fn steady(&mut self, part: &TemporalPart, asked: &Asked) -> Steady {
        let stores = self.stores();
        let song = self.induction.system.song.clone();
        let names: Vec<LocalId> = asked.names.keys().copied().collect();
        let counted: BTreeSet<ActionId> = self.induction.system.counted.clone();
        let mut steady = Steady {
            tuple: Vec::new(),
            locals: self.property.locals.clone(),
        };
        let all = numbers(&song, &self.property.locals, &names, &counted);
        for (one, row) in all.into_iter().take(MOST) {
            if steady.tuple.len() == LEVELS || (self.stop)() {
                break;
            }
            let theory = &mut *self.induction.theory;
            let alone = std::slice::from_ref(&one);
            let Ok((_, unchanged)) = measured(theory, &asked.names, alone, &stores) else {
                continue;
            };
            let longer = [&steady.tuple[..], alone].concat();
            let Ok((less, same)) = measured(theory, &asked.names, &longer, &stores) else {
                continue;
            };
            if self.never_rises(part, asked, &unchanged, (&less, &same)) {
                steady.tuple = longer;
                steady.locals.extend(row);
            }
        }
        steady
    }

    /// Makes a tuple the measure of a claim.
    pub(super) fn measure_by(&mut self, asked: &mut Asked, tuple: &[Expr]) -> Result<()> {
        let stores = self.stores();
        (asked.decreased, asked.same) =
            measured(self.induction.theory, &asked.names, tuple, &stores)?;
        Ok(())
    }

    /// Tasks that return, each while a number that never rises is positive, or is not: so one may help where the
    /// number is positive, and another after that.
    pub(super) fn in_phases(
        &mut self,
        asked: &Asked,
        all: &[Candidate],
        tuple: &[Expr],
    ) -> Result<Vec<Candidate>> {
        let stores = self.stores();
        let mut phases = Vec::new();
        for number in tuple {
            let mut values = Vec::new();
            for store in &stores {
                values.push(read(self.induction.theory, &asked.names, store, number)?.0);
            }
            let terms = &mut self.induction.theory.terms;
            let zero = terms.int(0);
            for is_positive in [true, false] {
                let here: Vec<Term> = values
                    .iter()
                    .map(|value| match is_positive {
                        true => terms.lt(zero, *value),
                        false => terms.le(*value, zero),
                    })
                    .collect();
                for one in all.iter().filter(|one| one.rule == Rule::Returns) {
                    let mut one = one.clone();
                    for (at, here) in here.iter().enumerate() {
                        one.stays[at] = terms.and(&[one.stays[at], *here]);
                        one.at_hand[at] = terms.and(&[one.at_hand[at], *here]);
                    }
                    phases.push(one);
                }
            }
        }
        Ok(phases)
    }

    /// Does no step increase it while the goal is owed, and does some step change it?
    fn never_rises(
        &mut self,
        part: &TemporalPart,
        asked: &Asked,
        unchanged: &[Term],
        (less, same): (&[Term], &[Term]),
    ) -> bool {
        let mut changes = false;
        for number in 0..self.induction.steps.len() {
            let known = self.step(asked, number);
            let mut is_shown = |goal: &[Term]| {
                let goal = self.induction.theory.terms.or(goal);
                let told = "a number never rises".to_owned();
                let span = part.goal.span;
                let one = obligation("response/steady", span, told, known.clone(), goal);
                self.induction.shown(&[one])[0] == Shown::Yes
            };
            if is_shown(&[asked.goal_after[number], unchanged[number]]) {
                continue;
            }
            changes = true;
            if !is_shown(&[asked.goal_after[number], less[number], same[number]]) {
                return false;
            }
        }
        changes
    }
}

/// Numbers that may decrease, with the names that they bind, which have the numbers after the claim's.
fn numbers(
    song: &Song,
    locals: &[Local],
    names: &[LocalId],
    counted: &BTreeSet<ActionId>,
) -> Vec<(Expr, Option<Local>)> {
    let Some(actions) = song.actions() else {
        return Vec::new();
    };
    let is_number = |ty: &Ty| matches!(ty, Ty::Int | Ty::Nat) || is_range_sort(song, ty);
    let mut all: Vec<(Expr, Option<Local>)> = Vec::new();
    let (mut plain, mut places, mut flags) = (Vec::new(), Vec::new(), Vec::new());
    for name in names {
        let row = &locals[name.index()];
        if is_range_sort(song, &row.ty) {
            places.push(local(*name, &row.ty));
        }
    }
    for (at, row) in actions.globals.iter().enumerate() {
        let here = global(GlobalId::from(at), &row.ty);
        for value in reached(&here, locals, names) {
            match &value.ty {
                ty if is_number(ty) => {
                    if is_range_sort(song, ty) {
                        places.push(value.clone());
                    }
                    plain.push(widened(value));
                }
                Ty::Set(_) | Ty::Seq(_) | Ty::Bag(_) => {
                    all.extend(members(song, &value, locals.len()));
                    plain.push(widened(method(Builtin::Len, vec![value], Ty::Nat)));
                }
                Ty::Bool => {
                    for truth in [true, false] {
                        all.push((flag(value.clone(), truth), None));
                    }
                    flags.push(value);
                }
                Ty::Map(key, content) if is_finite(song, key) => {
                    all.extend(counts(song, &value, key, content, locals.len()));
                }
                _ => {}
            }
        }
    }
    for (at, one) in song.consts.iter().enumerate() {
        if matches!(one.ty, Ty::Int | Ty::Nat) {
            plain.push(widened(expr(
                ExprKind::Const(ConstId::from(at)),
                one.ty.clone(),
            )));
        }
    }
    let mut found: Vec<(Expr, Option<Local>)> = Vec::new();
    for one in &plain {
        found.push((one.clone(), None));
    }
    for one in &plain {
        for other in plain.iter().filter(|other| *other != one) {
            found.push((arithmetic(BinOp::Sub, one.clone(), other.clone()), None));
        }
    }
    for from in &places {
        for to in places.iter().filter(|to| *to != from && to.ty == from.ty) {
            found.push((distance(from, to), None));
        }
    }
    found.extend(all);
    for (at, one) in flags.iter().enumerate() {
        for other in &flags[at + 1..] {
            for truth in [true, false] {
                found.push((flag(equal(one.clone(), other.clone()), truth), None));
            }
        }
    }
    for at in counted {
        let kind = ExprKind::Pending(PendingOf::Action(*at));
        found.push((widened(expr(kind, Ty::Nat)), None));
    }
    found
}

/// What is found in a value, going through maps at the names.
fn reached(value: &Expr, locals: &[Local], names: &[LocalId]) -> Vec<Expr> {
    let mut all = vec![value.clone()];
    if let Ty::Map(key, _) = &value.ty {
        for name in names.iter().filter(|name| locals[name.index()].ty == **key) {
            let there = index(value.clone(), local(*name, key));
            all.extend(reached(&there, locals, names));
        }
    }
    all
}

fn arithmetic(op: BinOp, left: Expr, right: Expr) -> Expr {
    Expr {
        ty: Ty::Int,
        ..binary(op, left, right)
    }
}

fn choice(condition: Expr, yes: Expr, no: Expr) -> Expr {
    expr(
        ExprKind::If(condition.into(), yes.into(), no.into()),
        Ty::Int,
    )
}

fn flag(value: Expr, truth: bool) -> Expr {
    let (yes, no) = if truth { (1, 0) } else { (0, 1) };
    choice(value, int(yes), int(no))
}

/// How far it is from one number of a ring to another, going up.
fn distance(from: &Expr, to: &Expr) -> Expr {
    let (from, to) = (widened(from.clone()), widened(to.clone()));
    let size = method(Builtin::Len, vec![all_of(&bare(&from))], Ty::Nat);
    let ahead = arithmetic(BinOp::Sub, to.clone(), from.clone());
    let round = arithmetic(BinOp::Add, ahead.clone(), widened(size));
    choice(binary(BinOp::Ge, to, from), ahead, round)
}

fn bare(one: &Expr) -> Ty {
    one.bare().ty.clone()
}

/// How many values are in a set, and how many are not.
fn members(song: &Song, set: &Expr, next: usize) -> Vec<(Expr, Option<Local>)> {
    let Ty::Set(element) = &set.ty else {
        return Vec::new();
    };
    if !is_finite(song, element) {
        return Vec::new();
    }
    let inside = binary(BinOp::In, local(LocalId::from(next), element), set.clone());
    let both = [not(inside.clone()), inside];
    both.map(|one| count(element, next, one)).into()
}

/// How many values satisfy something.
fn count(ty: &Ty, next: usize, condition: Expr) -> (Expr, Option<Local>) {
    let row = Local {
        name: "x".to_owned(),
        ty: ty.clone(),
        mutable: false,
        span: Default::default(),
    };
    let count = quantified(Quantifier::Count, LocalId::from(next), ty, None, condition);
    (
        widened(Expr {
            ty: Ty::Nat,
            ..count
        }),
        Some(row),
    )
}

/// How many entries of a map are true, or false, or a variant.
fn counts(
    song: &Song,
    map: &Expr,
    key: &Ty,
    content: &Ty,
    next: usize,
) -> Vec<(Expr, Option<Local>)> {
    let name = LocalId::from(next);
    let entry = index(map.clone(), local(name, key));
    let conditions: Vec<Expr> = match content {
        Ty::Bool => vec![entry.clone(), not(entry)],
        Ty::Enum(which) => {
            let variants = song.enums[which.index()].variants.iter().enumerate();
            let plain = variants.filter(|(_, one)| one.fields.is_empty());
            plain
                .map(|(at, _)| {
                    let kind = ExprKind::Variant(*which, at, Vec::new());
                    equal(entry.clone(), expr(kind, content.clone()))
                })
                .collect()
        }
        _ => Vec::new(),
    };
    conditions
        .into_iter()
        .map(|one| count(key, next, one))
        .collect()
}

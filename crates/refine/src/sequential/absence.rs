//! What an abstraction stands on: that some asyncs are not pending any more when it is called.
//!
//! A schedule calls things in an order. When it calls `Join(r, n)` no `Join(s, m)` with `s < r` is pending,
//! and nothing that could create one. That makes a gate: the abstraction is thought to fail where such an async is
//! pending. Gates of this form are found, not declared:
//!
//! 1. Candidates: for each action that can be pending, that no async of it is, or none with a parameter that is
//!    equal to, below or above one of the abstraction's. What small schedules contradict is left out, and so is
//!    what follows from another.
//! 2. Those that hold wherever the schedule calls the action are kept ([`plainsong_prove::vc::watched`]).
//! 3. Of these, those that no step of another async makes false, as long as all of them hold, are kept. What
//!    falls is dropped, and the rest is asked again.
//!
//! Why sound. Such a gate speaks about configurations, not only about variables, and the argument in
//! [`super`] needs of gates just that: 2. is `gate`, 3. is gate preservation. What an abstraction does where it
//! does not fail stays the same, so `abstraction` asks for less. Wherever the argument swaps a step of the
//! abstraction with another, or inserts one, its gate holds; so the conditions on movers, cooperation and
//! abstraction may rely on it.

use super::context::{Known, arbitrary, count, same};
use super::pool::created;
use super::refute::moments;
use super::stage::Stage;
use crate::answer::{GUESS, Prover, obligation};
use plainsong_diagnostics::Span;
use plainsong_ir::{ActionId, Song, finite};
use plainsong_prove::gated_actions::Gated;
use plainsong_prove::lower::{Env, Lowering, Store};
use plainsong_prove::obligation::Obligation;
use plainsong_prove::term::Term;
use plainsong_prove::theory::{Result, Theory};
use plainsong_prove::vc::{Watch, watched};
use plainsong_semantics::value::Value;
use std::collections::{BTreeMap, BTreeSet};

const RULE: &str = "sequentialize/standing";

/// How a parameter of another async stands to one's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    Equal,
    Below,
    NotAbove,
    Above,
    NotBelow,
}

/// No async of `other` is pending; or none whose parameter stands so to one's own. Oneself does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Absence {
    own: ActionId,
    pub(crate) other: ActionId,
    /// The parameter of the other, how it stands to one's own, and which that is.
    by: Option<(usize, Relation, usize)>,
}

impl Absence {
    /// Is an async of the other action excluded?
    pub(crate) fn excludes(
        &self,
        theory: &mut Theory,
        stage: &Stage,
        own: &[Term],
        other: &[Term],
    ) -> Term {
        let mut parts = Vec::new();
        if let Some((i, relation, j)) = self.by {
            let ty = stage.action(self.own).code.locals[j].ty.clone();
            let (a, b) = (other[i], own[j]);
            parts.push(match relation {
                Relation::Equal => theory.equal(&ty, a, b),
                Relation::Below => theory.terms.lt(a, b),
                Relation::NotAbove => theory.terms.le(a, b),
                Relation::Above => theory.terms.lt(b, a),
                Relation::NotBelow => theory.terms.le(b, a),
            });
        }
        if self.own == self.other {
            let same = same(theory, stage.action(self.own), own, other);
            parts.push(theory.terms.not(same));
        }
        theory.terms.and(&parts)
    }

    /// Does this exclude all that the other does, and more?
    fn is_stronger(&self, other: &Absence) -> bool {
        let same = (self.own, self.other) == (other.own, other.other) && self.by != other.by;
        same && match (self.by, other.by) {
            (None, _) => true,
            (Some((i, one, j)), Some((k, two, l))) => {
                (i, j) == (k, l)
                    && matches!(
                        (one, two),
                        (Relation::NotAbove, Relation::Below)
                            | (Relation::NotBelow, Relation::Above)
                    )
            }
            _ => false,
        }
    }

    /// The same of values.
    pub(crate) fn excludes_value(&self, own: &[Value], other: &[Value]) -> bool {
        let stands = self.by.is_none_or(|(i, relation, j)| {
            let (a, b) = (&other[i], &own[j]);
            match relation {
                Relation::Equal => a == b,
                Relation::Below => a < b,
                Relation::NotAbove => a <= b,
                Relation::Above => a > b,
                Relation::NotBelow => a >= b,
            }
        });
        stands && (self.own != self.other || own != other)
    }

    /// That nothing that is excluded is pending.
    pub(crate) fn holds(
        &self,
        theory: &mut Theory,
        stage: &Stage,
        store: &Store,
        own: &[Term],
    ) -> Result {
        let (_, others, valid) = arbitrary(theory, &stage.action(self.other).code)?;
        let excluded = self.excludes(theory, stage, own, &others);
        let mut parts = arguments_of(&valid, others.len()).to_vec();
        parts.push(excluded);
        let excluded = theory.terms.and(&parts);
        let (count, zero) = (
            count(theory, stage, store, self.other, &others),
            theory.terms.int(0),
        );
        let none = theory.terms.eq(count, zero);
        let mut all = theory.terms.implies(excluded, none);
        for other in others.into_iter().rev() {
            all = theory.terms.forall(other, all);
        }
        Ok(all)
    }
}

/// Of what is known about an arbitrary state and arguments, what is about the arguments.
fn arguments_of(known: &[Term], count: usize) -> &[Term] {
    &known[known.len() - count..]
}

/// What the abstractions of a sequentialization stand on.
pub(crate) fn standing(
    song: &Song,
    known: &Known<'_>,
    prover: &mut Prover<'_>,
) -> Result<BTreeMap<ActionId, Vec<Absence>>> {
    let mut candidates = candidates(known);
    for ((action, own), others) in moments(song, known.sequence) {
        candidates.retain(|one| {
            let mut others = others.iter().filter(|(other, _)| *other == one.other);
            one.own != action || !others.any(|(_, other)| one.excludes_value(&own, other))
        });
    }
    let mut holding: BTreeMap<ActionId, Vec<Absence>> = BTreeMap::new();
    let mut asking = strongest(&candidates, &[]);
    while !asking.is_empty() {
        let (held, fallen) = hold_where_called(known, asking, prover)?;
        for one in held {
            holding.entry(one.own).or_default().push(one);
        }
        let held: Vec<Absence> = holding.values().flatten().cloned().collect();
        asking = weaker(&candidates, &fallen, &held);
    }
    for standing in holding.values_mut() {
        loop {
            let fallen = fallen(known, standing, prover)?;
            if fallen.is_empty() {
                break;
            }
            standing.retain(|one| !fallen.contains(one));
            let weaker = weaker(&candidates, &fallen, standing);
            standing.extend(weaker);
        }
    }
    Ok(holding)
}

/// Those that no other one implies.
fn strongest(all: &[Absence], held: &[Absence]) -> Vec<Absence> {
    let implied = |one: &Absence| all.iter().chain(held).any(|other| other.is_stronger(one));
    all.iter().filter(|one| !implied(one)).cloned().collect()
}

/// What is left to try when some have fallen.
fn weaker(candidates: &[Absence], fallen: &[Absence], held: &[Absence]) -> Vec<Absence> {
    let below = |one: &&Absence| fallen.iter().any(|other| other.is_stronger(one));
    let below: Vec<Absence> = candidates.iter().filter(below).cloned().collect();
    strongest(&below, held)
}

/// Those that hold wherever the schedule calls their action, and the others.
fn hold_where_called(
    known: &Known<'_>,
    candidates: Vec<Absence>,
    prover: &mut Prover<'_>,
) -> Result<(Vec<Absence>, Vec<Absence>)> {
    let watching = CandidateObserver { known, candidates };
    let asked = watched(prover.theory, &watching)?;
    let open = prover.open_within("standing", &asked, GUESS);
    let number = |at: usize| asked[at].text.parse::<usize>().ok();
    let open: BTreeSet<usize> = open.iter().filter_map(|(at, _)| number(*at)).collect();
    let called: BTreeSet<usize> = (0..asked.len()).filter_map(number).collect();
    let (mut held, mut fallen) = (Vec::new(), Vec::new());
    for (at, one) in watching.candidates.into_iter().enumerate() {
        match (called.contains(&at), open.contains(&at)) {
            (true, false) => held.push(one),
            (true, true) => fallen.push(one),
            _ => {}
        }
    }
    Ok((held, fallen))
}

fn candidates(known: &Known<'_>) -> Vec<Absence> {
    let stage = known.stage;
    let song = &stage.staged.song;
    let mut all = Vec::new();
    for &(own, _) in &stage.staged.eliminated[known.sequence] {
        for &other in &stage.pools[known.sequence] {
            let candidate = |by| Absence { own, other, by };
            all.push(candidate(None));
            let (mine, theirs) = (&stage.action(own).code, &stage.action(other).code);
            for j in 0..mine.arity {
                for i in 0..theirs.arity {
                    let ty = &mine.locals[j].ty;
                    if *ty != theirs.locals[i].ty {
                        continue;
                    }
                    let relations: &[Relation] = match finite::is_ordered(song, ty) {
                        true => &[
                            Relation::NotAbove,
                            Relation::Below,
                            Relation::NotBelow,
                            Relation::Above,
                        ],
                        false => &[Relation::Equal],
                    };
                    all.extend(relations.iter().map(|one| candidate(Some((i, *one, j)))));
                }
            }
        }
    }
    all
}

/// Asks for the candidates where the schedule calls actions.
struct CandidateObserver<'k, 's> {
    known: &'k Known<'s>,
    candidates: Vec<Absence>,
}

impl Watch for CandidateObserver<'_, '_> {
    fn watches(&self, span: Span) -> bool {
        let calls = &self.known.stage.staged.calls[self.known.sequence];
        calls.contains_key(&(span.start, span.end))
    }

    fn ask(
        &self,
        theory: &mut Theory,
        env: &Env,
        known: &[Term],
        span: Span,
    ) -> Result<Vec<Obligation>> {
        let stage = self.known.stage;
        let calls = &stage.staged.calls[self.known.sequence];
        let (action, arguments) = &calls[&(span.start, span.end)];
        let mut lowering = Lowering::new(theory, env.clone());
        let arguments = arguments.iter().map(|one| lowering.expr(one));
        let arguments = arguments.collect::<Result<Vec<Term>>>()?;
        let mut all = Vec::new();
        for (at, candidate) in self.candidates.iter().enumerate() {
            if candidate.own != *action {
                continue;
            }
            let goal = candidate.holds(theory, stage, &env.store, &arguments)?;
            let mut one = obligation(RULE, span, "nothing else is pending", known.to_vec(), goal);
            one.text = at.to_string();
            all.push(one);
        }
        Ok(all)
    }
}

/// Those that a step makes false.
fn fallen(
    known: &Known<'_>,
    standing: &[Absence],
    prover: &mut Prover<'_>,
) -> Result<Vec<Absence>> {
    let mut asked = Vec::new();
    let mut about = Vec::new();
    for one in standing {
        for &step in &known.stage.pools[known.sequence] {
            if created(&known.stage.action(step).code.body).contains(&one.other) {
                asked.push(creates_none(known, standing, one, step, prover.theory)?);
                about.push(one);
            }
        }
    }
    let open = prover.open_within("standing/kept", &asked, GUESS);
    let mut fallen: Vec<Absence> = Vec::new();
    for (at, _) in open {
        if !fallen.contains(about[at]) {
            fallen.push(about[at].clone());
        }
    }
    Ok(fallen)
}

/// Statement. An async that is pending together with one that stands on `standing` creates nothing that `one`
/// excludes.
fn creates_none(
    known: &Known<'_>,
    standing: &[Absence],
    one: &Absence,
    step: ActionId,
    theory: &mut Theory,
) -> Result<Obligation> {
    let stage = known.stage;
    let (own, other) = (stage.action(one.own), stage.action(one.other));
    let (store, arguments, mut hypotheses) = arbitrary(theory, &stage.action(step).code)?;
    let (_, mine, valid) = arbitrary(theory, &own.code)?;
    hypotheses.extend(arguments_of(&valid, mine.len()));
    let pair = [(step, &arguments[..]), (one.own, &mine[..])];
    hypotheses.extend(known.together(theory, &store, pair));
    for excluding in standing.iter().filter(|other| other.other == step) {
        let excluded = excluding.excludes(theory, stage, &mine, &arguments);
        hypotheses.push(theory.terms.not(excluded));
    }
    let run = Gated::run(
        theory,
        &stage.action(step).code,
        None,
        &store,
        &arguments,
        None,
    )?;
    let (_, keys, valid) = arbitrary(theory, &other.code)?;
    hypotheses.extend(arguments_of(&valid, keys.len()));
    hypotheses.push(one.excludes(theory, stage, &mine, &keys));
    let count = run.created(theory, one.other, &keys);
    let zero = theory.terms.int(0);
    let goal = theory.terms.le(count, zero);
    let sentence = "nothing that an abstraction stands on is created";
    Ok(obligation(RULE, own.span, sentence, hypotheses, goal))
}

//! Inductive sequentialization: asyncs run one after the other, in the order of a schedule.
//!
//! A program is a set of actions and an `init`; a step runs one pending async. `sequentialize A, B as C { S }`
//! claims that the program may be replaced by one whose `init` is the old one followed by the schedule `S`,
//! and whose steps then run what is still pending. Claimed is refinement: if the new program cannot
//! fail, the old one cannot, and every state in which the old one ends (with nothing pending), the new one
//! can end in. So assertions, and properties of final states, may be shown of the new program.
//!
//! # The rule
//!
//! Let `E` be the eliminated actions, `A*` what stands for `A` (`as C`, else `A` with its waits asserted),
//! `Pool` the actions of which asyncs can be pending, `Inv` the invariants after `sequentialize`.
//!
//! | rule | asks |
//! |---|---|
//! | `sequentialize/abstraction` | where `A*` does not fail, `A` does not, and `A*` can do what `A` does |
//! | `sequentialize/membership` | what the schedule calls is pending there |
//! | `sequentialize/gate` | what it calls does not fail there (nor does `init`) |
//! | `sequentialize/end` | at its end nothing of `E` is pending |
//! | `sequentialize/standing` | gates about what is not pending any more: [`standing`] |
//! | `sequentialize/invariant` | `Inv` holds when the schedule begins; steps of `Pool` and of each `A*` keep it |
//! | `mover/…` | each `A*` moves left past each action of `Pool`, where both are pending: [`crate::movers`] |
//! | `sequentialize/cooperation` | each `A*` has a step that leaves less to do: [`measure`] |
//! | loops | the schedule is shown like any sequential program: `plainsong_prove::vc` |
//!
//! Between calls a schedule neither waits nor chooses nor changes anything nor runs for ever
//! ([`schedule`]); it may go round for ever calling something.
//!
//! # Why sound
//!
//! Call `(g, Ω)` a configuration: globals and pending asyncs. Let `I` be the set of all `(s, g, Ω)` such that
//! from the start `s`, `init` and then a prefix of the schedule up to just before a call, or its end, leads to
//! `(g, Ω)`. (1) `I` contains what `init` alone leads to: the code before the first call terminates and
//! changes nothing. (2) If `(s, g, Ω)` is in `I` and `Ω` has an async of `E`, then there is a prefix to it that
//! is not the end of the schedule (`end`), so a call `A(x)` comes next, for which `A(x) ∈ Ω`
//! (`membership`) and `A*` does not fail at `(g, x)` (`gate`), and for each step of `A*` from there the
//! configuration reached is in `I` again: the code up to the next call terminates and changes nothing.
//! The same `(s, g, Ω)` may be reached by several prefixes; any of them will do.
//!
//! "Fails at" is said of configurations: the gate of an abstraction may speak about what is pending besides it.
//!
//! All configurations below satisfy `Inv`: those of `I` by `invariant` (the steps of a schedule are steps of
//! abstractions that do not fail), and every further step is one of `Pool` or of an abstraction.
//!
//! Take an execution of the program that ends with nothing pending, or fails: `init`, then steps. Begin with
//! `i = (s, g, Ω) ∈ I` behind `init`, followed by the rest of the execution. As long as `Ω` has an async of `E`,
//! let `A(x)` be the next call of a prefix to `i`.
//!
//! - If the rest runs `A(x)`: replace that step by one of `A*`. `A*` does not fail at `i`, and by gate preservation
//!   not after any of the steps before it, so `abstraction` gives the same step of `A*`. (If `A` fails there
//!   then so does `A*`, by `abstraction`; that cannot be.) By commutativity it moves left past the steps before
//!   it, one by one, to `i`, and by (2) becomes part of `i`. The rest is one step shorter.
//! - If the rest never runs `A(x)`, the execution fails, with `A(x)` still pending. At its last configuration
//!   `A*` does not fail (gate preservation) and can step such that the measure decreases
//!   (`cooperation`, and nonblocking); the failing step still fails after it (failure preservation).
//!   Insert it there and move it left as before. The number of steps is the same as before, and the
//!   measure of the configuration before the failure is smaller. If the failing step is `A(x)` itself, `A` fails
//!   there and so does `A*`; that cannot be.
//!
//! Each time either the rest gets shorter, or it stays as long and the measure of the last configuration
//! decreases; so this ends, with `i ∈ I` whose `Ω` has no async of `E`. If `i` is the end of the schedule, followed
//! by steps of what is left, that is an execution of the new program with the same end or failure. If
//! `i` is no end, its prefix goes on to a call or to the end; a call would need an async of `E` in `Ω`
//! (`membership`), so it goes on to the end. Failing executions: the new program fails too, unless it is shown not
//! to. For several sequentializations one after the other, each is applied to the program that the ones
//! before lead to; refinement is transitive.
//!
//! Moving past steps created on the way is covered because `Pool` is closed under creation. `init` is
//! never moved past: it comes first, and nothing creates it.
//!
//! DIFFERS from the literal rule (`I`, choice function and target as separate actions, [`induction`]): they are read off
//! the schedule. `Inv` may be relied on in mover conditions; it speaks about variables and what is pending. That of
//! some asyncs at most one is pending is found ([`laws`]), and so are gates that say what is not pending any more
//! when the schedule calls something ([`standing`]).
//!
//! In a program with procedures, schedules are about the program above all of them.
//!
//! NOT COVERED, and refused: schedules that wait, choose, or look at what is pending;
//! parameters whose values cannot index a map; eliminated actions that only abstractions create.
//!
//! Source. \[Kragl20\] chapter 5.

mod absence;
mod asserted;
mod bag;
mod conditions;
pub(crate) mod context;
mod elimination;
mod example;
mod induction;
mod inline;
mod laws;
mod line;
mod measure;
mod pool;
mod reached;
mod refute;
mod runs;
mod schedule;
mod stage;
mod tidy;

use crate::answer::{Answer, Missing, Proof, Prover};
use crate::brute::Brute;
use crate::movers::{Condition, Need, Side, needs_past, show};
use crate::negative_cache::Tried;
pub(crate) use asserted::waits;
pub use line::line;
use plainsong_diagnostics::quote_marker;
pub(crate) use pool::created;

use context::Known;
use elimination::{after, leading};
use example::Asks;
use induction::Inductive;
use plainsong_ir::{ActionId, Actions, Claim, Sequentialization, Song};
use plainsong_prove::obligation::{Obligation, Rule};
use plainsong_prove::theory::Theory;
use plainsong_prove::vc::of_init;
use plainsong_semantics::value::Value;
use stage::{Asserts, Stage};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The largest size of sorts, and the most states, that conditions on movers are tried with.
const LARGEST: i64 = 2;
const STATES: usize = 600;

/// What was shown about the sequential program.
#[derive(Clone, Debug, Default)]
struct Told {
    proof: Proof,
    /// Properties of final states that were shown of it.
    finally: BTreeMap<usize, Answer>,
}

/// The sequentializations of a song, as far as they were looked at.
#[derive(Default)]
pub struct Sequences {
    known: BTreeMap<usize, Answer>,
    ends: BTreeMap<usize, Answer>,
    /// Are small programs not tried?
    alone: bool,
    /// What they are called, if not by their actions.
    pub(crate) names: Option<Vec<String>>,
}

impl Sequences {
    /// Nothing looked at yet; small programs will not be tried, so nothing is refuted.
    pub fn by_proof_alone() -> Sequences {
        Sequences {
            alone: true,
            ..Sequences::default()
        }
    }

    /// May the program be replaced as sequentialization number `at` says?
    pub fn sequence(&mut self, song: &Song, at: usize, prover: &mut Prover<'_>) -> Answer {
        if let Some(known) = self.known.get(&at) {
            return known.clone();
        }
        let answer = self.looked_at(song, at, prover);
        self.known.insert(at, answer.clone());
        answer
    }

    /// Does a property of final states hold? Shown of the sequential program, if nothing else is left.
    pub fn finally(&mut self, song: &Song, property: usize, prover: &mut Prover<'_>) -> Answer {
        match self.whole(song, prover) {
            Ok(_) => self.ends.get(&property).cloned().unwrap_or_else(|| {
                Answer::unknown("this is no property of final states".to_owned())
            }),
            Err(why) => Answer::unknown(why),
        }
    }

    /// Can nothing fail?
    pub fn assertions(&mut self, song: &Song, prover: &mut Prover<'_>) -> Answer {
        match self.whole(song, prover) {
            Ok(proof) => Answer::Proved(proof),
            Err(why) => Answer::unknown(why),
        }
    }

    /// What was shown, if it was shown that the whole program is sequential.
    fn whole(&mut self, song: &Song, prover: &mut Prover<'_>) -> Result<Proof, String> {
        let count = song.sequences().len();
        let first = leading(song);
        let changed = after(song, first)?;
        let actions = changed.actions().ok_or("there are no actions")?;
        let left = pool::pool(actions, count - first);
        if let Some(id) = left.first() {
            let name = &actions.actions[id.index()].name;
            return Err(format!(
                "asyncs of `{name}` are not eliminated by any schedule"
            ));
        }
        let mut proof = Proof::default();
        for at in 0..count {
            match self.sequence(song, at, prover) {
                Answer::Proved(more) => proof.obligations += more.obligations,
                _ => return Err(self.rests_on(song, at)),
            }
        }
        Ok(proof)
    }

    fn looked_at(&mut self, song: &Song, at: usize, prover: &mut Prover<'_>) -> Answer {
        for earlier in 0..at {
            if !matches!(self.sequence(song, earlier, prover), Answer::Proved(_)) {
                return Answer::unknown(self.rests_on(song, earlier));
            }
        }
        let first = leading(song).min(at);
        match after(song, first) {
            Ok(song) => self.looked_at_alone(&song, at - first, prover),
            Err(why) => Answer::unknown(why),
        }
    }

    /// The same, when those before are shown, and those that put asyncs into actions are done.
    fn looked_at_alone(&mut self, song: &Song, at: usize, prover: &mut Prover<'_>) -> Answer {
        let Some(actions) = song.actions() else {
            return Answer::unknown("there are no actions".to_owned());
        };
        let into = actions.sequences[at].into.is_some();
        if into && at > 0 {
            let why = "asyncs are put into actions before schedules are applied";
            return Answer::unknown(why.to_owned());
        }
        if into && let Err(why) = after(song, 1) {
            return Answer::unknown(why);
        }
        if let Some(why) = induction::refused(actions, &actions.sequences[at]) {
            return Answer::unknown(why);
        }
        if let (None, Some((_, why))) = (
            &actions.sequences[at].by,
            schedule::refused(&actions.sequences[at]),
        ) {
            return Answer::unknown(format!("the schedule is refused: {why}"));
        }
        let sequence = &actions.sequences[at];
        if let Some(id) = pool::created_by_abstractions_only(actions, sequence) {
            let name = &actions.actions[id.index()].name;
            return Answer::unknown(format!(
                "only abstractions create asyncs of `{name}`: it cannot be eliminated with them"
            ));
        }
        let tried = Tried::new(prover.solvers, song);
        let search = |sizes: RangeInclusive<i64>| {
            let about = format!("sequence {at} at {sizes:?}");
            tried.search(&about, || refute::refuted(song, at, sizes))
        };
        if !self.alone
            && !into
            && let Some(refutation) = search(1..=2)
        {
            return Answer::Refuted(refutation);
        }
        match self.shown(song, actions, at, prover) {
            Ok(told) => {
                self.ends.extend(told.finally);
                Answer::Proved(told.proof)
            }
            Err(why) if self.alone || into => Answer::unknown(why),
            Err(why) => match search(3..=3) {
                Some(refutation) => Answer::Refuted(refutation),
                None => Answer::unknown(why),
            },
        }
    }

    fn rests_on(&self, song: &Song, at: usize) -> String {
        let own = || song.sequence_name(&song.sequences()[at]);
        let said = self.names.as_ref().and_then(|names| names.get(at).cloned());
        let name = said.unwrap_or_else(own);
        format!("this rests on `{name}`, which is not proved")
    }

    fn shown(
        &self,
        song: &Song,
        actions: &Actions,
        at: usize,
        prover: &mut Prover<'_>,
    ) -> Result<Told, Missing> {
        let stage = Stage::new(&induction::without_choices(song), at + 1);
        let mut theory = Theory::new(stage.staged.song.clone());
        let prover = &mut prover.about(&mut theory);
        let mut told = Told::default();
        let last = at + 1 == actions.sequences.len();
        let sequence = &actions.sequences[at];
        schedule_shown(&stage, (sequence, last), prover, &mut told)?;
        let program = Arc::new(line(song, at));
        let mut known = Known {
            stage: &stage,
            program: &program,
            sequence: at,
            laws: &stage.bags.laws,
            standing: BTreeMap::new(),
        };
        if sequence.into.is_none() {
            let standing = absence::standing(song, &known, prover);
            known.standing = standing.map_err(|why| why.message)?;
        }
        if let (Some(by), Some(into)) = (&sequence.by, sequence.into) {
            let inductive = Inductive {
                known: &known,
                sequence,
                by,
                into,
            };
            induction::shown(&inductive, prover, &mut told.proof)?;
        }
        for pair in &stage.staged.eliminated[at] {
            if actions.sequences[at]
                .eliminated
                .iter()
                .any(|one| one.action == pair.0 && one.by.is_some())
            {
                abstracts(&known, *pair, prover, &mut told.proof)?;
            }
        }
        keeps(&known, prover, &mut told.proof)?;
        for (_, by) in &stage.staged.eliminated[at] {
            moves_left(&known, *by, prover, &mut told.proof)?;
        }
        let count = measure::cooperates(&known, prover)?;
        told.proof.obligations += count;
        let told_of = if count == 0 {
            "by counting"
        } else {
            "by a measure"
        };
        told.proof
            .explained
            .push(format!("sequentialize/cooperation: {told_of}"));
        Ok(told)
    }
}

/// The schedule as a sequential program; at the last one, also what holds at the end.
fn schedule_shown(
    stage: &Stage,
    (sequence, last): (&Sequentialization, bool),
    prover: &mut Prover<'_>,
    told: &mut Told,
) -> Result<(), Missing> {
    let properties = stage.staged.song.properties.iter().enumerate();
    let finally = properties.filter(|(_, one)| last && matches!(one.claim, Claim::Finally(_)));
    let finally: Vec<usize> = finally.map(|(at, _)| at).collect();
    let conditions = of_init(prover.theory, &finally).map_err(|why| why.message)?;
    let all: Vec<Obligation> = conditions
        .obligations
        .into_iter()
        .filter(|one| one.rule != Rule::Vacuity)
        .map(|one| named(stage, one))
        .collect();
    let open = prover.open("schedule", &all);
    for (at, why) in &open {
        let one = &all[*at];
        if !matches!(one.rule, Rule::Finally(_)) {
            let said = quote_marker(one.span);
            let hint = match schedule::has_bare_loop(sequence) {
                true => "; a loop of the schedule has no `invariant` and may need one",
                false => "",
            };
            let (sentence, rule) = (&one.sentence, one.rule.name());
            let why = format!("{sentence}: {said} ({rule}, {why}){hint}");
            return Err(Missing::of(why, &all, &open));
        }
    }
    for property in finally {
        let own: Vec<usize> = (0..all.len())
            .filter(|at| all[*at].rule == Rule::Finally(property))
            .collect();
        let missing = open.iter().find(|(at, _)| own.contains(at));
        let answer = match missing {
            Some((at, why)) => {
                let told = format!("not proved at the end of the schedule: {why}");
                Answer::unknown(Missing::of(told, &all, &[(*at, why.clone())]))
            }
            None => Answer::Proved(Proof {
                obligations: own.len(),
                ..Proof::default()
            }),
        };
        told.finally.insert(property, answer);
    }
    let own = all
        .iter()
        .filter(|one| !matches!(one.rule, Rule::Finally(_)));
    for one in own {
        told.proof.obligations += 1;
        told.proof
            .explained
            .push(format!("{}: {}", one.rule.name(), one.text));
    }
    Ok(())
}

/// An obligation of a staged song, named after what it is about.
fn named(stage: &Stage, mut one: Obligation) -> Obligation {
    if one.rule != Rule::Assert {
        return one;
    }
    let within = |span: &plainsong_diagnostics::Span| {
        span.start <= one.span.start && one.span.end <= span.end
    };
    let from = stage.staged.asserts.iter().find(|(span, _)| within(span));
    let (rule, sentence) = match from.map(|(_, what)| what) {
        Some(Asserts::Membership) => (
            "sequentialize/membership",
            "what the schedule calls may not be pending there",
        ),
        Some(Asserts::End) => (
            "sequentialize/end",
            "something that is eliminated may be pending at the end of the schedule",
        ),
        Some(Asserts::Invariant) => (
            "sequentialize/invariant",
            "an invariant of the program may be false when the schedule begins",
        ),
        None => (
            "sequentialize/gate",
            "what the schedule calls, or `init`, may fail: `assert` or a wait",
        ),
    };
    one.rule = Rule::Refinement(rule);
    one.sentence = sentence.to_owned();
    one
}

fn abstracts(
    known: &Known<'_>,
    pair: (ActionId, ActionId),
    prover: &mut Prover<'_>,
    proof: &mut Proof,
) -> Result<(), Missing> {
    let fails = |theory: &mut Theory| conditions::abstraction_fails(theory, known, pair).map(Some);
    all_shown("abstraction", known, &fails, prover, proof)?;
    let same = |theory: &mut Theory| conditions::abstraction_follows(theory, known, pair, true);
    let any = |theory: &mut Theory| conditions::abstraction_follows(theory, known, pair, false);
    let asked = same(prover.theory).map_err(|why| why.message)?;
    let is_same = asked.is_some_and(|asked| prover.open("abstraction", &asked.all).is_empty());
    let follows: &Asks<'_> = if is_same { &same } else { &any };
    all_shown("abstraction", known, follows, prover, proof)
}

fn keeps(known: &Known<'_>, prover: &mut Prover<'_>, proof: &mut Proof) -> Result<(), Missing> {
    let stage = known.stage;
    if stage.staged.invariants[known.sequence].is_empty() {
        return Ok(());
    }
    let own = stage.staged.eliminated[known.sequence]
        .iter()
        .map(|(_, by)| by);
    for action in stage.pools[known.sequence].iter().chain(own) {
        let kept =
            |theory: &mut Theory| conditions::invariants_kept(theory, known, *action).map(Some);
        all_shown("invariant", known, &kept, prover, proof)?;
    }
    Ok(())
}

/// Shows what is asked; what is not proved comes with a small configuration, if one is found.
fn all_shown(
    name: &str,
    known: &Known<'_>,
    asks: &Asks<'_>,
    prover: &mut Prover<'_>,
    proof: &mut Proof,
) -> Result<(), Missing> {
    let asked = asks(prover.theory).map_err(|why| why.message)?;
    let all = asked.map(|asked| asked.all).unwrap_or_default();
    let open = prover.open(name, &all);
    if let Some((at, why)) = open.first() {
        let one = &all[*at];
        let why = format!(
            "not proved: {} ({}, {why}){}",
            one.sentence,
            one.rule.name(),
            example::told(known, asks, *at, prover)
        );
        return Err(Missing::of(why, &all, &open));
    }
    proof.obligations += all.len();
    let explained = all
        .iter()
        .map(|one| format!("{}: {}", one.rule.name(), one.sentence));
    proof.explained.extend(explained);
    Ok(())
}

fn moves_left(
    known: &Known<'_>,
    by: ActionId,
    prover: &mut Prover<'_>,
    proof: &mut Proof,
) -> Result<(), Missing> {
    let (actions, stage) = (known.stage.actions(), known.stage);
    let others: Vec<ActionId> = stage.pools[known.sequence].iter().copied().collect();
    let needs = needs_past(actions, by, Side::Left, &others);
    let name = &stage.action(by).name;
    if stage.staged.invariants[known.sequence].is_empty()
        && let Some(why) = somewhere_wrong(known, &needs, prover)
    {
        return Err(why.into());
    }
    match show(actions, name, Side::Left, needs, known, prover) {
        Answer::Proved(more) => {
            proof.obligations += more.obligations;
            proof.explained.extend(more.explained);
            Ok(())
        }
        Answer::Refuted(why) => Err(why.reason.into()),
        Answer::Unknown(why) => Err(why),
    }
}

/// A small state, which need not be reachable, in which something that is needed is false.
fn somewhere_wrong(known: &Known<'_>, needs: &[Need], prover: &Prover<'_>) -> Option<String> {
    let stage = known.stage;
    let brute = Brute::new(&stage.staged.song, LARGEST, STATES);
    let tried = Tried::new(prover.solvers, &stage.staged.song);
    for need in needs {
        let alone = need.condition == Condition::Nonblocking;
        let pair = (stage.original(need.first), stage.original(need.second));
        let possible = |one: &[Value], two: &[Value]| alone || known.possible(pair, one, two);
        // What is possible depends on the laws, which are read off the song, and on this.
        let about = format!("{need:?} where {:?}", known.standing);
        let search = || brute.refutes_where(need, &possible);
        if let Some(refutation) = tried.search(&about, search) {
            return Some(format!(
                "{}: {}; if that cannot be, an `invariant` after `sequentialize` may say so",
                need.condition.name(),
                refutation.reason
            ));
        }
    }
    None
}

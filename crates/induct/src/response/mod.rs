//! Response for every size: `P leads to Q` by helpful tasks and a measure (Manna and Pnueli's rules CHAIN and RESP-J).
//!
//! Statement. Let `I` be inductive invariants, `t1 … tn` *helpful tasks* (runs of an action, each with some arguments fixed
//! by the claim and the others open), and `m` a tuple of integers. Say that a task is *at hand* in a state if it is enabled there
//! for some values of its open arguments; the *rank* of a state is `m` and then the least `i` such that `ti` is at
//! hand. If the rules below are shown, every weakly fair execution satisfies the claim, whatever the sizes, provided
//! that nothing fails.
//!
//! | rule | asks |
//! |---|---|
//! | `response/value` | `P` and `Q` have a value in every state |
//! | `response/start` | where `P` and not `Q`, a task is at hand; for `eventually Q`: after `init`, or `Q` |
//! | `response/open` | where not `Q` and a task is at hand, every step leads to `Q` or to a state where one is at hand |
//! | `response/step` | where `ti`, enabled with `x`, is the least at hand, every other step leads to `Q`, to a lower rank, or keeps both |
//! | `response/help` | there, a run of `ti` with `x` leads to `Q` or to a lower rank |
//!
//! If moreover `P` stays true until `Q` is (`response/keep`), the other rules are asked only where it is.
//!
//! Why sound. Follow an execution from a state with `P` that never comes to `Q`. A task is always at hand
//! (`start`, `open`), so the execution does not end: what is at hand is owed to somebody who is not `unfair`. The rank never
//! rises and cannot fall for ever, so it stays from some point on; there, `ti` enabled with `x` stays enabled with `x` (`step`),
//! and by weak fairness it is run, and the rank falls (`help`): a contradiction. What is enabled with `x` means the same here and in
//! the interpreter: a message is a pending run of its handler; it is not lost (songs with faults are refused), and not held up
//! by others ([`tasks`] leaves out messages that keep an order). An instance of a message that nobody takes stays, so it does
//! not matter that the interpreter tells senders apart.
//!
//! *Finding the tasks.* Candidates are all actions with each argument open or one of the claim's names ([`tasks`]). One whose rules
//! are shown above those accepted so far is accepted as the next; since more accepted tasks only make the rules weaker, the order
//! in which they are tried does not matter. It ends as soon as the accepted ones are enough. The
//! measure is what `by measure (…)` says, or nothing.
//!
//! NOT COVERED: `eventually always`, strong fairness (a task that is enabled again and again, but not all the time),
//! measures that nobody stated, helpful tasks that choose values, bodies, faults.

mod tasks;

use crate::fixpoint::{Ask, Found, Induction, obligation, told};
use crate::state::State;
use crate::system::{Refused, System};
use plainsong_ir::{
    Claim, Domain, Expr, LocalId, Property, Song, Temporal, TemporalOperator, TemporalPart,
};
use plainsong_prove::discharge::Shown;
use plainsong_prove::lower::{Env, Lowering, Store, Unsupported};
use plainsong_prove::obligation::Obligation;
use plainsong_prove::term::Term;
use plainsong_prove::theory::{Result, Theory};
use plainsong_semantics::verdict::OpenObligation;
use std::collections::BTreeMap;
use std::sync::Arc;
use tasks::{Candidate, candidates};

/// What came of a temporal claim.
#[derive(Clone, Debug, PartialEq)]
pub enum Response {
    /// It is shown.
    Shown {
        /// So many obligations were.
        obligations: usize,
        /// The helpful tasks, the ones nearest to the goal first, in words.
        helpful: Vec<String>,
        /// Was it shown that nothing fails?
        nothing_fails: bool,
    },
    /// This was not proved.
    Open(Box<OpenObligation>),
    /// It says something that this proof does not cover.
    NotCovered(String),
}

/// Proves a temporal claim, by its position among the properties, for weakly fair executions.
pub fn respond(
    song: &Arc<Song>,
    claim: usize,
    ask: &Ask<'_>,
) -> std::result::Result<Response, Refused> {
    let system = System::for_responses(song)?;
    let property = system.song.properties[claim].clone();
    let Claim::Temporal(temporal) = &property.claim else {
        return Ok(Response::NotCovered(
            "it is not about executions".to_owned(),
        ));
    };
    let mut theory = Theory::new(system.song.clone());
    let mut induction = Induction::new(&system, &mut theory, ask)?;
    induction.start()?;
    induction.narrow();
    let nothing_fails = matches!(induction.gates(), Found::Shown(_));
    let mut prover = Prover {
        song,
        property: &property,
        induction,
        shown: 0,
    };
    let found = prover.every_part(temporal);
    Ok(match found {
        Ok(Ok(helpful)) => Response::Shown {
            obligations: prover.shown,
            helpful,
            nothing_fails,
        },
        Ok(Err(open)) => Response::Open(open),
        Err(why) => Response::NotCovered(why.message),
    })
}

/// What is shown, or the first thing that is not.
type Outcome<T> = Result<std::result::Result<T, Box<OpenObligation>>>;

struct Prover<'a> {
    song: &'a Song,
    property: &'a Property,
    induction: Induction<'a>,
    /// How many obligations were shown.
    shown: usize,
}

/// A part of the claim for arbitrary values of its names, in an arbitrary state and after each kind of step.
struct Asked {
    /// The names and their values.
    names: BTreeMap<LocalId, Term>,
    /// What is known of these.
    known: Vec<Term>,
    premise: Term,
    goal: Term,
    /// That both have a value.
    values: Vec<Term>,
    premise_after: Vec<Term>,
    goal_after: Vec<Term>,
    goal_first: Term,
    /// Does the premise stay true until the goal is reached?
    is_kept: bool,
    /// That the measure has decreased, and that it is the same, after each kind of step; both with values before and after.
    decreased: Vec<Term>,
    same: Vec<Term>,
}

impl Prover<'_> {
    fn every_part(&mut self, temporal: &Temporal) -> Outcome<Vec<String>> {
        let mut helpful = Vec::new();
        for part in &temporal.parts {
            match self.part(part)? {
                Ok(tasks) => helpful.extend(tasks),
                Err(open) => return Ok(Err(open)),
            }
        }
        Ok(Ok(helpful))
    }

    fn part(&mut self, part: &TemporalPart) -> Outcome<Vec<String>> {
        if part.operator == TemporalOperator::EventuallyAlways {
            let why = "proofs for every size are about responses, not about `eventually always`";
            return Err(Unsupported::new(part.goal.span, why));
        }
        let mut asked = self.asked(part)?;
        let all = candidates(
            self.induction.theory,
            (self.song, self.induction.system),
            (&self.property.locals, &asked.names),
            &self.stores(),
        )?;
        let span = part.goal.span;
        let values = self.induction.theory.terms.and(&asked.values);
        let anywhere = [self.anywhere(), asked.known.clone()].concat();
        let told = format!("the conditions of `{}` have values", self.property.name);
        let values = obligation("response/value", span, told, anywhere, values);
        if let Err(open) = self.show(&[values]) {
            return Ok(Err(open));
        }
        asked.is_kept = self.keeps_premise(part, &asked);
        let mut accepted: Vec<usize> = Vec::new();
        loop {
            let levels: Vec<&Candidate> = accepted.iter().map(|at| &all[*at]).collect();
            let last = self.whole(part, &asked, &levels);
            let Err(open) = self.show(&last) else {
                return Ok(Ok(levels.iter().map(|one| one.words.clone()).collect()));
            };
            let next = (0..all.len()).find(|at| {
                !accepted.contains(at) && self.is_helpful(part, &asked, &levels, &all[*at])
            });
            match next {
                Some(at) => accepted.push(at),
                None => return Ok(Err(open)),
            }
        }
    }

    /// The stores in which something is said: any state, after each kind of step, after `init`.
    fn stores(&self) -> Vec<Store> {
        let steps = self.induction.steps.iter().map(|step| &step.after);
        let any = [&self.induction.any.store];
        let all = any
            .into_iter()
            .chain(steps)
            .chain([&self.induction.init.after]);
        all.cloned().collect()
    }

    /// What is known of any state after `init`.
    fn anywhere(&self) -> Vec<Term> {
        let State { known, .. } = &self.induction.any;
        let claims = self.induction.conjuncts.iter().flat_map(|one| &one.before);
        known.iter().chain(claims).copied().collect()
    }

    /// What is known of a step from a state without the goal: also that the invariants hold after it.
    fn step(&mut self, asked: &Asked, number: usize) -> Vec<Term> {
        let induction = &self.induction;
        let step = &induction.steps[number];
        let mut known = induction.before(step, number, usize::MAX);
        let after = induction.conjuncts.iter();
        known.extend(after.flat_map(|one| one.after[number].iter().map(|part| part.holds)));
        known.extend(asked.known.iter().copied());
        known.extend(asked.values.iter().copied());
        known.push(self.induction.theory.terms.not(asked.goal));
        if asked.is_kept {
            known.push(asked.premise);
        }
        known
    }

    /// Is it shown that the premise stays true until the goal is reached? Then it may be relied on until then.
    fn keeps_premise(&mut self, part: &TemporalPart, asked: &Asked) -> bool {
        if part.premise.is_none() {
            return false;
        }
        let mut all = Vec::new();
        for number in 0..self.induction.steps.len() {
            let mut known = self.step(asked, number);
            known.push(asked.premise);
            let ends = [asked.goal_after[number], asked.premise_after[number]];
            let goal = self.induction.theory.terms.or(&ends);
            let step = &self.induction.steps[number].name;
            let told = format!("after `{step}` the goal is reached or the premise is still true");
            all.push(obligation(
                "response/keep",
                part.goal.span,
                told,
                known,
                goal,
            ));
        }
        self.show(&all).is_ok()
    }

    /// Shows all of them, or says which was not proved.
    fn show(&mut self, all: &[Obligation]) -> std::result::Result<(), Box<OpenObligation>> {
        let shown = self.induction.shown(all);
        for (one, shown) in all.iter().zip(&shown) {
            if let Shown::No(why) = shown {
                return Err(Box::new(told(one, why)));
            }
        }
        self.shown += all.len();
        Ok(())
    }

    /// Are the rules shown for a candidate above those in `below`? Its own runs come first: mostly they decide it.
    fn is_helpful(
        &mut self,
        part: &TemporalPart,
        asked: &Asked,
        below: &[&Candidate],
        one: &Candidate,
    ) -> bool {
        let (mut first, mut rest) = (Vec::new(), Vec::new());
        for number in 0..self.induction.steps.len() {
            let mut known = self.step(asked, number);
            let terms = &mut self.induction.theory.terms;
            let lower: Vec<Term> = below.iter().map(|other| other.at_hand[0]).collect();
            let lower = terms.or(&lower);
            known.extend([one.enabled[0], terms.not(lower)]);
            let lower: Vec<Term> = below.iter().map(|b| b.at_hand[number + 1]).collect();
            let falls = |terms: &mut plainsong_prove::term::Terms, also: &[Term]| {
                let lower = terms.or(&[&lower[..], also].concat());
                let still = terms.and(&[asked.same[number], lower]);
                terms.or(&[asked.goal_after[number], asked.decreased[number], still])
            };
            let helps = falls(terms, &[]);
            let stays = falls(terms, &[one.enabled[number + 1]]);
            let step = &self.induction.steps[number];
            let span = part.goal.span;
            let told = |what: &str| format!("{what} `{}`, with {} at hand", step.name, one.words);
            if step.action != Some(one.action) {
                rest.push(obligation(
                    "response/step",
                    span,
                    told("after"),
                    known,
                    stays,
                ));
                continue;
            }
            let same = one.same_arguments(self.induction.theory, self.induction.system, step);
            let other = self.induction.theory.terms.not(same);
            let run = [known.clone(), vec![same]].concat();
            first.push(obligation(
                "response/help",
                span,
                told("after its"),
                run,
                helps,
            ));
            let run = [known, vec![other]].concat();
            rest.push(obligation(
                "response/step",
                span,
                told("after another"),
                run,
                stays,
            ));
        }
        let before = self.shown;
        let is_shown = self.show(&first).is_ok() && self.show(&rest).is_ok();
        if !is_shown {
            self.shown = before;
        }
        is_shown
    }

    /// That one of the accepted tasks is at hand from the start, and stays so until the goal is reached.
    fn whole(
        &mut self,
        part: &TemporalPart,
        asked: &Asked,
        levels: &[&Candidate],
    ) -> Vec<Obligation> {
        let at_hand = |prover: &mut Self, store: usize| {
            let all: Vec<Term> = levels.iter().map(|one| one.at_hand[store]).collect();
            prover.induction.theory.terms.or(&all)
        };
        let tasks: Vec<&str> = levels.iter().map(|one| &one.words[..]).collect();
        let tasks = match tasks.is_empty() {
            true => "a helpful task".to_owned(),
            false => format!("one of {}", tasks.join(", ")),
        };
        let span = part.goal.span;
        let mut all = Vec::new();
        let now = at_hand(self, 0);
        if part.operator == TemporalOperator::Eventually {
            let first = at_hand(self, self.induction.steps.len() + 1);
            let mut known = self.induction.before_init();
            let claims = self.induction.conjuncts.iter();
            known.extend(claims.flat_map(|one| one.first.iter().map(|part| part.holds)));
            known.extend(asked.known.iter().copied());
            let goal = self.induction.theory.terms.or(&[asked.goal_first, first]);
            let told = format!("after `init` the goal is reached or {tasks} can be run");
            all.push(obligation("response/start", span, told, known, goal));
        } else {
            let mut known = [self.anywhere(), asked.known.clone(), asked.values.clone()].concat();
            let open = self.induction.theory.terms.not(asked.goal);
            known.extend([asked.premise, open]);
            let told = format!("where the goal is owed {tasks} can be run");
            all.push(obligation("response/start", span, told, known, now));
        }
        for number in 0..self.induction.steps.len() {
            let mut known = self.step(asked, number);
            known.push(now);
            let after = at_hand(self, number + 1);
            let terms = &mut self.induction.theory.terms;
            let goal = terms.or(&[asked.goal_after[number], after]);
            let step = &self.induction.steps[number].name;
            let told = format!("after `{step}` the goal is reached or {tasks} can be run");
            all.push(obligation("response/open", span, told, known, goal));
        }
        all
    }

    /// A part of the claim for arbitrary values.
    fn asked(&mut self, part: &TemporalPart) -> Result<Asked> {
        let stores = self.stores();
        let theory = &mut *self.induction.theory;
        let (names, known) = named(theory, self.property, part)?;
        let mut values = Vec::new();
        let read = |theory: &mut Theory, expr: &Expr, store: &Store| {
            let (value, needs) = read(theory, &names, store, expr)?;
            Ok((value, needs))
        };
        let (goal, needs) = read(theory, &part.goal, &stores[0])?;
        values.extend(needs);
        let premise = match &part.premise {
            None => theory.terms.bool(true),
            Some(premise) => {
                let (premise, needs) = read(theory, premise, &stores[0])?;
                values.extend(needs);
                premise
            }
        };
        let (mut before, mut defined_before) = (Vec::new(), Vec::new());
        for measure in &part.measure {
            let (value, needs) = read(theory, measure, &stores[0])?;
            before.push(value);
            defined_before.extend(needs);
        }
        let mut premise_after = Vec::new();
        let (mut goal_after, mut decreased, mut same) = (Vec::new(), Vec::new(), Vec::new());
        let (last, steps) = stores[1..].split_last().expect("`init` is among them");
        for store in steps {
            goal_after.push(read(theory, &part.goal, store)?.0);
            premise_after.push(match &part.premise {
                None => theory.terms.bool(true),
                Some(premise) => read(theory, premise, store)?.0,
            });
            let mut after = Vec::new();
            let mut defined = defined_before.clone();
            for measure in &part.measure {
                let (value, needs) = read(theory, measure, store)?;
                after.push(value);
                defined.extend(needs);
            }
            let lower = theory.terms.precedes(&after, &before);
            let lower = [&defined[..], &[lower]].concat();
            decreased.push(theory.terms.and(&lower));
            let equal = after.iter().zip(&before);
            defined.extend(equal.map(|(a, b)| theory.terms.eq(*a, *b)));
            same.push(theory.terms.and(&defined));
        }
        let (goal_first, _) = read(theory, &part.goal, last)?;
        Ok(Asked {
            names: names.clone(),
            known,
            premise,
            goal,
            values,
            is_kept: false,
            premise_after,
            goal_after,
            goal_first,
            decreased,
            same,
        })
    }
}

/// Arbitrary values for the names of a part, and what is known of them.
fn named(
    theory: &mut Theory,
    property: &Property,
    part: &TemporalPart,
) -> Result<(BTreeMap<LocalId, Term>, Vec<Term>)> {
    let (mut names, mut known) = (BTreeMap::new(), Vec::new());
    for binding in &part.bindings {
        let Domain::Type(ty) = &binding.domain else {
            let why = "a name before the claim ranges over a collection, not over a type";
            return Err(Unsupported::new(part.goal.span, why));
        };
        for name in &binding.names {
            let row = &property.locals[name.index()];
            let (value, valid) = theory.arbitrary(&row.name, ty, row.span)?;
            names.insert(*name, value);
            known.push(valid);
        }
        if let Some(filter) = &binding.filter {
            let (truth, needs) = read(theory, &names, &Store::default(), filter)?;
            known.extend(needs);
            known.push(truth);
        }
    }
    Ok((names, known))
}

/// The value of an expression in a state, and what has to hold for there to be one.
fn read(
    theory: &mut Theory,
    names: &BTreeMap<LocalId, Term>,
    store: &Store,
    expr: &Expr,
) -> Result<(Term, Vec<Term>)> {
    let env = Env {
        locals: names.clone(),
        store: store.clone(),
        ..Env::default()
    };
    let mut lowering = Lowering::new(theory, env);
    let value = lowering.expr(expr)?;
    let needs = lowering.definedness.iter().map(|one| one.condition);
    Ok((value, needs.collect()))
}

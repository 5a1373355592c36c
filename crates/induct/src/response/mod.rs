//! Response for every size: `P leads to Q` by helpful tasks and a measure (Manna and Pnueli's rules CHAIN, RESP-J and RESP-C).
//!
//! Statement. Let `I` be inductive invariants, `t1 … tn` *helpful tasks* (runs of an action, or steps of a process with a body,
//! each with some arguments fixed by the claim and the others open), and `m` a tuple of integers. A task is *at hand* in a state if
//! for some values of its open arguments it is enabled there, or, for tasks that are treated strongly and return, if it is there to be run. The *rank* of
//! a state is `m` and then the least `i` such that `ti` is at hand. If the rules below are shown, every execution that is fair at the
//! level in question satisfies the claim, whatever the sizes, provided that nothing fails.
//!
//! | rule | asks |
//! |---|---|
//! | `response/value` | `P` and `Q` have a value in every state |
//! | `response/start` | where `P` and not `Q`, a task is at hand; for `eventually Q`: after `init`, or `Q` |
//! | `response/open` | where not `Q` and a task is at hand, every step leads to `Q` or to a state where one is at hand |
//! | `response/step` | where `ti`, at hand with `x`, is the least at hand, every other step leads to `Q`, to a lower rank, or keeps both |
//! | `response/help` | there, a step that takes `ti` with `x` leads to `Q` or to a lower rank |
//! | `response/return` | if `ti` returns: where it is at hand with `x` and not enabled, `Q`, a lower rank, or that it is enabled comes about by the same rules, with tasks that stay and without a measure |
//!
//! If moreover `P` stays true until `Q` is (`response/keep`), the other rules are asked only where it is.
//!
//! Why sound. Follow an execution from a state with `P` that never comes to `Q`. A task is always at hand
//! (`start`, `open`), so the execution does not end: what is at hand is owed to somebody who is not `unfair`, or such a task is at hand by
//! `return`. The rank never rises and cannot fall for ever, so it stays from some point on; there, `ti` at hand with `x` stays so
//! (`step`). If it stays enabled, it is taken by weak fairness; if it returns, it is enabled again and again, and is taken by strong fairness. Then
//! the rank falls (`help`): a contradiction. What is enabled with `x` means the same here and in
//! the interpreter: a message is a pending run of its handler or receive; it is not lost (songs with faults are refused), and others hold it up
//! only for a while ([`tasks`]). An instance of a message that nobody takes stays, so it does
//! not matter that the interpreter tells senders apart. A step of a body is one or several steps here, of which nobody sees what is between.
//!
//! *Finding the tasks.* Candidates are all actions with each argument open or one of the claim's names ([`tasks`]). One whose rules
//! are shown above those accepted so far is accepted as the next; since more accepted tasks only make the rules weaker, the order
//! in which they are tried does not matter. It ends as soon as the accepted ones are enough. The
//! measure is what `by measure (…)` says, or nothing, or what is found ([`measures`]).
//!
//! NOT COVERED: `eventually always`, helpful tasks that choose values, faults, tasks that return and need other such tasks to.

mod measures;
mod tasks;

use crate::fixpoint::{Ask, Found, Induction, obligation, told};
use crate::state::State;
use crate::system::{Refused, System};
use plainsong_ir::{
    Claim, Domain, Expr, Fairness, LocalId, Property, Song, Temporal, TemporalOperator,
    TemporalPart,
};
use plainsong_prove::discharge::Shown;
use plainsong_prove::lower::{Env, Lowering, Store, Unsupported};
use plainsong_prove::obligation::Obligation;
use plainsong_prove::term::Term;
use plainsong_prove::theory::{Result, Theory};
use plainsong_semantics::verdict::OpenObligation;
use std::collections::BTreeMap;
use std::sync::Arc;
use tasks::{Candidate, Rule, candidates};

/// What came of a temporal claim.
#[derive(Clone, Debug, PartialEq)]
pub enum Response {
    /// It is shown.
    Shown {
        /// So many obligations were.
        obligations: usize,
        /// The helpful tasks, the ones nearest to the goal first, in words.
        helpful: Vec<String>,
        /// The measure that was found where none was stated, in words.
        measure: Vec<String>,
        /// Was it shown that nothing fails?
        nothing_fails: bool,
    },
    /// This was not proved.
    Open(Box<OpenObligation>),
    /// It says something that this proof does not cover.
    NotCovered(String),
}

/// Proves a temporal claim, by its position among the properties, for executions that are fair at a level; `None` owes nothing, and
/// nothing is shown then. `stop` says when to look for a measure no longer.
pub fn respond(
    song: &Arc<Song>,
    claim: usize,
    level: Fairness,
    ask: &Ask<'_>,
    stop: &dyn Fn() -> bool,
) -> std::result::Result<Response, Refused> {
    if level == Fairness::None {
        let why = "proofs for every size rest on fairness";
        return Ok(Response::NotCovered(why.to_owned()));
    }
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
        level,
        stop,
        is_limited: false,
        induction,
        shown: 0,
        measure: Vec::new(),
    };
    let found = prover.every_part(temporal);
    Ok(match found {
        Ok(Ok(helpful)) => Response::Shown {
            obligations: prover.shown,
            helpful,
            measure: prover.measure,
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
    level: Fairness,
    stop: &'a dyn Fn() -> bool,
    /// Is a measure looked for, or tasks beside it? Then only for so long.
    is_limited: bool,
    induction: Induction<'a>,
    /// How many obligations were shown.
    shown: usize,
    /// What was found to decrease, in words.
    measure: Vec<String>,
}

/// Where a task has to help, and to what.
struct Aim {
    /// What is known there, beside that the goal is not reached.
    known: Vec<Term>,
    /// After each kind of step: it is reached, whatever is at hand.
    reached: Vec<Term>,
    /// After each kind of step: otherwise this holds, and less at hand or the same is enough.
    same: Vec<Term>,
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
        self.is_limited = false;
        let mut asked = self.asked(part)?;
        let all = candidates(
            self.induction.theory,
            (self.song, self.induction.system, self.level),
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
        let words = |all: &[Candidate], levels: &[usize]| -> Vec<String> {
            levels.iter().map(|at| all[*at].words.clone()).collect()
        };
        let open = match self.chain(part, &asked, &all)? {
            Ok(levels) => return Ok(Ok(words(&all, &levels))),
            Err(open) => open,
        };
        if !part.measure.is_empty() {
            return Ok(Err(open));
        }
        self.is_limited = true;
        let mut steady = self.steady(part, &asked);
        if steady.tuple.is_empty() {
            return Ok(Err(open));
        }
        self.measure_by(&mut asked, &steady.tuple)?;
        let mut all = all;
        let phases = self.in_phases(&asked, &all, &steady.tuple)?;
        all.extend(phases);
        let before = self.shown;
        let Ok(levels) = self.chain(part, &asked, &all)? else {
            return Ok(Err(open));
        };
        let mut shown = self.shown;
        for at in (0..steady.tuple.len()).rev() {
            let without = [&steady.tuple[..at], &steady.tuple[at + 1..]].concat();
            self.measure_by(&mut asked, &without)?;
            self.shown = before;
            if !self.is_over() && self.is_enough(part, &asked, &all, &levels) {
                steady.tuple = without;
                shown = self.shown;
            }
        }
        self.shown = shown;
        self.measure
            .extend(steady.words(&self.induction.system.song));
        Ok(Ok(words(&all, &levels)))
    }

    /// Are these tasks enough?
    fn is_enough(
        &mut self,
        part: &TemporalPart,
        asked: &Asked,
        all: &[Candidate],
        levels: &[usize],
    ) -> bool {
        let aim = self.aim(asked);
        let levels: Vec<&Candidate> = levels.iter().map(|at| &all[*at]).collect();
        let each = (0..levels.len()).all(|at| {
            let (below, one) = (&levels[..at], levels[at]);
            self.is_helpful(part, asked, &aim, below, one)
                && (one.rule == Rule::Stays || self.returns(part, asked, &aim, below, (one, all)))
        });
        let last = self.whole(part, asked, &levels);
        each && self.show(&last).is_ok()
    }

    /// Tasks that are enough, the ones nearest to the goal first.
    fn chain(
        &mut self,
        part: &TemporalPart,
        asked: &Asked,
        all: &[Candidate],
    ) -> Outcome<Vec<usize>> {
        let mut accepted: Vec<usize> = Vec::new();
        let aim = self.aim(asked);
        loop {
            let levels: Vec<&Candidate> = accepted.iter().map(|at| &all[*at]).collect();
            let last = self.whole(part, asked, &levels);
            let Err(open) = self.show(&last) else {
                return Ok(Ok(accepted));
            };
            let next = (0..all.len()).find(|at| {
                !self.is_over()
                    && !accepted.contains(at)
                    && !levels.iter().any(|one| one.is_also(&all[*at]))
                    && self.is_helpful(part, asked, &aim, &levels, &all[*at])
                    && (all[*at].rule == Rule::Stays
                        || self.returns(part, asked, &aim, &levels, (&all[*at], all)))
            });
            match next {
                Some(at) => accepted.push(at),
                None => return Ok(Err(open)),
            }
        }
    }

    /// Is it time to give up?
    fn is_over(&self) -> bool {
        self.is_limited && (self.stop)()
    }

    /// Everywhere, the goal or less of the measure.
    fn aim(&mut self, asked: &Asked) -> Aim {
        let terms = &mut self.induction.theory.terms;
        let pairs = asked.goal_after.iter().zip(&asked.decreased);
        Aim {
            known: Vec::new(),
            reached: pairs
                .map(|(goal, less)| terms.or(&[*goal, *less]))
                .collect(),
            same: asked.same.clone(),
        }
    }

    /// Does a task that is there, and the least at hand, come to be enabled again and again, by tasks that stay?
    fn returns(
        &mut self,
        part: &TemporalPart,
        asked: &Asked,
        aim: &Aim,
        below: &[&Candidate],
        (one, all): (&Candidate, &[Candidate]),
    ) -> bool {
        let terms = &mut self.induction.theory.terms;
        let lower = |terms: &mut plainsong_prove::term::Terms, store: usize| {
            let all: Vec<Term> = below.iter().map(|other| other.at_hand[store]).collect();
            terms.or(&all)
        };
        let here = lower(terms, 0);
        let known = vec![one.stays[0], terms.not(here), terms.not(one.enabled[0])];
        let (mut reached, mut same) = (Vec::new(), Vec::new());
        for number in 0..aim.reached.len() {
            let less = lower(terms, number + 1);
            let less = terms.and(&[aim.same[number], less]);
            reached.push(terms.or(&[aim.reached[number], less, one.enabled[number + 1]]));
            same.push(terms.bool(true));
        }
        let aim = Aim {
            known,
            reached,
            same,
        };
        let before = self.shown;
        let mut accepted: Vec<usize> = Vec::new();
        loop {
            let levels: Vec<&Candidate> = accepted.iter().map(|at| &all[*at]).collect();
            let at_hand: Vec<Term> = levels.iter().map(|one| one.at_hand[0]).collect();
            let mut known = [self.anywhere(), asked.known.clone(), asked.values.clone()].concat();
            let terms = &mut self.induction.theory.terms;
            let now = terms.or(&at_hand);
            known.push(terms.not(asked.goal));
            known.extend(asked.is_kept.then_some(asked.premise));
            known.extend(&aim.known);
            let told = format!("where {} is not enabled something helps", one.words);
            let start = obligation("response/return", part.goal.span, told, known, now);
            if self.show(&[start]).is_ok() {
                return true;
            }
            let next = (0..all.len()).find(|at| {
                let stays = all[*at].rule == Rule::Stays;
                stays
                    && !self.is_over()
                    && !accepted.contains(at)
                    && self.is_helpful(part, asked, &aim, &levels, &all[*at])
            });
            match next {
                Some(at) => accepted.push(at),
                None => {
                    self.shown = before;
                    return false;
                }
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
        aim: &Aim,
        below: &[&Candidate],
        one: &Candidate,
    ) -> bool {
        let (mut first, mut rest) = (Vec::new(), Vec::new());
        for number in 0..self.induction.steps.len() {
            let mut known = self.step(asked, number);
            known.extend(&aim.known);
            let terms = &mut self.induction.theory.terms;
            let lower: Vec<Term> = below.iter().map(|other| other.at_hand[0]).collect();
            let lower = terms.or(&lower);
            known.extend([one.stays[0], terms.not(lower)]);
            let lower: Vec<Term> = below.iter().map(|b| b.at_hand[number + 1]).collect();
            let falls = |terms: &mut plainsong_prove::term::Terms, also: &[Term]| {
                let lower = terms.or(&[&lower[..], also].concat());
                let still = terms.and(&[aim.same[number], lower]);
                terms.or(&[aim.reached[number], still])
            };
            let helps = falls(terms, &[]);
            let stays = falls(terms, &[one.stays[number + 1]]);
            let step = &self.induction.steps[number];
            let span = part.goal.span;
            let told = |what: &str| format!("{what} `{}`, with {} at hand", step.name, one.words);
            let Some(same) = one.taken_by(self.induction.theory, self.induction.system, step)
            else {
                rest.push(obligation(
                    "response/step",
                    span,
                    told("after"),
                    known,
                    stays,
                ));
                continue;
            };
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
        let mut premise_after = Vec::new();
        let mut goal_after = Vec::new();
        let (last, steps) = stores[1..].split_last().expect("`init` is among them");
        for store in steps {
            goal_after.push(read(theory, &part.goal, store)?.0);
            premise_after.push(match &part.premise {
                None => theory.terms.bool(true),
                Some(premise) => read(theory, premise, store)?.0,
            });
        }
        let (goal_first, _) = read(theory, &part.goal, last)?;
        let (decreased, same) = measured(theory, &names, &part.measure, &stores)?;
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

/// That a measure has decreased, and that it is the same, after each kind of step; both with values before and after.
fn measured(
    theory: &mut Theory,
    names: &BTreeMap<LocalId, Term>,
    measure: &[Expr],
    stores: &[Store],
) -> Result<(Vec<Term>, Vec<Term>)> {
    let (mut before, mut defined_before) = (Vec::new(), Vec::new());
    for one in measure {
        let (value, needs) = read(theory, names, &stores[0], one)?;
        before.push(value);
        defined_before.extend(needs);
    }
    let (mut decreased, mut same) = (Vec::new(), Vec::new());
    let (_, steps) = stores[1..].split_last().expect("`init` is among them");
    for store in steps {
        let mut after = Vec::new();
        let mut defined = defined_before.clone();
        for one in measure {
            let (value, needs) = read(theory, names, store, one)?;
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
    Ok((decreased, same))
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

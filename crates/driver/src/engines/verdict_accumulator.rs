//! The verdict accumulator: what is known about one question while instance after instance is searched.
//!
//! Sizes are tried from the smallest. A question that is refuted is not asked again, and its verdict
//! speaks of the sizes that refuted it. Sizes that grow while there is time ([`Task::grow`]) hold as far
//! as they got, if that is at least where they would be by default: that bound is what was asked for.

use super::assumptions::{cut_off, external};
use super::bounds::{Bound, among};
use crate::engine::Task;
use crate::select::Question;
use crate::watch::{Overseer, Stop};
use plainsong_semantics::machine::Subject;
use plainsong_semantics::search::{Check, name_of};
use plainsong_semantics::sizes::Sizes;
use plainsong_semantics::verdict::{Assumption, Outcome, Verdict};

/// What is still to be checked.
pub(super) fn open_checks(files: &[Dossier<'_>]) -> Vec<Check> {
    let open = files.iter().filter(|file| file.refuted.is_none());
    open.map(|file| file.question.check).collect()
}

/// What is known about one question so far.
pub(super) struct Dossier<'a> {
    pub(super) question: &'a Question,
    pub(super) refuted: Option<Verdict>,
    unknown: Option<Verdict>,
    /// Where it holds, with the number of the sizes.
    held: Vec<(usize, Bound)>,
    /// So many of the first sizes were seen to the end, and it holds there.
    finished: usize,
    /// Why sizes that grow do not grow any more.
    limit: Option<String>,
    states: u64,
    /// Was there anything to look at, in some instance?
    is_seen: bool,
    /// Does an `assume` cut off every execution of some instance?
    is_cut: bool,
    reason: String,
    assumptions: Vec<Assumption>,
    /// Where no execution comes to its end, though the question is about the end.
    endless: Vec<Bound>,
}

/// A verdict, and how many of the first sizes it is about.
pub(super) struct Closed {
    pub(super) verdict: Verdict,
    pub(super) sizes: usize,
    /// What kept larger sizes from being looked at, where it holds at smaller ones.
    grown_until: Option<String>,
}

impl Closed {
    /// The verdict says `reason`, and still where the sizes stopped growing.
    pub(super) fn give_reason(&mut self, reason: &str) {
        let until = self.grown_until.as_ref();
        let until = until.map(|limit| format!("; it grew no further: {limit}"));
        self.verdict.reason = reason.to_owned() + &until.unwrap_or_default();
    }
}

impl<'a> Dossier<'a> {
    pub(super) fn new(question: &'a Question) -> Self {
        Dossier {
            question,
            refuted: None,
            unknown: None,
            held: Vec::new(),
            finished: 0,
            limit: None,
            states: 0,
            is_seen: false,
            is_cut: false,
            reason: String::new(),
            assumptions: Vec::new(),
            endless: Vec::new(),
        }
    }

    /// What an instance of the sizes with this number says. `is_limit`: sizes were to grow, and this is
    /// where they had to stop.
    pub(super) fn enter(&mut self, sizes: usize, verdict: Verdict, is_limit: bool) {
        self.states += verdict.states.unwrap_or(0);
        let is_cut = verdict.assumptions.contains(&Assumption::AllCut);
        self.is_cut |= is_cut;
        self.is_seen |= verdict.states != Some(0) && !is_cut;
        match verdict.outcome {
            Outcome::Refuted => {
                self.finished = sizes + 1;
                self.refuted = Some(verdict);
            }
            Outcome::Unknown if is_limit => self.limit = Some(verdict.reason),
            Outcome::Unknown => self.unknown = Some(self.unknown.take().unwrap_or(verdict)),
            Outcome::Holds | Outcome::Proved => {
                self.reason.clone_from(&verdict.reason);
                for assumption in verdict.assumptions {
                    if assumption == Assumption::AllCut {
                        continue;
                    } else if assumption == Assumption::NoEnd {
                        self.endless.push(verdict.bound.clone());
                    } else if !self.assumptions.contains(&assumption) {
                        self.assumptions.push(assumption);
                    }
                }
                self.held.push((sizes, verdict.bound));
            }
        }
    }

    /// That there was nothing to check: nowhere, or at some of the sizes.
    fn no_end(&self) -> Option<Assumption> {
        match self.endless.len() {
            0 => None,
            all if all == self.held.len() => Some(Assumption::NoEnd),
            _ => {
                let sizes: Vec<String> = self.endless.iter().map(words).collect();
                Some(Assumption::Other(format!(
                    "no execution with {} comes to its end, so there was nothing to check there",
                    sizes.join(" or ")
                )))
            }
        }
    }

    /// All instances of the sizes with this number were seen.
    pub(super) fn finish(&mut self, sizes: usize) {
        if self.refuted.is_none() && self.limit.is_none() {
            self.finished = sizes + 1;
        }
    }

    /// The verdict over all instances.
    pub(super) fn close(mut self, task: &Task, overseer: &Overseer<'_>) -> Closed {
        if task.grow && overseer.stopped() == Some(Stop::TimeLimit) && self.limit.is_none() {
            self.limit = Some(overseer.allowance.sentence(Stop::TimeLimit));
        }
        if self.refuted.is_none() && self.unknown.is_none() && task.grow {
            self.finished = whole_totals(&task.sizes, self.finished);
        }
        let held = self.held.iter().filter(|(sizes, _)| *sizes < self.finished);
        let held: Vec<&Bound> = held.map(|(_, bound)| bound).collect();
        let bound = among(&held, &task.sizes[..self.finished.min(task.sizes.len())]);
        let is_grown = self.limit.is_some() && self.finished > defaults(&task.sizes);
        let stopped = overseer.stopped().filter(|stop| {
            let is_open = self.refuted.is_none() && self.unknown.is_none();
            is_open && !(is_grown && *stop == Stop::TimeLimit)
        });
        let so_far = (!held.is_empty()).then(|| format!("; it holds with {}", words(&bound)));
        let no_end = self.no_end();
        self.assumptions.extend(no_end);
        if task.subject == Subject::System {
            self.assumptions.extend(cut_off(&task.song));
        }
        if held.iter().any(|bound| bound.contains_key("external")) {
            self.assumptions.extend(external(&task.song));
        }
        let mut verdict = match (self.refuted, self.unknown) {
            (Some(refuted), _) => refuted,
            (None, Some(mut unknown)) => {
                unknown.reason.push_str(&so_far.clone().unwrap_or_default());
                unknown
            }
            (None, None) => {
                let reason = match held.len() {
                    0 | 1 => self.reason,
                    several => {
                        format!("holds in all {} states of {several} instances", self.states)
                    }
                };
                Verdict {
                    provided: provided(task, self.question, &self.assumptions),
                    assumptions: self.assumptions,
                    ..Verdict::holds(&self.question.name, bound, reason)
                }
            }
        };
        let mut grown_until = None;
        if let Some(limit) = self.limit.filter(|_| verdict.outcome == Outcome::Holds) {
            if is_grown {
                grown_until = Some(limit.to_string());
            } else {
                verdict.outcome = Outcome::Unknown;
                verdict.reason = format!("{limit}{}", so_far.clone().unwrap_or_default());
            }
        }
        if verdict.outcome == Outcome::Holds && !self.is_seen {
            verdict.outcome = Outcome::Unknown;
            verdict.reason = match self.is_cut {
                true => Assumption::AllCut.to_string(),
                false => nothing_seen(task.subject, &verdict.bound),
            };
        }
        if let Some(stop) = stopped {
            verdict.outcome = Outcome::Unknown;
            let why = overseer.allowance.sentence(stop);
            verdict.reason = match so_far {
                None => format!("not checked: {why}"),
                Some(so_far) => format!("{why}{so_far}"),
            };
        }
        verdict.property.clone_from(&self.question.name);
        verdict.states = Some(self.states);
        let reason = verdict.reason.clone();
        let mut closed = Closed {
            grown_until: grown_until.filter(|_| verdict.outcome == Outcome::Holds),
            verdict,
            sizes: self.finished,
        };
        closed.give_reason(&reason);
        closed
    }
}

/// Why a search that ended without a single state says nothing.
fn nothing_seen(subject: Subject, bound: &Bound) -> String {
    let why = match subject {
        Subject::System => "no execution begins",
        Subject::Line(_) => "nothing satisfies `requires`",
    };
    match bound.is_empty() {
        true => format!("{why}, so there was nothing to look at"),
        false => format!(
            "{why} with {}, so there was nothing to look at",
            words(bound)
        ),
    }
}

/// Where executions fail, what holds of the others holds provided that none does. A choreography fails its contract, too.
fn provided(task: &Task, question: &Question, assumptions: &[Assumption]) -> Vec<String> {
    let fails = assumptions.contains(&Assumption::EndsThere);
    let checks = [Check::Assertions, Check::Contract].into_iter();
    let others = checks.filter(|check| fails && *check != question.check);
    let names = others.filter_map(|check| name_of(&task.song, task.subject, check));
    names.collect()
}

/// Of the first `finished` sizes, those whose total was seen to the end.
fn whole_totals(sizes: &[Sizes], finished: usize) -> usize {
    match (sizes.get(finished), finished.checked_sub(1)) {
        (Some(next), Some(last)) if total(next) == total(&sizes[last]) => {
            let begins = |one: &Sizes| total(one) == total(next);
            sizes.iter().position(begins).unwrap_or(0)
        }
        _ => finished,
    }
}

/// The place of the default sizes among those that grow.
fn defaults(sizes: &[Sizes]) -> usize {
    let least = |name: &String| {
        let of = sizes.iter().filter_map(|one| one.chosen.get(name));
        of.min().copied().unwrap_or(0)
    };
    let is_default = |one: &Sizes| {
        let mut sorts = one.chosen.iter();
        sorts.all(|(name, &size)| size == crate::sizes::DEFAULT.max(least(name)))
    };
    sizes.iter().position(is_default).unwrap_or(0)
}

pub(super) fn total(sizes: &Sizes) -> i64 {
    let sizes = sizes.chosen.values();
    sizes.fold(0i64, |sum, size| sum.saturating_add(*size))
}

fn words(bound: &Bound) -> String {
    let parts: Vec<String> = bound
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    parts.join(", ")
}

//! Discharging obligations with an SMT solver.
//!
//! Each obligation is asked for in some steps, from few of our own instances to the solver's
//! ([`queries`]); most end at the first.
//!
//! Only `unsat` counts, and only if the library lemmas that were used are shown as well. Each step is asked
//! for all open obligations together, each once, so that the solvers work in parallel; each query is a function of its obligation alone, so answers are found again on disk. So
//! is what was shown, under the content of the obligation ([`normal`]), and what was not, under that and all
//! that was tried: an obligation that did not change costs a look at a file. Not proved because of time,
//! memory or a crash does not count as tried.

mod calls;
mod ground;
mod models;
mod normal;
mod quantifiers;
mod queries;
pub(crate) mod script;
mod totals;

use crate::lemma_library::{self, Lemma};
use crate::obligation::{Obligation, Rule};
use crate::term::Op;
use crate::theory::Theory;
use normal::normal;
use plainsong_smt::{Answer, Cancel, Opinion, Outcome, Query, Reason, Solvers};
use queries::{ALL, BY_MODELS, MODELS, RESOURCES, STEPS, asked};
use std::collections::BTreeSet;
use std::ops::Range;

/// How an obligation fared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// It was shown.
    Yes,
    /// It was not, for this reason.
    No(String),
}

/// How to go about it.
#[derive(Clone, Debug, Default)]
pub struct Effort {
    /// Where the solver's chance begins.
    pub seed: u32,
    /// Begins the name of every query.
    pub name: String,
    /// How many of the steps are tried; all of them when nothing is said.
    pub steps: Option<usize>,
    /// How many of these are left out at the beginning: for tests of the others.
    pub skipped: usize,
    /// Is a second solver asked about everything that the first one shows?
    pub recheck: bool,
}

impl Effort {
    /// Is what was shown kept, and looked up? Not when it is to be shown otherwise, or by somebody else.
    fn is_noted(&self) -> bool {
        self.seed == 0 && !self.recheck
    }

    /// The steps that are tried.
    fn tried(&self) -> Range<usize> {
        self.skipped..self.steps.unwrap_or(STEPS).min(STEPS)
    }
}

/// Tries to show each of the obligations.
pub fn discharge(
    theory: &mut Theory,
    obligations: &[Obligation],
    solvers: &Solvers,
    effort: &Effort,
    cancel: &Cancel,
) -> Vec<Shown> {
    let known = recalled_all(theory, obligations, solvers, effort, cancel);
    let mut shown: Vec<Shown> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut texts: Vec<(usize, String)> = Vec::new();
    let mut repeated: Vec<(usize, usize)> = Vec::new();
    for (at, (known, text)) in known.into_iter().enumerate() {
        if let Some(known) = known {
            shown.push(known);
            continue;
        }
        shown.push(Shown::No("not asked".to_owned()));
        if let Some((first, _)) = texts.iter().find(|(_, one)| Some(one) == text.as_ref()) {
            repeated.push((at, *first));
            continue;
        }
        open.push(Open::new(at));
        texts.extend(text.map(|text| (at, text)));
    }
    let asking = DischargeRequest {
        obligations,
        solvers,
        effort,
        cancel,
    };
    let mut ends = match open.is_empty() {
        true => Vec::new(),
        false => {
            // Asking makes terms, and terms are ordered by age: what was asked must not show in what comes later,
            // or an obligation would not be found again when those before it were.
            let mut scratch = theory.clone();
            let ends = asking.all(&mut scratch, open, &mut shown);
            theory.second = scratch.second;
            ends
        }
    };
    for end in &mut ends {
        if shown[end.at] == Shown::Yes {
            shown[end.at] = supported(theory, &end.used, solvers, effort, cancel);
            end.is_sure = false; // If it is not: that is about the library.
        }
    }
    for (at, text) in texts {
        let end = ends.iter().find(|end| end.at == at);
        let Some(end) = end else { continue };
        match &shown[at] {
            Shown::Yes => solvers.note(&text, &noted(&end.used), cancel),
            Shown::No(why) if end.is_sure => {
                let key = in_vain(&text, solvers, effort, cancel);
                solvers.note_vain(&key, why);
            }
            Shown::No(_) => {}
        }
    }
    for (at, first) in repeated {
        shown[at] = shown[first].clone();
    }
    shown
}

/// What is known without asking: what is plain, and what was found out before.
pub fn recall(
    theory: &mut Theory,
    obligations: &[Obligation],
    solvers: &Solvers,
    effort: &Effort,
    cancel: &Cancel,
) -> Vec<Option<Shown>> {
    let known = recalled_all(theory, obligations, solvers, effort, cancel);
    known.into_iter().map(|(shown, _)| shown).collect()
}

/// The same, with the texts under which notes about obligations are kept.
fn recalled_all(
    theory: &mut Theory,
    obligations: &[Obligation],
    solvers: &Solvers,
    effort: &Effort,
    cancel: &Cancel,
) -> Vec<(Option<Shown>, Option<String>)> {
    let mut known = Vec::new();
    for obligation in obligations {
        let plain = theory.terms.op(obligation.goal) == Op::True
            || obligation.hypotheses.contains(&obligation.goal);
        known.push(if plain {
            (Some(Shown::Yes), None)
        } else if !effort.is_noted() {
            (None, None)
        } else {
            let text = normal(theory, obligation).ok();
            let look = |text: &String| recalled(theory, text, solvers, effort, cancel);
            (text.as_ref().and_then(look), text)
        });
    }
    known
}

fn recalled(
    theory: &mut Theory,
    text: &str,
    solvers: &Solvers,
    effort: &Effort,
    cancel: &Cancel,
) -> Option<Shown> {
    let Some(note) = solvers.recall(text, cancel) else {
        let why = solvers.recall_vain(&in_vain(text, solvers, effort, cancel))?;
        return Some(Shown::No(why));
    };
    let mut words = note.split(' ');
    if words.next()? != "shown" {
        return None;
    }
    for name in words {
        let lemma = Lemma::ALL.into_iter().find(|lemma| lemma.name() == name)?;
        theory.note_lemma(lemma, None);
    }
    Some(Shown::Yes)
}

/// Under what it is kept that an obligation was not proved: it depends on how much was tried.
fn in_vain(text: &str, solvers: &Solvers, effort: &Effort, cancel: &Cancel) -> String {
    let solver = solvers.primary(cancel);
    let solver = solver.map_or_else(|_| "".into(), |found| found.solver.title());
    let tried = &RESOURCES[effort.tried()];
    format!("open with {solver} within {tried:?}\n{text}")
}

/// What is kept on disk about an obligation that was shown: which lemmas it used.
fn noted(used: &BTreeSet<Lemma>) -> String {
    let mut note = "shown".to_owned();
    for lemma in used {
        note.push(' ');
        note.push_str(lemma.name());
    }
    note
}

/// An obligation that has to be asked for, and what came of it so far.
struct Open {
    at: usize,
    /// Lemmas that the last query used.
    used: BTreeSet<Lemma>,
    /// Was every answer one that the solver would give again?
    is_sure: bool,
    /// Can everything that our instances say hold together?
    is_consistent: bool,
    /// Was it asked with as many instances as there may be?
    is_full: bool,
    /// Are there divisions by something that is no constant?
    is_divided: bool,
    /// Is it decided, one way or the other?
    is_settled: bool,
}

impl Open {
    fn new(at: usize) -> Open {
        Open {
            at,
            used: BTreeSet::new(),
            is_sure: true,
            is_consistent: false,
            is_full: false,
            is_divided: false,
            is_settled: false,
        }
    }

    /// Is nothing to be expected of this step?
    fn is_idle(&self, step: usize) -> bool {
        match step {
            MODELS => self.is_consistent || self.is_divided,
            ALL => self.is_consistent || self.is_full,
            _ => self.is_consistent && step < ALL,
        }
    }
}

/// Who is asked for what.
struct DischargeRequest<'a> {
    obligations: &'a [Obligation],
    solvers: &'a Solvers,
    effort: &'a Effort,
    cancel: &'a Cancel,
}

impl DischargeRequest<'_> {
    /// Asks, step by step, for what is open.
    fn all(&self, theory: &mut Theory, mut open: Vec<Open>, shown: &mut [Shown]) -> Vec<Open> {
        for step in self.effort.tried() {
            match step {
                BY_MODELS => self.by_models(theory, &mut open, shown),
                _ => self.step(theory, step, &mut open, shown),
            }
        }
        open
    }

    /// The step in which each answer decides about the next question: see [`models`].
    fn by_models(&self, theory: &mut Theory, open: &mut [Open], shown: &mut [Shown]) {
        for entry in open.iter_mut().filter(|entry| !entry.is_settled) {
            if self.is_interrupted(entry, shown) {
                continue;
            }
            let obligation = (&self.obligations[entry.at], entry.at);
            match models::by_models(theory, obligation, self.effort, self.solvers, self.cancel) {
                Ok(ended) => {
                    entry.used = ended.used;
                    shown[entry.at] = self.heard(theory, entry, &ended.answer, &ended.query);
                }
                Err(unsupported) => {
                    shown[entry.at] = Shown::No(unsupported.message);
                    entry.is_settled = true;
                }
            }
        }
    }

    /// Does nobody want to know any more?
    fn is_interrupted(&self, entry: &mut Open, shown: &mut [Shown]) -> bool {
        let is_over = self.cancel.is_cancelled();
        if is_over {
            shown[entry.at] = Shown::No("interrupted".to_owned());
            (entry.is_settled, entry.is_sure) = (true, false);
        }
        is_over
    }

    fn step(&self, theory: &mut Theory, step: usize, open: &mut [Open], shown: &mut [Shown]) {
        let (mut entries, mut queries) = (Vec::new(), Vec::new());
        for entry in open.iter_mut() {
            if entry.is_settled || entry.is_idle(step) {
                continue;
            }
            if self.is_interrupted(entry, shown) {
                continue;
            }
            let obligation = &self.obligations[entry.at];
            match asked(theory, obligation, entry.at, self.effort, step) {
                Ok(asked) => {
                    entry.used = asked.used;
                    entry.is_full = asked.is_full;
                    entry.is_divided = asked.is_divided;
                    queries.push(asked.query);
                    entries.push((entry, asked.is_all, asked.has_more));
                }
                Err(unsupported) => {
                    shown[entry.at] = Shown::No(unsupported.message);
                    entry.is_settled = true;
                }
            }
        }
        let answers = self.solvers.ask_all(&queries, self.cancel);
        for (((entry, is_all, has_more), answer), query) in
            entries.into_iter().zip(answers).zip(&queries)
        {
            shown[entry.at] = self.heard(theory, entry, &answer, query);
            let is_sat = matches!(answer.outcome, Outcome::Sat { .. });
            entry.is_consistent = is_sat && is_all;
            entry.is_settled |= entry.is_consistent && !has_more;
        }
    }

    /// What an answer says about an obligation.
    fn heard(
        &self,
        theory: &mut Theory,
        entry: &mut Open,
        answer: &Answer,
        query: &Query,
    ) -> Shown {
        // Whether a place is reachable is asked once: a warning is not worth more.
        let once = self.obligations[entry.at].rule == Rule::Vacuity;
        entry.is_settled = once;
        match &answer.outcome {
            Outcome::Unsat { .. } if self.effort.recheck && !once => {
                let shown = rechecked(theory, self.solvers, query, answer, self.cancel);
                entry.is_settled = shown == Shown::Yes;
                shown
            }
            Outcome::Unsat { .. } => {
                entry.is_settled = true;
                Shown::Yes
            }
            Outcome::Sat { .. } => Shown::No(VIOLATED.to_owned()),
            Outcome::Unknown(reason) => {
                entry.is_sure &= matches!(reason, Reason::Resource | Reason::Incomplete(_));
                Shown::No(reason.to_string())
            }
        }
    }
}

/// What the second solver says about something that the first one shows.
fn rechecked(
    theory: &mut Theory,
    solvers: &Solvers,
    query: &Query,
    answer: &Answer,
    cancel: &Cancel,
) -> Shown {
    match solvers.recheck(query, answer, cancel) {
        Opinion::Same(_) => theory.second.same += 1,
        Opinion::None(_) => theory.second.silent += 1,
        Opinion::Other(_) => {
            theory.second.opposite += 1;
            return Shown::No("the two solvers contradict each other".to_owned());
        }
    }
    Shown::Yes
}

/// Something was shown with these lemmas: are they shown, too?
fn supported(
    theory: &mut Theory,
    used: &BTreeSet<Lemma>,
    solvers: &Solvers,
    effort: &Effort,
    cancel: &Cancel,
) -> Shown {
    let new: BTreeSet<Lemma> = used
        .iter()
        .filter(|lemma| !theory.lemmas().contains_key(lemma))
        .copied()
        .collect();
    let missing = lemma_library::missing(&new, solvers, effort, cancel);
    for lemma in new {
        let open = missing.iter().find(|(one, _)| *one == lemma);
        theory.note_lemma(lemma, open.map(|(_, why)| why.clone()));
    }
    for lemma in used {
        if let Some(Some(why)) = theory.lemmas().get(lemma) {
            let name = lemma.name();
            return Shown::No(format!("the library lemma {name} is not proved: {why}"));
        }
    }
    Shown::Yes
}

/// What an answer that something can be violated is told as.
const VIOLATED: &str = "the solver sees a way to violate it";

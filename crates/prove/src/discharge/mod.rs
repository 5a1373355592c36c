//! Showing obligations to a solver.
//!
//! Each obligation is asked for in some steps, from few of our own instances to the solver's
//! ([`queries`]); most end at the first.
//!
//! Only `unsat` counts, and only if the library lemmas that were used are shown as well. Each step is asked for all open obligations together, so that the solvers work
//! in parallel; each query is a function of its obligation alone, so answers are found again on disk. So
//! is what was shown, under the content of the obligation ([`normal`]): an obligation that did not change
//! costs a look at a file.

mod calls;
mod ground;
mod normal;
mod quantifiers;
mod queries;
pub(crate) mod script;
mod totals;

use crate::library::{self, Lemma};
use crate::obligation::{Obligation, Rule};
use crate::term::Op;
use crate::theory::Theory;
use normal::normal;
use plainsong_smt::{Answer, Cancel, Opinion, Outcome, Query, Solvers};
use queries::{Queries, STEPS, queries};
use std::collections::BTreeSet;

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
    /// Is a second solver asked about everything that the first one shows?
    pub recheck: bool,
}

/// Tries to show each of the obligations.
pub fn discharge(
    theory: &mut Theory,
    obligations: &[Obligation],
    solvers: &Solvers,
    effort: &Effort,
    cancel: &Cancel,
) -> Vec<Shown> {
    let known = recall(theory, obligations, solvers, effort, cancel);
    let mut shown: Vec<Shown> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    for (at, (obligation, known)) in obligations.iter().zip(known).enumerate() {
        if let Some(known) = known {
            shown.push(known);
            continue;
        }
        if cancel.is_cancelled() {
            shown.push(Shown::No("interrupted".to_owned()));
            continue;
        }
        shown.push(match queries(theory, obligation, at, effort) {
            Ok(queries) => {
                open.push(Open { at, queries });
                Shown::No("not asked".to_owned())
            }
            Err(unsupported) => Shown::No(unsupported.message),
        });
    }
    let asked: Vec<(usize, BTreeSet<Lemma>)> = open
        .iter()
        .map(|one| (one.at, one.queries.used.clone()))
        .collect();
    let decided = ask(
        theory,
        obligations,
        solvers,
        effort,
        cancel,
        open,
        &mut shown,
    );
    for (at, used) in asked {
        if shown[at] == Shown::Yes {
            shown[at] = supported(theory, &used, solvers, effort, cancel);
        }
        let keeps = shown[at] == Shown::Yes || decided.contains(&at);
        if keeps && let Ok(text) = normal(theory, &obligations[at]) {
            solvers.note(&text, &noted(&shown[at], &used), cancel);
        }
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
    let mut known = Vec::new();
    for obligation in obligations {
        let plain = theory.terms.op(obligation.goal) == Op::True
            || obligation.hypotheses.contains(&obligation.goal);
        known.push(if plain {
            Some(Shown::Yes)
        } else if effort.seed != 0 || effort.steps.is_some() || effort.recheck {
            None
        } else {
            recalled(theory, obligation, solvers, cancel)
        });
    }
    known
}

fn recalled(
    theory: &mut Theory,
    obligation: &Obligation,
    solvers: &Solvers,
    cancel: &Cancel,
) -> Option<Shown> {
    let text = normal(theory, obligation).ok()?;
    let note = solvers.recall(&text, cancel)?;
    let mut words = note.split(' ');
    match words.next()? {
        "shown" => {
            for name in words {
                let lemma = Lemma::ALL.into_iter().find(|lemma| lemma.name() == name)?;
                theory.note_lemma(lemma, None);
            }
            Some(Shown::Yes)
        }
        "open" if obligation.rule == Rule::Vacuity => Some(Shown::No(VIOLATED.to_owned())),
        _ => None,
    }
}

/// What is kept on disk about an obligation: how it fared and which lemmas it used.
fn noted(shown: &Shown, used: &BTreeSet<Lemma>) -> String {
    let mut note = match shown {
        Shown::Yes => "shown".to_owned(),
        Shown::No(_) => return "open".to_owned(),
    };
    for lemma in used {
        note.push(' ');
        note.push_str(lemma.name());
    }
    note
}

/// An obligation that has to be asked for.
struct Open {
    at: usize,
    queries: Queries,
}

/// Asks, step by step, for what is open. Gives those of the places that should be reachable that are.
fn ask(
    theory: &mut Theory,
    obligations: &[Obligation],
    solvers: &Solvers,
    effort: &Effort,
    cancel: &Cancel,
    mut open: Vec<Open>,
    shown: &mut [Shown],
) -> BTreeSet<usize> {
    let mut decided = BTreeSet::new();
    for step in 0..effort.steps.unwrap_or(STEPS).min(STEPS) {
        let asked: Vec<Query> = open.iter().map(|one| one.queries.at(step)).collect();
        let answers = solvers.ask_all(&asked, cancel);
        let mut still = Vec::new();
        for ((entry, answer), query) in open.into_iter().zip(answers).zip(&asked) {
            // Whether a place is reachable is asked once: a warning is not worth more.
            let again = obligations[entry.at].rule != Rule::Vacuity;
            shown[entry.at] = match answer.outcome {
                Outcome::Unsat { .. } if effort.recheck && again => {
                    rechecked(theory, solvers, query, &answer, cancel)
                }
                Outcome::Unsat { .. } => Shown::Yes,
                Outcome::Sat { .. } => {
                    if !again {
                        decided.insert(entry.at);
                    }
                    Shown::No(VIOLATED.to_owned())
                }
                Outcome::Unknown(reason) => Shown::No(reason.to_string()),
            };
            if shown[entry.at] != Shown::Yes && again {
                still.push(entry);
            }
        }
        open = still;
    }
    decided
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
    let missing = library::missing(&new, solvers, effort, cancel);
    for lemma in new {
        let open = missing.iter().find(|(one, _)| *one == lemma);
        theory.note_lemma(lemma, open.map(|(_, why)| why.clone()));
    }
    for lemma in used {
        if let Some(Some(why)) = theory.lemmas().get(lemma) {
            let name = lemma.name();
            return Shown::No(format!("the library lemma {name} is not shown: {why}"));
        }
    }
    Shown::Yes
}

/// What an answer that something can be violated is told as.
const VIOLATED: &str = "the solver sees a way to violate it";

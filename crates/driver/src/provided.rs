//! Conditional proofs: a verdict that rests on other properties, and whether these are proved.
//!
//! An execution that fails an assertion ends there, and code is followed under the supposition that the assertions and
//! invariants before it hold. So most proofs are proofs *provided* that other properties of the song are proved, too.
//! An engine names them in [`Verdict::provided`]; here they are looked up among the answers.
//!
//! Statement. What is left in `provided` are the properties that are not proved in the same run, or only provided that
//! others are which are not. A verdict whose `provided` is empty rests on nothing that is open.
//!
//! Why it may be circular. Assertions may rest on invariants, and invariants on assertions: each is shown under the
//! supposition that what comes earlier in the same execution holds. If all are shown, the first one that is false in
//! some execution contradicts its proof. So a circle in which everything was shown counts as proved, if one engine has
//! shown all of it. Proofs of different engines do not share that order of executions: between them, what a proof rests on
//! has to be proved before.

use plainsong_report::Answer;
use plainsong_semantics::verdict::{Outcome, Verdict};
use std::collections::BTreeSet;

/// The names that some answer rests on and that nobody has asked for: each with the engine that relies on it.
pub(crate) fn not_asked(answers: &[&Answer]) -> BTreeSet<(String, String)> {
    let answers = || answers.iter();
    let asked: BTreeSet<&str> = answers().map(|one| one.verdict.property.as_str()).collect();
    let mut open = BTreeSet::new();
    for answer in answers().filter(|one| one.verdict.outcome == Outcome::Proved) {
        let provided = answer.verdict.provided.iter();
        let new = provided.filter(|name| !asked.contains(name.as_str()));
        open.extend(new.map(|name| (answer.engine.clone(), name.clone())));
    }
    open
}

/// Leaves in `provided` only what is not proved. `beside`: what was found out about properties that nobody asked for.
pub(crate) fn settle(answers: &mut [Answer], beside: &[Answer]) {
    let proved = proved(answers.iter().chain(beside).collect());
    let known: Vec<Verdict> = answers
        .iter()
        .chain(beside)
        .map(|one| one.verdict.clone())
        .collect();
    let beside: Vec<&Verdict> = beside.iter().map(|one| &one.verdict).collect();
    for answer in answers {
        let verdict = &mut answer.verdict;
        if !matches!(verdict.outcome, Outcome::Proved | Outcome::Holds) {
            verdict.provided.clear();
            continue;
        }
        // Within the same bounds, what holds is no condition of what holds.
        let (outcome, bound) = (verdict.outcome, verdict.bound.clone());
        let holds_too = |one: &Verdict| {
            let alike = one.outcome == Outcome::Holds && one.provided.is_empty();
            alike && outcome == Outcome::Holds && one.bound == bound
        };
        let is_open = |name: &String| {
            let of = known.iter().find(|one| one.property == *name);
            of.is_none_or(|of| !proved.contains(name) && !holds_too(of))
        };
        verdict.provided.retain(is_open);
        verdict.provided.sort();
        verdict.provided.dedup();
        for name in &verdict.provided {
            let of = beside.iter().find(|one| one.property == *name);
            if let Some(of) = of.filter(|of| of.outcome != Outcome::Proved) {
                let (word, why) = (of.outcome.name(), &of.reason);
                verdict
                    .notes
                    .push(format!("`{name}`, which this rests on, is {word}: {why}"));
            }
        }
    }
}

/// What is proved and rests on nothing that is not: the least set that has, of each engine, the greatest set of proofs
/// that rest on each other and on what is in it already.
pub(crate) fn proved(answers: Vec<&Answer>) -> BTreeSet<String> {
    let is_proof = |one: &&Answer| one.verdict.outcome == Outcome::Proved;
    let mut proofs: Vec<&Answer> = answers.into_iter().filter(is_proof).collect();
    let engines: BTreeSet<&str> = proofs.iter().map(|one| one.engine.as_str()).collect();
    let mut proved: BTreeSet<String> = BTreeSet::new();
    loop {
        let before = proofs.len();
        for engine in &engines {
            let of_engine = proofs.iter().filter(|one| one.engine == *engine);
            let names = resting_on(of_engine.copied().collect(), &proved);
            proofs.retain(|one| one.engine != *engine || !names.contains(&one.verdict.property));
            proved.extend(names);
        }
        if proofs.len() == before {
            return proved;
        }
    }
}

/// What the greatest set of these proofs shows that rest only on each other and on what is proved.
fn resting_on(mut proofs: Vec<&Answer>, proved: &BTreeSet<String>) -> BTreeSet<String> {
    loop {
        let names = proofs.iter().map(|one| one.verdict.property.clone());
        let names: BTreeSet<String> = names.collect();
        let before = proofs.len();
        proofs.retain(|one| {
            let mut provided = one.verdict.provided.iter();
            provided.all(|name| names.contains(name) || proved.contains(name))
        });
        if proofs.len() == before {
            return names;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{proved, settle};
    use plainsong_report::Answer;
    use plainsong_semantics::verdict::{Outcome, Verdict};

    fn verdict(property: &str, outcome: Outcome, provided: &[&str]) -> Verdict {
        Verdict {
            outcome,
            provided: provided.iter().map(|one| (*one).to_owned()).collect(),
            ..Verdict::unknown(property, "because")
        }
    }

    fn by_prove(verdict: &Verdict) -> Answer {
        Answer::new("", "prove", verdict.clone())
    }

    fn settled(all: &[Verdict], beside: &[Verdict]) -> Vec<Vec<String>> {
        let mut answers: Vec<Answer> = all.iter().map(by_prove).collect();
        let beside: Vec<Answer> = beside.iter().map(by_prove).collect();
        settle(&mut answers, &beside);
        let provided = answers.into_iter().map(|one| one.verdict.provided);
        provided.collect()
    }

    #[test]
    fn what_is_proved_is_no_condition() {
        let all = [
            verdict("few", Outcome::Proved, &["assertions"]),
            verdict("assertions", Outcome::Proved, &["few"]),
        ];
        assert_eq!(settled(&all, &[]), [vec![], Vec::<String>::new()]);
    }

    #[test]
    fn what_rests_on_something_open_is_a_condition_itself() {
        let all = [
            verdict("a", Outcome::Proved, &["b"]),
            verdict("b", Outcome::Proved, &["c"]),
            verdict("c", Outcome::Holds, &[]),
            verdict("d", Outcome::Proved, &["nobody knows"]),
        ];
        let expected = [vec!["b"], vec!["c"], vec![], vec!["nobody knows"]];
        assert_eq!(settled(&all, &[]), expected);
    }

    #[test]
    fn what_was_found_out_beside_counts() {
        let all = [
            verdict("a", Outcome::Proved, &["b"]),
            verdict("c", Outcome::Proved, &["d"]),
        ];
        let beside = [
            verdict("b", Outcome::Proved, &[]),
            verdict("d", Outcome::Refuted, &[]),
        ];
        assert_eq!(settled(&all, &beside), [vec![], vec!["d"]]);
    }

    #[test]
    fn a_circle_of_two_engines_is_no_proof() {
        let one = by_prove(&verdict("few", Outcome::Proved, &["assertions"]));
        let other = |provided: &[&str]| {
            let verdict = verdict("assertions", Outcome::Proved, provided);
            Answer::new("", "sequentialize", verdict)
        };
        let circle = other(&["few"]);
        assert!(proved(vec![&one, &circle]).is_empty());
        let shown = other(&[]);
        assert_eq!(proved(vec![&one, &shown]).len(), 2);
        assert_eq!(proved(vec![&one, &circle, &shown]).len(), 2);
    }
}

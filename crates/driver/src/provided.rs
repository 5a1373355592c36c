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
//! some execution contradicts its proof. So a circle in which everything was shown counts as proved.

use plainsong_report::Answer;
use plainsong_semantics::verdict::{Outcome, Verdict};
use std::collections::BTreeSet;

/// The names that some answer rests on and that nobody has asked for: each with the engine that relies on it.
pub(crate) fn not_asked(answers: &[Option<Answer>]) -> BTreeSet<(String, String)> {
    let answers = || answers.iter().flatten();
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
pub(crate) fn settle(answers: &mut [Answer], beside: &[Verdict]) {
    let known: Vec<Verdict> = answers
        .iter()
        .map(|one| one.verdict.clone())
        .chain(beside.iter().cloned())
        .collect();
    let open = open(&known);
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
            of.is_none_or(|of| open.contains(name.as_str()) && !holds_too(of))
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

/// What is not proved, or rests on something that is not.
fn open(known: &[Verdict]) -> BTreeSet<&str> {
    let is_proved = |one: &&Verdict| one.outcome == Outcome::Proved;
    let names: BTreeSet<&str> = known.iter().map(|one| one.property.as_str()).collect();
    let not_proved = known.iter().filter(|one| !is_proved(one));
    let mut open: BTreeSet<&str> = not_proved.map(|one| one.property.as_str()).collect();
    loop {
        let rests_on_open = |one: &&Verdict| {
            let mut provided = one.provided.iter().map(String::as_str);
            provided.any(|name| open.contains(name) || !names.contains(name))
        };
        let more = known.iter().filter(is_proved).filter(rests_on_open);
        let more: Vec<&str> = more.map(|one| one.property.as_str()).collect();
        let before = open.len();
        open.extend(more);
        if open.len() == before {
            return open;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::settle;
    use plainsong_report::Answer;
    use plainsong_semantics::verdict::{Outcome, Verdict};

    fn verdict(property: &str, outcome: Outcome, provided: &[&str]) -> Verdict {
        Verdict {
            outcome,
            provided: provided.iter().map(|one| (*one).to_owned()).collect(),
            ..Verdict::unknown(property, "because")
        }
    }

    fn settled(all: &[Verdict], beside: &[Verdict]) -> Vec<Vec<String>> {
        let answer = |verdict: &Verdict| Answer {
            file: String::new(),
            engine: "prove".to_owned(),
            seconds: 0.0,
            cached: 0,
            verdict: verdict.clone(),
            trace_path: None,
            account: None,
            declared: None,
        };
        let mut answers: Vec<Answer> = all.iter().map(answer).collect();
        settle(&mut answers, beside);
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
}

//! What to type next where `check` does not know.
//!
//! Every `unknown` says why. What helps depends on that: more of what was used up, a larger window of values, a bound on what grows,
//! or a look at one execution. The command is complete, and what it asks is more than what was asked.

use crate::effort::LIMIT;
use plainsong_semantics::verdict::{Outcome, Verdict};
use std::time::Duration;

/// So many times more of what was used up.
const MORE: u64 = 10;
/// So many random executions say something about a search that is too large.
const RUNS: u64 = 100_000;

/// What to do about a verdict that leaves something unknown.
pub(crate) fn next_step(
    file: &str,
    verdict: &Verdict,
    timeout: Option<Duration>,
) -> Option<String> {
    if verdict.outcome != Outcome::Unknown {
        return None;
    }
    let reason = &verdict.reason;
    let check = format!("plainsong check {file}");
    if let Some(line) = quoted(reason, "`constraint ") {
        return Some(format!("add `{line}` to {file}, and `{check}` again"));
    }
    if let Some(bound) = quoted(reason, "`--bound pending=") {
        return Some(format!("{check} {bound}"));
    }
    if reason.contains("the window") {
        return window(verdict).map(|bound| format!("{check} --bound {bound}"));
    }
    if reason.contains(LIMIT) {
        let states = number_after(reason, "--bound states=").map(|states| states * MORE);
        let states = states.map_or(String::new(), |states| format!(" --bound states={states}"));
        let sim = format!("plainsong sim {file} --runs {RUNS}");
        return Some(format!("{check}{states}, or random executions: {sim}"));
    }
    if reason.contains("time limit") {
        let seconds = timeout.map_or(60, |limit| limit.as_secs().max(1) * MORE);
        return Some(format!("{check} --timeout {seconds}"));
    }
    if reason.contains("memory limit") {
        let megabytes = number_after(reason, "memory limit (").map(|most| most * 4);
        let memory = megabytes.map_or(String::new(), |most| format!(" --memory {most}"));
        return Some(format!("{check}{memory}"));
    }
    if reason.contains("nothing satisfies `requires`") {
        return Some(format!("{check} --grow"));
    }
    if reason.contains("interrupted") || reason.contains("stopped after") {
        return Some(check);
    }
    Some(format!(
        "plainsong sim {file} shows one execution; {check} -v tells who was asked"
    ))
}

/// What stands between backticks and begins like this.
fn quoted<'a>(reason: &'a str, begins: &str) -> Option<&'a str> {
    let at = reason.find(begins)?;
    reason[at + 1..].split('`').next()
}

fn number_after(reason: &str, words: &str) -> Option<u64> {
    let at = reason.find(words)? + words.len();
    let digits = reason[at..].chars().take_while(char::is_ascii_digit);
    digits.collect::<String>().parse().ok()
}

/// A window about twice as large as the one that was tried: `nat=6`, `int=-4..4`.
fn window(verdict: &Verdict) -> Option<String> {
    let largest = |values: &str| {
        let numbers = values.split(|c: char| !c.is_ascii_digit());
        numbers.filter_map(|one| one.parse::<u64>().ok()).max()
    };
    let wider = |name: &str| {
        let most = largest(verdict.bound.get(name)?)?.max(1) * 2;
        Some(match name {
            "int" => format!("int=-{most}..{most}"),
            _ => format!("{name}={most}"),
        })
    };
    let all: Vec<String> = ["int", "nat", "length"]
        .into_iter()
        .filter_map(wider)
        .collect();
    (!all.is_empty()).then(|| all.join(","))
}

#[cfg(test)]
mod tests {
    use super::next_step;
    use plainsong_semantics::verdict::Verdict;
    use std::time::Duration;

    fn next(reason: &str) -> String {
        let mut verdict = Verdict::unknown("p", reason);
        verdict
            .bound
            .insert("nat".to_owned(), "0..=3, 8..=10".to_owned());
        verdict.bound.insert("int".to_owned(), "-2..=2".to_owned());
        next_step("a.song", &verdict, Some(Duration::from_secs(2))).expect("a next step")
    }

    #[test]
    fn what_was_used_up_is_asked_for_again() {
        let check = "plainsong check a.song";
        assert_eq!(
            next("time limit (2 s); see --timeout"),
            format!("{check} --timeout 20")
        );
        assert_eq!(
            next("memory limit (300 MB); see --memory"),
            format!("{check} --memory 1200")
        );
        let states = next("limit on states: --bound states=100 (nothing wrong)");
        assert!(
            states.starts_with(&format!("{check} --bound states=1000, or random")),
            "{states}"
        );
    }

    #[test]
    fn what_grows_is_bounded() {
        let pending =
            "limit on states: --bound states=9; it may have no end; `--bound pending=3` searches";
        assert_eq!(next(pending), "plainsong check a.song --bound pending=3");
        let counter =
            "limit on states: --bound states=9; `n` is 60; `constraint few: n <= 3;` in the song";
        let told = "add `constraint few: n <= 3;` to a.song, and `plainsong check a.song` again";
        assert_eq!(next(counter), told);
    }

    #[test]
    fn a_window_becomes_wider() {
        let told = next("no value in the window (nat=0..=3) satisfies `n > 9`");
        assert_eq!(told, "plainsong check a.song --bound int=-4..4,nat=20");
    }

    #[test]
    fn there_is_always_something_to_do() {
        assert!(next("this computes for ever").contains("plainsong sim a.song"));
    }
}

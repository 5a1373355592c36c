//! What was seen and what is left, as text.
//!
//! ```text
//! plainsong checkpoint 1
//! version 0.1.0
//! program "tests::two_clients::{{closure}}"
//! executable 59e1d58e8ea6d2ce
//! setting "delivery" "fifo"
//! first 11ba2a68c2df3b1d
//! restart Changed
//! symmetry false
//! rc11 false
//! runs 2
//! executions 120
//! blocked 0
//! failed 0
//! events 3120
//! revisits 7
//! process_starts 150
//! checks 8
//! in_vain 0
//! too_long false
//! covered "timeout" 12
//! left 0 2(3..5) 1
//! end
//! ```
//!
//! Other lines are `asker` (who asks before a send whether the receiver was dropped), `fix` (a
//! fixed choice that was made, by its place in the settings), `note`, and `failure` with its details. What `left` says is explained in `plainsong_explore::Part`.

use super::identity::Identity;
use crate::counters::Counters;
use crate::explorer::Restart;
use crate::failure::{Failure, FailureKind};
use crate::sync::mpsc::hang_up::Askers;
use crate::trace::unquote;
use plainsong_explore::Part;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};
use std::str::FromStr;

/// What was seen and what is left.
#[derive(Clone, Debug, Default)]
pub(crate) struct Saved {
    /// A hash of the first execution.
    pub(crate) first: u64,
    pub(crate) restart: Restart,
    /// Was symmetry used?
    pub(crate) symmetry: bool,
    /// Was memory explored under RC11?
    pub(crate) rc11: bool,
    /// How many runs there were.
    pub(crate) runs: u64,
    pub(crate) executions: u64,
    pub(crate) blocked: u64,
    pub(crate) failed: u64,
    pub(crate) events: u64,
    pub(crate) counters: Counters,
    /// Was some execution given up because it had too many events?
    pub(crate) too_long: bool,
    pub(crate) coverage: BTreeMap<String, u64>,
    pub(crate) askers: Askers,
    /// Which fixes of choices were used, by their place in the settings.
    pub(crate) fixes_used: BTreeSet<usize>,
    pub(crate) failures: Vec<Failure>,
    /// What else one should know.
    pub(crate) notes: Vec<String>,
    /// Where orderings weaker than `SeqCst` are asked for.
    pub(crate) weak_orderings: BTreeSet<String>,
    pub(crate) left: Vec<Part>,
}

/// A line that is not as it should be.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mistake {
    line: usize,
    expected: &'static str,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: expected {}", self.line, self.expected)
    }
}

const FIRST_LINE: &str = "plainsong checkpoint 1";

/// The text of a checkpoint.
pub(super) fn print(identity: &Identity, saved: &Saved) -> String {
    let mut text = format!("{FIRST_LINE}\nversion {}\n", env!("CARGO_PKG_VERSION"));
    let written = write_identity(&mut text, identity)
        .and_then(|()| write_sums(&mut text, saved))
        .and_then(|()| write_findings(&mut text, saved));
    written.expect("a string takes everything");
    text
}

fn write_identity(text: &mut String, identity: &Identity) -> fmt::Result {
    writeln!(text, "program {:?}", identity.program)?;
    writeln!(text, "executable {}", identity.executable)?;
    for (name, value) in &identity.settings {
        writeln!(text, "setting {name:?} {value:?}")?;
    }
    Ok(())
}

fn write_sums(text: &mut String, saved: &Saved) -> fmt::Result {
    writeln!(text, "first {:016x}", saved.first)?;
    writeln!(text, "restart {:?}", saved.restart)?;
    writeln!(text, "symmetry {}", saved.symmetry)?;
    writeln!(text, "rc11 {}", saved.rc11)?;
    writeln!(text, "runs {}", saved.runs)?;
    writeln!(text, "executions {}", saved.executions)?;
    writeln!(text, "blocked {}", saved.blocked)?;
    writeln!(text, "failed {}", saved.failed)?;
    writeln!(text, "events {}", saved.events)?;
    let work = &saved.counters;
    writeln!(text, "revisits {}", work.revisits)?;
    writeln!(text, "process_starts {}", work.process_starts)?;
    writeln!(text, "checks {}", work.checks)?;
    writeln!(text, "in_vain {}", work.in_vain)?;
    writeln!(text, "too_long {}", saved.too_long)
}

fn write_findings(text: &mut String, saved: &Saved) -> fmt::Result {
    for (name, count) in &saved.coverage {
        writeln!(text, "covered {name:?} {count}")?;
    }
    for (maker, channel, sender) in &saved.askers {
        writeln!(text, "asker {maker:?} {channel} {sender:?}")?;
    }
    for fixed in &saved.fixes_used {
        writeln!(text, "fix {fixed}")?;
    }
    for failure in &saved.failures {
        write_failure(text, failure)?;
    }
    for note in &saved.notes {
        writeln!(text, "note {note:?}")?;
    }
    for place in &saved.weak_orderings {
        writeln!(text, "weak {place:?}")?;
    }
    for part in &saved.left {
        writeln!(text, "left {part}")?;
    }
    writeln!(text, "end")
}

fn write_failure(text: &mut String, failure: &Failure) -> fmt::Result {
    writeln!(text, "failure {:?} {:?}", failure.kind, failure.message)?;
    let mut detail = |name: &str, value: Option<&str>| match value {
        Some(value) => writeln!(text, "failure.{name} {value:?}"),
        None => Ok(()),
    };
    detail("location", failure.location.as_deref())?;
    detail("process", failure.process.as_deref())?;
    detail("picture", Some(&failure.picture))?;
    detail("race", failure.race.as_deref())?;
    detail("backtrace", failure.backtrace.as_deref())?;
    let trace = failure.trace.as_ref().map(ToString::to_string);
    detail("trace", trace.as_deref())?;
    let (all, kept) = failure.events;
    writeln!(text, "failure.events {all} {kept}")
}

/// Reads a checkpoint.
pub(super) fn parse(text: &str) -> Result<(Identity, Saved), Mistake> {
    let mut identity = Identity {
        program: String::new(),
        executable: String::new(),
        settings: Vec::new(),
    };
    let mut saved = Saved::default();
    let mut lines = text.lines().enumerate();
    let mut last = 1;
    if lines.next().is_none_or(|(_, line)| line != FIRST_LINE) {
        return Err(Mistake {
            line: last,
            expected: "`plainsong checkpoint 1`",
        });
    }
    for (at, line) in lines {
        if line == "end" && !saved.left.is_empty() {
            return Ok((identity, saved));
        }
        last = at + 1;
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let known = read_identity(word, rest, &mut identity)
            .or_else(|| read_sum(word, rest, &mut saved))
            .or_else(|| read_finding(word, rest, &mut saved));
        known.ok_or(Mistake {
            line: last,
            expected: "a line of a checkpoint",
        })?;
    }
    Err(Mistake {
        line: last + 1,
        expected: "`end`",
    })
}

fn read_identity(word: &str, rest: &str, identity: &mut Identity) -> Option<()> {
    match word {
        "version" => {}
        "program" => identity.program = unquote(rest)?.0,
        "executable" => rest.clone_into(&mut identity.executable),
        "setting" => {
            let (name, rest) = unquote(rest)?;
            let (value, _) = unquote(rest.trim_start())?;
            identity.settings.push((name, value));
        }
        _ => return None,
    }
    Some(())
}

fn read_sum(word: &str, rest: &str, saved: &mut Saved) -> Option<()> {
    match word {
        "first" => saved.first = u64::from_str_radix(rest, 16).ok()?,
        "restart" => {
            let all = [Restart::Changed, Restart::All];
            saved.restart = find_named(&all, rest)?;
        }
        "symmetry" => saved.symmetry = number(rest)?,
        "rc11" => saved.rc11 = number(rest)?,
        "runs" => saved.runs = number(rest)?,
        "executions" => saved.executions = number(rest)?,
        "blocked" => saved.blocked = number(rest)?,
        "failed" => saved.failed = number(rest)?,
        "events" => saved.events = number(rest)?,
        "revisits" => saved.counters.revisits = number(rest)?,
        "process_starts" => saved.counters.process_starts = number(rest)?,
        "checks" => saved.counters.checks = number(rest)?,
        "in_vain" => saved.counters.in_vain = number(rest)?,
        "too_long" => saved.too_long = number(rest)?,
        _ => return None,
    }
    Some(())
}

fn read_finding(word: &str, rest: &str, saved: &mut Saved) -> Option<()> {
    match word {
        "covered" => {
            let (name, count) = unquote(rest)?;
            saved.coverage.insert(name, number(count.trim_start())?);
        }
        "asker" => {
            let (maker, rest) = unquote(rest)?;
            let (channel, sender) = rest.trim_start().split_once(' ')?;
            let (sender, _) = unquote(sender)?;
            saved.askers.insert((maker, number(channel)?, sender));
        }
        "fix" => {
            saved.fixes_used.insert(number(rest)?);
        }
        "note" => saved.notes.push(unquote(rest)?.0),
        "weak" => drop(saved.weak_orderings.insert(unquote(rest)?.0)),
        "left" => saved.left.push(rest.parse().ok()?),
        "failure" => {
            let (kind, message) = rest.split_once(' ')?;
            let kind = find_named(&FailureKind::ALL, kind)?;
            let failure = Failure::plain(kind, unquote(message)?.0, None);
            saved.failures.push(failure);
        }
        _ => {
            let detail = word.strip_prefix("failure.")?;
            read_detail(detail, rest, saved.failures.last_mut()?)?;
        }
    }
    Some(())
}

fn read_detail(name: &str, rest: &str, failure: &mut Failure) -> Option<()> {
    if name == "events" {
        let (all, kept) = rest.split_once(' ')?;
        failure.events = (number(all)?, number(kept)?);
        return Some(());
    }
    let (value, _) = unquote(rest)?;
    match name {
        "location" => failure.location = Some(value),
        "process" => failure.process = Some(value),
        "picture" => failure.picture = value,
        "race" => failure.race = Some(value),
        "backtrace" => failure.backtrace = Some(value),
        "trace" => failure.trace = Some(value.parse().ok()?),
        _ => return None,
    }
    Some(())
}

fn number<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

/// The value that is printed like this.
fn find_named<T: Copy + fmt::Debug>(all: &[T], name: &str) -> Option<T> {
    let is_it = |one: &&T| format!("{one:?}") == name;
    all.iter().find(is_it).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> (Identity, Saved) {
        let identity = Identity {
            program: "tests::{{closure}}".to_owned(),
            executable: "0123".to_owned(),
            settings: vec![("delivery".to_owned(), "my \"order\"".to_owned())],
        };
        let failure = Failure {
            process: Some("ann".to_owned()),
            picture: "a\n  b".to_owned(),
            events: (7, 3),
            ..Failure::plain(FailureKind::Panic, "\"no\"\n".to_owned(), None)
        };
        let saved = Saved {
            first: 77,
            restart: Restart::All,
            symmetry: true,
            rc11: true,
            runs: 2,
            executions: 10,
            blocked: 3,
            failed: 1,
            events: 1000,
            counters: Counters {
                revisits: 4,
                process_starts: 30,
                checks: 5,
                in_vain: 0,
            },
            too_long: true,
            coverage: BTreeMap::from([("a mark".to_owned(), 5)]),
            askers: Askers::from([("main".to_owned(), 1, "client 2".to_owned())]),
            fixes_used: BTreeSet::from([0, 2]),
            failures: vec![failure],
            notes: vec!["`a` is \"b\"".to_owned()],
            weak_orderings: BTreeSet::from(["Relaxed at a.rs:1:2".to_owned()]),
            left: vec!["0 2(3..5) 1".parse().expect("a part"), Part::default()],
        };
        (identity, saved)
    }

    #[test]
    fn what_is_written_can_be_read() {
        let (identity, saved) = example();
        let text = print(&identity, &saved);
        let (identity2, saved2) = parse(&text).expect("it was just written");
        assert_eq!(identity2, identity);
        assert_eq!(format!("{saved2:?}"), format!("{saved:?}"));
        assert_eq!(print(&identity2, &saved2), text);
    }

    #[test]
    fn mistakes_name_their_line() {
        let (identity, saved) = example();
        let text = print(&identity, &saved);
        let complaint = |text: &str| parse(text).expect_err("a mistake").to_string();
        assert_eq!(complaint(""), "line 1: expected `plainsong checkpoint 1`");
        let cut = text.strip_suffix("end\n").expect("the last line");
        let lines = text.lines().count();
        assert_eq!(complaint(cut), format!("line {lines}: expected `end`"));
        let wrong = text.replace("runs 2", "runs two");
        let line = 1 + text.lines().take_while(|line| *line != "runs 2").count();
        assert_eq!(
            complaint(&wrong),
            format!("line {line}: expected a line of a checkpoint")
        );
    }
}

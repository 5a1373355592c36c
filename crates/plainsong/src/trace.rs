//! Executions in a file, to be replayed.
//!
//! The format is text: a header, then one event per line. Processes, messages and options are
//! named as the program names them, so a trace survives changes that do not concern its events.
//!
//! ```text
//! plainsong trace 1
//! version 0.1.0
//! delivery fifo
//! outcome panic "two clients hold the lock"
//! "server" receive Acquire 1 from "client 1"
//! "client 1" receive Granted 1 from "server"
//! "client 2" choose "true"
//! "client 2" store 1: load of atomic 1 (Acquire)
//! "client 2" nothing
//! "auditor" set Vote 1 from "client 1" Vote 1 from "client 2"
//! "auditor" waits in vain
//! "client 2" - send Acquire to server
//! ```
//!
//! `Acquire 1 from "client 1"` is the first message of type `Acquire` that `client 1` sent to the
//! receiver. `store 1` is the store that is loaded, or made: the second of its location in modification order. Lines with `-` are for the reader and tell the replay nothing.

use crate::delivery::Delivery;
use crate::failure::FailureKind;
use crate::order::Order as _;
use crate::replay::{Afterwards, Decision, Guide, Wanted};
use crate::report::{End, Report, Verdict};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// An execution that failed, in a form that can be saved and [replayed](crate::Explorer::replay).
///
/// ```
/// use plainsong::{choose, Trace};
///
/// let report = plainsong::explore(|| assert!(choose([1, 2]) == 1));
/// let trace = report.failures[0].trace.clone().unwrap();
/// let text = trace.to_string();
/// assert!(text.contains("\"main\" choose \"2\""));
/// assert_eq!(text.parse::<Trace>().unwrap(), trace);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    delivery: String,
    /// Does whoever joins a thread learn of its panic?
    pub(crate) returns_panics: bool,
    outcome: String,
    message: String,
    lines: Vec<TraceLine>,
}

/// One event of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TraceLine {
    Receive {
        process: String,
        kind: String,
        occurrence: u32,
        from: String,
    },
    /// A set of messages, at once.
    Set {
        process: String,
        messages: Vec<Wanted>,
    },
    Nothing {
        process: String,
    },
    /// What it waits for is lost.
    Waits {
        process: String,
    },
    Choose {
        process: String,
        option: String,
    },
    /// A load from the store of this number, or that store.
    Store {
        process: String,
        number: u32,
        text: String,
    },
    Other {
        process: String,
        text: String,
    },
}

/// Why a text is not a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceError {
    /// The line, from 1.
    pub line: usize,
    /// What was expected there.
    pub expected: String,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: expected {}", self.line, self.expected)
    }
}

impl std::error::Error for TraceError {}

const FIRST_LINE: &str = "plainsong trace 1";

/// A thread that panics is joined with an error.
const PANICS: &str = "panics returned";

/// What a process does that waits for what is lost.
const IN_VAIN: &str = "waits in vain";

/// The outcome when a monitor objects to how the execution ended.
const AT_THE_END: &str = "panic at the end";

/// The name of an order, which may be the user's.
fn one_word(delivery: Delivery) -> String {
    delivery.name().replace(char::is_whitespace, "-")
}

impl Trace {
    pub(crate) fn new(
        delivery: Delivery,
        kind: FailureKind,
        message: &str,
        lines: Vec<TraceLine>,
    ) -> Self {
        Trace {
            delivery: one_word(delivery),
            returns_panics: false,
            outcome: kind.name().to_owned(),
            message: message.to_owned(),
            lines,
        }
    }

    /// A trace of what is wrong when everything has happened.
    pub(crate) fn at_the_end(mut self) -> Self {
        AT_THE_END.clone_into(&mut self.outcome);
        self
    }

    /// Reads a trace from a file.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or is not a trace.
    pub fn load(path: impl AsRef<Path>) -> std::io::Result<Trace> {
        let text = std::fs::read_to_string(path)?;
        text.parse().map_err(|error: TraceError| {
            std::io::Error::new(std::io::ErrorKind::InvalidData, error)
        })
    }

    /// Writes a trace to a file, and makes the folder for it if necessary.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> std::io::Result<()> {
        if let Some(folder) = path.as_ref().parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(path, self.to_string())
    }

    /// Does it have accesses to memory?
    pub(crate) fn is_about_memory(&self) -> bool {
        let mut lines = self.lines.iter();
        lines.any(|line| matches!(line, TraceLine::Store { .. }))
            || self.outcome == FailureKind::DataRace.name()
    }

    /// What each process has to decide.
    pub(crate) fn guide(&self) -> Guide {
        let mut decisions: BTreeMap<String, Vec<Decision>> = BTreeMap::new();
        for line in &self.lines {
            if let Some((process, decision)) = line.decision() {
                decisions
                    .entry(process.to_owned())
                    .or_default()
                    .push(decision);
            }
        }
        let is_about_the_end = [FailureKind::Deadlock.name(), AT_THE_END];
        let afterwards = if is_about_the_end.contains(&self.outcome.as_str()) {
            Afterwards::Free
        } else {
            Afterwards::Stop
        };
        Guide {
            decisions,
            afterwards,
        }
    }

    /// Says what the replay came to.
    pub(crate) fn judge(
        &self,
        mut report: Report,
        delivery: Delivery,
        followed: &BTreeMap<String, usize>,
    ) -> Report {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        let lost = self.lines.iter().find(|line| {
            let Some((process, _)) = line.decision() else {
                return false;
            };
            let count = seen.entry(process).or_default();
            *count += 1;
            *count > followed.get(process).copied().unwrap_or(0)
        });
        report.end = End::Replayed;
        if self.delivery != one_word(delivery) {
            report.notes.push(format!(
                "the trace was made with {} delivery, not {}",
                self.delivery,
                delivery.name()
            ));
        }
        if report.verdict == Verdict::Holds {
            report.verdict = Verdict::Unknown;
        }
        if report.failures.is_empty() {
            report.notes.push(match lost {
                Some(line) => format!("the first event that is no longer possible: {line}"),
                None => "the trace was followed to its end, and nothing failed".to_owned(),
            });
        }
        report
    }
}

impl TraceLine {
    /// What a process decides here, if anything.
    fn decision(&self) -> Option<(&str, Decision)> {
        match self {
            TraceLine::Receive {
                process,
                kind,
                occurrence,
                from,
            } => {
                let wanted = Wanted {
                    kind: kind.clone(),
                    from: from.clone(),
                    occurrence: *occurrence,
                };
                Some((process, Decision::Receive(vec![wanted])))
            }
            TraceLine::Set { process, messages } => {
                Some((process, Decision::Receive(messages.clone())))
            }
            TraceLine::Nothing { process } => Some((process, Decision::Receive(Vec::new()))),
            TraceLine::Waits { process } => Some((process, Decision::Wait)),
            TraceLine::Choose { process, option } => {
                Some((process, Decision::Choose(option.clone())))
            }
            TraceLine::Store {
                process, number, ..
            } => Some((process, Decision::Store(*number))),
            TraceLine::Other { .. } => None,
        }
    }
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{FIRST_LINE}")?;
        writeln!(f, "version {}", env!("CARGO_PKG_VERSION"))?;
        writeln!(f, "delivery {}", self.delivery)?;
        if self.returns_panics {
            writeln!(f, "{PANICS}")?;
        }
        writeln!(f, "outcome {} {:?}", self.outcome, self.message)?;
        for line in &self.lines {
            writeln!(f, "{line}")?;
        }
        Ok(())
    }
}

impl fmt::Display for TraceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TraceLine::Receive {
                process,
                kind,
                occurrence,
                from,
            } => {
                write!(f, "{process:?} receive {kind} {occurrence} from {from:?}")
            }
            TraceLine::Set { process, messages } => {
                write!(f, "{process:?} set")?;
                for Wanted {
                    kind,
                    occurrence,
                    from,
                } in messages
                {
                    write!(f, " {kind} {occurrence} from {from:?}")?;
                }
                Ok(())
            }
            TraceLine::Nothing { process } => write!(f, "{process:?} nothing"),
            TraceLine::Waits { process } => write!(f, "{process:?} {IN_VAIN}"),
            TraceLine::Choose { process, option } => write!(f, "{process:?} choose {option:?}"),
            TraceLine::Store {
                process,
                number,
                text,
            } => write!(f, "{process:?} store {number}: {}", text.replace('\n', " ")),
            TraceLine::Other { process, text } => {
                write!(f, "{process:?} - {}", text.replace('\n', " "))
            }
        }
    }
}

impl FromStr for Trace {
    type Err = TraceError;

    fn from_str(text: &str) -> Result<Self, TraceError> {
        let mut lines = text.lines().enumerate().map(|(at, line)| (at + 1, line));
        let mut header = |word: &str| {
            let (at, line) = lines.next().unwrap_or((0, ""));
            line.strip_prefix(word)
                .map(str::trim)
                .ok_or_else(|| TraceError {
                    line: at,
                    expected: format!("`{word}`"),
                })
        };
        header(FIRST_LINE)?;
        header("version")?;
        let delivery = header("delivery")?.to_owned();
        let mut outcome = header("")?;
        let returns_panics = outcome == PANICS;
        if returns_panics {
            outcome = header("")?;
        }
        let outcome = outcome.strip_prefix("outcome").ok_or(TraceError {
            line: 4 + usize::from(returns_panics),
            expected: "`outcome`".to_owned(),
        })?;
        let (outcome, message) = outcome.split_once('"').unwrap_or((outcome, "\""));
        let message = unquote(&format!("\"{message}")).map_or(String::new(), |(text, _)| text);
        let lines = lines
            .filter(|(_, line)| !line.trim().is_empty())
            .map(|(at, line)| {
                parse_line(line.trim()).ok_or_else(|| TraceError {
                    line: at,
                    expected: "an event like `\"server\" receive Get 1 from \"client\"`".to_owned(),
                })
            })
            .collect::<Result<_, _>>()?;
        Ok(Trace {
            delivery,
            returns_panics,
            outcome: outcome.trim().to_owned(),
            message,
            lines,
        })
    }
}

fn parse_line(line: &str) -> Option<TraceLine> {
    let (process, rest) = unquote(line)?;
    let rest = rest.trim_start();
    if rest == "nothing" {
        Some(TraceLine::Nothing { process })
    } else if rest == IN_VAIN {
        Some(TraceLine::Waits { process })
    } else if let Some(messages) = rest.strip_prefix("set") {
        let messages = parse_messages(messages)?;
        Some(TraceLine::Set { process, messages })
    } else if let Some(text) = rest.strip_prefix('-') {
        Some(TraceLine::Other {
            process,
            text: text.trim().to_owned(),
        })
    } else if let Some(store) = rest.strip_prefix("store ") {
        let (number, text) = store.split_once(':')?;
        Some(TraceLine::Store {
            process,
            number: number.parse().ok()?,
            text: text.trim().to_owned(),
        })
    } else if let Some(option) = rest.strip_prefix("choose ") {
        let (option, _) = unquote(option)?;
        Some(TraceLine::Choose { process, option })
    } else {
        // Types can have spaces in them, names anything.
        let (message, from) = rest.strip_prefix("receive ")?.rsplit_once(" from \"")?;
        let (kind, occurrence) = message.rsplit_once(' ')?;
        let (from, _) = unquote(&format!("\"{from}"))?;
        Some(TraceLine::Receive {
            process,
            kind: kind.to_owned(),
            occurrence: occurrence.parse().ok()?,
            from,
        })
    }
}

/// Messages one after the other: `Vote 1 from "client 1" Vote 1 from "client 2"`.
fn parse_messages(text: &str) -> Option<Vec<Wanted>> {
    let mut rest = text.trim();
    let mut messages = Vec::new();
    while !rest.is_empty() {
        let at = rest.find(" from \"")?;
        let (kind, occurrence) = rest[..at].rsplit_once(' ')?;
        let (from, more) = unquote(&rest[at + " from ".len()..])?;
        messages.push(Wanted {
            kind: kind.to_owned(),
            from,
            occurrence: occurrence.parse().ok()?,
        });
        rest = more.trim_start();
    }
    Some(messages)
}

/// A text in quotes, as `Debug` writes it, and what follows.
pub(crate) fn unquote(text: &str) -> Option<(String, &str)> {
    let mut rest = text.strip_prefix('"')?.char_indices();
    let mut plain = String::new();
    while let Some((at, c)) = rest.next() {
        match c {
            '"' => return Some((plain, &text[at + 2..])),
            '\\' => plain.push(unescape(&mut rest)?),
            _ => plain.push(c),
        }
    }
    None
}

/// What follows a backslash.
fn unescape(rest: &mut std::str::CharIndices<'_>) -> Option<char> {
    match rest.next()?.1 {
        'n' => Some('\n'),
        't' => Some('\t'),
        'r' => Some('\r'),
        '0' => Some('\0'),
        'u' => {
            let digits: String = rest
                .skip(1)
                .map(|(_, c)| c)
                .take_while(|&c| c != '}')
                .collect();
            char::from_u32(u32::from_str_radix(&digits, 16).ok()?)
        }
        other => Some(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        let lines = vec![
            TraceLine::Receive {
                process: "a \"quoted\" from \"b\"".to_owned(),
                kind: "(u32, String)".to_owned(),
                occurrence: 3,
                from: "c\\d\n\u{1}".to_owned(),
            },
            TraceLine::Set {
                process: "b".to_owned(),
                messages: vec![
                    Wanted {
                        kind: "(u32, &str)".to_owned(),
                        from: "a from \"x".to_owned(),
                        occurrence: 1,
                    },
                    Wanted {
                        kind: "u8".to_owned(),
                        from: "b".to_owned(),
                        occurrence: 12,
                    },
                ],
            },
            TraceLine::Set {
                process: "b".to_owned(),
                messages: Vec::new(),
            },
            TraceLine::Nothing {
                process: "b".to_owned(),
            },
            TraceLine::Waits {
                process: "b".to_owned(),
            },
            TraceLine::Choose {
                process: "b".to_owned(),
                option: "\"x\"".to_owned(),
            },
            TraceLine::Store {
                process: "b".to_owned(),
                number: 2,
                text: "atomic 1 := 5: (Relaxed)".to_owned(),
            },
            TraceLine::Other {
                process: "b".to_owned(),
                text: "send 1 to a".to_owned(),
            },
        ];
        let trace = Trace::new(Delivery::Fifo, FailureKind::Panic, "a \"b\"\nc", lines);
        assert_eq!(trace.to_string().parse(), Ok(trace));
    }

    #[test]
    fn mistakes_name_their_line() {
        let no_trace = "hello".parse::<Trace>().unwrap_err();
        assert_eq!(no_trace.to_string(), "line 1: expected `plainsong trace 1`");
        let text = format!("{FIRST_LINE}\nversion 1\ndelivery fifo\noutcome panic\n\"a\" jumps\n");
        assert_eq!(text.parse::<Trace>().unwrap_err().line, 5);
    }
}

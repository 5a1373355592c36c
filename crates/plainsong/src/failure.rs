//! Failures, as people see them.

use crate::trace::Trace;
use std::fmt;

/// Something that goes wrong in some execution.
///
/// Printed, it is the reason, the picture of the execution, and the race that decided it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Failure {
    /// What kind of failure it is.
    pub kind: FailureKind,
    /// What is wrong, in a sentence: for a panic, its message.
    pub message: String,
    /// Where in the source, as `file:line:column`.
    pub location: Option<String>,
    /// The process that failed.
    pub process: Option<String>,
    /// The messages that led to it, as a picture in text; empty when there is nothing to see.
    pub picture: String,
    /// The receive or choice that decided it, and what would have been otherwise.
    pub race: Option<String>,
    /// How many events the execution has, and how many of them led to the failure.
    pub events: (usize, usize),
    /// The execution, to be saved and [replayed](crate::Explorer::replay).
    pub trace: Option<Trace>,
    /// The user's frames, when `RUST_BACKTRACE` is set.
    pub backtrace: Option<String>,
}

/// The kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// A process panicked: a failed assertion, usually.
    Panic,
    /// A process waits for ever for a message or for the end of another.
    Deadlock,
    /// Two accesses to a [cell](crate::cell), one of them a write, that nothing orders.
    DataRace,
    /// A process does not do the same when it runs again with the same messages.
    NotDeterministic,
    /// Two processes receive from one channel, and nothing orders that: it was not explored, and the verdict is
    /// [`Verdict::Unknown`](crate::Verdict::Unknown). A receiver that is handed on is fine.
    TwoReceivers,
    /// The program does something else that cannot be explored; the verdict is
    /// [`Verdict::Unknown`](crate::Verdict::Unknown).
    Unsupported,
    /// The [checkpoint](crate::Explorer::checkpoint_file) to go on from is of something else.
    WrongCheckpoint,
    /// A [fixed](crate::Explorer::fix) choice does not exist, or has no such option.
    WrongFix,
}

impl FailureKind {
    pub(crate) const ALL: [FailureKind; 8] = [
        FailureKind::Panic,
        FailureKind::Deadlock,
        FailureKind::DataRace,
        FailureKind::NotDeterministic,
        FailureKind::TwoReceivers,
        FailureKind::Unsupported,
        FailureKind::WrongCheckpoint,
        FailureKind::WrongFix,
    ];

    /// Does it say that the program is wrong? Else it says why that is not known.
    pub(crate) fn is_wrong(self) -> bool {
        !matches!(
            self,
            FailureKind::TwoReceivers
                | FailureKind::Unsupported
                | FailureKind::WrongCheckpoint
                | FailureKind::WrongFix
        )
    }

    /// As in a saved trace.
    pub(crate) fn name(self) -> &'static str {
        match self {
            FailureKind::Panic => "panic",
            FailureKind::Deadlock => "deadlock",
            FailureKind::DataRace => "data race",
            FailureKind::NotDeterministic => "not deterministic",
            FailureKind::TwoReceivers => "two receivers",
            FailureKind::Unsupported => "unsupported",
            FailureKind::WrongCheckpoint => "wrong checkpoint",
            FailureKind::WrongFix => "wrong fix",
        }
    }
}

impl Failure {
    /// A failure that there is no picture of.
    pub(crate) fn plain(kind: FailureKind, message: String, location: Option<String>) -> Self {
        Failure {
            kind,
            message,
            location,
            process: None,
            picture: String::new(),
            race: None,
            events: (0, 0),
            trace: None,
            backtrace: None,
        }
    }

    /// Is it the same failure in another execution?
    pub(crate) fn is_like(&self, other: &Failure) -> bool {
        self.kind == other.kind && self.message == other.message && self.location == other.location
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.process {
            Some(process) => write!(f, "{process}: {}", self.message)?,
            None => f.write_str(&self.message)?,
        }
        if let Some(location) = &self.location {
            write!(f, "\n  at {location}")?;
        }
        if let Some(frames) = &self.backtrace {
            write!(f, "\n{}", frames.trim_end())?;
        }
        if !self.picture.is_empty() {
            write!(f, "\n\n{}", self.picture)?;
        }
        if let Some(race) = &self.race {
            write!(f, "\n  race: {race}")?;
        }
        if self.events.1 < self.events.0 {
            write!(
                f,
                "\n  shrunk from {} events to {}",
                self.events.0, self.events.1
            )?;
        }
        writeln!(f)
    }
}

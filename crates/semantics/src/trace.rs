//! Traces: one execution, told event by event, in the user's names.
//!
//! A trace is self-contained (every name and value is already text), so that reports, pictures and
//! saved files need neither the song nor the interpreter. [`Event::step`] carries what is needed to
//! take the same step again.

use plainsong_diagnostics::Span;

/// One execution from the start.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// The processes (or endpoints), as the user names them: `coordinator`, `db[0]`.
    pub lanes: Vec<String>,
    /// State variables (or globals) at the start, as `name = value`, per lane or global.
    pub start: Vec<Change>,
    /// What happened, in order.
    pub events: Vec<Event>,
    /// How it ended.
    pub ending: Ending,
    /// Messages or asyncs still in flight at the end, oldest first.
    pub undelivered: Vec<Sent>,
}

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Who acts; `None` for `init` and for actions.
    pub lane: Option<usize>,
    /// What kind of step it is.
    pub kind: EventKind,
    /// The message with its payload (`Vote(true)`), the action with its arguments, or the statement.
    pub label: String,
    /// The other side: receiver of a send, sender of what is received; `None` when it is `init` or
    /// there is no other side.
    pub peer: Option<usize>,
    /// Which message is sent or taken: numbers are unique in the trace and start at 0.
    pub message: Option<u64>,
    /// Further messages sent (by a handler or `init`) or asyncs created in the same step.
    pub sends: Vec<Sent>,
    /// Free choices made in this step, as `yes = true`.
    pub choices: Vec<String>,
    /// State variables that changed.
    pub changes: Vec<Change>,
    /// The statement in the text.
    pub span: Span,
    /// Which of the enabled steps it was, by position in the interpreter's order.
    pub step: usize,
}

/// The kinds of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// The `init` block.
    Init,
    /// A process runs its local statements before its first communication.
    Start,
    /// A body sends.
    Send,
    /// A body receives.
    Receive,
    /// A receive gives up waiting.
    Timeout,
    /// A handler takes a message.
    Handle,
    /// A pending async runs.
    Act,
    /// A statement of a line runs at one endpoint.
    Local,
    /// A statement of a line moves a value from `peer` to `lane`.
    Transfer,
    /// A process goes down.
    Crash,
    /// A process that is down begins anew.
    Restart,
    /// A message to `lane` is lost.
    Lose,
    /// A message from `lane` is sent once more.
    Duplicate,
}

impl EventKind {
    /// Is it a fault, which nobody can count on?
    pub fn is_fault(self) -> bool {
        matches!(
            self,
            EventKind::Crash | EventKind::Restart | EventKind::Lose | EventKind::Duplicate
        )
    }
}

/// A message in flight, or a pending async.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    /// Its number in the trace.
    pub message: u64,
    /// With payload: `Vote(true)`.
    pub label: String,
    /// Who sent it; `None` for `init` and asyncs.
    pub from: Option<usize>,
    /// To whom; `None` for an async.
    pub to: Option<usize>,
}

/// A variable and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// `db[0].outcome`, or the name of a global.
    pub variable: String,
    /// Value before; the same as `after` in [`Trace::start`].
    pub before: String,
    /// Value after.
    pub after: String,
}

impl Change {
    /// Is it no variable, but what a call of an external function returns throughout, such as `price(1, 2)`?
    pub fn is_outcome(&self) -> bool {
        self.variable.ends_with(')')
    }
}

/// How a trace ends.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// Nothing can happen any more, as it should be.
    Final,
    /// Nothing can happen any more, but somebody waits.
    Deadlock(Vec<Waiting>),
    /// An assertion failed or an operation was undefined, in the last event.
    Failed(Failure),
    /// The last state violates a property.
    Violated {
        /// The property's name.
        property: String,
        /// The claim in the text.
        span: Span,
        /// The part that is false, with the values that make it so:
        /// `a = Db#0, b = Db#1: db[0].outcome == db[1].outcome is false: db[0].outcome = some(true), …`.
        why: String,
    },
    /// Stopped by a limit.
    Cut,
    /// An `assume` ended it: not of interest.
    Discarded,
}

/// Somebody who waits in a deadlock.
#[derive(Clone, Debug, PartialEq)]
pub struct Waiting {
    /// Who; `None` for a blocked async.
    pub lane: Option<usize>,
    /// What for: `Vote from any db`, or the blocked async.
    pub what: String,
    /// The receive in the text.
    pub span: Span,
}

/// Why a step failed.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    pub kind: FailureKind,
    /// One sentence with values: `c ==> yes is false: c = true, yes = false`.
    pub message: String,
    /// The statement or expression in the text.
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// An `assert` was false.
    Assertion,
    /// Division by zero, `unwrap` of `none`, an index outside, a negative `nat`, …
    Undefined,
    /// The interpreter's own limit: an integer beyond 64 bits, recursion or local computation that
    /// does not end. Not the program's fault as far as we know: the verdict is `unknown`.
    Resource,
    /// A choreography's `requires`, `ensures` or loop invariant was false.
    Contract,
}

//! Voices: processes with private state that exchange messages.

use crate::{
    Accept, Binder, Block, Choice, Code, Covers, DeclaredFairness, Delivery, Expr, FamilyId, Local,
    MessageId, Sequentialization, Ty,
};
use plainsong_diagnostics::Span;

/// A system of processes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Voices {
    /// Kinds of messages.
    pub messages: Vec<Message>,
    /// The code of each process family, in declaration order.
    pub processes: Vec<Process>,
    /// `init { … }`: runs once before everything, as one step.
    pub init: Option<Code>,
    /// What may go wrong.
    pub faults: Vec<Fault>,
    /// Sequentializations of processes with handlers, in the order in which they are applied. What they call
    /// is numbered by [`message_actions`](Voices::message_actions).
    pub sequences: Vec<Sequentialization>,
}

/// `fault crash node <= 1;`
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// What happens, and to whom.
    pub kind: FaultKind,
    /// How often at most; a restart happens as often as there was a crash, and a loss without a number any number of
    /// times.
    pub most: Option<u32>,
    /// `fair` or `unfair` before it: whether a link that loses messages lets some through, whether a restart is owed.
    pub fairness: Option<DeclaredFairness>,
    /// The words in the text.
    pub span: Span,
}

/// What may go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// A process of the family stops.
    Crash(FamilyId),
    /// A process of the family that has crashed begins anew; durable variables keep their values.
    Restart(FamilyId),
    /// A message of this kind is lost in flight.
    Lose(MessageId),
    /// A message of this kind is delivered once more.
    Duplicate(MessageId),
}

impl FaultKind {
    /// As written after `fault`.
    pub fn name(self) -> &'static str {
        match self {
            FaultKind::Crash(_) => "crash",
            FaultKind::Restart(_) => "restart",
            FaultKind::Lose(_) => "lose",
            FaultKind::Duplicate(_) => "duplicate",
        }
    }
}

/// `message Name(…) via …;`
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    pub name: String,
    /// Its payload.
    pub fields: Vec<Binder>,
    /// The declared delivery model; without one, `fifo` towards bodies, `unordered` towards
    /// handlers.
    pub delivery: Option<Delivery>,
    /// `decreases e`: every message sent when one is taken is less than that. The first locals are the fields.
    pub measures: Measures,
    /// `covers e`: which messages can do at least as much as an earlier one. The first locals are the fields.
    pub order: Covers,
    /// `<= n`: executions are searched only as long as at most so many are in flight from one sender to one receiver.
    pub most: Option<u32>,
    /// The name in the text.
    pub span: Span,
}

/// Numbers that decrease: the first one, or the first stays and the next one decreases, and so on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measures {
    /// What the numbers are said in.
    pub locals: Vec<Local>,
    /// The numbers; none when nothing is claimed.
    pub levels: Vec<Expr>,
}

/// A named process or endpoint, or a family of them, with its state variables.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    pub name: String,
    /// Its indices; none for a single process.
    pub index: Vec<Binder>,
    /// Its state variables, visible to properties.
    pub vars: Vec<StateVar>,
    /// The name in the text.
    pub span: Span,
}

/// A state variable.
#[derive(Clone, Debug, PartialEq)]
pub struct StateVar {
    pub name: String,
    /// Its type.
    pub ty: Ty,
    /// Its value at the start.
    pub start: StartValue,
    /// Names used by `start`: first the family's indices, then, for an endpoint, the parameters of
    /// its choreography, then what `start` binds itself. `start` may also read state variables
    /// declared earlier, as [`ExprKind::Own`](crate::ExprKind::Own).
    pub locals: Vec<Local>,
    /// Does its value survive a restart?
    pub durable: bool,
    /// `in x: T where e;`: is it given to this process alone when it starts? It starts with any value (`start` is a choice) and
    /// is never assigned.
    pub is_input: bool,
    /// The name in the text.
    pub span: Span,
}

/// How a variable starts.
#[derive(Clone, Debug, PartialEq)]
pub enum StartValue {
    Value(Expr),
    /// With any value that the choice allows.
    Choice(Choice),
}

/// The code of a process family.
#[derive(Clone, Debug, PartialEq)]
pub struct Process {
    /// Name, indices and state variables.
    pub family: FamilyId,
    /// May it wait for ever?
    pub daemon: bool,
    /// `fair process`: what temporal claims suppose that it is owed.
    pub fairness: Option<DeclaredFairness>,
    /// Locals of its code: first the indices, then everything bound in the body or the handlers.
    pub locals: Vec<Local>,
    /// `decreases e;`: numbers of its own state that decrease when it sends. The first locals are the indices.
    pub measures: Measures,
    /// `covers e;`: which of its states can do at least as much as an earlier one. The first locals are the indices.
    pub order: Covers,
    /// What it does.
    pub body: Body,
}

/// What a process does.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// Statements with blocking receives, from first to last.
    Sequential(Block),
    /// Reactions, each run to completion.
    Handlers(Vec<Handler>),
}

/// `on accept { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct Handler {
    /// Which messages.
    pub accept: Accept,
    /// What is done.
    pub body: Block,
}

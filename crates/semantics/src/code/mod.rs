//! Flat code: the control-flow graph (CFG) that runs.
//!
//! The structured statements of a body, handler, action, `init` or choreography become a list of
//! instructions with jumps ([`flatten`]), so that "where a process is" is one number. [`run`]
//! executes it from one stop to the next.

pub(crate) mod assign;
pub(crate) mod coverage;
mod elements;
pub(crate) mod flatten;
pub(crate) mod refused;
pub(crate) mod run;
mod uses;
mod window_blame;

pub(crate) use uses::{listed, precedes};

use crate::value::Value;
use plainsong_diagnostics::Span;
use plainsong_ir::{
    Accept, ActionId, Call, Choice, Domain, Expr, Local, LocalId, MessageId, Pattern, Place,
    ProcedureId, Use, symmetry::Round,
};
use std::sync::Arc;

/// Instructions with their locals.
#[derive(Clone, Debug)]
pub(crate) struct FlatCode {
    /// The instructions; one past the last is the end.
    pub(crate) ops: Vec<Op>,
    /// The locals of the text, for names and types.
    pub(crate) locals: Vec<Local>,
    /// How many values a run keeps: the locals, then the hidden slots of loops.
    pub(crate) slots: usize,
    /// Nested scopes.
    scopes: Vec<Scope>,
    pub(crate) loops: Vec<ForLoop>,
}

/// A `for` loop, as far as the order of its elements is concerned.
#[derive(Clone, Debug)]
pub(crate) struct ForLoop {
    /// The instruction that binds the next element.
    pub(crate) next: usize,
    /// The hidden slot of the elements.
    pub(crate) hidden: usize,
    /// The name of the element.
    pub(crate) local: LocalId,
    /// Does the text say the order, as a sequence does?
    pub(crate) in_sequence: bool,
    /// What it does with its rounds.
    pub(crate) round: Round,
}

/// One more slot that means something, and the scope around it.
#[derive(Clone, Copy, Debug)]
struct Scope {
    slot: u32,
    outer: Option<u32>,
}

/// One instruction.
#[derive(Clone, Debug)]
pub(crate) struct Op {
    /// What it does.
    pub(crate) kind: OpKind,
    /// The statement it comes from.
    pub(crate) span: Span,
    /// The number of that statement for coverage, on its first instruction.
    pub(crate) statement: Option<u32>,
    /// The innermost scope here; slots in none are cleared when a run stops here.
    scope: Option<u32>,
}

/// The kinds of instructions. Without a jump, the next one follows.
#[derive(Clone, Debug)]
pub(crate) enum OpKind {
    /// Gives a local its value.
    Let(LocalId, Expr),
    /// Gives a local any value of a choice.
    LetChoice(Choice),
    /// Writes to a variable or a part of one.
    Assign(Place, Expr),
    /// Writes any value of a choice.
    AssignChoice(Place, Choice),
    /// Goes on elsewhere.
    Jump(usize),
    /// Goes on elsewhere when the condition is false.
    Unless(Expr, usize),
    /// Goes on where the first pattern that matches says.
    Match(Expr, Vec<(Pattern, usize)>),
    /// Lists the [elements] of a loop: into the hidden slot, position 0 into the one after it.
    Loop(usize, Domain),
    /// Binds the next element that passes the filter, or goes on at the end of the loop.
    Next {
        /// The hidden slot of the elements.
        hidden: usize,
        /// The name of the element.
        local: LocalId,
        /// Which elements count.
        filter: Option<Expr>,
        /// The end of the loop.
        exit: usize,
        /// Which element is the next.
        order: ElementOrder,
    },
    /// Binds one past the last integer of the loop that is over, or goes on elsewhere if there was none.
    Past {
        /// The hidden slot of the elements.
        hidden: usize,
        /// The name of the element.
        local: LocalId,
        /// Behind what is claimed of it.
        over: usize,
    },
    /// Forgets what a slot remembers.
    Forget(usize),
    /// Remembers in a slot what a round begins with, of what has to decrease.
    Remember(usize, Vec<Expr>),
    /// A failure of the contract if that is not less now; nothing before the first round.
    Decreases(usize, Vec<Expr>),
    /// Goes on or goes on elsewhere, freely.
    Maybe(usize),
    /// A failure when false; with its premises, for coverage.
    Assert(Expr, Vec<(u32, Expr)>),
    /// A failure of the contract when false: a loop invariant, an `ensures`, unanimity.
    Promise(Arc<str>, Expr),
    /// Ends or blocks what runs when false.
    Assume(Expr),
    /// A failure when a lemma cannot be used here; inside of which lemma, if the use comes back to it.
    Use(Use, Option<usize>),
    Send(MessageId, Vec<Expr>, Expr),
    /// Receives a message by one of the arms, or gives up waiting.
    Select(Vec<Arm>, Option<usize>),
    /// Leaves a pending async.
    Async(ActionId, Vec<Expr>),
    /// Starts a thread that runs a procedure.
    Spawn(ProcedureId, Vec<Expr>),
    /// Runs an action or a procedure, whose result a local takes.
    Call(Option<LocalId>, Call),
    /// Runs several at once.
    Par(Vec<Call>),
    /// The end of code that gives its result to a caller.
    Return,
}

impl OpKind {
    fn communicates(&self) -> bool {
        matches!(self, OpKind::Send(..) | OpKind::Select(..))
    }

    /// Is it a statement that chooses freely?
    pub(crate) fn is_choice(&self) -> bool {
        matches!(
            self,
            OpKind::LetChoice(_) | OpKind::AssignChoice(..) | OpKind::Maybe(_)
        )
    }
}

/// Which element of a loop comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ElementOrder {
    /// The first that is left.
    First,
    /// Any that is left: a loosened loop.
    Any,
    /// One is like the other: a loosened loop that only counts.
    Blind,
}

/// One way to receive.
#[derive(Clone, Debug)]
pub(crate) struct Arm {
    pub(crate) accept: Accept,
    /// Where to go on.
    pub(crate) target: usize,
}

/// Which instructions a run stops before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    /// Communications: the body of a process.
    Communications,
    /// Communications and free choices: the body of a process, for who goes choice by choice.
    Choices,
    /// Assignments: a choreography.
    Assignments,
    /// None: handlers, actions and `init` run as a whole.
    Whole,
    /// Calls: a procedure.
    Calls,
}

impl FlatCode {
    /// Does a run of this pace stop before the instruction at `pc`? It always stops at the end.
    pub(crate) fn stops(&self, pc: usize, pace: Pace) -> bool {
        let Some(op) = self.ops.get(pc) else {
            return true;
        };
        match pace {
            Pace::Communications => op.kind.communicates(),
            Pace::Choices => op.kind.communicates() || op.kind.is_choice(),
            Pace::Assignments => matches!(op.kind, OpKind::Assign(..) | OpKind::AssignChoice(..)),
            Pace::Whole => false,
            Pace::Calls => matches!(op.kind, OpKind::Call(..) | OpKind::Par(_) | OpKind::Return),
        }
    }

    /// Clears the slots that mean nothing at `pc`, so that they do not tell states apart.
    pub(crate) fn clear(&self, pc: usize, slots: &mut Vec<Value>) {
        let Some(op) = self.ops.get(pc) else {
            return slots.clear();
        };
        let mut kept = vec![Value::None; slots.len()];
        let mut scope = op.scope;
        while let Some(at) = scope {
            let Scope { slot, outer } = self.scopes[at as usize];
            kept[slot as usize] = std::mem::replace(&mut slots[slot as usize], Value::None);
            scope = outer;
        }
        *slots = kept;
    }

    pub(crate) fn is_end(&self, pc: usize) -> bool {
        pc >= self.ops.len()
    }
}

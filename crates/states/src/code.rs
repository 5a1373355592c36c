//! What compiled actions and claims consist of.
//!
//! A program works on a row of registers. The first ones are the words of the state that is being
//! changed, so saving a state before a free choice is a few moves; the others hold leaves. Everything
//! out of the ordinary (a failure, a number that does not fit, an async never seen before) is
//! [`Op::Bail`]: whatever the program has done is forgotten and the interpreter is asked.

use crate::shape::Shape;
use plainsong_ir::{ActionId, Expr};
use std::sync::Arc;

/// Where a program reads a number from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arg {
    Const(u64),
    /// A register.
    Reg(u32),
    /// A field of the state.
    Field(u32),
}

/// The leaves of a value.
pub(crate) type Leaves = Vec<Arg>;

/// A place in a program: a label while it is compiled, then the number of an instruction.
pub(crate) type Target = u32;

/// What two numbers come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    /// Of integers; bails when it leaves 64 bits.
    Add,
    Sub,
    Mul,
    /// Towards zero; bails also when the divisor is zero.
    Div,
    Rem,
    /// 1 when equal.
    Eq,
    /// 1 when less, as integers.
    Less,
    /// Bits in both.
    And,
    /// Bits in one or both.
    Or,
    /// Bits in the first only.
    AndNot,
    /// The difference, or zero when it is negative.
    Saturating,
    /// The bit with this number (first number) as a mask; the second is not looked at.
    Bit,
    /// How many bits the first has; the second is not looked at.
    Ones,
    /// The number of the lowest bit of the first, which is not zero.
    Lowest,
    /// The number of its highest bit.
    Highest,
}

/// One instruction.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// A statement begins.
    Mark(u32),
    /// Goes on elsewhere unless these bits of the word are like this.
    Test {
        word: u32,
        to: Target,
        mask: u64,
        value: u64,
    },
    /// Goes on elsewhere if these bits of the word are like this.
    TestNot {
        word: u32,
        to: Target,
        mask: u64,
        value: u64,
    },
    /// Goes on elsewhere when a number is zero.
    JumpIfZero(Arg, Target),
    /// Goes on elsewhere when two numbers are the same, or are not.
    JumpIf {
        same: bool,
        a: Arg,
        b: Arg,
        to: Target,
    },
    /// Goes on elsewhere.
    Jump(Target),
    /// Goes back in a loop, but not too often.
    Again(Target),
    /// Goes on at the target with this number.
    Table(Arg, Box<[Target]>),
    /// Copies.
    Move(u32, Arg),
    Compute(Binary, u32, Arg, Arg),
    /// Bails unless the integer is between two others.
    Within(Arg, i64, i64),
    /// Writes a field; bails when the number does not fit.
    Store(u32, Arg),
    /// Replaces some bits of a word.
    Patch {
        word: u32,
        clear: u64,
        bits: u64,
    },
    /// Leaves a known async.
    Post(u32),
    /// Leaves the async with these arguments; bails when it was never seen.
    PostWith(ActionId, Box<[Arg]>),
    /// Counts pending asyncs: of one action, or all.
    Pending(u32, Option<ActionId>),
    /// Asks the evaluator; bails when it fails.
    Interpret(u32),
    /// The state is one that the action leads to.
    Emit,
    /// Asks the interpreter instead.
    Bail,
    /// It is over.
    End,
}

/// An expression for the evaluator.
#[derive(Clone, Debug)]
pub(crate) struct Question<'s> {
    /// The expression.
    pub(crate) expr: &'s Expr,
    /// How many locals the code around it has.
    pub(crate) locals: usize,
    /// Those it reads.
    pub(crate) reads: Vec<(usize, Arc<Shape>, Leaves)>,
    /// The globals it reads.
    pub(crate) globals: Vec<usize>,
    /// The shape of the answer, and the first register it goes to.
    pub(crate) answer: (Arc<Shape>, u32),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Program<'s> {
    /// Its instructions.
    pub(crate) ops: Vec<Op>,
    /// What it asks the evaluator.
    pub(crate) questions: Vec<Question<'s>>,
    /// How many registers it needs.
    pub(crate) registers: usize,
}

/// Bits that must be like this for anything to happen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Guard {
    word: usize,
    mask: u64,
    value: u64,
}

impl Guard {
    /// Are they, in a state?
    pub(crate) fn holds(&self, words: &[u64]) -> bool {
        words[self.word] & self.mask == self.value
    }
}

impl Program<'_> {
    /// What the program tests first, when it ends there if it is false. Whoever tests it in the program's
    /// place leaves out the note that its first statement ran, so that must have been made.
    pub(crate) fn guard(&self, marks: &[bool]) -> Guard {
        match self.ops[..] {
            [
                Op::Mark(first),
                Op::Test {
                    word,
                    to,
                    mask,
                    value,
                },
                ..,
            ] if marks[first as usize] && matches!(self.ops[to as usize], Op::End) => Guard {
                word: word as usize,
                mask,
                value,
            },
            _ => Guard::default(),
        }
    }
}

impl Binary {
    /// What `a` and `b` come to; none when that is a case for the interpreter.
    pub(crate) fn of(self, a: u64, b: u64) -> Option<u64> {
        let (x, y) = (a as i64, b as i64);
        Some(match self {
            Binary::Add => x.checked_add(y)? as u64,
            Binary::Sub => x.checked_sub(y)? as u64,
            Binary::Mul => x.checked_mul(y)? as u64,
            Binary::Div => x.checked_div(y)? as u64,
            Binary::Rem => x.checked_rem(y)? as u64,
            Binary::Eq => u64::from(a == b),
            Binary::Less => u64::from(x < y),
            Binary::And => a & b,
            Binary::Or => a | b,
            Binary::AndNot => a & !b,
            Binary::Saturating => a.saturating_sub(b),
            Binary::Bit => 1 << a,
            Binary::Ones => u64::from(a.count_ones()),
            Binary::Lowest => u64::from(a.trailing_zeros()),
            Binary::Highest => u64::from(63 - a.leading_zeros()),
        })
    }
}

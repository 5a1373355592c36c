//! From an action with fixed arguments, or a claim, to a program.
//!
//! The compiler evaluates as it goes: arguments, elements of finite types and chosen values are
//! constants, so a loop over a sort is unrolled, an index is an offset and most conditions are one test of
//! a few bits. Statements after a free choice are compiled once for each value (see [`choices`]).
//!
//! An expression that has no compiled form is left to the evaluator by itself ([`Trouble::NoForm`]); an
//! action that would become too long, or that chooses inside a `while`, is left to the interpreter as
//! a whole ([`Trouble::GivesUp`]).
//!
//! Why this is no second meaning: a program either does what the interpreter does on a run where
//! nothing fails, or bails. Evaluation has no effects, so the order in which parts of an expression are
//! computed matters only for failures, and those are the interpreter's. The tests compare whole
//! reports on random programs.

mod branches;
mod choices;
mod collections;
mod exprs;
mod patterns;
mod quantifiers;
mod stmts;
mod writes;

use crate::code::{Arg, Binary, Leaves, Op, Program, Question, Target};
use crate::coding::{Coding, Misfit};
use crate::leaves::{decode, encode};
use crate::numbers::Numbers;
use crate::shape::Shape;
use plainsong_ir::visit::{Visit, free_locals, globals_read, reads_pending, walk};
use plainsong_ir::{
    Block, Choice, Code, Domain, Expr, Local, LocalId, Property, Song, Stmt, StmtKind, Ty,
};
use plainsong_semantics::action_state::value;
use plainsong_semantics::value::Value;
use std::sync::Arc;

/// The most instructions of a program.
const MOST_OPS: usize = 20_000;
/// The most expressions and statements that are looked at for one program.
const MOST_WORK: u32 = 200_000;
/// How deep calls of functions and free choices may nest.
const MOST_CALLS: u32 = 20;

/// Why something is not compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// This expression is for the evaluator.
    NoForm,
    /// This action or claim is for the interpreter.
    GivesUp,
    /// An async cannot be counted.
    Misfit(Misfit),
}

/// A result of compiling.
pub(crate) type Result<T = Leaves> = std::result::Result<T, Trouble>;

/// The program of an action with these arguments.
pub(crate) fn action<'s>(
    song: &'s Song,
    code: &'s Code,
    arguments: &[Value],
    numbers: &'s Numbers,
    coding: &mut Coding,
) -> Result<Program<'s>> {
    let mut compiler = Compiler::new(song, &code.locals, Some(numbers), coding);
    for (at, argument) in arguments.iter().enumerate() {
        let leaves = compiler.constant(&code.locals[at].ty, argument);
        compiler.locals[at] = Some(leaves);
    }
    compiler.assumes = assumes(&code.body);
    compiler.whole(&code.body)?;
    compiler.finish()
}

/// The program of a claim: it emits the state when the claim is true.
pub(crate) fn claim<'s>(
    song: &'s Song,
    property: &'s Property,
    claim: &'s Expr,
    coding: &mut Coding,
) -> Result<Program<'s>> {
    let mut compiler = Compiler::new(song, &property.locals, None, coding);
    let end = compiler.fail;
    compiler.branch(claim, false, end)?;
    compiler.op(Op::Emit)?;
    compiler.finish()
}

/// A program in the making.
struct Compiler<'s, 'c> {
    song: &'s Song,
    coding: &'c mut Coding,
    /// What is marked, in actions.
    numbers: Option<&'s Numbers>,
    ops: Vec<Op>,
    questions: Vec<Question<'s>>,
    /// Where each label is; [`OPEN`] as long as that is not known.
    labels: Vec<Target>,
    /// Where a label was last put: what comes there can also be reached by a jump.
    bound_at: usize,
    registers: u32,
    /// The locals of the code or function at hand, and what each is known to hold.
    rows: &'s [Local],
    locals: Vec<Option<Leaves>>,
    /// The registers of mutable locals.
    mutable: Vec<u32>,
    /// Where to go when an `assume` is false.
    fail: Target,
    /// Where the interpreter is asked.
    bail: Target,
    /// For each loop around, where `break` goes and what `continue` does.
    loops: Vec<(Target, Op)>,
    work: u32,
    calls: u32,
    choices: u32,
    /// Is there an `assume`, or another choice, that may exclude what was chosen?
    assumes: bool,
}

fn assumes(body: &Block) -> bool {
    struct Finds(bool);
    impl Visit for Finds {
        fn stmt(&mut self, stmt: &Stmt) {
            self.0 |= matches!(stmt.kind, StmtKind::Assume(_));
            walk::stmt(self, stmt);
        }

        fn choice(&mut self, choice: &Choice) {
            self.0 |= choice.filter.is_some() || matches!(choice.domain, Domain::In(_));
            walk::choice(self, choice);
        }
    }
    let mut finds = Finds(false);
    finds.block(body);
    finds.0
}

const OPEN: Target = Target::MAX;

/// A point of a program in the making. The last instruction may be changed after it was written.
struct Standing {
    ops: usize,
    questions: usize,
    last: Option<Op>,
}

impl<'s, 'c> Compiler<'s, 'c> {
    fn new(
        song: &'s Song,
        rows: &'s [Local],
        numbers: Option<&'s Numbers>,
        coding: &'c mut Coding,
    ) -> Self {
        Compiler {
            song,
            registers: coding.layout.words() as u32 + 1,
            coding,
            numbers,
            ops: Vec::new(),
            questions: Vec::new(),
            labels: vec![OPEN; 2],
            bound_at: 0,
            rows,
            locals: vec![None; rows.len()],
            mutable: Vec::new(),
            fail: 0,
            bail: 1,
            loops: Vec::new(),
            work: 0,
            calls: 0,
            choices: 0,
            assumes: false,
        }
    }

    /// Ends the program and puts places for labels.
    fn finish(mut self) -> Result<Program<'s>> {
        self.bind(0);
        self.op(Op::End)?;
        self.bind(1);
        self.op(Op::Bail)?;
        let labels = &self.labels;
        for op in &mut self.ops {
            match op {
                Op::Test { to, .. }
                | Op::TestNot { to, .. }
                | Op::JumpIfZero(_, to)
                | Op::JumpIf { to, .. }
                | Op::Jump(to)
                | Op::Again(to) => *to = labels[*to as usize],
                Op::Table(_, targets) => {
                    for to in targets.iter_mut() {
                        *to = labels[*to as usize];
                    }
                }
                _ => {}
            }
        }
        Ok(Program {
            ops: self.ops,
            questions: self.questions,
            registers: self.registers as usize,
        })
    }

    fn op(&mut self, op: Op) -> Result<()> {
        if self.ops.len() >= MOST_OPS {
            return Err(Trouble::GivesUp);
        }
        self.ops.push(op);
        Ok(())
    }

    fn spend(&mut self) -> Result<()> {
        self.work += 1;
        if self.work > MOST_WORK {
            return Err(Trouble::GivesUp);
        }
        Ok(())
    }

    /// What [`go_back`](Self::go_back) needs to forget what comes next.
    fn standing(&self) -> Standing {
        Standing {
            ops: self.ops.len(),
            questions: self.questions.len(),
            last: self.ops.last().cloned(),
        }
    }

    /// Forgets what was written since.
    fn go_back(&mut self, standing: Standing) {
        self.ops.truncate(standing.ops);
        self.questions.truncate(standing.questions);
        if let (Some(op), Some(last)) = (self.ops.last_mut(), standing.last) {
            *op = last;
        }
        self.bound_at = self.ops.len();
    }

    fn label(&mut self) -> Target {
        self.labels.push(OPEN);
        (self.labels.len() - 1) as Target
    }

    fn bind(&mut self, label: Target) {
        self.labels[label as usize] = self.ops.len() as Target;
        self.bound_at = self.ops.len();
    }

    fn register(&mut self) -> u32 {
        self.registers += 1;
        self.registers - 1
    }

    fn shape(&mut self, ty: &Ty) -> Arc<Shape> {
        self.coding.shapes.of(ty)
    }

    /// The leaves of a known value.
    fn constant(&mut self, ty: &Ty, value: &Value) -> Leaves {
        let shape = self.shape(ty);
        self.constant_of(&shape, value)
    }

    fn constant_of(&mut self, shape: &Shape, value: &Value) -> Leaves {
        let mut leaves = Vec::new();
        encode(shape, value, &mut self.coding.interner, &mut leaves);
        leaves.into_iter().map(Arg::Const).collect()
    }

    /// The value of leaves that are all known; none in code that is never reached, as after taking
    /// the value of an empty option.
    fn known(&self, shape: &Shape, leaves: &[Arg]) -> Option<Value> {
        let mut numbers = Vec::with_capacity(leaves.len());
        for leaf in leaves {
            let Arg::Const(number) = leaf else {
                return None;
            };
            numbers.push(*number);
        }
        decode(shape, &numbers, &self.coding.interner)
    }

    /// Computes, now if both are known.
    fn compute(&mut self, binary: Binary, a: Arg, b: Arg) -> Result<Arg> {
        if let (Arg::Const(x), Arg::Const(y)) = (a, b) {
            if let Some(result) = binary.of(x, y) {
                return Ok(Arg::Const(result));
            }
            let bail = self.bail;
            self.op(Op::Jump(bail))?;
            return Ok(Arg::Const(0));
        }
        let to = self.register();
        self.op(Op::Compute(binary, to, a, b))?;
        Ok(Arg::Reg(to))
    }

    /// Leaves that do not change when variables are written.
    fn settled(&mut self, leaves: Leaves) -> Result {
        let mut settled = Vec::with_capacity(leaves.len());
        for leaf in leaves {
            let changes = match leaf {
                Arg::Const(_) => false,
                Arg::Reg(register) => self.mutable.contains(&register),
                Arg::Field(_) => true,
            };
            settled.push(if changes {
                let to = self.register();
                self.op(Op::Move(to, leaf))?;
                Arg::Reg(to)
            } else {
                leaf
            });
        }
        Ok(settled)
    }

    /// New registers for the leaves of a shape.
    fn fresh(&mut self, width: usize) -> Vec<u32> {
        (0..width).map(|_| self.register()).collect()
    }

    fn set(&mut self, registers: &[u32], leaves: &[Arg]) -> Result<()> {
        for (register, leaf) in registers.iter().zip(leaves) {
            self.op(Op::Move(*register, *leaf))?;
        }
        Ok(())
    }

    fn local(&self, local: LocalId) -> Result {
        self.locals[local.index()].clone().ok_or(Trouble::GivesUp)
    }

    /// Leaves an expression to the evaluator: now if it is known all it reads, else when it runs.
    fn asked(&mut self, expr: &'s Expr) -> Result {
        if reads_pending(expr) {
            return Err(Trouble::GivesUp);
        }
        let globals: Vec<usize> = globals_read(expr).iter().map(|id| id.index()).collect();
        let mut reads = Vec::new();
        let mut values = vec![Value::None; self.rows.len()];
        let mut all_known = globals.is_empty();
        for local in free_locals(expr) {
            let leaves = self.local(local)?;
            let rows = self.rows;
            let shape = self.shape(&rows[local.index()].ty);
            match self.known(&shape, &leaves) {
                Some(value) => values[local.index()] = value,
                None => all_known = false,
            }
            reads.push((local.index(), shape, leaves));
        }
        let shape = self.shape(&expr.ty);
        if all_known {
            return match value(&self.coding.instance, &[], expr, &mut values) {
                Ok(value) => Ok(self.constant_of(&shape, &value)),
                Err(_) => {
                    let bail = self.bail;
                    self.op(Op::Jump(bail))?;
                    Ok(shape.blanks().into_iter().map(Arg::Const).collect())
                }
            };
        }
        let to = self.fresh(shape.width);
        let first = to.first().copied().unwrap_or(0);
        self.op(Op::Interpret(self.questions.len() as u32))?;
        self.questions.push(Question {
            expr,
            locals: self.rows.len(),
            reads,
            globals,
            answer: (shape, first),
        });
        Ok(to.into_iter().map(Arg::Reg).collect())
    }
}

//! Runs flat code from one stop to the next, along every free choice.

use super::assign::{Memory, Target, target, written};
use super::coverage::Covered;
use super::{ElementOrder, FlatCode, Op, OpKind, Pace, elements};
use crate::eval::{Eval, Result, matches};
use crate::explain::why_false;
use crate::failure::{resource, undefined};
use crate::instance::Instance;
use crate::instance::confined::is_confined;
use crate::trace::{Failure, FailureKind};
use crate::value::{Pid, Value};
use plainsong_diagnostics::Span;
use plainsong_ir::finite::is_finite;
use plainsong_ir::{ActionId, Choice, Domain, Expr, LocalId, MessageId, Place, ProcedureId};

/// The most instructions of one branch of a step.
const MOST_OPS: u64 = 1_000_000;
/// The most instructions of all branches of a step together.
const MOST_OPS_OF_ALL: u64 = 10_000_000;
/// The most free choices on one branch of a step.
pub(crate) const MOST_CHOICES: usize = 1_000;
/// The most branches of a step.
const MOST_BRANCHES: usize = 100_000;
/// The most threads that a procedure starts between two calls.
const MOST_STARTED: usize = 24;

/// Code being run.
#[derive(Clone, Debug)]
pub(crate) struct Run<M> {
    /// The next instruction.
    pub(crate) pc: usize,
    /// Locals and hidden slots.
    pub(crate) slots: Vec<Value>,
    /// Variables.
    pub(crate) memory: M,
    /// What was sent or left pending since the last stop.
    pub(crate) sent: Vec<Outgoing>,
    /// What was chosen since the last stop.
    pub(crate) chosen: Vec<Chosen>,
    /// Instructions since the last stop.
    ops: u64,
}

/// A message sent, or an async left.
#[derive(Clone, Debug)]
pub(crate) enum Outgoing {
    /// A message with its payload and address.
    Message(MessageId, Vec<Value>, Pid),
    /// An async with its arguments.
    Async(ActionId, Vec<Value>),
    /// A thread that runs a procedure with these arguments.
    Thread(ProcedureId, Vec<Value>),
}

/// A free choice that was made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Chosen {
    /// The statement.
    pub(crate) span: Span,
    /// The name that took the value; none for `maybe`.
    pub(crate) local: Option<LocalId>,
    /// The value; whether it was done, for `maybe`.
    pub(crate) value: Value,
}

/// One way that a run went.
#[derive(Clone, Debug)]
pub(crate) struct Branch<M> {
    /// The run at its stop.
    pub(crate) run: Run<M>,
    /// Why it stopped.
    pub(crate) halt: Halt,
}

/// Why a run stopped.
#[derive(Clone, Debug)]
pub(crate) enum Halt {
    /// At a stop of its pace, or at the end.
    Stop,
    Failed(Failure),
    /// An `assume` was false, or there was nothing to choose from.
    Blocked,
}

impl<M> Run<M> {
    /// A run about to start at `pc`.
    pub(crate) fn new(pc: usize, slots: Vec<Value>, memory: M) -> Self {
        Run {
            pc,
            slots,
            memory,
            sent: Vec::new(),
            chosen: Vec::new(),
            ops: 0,
        }
    }
}

/// What runs need to know.
pub(crate) struct Runner<'a> {
    pub(crate) instance: &'a Instance,
    pub(crate) code: &'a FlatCode,
    pub(crate) pace: Pace,
}

/// What one instruction does to a run.
enum Flow<M> {
    /// On to this instruction.
    Go(usize),
    /// Any of these.
    Fork(Vec<Run<M>>),
    /// It ends here.
    Halt(Halt),
}

/// Where a stretch without choices ends.
enum End<M> {
    /// At a free choice: one run for each possibility.
    Fork(Vec<Run<M>>),
    /// For good.
    Halt(Halt),
}

impl Runner<'_> {
    /// Every way `run` can go until its next stop, in a fixed order.
    ///
    /// When `moving`, the run stands at a stop and its instruction is the first to be executed.
    /// A branch that reaches a limit of the interpreter is the last: the others are not looked at, but where the limit is
    /// that of threads that are started.
    pub(crate) fn branches<M: Memory>(
        &self,
        run: Run<M>,
        moving: bool,
        covered: &mut Covered,
    ) -> Vec<Branch<M>> {
        let mut branches = Vec::new();
        let mut open = vec![(run, moving)];
        let mut spent = 0;
        while let Some((mut run, moving)) = open.pop() {
            let before = run.ops;
            let end = self.until_fork(&mut run, moving, covered);
            spent += run.ops - before;
            let end = match end {
                End::Fork(forks) => {
                    let most = open.len() + branches.len() + forks.len();
                    if most <= MOST_BRANCHES && spent <= MOST_OPS_OF_ALL {
                        open.extend(forks.into_iter().rev().map(|fork| (fork, false)));
                        continue;
                    }
                    let span = self.code.ops[run.pc].span;
                    Halt::Failed(resource(span, "one step has too many free choices to try"))
                }
                End::Halt(halt) => halt,
            };
            let is_limit = matches!(&end, Halt::Failed(f) if f.kind == FailureKind::Resource)
                && !self.starts_too_many(&run);
            if matches!(end, Halt::Stop) {
                self.code.clear(run.pc, &mut run.slots);
            }
            branches.push(Branch { run, halt: end });
            if is_limit {
                break;
            }
        }
        self.blame_window(&mut branches);
        branches
    }

    /// When a window may have ended all ways of a step, that is a limit, not what the program means.
    fn blame_window<M: Memory>(&self, branches: &mut Vec<Branch<M>>) {
        let Some(at) = self.ended_by_window(branches) else {
            return;
        };
        let mut branch = branches.swap_remove(at);
        let op = &self.code.ops[branch.run.pc];
        let what = match op.kind {
            OpKind::Assume(_) => "this `assume`",
            _ => "the `where` of this choice",
        };
        let message = self.instance.beyond_window(what);
        branch.halt = Halt::Failed(resource(op.span, message));
        branches.clear();
        branches.push(branch);
    }

    /// Runs to the next free choice or to the end of the branch.
    fn until_fork<M: Memory>(
        &self,
        run: &mut Run<M>,
        moving: bool,
        covered: &mut Covered,
    ) -> End<M> {
        let mut may_move = moving;
        let mut repetition = Repetition::new(run.ops);
        loop {
            if !may_move && (self.code.stops(run.pc, self.pace) || self.code.is_end(run.pc)) {
                return End::Halt(Halt::Stop);
            }
            may_move = false;
            let op = &self.code.ops[run.pc];
            run.ops += 1;
            if run.ops > MOST_OPS || run.chosen.len() > MOST_CHOICES {
                return End::Halt(Halt::Failed(endless(op.span)));
            }
            op.statement
                .into_iter()
                .for_each(|statement| covered.ran(statement));
            self.cover(op, run, covered);
            if self.starts_too_many(run) {
                let why = format!("more than {MOST_STARTED} threads are started between two calls");
                return End::Halt(Halt::Failed(resource(op.span, &why)));
            }
            match self.execute(op, run) {
                Ok(Flow::Go(pc)) => {
                    if let OpKind::Assume(condition) = &op.kind {
                        covered.passed(condition.span);
                    }
                    let goes_back = pc <= run.pc;
                    run.pc = pc;
                    if goes_back && repetition.is_seen(run) {
                        return End::Halt(Halt::Failed(endless(op.span)));
                    }
                }
                Ok(Flow::Fork(runs)) => {
                    if let (Some(_), Some(condition)) = (&covered.refusals, asked(&op.kind)) {
                        covered.passed(condition.span);
                    }
                    return End::Fork(runs);
                }
                Ok(Flow::Halt(halt)) => {
                    if let (Halt::Blocked, Some(refusals), Some(condition)) =
                        (&halt, &mut covered.refusals, asked(&op.kind))
                    {
                        let mut eval = Eval::new(self.instance, &run.memory);
                        refusals.is_false(condition, &mut eval, &run.slots);
                    }
                    return End::Halt(halt);
                }
                Err(failure) => return End::Halt(Halt::Failed(failure)),
            }
        }
    }

    /// A procedure may start threads in a loop without an end; other ways out of it are looked at nevertheless.
    fn starts_too_many<M: Memory>(&self, run: &Run<M>) -> bool {
        self.pace == Pace::Calls && run.sent.len() > MOST_STARTED
    }

    /// Which premises are true here, and what is sent.
    fn cover<M: Memory>(&self, op: &Op, run: &Run<M>, covered: &mut Covered) {
        match &op.kind {
            OpKind::Assert(_, premises) => {
                for (number, holds) in premises {
                    if !covered.has_met(*number as usize) {
                        let mut eval = Eval::new(self.instance, &run.memory);
                        let is_met = eval.truth(holds, &mut run.slots.clone());
                        if is_met.is_ok_and(|met| met) {
                            covered.met(*number);
                        }
                    }
                }
            }
            OpKind::Send(message, ..) => covered.sent(message.index()),
            OpKind::Async(action, _) => covered.sent(action.index()),
            _ => {}
        }
    }

    fn execute<M: Memory>(&self, op: &Op, run: &mut Run<M>) -> Result<Flow<M>> {
        let next = run.pc + 1;
        match &op.kind {
            OpKind::Let(local, value) => {
                run.slots[local.index()] = self.value(value, run)?;
            }
            OpKind::Assign(place, value) => {
                let value = self.value(value, run)?;
                self.write(place, value, run)?;
            }
            OpKind::LetChoice(choice) => return self.choose(choice, None, op.span, run),
            OpKind::AssignChoice(place, choice) => {
                return self.choose(choice, Some(place), op.span, run);
            }
            OpKind::Jump(to) => return Ok(Flow::Go(*to)),
            OpKind::Unless(condition, to) => {
                return Ok(Flow::Go(if self.value(condition, run)?.truth() {
                    next
                } else {
                    *to
                }));
            }
            OpKind::Match(scrutinee, arms) => {
                let value = self.value(scrutinee, run)?;
                for (pattern, to) in arms {
                    if matches(self.instance, pattern, &value, &mut run.slots) {
                        return Ok(Flow::Go(*to));
                    }
                }
                return Err(undefined(scrutinee.span, "no pattern matches this value"));
            }
            OpKind::Loop(hidden, domain) => {
                let mut eval = Eval::new(self.instance, &run.memory);
                let elements = eval.domain(domain, op.span, &mut run.slots)?;
                run.slots[*hidden] = elements::kept(elements);
                run.slots[hidden + 1] = Value::Int(0);
            }
            OpKind::Next {
                hidden,
                local,
                filter,
                exit,
                order: ElementOrder::Any,
            } => return self.any(*hidden, *local, filter.as_ref(), *exit, run),
            OpKind::Next {
                hidden,
                local,
                filter,
                exit,
                order,
            } => {
                if *order == ElementOrder::Blind {
                    run.slots[*hidden] = elements::counted(&run.slots[*hidden]);
                }
                let found = self.next(*hidden, *local, filter.as_ref(), run)?;
                return Ok(Flow::Go(if found { next } else { *exit }));
            }
            OpKind::Past {
                hidden,
                local,
                over,
            } => match elements::past(&run.slots[*hidden]) {
                Some(past) => run.slots[local.index()] = past,
                None => return Ok(Flow::Go(*over)),
            },
            OpKind::Forget(slot) => run.slots[*slot] = Value::None,
            OpKind::Remember(slot, measures) => {
                run.slots[*slot] = Value::Seq(self.values(measures, run)?.into());
            }
            OpKind::Decreases(slot, measures) => self.decreases(*slot, measures, op.span, run)?,
            OpKind::Maybe(otherwise) => {
                return Ok(Flow::Fork(maybe(next, *otherwise, op.span, run)));
            }
            OpKind::Assert(condition, _) => {
                self.claim(condition, FailureKind::Assertion, "", op.span, run)?;
            }
            OpKind::Promise(what, condition) => {
                self.claim(condition, FailureKind::Contract, what, op.span, run)?;
            }
            OpKind::Assume(condition) => {
                if !self.value(condition, run)?.truth() {
                    return Ok(Flow::Halt(Halt::Blocked));
                }
            }
            OpKind::Use(used, within) => self.uses(used, *within, op.span, run)?,
            OpKind::Send(message, payload, to) => {
                let payload = self.values(payload, run)?;
                let to = self.value(to, run)?.pid();
                run.sent.push(Outgoing::Message(*message, payload, to));
            }
            OpKind::Async(action, arguments) => {
                let arguments = self.values(arguments, run)?;
                run.sent.push(Outgoing::Async(*action, arguments));
            }
            OpKind::Spawn(procedure, arguments) => {
                let arguments = self.values(arguments, run)?;
                run.sent.push(Outgoing::Thread(*procedure, arguments));
            }
            OpKind::Select(..) => panic!("a receive is a stop, and begins with a message"),
            OpKind::Call(..) | OpKind::Par(_) | OpKind::Return => {
                panic!("calls are stops, and somebody else makes them")
            }
        }
        Ok(Flow::Go(next))
    }

    fn value<M: Memory>(&self, expr: &Expr, run: &mut Run<M>) -> Result {
        Eval::new(self.instance, &run.memory).expr(expr, &mut run.slots)
    }

    pub(super) fn values<M: Memory>(&self, exprs: &[Expr], run: &mut Run<M>) -> Result<Vec<Value>> {
        Eval::new(self.instance, &run.memory).exprs(exprs, &mut run.slots)
    }

    fn write<M: Memory>(&self, place: &Place, value: Value, run: &mut Run<M>) -> Result<()> {
        let mut eval = Eval::new(self.instance, &run.memory);
        let target = target(&mut eval, place, &mut run.slots)?;
        let before = match target {
            Target::Local(slot) => run.slots[slot].clone(),
            Target::Own(var) => run.memory.own(var).clone(),
            Target::Of(member, var) => run.memory.of(member, var).clone(),
            Target::Global(global) => run.memory.global(global).clone(),
        };
        let mut eval = Eval::new(self.instance, &run.memory);
        let after = written(&mut eval, place, &before, value, &mut run.slots)?;
        match target {
            Target::Local(slot) => run.slots[slot] = after,
            other => *run.memory.variable(other) = after,
        }
        Ok(())
    }

    fn choose<M: Memory>(
        &self,
        choice: &Choice,
        place: Option<&Place>,
        span: Span,
        run: &mut Run<M>,
    ) -> Result<Flow<M>> {
        let mut eval = Eval::new(self.instance, &run.memory);
        let values = candidates(&mut eval, choice, span, &mut run.slots)?;
        if values.len() > MOST_BRANCHES {
            let count = values.len();
            return Err(resource(
                span,
                format!("there are {count} values to choose from: too many"),
            ));
        }
        let mut forks = Vec::new();
        for value in values {
            let mut fork = run.clone();
            fork.slots[choice.local.index()] = value.clone();
            if let Some(place) = place {
                self.write(place, value.clone(), &mut fork)?;
            }
            fork.chosen.push(Chosen {
                span,
                local: Some(choice.local),
                value,
            });
            fork.pc += 1;
            forks.push(fork);
        }
        Ok(if forks.is_empty() {
            Flow::Halt(Halt::Blocked)
        } else {
            Flow::Fork(forks)
        })
    }

    fn next<M: Memory>(
        &self,
        hidden: usize,
        local: LocalId,
        filter: Option<&Expr>,
        run: &mut Run<M>,
    ) -> Result<bool> {
        let mut position = run.slots[hidden + 1].int() as usize;
        while let Some(element) = elements::element(&run.slots[hidden], position) {
            position += 1;
            run.slots[hidden + 1] = Value::Int(position as i64);
            run.slots[local.index()] = element;
            match filter {
                Some(filter) if !self.value(filter, run)?.truth() => {}
                _ => return Ok(true),
            }
        }
        Ok(false)
    }

    /// Any element that is left and passes the filter; the hidden slot keeps those that are left, sorted.
    fn any<M: Memory>(
        &self,
        hidden: usize,
        local: LocalId,
        filter: Option<&Expr>,
        exit: usize,
        run: &mut Run<M>,
    ) -> Result<Flow<M>> {
        let mut left = elements::all(&run.slots[hidden]);
        left.sort_unstable();
        let mut forks: Vec<Run<M>> = Vec::new();
        for (at, element) in left.iter().enumerate() {
            if at > 0 && left[at - 1] == *element {
                continue;
            }
            let mut fork = run.clone();
            fork.slots[local.index()] = element.clone();
            if let Some(filter) = filter
                && !self.value(filter, &mut fork)?.truth()
            {
                continue;
            }
            let mut others = left.clone();
            others.remove(at);
            fork.slots[hidden] = Value::Bag(others.into());
            fork.pc += 1;
            forks.push(fork);
        }
        if forks.is_empty() {
            return Ok(Flow::Go(exit));
        }
        Ok(Flow::Fork(forks))
    }

    fn claim<M: Memory>(
        &self,
        condition: &Expr,
        kind: FailureKind,
        what: &str,
        span: Span,
        run: &mut Run<M>,
    ) -> Result<()> {
        if self.value(condition, run)?.truth() {
            return Ok(());
        }
        let why = why_false(
            self.instance,
            &run.memory,
            condition,
            &self.code.locals,
            &run.slots,
        );
        let message = if what.is_empty() {
            why
        } else {
            format!("{what} {why}")
        };
        Err(Failure {
            kind,
            message,
            span,
        })
    }
}

/// The condition without which an instruction does not go on.
fn asked(op: &OpKind) -> Option<&Expr> {
    match op {
        OpKind::Assume(condition) => Some(condition),
        OpKind::LetChoice(choice) | OpKind::AssignChoice(_, choice) => choice.filter.as_ref(),
        _ => None,
    }
}

/// Brent's cycle detection on a stretch without choices: where it comes back to a state that it was in, it never ends.
struct Repetition<M> {
    /// Where the run was: instruction, locals and variables.
    was: Option<(usize, Vec<Value>, M)>,
    /// After so many instructions it is noted anew where it is, each time after twice as many.
    next: u64,
}

impl<M: Memory> Repetition<M> {
    /// Few stretches are longer than this.
    const FIRST: u64 = 512;

    fn new(ops: u64) -> Self {
        Repetition {
            was: None,
            next: ops + Self::FIRST,
        }
    }

    /// Was the run here before? Asked where it goes back in the text.
    fn is_seen(&mut self, run: &Run<M>) -> bool {
        if let Some((pc, slots, memory)) = &self.was
            && *pc == run.pc
            && *slots == run.slots
            && *memory == run.memory
        {
            return true;
        }
        if run.ops >= self.next {
            self.was = Some((run.pc, run.slots.clone(), run.memory.clone()));
            self.next = run.ops * 2;
        }
        false
    }
}

/// The failure of a step that does not come to its end.
pub(crate) fn endless(span: Span) -> Failure {
    resource(span, "this computes for ever without communicating")
}

/// The values that a choice allows, ascending, each once.
pub(crate) fn candidates(
    eval: &mut Eval<'_>,
    choice: &Choice,
    span: Span,
    slots: &mut [Value],
) -> Result<Vec<Value>> {
    let mut values = match &choice.domain {
        Domain::Type(ty) => eval
            .instance
            .choosable(ty)
            .map_err(|message| resource(span, message))?,
        Domain::In(collection) => eval.expr(collection, slots)?.elements().to_vec(),
    };
    values.sort_unstable();
    values.dedup();
    let Some(filter) = &choice.filter else {
        return Ok(values);
    };
    let mut allowed = Vec::new();
    for value in &values {
        slots[choice.local.index()] = value.clone();
        if eval.truth(filter, slots)? {
            allowed.push(value.clone());
        }
    }
    match &choice.domain {
        Domain::Type(ty)
            if allowed.is_empty()
                && !is_finite(eval.instance.song(), ty)
                && !is_confined(eval, choice, ty, &values, slots) =>
        {
            Err(resource(
                span,
                eval.instance.beyond_window("the `where` of this choice"),
            ))
        }
        _ => Ok(allowed),
    }
}

fn maybe<M: Memory>(done: usize, otherwise: usize, span: Span, run: &Run<M>) -> Vec<Run<M>> {
    let way = |pc: usize, taken: bool| {
        let mut fork = run.clone();
        fork.pc = pc;
        fork.chosen.push(Chosen {
            span,
            local: None,
            value: Value::Bool(taken),
        });
        fork
    };
    vec![way(done, true), way(otherwise, false)]
}

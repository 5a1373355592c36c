//! Programs as lists of threads, in the notation of the conformance cases: `s(X)`, `r`, `r?`, …

use crate::build::*;
use plainsong_ir::*;
use plainsong_semantics::executions::{ExecutionCount, executions};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Machine, Subject};
use plainsong_semantics::search::{Completeness, Limits, Unwatched};

/// One operation of a thread; messages carry a tag.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// `s(X:tag)`: send to a thread.
    S(usize, i64),
    /// A message of the second kind, which may have another delivery.
    S2(usize, i64),
    /// `r`: receive anything.
    R,
    /// `r[tag]`.
    Rt(i64),
    /// `r` from one thread.
    Rf(usize),
    /// `r?`: receive or give up.
    T,
    /// `r?[tag]`.
    Tt(i64),
    /// `r?` from one thread.
    Tf(usize),
    /// `r?`, then one or the other.
    Got(Vec<Op>, Vec<Op>),
    /// `r`, then go on only if the tag is this one, else do the other.
    If(i64, Vec<Op>, Vec<Op>),
    /// Choose one of so many values.
    Choose(i64),
    /// A coin toss, then one or the other.
    Toss(Vec<Op>, Vec<Op>),
    /// `assume false`.
    Cut,
    /// `assert false`.
    Fail,
}

pub(crate) use Op::*;

/// `op` so many times.
pub(crate) fn times(count: usize, op: &Op) -> Vec<Op> {
    vec![op.clone(); count]
}

/// A song with one process per thread. The first kind of message is delivered by `via[0]`, the
/// second by `via[1]`.
pub(crate) fn song(threads: &[Vec<Op>], via: [Option<Delivery>; 2]) -> Builder {
    let mut builder = Builder::default();
    let kinds = [
        builder.message("M", &[("tag", Ty::Int)], via[0]),
        builder.message("N", &[("tag", Ty::Int)], via[1]),
    ];
    let families: Vec<FamilyId> = (0..threads.len())
        .map(|at| builder.family(&format!("t{at}"), &[], &[]))
        .collect();
    for (at, ops) in threads.iter().enumerate() {
        let mut writer = Writer {
            locals: Locals::default(),
            kinds,
            families: &families,
        };
        let body = writer.block(ops);
        builder.body(families[at], writer.locals, body);
    }
    builder
}

struct Writer<'a> {
    locals: Locals,
    kinds: [MessageId; 2],
    families: &'a [FamilyId],
}

impl Writer<'_> {
    fn block(&mut self, ops: &[Op]) -> Block {
        ops.iter().map(|op| self.op(op)).collect()
    }

    fn op(&mut self, op: &Op) -> Stmt {
        match op {
            S(to, tag) => send(
                self.kinds[0],
                vec![int(*tag)],
                pid(self.families[*to], vec![]),
            ),
            S2(to, tag) => send(
                self.kinds[1],
                vec![int(*tag)],
                pid(self.families[*to], vec![]),
            ),
            R => self.select(None, None, false, vec![], vec![]),
            Rt(tag) => self.select(Some(*tag), None, false, vec![], vec![]),
            Rf(from) => self.select(None, Some(*from), false, vec![], vec![]),
            T => self.select(None, None, true, vec![], vec![]),
            Tt(tag) => self.select(Some(*tag), None, true, vec![], vec![]),
            Tf(from) => self.select(None, Some(*from), true, vec![], vec![]),
            Got(then, otherwise) => {
                let (then, otherwise) = (self.block(then), self.block(otherwise));
                self.select(None, None, true, then, otherwise)
            }
            If(tag, then, otherwise) => {
                let local = self.locals.add("x", Ty::Int);
                let (then, otherwise) = (self.block(then), self.block(otherwise));
                let test = if_(eq(self.locals.read(local), int(*tag)), then, otherwise);
                let arms = self
                    .kinds
                    .map(|kind| (accept(kind, &[Some(local)], anyone()), vec![test.clone()]));
                stmt(StmtKind::Select(arms.to_vec(), None))
            }
            Choose(count) => {
                let local = self.locals.add("c", Ty::Int);
                choose(local, Domain::In(range(0, *count)))
            }
            Toss(heads, tails) => stmt(StmtKind::Maybe(self.block(heads), self.block(tails))),
            Cut => assume(no()),
            Fail => assert(no()),
        }
    }

    fn select(
        &mut self,
        tag: Option<i64>,
        from: Option<usize>,
        gives_up: bool,
        then: Block,
        otherwise: Block,
    ) -> Stmt {
        let arms = self.kinds.map(|kind| {
            let local = self.locals.add("x", Ty::Int);
            let source = match from {
                Some(thread) => Source::Process(pid(self.families[thread], vec![])),
                None => anyone(),
            };
            let mut accept = accept(kind, &[Some(local)], source);
            accept.filter = tag.map(|tag| eq(self.locals.read(local), int(tag)));
            (accept, then.clone())
        });
        stmt(StmtKind::Select(
            arms.to_vec(),
            gives_up.then_some(otherwise),
        ))
    }
}

/// Counts with every message delivered by `model`.
pub(crate) fn counts(threads: &[Vec<Op>], model: Delivery) -> ExecutionCount {
    let instance = song(threads, [None, None])
        .instance(&[])
        .with_delivery(Some(model));
    count(&instance)
}

pub(crate) fn count(instance: &Instance) -> ExecutionCount {
    let machine = Machine::new(instance, Subject::System);
    let count = executions(&machine, &Limits::default(), &mut Unwatched).unwrap();
    assert_eq!(count.completeness, Completeness::Complete);
    count
}

/// Complete executions under each model, weakest first; nothing may block.
pub(crate) fn complete(threads: &[Vec<Op>]) -> [u64; 4] {
    Delivery::ALL.map(|model| {
        let count = counts(threads, model);
        assert_eq!((count.blocked, count.failed, count.discarded), (0, 0, 0));
        count.complete
    })
}

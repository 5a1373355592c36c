//! Where a process is in its code.

use plainsong_ir::visit::{Visit, any_stmt, walk};
use plainsong_ir::{
    Accept, Block, Expr, ExprKind, LocalId, Pattern, PatternKind, Place, Root, Source, Stmt,
    StmtKind, VarId,
};
use std::collections::BTreeSet;

/// A variable of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Var {
    Own(VarId),
    Local(LocalId),
}

/// The first statement that does more than look at variables and change them.
pub(crate) fn first_deed(block: &[Stmt]) -> Option<&Stmt> {
    let is_local = |stmt: &&Stmt| {
        matches!(
            stmt.kind,
            StmtKind::Let(..)
                | StmtKind::LetChoice(_)
                | StmtKind::Assign(..)
                | StmtKind::AssignChoice(..)
                | StmtKind::Assert(_)
                | StmtKind::Assume(_)
        )
    };
    block.iter().find(|stmt| !is_local(stmt))
}

/// One level of nesting.
#[derive(Clone, Copy, Debug)]
struct Frame<'a> {
    block: &'a [Stmt],
    at: usize,
    /// Is it the body of a `while`, which stands in the frame below?
    is_loop: bool,
}

impl PartialEq for Frame<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.block, other.block)
            && (self.at, self.is_loop) == (other.at, other.is_loop)
    }
}

/// A place in the code; empty at the end.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Position<'a>(Vec<Frame<'a>>);

impl<'a> Position<'a> {
    /// At the beginning of a block, with nothing behind it.
    pub(crate) fn start(block: &'a Block) -> Self {
        let mut position = Position(Vec::new());
        position.enter(block, false);
        position
    }

    pub(crate) fn is_end(&self) -> bool {
        self.0.is_empty()
    }

    /// The statement that comes next.
    pub(crate) fn stmt(&self) -> Option<&'a Stmt> {
        let frame = self.0.last()?;
        frame.block.get(frame.at)
    }

    /// Past the statement at hand.
    pub(crate) fn advance(&mut self) {
        if let Some(frame) = self.0.last_mut() {
            frame.at += 1;
        }
        self.settle();
    }

    /// Into a block; a statement that is no loop has to be passed with it.
    pub(crate) fn enter(&mut self, block: &'a Block, is_loop: bool) {
        if !is_loop && let Some(frame) = self.0.last_mut() {
            frame.at += 1;
        }
        self.0.push(Frame {
            block,
            at: 0,
            is_loop,
        });
        self.settle();
    }

    /// Leaves what is over; follows `break` and `continue`.
    fn settle(&mut self) {
        while let Some(frame) = self.0.last() {
            match frame.block.get(frame.at).map(|stmt| &stmt.kind) {
                None => {
                    if self.0.pop().is_some_and(|frame| frame.is_loop) {
                        return;
                    }
                }
                Some(StmtKind::Break) => {
                    if self.leave_loop()
                        && let Some(frame) = self.0.last_mut()
                    {
                        frame.at += 1;
                    }
                }
                Some(StmtKind::Continue) => {
                    self.leave_loop();
                    return;
                }
                Some(_) => return,
            }
        }
    }

    /// Pops to the innermost loop.
    fn leave_loop(&mut self) -> bool {
        while let Some(frame) = self.0.pop() {
            if frame.is_loop {
                return true;
            }
        }
        false
    }

    /// Is it at an endless loop that is the last statement of the process?
    pub(crate) fn is_at_endless_loop(&self) -> bool {
        let [frame] = &self.0[..] else { return false };
        frame.at + 1 == frame.block.len() && frame.block.get(frame.at).is_some_and(is_endless)
    }

    /// The condition of the `while` whose round begins here. A loop as the first statement may have been gone through before.
    pub(crate) fn begins_round_of(&self) -> Option<&'a Expr> {
        let [.., below, frame] = &self.0[..] else {
            return None;
        };
        let first = frame.block.get(frame.at)?;
        let is_loop = matches!(first.kind, StmtKind::While(..) | StmtKind::For { .. });
        match &below.block.get(below.at)?.kind {
            StmtKind::While(condition, ..) if frame.is_loop && frame.at == 0 && !is_loop => {
                Some(condition)
            }
            _ => None,
        }
    }

    /// Does it stand in no block of the code?
    pub(crate) fn is_outermost(&self) -> bool {
        self.0.len() == 1
    }

    /// What may be assigned from here on: loops may begin again.
    pub(crate) fn assigned(&self) -> BTreeSet<Var> {
        self.remaining().flat_map(assigned).collect()
    }

    /// What is left to do, innermost first, and whether that is the body of a loop, which the next one begins with.
    pub(crate) fn frames(&self) -> impl Iterator<Item = (&'a [Stmt], bool)> {
        let frames = self.0.iter().rev();
        frames.map(|frame| (&frame.block[frame.at..], frame.is_loop))
    }

    /// What is left to do, innermost first, each with the statements from the place on.
    pub(crate) fn remaining(&self) -> impl Iterator<Item = &'a [Stmt]> {
        self.0.iter().rev().map(|frame| &frame.block[frame.at..])
    }
}

/// `loop { … }`
pub(crate) fn is_endless(stmt: &Stmt) -> bool {
    matches!(&stmt.kind, StmtKind::While(condition, ..) if condition.kind == ExprKind::Bool(true))
}

/// Does it send or receive?
pub(crate) fn communicates(stmt: &Stmt) -> bool {
    any_stmt(stmt, |stmt| {
        matches!(
            stmt.kind,
            StmtKind::Send(..) | StmtKind::Receive(_) | StmtKind::Select(..)
        )
    })
}

/// The variables that statements may assign.
pub(crate) fn assigned(block: &[Stmt]) -> BTreeSet<Var> {
    struct Assigned(BTreeSet<Var>);
    impl Visit for Assigned {
        fn place(&mut self, place: &Place) {
            match &place.root {
                Root::Local(local) => drop(self.0.insert(Var::Local(*local))),
                Root::Own(var) => drop(self.0.insert(Var::Own(*var))),
                Root::Of(..) | Root::Global(_) => {}
            }
            walk::place(self, place);
        }

        fn stmt(&mut self, stmt: &Stmt) {
            match &stmt.kind {
                StmtKind::Let(local, _) | StmtKind::For { local, .. } => {
                    self.0.insert(Var::Local(*local));
                }
                StmtKind::LetChoice(choice) => drop(self.0.insert(Var::Local(choice.local))),
                StmtKind::Receive(accept) => self.0.extend(bound(accept)),
                StmtKind::Select(arms, _) => {
                    self.0
                        .extend(arms.iter().flat_map(|(accept, _)| bound(accept)));
                }
                StmtKind::Match(_, arms) => {
                    for (pattern, _) in arms {
                        let mut names = Vec::new();
                        names_of(pattern, &mut names);
                        self.0.extend(names.into_iter().map(Var::Local));
                    }
                }
                _ => {}
            }
            walk::stmt(self, stmt);
        }
    }
    let mut all = Assigned(BTreeSet::new());
    block.iter().for_each(|stmt| all.stmt(stmt));
    all.0
}

/// The names that a receive binds.
fn bound(accept: &Accept) -> Vec<Var> {
    let mut names: Vec<LocalId> = accept.slots.iter().flatten().copied().collect();
    match &accept.source {
        Source::Anyone(who) => names.extend(who),
        Source::Family(_, index, who) => {
            names.extend(index);
            names.extend(who);
        }
        Source::Process(_) => {}
    }
    names.into_iter().map(Var::Local).collect()
}

/// The names that a pattern binds.
pub(crate) fn names_of(pattern: &Pattern, names: &mut Vec<LocalId>) {
    use PatternKind as P;
    match &pattern.kind {
        P::Bind(local) => names.push(*local),
        P::Some(inner) => names_of(inner, names),
        P::Tuple(parts) | P::Variant(_, _, parts) | P::Struct(_, parts) | P::Pid(_, parts) => {
            parts.iter().for_each(|part| names_of(part, names));
        }
        P::Wild | P::Bool(_) | P::Int(_) | P::None => {}
    }
}

/// The blocks directly under a statement.
pub(crate) fn blocks(stmt: &Stmt) -> Vec<&[Stmt]> {
    match &stmt.kind {
        StmtKind::If(_, yes, no) | StmtKind::Maybe(yes, no) => vec![yes, no],
        StmtKind::Match(_, arms) => arms.iter().map(|(_, block)| &block[..]).collect(),
        StmtKind::While(_, _, body) | StmtKind::For { body, .. } => vec![body],
        StmtKind::Select(arms, timeout) => {
            let arms = arms.iter().map(|(_, block)| &block[..]);
            arms.chain(timeout.iter().map(|block| &block[..])).collect()
        }
        _ => Vec::new(),
    }
}

/// Every statement of a block, with those under it.
pub(crate) fn every<'a>(block: &'a [Stmt], found: &mut Vec<&'a Stmt>) {
    for stmt in block {
        found.push(stmt);
        blocks(stmt)
            .into_iter()
            .for_each(|block| every(block, found));
    }
}

//! Statements: a thread runs on its own up to just before its next effect.
//!
//! What remains to be done is a stack of frames, each a part of the program text that is not
//! finished yet. There is no other form of the code: frames point into the statements of the song.

use super::eval::{Store, Undefined, allows, eval, holds, parts};
use super::instance::Instance;
use super::patterns::first_match;
use super::{collections, value::Value};
use plainsong_ir::{Access, Choice, Domain, Expr, LocalId, Place, Root, Stmt, StmtKind};

/// How many statements and rounds may follow each other without an effect.
const PATIENCE: usize = 20_000;

/// Code in the middle of its execution.
#[derive(Clone, Debug)]
pub(super) struct Thread<'a> {
    pub(super) store: Store,
    /// Values chosen since somebody last took them out.
    pub(super) chosen: Vec<Value>,
    frames: Vec<Frame<'a>>,
}

/// A part of the program text that is not finished.
#[derive(Clone, Debug)]
enum Frame<'a> {
    /// Statements still to be done.
    Block(&'a [Stmt]),
    /// A loop before its next round.
    While {
        condition: &'a Expr,
        body: &'a [Stmt],
    },
    /// A loop before its next round, with the elements still to be visited.
    For {
        local: LocalId,
        filter: Option<&'a Expr>,
        body: &'a [Stmt],
        rest: Vec<Value>,
    },
}

/// Why a thread does not go on by itself.
#[derive(Clone, Debug)]
pub(super) enum Pause<'a> {
    /// The next statement is a `send`, `receive` or `async`.
    Before(&'a Stmt),
    /// There is nothing left to do.
    End,
    /// An assertion or an operation failed.
    Failed(String),
    /// An assumption is false, or there is nothing to choose from.
    Cut,
}

/// What one statement did.
enum Progress<'a> {
    On,
    /// One thread for each value that may be chosen.
    Split(Vec<Thread<'a>>),
    Stop(Pause<'a>),
}

impl<'a> Thread<'a> {
    pub(super) fn new(code: &'a [Stmt], store: Store) -> Self {
        Thread {
            store,
            chosen: Vec::new(),
            frames: vec![Frame::Block(code)],
        }
    }

    /// Runs up to the next effect in every possible way.
    pub(super) fn advance(self, instance: &Instance<'_>) -> Vec<(Thread<'a>, Pause<'a>)> {
        let mut done = Vec::new();
        let mut open = vec![(self, PATIENCE)];
        while let Some((mut thread, patience)) = open.pop() {
            if instance.listable(Some(open.len() + done.len())).is_err() {
                return done;
            }
            if patience == 0 {
                done.push((thread, Pause::Failed("computes for ever".to_string())));
                continue;
            }
            match thread.statement(instance) {
                Ok(Progress::On) => open.push((thread, patience - 1)),
                Ok(Progress::Split(threads)) => {
                    open.extend(threads.into_iter().map(|thread| (thread, patience - 1)));
                }
                Ok(Progress::Stop(pause)) => done.push((thread, pause)),
                Err(Undefined(reason)) => done.push((thread, Pause::Failed(reason))),
            }
        }
        done
    }

    /// Leaves the statement behind that the thread paused at, and does `block` next.
    pub(super) fn pass(&mut self, block: &'a [Stmt]) {
        let Some(Frame::Block([_, rest @ ..])) = self.frames.last_mut() else {
            unreachable!("a thread pauses at a statement")
        };
        *self.frames.last_mut().expect("looked at just now") = Frame::Block(rest);
        self.frames.push(Frame::Block(block));
    }

    fn statement(&mut self, instance: &Instance<'_>) -> Result<Progress<'a>, Undefined> {
        instance.compute()?;
        match self.frames.last().cloned() {
            None => Ok(Progress::Stop(Pause::End)),
            Some(Frame::Block([])) => {
                self.frames.pop();
                Ok(Progress::On)
            }
            Some(Frame::Block([statement, ..])) => self.execute(instance, statement),
            Some(Frame::While { condition, body }) => {
                if holds(instance, condition, &mut self.store)? {
                    self.frames.push(Frame::Block(body));
                } else {
                    self.frames.pop();
                }
                Ok(Progress::On)
            }
            Some(Frame::For {
                local,
                filter,
                body,
                rest,
            }) => {
                self.frames.pop();
                self.round(instance, local, filter, body, rest)?;
                Ok(Progress::On)
            }
        }
    }

    fn round(
        &mut self,
        instance: &Instance<'_>,
        local: LocalId,
        filter: Option<&'a Expr>,
        body: &'a [Stmt],
        mut rest: Vec<Value>,
    ) -> Result<(), Undefined> {
        if rest.is_empty() {
            return Ok(());
        }
        self.store.bind(local, rest.remove(0));
        self.frames.push(Frame::For {
            local,
            filter,
            body,
            rest,
        });
        if allows(instance, filter, &mut self.store)? {
            self.frames.push(Frame::Block(body));
        }
        Ok(())
    }

    fn execute(
        &mut self,
        instance: &Instance<'_>,
        statement: &'a Stmt,
    ) -> Result<Progress<'a>, Undefined> {
        let store = &mut self.store;
        match &statement.kind {
            StmtKind::Let(local, value) => {
                let value = eval(instance, value, store)?;
                store.bind(*local, value);
                self.pass(&[]);
            }
            StmtKind::LetChoice(choice) => return self.choose(instance, choice, None),
            StmtKind::Assign(place, value) => {
                let value = eval(instance, value, store)?;
                assign(instance, place, value, store)?;
                self.pass(&[]);
            }
            StmtKind::AssignChoice(place, choice) => {
                return self.choose(instance, choice, Some(place));
            }
            StmtKind::If(condition, then, otherwise) => {
                let block = if holds(instance, condition, store)? {
                    then
                } else {
                    otherwise
                };
                self.pass(block);
            }
            StmtKind::Match(subject, arms) => {
                let subject = eval(instance, subject, store)?;
                let block = first_match(arms, &subject, store);
                self.pass(block);
            }
            StmtKind::While(condition, _, body) => {
                self.pass(&[]);
                self.frames.push(Frame::While { condition, body });
            }
            StmtKind::For {
                local,
                domain,
                filter,
                body,
                ..
            } => {
                let rest = instance.elements(domain, store)?;
                self.pass(&[]);
                let filter = filter.as_ref();
                self.frames.push(Frame::For {
                    local: *local,
                    filter,
                    body,
                    rest,
                });
            }
            StmtKind::Break => {
                self.unwind();
                self.frames.pop();
            }
            StmtKind::Continue => self.unwind(),
            StmtKind::Maybe(then, otherwise) => {
                let branch = |(taken, block): (bool, &'a [Stmt])| {
                    let mut thread = self.clone();
                    thread.chosen.push(Value::Bool(taken));
                    thread.pass(block);
                    thread
                };
                let branches = [(true, &then[..]), (false, &otherwise[..])];
                return Ok(Progress::Split(branches.into_iter().map(branch).collect()));
            }
            StmtKind::Assert(condition) => {
                if !holds(instance, condition, store)? {
                    return Ok(Progress::Stop(Pause::Failed("assertion".to_string())));
                }
                self.pass(&[]);
            }
            StmtKind::Assume(condition) => {
                if !holds(instance, condition, store)? {
                    return Ok(Progress::Stop(Pause::Cut));
                }
                self.pass(&[]);
            }
            StmtKind::Send(..)
            | StmtKind::Receive(_)
            | StmtKind::Select(..)
            | StmtKind::Async(..)
            | StmtKind::Spawn(..)
            | StmtKind::Call(..)
            | StmtKind::Par(_)
            | StmtKind::Use(_)
            | StmtKind::Part(_)
            | StmtKind::Yield(_) => return Ok(Progress::Stop(Pause::Before(statement))),
        }
        Ok(Progress::On)
    }

    /// Drops frames down to the innermost loop.
    fn unwind(&mut self) {
        while let Some(Frame::Block(_)) = self.frames.last() {
            self.frames.pop();
        }
    }

    fn choose(
        &mut self,
        instance: &Instance<'_>,
        choice: &Choice,
        place: Option<&Place>,
    ) -> Result<Progress<'a>, Undefined> {
        let candidates = candidates(instance, choice, &mut self.store)?;
        if candidates.is_empty() {
            return Ok(Progress::Stop(Pause::Cut));
        }
        let mut threads = Vec::new();
        for value in candidates {
            let mut thread = self.clone();
            thread.chosen.push(value.clone());
            thread.store.bind(choice.local, value.clone());
            if let Some(place) = place {
                assign(instance, place, value, &mut thread.store)?;
            }
            thread.pass(&[]);
            threads.push(thread);
        }
        Ok(Progress::Split(threads))
    }
}

/// The distinct values that a choice allows.
pub(super) fn candidates(
    instance: &Instance<'_>,
    choice: &Choice,
    store: &mut Store,
) -> Result<Vec<Value>, Undefined> {
    let mut allowed = Vec::new();
    for value in instance.elements(&choice.domain, store)? {
        store.bind(choice.local, value.clone());
        if !allowed.contains(&value) && allows(instance, choice.filter.as_ref(), store)? {
            allowed.push(value);
        }
    }
    debug_assert!(matches!(choice.domain, Domain::In(_)) || allowed.is_sorted());
    Ok(allowed)
}

fn assign(
    instance: &Instance<'_>,
    place: &Place,
    value: Value,
    store: &mut Store,
) -> Result<(), Undefined> {
    let old = match &place.root {
        Root::Local(local) => eval_local(store, *local),
        Root::Own(var) => store.vars[var.index()].clone(),
        Root::Global(global) => store.vars[global.index()].clone(),
        Root::Of(..) => unreachable!("only lines assign to endpoints"),
    };
    let new = replace(instance, old, &place.path, value, store)?;
    match &place.root {
        Root::Local(local) => store.bind(*local, new),
        Root::Own(var) => store.vars[var.index()] = new,
        Root::Global(global) => store.vars[global.index()] = new,
        Root::Of(..) => unreachable!("only lines assign to endpoints"),
    }
    Ok(())
}

fn eval_local(store: &Store, local: LocalId) -> Value {
    store.locals[local.index()]
        .clone()
        .expect("a variable is declared before it is assigned")
}

/// `whole` with the part at the end of `path` replaced.
fn replace(
    instance: &Instance<'_>,
    whole: Value,
    path: &[Access],
    value: Value,
    store: &mut Store,
) -> Result<Value, Undefined> {
    let Some((access, rest)) = path.split_first() else {
        return Ok(value);
    };
    match access {
        Access::Field(at) | Access::Project(at) => {
            let is_record = matches!(whole, Value::Record(_));
            let mut parts = parts(whole);
            parts[*at] = replace(instance, parts[*at].clone(), rest, value, store)?;
            Ok(if is_record {
                Value::Record(parts)
            } else {
                Value::Tuple(parts)
            })
        }
        Access::Index(at) => {
            let at = eval(instance, at, store)?;
            let part = collections::index(&whole, &at)?;
            let part = replace(instance, part, rest, value, store)?;
            collections::update(whole, at, part)
        }
    }
}

//! What statements do to paths.

use super::{Path, Sent, Walk};
use crate::ranking::linear::values::{Linear, Value};
use plainsong_ir::visit::each_place;
use plainsong_ir::{
    Access, Block, Choice, Domain, Expr, ExprKind, LocalId, Place, Root, Stmt, StmtKind, Ty,
};
use std::collections::BTreeSet;

impl Walk<'_> {
    /// The paths through a block, one statement after the other.
    pub(super) fn block(&mut self, block: &Block, mut paths: Vec<Path>) -> Option<Vec<Path>> {
        for stmt in block {
            let mut next = Vec::new();
            for path in paths {
                match path.is_cut {
                    true => next.push(path),
                    false => next.extend(self.stmt(stmt, path)?),
                }
            }
            paths = next;
        }
        Some(paths)
    }

    fn stmt(&mut self, stmt: &Stmt, mut path: Path) -> Option<Vec<Path>> {
        match &stmt.kind {
            StmtKind::Let(local, value) => {
                let all = self.eval(value, path)?.into_iter();
                Some(
                    all.map(|(mut path, value)| {
                        path.bind(*local, value);
                        path
                    })
                    .collect(),
                )
            }
            StmtKind::LetChoice(choice) => {
                let all = self.chosen(choice, path)?.into_iter();
                Some(all.map(|(path, _)| path).collect())
            }
            StmtKind::Assign(place, value) => {
                let all = self.eval(value, path)?.into_iter();
                Some(
                    all.map(|(path, value)| self.assigned(place, value, path))
                        .collect(),
                )
            }
            StmtKind::AssignChoice(place, choice) => {
                let all = self.chosen(choice, path)?.into_iter();
                Some(
                    all.map(|(path, value)| self.assigned(place, value, path))
                        .collect(),
                )
            }
            StmtKind::If(condition, yes, no) => {
                let mut all = Vec::new();
                for (path, truth) in self.decide(condition, path)? {
                    all.extend(self.block(if truth { yes } else { no }, vec![path])?);
                }
                Some(all)
            }
            StmtKind::Match(scrutinee, arms) => {
                let mut all = Vec::new();
                for (path, value) in self.eval(scrutinee, path)? {
                    for (pattern, arm) in arms {
                        if let Some(path) = self.matched(pattern, &value, path.clone()) {
                            self.fork()?;
                            all.extend(self.block(arm, vec![path])?);
                        }
                    }
                }
                Some(all)
            }
            StmtKind::While(condition, _, body) => {
                self.havoc(body, &mut path);
                let inside = self.assumed(vec![path.clone()], condition)?;
                let rounds = self.block(body, inside)?;
                Some(vec![after(path, rounds)])
            }
            StmtKind::For {
                local,
                domain,
                filter,
                body,
                ..
            } => {
                self.havoc(body, &mut path);
                let inside = self.element(*local, domain, path.clone())?;
                let inside = match filter {
                    Some(filter) => self.assumed(inside, filter)?,
                    None => inside,
                };
                let rounds = self.block(body, inside)?;
                Some(vec![after(path, rounds)])
            }
            StmtKind::Break | StmtKind::Continue => {
                path.is_cut = true;
                Some(vec![path])
            }
            StmtKind::Maybe(yes, no) => {
                self.fork()?;
                let mut all = self.block(yes, vec![path.clone()])?;
                all.extend(self.block(no, vec![path])?);
                Some(all)
            }
            StmtKind::Assert(condition) | StmtKind::Assume(condition) => {
                self.assumed(vec![path], condition)
            }
            StmtKind::Send(message, arguments, _) => {
                let mut all = vec![(path, Vec::new())];
                for argument in arguments {
                    let mut next = Vec::new();
                    for (path, values) in all {
                        for (path, value) in self.eval(argument, path)? {
                            next.push((path, [&values[..], &[value]].concat()));
                        }
                    }
                    all = next;
                }
                let fields = &self.voices.messages[message.index()].fields;
                let sent = |(mut path, payload): (Path, Vec<Value>)| {
                    let pairs = payload.into_iter().zip(fields);
                    let shaped =
                        pairs.map(|(value, field)| self.shaped(value, &field.ty, &mut path));
                    let payload = shaped.collect();
                    path.sends.push(Sent {
                        message: *message,
                        payload,
                        known: path.known.clone(),
                    });
                    path
                };
                Some(all.into_iter().map(sent).collect())
            }
            StmtKind::Use(_) => Some(vec![path]),
            // Not in handlers.
            StmtKind::Receive(_)
            | StmtKind::Select(..)
            | StmtKind::Async(..)
            | StmtKind::Spawn(..)
            | StmtKind::Call(..)
            | StmtKind::Par(_)
            | StmtKind::Part(_)
            | StmtKind::Yield(_) => None,
        }
    }

    fn chosen(&mut self, choice: &Choice, path: Path) -> Option<Vec<(Path, Value)>> {
        let paths = self.element(choice.local, &choice.domain, path)?;
        let paths = match &choice.filter {
            Some(filter) => self.assumed(paths, filter)?,
            None => paths,
        };
        let value = |path: &Path| path.local(choice.local).cloned().unwrap_or(Value::Unknown);
        Some(
            paths
                .into_iter()
                .map(|path| (path.clone(), value(&path)))
                .collect(),
        )
    }

    /// A name becomes any element of a domain.
    fn element(&mut self, local: LocalId, domain: &Domain, mut path: Path) -> Option<Vec<Path>> {
        let one = Linear::number(1);
        let ty = match domain {
            Domain::Type(ty) => ty.clone(),
            Domain::In(all) => all.ty.element()?.clone(),
        };
        let value = self.any(&ty, &mut path);
        path.bind(local, value.clone());
        let Value::Number(number) = &value else {
            return Some(vec![path]);
        };
        let paths = self.in_range(vec![path], &ty, number)?;
        let Domain::In(Expr {
            kind:
                ExprKind::Range {
                    start,
                    end,
                    inclusive,
                },
            ..
        }) = domain
        else {
            return Some(paths);
        };
        let mut all = Vec::new();
        for path in paths {
            for (path, start) in self.eval(start, path)? {
                for (path, end) in self.eval(end, path)? {
                    let (Value::Number(start), Value::Number(end)) = (&start, end) else {
                        all.push(path);
                        continue;
                    };
                    let end = if *inclusive { end } else { end.minus(&one) };
                    all.extend(path.with([number.minus(start), end.minus(number)]));
                }
            }
        }
        Some(all)
    }

    /// The path after an assignment.
    fn assigned(&mut self, place: &Place, value: Value, mut path: Path) -> Path {
        let process = &self.voices.processes[self.process];
        match place.root {
            Root::Own(var) => {
                path.written(var);
                put(&mut path.own[var.index()], &place.path, value);
                let ty = &self.song.families[process.family.index()].vars[var.index()].ty;
                let whole = path.own[var.index()].clone();
                path.own[var.index()] = self.shaped(whole, ty, &mut path);
            }
            Root::Local(local) => {
                let whole = path.local(local).cloned().unwrap_or(Value::Unknown);
                let mut whole = self.shaped(whole, &process.locals[local.index()].ty, &mut path);
                put(&mut whole, &place.path, value);
                path.bind(local, whole);
            }
            Root::Of(..) | Root::Global(_) => {}
        }
        path
    }

    /// What a loop may write is anything.
    fn havoc(&mut self, body: &Block, path: &mut Path) {
        let (mut own, mut locals) = (BTreeSet::new(), BTreeSet::new());
        each_place(body, |place| match place.root {
            Root::Own(var) => drop(own.insert(var)),
            Root::Local(local) => drop(locals.insert(local)),
            _ => {}
        });
        let process = &self.voices.processes[self.process];
        let vars = &self.song.families[process.family.index()].vars;
        for var in own {
            path.written(var);
            path.own[var.index()] = self.any(&vars[var.index()].ty, path);
        }
        for local in locals {
            let ty: &Ty = &process.locals[local.index()].ty;
            let value = self.any(ty, path);
            path.bind(local, value);
        }
    }
}

/// A path after a loop, with all that its rounds may send.
fn after(mut path: Path, rounds: Vec<Path>) -> Path {
    let before = path.sends.len();
    for round in rounds {
        path.sends.extend(round.sends.into_iter().skip(before));
    }
    path
}

fn put(whole: &mut Value, way: &[Access], value: Value) {
    match (way.split_first(), whole) {
        (None, whole) => *whole = value,
        (Some((Access::Field(at) | Access::Project(at), rest)), Value::Parts(parts)) => {
            put(&mut parts[*at], rest, value);
        }
        // An element of a sequence or map: sizes stay.
        _ => {}
    }
}

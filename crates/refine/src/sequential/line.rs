//! The program that a sequentialization leads to, as a song of its own.
//!
//! Its `init` does what the old one and the schedules do. Asyncs that a schedule runs are not created
//! any more; others are, and their actions are still there.

use super::elimination::{after, leading};
use super::inline::inlined;
use super::stage::abstractions;
use super::tidy::tidy;
use plainsong_ir::visit::{VisitMut, reads_pending, walk_mut};
use plainsong_ir::{
    ActionId, Actions, Block, Callee, Code, Expr, ExprKind, Local, LocalId, Song, Stmt, StmtKind,
    System,
};
use std::collections::BTreeSet;

/// The song after the first `count` sequentializations.
pub fn line(song: &Song, count: usize) -> Song {
    let first = leading(song).min(count);
    let changed = after(song, first);
    let Ok(song) = &changed else {
        return song.clone();
    };
    let count = count - first;
    let Some(actions) = song.actions() else {
        return song.clone();
    };
    let mut with = actions.clone();
    let sequences = &actions.sequences[..count];
    let eliminated: Vec<Vec<(ActionId, ActionId)>> = sequences
        .iter()
        .map(|sequence| abstractions(&mut with, sequence))
        .collect();
    let mut writing = LineWriter {
        actions: &with,
        locals: Vec::new(),
        gone: BTreeSet::new(),
        by: Vec::new(),
    };
    // What is eliminated here or later is run by a schedule.
    let later = |at: usize| -> BTreeSet<ActionId> {
        let later = eliminated[at..].iter().flatten();
        later.map(|(action, _)| *action).collect()
    };
    let mut body = Vec::new();
    if let Some(init) = &actions.init {
        writing.gone = later(0);
        body.extend(writing.code(init, &[]));
    }
    for (at, sequence) in sequences.iter().enumerate() {
        writing.gone = later(at);
        writing.by.clone_from(&eliminated[at]);
        let mut schedule = inlined(&sequence.code, &[], &mut writing.locals);
        writing.block(&mut schedule);
        body.extend(schedule);
    }
    let locals = writing.locals;
    tidy(&mut body, &locals);
    with.init = Some(Code {
        arity: 0,
        locals,
        body,
    });
    with.actions.truncate(actions.actions.len());
    with.sequences = actions.sequences[count..].to_vec();
    Song {
        system: System::Actions(with),
        ..song.clone()
    }
}

struct LineWriter<'a> {
    actions: &'a Actions,
    locals: Vec<Local>,
    /// Asyncs of these are not created.
    gone: BTreeSet<ActionId>,
    /// What calls run.
    by: Vec<(ActionId, ActionId)>,
}

impl LineWriter<'_> {
    fn code(&mut self, code: &Code, arguments: &[Expr]) -> Block {
        let mut body = inlined(code, arguments, &mut self.locals);
        self.block(&mut body);
        body
    }

    fn call(&mut self, action: ActionId, arguments: &[Expr]) -> Block {
        let Some((_, by)) = self.by.iter().find(|(one, _)| *one == action) else {
            return Vec::new();
        };
        let code = self.actions.actions[by.index()].code.clone();
        let mut lets = Vec::new();
        let mut names = Vec::new();
        for argument in arguments {
            let local = LocalId::from(self.locals.len());
            let row = &code.locals[names.len()];
            self.locals.push(row.clone());
            lets.push(Stmt {
                kind: StmtKind::Let(local, argument.clone()),
                span: argument.span,
            });
            names.push(Expr {
                kind: ExprKind::Local(local),
                ..argument.clone()
            });
        }
        let body = self.code(&code, &names);
        lets.extend(body);
        // In a block of its own, so that names can be told apart.
        let span = lets.first().map(|stmt| stmt.span).unwrap_or_default();
        let truth = Expr {
            kind: ExprKind::Bool(true),
            ty: plainsong_ir::Ty::Bool,
            span,
        };
        vec![Stmt {
            kind: StmtKind::If(truth, lets, Vec::new()),
            span,
        }]
    }
}

impl VisitMut for LineWriter<'_> {
    fn block(&mut self, block: &mut Block) {
        walk_mut::block(self, block);
        let stmts = std::mem::take(block);
        for mut stmt in stmts {
            match &mut stmt.kind {
                StmtKind::Assert(condition) if reads_pending(condition) => continue,
                StmtKind::Async(id, _) if self.gone.contains(id) => continue,
                StmtKind::Call(_, call) => {
                    if let Callee::Action(action) = call.callee {
                        let arguments = call.arguments.clone();
                        block.extend(self.call(action, &arguments));
                    }
                    continue;
                }
                StmtKind::While(_, clauses, _) | StmtKind::For { clauses, .. } => {
                    // Invariants speak about what is pending.
                    *clauses = Default::default();
                }
                _ => {}
            }
            block.push(stmt);
        }
    }
}

//! The song of a cycle: branches that it does not take are cut off.
//!
//! Statement. In place of every branch that no leg of the cycle enters stands an assertion that fails. An execution
//! of this song in which nothing fails is one of the original, step by step.
//!
//! Why. What is asked of integers is asked of all code that runs, and an integer that some other branch sets to a
//! number is no point. A branch that is cut off sets nothing. That the cycle stays away from it, however far
//! integers were shifted, follows for this song as for any other: comparisons come out as they did, or a guard fails.
//!
//! Which branches are taken is read off the statements that ran. Should that be too few, the cycle fails in this song
//! and nothing is claimed.

use super::Leg;
use crate::code::coverage::Covered;
use crate::idle::Idle;
use crate::machine::Machine;
use plainsong_diagnostics::Span;
use plainsong_ir::{Block, Body, Expr, ExprKind, Song, Stmt, StmtKind, System, Ty};
use std::collections::BTreeSet;

/// The song without the branches that the cycle does not take; none when it takes all.
pub(super) fn taken(machine: &Machine, begin: &Idle, legs: &[Leg]) -> Option<Song> {
    let mut covered = Covered::default();
    let before = legs.iter().map(|leg| &leg.rest);
    for (rest, leg) in [&begin.rest].into_iter().chain(before).zip(legs) {
        let config = Idle::join(rest, [leg.task.clone()]);
        machine.steps_covering(&config, &mut covered);
    }
    let spans = machine.statements.spans.iter().enumerate();
    let ran = spans.filter(|(at, _)| covered.has_run(*at));
    let mut cutter = Cutter {
        ran: ran.map(|(_, span)| *span).collect(),
        cuts: false,
    };
    let mut song = (**machine.instance().song()).clone();
    match &mut song.system {
        System::Voices(voices) => {
            for process in &mut voices.processes {
                if let Body::Handlers(handlers) = &mut process.body {
                    let mut bodies = handlers.iter_mut().map(|handler| &mut handler.body);
                    bodies.by_ref().for_each(|body| cutter.inside(body));
                }
            }
        }
        System::Actions(actions) => {
            let bodies = actions
                .actions
                .iter_mut()
                .map(|action| &mut action.code.body);
            bodies.for_each(|body| cutter.inside(body));
        }
        System::None => {}
    }
    cutter.cuts.then_some(song)
}

struct Cutter {
    /// The statements that ran.
    ran: BTreeSet<Span>,
    cuts: bool,
}

impl Cutter {
    /// A branch is cut off unless its first statement ran.
    fn branch(&mut self, block: &mut Block) {
        match block.first() {
            Some(first) if !self.ran.contains(&first.span) => {
                let span = first.span;
                let kind = StmtKind::Assert(Expr {
                    kind: ExprKind::Bool(false),
                    ty: Ty::Bool,
                    span,
                });
                *block = vec![Stmt { kind, span }];
                self.cuts = true;
            }
            _ => self.inside(block),
        }
    }

    fn inside(&mut self, block: &mut Block) {
        for stmt in block {
            match &mut stmt.kind {
                StmtKind::If(_, yes, no) | StmtKind::Maybe(yes, no) => {
                    self.branch(yes);
                    self.branch(no);
                }
                StmtKind::Match(_, arms) => {
                    arms.iter_mut().for_each(|(_, block)| self.branch(block));
                }
                StmtKind::While(_, _, block) | StmtKind::For { body: block, .. } => {
                    self.branch(block);
                }
                _ => {}
            }
        }
    }
}

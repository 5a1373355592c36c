//! Trusted assumptions: what processes take for granted.
//!
//! An `assume` that does not hold, and a choice without a candidate, end an execution without a word:
//! what is proved is proved of the others. Whoever reads `proved` should know of them.

use plainsong_ir::print;
use plainsong_ir::visit::each_stmt;
use plainsong_ir::{Block, Body, Choice, Domain, Expr, ExprKind, Local, Song, StmtKind};
use plainsong_semantics::verdict::Assumption;

/// Each assumption in the code of the processes and of `init`, once.
pub(crate) fn trusted(song: &Song) -> Vec<Assumption> {
    let Some(voices) = song.voices() else {
        return Vec::new();
    };
    let mut all = Vec::new();
    if let Some(init) = &voices.init {
        in_block(song, &init.locals, &init.body, &mut all);
    }
    for process in &voices.processes {
        match &process.body {
            Body::Sequential(block) => in_block(song, &process.locals, block, &mut all),
            Body::Handlers(handlers) => {
                for handler in handlers {
                    in_block(song, &process.locals, &handler.body, &mut all);
                }
            }
        }
    }
    all
}

fn in_block(song: &Song, locals: &[Local], block: &Block, all: &mut Vec<Assumption>) {
    let text = |expr: &Expr| print::expr(song, locals, expr);
    each_stmt(block, |stmt| {
        let trusted = match &stmt.kind {
            StmtKind::Assume(condition) => Assumption::Assume(text(condition)),
            StmtKind::LetChoice(choice) | StmtKind::AssignChoice(_, choice) => match choice {
                Choice {
                    filter: Some(filter),
                    ..
                } => Assumption::Candidate(format!("where {}", text(filter))),
                Choice {
                    domain: Domain::In(set),
                    ..
                } if may_be_empty(set) => Assumption::Candidate(format!("in {}", text(set))),
                _ => return,
            },
            _ => return,
        };
        if !all.contains(&trusted) {
            all.push(trusted);
        }
    });
}

/// Each `assume` in the body of a process, once: a search does not look at what comes after one that is false. (In a
/// handler it says when a message is taken.)
pub(crate) fn cut_off(song: &Song) -> Vec<Assumption> {
    let mut all = Vec::new();
    for process in song.voices().iter().flat_map(|voices| &voices.processes) {
        if let Body::Sequential(block) = &process.body {
            each_stmt(block, |stmt| {
                if let StmtKind::Assume(condition) = &stmt.kind {
                    let text = print::expr(song, &process.locals, condition);
                    let cut = Assumption::CutOff(text);
                    if !all.contains(&cut) {
                        all.push(cut);
                    }
                }
            });
        }
    }
    all
}

/// That external functions keep their contracts: only what these allow is tried.
pub(crate) fn external(song: &Song) -> Vec<Assumption> {
    let functions = song.functions.iter().filter(|one| one.is_external());
    functions
        .map(|one| Assumption::Contract(one.name.clone()))
        .collect()
}

/// Sorts and written lists have members.
fn may_be_empty(set: &Expr) -> bool {
    match &set.kind {
        ExprKind::All(_) => false,
        ExprKind::Literal(elements) => elements.is_empty(),
        _ => true,
    }
}

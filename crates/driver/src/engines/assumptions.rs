//! Trusted assumptions: what processes take for granted.
//!
//! An `assume` that does not hold, and a choice without a candidate, end an execution without a word:
//! what is proved is proved of the others. Whoever reads `proved` should know of them.

use plainsong_ir::print::Context;
use plainsong_ir::visit::each_stmt;
use plainsong_ir::{Block, Body, Choice, Domain, Expr, ExprKind, Process, Song, StmtKind};
use plainsong_semantics::verdict::Assumption;

/// Each assumption in the code of the processes and of `init`, once.
pub(crate) fn trusted(song: &Song) -> Vec<Assumption> {
    let Some(voices) = song.voices() else {
        return Vec::new();
    };
    let mut all = Vec::new();
    if let Some(init) = &voices.init {
        let context = Context {
            song,
            locals: &init.locals,
            family: None,
        };
        in_block(context, &init.body, &mut all);
    }
    for process in &voices.processes {
        let context = code_of(song, process);
        match &process.body {
            Body::Sequential(block) => in_block(context, block, &mut all),
            Body::Handlers(handlers) => {
                for handler in handlers {
                    in_block(context, &handler.body, &mut all);
                }
            }
        }
    }
    all
}

/// Where the code of a process stands: its variables have the names that its text gives them.
fn code_of<'a>(song: &'a Song, process: &'a Process) -> Context<'a> {
    Context {
        song,
        locals: &process.locals,
        family: Some(process.family),
    }
}

fn in_block(context: Context<'_>, block: &Block, all: &mut Vec<Assumption>) {
    let text = |expr: &Expr| context.expr(expr);
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
                    let text = code_of(song, process).expr(condition);
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

#[cfg(test)]
mod tests {
    use super::{cut_off, trusted};

    #[test]
    fn variables_have_the_names_of_the_text() {
        let compiled = plainsong_syntax::compile(
            "process p { var far: int = choose int; assume far > 3; let s = choose {1, 2} where s < far; assert s > 0; }",
        );
        let song = compiled.song.expect("it has no errors");
        let cut: Vec<String> = cut_off(&song).iter().map(ToString::to_string).collect();
        assert!(cut[0].starts_with("`assume far > 3` is trusted"), "{cut:?}");
        let all: Vec<String> = trusted(&song).iter().map(ToString::to_string).collect();
        assert!(all[1].contains("`choose … where s < far`"), "{all:?}");
    }
}

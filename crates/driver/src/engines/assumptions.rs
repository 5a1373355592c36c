//! Trusted assumptions: what processes take for granted.
//!
//! An `assume` that does not hold, and a choice without a candidate, end an execution without a word:
//! what is proved is proved of the others. Whoever reads `proved` should know of them.

use plainsong_ir::print;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{
    Block, Body, Choice, Domain, Expr, ExprKind, Local, Song, Stmt, StmtKind, System,
};

/// Each assumption in the code of the processes and of `init`, once.
pub(crate) fn trusted(song: &Song) -> Vec<String> {
    let System::Voices(voices) = &song.system else {
        return Vec::new();
    };
    let mut all = Vec::new();
    let mut look = |locals: &[Local], block: &Block| {
        let mut search = Search {
            song,
            locals,
            found: &mut all,
        };
        block.iter().for_each(|stmt| search.stmt(stmt));
    };
    if let Some(init) = &voices.init {
        look(&init.locals, &init.body);
    }
    for process in &voices.processes {
        match &process.body {
            Body::Sequential(block) => look(&process.locals, block),
            Body::Handlers(handlers) => {
                let bodies = handlers.iter().map(|handler| &handler.body);
                bodies.for_each(|body| look(&process.locals, body));
            }
        }
    }
    all
}

/// Each `assume` in the body of a process, once: a search does not look at what comes after one that is false. (In a
/// handler it says when a message is taken.)
pub(crate) fn cut_off(song: &Song) -> Vec<String> {
    let System::Voices(voices) = &song.system else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for process in &voices.processes {
        if let Body::Sequential(block) = &process.body {
            let mut search = Assumes {
                song,
                locals: &process.locals,
                found: &mut all,
            };
            block.iter().for_each(|stmt| search.stmt(stmt));
        }
    }
    all
}

/// That external functions keep their contracts: only what these allow is tried.
pub(crate) fn external(song: &Song) -> Vec<String> {
    let functions = song.functions.iter().filter(|one| one.is_external());
    functions
        .map(|one| {
            let name = &one.name;
            format!("the contract of the external function `{name}` is trusted")
        })
        .collect()
}

struct Assumes<'a> {
    song: &'a Song,
    locals: &'a [Local],
    found: &'a mut Vec<String>,
}

impl Visit for Assumes<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Assume(condition) = &stmt.kind {
            let text = print::expr(self.song, self.locals, condition);
            let told = format!(
                "`assume {text}` is trusted: where it is false, an execution is not looked at any further"
            );
            if !self.found.contains(&told) {
                self.found.push(told);
            }
        }
        walk::stmt(self, stmt);
    }
}

struct Search<'a> {
    song: &'a Song,
    locals: &'a [Local],
    found: &'a mut Vec<String>,
}

impl Search<'_> {
    fn note(&mut self, condition: &Expr, told: impl FnOnce(&str) -> String) {
        let text = told(&print::expr(self.song, self.locals, condition));
        if !self.found.contains(&text) {
            self.found.push(text);
        }
    }
}

impl Visit for Search<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assume(condition) => {
                self.note(condition, |text| format!("`assume {text}` is trusted"));
            }
            StmtKind::LetChoice(Choice {
                filter: Some(filter),
                ..
            })
            | StmtKind::AssignChoice(
                _,
                Choice {
                    filter: Some(filter),
                    ..
                },
            ) => self.note(filter, |text| {
                format!("`choose … where {text}` is trusted to have a candidate")
            }),
            StmtKind::LetChoice(Choice {
                domain: Domain::In(set),
                ..
            })
            | StmtKind::AssignChoice(
                _,
                Choice {
                    domain: Domain::In(set),
                    ..
                },
            ) if may_be_empty(set) => self.note(set, |text| {
                format!("`choose … in {text}` is trusted to have a candidate")
            }),
            _ => {}
        }
        walk::stmt(self, stmt);
    }
}

/// Sorts and written lists have members.
fn may_be_empty(set: &Expr) -> bool {
    match &set.kind {
        ExprKind::All(_) => false,
        ExprKind::Literal(elements) => elements.is_empty(),
        _ => true,
    }
}

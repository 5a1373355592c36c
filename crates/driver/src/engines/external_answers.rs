//! External functions that several machines ask.
//!
//! To a proof an external function is a function: of the same arguments it has the same result, whoever calls it.
//! Machines that run code of their own may answer each otherwise. A proof about a line supposes that they do not; where
//! it could matter, because several processes make calls, the verdict says that this is trusted.
//!
//! Why nothing is missed. Who makes a call is decided by projection alone, so its processes are looked at. Two of them
//! ask if calls stand in the code of two, or in that of a family, unless each member names itself in the call. Where
//! projection refuses a call because nobody can be said to make it, that is told.

use plainsong_ir::visit::{each_expr, free_locals};
use plainsong_ir::{Body, Expr, ExprKind, FnId, Function, Process, Song};
use plainsong_project::codes::UNPLACED_CALL;
use plainsong_project::{Options, project};
use plainsong_semantics::verdict::Assumption;
use std::collections::BTreeMap;

/// What a proof about this choreography trusts of answers that several machines give.
pub(super) fn trusted(song: &Song, line: usize) -> Vec<Assumption> {
    if !song.functions.iter().any(Function::is_external) {
        return Vec::new();
    }
    match project(song, line, &Options::default()) {
        Ok(projection) => shared(&projection.song),
        Err(problems) => problems
            .iter()
            .filter(|one| *one.code == UNPLACED_CALL)
            .take(1)
            .map(|one| Assumption::Other(format!(
                "external functions are trusted to answer everybody alike: {}, and `plainsong project` refuses this",
                one.message
            )))
            .collect(),
    }
}

/// Each external function that several processes call.
fn shared(voices: &Song) -> Vec<Assumption> {
    let mut callers: BTreeMap<FnId, Vec<String>> = BTreeMap::new();
    for process in voices.voices().iter().flat_map(|all| &all.processes) {
        for (function, by_itself) in calls(voices, process) {
            let family = &voices.families[process.family.index()];
            let names = callers.entry(function).or_default();
            let name = match (family.index.is_empty(), by_itself) {
                (false, false) => format!("every `{}`", family.name),
                _ => format!("`{}`", family.name),
            };
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let several = callers
        .into_iter()
        .filter(|(_, names)| names.len() > 1 || names.iter().any(|name| name.starts_with("every")));
    several
        .map(|(function, names)| {
            let name = &voices.functions[function.index()].name;
            let names = names.join(" and ");
            let text = format!("the external function `{name}` is trusted to answer alike at {names} where its arguments are the same");
            Assumption::Other(text)
        })
        .collect()
}

/// The external functions that the code of a process calls, also inside other functions, and whether the process
/// names itself in the call.
fn calls(song: &Song, process: &Process) -> Vec<(FnId, bool)> {
    let mut direct = Vec::new();
    let mut look = |expr: &Expr| {
        if let ExprKind::Call(function, arguments) = &expr.kind {
            let own = song.families[process.family.index()].index.len();
            let names_itself = |argument| free_locals(argument).iter().any(|one| one.index() < own);
            direct.push((*function, arguments.iter().any(names_itself)));
        }
    };
    match &process.body {
        Body::Sequential(block) => each_expr(block, &mut look),
        Body::Handlers(handlers) => {
            for handler in handlers {
                each_expr(&handler.body, &mut look);
            }
        }
    }
    let mut all: Vec<(FnId, bool)> = Vec::new();
    while let Some((function, by_itself)) = direct.pop() {
        if all.contains(&(function, by_itself)) {
            continue;
        }
        all.push((function, by_itself));
        // What it calls in turn has other arguments.
        for of in song.functions[function.index()].computed() {
            each_expr(of, |expr| {
                if let ExprKind::Call(inner, _) = &expr.kind {
                    direct.push((*inner, false));
                }
            });
        }
    }
    all.retain(|(function, _)| song.functions[function.index()].is_external());
    all
}

//! External functions whose endpoint is said: `extern fn price at seller(…)`.
//!
//! Statement. Every process of a projection calls only external functions that name no endpoint, that name it, or that name
//! an endpoint of a part which it plays.
//!
//! It is looked up in the processes that projection made, not in the line: so it holds of what runs, however the call got there.

use crate::codes::MISPLACED_CALL;
use plainsong_diagnostics::Diagnostic;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{
    Body, Choreography, Expr, ExprKind, FamilyId, FnId, Song, StartValue, Stmt, StmtKind,
};
use std::collections::{BTreeMap, BTreeSet};

/// The calls that an endpoint would make for another one.
pub(crate) fn misplaced_calls(song: &Song, line: &Choreography, voices: &Song) -> Vec<Diagnostic> {
    let named = named_roles(song);
    if named.values().all(BTreeSet::is_empty) {
        return Vec::new();
    }
    let mut problems = Vec::new();
    let processes = voices.voices().map_or(&[][..], |voices| &voices.processes);
    for process in processes {
        let id = line.endpoints[process.family.index()];
        let mut calls = Calls(Vec::new());
        for var in &voices.families[process.family.index()].vars {
            match &var.start {
                StartValue::Value(value) => calls.expr(value),
                StartValue::Choice(choice) => calls.choice(choice),
            }
        }
        if let Body::Sequential(block) = &process.body {
            calls.block(block);
        }
        let names = names_of(song, line, id);
        let who = &song.families[id.index()].name;
        for (function, span) in calls.0 {
            let roles = named.get(&function).into_iter().flatten();
            let Some(role) = roles.into_iter().find(|role| !names.contains(*role)) else {
                continue;
            };
            let name = &song.functions[function.index()].name;
            let message = format!("`{who}` would make this call of `{name}`, which `{role}` runs");
            let help = format!(
                "let `{role}` ask, with what it knows itself, and use its answer: `{role}.answer = {name}(…);`"
            );
            problems.push(Diagnostic::error(&MISPLACED_CALL, span, message).help(help));
        }
    }
    problems.sort_by_key(|one| one.primary.span);
    problems.dedup_by_key(|one| one.primary.span);
    problems
}

/// The endpoints that the external functions name which a function calls, or is.
fn named_roles(song: &Song) -> BTreeMap<FnId, BTreeSet<&str>> {
    let mut named: BTreeMap<FnId, BTreeSet<&str>> = BTreeMap::new();
    loop {
        let mut next = BTreeMap::new();
        for (at, function) in song.functions.iter().enumerate() {
            let mut calls = Calls(Vec::new());
            function.computed().for_each(|part| calls.expr(part));
            let called = calls.0.iter().filter_map(|(id, _)| named.get(id));
            let mut roles: BTreeSet<&str> = called.flatten().copied().collect();
            roles.extend(function.at.as_deref());
            next.insert(FnId::from(at), roles);
        }
        if next == named {
            return named;
        }
        named = next;
    }
}

/// What an endpoint is called: in its own choreography, and in the parts that it plays.
fn names_of<'s>(song: &'s Song, line: &Choreography, id: FamilyId) -> BTreeSet<&'s str> {
    let (mut names, mut waiting) = (BTreeSet::new(), vec![(line, id)]);
    while let Some((line, id)) = waiting.pop() {
        names.insert(&*song.families[id.index()].name);
        let mut parts = Parts(Vec::new());
        parts.block(&line.code.body);
        for (called, cast) in parts.0 {
            let called = &song.lines[called];
            let played = cast.iter().zip(&called.endpoints);
            let played = played.filter(|(player, _)| **player == id);
            waiting.extend(played.map(|(_, endpoint)| (called, *endpoint)));
        }
    }
    names
}

/// Calls of functions, with their places.
struct Calls(Vec<(FnId, plainsong_diagnostics::Span)>);

impl Visit for Calls {
    fn expr(&mut self, of: &Expr) {
        if let ExprKind::Call(id, _) = of.kind {
            self.0.push((id, of.span));
        }
        walk::expr(self, of);
    }
}

/// Calls of choreographies, with who plays.
struct Parts(Vec<(usize, Vec<FamilyId>)>);

impl Visit for Parts {
    fn stmt(&mut self, one: &Stmt) {
        match &one.kind {
            StmtKind::Part(part) => {
                let cast = part.cast.iter().map(|player| player.family);
                self.0.push((part.line, cast.collect()));
            }
            _ => walk::stmt(self, one),
        }
    }
}

//! The fix for a call that passes what only one endpoint knows, where its values cannot be tried one by one: what the
//! call does is written out, with a name for the argument.
//!
//! Statement. With `choreography put(k: int) { endpoint b { … } b.v = k; }`, `call put(a.f);` becomes
//!
//! ```text
//! let k = a.f;
//! b.v = k;
//! ```
//!
//! Why it means the same. That is what the call stands for ([`plainsong_ir::sub_choreography`]): names for the arguments, the first
//! values of variables that have one, and the statements with players in the place of endpoints. A name is evaluated once,
//! so the statements may write what it was read from; that its owner has to tell the others is for projection. New names
//! are none that mean something in the caller.
//!
//! NOT COVERED, so without a fix: choreographies with `requires`, which would no longer be asked for; with loops, whose
//! annotations speak of the beginning of the call; those that call others; players that only an endpoint knows.

use plainsong_diagnostics::{Fix, Span};
use plainsong_ir::print;
use plainsong_ir::sub_choreography::{parts_in, stands_for};
use plainsong_ir::visit::any_stmt;
use plainsong_ir::{Choreography, Local, Part, Song, Stmt, StmtKind};
use std::collections::BTreeSet;

/// What the call at `span` in line `home` does, if what stands at `of` is one of its arguments.
pub(super) fn written_out(
    song: &Song,
    home: usize,
    part: &Part,
    span: Span,
    of: Span,
) -> Option<Fix> {
    let called = &song.lines[part.line];
    let is_argument = part.arguments.iter().any(|one| one.span == of);
    if !is_argument || !is_plain(called) {
        return None;
    }
    let mut locals = song.lines[home].code.locals.clone();
    let known = locals.len();
    let block = stands_for(song, part, span, &mut locals);
    rename(song, &mut locals, known);
    let text: Vec<String> = block
        .iter()
        .map(|stmt| print::stmt(song, &locals, stmt).trim().to_owned())
        .collect();
    Some(Fix {
        title: "write out what it does, with a name for the argument".to_owned(),
        edits: vec![(span, text.join("\n"))],
    })
}

/// Has a choreography neither `requires` nor loops nor calls?
fn is_plain(line: &Choreography) -> bool {
    let is_loop = |stmt: &Stmt| matches!(stmt.kind, StmtKind::While(..) | StmtKind::For { .. });
    let body = &line.code.body;
    line.requires.is_empty() && !any_stmt(body, is_loop) && parts_in(body).is_empty()
}

/// Gives the names from `known` on others where theirs mean something already.
fn rename(song: &Song, locals: &mut [Local], known: usize) {
    let mut taken: BTreeSet<String> = locals[..known].iter().map(|one| one.name.clone()).collect();
    taken.extend(song.consts.iter().map(|one| one.name.clone()));
    taken.extend(song.functions.iter().map(|one| one.name.clone()));
    taken.extend(song.families.iter().map(|one| one.name.clone()));
    for local in &mut locals[known..] {
        let numbered = (2..).map(|number| format!("{}_{number}", local.name));
        let mut wanted = std::iter::once(local.name.clone()).chain(numbered);
        let free = wanted.find(|name| !taken.contains(name));
        local.name = free.expect("there is always another number");
        taken.insert(local.name.clone());
    }
}

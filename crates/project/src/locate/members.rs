//! The fix for an index that only some endpoint knows: every member is asked whether it is the one.
//!
//! Statement. `server[a.leader].x = e;` becomes
//!
//! ```text
//! for s in Server { if a.leader == s { server[s].x = e; } }
//! ```
//!
//! Everybody knows `s`, so whose variable is meant is no secret any more; that `a` has to tell the others which
//! round is the one is a condition like any other, with a fix of its own.
//!
//! Why it means the same. The index has exactly one value, so the statement is done in exactly one round; the index
//! does not read what the statement writes, so it has the same value in all rounds. It is evaluated although the
//! statement might not have come to it (behind `&&`), so it has to be one that always has a value; and no name
//! that the statement binds occurs in it, so it can stand outside.
//!
//! NOT COVERED, so without a fix: conditions, names and choices with such an index.

use super::Locate;
use crate::codes::HIDDEN_INDEX;
use crate::owner::{Located, Reads};
use crate::terms::{binary, is_total, local, stmt, without_spans};
use plainsong_diagnostics::{Diagnostic, Fix, Span};
use plainsong_ir::print;
use plainsong_ir::visit::{Visit, endpoints_read, free_locals, replace, walk};
use plainsong_ir::{BinOp, Expr, ExprKind, Local, LocalId, Place, Root, StmtKind, Ty};
use std::collections::BTreeSet;

impl Locate<'_> {
    /// An assignment with an index that only somebody knows, asked of every member.
    pub(super) fn fix_hidden(&self, place: &Place, value: &Expr, span: Span) -> Option<Fix> {
        let mut search = HiddenIndexSearch {
            located: &self.located,
            found: None,
            bound: BTreeSet::new(),
        };
        search.place(place);
        search.expr(value);
        let index = search.found?;
        let Root::Of(family, _, var) = &place.root else {
            return None;
        };
        let reads = endpoints_read(&index);
        let is_steady = !reads.iter().any(|one| (one.0, one.2) == (*family, *var));
        let can_stand_outside = free_locals(&index).is_disjoint(&search.bound);
        let is_listed = matches!(index.ty, Ty::Bool | Ty::Sort(_) | Ty::Enum(_));
        if !is_steady || !can_stand_outside || !is_listed || !is_total(&index) {
            return None;
        }
        let mut locals = self.locals.clone();
        locals.push(Local {
            name: self.unused("m"),
            ty: index.ty.clone(),
            mutable: false,
            span: Span::default(),
        });
        let member = local(LocalId::from(locals.len() - 1), &index.ty);
        let (mut place, mut value) = (place.clone(), value.clone());
        let put = |of: &Expr| (*of == index).then(|| member.clone());
        replace(&mut place, put);
        replace(&mut value, put);
        let said = stmt(StmtKind::Assign(place, value), Span::default());
        let body = print::stmt(self.song, &locals, &said);
        let name = print::expr(self.song, &locals, &member);
        let ty = print::ty(self.song, &index.ty);
        let is_it = binary(BinOp::Eq, index, member);
        let is_it = print::expr(self.song, &locals, &is_it);
        let text = format!(
            "for {name} in {ty} {{\n    if {is_it} {{\n        {}\n    }}\n}}",
            body.trim()
        );
        Some(Fix {
            title: "ask every member whether it is meant".to_owned(),
            edits: vec![(span, text)],
        })
    }

    /// A name that means nothing yet.
    fn unused(&self, wanted: &str) -> String {
        let song = self.song;
        let locals = self.locals.iter().map(|one| &one.name);
        let consts = song.consts.iter().map(|one| &one.name);
        let functions = song.functions.iter().map(|one| &one.name);
        let families = song.families.iter().map(|one| &one.name);
        let taken: BTreeSet<&String> = locals
            .chain(consts)
            .chain(functions)
            .chain(families)
            .collect();
        let numbered = (2..).map(|number| format!("{wanted}_{number}"));
        let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
        let free = names.find(|name| !taken.contains(name));
        free.expect("there is always another number")
    }
}

/// While it is not known who is meant, nothing else is to be fixed: what is transferred would go to a secret
/// member too.
pub(crate) fn who_is_meant_first(problems: &mut [Diagnostic]) {
    let is_hidden = |problem: &Diagnostic| problem.code == &HIDDEN_INDEX;
    if problems.iter().any(is_hidden) {
        let others = problems.iter_mut().filter(|problem| !is_hidden(problem));
        others.for_each(|problem| problem.fix = None);
    }
}

/// Looks for the first index that depends on somebody's state, and in which no other does.
struct HiddenIndexSearch<'a> {
    located: &'a Located,
    found: Option<Expr>,
    bound: BTreeSet<LocalId>,
}

impl HiddenIndexSearch<'_> {
    fn indices(&mut self, indices: &[Expr]) {
        for index in indices {
            let reads = Reads::of([index], self.located);
            if !reads.owners.is_empty() && reads.hidden.is_none() {
                self.found.get_or_insert_with(|| without_spans(index));
            }
        }
    }
}

impl Visit for HiddenIndexSearch<'_> {
    fn place(&mut self, place: &Place) {
        if let Root::Of(_, index, _) = &place.root {
            self.indices(index);
        }
        walk::place(self, place);
    }

    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Of(_, index, _) = &expr.kind {
            self.indices(index);
        }
        walk::expr(self, expr);
    }

    fn binds(&mut self, local: &LocalId) {
        self.bound.insert(*local);
    }
}

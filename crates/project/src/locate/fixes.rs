//! Fixes: what projection repairs, written out in the text.
//!
//! Statement. A fix gives endpoints variables for what they have to be told, and transfers it before the statement
//! that needs it. The line ends as before in all variables that it had, and the diagnostic is gone: every
//! statement reads one endpoint, every condition has a conjunct for everybody who acts.
//!
//! Why it means the same. The new variables are read by nothing else, and between the transfers and the
//! statement nothing happens. What is evaluated early always has a value (`fetch` sends the variables of
//! what might not have one). A condition is computed once and told, so its conjuncts agree; in a loop it is
//! computed again at the end of each round, where the loop would test it.
//!
//! NOT COVERED, so without a fix: values gathered from a whole family, types without a value to begin with
//! (members of a sort), loops that are left by `break` or `continue`, conditions behind `else if` and of filters,
//! conditions of two members of one family, `match`, `maybe` and names.

use super::Locate;
use crate::owner::{Owner, Who};
use crate::terms::{default_of, expr, stmt};
use plainsong_diagnostics::{Fix, Span};
use plainsong_ir::print;
use plainsong_ir::visit::free_locals;
use plainsong_ir::{
    BinOp, Expr, ExprKind, FamilyId, Local, LocalId, Place, Root, Song, StartValue, StateVar,
    StmtKind, Ty, VarId,
};
use std::collections::BTreeSet;

/// The statement whose condition is looked at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around {
    pub(super) span: Span,
    pub(super) is_loop: bool,
}

/// Who decides a condition, by what, and who is told.
pub(super) struct Decision<'d> {
    pub(super) condition: &'d Expr,
    pub(super) decider: &'d Owner,
    /// What the decider evaluates.
    pub(super) value: &'d Expr,
    pub(super) told: &'d [Who],
    /// Does the condition stay, with conjuncts for those who are told?
    pub(super) stays: bool,
}

/// A fix in the making: the song with its new variables, and what is inserted.
struct Draft {
    song: Song,
    locals: Vec<Local>,
    /// Names that mean something already.
    taken: BTreeSet<String>,
    edits: Vec<(Span, String)>,
    before: Vec<String>,
}

impl Locate<'_> {
    /// `q.l = e;` with what `e` reads of others transferred first.
    pub(super) fn fix_assignment(
        &mut self,
        owner: &Owner,
        place: &Place,
        value: &Expr,
        span: Span,
    ) -> Option<Fix> {
        let mut draft = self.draft();
        let value = self.brought(owner, value, &mut draft)?;
        draft.say(stmt(StmtKind::Assign(place.clone(), value), span).kind);
        let before = std::mem::take(&mut draft.before);
        draft.edits.push((span, before.join("\n")));
        Some(self.finish(draft, "transfer first what it reads of others"))
    }

    /// A condition with a conjunct for everybody who acts.
    pub(super) fn fix_condition(&mut self, decision: &Decision<'_>) -> Option<Fix> {
        let around = self.around?;
        if self.may_be_one(decision) {
            return None;
        }
        let mut draft = self.draft();
        let mut parts = Vec::new();
        let mut value = decision.value.clone();
        if decision.stays {
            parts.push(draft.conjunct(decision.condition));
        } else {
            let brought = self.brought(decision.decider, decision.value, &mut draft)?;
            value = draft.variable(decision.decider, "go", &Ty::Bool)?;
            draft.assign(&value, brought);
            parts.push(print::expr(&draft.song, &draft.locals, &value));
        }
        for who in decision.told {
            parts.push(match who {
                Who::One(owner) => {
                    let own = draft.variable(owner, "go", &Ty::Bool)?;
                    draft.assign(&own, value.clone());
                    print::expr(&draft.song, &draft.locals, &own)
                }
                Who::Family(family) => draft.tell_all(*family, &value)?,
            });
        }
        let told = draft.before.join("\n");
        let (start, end) = (around.span.start, around.span.end);
        draft
            .edits
            .push((Span::new(start, start), format!("{told}\n")));
        draft
            .edits
            .push((decision.condition.span, parts.join(" && ")));
        if around.is_loop {
            draft
                .edits
                .push((Span::new(end - 1, end - 1), format!("{told}\n")));
        }
        Some(self.finish(draft, "let everybody who acts know the choice"))
    }

    /// Would two members of one family have a conjunct each? They may be the same one, so that the conjuncts are
    /// not told apart, and the next look at it would offer the same again.
    fn may_be_one(&mut self, decision: &Decision<'_>) -> bool {
        let mut all = match decision.stays {
            true => self.reads([decision.condition]).owners,
            false => vec![decision.decider.clone()],
        };
        let mut families = Vec::new();
        for who in decision.told {
            match who {
                Who::One(owner) => all.push(owner.clone()),
                Who::Family(family) => families.push(*family),
            }
        }
        let twice = |one: &Owner| {
            let mut others = all.iter().filter(|other| *other != one);
            families.contains(&one.family) || others.any(|other| other.family == one.family)
        };
        all.iter().any(twice)
    }

    /// The fix; others that are made in the same round choose other names.
    fn finish(&mut self, mut draft: Draft, title: &str) -> Fix {
        self.names_of_fixes = draft.taken;
        draft.edits.sort_by_key(|(span, _)| (span.start, span.end));
        Fix {
            title: title.to_owned(),
            edits: draft.edits,
        }
    }

    fn draft(&self) -> Draft {
        let song = self.song;
        let mut taken = self.names_of_fixes.clone();
        taken.extend(self.locals.iter().map(|one| one.name.clone()));
        taken.extend(song.consts.iter().map(|one| one.name.clone()));
        taken.extend(song.functions.iter().map(|one| one.name.clone()));
        taken.extend(song.families.iter().map(|one| one.name.clone()));
        let vars = song.families.iter().flat_map(|family| &family.vars);
        taken.extend(vars.map(|one| one.name.clone()));
        let indices = song.families.iter().flat_map(|family| &family.index);
        taken.extend(indices.map(|one| one.name.clone()));
        Draft {
            song: song.clone(),
            locals: self.locals.clone(),
            taken,
            edits: Vec::new(),
            before: Vec::new(),
        }
    }

    /// A value in variables of `to`, with the transfers it takes.
    fn brought(&mut self, to: &Owner, value: &Expr, draft: &mut Draft) -> Option<Expr> {
        let mark = self.mark();
        let (mut items, mut gathers) = (Vec::new(), Vec::new());
        let mut value = self.fetch(value, to, &mut items, &mut gathers);
        let names = items.iter().map(|item| {
            let var = self.locals[item.local.index()].name.clone();
            let from = &self.song.families[item.from.family.index()].name;
            format!("{}_of_{from}", var.strip_prefix("new_").unwrap_or(&var))
        });
        let names: Vec<String> = names.collect();
        self.back_to(mark);
        if !gathers.is_empty() {
            return None;
        }
        let mut new = Vec::new();
        for (item, name) in items.iter().zip(names) {
            let own = draft.variable(to, &name, &item.value.ty)?;
            draft.assign(&own, item.value.clone());
            new.push((item.local, own));
        }
        crate::terms::replace_locals(&mut value, &|local: LocalId| {
            let found = new.iter().find(|(item, _)| *item == local);
            found.map(|(_, own)| own.clone())
        });
        Some(value)
    }
}

impl Draft {
    /// A new variable of an endpoint's family, as this endpoint's.
    fn variable(&mut self, owner: &Owner, wanted: &str, ty: &Ty) -> Option<Expr> {
        let vars = &self.song.families[owner.family.index()].vars;
        let first = vars.iter().find(|var| !var.is_input)?.span;
        let mut rows = self.locals.clone();
        let default = default_of(&self.song, ty, &mut |key, ty| {
            rows.push(Local {
                name: key.to_owned(),
                ty: ty.clone(),
                mutable: false,
                span: Span::default(),
            });
            LocalId::from(rows.len() - 1)
        })?;
        let numbered = (2..).map(|n| format!("{wanted}_{n}"));
        let mut names = std::iter::once(wanted.to_owned()).chain(numbered);
        let name = names.find(|name| !self.taken.contains(name))?;
        self.taken.insert(name.clone());
        let text = format!(
            "{name}: {} = {};\nvar ",
            print::ty(&self.song, ty),
            print::expr(&self.song, &rows, &default)
        );
        self.edits.push((Span::new(first.start, first.start), text));
        let vars = &mut self.song.families[owner.family.index()].vars;
        vars.push(StateVar {
            name,
            ty: ty.clone(),
            start: StartValue::Value(default),
            locals: Vec::new(),
            durable: false,
            is_input: false,
            span: first,
        });
        let id = VarId::from(vars.len() - 1);
        let kind = ExprKind::Of(owner.family, owner.index.clone(), id);
        Some(expr(kind, ty.clone(), Span::default()))
    }

    fn assign(&mut self, own: &Expr, value: Expr) {
        let ExprKind::Of(family, index, var) = &own.kind else {
            return;
        };
        let place = Place {
            root: Root::Of(*family, index.clone(), *var),
            path: Vec::new(),
            span: Span::default(),
        };
        self.say(StmtKind::Assign(place, value));
    }

    fn say(&mut self, kind: StmtKind) {
        let said = stmt(kind, Span::default());
        let text = print::stmt(&self.song, &self.locals, &said);
        self.before.push(text.trim_end().to_owned());
    }

    /// An expression that can stand beside `&&`.
    fn conjunct(&self, of: &Expr) -> String {
        let text = print::expr(&self.song, &self.locals, of);
        let is_loose = match &of.kind {
            ExprKind::Binary(op, ..) => matches!(op, BinOp::Or | BinOp::Implies | BinOp::Iff),
            ExprKind::Quantifier(..) | ExprKind::If(..) | ExprKind::Match(..) => true,
            _ => false,
        };
        match is_loose {
            true => format!("({text})"),
            false => text,
        }
    }

    /// Every member of a family is told a value; gives the conjunct of the family.
    fn tell_all(&mut self, family: FamilyId, value: &Expr) -> Option<String> {
        let binders = self.song.families[family.index()].index.clone();
        let free = free_locals(value);
        let names = free.iter().map(|local| &self.locals[local.index()].name);
        if names
            .into_iter()
            .any(|name| binders.iter().any(|binder| binder.name == *name))
        {
            return None; // the name of a member would mean another one
        }
        let mut index = Vec::new();
        for binder in &binders {
            self.locals.push(Local {
                name: binder.name.clone(),
                ty: binder.ty.clone(),
                mutable: false,
                span: Span::default(),
            });
            let name = LocalId::from(self.locals.len() - 1);
            index.push(crate::terms::local(name, &binder.ty));
        }
        let own = self.variable(&Owner { family, index }, "go", &Ty::Bool)?;
        self.assign(&own, value.clone());
        let mut told = self.before.pop()?;
        let mut all = Vec::new();
        for binder in &binders {
            all.push(format!(
                "{}: {}",
                binder.name,
                print::ty(&self.song, &binder.ty)
            ));
        }
        for binder in binders.iter().rev() {
            let ty = print::ty(&self.song, &binder.ty);
            told = format!("for {} in {ty} {{\n{told}\n}}", binder.name);
        }
        self.before.push(told);
        let own = print::expr(&self.song, &self.locals, &own);
        Some(format!("(forall {} :: {own})", all.join(", ")))
    }
}

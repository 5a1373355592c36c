//! Processes and endpoints named in expressions, and their state.

use super::Lowering;
use super::codes::names::{AMBIGUOUS_NAME, UNKNOWN_FIELD, UNKNOWN_NAME};
use super::codes::places::{FOREIGN_STATE, NOT_STATE};
use super::codes::types::FAMILY_INDEX;
use super::fit::Why;
use super::unit::Home;
use crate::ast::{self, AstNode};
use crate::names::Item;
use crate::types::UNKNOWN;
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::{Expr, ExprKind, FamilyId, Ty, VarId};

/// A process or endpoint as written, with or without indices.
pub(crate) struct FamilyRef {
    pub(crate) family: FamilyId,
    indices: Option<Vec<ast::Expr>>,
    pub(crate) span: Span,
}

impl Lowering<'_> {
    /// `db[d]`, with the names of the indices as declared.
    pub(crate) fn family_form(&self, family: FamilyId) -> String {
        let family = &self.families[family.index()];
        if family.index.is_empty() {
            return family.name.clone();
        }
        let names: Vec<&str> = family
            .index
            .iter()
            .map(|binder| binder.name.as_str())
            .collect();
        format!("{}[{}]", family.name, names.join(", "))
    }

    /// The process or endpoint that the expression names, if it names one.
    pub(crate) fn family_ref(&mut self, e: &ast::Expr) -> Option<FamilyRef> {
        match e {
            ast::Expr::Name(name) => {
                let name = name.name()?;
                let family = self.family_of_name(&name)?;
                Some(FamilyRef {
                    family,
                    indices: None,
                    span: name.span(),
                })
            }
            ast::Expr::Field(field) => {
                let line = field.base()?.as_name()?;
                let name = field.name()?;
                let family = self.endpoint_of_line(&line, &name)?;
                Some(FamilyRef {
                    family,
                    indices: None,
                    span: field.span(),
                })
            }
            ast::Expr::Index(index) => {
                let base = index.base()?;
                if matches!(base, ast::Expr::Index(_)) {
                    return None;
                }
                let reference = self.family_ref(&base)?;
                let indices = Some(index.indices().collect());
                Some(FamilyRef {
                    indices,
                    span: index.span(),
                    ..reference
                })
            }
            _ => None,
        }
    }

    fn is_hidden(&self, name: &str) -> bool {
        self.unit.scope.find(name).is_some() || self.own_var(name).is_some()
    }

    fn family_of_name(&mut self, name: &ast::Name) -> Option<FamilyId> {
        let text = name.text();
        if self.is_hidden(text) {
            return None;
        }
        if let Home::Line(line) = self.unit.home
            && let Some(family) = self.names.endpoint(line, text)
        {
            return Some(family);
        }
        match self.names.item(text) {
            Some(Item::Family(family)) => return Some(family),
            Some(_) => return None,
            None => {}
        }
        if self.unit.home != Home::Property {
            return None;
        }
        let rows = self.names.endpoints.get(text)?;
        let first = rows.first()?.family;
        if rows.len() > 1 {
            self.ambiguous_endpoint(name);
        }
        Some(first)
    }

    fn ambiguous_endpoint(&mut self, name: &ast::Name) {
        let text = name.text();
        let lines: Vec<usize> = self.names.endpoints[text]
            .iter()
            .map(|row| row.line)
            .collect();
        let known = self
            .names
            .lines
            .iter()
            .filter(|(_, declared)| lines.contains(&declared.what));
        let mut forms: Vec<String> = known.map(|(line, _)| format!("`{line}.{text}`")).collect();
        forms.sort();
        let message = format!("several choreographies have an endpoint `{text}`");
        self.report(
            Diagnostic::error(&AMBIGUOUS_NAME, name.span(), message)
                .help(format!("say which: {}", forms.join(" or "))),
        );
    }

    /// `swap.a` in a property.
    fn endpoint_of_line(&mut self, line: &ast::Name, name: &ast::Name) -> Option<FamilyId> {
        let text = line.text();
        if self.unit.home != Home::Property
            || self.is_hidden(text)
            || self.names.item(text).is_some()
        {
            return None;
        }
        let line = self.names.lines.get(text)?.what;
        self.names.endpoint(line, name.text())
    }

    /// Who is meant behind `to` and `from`: a process, also where a variable that cannot be meant has its name.
    pub(crate) fn address(&mut self, e: &ast::Expr, word: &'static str) -> Expr {
        match self.hidden_process(e) {
            Some(reference) => self.pid(reference),
            None => self.check(e, &Ty::Process, Why::Word(word)),
        }
    }

    /// The process whose name is hidden by a variable that has no identities of processes in it.
    fn hidden_process(&self, e: &ast::Expr) -> Option<FamilyRef> {
        let (name, indices) = match e {
            ast::Expr::Name(name) => (name.name()?, None),
            ast::Expr::Index(index) => (index.base()?.as_name()?, Some(index.indices().collect())),
            _ => return None,
        };
        let (owner, var) = self.own_var(name.text())?;
        let ty = &self.families[owner.index()].vars[var.index()].ty;
        let is_meant = matches!(ty, Ty::Process | Ty::Map(..) | Ty::Seq(_));
        match self.names.item(name.text()) {
            Some(Item::Family(family))
                if !is_meant && self.unit.scope.find(name.text()).is_none() =>
            {
                Some(FamilyRef {
                    family,
                    indices,
                    span: e.span(),
                })
            }
            _ => None,
        }
    }

    /// The identity of a process.
    pub(crate) fn pid(&mut self, reference: FamilyRef) -> Expr {
        let span = reference.span;
        if reference.family.index() >= self.process_count {
            let form = self.family_form(reference.family);
            let message = format!("`{form}` is an endpoint, and endpoints are not values");
            self.report(
                Diagnostic::error(&UNKNOWN_NAME, span, message)
                    .help(format!("name one of its variables: `{form}.v`")),
            );
            return self.wrong(span);
        }
        match self.family_indices(&reference) {
            Some(indices) => Expr {
                kind: ExprKind::Pid(reference.family, indices),
                ty: Ty::Process,
                span,
            },
            None => self.wrong(span),
        }
    }

    /// The indices of a named process, one for each that the family declares.
    pub(crate) fn family_indices(&mut self, reference: &FamilyRef) -> Option<Vec<Expr>> {
        let family = &self.families[reference.family.index()];
        let wanted: Vec<Ty> = family
            .index
            .iter()
            .map(|binder| binder.ty.clone())
            .collect();
        let given = reference.indices.as_deref();
        if given.map_or(0, <[_]>::len) != wanted.len() {
            self.wrong_indices(reference);
            for index in given.unwrap_or_default() {
                self.check(index, &UNKNOWN, Why::Here);
            }
            return None;
        }
        let mut indices = Vec::new();
        for (at, index) in given.unwrap_or_default().iter().enumerate() {
            indices.push(self.check(index, &wanted[at], Why::Index(reference.family)));
        }
        Some(indices)
    }

    fn wrong_indices(&mut self, reference: &FamilyRef) {
        let family = &self.families[reference.family.index()];
        let form = self.family_form(reference.family);
        let name = &family.name;
        let is_process = reference.family.index() < self.process_count;
        let kind = if is_process { "process" } else { "endpoint" };
        let message = match (family.index.len(), &reference.indices) {
            (0, _) => format!("`{name}` is a single {kind} and has no index"),
            (_, None) => format!("`{name}` is a family; which of its members is meant?"),
            (1, Some(_)) => format!("`{name}` has one index"),
            (count, Some(_)) => format!("`{name}` has {count} indices"),
        };
        let diagnostic = Diagnostic::error(&FAMILY_INDEX, reference.span, message)
            .also(family.span, format!("`{form}` is declared here"))
            .help(format!("write `{form}`"));
        self.report(diagnostic);
    }

    /// `db[d].outcome`
    pub(crate) fn state_of(&mut self, reference: FamilyRef, name: &ast::Name, span: Span) -> Expr {
        if !self.may_see(reference.family) {
            self.foreign_state(&reference, name, span);
            return self.wrong(span);
        }
        let indices = self.family_indices(&reference);
        let var = self.state_var(reference.family, name);
        self.speaks_of_family(reference.family, span);
        match (indices, var) {
            (Some(indices), Some((var, ty))) => Expr {
                kind: ExprKind::Of(reference.family, indices, var),
                ty,
                span,
            },
            (None, Some((_, ty))) => Expr {
                ty,
                ..self.wrong(span)
            },
            _ => self.wrong(span),
        }
    }

    /// May code here read and write the state of this process or endpoint?
    pub(crate) fn may_see(&self, family: FamilyId) -> bool {
        match self.unit.home {
            Home::Property | Home::Schedule => true,
            Home::Line(_) => family.index() >= self.process_count,
            _ => false,
        }
    }

    fn foreign_state(&mut self, reference: &FamilyRef, name: &ast::Name, span: Span) {
        let owner = &self.families[reference.family.index()].name;
        if self.unit.home.own_family() == Some(reference.family) {
            let text = name.text();
            let message = format!("a process names its own variables without `{owner}`");
            self.report(
                Diagnostic::error(&FOREIGN_STATE, span, message)
                    .help(format!("write `{text}` for the variable of this process")),
            );
            return;
        }
        let what = format!("the state of `{owner}`");
        self.not_closed(span, &what);
    }

    /// A state variable by name; reports when there is none.
    pub(crate) fn state_var(&mut self, family: FamilyId, name: &ast::Name) -> Option<(VarId, Ty)> {
        if let Some(&var) = self.names.vars[family.index()].get(name.text()) {
            let ty = self.families[family.index()].vars[var.index()].ty.clone();
            return Some((var, ty));
        }
        let text = name.text();
        let row = &self.families[family.index()];
        let owner = &row.name;
        let locals = self.process_locals.get(family.index());
        let diagnostic = if locals.is_some_and(|names| names.iter().any(|local| local == text)) {
            let message =
                format!("`{text}` is local to the body of `{owner}`, and properties do not see it");
            Diagnostic::error(&NOT_STATE, name.span(), message)
                .help("declare it as a `var` at the top of the process")
        } else {
            let message = format!("`{owner}` has no state variable `{text}`");
            let known = row.vars.iter().map(|var| var.name.as_str());
            self.suggest(
                Diagnostic::error(&UNKNOWN_FIELD, name.span(), message),
                name,
                known,
            )
        };
        let diagnostic = diagnostic.also(row.span, format!("`{owner}` is declared here"));
        self.report(diagnostic);
        None
    }
}

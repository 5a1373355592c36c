//! What an assignment writes to.

use super::Lowering;
use super::codes::places::{FOREIGN_STATE, NOT_ASSIGNABLE};
use super::fit::Why;
use super::unit::{Binder, Home};
use crate::ast::{self, AstNode};
use crate::names::Item;
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::{Access, FamilyId, GlobalId, LocalId, Place, Root, Ty, VarId};

/// A place, its type, and who says that it has this type.
type Found = (Place, Ty, Why);

impl Lowering<'_> {
    /// The place that an expression names; reports when it cannot be assigned.
    pub(crate) fn place(&mut self, target: &ast::Expr) -> Option<Found> {
        let found = self.place_of(target);
        if let Some((_, ty, _)) = &found {
            self.note_type(target.span(), ty);
        }
        found
    }

    fn place_of(&mut self, target: &ast::Expr) -> Option<Found> {
        match target {
            ast::Expr::Paren(e) => self.place(&e.inner()?),
            ast::Expr::Name(e) => self.variable(&e.name()?),
            ast::Expr::Field(e) => self.field_place(e),
            ast::Expr::TupleField(e) => {
                let (place, ty, _) = self.place(&e.base()?)?;
                let at = e.index()?;
                let part = self.component_of(&ty, at, e.index_span()?, place.span)?;
                Some(extend(place, Access::Project(at), part, e.span()))
            }
            ast::Expr::Index(e) => self.entry_place(e),
            _ => None,
        }
    }

    fn variable(&mut self, name: &ast::Name) -> Option<Found> {
        let text = name.text();
        if let Some(local) = self.unit.scope.find(text) {
            return self.local_place(local, name);
        }
        if let Some((family, var)) = self.own_var(text) {
            let ty = self.families[family.index()].vars[var.index()].ty.clone();
            self.changes(family, var, name.span())?;
            return Some((root(Root::Own(var), name.span()), ty, Why::Var(family, var)));
        }
        if let Home::Line(line) = self.unit.home
            && let Some(family) = self.names.endpoint(line, text)
        {
            let form = self.family_form(family);
            let help = format!("assign to one of its variables: `{form}.v = …;`");
            self.report(not_assignable(
                name.span(),
                &format!("`{text}` is an endpoint"),
                None,
                &help,
            ));
            return None;
        }
        match self.names.items.get(text).copied() {
            Some(declared) => match declared.what {
                Item::Global(id) => self.global_place(id, name),
                item => {
                    let what = format!("`{text}` is {}", item.describe());
                    self.report(not_assignable(
                        name.span(),
                        &what,
                        Some(declared.span),
                        ONLY_VARIABLES,
                    ));
                    None
                }
            },
            None => {
                self.unknown_name(name);
                None
            }
        }
    }

    /// Reports a variable that is an input: it keeps what it was given.
    fn changes(&mut self, family: FamilyId, var: VarId, span: Span) -> Option<()> {
        let row = &self.families[family.index()].vars[var.index()];
        if !row.is_input {
            return Some(());
        }
        let what = format!("`{}` is an input", row.name);
        let help = format!("copy it into a variable: `var copy = {};`", row.name);
        let diagnostic = not_assignable(span, &what, Some(row.span), &help);
        self.report(diagnostic);
        None
    }

    fn local_place(&mut self, local: LocalId, name: &ast::Name) -> Option<Found> {
        let binder = self.unit.binders[local.index()];
        let row = &self.unit.locals[local.index()];
        if binder == Binder::Var {
            let ty = row.ty.clone();
            return Some((root(Root::Local(local), name.span()), ty, Why::Local(local)));
        }
        let text = name.text();
        let declared = row.span;
        let hides = self.own_var(text).is_some();
        let help = match binder {
            _ if hides => {
                format!("it hides the state variable `{text}`; give one of them another name")
            }
            Binder::Let => format!("declare it with `var`: `var {text} = …;`"),
            _ => format!("copy it into a variable first: `var copy = {text};`"),
        };
        let what = format!("`{text}` {}", binder.describe());
        let mut diagnostic = not_assignable(name.span(), &what, Some(declared), &help);
        if let Some(keyword) = self.let_before(declared).filter(|_| binder == Binder::Let) {
            diagnostic = diagnostic.fix("declare it with `var`", vec![(keyword, "var".to_owned())]);
        }
        self.report(diagnostic);
        None
    }

    /// The `let` before a declared name, if nothing but space is between.
    fn let_before(&self, name: Span) -> Option<Span> {
        let before = self.text.get(..name.start as usize)?.trim_end();
        let start = before.strip_suffix("let")?.len() as u32;
        Some(Span::new(start, start + 3))
    }

    fn global_place(&mut self, id: GlobalId, name: &ast::Name) -> Option<Found> {
        if !matches!(
            self.unit.home,
            Home::Action | Home::ActionsInit | Home::Procedure
        ) {
            let message = format!(
                "{} cannot change the global `{}`",
                self.unit.home.describe(),
                name.text()
            );
            self.report(Diagnostic::error(&FOREIGN_STATE, name.span(), message));
            return None;
        }
        let ty = self.globals.get(id.index())?.ty.clone();
        Some((root(Root::Global(id), name.span()), ty, Why::Global(id)))
    }

    fn field_place(&mut self, e: &ast::FieldExpr) -> Option<Found> {
        let (base, name) = (e.base()?, e.name()?);
        if let Some(reference) = self.family_ref(&base) {
            if !self.may_see(reference.family) {
                self.expr(&ast::Expr::Field(e.clone()), None);
                return None;
            }
            let indices = self.family_indices(&reference);
            let (var, ty) = self.state_var(reference.family, &name)?;
            let family = reference.family;
            self.changes(family, var, name.span())?;
            return Some((
                root(Root::Of(family, indices?, var), e.span()),
                ty,
                Why::Var(family, var),
            ));
        }
        let (place, ty, _) = self.place(&base)?;
        let (at, part) = self.field_of(&ty, &name, place.span)?;
        Some(extend(place, Access::Field(at), part, e.span()))
    }

    fn entry_place(&mut self, e: &ast::IndexExpr) -> Option<Found> {
        if let Some(reference) = self.family_ref(&ast::Expr::Index(e.clone())) {
            let form = self.family_form(reference.family);
            let what = format!("`{form}` is a process");
            self.report(not_assignable(e.span(), &what, None, ONLY_VARIABLES));
            return None;
        }
        let (place, ty, _) = self.place(&e.base()?)?;
        let indices: Vec<ast::Expr> = e.indices().collect();
        let (key, part) = self.entry_of(&ty, &indices, place.span)?;
        Some(extend(place, Access::Index(key), part, e.span()))
    }
}

const ONLY_VARIABLES: &str = "only variables, declared with `var`, change";

fn not_assignable(span: Span, what: &str, declared: Option<Span>, help: &str) -> Diagnostic {
    let message = format!("{what} and cannot be assigned");
    let diagnostic = Diagnostic::error(&NOT_ASSIGNABLE, span, message).help(help);
    match declared {
        Some(declared) => diagnostic.also(declared, "declared here"),
        None => diagnostic,
    }
}

fn root(root: Root, span: Span) -> Place {
    Place {
        root,
        path: Vec::new(),
        span,
    }
}

/// The place one step further in.
fn extend(mut place: Place, access: Access, ty: Ty, span: Span) -> Found {
    place.path.push(access);
    place.span = span;
    (place, ty, Why::Place(span))
}

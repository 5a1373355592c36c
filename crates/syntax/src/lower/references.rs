//! Names in expressions, and what follows them: fields, components, entries.

use super::Lowering;
use super::annotations::type_of_item;
use super::codes::declarations::RECURSIVE_DEFINITION;
use super::codes::names::{UNKNOWN_FIELD, UNKNOWN_NAME};
use super::codes::places::{FOREIGN_STATE, NOT_CLOSED};
use super::codes::types::{ARGUMENT_COUNT, NOT_CALLABLE_NAME, NOT_INDEXABLE};
use super::fit::{Wanted, Why};
use super::unit::{Binder, Home};
use crate::ast::{self, AstNode};
use crate::names::Item;
use crate::types::{UNKNOWN, a, is_unknown};
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::{Binding, ConstId, Domain, Expr, ExprKind, FamilyId, GlobalId, Ty, VarId};

impl Lowering<'_> {
    /// A bare name.
    pub(crate) fn name_expr(&mut self, e: &ast::NameExpr, wanted: Wanted) -> Expr {
        let span = e.span();
        let Some(name) = e.name() else {
            return self.wrong(span);
        };
        if let Some(local) = self.unit.scope.find(name.text()) {
            self.unit.read[local.index()] = true;
            let ty = self.unit.locals[local.index()].ty.clone();
            return Expr {
                kind: ExprKind::Local(local),
                ty,
                span,
            };
        }
        if let Some((family, var)) = self.own_var(name.text()) {
            let ty = self.families[family.index()].vars[var.index()].ty.clone();
            return Expr {
                kind: ExprKind::Own(var),
                ty,
                span,
            };
        }
        if let Some(reference) = self.family_ref(&ast::Expr::Name(e.clone())) {
            return self.pid(reference);
        }
        match self.names.item(name.text()) {
            Some(Item::Const(id)) => self.const_ref(id, span),
            Some(Item::Global(id)) => self.global_ref(id, &name),
            Some(Item::Function(_)) => self.function_as_value(&name),
            Some(item) => match type_of_item(item) {
                Some(ty) => self.all(ty, span),
                None => self.wrong(span),
            },
            None => self.bare_variant(&name, None, span, wanted),
        }
    }

    /// The state variable of this name of the process whose code this is.
    pub(crate) fn own_var(&self, name: &str) -> Option<(FamilyId, VarId)> {
        let family = self.unit.home.own_family()?;
        let var = self.names.vars.get(family.index())?.get(name)?;
        Some((family, *var))
    }

    fn const_ref(&mut self, id: ConstId, span: Span) -> Expr {
        let row = &self.consts[id.index()];
        if let Some(ty) = &row.ty {
            return Expr {
                kind: ExprKind::Const(id),
                ty: ty.clone(),
                span,
            };
        }
        let name = &row.name;
        let message = format!("the value of `{name}` depends on itself");
        let diagnostic = Diagnostic::error(&RECURSIVE_DEFINITION, span, message)
            .also(row.span, format!("`{name}` is declared here"))
            .help("a constant is computed from other constants, not from itself");
        self.report(diagnostic);
        self.wrong(span)
    }

    fn global_ref(&mut self, id: GlobalId, name: &ast::Name) -> Expr {
        let span = name.span();
        let text = name.text();
        if !self.unit.home.sees_globals() {
            self.not_closed(span, &format!("the global variable `{text}`"));
            return self.wrong(span);
        }
        self.speaks_of_system(span);
        match self.globals.get(id.index()) {
            Some(global) => Expr {
                kind: ExprKind::Global(id),
                ty: global.ty.clone(),
                span,
            },
            None => {
                let message = format!("`{text}` is declared after this");
                self.report(
                    Diagnostic::error(&UNKNOWN_NAME, span, message)
                        .help("the first value of a global may use globals declared above it"),
                );
                self.wrong(span)
            }
        }
    }

    /// Reports state that code here cannot see.
    pub(crate) fn not_closed(&mut self, span: Span, what: &str) {
        let home = self.unit.home.describe();
        let (code, message) = match self.unit.home {
            Home::Constant | Home::Condition | Home::Bound | Home::Function => (
                &NOT_CLOSED,
                format!("{home} cannot use {what}, which changes"),
            ),
            _ => (&FOREIGN_STATE, format!("{home} cannot see {what}")),
        };
        let help = match self.unit.home {
            Home::Function => "pass the value as an argument",
            Home::Constant | Home::Condition | Home::Bound => {
                "use constants, parameters and functions only"
            }
            Home::Line(_) => "a choreography has its own variables, in its endpoints",
            _ => "processes share nothing; send the value in a message",
        };
        self.report(Diagnostic::error(code, span, message).help(help));
    }

    fn function_as_value(&mut self, name: &ast::Name) -> Expr {
        let text = name.text();
        let message = format!("`{text}` is a function, and functions are not values");
        self.report(
            Diagnostic::error(&NOT_CALLABLE_NAME, name.span(), message)
                .help(format!("call it: `{text}(…)`")),
        );
        self.wrong(name.span())
    }

    /// `e.f`: a field, or a state variable of a named process.
    pub(crate) fn field(&mut self, e: &ast::FieldExpr) -> Expr {
        let span = e.span();
        let (Some(base), Some(name)) = (e.base(), e.name()) else {
            return self.wrong(span);
        };
        if let Some(reference) = self.family_ref(&base) {
            return self.state_of(reference, &name, span);
        }
        let base = self.expr(&base, None);
        self.note_type(base.span, &base.ty);
        match self.field_of(&base.ty, &name, base.span) {
            Some((at, ty)) => Expr {
                kind: ExprKind::Field(Box::new(base), at),
                ty,
                span,
            },
            None => self.wrong(span),
        }
    }

    /// The position and type of a field; reports when there is none.
    pub(crate) fn field_of(&mut self, ty: &Ty, name: &ast::Name, of: Span) -> Option<(usize, Ty)> {
        let ty = self.known_type(ty, of);
        if is_unknown(&ty) {
            return None;
        }
        let Ty::Struct(id) = ty else {
            let shown = self.show(&ty);
            let message = format!("{} is {}, which has no fields", self.quote(of), a(&shown));
            let mut diagnostic = Diagnostic::error(&UNKNOWN_FIELD, name.span(), message);
            if ty == Ty::Process {
                diagnostic =
                    diagnostic.help("a process is asked by message; only properties see its state");
            }
            self.report(diagnostic);
            return None;
        };
        let at = self.names.fields[id.index()].get(name.text()).copied();
        if at.is_none() {
            self.unknown_field(id, name);
        }
        at.map(|at| (at, self.types.structs[id.index()].fields[at].1.clone()))
    }

    /// `t.0`
    pub(crate) fn tuple_field(&mut self, e: &ast::TupleFieldExpr) -> Expr {
        let span = e.span();
        let (Some(base), Some(at)) = (e.base(), e.index()) else {
            return self.wrong(span);
        };
        let base = self.expr(&base, None);
        match self.component_of(&base.ty, at, e.index_span().unwrap_or(span), base.span) {
            Some(ty) => Expr {
                kind: ExprKind::Project(Box::new(base), at),
                ty,
                span,
            },
            None => self.wrong(span),
        }
    }

    /// The type of a component; reports when there is none.
    pub(crate) fn component_of(&mut self, ty: &Ty, at: usize, span: Span, of: Span) -> Option<Ty> {
        match self.known_type(ty, of) {
            ty if is_unknown(&ty) => None,
            Ty::Tuple(tys) if at < tys.len() => Some(tys[at].clone()),
            ty => {
                let subject = self.quote(of);
                let shown = a(&self.show(&ty));
                let message = match ty {
                    Ty::Tuple(tys) => format!(
                        "{subject} has {} components, counted from 0: there is no `.{at}`",
                        tys.len()
                    ),
                    _ => format!("{subject} is {shown}, which has no components"),
                };
                self.report(Diagnostic::error(&UNKNOWN_FIELD, span, message));
                None
            }
        }
    }

    /// `e[i]`: a member of a family, an entry of a map, an element of a sequence.
    pub(crate) fn index(&mut self, e: &ast::IndexExpr) -> Expr {
        let span = e.span();
        if let Some(reference) = self.family_ref(&ast::Expr::Index(e.clone())) {
            return self.pid(reference);
        }
        let Some(base) = e.base() else {
            return self.wrong(span);
        };
        let base = self.expr(&base, None);
        let indices: Vec<ast::Expr> = e.indices().collect();
        if let [ast::Expr::Range(range)] = &indices[..]
            && let Ty::Seq(element) = self.known_type(&base.ty, base.span)
        {
            return self.slice(base, *element, range, span);
        }
        match self.entry_of(&base.ty, &indices, base.span) {
            Some((key, ty)) => Expr {
                kind: ExprKind::Index(Box::new(base), Box::new(key)),
                ty,
                span,
            },
            None => self.wrong(span),
        }
    }

    /// `s[a..b]`: the elements from position `a` to before position `b`, as `[ s[i] for i in a..b ]`.
    fn slice(&mut self, base: Expr, element: Ty, range: &ast::RangeExpr, span: Span) -> Expr {
        let (Some(start), Some(end)) = (range.start(), range.end()) else {
            return self.wrong(span);
        };
        let start = self.check(&start, &Ty::Int, Why::Here);
        let end = self.check(&end, &Ty::Int, Why::Here);
        let local = self
            .unit
            .add("i", Ty::Int, Binder::Quantifier, range.span());
        let of = |kind, ty, span| Expr { kind, ty, span };
        let range = of(
            ExprKind::Range {
                start: Box::new(start),
                end: Box::new(end),
                inclusive: range.is_inclusive(),
            },
            Ty::Set(Box::new(Ty::Int)),
            range.span(),
        );
        let at = of(ExprKind::Local(local), Ty::Int, range.span);
        let one = ExprKind::Index(Box::new(base), Box::new(at));
        let one = of(one, element.clone(), span);
        let binding = Binding {
            names: vec![local],
            domain: Domain::In(range),
            filter: None,
        };
        of(
            ExprKind::Comprehension(Box::new(binding), Box::new(one)),
            Ty::Seq(Box::new(element)),
            span,
        )
    }

    /// The key and the type of an entry of a map or sequence; reports when there is none.
    pub(crate) fn entry_of(
        &mut self,
        ty: &Ty,
        indices: &[ast::Expr],
        of: Span,
    ) -> Option<(Expr, Ty)> {
        let (key, value) = match self.known_type(ty, of) {
            Ty::Map(key, value) => (*key, *value),
            Ty::Seq(value) => (Ty::Int, *value),
            ty => {
                self.not_indexable(&ty, of);
                indices
                    .iter()
                    .for_each(|index| _ = self.check(index, &UNKNOWN, Why::Here));
                return None;
            }
        };
        let [index] = indices else {
            let span = indices.first().map_or(of, AstNode::span);
            let message = format!("{} takes one index", self.quote(of));
            self.report(
                Diagnostic::error(&ARGUMENT_COUNT, span, message)
                    .help("for a map from tuples write `m[(a, b)]`"),
            );
            return None;
        };
        Some((self.check(index, &key, Why::Word("[…]")), value))
    }

    fn not_indexable(&mut self, ty: &Ty, of: Span) {
        if is_unknown(ty) {
            return;
        }
        let shown = a(&self.show(ty));
        let message = format!("{} is {shown}, which cannot be indexed", self.quote(of));
        let help = match ty {
            Ty::Set(_) | Ty::Bag(_) => {
                "sets and bags have no positions; use `min()`, a quantifier, or a `seq`"
            }
            _ => "maps and sequences can be indexed, and families of processes",
        };
        self.report(Diagnostic::error(&NOT_INDEXABLE, of, message).help(help));
    }
}

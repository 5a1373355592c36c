//! Calls of functions, variants of enums, and the arguments of both.

use super::Lowering;
use super::codes::names::AMBIGUOUS_NAME;
use super::codes::places::MISPLACED_EXPRESSION;
use super::codes::types::{ARGUMENT_COUNT, NOT_CALLABLE_NAME};
use super::fit::{Wanted, Why};
use super::unit::Home;
use crate::ast::{self, AstNode};
use crate::names::Item;
use crate::types::UNKNOWN;
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::{EnumId, Expr, ExprKind, FnId, Ty};

impl Lowering<'_> {
    /// `f(a, b)`: a function, or a variant by its bare name. Variables cannot be called, so none hides it.
    pub(crate) fn call(&mut self, e: &ast::CallExpr, wanted: Wanted) -> Expr {
        let span = e.span();
        let arguments = e.arguments();
        let Some(name) = e.name() else {
            return self.wrong(span);
        };
        let hidden =
            self.unit.scope.find(name.text()).is_some() || self.own_var(name.text()).is_some();
        match self.names.item(name.text()) {
            Some(Item::Function(id)) => self.call_function(id, arguments.as_ref(), span),
            None if name.text() == "crashed" && !hidden => self.crashed(&arguments, span),
            None if !self.names.enums_with(name.text()).is_empty() => {
                self.bare_variant(&name, arguments.as_ref(), span, wanted)
            }
            other => {
                self.not_callable(&name, other.filter(|_| !hidden));
                self.ignore_arguments(arguments.as_ref());
                self.wrong(span)
            }
        }
    }

    /// `crashed(p)`: has this process crashed, and not restarted?
    fn crashed(&mut self, arguments: &Option<ast::ArgList>, span: Span) -> Expr {
        let mut all = arguments.iter().flat_map(ast::ArgList::arguments);
        let (Some(process), None) = (all.next(), all.next()) else {
            let message = "`crashed` is about one process";
            let help = "write `crashed(p)` or `crashed(node[i])`";
            self.report(Diagnostic::error(&ARGUMENT_COUNT, span, message).help(help));
            self.ignore_arguments(arguments.as_ref());
            return self.wrong(span);
        };
        if self.unit.home != Home::Property {
            let message = format!("`crashed` means nothing in {}", self.unit.home.describe());
            let help = "no process knows that another one has crashed; only properties do";
            self.report(Diagnostic::error(&MISPLACED_EXPRESSION, span, message).help(help));
        }
        self.speaks_of_system(span);
        let process = self.check(&process, &Ty::Process, Why::Here);
        Expr {
            kind: ExprKind::Crashed(Box::new(process)),
            ty: Ty::Bool,
            span,
        }
    }

    fn call_function(&mut self, id: FnId, arguments: Option<&ast::ArgList>, span: Span) -> Expr {
        let signature = &self.functions[id.index()];
        let ty = signature.result.clone();
        let params: Vec<Ty> = signature
            .params
            .iter()
            .map(|param| param.ty.clone())
            .collect();
        let declared = (signature.name.clone(), Some(signature.span));
        match self.arguments(arguments, &params, span, &declared, |_| Why::Argument(id)) {
            Some(arguments) => Expr {
                kind: ExprKind::Call(id, arguments),
                ty,
                span,
            },
            None => Expr {
                ty,
                ..self.wrong(span)
            },
        }
    }

    /// Arguments for parameters of the given types; reports a wrong number.
    pub(crate) fn arguments(
        &mut self,
        list: Option<&ast::ArgList>,
        params: &[Ty],
        span: Span,
        declared: &(String, Option<Span>),
        why: impl Fn(usize) -> Why,
    ) -> Option<Vec<Expr>> {
        let given: Vec<ast::Expr> = list.into_iter().flat_map(ast::ArgList::arguments).collect();
        if given.len() != params.len() {
            let span = list.map_or(span, AstNode::span);
            self.wrong_count(declared, params.len(), given.len(), span);
            self.ignore_arguments(list);
            return None;
        }
        let mut values = Vec::new();
        for (at, argument) in given.iter().enumerate() {
            values.push(self.check(argument, &params[at], why(at)));
        }
        Some(values)
    }

    /// Reports a wrong number of arguments.
    pub(crate) fn wrong_count(
        &mut self,
        declared: &(String, Option<Span>),
        wanted: usize,
        given: usize,
        span: Span,
    ) {
        let (name, at) = declared;
        let takes = match wanted {
            0 => "no arguments".to_owned(),
            1 => "1 argument".to_owned(),
            count => format!("{count} arguments"),
        };
        let given = match given {
            0 => "none is".to_owned(),
            1 => "1 is".to_owned(),
            count => format!("{count} are"),
        };
        let message = format!("`{name}` takes {takes}, but {given} given here");
        let mut diagnostic = Diagnostic::error(&ARGUMENT_COUNT, span, message);
        if let Some(at) = at {
            diagnostic = diagnostic.also(*at, format!("`{name}` is declared here"));
        }
        self.report(diagnostic);
    }

    /// Checks arguments whose wanted types are not known.
    pub(crate) fn ignore_arguments(&mut self, list: Option<&ast::ArgList>) {
        for argument in list.into_iter().flat_map(ast::ArgList::arguments) {
            self.check(&argument, &UNKNOWN, Why::Here);
        }
    }

    fn not_callable(&mut self, name: &ast::Name, item: Option<Item>) {
        let text = name.text();
        let what = match item {
            Some(item) => item.describe(),
            None if self.unit.scope.find(text).is_some() => "a local name",
            None if self.own_var(text).is_some() => "a state variable",
            None => return self.unknown_function(name),
        };
        let message = format!("`{text}` is {what}, not a function");
        let mut diagnostic = Diagnostic::error(&NOT_CALLABLE_NAME, name.span(), message);
        diagnostic.help = match item {
            Some(Item::Family(_)) => Some(format!("a member of a family is named `{text}[…]`")),
            Some(Item::Struct(_)) => {
                Some(format!("a struct is written `{text} {{ field: value }}`"))
            }
            _ => None,
        };
        self.report(diagnostic);
    }

    /// A variant without its enum: the wanted enum's, or that of the only enum that has it.
    pub(crate) fn bare_variant(
        &mut self,
        name: &ast::Name,
        arguments: Option<&ast::ArgList>,
        span: Span,
        wanted: Wanted,
    ) -> Expr {
        if let Some(Ty::Enum(id)) = self.wanted_type(wanted)
            && let Some(at) = self.names.variant(id, name.text())
        {
            return self.variant(id, at, arguments, span);
        }
        match self.names.enums_with(name.text()) {
            [] => {
                self.unknown_name(name);
                self.ignore_arguments(arguments);
                self.wrong(span)
            }
            &[(id, at)] => self.variant(id, at, arguments, span),
            rows => {
                let ids: Vec<EnumId> = rows.iter().map(|&(id, _)| id).collect();
                self.ambiguous_variant(name, &ids);
                self.ignore_arguments(arguments);
                self.wrong(span)
            }
        }
    }

    fn ambiguous_variant(&mut self, name: &ast::Name, enums: &[EnumId]) {
        let text = name.text();
        let forms: Vec<String> = enums
            .iter()
            .map(|id| format!("`{}::{text}`", self.types.enums[id.index()].name))
            .collect();
        let message = format!("several enums have a variant `{text}`");
        let mut diagnostic = Diagnostic::error(&AMBIGUOUS_NAME, name.span(), message)
            .help(format!("say which: {}", forms.join(" or ")));
        for id in enums {
            let decl = &self.types.enums[id.index()];
            diagnostic = diagnostic.also(decl.span, format!("`{}` has one", decl.name));
        }
        self.report(diagnostic);
    }

    /// `Enum::Variant` with or without arguments.
    pub(crate) fn path(&mut self, e: &ast::PathExpr) -> Expr {
        let span = e.span();
        let arguments = e.arguments();
        let (Some(of), Some(name)) = (e.enum_name(), e.variant()) else {
            return self.wrong(span);
        };
        match self.variant_of(&of, &name) {
            Some((id, at)) => self.variant(id, at, arguments.as_ref(), span),
            None => {
                self.ignore_arguments(arguments.as_ref());
                self.wrong(span)
            }
        }
    }

    /// The variant that a path names; reports when there is none.
    pub(crate) fn variant_of(
        &mut self,
        of: &ast::Name,
        name: &ast::Name,
    ) -> Option<(EnumId, usize)> {
        let Some(Item::Enum(id)) = self.names.item(of.text()) else {
            self.unknown_enum(of);
            return None;
        };
        let at = self.names.variant(id, name.text());
        if at.is_none() {
            self.unknown_variant(id, name);
        }
        at.map(|at| (id, at))
    }

    fn variant(
        &mut self,
        id: EnumId,
        at: usize,
        arguments: Option<&ast::ArgList>,
        span: Span,
    ) -> Expr {
        let decl = &self.types.enums[id.index()];
        let variant = &decl.variants[at];
        let params = variant.fields.clone();
        let declared = (variant.name.clone(), Some(decl.span));
        let ty = Ty::Enum(id);
        match self.arguments(arguments, &params, span, &declared, |_| {
            Why::Variant(id, at)
        }) {
            Some(arguments) => Expr {
                kind: ExprKind::Variant(id, at, arguments),
                ty,
                span,
            },
            None => Expr {
                ty,
                ..self.wrong(span)
            },
        }
    }
}

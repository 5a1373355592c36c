//! Makes a value fit the type that its place wants, or says why it does not.

use super::Lowering;
use super::codes::types::TYPE_MISMATCH;
use crate::types::{UNKNOWN, a, convert};
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::{
    ActionId, ConstId, EnumId, Expr, ExprKind, FamilyId, FnId, GlobalId, InvariantId, LocalId,
    MessageId, ProcedureId, StructId, Ty, VarId,
};

/// Who wants a value to have a certain type.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Why {
    /// A keyword, operator or method.
    Word(&'static str),
    /// The place, for reasons further out.
    Here,
    /// A part of a message, by position.
    Message(MessageId, usize),
    /// An argument of an action.
    Action(ActionId),
    /// An argument of a procedure.
    Procedure(ProcedureId),
    /// An argument of an invariant.
    Invariant(InvariantId),
    /// An argument of a function.
    Argument(FnId),
    /// The result of a function.
    Result(FnId),
    /// A part of a variant.
    Variant(EnumId, usize),
    /// A field of a struct.
    Field(StructId, usize),
    /// A local variable.
    Local(LocalId),
    /// A state variable.
    Var(FamilyId, VarId),
    /// A global variable.
    Global(GlobalId),
    Const(ConstId),
    /// A declared name that is not in its table yet.
    Declared(Span),
    /// A part of a variable, as written.
    Place(Span),
    /// A collection that it should be an element of.
    Element(Span),
    /// An index of a family.
    Index(FamilyId),
    /// What came first: a branch, an element, the other side.
    First(&'static str, Span),
}

/// The type that a place wants, and who says so.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Want<'t> {
    pub(crate) ty: &'t Ty,
    pub(crate) why: Why,
}

/// What a place wants, if it wants anything in particular.
pub(crate) type Wanted<'t> = Option<Want<'t>>;

impl<'t> Want<'t> {
    /// A type wanted by the place itself.
    pub(crate) fn here(ty: &'t Ty) -> Self {
        Want { ty, why: Why::Here }
    }
}

impl Lowering<'_> {
    /// The type that is wanted, as far as it is known.
    pub(crate) fn wanted_type(&self, wanted: Wanted) -> Option<Ty> {
        wanted.map(|wanted| self.shallow(wanted.ty))
    }

    /// `value` as one of type `wanted`; reports when it cannot be.
    pub(crate) fn fit(&mut self, mut value: Expr, wanted: &Ty, why: Why) -> Expr {
        let from = self.shallow(&value.ty);
        let to = self.shallow(wanted);
        if from == to {
            return value;
        }
        if self.converts(&from, &to) {
            value.ty = from;
            return convert(value, &to);
        }
        if !self.unit.holes.unify(&from, &to) {
            self.mismatch(&value.ty, value.span, wanted, why);
            self.unit.holes.drown(&value.ty);
            value.ty = UNKNOWN;
        }
        value
    }

    /// Are both numbers, so that one can be converted to the other?
    pub(crate) fn converts(&self, from: &Ty, to: &Ty) -> bool {
        self.types.number(from).is_some() && self.types.number(to).is_some()
    }

    /// Reports a value of type `ty` where `wanted` is wanted.
    pub(crate) fn mismatch(&mut self, ty: &Ty, span: Span, wanted: &Ty, why: Why) {
        let from = self.show(ty);
        let to = self.show(wanted);
        let subject = self.quote(span);
        let (clause, also) = self.clause(why, &to);
        let message = format!("{subject} is {}, but {clause}", a(&from));
        let mut diagnostic =
            Diagnostic::error(&TYPE_MISMATCH, span, message).label(format!("this is {}", a(&from)));
        if let Some((place, text)) = also {
            diagnostic = diagnostic.also(place, text);
        }
        let diagnostic = self.mismatch_help(diagnostic, ty, span, wanted);
        self.report(diagnostic);
    }

    /// "`Vote` wants an int here", and the declaration that says so.
    fn clause(&self, why: Why, to: &str) -> (String, Option<(Span, String)>) {
        let wants = |name: &str| format!("`{name}` wants {} here", a(to));
        let declares = |name: &str| format!("`{name}` is declared here");
        let named = |name: &str, span| (wants(name), Some((span, declares(name))));
        match why {
            Why::Word(word) => (wants(word), None),
            Why::Here => (format!("{} is wanted here", a(to)), None),
            Why::Message(id, at) => {
                let message = &self.messages[id.index()];
                let field = message.fields.get(at).map_or("", |field| &field.name);
                (
                    wants(&message.name),
                    Some((message.span, format!("`{field}: {to}` is declared here"))),
                )
            }
            Why::Action(id) => {
                let action = &self.actions[id.index()];
                named(&action.name, action.span)
            }
            Why::Procedure(id) => {
                let procedure = &self.procedures[id.index()];
                named(&procedure.name, procedure.span)
            }
            Why::Invariant(id) => {
                let invariant = &self.invariants[id.index()];
                named(&invariant.name, invariant.span)
            }
            Why::Argument(id) => {
                let function = &self.functions[id.index()];
                named(&function.name, function.span)
            }
            Why::Result(id) => {
                let function = &self.functions[id.index()];
                let clause = format!("`{}` returns {}", function.name, a(to));
                (clause, Some((function.span, declares(&function.name))))
            }
            Why::Variant(id, at) => {
                let decl = &self.types.enums[id.index()];
                (
                    wants(&decl.variants[at].name),
                    Some((decl.span, declares(&decl.name))),
                )
            }
            Why::Field(id, at) => {
                let decl = &self.types.structs[id.index()];
                let clause = format!("the field `{}` is {}", decl.fields[at].0, a(to));
                (clause, Some((decl.span, declares(&decl.name))))
            }
            Why::Local(id) => {
                let local = &self.unit.locals[id.index()];
                (
                    format!("`{}` is {}", local.name, a(to)),
                    Some((local.span, declares(&local.name))),
                )
            }
            Why::Var(family, id) => {
                let var = &self.families[family.index()].vars[id.index()];
                (
                    format!("`{}` is {}", var.name, a(to)),
                    Some((var.span, declares(&var.name))),
                )
            }
            Why::Global(id) => {
                let global = &self.globals[id.index()];
                (
                    format!("`{}` is {}", global.name, a(to)),
                    Some((global.span, declares(&global.name))),
                )
            }
            Why::Const(id) => {
                let decl = &self.consts[id.index()];
                (
                    format!("`{}` is declared as {}", decl.name, a(to)),
                    Some((decl.span, declares(&decl.name))),
                )
            }
            Why::Declared(span) => (
                format!("`{}` is declared as {}", span.slice(self.text), a(to)),
                None,
            ),
            Why::Element(span) => (
                format!("the elements of {} are of type {to}", self.quote(span)),
                None,
            ),
            Why::Place(span) => (format!("{} is {}", self.quote(span), a(to)), None),
            Why::Index(id) => {
                let family = &self.families[id.index()];
                (
                    format!("the index of `{}` is {}", family.name, a(to)),
                    Some((family.span, declares(&family.name))),
                )
            }
            Why::First(what, span) => (
                format!("{what} is {}", a(to)),
                Some((span, format!("this is {}", a(to)))),
            ),
        }
    }

    fn mismatch_help(
        &self,
        diagnostic: Diagnostic,
        ty: &Ty,
        span: Span,
        wanted: &Ty,
    ) -> Diagnostic {
        let from = self.resolved(ty);
        let to = self.resolved(wanted);
        let text = span.slice(self.text);
        match (&from, &to) {
            (_, Ty::Option(inner)) if **inner == from => {
                diagnostic.help(format!("wrap it: `some({text})`")).fix(
                    "wrap the value in `some(…)`",
                    vec![
                        (Span::new(span.start, span.start), "some(".to_owned()),
                        (Span::new(span.end, span.end), ")".to_owned()),
                    ],
                )
            }
            (Ty::Option(inner), _) if **inner == to => diagnostic.help(
                "take the value out of the option: with `match`, `unwrap()` or `unwrap_or(…)`",
            ),
            (_, Ty::Process) => match self.family_indexed_by(&from) {
                Some(name) => diagnostic.help(format!("to name a process, write `{name}[{text}]`")),
                None => diagnostic,
            },
            _ if self.differ_inside_only(&from, &to) => diagnostic.help(
                "numbers are converted one by one, not inside collections: build the collection \
                 with the wanted type, for example `let s: set<int> = {…};`",
            ),
            _ => diagnostic,
        }
    }

    /// The only process family with one index of this type.
    fn family_indexed_by(&self, ty: &Ty) -> Option<&str> {
        let mut found = self.families[..self.process_count]
            .iter()
            .filter(|family| family.index.len() == 1 && family.index[0].ty == *ty);
        let first = found.next()?;
        found.next().is_none().then_some(first.name.as_str())
    }

    /// Do the types have the same shape, with different numbers in it?
    fn differ_inside_only(&self, from: &Ty, to: &Ty) -> bool {
        let is_number = |ty: &Ty| self.types.number(ty).is_some();
        match (from, to) {
            (Ty::Option(x), Ty::Option(y))
            | (Ty::Set(x), Ty::Set(y))
            | (Ty::Bag(x), Ty::Bag(y))
            | (Ty::Seq(x), Ty::Seq(y)) => {
                is_number(x) && is_number(y) || self.differ_inside_only(x, y)
            }
            _ => false,
        }
    }

    /// An expression of unknown type, where a mistake was reported.
    pub(crate) fn wrong(&self, span: Span) -> Expr {
        Expr {
            kind: ExprKind::Bool(false),
            ty: UNKNOWN,
            span,
        }
    }
}

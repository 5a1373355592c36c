//! Built-in methods.

use super::Lowering;
use super::codes::names::UNKNOWN_METHOD;
use super::codes::types::BAD_OPERAND;
use super::fit::{Wanted, Why};
use crate::ast::{self, AstNode};
use crate::types::{a, is_unknown};
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::{Builtin, Expr, ExprKind, Ty};

/// A method as it applies to one type of receiver.
struct Method {
    builtin: Builtin,
    /// The types of the arguments.
    arguments: Vec<Ty>,
    result: Ty,
}

/// The methods of each kind of receiver.
const SET: &[&str] = &[
    "len", "is_empty", "contains", "with", "without", "min", "max", "subset",
];
const BAG: &[&str] = &[
    "len", "is_empty", "contains", "with", "without", "min", "max", "count", "to_set",
];
const SEQ: &[&str] = &[
    "len",
    "is_empty",
    "contains",
    "min",
    "max",
    "first",
    "last",
    "push",
    "drop_first",
    "drop_last",
    "update",
    "to_set",
    "to_bag",
];
const MAP: &[&str] = &["update"];
const OPTION: &[&str] = &["is_some", "is_none", "unwrap", "unwrap_or"];

impl Lowering<'_> {
    /// `e.m(a, b)`
    pub(crate) fn method(&mut self, e: &ast::MethodExpr, wanted: Wanted) -> Expr {
        let span = e.span();
        let arguments = e.arguments();
        let (Some(receiver), Some(name)) = (e.receiver(), e.name()) else {
            return self.wrong(span);
        };
        let guide = wanted.filter(|_| keeps_type(name.text()));
        let receiver = self.expr(&receiver, guide);
        let ty = self.known_type(&receiver.ty, receiver.span);
        self.note_type(receiver.span, &ty);
        let Some(method) = method_of(&ty, name.text()) else {
            self.no_such_method(&ty, &name, receiver.span);
            self.ignore_arguments(arguments.as_ref());
            return self.wrong(span);
        };
        if matches!(method.builtin, Builtin::Min | Builtin::Max) {
            self.want_ordered(&method.result, name.span(), name.text());
        }
        let declared = (name.text().to_owned(), None);
        let word = method.builtin.name();
        let values = self.arguments(
            arguments.as_ref(),
            &method.arguments,
            span,
            &declared,
            |_| Why::Word(word),
        );
        let Some(values) = values else {
            return Expr {
                ty: method.result,
                ..self.wrong(span)
            };
        };
        let all = std::iter::once(receiver).chain(values).collect();
        Expr {
            kind: ExprKind::Method(method.builtin, all),
            ty: method.result,
            span,
        }
    }

    /// Reports a type whose values have no order.
    pub(crate) fn want_ordered(&mut self, ty: &Ty, span: Span, who: &str) {
        let ty = self.known_type(ty, span);
        if !is_unknown(&ty) && !self.types.is_ordered(&ty) {
            let shown = self.show(&ty);
            let message = format!(
                "`{who}` wants numbers or members of an ordered sort, not {}",
                a(&shown)
            );
            let mut diagnostic = Diagnostic::error(&BAD_OPERAND, span, message);
            if let Ty::Sort(id) = ty {
                let sort = &self.types.sorts[id.index()];
                diagnostic = diagnostic
                    .also(sort.span, format!("`{shown}` has no order"))
                    .help(format!(
                        "declare `sort {shown} ordered;` if the order is part of the problem"
                    ));
            }
            self.report(diagnostic);
        }
    }

    fn no_such_method(&mut self, ty: &Ty, name: &ast::Name, of: Span) {
        if is_unknown(ty) {
            return;
        }
        let text = name.text();
        let known = methods_of(ty);
        let subject = self.quote(of);
        let shown = a(&self.show(ty));
        let message = if known.is_empty() {
            format!("{subject} is {shown}, which has no methods")
        } else {
            format!("{subject} is {shown}, which has no method `{text}`")
        };
        let diagnostic = Diagnostic::error(&UNKNOWN_METHOD, name.span(), message);
        let alias = aliases(text).iter().find(|alias| known.contains(*alias));
        let diagnostic = match alias {
            Some(alias) => diagnostic.help(format!("did you mean `{alias}`?")).fix(
                format!("write `{alias}`"),
                vec![(name.span(), (*alias).to_owned())],
            ),
            None => {
                let mut diagnostic = self.suggest(diagnostic, name, known.iter().copied());
                if !known.is_empty() {
                    let list: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
                    diagnostic
                        .help
                        .get_or_insert_with(|| format!("it has {}", list.join(", ")));
                }
                diagnostic
            }
        };
        self.report(diagnostic);
    }
}

/// Does the method give a value of the receiver's type?
fn keeps_type(name: &str) -> bool {
    matches!(
        name,
        "with" | "without" | "push" | "drop_first" | "drop_last" | "update"
    )
}

/// The names of the methods of values of the type.
pub(crate) fn methods_of(ty: &Ty) -> &'static [&'static str] {
    match ty {
        Ty::Set(_) => SET,
        Ty::Bag(_) => BAG,
        Ty::Seq(_) => SEQ,
        Ty::Map(..) => MAP,
        Ty::Option(_) => OPTION,
        _ => &[],
    }
}

fn method_of(receiver: &Ty, name: &str) -> Option<Method> {
    if !methods_of(receiver).contains(&name) {
        return None;
    }
    let same = || receiver.clone();
    let new = |builtin, arguments, result| {
        Some(Method {
            builtin,
            arguments,
            result,
        })
    };
    if let Ty::Map(key, value) = receiver {
        return new(
            Builtin::Update,
            vec![(**key).clone(), (**value).clone()],
            same(),
        );
    }
    let element = match receiver {
        Ty::Option(inner) => (**inner).clone(),
        _ => receiver.element()?.clone(),
    };
    match name {
        "len" => new(Builtin::Len, vec![], Ty::Nat),
        "is_empty" => new(Builtin::IsEmpty, vec![], Ty::Bool),
        "contains" => new(Builtin::Contains, vec![element], Ty::Bool),
        "with" => new(Builtin::With, vec![element], same()),
        "without" => new(Builtin::Without, vec![element], same()),
        "min" => new(Builtin::Min, vec![], element),
        "max" => new(Builtin::Max, vec![], element),
        "subset" => new(Builtin::Subset, vec![same()], Ty::Bool),
        "count" => new(Builtin::Count, vec![element], Ty::Nat),
        "to_set" => new(Builtin::ToSet, vec![], Ty::Set(Box::new(element))),
        "to_bag" => new(Builtin::ToBag, vec![], Ty::Bag(Box::new(element))),
        "first" => new(Builtin::First, vec![], element),
        "last" => new(Builtin::Last, vec![], element),
        "push" => new(Builtin::Push, vec![element], same()),
        "drop_first" => new(Builtin::DropFirst, vec![], same()),
        "drop_last" => new(Builtin::DropLast, vec![], same()),
        "update" => new(Builtin::Update, vec![Ty::Int, element], same()),
        "is_some" => new(Builtin::IsSome, vec![], Ty::Bool),
        "is_none" => new(Builtin::IsNone, vec![], Ty::Bool),
        "unwrap" => new(Builtin::Unwrap, vec![], element),
        "unwrap_or" => new(Builtin::UnwrapOr, vec![element.clone()], element),
        _ => None,
    }
}

/// What a method of another language, or of another type, may be called here.
fn aliases(name: &str) -> &'static [&'static str] {
    match name {
        "size" | "length" | "card" | "cardinality" | "count" => &["len"],
        "insert" | "add" | "append" | "push" | "push_back" | "add_last" | "with" => {
            &["with", "push"]
        }
        "union" => &["with"],
        "remove" | "delete" | "erase" => &["without"],
        "head" | "front" => &["first"],
        "back" => &["last"],
        "tail" | "pop_front" | "pop_first" => &["drop_first"],
        "pop" | "pop_back" | "pop_last" => &["drop_last"],
        "set" | "store" | "put" | "replace" => &["update"],
        "isEmpty" | "empty" => &["is_empty"],
        "has" | "includes" | "member" => &["contains"],
        "is_subset" | "subset_of" => &["subset"],
        "get" | "value" | "expect" => &["unwrap"],
        "get_or" | "or" | "unwrap_or_default" => &["unwrap_or"],
        _ => &[],
    }
}

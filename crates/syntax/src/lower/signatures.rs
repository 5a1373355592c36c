//! What the rest of a file needs to know about an item: its name, parameters and types.

use super::Lowering;
use super::codes::declarations::{BAD_BOUND, RESERVED_NAME, UNKNOWN_DELIVERY};
use super::codes::types::NOT_FINITE;
use crate::ast::{self, AstNode};
use crate::names::declare::{ConstOrParam, Declarations, declared_twice};
use crate::types::UNKNOWN;
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::{Binder, Delivery, Family, Measures, Message, Ty};
use std::collections::HashMap;

/// A constant or parameter.
pub(crate) struct ConstSignature {
    pub(crate) name: String,
    pub(crate) span: Span,
    /// Known from the start when it is written, otherwise once the value has been checked.
    pub(crate) ty: Option<Ty>,
    pub(crate) is_param: bool,
}

/// A function.
pub(crate) struct FnSignature {
    pub(crate) name: String,
    pub(crate) span: Span,
    pub(crate) params: Vec<Binder>,
    pub(crate) result: Ty,
}

pub(crate) struct ActionSignature {
    pub(crate) name: String,
    pub(crate) span: Span,
    pub(crate) params: Vec<Binder>,
    /// Which parameters are `linear`, by position.
    pub(crate) linear: Vec<usize>,
    /// Which of them are taken for good.
    pub(crate) taken: Vec<usize>,
    /// Which parameters are permissions that the caller gets.
    pub(crate) given: Vec<usize>,
    /// Is the result `linear`?
    pub(crate) gives: bool,
    /// Its name and type.
    pub(crate) result: Option<(Binder, Span)>,
}

impl Lowering<'_> {
    /// Fills the tables of everything but types.
    pub(crate) fn declare_signatures(&mut self, items: &Declarations) {
        for item in &items.consts {
            let signature = self.const_signature(item);
            self.consts.push(signature);
        }
        for item in &items.functions {
            let signature = self.fn_signature(item);
            self.functions.push(signature);
        }
        for item in &items.messages {
            let message = self.message(item);
            self.messages.push(message);
        }
        for item in &items.actions {
            let (binders, result) = (item.binders(), item.result());
            let signature = self.signature(item.name(), binders.as_ref(), result.as_ref());
            if item.is_repeated() {
                self.want_listed(&signature.params, binders.as_ref());
            }
            self.actions.push(signature);
        }
        for item in &items.procedures {
            let (binders, result) = (item.binders(), item.result());
            let signature = self.signature(item.name(), binders.as_ref(), result.as_ref());
            self.procedures.push(signature);
        }
        for item in &items.invariants {
            let signature = self.signature(item.name(), item.binders().as_ref(), None);
            self.invariants.push(signature);
        }
        for item in &items.lemmas {
            let signature = self.signature(item.name(), item.binders().as_ref(), None);
            self.lemmas.push(signature);
        }
        for item in &items.lines {
            let signature = self.signature(item.name(), item.binders().as_ref(), None);
            self.line_signatures.push(signature);
        }
        self.line_count = items.lines.len();
        self.declare_families(items);
    }

    /// An action that is always on offer is there for every value of its parameters.
    fn want_listed(&mut self, params: &[Binder], written: Option<&ast::BinderList>) {
        let written = written.into_iter().flat_map(ast::BinderList::binders);
        for (param, binder) in params.iter().zip(written) {
            let span = binder.ty().map_or(binder.span(), |ty| ty.span());
            self.want_finite(&param.ty, span, "the parameter of a `repeat action`");
        }
    }

    fn signature(
        &mut self,
        name: Option<ast::Name>,
        binders: Option<&ast::BinderList>,
        result: Option<&ast::ResultDecl>,
    ) -> ActionSignature {
        let (name, span) = name_and_span(name);
        let params = self.binders(binders);
        let positions = |of: fn(&ast::Binder) -> bool| -> Vec<usize> {
            let written = binders.into_iter().flat_map(ast::BinderList::binders);
            let found = written.enumerate().filter(|(_, binder)| of(binder));
            found.map(|(at, _)| at).collect()
        };
        let (linear, taken, given) = (
            positions(ast::Binder::is_linear),
            positions(ast::Binder::is_taken),
            positions(ast::Binder::is_given),
        );
        let result = result.and_then(ast::ResultDecl::binder);
        let gives = result.as_ref().is_some_and(ast::Binder::is_linear);
        let result = result.and_then(|binder| {
            let name = binder.name()?;
            let ty = binder.ty().map_or(UNKNOWN, |ty| self.ty(&ty));
            let row = Binder {
                name: name.text().to_owned(),
                ty,
            };
            Some((row, name.span()))
        });
        ActionSignature {
            name,
            span,
            params,
            linear,
            taken,
            given,
            gives,
            result,
        }
    }

    fn const_signature(&mut self, item: &ConstOrParam) -> ConstSignature {
        match item {
            ConstOrParam::Const(item) => {
                let (name, span) = name_and_span(item.name());
                let ty = item.ty().map(|ty| self.ty(&ty));
                ConstSignature {
                    name,
                    span,
                    ty,
                    is_param: false,
                }
            }
            ConstOrParam::Param(item) => {
                let (name, span) = name_and_span(item.name());
                let ty = self.parameter_type(item.ty().as_ref());
                ConstSignature {
                    name,
                    span,
                    ty: Some(ty),
                    is_param: true,
                }
            }
        }
    }

    fn fn_signature(&mut self, item: &ast::FnItem) -> FnSignature {
        let (name, span) = name_and_span(item.name());
        if name == "pending" {
            let message = "a function cannot be called `pending`, which counts what is in flight";
            self.report(
                Diagnostic::error(&RESERVED_NAME, span, message).help("choose another name"),
            );
        }
        let params = self.binders(item.binders().as_ref());
        let result = item.result().map_or(UNKNOWN, |ty| self.ty(&ty));
        FnSignature {
            name,
            span,
            params,
            result,
        }
    }

    fn message(&mut self, item: &ast::MessageItem) -> Message {
        let (name, span) = name_and_span(item.name());
        let fields = self.binders(item.binders().as_ref());
        let delivery = item.via().and_then(|via| self.delivery(&via));
        let most = item.most().and_then(|most| self.most_in_flight(most, span));
        Message {
            most,
            name,
            fields,
            delivery,
            measures: Measures::default(),
            order: Default::default(),
            span,
        }
    }

    /// `<= 3`: how many may be in flight in one channel.
    fn most_in_flight(&mut self, most: Option<i64>, span: Span) -> Option<u32> {
        match most.and_then(|most| u32::try_from(most).ok()) {
            Some(most) if most >= 1 => Some(most),
            _ => {
                let message = "a channel is searched with at least one message in it";
                let help = "write `<= n` with `n` from 1 on, or leave it out";
                self.report(Diagnostic::error(&BAD_BOUND, span, message).help(help));
                None
            }
        }
    }

    fn delivery(&mut self, via: &ast::Name) -> Option<Delivery> {
        let found = Delivery::ALL
            .into_iter()
            .find(|model| model.name() == via.text());
        if found.is_none() {
            let known = Delivery::ALL.map(Delivery::name);
            let message = format!("there is no delivery model `{}`", via.text());
            let diagnostic = Diagnostic::error(&UNKNOWN_DELIVERY, via.span(), message);
            let mut diagnostic = self.suggest(diagnostic, via, known);
            diagnostic.help.get_or_insert_with(|| {
                "it is one of `unordered`, `fifo`, `causal` and `mailbox`".to_owned()
            });
            self.report(diagnostic);
        }
        found
    }

    fn declare_families(&mut self, items: &Declarations) {
        for item in &items.processes {
            self.family(item.name(), item.indices().as_ref());
        }
        self.process_count = self.families.len();
        for line in &items.lines {
            for endpoint in line
                .body()
                .iter()
                .flat_map(ast::ChoreographyBody::endpoints)
            {
                self.family(endpoint.name(), endpoint.indices().as_ref());
            }
        }
    }

    fn family(&mut self, name: Option<ast::Name>, indices: Option<&ast::BinderList>) {
        let (name, span) = name_and_span(name);
        let index = self.binders(indices);
        for (binder, written) in index
            .iter()
            .zip(indices.iter().flat_map(|list| list.binders()))
        {
            let span = written.ty().map_or(written.span(), |ty| ty.span());
            self.want_finite(&binder.ty, span, "the index of a process");
            self.want_no_process(&binder.ty, span);
        }
        self.families.push(Family {
            name,
            index,
            vars: Vec::new(),
            span,
        });
        self.names.vars.push(HashMap::new());
    }

    /// The names and types of a list of parameters.
    pub(crate) fn binders(&mut self, list: Option<&ast::BinderList>) -> Vec<Binder> {
        let mut seen: HashMap<String, Span> = HashMap::new();
        let mut binders = Vec::new();
        for binder in list.into_iter().flat_map(ast::BinderList::binders) {
            let Some(name) = binder.name() else { continue };
            if let Some(&earlier) = seen.get(name.text()) {
                self.report(declared_twice(&name, "in this list", earlier));
            }
            seen.insert(name.text().to_owned(), name.span());
            let ty = binder.ty().map_or(UNKNOWN, |ty| self.ty(&ty));
            binders.push(Binder {
                name: name.text().to_owned(),
                ty,
            });
        }
        binders
    }

    /// Any type: every value is tried, or a window of them.
    pub(crate) fn parameter_type(&mut self, written: Option<&ast::Type>) -> Ty {
        written.map_or(UNKNOWN, |written| self.ty(written))
    }

    /// Reports a type whose values cannot be listed.
    pub(crate) fn want_finite(&mut self, ty: &Ty, span: Span, who: &str) -> bool {
        let finite = self.types.is_finite(&self.resolved(ty));
        if !finite {
            self.not_finite(ty, span, who);
        }
        finite
    }

    /// Reports an index that is or contains a process: which processes there are would depend on
    /// which processes there are.
    fn want_no_process(&mut self, ty: &Ty, span: Span) {
        if self.types.contains_process(ty) {
            let message = "a process cannot be an index of processes";
            self.report(
                Diagnostic::error(&NOT_FINITE, span, message)
                    .help("use a sort: `sort Id; process p[i: Id] { … }`"),
            );
        }
    }

    fn not_finite(&mut self, ty: &Ty, span: Span, who: &str) {
        let shown = self.show(ty);
        let message =
            format!("{who} wants a finite type, but the values of `{shown}` cannot be listed");
        let help = match self.shallow(ty) {
            Ty::Int | Ty::Nat => {
                "use a range of integers: a sort such as `sort Round = 0..10;`, or `in 0..10`"
            }
            _ => {
                "finite are `bool`, sorts, and enums, structs, tuples, options, sets and maps of \
                 finite types"
            }
        };
        self.report(Diagnostic::error(&NOT_FINITE, span, message).help(help));
    }
}

/// A declared name and where it stands.
pub(crate) fn name_and_span(name: Option<ast::Name>) -> (String, Span) {
    name.map_or_else(Default::default, |name| {
        (name.text().to_owned(), name.span())
    })
}

//! The system of a file: processes with their state, bodies and handlers, or actions.

use super::Lowering;
use super::choices::Candidate;
use super::codes::declarations::SECOND_INIT;
use super::codes::places::MIXED_FORMS;
use super::codes::suspicions::{IDLE_DAEMON, OVERLAPPING_HANDLERS};
use super::fit::Why;
use super::signatures::name_and_span;
use super::temporal::declared;
use super::unit::{Binder, Home};
use crate::ast::{self, AstNode};
use crate::names::declare::Declarations;
use crate::types::UNKNOWN;
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::handlers::message_actions;
use plainsong_ir::{
    Body, Choice, Code, Domain, FamilyId, Handler, Measures, Process, Source, StartValue, StateVar,
    System, Ty, VarId, Voices,
};
use std::collections::HashMap;

impl Lowering<'_> {
    /// The system that the file describes.
    pub(crate) fn system(&mut self, items: &Declarations) -> System {
        let voices = !items.messages.is_empty() || !items.processes.is_empty();
        let actions = !items.globals.is_empty()
            || !items.actions.is_empty()
            || !items.procedures.is_empty()
            || !items.invariants.is_empty()
            || (!items.sequences.is_empty() && !voices);
        if voices && actions {
            self.mixed_forms(items);
        }
        for second in items.inits.iter().skip(1) {
            let first = items.inits[0].span();
            self.report(
                Diagnostic::error(
                    &SECOND_INIT,
                    keyword(second.span(), "init"),
                    "a second `init`",
                )
                .also(keyword(first, "init"), "the first is here")
                .help("put all statements into one `init`"),
            );
        }
        self.name_layers(&items.layers);
        let globals = self.globals(&items.globals);
        self.message_measures(&items.messages);
        self.message_orders(&items.messages);
        let processes = self.processes(&items.processes);
        let actions_done = self.action_bodies(&items.actions);
        let invariants = self.invariant_bodies(&items.invariants);
        let procedures = self.procedure_bodies(&items.procedures);
        let commutes = self.commutes(&items.commutes, &actions_done);
        let faults = self.faults(&items.faults);
        let home = if voices {
            Home::VoicesInit
        } else {
            Home::ActionsInit
        };
        let init = items.inits.first().map(|init| self.init(init, home));
        self.message_actions = message_actions(&processes, init.as_ref().map(|init| &init.body));
        let sequences = self.sequences(&items.sequences, &actions_done);
        if voices {
            System::Voices(Voices {
                messages: self.messages.clone(),
                processes,
                init,
                faults,
                sequences,
            })
        } else if actions || init.is_some() {
            System::Actions(plainsong_ir::Actions {
                globals,
                actions: actions_done,
                init,
                invariants,
                procedures,
                sequences,
                commutes,
            })
        } else {
            System::None
        }
    }

    fn mixed_forms(&mut self, items: &Declarations) {
        let of_voices = items
            .messages
            .iter()
            .map(|item| (item.name(), "message"))
            .chain(items.processes.iter().map(|item| (item.name(), "process")));
        let of_actions = items
            .globals
            .iter()
            .map(|item| (item.name(), "var"))
            .chain(items.actions.iter().map(|item| (item.name(), "action")))
            .chain(
                items
                    .procedures
                    .iter()
                    .map(|item| (item.name(), "procedure")),
            )
            .chain(
                items
                    .invariants
                    .iter()
                    .map(|item| (item.name(), "invariant")),
            );
        let first = |rows: &mut dyn Iterator<Item = (Option<ast::Name>, &'static str)>| {
            rows.filter_map(|(name, word)| Some((name?, word)))
                .min_by_key(|(name, _)| name.span())
        };
        let (Some(a), Some(b)) = (first(&mut { of_voices }), first(&mut { of_actions })) else {
            return;
        };
        let (early, late) = if a.0.span() < b.0.span() {
            (a, b)
        } else {
            (b, a)
        };
        let message = format!(
            "a file has either processes or actions, and `{}` is a {} while `{}` is a {}",
            late.0.text(),
            described(late.1),
            early.0.text(),
            described(early.1),
        );
        self.report(
            Diagnostic::error(&MIXED_FORMS, late.0.span(), message)
                .also(early.0.span(), "the other form is used here")
                .help("split the file, or write the globals as the state of a process"),
        );
    }

    fn init(&mut self, item: &ast::InitItem, home: Home) -> Code {
        self.begin(home);
        let (mut body, _) = self.block(item.block());
        let locals = self.finish_block(&mut body);
        Code {
            arity: 0,
            locals,
            body,
        }
    }

    fn processes(&mut self, items: &[ast::ProcessItem]) -> Vec<Process> {
        for (at, item) in items.iter().enumerate() {
            let indices = item.indices();
            let state = item.body().into_iter().flat_map(|body| body.state());
            self.state_vars(
                FamilyId::from(at),
                Home::Start,
                indices.as_ref(),
                state,
                |_| {},
            );
        }
        items
            .iter()
            .enumerate()
            .map(|(at, item)| self.process(FamilyId::from(at), item))
            .collect()
    }

    /// Makes the indices of a family the next locals of the unit.
    pub(crate) fn bind_indices(&mut self, family: FamilyId, written: Option<&ast::BinderList>) {
        let index = self.families[family.index()].index.clone();
        self.bind_parameters(&index, written, Binder::Index);
    }

    /// The variables of a process or endpoint, each seeing those before it.
    pub(crate) fn state_vars(
        &mut self,
        family: FamilyId,
        home: fn(FamilyId) -> Home,
        indices: Option<&ast::BinderList>,
        vars: impl Iterator<Item = ast::VarDecl>,
        bind_outer: impl Fn(&mut Self),
    ) {
        let names = indices
            .into_iter()
            .flat_map(ast::BinderList::binders)
            .filter_map(|b| b.name());
        let mut seen: HashMap<String, Span> = names
            .map(|name| (name.text().to_owned(), name.span()))
            .collect();
        for var in vars {
            let (name, span) = name_and_span(var.name());
            if let Some(name) = var.name() {
                self.distinct(&name, "a variable or index here", &mut seen);
            }
            self.no_layers(&var);
            self.begin(home(family));
            self.bind_indices(family, indices);
            bind_outer(self);
            let (mut start, ty) = self.start_value(&var);
            let locals = self.finish_start(&mut start);
            let ty = match (&start, ty) {
                (_, Some(ty)) => ty,
                (StartValue::Value(value), None) => value.ty.clone(),
                (StartValue::Choice(choice), None) => locals[choice.local.index()].ty.clone(),
            };
            let vars = &mut self.families[family.index()].vars;
            let id = VarId::from(vars.len());
            vars.push(StateVar {
                name: name.clone(),
                ty,
                start,
                locals,
                durable: var.is_durable(),
                is_input: var.is_input(),
                span,
            });
            self.names.vars[family.index()].entry(name).or_insert(id);
        }
    }

    /// The first value of a variable, and its type if that is written.
    pub(crate) fn start_value(&mut self, var: &ast::VarDecl) -> (StartValue, Option<Ty>) {
        let written = var.ty();
        let ty = written.as_ref().map(|ty| self.ty(ty));
        if let (true, Some(name)) = (var.is_input(), var.name()) {
            return self.input(var, &name, ty);
        }
        let (Some(name), Some(initial)) = (var.name(), var.initial()) else {
            return (StartValue::Value(self.wrong(var.span())), Some(UNKNOWN));
        };
        let start = match initial {
            ast::Initial::Expr(value) => StartValue::Value(match &ty {
                Some(ty) => self.check(&value, ty, Why::Declared(name.span())),
                None => self.expr(&value, None),
            }),
            ast::Initial::Called(called) => {
                self.misplaced(called.span().start, "call");
                StartValue::Value(self.wrong(called.span()))
            }
            ast::Initial::Choose(choose) => {
                let candidate = Candidate {
                    name: name.text(),
                    span: name.span(),
                    binder: Binder::Candidate,
                    ty: ty.clone().map(|ty| (ty, Why::Declared(name.span()))),
                };
                StartValue::Choice(self.choice(&choose, candidate))
            }
        };
        (start, ty)
    }

    /// `in x: T where e;`: any value of the type that the condition allows.
    fn input(
        &mut self,
        var: &ast::VarDecl,
        name: &ast::Name,
        ty: Option<Ty>,
    ) -> (StartValue, Option<Ty>) {
        let Some(ty) = ty else {
            return (StartValue::Value(self.wrong(var.span())), Some(UNKNOWN));
        };
        let local = self
            .unit
            .bind(name.text(), ty.clone(), Binder::Candidate, name.span());
        let filter = var.filter().map(|filter| self.filter(&filter));
        let choice = Choice {
            local,
            domain: Domain::Type(ty.clone()),
            filter,
        };
        (StartValue::Choice(choice), Some(ty))
    }

    fn process(&mut self, family: FamilyId, item: &ast::ProcessItem) -> Process {
        let daemon = item.is_daemon();
        let fairness = declared((item.is_unfair(), item.is_fair(), item.is_strong()));
        let measures = self.process_measures(family, item);
        let order = self.process_order(family, item);
        self.begin(Home::Body(family));
        self.bind_indices(family, item.indices().as_ref());
        let Some(written) = item.body() else {
            let locals = self.finish(|_| {});
            return Process {
                family,
                daemon,
                fairness,
                locals,
                measures,
                order,
                body: Body::Sequential(Vec::new()),
            };
        };
        if written.handlers().next().is_some() {
            let process = self.reactive(family, item, &written);
            return Process {
                measures,
                order,
                ..process
            };
        }
        let (mut body, _) = self.statements(written.statements());
        if daemon && !self.unit.receives {
            self.idle_daemon(item, "it never receives");
        }
        let locals = self.finish_block(&mut body);
        self.remember_locals(&locals);
        Process {
            family,
            daemon,
            fairness,
            locals,
            measures,
            order,
            body: Body::Sequential(body),
        }
    }

    /// A process with handlers.
    fn reactive(
        &mut self,
        family: FamilyId,
        item: &ast::ProcessItem,
        written: &ast::ProcessBody,
    ) -> Process {
        let daemon = item.is_daemon();
        let fairness = declared((item.is_unfair(), item.is_fair(), item.is_strong()));
        if daemon {
            self.idle_daemon(item, "a process with handlers never waits in a `receive`");
        }
        self.unit.home = Home::Handler(family);
        let mut handlers: Vec<Handler> = Vec::new();
        for handler in written.handlers() {
            let mark = self.unit.enter();
            let accept = handler.accept().and_then(|accept| self.accept(&accept));
            let (body, _) = self.block(handler.block());
            self.unit.leave(mark);
            handlers.extend(accept.map(|accept| Handler { accept, body }));
        }
        self.overlapping(&handlers);
        let locals = self.finish(|filler| {
            use plainsong_ir::visit::{VisitMut, walk_mut};
            for handler in &mut handlers {
                filler.accept(&mut handler.accept);
                walk_mut::block(filler, &mut handler.body);
            }
        });
        self.remember_locals(&locals);
        Process {
            family,
            daemon,
            fairness,
            locals,
            measures: Measures::default(),
            order: Default::default(),
            body: Body::Handlers(handlers),
        }
    }

    fn remember_locals(&mut self, locals: &[plainsong_ir::Local]) {
        self.process_locals
            .push(locals.iter().map(|local| local.name.clone()).collect());
    }

    fn idle_daemon(&mut self, item: &ast::ProcessItem, why: &str) {
        let span = keyword(item.span(), "daemon");
        let name = item
            .name()
            .map_or(String::new(), |name| name.text().to_owned());
        self.report(
            Diagnostic::warning(
                &IDLE_DAEMON,
                span,
                format!("`daemon` has no effect on `{name}`: {why}"),
            )
            .help("leave out `daemon`"),
        );
    }

    /// Warns about handlers that accept the same messages from the same senders.
    fn overlapping(&mut self, handlers: &[Handler]) {
        let mut by_message: HashMap<_, Vec<&Handler>> = HashMap::new();
        for handler in handlers
            .iter()
            .filter(|handler| handler.accept.filter.is_none())
        {
            let earlier = by_message.entry(handler.accept.message).or_default();
            let clash = earlier
                .iter()
                .find(|other| overlap(&other.accept.source, &handler.accept.source));
            if let Some(clash) = clash {
                let name = self.messages[handler.accept.message.index()].name.clone();
                let message = format!("two handlers accept the same `{name}`");
                self.report(
                    Diagnostic::warning(&OVERLAPPING_HANDLERS, handler.accept.span, message)
                        .also(clash.accept.span, "the other is here")
                        .help("tell them apart with `where`, or join them with `maybe { … } else { … }`"),
                );
            }
            earlier.push(handler);
        }
    }
}

/// Can a message come from both sources?
fn overlap(a: &Source, b: &Source) -> bool {
    match (a, b) {
        (Source::Anyone(_), _) | (_, Source::Anyone(_)) => true,
        (Source::Family(a, ..), Source::Family(b, ..)) => a == b,
        _ => false,
    }
}

/// The keyword that an item begins with.
fn keyword(item: Span, word: &str) -> Span {
    Span::new(item.start, item.start + word.len() as u32)
}

fn described(word: &str) -> &str {
    if word == "var" {
        "global variable"
    } else {
        word
    }
}

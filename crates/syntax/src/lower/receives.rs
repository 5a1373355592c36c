//! Receiving: which messages are accepted, and the names they bind.

use super::Lowering;
use super::codes::places::EMPTY_RECEIVE;
use super::codes::types::ARGUMENT_COUNT;
use super::statements::Flow;
use super::unit::{Binder, Home};
use crate::ast::{self, AstNode};
use crate::names::Item;
use crate::types::UNKNOWN;
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::{Accept, FamilyId, LocalId, MessageId, Source, StmtKind, Ty};
use std::collections::HashMap;

impl Lowering<'_> {
    /// `receive M(x) from p where c;`: its names live to the end of the block.
    pub(crate) fn receive(&mut self, s: &ast::ReceiveStmt) -> Option<StmtKind> {
        self.may_receive(s.span());
        let accept = self.accept(&s.accept()?)?;
        Some(StmtKind::Receive(accept))
    }

    /// `receive { … }`
    pub(crate) fn select(&mut self, s: &ast::ReceiveChoice) -> Option<(StmtKind, Flow)> {
        self.may_receive(s.span());
        let mut flow = Flow::Never;
        let mut arms = Vec::new();
        for arm in s.arms() {
            let mark = self.unit.enter();
            let accept = arm.accept().and_then(|accept| self.accept(&accept));
            let (block, after) = self.block(arm.block());
            self.unit.leave(mark);
            flow = flow.or(after);
            arms.extend(accept.map(|accept| (accept, block)));
        }
        let timeout = s.timeout().map(|arm| self.block(arm.block()));
        if s.arms().next().is_none() && timeout.is_none() {
            self.report(
                Diagnostic::error(&EMPTY_RECEIVE, s.span(), "this `receive` accepts nothing")
                    .help("add an arm: `receive { M(x) => { … } }`"),
            );
        }
        let timeout = timeout.map(|(block, after)| {
            flow = flow.or(after);
            block
        });
        Some((StmtKind::Select(arms, timeout), flow))
    }

    fn may_receive(&mut self, span: Span) {
        match self.unit.home {
            Home::Body(_) => self.unit.receives = true,
            _ => self.misplaced(span.start, "receive"),
        }
    }

    /// `M(x) from p where c`; its names are visible from here on.
    pub(crate) fn accept(&mut self, written: &ast::Accept) -> Option<Accept> {
        let name = written.message()?;
        let message = self.message_named(&name);
        let process = written
            .source()
            .filter(|source| !source.is_any())
            .map(|source| match source.process() {
                Some(process) => self.address(&process, "from"),
                None => self.wrong(source.span()),
            });
        let mut bound = HashMap::new();
        let slots = self.slots(message, written, &name, &mut bound);
        let source = match (process, written.source()) {
            (Some(process), _) => Source::Process(process),
            (None, Some(source)) => self.any_source(&source, &mut bound),
            (None, None) => Source::Anyone(None),
        };
        let filter = written.filter().map(|filter| self.filter(&filter));
        let message = message?;
        self.traffic.received(message);
        Some(Accept {
            message,
            slots,
            source,
            filter,
            span: written.span(),
        })
    }

    /// A name or none for each part of the message.
    fn slots(
        &mut self,
        message: Option<MessageId>,
        written: &ast::Accept,
        name: &ast::Name,
        bound: &mut HashMap<String, Span>,
    ) -> Vec<Option<LocalId>> {
        let types: Option<Vec<Ty>> = message.map(|id| {
            self.messages[id.index()]
                .fields
                .iter()
                .map(|field| field.ty.clone())
                .collect()
        });
        let Some(list) = written.slots() else {
            return vec![None; types.map_or(0, |types| types.len())];
        };
        let given: Vec<ast::Slot> = list.slots().collect();
        if let (Some(id), Some(types)) = (message, &types)
            && types.len() != given.len()
        {
            self.wrong_slots(id, given.len(), list.span());
        }
        let mut slots = Vec::new();
        for (at, slot) in given.iter().enumerate() {
            let ty = types
                .as_ref()
                .and_then(|types| types.get(at))
                .cloned()
                .unwrap_or(UNKNOWN);
            slots.push(slot.name().map(|slot| {
                self.distinct(&slot, &format!("bound by `{}`", name.text()), bound);
                self.unit
                    .bind(slot.text(), ty, Binder::Receive, slot.span())
            }));
        }
        slots
    }

    fn wrong_slots(&mut self, id: MessageId, given: usize, span: Span) {
        let row = &self.messages[id.index()];
        let name = &row.name;
        let carries = match row.fields.len() {
            0 => "carries nothing".to_owned(),
            1 => "carries 1 value".to_owned(),
            count => format!("carries {count} values"),
        };
        let named = if given == 1 {
            "1 is named".to_owned()
        } else {
            format!("{given} are named")
        };
        let message = format!("`{name}` {carries}, but {named} here");
        let fields: Vec<&str> = row.fields.iter().map(|field| field.name.as_str()).collect();
        let form = if fields.is_empty() {
            name.clone()
        } else {
            format!("{name}({})", fields.join(", "))
        };
        let diagnostic = Diagnostic::error(&ARGUMENT_COUNT, span, message)
            .also(row.span, format!("`{name}` is declared here"))
            .help(format!("write `{form}`, with `_` for what is not wanted"));
        self.report(diagnostic);
    }

    /// `any`, `any db`, `any db[d]`, `any db as who`
    fn any_source(&mut self, source: &ast::Source, bound: &mut HashMap<String, Span>) -> Source {
        let family = source.family().map(|name| self.process_named(&name));
        let indices = source.indices();
        let locals = match (family, indices) {
            (Some(family), Some(list)) => self.sender_indices(family, &list, bound),
            _ => Vec::new(),
        };
        let who = source.binder().map(|name| {
            self.distinct(&name, "bound here", bound);
            self.unit
                .bind(name.text(), Ty::Process, Binder::Receive, name.span())
        });
        match family {
            Some(Some(family)) => Source::Family(family, locals, who),
            Some(None) | None => Source::Anyone(who),
        }
    }

    fn sender_indices(
        &mut self,
        family: Option<FamilyId>,
        list: &ast::SlotList,
        bound: &mut HashMap<String, Span>,
    ) -> Vec<LocalId> {
        let index = family.map(|family| self.families[family.index()].index.clone());
        let given: Vec<ast::Slot> = list.slots().collect();
        if let (Some(family), Some(index)) = (family, &index)
            && index.len() != given.len()
        {
            self.wrong_sender(family, list.span());
        }
        let mut locals = Vec::new();
        for (at, slot) in given.iter().enumerate() {
            let binder = index.as_ref().and_then(|index| index.get(at));
            let ty = binder.map_or(UNKNOWN, |binder| binder.ty.clone());
            locals.push(match slot.name() {
                Some(name) => {
                    self.distinct(&name, "bound here", bound);
                    self.unit
                        .bind(name.text(), ty, Binder::Receive, name.span())
                }
                None => {
                    let name = binder.map_or("_index".to_owned(), |b| format!("_{}", b.name));
                    self.unit.add(&name, ty, Binder::Receive, slot.span())
                }
            });
        }
        locals
    }

    fn wrong_sender(&mut self, family: FamilyId, span: Span) {
        let form = self.family_form(family);
        let row = &self.families[family.index()];
        let message = match row.index.len() {
            0 => format!("`{}` is a single process and has no index", row.name),
            1 => format!("`{}` has one index", row.name),
            count => format!("`{}` has {count} indices", row.name),
        };
        let diagnostic = Diagnostic::error(&ARGUMENT_COUNT, span, message)
            .also(row.span, format!("`{form}` is declared here"))
            .help(format!("write `from any {form}`"));
        self.report(diagnostic);
    }

    /// The process family of this name; reports when there is none.
    pub(crate) fn process_named(&mut self, name: &ast::Name) -> Option<FamilyId> {
        match self.names.item(name.text()) {
            Some(Item::Family(family)) => Some(family),
            _ => {
                self.unknown_process(name);
                None
            }
        }
    }
}

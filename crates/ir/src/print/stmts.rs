//! Statements as written in the text.

use super::layout::{Doc, group, indent, join, list, separated, text};
use super::levels;
use super::types::named;
use super::writer::Writer;
use crate::handlers::Sender;
use crate::{
    Accept, Access, ActionId, Block, Call, Callee, Choice, Domain, Expr, ExprKind, FamilyId,
    InvariantCall, LocalId, LoopClauses, MessageId, Part, Pattern, Place, Root, Source, Stmt,
    StmtKind, Ty,
};
use plainsong_diagnostics::Span;

impl Writer<'_> {
    /// `{ … }`, each statement on a line of its own; names bound inside end with it.
    pub(super) fn block(&mut self, block: &Block) -> Doc {
        self.scoped(|w| {
            let lines = w.delimited(|w| w.stmts(block));
            braces(lines)
        })
    }

    /// Statements one after the other; the names they bind stay.
    pub(super) fn stmts(&mut self, block: &[Stmt]) -> Vec<Doc> {
        block.iter().map(|stmt| self.stmt(stmt)).collect()
    }

    /// A statement; the names it gives to the rest of its block are bound from here on.
    pub(super) fn stmt(&mut self, stmt: &Stmt) -> Doc {
        match &stmt.kind {
            StmtKind::Let(local, value) => {
                let word = self.let_word(*local);
                self.let_line(word, *local, value)
            }
            StmtKind::LetChoice(choice) => self.let_choice(choice, stmt.span),
            StmtKind::Assign(place, value) => {
                let place = self.place(place);
                group([place, text(" = "), self.expr(value), text(";")])
            }
            StmtKind::AssignChoice(place, choice) => self.assign_choice(place, choice, stmt.span),
            StmtKind::If(condition, yes, no) => self.if_stmt(condition, yes, no),
            StmtKind::Match(scrutinee, arms) => self.match_stmt(scrutinee, arms),
            StmtKind::While(condition, clauses, body) => self.while_stmt(condition, clauses, body),
            StmtKind::For {
                local,
                domain,
                filter,
                clauses,
                body,
            } => self.for_stmt(*local, domain, filter.as_ref(), clauses, body),
            StmtKind::Break => text("break;"),
            StmtKind::Continue => text("continue;"),
            StmtKind::Maybe(yes, no) => {
                let fair = self.fairly(stmt.span);
                join([text(fair), self.maybe(yes, no)])
            }
            StmtKind::Assert(condition) => self.keyword("assert ", condition),
            StmtKind::Assume(condition) => self.keyword("assume ", condition),
            StmtKind::Send(message, payload, address) => {
                let name = self.message_name(*message);
                let message = self.applied_exprs(&name, payload);
                group([
                    text("send "),
                    message,
                    text(" to "),
                    self.expr(address),
                    text(";"),
                ])
            }
            StmtKind::Receive(accept) => group([text("receive "), self.accept(accept), text(";")]),
            StmtKind::Select(arms, timeout) => self.select(arms, timeout.as_ref()),
            StmtKind::Async(action, arguments) => {
                let name = self.action_name(*action);
                group([text("async "), self.call(&name, arguments), text(";")])
            }
            StmtKind::Spawn(procedure, arguments) => {
                let name = self.callee_name(Callee::Procedure(*procedure));
                group([text("async "), self.call(&name, arguments), text(";")])
            }
            StmtKind::Call(result, call) => {
                let called = self.called(call);
                match result {
                    None => group([called, text(";")]),
                    Some(local) => {
                        let word = self.let_word(*local);
                        let name = self.names.bind(*local);
                        group([text(format!("{word} {name} = ")), called, text(";")])
                    }
                }
            }
            StmtKind::Par(calls) => {
                let arms = calls.iter();
                let arms = arms.map(|call| join([self.called(call), text(";")]));
                let arms = arms.collect();
                join([text("par "), braces(arms)])
            }
            StmtKind::Use(used) => {
                let row = self.song.lines.get(used.lemma);
                let name = named(row.map(|row| &row.name), "lemma", used.lemma as u32);
                group([text("use "), self.call(&name, &used.arguments), text(";")])
            }
            StmtKind::Part(part) => self.part(part),
            StmtKind::Yield(calls) if calls.is_empty() => text("yield;"),
            StmtKind::Yield(calls) => {
                let calls: Vec<Doc> = calls.iter().map(|call| self.invariant_call(call)).collect();
                let calls = separated(calls, || text(", "));
                group([text("yield "), calls, text(";")])
            }
        }
    }

    /// `call line(args) with left as a;`: who plays a role of its own name is not said.
    fn part(&mut self, part: &Part) -> Doc {
        let row = self.song.lines.get(part.line);
        let name = named(row.map(|row| &row.name), "line", part.line as u32);
        let mut pieces = vec![text("call "), self.call(&name, &part.arguments)];
        let endpoints = row.map_or(&[][..], |row| &row.endpoints);
        let mut cast = Vec::new();
        for (role, endpoint) in part.cast.iter().zip(endpoints) {
            let name_of = |id: FamilyId| {
                let family = self.song.families.get(id.index());
                named(family.map(|family| &family.name), "endpoint", id.0)
            };
            let (player, played) = (name_of(role.family), name_of(*endpoint));
            if player == played && role.member.is_empty() {
                continue;
            }
            let mut player = vec![text(player)];
            if !role.member.is_empty() {
                let member: Vec<Doc> = role.member.iter().map(|at| self.expr(at)).collect();
                player.extend([text("["), separated(member, || text(", ")), text("]")]);
            }
            player.push(text(format!(" as {played}")));
            cast.push(join(player));
        }
        if !cast.is_empty() {
            pieces.extend([text(" with "), separated(cast, || text(", "))]);
        }
        pieces.push(text(";"));
        group(pieces)
    }

    fn called(&mut self, call: &Call) -> Doc {
        if let Callee::Action(id) = call.callee
            && let Some(message) = self.message_to(id, &call.arguments)
        {
            return join([text("call "), message]);
        }
        let name = self.callee_name(call.callee);
        join([text("call "), self.call(&name, &call.arguments)])
    }

    /// `inv(a, b)`.
    pub(super) fn invariant_call(&mut self, call: &InvariantCall) -> Doc {
        let rows = self.song.actions().map(|actions| &actions.invariants);
        let row = rows.and_then(|rows| rows.get(call.invariant.index()));
        let name = named(row.map(|row| &row.name), "invariant", call.invariant.0);
        self.call(&name, &call.arguments)
    }

    fn callee_name(&self, callee: Callee) -> String {
        match callee {
            Callee::Action(id) => self.action_name(id),
            Callee::Procedure(id) => {
                let rows = self.song.actions().map(|actions| &actions.procedures);
                let row = rows.and_then(|rows| rows.get(id.index()));
                named(row.map(|row| &row.name), "procedure", id.0)
            }
        }
    }

    fn let_word(&self, local: LocalId) -> &'static str {
        let row = self.names.locals().get(local.index());
        if row.is_some_and(|row| row.mutable) {
            "var"
        } else {
            "let"
        }
    }

    fn keyword(&mut self, word: &str, condition: &Expr) -> Doc {
        group([text(word), self.expr(condition), text(";")])
    }

    /// `M` or `M(a, b)`.
    fn applied_exprs(&mut self, name: &str, arguments: &[Expr]) -> Doc {
        if arguments.is_empty() {
            text(name)
        } else {
            self.call(name, arguments)
        }
    }

    fn let_choice(&mut self, choice: &Choice, span: Span) -> Doc {
        let word = self.let_word(choice.local);
        let tells = match &choice.domain {
            Domain::Type(_) => true,
            Domain::In(set) => levels::tells_its_type(set),
        };
        let domain = self.domain(&choice.domain);
        let name = self.names.bind(choice.local);
        let ty = self
            .names
            .locals()
            .get(choice.local.index())
            .map(|row| &row.ty);
        let annotation = match ty {
            Some(ty) if word == "var" || !tells => format!(": {}", self.ty(ty)),
            _ => String::new(),
        };
        let filter = choice.filter.as_ref().map(|filter| self.filter(filter));
        choose(
            format!("{word} {name}{annotation}"),
            self.fairly(span),
            domain,
            filter,
            "",
        )
    }

    /// `fair `, if a statement is declared to choose fairly.
    fn fairly(&self, span: Span) -> &'static str {
        match self.song.fair_choices.contains(&span) {
            true => "fair ",
            false => "",
        }
    }

    fn assign_choice(&mut self, place: &Place, choice: &Choice, span: Span) -> Doc {
        let target = self.place(place);
        let root = self.root_name(&place.root);
        let (domain, filter) = self.choice_named(choice, root);
        group([target, choose("", self.fairly(span), domain, filter, "")])
    }

    /// The domain and the filter of a choice whose candidate has a given name.
    pub(super) fn choice_named(&mut self, choice: &Choice, name: String) -> (Doc, Option<Doc>) {
        let domain = self.domain(&choice.domain);
        self.scoped(|w| {
            w.names.bind_as(choice.local, name);
            (
                domain,
                choice.filter.as_ref().map(|filter| w.filter(filter)),
            )
        })
    }

    fn root_name(&self, root: &Root) -> String {
        match root {
            Root::Local(local) => self.names.name(*local).to_owned(),
            Root::Own(var) => self.var_name(self.family, *var),
            Root::Of(family, _, var) => self.var_name(Some(*family), *var),
            Root::Global(id) => {
                let globals = self.song.actions().map(|actions| &actions.globals);
                let row = globals.and_then(|globals| globals.get(id.index()));
                named(row.map(|row| &row.name), "global", id.0)
            }
        }
    }

    /// What an assignment writes to.
    pub(super) fn place(&mut self, place: &Place) -> Doc {
        let mut parts = vec![match &place.root {
            Root::Of(family, index, var) => self.var_of(*family, index, *var),
            root => text(self.root_name(root)),
        }];
        let mut ty = self.root_ty(&place.root);
        for access in &place.path {
            parts.push(match access {
                Access::Field(at) => match &ty {
                    Some(Ty::Struct(id)) => text(format!(".{}", self.field_name(*id, *at))),
                    _ => text(format!(".field_{at}")),
                },
                Access::Project(at) => text(format!(".{at}")),
                Access::Index(key) => join([text("["), self.expr(key), text("]")]),
            });
            ty = ty.and_then(|ty| access.part_ty(self.song, &ty));
        }
        Doc::Join(parts)
    }

    fn root_ty(&self, root: &Root) -> Option<Ty> {
        root.ty(self.song, self.names.locals(), self.family)
            .cloned()
    }

    fn if_stmt(&mut self, condition: &Expr, yes: &Block, no: &Block) -> Doc {
        let head = self.before_block(|w| w.expr(condition));
        let mut parts = vec![group([text("if "), head, Doc::Line]), self.block(yes)];
        match no.as_slice() {
            [] => {}
            [
                Stmt {
                    kind: StmtKind::If(condition, yes, no),
                    ..
                },
            ] => {
                parts.push(text(" else "));
                parts.push(self.if_stmt(condition, yes, no));
            }
            _ => {
                parts.push(text(" else "));
                parts.push(self.block(no));
            }
        }
        Doc::Join(parts)
    }

    fn match_stmt(&mut self, scrutinee: &Expr, arms: &[(Pattern, Block)]) -> Doc {
        let head = self.before_block(|w| w.expr(scrutinee));
        let arms = arms.iter().map(|(pattern, body)| {
            self.scoped(|w| {
                let pattern = w.pattern(pattern);
                join([pattern, text(" => "), w.block(body)])
            })
        });
        let arms = arms.collect();
        join([group([text("match "), head, Doc::Line]), braces(arms)])
    }

    fn while_stmt(&mut self, condition: &Expr, clauses: &LoopClauses, body: &Block) -> Doc {
        let head = match condition.kind {
            ExprKind::Bool(true) => text("loop"),
            _ => join([text("while "), self.before_block(|w| w.expr(condition))]),
        };
        let clauses = self.clauses(clauses);
        join([group([head, clauses, Doc::Line]), self.block(body)])
    }

    fn for_stmt(
        &mut self,
        local: LocalId,
        domain: &Domain,
        filter: Option<&Expr>,
        clauses: &LoopClauses,
        body: &Block,
    ) -> Doc {
        let domain = self.before_block(|w| w.domain(domain));
        self.scoped(|w| {
            let name = w.names.bind(local);
            let mut head = vec![text(format!("for {name} in ")), domain];
            head.extend(filter.map(|filter| w.before_block(|w| w.filter(filter))));
            head.push(w.clauses(clauses));
            head.push(Doc::Line);
            join([group(head), w.block(body)])
        })
    }

    pub(super) fn clauses(&mut self, clauses: &LoopClauses) -> Doc {
        self.before_block(|w| {
            let mut parts = Vec::new();
            for invariant in &clauses.invariants {
                parts.extend([Doc::Line, text("invariant "), w.expr(invariant)]);
            }
            w.measures(&mut parts, &clauses.decreases);
            indent(parts)
        })
    }

    /// `requires e ensures e decreases e` before a block; `result` has a name in `ensures`.
    pub(super) fn contract(
        &mut self,
        requires: &[Expr],
        ensures: &[Expr],
        result: Option<LocalId>,
        decreases: &[Expr],
    ) -> Doc {
        self.before_block(|w| {
            let mut parts = Vec::new();
            for condition in requires {
                parts.extend([Doc::Line, text("requires "), w.expr(condition)]);
            }
            w.scoped(|w| {
                result.map(|result| w.names.bind(result));
                for promise in ensures {
                    parts.extend([Doc::Line, text("ensures "), w.expr(promise)]);
                }
            });
            w.measures(&mut parts, decreases);
            indent(parts)
        })
    }

    /// `decreases e, …`
    fn measures(&mut self, parts: &mut Vec<Doc>, measures: &[Expr]) {
        let mut before = "decreases ";
        for measure in measures {
            let gap = match before {
                ", " => text(""),
                _ => Doc::Line,
            };
            parts.extend([gap, text(before), self.expr(measure)]);
            before = ", ";
        }
    }

    fn maybe(&mut self, yes: &Block, no: &Block) -> Doc {
        let mut parts = vec![text("maybe "), self.block(yes)];
        if !no.is_empty() {
            parts.extend([text(" else "), self.block(no)]);
        }
        Doc::Join(parts)
    }

    fn select(&mut self, arms: &[(Accept, Block)], timeout: Option<&Block>) -> Doc {
        let mut lines: Vec<Doc> = arms
            .iter()
            .map(|(accept, body)| {
                self.scoped(|w| {
                    let accept = w.accept(accept);
                    join([group([accept, text(" => ")]), w.block(body)])
                })
            })
            .collect();
        lines.extend(timeout.map(|body| join([text("timeout => "), self.block(body)])));
        join([text("receive "), braces(lines)])
    }

    /// `Vote(yes) from any db where yes`; the names are bound from here on.
    pub(super) fn accept(&mut self, accept: &Accept) -> Doc {
        let process = match &accept.source {
            Source::Process(process) => Some(self.expr(process)),
            Source::Anyone(_) | Source::Family(..) => None,
        };
        let name = self.message_name(accept.message);
        let mut parts = vec![if accept.slots.iter().all(Option::is_none) {
            text(name)
        } else {
            let slots = accept.slots.iter().map(|slot| self.slot(*slot)).collect();
            list(&format!("{name}("), slots, ")", Doc::Break)
        }];
        parts.extend(process.map(|process| join([text(" from "), process])));
        parts.push(text(self.source_names(&accept.source)));
        parts.extend(accept.filter.as_ref().map(|filter| self.filter(filter)));
        Doc::Join(parts)
    }

    fn slot(&mut self, slot: Option<LocalId>) -> Doc {
        slot.map_or_else(|| text("_"), |local| text(self.names.bind(local)))
    }

    fn source_names(&mut self, source: &Source) -> String {
        let (mut out, who) = match source {
            Source::Process(_) | Source::Anyone(None) => return String::new(),
            Source::Anyone(who) => (" from any".to_owned(), who),
            Source::Family(family, index, who) => {
                let mut out = format!(" from any {}", self.family_name(*family));
                if !index.is_empty() {
                    let names = index.iter().map(|local| self.names.bind(*local));
                    out.push_str(&format!("[{}]", names.collect::<Vec<_>>().join(", ")));
                }
                (out, who)
            }
        };
        if let Some(who) = who {
            out.push_str(&format!(" as {}", self.names.bind(*who)));
        }
        out
    }

    /// The name of a message.
    pub(super) fn message_name(&self, id: MessageId) -> String {
        let row = self
            .song
            .voices()
            .and_then(|voices| voices.messages.get(id.index()));
        named(row.map(|row| &row.name), "message", id.0)
    }

    /// The name of an action, or in a song of voices of the message that is handled.
    pub(super) fn action_name(&self, id: ActionId) -> String {
        let name = self.song.called_name(id).map(str::to_owned);
        named(name.as_ref(), "action", id.0)
    }

    /// `Vote(yes) to coordinator from db[d]`, in a song of voices.
    pub(super) fn message_to(&mut self, id: ActionId, arguments: &[Expr]) -> Option<Doc> {
        let row = *self.song.voices()?.message_actions().get(id.index())?;
        let (to, rest) = self.addressee(row.family, arguments);
        let (from, rest) = match row.sender {
            Sender::Family(family) => {
                let (from, rest) = self.addressee(family, rest);
                (Some(from), rest)
            }
            _ => (None, rest),
        };
        let message = self.call(&self.message_name(row.message), rest);
        let mut parts = vec![message, text(" to "), to];
        if let Some(from) = from {
            parts.extend([text(" from "), from]);
        }
        Some(join(parts))
    }

    /// `db[d]`, with the indices that come first, and what comes behind them.
    fn addressee<'e>(&mut self, family: FamilyId, arguments: &'e [Expr]) -> (Doc, &'e [Expr]) {
        let row = self.song.families.get(family.index());
        let count = row.map_or(0, |row| row.index.len()).min(arguments.len());
        let (own, rest) = arguments.split_at(count);
        (self.member(family, own), rest)
    }
}

/// `head = choose D where p;`
pub(super) fn choose(
    head: impl Into<String>,
    fair: &str,
    domain: Doc,
    filter: Option<Doc>,
    layers: &str,
) -> Doc {
    let mut parts = vec![text(head), text(format!(" = {fair}choose ")), domain];
    parts.extend(filter);
    parts.push(text(format!("{layers};")));
    Doc::Group(Box::new(Doc::Join(parts)))
}

/// `{ … }` around lines.
pub(super) fn braces(lines: Vec<Doc>) -> Doc {
    if lines.is_empty() {
        return text("{}");
    }
    let lines = separated(lines, || Doc::End);
    join([text("{"), indent([Doc::End, lines]), Doc::End, text("}")])
}

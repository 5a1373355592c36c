//! Statements and blocks.

use super::Lowering;
use super::choices::Candidate;
use super::codes::places::{MISPLACED_EXPRESSION, MISPLACED_STATEMENT};
use super::codes::suspicions::UNREACHABLE_STATEMENT;
use super::fit::Why;
use super::unit::{Binder, Home};
use crate::ast::{self, AssignOp, AstNode, BinaryOp};
use crate::names::Signal;
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::{Block, ExprKind, Place, Root, Stmt, StmtKind, Ty};

/// Does control go on after a statement?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// To the next statement.
    Next,
    /// Elsewhere, or nowhere.
    Never,
}

impl Flow {
    /// The flow after one of two alternatives.
    pub(crate) fn or(self, other: Flow) -> Flow {
        if self == Flow::Never { other } else { self }
    }
}

impl Lowering<'_> {
    /// `{ statement* }`; what it declares ends with it.
    pub(crate) fn block(&mut self, block: Option<ast::Block>) -> (Block, Flow) {
        let mark = self.unit.enter();
        let result = self.statements(block.iter().flat_map(ast::Block::statements));
        self.unit.leave(mark);
        result
    }

    /// Statements one after the other.
    pub(crate) fn statements(&mut self, list: impl Iterator<Item = ast::Stmt>) -> (Block, Flow) {
        self.statement_list(&list.collect::<Vec<_>>())
    }

    fn statement_list(&mut self, list: &[ast::Stmt]) -> (Block, Flow) {
        let mut block = Vec::new();
        let mut flow = Flow::Next;
        let mut reported = false;
        for (at, stmt) in list.iter().enumerate() {
            if flow == Flow::Never && !reported {
                reported = true;
                self.report(
                    Diagnostic::warning(
                        &UNREACHABLE_STATEMENT,
                        stmt.span(),
                        "this statement is never reached",
                    )
                    .help("the statement before it never goes on to it"),
                );
            }
            let span = stmt.span();
            if let ast::Stmt::Let(taken) = stmt
                && let Some(pattern) = taken.pattern()
            {
                let (kind, after) = self.taken_apart(taken, pattern, &list[at + 1..]);
                block.push(Stmt { kind, span });
                let is_reached = flow == Flow::Next;
                return (block, if is_reached { after } else { flow });
            }
            self.chose_fairly = false;
            if let Some((kind, after)) = self.statement(stmt) {
                let is_choice = matches!(kind, StmtKind::LetChoice(_) | StmtKind::AssignChoice(..));
                if is_choice && self.chose_fairly {
                    self.fair_choices.insert(span);
                }
                block.push(Stmt { kind, span });
                if after == Flow::Never {
                    flow = Flow::Never;
                }
            }
        }
        (block, flow)
    }

    /// `let (a, b) = e;` and what follows it: `match e { (a, b) => { … } }`. The pattern fits every value.
    fn taken_apart(
        &mut self,
        item: &ast::LetStmt,
        pattern: ast::Pattern,
        rest: &[ast::Stmt],
    ) -> (StmtKind, Flow) {
        let subject = self.value_taken_apart(item);
        let errors = self.errors;
        let pattern = self.pattern(Some(pattern), &subject.ty, item.span());
        if self.errors == errors {
            self.cover(&subject, &[&pattern]);
        }
        let (block, flow) = self.statement_list(rest);
        (StmtKind::Match(subject, vec![(pattern, block)]), flow)
    }

    fn statement(&mut self, stmt: &ast::Stmt) -> Option<(StmtKind, Flow)> {
        let next = |kind| Some((kind, Flow::Next));
        match stmt {
            ast::Stmt::Let(s) => {
                next(self.declaration(s.name()?, s.ty(), s.initial()?, Binder::Let)?)
            }
            ast::Stmt::Var(s) => {
                if matches!(self.unit.home, Home::Line(_)) {
                    self.var_in_line(s.span());
                }
                self.no_layers(s);
                next(self.declaration(s.name()?, s.ty(), s.initial()?, Binder::Var)?)
            }
            ast::Stmt::Assign(s) => next(self.assignment(s)?),
            ast::Stmt::If(s) => Some(self.if_stmt(s)),
            ast::Stmt::Match(s) => self.match_stmt(s),
            ast::Stmt::While(s) => Some(self.while_stmt(s)),
            ast::Stmt::For(s) => Some((self.for_stmt(s)?, Flow::Next)),
            ast::Stmt::Loop(s) => Some(self.loop_stmt(s)),
            ast::Stmt::Break(s) => self.jump(StmtKind::Break, s.span(), "break"),
            ast::Stmt::Continue(s) => self.jump(StmtKind::Continue, s.span(), "continue"),
            ast::Stmt::Maybe(s) => {
                let (yes, after_yes) = self.block(s.block());
                let (no, after_no) = self.block(s.else_block());
                if s.is_fair() {
                    self.fair_choices.insert(s.span());
                }
                Some((StmtKind::Maybe(yes, no), after_yes.or(after_no)))
            }
            ast::Stmt::Assert(s) => next(StmtKind::Assert(self.condition(
                s.condition(),
                s.span(),
                "assert",
            ))),
            ast::Stmt::Assume(s) => next(StmtKind::Assume(self.condition(
                s.condition(),
                s.span(),
                "assume",
            ))),
            ast::Stmt::Send(s) => next(self.send(s)?),
            ast::Stmt::Receive(s) => next(self.receive(s)?),
            ast::Stmt::ReceiveChoice(s) => self.select(s),
            ast::Stmt::Async(s) => next(self.async_stmt(s)?),
            ast::Stmt::Call(s) => next(self.call_stmt(s)?),
            ast::Stmt::Par(s) => next(self.par_stmt(s)?),
            ast::Stmt::Use(s) => next(self.use_stmt(s)?),
            ast::Stmt::Yield(s) => next(self.yield_stmt(s)?),
        }
    }

    /// `let x = …;` and `var x = …;`
    fn declaration(
        &mut self,
        name: ast::Name,
        ty: Option<ast::Type>,
        initial: ast::Initial,
        binder: Binder,
    ) -> Option<StmtKind> {
        Some(match initial {
            ast::Initial::Called(called) => {
                return self.let_called(&name, ty.as_ref(), &called, binder);
            }
            ast::Initial::Expr(value) => {
                let value = self.initial(&value, ty.as_ref(), &name);
                let ty = self.type_of_local(&value);
                let local = self.unit.bind(name.text(), ty, binder, name.span());
                StmtKind::Let(local, value)
            }
            ast::Initial::Choose(choose) => {
                let ty = ty.map(|ty| (self.ty(&ty), Why::Declared(name.span())));
                let candidate = Candidate {
                    name: name.text(),
                    span: name.span(),
                    binder,
                    ty,
                };
                StmtKind::LetChoice(self.choice(&choose, candidate))
            }
        })
    }

    fn var_in_line(&mut self, span: Span) {
        self.report(
            Diagnostic::error(
                &MISPLACED_STATEMENT,
                span,
                "a choreography has no local variables",
            )
            .help("declare the variable in the endpoint it belongs to, or use `let`"),
        );
    }

    /// `place = …;` and `place += …;`
    fn assignment(&mut self, s: &ast::AssignStmt) -> Option<StmtKind> {
        let target = s.target()?;
        let place = self.place(&target);
        let value = s.value()?;
        let Some((place, ty, why)) = place else {
            if let ast::Initial::Expr(value) = value {
                self.check(&value, &crate::types::UNKNOWN, Why::Here);
            }
            return None;
        };
        let op = s.op()?;
        match value {
            ast::Initial::Called(called) => {
                self.assigned_call(&called);
                None
            }
            ast::Initial::Choose(choose) => {
                if op != AssignOp::Set {
                    self.combined_choice(&choose);
                }
                Some(self.assign_choice(place, ty, why, &choose))
            }
            ast::Initial::Expr(value) => {
                let value = match combining(op) {
                    None => self.check(&value, &ty, why),
                    Some(op) => {
                        let old = self.old_value(&place, &target);
                        let new = self.combine(old, op, &value, s.span());
                        self.fit(new, &ty, why)
                    }
                };
                Some(StmtKind::Assign(place, value))
            }
        }
    }

    /// The value of a place before it is assigned; this is no reading that makes a variable used.
    fn old_value(&mut self, place: &Place, target: &ast::Expr) -> plainsong_ir::Expr {
        let root = match place.root {
            Root::Local(local) => Some((local.index(), self.unit.read[local.index()])),
            _ => None,
        };
        let old = self.expr(target, None);
        if let Some((at, read)) = root {
            self.unit.read[at] = read;
        }
        old
    }

    fn combined_choice(&mut self, choose: &ast::Choose) {
        self.report(
            Diagnostic::error(
                &MISPLACED_EXPRESSION,
                choose.span(),
                "a choice stands alone on the right of `=`",
            )
            .help("first give the choice a name: `let x = choose …;`"),
        );
    }

    /// `place = choose …;`: in the condition, the name of the variable means the candidate.
    fn assign_choice(&mut self, place: Place, ty: Ty, why: Why, choose: &ast::Choose) -> StmtKind {
        let (name, span) = match &place.root {
            Root::Local(local) => {
                let row = &self.unit.locals[local.index()];
                (row.name.clone(), place.span)
            }
            Root::Own(var) => {
                let family = self.unit.home.own_family();
                let vars = family.map(|family| &self.families[family.index()].vars);
                (
                    vars.map_or_else(String::new, |vars| vars[var.index()].name.clone()),
                    place.span,
                )
            }
            Root::Of(family, _, var) => (
                self.families[family.index()].vars[var.index()].name.clone(),
                place.span,
            ),
            Root::Global(id) => (self.globals[id.index()].name.clone(), place.span),
        };
        let mark = self.unit.enter();
        let candidate = Candidate {
            name: &name,
            span,
            binder: Binder::Candidate,
            ty: Some((ty, why)),
        };
        let choice = self.choice(choose, candidate);
        self.unit.leave(mark);
        StmtKind::AssignChoice(place, choice)
    }

    fn if_stmt(&mut self, s: &ast::IfStmt) -> (StmtKind, Flow) {
        let condition = self.condition(s.condition(), s.span(), "if");
        let (yes, after_yes) = self.block(s.then_block());
        let (no, after_no) = match s.else_branch() {
            None => (Vec::new(), Flow::Next),
            Some(ast::ElseBranch::Block(block)) => self.block(Some(block)),
            Some(ast::ElseBranch::If(inner)) => {
                let (kind, flow) = self.if_stmt(&inner);
                (
                    vec![Stmt {
                        kind,
                        span: inner.span(),
                    }],
                    flow,
                )
            }
        };
        (StmtKind::If(condition, yes, no), after_yes.or(after_no))
    }

    fn match_stmt(&mut self, s: &ast::MatchStmt) -> Option<(StmtKind, Flow)> {
        let subject = self.expr(&s.subject()?, None);
        let errors = self.errors;
        let mut flow = Flow::Never;
        let mut arms = Vec::new();
        for arm in s.arms() {
            let mark = self.unit.enter();
            let pattern = self.pattern(arm.pattern(), &subject.ty, arm.span());
            let (block, after) = self.block(arm.block());
            self.unit.leave(mark);
            flow = flow.or(after);
            arms.push((pattern, block));
        }
        if self.errors == errors {
            let patterns: Vec<_> = arms.iter().map(|(pattern, _)| pattern).collect();
            self.cover(&subject, &patterns);
        }
        Some((StmtKind::Match(subject, arms), flow))
    }

    /// `send M(e) to p;`
    fn send(&mut self, s: &ast::SendStmt) -> Option<StmtKind> {
        let home = self.unit.home;
        if !matches!(home, Home::Body(_) | Home::Handler(_) | Home::VoicesInit) {
            self.misplaced(s.span().start, "send");
            return None;
        }
        let arguments = s.arguments();
        let message = self.message_named(&s.message()?);
        let values = match message {
            Some(id) => {
                self.traffic.sent(id);
                let row = &self.messages[id.index()];
                let types: Vec<Ty> = row.fields.iter().map(|field| field.ty.clone()).collect();
                let declared = (row.name.clone(), Some(row.span));
                let span = s.message().map_or(s.span(), |name| name.span());
                self.arguments(arguments.as_ref(), &types, span, &declared, |at| {
                    Why::Message(id, at)
                })
            }
            None => {
                self.ignore_arguments(arguments.as_ref());
                None
            }
        };
        let address = self.address(&s.address()?, "to");
        Some(StmtKind::Send(message?, values?, address))
    }

    /// `async A(e);`
    fn async_stmt(&mut self, s: &ast::AsyncStmt) -> Option<StmtKind> {
        if !matches!(
            self.unit.home,
            Home::Action | Home::ActionsInit | Home::Procedure
        ) {
            self.misplaced(s.span().start, "async");
            return None;
        }
        let arguments = s.arguments();
        let name = s.action()?;
        if let Some(Signal::Procedure(id)) = self.names.signal(name.text()) {
            return self.spawn(id, &name, arguments.as_ref());
        }
        let Some(Signal::Action(id)) = self.names.signal(name.text()) else {
            self.unknown_signal(&name, "action");
            self.ignore_arguments(arguments.as_ref());
            return None;
        };
        let row = &self.actions[id.index()];
        let types: Vec<Ty> = row.params.iter().map(|param| param.ty.clone()).collect();
        let declared = (row.name.clone(), Some(row.span));
        let values = self.arguments(arguments.as_ref(), &types, name.span(), &declared, |_| {
            Why::Action(id)
        })?;
        Some(StmtKind::Async(id, values))
    }

    /// The message of this name; reports when there is none.
    pub(crate) fn message_named(&mut self, name: &ast::Name) -> Option<plainsong_ir::MessageId> {
        match self.names.signal(name.text()) {
            Some(Signal::Message(id)) => Some(id),
            // Where there are no messages at all, the statement itself was reported.
            _ if matches!(
                self.unit.home,
                Home::Action | Home::ActionsInit | Home::Procedure | Home::Line(_)
            ) =>
            {
                None
            }
            _ => {
                self.unknown_signal(name, "message");
                None
            }
        }
    }

    /// Reports a statement that cannot stand where it does; it begins with `word`.
    pub(crate) fn misplaced(&mut self, start: u32, word: &str) {
        let span = Span::new(start, start + word.len() as u32);
        let home = self.unit.home;
        let message = format!("`{word}` cannot stand in {}", home.describe());
        let help = match (word, home) {
            ("receive", Home::Handler(_)) => {
                "a handler runs to completion; write another `on` for the message"
            }
            ("receive", _) => "only the body of a process waits for messages",
            ("send" | "async", Home::Line(_)) => {
                "in a choreography an assignment communicates: `a.v = b.t;` sends from `b` to `a`"
            }
            ("send", _) => {
                "messages are sent by processes and `init`; an action leaves work behind with `async`"
            }
            ("call", Home::Line(_)) => "choreographies call choreographies; a proof has `use`",
            ("call" | "par" | "yield", _) => "this belongs into a procedure",
            ("use", _) => {
                "lemmas are used in choreographies, in procedures and in proofs of lemmas"
            }
            ("async", _) => "`async` belongs to actions; a process sends messages with `send`",
            (_, Home::Action | Home::ActionsInit) => {
                "an action is one step: loop over a finite collection with `for`"
            }
            _ => "move it into the body of a process",
        };
        self.report(Diagnostic::error(&MISPLACED_STATEMENT, span, message).help(help));
    }
}

fn combining(op: AssignOp) -> Option<BinaryOp> {
    match op {
        AssignOp::Set => None,
        AssignOp::Add => Some(BinaryOp::Add),
        AssignOp::Subtract => Some(BinaryOp::Subtract),
        AssignOp::Multiply => Some(BinaryOp::Multiply),
        AssignOp::Union => Some(BinaryOp::Union),
        AssignOp::Intersect => Some(BinaryOp::Intersect),
    }
}

/// Is it the literal `true`?
pub(crate) fn is_true(kind: &ExprKind) -> bool {
    matches!(kind, ExprKind::Bool(true))
}

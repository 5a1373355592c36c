//! The walk: expressions and statements where they stand.

use super::scope::{Home, Scope};
use super::{declarations, show};
use crate::visit::{Visit, walk};
use crate::{
    Accept, Binding, Block, Call, Callee, Choice, Code, Expr, ExprKind, FamilyId, InvariantCall,
    Local, LocalId, LoopClauses, Part, Pattern, Place, Source, Stmt, StmtKind, Ty, patterns,
};
use plainsong_diagnostics::Span;

impl Visit for Scope<'_, '_> {
    fn expr(&mut self, expr: &Expr) {
        let branch = std::mem::take(&mut self.branch);
        self.may_stand(expr, branch);
        self.scoped(|scope| match &expr.kind {
            ExprKind::If(condition, yes, no) => {
                scope.expr(condition);
                scope.branch(yes);
                scope.branch(no);
            }
            ExprKind::Match(scrutinee, arms) => {
                scope.expr(scrutinee);
                scope.covers(
                    &scrutinee.ty,
                    arms.iter().map(|(pattern, _)| pattern),
                    expr.span,
                );
                for (pattern, value) in arms {
                    scope.scoped(|scope| {
                        scope.matches(pattern, &scrutinee.ty);
                        scope.branch(value);
                    });
                }
            }
            ExprKind::Is(scrutinee, pattern) => {
                scope.expr(scrutinee);
                scope.matches(pattern, &scrutinee.ty);
            }
            ExprKind::Widen(inner) | ExprKind::Narrow(inner) => {
                scope.branch = branch;
                scope.expr(inner);
            }
            ExprKind::Old(inner) => {
                let outside = std::mem::replace(&mut scope.old_allowed, false);
                scope.expr(inner);
                scope.old_allowed = outside;
            }
            ExprKind::Let(local, value, body) => {
                scope.expr(value);
                scope.bind_fixed(*local);
                scope.branch(body);
            }
            _ => walk::expr(scope, expr),
        });
        self.has_its_type(expr);
    }

    fn binding(&mut self, binding: &Binding) {
        let element = self.domain(&binding.domain, false);
        if binding.names.is_empty() {
            self.wrong(Span::default(), "a binding has names");
        }
        for name in &binding.names {
            self.bind_fixed(*name);
            self.is_element(*name, element.as_ref());
        }
        if let Some(filter) = &binding.filter {
            self.typed(filter, &Ty::Bool);
        }
    }

    fn choice(&mut self, choice: &Choice) {
        let element = self.domain(&choice.domain, true);
        self.bind(choice.local);
        self.is_element(choice.local, element.as_ref());
        if let Some(filter) = &choice.filter {
            self.typed(filter, &Ty::Bool);
        }
    }

    fn accept(&mut self, accept: &Accept) {
        if let Source::Process(process) = &accept.source {
            self.typed(process, &Ty::Process);
        }
        let voices = self.song.voices();
        let message = voices.and_then(|voices| voices.messages.get(accept.message.index()));
        match message {
            Some(message) if message.fields.len() == accept.slots.len() => {
                for (slot, field) in accept.slots.iter().zip(&message.fields) {
                    if let Some(local) = slot {
                        self.bind_fixed(*local);
                        self.is_element(*local, Some(&field.ty));
                    }
                }
            }
            _ => self.wrong(accept.span, "a name or none for each part of the message"),
        }
        self.source(&accept.source, accept.span);
        if let Some(filter) = &accept.filter {
            self.typed(filter, &Ty::Bool);
        }
    }

    fn block(&mut self, block: &Block) {
        self.scoped(|scope| walk::block(scope, block));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        self.stmt_may_stand(stmt);
        match &stmt.kind {
            StmtKind::Let(local, value) => {
                self.expr(value);
                self.bind(*local);
                self.is_element(*local, Some(&value.ty));
                self.no_var_in_line(*local, stmt.span);
            }
            StmtKind::LetChoice(choice) => {
                self.choice(choice);
                self.no_var_in_line(choice.local, stmt.span);
            }
            StmtKind::Receive(accept) => self.accept(accept),
            StmtKind::Call(result, call) => {
                self.call(call);
                if let Some(local) = result {
                    self.bind(*local);
                    let ty = self.result_of(call.callee);
                    if ty.is_none() {
                        self.wrong(stmt.span, "what is called has no result");
                    }
                    self.is_element(*local, ty.as_ref());
                }
            }
            _ => self.scoped(|scope| scope.closed_stmt(stmt)),
        }
    }

    fn clauses(&mut self, clauses: &LoopClauses) {
        self.old_allowed = matches!(self.home, Home::Line(_) | Home::Procedure);
        clauses
            .invariants
            .iter()
            .for_each(|invariant| self.typed(invariant, &Ty::Bool));
        self.old_allowed = false;
        let measures = clauses.decreases.iter();
        measures.for_each(|measure| self.measure(measure));
    }

    fn place(&mut self, place: &Place) {
        self.check_place(place);
    }

    fn binds(&mut self, local: &LocalId) {
        self.bind_fixed(*local);
    }

    fn uses(&mut self, local: &LocalId) {
        self.use_local(*local);
    }
}

impl Scope<'_, '_> {
    fn branch(&mut self, expr: &Expr) {
        self.branch = true;
        self.expr(expr);
    }

    fn has_its_type(&mut self, expr: &Expr) {
        if matches!(
            expr.kind,
            ExprKind::None | ExprKind::Literal(_) | ExprKind::All(_)
        ) {
            declarations::ty(self.song, self.report, &expr.ty, expr.span);
        }
        match self.known().type_of(expr) {
            Ok(ty) if ty == expr.ty => {}
            Ok(ty) => {
                let (found, said) = (show(self.song, &ty), show(self.song, &expr.ty));
                self.wrong(
                    expr.span,
                    format!("an expression says {said} and is {found}"),
                );
            }
            Err(message) => self.wrong(expr.span, message),
        }
    }

    /// May this kind of expression stand here?
    fn may_stand(&mut self, expr: &Expr, branch: bool) {
        let home = self.home;
        let fits = match &expr.kind {
            ExprKind::Own(var) => match home {
                Home::Body | Home::Handler => true,
                Home::Start => var.index() < self.known_vars,
                _ => false,
            },
            ExprKind::Of(family, _, _) => match home {
                Home::Property | Home::Schedule => true,
                Home::Line(at) => self.song.lines[at].endpoints.contains(family),
                _ => false,
            },
            ExprKind::Global(id) => match home {
                Home::Action
                | Home::Procedure
                | Home::Invariant
                | Home::Schedule
                | Home::Property => true,
                Home::GlobalStart => id.index() < self.known_vars,
                _ => false,
            },
            ExprKind::Pid(family, _) => self.is_process(*family),
            ExprKind::SelfPid => {
                matches!(home, Home::Body | Home::Handler | Home::Start)
                    && self.family.is_some_and(|family| self.is_process(family))
            }
            ExprKind::Let(..) => branch,
            ExprKind::Old(_) => self.old_allowed,
            ExprKind::Crashed(_) => home == Home::Property,
            ExprKind::Pending(_) | ExprKind::PendingOf(..) => {
                matches!(home, Home::Property | Home::Schedule)
            }
            _ => true,
        };
        if !fits {
            self.wrong(
                expr.span,
                format!("an expression cannot stand here: {:?}", expr.kind),
            );
        }
    }

    fn is_process(&self, family: FamilyId) -> bool {
        let processes = self
            .song
            .voices()
            .map_or(&[][..], |voices| &voices.processes);
        processes.iter().any(|process| process.family == family)
    }

    /// Has a name the type of what it is bound to?
    fn is_element(&mut self, local: LocalId, ty: Option<&Ty>) {
        let row = self.locals.get(local.index());
        if let (Some(row), Some(ty)) = (row, ty)
            && row.ty != *ty
        {
            let (said, found) = (show(self.song, &row.ty), show(self.song, ty));
            self.wrong(
                row.span,
                format!("{} says {said} and is bound to {found}", row.name),
            );
        }
    }

    fn no_var_in_line(&mut self, local: LocalId, span: Span) {
        let variable = self
            .locals
            .get(local.index())
            .is_some_and(|row| row.mutable);
        if variable && matches!(self.home, Home::Line(_)) {
            self.wrong(span, "a choreography has no local variables");
        }
    }

    fn matches(&mut self, pattern: &Pattern, ty: &Ty) {
        self.check_pattern(pattern, ty);
    }

    fn covers<'p>(&mut self, ty: &Ty, arms: impl Iterator<Item = &'p Pattern>, span: Span) {
        let arms: Vec<&Pattern> = arms.collect();
        if let Some(example) = patterns::missing(self.song, ty, &arms) {
            self.wrong(span, format!("a match does not cover {example}"));
        }
    }

    fn stmt_may_stand(&mut self, stmt: &Stmt) {
        let home = self.home;
        let fits = match &stmt.kind {
            StmtKind::Send(..) => matches!(home, Home::Body | Home::Handler | Home::VoicesInit),
            StmtKind::Receive(_) | StmtKind::Select(..) => home == Home::Body,
            StmtKind::Async(..) => home == Home::Action,
            StmtKind::Spawn(..) => matches!(home, Home::Action | Home::Procedure),
            StmtKind::Call(..) => matches!(home, Home::Procedure | Home::Schedule),
            StmtKind::Par(_) | StmtKind::Yield(_) => home == Home::Procedure,
            StmtKind::Use(_) => matches!(home, Home::Line(_) | Home::Procedure),
            StmtKind::Part(_) => matches!(home, Home::Line(_)),
            StmtKind::While(..) => home != Home::Action,
            StmtKind::Break | StmtKind::Continue => self.loops > 0,
            _ => true,
        };
        if !fits {
            self.wrong(stmt.span, "a statement cannot stand here");
        }
    }

    /// A statement whose names end with it.
    fn closed_stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign(place, value) => {
                self.place(place);
                match place.ty(self.song, self.locals, self.family) {
                    Some(ty) => self.typed(value, &ty),
                    None => self.expr(value),
                }
            }
            StmtKind::AssignChoice(place, choice) => self.assign_choice(place, choice, stmt.span),
            StmtKind::If(condition, yes, no) => {
                self.typed(condition, &Ty::Bool);
                self.block(yes);
                self.block(no);
            }
            StmtKind::Match(scrutinee, arms) => {
                self.expr(scrutinee);
                self.covers(
                    &scrutinee.ty,
                    arms.iter().map(|(pattern, _)| pattern),
                    stmt.span,
                );
                for (pattern, body) in arms {
                    self.scoped(|scope| {
                        scope.matches(pattern, &scrutinee.ty);
                        scope.block(body);
                    });
                }
            }
            StmtKind::While(condition, clauses, body) => {
                self.typed(condition, &Ty::Bool);
                self.clauses(clauses);
                self.loop_body(body);
            }
            StmtKind::For {
                local,
                domain,
                filter,
                clauses,
                body,
            } => {
                let element = self.domain(domain, false);
                self.bind_fixed(*local);
                self.is_element(*local, element.as_ref());
                if let Some(filter) = filter {
                    self.typed(filter, &Ty::Bool);
                }
                self.clauses(clauses);
                self.loop_body(body);
            }
            StmtKind::Assert(condition) | StmtKind::Assume(condition) => {
                self.typed(condition, &Ty::Bool);
            }
            StmtKind::Send(message, payload, address) => {
                walk::exprs(self, payload);
                let messages = self
                    .song
                    .voices()
                    .map_or(&[][..], |voices| &voices.messages);
                let fields = messages.get(message.index()).map(|message| &message.fields);
                let wanted = fields.map(|fields| fields.iter().map(|row| row.ty.clone()).collect());
                self.arguments(payload, wanted, stmt.span);
                self.typed(address, &Ty::Process);
            }
            StmtKind::Async(action, arguments) => {
                walk::exprs(self, arguments);
                let actions = self
                    .song
                    .actions()
                    .map_or(&[][..], |actions| &actions.actions);
                let action = actions.get(action.index());
                if action.is_some_and(|action| action.role.repeat) {
                    let message = "an action that is always on offer is never pending";
                    self.report.add(stmt.span, message);
                }
                let code = action.map(|action| &action.code);
                let wanted = code.map(|code| {
                    code.locals
                        .iter()
                        .take(code.arity)
                        .map(|row| row.ty.clone())
                        .collect()
                });
                self.arguments(arguments, wanted, stmt.span);
            }
            StmtKind::Spawn(procedure, arguments) => {
                let callee = Callee::Procedure(*procedure);
                walk::exprs(self, arguments);
                let wanted = self.parameters_of(callee);
                self.arguments(arguments, wanted, stmt.span);
            }
            StmtKind::Use(used) => {
                walk::exprs(self, &used.arguments);
                let lemma = self.song.lines.get(used.lemma);
                let wanted = lemma.filter(|line| line.is_lemma()).map(|line| {
                    let rows = line.code.locals.iter().take(line.code.arity);
                    rows.map(|row| row.ty.clone()).collect()
                });
                self.arguments(&used.arguments, wanted, stmt.span);
            }
            StmtKind::Part(part) => self.part(part, stmt.span),
            StmtKind::Par(calls) => calls.iter().for_each(|call| self.call(call)),
            StmtKind::Yield(calls) => calls.iter().for_each(|call| self.invariant_call(call)),
            StmtKind::Select(arms, timeout) => {
                if arms.is_empty() && timeout.is_none() {
                    self.wrong(stmt.span, "a receive has arms");
                }
                for (accept, body) in arms {
                    self.scoped(|scope| {
                        scope.accept(accept);
                        scope.block(body);
                    });
                }
                if let Some(timeout) = timeout {
                    self.block(timeout);
                }
            }
            _ => walk::stmt(self, stmt),
        }
    }

    /// What it stands for may be anything that could stand there, too.
    fn part(&mut self, part: &Part, span: Span) {
        walk::exprs(self, &part.arguments);
        let line = self.song.lines.get(part.line);
        let line = line.filter(|line| line.is_choreography());
        let wanted = line.map(|line| {
            let rows = line.code.locals.iter().take(line.code.arity);
            rows.map(|row| row.ty.clone()).collect()
        });
        self.arguments(&part.arguments, wanted, span);
        if line.is_some_and(|line| line.endpoints.len() != part.cast.len()) {
            self.wrong(span, "a part has somebody for each of its endpoints");
        }
        for role in &part.cast {
            walk::exprs(self, &role.member);
        }
        self.scoped(|scope| {
            part.start.iter().for_each(|stmt| scope.stmt(stmt));
            for condition in &part.requires {
                scope.typed(condition, &Ty::Bool);
            }
            let outside = std::mem::replace(&mut scope.old_allowed, true);
            for promise in &part.ensures {
                scope.typed(promise, &Ty::Bool);
            }
            scope.old_allowed = outside;
            scope.block(&part.body);
        });
    }

    fn call(&mut self, call: &Call) {
        walk::exprs(self, &call.arguments);
        let wanted = self.parameters_of(call.callee);
        self.arguments(&call.arguments, wanted, call.span);
    }

    pub(super) fn invariant_call(&mut self, call: &InvariantCall) {
        walk::exprs(self, &call.arguments);
        let actions = self.song.actions();
        let found = actions.and_then(|actions| actions.invariants.get(call.invariant.index()));
        let wanted = found.map(|decl| types(&decl.locals[..decl.arity]));
        self.arguments(&call.arguments, wanted, call.span);
    }

    fn parameters_of(&self, callee: Callee) -> Option<Vec<Ty>> {
        if let (Callee::Action(id), Some(voices)) = (callee, self.song.voices()) {
            let row = *voices.message_actions().get(id.index())?;
            return Some(row.parameters(self.song));
        }
        let (code, _) = self.callee(callee)?;
        Some(types(&code.locals[..code.arity]))
    }

    fn result_of(&self, callee: Callee) -> Option<Ty> {
        let (code, result) = self.callee(callee)?;
        Some(code.locals[result?.index()].ty.clone())
    }

    fn callee(&self, callee: Callee) -> Option<(&Code, Option<LocalId>)> {
        let actions = self.song.actions()?;
        match callee {
            Callee::Action(id) => {
                let action = actions.actions.get(id.index())?;
                Some((&action.code, action.role.result))
            }
            Callee::Procedure(id) => {
                let procedure = actions.procedures.get(id.index())?;
                Some((&procedure.code, procedure.result))
            }
        }
    }

    fn loop_body(&mut self, body: &Block) {
        self.loops += 1;
        self.block(body);
        self.loops -= 1;
    }

    fn arguments(&mut self, arguments: &[Expr], wanted: Option<Vec<Ty>>, span: Span) {
        let result = match wanted {
            Some(wanted) => self.known().all_of(arguments, &wanted),
            None => Err("there is no such message or action".to_owned()),
        };
        self.expect(span, result);
    }

    fn source(&mut self, source: &Source, span: Span) {
        match source {
            Source::Process(_) | Source::Anyone(None) => {}
            Source::Anyone(Some(who)) => self.bind_sender(*who),
            Source::Family(family, index, who) => {
                if !self.is_process(*family) {
                    self.wrong(span, "messages come from processes");
                    return;
                }
                let rows = &self.song.families[family.index()].index;
                if !index.is_empty() && index.len() != rows.len() {
                    self.wrong(span, "the indices of a sender are named all or none");
                }
                for (local, row) in index.iter().zip(rows) {
                    self.bind_fixed(*local);
                    self.is_element(*local, Some(&row.ty));
                }
                if let Some(who) = who {
                    self.bind_sender(*who);
                }
            }
        }
    }

    fn bind_sender(&mut self, who: LocalId) {
        self.bind_fixed(who);
        self.is_element(who, Some(&Ty::Process));
    }
}

fn types(rows: &[Local]) -> Vec<Ty> {
    rows.iter().map(|row| row.ty.clone()).collect()
}

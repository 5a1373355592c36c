//! Sequentializations.

use super::Lowering;
use super::codes::layers::SCHEDULE;
use super::unit::{Binder, Home};
use crate::ast::{self, AstNode};
use crate::names::Signal;
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::visit::{Visit, VisitMut, walk, walk_mut};
use plainsong_ir::{
    Action, ActionId, Callee, Code, Eliminated, Induction, Sequentialization, Stmt, StmtKind,
};

impl Lowering<'_> {
    /// The sequentializations, in the order in which they are applied.
    pub(crate) fn sequences(
        &mut self,
        items: &[ast::SequentializeItem],
        actions: &[Action],
    ) -> Vec<Sequentialization> {
        let all = items.iter();
        all.map(|item| self.sequence(item, actions)).collect()
    }

    fn sequence(&mut self, item: &ast::SequentializeItem, actions: &[Action]) -> Sequentialization {
        self.begin(Home::Schedule);
        let into = item.into().and_then(|name| self.named_action(&name));
        let mark = self.unit.enter();
        let mut by = into.and_then(|into| self.induction(item, into, actions));
        let arity = by.as_ref().map_or(0, |by| by.named.iter().sum());
        for local in by.iter().flat_map(|by| by.named[0]..arity) {
            // What is chosen next is assigned.
            self.unit.locals[local].mutable = true;
            self.unit.binders[local] = Binder::Var;
        }
        let (mut body, _) = self.block(item.block());
        self.unit.leave(mark);
        let mut eliminated: Vec<Eliminated> = Vec::new();
        let mut span = item.span();
        for (at, written) in item.eliminated().enumerate() {
            let Some(name) = written.name() else { continue };
            if at == 0 {
                span = name.span();
            }
            for action in self.named_actions(&name) {
                if eliminated.iter().any(|known| known.action == action) {
                    let message = format!("`{}` is eliminated twice", name.text());
                    self.report(Diagnostic::error(&SCHEDULE, name.span(), message));
                }
                let by = written.by().and_then(|name| self.named_action(&name));
                if let Some(by) = by {
                    self.same_parameters(action, by, written.span());
                }
                eliminated.push(Eliminated { action, by });
            }
        }
        let mut invariants = Vec::new();
        for clause in item.invariants() {
            invariants.push(self.condition(clause.condition(), clause.span(), "invariant"));
        }
        let measures = item.decreases().flat_map(|clause| self.measures(&clause));
        let mut decreases: Vec<_> = measures.collect();
        let locals = self.finish(|filler| {
            let with = by.iter_mut().flat_map(|by| &mut by.with);
            let with = with.map(|(_, value)| value);
            for expr in invariants.iter_mut().chain(&mut decreases).chain(with) {
                filler.expr(expr);
            }
            walk_mut::block(filler, &mut body);
        });
        let mut calls = Calls {
            eliminated: &eliminated,
            wrong: Vec::new(),
        };
        calls.block(&body);
        for span in calls.wrong {
            let message =
                "a schedule runs the actions that it eliminates, and they have no results";
            self.report(
                Diagnostic::error(&SCHEDULE, span, message)
                    .help("name the action after `sequentialize`, or let another schedule run it"),
            );
        }
        Sequentialization {
            eliminated,
            into,
            by,
            invariants,
            decreases,
            code: Code {
                arity,
                locals,
                body,
            },
            span,
        }
    }

    /// `as B by I(x) choosing k with k = e`
    fn induction(
        &mut self,
        item: &ast::SequentializeItem,
        into: ActionId,
        actions: &[Action],
    ) -> Option<Induction> {
        let becomes = item.becomes()?;
        let side = item.by()?;
        let becomes_id = self.named_action(&becomes)?;
        let (invariant, named) = self.commute_side(&side, actions)?;
        self.same_parameters(into, becomes_id, becomes.span());
        self.same_parameters(into, invariant, side.span());
        let mut with = Vec::new();
        for witness in item.witnesses() {
            with.push(self.witness(&witness, [named, [0, 0]])?);
        }
        Some(Induction {
            becomes: becomes_id,
            invariant,
            named,
            with,
        })
    }

    /// The action of this name, or what handles the messages of this name.
    fn named_actions(&mut self, name: &ast::Name) -> Vec<ActionId> {
        let Some(Signal::Message(message)) = self.names.signal(name.text()) else {
            return self.named_action(name).into_iter().collect();
        };
        let rows = self.message_actions.iter().enumerate();
        let own = rows.filter(|(_, row)| row.message == message);
        let own: Vec<ActionId> = own.map(|(at, _)| ActionId::from(at)).collect();
        if own.is_empty() {
            let message = format!("no handler takes `{}`", name.text());
            self.report(
                Diagnostic::error(&SCHEDULE, name.span(), message)
                    .help("schedules speak about processes with handlers (`on`)"),
            );
        }
        own
    }

    /// The action of a name, or a report.
    pub(super) fn named_action(&mut self, name: &ast::Name) -> Option<ActionId> {
        match self.names.signal(name.text()) {
            Some(Signal::Action(id)) => Some(id),
            _ => {
                self.unknown_signal(name, "action");
                None
            }
        }
    }

    fn same_parameters(&mut self, action: ActionId, by: ActionId, span: Span) {
        let types = |row: &super::signatures::ActionSignature| -> Vec<_> {
            row.params.iter().map(|param| param.ty.clone()).collect()
        };
        let (one, other) = (&self.actions[action.index()], &self.actions[by.index()]);
        if types(one) != types(other) {
            let message = format!(
                "`{}` and `{}` have different parameters",
                one.name, other.name
            );
            self.report(
                Diagnostic::error(&SCHEDULE, span, message)
                    .help("what stands in the place of an action has parameters of the same types"),
            );
        }
    }
}

/// Collects calls that a schedule cannot make.
struct Calls<'s> {
    eliminated: &'s [Eliminated],
    wrong: Vec<Span>,
}

impl Visit for Calls<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Call(result, call) = &stmt.kind {
            let known = self.eliminated.iter();
            let known = known.map(|one| Callee::Action(one.action));
            if result.is_some() || !known.into_iter().any(|one| one == call.callee) {
                self.wrong.push(call.span);
            }
        }
        walk::stmt(self, stmt);
    }
}

//! Global variables and actions.

use super::Lowering;
use super::signatures::name_and_span;
use super::temporal::declared;
use super::unit::{Binder, Home};
use crate::ast;
use crate::kinds::SyntaxKind;
use plainsong_ir::visit::{VisitMut, walk_mut};
use plainsong_ir::{Action, Code, Global, InvariantCall, LocalId, Mover, Role, StartValue};

impl Lowering<'_> {
    /// The globals, each seeing those before it.
    pub(crate) fn globals(&mut self, items: &[ast::VarDecl]) -> Vec<Global> {
        for item in items {
            let (name, span) = name_and_span(item.name());
            self.begin(Home::GlobalStart);
            let (mut start, ty) = self.start_value(item);
            let locals = self.finish_start(&mut start);
            let ty = match (&start, ty) {
                (_, Some(ty)) => ty,
                (StartValue::Value(value), None) => value.ty.clone(),
                (StartValue::Choice(choice), None) => locals[choice.local.index()].ty.clone(),
            };
            let layers = self.written_layers(item.layers().as_ref());
            let share = self.share(item, &ty);
            self.globals.push(Global {
                name,
                ty,
                start,
                locals,
                linear: item.is_linear(),
                share,
                layers,
                span,
            });
        }
        self.globals.clone()
    }

    /// The actions with their statements.
    pub(crate) fn action_bodies(&mut self, items: &[ast::ActionItem]) -> Vec<Action> {
        let mut actions = Vec::new();
        for (at, item) in items.iter().enumerate() {
            self.begin(Home::Action);
            let params = self.actions[at].params.clone();
            self.bind_parameters(&params, item.binders().as_ref(), Binder::Parameter);
            let result = self.bind_result(self.actions[at].result.clone());
            let (mut body, _) = self.block(item.block());
            self.is_assigned(result, &body);
            let calls = item.uses().flat_map(|written| written.calls());
            let calls: Vec<_> = calls.collect();
            let mut requires: Vec<InvariantCall> = calls
                .iter()
                .filter_map(|call| self.invariant_call(call))
                .collect();
            let locals = self.finish(|filler| {
                let arguments = requires.iter_mut().flat_map(|one| &mut one.arguments);
                arguments.for_each(|expr| filler.expr(expr));
                walk_mut::block(filler, &mut body);
            });
            let refines = item.refines().and_then(|name| self.named_action(&name));
            let code = Code {
                arity: params.len(),
                locals,
                body,
            };
            let layers = self.written_layers(item.layers().as_ref());
            let row = &self.actions[at];
            let gives = row.gives;
            let linear = row.linear.iter().map(|at| LocalId::from(*at)).collect();
            let taken = row.taken.iter().map(|at| LocalId::from(*at)).collect();
            let given = row.given.iter().map(|at| LocalId::from(*at)).collect();
            actions.push(Action {
                name: row.name.clone(),
                code,
                role: Role {
                    moves: None,
                    mover: item.mover().and_then(mover),
                    layers,
                    linear,
                    taken,
                    given,
                    result,
                    gives,
                    refines,
                    requires,
                    handles: None,
                    repeat: item.is_repeated(),
                    fairness: declared((item.is_unfair(), item.is_fair(), item.is_strong())),
                },
                span: row.span,
            });
        }
        actions
    }
}

pub(super) fn mover(kind: SyntaxKind) -> Option<Mover> {
    Some(match kind {
        SyntaxKind::AtomicKw => Mover::Atomic,
        SyntaxKind::LeftKw => Mover::Left,
        SyntaxKind::RightKw => Mover::Right,
        SyntaxKind::BothKw => Mover::Both,
        _ => return None,
    })
}

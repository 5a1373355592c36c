//! Global variables and actions.

use super::Lowering;
use super::signatures::name_and_span;
use super::unit::{Binder, Home};
use crate::ast;
use plainsong_ir::{Action, Code, Global, StartValue};

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
            self.globals.push(Global {
                name,
                ty,
                start,
                locals,
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
            let (mut body, _) = self.block(item.block());
            let locals = self.finish_block(&mut body);
            let code = Code {
                arity: params.len(),
                locals,
                body,
            };
            let row = &self.actions[at];
            actions.push(Action {
                name: row.name.clone(),
                code,
                span: row.span,
            });
        }
        actions
    }
}

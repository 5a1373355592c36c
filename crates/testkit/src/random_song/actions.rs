//! Globals and actions.

use super::composer::Composer;
use super::names::Kind;
use super::scope::{Home, Scope};
use super::stmts::stmt;
use plainsong_ir::{
    Action, ActionId, Actions, Code, Global, Local, Role, Stmt, StmtKind, System, Ty,
};

impl Composer {
    /// Writes globals, actions and `init`.
    pub(super) fn action_system(&mut self) {
        self.song.system = System::Actions(Actions::default());
        for known in 0..self.dice.between(1, 2 + self.size) {
            self.global(known);
        }
        let parameters: Vec<Vec<Local>> = (0..self.dice.between(1, 1 + self.size))
            .map(|_| self.parameters())
            .collect();
        let types = |rows: &Vec<Local>| rows.iter().map(|row| row.ty.clone()).collect();
        self.actions = parameters.iter().map(types).collect();
        let actions = parameters.into_iter().map(|rows| {
            let name = self.item_name(Kind::Signal);
            Action {
                name,
                code: self.action_code(rows),
                role: Default::default(),
                span: Default::default(),
            }
        });
        let mut actions: Vec<Action> = actions.collect();
        actions.extend(self.repeated_action());
        let init = self.dice.once_in(2).then(|| self.action_code(Vec::new()));
        if let System::Actions(system) = &mut self.song.system {
            system.actions = actions;
            system.init = init;
        }
    }

    /// Now and then, an action that is always on offer. Nobody leaves it pending or counts it.
    fn repeated_action(&mut self) -> Option<Action> {
        if !self.dice.once_in(3) {
            return None;
        }
        let (_, rows) = self.within(Scope::default(), |c| {
            for _ in 0..c.dice.below(3) {
                let ty = c.finite_ty();
                c.bind_fresh(ty);
            }
        });
        let name = self.item_name(Kind::Signal);
        Some(Action {
            name,
            code: self.action_code(rows),
            role: Role {
                repeat: true,
                ..Role::default()
            },
            span: Default::default(),
        })
    }

    fn global(&mut self, known: usize) {
        let name = self.item_name(Kind::State);
        let ty = self.ty(2);
        let scope = Scope {
            globals: known,
            ..Scope::new(Home::GlobalStart)
        };
        let (start, locals) = self.within(scope, |c| c.start_value(&ty, &name));
        if let System::Actions(system) = &mut self.song.system {
            system.globals.push(Global {
                name,
                ty,
                start,
                locals,
                linear: false,
                share: None,
                layers: None,
                span: Default::default(),
            });
        }
    }

    /// Parameters of an action or a function.
    pub(super) fn parameters(&mut self) -> Vec<Local> {
        let (_, rows) = self.within(Scope::default(), |c| {
            for _ in 0..c.dice.below(4) {
                let ty = c.ty(2);
                c.bind_fresh(ty);
            }
        });
        rows
    }

    fn action_code(&mut self, parameters: Vec<Local>) -> Code {
        let arity = parameters.len();
        let visible = (0..arity).map(Into::into).collect();
        let globals = self
            .song
            .actions()
            .map_or(0, |actions| actions.globals.len());
        let scope = Scope {
            locals: parameters,
            visible,
            globals,
            ..Scope::new(Home::Action)
        };
        let (body, locals) = self.within(scope, |c| {
            (0..c.dice.between(1, 2 + c.size))
                .map(|_| c.stmt(2))
                .collect()
        });
        Code {
            arity,
            locals,
            body,
        }
    }

    /// `async A(…);`
    pub(super) fn async_stmt(&mut self) -> Stmt {
        let depth = self.depth();
        let at = self.dice.below(self.actions.len());
        let types: Vec<Ty> = self.actions[at].clone();
        let arguments = self.checks(&types, depth);
        stmt(StmtKind::Async(ActionId::from(at), arguments))
    }
}

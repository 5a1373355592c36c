//! Permissions: a `linear` value is held by one thread only.
//!
//! Statement. The values of the `linear` parameters of everything that runs at one time are different:
//! a call lends its caller's permission and gets it back, `async` gives it away, and `init` hands each
//! one out once. So arguments of `linear` parameters are `linear` parameters of the caller, each at most
//! once among the arguments of a call (or of all arms of a `par` together, which run at one time; the
//! invariants of a `yield` likewise), and not after `async` took it. A `linear` variable holds the
//! permissions that nobody else has; actions take them out and give them as `linear` results, to the name
//! that a call binds.
//!
//! Why sound. Induction over steps: the permissions of a frame are those of its caller, which is
//! suspended; arms of a `par` hold different ones of the same caller; what is started by `async` holds
//! what its starter has no more. In the beginning they differ because each started thread has its own
//! element of a whole sort, no second `async` of `init` hands out the same sort, and none is handed out
//! that a variable holds. That actions do not double what variables hold is shown by `plainsong-refine`.
//!
//! NOT COVERED. Several variables with permissions of one type; introducing one; permissions that a call
//! takes for good.

use super::Lowering;
use super::codes::layers::PERMISSION;
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{
    ActionId, Actions, Block, Call, Callee, Domain, Expr, ExprKind, LocalId, Procedure, Root,
    StartValue, Stmt, StmtKind, Ty,
};
use std::collections::{BTreeMap, BTreeSet};

impl Lowering<'_> {
    /// Reports permissions that are not there, or there twice.
    pub(super) fn permissions(&mut self, actions: &Actions) {
        let mut found = Found {
            actions,
            diagnostics: Vec::new(),
        };
        found.globals();
        found.asyncs();
        for procedure in &actions.procedures {
            found.procedure(procedure);
        }
        if let Some(init) = &actions.init {
            found.init(&init.body, &mut BTreeMap::new(), &mut BTreeSet::new());
        }
        let diagnostics = found.diagnostics;
        diagnostics.into_iter().for_each(|one| self.report(one));
    }
}

/// The permissions that are available.
type Held = BTreeSet<LocalId>;

struct Found<'s> {
    actions: &'s Actions,
    diagnostics: Vec<Diagnostic>,
}

impl Found<'_> {
    fn wrong(&mut self, span: Span, message: impl Into<String>, help: &str) {
        let diagnostic = Diagnostic::error(&PERMISSION, span, message).help(help);
        self.diagnostics.push(diagnostic);
    }

    fn globals(&mut self) {
        let mut seen = BTreeSet::new();
        for global in self.actions.globals.iter().filter(|one| one.linear) {
            let Ty::Set(of) = &global.ty else {
                let message = "a variable that holds permissions is a set of them";
                self.wrong(
                    global.span,
                    message,
                    "write `linear var free: set<Tid> = …;`",
                );
                continue;
            };
            if !seen.insert(of.clone()) {
                let message = "another variable holds permissions of this type";
                self.wrong(global.span, message, "let one variable hold all of them");
            }
            if global.layers.is_some_and(|layers| layers.first > 0) {
                let message = "a variable that holds permissions is there from the beginning";
                self.wrong(global.span, message, "write `@ 0..n`");
            }
        }
    }

    /// Does a variable hold permissions of this type from the start?
    fn holds(&self, ty: &Ty) -> bool {
        let mut globals = self.actions.globals.iter().filter(|one| one.linear);
        let empty = |start: &StartValue| match start {
            StartValue::Value(value) => {
                matches!(&value.kind, ExprKind::Literal(all) if all.is_empty())
            }
            StartValue::Choice(_) => false,
        };
        globals.any(|one| one.ty.element() == Some(ty) && !empty(&one.start))
    }

    /// An action that leaves another behind cannot hand on a permission.
    fn asyncs(&mut self) {
        for action in &self.actions.actions {
            let mut asyncs = Asyncs(Vec::new());
            action.code.body.iter().for_each(|stmt| asyncs.stmt(stmt));
            for (id, span) in asyncs.0 {
                if !self.actions.actions[id.index()].role.linear.is_empty() {
                    let message = "permissions are not handed on by `async` in actions yet";
                    self.wrong(span, message, "let the parameter be an ordinary one");
                }
            }
        }
    }

    fn procedure(&mut self, procedure: &Procedure) {
        let held: Held = procedure.linear.iter().copied().collect();
        let kept = self.block(held.clone(), &procedure.code.body);
        if let Some(lost) = held.difference(&kept).next() {
            let name = procedure.code.locals[lost.index()].name.clone();
            let message = format!("`{name}` is given away, but the caller gets it back");
            let help = "what is started by `async` needs a permission of its own";
            self.wrong(procedure.span, message, help);
        }
        if let Some(result) = procedure.result.filter(|_| procedure.gives)
            && !kept.contains(&result)
        {
            let message = "the result carries no permission";
            let help =
                "assign it the name of a permission: `t = fresh;` after `let fresh = call …;`";
            self.wrong(procedure.code.locals[result.index()].span, message, help);
        }
        for clause in &procedure.clauses {
            let call = &clause.call;
            let of = &self.actions.invariants[call.invariant.index()].linear;
            let mut held = kept.clone();
            self.take(&mut held, of, &call.arguments);
        }
    }

    fn block(&mut self, mut held: Held, block: &Block) -> Held {
        for stmt in block {
            held = self.stmt(held, stmt);
        }
        held
    }

    fn stmt(&mut self, mut held: Held, stmt: &Stmt) -> Held {
        match &stmt.kind {
            StmtKind::Call(result, call) => {
                self.lend(&held, std::slice::from_ref(call));
                let gives = match call.callee {
                    Callee::Action(id) => self.actions.actions[id.index()].role.gives,
                    Callee::Procedure(id) => self.actions.procedures[id.index()].gives,
                };
                held.extend(result.filter(|_| gives));
            }
            StmtKind::Assign(place, value) if place.path.is_empty() => {
                if let Root::Local(local) = place.root {
                    let moved = match &value.kind {
                        ExprKind::Local(from) => held.remove(from),
                        _ => false,
                    };
                    held.remove(&local);
                    held.extend(moved.then_some(local));
                }
            }
            StmtKind::Par(calls) => self.lend(&held, calls),
            StmtKind::Spawn(id, arguments) => {
                let linear = &self.actions.procedures[id.index()].linear;
                self.take(&mut held, linear, arguments);
            }
            StmtKind::Yield(calls) => {
                let mut free = held.clone();
                for call in calls {
                    let linear = &self.actions.invariants[call.invariant.index()].linear;
                    self.take(&mut free, linear, &call.arguments);
                }
            }
            StmtKind::If(_, yes, no) | StmtKind::Maybe(yes, no) => {
                let yes = self.block(held.clone(), yes);
                let no = self.block(held, no);
                return &yes & &no;
            }
            StmtKind::Match(_, arms) => {
                let mut all = held.clone();
                for (_, body) in arms {
                    let after = self.block(held.clone(), body);
                    all = &all & &after;
                }
                return all;
            }
            StmtKind::While(_, _, body) | StmtKind::For { body, .. } => {
                let after = self.block(held.clone(), body);
                if !held.is_subset(&after) {
                    let message = "a permission is given away in a loop";
                    self.wrong(stmt.span, message, "the next round has it no more");
                }
            }
            _ => {}
        }
        held
    }

    /// Calls that run at one time and give back what they take.
    fn lend(&mut self, held: &Held, calls: &[Call]) {
        let mut free = held.clone();
        for call in calls {
            let linear = match call.callee {
                Callee::Action(id) => &self.actions.actions[id.index()].role.linear,
                Callee::Procedure(id) => &self.actions.procedures[id.index()].linear,
            };
            self.take(&mut free, linear, &call.arguments);
        }
    }

    fn take(&mut self, held: &mut Held, linear: &[LocalId], arguments: &[Expr]) {
        for parameter in linear {
            let argument = &arguments[parameter.index()];
            let taken = match &argument.kind {
                ExprKind::Local(local) => held.remove(local),
                _ => false,
            };
            if !taken {
                let help = "pass a `linear` parameter of this procedure that is not in use";
                self.wrong(argument.span, "no permission is available here", help);
            }
        }
    }

    /// `init`: each started thread has its own element of a whole sort.
    fn init(&mut self, block: &Block, loops: &mut BTreeMap<LocalId, Ty>, given: &mut BTreeSet<Ty>) {
        for stmt in block {
            match &stmt.kind {
                StmtKind::Spawn(id, arguments) => {
                    let linear = &self.actions.procedures[id.index()].linear;
                    self.start(linear, arguments, loops, given, stmt.span);
                }
                StmtKind::Async(id, arguments) => {
                    let linear = &self.actions.actions[id.index()].role.linear;
                    self.start(linear, arguments, loops, given, stmt.span);
                }
                StmtKind::For {
                    local,
                    domain,
                    body,
                    ..
                } => {
                    let whole = match domain {
                        Domain::Type(ty) => Some(ty.clone()),
                        Domain::In(Expr {
                            kind: ExprKind::All(ty),
                            ..
                        }) => Some(ty.clone()),
                        Domain::In(_) => None,
                    };
                    let mut inner = loops.clone();
                    inner.insert(*local, whole.unwrap_or(Ty::Bool));
                    self.init(body, &mut inner, given);
                }
                StmtKind::If(_, yes, no) | StmtKind::Maybe(yes, no) => {
                    self.init(yes, loops, given);
                    self.init(no, loops, given);
                }
                StmtKind::Match(_, arms) => {
                    arms.iter()
                        .for_each(|(_, body)| self.init(body, loops, given));
                }
                StmtKind::While(_, _, body) => self.init(body, loops, given),
                _ => {}
            }
        }
    }

    fn start(
        &mut self,
        linear: &[LocalId],
        arguments: &[Expr],
        loops: &BTreeMap<LocalId, Ty>,
        given: &mut BTreeSet<Ty>,
        span: Span,
    ) {
        let only = loops.len() == 1;
        for parameter in linear {
            let argument = &arguments[parameter.index()];
            let whole = match &argument.kind {
                ExprKind::Local(local) => loops.get(local).filter(|ty| matches!(ty, Ty::Sort(_))),
                _ => None,
            };
            let Some(sort) = whole.filter(|_| only) else {
                let help = "hand out permissions with one loop: `for t in Tid { async p(t); }`";
                self.wrong(
                    argument.span,
                    "this permission may be handed out twice",
                    help,
                );
                continue;
            };
            if self.holds(sort) {
                let message = "a variable holds the permissions of this sort";
                self.wrong(argument.span, message, "let threads take them from there");
            }
            if !given.insert(sort.clone()) {
                let help = "start both from one procedure, or use two sorts";
                self.wrong(
                    span,
                    "the permissions of this sort are handed out already",
                    help,
                );
            }
        }
    }
}

/// Collects the asyncs of an action.
struct Asyncs(Vec<(ActionId, Span)>);

impl Visit for Asyncs {
    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Async(id, _) = &stmt.kind {
            self.0.push((*id, stmt.span));
        }
        walk::stmt(self, stmt);
    }
}

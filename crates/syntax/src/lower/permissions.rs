//! Permissions: a `linear` value is held by one thread only.
//!
//! Statement. The values of the `linear` parameters of everything that runs at one time are different:
//! a call lends its caller's permission and gets it back, unless its parameter is declared `take`; `async`
//! gives it away, and `init` hands each one out once. So arguments of `linear` parameters are `linear` parameters of the caller, each at most
//! once among the arguments of a call (or of all arms of a `par` together, which run at one time), and not after
//! `async` took it. A `linear` variable holds the
//! permissions that nobody else has; actions take them out and give them as `linear` results, to the name
//! that a call binds, or to a parameter declared `give`, or put back what they `take`.
//!
//! A type whose permissions are split (`splits.rs`) is the same as the enum of the parts here: what is handed out as a
//! whole is not handed out in parts.
//!
//! What is available behind a statement is available on every way there, `break` and `continue` included.
//!
//! Why sound. Induction over steps: the permissions of a frame are those of its caller, which is
//! suspended; arms of a `par` hold different ones of the same caller; what is started by `async` holds
//! what its starter has no more. In the beginning they differ because each started thread has its own
//! element of a whole sort, no second `async` of `init` hands out the same sort, and none is handed out
//! that a variable holds. That actions do not double what variables hold is shown by `plainsong-refine`.
//!
//! NOT COVERED. Several variables with permissions of one type; introducing one.

use super::Lowering;
use super::codes::layers::PERMISSION;
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::permission::permission_ty;
use plainsong_ir::{
    Action, Actions, Block, Call, Callee, Domain, EnumDecl, Expr, ExprKind, LocalId, Procedure,
    Root, StartValue, Stmt, StmtKind, Ty,
};
use std::collections::{BTreeMap, BTreeSet};

impl Lowering<'_> {
    /// Reports permissions that are not there, or there twice.
    pub(super) fn permissions(&mut self, actions: &Actions, enums: &[EnumDecl]) {
        let mut found = Found {
            actions,
            enums,
            loops: Vec::new(),
            diagnostics: Vec::new(),
        };
        found.globals();
        actions.actions.iter().for_each(|one| found.required(one));
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

/// What is available on the ways out of a loop's body, other than its end.
#[derive(Default)]
struct Ways {
    left: Vec<Held>,
    again: Vec<Held>,
}

struct Found<'s> {
    actions: &'s Actions,
    enums: &'s [EnumDecl],
    /// For each loop around, what is available where it is left, and where its next round begins.
    loops: Vec<Ways>,
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
            if !seen.insert(permission_ty(self.enums, of)) {
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
        let alike = |one: &Ty| permission_ty(self.enums, one) == permission_ty(self.enums, ty);
        globals.any(|one| one.ty.element().is_some_and(alike) && !empty(&one.start))
    }

    /// What an action requires speaks about its own permissions.
    fn required(&mut self, action: &Action) {
        for call in &action.role.requires {
            let mut held: Held = action.role.linear.iter().copied().collect();
            let of = &self.actions.invariants[call.invariant.index()].linear;
            self.take(&mut held, of, &call.arguments);
        }
    }

    fn procedure(&mut self, procedure: &Procedure) {
        let held: Held = procedure.linear.iter().copied().collect();
        // Where the end is never reached, nothing is missing there.
        let kept = self.block(held.clone(), &procedure.code.body);
        let taken: Held = procedure.taken.iter().copied().collect();
        let lost = kept.as_ref().and_then(|kept| {
            let lost = held
                .iter()
                .find(|one| !kept.contains(one) && !taken.contains(one));
            lost.copied()
        });
        if let Some(lost) = lost {
            let name = procedure.code.locals[lost.index()].name.clone();
            let message = format!("`{name}` is given away, but the caller gets it back");
            let help = "declare it `take`, so that callers know; or let the other one have a permission of its own";
            self.wrong(procedure.span, message, help);
        }
        let missing = kept.as_ref().and_then(|kept| {
            let mut given = procedure.given.iter();
            given.find(|one| !kept.contains(one)).copied()
        });
        if let Some(missing) = missing {
            let name = procedure.code.locals[missing.index()].name.clone();
            let message = format!("the caller gets `{name}`, but it is not there at the end");
            let help = "call what gives it: an action or a procedure with a parameter `give`";
            self.wrong(procedure.span, message, help);
        }
        let kept = kept.unwrap_or_else(|| &held | &procedure.given.iter().copied().collect());
        if let Some(result) = procedure.result.filter(|_| procedure.gives)
            && !kept.contains(&result)
        {
            let message = "the result carries no permission";
            let help =
                "assign it the name of a permission: `t = fresh;` after `let fresh = call …;`";
            self.wrong(procedure.code.locals[result.index()].span, message, help);
        }
        let kept: Held = kept.difference(&taken).copied().collect();
        for clause in &procedure.clauses {
            let call = &clause.call;
            let of = &self.actions.invariants[call.invariant.index()].linear;
            if clause.kind.is_at_entry() {
                self.take(&mut held.clone(), of, &call.arguments);
            }
            if clause.kind.is_at_exit() {
                self.take(&mut kept.clone(), of, &call.arguments);
            }
        }
    }

    /// What is available behind a block; `None` if its end is never reached.
    fn block(&mut self, held: Held, block: &Block) -> Option<Held> {
        let mut held = Some(held);
        for stmt in block {
            held = self.stmt(held?, stmt);
        }
        held
    }

    fn stmt(&mut self, mut held: Held, stmt: &Stmt) -> Option<Held> {
        match &stmt.kind {
            StmtKind::Call(result, call) => {
                self.lend(&mut held, std::slice::from_ref(call));
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
            StmtKind::Assign(place, _) | StmtKind::AssignChoice(place, _) => {
                if let Root::Local(local) = place.root {
                    held.remove(&local);
                }
            }
            StmtKind::Par(calls) => self.lend(&mut held, calls),
            StmtKind::Spawn(id, arguments) => {
                let linear = &self.actions.procedures[id.index()].linear;
                self.take(&mut held, linear, arguments);
            }
            StmtKind::Yield(calls) => {
                // Several invariants may speak about one permission: it is the same thread's.
                for call in calls {
                    let linear = &self.actions.invariants[call.invariant.index()].linear;
                    self.take(&mut held.clone(), linear, &call.arguments);
                }
            }
            StmtKind::If(_, yes, no) | StmtKind::Maybe(yes, no) => {
                let yes = self.block(held.clone(), yes);
                let no = self.block(held, no);
                return common(yes, no);
            }
            StmtKind::Match(_, arms) => {
                let mut all = None;
                for (_, body) in arms {
                    let after = self.block(held.clone(), body);
                    all = common(all, after);
                }
                return all;
            }
            StmtKind::While(_, _, body) | StmtKind::For { body, .. } => {
                return Some(self.repeated(held, body, stmt.span));
            }
            StmtKind::Break | StmtKind::Continue => {
                if let Some(ways) = self.loops.last_mut() {
                    match stmt.kind {
                        StmtKind::Break => ways.left.push(held),
                        _ => ways.again.push(held),
                    }
                }
                return None;
            }
            _ => {}
        }
        Some(held)
    }

    /// A loop: each round begins with what the first one began with. Behind it there is what was there
    /// before it, on every way out.
    fn repeated(&mut self, held: Held, body: &Block, span: Span) -> Held {
        self.loops.push(Ways::default());
        let end = self.block(held.clone(), body);
        let ways = self.loops.pop().unwrap_or_default();
        let mut again = end.iter().chain(&ways.again);
        if !again.all(|end| held.is_subset(end)) {
            let message = "a permission is given away in a loop";
            self.wrong(span, message, "the next round has it no more");
        }
        ways.left.iter().fold(held, |all, one| &all & one)
    }

    /// Calls that run at one time; what they do not take for good comes back.
    fn lend(&mut self, held: &mut Held, calls: &[Call]) {
        let (mut free, mut gets) = (held.clone(), Held::new());
        for call in calls {
            let (linear, taken, given) = match call.callee {
                Callee::Action(id) => {
                    let role = &self.actions.actions[id.index()].role;
                    (&role.linear, &role.taken, &role.given)
                }
                Callee::Procedure(id) => {
                    let decl = &self.actions.procedures[id.index()];
                    (&decl.linear, &decl.taken, &decl.given)
                }
            };
            gets.extend(self.received(given, &call.arguments));
            self.take(&mut free, linear, &call.arguments);
            for parameter in taken {
                if let ExprKind::Local(local) = &call.arguments[parameter.index()].kind {
                    held.remove(local);
                }
            }
        }
        held.extend(gets);
    }

    /// The names under which permissions are given.
    fn received(&mut self, given: &[LocalId], arguments: &[Expr]) -> Held {
        let mut gets = Held::new();
        for parameter in given {
            let argument = &arguments[parameter.index()];
            match &argument.kind {
                ExprKind::Local(local) => {
                    gets.insert(*local);
                }
                _ => {
                    let message = "a permission is given to a name";
                    self.wrong(argument.span, message, "pass a parameter or a variable");
                }
            }
        }
        gets
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
                StmtKind::Assign(place, _) | StmtKind::AssignChoice(place, _) => {
                    if let Root::Global(id) = place.root
                        && self.actions.globals[id.index()].linear
                    {
                        let message = "`init` hands out permissions, and puts none into variables";
                        let help = "give the variable its first value where it is declared";
                        self.wrong(place.span, message, help);
                    }
                }
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
            if !given.insert(permission_ty(self.enums, sort)) {
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

/// What is available on both ways, of those that go on.
fn common(a: Option<Held>, b: Option<Held>) -> Option<Held> {
    match (a, b) {
        (Some(a), Some(b)) => Some(&a & &b),
        (a, b) => a.or(b),
    }
}

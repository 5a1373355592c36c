//! A sequentialization as a song whose `init` does everything.
//!
//! The song has the globals and one variable for each action that can be pending ([`Bags`]), the actions and
//! behind them the abstractions, and an `init` that runs the old `init` and then the schedules one after the
//! other. `async A(e)` counts one more, `call A(e)` asserts that there is one, counts it down and runs the
//! abstraction; behind a schedule nothing of what it eliminates is pending.

use super::asserted::asserted;
use super::bag::{Bags, Ledger, int};
use super::inline::{inlined, inlined_expr};
use super::laws::laws;
use super::pool::pool;
use plainsong_diagnostics::Span;
use plainsong_ir::visit::{VisitMut, walk_mut};
use plainsong_ir::{
    Action, ActionId, Actions, BinOp, Block, Call, Callee, Claim, Code, Expr, ExprKind, Local,
    LocalId, PendingOf, Sequentialization, Song, Stmt, StmtKind, System, Ty,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What an assertion of a staged song is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asserts {
    /// What a schedule runs is pending.
    Membership,
    /// Nothing of what a schedule eliminates is pending behind it.
    End,
    /// An invariant of the program holds when a schedule begins.
    Invariant,
}

/// A song that does what a program does after the first sequentializations.
pub(crate) struct Staged {
    pub(crate) song: Arc<Song>,
    /// For each sequentialization, the actions that it eliminates with their abstractions.
    pub(crate) eliminated: Vec<Vec<(ActionId, ActionId)>>,
    /// For each, the invariants of the program.
    pub(crate) invariants: Vec<Vec<Expr>>,
    /// For each, what is said to decrease.
    pub(crate) decreases: Vec<Vec<Expr>>,
    /// Where assertions come from.
    pub(crate) asserts: Vec<(Span, Asserts)>,
    /// For each, what it calls with which arguments, by the place in the text.
    pub(crate) calls: Vec<Calls>,
}

/// What a schedule calls with which arguments, by the place in the text: start and end.
pub(crate) type Calls = BTreeMap<(u32, u32), (ActionId, Vec<Expr>)>;

/// A song for proofs: what is pending is a function for each action.
pub(crate) struct Stage {
    /// The song.
    pub(crate) staged: Staged,
    /// What is pending.
    pub(crate) bags: Bags,
    /// For each sequentialization, the actions of which asyncs can be pending when it begins.
    pub(crate) pools: Vec<BTreeSet<ActionId>>,
}

/// The song after the first `count` sequentializations, in which `ledger`, whose variables are among those of
/// `with`, says what is pending.
pub(crate) fn staged(song: &Song, count: usize, mut with: Actions, ledger: &dyn Ledger) -> Staged {
    let actions = song.actions().expect("asyncs are of actions");
    let mut eliminated = Vec::new();
    for sequence in &actions.sequences[..count] {
        eliminated.push(abstractions(&mut with, sequence));
    }
    let mut staging = StageBuilder {
        actions: &with,
        ledger,
        locals: Vec::new(),
        asserts: Vec::new(),
        calls: Vec::new(),
        count,
    };
    let mut body = match &actions.init {
        Some(init) => staging.code(init, &[]),
        None => Vec::new(),
    };
    let (mut invariants, mut decreases) = (Vec::new(), Vec::new());
    for (at, sequence) in actions.sequences[..count].iter().enumerate() {
        let own = staging.exprs(sequence, &sequence.invariants);
        decreases.push(staging.exprs(sequence, &sequence.decreases));
        for invariant in &own {
            body.push(staging.assert(invariant.clone(), Asserts::Invariant));
        }
        staging.calls.push(Calls::new());
        body.extend(staging.schedule(sequence, &eliminated[at], &own));
        invariants.push(own);
    }
    let StageBuilder {
        locals,
        asserts,
        calls,
        ..
    } = staging;
    with.init = Some(Code {
        arity: 0,
        locals,
        body,
    });
    with.sequences.clear();
    let mut whole = song.clone();
    for property in &mut whole.properties {
        if let Claim::Finally(claim) | Claim::Always(claim) = &mut property.claim {
            let mut counting = PendingReader {
                ledger,
                locals: &mut property.locals,
            };
            counting.expr(claim);
        }
    }
    whole.system = System::Actions(with);
    Staged {
        song: Arc::new(whole),
        eliminated,
        invariants,
        decreases,
        asserts,
        calls,
    }
}

impl Stage {
    /// The song after the first `count` sequentializations.
    pub(crate) fn new(song: &Song, count: usize) -> Stage {
        let actions = song.actions().expect("asyncs are of actions");
        let mut with = actions.clone();
        let mut bags = Bags::new(&mut with, &pool(actions, 0));
        bags.laws = laws(actions, count);
        Stage {
            staged: staged(song, count, with, &bags),
            bags,
            pools: (0..=count).map(|at| pool(actions, at)).collect(),
        }
    }

    /// An action of the staged song.
    pub(crate) fn action(&self, id: ActionId) -> &Action {
        &self.actions().actions[id.index()]
    }

    /// The actions of the staged song.
    pub(crate) fn actions(&self) -> &Actions {
        self.staged.song.actions().expect("it was made of actions")
    }

    /// The action whose asyncs an abstraction runs; itself if it is none.
    pub(crate) fn original(&self, id: ActionId) -> ActionId {
        let mut all = self.staged.eliminated.iter().flatten();
        let found = all.find(|(_, by)| *by == id);
        found.map_or(id, |(action, _)| *action)
    }
}

/// Puts abstractions behind the actions. Each has the name and the permissions of what it stands for.
pub(crate) fn abstractions(
    actions: &mut Actions,
    sequence: &Sequentialization,
) -> Vec<(ActionId, ActionId)> {
    let mut pairs = Vec::new();
    for one in &sequence.eliminated {
        let own = actions.actions[one.action.index()].clone();
        let mut by = match one.by {
            Some(by) => actions.actions[by.index()].clone(),
            None => asserted(&own),
        };
        by.role.linear = own.role.linear;
        pairs.push((one.action, ActionId::from(actions.actions.len())));
        actions.actions.push(by);
    }
    pairs
}

struct StageBuilder<'s> {
    actions: &'s Actions,
    ledger: &'s dyn Ledger,
    locals: Vec<Local>,
    asserts: Vec<(Span, Asserts)>,
    calls: Vec<Calls>,
    /// How many schedules there are.
    count: usize,
}

impl StageBuilder<'_> {
    /// Code with arguments, in which asyncs are counted.
    fn code(&mut self, code: &Code, arguments: &[Expr]) -> Block {
        let mut body = inlined(code, arguments, &mut self.locals);
        let mut asyncs = Asyncs(self.ledger);
        asyncs.block(&mut body);
        body
    }

    fn exprs(&mut self, sequence: &Sequentialization, exprs: &[Expr]) -> Vec<Expr> {
        let all = exprs.iter().map(|expr| {
            let mut expr = inlined_expr(expr, &sequence.code.locals, &mut self.locals);
            let mut counting = PendingReader {
                ledger: self.ledger,
                locals: &mut self.locals,
            };
            counting.expr(&mut expr);
            expr
        });
        all.collect()
    }

    fn assert(&mut self, condition: Expr, what: Asserts) -> Stmt {
        let span = condition.span;
        self.asserts.push((span, what));
        Stmt {
            kind: StmtKind::Assert(condition),
            span,
        }
    }

    fn schedule(
        &mut self,
        sequence: &Sequentialization,
        eliminated: &[(ActionId, ActionId)],
        invariants: &[Expr],
    ) -> Block {
        let mut body = inlined(&sequence.code, &[], &mut self.locals);
        let mut counting = PendingReader {
            ledger: self.ledger,
            locals: &mut self.locals,
        };
        walk_mut::block(&mut counting, &mut body);
        let mut relying = InvariantAssumer {
            staging: self,
            invariants,
        };
        relying.block(&mut body);
        let mut running = AbstractionCalls {
            staging: self,
            eliminated,
        };
        running.block(&mut body);
        body.extend(assumed(invariants, sequence.span));
        let gone: &[_] = match sequence.into {
            None => &sequence.eliminated[..],
            Some(_) => &[],
        };
        for one in gone {
            let none = self
                .ledger
                .none(one.action, &mut self.locals, sequence.span);
            body.push(self.assert(none, Asserts::End));
        }
        body
    }

    /// What `call A(e)` does.
    fn call(&mut self, call: &Call, eliminated: &[(ActionId, ActionId)]) -> Block {
        let Callee::Action(action) = call.callee else {
            return Vec::new();
        };
        let by = eliminated.iter().find(|(one, _)| *one == action);
        let Some((_, by)) = by else { return Vec::new() };
        let (mut body, arguments) = self.fixed(call);
        if let Some(calls) = self.calls.last_mut() {
            let place = (call.span.start, call.span.end);
            calls.insert(place, (action, arguments.clone()));
        }
        if self.calls.len() == self.count {
            body.extend(self.ledger.before_call(action, &arguments, call.span));
        }
        let count = self.ledger.count(action, &arguments, call.span);
        let some = Expr {
            kind: ExprKind::Binary(BinOp::Ge, Box::new(count), Box::new(int(1, call.span))),
            ty: Ty::Bool,
            span: call.span,
        };
        body.push(self.assert(some, Asserts::Membership));
        body.extend(self.ledger.change(action, &arguments, false, call.span));
        let code = self.actions.actions[by.index()].code.clone();
        body.extend(self.code(&code, &arguments));
        body
    }

    /// Gives names to arguments that read variables, which the action may write.
    fn fixed(&mut self, call: &Call) -> (Block, Vec<Expr>) {
        let mut lets = Vec::new();
        let mut arguments = Vec::new();
        for argument in &call.arguments {
            if matches!(
                argument.kind,
                ExprKind::Local(_) | ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Const(_)
            ) {
                arguments.push(argument.clone());
                continue;
            }
            let local = LocalId::from(self.locals.len());
            self.locals.push(Local {
                name: "argument".to_owned(),
                ty: argument.ty.clone(),
                mutable: false,
                span: argument.span,
            });
            lets.push(Stmt {
                kind: StmtKind::Let(local, argument.clone()),
                span: argument.span,
            });
            arguments.push(Expr {
                kind: ExprKind::Local(local),
                ..argument.clone()
            });
        }
        (lets, arguments)
    }
}

/// Counts asyncs where they are created.
struct Asyncs<'s>(&'s dyn Ledger);

impl VisitMut for Asyncs<'_> {
    fn block(&mut self, block: &mut Block) {
        walk_mut::block(self, block);
        let stmts = std::mem::take(block);
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Async(id, arguments) => {
                    block.extend(self.0.change(*id, arguments, true, stmt.span));
                }
                _ => block.push(stmt),
            }
        }
    }
}

/// Puts abstractions where a schedule calls actions.
struct AbstractionCalls<'a, 's> {
    staging: &'a mut StageBuilder<'s>,
    eliminated: &'a [(ActionId, ActionId)],
}

impl VisitMut for AbstractionCalls<'_, '_> {
    fn block(&mut self, block: &mut Block) {
        walk_mut::block(self, block);
        let stmts = std::mem::take(block);
        for stmt in stmts {
            match &stmt.kind {
                StmtKind::Call(_, call) => block.extend(self.staging.call(call, self.eliminated)),
                _ => block.push(stmt),
            }
        }
    }
}

/// Relies on what is always known about what is pending, and on the invariants of the program, where a `while` of a
/// schedule begins a round or has ended: a configuration has been reached there, between two calls. The invariants hold
/// when the schedule begins, which is asked, and every action and abstraction keeps them, which is asked too. Not inside of
/// a `for`, whose rounds are kept apart by what they read.
struct InvariantAssumer<'a, 's> {
    staging: &'a mut StageBuilder<'s>,
    invariants: &'a [Expr],
}

impl InvariantAssumer<'_, '_> {
    fn known(&mut self, span: Span) -> Block {
        let staging = &mut self.staging;
        let mut known = assumed(&staging.ledger.known(&mut staging.locals, span), span);
        known.extend(assumed(self.invariants, span));
        known
    }
}

fn assumed(all: &[Expr], span: Span) -> Block {
    let all = all.iter().cloned().map(StmtKind::Assume);
    all.map(|kind| Stmt { kind, span }).collect()
}

impl VisitMut for InvariantAssumer<'_, '_> {
    fn stmt(&mut self, stmt: &mut Stmt) {
        if !matches!(stmt.kind, StmtKind::For { .. }) {
            walk_mut::stmt(self, stmt);
        }
    }

    fn block(&mut self, block: &mut Block) {
        walk_mut::block(self, block);
        let stmts = std::mem::take(block);
        for mut stmt in stmts {
            let span = stmt.span;
            let mut after = Vec::new();
            if let StmtKind::While(_, _, body) = &mut stmt.kind {
                let known = self.known(span);
                body.splice(0..0, known);
                after = self.known(span);
            }
            block.push(stmt);
            block.extend(after);
        }
    }
}

/// Reads the variables where `pending` stands.
struct PendingReader<'a> {
    ledger: &'a dyn Ledger,
    locals: &'a mut Vec<Local>,
}

impl VisitMut for PendingReader<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        walk_mut::expr(self, expr);
        let span = expr.span;
        match &expr.kind {
            ExprKind::PendingOf(action, arguments) => {
                *expr = self.ledger.count(*action, arguments, span);
            }
            ExprKind::Pending(PendingOf::Action(action)) => {
                *expr = self.ledger.total(*action, self.locals, span);
            }
            ExprKind::Pending(_) => {
                let all: Vec<ActionId> = self.ledger.actions();
                let mut sum = int(0, span);
                for action in all {
                    let count = self.ledger.total(action, self.locals, span);
                    sum = Expr {
                        kind: ExprKind::Binary(BinOp::Add, Box::new(sum), Box::new(count)),
                        ty: Ty::Nat,
                        span,
                    };
                }
                *expr = sum;
            }
            _ => {}
        }
    }
}

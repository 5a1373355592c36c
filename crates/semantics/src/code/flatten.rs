//! From structured statements to flat code.

use super::coverage::Statements;
use super::{Arm, ElementOrder, FlatCode, ForLoop, Op, OpKind, Scope};
use crate::vacuity::probes;
use plainsong_diagnostics::Span;
use plainsong_ir::symmetry::round;
use plainsong_ir::unanimity::{Owners, apart};
use plainsong_ir::visit::{Visit, free_locals, walk};
use plainsong_ir::{
    Accept, Block, Choreography, Code, Domain, Expr, ExprKind, Local, LocalId, LoopClauses,
    Pattern, Song, Stmt, StmtKind, Ty,
};

/// Flattens `block`, whose first `arity` locals have values from the start.
pub(crate) fn flatten(
    block: &Block,
    locals: &[Local],
    arity: usize,
    statements: &mut Statements,
) -> FlatCode {
    flattened(block, locals, arity, statements, None)
}

/// The same for a line of a song: endpoints that decide a condition part by part have to agree.
pub(crate) fn flatten_line(
    song: &Song,
    line: &Choreography,
    statements: &mut Statements,
) -> FlatCode {
    let agreeing = Some((song, Owners::of(song, line)));
    let code = &line.code;
    flattened(&code.body, &code.locals, code.arity, statements, agreeing)
}

fn flattened(
    block: &Block,
    locals: &[Local],
    arity: usize,
    statements: &mut Statements,
    agreeing: Option<(&Song, Owners)>,
) -> FlatCode {
    let mut flattener = Flattener {
        locals,
        agreeing,
        ops: Vec::new(),
        slots: locals.len(),
        scope: None,
        scopes: Vec::new(),
        loops: Vec::new(),
        for_loops: Vec::new(),
        statements,
    };
    (0..arity).for_each(|at| flattener.bind(at.into()));
    flattener.block(block);
    let Flattener {
        ops,
        slots,
        scopes,
        for_loops,
        ..
    } = flattener;
    FlatCode {
        ops,
        locals: locals.to_vec(),
        slots,
        scopes,
        loops: for_loops,
    }
}

/// Flattens the code of something that is called: at its end the parameters and the result, if it has
/// one, are still there.
pub(crate) fn flatten_called(
    code: &Code,
    result: Option<LocalId>,
    statements: &mut Statements,
) -> FlatCode {
    let kept = code.arity + usize::from(result.is_some());
    let mut flat = flatten(&code.body, &code.locals, kept, statements);
    let scope = kept.checked_sub(1).map(|last| last as u32);
    flat.ops.push(Op {
        kind: OpKind::Return,
        span: code.body.last().map_or(Span::default(), |stmt| stmt.span),
        statement: None,
        scope,
    });
    flat
}

impl FlatCode {
    /// Adds promises that are checked at the end.
    pub(crate) fn promise_at_the_end(&mut self, what: &'static str, promises: &[Expr]) {
        for promise in promises {
            let kind = OpKind::Promise(what.into(), promise.clone());
            self.ops.push(Op {
                kind,
                span: promise.span,
                statement: None,
                scope: None,
            });
        }
    }
}

struct Flattener<'a> {
    locals: &'a [Local],
    /// For a line: its song, and to whom its names belong.
    agreeing: Option<(&'a Song, Owners)>,
    ops: Vec<Op>,
    slots: usize,
    scope: Option<u32>,
    scopes: Vec<Scope>,
    loops: Vec<OpenLoop>,
    for_loops: Vec<ForLoop>,
    statements: &'a mut Statements,
}

/// A loop whose end is not known yet.
struct OpenLoop {
    head: usize,
    breaks: Vec<usize>,
}

impl Flattener<'_> {
    /// A block: what it binds is forgotten at its end.
    fn block(&mut self, block: &Block) {
        let outside = self.scope;
        for (at, stmt) in block.iter().enumerate() {
            self.stmt(stmt, &block[at + 1..]);
        }
        self.scope = outside;
    }

    fn stmt(&mut self, stmt: &Stmt, rest: &[Stmt]) {
        let first = self.ops.len();
        let number = self.statements.number(stmt.span);
        self.kind(stmt, rest);
        match self.ops.get_mut(first) {
            Some(op) => op.statement = Some(number),
            None => panic!("every statement has an instruction"),
        }
    }

    fn kind(&mut self, stmt: &Stmt, rest: &[Stmt]) {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Let(local, value) => {
                self.op(OpKind::Let(*local, value.clone()), span);
                self.bind(*local);
            }
            StmtKind::LetChoice(choice) => {
                self.op(OpKind::LetChoice(choice.clone()), span);
                self.bind(choice.local);
            }
            StmtKind::Assign(place, value) => {
                self.op(OpKind::Assign(place.clone(), value.clone()), span);
            }
            StmtKind::AssignChoice(place, choice) => {
                self.op(OpKind::AssignChoice(place.clone(), choice.clone()), span);
            }
            StmtKind::If(condition, yes, no) => {
                let otherwise = if no.is_empty() { rest } else { no };
                self.agree(condition, yes, otherwise);
                let test = self.op(OpKind::Unless(condition.clone(), 0), span);
                self.either(test, yes, no, span);
            }
            StmtKind::Maybe(yes, no) => {
                let test = self.op(OpKind::Maybe(0), span);
                self.either(test, yes, no, span);
            }
            StmtKind::Match(scrutinee, arms) => self.match_stmt(scrutinee, arms, span),
            StmtKind::While(condition, clauses, body) => {
                self.while_stmt(condition, clauses, (body, rest), span);
            }
            StmtKind::For {
                local,
                domain,
                filter,
                clauses,
                body,
            } => {
                self.for_stmt(*local, domain, filter.as_ref(), clauses, body, span);
            }
            StmtKind::Break => {
                let jump = self.op(OpKind::Jump(0), span);
                self.innermost().breaks.push(jump);
            }
            StmtKind::Continue => {
                let head = self.innermost().head;
                self.op(OpKind::Jump(head), span);
            }
            StmtKind::Assert(condition) => {
                let probes = probes(condition).into_iter();
                let numbered = probes
                    .map(|probe| (self.statements.number_premise(probe.span), probe.holds))
                    .collect();
                self.op(OpKind::Assert(condition.clone(), numbered), span);
            }
            StmtKind::Assume(condition) => {
                self.op(OpKind::Assume(condition.clone()), span);
            }
            StmtKind::Send(message, payload, to) => {
                self.op(OpKind::Send(*message, payload.clone(), to.clone()), span);
            }
            StmtKind::Receive(accept) => {
                let target = self.ops.len() + 1;
                let arm = Arm {
                    accept: accept.clone(),
                    target,
                };
                self.op(OpKind::Select(vec![arm], None), span);
                self.bind_accept(accept);
            }
            StmtKind::Select(arms, timeout) => self.select(arms, timeout.as_ref(), span),
            StmtKind::Async(action, arguments) => {
                self.op(OpKind::Async(*action, arguments.clone()), span);
            }
            StmtKind::Spawn(procedure, arguments) => {
                self.op(OpKind::Spawn(*procedure, arguments.clone()), span);
            }
            StmtKind::Call(result, call) => {
                self.op(OpKind::Call(*result, call.clone()), span);
                if let Some(local) = result {
                    self.bind(*local);
                }
            }
            StmtKind::Par(calls) => {
                self.op(OpKind::Par(calls.clone()), span);
            }
            StmtKind::Use(used) => {
                self.op(OpKind::Use(used.clone(), None), span);
            }
            StmtKind::Part(part) => {
                let outside = self.scope;
                let next = self.ops.len() + 1;
                self.op(OpKind::Jump(next), span);
                for stmt in &part.start {
                    self.stmt(stmt, &[]);
                }
                for condition in &part.requires {
                    self.op(OpKind::Assert(condition.clone(), Vec::new()), span);
                }
                self.block(&part.body);
                self.scope = outside;
            }
            // Others may act between any two steps anyway.
            StmtKind::Yield(_) => {
                let next = self.ops.len() + 1;
                self.op(OpKind::Jump(next), span);
            }
        }
    }

    /// The two sides of a test that was just written.
    fn either(&mut self, test: usize, yes: &Block, no: &Block, span: Span) {
        self.block(yes);
        let over = (!no.is_empty()).then(|| self.op(OpKind::Jump(0), span));
        self.lands_here(test);
        self.block(no);
        if let Some(over) = over {
            self.lands_here(over);
        }
    }

    fn match_stmt(&mut self, scrutinee: &Expr, arms: &[(Pattern, Block)], span: Span) {
        let test = self.op(OpKind::Match(scrutinee.clone(), Vec::new()), span);
        let mut targets = Vec::new();
        let mut overs = Vec::new();
        for (pattern, body) in arms {
            targets.push((pattern.clone(), self.ops.len()));
            let outside = self.scope;
            self.bind_pattern(pattern);
            self.block(body);
            self.scope = outside;
            overs.push(self.op(OpKind::Jump(0), span));
        }
        overs.into_iter().for_each(|over| self.lands_here(over));
        self.ops[test].kind = OpKind::Match(scrutinee.clone(), targets);
    }

    fn while_stmt(
        &mut self,
        condition: &Expr,
        clauses: &LoopClauses,
        (body, rest): (&Block, &[Stmt]),
        span: Span,
    ) {
        let outside = self.scope;
        let measure = self.measure(&clauses.decreases, span);
        let head = self.ops.len();
        self.invariants(&clauses.invariants);
        self.agree(condition, body, rest);
        let at = clauses.decreases.first().map_or(span, |one| one.span);
        if let Some(slot) = measure {
            self.op(OpKind::Decreases(slot, clauses.decreases.clone()), at);
        }
        let test = self.op(OpKind::Unless(condition.clone(), 0), span);
        if let Some(slot) = measure {
            self.op(OpKind::Remember(slot, clauses.decreases.clone()), at);
        }
        let breaks = self.rounds(head, body, span);
        self.scope = outside;
        self.lands_here(test);
        breaks.into_iter().for_each(|jump| self.lands_here(jump));
    }

    /// A slot for what decreases, if something has to.
    fn measure(&mut self, decreases: &[Expr], span: Span) -> Option<usize> {
        if decreases.is_empty() {
            return None;
        }
        let slot = self.slots;
        self.slots += 1;
        self.op(OpKind::Forget(slot), span);
        self.bind_slot(slot as u32);
        Some(slot)
    }

    fn for_stmt(
        &mut self,
        local: LocalId,
        domain: &Domain,
        filter: Option<&Expr>,
        clauses: &LoopClauses,
        body: &Block,
        span: Span,
    ) {
        let hidden = self.slots;
        self.slots += 2;
        let (of_rounds, of_loop): (Vec<Expr>, Vec<Expr>) = clauses
            .invariants
            .iter()
            .cloned()
            .partition(|invariant| free_locals(invariant).contains(&local));
        self.op(OpKind::Loop(hidden, domain.clone()), span);
        let outside = self.scope;
        self.bind_slot(hidden as u32);
        self.bind_slot(hidden as u32 + 1);
        let head = self.ops.len();
        self.invariants(&of_loop);
        let next = OpKind::Next {
            hidden,
            local,
            filter: filter.cloned(),
            exit: 0,
            order: ElementOrder::First,
        };
        let next = self.op(next, span);
        self.for_loops.push(ForLoop {
            next,
            hidden,
            local,
            in_sequence: matches!(domain, Domain::In(of) if matches!(of.ty, Ty::Seq(_))),
            round: round(local, filter, clauses, body),
        });
        self.bind(local);
        self.invariants(&of_rounds);
        let breaks = self.rounds(head, body, span);
        self.lands_here(next);
        if !of_rounds.is_empty() && is_range(domain) {
            let over = 0;
            let past = OpKind::Past {
                hidden,
                local,
                over,
            };
            let past = self.op(past, span);
            self.invariants(&of_rounds);
            self.lands_here(past);
        }
        self.scope = outside;
        breaks.into_iter().for_each(|jump| self.lands_here(jump));
    }

    /// The body of a loop and the way back; gives the jumps out of it.
    fn rounds(&mut self, head: usize, body: &Block, span: Span) -> Vec<usize> {
        self.loops.push(OpenLoop {
            head,
            breaks: Vec::new(),
        });
        self.block(body);
        self.op(OpKind::Jump(head), span);
        self.loops.pop().map_or(Vec::new(), |open| open.breaks)
    }

    fn invariants(&mut self, invariants: &[Expr]) {
        for invariant in invariants {
            self.op(
                OpKind::Promise("invariant".into(), invariant.clone()),
                invariant.span,
            );
        }
    }

    /// Who decides a condition part by part has to come to the same.
    fn agree(&mut self, condition: &Expr, inside: &[Stmt], outside: &[Stmt]) {
        let Some((song, owners)) = &self.agreeing else {
            return;
        };
        let agreements = owners.agreements(condition).into_iter();
        let promises: Vec<(String, Expr)> = agreements
            .map(|one| (apart(song, self.locals, &one, inside, outside), one.equal))
            .collect();
        for (told, equal) in promises {
            let what = format!("unanimity: {told};");
            self.op(OpKind::Promise(what.into(), equal), condition.span);
        }
    }

    fn select(&mut self, arms: &[(Accept, Block)], timeout: Option<&Block>, span: Span) {
        let select = self.op(OpKind::Select(Vec::new(), None), span);
        let mut targets = Vec::new();
        let mut overs = Vec::new();
        for (accept, body) in arms {
            targets.push(Arm {
                accept: accept.clone(),
                target: self.ops.len(),
            });
            let outside = self.scope;
            self.bind_accept(accept);
            self.block(body);
            self.scope = outside;
            overs.push(self.op(OpKind::Jump(0), span));
        }
        let timeout = timeout.map(|body| {
            let target = self.ops.len();
            self.block(body);
            target
        });
        overs.into_iter().for_each(|over| self.lands_here(over));
        self.ops[select].kind = OpKind::Select(targets, timeout);
    }

    fn op(&mut self, kind: OpKind, span: Span) -> usize {
        self.ops.push(Op {
            kind,
            span,
            statement: None,
            scope: self.scope,
        });
        self.ops.len() - 1
    }

    /// Makes the jump at `from` go to the next instruction.
    fn lands_here(&mut self, from: usize) {
        let here = self.ops.len();
        match &mut self.ops[from].kind {
            OpKind::Jump(to)
            | OpKind::Unless(_, to)
            | OpKind::Maybe(to)
            | OpKind::Past { over: to, .. }
            | OpKind::Next { exit: to, .. } => *to = here,
            other => panic!("only jumps land somewhere, not {other:?}"),
        }
    }

    fn innermost(&mut self) -> &mut OpenLoop {
        self.loops
            .last_mut()
            .expect("`break` and `continue` stand in a loop")
    }

    fn bind(&mut self, local: LocalId) {
        self.bind_slot(local.0);
    }

    fn bind_slot(&mut self, slot: u32) {
        self.scopes.push(Scope {
            slot,
            outer: self.scope,
        });
        self.scope = Some((self.scopes.len() - 1) as u32);
    }

    fn bind_pattern(&mut self, pattern: &Pattern) {
        let mut names = Names(Vec::new());
        walk::pattern(&mut names, pattern);
        names.0.into_iter().for_each(|local| self.bind(local));
    }

    fn bind_accept(&mut self, accept: &Accept) {
        let mut names = Names(Vec::new());
        walk::accept(&mut names, accept);
        names.0.into_iter().for_each(|local| self.bind(local));
    }
}

/// Collects the names that a pattern or an accept binds.
struct Names(Vec<LocalId>);

impl Visit for Names {
    fn expr(&mut self, _: &Expr) {}

    fn binds(&mut self, local: &LocalId) {
        self.0.push(*local);
    }
}

/// Does a loop run through integers, one after the other?
fn is_range(domain: &Domain) -> bool {
    matches!(domain, Domain::In(of) if matches!(of.kind, ExprKind::Range { .. }))
}

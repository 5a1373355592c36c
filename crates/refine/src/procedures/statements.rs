//! Statements of procedures.

use super::asyncs::only_starts;
use super::loops::GoesOn;
use super::{
    Jump, MOST_PATHS, Path, ProcedureWalk, Wanted, action, actions, at_entry, at_exit,
    only_where_evaluated,
};
use crate::atomicity::BESIDE_PROCEDURES;
use crate::layer_program::{Meant, meant, moves_here};
use plainsong_diagnostics::Span;
use plainsong_ir::ghost::notes;
use plainsong_ir::{
    ActionId, Block, Call, Callee, Choice, Domain, Expr, ExprKind, InvariantCall, LocalId, Mover,
    Pattern, Place, ProcedureId, Root, Song, Stmt, StmtKind, Ty,
};
use plainsong_prove::gated_actions::Gated;
use plainsong_prove::lower::{Definedness, Env, Unsupported};
use plainsong_prove::symbolic_execution::SymbolicExecution;
use plainsong_prove::term::{Sort, Term};
use plainsong_prove::theory::{Result, Theory};

/// The most procedures of a `par` whose orders are followed.
const MOST_ARMS: usize = 4;

impl ProcedureWalk<'_> {
    pub(super) fn block(&mut self, path: Path, block: &Block) -> Result<Vec<Path>> {
        let mut paths = vec![path];
        for stmt in block {
            let mut behind = Vec::new();
            for path in paths {
                match path.jump {
                    Some(_) => behind.push(path),
                    None => behind.extend(self.stmt(path, stmt)?),
                }
            }
            if behind.len() > MOST_PATHS {
                return Err(Unsupported::new(stmt.span, "too many paths lead here"));
            }
            paths = behind;
        }
        Ok(paths)
    }

    fn stmt(&mut self, mut path: Path, stmt: &Stmt) -> Result<Vec<Path>> {
        match &stmt.kind {
            StmtKind::Let(local, _) if !self.refines_here() && self.is_note(*local) => {}
            StmtKind::Maybe(yes, no) => {
                let taken = self.theory.terms.fresh("maybe", Sort::BOOL);
                let not = self.theory.terms.not(taken);
                let mut other = path.clone();
                other.known.push(not);
                other.put_off = true;
                path.known.push(taken);
                let mut paths = self.block(path, yes)?;
                paths.extend(self.block(other, no)?);
                return Ok(paths);
            }
            StmtKind::Call(result, call) => self.call(&mut path, *result, call)?,
            StmtKind::Par(calls) => return self.par(path, calls, stmt.span),
            StmtKind::Yield(calls) => {
                let calls: Vec<&InvariantCall> = calls.iter().collect();
                let wanted = self.wanted(&mut path, &calls)?;
                if calls.is_empty() || !wanted.is_empty() {
                    self.yield_with(&mut path, &wanted, stmt.span)?;
                }
            }
            StmtKind::Spawn(id, arguments) => self.spawn(&mut path, *id, arguments, stmt.span)?,
            StmtKind::Use(used) => self.use_lemma(&mut path, used, stmt.span)?,
            StmtKind::While(condition, clauses, body) => {
                let goes_on = GoesOn::While(condition);
                return self.repeated(path, &goes_on, clauses, body, stmt.span);
            }
            StmtKind::For {
                local,
                domain,
                filter,
                clauses,
                body,
            } => {
                if only_starts(body) {
                    self.start_each(&mut path, stmt)?;
                    return Ok(vec![path]);
                }
                let goes_on = self.elements(&mut path, *local, domain, filter.as_ref())?;
                return self.repeated(path, &goes_on, clauses, body, stmt.span);
            }
            StmtKind::Break => path.jump = Some(Jump::Break),
            StmtKind::Continue => path.jump = Some(Jump::Continue),
            _ => return self.common_stmt(path, stmt),
        }
        Ok(vec![path])
    }

    /// Notes are there where a layer's variables are introduced.
    fn is_note(&self, local: LocalId) -> bool {
        notes(&self.decl(&self.song).code).contains(&local)
    }

    /// Values for all locals, by position; those without one stand for nothing that is read.
    pub(super) fn all_locals(&mut self, path: &Path, count: usize) -> Vec<Term> {
        let nothing = self.theory.terms.bool(false);
        (0..count)
            .map(|at| path.env.locals.get(&LocalId::from(at)).copied())
            .map(|known| known.unwrap_or(nothing))
            .collect()
    }

    fn call(&mut self, path: &mut Path, result: Option<LocalId>, call: &Call) -> Result<()> {
        let song = self.song.clone();
        let arguments = self.values(path, &call.arguments)?;
        self.leaves_nothing(call)?;
        match meant(actions(&song), call.callee, self.layer) {
            Meant::Nothing => {
                let taken = match call.callee {
                    Callee::Action(id) => &action(&song, id).role.taken,
                    Callee::Procedure(id) => &actions(&song).procedures[id.index()].taken,
                };
                self.gives_away(path, taken, &call.arguments);
            }
            Meant::Action(id) => {
                self.required(path, id, &arguments, call.span)?;
                let value = self.act(path, id, &arguments, call.span)?;
                self.gives_away(path, &action(&song, id).role.taken, &call.arguments);
                let role = &action(&song, id).role;
                self.gets(path, &role.given, &call.arguments)?;
                self.bind(path, result, value, role.gives)?;
            }
            Meant::Procedure(id)
                if moves_here(&actions(&song).procedures[id.index()], self.layer).is_some() =>
            {
                let value = self.moving_call(path, id, &arguments, call.span)?;
                let callee = &actions(&song).procedures[id.index()];
                self.gives_away(path, &callee.taken, &call.arguments);
                self.gets(path, &callee.given, &call.arguments)?;
                self.bind(path, result, value, callee.gives)?;
            }
            Meant::Procedure(id) => {
                let before = self.clauses(path, id, &arguments, true)?;
                let behind = self.clauses(path, id, &arguments, false)?;
                self.stop(path, &before, call.span)?;
                let taken = &actions(&song).procedures[id.index()].taken;
                self.gives_away(path, taken, &call.arguments);
                self.resume(path)?;
                let value = self.returns(path, id, &arguments, call.span)?;
                let callee = &actions(&song).procedures[id.index()];
                self.gets(path, &callee.given, &call.arguments)?;
                self.bind(path, result, value, callee.gives)?;
                self.rely_on(path, &behind)?;
            }
        }
        Ok(())
    }

    /// What an action relies on where it is called: it holds here.
    pub(super) fn required(
        &mut self,
        path: &mut Path,
        id: ActionId,
        arguments: &[Term],
        span: Span,
    ) -> Result<()> {
        let song = self.song.clone();
        for call in &action(&song, id).role.requires {
            let wanted = self.as_callee(path, arguments, &[call])?;
            for one in wanted {
                let store = path.env.store.clone();
                let holds = self.says(one.invariant, &one.arguments, &store)?;
                let name = &actions(&song).invariants[one.invariant].name;
                let told = format!(
                    "`{name}`, which `{}` requires, holds here",
                    action(&song, id).name
                );
                self.oblige(path, "mover/precondition", span, &told, holds);
                path.known.push(holds);
            }
        }
        Ok(())
    }

    /// Permissions that a call takes for good.
    fn gives_away(&mut self, path: &mut Path, taken: &[LocalId], arguments: &[Expr]) {
        for parameter in taken {
            if let ExprKind::Local(local) = arguments[parameter.index()].kind {
                path.held.remove(&local);
            }
        }
    }

    /// Permissions that it has after a call.
    fn gets(&mut self, path: &mut Path, given: &[LocalId], arguments: &[Expr]) -> Result<()> {
        for parameter in given {
            if let ExprKind::Local(local) = arguments[parameter.index()].kind {
                self.receives(path, local)?;
            }
        }
        Ok(())
    }

    fn bind(
        &mut self,
        path: &mut Path,
        result: Option<LocalId>,
        value: Option<Term>,
        gives: bool,
    ) -> Result<()> {
        let (Some(local), Some(value)) = (result, value) else {
            return Ok(());
        };
        path.held.remove(&local);
        path.env.locals.insert(local, value);
        match gives {
            true => self.receives(path, local),
            false => Ok(()),
        }
    }

    /// One step of an action.
    pub(super) fn act(
        &mut self,
        path: &mut Path,
        id: ActionId,
        arguments: &[Term],
        span: Span,
    ) -> Result<Option<Term>> {
        let song = self.song.clone();
        let action = action(&song, id);
        let (code, result) = (&action.code, action.role.result);
        let store = path.env.store.clone();
        let run = Gated::run(self.theory, code, result, &store, arguments, None)?;
        let told = format!("`{}` does not fail", action.name);
        for part in &run.gate {
            self.may_not_fail(path, part.holds, span, &told);
        }
        path.known.push(run.guard);
        path.env.store = run.after;
        path.created.extend(run.created);
        Ok(run.result)
    }

    /// A procedure runs and returns; behind it the globals are anything.
    fn returns(
        &mut self,
        path: &mut Path,
        id: ProcedureId,
        arguments: &[Term],
        span: Span,
    ) -> Result<Option<Term>> {
        let song = self.song.clone();
        let callee = &actions(&song).procedures[id.index()];
        let gives_way = self.refines_here();
        if let (true, Some(action)) = (gives_way, callee.refines) {
            let value = self.act(path, action, arguments, span)?;
            self.linearise(path, span)?;
            self.resume(path)?;
            return Ok(value);
        }
        let Some(local) = callee.result else {
            return Ok(None);
        };
        let row = &callee.code.locals[local.index()];
        let (value, valid) = self.theory.arbitrary(&row.name, &row.ty, row.span)?;
        path.known.push(valid);
        Ok(Some(value))
    }

    /// Actions run as one block, in the order of the text. Procedures act in any order, and what an arm may
    /// rely on depends on what others did before it, so every order of their actions is a path of its own. Beside
    /// procedures, actions that move left run before them, and those that move right behind them ([`crate::atomicity`]).
    fn par(&mut self, mut path: Path, calls: &[Call], span: Span) -> Result<Vec<Path>> {
        let song = self.song.clone();
        let (mut steps, mut arms, mut lost) = (Vec::new(), Vec::new(), Vec::new());
        for call in calls {
            self.leaves_nothing(call)?;
            let arguments = self.values(&mut path, &call.arguments)?;
            match meant(actions(&song), call.callee, self.layer) {
                Meant::Nothing => {}
                Meant::Action(id) => steps.push((id, arguments, &call.arguments[..])),
                Meant::Procedure(id) => {
                    let taken = &actions(&song).procedures[id.index()].taken;
                    lost.push((taken, &call.arguments));
                    arms.push((id, arguments));
                }
            }
        }
        if arms.is_empty() {
            self.at_once(&mut path, &steps, span)?;
            return Ok(vec![path]);
        }
        let (early, late) = before_and_behind(&song, steps, span)?;
        self.at_once(&mut path, &early, span)?;
        let (mut before, mut behind) = (Vec::new(), Vec::new());
        for (id, arguments) in &arms {
            before.extend(self.clauses(&mut path, *id, arguments, true)?);
            behind.extend(self.clauses(&mut path, *id, arguments, false)?);
        }
        self.stop(&mut path, &before, span)?;
        for (taken, arguments) in lost {
            self.gives_away(&mut path, taken, arguments);
        }
        self.resume(&mut path)?;
        let acting = |arm: &&(ProcedureId, Vec<Term>)| {
            actions(&song).procedures[arm.0.index()].refines.is_some()
        };
        let acting: Vec<_> = arms.iter().filter(acting).collect();
        if !self.refines_here() || acting.is_empty() {
            self.rely_on(&mut path, &behind)?;
            self.at_once(&mut path, &late, span)?;
            return Ok(vec![path]);
        }
        let mut paths = Vec::new();
        for order in orders(acting.len(), span)? {
            let mut path = path.clone();
            for (id, arguments) in order.into_iter().map(|at| acting[at]) {
                self.returns(&mut path, *id, arguments, span)?;
            }
            self.rely_on(&mut path, &behind)?;
            self.at_once(&mut path, &late, span)?;
            paths.push(path);
        }
        Ok(paths)
    }

    /// Actions that are arms of a `par`, as one block.
    fn at_once(&mut self, path: &mut Path, steps: &[Step<'_>], span: Span) -> Result<()> {
        let song = self.song.clone();
        for (id, arguments, _) in steps {
            self.required(path, *id, arguments, span)?;
        }
        for (id, arguments, _) in steps {
            self.act(path, *id, arguments, span)?;
        }
        for (id, _, written) in steps {
            self.gives_away(path, &action(&song, *id).role.taken, written);
        }
        for (id, _, written) in steps {
            self.gets(path, &action(&song, *id).role.given, written)?;
        }
        Ok(())
    }

    /// The invariants of this layer at the entry or the exit of a callee, with these arguments.
    pub(super) fn clauses(
        &mut self,
        path: &mut Path,
        id: ProcedureId,
        arguments: &[Term],
        entry: bool,
    ) -> Result<Vec<Wanted>> {
        let song = self.song.clone();
        let callee = &actions(&song).procedures[id.index()];
        let calls: Vec<&InvariantCall> = match entry {
            true => at_entry(callee).map(|one| &one.call).collect(),
            false => at_exit(callee).map(|one| &one.call).collect(),
        };
        self.as_callee(path, arguments, &calls)
    }

    /// Calls of invariants in which names are those of a callee with these arguments.
    fn as_callee(
        &mut self,
        path: &mut Path,
        arguments: &[Term],
        calls: &[&InvariantCall],
    ) -> Result<Vec<Wanted>> {
        self.in_callee(path, arguments, |this, path| this.wanted(path, calls))
    }

    /// Where names are those of a callee with these arguments.
    pub(super) fn in_callee<T>(
        &mut self,
        path: &mut Path,
        arguments: &[Term],
        work: impl FnOnce(&mut Self, &mut Path) -> Result<T>,
    ) -> Result<T> {
        let own = std::mem::take(&mut path.env.locals);
        let params = arguments.iter().enumerate();
        path.env.locals = params
            .map(|(at, term)| (LocalId::from(at), *term))
            .collect();
        let done = work(self, path);
        path.env.locals = own;
        done
    }
}

impl SymbolicExecution for ProcedureWalk<'_> {
    type State = Path;
    type After = Vec<Path>;

    const NOT_COVERED: &'static str = "this statement is not covered in procedures yet";

    fn theory(&mut self) -> &mut Theory {
        self.theory
    }

    fn env(path: &mut Path) -> &mut Env {
        &mut path.env
    }

    fn after(path: Path) -> Vec<Path> {
        vec![path]
    }

    fn needs(&mut self, path: &mut Path, one: Definedness, span: Span) -> Result<()> {
        let one = only_where_evaluated(one, span)?;
        let told = format!("possibly {}", one.what);
        self.may_not_fail(path, one.condition, span, &told);
        Ok(())
    }

    fn assert(&mut self, path: &mut Path, condition: &Expr, span: Span) -> Result<()> {
        let holds = self.read(path, condition)?;
        self.may_not_fail(path, holds, span, "this assertion holds");
        Ok(())
    }

    fn assume(&mut self, path: &mut Path, condition: &Expr) -> Result<()> {
        let holds = self.read(path, condition)?;
        path.known.push(holds);
        Ok(())
    }

    fn choice(&mut self, path: &mut Path, choice: &Choice, span: Span) -> Result {
        let Domain::Type(ty) = &choice.domain else {
            return Err(Unsupported::new(
                span,
                "choices from collections are not covered in procedures yet",
            ));
        };
        let (value, valid) = self.theory.arbitrary("chosen", ty, span)?;
        path.known.push(valid);
        path.env.locals.insert(choice.local, value);
        if let Some(filter) = &choice.filter {
            let passes = self.read(path, filter)?;
            path.known.push(passes);
        }
        Ok(value)
    }

    /// A local, or a variable that this layer introduces. Introduced variables of other layers are not
    /// there. What is introduced adds no failures, so it must be defined at every layer.
    fn assign(&mut self, path: &mut Path, place: &Place, value: &Expr) -> Result<()> {
        if matches!(place.root, Root::Global(_)) && !self.refines_here() {
            return Ok(());
        }
        if !place.path.is_empty() && matches!(place.root, Root::Local(_)) {
            return Err(Unsupported::new(
                place.span,
                "assignments to parts of local variables are not covered in procedures yet",
            ));
        }
        let song = self.song.clone();
        let code = plainsong_ir::Code {
            arity: 0,
            locals: self.decl(&song).code.locals.clone(),
            body: vec![Stmt {
                kind: StmtKind::Assign(place.clone(), value.clone()),
                span: place.span,
            }],
        };
        if let Root::Local(local) = place.root {
            let value = self.read(path, value)?;
            path.held.remove(&local);
            path.env.locals.insert(local, value);
            return Ok(());
        }
        let arguments = self.all_locals(path, code.locals.len());
        let store = path.env.store.clone();
        let run = Gated::run(self.theory, &code, None, &store, &arguments, None)?;
        for part in &run.gate {
            self.may_not_fail(path, part.holds, part.span, "what is introduced is defined");
        }
        path.env.store = run.after;
        Ok(())
    }

    fn branches(
        &mut self,
        path: Path,
        condition: Term,
        yes: &Block,
        no: &Block,
    ) -> Result<Vec<Path>> {
        let not = self.theory.terms.not(condition);
        let mut taken = path.clone();
        taken.known.push(condition);
        let mut other = path;
        other.known.push(not);
        let mut paths = self.block(taken, yes)?;
        paths.extend(self.block(other, no)?);
        Ok(paths)
    }

    fn arms(
        &mut self,
        path: Path,
        value: Term,
        ty: &Ty,
        arms: &[(Pattern, Block)],
    ) -> Result<Vec<Path>> {
        let mut paths = Vec::new();
        let mut other = path;
        for (pattern, body) in arms {
            let mut taken = other.clone();
            let fits = self.reading(&mut taken, pattern.span, |lowering| {
                lowering.matches(pattern, value, ty)
            })?;
            taken.known.push(fits);
            paths.extend(self.block(taken, body)?);
            let not = self.theory.terms.not(fits);
            other.known.push(not);
        }
        Ok(paths)
    }
}

/// An action that is an arm of a `par`, with its arguments as values and as they are written.
type Step<'c> = (ActionId, Vec<Term>, &'c [Expr]);

/// The actions that run before the procedures beside them, and those that run behind them.
fn before_and_behind<'c>(
    song: &Song,
    steps: Vec<Step<'c>>,
    span: Span,
) -> Result<(Vec<Step<'c>>, Vec<Step<'c>>)> {
    let mover = |step: &Step<'_>| action(song, step.0).role.mover.unwrap_or(Mover::Atomic);
    if steps.iter().any(|step| mover(step) == Mover::Atomic) {
        return Err(Unsupported::new(span, BESIDE_PROCEDURES));
    }
    Ok(steps.into_iter().partition(|step| mover(step).is_left()))
}

/// All orders of a few things.
fn orders(count: usize, span: Span) -> Result<Vec<Vec<usize>>> {
    if count > MOST_ARMS {
        let message = "a `par` of more than four procedures that refine actions is not covered";
        return Err(Unsupported::new(span, message));
    }
    let mut all = vec![Vec::new()];
    for next in 0..count {
        let longer = all.iter().flat_map(|order: &Vec<usize>| {
            (0..=order.len()).map(move |at| {
                let mut order = order.clone();
                order.insert(at, next);
                order
            })
        });
        all = longer.collect();
    }
    Ok(all)
}

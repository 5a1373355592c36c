//! Procedures from yield to yield: what has to be shown of one at one layer.
//!
//! A procedure is followed from its entry to its exit along every path, with symbols for what is not
//! known, as one thread that runs alone between yields ([`crate::atomicity`] is why that is enough). At a
//! yield ([`yields`]) the invariants that are wanted there hold, no invariant of others was broken since
//! the last one, what was seen from above changed at most once and as the action says ([`linearisation`]);
//! then the globals are anything that the invariants allow.
//!
//! - At layers below its own, a procedure is still one above: its own failures are the same there, so they
//!   are relied on not to happen; only invariants are asked for.
//! - At its own layer it gives way to its action: whatever may fail must not, as long as the action does
//!   not fail. A call of a procedure of the same layer is a step of *its* action, anywhere between the call
//!   and its return, in a state about which only types and permissions are known.
//! - At layers above its own it is its action, which matters where `init` starts it ([`pending`]).
//! - Rounds of loops are followed from a state about which only their invariants are known ([`loops`]).
//! - A procedure that moves is one step of its callers at its own layer ([`moving`]).
//! - A thread that is started begins at the next yield at the earliest, so what it requires is asked there.
//!
//! Sources. [Kragl20] sections 2.6, 3.3 and 3.4.
//!
//! - Asyncs of procedures that refine actions are asyncs of these actions one layer up, which the action of the
//!   procedure has to create, too; those that it `synchronizes` are done where they are created ([`asyncs`]).

mod asyncs;
mod lemmas;
mod linearisation;
mod loops;
mod moving;
mod pending;
mod statements;
mod witness;
mod yields;

use crate::answer::obligation;
use crate::layer_program::is_seen;
use crate::linear_permissions::{Permission, apart, not_in_variables, parts};
use linearisation::Point;
use plainsong_diagnostics::Span;
use plainsong_ir::{
    ActionId, Actions, Clause, ClauseKind, Expr, GlobalId, Invariant, InvariantCall, LocalId,
    Procedure, ProcedureId, Song, StartValue, Stmt, StmtKind, Ty,
};
use plainsong_prove::gated_actions::Created;
use plainsong_prove::lower::{Definedness, Env, Lowering, Store, Unsupported};
use plainsong_prove::obligation::Obligation;
use plainsong_prove::symbolic_execution::SymbolicExecution;
use plainsong_prove::term::Term;
use plainsong_prove::theory::{Result, Theory};
use std::collections::BTreeSet;
use std::sync::Arc;

pub use pending::pending;

/// The most paths through a procedure.
const MOST_PATHS: usize = 256;

/// What is known at a place of a procedure.
#[derive(Clone, Debug)]
struct Path {
    env: Env,
    known: Vec<Term>,
    /// The permissions it holds.
    held: BTreeSet<LocalId>,
    /// The globals after the last yield.
    since: Store,
    /// The permissions it had then.
    had: Vec<(Ty, Term)>,
    /// Where the action may have happened.
    points: Vec<Point>,
    /// Was what is seen from above changed at an earlier yield?
    changed: Term,
    /// What threads that were started since the last yield require.
    owed: Vec<Wanted>,
    /// The asyncs that were created since the last yield.
    created: Vec<Created>,
    /// Is the rest of a loop's body left out?
    jump: Option<Jump>,
    /// Where it began, if it is one step as a whole.
    begun: Option<moving::EntryState>,
    /// Was the second half of a `maybe` taken since this round of a loop began, or since the beginning? Then it need not lead
    /// to the end of anything.
    put_off: bool,
}

impl Path {
    /// Before the procedure does anything; `unchanged` is the term `false`.
    fn start(procedure: &Procedure, unchanged: Term) -> Path {
        Path {
            env: Env::default(),
            known: Vec::new(),
            held: procedure.linear.iter().copied().collect(),
            since: Store::default(),
            had: Vec::new(),
            points: Vec::new(),
            changed: unchanged,
            owed: Vec::new(),
            created: Vec::new(),
            jump: None,
            begun: None,
            put_off: false,
        }
    }
}

/// Where a path goes on, if not behind the statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Jump {
    /// Behind the innermost loop.
    Break,
    /// At its head.
    Continue,
}

/// An invariant with its arguments.
#[derive(Clone, Debug)]
struct Wanted {
    invariant: usize,
    arguments: Vec<Term>,
    span: Span,
}

struct ProcedureWalk<'a> {
    theory: &'a mut Theory,
    song: Arc<Song>,
    procedure: ProcedureId,
    layer: u32,
    obligations: Vec<Obligation>,
    /// For each of them, what to tell about a state in which it is false.
    scenes: Vec<Scene>,
    /// Lemmas that were used.
    used: BTreeSet<usize>,
    /// What the action chooses.
    choices: Choices,
}

/// What is taken for the choices of an action ([`witness`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choices {
    /// What the procedure calls by the same name, and for the others some value.
    Named,
    /// Some value.
    Some,
}

/// What has to be shown of a procedure at a layer, with the proofs of lemmas and functions that it rests on.
pub fn obligations(
    theory: &mut Theory,
    procedure: ProcedureId,
    layer: u32,
    choices: Choices,
) -> Result<Vec<Obligation>> {
    theory.allow_calls(true);
    let all = followed(theory, procedure, layer, choices);
    theory.allow_calls(false);
    all
}

fn followed(
    theory: &mut Theory,
    procedure: ProcedureId,
    layer: u32,
    choices: Choices,
) -> Result<Vec<Obligation>> {
    let mut following = ProcedureWalk::new(theory, procedure, layer, choices);
    following.whole()?;
    following.with_support()
}

/// An obligation that a procedure leaves open, and what to tell about it: the one with this sentence, and of
/// several the one with this number.
pub fn doubt(
    theory: &mut Theory,
    procedure: ProcedureId,
    layer: u32,
    (sentence, number): (&str, usize),
) -> Result<Option<(Obligation, Scene)>> {
    let mut following = ProcedureWalk::new(theory, procedure, layer, Choices::Named);
    following.theory.allow_calls(true);
    let followed = following.whole();
    following.theory.allow_calls(false);
    followed?;
    let all = following.obligations.into_iter().zip(following.scenes);
    let mut these = all.filter(|(one, _)| one.sentence == sentence);
    Ok(these.nth(number))
}

/// What is to be told about a place in a procedure.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// Names, types and values of parameters and locals.
    pub locals: Vec<(String, Ty, Term)>,
    /// Globals, after the last yield and now.
    pub globals: Vec<(GlobalId, [Term; 2])>,
}

impl<'a> ProcedureWalk<'a> {
    fn new(
        theory: &'a mut Theory,
        procedure: ProcedureId,
        layer: u32,
        choices: Choices,
    ) -> ProcedureWalk<'a> {
        ProcedureWalk {
            song: theory.song.clone(),
            theory,
            procedure,
            layer,
            obligations: Vec::new(),
            scenes: Vec::new(),
            used: BTreeSet::new(),
            choices,
        }
    }
}

/// Not what a quantifier asks of each of its values, where the interpreter may stop before: relied on, it would hide
/// states.
fn only_where_evaluated(one: Definedness, span: Span) -> Result<Definedness> {
    match one.everywhere {
        false => Ok(one),
        true => Err(Unsupported::new(
            span,
            "an operation under a quantifier that may have no result is not covered here",
        )),
    }
}

impl ProcedureWalk<'_> {
    /// From entry to exit, along every path.
    fn whole(&mut self) -> Result<()> {
        let song = self.song.clone();
        let entry = self.entry()?;
        let body = &self.decl(&song).code.body;
        for path in self.block(entry, body)? {
            match self.is_moving() {
                true => self.end_moving(&path)?,
                false => self.exit(path)?,
            }
        }
        self.start_by_init()
    }
}

impl ProcedureWalk<'_> {
    fn decl<'s>(&self, song: &'s Song) -> &'s Procedure {
        &actions(song).procedures[self.procedure.index()]
    }

    /// Does the procedure give way to its action at this layer?
    fn refines_here(&self) -> bool {
        self.decl(&self.song).layer == self.layer
    }

    fn entry(&mut self) -> Result<Path> {
        let song = self.song.clone();
        let decl = self.decl(&song);
        let mut path = Path::start(self.decl(&song), self.theory.terms.bool(false));
        for (at, row) in decl.code.locals[..decl.code.arity].iter().enumerate() {
            let (value, valid) = self.theory.arbitrary(&row.name, &row.ty, row.span)?;
            path.known.push(valid);
            path.env.locals.insert(LocalId::from(at), value);
        }
        self.permissions(&mut path)?;
        self.anything(&mut path)?;
        self.holds_alone(&mut path)?;
        let calls: Vec<&InvariantCall> = at_entry(decl).map(|one| &one.call).collect();
        let wanted = self.wanted(&mut path, &calls)?;
        self.rely_on(&mut path, &wanted)?;
        if self.is_moving() {
            self.begin_moving(&mut path)?;
        }
        self.gate_may_hold(&mut path)?;
        Ok(path)
    }

    /// The permissions it holds are different.
    fn permissions(&mut self, path: &mut Path) -> Result<()> {
        let mut seen = Vec::new();
        for own in self.held_by_name(path)? {
            path.known.push(apart(self.theory, &own, &seen));
            seen.extend(own);
        }
        Ok(())
    }

    /// The permissions it holds.
    fn held(&mut self, path: &Path) -> Result<Vec<Permission>> {
        Ok(self.held_by_name(path)?.concat())
    }

    fn held_by_name(&mut self, path: &Path) -> Result<Vec<Vec<Permission>>> {
        let song = self.song.clone();
        let rows = &self.decl(&song).code.locals;
        let mut all = Vec::new();
        for local in &path.held {
            if let Some(value) = path.env.locals.get(local) {
                all.push(parts(self.theory, &rows[local.index()].ty, *value)?);
            }
        }
        Ok(all)
    }

    /// No variable holds what it holds.
    fn holds_alone(&mut self, path: &mut Path) -> Result<()> {
        let held = self.held(path)?;
        let layers = self.layer..=self.layer;
        let free = not_in_variables(self.theory, &layers, &path.env.store, &held)?;
        path.known.push(free);
        Ok(())
    }

    /// A call gave it a permission, which nothing else has.
    fn receives(&mut self, path: &mut Path, local: LocalId) -> Result<()> {
        path.held.insert(local);
        self.permissions(path)?;
        self.holds_alone(path)
    }

    /// Others have acted: the globals are anything.
    fn anything(&mut self, path: &mut Path) -> Result<()> {
        let song = self.song.clone();
        for (at, global) in actions(&song).globals.iter().enumerate() {
            if !is_seen(global.layers, self.layer) {
                continue;
            }
            let (value, valid) = self
                .theory
                .arbitrary(&global.name, &global.ty, global.span)?;
            path.known.push(valid);
            path.env.store.globals.insert(GlobalId::from(at), value);
        }
        path.since = path.env.store.clone();
        path.had = self.held(path)?;
        Ok(())
    }

    /// Relies on invariants.
    fn rely_on(&mut self, path: &mut Path, wanted: &[Wanted]) -> Result<()> {
        for one in wanted {
            let store = path.env.store.clone();
            let holds = self.says(one.invariant, &one.arguments, &store)?;
            path.known.push(holds);
        }
        Ok(())
    }

    fn invariant(&self, call: &InvariantCall) -> &Invariant {
        &actions(&self.song).invariants[call.invariant.index()]
    }

    /// Calls of invariants of this layer with the values of their arguments; those of other layers say
    /// nothing here.
    fn wanted(&mut self, path: &mut Path, calls: &[&InvariantCall]) -> Result<Vec<Wanted>> {
        let mut all = Vec::new();
        for call in calls {
            if self.invariant(call).layer == self.layer {
                all.push(Wanted {
                    invariant: call.invariant.index(),
                    arguments: self.named(path, &call.arguments)?,
                    span: call.span,
                });
            }
        }
        Ok(all)
    }

    /// What an invariant says about a store: that it is defined, and true.
    fn says(&mut self, invariant: usize, arguments: &[Term], store: &Store) -> Result {
        let song = self.song.clone();
        let decl = &actions(&song).invariants[invariant];
        let locals = arguments.iter().enumerate();
        let env = Env {
            locals: locals
                .map(|(at, term)| (LocalId::from(at), *term))
                .collect(),
            store: store.clone(),
            ..Env::default()
        };
        let mut lowering = Lowering::new(self.theory, env);
        let holds = lowering.expr(&decl.body)?;
        let mut parts: Vec<Term> = lowering
            .definedness
            .iter()
            .map(|one| one.condition)
            .collect();
        parts.push(holds);
        Ok(self.theory.terms.and(&parts))
    }

    /// The values of an invariant's arguments. They are no part of the program, so that they have values is
    /// asked at every layer.
    fn named(&mut self, path: &mut Path, exprs: &[Expr]) -> Result<Vec<Term>> {
        let mut values = Vec::new();
        for expr in exprs {
            let (value, definedness) = self.lowered(path, |lowering| lowering.expr(expr))?;
            for one in definedness {
                let one = only_where_evaluated(one, expr.span)?;
                let told = format!("possibly {}", one.what);
                self.oblige(path, "yield/defined", expr.span, &told, one.condition);
                path.known.push(one.condition);
            }
            values.push(value);
        }
        Ok(values)
    }

    /// The values of expressions over locals; what may fail is asked for or relied on.
    fn values(&mut self, path: &mut Path, exprs: &[Expr]) -> Result<Vec<Term>> {
        exprs.iter().map(|expr| self.read(path, expr)).collect()
    }

    /// Something that would fail: asked for where the procedure gives way to its action, relied on below,
    /// and relied on afterwards in any case.
    fn may_not_fail(&mut self, path: &mut Path, holds: Term, span: Span, told: &str) {
        if self.refines_here() {
            self.oblige(path, "refine/failure", span, told, holds);
        }
        path.known.push(holds);
    }

    fn oblige(&mut self, path: &Path, rule: &'static str, span: Span, told: &str, goal: Term) {
        let name = &self.decl(&self.song).name;
        let told = format!("`{name}` at layer {}: {told}", self.layer);
        let one = obligation(rule, span, told, path.known.clone(), goal);
        self.obligations.push(one);
        let scene = self.scene(path);
        self.scenes.push(scene);
    }

    /// What a reader knows at a place.
    fn scene(&self, path: &Path) -> Scene {
        let rows = &self.decl(&self.song).code.locals;
        let locals = path.env.locals.iter();
        let locals = locals.filter_map(|(local, term)| {
            let row = rows.get(local.index())?;
            Some((row.name.clone(), row.ty.clone(), *term))
        });
        let globals = path.env.store.globals.iter();
        let globals = globals.map(|(id, now)| {
            let before = path.since.globals.get(id).unwrap_or(now);
            (*id, [*before, *now])
        });
        Scene {
            locals: locals.collect(),
            globals: globals.collect(),
        }
    }

    /// What the procedure requires holds where `init` starts it.
    fn start_by_init(&mut self) -> Result<()> {
        let song = self.song.clone();
        let Some(init) = &actions(&song).init else {
            return Ok(());
        };
        if !starts(&init.body, self.procedure) {
            return Ok(());
        }
        let mut path = Path::start(self.decl(&song), self.theory.terms.bool(false));
        for (at, global) in actions(&song).globals.iter().enumerate() {
            if !is_seen(global.layers, self.layer) {
                continue;
            }
            let value = match &global.start {
                StartValue::Value(value) => self.theory.closed(value)?,
                StartValue::Choice(_) => {
                    let (value, valid) =
                        self.theory
                            .arbitrary(&global.name, &global.ty, global.span)?;
                    path.known.push(valid);
                    value
                }
            };
            path.env.store.globals.insert(GlobalId::from(at), value);
        }
        // Whatever it is started with.
        let decl = self.decl(&song);
        for (at, row) in decl.code.locals[..decl.code.arity].iter().enumerate() {
            let (value, valid) = self.theory.arbitrary(&row.name, &row.ty, row.span)?;
            path.known.push(valid);
            path.env.locals.insert(LocalId::from(at), value);
        }
        self.permissions(&mut path)?;
        let calls: Vec<&InvariantCall> = at_entry(decl).map(|one| &one.call).collect();
        for one in self.wanted(&mut path, &calls)? {
            let store = path.env.store.clone();
            let goal = self.says(one.invariant, &one.arguments, &store)?;
            let name = &actions(&song).invariants[one.invariant].name;
            let told = format!("`{name}` holds at the start");
            self.oblige(&path, "yield/initial", one.span, &told, goal);
        }
        Ok(())
    }
}

/// The clauses that speak about the entry.
fn at_entry(decl: &Procedure) -> impl Iterator<Item = &Clause> {
    decl.clauses
        .iter()
        .filter(|one| ClauseKind::is_at_entry(one.kind))
}

/// The clauses that speak about the exit.
fn at_exit(decl: &Procedure) -> impl Iterator<Item = &Clause> {
    decl.clauses
        .iter()
        .filter(|one| ClauseKind::is_at_exit(one.kind))
}

fn starts(block: &[Stmt], procedure: ProcedureId) -> bool {
    block.iter().any(|stmt| match &stmt.kind {
        StmtKind::Spawn(id, _) => *id == procedure,
        StmtKind::If(_, yes, no) | StmtKind::Maybe(yes, no) => {
            starts(yes, procedure) || starts(no, procedure)
        }
        StmtKind::Match(_, arms) => arms.iter().any(|(_, body)| starts(body, procedure)),
        StmtKind::While(_, _, body) | StmtKind::For { body, .. } => starts(body, procedure),
        _ => false,
    })
}

fn actions(song: &Song) -> &Actions {
    song.actions().expect("a procedure belongs to actions")
}

fn action(song: &Song, id: ActionId) -> &plainsong_ir::Action {
    &actions(song).actions[id.index()]
}

//! The first translation, *nt*: a cycle becomes an end.
//!
//! Statement. The original has a stem and a cycle exactly when the result has an execution that ends with nothing
//! pending in a state where `no_period` is violated.
//!
//! The store is there twice: `x` is that of the stem, `x_period` that of the cycle, which begins with a guess,
//! `x_begin`. Every action is there twice as well, `A` on the store of the stem and `A_period` on that of the cycle. A
//! post is one of
//!
//! - in the stem: `Pro(t)`, the task in the period, and `repeated`: it waits when the period begins;
//! - in the cycle: `Anti(t)` in place of the task: it waits when the cycle ends, and pays for one that waited;
//! - nothing: the task is never served;
//! - the task itself.
//!
//! `Pro(t)` and `Anti(t)` take turns and agree in `t`. In the end something was repeated, every `Pro` has been paid for,
//! the stem has come to where the cycle begins, and the cycle to where it began.
//!
//! With fairness, nothing that waits when the cycle begins is dropped, and what is dropped in it is served in it. Where
//! there are points, the cycle may move all of them by `delta`.
//!
//! Why sound. Stem and cycle work on different stores and what they post to each other is only what waits at the
//! border, so the execution can be reordered: the stem first, then the cycle. Its tasks are those that were `Pro`, which
//! waited, and those it posted itself; what it left behind covers what it took, because every `Pro` was paid for.
//!
//! Source. [Alive12], sections 4 and 5.
//! DIFFERS. Actions are there twice instead of having a parameter `period`; `turn` is that `last` is none. What no
//! action assigns is there once. A failed `assert` ends an execution, which is then no period: it is an `assume` here.

use super::Refused;
use super::names::Names;
use super::points::{function, is_point, moved};
use super::posts::Posts;
use crate::terms::{
    all, assign, both, empty, equal, expr, filled, global, local, method, named, none, not, number,
    some, stmt, truth, unwrapped, with,
};
use plainsong_diagnostics::Span;
use plainsong_ir::visit::{Visit, VisitMut, walk, walk_mut};
use plainsong_ir::{
    Action, ActionId, Actions, BinOp, Builtin, Choice, Claim, Code, Domain, EnumDecl, EnumId, Expr,
    ExprKind, FnId, Global, GlobalId, Local, LocalId, Place, Property, Range, RangeEnd, Role, Root,
    Song, SortDecl, SortId, SortKind, StartValue, Stmt, StmtKind, System, Ty, Variant,
};
use plainsong_semantics::shift_invariance::Shift;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The farthest that a cycle may move points.
const FARTHEST: i64 = 3;

/// What a global variable of the result is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A store, or whose turn it is: tasks change it.
    Store,
    /// What was guessed, or what no action assigns.
    Fixed,
    /// Only added to, and looked at in the end only.
    Tally,
}

/// The result, and what its parts are.
pub(super) struct Translated {
    pub(super) song: Song,
    /// Of each global variable.
    pub(super) parts: Vec<Part>,
    /// The tasks, a variant for each action of the original.
    pub(super) task: EnumId,
    /// Is the end a cycle?
    pub(super) is_period: Expr,
    /// Names bound in `is_period`.
    pub(super) locals: Vec<Local>,
}

/// Translates a system of actions.
pub(super) fn period_to_end(original: &Song, fair: bool) -> Result<Translated, Refused> {
    let mut names = Names::of(original);
    let shift = Shift::of_actions(&Arc::new(original.clone()));
    let mut song = original.clone();
    let task = tasks(&mut song, &mut names);
    let actions = original.actions().expect("actions");
    let globals = Globals::new(actions, &mut names, &mut song, shift.as_ref(), task, fair);
    let moved_task = match (&shift, &globals.delta) {
        (Some(shift), Some((_, ty))) => {
            let name = names.fresh("moved");
            song.functions.push(function(&song, shift, name, task, ty)?);
            Some(FnId::from(song.functions.len() - 1))
        }
        _ => None,
    };
    let mut locals = Vec::new();
    let is_period = globals.is_period(actions, shift.as_ref(), &mut locals)?;
    let mut result = Actions {
        globals: globals.all.clone(),
        ..Actions::default()
    };
    let count = actions.actions.len();
    let posts = Posts {
        count,
        task,
        pro: ActionId::from(2 * count),
        anti: ActionId::from(2 * count + 1),
        repeated: globals.repeated,
        dropped: globals.fair.map(|(dropped, _)| dropped),
        delta: globals.delta.clone(),
    };
    for action in &actions.actions {
        let mut stem = action.clone();
        posts.in_stem(&mut stem.code.body);
        no_assertions(&mut stem.code);
        result.actions.push(stem);
    }
    for (at, action) in actions.actions.iter().enumerate() {
        result.actions.push(in_period(
            action,
            ActionId::from(at),
            &posts,
            &globals,
            &mut names,
        ));
    }
    result.actions.push(pro(&mut names, task, &globals));
    result
        .actions
        .push(anti(&mut names, task, &globals, moved_task));
    let mut init = actions.init.clone().unwrap_or_default();
    posts.in_stem(&mut init.body);
    no_assertions(&mut init);
    result.init = Some(init);
    song.system = System::Actions(result);
    song.properties = vec![Property {
        name: super::NO_PERIOD.to_owned(),
        is_invariant: false,
        engines: Vec::new(),
        sizes: Vec::new(),
        claim: Claim::Finally(not(is_period.clone())),
        locals: locals.clone(),
        span: Span::default(),
    }];
    Ok(Translated {
        song,
        parts: globals.parts,
        task,
        is_period,
        locals,
    })
}

/// Declares the tasks.
fn tasks(song: &mut Song, names: &mut Names) -> EnumId {
    let actions = song.actions().expect("actions");
    let variants = actions.actions.iter().map(|action| Variant {
        name: action.name.clone(),
        fields: action.code.locals[..action.code.arity]
            .iter()
            .map(|one| one.ty.clone())
            .collect(),
    });
    let decl = EnumDecl {
        splits: None,
        name: names.fresh("Task"),
        variants: variants.collect(),
        span: Span::default(),
    };
    song.enums.push(decl);
    EnumId::from(song.enums.len() - 1)
}

/// The global variables of the result.
struct Globals {
    all: Vec<Global>,
    parts: Vec<Part>,
    /// For each variable that an action assigns: that of the cycle and where it begins.
    doubled: BTreeMap<GlobalId, (GlobalId, GlobalId)>,
    last: GlobalId,
    repeated: GlobalId,
    /// What was dropped and what was served in the cycle.
    fair: Option<(GlobalId, GlobalId)>,
    delta: Option<(GlobalId, Ty)>,
    task: Ty,
}

impl Globals {
    fn new(
        actions: &Actions,
        names: &mut Names,
        song: &mut Song,
        shift: Option<&Shift>,
        task: EnumId,
        fair: bool,
    ) -> Globals {
        let mut globals = Globals {
            all: actions.globals.clone(),
            parts: vec![Part::Fixed; actions.globals.len()],
            doubled: BTreeMap::new(),
            last: GlobalId::from(0),
            repeated: GlobalId::from(0),
            fair: None,
            delta: None,
            task: Ty::Enum(task),
        };
        for at in assigned(actions) {
            globals.parts[at.index()] = Part::Store;
            let Global { name, ty, .. } = actions.globals[at.index()].clone();
            let start = StartValue::Choice(Choice {
                local: LocalId::from(0),
                domain: Domain::Type(ty.clone()),
                filter: None,
            });
            let begin = names.fresh(&format!("{name}_begin"));
            let begin = globals.add(begin, &ty, start, Part::Fixed);
            let same = StartValue::Value(global(begin, &ty));
            let period = names.fresh(&format!("{name}_period"));
            let period = globals.add(period, &ty, same, Part::Store);
            globals.doubled.insert(at, (period, begin));
        }
        let last = Ty::Option(Box::new(Ty::Enum(task)));
        let start = StartValue::Value(none(&last));
        globals.last = globals.add(names.fresh("last"), &last, start, Part::Store);
        let start = StartValue::Value(truth(false));
        globals.repeated = globals.add(names.fresh("repeated"), &Ty::Bool, start, Part::Tally);
        if fair {
            let set = Ty::Set(Box::new(Ty::Enum(task)));
            let empty = StartValue::Value(expr(ExprKind::Literal(Vec::new()), set.clone()));
            let dropped = globals.add(names.fresh("dropped"), &set, empty.clone(), Part::Tally);
            let served = globals.add(names.fresh("served"), &set, empty, Part::Tally);
            globals.fair = Some((dropped, served));
        }
        if shift.is_some() {
            let sort = SortId::from(song.sorts.len());
            song.sorts.push(SortDecl {
                name: names.fresh("Delta"),
                kind: SortKind::Range(Range {
                    start: number(0),
                    end: RangeEnd::With(number(FARTHEST)),
                }),
                span: Span::default(),
            });
            let ty = Ty::Sort(sort);
            let start = StartValue::Choice(Choice {
                local: LocalId::from(0),
                domain: Domain::Type(ty.clone()),
                filter: None,
            });
            let delta = globals.add(names.fresh("delta"), &ty, start, Part::Fixed);
            globals.delta = Some((delta, ty));
        }
        globals
    }

    fn add(&mut self, name: String, ty: &Ty, start: StartValue, part: Part) -> GlobalId {
        let locals = match &start {
            StartValue::Choice(_) => vec![named(&name, ty)],
            StartValue::Value(_) => Vec::new(),
        };
        self.all.push(Global {
            name,
            ty: ty.clone(),
            start,
            locals,
            linear: false,
            share: None,
            layers: None,
            span: Span::default(),
        });
        self.parts.push(part);
        GlobalId::from(self.all.len() - 1)
    }

    fn read(&self, id: GlobalId) -> Expr {
        global(id, &self.all[id.index()].ty)
    }

    /// The condition on the end.
    fn is_period(
        &self,
        actions: &Actions,
        shift: Option<&Shift>,
        locals: &mut Vec<Local>,
    ) -> Result<Expr, Refused> {
        let last = self.read(self.last);
        let mut parts = vec![self.read(self.repeated), empty(last)];
        for (stem, (period, begin)) in &self.doubled {
            let ty = &actions.globals[stem.index()].ty;
            parts.push(equal(global(*stem, ty), global(*begin, ty)));
            let begin = global(*begin, ty);
            let end = match &self.delta {
                Some((delta, by)) if is_point(shift, *stem) => {
                    moved(begin, &global(*delta, by), locals)?
                }
                _ => begin,
            };
            parts.push(equal(global(*period, ty), end));
        }
        if let Some((dropped, served)) = self.fair {
            let both = vec![self.read(dropped), self.read(served)];
            parts.push(method(Builtin::Subset, both, Ty::Bool));
        }
        Ok(all(parts))
    }
}

/// The variables that an action or `init` assigns.
fn assigned(actions: &Actions) -> Vec<GlobalId> {
    struct Assigned(Vec<GlobalId>);
    impl Visit for Assigned {
        fn place(&mut self, place: &Place) {
            if let Root::Global(id) = place.root
                && !self.0.contains(&id)
            {
                self.0.push(id);
            }
            walk::place(self, place);
        }
    }
    let mut assigned = Assigned(Vec::new());
    for action in &actions.actions {
        assigned.block(&action.code.body);
    }
    if let Some(init) = &actions.init {
        assigned.block(&init.body);
    }
    assigned.0.sort();
    assigned.0
}

/// The action on the store of the cycle.
fn in_period(
    action: &Action,
    id: ActionId,
    posts: &Posts,
    globals: &Globals,
    names: &mut Names,
) -> Action {
    let mut action = action.clone();
    action.name = names.fresh(&format!("{}_period", action.name));
    posts.in_period(&mut action.code.body);
    no_assertions(&mut action.code);
    struct Period<'g>(&'g Globals);
    impl VisitMut for Period<'_> {
        fn expr(&mut self, expr: &mut Expr) {
            if let ExprKind::Global(id) = &mut expr.kind
                && let Some((period, _)) = self.0.doubled.get(id)
            {
                *id = *period;
            }
            walk_mut::expr(self, expr);
        }

        fn place(&mut self, place: &mut Place) {
            if let Root::Global(id) = &mut place.root
                && let Some((period, _)) = self.0.doubled.get(id)
            {
                *id = *period;
            }
            walk_mut::place(self, place);
        }
    }
    Period(globals).block(&mut action.code.body);
    if let Some((_, served)) = globals.fair {
        let parameters = (0..action.code.arity).map(LocalId::from);
        let arguments = parameters.map(|at| local(at, &action.code.locals[at.index()].ty));
        let task = posts.task(id, arguments.collect());
        let set = globals.read(served);
        let first = assign(Root::Global(served), Vec::new(), with(set, task));
        action.code.body.insert(0, first);
    }
    action
}

/// `Pro(t)`: `t` waits when the cycle begins.
fn pro(names: &mut Names, task: EnumId, globals: &Globals) -> Action {
    let last = globals.read(globals.last);
    let t = local(LocalId::from(0), &Ty::Enum(task));
    let body = vec![
        stmt(StmtKind::Assume(empty(last))),
        assign(Root::Global(globals.last), Vec::new(), some(t)),
    ];
    action(names.fresh("Pro"), task, body)
}

/// `Anti(t)`: `t` waits when the cycle ends, and pays.
fn anti(names: &mut Names, task: EnumId, globals: &Globals, moved: Option<FnId>) -> Action {
    let last = globals.read(globals.last);
    let t = local(LocalId::from(0), &Ty::Enum(task));
    let due = match (moved, &globals.delta) {
        (Some(moved), Some((delta, ty))) => {
            let arguments = vec![unwrapped(last.clone()), global(*delta, ty)];
            let due = expr(ExprKind::Call(moved, arguments), globals.task.clone());
            both(BinOp::And, filled(last.clone()), equal(due, t))
        }
        _ => equal(last.clone(), some(t)),
    };
    let body = vec![
        stmt(StmtKind::Assume(due)),
        assign(Root::Global(globals.last), Vec::new(), none(&last.ty)),
    ];
    action(names.fresh("Anti"), task, body)
}

fn action(name: String, task: EnumId, body: Vec<Stmt>) -> Action {
    Action {
        name,
        code: Code {
            arity: 1,
            locals: vec![named("t", &Ty::Enum(task))],
            body,
        },
        role: Role::default(),
        span: Span::default(),
    }
}

/// Where an assertion fails there is no cycle: it is assumed.
fn no_assertions(code: &mut Code) {
    struct Assumed;
    impl VisitMut for Assumed {
        fn stmt(&mut self, stmt: &mut Stmt) {
            if let StmtKind::Assert(holds) = &stmt.kind {
                stmt.kind = StmtKind::Assume(holds.clone());
            }
            walk_mut::stmt(self, stmt);
        }
    }
    Assumed.block(&mut code.body);
}

//! The second translation, *db*: rounds of tasks become one sequential line.
//!
//! Statement. The line gets to its end with `no_period` violated exactly when the program it is made of ends so, by a
//! schedule of at most `K` rounds: a post chooses its round, not before that of whoever posts; rounds are run one
//! after the other, each of them depth first in the order of posting. At most `N` tasks of one kind lie on a chain in
//! which each was posted by the one before it.
//!
//! Every store is there once for each round, `x[k]`. All but that of the first round begin with a guess. A post is a call:
//! the task runs at once, on the store of its round as it is by then, and leaves it to the next one. When everything has
//! been run, each guess must be what the round before it left. So one pass suffices, with the calls nested as the posts
//! are, and nothing has to be kept pending.
//!
//! A task must not see what those it posted have done. So its calls come behind all that it does itself: on each way
//! through it, at the end of that way. Where it posts in a loop that is not possible, and a call stands where the post
//! stood, if the task neither reads nor assigns any store afterwards.
//!
//! Source. [Delay11]; [Alive12], section 5.
//! DIFFERS. There the caller guesses the store with which it will end; calls behind its end need no guess. Recursion is
//! written out to its bound.
//! NOT COVERED. Variables inside of actions, and tasks that post in a loop and go on with the store: refused.

use super::names::Names;
use super::period_to_end::{Part, Translated};
use super::{Bounds, NO_PERIOD, Refused};
use crate::terms::{
    assign, equal, expr, index, local, method, named, not, number, of, stmt, truth,
};
use plainsong_diagnostics::Span;
use plainsong_ir::visit::{Visit, VisitMut, any_stmt, walk, walk_mut};
use plainsong_ir::{
    Access, ActionId, Actions, BinOp, Block, Builtin, Choice, Choreography, Claim, Code, Domain,
    Expr, ExprKind, Family, FamilyId, Global, LineKind, Local, LocalId, Place, Property, Range,
    RangeEnd, Root, Song, SortDecl, SortId, SortKind, StartValue, StateVar, Stmt, StmtKind, System,
    Ty, VarId,
};

/// Translates the result of the first translation.
pub(super) fn rounds_to_line(nt: &Translated, bounds: Bounds) -> Result<Song, Refused> {
    let actions = nt.song.actions().expect("actions");
    let mut names = Names::of(&nt.song);
    let mut song = nt.song.clone();
    let round = SortId::from(song.sorts.len());
    song.sorts.push(SortDecl {
        name: names.fresh("Round"),
        kind: SortKind::Range(Range {
            start: number(0),
            end: RangeEnd::Before(number(i64::from(bounds.delay))),
        }),
        span: Span::default(),
    });
    let it = FamilyId::from(song.families.len());
    let store = Store::new(nt, actions, bounds, Ty::Sort(round), it, &mut names);
    let mut writer = Writer {
        nt,
        actions,
        bounds,
        store: &store,
        locals: Vec::new(),
    };
    let mut body = vec![store.begins()];
    body.extend(store.starts());
    body.extend(writer.main()?);
    body.extend(store.chained());
    let code = Code {
        arity: 0,
        locals: writer.locals,
        body,
    };
    let mut is_period = nt.is_period.clone();
    let last = number(i64::from(bounds.delay) - 1);
    store.rewriter(last).expr(&mut is_period);
    song.system = System::None;
    song.families.push(Family {
        name: names.fresh("it"),
        index: Vec::new(),
        vars: store.vars,
        span: Span::default(),
    });
    song.lines = vec![Choreography {
        name: "rounds".to_owned(),
        endpoints: vec![it],
        requires: Vec::new(),
        ensures: Vec::new(),
        code,
        kind: LineKind::Choreography,
        span: Span::default(),
    }];
    song.properties = vec![Property {
        name: NO_PERIOD.to_owned(),
        is_invariant: false,
        engines: Vec::new(),
        sizes: Vec::new(),
        claim: Claim::Finally(not(is_period)),
        locals: nt.locals.clone(),
        span: Span::default(),
    }];
    Ok(song)
}

/// Where a variable of the program is and of which type; if there is one for each round, also with what the first one
/// starts, and what was guessed for each.
type Stored = (VarId, Ty, Option<(VarId, VarId)>);

/// The variables of the line.
struct Store {
    it: FamilyId,
    round: Ty,
    rounds: u32,
    vars: Vec<StateVar>,
    /// For each variable of the program.
    places: Vec<Stored>,
    /// What was run, for whoever wants to tell it.
    ran: VarId,
    ran_ty: Ty,
}

impl Store {
    fn new(
        nt: &Translated,
        actions: &Actions,
        bounds: Bounds,
        round: Ty,
        it: FamilyId,
        names: &mut Names,
    ) -> Store {
        let task = Ty::Enum(nt.task);
        let step = Ty::Tuple(vec![task, Ty::Bool, round.clone()]);
        let mut store = Store {
            it,
            round,
            rounds: bounds.delay,
            vars: Vec::new(),
            places: Vec::new(),
            ran: VarId::from(0),
            ran_ty: Ty::Seq(Box::new(step)),
        };
        for (global, part) in actions.globals.iter().zip(&nt.parts) {
            let place = match part {
                Part::Store => store.in_rounds(global, names),
                Part::Fixed | Part::Tally => {
                    let start = store.start_of(global);
                    let var = store.add(global.name.clone(), &global.ty, start);
                    (var, global.ty.clone(), None)
                }
            };
            store.places.push(place);
        }
        let nothing = expr(ExprKind::Literal(Vec::new()), store.ran_ty.clone());
        let start = (StartValue::Value(nothing), Vec::new());
        let ty = store.ran_ty.clone();
        store.ran = store.add(names.fresh("ran"), &ty, start);
        store
    }

    fn add(&mut self, name: String, ty: &Ty, start: (StartValue, Vec<Local>)) -> VarId {
        self.vars.push(StateVar {
            name,
            ty: ty.clone(),
            start: start.0,
            locals: start.1,
            durable: false,
            is_input: false,
            span: Span::default(),
        });
        VarId::from(self.vars.len() - 1)
    }

    /// How a variable starts, in terms of those before it.
    fn start_of(&self, global: &Global) -> (StartValue, Vec<Local>) {
        let mut start = global.start.clone();
        walk_mut::start(&mut Starts(self), &mut start);
        (start, global.locals.clone())
    }

    /// A variable that there is once for each round.
    fn in_rounds(&mut self, global: &Global, names: &mut Names) -> Stored {
        let start = self.start_of(global);
        let first = self.add(
            names.fresh(&format!("{}_start", global.name)),
            &global.ty,
            start,
        );
        let ty = Ty::Map(Box::new(self.round.clone()), Box::new(global.ty.clone()));
        let own = |var: VarId, ty: &Ty| expr(ExprKind::Own(var), ty.clone());
        let start = match self.rounds {
            1 => {
                let same = ExprKind::MapOf(LocalId::from(0), Box::new(own(first, &global.ty)));
                let value = StartValue::Value(expr(same, ty.clone()));
                (value, vec![named("k", &self.round)])
            }
            _ => {
                let choice = StartValue::Choice(Choice {
                    local: LocalId::from(0),
                    domain: Domain::Type(ty.clone()),
                    filter: None,
                });
                (choice, vec![named(&global.name, &ty)])
            }
        };
        let guess = self.add(names.fresh(&format!("{}_guess", global.name)), &ty, start);
        let start = (StartValue::Value(own(guess, &ty)), Vec::new());
        let var = self.add(global.name.clone(), &ty, start);
        (var, ty, Some((first, guess)))
    }

    fn read(&self, var: VarId) -> Expr {
        of(self.it, var, self.vars[var.index()].ty.clone())
    }

    /// Nothing has run. An assignment comes first, so that nothing is chosen before the first step.
    fn begins(&self) -> Stmt {
        let nothing = expr(ExprKind::Literal(Vec::new()), self.ran_ty.clone());
        assign(Root::Of(self.it, Vec::new(), self.ran), Vec::new(), nothing)
    }

    /// The first round starts as the program does.
    fn starts(&self) -> Block {
        let stores = self.places.iter().filter(|_| self.rounds > 1);
        let starts = stores.filter_map(|(_, _, store)| *store);
        let assumed = starts.map(|(first, guess)| {
            let begins = index(self.read(guess), number(0));
            stmt(StmtKind::Assume(equal(begins, self.read(first))))
        });
        assumed.collect()
    }

    /// Each round starts with what the one before it left.
    fn chained(&self) -> Block {
        let mut assumed = Vec::new();
        for next in 1..self.rounds {
            for (var, _, store) in &self.places {
                let Some((_, guess)) = store else { continue };
                let left = index(self.read(*var), number(i64::from(next) - 1));
                let guessed = index(self.read(*guess), number(i64::from(next)));
                assumed.push(stmt(StmtKind::Assume(equal(left, guessed))));
            }
        }
        assumed
    }

    fn rewriter(&self, round: Expr) -> InRound<'_> {
        InRound {
            store: self,
            round,
            first: None,
        }
    }
}

/// In what a variable starts with, variables before it are its own.
struct Starts<'s>(&'s Store);

impl VisitMut for Starts<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        if let ExprKind::Global(global) = expr.kind {
            let (var, _, store) = &self.0.places[global.index()];
            expr.kind = ExprKind::Own(store.map_or(*var, |(first, _)| first));
        }
        walk_mut::expr(self, expr);
    }
}

/// Code in a round: variables are those of the line, locals have rows of their own.
struct InRound<'s> {
    store: &'s Store,
    round: Expr,
    /// The row of the first local, where they are moved.
    first: Option<usize>,
}

impl VisitMut for InRound<'_> {
    fn expr(&mut self, one: &mut Expr) {
        if let ExprKind::Global(global) = one.kind {
            let (var, ty, store) = &self.store.places[global.index()];
            let whole = of(self.store.it, *var, ty.clone());
            *one = match store {
                Some(_) => index(whole, self.round.clone()),
                None => whole,
            };
            return;
        }
        walk_mut::expr(self, one);
    }

    fn place(&mut self, place: &mut Place) {
        walk_mut::place(self, place);
        if let Root::Global(global) = place.root {
            let (var, _, store) = &self.store.places[global.index()];
            place.root = Root::Of(self.store.it, Vec::new(), *var);
            if store.is_some() {
                place.path.insert(0, Access::Index(self.round.clone()));
            }
        }
    }

    fn binds(&mut self, local: &mut LocalId) {
        self.uses(local);
    }

    fn uses(&mut self, local: &mut LocalId) {
        if let Some(first) = self.first {
            *local = LocalId::from(local.index() + first);
        }
    }
}

/// A post that is still to be called.
#[derive(Clone)]
struct Post {
    action: ActionId,
    arguments: Vec<Expr>,
}

/// Where a task runs: its round, and how many of each kind are on its chain.
#[derive(Clone)]
struct Task {
    round: Expr,
    chain: Vec<u32>,
}

struct Writer<'w> {
    nt: &'w Translated,
    actions: &'w Actions,
    bounds: Bounds,
    store: &'w Store,
    locals: Vec<Local>,
}

impl Writer<'_> {
    /// How many actions the original has.
    fn count(&self) -> usize {
        self.nt.song.enums[self.nt.task.index()].variants.len()
    }

    fn main(&mut self) -> Result<Block, Refused> {
        let Some(init) = &self.actions.init else {
            return Ok(Vec::new());
        };
        let task = Task {
            round: number(0),
            chain: vec![0; self.count()],
        };
        self.code(init, Vec::new(), &task)
    }

    /// A call: in some round, not before that of the caller.
    fn call(&mut self, post: &Post, by: &Task) -> Result<Block, Refused> {
        let (at, count) = (post.action.index(), self.count());
        let mut chain = by.chain.clone();
        let kind = (at < 2 * count).then_some(at % count);
        if let Some(kind) = kind {
            chain[kind] += 1;
            if chain[kind] > self.bounds.recursion {
                return Ok(vec![stmt(StmtKind::Assume(truth(false)))]);
            }
        }
        let mut block = Vec::new();
        let round = self.later(&by.round, &mut block);
        if let Some(kind) = kind {
            block.push(self.note(kind, at >= count, post, &round));
        }
        let task = Task { round, chain };
        let code = &self.actions.actions[at].code;
        block.extend(self.code(code, post.arguments.clone(), &task)?);
        Ok(block)
    }

    /// A round that is not before this one.
    fn later(&mut self, round: &Expr, block: &mut Block) -> Expr {
        if self.bounds.delay == 1 {
            return round.clone();
        }
        let ty = self.store.round.clone();
        let chosen = self.fresh("k", &ty);
        let is_later = ExprKind::Binary(
            BinOp::Ge,
            Box::new(local(chosen, &ty)),
            Box::new(round.clone()),
        );
        block.push(stmt(StmtKind::LetChoice(Choice {
            local: chosen,
            domain: Domain::Type(ty.clone()),
            filter: Some(expr(is_later, Ty::Bool)),
        })));
        local(chosen, &ty)
    }

    /// Notes which task runs.
    fn note(&self, kind: usize, period: bool, post: &Post, round: &Expr) -> Stmt {
        let task = ExprKind::Variant(self.nt.task, kind, post.arguments.clone());
        let task = expr(task, Ty::Enum(self.nt.task));
        let ty = Ty::Tuple(vec![task.ty.clone(), Ty::Bool, self.store.round.clone()]);
        let step = expr(
            ExprKind::Tuple(vec![task, truth(period), round.clone()]),
            ty,
        );
        let ran = self.store.read(self.store.ran);
        let longer = method(Builtin::Push, vec![ran, step], self.store.ran_ty.clone());
        let root = Root::Of(self.store.it, Vec::new(), self.store.ran);
        assign(root, Vec::new(), longer)
    }

    fn fresh(&mut self, name: &str, ty: &Ty) -> LocalId {
        self.locals.push(named(name, ty));
        LocalId::from(self.locals.len() - 1)
    }

    /// What a task does, with its calls.
    fn code(&mut self, code: &Code, arguments: Vec<Expr>, task: &Task) -> Result<Block, Refused> {
        let first = self.locals.len();
        for one in &code.locals {
            if one.mutable {
                let why = "a variable inside of an action is not translated";
                return Err(Refused::new(one.span, why));
            }
            self.locals.push(one.clone());
        }
        let mut block = Vec::new();
        for (at, argument) in arguments.into_iter().enumerate() {
            block.push(stmt(StmtKind::Let(LocalId::from(first + at), argument)));
        }
        let how = Manner::of(&code.body, &self.nt.parts);
        let mut body = code.body.clone();
        let mut rewriter = self.store.rewriter(task.round.clone());
        rewriter.first = Some(first);
        rewriter.block(&mut body);
        match how {
            Manner::InPlace => block.extend(self.in_place(body, task)?),
            Manner::Behind => block.extend(self.behind(body.into(), Vec::new(), task)?),
            Manner::Neither(span) => {
                let why =
                    "an action that posts in a loop and goes on with the store is not translated";
                return Err(Refused::new(span, why));
            }
        }
        Ok(block)
    }

    /// Calls where the posts stood.
    fn in_place(&mut self, block: Block, task: &Task) -> Result<Block, Refused> {
        let mut after = Vec::new();
        for mut one in block {
            match one.kind {
                StmtKind::Async(action, arguments) => {
                    let post = Post { action, arguments };
                    after.extend(self.call(&post, task)?);
                    continue;
                }
                StmtKind::If(condition, then, other) => {
                    let then = self.in_place(then, task)?;
                    let other = self.in_place(other, task)?;
                    one.kind = StmtKind::If(condition, then, other);
                }
                StmtKind::Maybe(then, other) => {
                    let then = self.in_place(then, task)?;
                    let other = self.in_place(other, task)?;
                    one.kind = StmtKind::Maybe(then, other);
                }
                StmtKind::Match(value, arms) => {
                    let arms = arms.into_iter();
                    let arms = arms.map(|(pattern, arm)| Ok((pattern, self.in_place(arm, task)?)));
                    one.kind = StmtKind::Match(value, arms.collect::<Result<_, Refused>>()?);
                }
                StmtKind::While(condition, clauses, body) => {
                    one.kind = StmtKind::While(condition, clauses, self.in_place(body, task)?);
                }
                StmtKind::For {
                    local,
                    domain,
                    filter,
                    clauses,
                    body,
                } => {
                    one.kind = StmtKind::For {
                        local,
                        domain,
                        filter,
                        clauses,
                        body: self.in_place(body, task)?,
                    };
                }
                _ => {}
            }
            after.push(one);
        }
        Ok(after)
    }

    /// Calls at the end of each way.
    fn behind(
        &mut self,
        mut rest: std::collections::VecDeque<Stmt>,
        mut posts: Vec<Post>,
        task: &Task,
    ) -> Result<Block, Refused> {
        let mut after = Vec::new();
        while let Some(mut one) = rest.pop_front() {
            if !posts_somewhere(&one) {
                after.push(one);
                continue;
            }
            let way = |writer: &mut Self, branch: Block| {
                let whole = branch.into_iter().chain(rest.iter().cloned());
                writer.behind(whole.collect(), posts.clone(), task)
            };
            match one.kind {
                StmtKind::Async(action, arguments) => {
                    let arguments = self.kept(arguments, &mut after);
                    posts.push(Post { action, arguments });
                    continue;
                }
                StmtKind::If(condition, then, other) => {
                    let then = way(self, then)?;
                    one.kind = StmtKind::If(condition, then, way(self, other)?);
                }
                StmtKind::Maybe(then, other) => {
                    let then = way(self, then)?;
                    one.kind = StmtKind::Maybe(then, way(self, other)?);
                }
                StmtKind::Match(value, arms) => {
                    let arms = arms.into_iter();
                    let arms = arms.map(|(pattern, arm)| Ok((pattern, way(self, arm)?)));
                    one.kind = StmtKind::Match(value, arms.collect::<Result<_, Refused>>()?);
                }
                _ => {}
            }
            after.push(one);
            return Ok(after);
        }
        for post in &posts {
            after.extend(self.call(post, task)?);
        }
        Ok(after)
    }

    /// Arguments with the values that they have now.
    fn kept(&mut self, arguments: Vec<Expr>, block: &mut Block) -> Vec<Expr> {
        let keep = |one: Expr| {
            if matches!(
                one.kind,
                ExprKind::Local(_) | ExprKind::Int(_) | ExprKind::Bool(_)
            ) {
                return one;
            }
            let ty = one.ty.clone();
            let name = self.fresh("kept", &ty);
            block.push(stmt(StmtKind::Let(name, one)));
            local(name, &ty)
        };
        arguments.into_iter().map(keep).collect()
    }
}

fn posts_somewhere(one: &Stmt) -> bool {
    any_stmt(one, |stmt| matches!(stmt.kind, StmtKind::Async(..)))
}

/// Where the calls of a task may stand.
enum Manner {
    /// Where the posts stood: it does nothing with any store afterwards.
    InPlace,
    /// Behind everything.
    Behind,
    /// It posts in a loop and goes on with a store.
    Neither(Span),
}

impl Manner {
    fn of(body: &Block, parts: &[Part]) -> Manner {
        let mut follows = Follows {
            parts,
            posted: false,
            touches: false,
            loops: 0,
            in_loop: None,
        };
        follows.block(body);
        match (follows.touches, follows.in_loop) {
            (false, _) => Manner::InPlace,
            (true, None) => Manner::Behind,
            (true, Some(span)) => Manner::Neither(span),
        }
    }
}

/// Does something read or assign a store after a post?
struct Follows<'p> {
    parts: &'p [Part],
    posted: bool,
    touches: bool,
    loops: usize,
    /// A post in a loop.
    in_loop: Option<Span>,
}

impl Follows<'_> {
    /// One of these is done.
    fn ways<'b>(&mut self, ways: impl IntoIterator<Item = &'b Block>) {
        let (before, mut after) = (self.posted, self.posted);
        for way in ways {
            self.posted = before;
            self.block(way);
            after |= self.posted;
        }
        self.posted = after;
    }
}

impl Visit for Follows<'_> {
    fn stmt(&mut self, one: &Stmt) {
        match &one.kind {
            StmtKind::Async(..) => {
                walk::stmt(self, one);
                self.posted = true;
                if self.loops > 0 {
                    self.in_loop = Some(one.span);
                }
            }
            // What comes later in a loop is followed by what comes earlier.
            StmtKind::For { .. } | StmtKind::While(..) => {
                self.loops += 1;
                walk::stmt(self, one);
                walk::stmt(self, one);
                self.loops -= 1;
            }
            StmtKind::If(condition, then, other) => {
                self.expr(condition);
                self.ways([then, other]);
            }
            StmtKind::Maybe(then, other) => self.ways([then, other]),
            StmtKind::Match(value, arms) => {
                self.expr(value);
                self.ways(arms.iter().map(|(_, arm)| arm));
            }
            _ => walk::stmt(self, one),
        }
    }

    fn expr(&mut self, one: &Expr) {
        if let ExprKind::Global(global) = one.kind {
            self.touches |= self.posted && self.parts[global.index()] == Part::Store;
        }
        walk::expr(self, one);
    }

    fn place(&mut self, place: &Place) {
        if let Root::Global(global) = place.root {
            self.touches |= self.posted && self.parts[global.index()] == Part::Store;
        }
        walk::place(self, place);
    }
}

//! Loops whose rounds have nothing to do with each other, variable by variable.
//!
//! A variable of endpoints, and a global, is a function of *coordinates*: the indices of the family, then
//! the keys of maps. If in the body of `for x in S` every access to a variable has `x` as its coordinate
//! number `c`, the variable is *kept apart*: a round touches only its own part of it. Different rounds
//! have different `x`.
//!
//! [`separate`] asks that of every variable that is written; then all rounds can be taken at once, each
//! from the state before the loop. [`coordinate`] asks it of one variable; then at least what the
//! rounds to come will find in it is known: what stood there before the loop.
//!
//! [`permuted`] asks for less: the coordinate is an expression of `x`, the same wherever the variable is touched
//! (`node[(x + 1) % N].got`). Whether different rounds have different ones is then a question of its own.

use crate::lower::Store;
use crate::term::{Op, Term, Terms};
use plainsong_ir::visit::{Visit, free_locals, locals_bound, walk};
use plainsong_ir::{
    Access, BinOp, Block, Builtin, Expr, ExprKind, FamilyId, GlobalId, LocalId, Place, Root, Song,
    Stmt, StmtKind, Ty, UnOp, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// A variable that code can write besides its locals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Variable {
    /// Of an endpoint.
    Of(FamilyId, VarId),
    Global(GlobalId),
}

/// Which coordinate of each written variable is the loop's name.
pub(crate) type Coordinates = BTreeMap<Variable, usize>;

/// The variables that a block may write.
#[derive(Default)]
pub(crate) struct Written {
    pub(crate) variables: BTreeSet<Variable>,
    pub(crate) locals: BTreeSet<LocalId>,
}

impl Store {
    pub(crate) fn value(&self, variable: Variable) -> Option<Term> {
        match variable {
            Variable::Of(family, var) => self.vars.get(&(family, var)).copied(),
            Variable::Global(global) => self.globals.get(&global).copied(),
        }
    }

    pub(crate) fn set(&mut self, variable: Variable, value: Term) {
        match variable {
            Variable::Of(family, var) => self.vars.insert((family, var), value),
            Variable::Global(global) => self.globals.insert(global, value),
        };
    }
}

impl Written {
    pub(crate) fn of(block: &Block) -> Written {
        let mut written = Written::default();
        written.block(block);
        written
    }
}

impl Visit for Written {
    fn place(&mut self, place: &Place) {
        match &place.root {
            Root::Of(family, _, var) => _ = self.variables.insert(Variable::Of(*family, *var)),
            Root::Global(global) => _ = self.variables.insert(Variable::Global(*global)),
            Root::Local(local) => _ = self.locals.insert(*local),
            Root::Own(_) => {}
        }
        walk::place(self, place);
    }
}

/// Which part of a variable is a round's own.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Part {
    /// The number of the coordinate.
    pub(crate) coordinate: usize,
    /// What stands there, if it is not the loop's name itself: sums, products and remainders of names and numbers.
    pub(crate) index: Option<Expr>,
}

/// The parts of all variables that are written, if each round touches only its own, and some are written at another
/// place than the loop's name.
pub(crate) fn permuted(
    song: &Song,
    local: LocalId,
    filter: Option<&Expr>,
    body: &Block,
) -> Option<BTreeMap<Variable, Part>> {
    let written = Written::of(body);
    if !written.locals.is_empty() || !simple(body) {
        return None;
    }
    let bound = locals_bound(body);
    let part = |variable: Variable| {
        let named = coordinate(song, variable, local, filter, body);
        if let Some(coordinate) = named {
            return Some(Part {
                coordinate,
                index: None,
            });
        }
        let indices = First::of(variable, body);
        let parts = indices.into_iter().enumerate();
        let mut parts = parts.filter(|(_, index)| is_arithmetic(index, local, &bound));
        parts.find_map(|(coordinate, index)| {
            let wanted = Wanted::Index(index.clone());
            let looking = CoordinateCheck::at((variable, coordinate), wanted, filter, body);
            looking.separate.then_some(Part {
                coordinate,
                index: Some(index),
            })
        })
    };
    let all = written.variables.into_iter();
    let parts: Option<BTreeMap<Variable, Part>> = all
        .map(|variable| Some((variable, part(variable)?)))
        .collect();
    parts.filter(|parts| parts.values().any(|part| part.index.is_some()))
}

/// Is it made of the loop's name, other names that the body does not bind, and numbers (also of members), so that it has a value
/// and is the same at every place of the body?
fn is_arithmetic(expr: &Expr, local: LocalId, bound: &BTreeSet<LocalId>) -> bool {
    fn is_plain(expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Local(_) | ExprKind::Const(_) => true,
            ExprKind::Method(Builtin::Len, of) => {
                matches!(
                    of[..],
                    [Expr {
                        kind: ExprKind::All(_),
                        ..
                    }]
                )
            }
            ExprKind::Widen(inner) | ExprKind::Unary(UnOp::Neg, inner) => is_plain(inner),
            ExprKind::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul, a, b) => {
                is_plain(a) && is_plain(b)
            }
            _ => false,
        }
    }
    let inner = match &expr.kind {
        ExprKind::Narrow(inner) => inner,
        _ => expr,
    };
    let fits = match &inner.kind {
        ExprKind::Binary(BinOp::Rem, a, m) => {
            is_plain(a) && is_plain(m) && !free_locals(m).contains(&local)
        }
        _ => is_plain(inner),
    };
    let names = free_locals(inner);
    fits && names.contains(&local) && names.is_disjoint(bound)
}

/// The coordinates of the first place of a variable that a block writes.
struct First(Variable, Option<Vec<Expr>>);

impl First {
    fn of(variable: Variable, block: &Block) -> Vec<Expr> {
        let mut first = First(variable, None);
        first.block(block);
        first.1.unwrap_or_default()
    }
}

impl Visit for First {
    fn place(&mut self, place: &Place) {
        let mut coordinates = match &place.root {
            Root::Of(family, index, var) if Variable::Of(*family, *var) == self.0 => index.clone(),
            Root::Global(global) if Variable::Global(*global) == self.0 => Vec::new(),
            _ => return walk::place(self, place),
        };
        let keys = place.path.iter().map_while(|access| match access {
            Access::Index(key) => Some(key.clone()),
            _ => None,
        });
        coordinates.extend(keys);
        self.1.get_or_insert(coordinates);
    }
}

/// The coordinates of all variables that are written, if the rounds have nothing to do with each other.
pub(crate) fn separate(
    song: &Song,
    local: LocalId,
    filter: Option<&Expr>,
    body: &Block,
) -> Option<Coordinates> {
    let written = Written::of(body);
    if !written.locals.is_empty() || !simple(body) {
        return None;
    }
    let all = written.variables.into_iter();
    all.map(|variable| Some((variable, coordinate(song, variable, local, filter, body)?)))
        .collect()
}

/// Which coordinate of a variable is the loop's name wherever the body and the filter touch it.
pub(crate) fn coordinate(
    song: &Song,
    variable: Variable,
    local: LocalId,
    filter: Option<&Expr>,
    body: &Block,
) -> Option<usize> {
    let fits = |coordinate: &usize| {
        let wanted = Wanted::Name(local);
        CoordinateCheck::at((variable, *coordinate), wanted, filter, body).separate
    };
    (0..depth(song, variable)).find(fits)
}

/// The variable in which, at every `member` that `counts`, the part of `after` stands, and elsewhere that of
/// `before`.
pub(crate) fn everywhere(
    terms: &mut Terms,
    (before, after): (Term, Term),
    coordinate: usize,
    (member, counts): (Term, Term),
) -> Term {
    under_coordinates(terms, (before, after), coordinate, |terms, old, new| {
        let old = terms.select(old, member);
        let new = terms.select(new, member);
        let held = terms.ite(counts, new, old);
        terms.lambda(member, held)
    })
}

/// The variable that `inner` makes of the parts of `before` and `after`, at all places of the first coordinates.
pub(crate) fn under_coordinates(
    terms: &mut Terms,
    (before, after): (Term, Term),
    coordinates: usize,
    inner: impl FnOnce(&mut Terms, Term, Term) -> Term,
) -> Term {
    let (mut old, mut new) = (before, after);
    let mut outer = Vec::new();
    for _ in 0..coordinates {
        let at = terms.fresh_place("at", old);
        old = terms.select(old, at);
        new = terms.select(new, at);
        outer.push(at);
    }
    let mut all = inner(terms, old, new);
    for at in outer.into_iter().rev() {
        all = terms.lambda(at, all);
    }
    all
}

/// Is every symbol of the term `member` or one of the first `known`?
pub(crate) fn speaks_of(terms: &Terms, term: Term, member: Term, known: u32) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![term];
    while let Some(term) = open.pop() {
        if !seen.insert(term) || term == member {
            continue;
        }
        if matches!(terms.op(term), Op::Symbol(number) if number >= known) {
            return false;
        }
        open.extend(terms.args(term));
    }
    true
}

/// How many indices and keys lead into a variable: `map<A, map<B, C>>` has two.
fn depth(song: &Song, variable: Variable) -> usize {
    let (mut depth, mut ty) = match variable {
        Variable::Of(family, var) => {
            let family = &song.families[family.index()];
            (family.index.len(), Some(&family.vars[var.index()].ty))
        }
        Variable::Global(global) => {
            let rows = song.actions().map(|actions| &actions.globals);
            (0, rows.map(|rows| &rows[global.index()].ty))
        }
    };
    while let Some(Ty::Map(_, value)) = ty {
        ty = Some(value);
        depth += 1;
    }
    depth
}

/// No jumps out of it, and loops only over elements.
fn simple(block: &Block) -> bool {
    block.iter().all(|stmt: &Stmt| match &stmt.kind {
        StmtKind::Let(..)
        | StmtKind::LetChoice(_)
        | StmtKind::Assign(..)
        | StmtKind::AssignChoice(..)
        | StmtKind::Async(..)
        | StmtKind::Assume(_)
        | StmtKind::Assert(_) => true,
        // What is inside of it stays there, and loops in it need not be followed.
        StmtKind::Part(_) => true,
        StmtKind::If(_, yes, no) | StmtKind::Maybe(yes, no) => simple(yes) && simple(no),
        StmtKind::Match(_, arms) => arms.iter().all(|(_, body)| simple(body)),
        StmtKind::For { body, .. } => simple(body),
        _ => false,
    })
}

/// What has to stand at a coordinate.
enum Wanted {
    Name(LocalId),
    /// This, whose places in the text are erased.
    Index(Expr),
}

/// Has every access to a variable what is wanted as one of its coordinates?
struct CoordinateCheck {
    wanted: Wanted,
    variable: Variable,
    coordinate: usize,
    separate: bool,
}

impl CoordinateCheck {
    fn at(
        (variable, coordinate): (Variable, usize),
        wanted: Wanted,
        filter: Option<&Expr>,
        body: &Block,
    ) -> CoordinateCheck {
        let mut looking = CoordinateCheck {
            wanted,
            variable,
            coordinate,
            separate: true,
        };
        looking.block(body);
        if let Some(filter) = filter {
            looking.expr(filter);
        }
        looking
    }

    fn is_wanted(&self, expr: Option<&Expr>) -> bool {
        let Some(expr) = expr else {
            return false;
        };
        match &self.wanted {
            Wanted::Name(wanted) => {
                matches!(&expr.kind, ExprKind::Local(local) if local == wanted)
            }
            Wanted::Index(wanted) => expr == wanted,
        }
    }

    /// The coordinates of an access to the variable, outermost first.
    fn coordinates<'e>(&self, expr: &'e Expr) -> Option<Vec<&'e Expr>> {
        match &expr.kind {
            ExprKind::Of(family, index, var) if Variable::Of(*family, *var) == self.variable => {
                Some(index.iter().collect())
            }
            ExprKind::Global(global) if Variable::Global(*global) == self.variable => {
                Some(Vec::new())
            }
            ExprKind::Index(whole, key) if matches!(whole.ty, Ty::Map(..)) => {
                let mut all = self.coordinates(whole)?;
                all.push(key);
                Some(all)
            }
            _ => None,
        }
    }

    fn root<'e>(&self, root: &'e Root) -> Option<Vec<&'e Expr>> {
        match root {
            Root::Of(family, index, var) if Variable::Of(*family, *var) == self.variable => {
                Some(index.iter().collect())
            }
            Root::Global(global) if Variable::Global(*global) == self.variable => Some(Vec::new()),
            _ => None,
        }
    }
}

impl Visit for CoordinateCheck {
    fn expr(&mut self, expr: &Expr) {
        let Some(coordinates) = self.coordinates(expr) else {
            return walk::expr(self, expr);
        };
        if !self.is_wanted(coordinates.get(self.coordinate).copied()) {
            self.separate = false;
        }
        for coordinate in coordinates {
            self.expr(coordinate);
        }
    }

    fn place(&mut self, place: &Place) {
        if let Some(mut coordinates) = self.root(&place.root) {
            for access in &place.path {
                match access {
                    Access::Index(key) => coordinates.push(key),
                    _ => break,
                }
            }
            if !self.is_wanted(coordinates.get(self.coordinate).copied()) {
                self.separate = false;
            }
        }
        walk::place(self, place);
    }
}

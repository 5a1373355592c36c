//! Invariant templates by position: candidates for walks through a row, read off small rows.
//!
//! What a member of a ring or chain has at the end is often a matter of where it stands: its position, the number of
//! members, what the first or the last has. Rows of a few members are run to their ends; what all of them have in common
//! becomes a candidate at every loop that writes the variable: of the members that were visited, and of all. Most
//! variables are written in one walk only, so what is true at the end is true behind it.
//!
//! They are only guesses: Houdini discharges each of them, or drops it.

mod small;

use super::accumulator::{binary, bool, expr};
use plainsong_diagnostics::Span;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{
    BinOp, Binding, Block, Builtin, Domain, Expr, ExprKind, FamilyId, Local, LocalId, Quantifier,
    Root, Song, SortId, Stmt, StmtKind, Ty, UnOp, VarId,
};
use plainsong_semantics::value::Value;
use small::{Member, Rows};
use std::collections::{BTreeMap, BTreeSet};

/// Numbers differ from a position or a length by so much at most.
const NEAR: i64 = 2;

/// Candidates for the loops of a line through a row, by their position in the text. New names are added to `locals`.
pub(crate) fn of_rows(
    song: &Song,
    number: usize,
    locals: &mut Vec<Local>,
) -> BTreeMap<usize, Vec<Expr>> {
    let body = &song.lines[number].code.body;
    let mut walks = Walks::default();
    walks.block(body);
    if walks.found.is_empty() {
        return BTreeMap::new();
    }
    let Some(rows) = Rows::of(song, number) else {
        return BTreeMap::new();
    };
    let mut guessing = Guessing {
        song,
        rows: &rows,
        locals,
    };
    let of_walk = |walk: &Walk| (walk.at, guessing.of_walk(walk, &walks.found));
    walks.found.iter().map(of_walk).collect()
}

/// A loop over members.
struct Walk {
    at: usize,
    /// What the loop counts.
    count: LocalId,
    /// From the last member to the first?
    is_down: bool,
    written: BTreeSet<(FamilyId, VarId)>,
}

/// The loops of a line; those inside of others are not looked at, but counted.
#[derive(Default)]
struct Walks {
    at: usize,
    depth: usize,
    found: Vec<Walk>,
}

impl Visit for Walks {
    fn stmt(&mut self, stmt: &Stmt) {
        let is_loop = matches!(stmt.kind, StmtKind::For { .. } | StmtKind::While(..));
        if let StmtKind::For {
            local,
            filter: None,
            body,
            ..
        } = &stmt.kind
            && self.depth == 0
        {
            self.found.push(Walk {
                at: self.at,
                count: *local,
                is_down: matches!(body.first(), Some(first) if matches!(first.kind, StmtKind::Let(..))),
                written: written(body),
            });
        }
        self.at += usize::from(is_loop);
        self.depth += usize::from(is_loop);
        walk::stmt(self, stmt);
        self.depth -= usize::from(is_loop);
    }
}

fn written(body: &Block) -> BTreeSet<(FamilyId, VarId)> {
    struct Writes(BTreeSet<(FamilyId, VarId)>);
    impl Visit for Writes {
        fn stmt(&mut self, stmt: &Stmt) {
            if let StmtKind::Assign(place, _) | StmtKind::AssignChoice(place, _) = &stmt.kind
                && let Root::Of(family, _, var) = &place.root
            {
                self.0.insert((*family, *var));
            }
            walk::stmt(self, stmt);
        }
    }
    let mut writes = Writes(BTreeSet::new());
    writes.block(body);
    writes.0
}

/// Which members a candidate is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    All,
    NotFirst,
    NotLast,
    First,
    Last,
}

impl Who {
    fn includes(self, member: &Member<'_>) -> bool {
        let (is_first, is_last) = (member.position == 0, member.position + 1 == member.length);
        match self {
            Who::All => true,
            Who::NotFirst => !is_first,
            Who::NotLast => !is_last,
            Who::First => is_first,
            Who::Last => is_last,
        }
    }
}

/// What they have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// `position * member's + length * row's + plus`.
    Number {
        position: i64,
        length: i64,
        plus: i64,
    },
    Truth(bool),
    /// The same as the member itself, the first one or the last one has in a variable.
    Own(VarId),
    OfFirst(VarId),
    OfLast(VarId),
}

impl What {
    /// Has this member that?
    fn fits(self, member: &Member<'_>, var: VarId) -> bool {
        let value = member.has(var);
        match self {
            What::Number {
                position,
                length,
                plus,
            } => {
                let place = position * member.position + length * member.length;
                *value == Value::Int(plus.saturating_add(place))
            }
            What::Truth(truth) => *value == Value::Bool(truth),
            What::Own(other) => value == member.has(other),
            What::OfFirst(other) => value == member.first_has(other),
            What::OfLast(other) => value == member.last_has(other),
        }
    }
}

struct Guessing<'a> {
    song: &'a Song,
    rows: &'a Rows,
    locals: &'a mut Vec<Local>,
}

impl Guessing<'_> {
    fn of_walk(&mut self, walk: &Walk, walks: &[Walk]) -> Vec<Expr> {
        let mut all = Vec::new();
        for &(family, var) in &walk.written {
            if family != self.rows.family {
                continue;
            }
            let writing = walks
                .iter()
                .filter(|one| one.written.contains(&(family, var)));
            let is_shared = writing.count() > 1;
            for (who, what) in self.common(var, is_shared) {
                all.push(self.candidate(walk, var, who, what, true));
                all.push(self.candidate(walk, var, who, what, false));
            }
        }
        all
    }

    /// What members have in common: of all if there is something, else of those at an end and of the others. Of the
    /// latter as well where walks share the work: each may see to some of them.
    fn common(&self, var: VarId, is_shared: bool) -> Vec<(Who, What)> {
        let found = |who| {
            let fitting = self.fitting(var, who).into_iter();
            fitting.map(move |what| (who, what))
        };
        let mut all: Vec<(Who, What)> = found(Who::All).collect();
        if all.is_empty() || is_shared {
            let parts = [Who::NotFirst, Who::NotLast, Who::First, Who::Last];
            all.extend(parts.into_iter().flat_map(found));
        }
        all
    }

    /// All that these members have in common: a number or truth says everything, else what others have.
    fn fitting(&self, var: VarId, who: Who) -> Vec<What> {
        let members = || self.rows.members().filter(|member| who.includes(member));
        let fits = |what: &What| members().all(|member| what.fits(&member, var));
        let Some(some) = members().next() else {
            return Vec::new();
        };
        let plain: Vec<What> = match some.has(var) {
            Value::Bool(truth) => vec![What::Truth(*truth)],
            Value::Int(number) => [(0, 0), (1, 0), (0, 1), (-1, 1)]
                .into_iter()
                .map(|(position, length)| What::Number {
                    position,
                    length,
                    plus: number.saturating_sub(position * some.position + length * some.length),
                })
                .collect(),
            _ => Vec::new(),
        };
        let is_near = |what: &What| match what {
            What::Number {
                position,
                length,
                plus,
                ..
            } => (*position, *length) == (0, 0) || (-NEAR..=NEAR).contains(plus),
            _ => true,
        };
        if let Some(what) = plain.into_iter().filter(is_near).find(fits) {
            return vec![what];
        }
        let vars = &self.song.families[self.rows.family.index()].vars;
        let others = (0..vars.len()).map(VarId::from);
        let alike = others.filter(|other| vars[other.index()].ty == vars[var.index()].ty);
        alike
            .flat_map(|other| [What::Own(other), What::OfFirst(other), What::OfLast(other)])
            .filter(|what| *what != What::Own(var))
            .filter(fits)
            .collect()
    }

    /// `forall m: S where … :: node[m].x == …`, perhaps of visited members only.
    fn candidate(&mut self, walk: &Walk, var: VarId, who: Who, what: What, visited: bool) -> Expr {
        let sort = self.rows.sort;
        let ty = Ty::Sort(sort);
        self.locals.push(Local {
            name: "m".to_owned(),
            ty: ty.clone(),
            mutable: false,
            span: Span::default(),
        });
        let name = LocalId::from(self.locals.len() - 1);
        let member = expr(ExprKind::Local(name), ty.clone());
        let has = |var: VarId, at: Expr| {
            let vars = &self.song.families[self.rows.family.index()].vars;
            let kind = ExprKind::Of(self.rows.family, vec![at], var);
            expr(kind, vars[var.index()].ty.clone())
        };
        let mine = has(var, member.clone());
        let position = || int(member.clone());
        let first = || number(0);
        let last = || minus(length(sort), number(1));
        let about = match what {
            What::Number {
                position: p,
                length: l,
                plus,
            } => {
                let terms = [(p, position()), (l, length(sort))];
                let whole = terms.into_iter().filter(|(times, _)| *times == 1);
                let whole = whole.map(|(_, term)| term).reduce(sum);
                let whole = match (whole, plus) {
                    (None, _) => number(plus),
                    (Some(whole), 0) => whole,
                    (Some(whole), _) => sum(whole, number(plus)),
                };
                let value = if p < 0 {
                    minus(whole, position())
                } else {
                    whole
                };
                binary(BinOp::Eq, int(mine), value)
            }
            What::Truth(true) => mine,
            What::Truth(false) => bool(ExprKind::Unary(UnOp::Not, Box::new(mine))),
            What::Own(other) => binary(BinOp::Eq, mine, has(other, member.clone())),
            What::OfFirst(other) => binary(BinOp::Eq, mine, has(other, narrowed(first(), sort))),
            What::OfLast(other) => binary(BinOp::Eq, mine, has(other, narrowed(last(), sort))),
        };
        let who = match who {
            Who::All => None,
            Who::NotFirst => Some(binary(BinOp::Gt, position(), first())),
            Who::NotLast => Some(binary(BinOp::Lt, position(), last())),
            Who::First => Some(binary(BinOp::Eq, position(), first())),
            Who::Last => Some(binary(BinOp::Eq, position(), last())),
        };
        let count = || int(expr(ExprKind::Local(walk.count), ty.clone()));
        let seen = visited.then(|| match walk.is_down {
            false => binary(BinOp::Lt, position(), count()),
            true => binary(BinOp::Ge, sum(position(), count()), length(sort)),
        });
        let filter = who.into_iter().chain(seen);
        let filter = filter.reduce(|a, b| binary(BinOp::And, a, b));
        let binding = Binding {
            names: vec![name],
            domain: Domain::Type(ty.clone()),
            filter,
        };
        let kind = ExprKind::Quantifier(Quantifier::Forall, vec![binding], Box::new(about));
        bool(kind)
    }
}

fn number(value: i64) -> Expr {
    expr(ExprKind::Int(value), Ty::Int)
}

fn int(value: Expr) -> Expr {
    match value.ty {
        Ty::Int => value,
        _ => expr(ExprKind::Widen(Box::new(value)), Ty::Int),
    }
}

fn narrowed(value: Expr, sort: SortId) -> Expr {
    expr(ExprKind::Narrow(Box::new(value)), Ty::Sort(sort))
}

fn sum(left: Expr, right: Expr) -> Expr {
    expr(
        ExprKind::Binary(BinOp::Add, Box::new(left), Box::new(right)),
        Ty::Int,
    )
}

fn minus(left: Expr, right: Expr) -> Expr {
    expr(
        ExprKind::Binary(BinOp::Sub, Box::new(left), Box::new(right)),
        Ty::Int,
    )
}

fn length(sort: SortId) -> Expr {
    let ty = Ty::Sort(sort);
    let all = expr(ExprKind::All(ty.clone()), Ty::Set(Box::new(ty)));
    int(expr(ExprKind::Method(Builtin::Len, vec![all]), Ty::Nat))
}

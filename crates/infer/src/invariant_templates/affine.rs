//! Affine invariant templates: what every round does alike (the same amount is added, the same value given, the same sent).
//!
//! The line is gone through once with what its variables are known to be: at first what they start with. A round is gone
//! through from what it finds; then
//!
//! - a number to which each round adds `c` is what it was before the loop, and `c` for each member visited. So it may be
//!   counted several times in one round, and in several loops;
//! - what a round makes of its member's variable, from what it was before the loop, is what visited members have, and the
//!   others have what they had; loops in the round that change this variable leave the other members alone;
//! - a bag into which every round puts the same has nothing else; what is taken from it is that.
//!
//! Branches are not looked into: what they assign is not known behind them. They are only guesses: Houdini
//! discharges each of them, or drops it.

use super::accumulator::{Instead, Loop, binary, bool, expr, parts};
use plainsong_diagnostics::Span;
use plainsong_ir::visit::{VisitMut, each_place, is_closed, replace};
use plainsong_ir::{
    BinOp, Binding, Block, Builtin, Choice, Domain, Expr, ExprKind, FamilyId, Local, LocalId,
    Place, Quantifier, Root, Song, StartValue, Stmt, StmtKind, Ty, UnOp, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// A variable of an endpoint: of a single one, of the member with this name, or of every member.
type Key = (FamilyId, Option<LocalId>, VarId);

/// Candidates for every loop of a line, by the loop's position in the text.
pub(super) fn steady(
    song: &Song,
    body: &Block,
    locals: &mut Vec<Local>,
) -> BTreeMap<usize, Vec<Expr>> {
    let mut walking = Walking {
        song,
        locals,
        at: 0,
        found: BTreeMap::new(),
        changes: BTreeMap::new(),
        members: Vec::new(),
    };
    let mut known = walking.starts();
    walking.block(body, &mut known);
    walking.found
}

/// What is known at a place of the line.
#[derive(Clone, Default)]
struct Known {
    values: BTreeMap<Key, Expr>,
    /// What alone is in a bag; nothing if it is empty.
    contents: BTreeMap<Key, Option<Expr>>,
}

impl Known {
    fn forget(&mut self, key: Key) {
        self.values.remove(&key);
        self.contents.remove(&key);
        // What is known of every member is so no more.
        self.values.remove(&(key.0, None, key.2));
        self.contents.remove(&(key.0, None, key.2));
    }

    fn value(&self, key: Key) -> Option<&Expr> {
        let all = || self.values.get(&(key.0, None, key.2));
        self.values.get(&key).or_else(all)
    }

    fn content(&self, key: Key) -> Option<&Option<Expr>> {
        let all = || self.contents.get(&(key.0, None, key.2));
        self.contents.get(&key).or_else(all)
    }
}

struct Walking<'a> {
    song: &'a Song,
    locals: &'a mut Vec<Local>,
    at: usize,
    found: BTreeMap<usize, Vec<Expr>>,
    /// What loops change.
    changes: BTreeMap<usize, BTreeSet<(FamilyId, VarId)>>,
    /// The members of the loops that this is in.
    members: Vec<LocalId>,
}

impl Walking<'_> {
    fn starts(&self) -> Known {
        let mut known = Known::default();
        for (family, row) in self.song.families.iter().enumerate() {
            for (var, row) in row.vars.iter().enumerate() {
                let StartValue::Value(value) = &row.start else {
                    continue;
                };
                let key = (FamilyId::from(family), None, VarId::from(var));
                match (&row.ty, &value.kind) {
                    (Ty::Bag(_), ExprKind::Literal(all)) if all.is_empty() => {
                        known.contents.insert(key, None);
                    }
                    _ if is_closed(value) => drop(known.values.insert(key, value.clone())),
                    _ => {}
                }
            }
        }
        known
    }

    fn block(&mut self, body: &[Stmt], known: &mut Known) {
        for stmt in body {
            self.stmt(stmt, known);
        }
    }

    fn stmt(&mut self, stmt: &Stmt, known: &mut Known) {
        match &stmt.kind {
            StmtKind::Assign(place, value) => self.assign(place, value, known),
            StmtKind::AssignChoice(place, choice) => choose(place, choice, known),
            StmtKind::While(_, _, body) => {
                let at = self.at;
                self.at += 1;
                match parts(body) {
                    Some(this) => {
                        let all = self.rounds(&this, known, at);
                        self.found.insert(at, all);
                    }
                    None => self.pass(body, known),
                }
            }
            StmtKind::For { body, .. } => {
                self.at += 1;
                self.pass(body, known);
            }
            StmtKind::If(_, yes, no) | StmtKind::Maybe(yes, no) => {
                self.pass(yes, known);
                self.pass(no, known);
            }
            StmtKind::Match(_, arms) => {
                arms.iter().for_each(|(_, body)| self.pass(body, known));
            }
            _ => {}
        }
    }

    /// Past statements that may be done or not: what they assign is not known. Loops among them are counted.
    fn pass(&mut self, body: &Block, known: &mut Known) {
        assigned(body)
            .into_iter()
            .for_each(|(family, var)| forget_all(known, family, var));
        let mut inside = known.clone();
        self.block(body, &mut inside);
        // Whatever it found inside is as unknown as before.
    }

    fn assign(&self, place: &Place, value: &Expr, known: &mut Known) {
        let Some(key) = key_of(place) else {
            if let Root::Of(family, _, var) = &place.root {
                forget_all(known, *family, *var);
            }
            return;
        };
        if let ExprKind::Method(method, arguments) = &value.kind
            && let [all, one] = &arguments[..]
            && key_at(all) == Some(key)
            && matches!(all.ty, Ty::Bag(_))
        {
            let one = said(one, known);
            let before = known.content(key).cloned();
            let after = match (method, before) {
                (Builtin::Without, before) => before,
                (Builtin::With, Some(None)) if is_closed(&one) => Some(Some(one)),
                (Builtin::With, Some(Some(other))) if alike(&other, &one) => Some(Some(other)),
                _ => None,
            };
            known.forget(key);
            if let Some(after) = after {
                known.contents.insert(key, after);
            }
            return;
        }
        let value = said(value, known);
        known.forget(key);
        known.values.insert(key, value);
    }

    /// A loop over members: what it leaves, and candidates for it.
    fn rounds(&mut self, this: &Loop<'_>, known: &mut Known, at: usize) -> Vec<Expr> {
        let changed = assigned(this.body);
        self.changes.insert(at, changed.clone());
        let before = known.clone();
        // What a round finds: what rounds do not change is known, what they change in others is what it is then.
        let mut round = before.clone();
        for (family, var) in &changed {
            let all = (*family, None, *var);
            let mine = (*family, Some(this.member), *var);
            round
                .values
                .retain(|key, _| (key.0, key.2) != (*family, *var));
            let index = &self.song.families[family.index()].index;
            if matches!(&index[..], [one] if one.ty == this.ty) {
                if let Some(value) = before.values.get(&all) {
                    round.values.insert(mine, value.clone());
                }
                if let Some(content) = round.contents.remove(&all) {
                    round.contents.insert(mine, content);
                }
            }
        }
        self.members.push(this.member);
        self.block(this.body, &mut round);
        // A member that the round chooses has no name outside of it.
        let in_scope = |key: &Key| key.1.is_none_or(|name| self.members.contains(&name));
        round.values.retain(|key, _| in_scope(key));
        round.contents.retain(|key, _| in_scope(key));
        self.members.pop();
        let mut all = Vec::new();
        for (family, var) in &changed {
            forget_all(known, *family, *var);
        }
        for (key, after) in &round.values {
            if !changed.contains(&(key.0, key.2)) {
                continue;
            }
            let old = before.value(*key);
            let before = before.values.get(&(key.0, None, key.2));
            match key.1 {
                Some(member) if member == this.member => {
                    let var = self.variable(*key);
                    if is_closed(after) {
                        all.push(self.each(this, &var, (after, true), false));
                        self.others(this, *key, (after, true), at);
                        known.values.insert((key.0, None, key.2), after.clone());
                    }
                    if let Some(before) = before.filter(|before| is_closed(before)) {
                        all.push(self.each(this, &var, (before, false), false));
                        self.others(this, *key, (before, false), at);
                    }
                }
                _ => {
                    let is_number = |old: &&Expr| matches!(old.ty, Ty::Int | Ty::Nat);
                    let Some(old) = old.filter(|old| is_closed(old)).filter(is_number) else {
                        continue;
                    };
                    let Some(step) = step(after, *key) else {
                        continue;
                    };
                    let sum = |number: Expr| plus(int(old.clone()), times(step, number));
                    let visited = size(this.seen.clone());
                    let var = int(self.variable(*key));
                    all.push(binary(BinOp::Eq, var, sum(visited)));
                    let everybody = expr(
                        ExprKind::All(this.ty.clone()),
                        Ty::Set(Box::new(this.ty.clone())),
                    );
                    known.values.insert(*key, sum(size(everybody)));
                }
            }
        }
        for (key, content) in &round.contents {
            let (true, Some(one)) = (changed.contains(&(key.0, key.2)), content) else {
                continue;
            };
            if key.1 == Some(this.member) || !is_closed(one) {
                continue;
            }
            // Before the first round it has nothing, or nothing else.
            let fits = match before.content(*key) {
                Some(None) => true,
                Some(Some(other)) => alike(other, one),
                None => false,
            };
            if fits {
                let bag = self.variable(*key);
                all.push(self.only(&bag, one));
                known.contents.insert(*key, Some(one.clone()));
            }
        }
        all
    }

    fn variable(&self, (family, member, var): Key) -> Expr {
        let row = &self.song.families[family.index()];
        let index = member.map(|name| {
            let ty = self.locals[name.index()].ty.clone();
            expr(ExprKind::Local(name), ty)
        });
        let of = ExprKind::Of(family, index.into_iter().collect(), var);
        expr(of, row.vars[var.index()].ty.clone())
    }

    /// For loops inside of a loop that change the same variable of its member: what is said of others stays so.
    fn others(&mut self, this: &Loop<'_>, key: Key, what: (&Expr, bool), at: usize) {
        let var = self.variable(key);
        for inner in at + 1..self.at {
            let changes = self.changes.get(&inner);
            if changes.is_some_and(|changes| changes.contains(&(key.0, key.2))) {
                let same = self.each(this, &var, what, true);
                self.found.entry(inner).or_default().push(same);
            }
        }
    }

    /// Of every member that was visited, or of every other one, perhaps but for the one at hand: its variable is this.
    fn each(
        &mut self,
        this: &Loop<'_>,
        var: &Expr,
        (value, seen): (&Expr, bool),
        but: bool,
    ) -> Expr {
        let name = self.name(this.ty.clone());
        let one = || expr(ExprKind::Local(name), this.ty.clone());
        let inside = ExprKind::Method(Builtin::Contains, vec![this.seen.clone(), one()]);
        let mut filter = bool(inside);
        if !seen {
            filter = bool(ExprKind::Unary(UnOp::Not, Box::new(filter)));
        }
        if but {
            let member = expr(ExprKind::Local(this.member), this.ty.clone());
            filter = binary(BinOp::And, filter, binary(BinOp::Ne, one(), member));
        }
        let mut var = var.clone();
        Instead(this.member, name).expr(&mut var);
        let same = equal(var, value.clone());
        forall(name, Domain::Type(this.ty.clone()), Some(filter), same)
    }

    /// A bag has nothing but this.
    fn only(&mut self, bag: &Expr, one: &Expr) -> Expr {
        let name = self.name(one.ty.clone());
        let element = expr(ExprKind::Local(name), one.ty.clone());
        let inside = ExprKind::Method(Builtin::Contains, vec![bag.clone(), element.clone()]);
        let same = equal(element, one.clone());
        forall(name, Domain::Type(one.ty.clone()), Some(bool(inside)), same)
    }

    fn name(&mut self, ty: Ty) -> LocalId {
        self.locals.push(Local {
            name: format!("e{}", self.locals.len()),
            ty,
            mutable: false,
            span: Span::default(),
        });
        LocalId::from(self.locals.len() - 1)
    }
}

/// A choice from a bag that has only one thing in it is that.
fn choose(place: &Place, choice: &Choice, known: &mut Known) {
    let Some(key) = key_of(place) else {
        if let Root::Of(family, _, var) = &place.root {
            forget_all(known, *family, *var);
        }
        return;
    };
    let content = match &choice.domain {
        Domain::In(set) => match &set.kind {
            ExprKind::Method(Builtin::ToSet, arguments) => {
                let bag = arguments.first().and_then(key_at);
                bag.and_then(|bag| known.content(bag).cloned()).flatten()
            }
            _ => None,
        },
        Domain::Type(_) => None,
    };
    known.forget(key);
    if let Some(one) = content {
        known.values.insert(key, one);
    }
}

fn forget_all(known: &mut Known, family: FamilyId, var: VarId) {
    let other = |key: &Key| (key.0, key.2) != (family, var);
    known.values.retain(|key, _| other(key));
    known.contents.retain(|key, _| other(key));
}

fn key_of(place: &Place) -> Option<Key> {
    match &place.root {
        Root::Of(family, index, var) if place.path.is_empty() => {
            Some((*family, index_of(index)?, *var))
        }
        _ => None,
    }
}

fn key_at(value: &Expr) -> Option<Key> {
    match &value.kind {
        ExprKind::Of(family, index, var) => Some((*family, index_of(index)?, *var)),
        _ => None,
    }
}

fn index_of(index: &[Expr]) -> Option<Option<LocalId>> {
    match index {
        [] => Some(None),
        [one] => match one.kind {
            ExprKind::Local(name) => Some(Some(name)),
            _ => None,
        },
        _ => None,
    }
}

/// An expression with what is known in the place of variables.
fn said(value: &Expr, known: &Known) -> Expr {
    let mut value = value.clone();
    replace(&mut value, |expr| {
        key_at(expr).and_then(|key| known.value(key)).cloned()
    });
    value
}

/// Do they say the same, wherever they stand in the text?
fn alike(one: &Expr, other: &Expr) -> bool {
    match (constant(one), constant(other)) {
        (Some(one), Some(other)) => one == other,
        _ => one.kind == other.kind,
    }
}

/// The number that an expression is.
fn constant(value: &Expr) -> Option<i64> {
    match &value.kind {
        ExprKind::Int(number) => Some(*number),
        ExprKind::Widen(inner) | ExprKind::Narrow(inner) => constant(inner),
        ExprKind::Binary(op, left, right) => {
            let (left, right) = (constant(left)?, constant(right)?);
            match op {
                BinOp::Add => left.checked_add(right),
                BinOp::Sub => left.checked_sub(right),
                BinOp::Mul => left.checked_mul(right),
                _ => None,
            }
        }
        _ => None,
    }
}

/// What is added to a variable, if its new value is the old one and a number.
fn step(value: &Expr, key: Key) -> Option<i64> {
    match &value.kind {
        ExprKind::Widen(inner) | ExprKind::Narrow(inner) => step(inner, key),
        ExprKind::Binary(BinOp::Add, left, right) => match constant(right) {
            Some(more) => step(left, key)?.checked_add(more),
            None => step(right, key)?.checked_add(constant(left)?),
        },
        ExprKind::Binary(BinOp::Sub, left, right) => step(left, key)?.checked_sub(constant(right)?),
        _ => (key_at(value) == Some(key)).then_some(0),
    }
}

fn forall(name: LocalId, domain: Domain, filter: Option<Expr>, about: Expr) -> Expr {
    let binding = Binding {
        names: vec![name],
        domain,
        filter,
    };
    bool(ExprKind::Quantifier(
        Quantifier::Forall,
        vec![binding],
        Box::new(about),
    ))
}

fn equal(one: Expr, other: Expr) -> Expr {
    match (&one.ty, &other.ty) {
        (Ty::Int | Ty::Nat, Ty::Int | Ty::Nat) => binary(BinOp::Eq, int(one), int(other)),
        _ => binary(BinOp::Eq, one, other),
    }
}

fn size(all: Expr) -> Expr {
    let size = ExprKind::Method(Builtin::Len, vec![all]);
    int(expr(size, Ty::Nat))
}

fn plus(left: Expr, right: Expr) -> Expr {
    let sum = ExprKind::Binary(BinOp::Add, Box::new(left), Box::new(right));
    expr(sum, Ty::Int)
}

fn times(number: i64, of: Expr) -> Expr {
    let number = expr(ExprKind::Int(number), Ty::Int);
    let product = ExprKind::Binary(BinOp::Mul, Box::new(number), Box::new(of));
    expr(product, Ty::Int)
}

fn int(value: Expr) -> Expr {
    match value.ty {
        Ty::Nat => expr(ExprKind::Widen(Box::new(value)), Ty::Int),
        _ => value,
    }
}

/// The variables of endpoints that statements may assign.
fn assigned(body: &[Stmt]) -> BTreeSet<(FamilyId, VarId)> {
    let mut all = BTreeSet::new();
    each_place(body, |place| {
        if let Root::Of(family, _, var) = &place.root {
            all.insert((*family, *var));
        }
    });
    all
}

//! Invariant templates for accumulators: candidates for loops over members.
//!
//! A written-out loop keeps the members it has visited in a variable, so candidates can speak of them. They are
//! read off the loop's own body and are only guesses: Houdini discharges each of them, or drops it.
//!
//! - what a round decides or accumulates about its member holds of every member visited, perhaps only while
//!   a flag has a certain value: `commit ==> forall e where seen(e) :: yes[e]`, and its counterpart with
//!   `exists`;
//! - what a round assigns to its member is what visited members have; where branches assign different things, one
//!   of them, or what it was before;
//! - what a round chooses for its member is among what it is chosen from;
//! - what gives way to something greater is no less than that of any member visited, and is that of one of them;
//! - what members start with is what the others still have;
//! - a counter is the number of members visited, or the sum of what they gave, or what it started with without that; a
//!   collected set is what they gave.
//!
//! Loops over ranges are in `range.rs`, what every round does alike in `affine.rs`.
//!
//! Candidates mention a variable that the loop writes: everything else is known from before the loop anyway.

use super::affine::steady;
use super::branches::{branches, opposite, unfolded};
use super::fields::Fields;
use super::range::{Left, of_rounds};
use plainsong_diagnostics::Span;
use plainsong_ir::visit::{Visit, VisitMut, any_expr, free_locals, is_closed, walk, walk_mut};
use plainsong_ir::{
    BinOp, Binding, Block, Builtin, Choice, Domain, Expr, ExprKind, FamilyId, Local, LocalId,
    Pattern, PatternKind, Place, Quantifier, Root, Song, StartValue, Stmt, StmtKind, Ty, UnOp,
    VarId,
};
use std::collections::BTreeMap;

/// No more candidates per loop than this.
const MOST: usize = 60;

/// A loop over members that is written out, as its parts.
pub(super) struct Loop<'a> {
    pub(super) member: LocalId,
    pub(super) ty: Ty,
    pub(super) seen: Expr,
    pub(super) body: &'a [Stmt],
}

/// Candidates for every loop of the last choreography, by the loop's position in the text. New
/// names are added to `locals`.
pub(crate) fn candidates(
    song: &Song,
    body: &Block,
    locals: &mut Vec<Local>,
) -> BTreeMap<usize, Vec<Expr>> {
    let (fields, song, body) = Fields::split(song, body);
    let mut finding = Finding {
        song: &song,
        locals,
        at: 0,
        found: BTreeMap::new(),
        left: Vec::new(),
    };
    finding.block(&body);
    let mut found = finding.found;
    for (at, more) in steady(&song, &body, locals) {
        let all = found.entry(at).or_default();
        let new: Vec<Expr> = more.into_iter().filter(|one| !all.contains(one)).collect();
        all.extend(new);
    }
    for candidate in found.values_mut().flatten() {
        fields.joined(&song, candidate);
    }
    found
}

struct Finding<'a> {
    song: &'a Song,
    locals: &'a mut Vec<Local>,
    at: usize,
    found: BTreeMap<usize, Vec<Expr>>,
    /// What loops before left in bags.
    left: Vec<Left>,
}

impl Visit for Finding<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::For {
            local,
            domain,
            body,
            ..
        } = &stmt.kind
        {
            let at = self.at;
            self.at += 1;
            let all = of_rounds(*local, domain, body, self.locals, &mut self.left);
            self.found.insert(at, all);
        }
        if let StmtKind::While(_, _, body) = &stmt.kind {
            let at = self.at;
            self.at += 1;
            if let Some(this) = parts(body) {
                let all = self.of_loop(&this);
                self.found.insert(at, all);
            }
        }
        walk::stmt(self, stmt);
    }
}

/// `let x = choose S where …; …; seen = seen.with(x);`
pub(super) fn parts(body: &Block) -> Option<Loop<'_>> {
    let [first, rest @ .., last] = &body[..] else {
        return None;
    };
    let StmtKind::LetChoice(Choice {
        local,
        domain: Domain::Type(ty),
        ..
    }) = &first.kind
    else {
        return None;
    };
    let StmtKind::Assign(_, value) = &last.kind else {
        return None;
    };
    let ExprKind::Method(Builtin::With, arguments) = &value.kind else {
        return None;
    };
    Some(Loop {
        member: *local,
        ty: ty.clone(),
        seen: arguments.first()?.clone(),
        body: rest,
    })
}

/// What one way through a round says.
#[derive(Default)]
struct Round {
    /// Variables of single endpoints, as what they were assigned in the round.
    known: BTreeMap<(FamilyId, VarId), Expr>,
    /// Conditions about the member.
    atoms: Vec<Expr>,
    /// Variables of the member, as what they were assigned in the round.
    mine: BTreeMap<(FamilyId, VarId), Expr>,
    /// Variables of the member and what they were assigned.
    given: Vec<(Expr, Expr)>,
    /// Variables of the member that branches assign, and all that they may have afterwards.
    options: Vec<(Expr, Vec<Expr>)>,
    /// Variables of the member that are chosen, and that they are among what they are chosen from.
    inside: Vec<(Expr, Expr)>,
    /// What is false behind a round that compares its member with a variable, the variable, and what it may become.
    extremes: Vec<(Expr, Expr, Expr)>,
    /// Numbers of single endpoints and what a round adds to them.
    added: Vec<((FamilyId, VarId), Expr)>,
    /// Numbers of single endpoints and what a round takes from them.
    taken: Vec<((FamilyId, VarId), Expr)>,
    /// Variables of single endpoints that are written, with their types.
    written: Vec<(FamilyId, VarId, Ty)>,
    /// Sets of single endpoints and what a round adds to them.
    collected: Vec<(Expr, Expr)>,
    /// Variables of single endpoints that every round sets anew: they say nothing about other rounds.
    anew: Vec<(FamilyId, VarId)>,
    /// In how many branches this is.
    depth: usize,
    /// Values that they are given.
    literals: Vec<(FamilyId, VarId, Expr)>,
}

impl Finding<'_> {
    fn of_loop(&mut self, this: &Loop<'_>) -> Vec<Expr> {
        let mut round = Round::default();
        self.walk(this, this.body, &mut round);
        let mut all = Vec::new();
        let flags = self.flags(&round);
        let written: Vec<_> = round.written.iter().map(|(f, v, _)| (*f, *v)).collect();
        let mut atoms: Vec<Expr> = Vec::new();
        for atom in &round.atoms {
            if mentions(atom, this.member) && !reads(atom, &written) && !atoms.contains(atom) {
                atoms.push(atom.clone());
                atoms.push(not(atom.clone()));
            }
        }
        for (var, value) in &round.given {
            let is_about_member = !reads(value, &written);
            if is_about_member {
                let same = binary(BinOp::Eq, var.clone(), value.clone());
                all.push(self.each(this, &same, Some(true), Quantifier::Forall));
            }
            if let Some(start) = self.start_of(var) {
                let same = binary(BinOp::Eq, var.clone(), start);
                all.push(self.each(this, &same, Some(false), Quantifier::Forall));
            }
        }
        for (var, values) in &round.options {
            let about_member = values.iter().filter(|value| !reads(value, &written));
            let mut values: Vec<Expr> = about_member.cloned().collect();
            values.extend(self.start_of(var));
            let same = |value| binary(BinOp::Eq, var.clone(), value);
            let one_of = values
                .into_iter()
                .map(same)
                .reduce(|a, b| binary(BinOp::Or, a, b));
            if let Some(one_of) = one_of {
                all.push(self.each(this, &one_of, Some(true), Quantifier::Forall));
            }
            if var.ty == Ty::Bool && !atoms.contains(var) {
                atoms.push(var.clone());
                atoms.push(not(var.clone()));
            }
        }
        for (var, inside) in &round.inside {
            if !reads(inside, &written) {
                let start = self.start_of(var);
                let start = start.map(|start| binary(BinOp::Eq, var.clone(), start));
                let either = start
                    .into_iter()
                    .fold(inside.clone(), |a, b| binary(BinOp::Or, a, b));
                all.push(self.each(this, &either, Some(true), Quantifier::Forall));
            }
        }
        for (settled, var, value) in &round.extremes {
            if mentions(settled, this.member) && mentions(value, this.member) {
                all.push(self.each(this, settled, Some(true), Quantifier::Forall));
                let same = binary(BinOp::Eq, value.clone(), var.clone());
                let reached = self.each(this, &same, Some(true), Quantifier::Exists);
                let start = self.start_of(var);
                let start = start.map(|start| binary(BinOp::Eq, var.clone(), start));
                all.push(
                    start
                        .into_iter()
                        .fold(reached, |a, b| binary(BinOp::Or, b, a)),
                );
            }
        }
        for flag in &flags {
            for atom in &atoms {
                for quantifier in [Quantifier::Forall, Quantifier::Exists] {
                    let each = self.each(this, atom, Some(true), quantifier);
                    all.push(binary(BinOp::Implies, flag.clone(), each));
                }
            }
        }
        for (set, one) in &round.collected {
            if mentions(one, this.member) && !reads(one, &written) {
                let gathered = self.gathered(this, one, &set.ty);
                all.push(binary(BinOp::Eq, set.clone(), gathered));
            }
        }
        for (family, var, ty) in &round.written {
            if matches!(ty, Ty::Int | Ty::Nat) {
                all.extend(self.counted(this, *family, *var, ty, &atoms));
                let added = round.added.iter();
                let added = added.filter(|(of, one)| {
                    *of == (*family, *var) && mentions(one, this.member) && !reads(one, &written)
                });
                for (_, amount) in added {
                    let counter = int(expr(ExprKind::Of(*family, Vec::new(), *var), ty.clone()));
                    let mut sum = self.each(this, amount, Some(true), Quantifier::Sum);
                    sum.ty = amount.ty.clone();
                    all.push(binary(BinOp::Eq, counter, int(sum)));
                }
                all.extend(self.counted_down(this, (*family, *var), &round, &written, &atoms));
            }
        }
        all.truncate(MOST);
        all
    }

    fn walk(&mut self, this: &Loop<'_>, body: &[Stmt], round: &mut Round) {
        for stmt in body {
            match &stmt.kind {
                StmtKind::Assign(place, value) => {
                    let value = unfolded(self.song, value);
                    match branches(place, &value) {
                        Some((condition, yes, no)) => {
                            self.either(this, &condition, (&yes, &no), round);
                        }
                        None => self.assigned(this, place, &value, round),
                    }
                }
                StmtKind::AssignChoice(place, choice) => self.chosen(this, place, choice, round),
                StmtKind::If(condition, yes, no) => {
                    self.either(this, condition, (yes, no), round);
                }
                StmtKind::Maybe(yes, no) => self.branches(this, &[yes, no], round),
                StmtKind::Match(value, arms) => {
                    let value = round.said(value);
                    for (pattern, _) in arms {
                        let is = ExprKind::Is(Box::new(value.clone()), wild(pattern));
                        round.atoms.push(bool(is));
                    }
                    let bodies: Vec<&Block> = arms.iter().map(|(_, body)| body).collect();
                    self.branches(this, &bodies, round);
                }
                _ => {}
            }
        }
    }

    fn either(
        &mut self,
        this: &Loop<'_>,
        condition: &Expr,
        (yes, no): (&Block, &Block),
        round: &mut Round,
    ) {
        let condition = round.said(&unfolded(self.song, condition));
        round.atoms_of(&condition);
        self.outdone(&condition, yes, round);
        self.outdone(&opposite(&condition), no, round);
        self.branches(this, &[yes, no], round);
    }

    /// `if v > best { best = v; }`: a variable of a single endpoint gives way to what it is compared with.
    fn outdone(&self, condition: &Expr, yes: &Block, round: &mut Round) {
        for stmt in yes {
            if let StmtKind::Assign(place, value) = &stmt.kind
                && let Root::Of(family, index, var) = &place.root
                && index.is_empty()
                && place.path.is_empty()
                && reads(condition, &[(*family, *var)])
            {
                let kind = ExprKind::Of(*family, Vec::new(), *var);
                let var = expr(kind, value.ty.clone());
                let value = round.said(value);
                round.extremes.push((opposite(condition), var, value));
            }
        }
    }

    /// A variable is given one of a set of values.
    fn chosen(&self, this: &Loop<'_>, place: &Place, choice: &Choice, round: &mut Round) {
        let Root::Of(family, index, var) = &place.root else {
            return;
        };
        if index.is_empty() {
            round.known.remove(&(*family, *var));
            round.note(self.song, *family, *var);
            return;
        }
        let is_member = matches!(&index[..], [one] if one.kind == ExprKind::Local(this.member));
        round.mine.remove(&(*family, *var));
        if let (true, true, Domain::In(set)) = (is_member, place.path.is_empty(), &choice.domain) {
            let ty = &self.song.families[family.index()].vars[var.index()].ty;
            let of = expr(ExprKind::Of(*family, index.clone(), *var), ty.clone());
            let arguments = vec![round.said(set), of.clone()];
            let inside = bool(ExprKind::Method(Builtin::Contains, arguments));
            round.inside.push((of, inside));
        }
    }

    /// One of these.
    fn branches(&mut self, this: &Loop<'_>, bodies: &[&Block], round: &mut Round) {
        let known = (round.known.clone(), round.mine.clone());
        round.depth += 1;
        for body in bodies {
            self.walk(this, body, round);
            (round.known, round.mine) = known.clone();
        }
        round.depth -= 1;
    }

    fn assigned(&self, this: &Loop<'_>, place: &Place, value: &Expr, round: &mut Round) {
        let Root::Of(family, index, var) = &place.root else {
            return;
        };
        let value = round.said(value);
        if value.ty == Ty::Bool {
            round.atoms_of(&value);
        }
        if !place.path.is_empty() {
            return;
        }
        if index.is_empty() {
            if let ExprKind::Method(Builtin::With, arguments) = &value.kind
                && let [set, one] = &arguments[..]
            {
                round.collected.push((set.clone(), one.clone()));
            }
            if let Some(amount) = amount(&value, *family, *var) {
                round.added.push(((*family, *var), amount.clone()));
            }
            if let Some(amount) = taken(&value, *family, *var) {
                round.taken.push(((*family, *var), amount.clone()));
            }
            round.note(self.song, *family, *var);
            if round.depth == 0 && !reads(&value, &[(*family, *var)]) {
                round.anew.push((*family, *var));
            }
            if is_literal(&value) {
                round.literals.push((*family, *var, value.clone()));
            }
            round.known.insert((*family, *var), value);
        } else if matches!(&index[..], [one] if one.kind == ExprKind::Local(this.member)) {
            let ty = self.song.families[family.index()].vars[var.index()]
                .ty
                .clone();
            let of = expr(ExprKind::Of(*family, index.clone(), *var), ty);
            let mut exactly = value.clone();
            Mine(this.member, &round.mine).expr(&mut exactly);
            if round.depth > 0 {
                let known = round.options.iter().position(|(var, _)| *var == of);
                let at = known.unwrap_or_else(|| {
                    round.options.push((of.clone(), Vec::new()));
                    round.options.len() - 1
                });
                round.options[at].1.push(exactly.clone());
            }
            round.mine.insert((*family, *var), exactly);
            round.given.push((of, value));
        }
    }

    /// Conditions on single endpoints that a round changes.
    fn flags(&self, round: &Round) -> Vec<Expr> {
        let mut flags = Vec::new();
        for (family, var, ty) in &round.written {
            if round.anew.contains(&(*family, *var)) {
                continue;
            }
            let of = || expr(ExprKind::Of(*family, Vec::new(), *var), ty.clone());
            if *ty == Ty::Bool {
                flags.extend([of(), not(of())]);
                continue;
            }
            let mut values: Vec<Expr> = round
                .literals
                .iter()
                .filter(|(f, v, _)| (f, v) == (family, var))
                .map(|(_, _, value)| value.clone())
                .collect();
            values.extend(self.start_of(&of()));
            values.dedup();
            flags.extend(
                values
                    .into_iter()
                    .map(|value| binary(BinOp::Eq, of(), value)),
            );
        }
        flags
    }

    /// The literal that a variable starts with.
    fn start_of(&self, of: &Expr) -> Option<Expr> {
        let ExprKind::Of(family, _, var) = &of.kind else {
            return None;
        };
        match &self.song.families[family.index()].vars[var.index()].start {
            StartValue::Value(value) if is_literal(value) => Some(value.clone()),
            _ => None,
        }
    }

    /// `forall e: S where seen.contains(e) :: …`, or of those not seen, or of all.
    fn each(
        &mut self,
        this: &Loop<'_>,
        about: &Expr,
        seen: Option<bool>,
        quantifier: Quantifier,
    ) -> Expr {
        let (name, about) = self.about_another(this, about);
        let one = expr(ExprKind::Local(name), this.ty.clone());
        let filter = seen.map(|seen| {
            let inside = bool(ExprKind::Method(
                Builtin::Contains,
                vec![this.seen.clone(), one],
            ));
            if seen { inside } else { not(inside) }
        });
        let binding = Binding {
            names: vec![name],
            domain: Domain::Type(this.ty.clone()),
            filter,
        };
        bool(ExprKind::Quantifier(
            quantifier,
            vec![binding],
            Box::new(about),
        ))
    }

    /// `{ … for e in seen }`
    fn gathered(&mut self, this: &Loop<'_>, one: &Expr, ty: &Ty) -> Expr {
        let (name, one) = self.about_another(this, one);
        let binding = Binding {
            names: vec![name],
            domain: Domain::In(this.seen.clone()),
            filter: None,
        };
        let kind = ExprKind::Comprehension(Box::new(binding), Box::new(one));
        expr(kind, ty.clone())
    }

    /// The same about a member with another name.
    fn about_another(&mut self, this: &Loop<'_>, about: &Expr) -> (LocalId, Expr) {
        let name = LocalId::from(self.locals.len());
        self.locals.push(Local {
            name: format!("e{}", self.locals.len()),
            ty: this.ty.clone(),
            mutable: false,
            span: Span::default(),
        });
        let mut about = about.clone();
        Instead(this.member, name).expr(&mut about);
        (name, about)
    }

    /// A counter that counts members.
    fn counted(
        &mut self,
        this: &Loop<'_>,
        family: FamilyId,
        var: VarId,
        ty: &Ty,
        atoms: &[Expr],
    ) -> Vec<Expr> {
        let counter = int(expr(ExprKind::Of(family, Vec::new(), var), ty.clone()));
        let size = ExprKind::Method(Builtin::Len, vec![this.seen.clone()]);
        let size = int(expr(size, Ty::Nat));
        let mut all = vec![
            binary(BinOp::Eq, counter.clone(), size.clone()),
            binary(BinOp::Le, counter.clone(), size),
        ];
        for atom in atoms {
            let mut number = self.each(this, atom, Some(true), Quantifier::Count);
            number.ty = Ty::Nat;
            all.push(binary(BinOp::Eq, counter.clone(), int(number)));
        }
        all
    }
}

impl Finding<'_> {
    /// A number that started with something, and has lost one for each of some members visited, or what they took.
    fn counted_down(
        &mut self,
        this: &Loop<'_>,
        (family, var): (FamilyId, VarId),
        round: &Round,
        written: &[(FamilyId, VarId)],
        atoms: &[Expr],
    ) -> Vec<Expr> {
        let row = &self.song.families[family.index()].vars[var.index()];
        let StartValue::Value(start) = &row.start else {
            return Vec::new();
        };
        let (start, ty) = (int(start.clone()), row.ty.clone());
        let taken = round.taken.iter().filter(|(of, _)| *of == (family, var));
        let taken: Vec<&Expr> = taken.map(|(_, amount)| amount).collect();
        if taken.is_empty() || !is_closed(&start) {
            return Vec::new();
        }
        let mut lost = Vec::new();
        for amount in taken {
            if mentions(amount, this.member) && !reads(amount, written) {
                let mut sum = self.each(this, amount, Some(true), Quantifier::Sum);
                sum.ty = amount.ty.clone();
                lost.push(int(sum));
            }
        }
        for atom in atoms {
            let mut number = self.each(this, atom, Some(true), Quantifier::Count);
            number.ty = Ty::Nat;
            lost.push(int(number));
        }
        let counter = int(expr(ExprKind::Of(family, Vec::new(), var), ty));
        let left = lost.into_iter().map(|lost| {
            let left = ExprKind::Binary(BinOp::Sub, Box::new(start.clone()), Box::new(lost));
            binary(BinOp::Eq, counter.clone(), expr(left, Ty::Int))
        });
        left.collect()
    }
}

impl Round {
    /// An expression with what is known in the place of variables of single endpoints.
    fn said(&self, value: &Expr) -> Expr {
        let mut value = value.clone();
        Known(&self.known).expr(&mut value);
        value
    }

    /// The truth values that an expression is made of.
    fn atoms_of(&mut self, value: &Expr) {
        match &value.kind {
            ExprKind::Binary(BinOp::And | BinOp::Or | BinOp::Implies | BinOp::Iff, left, right) => {
                self.atoms_of(left);
                self.atoms_of(right);
            }
            ExprKind::Unary(UnOp::Not, inner) => self.atoms_of(inner),
            _ if value.ty == Ty::Bool => self.atoms.push(value.clone()),
            _ => {}
        }
    }

    fn note(&mut self, song: &Song, family: FamilyId, var: VarId) {
        let ty = &song.families[family.index()].vars[var.index()].ty;
        let entry = (family, var, ty.clone());
        if !self.written.contains(&entry) {
            self.written.push(entry);
        }
    }
}

struct Known<'a>(&'a BTreeMap<(FamilyId, VarId), Expr>);

impl VisitMut for Known<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        if let ExprKind::Of(family, index, var) = &expr.kind
            && index.is_empty()
            && let Some(value) = self.0.get(&(*family, *var))
        {
            *expr = value.clone();
            return;
        }
        walk_mut::expr(self, expr);
    }
}

/// What is known in the place of variables of the member.
struct Mine<'a>(LocalId, &'a BTreeMap<(FamilyId, VarId), Expr>);

impl VisitMut for Mine<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        if let ExprKind::Of(family, index, var) = &expr.kind
            && matches!(&index[..], [one] if one.kind == ExprKind::Local(self.0))
            && let Some(value) = self.1.get(&(*family, *var))
        {
            *expr = value.clone();
            return;
        }
        walk_mut::expr(self, expr);
    }
}

/// One name instead of another.
pub(super) struct Instead(pub(super) LocalId, pub(super) LocalId);

impl VisitMut for Instead {
    fn expr(&mut self, expr: &mut Expr) {
        if expr.kind == ExprKind::Local(self.0) {
            expr.kind = ExprKind::Local(self.1);
        }
        walk_mut::expr(self, expr);
    }
}

/// Does it speak of the member, and of no other name?
fn mentions(expr: &Expr, member: LocalId) -> bool {
    free_locals(expr).into_iter().eq([member])
}

/// Does it read one of these variables of single endpoints?
fn reads(expr: &Expr, vars: &[(FamilyId, VarId)]) -> bool {
    any_expr(expr, |expr| match &expr.kind {
        ExprKind::Of(family, index, var) => index.is_empty() && vars.contains(&(*family, *var)),
        _ => false,
    })
}

/// What `s = s + …` adds.
fn amount(value: &Expr, family: FamilyId, var: VarId) -> Option<&Expr> {
    let of = ExprKind::Of(family, Vec::new(), var);
    let ExprKind::Binary(BinOp::Add, left, right) = &value.bare().kind else {
        return None;
    };
    match (left.bare().kind == of, right.bare().kind == of) {
        (true, false) => Some(right),
        (false, true) => Some(left),
        _ => None,
    }
}

/// What `s = s - …` takes.
fn taken(value: &Expr, family: FamilyId, var: VarId) -> Option<&Expr> {
    let of = ExprKind::Of(family, Vec::new(), var);
    match &value.bare().kind {
        ExprKind::Binary(BinOp::Sub, left, right) if left.bare().kind == of => Some(right),
        _ => None,
    }
}

fn int(value: Expr) -> Expr {
    match value.ty {
        Ty::Nat => expr(ExprKind::Widen(Box::new(value)), Ty::Int),
        _ => value,
    }
}

fn is_literal(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::None => true,
        ExprKind::Variant(_, _, parts) => parts.is_empty(),
        ExprKind::Some(inner) | ExprKind::Widen(inner) | ExprKind::Narrow(inner) => {
            is_literal(inner)
        }
        _ => false,
    }
}

/// A pattern without its names.
fn wild(pattern: &Pattern) -> Pattern {
    use PatternKind as P;
    let all = |parts: &[Pattern]| parts.iter().map(wild).collect();
    let kind = match &pattern.kind {
        P::Bind(_) => P::Wild,
        P::Some(inner) => P::Some(Box::new(wild(inner))),
        P::Tuple(parts) => P::Tuple(all(parts)),
        P::Variant(id, tag, parts) => P::Variant(*id, *tag, all(parts)),
        P::Struct(id, parts) => P::Struct(*id, all(parts)),
        P::Pid(family, parts) => P::Pid(*family, all(parts)),
        P::Wild | P::Bool(_) | P::Int(_) | P::None => pattern.kind.clone(),
    };
    Pattern {
        kind,
        span: pattern.span,
    }
}

fn not(value: Expr) -> Expr {
    bool(ExprKind::Unary(UnOp::Not, Box::new(value)))
}

pub(super) fn binary(op: BinOp, left: Expr, right: Expr) -> Expr {
    bool(ExprKind::Binary(op, Box::new(left), Box::new(right)))
}

pub(super) fn bool(kind: ExprKind) -> Expr {
    expr(kind, Ty::Bool)
}

pub(super) fn expr(kind: ExprKind, ty: Ty) -> Expr {
    Expr {
        kind,
        ty,
        span: Span::default(),
    }
}

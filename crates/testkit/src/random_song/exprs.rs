//! Expressions of a given type.
//!
//! The three ways to write one mirror how the front end reads it:
//! - [`synth`](Composer::synth): nothing around it says what is wanted; its text tells its type;
//! - [`guided`](Composer::guided): the place wants a type, which reaches literals, branches and
//!   elements; the value has that type, or both are numbers;
//! - [`check`](Composer::check): guided, and then converted to the wanted type.

use super::composer::Composer;
use super::normal::{self, expr};
use super::scope::Home;
use plainsong_ir::finite::is_number;
use plainsong_ir::{Builtin, EnumId, Expr, ExprKind, FnId, LocalId, StructId, Ty};

impl Composer {
    /// An expression where this type is wanted.
    pub(super) fn check(&mut self, ty: &Ty, depth: usize) -> Expr {
        let value = self.guided(ty, depth);
        normal::convert(value, ty)
    }

    /// Several of them.
    pub(super) fn checks(&mut self, types: &[Ty], depth: usize) -> Vec<Expr> {
        types.iter().map(|ty| self.check(ty, depth)).collect()
    }

    /// An expression that knows what is wanted: of this type, or both are numbers.
    pub(super) fn guided(&mut self, ty: &Ty, depth: usize) -> Expr {
        if self.is_spent(depth) {
            return self.guided_simple(ty);
        }
        match self.dice.below(12) {
            0 => {
                let condition = self.check(&Ty::Bool, depth - 1);
                let yes = self.branch(ty, depth - 1);
                let no = self.branch(ty, depth - 1);
                if_expr(condition, yes, no)
            }
            1 => self.match_expr(ty, depth - 1, false),
            2..=4 => self.guided_simple(ty),
            5 if self.scope.old => self.old(ty, depth - 1),
            _ if is_number(&self.song, ty) => {
                let other = self.number_ty();
                let before = self.scope.locals.len();
                let value = self.synth(&other, depth);
                if value.ty == *ty || !normal::follows(&value) {
                    return value;
                }
                self.scope.locals.truncate(before);
                self.guided_simple(ty)
            }
            _ => self.guided_inside(ty, depth),
        }
    }

    /// Forms that pass on what is wanted.
    fn guided_inside(&mut self, ty: &Ty, depth: usize) -> Expr {
        match ty {
            Ty::Option(inner) if self.dice.once_in(2) => {
                let inner = self.check(inner, depth - 1);
                expr(ExprKind::Some(Box::new(inner)), ty.clone())
            }
            Ty::Tuple(parts) if self.dice.once_in(2) => {
                let parts = self.checks(parts, depth - 1);
                expr(ExprKind::Tuple(parts), ty.clone())
            }
            Ty::Set(_) | Ty::Bag(_) | Ty::Seq(_) | Ty::Map(..) => self.guided_collection(ty, depth),
            _ => self.synth(ty, depth),
        }
    }

    /// A short expression where a type is wanted.
    fn guided_simple(&mut self, ty: &Ty) -> Expr {
        if self.dice.once_in(2)
            && let Some(leaf) = self.leaf(ty)
        {
            return leaf;
        }
        match ty {
            Ty::Nat => expr(self.literal(), Ty::Nat),
            Ty::Int => expr(self.literal(), Ty::Int),
            Ty::Sort(_) if is_number(&self.song, ty) => expr(self.literal(), Ty::Int),
            Ty::Option(_) => expr(ExprKind::None, ty.clone()),
            Ty::Set(_) | Ty::Bag(_) | Ty::Seq(_) => expr(ExprKind::Literal(vec![]), ty.clone()),
            _ => self.synth(ty, 0),
        }
    }

    /// What stands in a branch, where a type is wanted.
    pub(super) fn branch(&mut self, ty: &Ty, depth: usize) -> Expr {
        self.with_lets(depth, |c| c.check(ty, depth))
    }

    /// What stands in a branch, where nothing is wanted.
    fn branch_synth(&mut self, ty: &Ty, depth: usize) -> Expr {
        self.with_lets(depth, |c| c.synth(ty, depth))
    }

    fn with_lets(&mut self, depth: usize, write: impl FnOnce(&mut Self) -> Expr) -> Expr {
        self.scoped(|c| {
            let mut lets = Vec::new();
            while depth > 0 && lets.len() < 2 && c.dice.once_in(5) {
                let ty = c.ty(1);
                let value = c.initial(&ty, depth - 1);
                lets.push((c.bind_fresh(ty), value));
            }
            let body = write(c);
            lets.into_iter().rev().fold(body, |body, (local, value)| {
                let ty = body.ty.clone();
                expr(ExprKind::Let(local, Box::new(value), Box::new(body)), ty)
            })
        })
    }

    /// The value of a name: with or without its type written.
    pub(super) fn initial(&mut self, ty: &Ty, depth: usize) -> Expr {
        if self.dice.once_in(2) {
            self.check(ty, depth)
        } else {
            self.synth(ty, depth)
        }
    }

    /// `match`; when nothing is wanted the first arm tells the type.
    fn match_expr(&mut self, ty: &Ty, depth: usize, first_tells: bool) -> Expr {
        let of = self.ty(1);
        let scrutinee = self.synth(&of, depth);
        let mut arms = Vec::new();
        for shape in self.cover(&of, 1) {
            arms.push(self.scoped(|c| {
                let pattern = c.name_parts(shape, &of);
                let value = if first_tells && arms.is_empty() {
                    c.branch_synth(ty, depth)
                } else {
                    c.branch(ty, depth)
                };
                (pattern, value)
            }));
        }
        expr(ExprKind::Match(Box::new(scrutinee), arms), ty.clone())
    }

    /// An expression of this type whose text tells it.
    pub(super) fn synth(&mut self, ty: &Ty, depth: usize) -> Expr {
        if self.is_spent(depth) {
            let leaf = if self.dice.once_in(4) {
                None
            } else {
                self.leaf(ty)
            };
            return leaf.unwrap_or_else(|| self.synth_simple(ty));
        }
        let depth = depth - 1;
        match self.dice.below(20) {
            0 => {
                let condition = self.check(&Ty::Bool, depth);
                let yes = self.branch_synth(ty, depth);
                let no = self.branch(ty, depth);
                if_expr(condition, yes, no)
            }
            1 => self.match_expr(ty, depth, true),
            2 | 3 => self.taken_apart(ty, depth),
            4 => self.call(ty, depth).unwrap_or_else(|| self.synth(ty, 0)),
            5..=7 => self.leaf(ty).unwrap_or_else(|| self.synth_simple(ty)),
            8 if self.scope.old => {
                self.scope.old = false;
                let inner = self.synth(ty, depth);
                self.scope.old = true;
                expr(ExprKind::Old(Box::new(inner)), ty.clone())
            }
            _ => self.built(ty, depth),
        }
    }

    /// `old(e)`, which passes on what is wanted.
    fn old(&mut self, ty: &Ty, depth: usize) -> Expr {
        self.scope.old = false;
        let inner = self.guided(ty, depth);
        self.scope.old = true;
        let ty = inner.ty.clone();
        expr(ExprKind::Old(Box::new(inner)), ty)
    }

    /// What the type itself offers.
    fn built(&mut self, ty: &Ty, depth: usize) -> Expr {
        match ty {
            Ty::Bool => self.truth(depth),
            Ty::Int => self.integer(depth),
            Ty::Nat => self.natural(depth),
            Ty::Enum(id) => self.variant(*id, depth),
            Ty::Struct(id) => self.structure_value(*id, depth),
            Ty::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.synth(part, depth)).collect();
                expr(ExprKind::Tuple(parts), ty.clone())
            }
            Ty::Option(inner) => {
                let inner = self.synth(inner, depth);
                expr(ExprKind::Some(Box::new(inner)), ty.clone())
            }
            Ty::Set(_) | Ty::Bag(_) | Ty::Seq(_) | Ty::Map(..) => self.collection(ty, depth),
            Ty::Process => self.process(depth),
            Ty::Sort(_) => self.synth_simple(ty),
        }
    }

    /// The shortest expression of a type; there always is one.
    pub(super) fn synth_simple(&mut self, ty: &Ty) -> Expr {
        match ty {
            Ty::Bool => normal::boolean(self.dice.once_in(2)),
            Ty::Int => expr(self.literal(), Ty::Int),
            Ty::Nat => {
                let all = expr(ExprKind::All(Ty::Bool), Ty::Set(Box::new(Ty::Bool)));
                expr(ExprKind::Method(Builtin::Len, vec![all]), Ty::Nat)
            }
            Ty::Sort(_) => self.member_of_sort(ty),
            Ty::Enum(id) => self.variant(*id, 0),
            Ty::Struct(id) => self.structure_value(*id, 0),
            Ty::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.synth(part, 0)).collect();
                expr(ExprKind::Tuple(parts), ty.clone())
            }
            Ty::Option(inner) => {
                let inner = self.synth(inner, 0);
                expr(ExprKind::Some(Box::new(inner)), ty.clone())
            }
            Ty::Set(inner) | Ty::Bag(inner) | Ty::Seq(inner) => {
                let element = self.synth(inner, 0);
                expr(ExprKind::Literal(vec![element]), ty.clone())
            }
            Ty::Map(key, value) => self.map_of(key, value, 0),
            Ty::Process => self.process(0),
        }
    }

    /// A member of a sort: the least one, or a parameter where there is no order.
    fn member_of_sort(&mut self, ty: &Ty) -> Expr {
        if plainsong_ir::finite::is_ordered(&self.song, ty) {
            let all = expr(ExprKind::All(ty.clone()), Ty::Set(Box::new(ty.clone())));
            let builtin = *self.dice.pick(&[Builtin::Min, Builtin::Max]);
            return expr(ExprKind::Method(builtin, vec![all]), ty.clone());
        }
        let consts = self.constants(ty);
        self.dice.pick(&consts).clone()
    }

    /// An integer that can be written down.
    pub(super) fn literal(&mut self) -> ExprKind {
        ExprKind::Int(match self.dice.below(20) {
            0 => 1_000_000_007,
            1 => i64::MAX,
            small => (small - 2) as i64,
        })
    }

    /// A part of a larger value.
    fn taken_apart(&mut self, ty: &Ty, depth: usize) -> Expr {
        let owned = || Box::new(ty.clone());
        match self.dice.below(6) {
            0 => {
                let option = self.synth(&Ty::Option(owned()), depth);
                self.unwrapped(option, ty, depth)
            }
            1 => {
                let seq = self.synth(&Ty::Seq(owned()), depth);
                let builtin = *self.dice.pick(&[Builtin::First, Builtin::Last]);
                expr(ExprKind::Method(builtin, vec![seq]), ty.clone())
            }
            2 => {
                let seq = self.synth(&Ty::Seq(owned()), depth);
                let index = self.check(&Ty::Int, depth);
                expr(ExprKind::Index(Box::new(seq), Box::new(index)), ty.clone())
            }
            3 => {
                let key = self.finite_ty();
                let map = self.synth(&Ty::Map(Box::new(key.clone()), owned()), depth);
                let key = self.check(&key, depth);
                expr(ExprKind::Index(Box::new(map), Box::new(key)), ty.clone())
            }
            4 => {
                let other = self.plain_ty();
                let at = self.dice.below(2);
                let mut parts = vec![other];
                parts.insert(at, ty.clone());
                let tuple = self.synth(&Ty::Tuple(parts), depth);
                expr(ExprKind::Project(Box::new(tuple), at), ty.clone())
            }
            _ => self
                .field_of_some(ty, depth)
                .unwrap_or_else(|| self.built(ty, depth)),
        }
    }

    fn unwrapped(&mut self, option: Expr, ty: &Ty, depth: usize) -> Expr {
        if self.dice.once_in(2) {
            return expr(ExprKind::Method(Builtin::Unwrap, vec![option]), ty.clone());
        }
        let default = self.check(ty, depth);
        expr(
            ExprKind::Method(Builtin::UnwrapOr, vec![option, default]),
            ty.clone(),
        )
    }

    fn field_of_some(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        let mut found = Vec::new();
        for (id, decl) in self.song.structs.iter().enumerate() {
            let fields = decl
                .fields
                .iter()
                .enumerate()
                .filter(|(_, (_, field))| field == ty);
            found.extend(fields.map(|(at, _)| (StructId::from(id), at)));
        }
        let (id, at) = *self.dice.choose(&found)?;
        let value = self.synth(&Ty::Struct(id), depth);
        Some(expr(ExprKind::Field(Box::new(value), at), ty.clone()))
    }

    fn call(&mut self, ty: &Ty, depth: usize) -> Option<Expr> {
        let fitting = self
            .functions
            .iter()
            .enumerate()
            .filter(|(_, (_, result))| result == ty);
        let fitting: Vec<usize> = fitting.map(|(at, _)| at).collect();
        let at = *self.dice.choose(&fitting)?;
        let parameters = self.functions[at].0.clone();
        let arguments = self.checks(&parameters, depth);
        Some(expr(ExprKind::Call(FnId::from(at), arguments), ty.clone()))
    }

    fn variant(&mut self, id: EnumId, depth: usize) -> Expr {
        let variants = self.song.enums[id.index()].variants.clone();
        let at = self.dice.below(variants.len());
        let arguments = self.checks(&variants[at].fields, depth);
        expr(ExprKind::Variant(id, at, arguments), Ty::Enum(id))
    }

    fn structure_value(&mut self, id: StructId, depth: usize) -> Expr {
        let fields = self.song.structs[id.index()].fields.clone();
        let ty = Ty::Struct(id);
        if depth > 0 && self.dice.once_in(3) {
            let base = self.synth(&ty, depth - 1);
            let mut changes = Vec::new();
            let first = self.dice.below(fields.len());
            for (at, (_, field)) in fields.iter().enumerate().skip(first) {
                if at == first || self.dice.once_in(2) {
                    changes.push((at, self.check(field, depth - 1)));
                }
            }
            return expr(ExprKind::Update(Box::new(base), changes), ty);
        }
        let values = fields
            .iter()
            .map(|(_, field)| self.check(field, depth))
            .collect();
        expr(ExprKind::Struct(id, values), ty)
    }

    fn process(&mut self, depth: usize) -> Expr {
        if self.has_self() && self.dice.once_in(3) {
            return expr(ExprKind::SelfPid, Ty::Process);
        }
        let family = *self.dice.pick(&self.processes);
        let index = self.index(family, depth);
        expr(ExprKind::Pid(family, index), Ty::Process)
    }

    fn has_self(&self) -> bool {
        matches!(self.scope.home, Home::Start | Home::Body | Home::Handler)
    }
}

/// `if c { a } else { b }`.
fn if_expr(condition: Expr, yes: Expr, no: Expr) -> Expr {
    let ty = yes.ty.clone();
    expr(
        ExprKind::If(Box::new(condition), Box::new(yes), Box::new(no)),
        ty,
    )
}

/// The local of an expression that is one.
pub(super) fn local(id: LocalId, ty: Ty) -> Expr {
    expr(ExprKind::Local(id), ty)
}

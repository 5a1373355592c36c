//! Truth values and numbers.

use super::composer::Composer;
use super::normal::{self, expr};
use super::scope::Home;
use plainsong_ir::finite::is_number;
use plainsong_ir::{
    BinOp, Binding, Builtin, Domain, Expr, ExprKind, PendingOf, Quantifier, SortId, Ty, UnOp,
};

const LOGICAL: &[BinOp] = &[BinOp::And, BinOp::Or, BinOp::Implies, BinOp::Iff];
const EQUALITY: &[BinOp] = &[BinOp::Eq, BinOp::Ne];
const ORDER: &[BinOp] = &[BinOp::Lt, BinOp::Le, BinOp::Gt, BinOp::Ge];
const ARITHMETIC: &[BinOp] = &[BinOp::Add, BinOp::Mul, BinOp::Div, BinOp::Rem];

impl Composer {
    /// A truth value.
    pub(super) fn truth(&mut self, depth: usize) -> Expr {
        match self.dice.below(10) {
            0 => {
                let inner = self.check(&Ty::Bool, depth);
                expr(ExprKind::Unary(UnOp::Not, Box::new(inner)), Ty::Bool)
            }
            1 | 2 => {
                let op = *self.dice.pick(LOGICAL);
                let a = self.check(&Ty::Bool, depth);
                let b = self.check(&Ty::Bool, depth);
                expr(ExprKind::Binary(op, Box::new(a), Box::new(b)), Ty::Bool)
            }
            3 => self.equality(depth),
            4 => self.order(depth),
            5 => self.membership(depth),
            6 => {
                let of = self.ty(1);
                let value = self.synth(&of, depth);
                let shapes = self.cover(&of, 1);
                let shape = self.dice.pick(&shapes).clone();
                let pattern = self.scoped(|c| c.name_parts(shape, &of));
                expr(ExprKind::Is(Box::new(value), pattern), Ty::Bool)
            }
            7 | 8 => {
                let quantifier = *self.dice.pick(&[Quantifier::Forall, Quantifier::Exists]);
                self.quantified(quantifier, Ty::Bool, depth, |c| c.check(&Ty::Bool, depth))
            }
            _ => self.question(depth),
        }
    }

    fn equality(&mut self, depth: usize) -> Expr {
        let op = *self.dice.pick(EQUALITY);
        let ty = self.ty(1);
        let (a, b) = if is_number(&self.song, &ty) {
            (self.number(depth), self.number(depth))
        } else {
            self.sides(&ty, None, depth)
        };
        normal::comparison(&self.song, op, a, b)
    }

    fn order(&mut self, depth: usize) -> Expr {
        let op = *self.dice.pick(ORDER);
        let sorts = (0..self.song.sorts.len()).map(|at| Ty::Sort(SortId::from(at)));
        let ordered = |ty: &Ty| plainsong_ir::finite::is_ordered(&self.song, ty);
        let sorts: Vec<Ty> = sorts.filter(ordered).collect();
        let (a, b) = match self.dice.choose(&sorts).cloned() {
            Some(sort) if self.dice.once_in(3) => {
                (self.synth(&sort, depth), self.synth(&sort, depth))
            }
            _ => (self.number(depth), self.number(depth)),
        };
        normal::comparison(&self.song, op, a, b)
    }

    /// A number of any type, where nothing is wanted.
    fn number(&mut self, depth: usize) -> Expr {
        if self.dice.once_in(4) {
            return expr(self.literal(), Ty::Int);
        }
        let ty = self.number_ty();
        self.synth(&ty, depth)
    }

    /// Two sides of an operator that are of the same type, not numbers. The side that the front
    /// end reads first tells the type, or takes the one that is wanted of the whole.
    pub(super) fn sides(&mut self, ty: &Ty, wanted: Option<&Ty>, depth: usize) -> (Expr, Expr) {
        if wanted.is_some() {
            return (self.guided(ty, depth), self.guided(ty, depth));
        }
        let a = self.synth(ty, depth);
        let before = self.scope.locals.len();
        let b = self.guided(ty, depth);
        match (normal::adapts(&a), normal::adapts(&b)) {
            (true, false) => {
                self.scope.locals.truncate(before);
                (a, self.synth(ty, depth))
            }
            (false, true) if self.dice.once_in(2) => (b, a),
            _ => (a, b),
        }
    }

    fn membership(&mut self, depth: usize) -> Expr {
        let collection = self.collection_ty();
        let element = collection.element().cloned().unwrap_or(Ty::Bool);
        let collection = self.synth(&collection, depth);
        // An operator on the left of `in` is read before the collection, so it has to tell its type.
        let before = self.scope.locals.len();
        let mut value = self.check(&element, depth);
        if matches!(value.kind, ExprKind::Binary(..)) {
            self.scope.locals.truncate(before);
            value = self.synth(&element, depth);
        }
        let element = value;
        expr(
            ExprKind::Binary(BinOp::In, Box::new(element), Box::new(collection)),
            Ty::Bool,
        )
    }

    /// A method that answers a question.
    fn question(&mut self, depth: usize) -> Expr {
        let inner = self.ty(1);
        let (builtin, arguments) = match self.dice.below(5) {
            0 => {
                let option = self.synth(&Ty::Option(Box::new(inner)), depth);
                (
                    *self.dice.pick(&[Builtin::IsSome, Builtin::IsNone]),
                    vec![option],
                )
            }
            1 => {
                let set = Ty::Set(Box::new(inner));
                (
                    Builtin::Subset,
                    vec![self.synth(&set, depth), self.check(&set, depth)],
                )
            }
            2 => {
                let ty = self.collection_ty();
                let element = ty.element().cloned().unwrap_or(Ty::Bool);
                (
                    Builtin::Contains,
                    vec![self.synth(&ty, depth), self.check(&element, depth)],
                )
            }
            _ => {
                let ty = self.collection_ty();
                (Builtin::IsEmpty, vec![self.synth(&ty, depth)])
            }
        };
        expr(ExprKind::Method(builtin, arguments), Ty::Bool)
    }

    fn collection_ty(&mut self) -> Ty {
        let inner = Box::new(self.ty(1));
        match self.dice.below(3) {
            0 => Ty::Set(inner),
            1 => Ty::Bag(inner),
            _ => Ty::Seq(inner),
        }
    }

    /// An `int` whose text tells that it is one.
    pub(super) fn integer(&mut self, depth: usize) -> Expr {
        match self.dice.below(5) {
            0 => {
                let inner = self.check(&Ty::Int, depth);
                expr(ExprKind::Unary(UnOp::Neg, Box::new(inner)), Ty::Int)
            }
            1 => normal::arithmetic(BinOp::Sub, self.number(depth), self.number(depth)),
            2 => {
                let ty = self.number_ty();
                self.summed(&ty, depth, Ty::Int)
            }
            3 => self.extreme(&Ty::Int, depth),
            _ => {
                let op = *self.dice.pick(ARITHMETIC);
                let before = self.scope.locals.len();
                let a = self.synth(&Ty::Int, depth);
                let b = self.number(depth);
                let sum = if self.dice.once_in(2) {
                    normal::arithmetic(op, a, b)
                } else {
                    normal::arithmetic(op, b, a)
                };
                if sum.ty == Ty::Int {
                    return sum;
                }
                // A literal next to a `nat` has become one.
                self.scope.locals.truncate(before);
                self.synth_simple(&Ty::Int)
            }
        }
    }

    /// A `nat` whose text tells that it is one.
    pub(super) fn natural(&mut self, depth: usize) -> Expr {
        match self.dice.below(8) {
            0 | 1 => {
                let ty = self.collection_ty();
                let collection = self.synth(&ty, depth);
                expr(ExprKind::Method(Builtin::Len, vec![collection]), Ty::Nat)
            }
            2 => {
                let element = self.ty(1);
                let bag = self.synth(&Ty::Bag(Box::new(element.clone())), depth);
                let element = self.check(&element, depth);
                expr(
                    ExprKind::Method(Builtin::Count, vec![bag, element]),
                    Ty::Nat,
                )
            }
            3 => self.quantified(Quantifier::Count, Ty::Nat, depth, |c| {
                c.check(&Ty::Bool, depth)
            }),
            4 => self.summed(&Ty::Nat, depth, Ty::Nat),
            5 if self.scope.home == Home::SystemProperty => self.pending(),
            6 => self.extreme(&Ty::Nat, depth),
            _ => {
                let op = *self.dice.pick(ARITHMETIC);
                let a = self.synth(&Ty::Nat, depth);
                let b = match self.dice.below(2) {
                    0 => expr(self.literal(), Ty::Int),
                    _ => self.synth(&Ty::Nat, depth),
                };
                if self.dice.once_in(2) {
                    normal::arithmetic(op, a, b)
                } else {
                    normal::arithmetic(op, b, a)
                }
            }
        }
    }

    fn pending(&mut self) -> Expr {
        let messages = (0..self.messages.len()).map(|at| PendingOf::Message(at.into()));
        let actions = (0..self.actions.len()).map(|at| PendingOf::Action(at.into()));
        let mut all: Vec<PendingOf> = messages.chain(actions).collect();
        if all.is_empty() {
            return self.synth_simple(&Ty::Nat);
        }
        all.push(PendingOf::All);
        expr(ExprKind::Pending(*self.dice.pick(&all)), Ty::Nat)
    }

    /// The least or greatest of a collection.
    fn extreme(&mut self, ty: &Ty, depth: usize) -> Expr {
        let inner = Box::new(ty.clone());
        let collection = match self.dice.below(3) {
            0 => Ty::Set(inner),
            1 => Ty::Bag(inner),
            _ => Ty::Seq(inner),
        };
        let collection = self.synth(&collection, depth);
        let builtin = *self.dice.pick(&[Builtin::Min, Builtin::Max]);
        expr(ExprKind::Method(builtin, vec![collection]), ty.clone())
    }

    /// `sum … :: e`, where `e` has the type `of`.
    fn summed(&mut self, of: &Ty, depth: usize, result: Ty) -> Expr {
        let of = if result == Ty::Int && *of == Ty::Nat {
            Ty::Int
        } else {
            of.clone()
        };
        self.quantified(Quantifier::Sum, result, depth, |c| {
            let body = c.synth(&of, depth);
            if of == Ty::Nat {
                body
            } else {
                normal::widen(body)
            }
        })
    }

    fn quantified(
        &mut self,
        quantifier: Quantifier,
        ty: Ty,
        depth: usize,
        body: impl FnOnce(&mut Self) -> Expr,
    ) -> Expr {
        self.scoped(|c| {
            let groups = c.dice.between(1, 2);
            let bindings = (0..groups).map(|_| c.binding(depth)).collect();
            let body = body(c);
            expr(
                ExprKind::Quantifier(quantifier, bindings, Box::new(body)),
                ty,
            )
        })
    }

    /// `a, b: T where p` or `a in S where p`.
    fn binding(&mut self, depth: usize) -> Binding {
        let (domain, ty) = if self.dice.once_in(2) {
            let ty = self.finite_ty();
            (Domain::Type(ty.clone()), ty)
        } else {
            let set = self.elements(depth);
            let element = set.ty.element().cloned().unwrap_or(Ty::Bool);
            (Domain::In(set), element)
        };
        let count = if self.dice.once_in(3) { 2 } else { 1 };
        let names = (0..count).map(|_| self.bind_fresh(ty.clone())).collect();
        let filter = self.filter(depth);
        Binding {
            names,
            domain,
            filter,
        }
    }

    /// A collection to take elements from.
    pub(super) fn elements(&mut self, depth: usize) -> Expr {
        let ty = match self.dice.below(4) {
            0 => Ty::Set(Box::new(Ty::Int)),
            1 => Ty::Set(Box::new(self.sort_ty())),
            _ => self.collection_ty(),
        };
        self.synth(&ty, depth)
    }

    /// A condition, or none.
    pub(super) fn filter(&mut self, depth: usize) -> Option<Expr> {
        self.dice.once_in(3).then(|| self.check(&Ty::Bool, depth))
    }
}

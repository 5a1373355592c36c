//! Sets, bags, sequences and maps.

use super::composer::Composer;
use super::exprs::local;
use super::normal::{self, expr};
use plainsong_ir::finite::is_finite;
use plainsong_ir::{BinOp, Binding, Builtin, Domain, Expr, ExprKind, Ty};

impl Composer {
    /// A collection whose text tells its type.
    pub(super) fn collection(&mut self, ty: &Ty, depth: usize) -> Expr {
        match ty {
            Ty::Map(key, value) if self.dice.once_in(2) => self.map_of(key, value, depth),
            Ty::Map(..) => self.changed(ty, None, depth),
            _ => match self.dice.below(6) {
                0 | 1 => self.literal_of(ty, depth),
                2 => self.combined(ty, None, depth),
                3 => self.changed(ty, None, depth),
                4 => self.comprehension(ty, None, depth),
                _ => self.converted(ty, depth),
            },
        }
    }

    /// A collection where this type is wanted: what is wanted reaches its elements.
    pub(super) fn guided_collection(&mut self, ty: &Ty, depth: usize) -> Expr {
        let depth = depth - 1;
        match self.dice.below(6) {
            0 => self.changed(ty, Some(ty), depth),
            1 => self.comprehension(ty, Some(ty), depth),
            2 => self.combined(ty, Some(ty), depth),
            3 => self.collection(ty, depth),
            _ => match ty {
                Ty::Map(key, value) => self.guided_map(key, value, depth),
                _ => {
                    let element = ty.element().cloned().unwrap_or(Ty::Bool);
                    let count = self.dice.between(0, 3);
                    let elements = (0..count).map(|_| self.check(&element, depth)).collect();
                    expr(ExprKind::Literal(elements), ty.clone())
                }
            },
        }
    }

    /// `{a, b}`: the first element tells the type.
    fn literal_of(&mut self, ty: &Ty, depth: usize) -> Expr {
        let element = ty.element().cloned().unwrap_or(Ty::Bool);
        let mut elements = vec![self.synth(&element, depth)];
        for _ in 0..self.dice.below(3) {
            elements.push(self.check(&element, depth));
        }
        expr(ExprKind::Literal(elements), ty.clone())
    }

    /// Two collections made into one.
    fn combined(&mut self, ty: &Ty, wanted: Option<&Ty>, depth: usize) -> Expr {
        let ops: &[BinOp] = match ty {
            Ty::Set(_) => &[BinOp::Union, BinOp::Inter, BinOp::Sub],
            Ty::Bag(_) => &[BinOp::Union, BinOp::Sub],
            Ty::Seq(_) => &[BinOp::Add],
            _ => return self.changed(ty, wanted, depth),
        };
        let op = *self.dice.pick(ops);
        let (a, b) = self.sides(ty, wanted, depth);
        expr(ExprKind::Binary(op, Box::new(a), Box::new(b)), ty.clone())
    }

    /// A collection with an element more, less or changed.
    fn changed(&mut self, ty: &Ty, wanted: Option<&Ty>, depth: usize) -> Expr {
        let receiver = match wanted {
            Some(_) => self.guided(ty, depth),
            None => self.synth(ty, depth),
        };
        let element = ty.element().cloned().unwrap_or(Ty::Bool);
        let (builtin, wanted) = match ty {
            Ty::Map(key, value) => (Builtin::Update, vec![(**key).clone(), (**value).clone()]),
            Ty::Seq(_) => match self.dice.below(4) {
                0 => (Builtin::Push, vec![element]),
                1 => (Builtin::DropFirst, vec![]),
                2 => (Builtin::DropLast, vec![]),
                _ => (Builtin::Update, vec![Ty::Int, element]),
            },
            _ => (
                *self.dice.pick(&[Builtin::With, Builtin::Without]),
                vec![element],
            ),
        };
        let mut arguments = vec![receiver];
        arguments.extend(self.checks(&wanted, depth));
        expr(ExprKind::Method(builtin, arguments), ty.clone())
    }

    /// `{ x in S where p }`, `{ e for x in S where p }` or `[e for x in S where p]`.
    fn comprehension(&mut self, ty: &Ty, wanted: Option<&Ty>, depth: usize) -> Expr {
        if matches!(ty, Ty::Bag(_) | Ty::Map(..)) {
            return self.changed(ty, wanted, depth);
        }
        let element = ty.element().cloned().unwrap_or(Ty::Bool);
        if matches!(ty, Ty::Set(_)) && self.dice.once_in(2) {
            return self.filtered(&element, depth);
        }
        self.scoped(|c| {
            let (domain, of) = c.loop_domain(depth);
            let names = vec![c.bind_fresh(of)];
            let filter = c.filter(depth);
            let body = match wanted {
                Some(_) => c.check(&element, depth),
                None => c.synth(&element, depth),
            };
            let binding = Binding {
                names,
                domain,
                filter,
            };
            expr(
                ExprKind::Comprehension(Box::new(binding), Box::new(body)),
                ty.clone(),
            )
        })
    }

    fn filtered(&mut self, element: &Ty, depth: usize) -> Expr {
        self.scoped(|c| {
            let ty = Ty::Set(Box::new(element.clone()));
            let set = c.synth(&ty, depth);
            let name = c.bind_fresh(element.clone());
            let filter = Some(c.check(&Ty::Bool, depth));
            let binding = Binding {
                names: vec![name],
                domain: Domain::In(set),
                filter,
            };
            let body = local(name, element.clone());
            expr(
                ExprKind::Comprehension(Box::new(binding), Box::new(body)),
                ty,
            )
        })
    }

    /// A collection from another kind, from a range or from a type.
    fn converted(&mut self, ty: &Ty, depth: usize) -> Expr {
        let element = ty.element().cloned().unwrap_or(Ty::Bool);
        let inner = Box::new(element.clone());
        match ty {
            Ty::Set(_) if element == Ty::Int && self.dice.once_in(2) => {
                let start = Box::new(self.check(&Ty::Int, depth));
                let end = Box::new(self.check(&Ty::Int, depth));
                let inclusive = self.dice.once_in(2);
                expr(
                    ExprKind::Range {
                        start,
                        end,
                        inclusive,
                    },
                    ty.clone(),
                )
            }
            Ty::Set(_) if self.stands_for_its_values(&element) => {
                expr(ExprKind::All(element), ty.clone())
            }
            Ty::Set(_) => {
                let from = if self.dice.once_in(2) {
                    Ty::Bag(inner)
                } else {
                    Ty::Seq(inner)
                };
                let from = self.synth(&from, depth);
                expr(ExprKind::Method(Builtin::ToSet, vec![from]), ty.clone())
            }
            Ty::Bag(_) => {
                let from = self.synth(&Ty::Seq(inner), depth);
                expr(ExprKind::Method(Builtin::ToBag, vec![from]), ty.clone())
            }
            _ => self.literal_of(ty, depth),
        }
    }

    fn stands_for_its_values(&self, ty: &Ty) -> bool {
        matches!(ty, Ty::Bool | Ty::Sort(_) | Ty::Enum(_)) && is_finite(&self.song, ty)
    }

    /// `map k: K => e`.
    pub(super) fn map_of(&mut self, key: &Ty, value: &Ty, depth: usize) -> Expr {
        self.scoped(|c| {
            let name = c.bind_fresh(key.clone());
            let body = c.synth(value, depth);
            let ty = Ty::Map(Box::new(key.clone()), Box::new(value.clone()));
            expr(ExprKind::MapOf(name, Box::new(body)), ty)
        })
    }

    fn guided_map(&mut self, key: &Ty, value: &Ty, depth: usize) -> Expr {
        self.scoped(|c| {
            let name = c.bind_fresh(key.clone());
            let body = normal::convert(c.guided(value, depth), value);
            let ty = Ty::Map(Box::new(key.clone()), Box::new(value.clone()));
            expr(ExprKind::MapOf(name, Box::new(body)), ty)
        })
    }
}

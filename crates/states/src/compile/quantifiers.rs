//! Names that range over something: quantifiers, comprehensions and loops, unrolled.

use super::{Compiler, Result, Trouble};
use crate::code::{Arg, Binary, Leaves, Op, Target};
use crate::shape::Kind;
use plainsong_ir::visit::free_locals;
use plainsong_ir::{BinOp, Binding, Domain, Expr, ExprKind, LocalId, Ty, UnOp};
use plainsong_semantics::value::Value;

/// One element that a name may take.
#[derive(Clone, Debug)]
pub(super) struct Element {
    /// Its leaves, all known.
    pub(super) leaves: Leaves,
    /// It counts only when this number is not zero.
    pub(super) guard: Option<Arg>,
}

/// A condition, and the truth value that is wanted of it.
pub(super) type Condition<'s> = (&'s Expr, bool);

/// The parts that are all as wanted when `expr` is: both sides of a conjunction that is to be true, of a
/// disjunction or implication that is to be false.
pub(super) fn parts(expr: &Expr, wanted: bool) -> Vec<Condition<'_>> {
    let (a, b) = match (&expr.kind, wanted) {
        (ExprKind::Unary(UnOp::Not, inner), _) => return parts(inner, !wanted),
        (ExprKind::Binary(BinOp::And, a, b), true) => ((a, true), (b, true)),
        (ExprKind::Binary(BinOp::Or, a, b), false) => ((a, false), (b, false)),
        (ExprKind::Binary(BinOp::Implies, a, b), false) => ((a, true), (b, false)),
        _ => return vec![(expr, wanted)],
    };
    let mut all = parts(a.0, a.1);
    all.extend(parts(b.0, b.1));
    all
}

/// How many of the conditions, from the first, read none of the names.
fn ready(conditions: &[Condition<'_>], names: &[LocalId]) -> usize {
    let waits = |condition: &Expr| free_locals(condition).iter().any(|one| names.contains(one));
    let first = conditions
        .iter()
        .position(|(condition, _)| waits(condition));
    first.unwrap_or(conditions.len())
}

impl<'s> Compiler<'s, '_> {
    /// What a name can take, in order. The guards hold now and do not change.
    pub(super) fn elements(&mut self, domain: &'s Domain) -> Result<Vec<Element>> {
        match domain {
            Domain::Type(ty) => {
                let values = self.coding.instance.values(ty);
                let values = values.map_err(|_| Trouble::NoForm)?;
                self.unguarded(ty, &values)
            }
            Domain::In(collection) => self.members(collection),
        }
    }

    /// The elements of a collection. Of a bag that is not known it is only said which are there.
    fn members(&mut self, collection: &'s Expr) -> Result<Vec<Element>> {
        let leaves = self.expr(collection)?;
        let shape = self.shape(&collection.ty);
        let ty = collection.ty.element().ok_or(Trouble::NoForm)?;
        if let Some(known) = self.known(&shape, &leaves) {
            return self.unguarded(ty, known.elements());
        }
        let Kind::Set(listed) = &shape.kind else {
            return Err(Trouble::NoForm);
        };
        let mask = self.settled(leaves)?[0];
        let mut elements = self.unguarded(ty, &listed.values)?;
        for (place, element) in elements.iter_mut().enumerate() {
            let bit = Arg::Const(1 << place);
            element.guard = Some(self.compute(Binary::And, mask, bit)?);
        }
        Ok(elements)
    }

    pub(super) fn unguarded(&mut self, ty: &Ty, values: &[Value]) -> Result<Vec<Element>> {
        let mut elements = Vec::new();
        for value in values {
            self.spend()?;
            elements.push(Element {
                leaves: self.constant(ty, value),
                guard: None,
            });
        }
        Ok(elements)
    }

    /// Visits every combination of the bound names that passes the filters, first name slowest.
    pub(super) fn combinations(
        &mut self,
        bindings: &'s [Binding],
        visit: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        self.combinations_with(bindings, &[], visit)
    }

    /// The same, leaving out combinations for which a condition is not as wanted.
    ///
    /// Conditions are looked at in order, after the filters, each as soon as it reads no names still to
    /// come, so that what decides early is not asked again and again.
    pub(super) fn combinations_with(
        &mut self,
        bindings: &'s [Binding],
        conditions: &[Condition<'s>],
        visit: &mut dyn FnMut(&mut Self) -> Result<()>,
    ) -> Result<()> {
        let Some((binding, rest)) = bindings.split_first() else {
            return visit(self);
        };
        let elements = self.elements(&binding.domain)?;
        let later: Vec<LocalId> = rest.iter().flat_map(|one| one.names.clone()).collect();
        let (early, late) = match binding.filter {
            None => (conditions, &[][..]),
            Some(_) => (&[][..], conditions),
        };
        self.names(
            &binding.names,
            &later,
            &elements,
            early,
            &mut |compiler, early| {
                let next = compiler.label();
                if let Some(filter) = &binding.filter {
                    compiler.branch(filter, false, next)?;
                }
                let (now, late) = late.split_at(ready(late, &later));
                compiler.unless_wanted(now, next)?;
                compiler.combinations_with(
                    rest,
                    if early.is_empty() { late } else { early },
                    visit,
                )?;
                compiler.bind(next);
                Ok(())
            },
        )
    }

    /// Each name over all elements; `later` are the names of later bindings.
    fn names(
        &mut self,
        names: &[LocalId],
        later: &[LocalId],
        elements: &[Element],
        conditions: &[Condition<'s>],
        visit: &mut dyn FnMut(&mut Self, &[Condition<'s>]) -> Result<()>,
    ) -> Result<()> {
        let Some((name, rest)) = names.split_first() else {
            return visit(self, conditions);
        };
        let open = [rest, later].concat();
        let (now, others) = conditions.split_at(ready(conditions, &open));
        for element in elements {
            self.spend()?;
            let next = self.label();
            if let Some(guard) = element.guard {
                self.jump_if_truth(guard, false, next)?;
            }
            self.locals[name.index()] = Some(element.leaves.clone());
            self.unless_wanted(now, next)?;
            self.names(rest, later, elements, others, visit)?;
            self.bind(next);
        }
        Ok(())
    }

    fn unless_wanted(&mut self, conditions: &[Condition<'s>], to: Target) -> Result<()> {
        for (condition, wanted) in conditions {
            self.branch(condition, !wanted, to)?;
        }
        Ok(())
    }

    /// How many combinations make `body` true.
    pub(super) fn counting(&mut self, bindings: &'s [Binding], body: &'s Expr) -> Result {
        self.tally(bindings, &mut |compiler, total| {
            let next = compiler.label();
            compiler.branch(body, false, next)?;
            let (total, one) = (Arg::Reg(total), Arg::Const(1));
            compiler.add_to(total, one)?;
            compiler.bind(next);
            Ok(())
        })
    }

    /// The sum of `body` over all combinations.
    pub(super) fn sum(&mut self, bindings: &'s [Binding], body: &'s Expr) -> Result {
        self.tally(bindings, &mut |compiler, total| {
            let leaf = compiler.scalar(body)?;
            compiler.add_to(Arg::Reg(total), leaf)
        })
    }

    fn tally(
        &mut self,
        bindings: &'s [Binding],
        visit: &mut dyn FnMut(&mut Self, u32) -> Result<()>,
    ) -> Result {
        let total = self.register();
        self.op(Op::Move(total, Arg::Const(0)))?;
        self.combinations(bindings, &mut |compiler| visit(compiler, total))?;
        Ok(vec![Arg::Reg(total)])
    }

    fn add_to(&mut self, total: Arg, number: Arg) -> Result<()> {
        let Arg::Reg(register) = total else {
            return Err(Trouble::GivesUp);
        };
        self.op(Op::Compute(Binary::Add, register, total, number))
    }
}

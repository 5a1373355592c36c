//! What expressions come to in a symbolic state, and what is learnt where conditions are supposed.
//!
//! What is not understood comes to a new unknown, which is always right: it may be anything. Then both branches of a
//! decision must be in the certificate.

use crate::actor::Actor;
use crate::linear_arithmetic::{Sum, follows};
use crate::position::Var;
use crate::state::{Numbers, SymbolicState};
use crate::symbol::{Symbol, Unknown, equal};
use plainsong_ir::{BinOp, Expr, ExprKind, LocalId, Pattern, PatternKind, Ty, UnOp};

impl SymbolicState<'_> {
    /// Two values are, or are not, equal.
    fn learn_equal(&mut self, a: &Symbol, b: &Symbol, truth: bool) {
        match (a, b) {
            (Symbol::Sum(_), _) | (_, Symbol::Sum(_)) => self.learn_difference(a, b, truth),
            (Symbol::Unknown(unknown), other) | (other, Symbol::Unknown(unknown)) if truth => {
                self.learn(&unknown.clone(), &other.clone());
            }
            _ if truth => {}
            _ => self.differ.push((a.clone(), b.clone())),
        }
    }

    /// Two sums are, or are not, equal.
    fn learn_difference(&mut self, a: &Symbol, b: &Symbol, truth: bool) {
        let sums = Sum::of(a).zip(Sum::of(b));
        let Some(difference) = sums.and_then(|(a, b)| a.plus(-1, &b)) else {
            return;
        };
        match (difference.solved(), truth) {
            (Some((unknown, value)), true) => self.learn(&unknown, &value),
            (Some((unknown, value)), false) => {
                self.differ.push((Symbol::Unknown(unknown), value));
            }
            (None, true) => {
                let opposite = Sum::number(0).plus(-1, &difference);
                self.bounds.extend(opposite);
                self.bounds.push(difference);
            }
            (None, false) => self.differ.push((a.clone(), b.clone())),
        }
    }

    /// A comparison as a sum that is not positive.
    fn at_most(
        &self,
        numbers: &mut Numbers,
        actor: Actor,
        op: BinOp,
        left: &Expr,
        right: &Expr,
    ) -> Option<Sum> {
        let left = Sum::of(&self.eval(numbers, actor, left))?;
        let right = Sum::of(&self.eval(numbers, actor, right))?;
        let (less, more) = match op {
            BinOp::Lt | BinOp::Le => (left, right),
            _ => (right, left),
        };
        let difference = less.plus(-1, &more)?;
        match op {
            BinOp::Lt | BinOp::Gt => difference.plus(1, &Sum::number(1)),
            _ => Some(difference),
        }
    }

    /// Is a sum at most zero, or certainly not?
    fn is_at_most(&self, bounds: &[Sum], sum: &Sum) -> Option<bool> {
        let known = [&self.bounds[..], bounds].concat();
        if follows(&known, sum) {
            return Some(true);
        }
        let opposite = Sum::number(1).plus(-1, sum)?;
        follows(&known, &opposite).then_some(false)
    }

    /// Are two numbers equal, by what is known of sums?
    fn is_zero(&self, a: &Symbol, b: &Symbol) -> Option<bool> {
        if self.bounds.is_empty() {
            return None;
        }
        let difference = Sum::of(a)?.plus(-1, &Sum::of(b)?)?;
        let opposite = Sum::number(0).plus(-1, &difference)?;
        let below = self.is_at_most(&[], &difference);
        let above = self.is_at_most(&[], &opposite);
        match (below, above) {
            (Some(true), Some(true)) => Some(true),
            (Some(false), _) | (_, Some(false)) => Some(false),
            _ => None,
        }
    }

    /// That natural numbers in these are not negative: variables only, for what is computed may not be evaluated.
    fn naturals(&self, numbers: &mut Numbers, actor: Actor, exprs: &[&Expr]) -> Vec<Sum> {
        let mut found = Vec::new();
        for expr in exprs {
            match &expr.kind {
                ExprKind::Local(_) | ExprKind::Own(_) | ExprKind::Const(_)
                    if expr.ty == Ty::Nat =>
                {
                    let number = Sum::of(&self.eval(numbers, actor, expr));
                    found.extend(number.and_then(|number| Sum::number(0).plus(-1, &number)));
                }
                ExprKind::Widen(inner) | ExprKind::Narrow(inner) => {
                    found.extend(self.naturals(numbers, actor, &[inner]));
                }
                ExprKind::Binary(op, left, right) if is_arithmetic(*op) => {
                    found.extend(self.naturals(numbers, actor, &[left, right]));
                }
                _ => {}
            }
        }
        found
    }

    /// What an actor's expression comes to; anything where that is not understood.
    pub(crate) fn eval(&self, numbers: &mut Numbers, actor: Actor, expr: &Expr) -> Symbol {
        let all = |numbers: &mut Numbers, parts: &[Expr]| -> Vec<Symbol> {
            let parts = parts.iter();
            parts.map(|one| self.eval(numbers, actor, one)).collect()
        };
        let held = |var: Var| self.values.get(&(actor, var)).cloned();
        let known = match &expr.kind {
            ExprKind::Bool(value) => Some(Symbol::Bool(*value)),
            ExprKind::Int(value) => Some(Symbol::Int(*value)),
            ExprKind::Local(local) => held(Var::Local(*local)),
            ExprKind::Own(var) => held(Var::Own(*var)),
            ExprKind::SelfPid => Some(Symbol::Process(actor)),
            ExprKind::Const(id) => {
                let parameter = Unknown::parameter(*id);
                let known = self.parameters.get(&parameter.number).cloned();
                known.or(Some(Symbol::Unknown(parameter)))
            }
            ExprKind::Pid(family, index) => match &all(numbers, index)[..] {
                [] => Some(Symbol::Process(Actor {
                    family: *family,
                    member: None,
                })),
                [Symbol::Member(member)] if member.family == *family => {
                    Some(Symbol::Process(*member))
                }
                _ => None,
            },
            ExprKind::None => Some(Symbol::Data(0, Vec::new())),
            ExprKind::Some(inner) => Some(Symbol::Data(1, vec![self.eval(numbers, actor, inner)])),
            ExprKind::Tuple(parts) | ExprKind::Struct(_, parts) => {
                Some(Symbol::Data(0, all(numbers, parts)))
            }
            ExprKind::Variant(_, tag, parts) => Some(Symbol::Data(*tag, all(numbers, parts))),
            ExprKind::Project(inner, at) | ExprKind::Field(inner, at) => {
                match self.eval(numbers, actor, inner) {
                    Symbol::Data(_, parts) => parts.get(*at).cloned(),
                    _ => None,
                }
            }
            ExprKind::Widen(inner) | ExprKind::Narrow(inner) => {
                Some(self.eval(numbers, actor, inner))
            }
            ExprKind::Binary(op, left, right) if is_arithmetic(*op) => {
                let are_numbers = is_number(left) && is_number(right);
                let left = self.eval(numbers, actor, left);
                let right = self.eval(numbers, actor, right);
                computed(*op, &left, &right, are_numbers)
            }
            ExprKind::Binary(..) | ExprKind::Unary(UnOp::Not, _) | ExprKind::Is(..) => {
                self.truth(numbers, actor, expr).map(Symbol::Bool)
            }
            ExprKind::If(condition, yes, no) => match self.truth(numbers, actor, condition) {
                Some(true) => Some(self.eval(numbers, actor, yes)),
                Some(false) => Some(self.eval(numbers, actor, no)),
                None => None,
            },
            _ => None,
        };
        known.unwrap_or_else(|| numbers.fresh(actor))
    }

    /// Is a condition true? Nothing when that is not known.
    pub(crate) fn truth(&self, numbers: &mut Numbers, actor: Actor, expr: &Expr) -> Option<bool> {
        match &expr.kind {
            ExprKind::Binary(op, left, right) => match op {
                BinOp::And | BinOp::Or | BinOp::Implies => {
                    let left = self.truth(numbers, actor, left);
                    let right = self.truth(numbers, actor, right);
                    let left = match op {
                        BinOp::Implies => left.map(|left| !left),
                        _ => left,
                    };
                    let decides = *op != BinOp::And;
                    if left == Some(decides) || right == Some(decides) {
                        return Some(decides);
                    }
                    left.and(right).map(|_| !decides)
                }
                BinOp::Eq | BinOp::Ne | BinOp::Iff => {
                    let left = self.eval(numbers, actor, left);
                    let right = self.eval(numbers, actor, right);
                    let known = equal(&left, &right, &self.differ);
                    let same = known.or_else(|| self.is_zero(&left, &right))?;
                    Some(same == (*op != BinOp::Ne))
                }
                BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge
                    if is_number(left) && is_number(right) =>
                {
                    let bounds = self.naturals(numbers, actor, &[left, right]);
                    let sum = self.at_most(numbers, actor, *op, left, right)?;
                    self.is_at_most(&bounds, &sum)
                }
                _ => match self.eval(numbers, actor, expr) {
                    Symbol::Bool(value) => Some(value),
                    _ => None,
                },
            },
            ExprKind::Unary(UnOp::Not, inner) => {
                self.truth(numbers, actor, inner).map(|truth| !truth)
            }
            ExprKind::Is(value, pattern) => {
                let value = self.eval(numbers, actor, value);
                self.fits(&value, pattern)
            }
            _ => match self.eval(numbers, actor, expr) {
                Symbol::Bool(value) => Some(value),
                _ => None,
            },
        }
    }

    /// From here on a condition is known.
    pub(crate) fn suppose(
        &mut self,
        numbers: &mut Numbers,
        actor: Actor,
        expr: &Expr,
        truth: bool,
    ) {
        match &expr.kind {
            ExprKind::Unary(UnOp::Not, inner) => self.suppose(numbers, actor, inner, !truth),
            ExprKind::Binary(BinOp::And, left, right) if truth => {
                self.suppose(numbers, actor, left, true);
                self.suppose(numbers, actor, right, true);
            }
            ExprKind::Binary(BinOp::Or, left, right) if !truth => {
                self.suppose(numbers, actor, left, false);
                self.suppose(numbers, actor, right, false);
            }
            ExprKind::Binary(op @ (BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge), left, right)
                if is_number(left) && is_number(right) =>
            {
                let bounds = self.naturals(numbers, actor, &[left, right]);
                let sum = self.at_most(numbers, actor, *op, left, right);
                let sum = match truth {
                    true => sum,
                    false => sum.and_then(|sum| Sum::number(1).plus(-1, &sum)),
                };
                self.bounds.extend(bounds.into_iter().chain(sum));
            }
            ExprKind::Binary(op @ (BinOp::Eq | BinOp::Ne), left, right) => {
                let left = self.eval(numbers, actor, left);
                let right = self.eval(numbers, actor, right);
                self.learn_equal(&left, &right, truth == (*op == BinOp::Eq));
            }
            ExprKind::Local(_) | ExprKind::Own(_) => {
                if let Symbol::Unknown(unknown) = self.eval(numbers, actor, expr) {
                    self.learn(&unknown, &Symbol::Bool(truth));
                }
            }
            _ => {}
        }
    }

    /// Does a value fit a pattern? Nothing when that is not known.
    pub(crate) fn fits(&self, value: &Symbol, pattern: &Pattern) -> Option<bool> {
        use PatternKind as P;
        let all = |parts: &[Pattern], values: &[Symbol]| {
            let each = parts.iter().zip(values);
            let each: Vec<_> = each.map(|(part, value)| self.fits(value, part)).collect();
            if each.contains(&Some(false)) {
                return Some(false);
            }
            (!each.contains(&None)).then_some(true)
        };
        match (&pattern.kind, value) {
            (P::Wild | P::Bind(_), _) => Some(true),
            (_, Symbol::Unknown(unknown)) => {
                let among = unknown.among.as_ref()?;
                let none = among
                    .iter()
                    .all(|one| self.fits(one, pattern) == Some(false));
                none.then_some(false)
            }
            (P::Bool(wanted), Symbol::Bool(value)) => Some(wanted == value),
            (P::Int(wanted), Symbol::Int(value)) => Some(wanted == value),
            (P::None, Symbol::Data(tag, _)) => Some(*tag == 0),
            (P::Some(inner), Symbol::Data(tag, parts)) => match (tag, &parts[..]) {
                (1, [value]) => self.fits(value, inner),
                _ => Some(false),
            },
            (P::Variant(_, wanted, inner), Symbol::Data(tag, parts)) => match wanted == tag {
                true => all(inner, parts),
                false => Some(false),
            },
            (P::Tuple(inner) | P::Struct(_, inner), Symbol::Data(_, parts)) => all(inner, parts),
            (P::Pid(family, _), Symbol::Process(actor)) if *family != actor.family => Some(false),
            (P::Pid(_, inner), Symbol::Process(actor)) => match &inner[..] {
                [] => Some(true),
                [index] => self.fits(&Symbol::Member(*actor), index),
                _ => None,
            },
            _ => None,
        }
    }

    /// From here on a value fits a pattern: it gets that shape, and names get its parts.
    pub(crate) fn open(
        &mut self,
        numbers: &mut Numbers,
        actor: Actor,
        value: &Symbol,
        pattern: &Pattern,
    ) {
        use PatternKind as P;
        let mut value = value.clone();
        if let Symbol::Unknown(unknown) = &value {
            let unknown = unknown.clone();
            if let Some(shape) = self.shape(numbers, &unknown, pattern) {
                self.learn(&unknown, &shape);
                value = shape;
            }
        }
        match (&pattern.kind, &value) {
            (P::Bind(local), _) => {
                self.values.insert((actor, Var::Local(*local)), value);
            }
            (P::Some(inner), Symbol::Data(1, parts)) if parts.len() == 1 => {
                self.open(numbers, actor, &parts[0].clone(), inner);
            }
            (
                P::Variant(_, _, inner) | P::Tuple(inner) | P::Struct(_, inner),
                Symbol::Data(_, parts),
            ) if inner.len() == parts.len() => {
                for (inner, part) in inner.iter().zip(parts.clone()) {
                    self.open(numbers, actor, &part, inner);
                }
            }
            (P::Pid(_, inner), Symbol::Process(whom)) if inner.len() == 1 => {
                self.open(numbers, actor, &Symbol::Member(*whom), &inner[0]);
            }
            _ => {
                let mut names: Vec<LocalId> = Vec::new();
                crate::position::names_of(pattern, &mut names);
                for name in names {
                    let value = numbers.fresh(actor);
                    self.values.insert((actor, Var::Local(name)), value);
                }
            }
        }
    }

    /// What an unknown looks like that fits a pattern.
    fn shape(&self, numbers: &mut Numbers, unknown: &Unknown, pattern: &Pattern) -> Option<Symbol> {
        use PatternKind as P;
        if let Some(among) = &unknown.among {
            let mut fitting = among
                .iter()
                .filter(|one| self.fits(one, pattern) != Some(false));
            if let (Some(only), None) = (fitting.next(), fitting.next()) {
                return Some(only.clone());
            }
        }
        let mut parts = |number: usize| -> Vec<Symbol> {
            (0..number)
                .map(|_| {
                    Symbol::Unknown(Unknown {
                        number: numbers.next(),
                        owner: unknown.owner,
                        among: None,
                    })
                })
                .collect()
        };
        match &pattern.kind {
            P::Bool(value) => Some(Symbol::Bool(*value)),
            P::Int(value) => Some(Symbol::Int(*value)),
            P::None => Some(Symbol::Data(0, Vec::new())),
            P::Some(_) => Some(Symbol::Data(1, parts(1))),
            P::Variant(_, tag, inner) => Some(Symbol::Data(*tag, parts(inner.len()))),
            P::Tuple(inner) | P::Struct(_, inner) => Some(Symbol::Data(0, parts(inner.len()))),
            P::Bind(_) | P::Wild | P::Pid(..) => None,
        }
    }
}

fn is_arithmetic(op: BinOp) -> bool {
    use BinOp as B;
    matches!(
        op,
        B::Add | B::Sub | B::Mul | B::Div | B::Rem | B::Lt | B::Le | B::Gt | B::Ge
    )
}

fn is_number(expr: &Expr) -> bool {
    matches!(expr.ty, Ty::Int | Ty::Nat)
}

fn computed(op: BinOp, left: &Symbol, right: &Symbol, are_numbers: bool) -> Option<Symbol> {
    let (Symbol::Int(left), Symbol::Int(right)) = (left, right) else {
        let (left, right) = match are_numbers {
            true => (Sum::of(left)?, Sum::of(right)?),
            false => return None,
        };
        let sum = match op {
            BinOp::Add => left.plus(1, &right),
            BinOp::Sub => left.plus(-1, &right),
            BinOp::Mul => match (left.value(), right.value()) {
                (Some(factor), _) => Sum::number(0).plus(factor, &right),
                (_, Some(factor)) => Sum::number(0).plus(factor, &left),
                _ => None,
            },
            _ => None,
        };
        return sum.map(Sum::symbol);
    };
    let number = match op {
        BinOp::Lt => return Some(Symbol::Bool(left < right)),
        BinOp::Le => return Some(Symbol::Bool(left <= right)),
        BinOp::Gt => return Some(Symbol::Bool(left > right)),
        BinOp::Ge => return Some(Symbol::Bool(left >= right)),
        BinOp::Add => left.checked_add(*right),
        BinOp::Sub => left.checked_sub(*right),
        BinOp::Mul => left.checked_mul(*right),
        _ => None,
    };
    number.map(Symbol::Int)
}

//! What expressions come to in a symbolic state, and what is learnt where conditions are supposed.
//!
//! What is not understood comes to a new unknown, which is always right: it may be anything. Then both branches of a
//! decision must be in the certificate.

use crate::actor::Actor;
use crate::code::Var;
use crate::state::{Numbers, State};
use crate::symbol::{Symbol, Unknown, equal};
use plainsong_ir::{BinOp, Expr, ExprKind, LocalId, Pattern, PatternKind, UnOp};

impl State<'_> {
    /// Two values are, or are not, equal.
    fn learn_equal(&mut self, a: &Symbol, b: &Symbol, truth: bool) {
        match (a, b) {
            (Symbol::Unknown(unknown), other) | (other, Symbol::Unknown(unknown)) if truth => {
                self.learn(&unknown.clone(), &other.clone());
            }
            _ if truth => {}
            _ => self.differ.push((a.clone(), b.clone())),
        }
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
                let left = self.eval(numbers, actor, left);
                let right = self.eval(numbers, actor, right);
                computed(*op, &left, &right)
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
                    let same = equal(&left, &right, &self.differ)?;
                    Some(same == (*op != BinOp::Ne))
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
            _ => {
                let mut names: Vec<LocalId> = Vec::new();
                crate::code::names_of(pattern, &mut names);
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

fn computed(op: BinOp, left: &Symbol, right: &Symbol) -> Option<Symbol> {
    let (Symbol::Int(left), Symbol::Int(right)) = (left, right) else {
        return None;
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

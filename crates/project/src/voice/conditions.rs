//! When a member of a family is the one that the text names.

use super::Voice;
use crate::core::Told;
use crate::owner::{Owner, Who};
use crate::terms::{either, equal, expr, local, not, without_spans};
use plainsong_ir::{Expr, ExprKind, LocalId, Ty};

/// Does the process of this code take part?
#[derive(Clone, Debug)]
pub(super) enum When {
    /// No member does.
    Never,
    /// Every member does.
    Always,
    /// Those for which this holds; it reads names that do not change.
    If(Expr),
}

impl Voice<'_> {
    /// When it is `owner`.
    pub(super) fn when(&mut self, owner: &Owner) -> When {
        if owner.family != self.family {
            return When::Never;
        }
        let mut parts = Vec::new();
        for (at, index) in owner.index.iter().enumerate() {
            let index = without_spans(&self.expr(index));
            let me = self.me(at);
            if index != me {
                parts.push(without_spans(&same_index(index, me)));
            }
        }
        self.unless_known(parts)
    }

    fn unless_known(&self, mut parts: Vec<Expr>) -> When {
        parts.retain(|part| !self.facts.contains(part));
        let is_false = |part: &Expr| self.facts.contains(&not(part.clone()));
        match parts.is_empty() {
            true => When::Always,
            false if parts.iter().any(is_false) => When::Never,
            false => When::If(without_spans(&super::conjunction(parts))),
        }
    }

    /// One of the indices of the process itself.
    pub(super) fn me(&self, at: usize) -> Expr {
        local(LocalId::from(at), &self.locals[at].ty)
    }

    /// When it is one of those who are told something, and not who tells it.
    pub(super) fn told_region(&mut self, told: &Told) -> When {
        let teller = self.when(&told.at);
        let mut region = When::Never;
        for who in &told.to {
            let one = match who {
                Who::Family(family) if *family == self.family => When::Always,
                Who::Family(_) => When::Never,
                Who::One(owner) => self.when(owner),
            };
            region = or(region, one);
        }
        and_not(region, teller)
    }
}

/// `index == me`; a number is compared as one.
fn same_index(index: Expr, me: Expr) -> Expr {
    match index.kind {
        ExprKind::Narrow(number) => {
            let me = expr(ExprKind::Widen(Box::new(me)), Ty::Int, index.span);
            equal(*number, me)
        }
        _ => equal(index, me),
    }
}

fn or(a: When, b: When) -> When {
    match (a, b) {
        (When::Always, _) | (_, When::Always) => When::Always,
        (When::Never, other) | (other, When::Never) => other,
        (When::If(a), When::If(b)) => When::If(either(a, b)),
    }
}

/// The first, but not the second.
pub(super) fn and_not(a: When, b: When) -> When {
    match (a, b) {
        (When::Never, _) | (_, When::Always) => When::Never,
        (other, When::Never) => other,
        (When::Always, When::If(b)) => When::If(without_spans(&not(b))),
        (When::If(a), When::If(b)) if a == b => When::Never,
        (When::If(a), When::If(b)) => When::If(without_spans(&super::conjunction(vec![a, not(b)]))),
    }
}

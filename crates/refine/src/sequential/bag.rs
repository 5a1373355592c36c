//! Pending asyncs as variables: one for each action, which says how often each combination of arguments is
//! pending.
//!
//! `map<T1, map<T2, nat>>` for an action with two parameters, `nat` for one without. Reading and writing
//! such a variable at its arguments is reading and writing a part of it, so that loops over asyncs are
//! loops whose rounds keep them apart.

use super::laws::Law;
use plainsong_diagnostics::Span;
use plainsong_ir::{
    Access, Action, ActionId, Actions, BinOp, Binding, Domain, Expr, ExprKind, Global, GlobalId,
    Local, LocalId, Place, Quantifier, Root, StartValue, Stmt, StmtKind, Ty,
};
use std::collections::{BTreeMap, BTreeSet};

/// Keeps account of what is pending, in variables of a song.
pub(crate) trait Ledger {
    /// How often an async is pending.
    fn count(&self, action: ActionId, arguments: &[Expr], span: Span) -> Expr;

    /// How many asyncs of an action are pending.
    fn total(&self, action: ActionId, locals: &mut Vec<Local>, span: Span) -> Expr;

    /// No async of an action is pending.
    fn none(&self, action: ActionId, locals: &mut Vec<Local>, span: Span) -> Expr;

    /// One more async is pending, or one less because it runs.
    fn change(&self, action: ActionId, arguments: &[Expr], more: bool, span: Span) -> Vec<Stmt>;

    /// What happens just before the last schedule calls an action, besides.
    fn before_call(&self, _: ActionId, _: &[Expr], _: Span) -> Vec<Stmt> {
        Vec::new()
    }

    /// What is always known about what is pending.
    fn known(&self, _: &mut Vec<Local>, _: Span) -> Vec<Expr> {
        Vec::new()
    }

    fn actions(&self) -> Vec<ActionId>;
}

/// The variables of the actions that can be pending.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bags {
    variables: BTreeMap<ActionId, (GlobalId, Vec<Ty>)>,
    /// What is known about them.
    pub(crate) laws: Vec<Law>,
}

impl Bags {
    /// Adds a variable for each action of a pool behind the globals.
    pub(crate) fn new(actions: &mut Actions, pool: &BTreeSet<ActionId>) -> Bags {
        let mut bags = Bags::default();
        for &id in pool {
            let action = actions.actions[id.index()].clone();
            let types = parameters(&action);
            let global = GlobalId::from(actions.globals.len());
            actions.globals.push(variable(&action, &types));
            bags.variables.insert(id, (global, types));
        }
        bags
    }

    /// The variable of an action and the types of its parameters.
    pub(crate) fn of(&self, action: ActionId) -> Option<(GlobalId, &[Ty])> {
        let (global, types) = self.variables.get(&action)?;
        Some((*global, types))
    }

    fn quantified(
        &self,
        quantifier: Quantifier,
        ty: Ty,
        action: ActionId,
        locals: &mut Vec<Local>,
        span: Span,
        body: impl FnOnce(Expr) -> Expr,
    ) -> Expr {
        let types = self.of(action).map_or(&[][..], |(_, types)| types);
        let mut bindings = Vec::new();
        let mut arguments = Vec::new();
        for ty in types {
            let local = new_local(locals, ty, span);
            bindings.push(Binding {
                names: vec![local],
                domain: Domain::Type(ty.clone()),
                filter: None,
            });
            arguments.push(Expr {
                kind: ExprKind::Local(local),
                ty: ty.clone(),
                span,
            });
        }
        let body = body(self.count(action, &arguments, span));
        if bindings.is_empty() {
            return body;
        }
        Expr {
            kind: ExprKind::Quantifier(quantifier, bindings, Box::new(body)),
            ty,
            span,
        }
    }
}

impl Ledger for Bags {
    fn count(&self, action: ActionId, arguments: &[Expr], span: Span) -> Expr {
        let Some((global, types)) = self.of(action) else {
            return int(0, span);
        };
        let mut expr = Expr {
            kind: ExprKind::Global(global),
            ty: map_type(types),
            span,
        };
        for argument in arguments {
            let ty = match &expr.ty {
                Ty::Map(_, value) => (**value).clone(),
                other => other.clone(),
            };
            expr = Expr {
                kind: ExprKind::Index(Box::new(expr), Box::new(argument.clone())),
                ty,
                span,
            };
        }
        expr
    }

    fn total(&self, action: ActionId, locals: &mut Vec<Local>, span: Span) -> Expr {
        self.quantified(Quantifier::Sum, Ty::Nat, action, locals, span, |count| {
            count
        })
    }

    fn none(&self, action: ActionId, locals: &mut Vec<Local>, span: Span) -> Expr {
        let quantifier = Quantifier::Forall;
        self.quantified(quantifier, Ty::Bool, action, locals, span, |count| {
            zero(count, span)
        })
    }

    fn change(&self, action: ActionId, arguments: &[Expr], more: bool, span: Span) -> Vec<Stmt> {
        let Some((global, _)) = self.of(action) else {
            return Vec::new();
        };
        let count = self.count(action, arguments, span);
        let path = arguments.iter().map(|one| Access::Index(one.clone()));
        let place = Place {
            root: Root::Global(global),
            path: path.collect(),
            span,
        };
        let value = match more {
            true => Expr {
                kind: ExprKind::Binary(BinOp::Add, Box::new(count), Box::new(int(1, span))),
                ty: Ty::Nat,
                span,
            },
            false => less(count, span),
        };
        vec![Stmt {
            kind: StmtKind::Assign(place, value),
            span,
        }]
    }

    fn known(&self, locals: &mut Vec<Local>, span: Span) -> Vec<Expr> {
        let mut known = Vec::new();
        for law in &self.laws {
            for &one in law.members.keys() {
                for &other in law.members.keys() {
                    known.extend(self.not_both(law, (one, other), locals, span));
                }
            }
        }
        known
    }

    fn actions(&self) -> Vec<ActionId> {
        self.variables.keys().copied().collect()
    }
}

impl Bags {
    /// What a law says about two of its members.
    fn not_both(
        &self,
        law: &Law,
        (one, other): (ActionId, ActionId),
        locals: &mut Vec<Local>,
        span: Span,
    ) -> Option<Expr> {
        let equal = law.meet(one, other).filter(|_| one <= other)?;
        let mut bindings = Vec::new();
        let mut named = |ty: &Ty| {
            let local = new_local(locals, ty, span);
            bindings.push(Binding {
                names: vec![local],
                domain: Domain::Type(ty.clone()),
                filter: None,
            });
            Expr {
                kind: ExprKind::Local(local),
                ty: ty.clone(),
                span,
            }
        };
        let first: Vec<Expr> = self.of(one)?.1.iter().map(&mut named).collect();
        let mut second = Vec::new();
        let mut differ = one != other;
        for (at, ty) in self.of(other)?.1.iter().enumerate() {
            let same = equal.iter().find(|(_, b)| *b == at);
            differ |= same.is_none();
            second.push(same.map_or_else(|| named(ty), |(a, _)| first[*a].clone()));
        }
        let none = |action, arguments: &[Expr]| zero(self.count(action, arguments, span), span);
        let body = match differ {
            true => binary(BinOp::Or, none(one, &first), none(other, &second), span),
            false => Expr {
                kind: ExprKind::Binary(
                    BinOp::Le,
                    Box::new(self.count(one, &first, span)),
                    Box::new(int(1, span)),
                ),
                ty: Ty::Bool,
                span,
            },
        };
        let body = match one == other && differ {
            true => {
                // The same arguments: the same async.
                let pairs = first.into_iter().zip(second);
                let equal = pairs.map(|(a, b)| binary(BinOp::Eq, a, b, span));
                let same = equal.reduce(|a, b| binary(BinOp::And, a, b, span))?;
                binary(BinOp::Or, body, same, span)
            }
            false => body,
        };
        if bindings.is_empty() {
            return Some(body);
        }
        Some(Expr {
            kind: ExprKind::Quantifier(Quantifier::Forall, bindings, Box::new(body)),
            ty: Ty::Bool,
            span,
        })
    }
}

fn binary(op: BinOp, a: Expr, b: Expr, span: Span) -> Expr {
    Expr {
        kind: ExprKind::Binary(op, Box::new(a), Box::new(b)),
        ty: Ty::Bool,
        span,
    }
}

/// `count == 0`
pub(crate) fn zero(count: Expr, span: Span) -> Expr {
    Expr {
        kind: ExprKind::Binary(BinOp::Eq, Box::new(count), Box::new(int(0, span))),
        ty: Ty::Bool,
        span,
    }
}

/// `count - 1`, which is there.
fn less(count: Expr, span: Span) -> Expr {
    let wide = |inner: Expr| Expr {
        kind: ExprKind::Widen(Box::new(inner)),
        ty: Ty::Int,
        span,
    };
    let (count, one) = (Box::new(wide(count)), Box::new(wide(int(1, span))));
    let less = Expr {
        kind: ExprKind::Binary(BinOp::Sub, count, one),
        ty: Ty::Int,
        span,
    };
    Expr {
        kind: ExprKind::Narrow(Box::new(less)),
        ty: Ty::Nat,
        span,
    }
}

/// The types of an action's parameters.
pub(crate) fn parameters(action: &Action) -> Vec<Ty> {
    let rows = &action.code.locals[..action.code.arity];
    rows.iter().map(|row| row.ty.clone()).collect()
}

fn map_type(types: &[Ty]) -> Ty {
    let keys = types.iter().rev();
    keys.fold(Ty::Nat, |value, key| {
        Ty::Map(Box::new(key.clone()), Box::new(value))
    })
}

fn variable(action: &Action, types: &[Ty]) -> Global {
    let span = action.span;
    let mut locals = Vec::new();
    let names: Vec<LocalId> = types
        .iter()
        .map(|ty| new_local(&mut locals, ty, span))
        .collect();
    let mut value = int(0, span);
    for (ty, local) in types.iter().zip(names).rev() {
        let whole = Ty::Map(Box::new(ty.clone()), Box::new(value.ty.clone()));
        value = Expr {
            kind: ExprKind::MapOf(local, Box::new(value)),
            ty: whole,
            span,
        };
    }
    Global {
        name: format!("pending_{}", action.name),
        ty: map_type(types),
        start: StartValue::Value(value),
        locals,
        linear: false,
        share: None,
        layers: None,
        span,
    }
}

fn new_local(locals: &mut Vec<Local>, ty: &Ty, span: Span) -> LocalId {
    locals.push(Local {
        name: "x".to_owned(),
        ty: ty.clone(),
        mutable: false,
        span,
    });
    LocalId::from(locals.len() - 1)
}

pub(crate) fn int(value: i64, span: Span) -> Expr {
    Expr {
        kind: ExprKind::Int(value),
        ty: Ty::Nat,
        span,
    }
}

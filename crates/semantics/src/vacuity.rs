//! Vacuity: premises that are never true make what follows from them say nothing.
//!
//! `forall a: Db :: db[a].ok ==> p` holds in every execution in which no `db[a].ok` is true, whatever
//! `p` says. For each left side of a `==>`, and for each range of a quantifier that a `where` or a
//! collection makes smaller, a *probe* is made: an expression that is true when the premise is true for
//! some values of the names around it. `exists a: Db :: db[a].ok` is the probe of the example. Probes are
//! ordinary expressions; each is looked at until it is true once.
//!
//! NOT COVERED. Premises inside functions, and inside `count`, `sum` and comprehensions.

use crate::eval::Eval;
use crate::instance::Instance;
use crate::machine::{Config, Machine};
use crate::search::{Check, Coverage};
use crate::value::Value;
use plainsong_diagnostics::Span;
use plainsong_ir::{BinOp, Binding, Claim, Domain, Expr, ExprKind, Quantifier, Song, Ty, UnOp};

/// The premises of properties, and which of them were true.
pub struct Premises<'a> {
    instance: &'a Instance,
    open: Vec<Premise>,
    met: Vec<Span>,
}

/// A premise of a property.
#[derive(Clone, Debug)]
pub struct Premise {
    /// Where it stands in the text.
    pub span: Span,
    /// What is true when it is, for some values of the names around it.
    pub probe: Expr,
    /// Is it looked at in final states, rather than in all?
    pub at_the_end: bool,
    /// The property, by number.
    pub property: usize,
    locals: usize,
}

/// What is true when a premise is.
#[derive(Clone, Debug)]
pub struct Probe {
    /// The premise in the text.
    pub span: Span,
    /// What is true when it is, for some values of the names around it.
    pub holds: Expr,
}

/// The premises of the properties among the checks.
pub fn premises(song: &Song, checks: impl IntoIterator<Item = Check>) -> Vec<Premise> {
    let mut all = Vec::new();
    for check in checks {
        let Check::Property(at) = check else { continue };
        let property = &song.properties[at];
        let (claim, at_the_end) = match &property.claim {
            Claim::Finally(claim) => (claim, true),
            Claim::Always(claim) => (claim, false),
            Claim::Step(_) | Claim::Quiescent { .. } | Claim::Temporal(_) => continue,
        };
        all.extend(probes(claim).into_iter().map(|probe| Premise {
            span: probe.span,
            probe: probe.holds,
            at_the_end,
            property: at,
            locals: property.locals.len(),
        }));
    }
    all
}

impl Premise {
    /// How many names its property has.
    pub(crate) fn locals(&self) -> usize {
        self.locals
    }

    /// Is it true in a state?
    pub fn is_met(&self, instance: &Instance, config: &Config) -> bool {
        let mut slots = vec![Value::None; self.locals];
        Eval::new(instance, config.world())
            .truth(&self.probe, &mut slots)
            .is_ok_and(|met| met)
    }
}

impl<'a> Premises<'a> {
    /// The premises of the properties among the checks.
    pub fn new(machine: &'a Machine, checks: impl IntoIterator<Item = Check>) -> Self {
        let instance = machine.instance();
        Premises {
            instance,
            open: premises(instance.song(), checks),
            met: Vec::new(),
        }
    }

    /// Has some premise of a `finally` (`true`) or `always` (`false`) not been true yet?
    pub fn are_open(&self, at_the_end: bool) -> bool {
        self.open.iter().any(|one| one.at_the_end == at_the_end)
    }

    /// Looks at a state in which the `finally` or `always` properties are checked.
    pub fn look(&mut self, config: &Config, at_the_end: bool) {
        let (instance, met) = (self.instance, &mut self.met);
        self.open.retain(|one| {
            let is_met = one.at_the_end == at_the_end && one.is_met(instance, config);
            if is_met {
                met.push(one.span);
            }
            !is_met
        });
    }

    /// Enters what was seen.
    pub fn enter(&self, coverage: &mut Coverage) {
        let open: Vec<Span> = self.open.iter().map(|one| one.span).collect();
        coverage.include_premises(&self.met, &open);
    }
}

/// The probes of a condition.
pub fn probes(condition: &Expr) -> Vec<Probe> {
    let mut probes = Vec::new();
    collect(condition, &|probe| probe, &mut probes);
    probes
}

/// `around` makes what is true inside, of a part of the condition, into something about the whole.
fn collect(expr: &Expr, around: &dyn Fn(Expr) -> Expr, probes: &mut Vec<Probe>) {
    let span = expr.span;
    let mut inner = |part: &Expr, between: &dyn Fn(Expr) -> Expr| {
        collect(part, &|probe| around(between(probe)), probes);
    };
    let same: &dyn Fn(Expr) -> Expr = &|probe| probe;
    match &expr.kind {
        ExprKind::Binary(BinOp::Implies, left, right) => {
            inner(left, same);
            inner(right, &|probe| and(left, probe));
            probes.push(Probe {
                span: left.span,
                holds: around((**left).clone()),
            });
        }
        ExprKind::Binary(BinOp::And, left, right) => {
            inner(left, same);
            inner(right, &|probe| and(left, probe));
        }
        ExprKind::Binary(BinOp::Or, left, right) => {
            inner(left, same);
            inner(right, &|probe| and(&not(left), probe));
        }
        ExprKind::Binary(BinOp::Iff, left, right) => {
            inner(left, same);
            inner(right, same);
        }
        ExprKind::Unary(UnOp::Not, part) => inner(part, same),
        ExprKind::Let(local, value, body) => {
            inner(body, &|probe| {
                truth(span, ExprKind::Let(*local, value.clone(), Box::new(probe)))
            });
        }
        ExprKind::If(condition, yes, no) if expr.ty == Ty::Bool => {
            inner(condition, same);
            inner(yes, &|probe| and(condition, probe));
            inner(no, &|probe| and(&not(condition), probe));
        }
        ExprKind::Match(scrutinee, arms) if expr.ty == Ty::Bool => {
            for (at, (_, arm)) in arms.iter().enumerate() {
                inner(arm, &|probe| {
                    let mut arms: Vec<_> = arms.clone();
                    for (other, arm) in arms.iter_mut().enumerate() {
                        arm.1 = truth(span, ExprKind::Bool(false));
                        if other == at {
                            arm.1 = probe.clone();
                        }
                    }
                    truth(span, ExprKind::Match(scrutinee.clone(), arms))
                });
            }
        }
        ExprKind::Quantifier(Quantifier::Forall | Quantifier::Exists, bindings, body) => {
            inner(body, &|probe| exists(span, bindings, probe));
            for (at, binding) in bindings.iter().enumerate() {
                if let Some(narrow) = narrow(binding) {
                    let some = truth(span, ExprKind::Bool(true));
                    probes.push(Probe {
                        span: narrow,
                        holds: around(exists(span, &bindings[..=at], some)),
                    });
                }
            }
        }
        _ => {}
    }
}

/// What may leave nothing of the range of a binding.
fn narrow(binding: &Binding) -> Option<Span> {
    match (&binding.filter, &binding.domain) {
        (Some(filter), _) => Some(filter.span),
        (None, Domain::In(collection)) => match collection.kind {
            ExprKind::All(_) => None,
            _ => Some(collection.span),
        },
        (None, Domain::Type(_)) => None,
    }
}

fn exists(span: Span, bindings: &[Binding], body: Expr) -> Expr {
    let kind = ExprKind::Quantifier(Quantifier::Exists, bindings.to_vec(), Box::new(body));
    truth(span, kind)
}

fn and(left: &Expr, right: Expr) -> Expr {
    let kind = ExprKind::Binary(BinOp::And, Box::new(left.clone()), Box::new(right));
    truth(left.span, kind)
}

fn not(expr: &Expr) -> Expr {
    truth(
        expr.span,
        ExprKind::Unary(UnOp::Not, Box::new(expr.clone())),
    )
}

fn truth(span: Span, kind: ExprKind) -> Expr {
    Expr {
        kind,
        ty: Ty::Bool,
        span,
    }
}

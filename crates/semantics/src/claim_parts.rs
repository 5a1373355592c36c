//! Claims in parts, each of which reads little of a state (a cone of influence that is observed, not analysed).
//!
//! `always forall a, b: Id :: φ(node[a], node[b])` is as many claims as there are pairs, and each reads two
//! processes. An engine that keeps what it knows about parts needs to look at one again only when something changes
//! that it reads. What a part reads is not analysed but observed ([`Reads`]): evaluation is deterministic, so two
//! states that agree on everything that was read in one of them agree on the value.
//!
//! *Why the parts are the claim.* `a && b` and `forall` over the values of a type are true exactly if all parts are;
//! a part that is false or has no value makes the whole false or have no value, or another part does so first.

use crate::eval::Eval;
use crate::instance::Instance;
use crate::machine::{Config, Form};
use crate::vacuity::Premise;
use crate::value::Value;
use crate::voices::config::VoicesConfig;
use crate::world::{Sought, World};
use plainsong_ir::{
    BinOp, Claim, Domain, Expr, ExprKind, PendingOf, Property, Quantifier, Ty, VarId,
};
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// A claim is kept whole rather than in more parts than this.
const MOST_PARTS: usize = 4_096;

/// A condition on one state, or on a step, with values for some of its names.
#[derive(Clone, Debug)]
pub struct Part {
    condition: Expr,
    slots: Vec<Value>,
}

/// What was read of a state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reads {
    /// Variables of members, by row.
    pub vars: BTreeSet<(usize, VarId)>,
    /// Members, by row, of which it asked whether they have crashed.
    pub crashed: BTreeSet<usize>,
    /// Did it count messages in flight?
    pub pending: bool,
}

impl Part {
    /// The parts of what a property or a constraint claims about states, or about steps.
    pub fn of_property(instance: &Instance, property: &Property) -> Vec<Part> {
        let (Claim::Always(claim) | Claim::Finally(claim) | Claim::Step(claim)) = &property.claim
        else {
            return Vec::new();
        };
        let slots = vec![Value::None; property.locals.len()];
        let mut parts = Vec::new();
        match divide(instance, claim, &slots, &mut parts) {
            true => parts,
            false => vec![Part {
                condition: claim.clone(),
                slots,
            }],
        }
    }

    /// A premise, whole.
    pub fn of_premise(premise: &Premise) -> Part {
        Part {
            condition: premise.probe.clone(),
            slots: vec![Value::None; premise.locals()],
        }
    }

    /// Is it true in a state of processes, and what was read to find out? One that has no value is not.
    pub fn is_true(&self, instance: &Instance, config: &Config, reads: &mut Reads) -> bool {
        let account = Mutex::new(std::mem::take(reads));
        let world = Observed {
            config: voices(config),
            reads: &account,
            before: None,
        };
        let truth = self.truth(instance, &world);
        *reads = account.into_inner().unwrap_or_else(PoisonError::into_inner);
        truth
    }

    /// Is it true of the step from one state of processes to another, and what was read of either to find out?
    pub fn is_true_of_step(
        &self,
        instance: &Instance,
        (before, after): (&Config, &Config),
        reads: &mut Reads,
    ) -> bool {
        let account = Mutex::new(std::mem::take(reads));
        let before = Observed {
            config: voices(before),
            reads: &account,
            before: None,
        };
        let after = Observed {
            config: voices(after),
            reads: &account,
            before: Some(&before),
        };
        let truth = self.truth(instance, &after);
        *reads = account.into_inner().unwrap_or_else(PoisonError::into_inner);
        truth
    }

    fn truth(&self, instance: &Instance, world: &Observed<'_>) -> bool {
        let truth = Eval::new(instance, world).truth(&self.condition, &mut self.slots.clone());
        truth.is_ok_and(|truth| truth)
    }
}

fn voices(config: &Config) -> &VoicesConfig {
    match &config.0 {
        Form::Voices(config) => config,
        _ => panic!("a state of processes is wanted"),
    }
}

/// Adds the parts of a condition; says no when there are too many.
fn divide(instance: &Instance, condition: &Expr, slots: &[Value], parts: &mut Vec<Part>) -> bool {
    match &condition.kind {
        ExprKind::Binary(BinOp::And, left, right) => {
            return divide(instance, left, slots, parts) && divide(instance, right, slots, parts);
        }
        ExprKind::Quantifier(Quantifier::Forall, bindings, body) => {
            if let Some((first, others)) = bindings.split_first()
                && let Some(values) = values(instance, &first.domain)
            {
                let mut rest = (**body).clone();
                if !others.is_empty() {
                    let kind =
                        ExprKind::Quantifier(Quantifier::Forall, others.to_vec(), body.clone());
                    rest = truth(condition, kind);
                }
                if let Some(filter) = &first.filter {
                    let (filter, then) = (Box::new(filter.clone()), Box::new(rest));
                    rest = truth(condition, ExprKind::Binary(BinOp::Implies, filter, then));
                }
                let mut rows = vec![slots.to_vec()];
                for name in &first.names {
                    if rows.len().saturating_mul(values.len()) > MOST_PARTS {
                        return false;
                    }
                    let with = |row: &Vec<Value>, value: &Value| {
                        let mut row = row.clone();
                        row[name.index()] = value.clone();
                        row
                    };
                    let longer = rows.iter();
                    rows = longer
                        .flat_map(|row| values.iter().map(move |value| with(row, value)))
                        .collect();
                }
                return rows.iter().all(|row| divide(instance, &rest, row, parts));
            }
        }
        _ => {}
    }
    parts.push(Part {
        condition: condition.clone(),
        slots: slots.to_vec(),
    });
    parts.len() <= MOST_PARTS
}

/// The values that a name ranges over, whatever the state.
fn values(instance: &Instance, domain: &Domain) -> Option<Vec<Value>> {
    match domain {
        Domain::Type(ty) => instance.values(ty).ok(),
        Domain::In(Expr {
            kind: ExprKind::All(ty),
            ..
        }) => instance.values(ty).ok(),
        Domain::In(_) => None,
    }
}

fn truth(at: &Expr, kind: ExprKind) -> Expr {
    Expr {
        kind,
        ty: Ty::Bool,
        span: at.span,
    }
}

/// A state that keeps account of what is read of it, and of the one before it.
struct Observed<'a> {
    config: &'a VoicesConfig,
    reads: &'a Mutex<Reads>,
    before: Option<&'a Observed<'a>>,
}

impl Observed<'_> {
    fn note(&self, note: impl FnOnce(&mut Reads)) {
        note(&mut self.reads.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl World for Observed<'_> {
    fn of(&self, member: usize, var: VarId) -> &Value {
        self.note(|reads| {
            reads.vars.insert((member, var));
        });
        self.config.of(member, var)
    }

    fn pending(&self, what: PendingOf) -> usize {
        self.note(|reads| reads.pending = true);
        self.config.pending(what)
    }

    fn in_flight(&self, sought: &Sought) -> usize {
        self.note(|reads| reads.pending = true);
        self.config.in_flight(sought)
    }

    fn has_crashed(&self, member: usize) -> bool {
        self.note(|reads| {
            reads.crashed.insert(member);
        });
        self.config.has_crashed(member)
    }

    fn before(&self) -> &dyn World {
        self.before
            .expect("`old` is read only in properties of steps")
    }
}

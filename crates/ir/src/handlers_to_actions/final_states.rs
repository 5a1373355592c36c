//! What is true of a final state: proofs of `finally` are proofs that claims hold in every state of which this is true.
//!
//! Statement. In a final state, every body that is no daemon is at its end; one that is, is there or in a `receive` without a
//! `timeout`; members that have crashed are anywhere. No message is in flight that its receiver would take: of a kind that handlers always
//! accept, none at all; of a kind that a body accepts where all its members are, none either.
//!
//! Why sound. A process that is elsewhere can go on by itself, and a message that would be taken can be: then the state is not
//! final. Whatever the delivery model, of several messages that a receive accepts, one comes first and can be taken. Nothing
//! has to be said of a final state: what is left out makes proofs harder.
//!
//! NOT COVERED. Messages under a `where`; a body's messages where only some of its members are in front of them.

use super::ActionBuilder;
use super::bodies::OfBody;
use super::control_flow::{Point, Told};
use crate::build::{all, binary, equal, expr, nat, proposition};
use crate::handlers::{MessageAction, Sender};
use crate::waiting::never_waits;
use crate::{
    Accept, ActionId, BinOp, Binding, Block, Body, Domain, Expr, ExprKind, FamilyId, Local,
    LocalId, PendingOf, Quantifier, Source, Ty, VarId,
};

impl ActionBuilder<'_> {
    /// What is true of a final state; the names that it needs are added to `locals`.
    pub(super) fn true_of_final_states(&self, locals: &mut Vec<Local>) -> Vec<Expr> {
        let mut known = Vec::new();
        for body in &self.control.bodies {
            let points = 0..=body.points.len();
            let rests = points.filter(|number| self.may_rest(body, *number));
            known.push(self.all_are_at(body, &rests.collect::<Vec<usize>>(), locals));
        }
        for (number, row) in self.rows.iter().enumerate() {
            let nothing = equal(
                expr(
                    ExprKind::Pending(PendingOf::Action(ActionId::from(number))),
                    Ty::Nat,
                ),
                nat(0),
            );
            if self.crashed(row.family).is_some() {
                continue;
            }
            match (&self.process(row).body, self.control.of(row.family)) {
                (Body::Handlers(handlers), _) => {
                    let own = handlers.iter().map(|one| (&one.accept, &one.body));
                    if takes_all(row, own) {
                        known.push(nothing);
                    }
                }
                (Body::Sequential(_), Some(body)) => {
                    let takes = |point: &Point| {
                        takes_all(
                            row,
                            point.receives.iter().map(|(accept, code)| (accept, code)),
                        )
                    };
                    let points = body.points.iter().enumerate();
                    let there = points.filter(|(_, point)| takes(point));
                    let there: Vec<usize> = there.map(|(number, _)| number).collect();
                    if !there.is_empty() {
                        let premise = self.all_are_at(body, &there, locals);
                        known.push(binary(BinOp::Implies, premise, nothing));
                    }
                }
                (Body::Sequential(_), None) => {}
            }
        }
        known
    }

    /// May a member be at this point of its body in a final state?
    fn may_rest(&self, body: &OfBody, number: usize) -> bool {
        let mut processes = self.voices.processes.iter();
        let process = processes.find(|process| process.family == body.family);
        let is_daemon = process.is_some_and(|process| process.daemon);
        match body.points.get(number) {
            None => true,
            Some(point) => is_daemon && point.told == Told::Waits && point.moves.is_none(),
        }
    }

    /// Every member is at one of these points, or has crashed.
    fn all_are_at(&self, body: &OfBody, points: &[usize], locals: &mut Vec<Local>) -> Expr {
        let family = &self.song.families[body.family.index()];
        let first = locals.len();
        locals.extend(family.index.iter().map(|binder| Local {
            name: binder.name.clone(),
            ty: binder.ty.clone(),
            mutable: false,
            span: family.span,
        }));
        let names = (first..locals.len()).map(LocalId::from);
        let names: Vec<LocalId> = names.collect();
        let member = names.iter().zip(&family.index);
        let member: Vec<Expr> = member
            .map(|(name, binder)| crate::build::local(*name, &binder.ty))
            .collect();
        let of = |var: VarId, ty: Ty| expr(ExprKind::Of(body.family, member.clone(), var), ty);
        let places = points.iter().map(|number| {
            let number = nat(*number as i64);
            equal(of(body.position, Ty::Nat), number)
        });
        let down = self.crashed(body.family).map(|var| of(var, Ty::Bool));
        let either = places.chain(down);
        let either = either.reduce(|one, other| binary(BinOp::Or, one, other));
        let either = either.unwrap_or_else(|| crate::build::truth(false));
        let bindings = names.iter().zip(&family.index);
        let bindings: Vec<Binding> = bindings
            .map(|(name, binder)| Binding {
                names: vec![*name],
                domain: Domain::Type(binder.ty.clone()),
                filter: None,
            })
            .collect();
        match bindings.is_empty() {
            true => either,
            false => proposition(ExprKind::Quantifier(
                Quantifier::Forall,
                bindings,
                Box::new(either),
            )),
        }
    }

    fn crashed(&self, family: FamilyId) -> Option<VarId> {
        let mut rows = self.control.crashed.iter();
        rows.find(|(one, _)| *one == family).map(|(_, var)| *var)
    }

    /// The claim of final states as one of all states.
    pub(super) fn of_final_states(&self, claim: &mut Expr, locals: &mut Vec<Local>) {
        let known = self.true_of_final_states(locals);
        if !known.is_empty() {
            let span = claim.span;
            let conclusion = std::mem::replace(claim, crate::build::truth(true));
            *claim = binary(BinOp::Implies, all(known), conclusion).at(span);
        }
    }
}

/// Is every message of this kind taken, whatever it says and whoever sent it?
fn takes_all<'a>(row: &MessageAction, all: impl Iterator<Item = (&'a Accept, &'a Block)>) -> bool {
    let own = all.filter(|(accept, _)| accept.message == row.message);
    let own: Vec<(&Accept, &Block)> = own.collect();
    let from_all = |accept: &Accept| match &accept.source {
        Source::Anyone(_) => true,
        Source::Family(family, ..) => row.sender == Sender::Family(*family),
        Source::Process(_) => false,
    };
    let is_open = |(accept, _): &(&Accept, &Block)| accept.filter.is_none() && from_all(accept);
    own.iter().any(is_open) && own.iter().all(|(_, code)| never_waits(code))
}

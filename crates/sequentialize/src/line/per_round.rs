//! Messages that the rounds of a loop leave for another loop to collect: what is in flight is a bag.
//!
//! Each send adds to the bag, each receive takes any of what is in it. Messages of one sender come in their order, so
//! the line may end in more states than the processes do, never in fewer: whatever is received in an execution was sent
//! before, and is still in the bag. A member that receives in the round of another's loop has a bag of its own; where it
//! has no name there (a whole family, the second member of a round), or where nothing of what is said is wanted, there is no bag.

use super::Teller;
use super::tell::Told;
use crate::derivation_log::{At, Event};
use crate::process_code::{OpKind, Var};
use crate::value::Comp;
use plainsong_diagnostics::Span;
use plainsong_ir::build::expr;
use plainsong_ir::{
    Accept, Block, Builtin, Choice, Domain, Expr, ExprKind, FamilyId, MessageId, Place, Root, Stmt,
    StmtKind, Ty, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// From whom, to whom, which kind.
pub(super) type Channel = (FamilyId, FamilyId, MessageId);

/// The messages that are kept in bags.
#[derive(Default)]
pub(super) struct PerRound {
    channels: BTreeSet<Channel>,
    /// Sendings that are received in another way.
    otherwise: BTreeSet<u32>,
    bags: BTreeMap<Channel, VarId>,
}

impl Teller<'_, '_> {
    /// Finds the messages that are kept in bags.
    pub(super) fn find_per_round(&mut self, stories: &[Vec<&Event>]) {
        let mut found = PerRound::default();
        for story in stories {
            self.collect_per_round(story, &mut found);
        }
        let nameless = &self.nameless;
        found.channels.retain(|channel| !nameless.contains(channel));
        self.per_round = found;
    }

    fn collect_per_round(&self, story: &[&Event], found: &mut PerRound) {
        for event in story {
            match event {
                Event::Received {
                    at,
                    arm,
                    sent,
                    from,
                    per_round,
                } => {
                    if !per_round {
                        found.otherwise.insert(*sent);
                        continue;
                    }
                    let accepts = self.op(*at).0.accepts();
                    if let Some(accept) = accepts.get(*arm)
                        && !at.comp.is_rest()
                        && accept.slots.iter().any(Option::is_some)
                    {
                        let channel = (from.family, at.comp.family, accept.message);
                        found.channels.insert(channel);
                    }
                }
                Event::Each { leaves, .. } | Event::Repeat { leaves, .. } => {
                    for leaf in leaves.iter() {
                        self.collect_per_round(&leaf.events(), found);
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds a message to its bag, if it has one.
    pub(super) fn adds_to_bag(
        &mut self,
        at: At,
        numbers: &[u32],
        to: Comp,
        block: &mut Block,
    ) -> Told<bool> {
        let (OpKind::Send(message, arguments, _), span) = self.op(at) else {
            return Ok(false);
        };
        let channel = (at.comp.family, to.family, *message);
        let otherwise = &self.per_round.otherwise;
        if !self.per_round.channels.contains(&channel)
            || numbers.iter().any(|number| otherwise.contains(number))
        {
            return Ok(false);
        }
        let holder = self.holder(channel, to)?;
        self.everywhere(at.comp, block, |teller, comp, block| {
            let mut parts = Vec::new();
            for argument in arguments.iter() {
                parts.push(teller.located(comp, argument, &BTreeMap::new())?);
            }
            let value = match parts.len() {
                1 => parts.remove(0),
                _ => expr(ExprKind::Tuple(parts), teller.said_in(*message)),
            };
            block.push(teller.bag_becomes(&holder, Builtin::With, value, span));
            Ok(())
        })?;
        Ok(true)
    }

    /// Takes any message of a bag, if there is one for this receive.
    pub(super) fn takes_from_bag(
        &mut self,
        accept: &Accept,
        comp: Comp,
        from: Comp,
        block: &mut Block,
        span: Span,
    ) -> Told<bool> {
        let channel = (from.family, comp.family, accept.message);
        if !self.per_round.channels.contains(&channel) || comp.is_rest() {
            return Ok(false);
        }
        let wanted = accept.slots.iter().enumerate();
        let wanted: Vec<_> = wanted
            .filter_map(|(at, slot)| Some((at, (*slot)?)))
            .collect();
        if wanted.is_empty() {
            // It stays: more than is in flight.
            return Ok(true);
        }
        self.exact = false;
        let bag = self.holder(channel, comp)?;
        let ty = self.said_in(accept.message);
        let single = accept.slots.len() == 1;
        let endpoint = self.endpoints[&comp.family];
        let place = match single {
            true => self.place(comp, Var::Local(wanted[0].1))?,
            false => {
                let name = &self.engine.score.voices.messages[accept.message.index()].name;
                let var = self.endpoint_var(comp.family, &name.to_lowercase(), &ty);
                Place {
                    root: Root::Of(endpoint, bag.index.clone(), var),
                    path: Vec::new(),
                    span: Span::default(),
                }
            }
        };
        let Root::Of(_, index, var) = place.root.clone() else {
            return Err("a receive into something that is no variable".to_owned());
        };
        let name = self.song.families[endpoint.index()].vars[var.index()]
            .name
            .clone();
        let set = ExprKind::Method(Builtin::ToSet, vec![bag.value()]);
        let set = expr(set, Ty::Set(Box::new(ty.clone())));
        let local = self.name(&name, ty.clone());
        let choice = Choice {
            local,
            domain: Domain::In(set),
            filter: None,
        };
        block.push(Stmt {
            kind: StmtKind::AssignChoice(place, choice),
            span,
        });
        let one = expr(ExprKind::Of(endpoint, index, var), ty);
        block.push(self.bag_becomes(&bag, Builtin::Without, one.clone(), span));
        if single {
            return Ok(true);
        }
        for (at, local) in wanted {
            let part = ExprKind::Project(Box::new(one.clone()), at);
            let ty = self.engine.ty(comp, Var::Local(local)).clone();
            let target = self.place(comp, Var::Local(local))?;
            block.push(Stmt {
                kind: StmtKind::Assign(target, expr(part, ty)),
                span,
            });
        }
        Ok(true)
    }

    /// The type of what a message says.
    fn said_in(&self, message: MessageId) -> Ty {
        let fields = &self.engine.score.voices.messages[message.index()].fields;
        match &fields[..] {
            [one] => one.ty.clone(),
            many => Ty::Tuple(many.iter().map(|field| field.ty.clone()).collect()),
        }
    }

    fn bag(&mut self, channel: Channel) -> VarId {
        if let Some(known) = self.per_round.bags.get(&channel) {
            return *known;
        }
        let name = &self.engine.score.voices.messages[channel.2.index()].name;
        let ty = Ty::Bag(Box::new(self.said_in(channel.2)));
        let name = format!("{}s_coming", name.to_lowercase());
        let var = self.endpoint_var(channel.1, &name, &ty);
        self.per_round.bags.insert(channel, var);
        var
    }

    /// The bag of a receiver, here.
    fn holder(&mut self, channel: Channel, receiver: Comp) -> Told<Bag> {
        let Ok(index) = self.index(receiver) else {
            self.nameless_next.insert(channel);
            return Err("a message per round for a process without a name".to_owned());
        };
        let var = self.bag(channel);
        Ok(Bag {
            endpoint: self.endpoints[&channel.1],
            index,
            var,
            ty: Ty::Bag(Box::new(self.said_in(channel.2))),
        })
    }

    /// One message more, or one less.
    fn bag_becomes(&self, bag: &Bag, method: Builtin, one: Expr, span: Span) -> Stmt {
        let new = ExprKind::Method(method, vec![bag.value(), one]);
        let place = Place {
            root: Root::Of(bag.endpoint, bag.index.clone(), bag.var),
            path: Vec::new(),
            span: Span::default(),
        };
        Stmt {
            kind: StmtKind::Assign(place, expr(new, bag.ty.clone())),
            span,
        }
    }
}

/// A bag of an endpoint.
struct Bag {
    endpoint: FamilyId,
    index: Vec<Expr>,
    var: VarId,
    ty: Ty,
}

impl Bag {
    fn value(&self) -> Expr {
        let of = ExprKind::Of(self.endpoint, self.index.clone(), self.var);
        expr(of, self.ty.clone())
    }
}

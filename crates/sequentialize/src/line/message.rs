//! Messages in the line: what was sent is said again where it is received.
//!
//! A receive is told as an assignment of the sender's expression, because between the two nothing that the
//! expression reads has changed. Where something has (the sender goes on, or the next round of a loop
//! overwrites it), the value is kept in a variable of its own from the sending on: at the sender if that is a
//! member, else at the receiver. So it is where every path sends it elsewhere ([`Alternatives`]). Between two members
//! there would have to be one for each pair: then there is no line, unless the line deals with one receiver after the
//! other, and with this one from the sending to the receiving.
//!
//! [`Alternatives`]: crate::rules::alternatives::Alternatives

use super::Teller;
use super::tell::Told;
use crate::derivation_log::{At, Event};
use crate::process_code::{OpKind, Var};
use crate::rules::Engine;
use crate::value::{Comp, Role};
use plainsong_diagnostics::Span;
use plainsong_ir::build::expr;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{
    Block, Expr, ExprKind, FamilyId, LocalId, MessageId, Place, Root, Stmt, StmtKind, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// A sending.
#[derive(Clone)]
pub(super) struct Sent {
    at: At,
    /// Loop names that stand for members, then.
    named: BTreeMap<LocalId, FamilyId>,
    versions: BTreeMap<(FamilyId, Var), u32>,
    /// Where its values are kept, if they are.
    kept: Option<Kept>,
}

#[derive(Clone)]
struct Kept {
    at_sender: bool,
    vars: Vec<VarId>,
    /// Good as long as the receiver has this name.
    during: Option<LocalId>,
}

/// Why there is no variable for a message.
const OF_A_PAIR: &str = "each pair of members has a message of its own";

impl Teller<'_, '_> {
    /// The same sending on several paths.
    pub(super) fn sends(&mut self, heads: &[&Event], block: &mut Block) -> Told<()> {
        let mut all = Vec::new();
        for head in heads {
            if let Event::Sent(at, number, to) = head {
                all.push((*at, *number, *to));
            }
        }
        let [(at, first, to), ..] = all[..] else {
            return Err("a sending without its statement".to_owned());
        };
        let numbers: Vec<u32> = all.iter().map(|(_, number, _)| *number).collect();
        if self.adds_to_bag(at, &numbers, to, block)? {
            for (at, number, _) in all {
                self.send(at, number, None);
            }
            return Ok(());
        }
        let is_told = all
            .iter()
            .any(|(_, number, _)| self.received.contains(number));
        let group = |number: &u32| self.engine.alternatives.of(*number);
        let keeps = numbers.iter().any(|one| self.keep.contains(&group(one)))
            || !is_told && self.may_fail(at);
        let kept = match keeps {
            true => Some(self.keep(at, first, to, block)?),
            false => None,
        };
        for (at, number, _) in all {
            self.send(at, number, kept.clone());
        }
        Ok(())
    }

    /// May computing what a statement sends fail? Then it has to stand in the line, unless the receive says it at once.
    fn may_fail(&self, at: At) -> bool {
        let (OpKind::Send(_, arguments, _), _) = self.op(at) else {
            return false;
        };
        let within = |risk: &Span| {
            let mut spans = arguments.iter().map(|one| one.span);
            spans.any(|span| span.start <= risk.start && risk.end <= span.end)
        };
        self.engine.risks.iter().any(within)
    }

    /// Keeps the values of a message in variables.
    fn keep(&mut self, at: At, number: u32, to: Comp, block: &mut Block) -> Told<Kept> {
        let (OpKind::Send(message, arguments, _), span) = self.op(at) else {
            return Err("a send without its statement".to_owned());
        };
        let is_one = |comp: Comp| comp.role == Role::Single;
        let at_sender = !is_one(at.comp);
        let during = match at_sender && !is_one(to) {
            true => Some(*self.members.get(&to).ok_or(OF_A_PAIR)?),
            false => None,
        };
        let holder = if at_sender { at.comp } else { to };
        let mut vars = Vec::new();
        for field in 0..arguments.len() {
            vars.push(self.kept_var(holder.family, number, *message, field));
        }
        let endpoint = self.endpoints[&holder.family];
        let ids = vars.clone();
        self.everywhere(at.comp, block, |teller, comp, block| {
            let holder = if at_sender { comp } else { to };
            for (argument, var) in arguments.iter().zip(&ids) {
                let value = teller.located(comp, argument, &BTreeMap::new())?;
                let place = Place {
                    root: Root::Of(endpoint, teller.index(holder)?, *var),
                    path: Vec::new(),
                    span: Span::default(),
                };
                block.push(Stmt {
                    kind: StmtKind::Assign(place, value),
                    span,
                });
            }
            Ok(())
        })?;
        Ok(Kept {
            at_sender,
            vars,
            during,
        })
    }

    /// The variable for a field of a sending.
    fn kept_var(
        &mut self,
        family: FamilyId,
        number: u32,
        message: MessageId,
        field: usize,
    ) -> VarId {
        let number = self.engine.alternatives.of(number);
        if let Some(known) = self.kept_vars.get(&(family, number, field)) {
            return *known;
        }
        let row = &self.engine.score.voices.messages[message.index()];
        let name = format!("{}_{}", row.name, row.fields[field].name).to_lowercase();
        let ty = row.fields[field].ty.clone();
        let id = self.endpoint_var(family, &name, &ty);
        self.kept_vars.insert((family, number, field), id);
        id
    }

    fn send(&mut self, at: At, number: u32, kept: Option<Kept>) {
        let (OpKind::Send(_, arguments, address), _) = self.op(at) else {
            return;
        };
        self.untold.insert(address.span);
        let mut reads = Reads::default();
        arguments.iter().for_each(|one| reads.expr(one));
        let family = at.comp.family;
        let version = |var: &Var| self.versions.get(&(family, *var)).copied().unwrap_or(0);
        let versions = reads
            .0
            .iter()
            .map(|var| ((family, *var), version(var)))
            .collect();
        let mut named = BTreeMap::new();
        for ((owner, local), name) in &self.loops {
            if *owner == family {
                let member = self.members.iter().find(|(_, other)| *other == name);
                if let Some((member, _)) = member {
                    named.insert(*local, member.family);
                }
            }
        }
        self.sent.insert(
            number,
            Sent {
                at,
                named,
                versions,
                kept,
            },
        );
    }

    /// Behind branches, what was sent before them and what is kept of what one of them sent.
    pub(super) fn sent_behind(&mut self, before: BTreeMap<u32, Sent>, arms: BTreeMap<u32, Sent>) {
        self.sent = before;
        let alternatives = &self.engine.alternatives;
        for (number, sent) in arms {
            if alternatives.has(number) && sent.kept.is_some() {
                self.sent.insert(alternatives.of(number), sent);
            }
        }
    }

    /// What was sent, said by the receiver.
    pub(super) fn sent_value(
        &mut self,
        number: u32,
        field: usize,
        comp: Comp,
        from: Comp,
        message: MessageId,
    ) -> Told<Expr> {
        let group = self.engine.alternatives.of(number);
        let known = self.sent.get(&number).or_else(|| self.sent.get(&group));
        let Some(sent) = known.cloned() else {
            if self.engine.alternatives.has(number) {
                self.keep_next.insert(group);
            }
            return Err("a message of unknown origin".to_owned());
        };
        if let Some(kept) = &sent.kept {
            if kept.during.is_some() && kept.during.as_ref() != self.members.get(&comp) {
                return Err(OF_A_PAIR.to_owned());
            }
            let holder = if kept.at_sender { from } else { comp };
            let ty = &self.engine.score.voices.messages[message.index()].fields[field].ty;
            let endpoint = self.endpoints[&holder.family];
            let index = self.index(holder)?;
            return Ok(expr(
                ExprKind::Of(endpoint, index, kept.vars[field]),
                ty.clone(),
            ));
        }
        let unchanged = |(var, version): (&(FamilyId, Var), &u32)| {
            self.versions.get(var).copied().unwrap_or(0) == *version
        };
        if !sent.versions.iter().all(unchanged) {
            self.keep_next.insert(group);
            return Err("a value changes between sending and receiving".to_owned());
        }
        let (OpKind::Send(_, arguments, _), _) = self.op(sent.at) else {
            return Err("a send without its statement".to_owned());
        };
        let mut named = BTreeMap::new();
        for (local, family) in &sent.named {
            let owner = if *family == comp.family { comp } else { from };
            if owner.family == *family
                && let Some(name) = self.members.get(&owner)
            {
                named.insert(*local, *name);
            }
        }
        self.located(from, &arguments[field], &named)
    }

    /// After a loop: what its rounds assigned has the value of the last round; but members of the family
    /// that it goes over have their own.
    pub(super) fn overwritten(
        &mut self,
        before: &BTreeMap<(FamilyId, Var), u32>,
        members: Option<FamilyId>,
    ) {
        for (key, version) in &mut self.versions {
            let changed = before.get(key).copied().unwrap_or(0) != *version;
            if changed && Some(key.0) != members {
                *version += 1;
            }
        }
    }
}

/// The sendings that a receive says again in the same round of the same loop, so that nothing has to be remembered from
/// one loop to another. Where messages may be lost or come too late there are none.
pub(super) fn received(engine: &Engine<'_>, stories: &[Vec<&Event>]) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    if engine.score.losses.is_none() {
        stories.iter().for_each(|story| collect(story, &mut found));
    }
    found
}

fn collect(story: &[&Event], found: &mut BTreeSet<u32>) {
    let mut under_way = BTreeSet::new();
    for event in story {
        match event {
            Event::Sent(_, number, _) => drop(under_way.insert(*number)),
            Event::Received {
                sent,
                per_round: false,
                ..
            } if under_way.contains(sent) => drop(found.insert(*sent)),
            Event::Each { leaves, .. } | Event::Repeat { leaves, .. } => {
                leaves
                    .iter()
                    .for_each(|leaf| collect(&leaf.events(), found));
            }
            _ => {}
        }
    }
}

#[derive(Default)]
struct Reads(BTreeSet<Var>);

impl Visit for Reads {
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Local(local) => drop(self.0.insert(Var::Local(*local))),
            ExprKind::Own(var) => drop(self.0.insert(Var::Own(*var))),
            _ => {}
        }
        walk::expr(self, expr);
    }
}

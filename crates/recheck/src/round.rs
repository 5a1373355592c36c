//! What all rules for rounds ask of the end of a round, and what is known after all rounds.
//!
//! Everybody who is not in the round is where they were. Members that were looked at on the way are where their family is. Messages
//! kept per round are made and taken by the loop that they are counted by, not by one inside it. A round that is
//! repeated leaves no message that nobody waits for, and others only on queues of their member.
//!
//! After the rounds, what they changed elsewhere is forgotten; so is what is known of families of which they chose
//! members. Whom somebody heard in a round it has heard. What was born in a round is another value in each.

use crate::actor::Actor;
use crate::derivation::Checker;
use crate::position::{Position, Var, is_endless};
use crate::state::{Channel, Index, PerRound, SymbolicState, general, touches};
use crate::symbol::{Symbol, Unknown};
use crate::{Refused, not_covered, refuse};
use plainsong_ir::visit::any_expr;
use plainsong_ir::{Block, Builtin, Domain, Expr, ExprKind, FamilyId, LocalId, Stmt, StmtKind, Ty};
use std::collections::{BTreeMap, BTreeSet};

/// A loop that communicates.
pub(crate) struct Loop<'a> {
    pub(crate) local: LocalId,
    pub(crate) domain: &'a Domain,
    pub(crate) body: &'a Block,
}

/// Messages that a round leaves for others.
pub(crate) type Left = BTreeMap<Channel, Vec<Vec<Symbol>>>;

impl<'a> Checker<'a> {
    /// The loop at a statement, without exits of its own.
    pub(crate) fn loop_at(&self, stmt: &'a Stmt) -> Result<Loop<'a>, Refused> {
        let StmtKind::For {
            local,
            domain,
            filter: None,
            body,
            ..
        } = &stmt.kind
        else {
            return refuse("it is no loop over members or rounds");
        };
        if breaks_out(body) {
            return not_covered("a loop that is left in the middle is not covered");
        }
        Ok(Loop {
            local: *local,
            domain,
            body,
        })
    }

    /// What the rounds of a loop are counted by, and whether it names the members of a family.
    pub(crate) fn index(&self, domain: &Domain) -> Result<(Index, bool), Refused> {
        let sort = match domain {
            Domain::Type(ty) => Some(ty),
            Domain::In(set) => match &set.kind {
                ExprKind::All(ty) => Some(ty),
                _ => None,
            },
        };
        if let Some(Ty::Sort(sort)) = sort {
            return Ok(match self.family_of(&Ty::Sort(*sort)) {
                Some(family) => (Index::Members(family), true),
                None => (Index::Sort(*sort), false),
            });
        }
        let Domain::In(set) = domain else {
            return refuse("a loop over a type that is no sort");
        };
        if let Some(family) = self.counted(set) {
            return Ok((Index::Members(family), false));
        }
        match is_closed(set) {
            true => Ok((Index::Closed(Box::new(set.clone())), false)),
            false => refuse("a loop over a collection that depends on the state"),
        }
    }

    /// The family that has as many members as a range has numbers: `0..Q.len()` or `1..=Q.len()`.
    fn counted(&self, set: &Expr) -> Option<FamilyId> {
        let ExprKind::Range {
            start,
            end,
            inclusive,
        } = &set.kind
        else {
            return None;
        };
        let ExprKind::Method(Builtin::Len, all) = &end.bare().kind else {
            return None;
        };
        let ExprKind::All(ty) = &all.first()?.kind else {
            return None;
        };
        let first = ExprKind::Int(i64::from(*inclusive));
        (start.bare().kind == first).then(|| self.family_of(ty))?
    }

    /// Everybody but these is where they were, and members that came up are where their family was.
    pub(crate) fn others_stand_still(
        &self,
        before: &SymbolicState<'a>,
        end: &SymbolicState<'a>,
        but: &[Actor],
    ) -> Result<(), Refused> {
        for (actor, position) in &end.positions {
            if but.contains(actor) {
                continue;
            }
            let home = before.positions.get(actor);
            let home = home.or_else(|| before.positions.get(&actor.whole()));
            if home != Some(position) {
                return refuse("another process moves in a round");
            }
            if end.serving.get(actor) != before.serving.get(actor) {
                return refuse("a daemon begins to serve and goes on in another round");
            }
        }
        match before
            .positions
            .keys()
            .all(|actor| end.positions.contains_key(actor))
        {
            true => Ok(()),
            false => refuse("a process is gone"),
        }
    }

    /// Messages per round belong to the loop that they are counted by.
    pub(crate) fn per_round_fits(
        &self,
        before: &SymbolicState<'a>,
        end: &SymbolicState<'a>,
        index: Option<&Index>,
    ) -> Result<(), Refused> {
        let all = before.per_round.keys().chain(end.per_round.keys());
        let channels: BTreeSet<Channel> = all.chain(&end.used).copied().collect();
        for channel in channels {
            let list = |state: &SymbolicState<'a>| -> Vec<Index> {
                let bag = state.per_round.get(&channel).into_iter().flatten();
                bag.map(|one| one.index.clone()).collect()
            };
            let mut had = list(before);
            let mut has = list(end);
            for _ in end.used.iter().filter(|used| **used == channel) {
                match index {
                    Some(index) => has.push(index.clone()),
                    None => return refuse("a message of another loop's rounds is taken"),
                }
            }
            let same = had.len() == has.len() && {
                has.retain(|one| match had.iter().position(|other| other == one) {
                    Some(at) => {
                        had.remove(at);
                        false
                    }
                    None => true,
                });
                has.is_empty()
            };
            if !same {
                return refuse("an inner loop makes or takes messages of another's rounds");
            }
        }
        Ok(())
    }

    /// What nobody waited for is on queues of the member that the round is about, or was there before.
    pub(crate) fn stale_is_about(
        &self,
        before: &SymbolicState<'a>,
        end: &SymbolicState<'a>,
        member: Option<Actor>,
    ) -> Result<(), Refused> {
        let mut stale = end.stale.iter();
        let fine = stale.all(|channel| {
            before.stale.contains(channel)
                || before.stale.contains(&general(channel))
                || member.is_some_and(|member| touches(channel, member))
        });
        match fine {
            true => Ok(()),
            false => refuse("a message that no process waits for is left in each round"),
        }
    }

    /// Forgets what rounds changed, and remembers whom they heard. The family that they deal with is left to their rule.
    pub(crate) fn after_rounds(
        &mut self,
        after: &mut SymbolicState<'a>,
        before: &SymbolicState<'a>,
        ends: &[SymbolicState<'a>],
        owners: &[(Actor, BTreeSet<Var>)],
        dealt_with: Option<FamilyId>,
    ) {
        for end in ends {
            for ((actor, var), value) in &end.values {
                let mut owner = owners.iter().filter(|(owner, _)| owner == actor);
                let may_change = owner.next().is_none_or(|(_, vars)| vars.contains(var));
                let other = before.positions.contains_key(actor) && !actor.is_family(self.song);
                if other && may_change && before.values.get(&(*actor, *var)) != Some(value) {
                    after.forget(&mut self.numbers, *actor, [var]);
                }
            }
            for actor in end.positions.keys() {
                let chosen = !before.positions.contains_key(actor);
                if chosen && Some(actor.family) != dealt_with {
                    let family = actor.whole();
                    let vars = before.positions[&family].assigned();
                    after.forget(&mut self.numbers, family, &vars);
                }
            }
            self.remember(after, before, end);
            after.strangers.extend(&end.strangers);
        }
    }

    fn remember(
        &self,
        after: &mut SymbolicState<'a>,
        before: &SymbolicState<'a>,
        end: &SymbolicState<'a>,
    ) {
        let there = before.positions.keys();
        for actor in there.filter(|actor| !actor.is_family(self.song)) {
            let had = before.heard_by(*actor);
            let heard = end.heard.get(actor).map_or(&[][..], Vec::as_slice);
            let new: Vec<Actor> = heard[had.min(heard.len())..]
                .iter()
                .map(|from| from.whole())
                .collect();
            after.heard.entry(*actor).or_default().extend(new);
            let position = &end.positions[actor];
            let at_loop = position.is_outermost() && position.stmt().is_some_and(is_endless);
            if let Some(heard) = end.heard_in_round.get(actor).filter(|_| !at_loop) {
                let heard = heard.iter().map(|from| from.whole());
                after
                    .heard_in_round
                    .entry(*actor)
                    .or_default()
                    .extend(heard);
            }
        }
    }

    /// Messages that all rounds leave become one per round.
    pub(crate) fn leave(
        &mut self,
        after: &mut SymbolicState<'a>,
        lefts: &[Left],
        index: &Index,
        owner: Actor,
        mark: u32,
    ) -> Result<(), Refused> {
        for (channel, messages) in &lefts[0] {
            let [message] = &messages[..] else {
                return refuse("a round leaves two messages in one queue");
            };
            if after.queues.contains_key(channel) || after.per_round.contains_key(channel) {
                return refuse("a queue has messages per round and others");
            }
            let mut values = Vec::new();
            for field in 0..message.len() {
                let each = lefts.iter().map(|left| &left[channel][0][field]);
                let each: Vec<Symbol> = each
                    .map(|one| self.of_any_round(owner, mark, one))
                    .collect();
                values.push(self.joined(&each, owner));
            }
            let bag = after.per_round.entry(*channel).or_default();
            bag.push(PerRound {
                index: index.clone(),
                values,
            });
        }
        Ok(())
    }

    /// A value of a round for somebody outside of it: what was born there, and members, are unknown.
    fn of_any_round(&mut self, owner: Actor, mark: u32, value: &Symbol) -> Symbol {
        let song = self.song;
        let is_old = |unknown: &Unknown| {
            let mine = |owner: Actor| owner.member.is_none() && !owner.is_family(song);
            unknown
                .owner
                .is_none_or(|owner| unknown.number <= mark && mine(owner))
        };
        match value {
            Symbol::Unknown(unknown) if is_old(unknown) => value.clone(),
            Symbol::Data(tag, parts) => {
                let parts = parts
                    .iter()
                    .map(|part| self.of_any_round(owner, mark, part));
                Symbol::Data(*tag, parts.collect())
            }
            other => self.vague(owner, other),
        }
    }

    /// A value that is the same on all ways, or one of a list.
    pub(crate) fn joined(&mut self, each: &[Symbol], owner: Actor) -> Symbol {
        let mut different: Vec<Symbol> = Vec::new();
        for one in each {
            if !different.contains(one) {
                different.push(one.clone());
            }
        }
        match different.len() {
            1 => different.remove(0),
            _ => self.numbers.one_of(owner, Some(different)),
        }
    }
}

/// Where somebody is, and how many messages wait in its queues.
pub(crate) fn shape<'s, 'a>(
    end: &'s SymbolicState<'a>,
    member: Actor,
) -> (&'s Position<'a>, Vec<(Channel, usize)>) {
    let queues = end.queues.iter();
    let mine = queues.filter(|(channel, _)| touches(channel, member));
    let lengths = mine.map(|(channel, queue)| (*channel, queue.len()));
    (&end.positions[&member], lengths.collect())
}

/// How many messages per round there are.
pub(crate) fn bags(end: &SymbolicState<'_>) -> Vec<(Channel, usize)> {
    let bags = end.per_round.iter();
    bags.map(|(channel, bag)| (*channel, bag.len())).collect()
}

/// Which messages wait in a queue.
pub(crate) fn sendings(state: &SymbolicState<'_>, channel: &Channel) -> Vec<u32> {
    let waiting = state.waiting(channel).iter();
    waiting.map(|message| message.sending).collect()
}

/// Is there a `break` out of the loop itself?
fn breaks_out(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break => true,
        StmtKind::While(..) | StmtKind::For { .. } => false,
        _ => crate::position::blocks(stmt).into_iter().any(breaks_out),
    })
}

/// Does it read no variable?
fn is_closed(expr: &Expr) -> bool {
    !any_expr(expr, |expr| {
        matches!(
            expr.kind,
            ExprKind::Local(_) | ExprKind::Own(_) | ExprKind::SelfPid
        )
    })
}

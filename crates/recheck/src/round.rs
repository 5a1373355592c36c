//! A loop that deals with each member of a family once.
//!
//! Statement. A process is at `for x in Q { … }`, or at a loop with as many rounds, and no member of `Q` is looked at
//! by itself. Take an arbitrary round, with a member of its own: what the body assigns is forgotten, and nobody but the
//! process and the member moves. Every way through the round ends with the body done, the member in the same place, as
//! many messages in each of its queues, and nothing changed in any other queue. A message taken by a receive from any
//! member was the only one of its kind, and no other is sent before the process is heard again. Then the whole family
//! is where the member is.
//!
//! Why sound. Induction over the members: what is forgotten may be anything, so the round is any of the rounds. The
//! senders of receives from any member are a permutation of the family, because each is taken once.

use crate::actor::Actor;
use crate::certificate::Event;
use crate::code::{Position, Var, assigned};
use crate::follow::{Checker, Scene};
use crate::late::Waiting;
use crate::state::{Channel, State};
use crate::symbol::{Symbol, Unknown};
use crate::{Refused, refuse};
use plainsong_ir::visit::{Visit, free_locals, walk};
use plainsong_ir::{
    Accept, Block, Builtin, Domain, Expr, ExprKind, FamilyId, LocalId, Source, Stmt, StmtKind, Ty,
};
use std::collections::{BTreeMap, BTreeSet};

impl<'a> Checker<'a> {
    /// The state after the loop.
    pub(crate) fn each(
        &mut self,
        state: &State<'a>,
        owner: Actor,
        stmt: &'a Stmt,
        member: Actor,
        ways: &[Vec<Event>],
    ) -> Result<State<'a>, Refused> {
        let StmtKind::For {
            local,
            domain,
            filter: None,
            body,
            ..
        } = &stmt.kind
        else {
            return refuse("it is no loop over members");
        };
        let by_name = self.goes_over(domain, member.family)?;
        if owner.is_family(self.song) || breaks_out(body) {
            return refuse("a loop of this kind is not covered");
        }
        let taken = |actor: &Actor| actor.family == member.family && actor.member.is_some();
        if member.member.is_none() || state.positions.keys().any(taken) {
            return refuse("a member of the family is dealt with already");
        }
        let gathers = self.gathers(owner.family, body, member.family);
        let addresses = by_name && is_address(body, *local);
        if gathers && addresses {
            return refuse("a round that deals with two members is not covered");
        }
        let mark = self.numbers.0;
        let mut round = state.clone();
        let forgotten = assigned(body);
        for var in &forgotten {
            let value = self.numbers.fresh(owner);
            round.values.insert((owner, *var), value);
        }
        unfold(&mut round, member);
        let name = match by_name && !gathers {
            true => Symbol::Member(member),
            false => self.numbers.fresh(owner),
        };
        round.values.insert((owner, Var::Local(*local)), name);
        round.positions.insert(owner, Position::start(body));
        round.taken.clear();
        round.engaged.clear();
        if addresses {
            round.engaged.insert(member);
        }
        let inside = Scene {
            may_move: BTreeSet::from([owner, member]),
            owner: Some(owner),
        };
        let ways: Vec<&[Event]> = ways.iter().map(Vec::as_slice).collect();
        let ends = self.ways(round, &ways, &inside)?;
        for end in &ends {
            self.round_is_over(state, end, owner, member)?;
        }
        let Some(first) = ends.first() else {
            return refuse("there is no way through the round");
        };
        if ends
            .iter()
            .any(|end| shape(end, member) != shape(first, member))
        {
            return refuse("rounds do not all end alike");
        }
        Ok(self.fold(state, &ends, owner, member, mark, &forgotten))
    }

    /// Does a loop have as many rounds as the family has members? If so: does it name them?
    fn goes_over(&self, domain: &Domain, family: FamilyId) -> Result<bool, Refused> {
        let index = &self.song.families[family.index()].index;
        let sort = index.first().map(|index| &index.ty);
        let is_sort = |ty: &Ty| Some(ty) == sort;
        match domain {
            Domain::Type(ty) if is_sort(ty) => return Ok(true),
            Domain::In(set) => match &set.kind {
                ExprKind::All(ty) if is_sort(ty) => return Ok(true),
                ExprKind::Range {
                    start,
                    end,
                    inclusive,
                } => {
                    let first = ExprKind::Int(i64::from(*inclusive));
                    let counts = matches!(&bare(end).kind, ExprKind::Method(Builtin::Len, all)
                        if matches!(&all[..], [one] if matches!(&one.kind, ExprKind::All(ty) if is_sort(ty))));
                    if bare(start).kind == first && counts {
                        return Ok(false);
                    }
                }
                _ => {}
            },
            Domain::Type(_) => {}
        }
        refuse("the loop goes over something else")
    }

    /// Does a body receive from any member of a family?
    fn gathers(&self, owner: FamilyId, body: &Block, family: FamilyId) -> bool {
        struct Receives<'a>(Vec<&'a Accept>);
        fn collect<'a>(block: &'a Block, found: &mut Receives<'a>) {
            for stmt in block {
                match &stmt.kind {
                    StmtKind::Receive(accept) => found.0.push(accept),
                    StmtKind::If(_, a, b) | StmtKind::Maybe(a, b) => {
                        collect(a, found);
                        collect(b, found);
                    }
                    StmtKind::Match(_, arms) => {
                        arms.iter().for_each(|(_, block)| collect(block, found));
                    }
                    StmtKind::While(_, _, body) | StmtKind::For { body, .. } => {
                        collect(body, found);
                    }
                    _ => {}
                }
            }
        }
        let mut found = Receives(Vec::new());
        collect(body, &mut found);
        found.0.into_iter().any(|accept| {
            !matches!(accept.source, Source::Process(_))
                && self.sends.sender(self.song, owner, accept) == Ok(family)
        })
    }

    /// The body is done, nobody else has moved, and nothing is left over but with the member.
    fn round_is_over(
        &self,
        before: &State<'a>,
        end: &State<'a>,
        owner: Actor,
        member: Actor,
    ) -> Result<(), Refused> {
        if !end.positions[&owner].is_end() {
            return refuse("the round is not over");
        }
        for (actor, position) in &end.positions {
            let may = *actor == owner || *actor == member;
            if !may && before.positions.get(actor) != Some(position) {
                return refuse("somebody else moves in a round");
            }
        }
        let others = |state: &State<'a>| -> BTreeMap<Channel, usize> {
            let queues = state.queues.iter();
            queues
                .filter(|((from, to, _), _)| *from != member && *to != member)
                .map(|(channel, queue)| (*channel, queue.len()))
                .collect()
        };
        let (had, has) = (others(before), others(end));
        if had != has {
            let leaves =
                |channel: &Channel| channel.0 == owner && has.get(channel) > had.get(channel);
            let mut changed = has.keys().chain(had.keys());
            return match changed
                .all(|channel| has.get(channel) == had.get(channel) || leaves(channel))
            {
                true => refuse("messages that rounds leave for others: not covered"),
                false => refuse("a round changes a queue that is not its member's"),
            };
        }
        for (from, to, message) in end.taken.iter().filter(|(from, ..)| *from == member) {
            let waiting = Waiting {
                song: self.song,
                sends: &self.sends,
                family: member.family,
                message: *message,
                from: owner.family,
            };
            let second = end.queues.contains_key(&(*from, *to, *message));
            if second || owner.member.is_some() || !waiting.holds(&end.positions[&member]) {
                return refuse("a second message may come before the loop is over");
            }
        }
        Ok(())
    }

    /// What one round showed, of all members.
    fn fold(
        &mut self,
        before: &State<'a>,
        ends: &[State<'a>],
        owner: Actor,
        member: Actor,
        mark: u32,
        forgotten: &BTreeSet<Var>,
    ) -> State<'a> {
        let whole = member.whole();
        let mut after = before.clone();
        if let Some(position) = after.positions.get_mut(&owner) {
            position.advance();
        }
        for var in forgotten {
            let value = self.numbers.fresh(owner);
            after.values.insert((owner, *var), value);
        }
        let first = &ends[0];
        after
            .positions
            .insert(whole, first.positions[&member].clone());
        let mut names = BTreeMap::new();
        let mine = first.values.keys().filter(|(actor, _)| *actor == member);
        let vars: Vec<Var> = mine.map(|(_, var)| *var).collect();
        for var in vars {
            let each = ends.iter().map(|end| end.values.get(&(member, var)));
            let each: Vec<Option<&Symbol>> = each.collect();
            let value = self.joined(&each, member, mark, &mut names);
            after.values.insert((whole, var), value);
        }
        after
            .queues
            .retain(|(from, to, _), _| *from != whole && *to != whole);
        for (channel, queue) in &first.queues {
            let (from, to, message) = *channel;
            if from != member && to != member {
                continue;
            }
            let mut folded = Vec::new();
            for (place, message) in queue.iter().enumerate() {
                let mut values = Vec::new();
                for field in 0..message.len() {
                    let each = ends.iter().map(|end| {
                        let queue = end.queues.get(channel)?;
                        queue.get(place)?.get(field)
                    });
                    let each: Vec<Option<&Symbol>> = each.collect();
                    values.push(self.joined(&each, member, mark, &mut names));
                }
                folded.push(values);
            }
            let swap = |actor: Actor| if actor == member { whole } else { actor };
            after.queues.insert((swap(from), swap(to), message), folded);
        }
        after
    }

    /// A value that is the same on all ways, said of every member; otherwise anything, member by member.
    fn joined(
        &mut self,
        each: &[Option<&Symbol>],
        member: Actor,
        mark: u32,
        names: &mut BTreeMap<u32, u32>,
    ) -> Symbol {
        let whole = member.whole();
        let same = each.iter().all(|one| one.is_some() && *one == each[0]);
        let Some(value) = each[0].filter(|_| same) else {
            return self.numbers.fresh(whole);
        };
        // What was born in the round is another value for each member.
        let numbers = &mut self.numbers;
        let renamed = value.map(&mut |part| match part {
            Symbol::Unknown(unknown) if unknown.number > mark => {
                let number = *names.entry(unknown.number).or_insert_with(|| {
                    numbers.0 += 1;
                    numbers.0
                });
                Some(Symbol::Unknown(Unknown {
                    number,
                    owner: Some(whole),
                    among: None,
                }))
            }
            _ => None,
        });
        renamed.replace(member, whole)
    }
}

/// Where the member is, and how many messages wait in its queues.
fn shape<'s, 'a>(end: &'s State<'a>, member: Actor) -> (&'s Position<'a>, Vec<(Channel, usize)>) {
    let queues = end.queues.iter();
    let mine = queues.filter(|((from, to, _), _)| *from == member || *to == member);
    let lengths = mine.map(|(channel, queue)| (*channel, queue.len()));
    (&end.positions[&member], lengths.collect())
}

/// A member by itself: what is known of all is known of it.
fn unfold(state: &mut State<'_>, member: Actor) {
    let whole = member.whole();
    let position = state.positions[&whole].clone();
    state.positions.insert(member, position);
    let values = state
        .values
        .iter()
        .filter(|((actor, _), _)| *actor == whole);
    let values: Vec<_> = values
        .map(|((_, var), value)| ((member, *var), value.replace(whole, member)))
        .collect();
    state.values.extend(values);
    let swap = |actor: Actor| if actor == whole { member } else { actor };
    let queues = state
        .queues
        .iter()
        .filter(|((from, to, _), _)| *from == whole || *to == whole);
    let queues: Vec<_> = queues
        .map(|((from, to, message), queue)| {
            let queue = queue.iter().map(|values| {
                let values = values.iter();
                values.map(|value| value.replace(whole, member)).collect()
            });
            ((swap(*from), swap(*to), *message), queue.collect())
        })
        .collect();
    state.queues.extend(queues);
}

/// Is a loop's name used to say to whom or from whom?
fn is_address(body: &Block, local: LocalId) -> bool {
    struct Addresses(LocalId, bool);
    impl Visit for Addresses {
        fn stmt(&mut self, stmt: &Stmt) {
            let address = match &stmt.kind {
                StmtKind::Send(_, _, address) => Some(address),
                StmtKind::Receive(Accept {
                    source: Source::Process(process),
                    ..
                }) => Some(process),
                _ => None,
            };
            self.1 |= address.is_some_and(|one| free_locals(one).contains(&self.0));
            walk::stmt(self, stmt);
        }
    }
    let mut addresses = Addresses(local, false);
    body.iter().for_each(|stmt| addresses.stmt(stmt));
    addresses.1
}

/// Is there a `break` out of the loop itself?
fn breaks_out(body: &Block) -> bool {
    body.iter().any(|stmt| match &stmt.kind {
        StmtKind::Break => true,
        StmtKind::If(_, a, b) | StmtKind::Maybe(a, b) => breaks_out(a) || breaks_out(b),
        StmtKind::Match(_, arms) => arms.iter().any(|(_, block)| breaks_out(block)),
        _ => false,
    })
}

/// Without conversions between numbers.
fn bare(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Widen(inner) | ExprKind::Narrow(inner) => bare(inner),
        _ => expr,
    }
}

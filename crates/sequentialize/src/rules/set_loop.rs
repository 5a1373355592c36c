//! Set loop: a loop over the members of a family deals with each of them once.
//!
//! Statement. `c` is at `for x in Q { A }` (or at a loop with as many rounds as `Q` has members) and no
//! member of `Q` is unfolded. Take an arbitrary round: forget what `A` assigns, unfold a member `u`, and let
//! `c`, `u` and the daemons run while everybody else is frozen. If every path ends with `A` done, everybody
//! else where they were, nothing left over outside of `u`'s queues, and all paths alike, then after the loop
//! the whole family is where `u` is. What `c` sends to a frozen single process is kept as one message per
//! round. When `A` both addresses `x` and receives from any member, the sender need not be `x`: then two
//! members are unfolded, none of their code runs, and the two roles may not share a queue. If that does not work, it is
//! tried with one member, to which `c` is committed: then a receive from any member has to be pinned (`receive.rs`).
//!
//! Why sound. Induction over the members: forgetting makes the hypothesis true in every round (S3), nothing
//! else moves (S5), the round leaves the queues of others alone (S4), all paths have one shape (S6). A
//! receive from any member takes each member exactly once, because a member has no second message of the
//! kind and sends none before `c` answers (S7), so the senders are a permutation of the family. A loop's
//! name is not the sender (S10; traps `v1`, `m1`).
//!
//! Source. [Brisk17] rule Loop-upd. DIFFERS. Messages wait in queues, residual terms are not needed; S7 to
//! S10 are stated.

use super::fold::Renaming;
use super::havoc::Drift;
use super::late::RelevantReceives;
use super::{Engine, Scene};
use crate::derivation_log::{At, Event, Story};
use crate::process_code::{BlockId, OpKind, Over, Part, Place, Var};
use crate::state::{Index, PerRound, QueuedMessage, SymbolicState};
use crate::stuck::{Obstacle, Stuck};
use crate::value::{Chan, Comp, Role, Value};
use plainsong_diagnostics::Span;
use plainsong_ir::visit::free_locals;
use plainsong_ir::{FamilyId, LocalId, Source};
use std::collections::{BTreeMap, BTreeSet};

/// A loop that communicates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loop {
    pub(super) at: At,
    pub(super) local: LocalId,
    pub(super) over: Over,
    pub(super) body: BlockId,
    pub(super) span: Span,
}

/// Whom a round is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Roles {
    /// One member.
    One,
    /// The member that the loop names, and the one who sends.
    Two,
}

/// One path through a round.
struct Leaf {
    state: SymbolicState,
    queues: BTreeMap<Chan, Vec<QueuedMessage>>,
    /// What the owner left for others.
    left: BTreeMap<Chan, Vec<QueuedMessage>>,
}

/// What must be the same on all paths.
type Shape = (
    Place,
    Vec<(Chan, usize)>,
    Vec<(Chan, usize)>,
    Vec<(Chan, usize)>,
);

impl Engine<'_> {
    /// Takes the loop that a component is at, by the first rule that fits.
    pub(super) fn take_loop(
        &mut self,
        state: &SymbolicState,
        comp: Comp,
        scene: &Scene,
    ) -> Result<Option<SymbolicState>, Stuck> {
        let Some((at, OpKind::For { local, over, body }, span)) = self.op(state, comp) else {
            return Ok(None);
        };
        let this = Loop {
            at,
            local,
            over,
            body,
            span,
        };
        // What fails inside of a round is told by the loop that the round belongs to.
        let before = std::mem::take(&mut self.failed_loops);
        let mut failed = Vec::new();
        if let Some(family) = over.family() {
            let roles = match self.may_differ(this, family) {
                true => &[Roles::Two, Roles::One][..],
                false => &[Roles::One][..],
            };
            for roles in roles {
                match self.set_loop(state, this, family, scene, (*roles, &Drift::new())) {
                    Ok(next) => return Ok(Some(next)),
                    Err(stuck) => failed.push(stuck),
                }
            }
        }
        if !matches!(over, Over::Members(_)) {
            match self.index_loop(state, this, scene) {
                Ok(next) => return Ok(Some(next)),
                Err(stuck) => failed.push(stuck),
            }
        }
        if let Some(long) = failed
            .iter()
            .find(|stuck| stuck.obstacle == Obstacle::TooLong)
        {
            return Err(long.clone());
        }
        self.failed_loops = failed;
        self.failed_loops.extend(before);
        Ok(None)
    }

    /// Does the body both address the member that the loop names and receive from any?
    fn may_differ(&self, this: Loop, family: FamilyId) -> bool {
        let owner = this.at.comp;
        matches!(this.over, Over::Members(_))
            && is_addressed(self.part(owner), this.body, this.local)
            && self.receives_from(owner, this.body, family)
    }

    fn set_loop(
        &mut self,
        state: &SymbolicState,
        this: Loop,
        family: FamilyId,
        scene: &Scene,
        (roles, vague): (Roles, &Drift),
    ) -> Result<SymbolicState, Stuck> {
        let owner = this.at.comp;
        let rest = Comp {
            family,
            role: Role::Rest,
        };
        if !state.members(family).is_empty() {
            let sentence = format!(
                "a loop over `{}` while one of them is dealt with",
                self.score.name(family)
            );
            return Err(Stuck::new(Obstacle::Indiscriminate, this.span, sentence));
        }
        let addressed = matches!(this.over, Over::Members(_))
            && is_addressed(self.part(owner), this.body, this.local);
        let gathers = self.receives_from(owner, this.body, family);
        let two = roles == Roles::Two;

        let mut round = state.clone();
        let assigned = self.part(owner).assigned(this.body);
        self.forget(&mut round, owner, &assigned);
        let u = self.unfold(&mut round, family);
        let x = if two {
            self.unfold(&mut round, family)
        } else {
            u
        };
        round.consumed.clear();
        round.strangers.clear();
        round.used.clear();
        round.story = Story::default();
        round.taken.retain(|(who, _)| *who != owner);
        let name = match this.over {
            Over::Members(_) if !gathers || addressed => Value::Id(x),
            _ => self.fresh(owner, self.ty(owner, Var::Local(this.local))),
        };
        round.env.insert((owner, Var::Local(this.local)), name);
        round
            .places
            .insert(owner, Place::start(self.part(owner), this.body));
        if two {
            round
                .queues
                .retain(|chan, _| chan.from != x || chan.to != owner);
        }
        if addressed {
            round.engaged.insert(x, BTreeSet::from([owner]));
        }
        let may_run = !two && !self.is_daemon(&round, u);
        round.active = if may_run {
            BTreeSet::from([u])
        } else {
            BTreeSet::new()
        };
        round.may_unfold.clear();
        let mut frozen = scene.frozen.clone();
        for &comp in round.places.keys() {
            let role = comp == u || comp == x;
            if comp != owner
                && (two || !role)
                && (comp.is_rest() || role || !self.is_daemon(&round, comp))
            {
                frozen.insert(comp);
            }
        }
        let mut beyond = state.places[&owner].clone();
        beyond.advance(self.part(owner));
        let inside = Scene {
            frozen,
            owner: Some(owner),
            index: Some(Index::Members(family)),
            depth: scene.depth + 1,
            beyond: (scene.depth == 0).then_some((owner, beyond)),
            focus: scene.focus,
            closed: scene.closed,
            halts: scene.halts.clone(),
        };
        let start = round.clone();
        let ends = self.run(round, &inside)?;
        let drift = self.drift(&start, &ends, &[owner, rest, u, x]);
        if !drift.is_subset(vague) {
            let mut state = state.clone();
            self.forget_drift(&mut state, &drift);
            let vague = vague.union(&drift).copied().collect();
            return self.set_loop(&state, this, family, scene, (roles, &vague));
        }
        let mut leaves = Vec::new();
        let mut shape: Option<Shape> = None;
        for end in ends {
            let leaf = self.check_round(state, &start, end, this, (u, x), &inside)?;
            let found = self.shape(&leaf, u);
            if shape.as_ref().is_some_and(|shape| *shape != found) {
                let sentence = format!(
                    "the rounds of this loop over `{}` do not all end alike: what happens to a member depends \
                     on more than its own round",
                    self.score.name(family)
                );
                return Err(Stuck::new(Obstacle::StatefulLoop, this.span, sentence));
            }
            shape = Some(found);
            leaves.push(leaf);
        }
        let Some(shape) = shape else {
            return Err(self.all_fail(this.span));
        };
        self.heard_alike(&leaves, u, this.span)?;
        self.fold_members(state, this, rest, (u, x), leaves, &shape, &assigned)
    }

    /// Checks the end of one path through a round.
    fn check_round(
        &mut self,
        before: &SymbolicState,
        start: &SymbolicState,
        end: SymbolicState,
        this: Loop,
        (u, x): (Comp, Comp),
        inside: &Scene,
    ) -> Result<Leaf, Stuck> {
        let owner = this.at.comp;
        let rest = u.rest();
        let two = u != x;
        self.round_is_over(before, &end, this, &[rest], Some(u))?;
        let extra: BTreeSet<Comp> = end
            .places
            .keys()
            .copied()
            .filter(|comp| !before.places.contains_key(comp) && *comp != u && *comp != x)
            .collect();
        self.back_home(before, &end, &extra, this.span)?;
        self.bags_fit(before, &end, inside.index, this.span)?;
        self.stale_is_about(before, &end, (!two).then_some(u), this.span)?;
        self.stale_is_left_alone(before, &end, this)?;
        self.pins_are_known(before, &end, this.span)?;
        if inside.closed == Some(u.family) {
            self.conversation_is_closed(before, &end, u)?;
        } else {
            self.is_not_kept(&end, u, this.span)?;
        }
        self.others_are_alike(start, &end, u, this)?;
        if two && (end.places[&u] != start.places[&u] || end.places[&x] != start.places[&x]) {
            let sentence =
                "one round deals with two members: the one it names and the one that sent";
            return Err(Stuck::new(Obstacle::Indiscriminate, this.span, sentence));
        }
        let mut queues = end.queues.clone();
        if two {
            self.merge_roles(start, &mut queues, u, x, this.span)?;
        }
        if let Some(chan) = queues
            .keys()
            .find(|chan| extra.iter().any(|one| chan.touches(*one)))
        {
            return Err(self.superfluous(*chan, this.span));
        }
        let mut left = BTreeMap::new();
        let mut others: BTreeMap<Chan, Vec<QueuedMessage>> = queues
            .iter()
            .filter(|(chan, _)| !chan.touches(u) && !chan.touches(rest))
            .map(|(chan, queue)| (*chan, queue.clone()))
            .collect();
        for (chan, queue) in &mut others {
            let had = before.queues.get(chan).map_or(&[][..], Vec::as_slice);
            let goes_out =
                chan.from == owner && inside.frozen.contains(&chan.to) && !chan.to.is_rest();
            if goes_out && queue.len() > had.len() && queue.starts_with(had) {
                left.insert(*chan, queue.split_off(had.len()));
            }
        }
        others.retain(|_, queue| !queue.is_empty());
        self.unchanged(before, &others, rest, this.span)?;
        if !self.answers_only(&end, u, inside) {
            self.each_once(&end, &queues, u, owner, this.span)?;
        }
        Ok(Leaf {
            state: end,
            queues,
            left,
        })
    }

    /// A member that serves is at the beginning or the end of what it does for one client (`families.rs`).
    fn conversation_is_closed(
        &self,
        before: &SymbolicState,
        end: &SymbolicState,
        u: Comp,
    ) -> Result<(), Stuck> {
        let place = &end.places[&u];
        if place.is_end() || *place == before.places[&u.rest()] {
            return Ok(());
        }
        let (what, span) = self.about_to(end, u);
        let sentence = format!(
            "{} {what} while it is kept, and its client goes on",
            self.call(u)
        );
        Err(Stuck::new(Obstacle::HoldAndWait, span, sentence))
    }

    /// A daemon's member does not go on with the client it has begun to serve in another round: other clients may
    /// keep what that one waits for in between.
    fn is_not_kept(&self, end: &SymbolicState, u: Comp, span: Span) -> Result<(), Stuck> {
        let Some((client, _)) = end.serving.get(&u) else {
            return Ok(());
        };
        let sentence = format!(
            "a round of this loop ends while {} keeps {}",
            self.call(u),
            self.call(*client)
        );
        Err(Stuck::new(Obstacle::HoldAndWait, span, sentence))
    }

    /// The owner is done and nobody else has moved.
    pub(super) fn round_is_over(
        &self,
        before: &SymbolicState,
        end: &SymbolicState,
        this: Loop,
        may_move: &[Comp],
        member: Option<Comp>,
    ) -> Result<(), Stuck> {
        let owner = this.at.comp;
        if !end.places[&owner].is_end() {
            let is_at_loop = matches!(self.op(end, owner), Some((_, OpKind::For { .. }, _)));
            if let Some(cause) = self.failed_loops.first().filter(|_| is_at_loop) {
                return Err(cause.clone());
            }
            let (what, span) = self.about_to(end, owner);
            let mut sentence = format!("in a round of this loop {} {what}", self.call(owner));
            if let Some(member) = member {
                let (what, _) = self.about_to(end, member);
                sentence.push_str(&format!(", and {} {what}", self.call(member)));
            }
            let stuck = Stuck::new(Obstacle::Blocked, span, sentence);
            return Err(self.advised(stuck, end, owner));
        }
        for (comp, place) in &before.places {
            if *comp != owner && !may_move.contains(comp) && end.places.get(comp) != Some(place) {
                let (what, span) = self.about_to(end, *comp);
                let sentence = format!(
                    "after a round of a loop of {}, {} {what}",
                    self.call(owner),
                    self.call(*comp)
                );
                return Err(Stuck::new(Obstacle::Blocked, span, sentence));
            }
        }
        Ok(())
    }

    /// Members that were unfolded on the way are where their family is.
    pub(super) fn back_home(
        &self,
        before: &SymbolicState,
        end: &SymbolicState,
        extra: &BTreeSet<Comp>,
        span: Span,
    ) -> Result<(), Stuck> {
        for comp in extra {
            if end.places[comp] != before.places[&comp.rest()] {
                let (what, at) = self.about_to(end, *comp);
                let sentence = format!("a round leaves {} behind: it {what}", self.call(*comp));
                let span = if at == Span::default() { span } else { at };
                return Err(Stuck::new(Obstacle::StatefulLoop, span, sentence));
            }
        }
        Ok(())
    }

    /// Nothing is left over outside of the member's queues.
    fn unchanged(
        &self,
        before: &SymbolicState,
        others: &BTreeMap<Chan, Vec<QueuedMessage>>,
        rest: Comp,
        span: Span,
    ) -> Result<(), Stuck> {
        let had: BTreeMap<Chan, Vec<QueuedMessage>> = before
            .queues
            .iter()
            .filter(|(chan, _)| !chan.touches(rest))
            .map(|(chan, queue)| (*chan, queue.clone()))
            .collect();
        if *others == had {
            return Ok(());
        }
        let chans: BTreeSet<&Chan> = others.keys().chain(had.keys()).collect();
        let differs = chans
            .into_iter()
            .find(|chan| others.get(chan) != had.get(chan));
        Err(self.superfluous(*differs.expect("they differ somewhere"), span))
    }

    /// A member whose message was taken by a receive from any member has no second one, and sends none
    /// before it hears from the owner.
    fn each_once(
        &self,
        end: &SymbolicState,
        queues: &BTreeMap<Chan, Vec<QueuedMessage>>,
        u: Comp,
        owner: Comp,
        span: Span,
    ) -> Result<(), Stuck> {
        for chan in end
            .consumed
            .iter()
            .filter(|chan| chan.from.family == u.family)
        {
            let what = self.message(chan.message);
            if queues.contains_key(&Chan { from: u, ..*chan }) {
                let sentence = format!(
                    "a member may have a second `{what}` in flight while this loop collects"
                );
                return Err(Stuck::new(Obstacle::LateMessage, span, sentence));
            }
            let owner = BTreeSet::from([owner]);
            let hearing = RelevantReceives::of(u, &owner, queues);
            if !self.is_late_free(&hearing, &end.places[&u], chan.message) {
                let sentence = format!("a member may send `{what}` again before this loop ends");
                return Err(Stuck::new(Obstacle::LateMessage, span, sentence));
            }
        }
        Ok(())
    }

    /// Is it a daemon that has nothing to answer? Then it sends to the member that is looked at when that asks
    /// again, and not before; what it has sent was taken.
    fn answers_only(&self, end: &SymbolicState, u: Comp, inside: &Scene) -> bool {
        let Some(client) = inside.focus else {
            return false;
        };
        let to_client = |chan: &Chan| chan.from == u && chan.to == client;
        inside.owner == Some(client)
            && self.part(u).daemon
            && self.all_rest(end, client)
            && !end.queues.keys().any(to_client)
    }

    /// A message that waits for a daemon says how much its sender had heard: that is one number for all paths.
    fn heard_alike(&self, leaves: &[Leaf], u: Comp, span: Span) -> Result<(), Stuck> {
        let asks = |chan: &Chan| chan.from == u && self.part(chan.to).daemon;
        let heard = |leaf: &Leaf| leaf.state.heard.get(&u).cloned().unwrap_or_default();
        let first = &leaves[0];
        if !first.queues.keys().any(asks) || leaves.iter().all(|leaf| heard(leaf) == heard(first)) {
            return Ok(());
        }
        let sentence = format!(
            "{} has asked a daemon, and whom it has heard since depends on the round",
            self.call(u)
        );
        Err(Stuck::new(Obstacle::HoldAndWait, span, sentence))
    }

    fn shape(&self, leaf: &Leaf, u: Comp) -> Shape {
        let lengths = |queues: &BTreeMap<Chan, Vec<QueuedMessage>>, of: Option<Comp>| {
            let mine = queues
                .iter()
                .filter(|(chan, _)| of.is_none_or(|comp| chan.touches(comp)));
            mine.map(|(chan, queue)| (*chan, queue.len()))
                .collect::<Vec<_>>()
        };
        let bags = leaf.state.bags.iter().map(|(chan, bag)| (*chan, bag.len()));
        (
            leaf.state.places[&u].clone(),
            lengths(&leaf.queues, Some(u)),
            bags.collect(),
            lengths(&leaf.left, None),
        )
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "everything a round leaves behind"
    )]
    fn fold_members(
        &mut self,
        before: &SymbolicState,
        this: Loop,
        rest: Comp,
        (u, x): (Comp, Comp),
        mut leaves: Vec<Leaf>,
        shape: &Shape,
        assigned: &BTreeSet<Var>,
    ) -> Result<SymbolicState, Stuck> {
        let owner = this.at.comp;
        let gone: BTreeSet<Comp> = leaves
            .iter()
            .flat_map(|leaf| leaf.state.places.keys().copied())
            .filter(|comp| !before.places.contains_key(comp) && *comp != u && *comp != x)
            .collect();
        let mut renaming = Renaming::new(before, gone);
        for leaf in &mut leaves {
            self.rename_leaf(&mut renaming, leaf, owner, (u, x), rest);
        }
        let mut after = before.clone();
        after.places.insert(rest, shape.0.clone());
        self.advance_place(&mut after, owner);
        after.queues.retain(|chan, _| !chan.touches(rest));
        for (chan, _) in &shape.1 {
            let joined = self.join_queues(&leaves, *chan, rest);
            after.queues.insert(chan.replace(u, rest), joined);
        }
        let heard = leaves[0].state.heard.get(&u).cloned().unwrap_or_default();
        let swap = |comp| if comp == u || comp == x { rest } else { comp };
        after
            .heard
            .insert(rest, heard.into_iter().map(swap).collect());
        let ends: Vec<SymbolicState> = leaves.iter().map(|leaf| leaf.state.clone()).collect();
        self.forget_chosen(&mut after, before, &ends);
        let vars: BTreeSet<Var> = leaves
            .iter()
            .flat_map(|leaf| leaf.state.env.keys())
            .filter(|(comp, _)| *comp == u)
            .map(|(_, var)| *var)
            .collect();
        for var in vars {
            let mut values = Vec::new();
            for leaf in &leaves {
                values.push(match leaf.state.env.get(&(u, var)) {
                    Some(value) => value.replace(u, rest),
                    None => self.fresh(rest, self.ty(rest, var)),
                });
            }
            let value = self.joined(rest, &values);
            after.env.insert((rest, var), value);
        }
        let stories: Vec<Story> = leaves.iter().map(|leaf| leaf.state.story.clone()).collect();
        let lefts: Vec<BTreeMap<Chan, Vec<QueuedMessage>>> =
            leaves.iter().map(|leaf| leaf.left.clone()).collect();
        let states: Vec<SymbolicState> = leaves.into_iter().map(|leaf| leaf.state).collect();
        let stale = states.iter().flat_map(|state| &state.stale);
        let stale: BTreeSet<Chan> = stale.map(|chan| chan.replace(u, rest)).collect();
        after.stale.extend(stale);
        self.settle(
            &mut after,
            before,
            &states,
            owner,
            assigned,
            &BTreeSet::from([u, x]),
        );
        self.forget(&mut after, owner, &BTreeSet::from([Var::Local(this.local)]));
        self.remember_heard(&mut after, before, &states);
        self.remember_strangers(&mut after, &states);
        after.bags = states[0].bags.clone();
        renaming.gone.extend([u, x]);
        self.leave_per_round(
            &mut after,
            &lefts,
            Index::Members(rest.family),
            &renaming,
            owner,
            this.span,
        )?;
        after.story.push(Event::Each {
            at: this.at,
            family: rest.family,
            member: u,
            second: x,
            rounds: false,
            with: None,
            leaves: stories.into(),
        });
        Ok(after)
    }

    fn rename_leaf(
        &mut self,
        renaming: &mut Renaming,
        leaf: &mut Leaf,
        owner: Comp,
        (u, x): (Comp, Comp),
        rest: Comp,
    ) {
        for (chan, queue) in &mut leaf.queues {
            if chan.touches(u) {
                for waiting in queue.iter_mut() {
                    for value in &mut waiting.values {
                        *value = self.for_family(renaming, rest, value);
                    }
                }
            }
        }
        let places: Vec<(Comp, Var)> = leaf.state.env.keys().copied().collect();
        for place in places {
            let value = leaf.state.env[&place].clone();
            let value = if place.0 == u {
                // In a round with two roles the other member is an unknown one.
                let value = if u == x {
                    value
                } else {
                    self.without(&renaming.keep, x, &value)
                };
                self.for_family(renaming, rest, &value)
            } else if place.0 == owner {
                self.for_other(renaming, owner, &value)
            } else {
                continue;
            };
            leaf.state.env.insert(place, value);
        }
    }

    fn join_queues(&mut self, leaves: &[Leaf], chan: Chan, rest: Comp) -> Vec<QueuedMessage> {
        let mut joined = leaves[0].queues[&chan].clone();
        let stories: Vec<&Story> = leaves.iter().map(|leaf| &leaf.state.story).collect();
        for (at, waiting) in joined.iter_mut().enumerate() {
            let sent = leaves.iter().map(|leaf| leaf.queues[&chan][at].sent);
            let sent: Vec<u32> = sent.collect();
            self.alternatives.put_together(&sent, &stories);
            let known = |number: &u32| {
                let mut all = leaves.iter().map(|leaf| &leaf.queues[&chan][at].knows);
                all.all(|knows| knows.contains(number))
            };
            waiting.knows.retain(known);
            waiting.cause = None;
            for field in 0..waiting.values.len() {
                let values: Vec<Value> = leaves
                    .iter()
                    .map(|leaf| {
                        leaf.queues[&chan][at].values[field].replace(chan_member(chan, rest), rest)
                    })
                    .collect();
                waiting.values[field] = self.joined(rest, &values);
            }
        }
        joined
    }

    /// What rounds left for third parties becomes one message per round.
    pub(super) fn leave_per_round(
        &mut self,
        after: &mut SymbolicState,
        lefts: &[BTreeMap<Chan, Vec<QueuedMessage>>],
        index: Index,
        renaming: &Renaming,
        owner: Comp,
        span: Span,
    ) -> Result<(), Stuck> {
        for (chan, first) in &lefts[0] {
            let what = self.message(chan.message);
            if after.bags.contains_key(chan) || after.queues.contains_key(chan) {
                let sentence =
                    format!("`{what}` waits both once per round of a loop and otherwise");
                return Err(Stuck::new(Obstacle::MixedChannel, span, sentence));
            }
            let [one] = &first[..] else {
                let sentence = format!("a round sends more than one `{what}` to the same process");
                return Err(Stuck::new(Obstacle::MixedChannel, span, sentence));
            };
            let mut values = Vec::new();
            for field in 0..one.values.len() {
                let mut each = Vec::new();
                for left in lefts {
                    each.push(self.for_other(renaming, owner, &left[chan][0].values[field]));
                }
                values.push(self.joined(owner, &each));
            }
            let per_round = PerRound {
                index,
                values,
                sent: one.sent,
            };
            after.bags.insert(*chan, vec![per_round]);
        }
        Ok(())
    }

    /// A message that nobody takes.
    pub(super) fn superfluous(&self, chan: Chan, span: Span) -> Stuck {
        let sentence = format!(
            "a round leaves a `{}` from {} to {} that nothing receives in it",
            self.message(chan.message),
            self.call(chan.from),
            self.call(chan.to)
        );
        Stuck::new(Obstacle::SuperfluousSend, span, sentence)
    }

    pub(super) fn all_fail(&self, span: Span) -> Stuck {
        Stuck::new(
            Obstacle::FailReachable,
            span,
            "every way through this fails an assertion or ends at an `assume`",
        )
    }

    /// Is a loop's name used as an address in its body?
    pub(crate) fn addresses(&self, comp: Comp, body: BlockId, local: LocalId) -> bool {
        is_addressed(self.part(comp), body, local)
    }

    /// Does the code receive from any member of a family?
    pub(crate) fn receives_from(&self, comp: Comp, block: BlockId, family: FamilyId) -> bool {
        let ops = self.part(comp).ops(block);
        ops.into_iter().any(|op| {
            let mut accepts = op.kind.accepts().into_iter();
            accepts.any(|accept| self.senders.get(&accept.span) == Some(&family))
        })
    }
}

fn chan_member(chan: Chan, rest: Comp) -> Comp {
    if chan.from.family == rest.family && chan.from.is_member() {
        chan.from
    } else {
        chan.to
    }
}

/// Is a loop's name used as an address in its body?
pub(super) fn is_addressed(part: &Part<'_>, body: BlockId, local: LocalId) -> bool {
    part.ops(body).into_iter().any(|op| match &op.kind {
        OpKind::Send(_, _, address) => free_locals(address).contains(&local),
        other => {
            let mut accepts = other.accepts().into_iter();
            accepts.any(|accept| match &accept.source {
                Source::Process(process) => free_locals(process).contains(&local),
                _ => false,
            })
        }
    })
}

//! Families: every member of one family talks to every member of another.
//!
//! Statement. No single process but daemons has anything left to do. All members of `Q` are at `for _ in P { A }`
//! (or at a loop with as many rounds as `P` has members) whose name is no address, and `A` receives from any
//! member of `P`. Unfold a member `u` of `P`, let every member of `Q` go through `A` once, as a daemon whose round
//! it is, and run `u` with `Q` and the daemons. If every path ends with `u` in the same place, all of `Q` at the end
//! of `A`, and everybody else where they were, then afterwards all of `P` is where `u` is
//! and all of `Q` is behind its loop. What `A` assigns is forgotten before and after. Further:
//! - a round of `u` with a member of `Q` leaves it at the beginning or at the end of `A`;
//! - what `Q` sends behind its loop is nothing that `P` receives here, and the other way round; nor is what waits
//!   between the two in the end.
//!
//! Why sound. The members of `Q` may see those of `P` in different orders, so this is no loop over `P`: it is one
//! conversation for each pair, in any interleaving. Each is closed (`receive.rs`: while a member of `Q` is with
//! `u`, it deals with `u` and daemons only, and `u` waits for nobody else in between), so conversations of
//! different pairs do not depend on each other, and each starts from any state. That it ends between two rounds of
//! `u` excludes that `u` keeps one member of `Q` while it goes to the next: two members of `P` could each keep
//! what the other needs. Every member of `P` has one conversation with every member of `Q`, so the rounds of
//! `Q` are as many as they should be; nothing that comes from behind can be taken for one of them.
//!
//! Source. `docs/CONDITIONS.md`, extensions; focus in [PretendSynchrony19]. DIFFERS. Only two families at a time.
//! NOT COVERED. Members of one family that talk to each other.

use super::focus::which;
use super::fold::Renaming;
use super::havoc::Drift;
use super::late::RelevantReceives;
use super::{Engine, Scene};
use crate::derivation_log::{At, Event, Story};
use crate::process_code::{BlockId, OpKind, Over, Place, Var};
use crate::state::SymbolicState;
use crate::stuck::{Obstacle, Stuck};
use crate::value::{Chan, Comp};
use plainsong_diagnostics::Span;
use plainsong_ir::{FamilyId, MessageId};
use std::collections::BTreeSet;

/// A family that serves each member of another one once.
struct Servers {
    family: Comp,
    at: At,
    body: BlockId,
    span: Span,
}

impl Engine<'_> {
    /// All of `clients` against the family that waits for them.
    pub(super) fn families(
        &mut self,
        state: &SymbolicState,
        clients: Comp,
        open: &[Comp],
    ) -> Option<Result<SymbolicState, Stuck>> {
        let mut servers = open
            .iter()
            .filter_map(|one| self.servers(state, *one, clients));
        let found = servers.next()?;
        if servers.next().is_some() {
            return None;
        }
        Some(self.pairs(state, clients, &found, &Drift::new()))
    }

    fn servers(&self, state: &SymbolicState, family: Comp, clients: Comp) -> Option<Servers> {
        let (at, kind, span) = self.op(state, family)?;
        let OpKind::For { local, over, body } = kind else {
            return None;
        };
        let part = self.part(family);
        let is_named =
            matches!(over, Over::Members(_)) && super::set_loop::is_addressed(part, body, local);
        let fits = over.family() == Some(clients.family)
            && family != clients
            && !is_named
            && self.receives_from(family, body, clients.family);
        fits.then_some(Servers {
            family,
            at,
            body,
            span,
        })
    }

    fn pairs(
        &mut self,
        state: &SymbolicState,
        clients: Comp,
        servers: &Servers,
        vague: &Drift,
    ) -> Result<SymbolicState, Stuck> {
        let Servers {
            family: q, body, ..
        } = *servers;
        let assigned = self.part(q).assigned(body);
        let mut round = state.clone();
        let u = self.unfold(&mut round, clients.family);
        round.story = Story::default();
        round.used.clear();
        round.consumed.clear();
        round.active = BTreeSet::from([u]);
        round.may_unfold.clear();
        round.reactive.insert(q.family);
        let start = Place::start(self.part(q), body);
        round.places.insert(q, start);
        let known: BTreeSet<Var> = assigned
            .iter()
            .copied()
            .filter(|var| state.env.contains_key(&(q, *var)))
            .collect();
        self.forget(&mut round, q, &known);
        tell(&mut round, servers.at, &known);
        let daemons = self.forget_daemons(&mut round);
        let mut frozen = BTreeSet::new();
        for &comp in round.places.keys() {
            if comp != u && (comp.is_rest() || !self.is_daemon(&round, comp)) {
                frozen.insert(comp);
            }
        }
        let inside = Scene {
            frozen,
            depth: 2,
            closed: Some(q.family),
            ..Scene::default()
        };
        let begin = round.clone();
        let leaves = self.run(round, &inside)?;
        let drift = self.drift_of_families(&begin, &leaves, &[u, clients, q]);
        if !drift.is_subset(vague) {
            let mut state = state.clone();
            self.forget_drift(&mut state, &drift);
            let vague = vague.union(&drift).copied().collect();
            return self.pairs(&state, clients, servers, &vague);
        }
        let Some(first) = leaves.first() else {
            return Err(self.all_fail(servers.span));
        };
        let place = first.places[&u].clone();
        for leaf in &leaves {
            self.pair_is_over(state, leaf, u, servers)
                .map_err(|stuck| self.cause(stuck))?;
            self.bags_fit(state, leaf, None, servers.span)?;
            self.stale_is_about(state, leaf, Some(u), servers.span)?;
            self.pins_are_known(state, leaf, servers.span)?;
            if leaf.places[&u] != place || between(leaf, u) != between(first, u) {
                let sentence = format!(
                    "members of `{}` do not all end alike",
                    self.score.name(clients.family)
                );
                return Err(Stuck::new(Obstacle::StatefulLoop, servers.span, sentence));
            }
        }
        let mut after = state.clone();
        self.advance_place(&mut after, q);
        self.apart(&after, &leaves, (u, &place), servers)?;
        after.places.insert(clients, place);
        after.queues.retain(|chan, _| !chan.touches(clients));
        self.forget_chosen(&mut after, state, &leaves);
        self.leave_between(&mut after, state, &leaves, u);
        let stale = leaves.iter().flat_map(|leaf| &leaf.stale);
        let stale: Vec<Chan> = stale.map(|chan| chan.replace(u, clients)).collect();
        after.stale.extend(stale);
        for daemon in daemons {
            let vars = self.part(daemon).assigned_after(&after.places[&daemon]);
            self.forget(&mut after, daemon, &vars);
        }
        let vars = self.part(clients).assigned_after(&state.places[&clients]);
        self.forget(&mut after, clients, &vars);
        self.forget(&mut after, q, &assigned);
        let (at, ..) = self
            .op(state, clients)
            .ok_or_else(|| self.all_fail(servers.span))?;
        let stories: Vec<Story> = leaves.iter().map(|leaf| leaf.story.clone()).collect();
        after.story.push(Event::Each {
            at,
            family: clients.family,
            member: u,
            second: u,
            rounds: true,
            with: Some(q.family),
            leaves: stories.into(),
        });
        tell(&mut after, servers.at, &known);
        Ok(after)
    }

    /// Forgets what daemons remember; which they are.
    fn forget_daemons(&mut self, state: &mut SymbolicState) -> Vec<Comp> {
        let daemons: Vec<Comp> = state
            .places
            .keys()
            .copied()
            .filter(|comp| self.part(*comp).daemon)
            .collect();
        for daemon in &daemons {
            let vars = self.part(*daemon).assigned_after(&state.places[daemon]);
            self.forget(state, *daemon, &vars);
        }
        daemons
    }

    /// Everybody of the one family has served `u`, and nothing else has changed.
    fn pair_is_over(
        &self,
        before: &SymbolicState,
        leaf: &SymbolicState,
        u: Comp,
        servers: &Servers,
    ) -> Result<(), Stuck> {
        for (comp, place) in &leaf.places {
            let is_home = match before.places.get(comp) {
                _ if *comp == u => true,
                _ if *comp == servers.family => place.is_end(),
                Some(home) => place == home,
                None => {
                    *place == before.places[&comp.rest()] && comp.family != servers.family.family
                }
            };
            if !is_home {
                let (what, span) = self.about_to(leaf, *comp);
                let (and, _) = self.about_to(leaf, u);
                let sentence = format!("{} {what} when {} {and}", self.call(*comp), self.call(u));
                return Err(Stuck::new(Obstacle::Blocked, span, sentence));
            }
        }
        let q = servers.family;
        let family = u.rest();
        let is_between = |chan: &Chan| chan.touches(u) && chan.touches(q);
        let waiting = |state: &SymbolicState| -> Vec<(Chan, Vec<u32>)> {
            let others = state.queues.iter();
            let others = others.filter(|(chan, _)| !chan.touches(family) && !is_between(chan));
            others
                .map(|(chan, queue)| (*chan, which(queue, false)))
                .collect()
        };
        let has = waiting(leaf);
        let had = waiting(before);
        match has.iter().find(|one| !had.contains(one)) {
            Some((chan, _)) => Err(self.superfluous(*chan, servers.span)),
            None if has.len() == had.len() => Ok(()),
            None => Err(self.superfluous(had[0].0, servers.span)),
        }
    }

    /// What either family sends later is nothing that the other receives here.
    fn apart(
        &self,
        after: &SymbolicState,
        leaves: &[SymbolicState],
        (u, place): (Comp, &Place),
        servers: &Servers,
    ) -> Result<(), Stuck> {
        let nobody = BTreeSet::new();
        let (clients, q) = (u.rest(), servers.family);
        let mut here = BTreeSet::new();
        for leaf in leaves {
            self.received_in(&leaf.story, &mut here);
        }
        for (family, message) in here {
            let waits = |state: &SymbolicState| {
                let mut chans = state.queues.keys();
                chans.any(|chan| {
                    chan.message == message && chan.to.family == family && chan.touches(u)
                })
            };
            if leaves.iter().any(waits) {
                let sentence = format!(
                    "a second `{}` of a pair may be taken for one of this loop",
                    self.message(message)
                );
                return Err(Stuck::new(Obstacle::LateMessage, servers.span, sentence));
            }
            let (sender, from) = if family == clients.family {
                (q, &after.places[&q])
            } else {
                (clients, place)
            };
            let hearing = RelevantReceives::nobody(sender.family, &nobody);
            if !self.is_late_free(&hearing, from, message) {
                let sentence = format!(
                    "{} sends `{}` again, which may be taken for one of this loop",
                    self.call(sender),
                    self.message(message)
                );
                return Err(Stuck::new(Obstacle::LateMessage, servers.span, sentence));
            }
        }
        Ok(())
    }

    /// What waits between `u` and the other family waits between all of them. What `u` sent is kept, with the
    /// family in its place; what the others sent is different for each pair, and nothing is kept of it.
    fn leave_between(
        &mut self,
        after: &mut SymbolicState,
        before: &SymbolicState,
        leaves: &[SymbolicState],
        u: Comp,
    ) {
        let clients = u.rest();
        let comps = leaves.iter().flat_map(|leaf| leaf.places.keys().copied());
        let gone = comps
            .filter(|comp| comp.is_member() && *comp != u)
            .collect();
        let mut renaming = Renaming::new(before, gone);
        for (chan, queue) in leaves[0].queues.iter().filter(|(chan, _)| chan.touches(u)) {
            let fields = &self.score.voices.messages[chan.message.index()].fields;
            let mut queue = queue.clone();
            for (at, waiting) in queue.iter_mut().enumerate() {
                for (field, row) in fields.iter().enumerate() {
                    let of_leaf =
                        |leaf: &SymbolicState| leaf.queues[chan][at].values[field].clone();
                    let mut values = Vec::new();
                    for value in leaves.iter().map(of_leaf) {
                        let value = self.for_family(&mut renaming, clients, &value);
                        values.push(value.replace(u, clients));
                    }
                    waiting.values[field] = match chan.from == u {
                        true => self.joined(clients, &values),
                        false => self.fresh(chan.from, &row.ty),
                    };
                }
            }
            after.queues.insert(chan.replace(u, clients), queue);
        }
    }

    /// Which family receives which kinds.
    fn received_in(&self, story: &Story, found: &mut BTreeSet<(FamilyId, MessageId)>) {
        for event in story.events() {
            match event {
                Event::Received { at, .. } => {
                    let part = self.part(at.comp);
                    let op = &part.blocks[at.block.0 as usize][at.at as usize];
                    let kinds = op.kind.accepts().into_iter();
                    found.extend(kinds.map(|accept| (at.comp.family, accept.message)));
                }
                Event::Each { leaves, .. } | Event::Repeat { leaves, .. } => {
                    leaves.iter().for_each(|leaf| self.received_in(leaf, found));
                }
                _ => {}
            }
        }
    }
}

/// How many messages of a member wait where.
fn between(leaf: &SymbolicState, u: Comp) -> Vec<(Chan, usize)> {
    let queues = leaf.queues.iter().filter(|(chan, _)| chan.touches(u));
    queues.map(|(chan, queue)| (*chan, queue.len())).collect()
}

/// The line says that conversations of others may have come before.
fn tell(state: &mut SymbolicState, at: At, vars: &BTreeSet<Var>) {
    if !vars.is_empty() {
        let vars: Vec<Var> = vars.iter().copied().collect();
        state.story.push(Event::Forgot(at, vars.into()));
    }
}

//! The stage of a simulation: who may run, what is in flight, and what was done.
//!
//! Invariant: once everybody has come on, at most one role has the turn, and only the role that has it
//! touches anything. A role without the turn is ready (it asked for the turn), waits for a message, or
//! has ended. Whenever the turn is given up, the next one is drawn among the ready; when there is none
//! and somebody waits, everybody who waits is told that this is a deadlock, each at its turn.

use crate::cast::{Cast, Role};
use crate::error::{Doing, Error, Fault};
use crate::net::Site;
use crate::oracle::Oracle;
use crate::tally::{self, Sent};
use std::any::Any;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) from: Role,
    pub(super) to: Role,
    pub(super) kind: u16,
}

/// A value in flight.
#[derive(Debug)]
pub(super) struct Parcel {
    pub(super) site: Site,
    pub(super) value: Box<dyn Any + Send>,
}

/// What a receive ends with.
#[derive(Debug)]
pub(super) enum Wake {
    /// A value.
    Parcel(Parcel),
    /// The sender is gone: how it ended.
    Gone(String),
    /// Nobody can go on.
    Deadlock,
}

/// Something that a role did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Act {
    /// Who.
    pub role: Role,
    /// At which statement.
    pub site: Site,
    /// What.
    pub deed: Deed,
}

/// What a role can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// It sent to this role.
    Sent(Role),
    /// It received from this role.
    Received(Role),
    /// It chose this.
    Chose(usize),
}

pub(super) struct Stage {
    cast: Cast,
    state: Mutex<State>,
    /// One for each role: it may have the turn.
    calls: Vec<Condvar>,
    /// Something was received, or somebody ended: for those who ended before.
    news: Condvar,
}

#[derive(Debug)]
struct State {
    draws: Oracle,
    /// Whose turn it is.
    turn: Option<Role>,
    standings: Vec<Standing>,
    links: BTreeMap<Key, VecDeque<Parcel>>,
    /// After how many operations a role crashes.
    crashes: BTreeMap<Role, usize>,
    acts: Vec<Act>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Standing {
    /// It has not come on.
    Away,
    /// It can go on, or has the turn.
    Ready,
    /// It waits for a message of this link.
    Waits(Key),
    /// It waited, and nobody could go on.
    Stuck,
    /// It has ended, like this.
    Ended(String),
}

impl fmt::Debug for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stage")
            .field("cast", &self.cast)
            .finish_non_exhaustive()
    }
}

impl Stage {
    pub(super) fn new(cast: &Cast, seed: u64) -> Stage {
        let state = State {
            // A sequence that no role has.
            draws: Oracle::new(seed, usize::MAX),
            turn: None,
            standings: vec![Standing::Away; cast.size()],
            links: BTreeMap::new(),
            crashes: BTreeMap::new(),
            acts: Vec::new(),
        };
        Stage {
            cast: cast.clone(),
            state: Mutex::new(state),
            calls: cast.roles().iter().map(|_| Condvar::new()).collect(),
            news: Condvar::new(),
        }
    }

    pub(super) fn cast(&self) -> &Cast {
        &self.cast
    }

    pub(super) fn crash(&self, role: Role, after: usize) {
        self.state().crashes.insert(role, after);
    }

    pub(super) fn acts(&self) -> Vec<Act> {
        self.state().acts.clone()
    }

    /// Gives the turn up and waits for the next one; an error when the role is to crash now.
    pub(super) fn turn(&self, me: Role) -> Result<(), Error> {
        let mut state = self.state();
        state.standings[me] = Standing::Ready;
        self.pass(&mut state, me);
        let mut state = self.wait(state, me);
        match state.crashes.get_mut(&me) {
            Some(0) => Err(Error::from(Fault::Crashed)),
            Some(left) => {
                *left -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Sends, at the sender's turn; an error with the receiver's end when it has ended.
    pub(super) fn send(&self, key: Key, parcel: Parcel) -> Result<(), String> {
        let mut state = self.state();
        if let Standing::Ended(how) = &state.standings[key.to] {
            return Err(how.clone());
        }
        state.note(key.from, parcel.site, Deed::Sent(key.to));
        state.links.entry(key).or_default().push_back(parcel);
        if state.standings[key.to] == Standing::Waits(key) {
            state.standings[key.to] = Standing::Ready;
        }
        Ok(())
    }

    /// Receives, at the receiver's turn; gives it up when nothing is there.
    pub(super) fn receive(&self, key: Key, site: Site) -> Wake {
        let mut state = self.state();
        loop {
            if let Some(parcel) = state.take(key) {
                state.note(key.to, site, Deed::Received(key.from));
                self.news.notify_all();
                return Wake::Parcel(parcel);
            }
            if let Standing::Ended(how) = &state.standings[key.from] {
                return Wake::Gone(how.clone());
            }
            if state.standings[key.to] == Standing::Stuck {
                return Wake::Deadlock;
            }
            state.standings[key.to] = Standing::Waits(key);
            self.pass(&mut state, key.to);
            state = self.wait(state, key.to);
        }
    }

    /// Notes a choice, at the role's turn.
    pub(super) fn chose(&self, me: Role, site: Site, chosen: usize) {
        self.state().note(me, site, Deed::Chose(chosen));
    }

    /// A role has ended; only the first time counts.
    pub(super) fn end(&self, me: Role, how: String) {
        let mut state = self.state();
        if matches!(state.standings[me], Standing::Ended(_)) {
            return;
        }
        state.standings[me] = Standing::Ended(how);
        for standing in &mut state.standings {
            if matches!(standing, Standing::Waits(key) if key.from == me) {
                *standing = Standing::Ready;
            }
        }
        self.pass(&mut state, me);
        self.news.notify_all();
    }

    /// A role that ended learns whether its peers receive all that it sent: see [`tally`]. It has no turn any more.
    pub(super) fn settle(&self, me: Role) -> Result<(), Error> {
        let waiting = |state: &mut State| {
            let mut left = state.left(me);
            left.any(|(to, _)| !matches!(state.standings[to], Standing::Ended(_)))
        };
        let waited = self.news.wait_while(self.state(), waiting);
        let state = waited.unwrap_or_else(PoisonError::into_inner);
        let Some((to, _)) = state.left(me).next() else {
            return Ok(());
        };
        let links = state.left(me).filter(|(other, _)| *other == to);
        let links = links.map(|(_, left)| (left, 0));
        let why = match &state.standings[to] {
            Standing::Ended(how) => how,
            _ => "",
        };
        tally::compare(links, &self.cast.name(to), why)
    }

    /// The error for a peer that is gone.
    pub(super) fn gone(&self, peer: Role, doing: Doing, why: String) -> Error {
        Error::from(Fault::PeerGone {
            peer: self.cast.name(peer),
            doing,
            why,
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Draws who is next, when the turn was this role's or nobody's.
    fn pass(&self, state: &mut State, me: Role) {
        let is_to_be_passed = state.turn.is_none_or(|turn| turn == me);
        if is_to_be_passed && !state.standings.contains(&Standing::Away) {
            state.turn = state.draw();
            if let Some(next) = state.turn {
                self.calls[next].notify_one();
            }
        }
    }

    /// Waits for the turn.
    fn wait<'a>(&self, state: MutexGuard<'a, State>, me: Role) -> MutexGuard<'a, State> {
        let others = |state: &mut State| state.turn != Some(me);
        self.calls[me]
            .wait_while(state, others)
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn note(&mut self, role: Role, site: Site, deed: Deed) {
        self.acts.push(Act { role, site, deed });
    }

    fn take(&mut self, key: Key) -> Option<Parcel> {
        self.links.get_mut(&key)?.pop_front()
    }

    /// What a role sent and is in flight, by link: to whom, and how much.
    fn left(&self, me: Role) -> impl Iterator<Item = (Role, Sent)> {
        let links = self.links.iter().filter(move |(key, _)| key.from == me);
        links.filter_map(|(key, parcels)| {
            let last = parcels.back()?.site;
            let count = parcels.len() as u64;
            Some((key.to, Sent { count, last }))
        })
    }

    /// One of those that can go on. If there is none, those that wait are stuck, and go on to be told.
    fn draw(&mut self) -> Option<Role> {
        if !self.standings.contains(&Standing::Ready) {
            for standing in &mut self.standings {
                if matches!(standing, Standing::Waits(_)) {
                    *standing = Standing::Stuck;
                }
            }
        }
        let can_go_on = |standing: &Standing| matches!(standing, Standing::Ready | Standing::Stuck);
        let able: Vec<Role> = (0..self.standings.len())
            .filter(|&role| can_go_on(&self.standings[role]))
            .collect();
        let drawn = self.draws.choose(able.len())?;
        Some(able[drawn])
    }
}

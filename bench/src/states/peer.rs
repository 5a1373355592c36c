//! The same model, written for Stateright.

use stateright::{Checker, Model, Property};
use std::collections::BTreeSet;

/// Searches, with this many resource managers, and counts the states.
pub fn search(n: u32) -> u64 {
    let checker = Commit { n: n as usize }.checker().spawn_bfs().join();
    checker.assert_properties();
    checker.unique_state_count() as u64
}

/// The same depth first, which keeps hashes of states only.
pub fn search_deep(n: u32) -> u64 {
    let checker = Commit { n: n as usize }.checker().spawn_dfs().join();
    checker.assert_properties();
    checker.unique_state_count() as u64
}

/// The same with states of a few integers.
pub fn search_by_hand(n: u32) -> u64 {
    let checker = Packed { n }.checker().spawn_bfs().join();
    checker.assert_properties();
    checker.unique_state_count() as u64
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Resource {
    Working,
    Ready,
    Committed,
    Aborted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Manager {
    Open,
    Commits,
    Aborts,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Message {
    Prepared(usize),
    Commit,
    Abort,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    resource: Vec<Resource>,
    manager: Manager,
    heard: Vec<bool>,
    sent: BTreeSet<Message>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Action {
    Prepare(usize),
    GiveUp(usize),
    Hear(usize),
    DecideToCommit,
    DecideToAbort,
    ObeyCommit(usize),
    ObeyAbort(usize),
}

struct Commit {
    n: usize,
}

impl Model for Commit {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State {
            resource: vec![Resource::Working; self.n],
            manager: Manager::Open,
            heard: vec![false; self.n],
            sent: BTreeSet::new(),
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        let is_open = state.manager == Manager::Open;
        if is_open && state.heard.iter().all(|heard| *heard) {
            actions.push(Action::DecideToCommit);
        }
        if is_open {
            actions.push(Action::DecideToAbort);
        }
        let commits = state.sent.contains(&Message::Commit);
        let aborts = state.sent.contains(&Message::Abort);
        for r in 0..self.n {
            if is_open && state.sent.contains(&Message::Prepared(r)) {
                actions.push(Action::Hear(r));
            }
            if state.resource[r] == Resource::Working {
                actions.push(Action::Prepare(r));
                actions.push(Action::GiveUp(r));
            }
            if commits {
                actions.push(Action::ObeyCommit(r));
            }
            if aborts {
                actions.push(Action::ObeyAbort(r));
            }
        }
    }

    fn next_state(&self, before: &State, action: Action) -> Option<State> {
        let mut state = before.clone();
        match action {
            Action::Prepare(r) => {
                state.resource[r] = Resource::Ready;
                state.sent.insert(Message::Prepared(r));
            }
            Action::GiveUp(r) | Action::ObeyAbort(r) => state.resource[r] = Resource::Aborted,
            Action::Hear(r) => state.heard[r] = true,
            Action::DecideToCommit => {
                state.manager = Manager::Commits;
                state.sent.insert(Message::Commit);
            }
            Action::DecideToAbort => {
                state.manager = Manager::Aborts;
                state.sent.insert(Message::Abort);
            }
            Action::ObeyCommit(r) => state.resource[r] = Resource::Committed,
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("consistent", |_, state: &State| {
            let some = |wanted| state.resource.contains(&wanted);
            !(some(Resource::Committed) && some(Resource::Aborted))
        })]
    }
}

/// The state packed by hand: bits of resource managers, and the manager.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Bits {
    ready: u16,
    committed: u16,
    aborted: u16,
    heard: u16,
    prepared: u16,
    manager: u8,
}

struct Packed {
    n: u32,
}

impl Model for Packed {
    type State = Bits;
    type Action = Action;

    fn init_states(&self) -> Vec<Bits> {
        vec![Bits {
            ready: 0,
            committed: 0,
            aborted: 0,
            heard: 0,
            prepared: 0,
            manager: 0,
        }]
    }

    fn actions(&self, state: &Bits, actions: &mut Vec<Action>) {
        let all = (1u32 << self.n) as u16 - 1;
        if state.manager == 0 {
            if state.heard == all {
                actions.push(Action::DecideToCommit);
            }
            actions.push(Action::DecideToAbort);
        }
        let working = all & !(state.ready | state.committed | state.aborted);
        for r in 0..self.n as usize {
            if state.manager == 0 && state.prepared >> r & 1 == 1 {
                actions.push(Action::Hear(r));
            }
            if working >> r & 1 == 1 {
                actions.push(Action::Prepare(r));
                actions.push(Action::GiveUp(r));
            }
            match state.manager {
                1 => actions.push(Action::ObeyCommit(r)),
                2 => actions.push(Action::ObeyAbort(r)),
                _ => {}
            }
        }
    }

    fn next_state(&self, before: &Bits, action: Action) -> Option<Bits> {
        let mut state = before.clone();
        match action {
            Action::Prepare(r) => {
                state.ready |= 1 << r;
                state.prepared |= 1 << r;
            }
            Action::GiveUp(r) | Action::ObeyAbort(r) => {
                state.ready &= !(1 << r);
                state.committed &= !(1 << r);
                state.aborted |= 1 << r;
            }
            Action::Hear(r) => state.heard |= 1 << r,
            Action::DecideToCommit => state.manager = 1,
            Action::DecideToAbort => state.manager = 2,
            Action::ObeyCommit(r) => {
                state.ready &= !(1 << r);
                state.aborted &= !(1 << r);
                state.committed |= 1 << r;
            }
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![Property::always("consistent", |_, state: &Bits| {
            state.committed == 0 || state.aborted == 0
        })]
    }
}

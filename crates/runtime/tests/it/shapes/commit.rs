//! `songs/project/two-phase-commit.song`: rounds until everybody votes yes. A family, a loop whose end
//! everybody knows, free choices, and two types on one pair of roles.

use plainsong_runtime::value::Int;
use plainsong_runtime::{Error, Net, Protocol, Role, Rx, Tx};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The protocol.
pub(crate) struct Commit;

/// Sizes and bounds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Parameters {
    /// How many servers.
    pub(crate) servers: usize,
    /// How many rounds at most.
    pub(crate) rounds: Int,
}

/// Where a server stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Standing {
    /// Nothing was decided.
    Initial,
    /// Everybody voted yes.
    Committed,
    /// Somebody voted no.
    Aborted,
}

/// How a role ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum State {
    /// The coordinator.
    Coordinator {
        /// Rounds played.
        query: Int,
        /// The last votes.
        votes: Vec<bool>,
        /// The last decision.
        commit: bool,
    },
    /// A server.
    Server {
        /// Rounds played.
        query: Int,
        /// Its last vote.
        vote: bool,
        /// The last decision.
        state: Standing,
    },
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

const COORDINATOR: Role = 0;
const FIRST_SERVER: Role = 1;

fn play_coordinator<N: Net>(net: &mut N, parameters: &Parameters) -> Result<State, Error> {
    let servers = FIRST_SERVER..FIRST_SERVER + parameters.servers;
    let mut queries = net.txs::<Int>(servers.clone(), 0)?;
    let mut decisions = net.txs::<bool>(servers.clone(), 1)?;
    let mut from_servers = net.rxs::<bool>(servers, 0)?;
    let mut query = 0;
    let mut votes = vec![false; parameters.servers];
    let mut commit = false;
    let mut left = parameters.rounds;
    loop {
        let more = left > 0;
        for to_server in &mut decisions {
            to_server.send(1, more)?; // server[s].more = coordinator.left > 0
        }
        if !more {
            break;
        }
        query += 1;
        for to_server in &mut queries {
            to_server.send(2, query)?; // server[s].query = coordinator.query
        }
        for (from_server, vote) in from_servers.iter_mut().zip(&mut votes) {
            *vote = from_server.recv(3)?; // coordinator.votes[s] = server[s].vote
        }
        commit = votes.iter().all(|&vote| vote);
        for to_server in &mut decisions {
            to_server.send(4, commit)?; // server[s].commit = coordinator.commit
        }
        left = if commit { 0 } else { left - 1 };
    }
    Ok(State::Coordinator {
        query,
        votes,
        commit,
    })
}

fn play_server<N: Net>(net: &mut N) -> Result<State, Error> {
    let mut to_coordinator = net.tx::<bool>(COORDINATOR, 0)?;
    let mut queries = net.rx::<Int>(COORDINATOR, 0)?;
    let mut decisions = net.rx::<bool>(COORDINATOR, 1)?;
    let mut query = 0;
    let mut vote = false;
    let mut state = Standing::Initial;
    while decisions.recv(1)? {
        query = queries.recv(2)?;
        vote = net.choose(5, 2)? == 1; // server[s].vote = choose bool
        to_coordinator.send(3, vote)?;
        state = if decisions.recv(4)? {
            Standing::Committed
        } else {
            Standing::Aborted
        };
    }
    Ok(State::Server { query, vote, state })
}

impl Protocol for Commit {
    const NAME: &'static str = "two_phase_commit";
    const HASH: u64 = 0x0123_4567_89ab_cdef;
    type Parameters = Parameters;
    type State = State;

    fn parameters(&self) -> Parameters {
        Parameters {
            servers: 3,
            rounds: 2,
        }
    }

    fn set(&self, parameters: &mut Parameters, name: &str, value: &str) -> Result<(), String> {
        let no_number = |_| format!("`{value}` is no number");
        match name {
            "Server" => parameters.servers = value.parse().map_err(no_number)?,
            "rounds" => parameters.rounds = value.parse().map_err(no_number)?,
            _ => return Err(format!("there is no parameter `{name}`")),
        }
        Ok(())
    }

    fn roles(&self, parameters: &Parameters) -> Result<Vec<String>, Error> {
        let servers = (0..parameters.servers).map(|s| format!("server[{s}]"));
        Ok(["coordinator".to_owned()]
            .into_iter()
            .chain(servers)
            .collect())
    }

    fn play<N: Net>(
        &self,
        role: Role,
        net: &mut N,
        parameters: &Parameters,
    ) -> Result<State, Error> {
        if role == COORDINATOR {
            play_coordinator(net, parameters)
        } else {
            play_server(net)
        }
    }
}

//! A round of two-phase commit: a coordinator asks two servers, collects their votes and tells them the
//! decision. Six messages.

use super::Contestant;
use plainsong_runtime::{Cast, Error, Net, Rx, Tx, threads};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

/// Rounds of one run.
pub const ROUNDS: u32 = 10_000;

/// Does a server vote yes?
pub fn vote(server: u32, query: u32) -> bool {
    !(query + server).is_multiple_of(7)
}

pub fn contestants() -> Vec<Contestant> {
    #[allow(unused_mut, reason = "there may be no peers")]
    let mut all = vec![
        Contestant::new("std::sync::mpsc by hand", by_hand),
        Contestant::new("plainsong-runtime, threads", ours),
    ];
    #[cfg(feature = "peers")]
    all.push(Contestant::new("chorus_lib 0.5, local", super::chorus::run));
    all
}

/// One server's channels, at the coordinator.
struct Server {
    query: Sender<u32>,
    decision: Sender<bool>,
    vote: Receiver<bool>,
}

fn by_hand() {
    thread::scope(|scope| {
        let servers: Vec<Server> = (0..2)
            .map(|server| {
                let (query, queries) = mpsc::channel();
                let (decision, decisions) = mpsc::channel();
                let (votes, vote_of) = mpsc::channel();
                scope.spawn(move || {
                    let mut committed = 0_u32;
                    for _ in 0..ROUNDS {
                        let query = queries.recv().unwrap();
                        votes.send(vote(server, query)).unwrap();
                        committed += u32::from(decisions.recv().unwrap());
                    }
                    committed
                });
                Server {
                    query,
                    decision,
                    vote: vote_of,
                }
            })
            .collect();
        for round in 0..ROUNDS {
            for server in &servers {
                server.query.send(round).unwrap();
            }
            let mut commit = true;
            for server in &servers {
                commit &= server.vote.recv().unwrap();
            }
            for server in &servers {
                server.decision.send(commit).unwrap();
            }
        }
    });
}

fn ours() {
    let cast = Cast::new("commit", 1, ["coordinator", "server[0]", "server[1]"]);
    let options = threads::Options::default();
    let ends = threads::run(&cast, &options, |role, net| match role {
        0 => coordinator(net),
        _ => server(net, u32::try_from(role - 1).unwrap_or(0)),
    });
    assert!(ends.iter().all(Result::is_ok));
}

fn coordinator<N: Net>(net: &mut N) -> Result<u32, Error> {
    let mut queries = net.txs::<u32>(1..3, 0)?;
    let mut decisions = net.txs::<bool>(1..3, 1)?;
    let mut votes = net.rxs::<bool>(1..3, 0)?;
    let mut committed = 0;
    for round in 0..ROUNDS {
        for to_server in &mut queries {
            to_server.send(1, round)?;
        }
        let mut commit = true;
        for from_server in &mut votes {
            commit &= from_server.recv(2)?;
        }
        for to_server in &mut decisions {
            to_server.send(3, commit)?;
        }
        committed += u32::from(commit);
    }
    Ok(committed)
}

fn server<N: Net>(net: &mut N, me: u32) -> Result<u32, Error> {
    let mut queries = net.rx::<u32>(0, 0)?;
    let mut decisions = net.rx::<bool>(0, 1)?;
    let mut votes = net.tx::<bool>(0, 0)?;
    let mut committed = 0;
    for _ in 0..ROUNDS {
        let query = queries.recv(1)?;
        votes.send(2, vote(me, query))?;
        committed += u32::from(decisions.recv(3)?);
    }
    Ok(committed)
}

//! Straight-line test programs: one list of operations per thread.

use plainsong_explore::{
    Engine, EventId, Graph, History, Kind, Leaf, Mailbox, Model, Op, Policy, Program, Read, Tally,
    Tid, Visitor,
};
use std::collections::BTreeMap;

/// An operation of a test program; threads and mailboxes are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Do {
    /// Send a message with a tag.
    Send(usize, u8, Model),
    /// Receive any message, or one with this tag.
    Recv(Option<u8>, bool),
    /// Choose one of so many.
    Choose(u32),
    /// End here unless the last receive got something (and this tag, if given).
    Unless(Option<u8>),
}

/// One list of operations per thread.
pub(crate) type Script = Vec<Vec<Do>>;

/// A script as a program: the first thread spawns all others and ends.
pub(crate) struct Scripted<'s> {
    pub(crate) script: &'s Script,
    /// The order in which threads are spawned.
    pub(crate) spawn_order: Vec<usize>,
}

impl Program for Scripted<'_> {
    type Message = u8;
    type Pattern = (Option<u8>, [u32; 1]);

    fn next(&mut self, thread: Tid, history: History<'_, Self>) -> Op<u8, (Option<u8>, [u32; 1])> {
        let done = history.len();
        if thread == 0 {
            return match self.spawn_order.get(done) {
                Some(&child) => Op::Spawn {
                    child: child as u32,
                    daemon: false,
                },
                None => Op::End,
            };
        }
        // Children's numbers are given in the order of spawning.
        let me = self.spawn_order[thread as usize - 1];
        let mut events = 0;
        for step in &self.script[me] {
            if let Do::Unless(wanted) = *step {
                let got = match history.answer(events - 1) {
                    plainsong_explore::Answer::Message(&tag, _) => Some(tag),
                    _ => None,
                };
                if got.is_none() || (wanted.is_some() && wanted != got) {
                    return if events < done {
                        unreachable!("it has ended")
                    } else {
                        Op::End
                    };
                }
                continue;
            }
            if events == done {
                return match *step {
                    Do::Send(to, tag, model) => Op::Send {
                        to: to as u32,
                        model,
                        message: tag,
                    },
                    Do::Recv(pattern, blocking) => Op::Receive {
                        pattern: (pattern, [me as u32]),
                        blocking,
                    },
                    Do::Choose(options) => Op::Choose { options },
                    Do::Unless(_) => unreachable!("handled above"),
                };
            }
            events += 1;
        }
        Op::End
    }

    fn forget(&mut self, _thread: Tid, _kept: usize) {}

    fn mailboxes(pattern: &Self::Pattern) -> &[Mailbox] {
        &pattern.1
    }

    fn keeps_order(earlier: &u8, later: &u8) -> bool {
        earlier >= later
    }

    fn accepts(pattern: &Self::Pattern, message: &u8, _from: Tid) -> bool {
        pattern.0.is_none_or(|wanted| wanted == *message)
    }
}

/// What distinguishes executions: per thread, what each receive read and each choice took.
pub(crate) type Log = Vec<Vec<String>>;

/// Collects the logs of all executions and how often each was seen.
#[derive(Default)]
pub(crate) struct Collected {
    pub(crate) complete: BTreeMap<Log, usize>,
    pub(crate) blocked: BTreeMap<Log, usize>,
    names: Vec<usize>,
}

impl Collected {
    /// For threads spawned in this order.
    pub(crate) fn named(spawn_order: &[usize]) -> Self {
        Collected {
            names: spawn_order.to_vec(),
            ..Collected::default()
        }
    }

    /// Adds what another worker saw.
    pub(crate) fn merge(&mut self, other: Collected) {
        for (log, times) in other.complete {
            *self.complete.entry(log).or_default() += times;
        }
        for (log, times) in other.blocked {
            *self.blocked.entry(log).or_default() += times;
        }
    }
}

impl Visitor<Scripted<'_>> for Collected {
    fn leaf(&mut self, graph: &Graph<Scripted<'_>>, leaf: Leaf) -> bool {
        let log = log(graph, &self.names);
        let map = match leaf {
            Leaf::Complete => &mut self.complete,
            _ => &mut self.blocked,
        };
        *map.entry(log).or_default() += 1;
        true
    }
}

fn log(graph: &Graph<Scripted<'_>>, names: &[usize]) -> Log {
    let mut log = vec![Vec::new(); names.len()];
    for thread in 1..graph.threads() as Tid {
        let lines = &mut log[names[thread as usize - 1]];
        for index in 0..graph.live(thread) {
            let event = graph.event(EventId {
                thread,
                index: index as u32,
            });
            lines.push(match (&event.kind, event.read) {
                (Kind::Receive { .. }, Read::From(send)) => {
                    format!("{}.{}", names[send.thread as usize - 1], send.index)
                }
                (Kind::Receive { .. }, _) => "nothing".to_owned(),
                (Kind::Choose { value, .. }, _) => format!("chose {value}"),
                (Kind::Send { .. }, _) => "sent".to_owned(),
                _ => continue,
            });
        }
    }
    log
}

/// Explores a script, threads spawned in the given order.
pub(crate) fn explore(
    script: &Script,
    spawn_order: &[usize],
    policy: Policy,
) -> (Collected, Tally) {
    let mut program = Scripted {
        script,
        spawn_order: spawn_order.to_vec(),
    };
    let mut collected = Collected::named(spawn_order);
    let tally = Engine::new(&mut program).policy(policy).run(&mut collected);
    (collected, tally)
}

//! Straight-line test programs: one list of operations per thread.

use plainsong_explore::{
    Answer, Engine, EventId, Fate, Graph, History, Kind, Leaf, Mailbox, Mailboxes, Model, Op,
    Policy, Program, Read, Tally, Tid, Visitor, Want,
};
use std::collections::BTreeMap;

/// An operation of a test program; threads and mailboxes are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Do {
    /// Send a message with a tag.
    Send(usize, u8, Model),
    /// Send a message that may be lost, at the cost of this budget.
    Lossy(usize, u8, Model, u32),
    /// Send a message and a copy of it, which costs this budget.
    Twice(usize, u8, Model, u32),
    /// Receive any message, or one with this tag.
    Recv(Option<u8>, bool),
    /// Receive a set of at least and at most so many messages, any or with this tag.
    Set(Option<u8>, u32, u32),
    /// Receive a message from each of the thread's two mailboxes.
    Each,
    /// Perhaps have a fault, at the cost of this budget.
    Fault(u32),
    /// Send a message to whom the last message came from, if there was any; always in `Fifo` order.
    Reply(u8),
    /// Choose one of so many.
    Choose(u32),
    /// End here unless the last receive got something (and this tag, if given).
    Unless(Option<u8>),
}

/// How much there is of each budget.
pub(crate) const BUDGETS: [u32; 3] = [0, 1, 2];

/// A thread's second mailbox.
pub(crate) const SECOND: usize = 8;

/// One list of operations per thread.
pub(crate) type Script = Vec<Vec<Do>>;

/// Any message or one with this tag, from these mailboxes.
pub(crate) type Wanted = (Option<u8>, Vec<Mailbox>);

/// A script as a program: the first thread spawns all others and ends.
pub(crate) struct Scripted<'s> {
    pub(crate) script: &'s Script,
    /// The order in which threads are spawned.
    pub(crate) spawn_order: Vec<usize>,
    /// Which threads are alike.
    pub(crate) families: Vec<Option<u32>>,
}

impl Scripted<'_> {
    fn has(&self, is_meant: fn(&Do) -> bool) -> bool {
        self.script.iter().flatten().any(is_meant)
    }

    /// A message to whom the last message before came from.
    fn reply(&self, history: &History<'_, Self>, before: usize, tag: u8) -> Option<Op<u8, Wanted>> {
        let sender = (0..before)
            .rev()
            .find_map(|index| match history.answer(index) {
                Answer::Message(_, from) => Some(from),
                _ => None,
            })?;
        Some(Op::Send {
            to: self.spawn_order[sender as usize - 1] as u32,
            model: Model::Fifo,
            message: tag,
            fate: Fate::Sure,
        })
    }
}

impl Program for Scripted<'_> {
    type Message = u8;
    type Pattern = Wanted;

    fn next(&mut self, thread: Tid, history: History<'_, Self>) -> Op<u8, Self::Pattern> {
        let done = history.len();
        if thread == 0 {
            return match self.spawn_order.get(done) {
                Some(&child) => Op::Spawn {
                    child: child as u32,
                    daemon: false,
                    family: self.families.get(child).copied().flatten(),
                },
                None => Op::End,
            };
        }
        // Children's numbers are given in the order of spawning.
        let me = self.spawn_order[thread as usize - 1];
        let mut events = 0;
        for step in &self.script[me] {
            if let Do::Unless(wanted) = *step {
                if !goes_on(&history, events - 1, wanted) {
                    return if events < done {
                        unreachable!("it has ended")
                    } else {
                        Op::End
                    };
                }
                continue;
            }
            let mut operations = operations(step, me as u32);
            if let Do::Reply(tag) = *step {
                operations.extend(self.reply(&history, events, tag));
            }
            if done < events + operations.len() {
                return operations
                    .into_iter()
                    .nth(done - events)
                    .expect("one of them");
            }
            events += operations.len();
        }
        Op::End
    }

    fn budgets(&self) -> Vec<u32> {
        match self.has(|step| matches!(step, Do::Lossy(..) | Do::Twice(..) | Do::Fault(_))) {
            true => BUDGETS.to_vec(),
            false => Vec::new(),
        }
    }

    /// Whom it sends to in steps that may be left; replies go to anybody.
    fn outlook(&mut self, thread: Tid, history: History<'_, Self>) -> Option<Mailboxes> {
        if self.has(|step| !is_plain(step)) {
            return None;
        }
        let Some(me) = (thread as usize).checked_sub(1) else {
            return Some(Mailboxes::MAX);
        };
        let steps = self.script[self.spawn_order[me]].iter();
        let (mut at_most, mut open) = (0, 0);
        for step in steps {
            at_most += usize::from(!matches!(step, Do::Unless(_)));
            open |= match step {
                Do::Send(to, ..) if at_most > history.len() => 1 << to,
                Do::Reply(_) if at_most > history.len() => Mailboxes::MAX,
                _ => 0,
            };
        }
        Some(open)
    }

    /// How far it is, what it got last, and from whom there was a message last.
    fn standing(&mut self, _: Tid, history: History<'_, Self>, into: &mut Vec<u32>) {
        let done = history.len();
        let tag = match done.checked_sub(1).map(|last| history.answer(last)) {
            Some(Answer::Message(&tag, _)) => u32::from(tag),
            _ => u32::MAX,
        };
        let sender = (0..done)
            .rev()
            .find_map(|index| match history.answer(index) {
                Answer::Message(_, from) => Some(from),
                _ => None,
            });
        into.extend([done as u32, tag, sender.unwrap_or(u32::MAX)]);
    }

    fn number(message: &u8) -> u32 {
        u32::from(*message)
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

/// Is it about single messages that are all there?
fn is_plain(step: &Do) -> bool {
    matches!(
        step,
        Do::Send(..) | Do::Recv(..) | Do::Choose(_) | Do::Reply(_) | Do::Unless(_)
    )
}

/// Did the receive before get something, and the wanted tag?
fn goes_on(history: &History<'_, Scripted<'_>>, index: usize, wanted: Option<u8>) -> bool {
    let got = match history.answer(index) {
        Answer::Message(&tag, _) => Some(tag),
        Answer::Messages => history.messages(index).map(|(&tag, _)| tag).max(),
        _ => None,
    };
    got.is_some() && (wanted.is_none() || wanted == got)
}

/// What a step does, one operation after the other.
fn operations(step: &Do, me: u32) -> Vec<Op<u8, Wanted>> {
    let send = |to: usize, message, model, fate| Op::Send {
        to: to as u32,
        model,
        message,
        fate,
    };
    let receive = |tag, want| Op::Receive {
        pattern: (tag, vec![me]),
        want,
    };
    match *step {
        Do::Send(to, tag, model) => vec![send(to, tag, model, Fate::Sure)],
        Do::Lossy(to, tag, model, budget) => vec![send(to, tag, model, Fate::Lossy(budget))],
        Do::Twice(to, tag, model, budget) => vec![
            send(to, tag, model, Fate::Sure),
            send(to, tag, model, Fate::Copy(budget)),
        ],
        Do::Recv(tag, true) => vec![receive(tag, Want::One)],
        Do::Recv(tag, false) => vec![receive(tag, Want::Maybe)],
        Do::Set(tag, least, most) => vec![receive(tag, Want::Set { least, most })],
        Do::Each => vec![Op::Receive {
            pattern: (None, vec![me, me + SECOND as u32]),
            want: Want::Each,
        }],
        Do::Choose(options) => vec![Op::Choose {
            options,
            budget: None,
        }],
        Do::Fault(budget) => vec![Op::Choose {
            options: 2,
            budget: Some(budget),
        }],
        Do::Reply(_) => Vec::new(),
        Do::Unless(_) => unreachable!("no operation"),
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
                (Kind::Receive { .. }, Read::Lost) => continue,
                (Kind::Receive { want, .. }, _) if !matches!(want, Want::One | Want::Maybe) => {
                    let mut sends: Vec<(usize, u32)> = event
                        .reads()
                        .map(|send| (names[send.thread as usize - 1], send.index))
                        .collect();
                    sends.sort_unstable();
                    format!("{sends:?}")
                }
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
        families: Vec::new(),
    };
    let mut collected = Collected::named(spawn_order);
    let tally = Engine::new(&mut program).policy(policy).run(&mut collected);
    (collected, tally)
}

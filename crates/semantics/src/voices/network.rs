//! The network: messages in flight, under four delivery models at once.
//!
//! A receive may take an unread message that it accepts unless an older one *of the same model* to
//! the same receiver, which it accepts too, has precedence:
//!
//! - `unordered`: none has;
//! - `fifo`: those of the same sender have;
//! - `causal`: those in its causal past have;
//! - `mailbox`: all older ones have.
//!
//! A message that is not accepted has precedence over nothing, so a selective receive overtakes it.
//!
//! *Causal past.* Causality is program order and reads-from, through messages of every model, and
//! `init` before everything. What matters of it is which unread `causal` messages lie in the past of
//! a process, so each process has that set and each message carries its sender's. A message that is
//! read leaves all sets.
//!
//! *Why `init` is before everything.* No process takes a step until `init` has run, so whatever a
//! process does, it does because `init` is over, as a thread runs because it was spawned. A process
//! needs no message to learn that: what `init` sends is in the past of all that processes send. The
//! alternative, that `init` is a sender like others which happens to be first, would let a receive
//! take a message before one that was sent when the sender of the first had not even begun.
//!
//! To `fifo`, `init` is one sender: what it sends to one receiver stays in order among itself, and
//! is in no order with what processes send. To `mailbox` it is older than all the rest.
//!
//! The unread `causal` messages of `init` are thus the same part of every process's past. They are
//! kept once, in the row of `init`, and left out of the rows of processes, so that equal pasts are
//! equal data; a message carries them like the rest of its past.
//!
//! *Normal form.* Only the order that some model looks at is kept: `causal` messages stand first, by
//! receiver and sender (so that sets of them can be compared), then `unordered` ones sorted, `fifo`
//! ones by receiver and sender, `mailbox` ones by receiver, each group in the order of sending.

use crate::eval::Result;
use crate::mark::Mark;
use crate::value::{Pid, Value};
use plainsong_ir::{Delivery, MessageId};
use std::cmp::Ordering;
use std::sync::Arc;

/// A message in flight.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct InFlight {
    pub(crate) model: Delivery,
    /// Its receiver.
    pub(crate) to: Pid,
    /// Its sender.
    pub(crate) from: Pid,
    pub(crate) kind: MessageId,
    pub(crate) payload: Arc<[Value]>,
    /// Unread `causal` messages in its causal past, as positions in the network, ascending.
    past: Vec<u32>,
    /// Its number in a trace.
    pub(crate) number: Mark,
}

impl InFlight {
    /// How much there is to copy: itself and its past.
    pub(crate) fn weight(&self) -> usize {
        1 + self.past.len()
    }

    /// The message by itself, whatever else is in flight.
    pub(crate) fn without_past(&self) -> InFlight {
        InFlight {
            past: Vec::new(),
            ..self.clone()
        }
    }
}

/// All messages in flight.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Network {
    messages: Vec<InFlight>,
    /// Unread `causal` messages sent by `init`, then the others in the past of each process; trailing
    /// empty rows are left out.
    pasts: Vec<Vec<u32>>,
    /// How many messages were ever sent.
    sent: Mark,
}

impl Network {
    /// No messages.
    pub(crate) fn new() -> Self {
        Network {
            messages: Vec::new(),
            pasts: Vec::new(),
            sent: Mark(0),
        }
    }

    /// The messages, in normal form.
    pub(crate) fn messages(&self) -> &[InFlight] {
        &self.messages
    }

    /// How many messages were ever sent: the number of the next one.
    pub(crate) fn sent(&self) -> u64 {
        self.sent.0
    }

    /// With other names: who each process becomes, and how a payload is renamed.
    pub(crate) fn renamed(
        &self,
        pid: impl Fn(Pid) -> Pid,
        payload: impl Fn(MessageId, &Arc<[Value]>) -> Arc<[Value]>,
    ) -> Network {
        let renamed = |message: &InFlight| InFlight {
            to: pid(message.to),
            from: pid(message.from),
            payload: payload(message.kind, &message.payload),
            ..message.clone()
        };
        let mut network = Network {
            messages: self.messages.iter().map(renamed).collect(),
            pasts: Vec::new(),
            sent: self.sent,
        };
        for (at, past) in self.pasts.iter().enumerate() {
            let of = at
                .checked_sub(1)
                .map_or(Pid::Init, |at| pid(Pid::Member(at as u32)));
            if !past.is_empty() {
                network.past_of(of).clone_from(past);
            }
        }
        network.normalise();
        network
    }

    /// Sends a message.
    pub(crate) fn send(
        &mut self,
        from: Pid,
        to: Pid,
        model: Delivery,
        kind: MessageId,
        payload: Vec<Value>,
    ) {
        let position = self.messages.len() as u32;
        let past = self.past_at(from);
        if model == Delivery::Causal {
            self.past_of(from).push(position);
        }
        let number = self.sent;
        self.messages.push(InFlight {
            model,
            to,
            from,
            kind,
            payload: payload.into(),
            past,
            number,
        });
        self.sent.0 += 1;
    }

    /// Takes the message at `position` out: its receiver reads it.
    pub(crate) fn take(&mut self, position: usize) -> InFlight {
        let mut taken = self.messages.remove(position);
        let gone = position as u32;
        forget(&mut taken.past, gone);
        self.messages
            .iter_mut()
            .for_each(|message| forget(&mut message.past, gone));
        self.pasts.iter_mut().for_each(|past| forget(past, gone));
        let known = self.sent_by_init();
        let learnt: Vec<u32> = taken
            .past
            .iter()
            .filter(|at| !known.contains(at))
            .copied()
            .collect();
        if !learnt.is_empty() {
            let receiver = self.past_of(taken.to);
            receiver.extend(learnt);
            receiver.sort_unstable();
            receiver.dedup();
        }
        taken
    }

    /// Takes the message at `position` out: nobody reads it.
    pub(crate) fn lose(&mut self, position: usize) {
        self.messages.remove(position);
        let gone = position as u32;
        self.messages
            .iter_mut()
            .for_each(|message| forget(&mut message.past, gone));
        self.pasts.iter_mut().for_each(|past| forget(past, gone));
    }

    /// Takes out the messages that `which` picks, without anybody reading them. None is `causal`, and no
    /// `causal` message is in flight.
    pub(crate) fn split_off(&mut self, which: impl Fn(&InFlight) -> bool) -> Vec<InFlight> {
        let (out, stay) = std::mem::take(&mut self.messages)
            .into_iter()
            .partition(which);
        self.messages = stay;
        out
    }

    /// Replaces every payload; the caller makes sure that their order stays the same.
    pub(crate) fn payloads(&mut self, new: impl Fn(MessageId, &[Value]) -> Arc<[Value]>) {
        for message in &mut self.messages {
            message.payload = new(message.kind, &message.payload);
        }
        self.normalise();
    }

    /// Puts a message back that was split off; the caller brings the rest into normal form.
    pub(crate) fn put_back(&mut self, message: InFlight) {
        self.messages.push(message);
    }

    /// Sends a copy of the message at `position`, as if its sender did it again now: whatever the model, it
    /// comes after what its sender has sent so far. So what can happen under a stricter model can happen
    /// under a weaker one, with copies as without.
    pub(crate) fn double(&mut self, position: usize) {
        let InFlight {
            model,
            to,
            from,
            kind,
            ref payload,
            ..
        } = self.messages[position];
        let payload = payload.to_vec();
        self.send(from, to, model, kind, payload);
    }

    /// The messages that a receive of `to` may take: those that `accepts` accepts and no model
    /// refuses, by position. A message whose acceptance fails counts; one that is refused anyway is
    /// not even looked at.
    pub(crate) fn available<T>(
        &self,
        to: Pid,
        mut accepts: impl FnMut(&InFlight) -> Result<Option<T>>,
    ) -> Vec<(usize, Result<T>)> {
        let mut order: Vec<usize> = (0..self.messages.len())
            .filter(|at| self.messages[*at].to == to)
            .collect();
        order.sort_by_key(|at| self.age(*at));
        let mut available: Vec<(usize, Result<T>)> = Vec::new();
        for at in order {
            if available
                .iter()
                .any(|(first, _)| self.has_precedence(*first, at))
            {
                continue;
            }
            match accepts(&self.messages[at]) {
                Ok(None) => {}
                Ok(Some(how)) => available.push((at, Ok(how))),
                Err(failure) => available.push((at, Err(failure))),
            }
        }
        available.sort_by_key(|(at, _)| *at);
        available
    }

    /// Brings the messages into normal form.
    pub(crate) fn normalise(&mut self) {
        self.reorder(causal_first);
        self.reorder(|a, b| causal_first(a, b).then_with(|| by_model(a, b)));
        while self.pasts.pop_if(|past| past.is_empty()).is_some() {}
    }

    /// A number that is smaller for whatever may have precedence. Among `causal` messages, an effect
    /// has a larger past than its causes; others stand in the order of sending, where it matters.
    fn age(&self, at: usize) -> (bool, usize) {
        let message = &self.messages[at];
        match message.model {
            Delivery::Causal => (false, message.past.len()),
            _ => (true, at),
        }
    }

    /// Given that both are accepted by one receive, must `first` be taken before `second`?
    fn has_precedence(&self, first: usize, second: usize) -> bool {
        let (a, b) = (&self.messages[first], &self.messages[second]);
        a.model == b.model
            && match a.model {
                Delivery::Unordered => false,
                Delivery::Fifo => a.from == b.from && first < second,
                Delivery::Causal => b.past.contains(&(first as u32)),
                Delivery::Mailbox => first < second,
            }
    }

    /// The unread `causal` messages of `init`.
    fn sent_by_init(&self) -> &[u32] {
        self.pasts.first().map_or(&[], Vec::as_slice)
    }

    /// The past of what `pid` does next: all that it knows of, and `init`.
    fn past_at(&self, pid: Pid) -> Vec<u32> {
        let mut past = self.sent_by_init().to_vec();
        if pid != Pid::Init {
            past.extend(self.pasts.get(row(pid)).into_iter().flatten());
            past.sort_unstable();
        }
        past
    }

    /// The row of `pid`.
    fn past_of(&mut self, pid: Pid) -> &mut Vec<u32> {
        let row = row(pid);
        if self.pasts.len() <= row {
            self.pasts.resize(row + 1, Vec::new());
        }
        &mut self.pasts[row]
    }

    fn reorder(&mut self, order: impl Fn(&InFlight, &InFlight) -> Ordering) {
        let in_order = |pair: &[InFlight]| order(&pair[0], &pair[1]) != Ordering::Greater;
        if self.messages.windows(2).all(in_order) {
            return;
        }
        let mut tagged: Vec<(u32, InFlight)> =
            (0..).zip(std::mem::take(&mut self.messages)).collect();
        tagged.sort_by(|(_, a), (_, b)| order(a, b));
        let mut moved = vec![0; tagged.len()];
        for (new, (old, _)) in tagged.iter().enumerate() {
            moved[*old as usize] = new as u32;
        }
        self.messages = tagged.into_iter().map(|(_, message)| message).collect();
        let pasts = self.messages.iter_mut().map(|message| &mut message.past);
        for past in pasts.chain(&mut self.pasts) {
            past.iter_mut().for_each(|at| *at = moved[*at as usize]);
            past.sort_unstable();
        }
    }
}

/// Where the past of a process is kept: `init` first.
fn row(pid: Pid) -> usize {
    pid.member().map_or(0, |member| member + 1)
}

/// Removes `gone` from a set of positions and closes the gap.
fn forget(past: &mut Vec<u32>, gone: u32) {
    past.retain(|at| *at != gone);
    past.iter_mut()
        .filter(|at| **at > gone)
        .for_each(|at| *at -= 1);
}

/// `causal` messages by receiver and sender, then all others as they are.
fn causal_first(a: &InFlight, b: &InFlight) -> Ordering {
    match (a.model == Delivery::Causal, b.model == Delivery::Causal) {
        (true, true) => (a.to, a.from).cmp(&(b.to, b.from)),
        (false, false) => Ordering::Equal,
        (a, b) => b.cmp(&a),
    }
}

/// The order among messages that are not `causal`.
fn by_model(a: &InFlight, b: &InFlight) -> Ordering {
    match (a.model, b.model) {
        (Delivery::Causal, Delivery::Causal) => Ordering::Equal,
        (Delivery::Unordered, Delivery::Unordered) => a.cmp(b),
        (Delivery::Fifo, Delivery::Fifo) => (a.to, a.from).cmp(&(b.to, b.from)),
        (Delivery::Mailbox, Delivery::Mailbox) => a.to.cmp(&b.to),
        (a, b) => a.cmp(&b),
    }
}

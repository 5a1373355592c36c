//! What an order of delivery has to fulfil, checked on random executions.
//!
//! Statement. The search is exact for models of delivery with three properties ([Must24] section
//! 3.2.1). Call an execution *consistent* when the model allows it.
//! - No causal cycles: in a consistent execution nothing depends on itself.
//! - Closed under prefixes: what is left of a consistent execution, when events are removed together
//!   with everything that depends on them, is consistent.
//! - Extensible: a consistent execution can be extended by a send, by a receive that does not wait, and
//!   by a receive that waits if a message is there for it.
//!
//! An [`Order`] has them if it is a function of the two messages it is asked about; that is checked
//! too, because it is what goes wrong in practice.
//!
//! How. Small executions grow at random, event by event, among those that the model allows. At each
//! step the three properties are looked at directly, by their definition: nothing here is shared with
//! the engine. NOT COVERED: set receives, and mailboxes with several receivers.

mod consistency;
mod sketch;

use crate::message::Message;
use crate::order::Order;
use consistency::Answers;
use plainsong_explore::next_random;
use sketch::{Deed, Place, Sketch};
use std::error::Error;
use std::fmt;

/// Checks on random executions that an order of delivery is one that can be explored exactly.
///
/// The messages are examples of what the order tells apart; they are sent with and without tags, by
/// several processes.
///
/// ```
/// use plainsong::{check_order, AnyMessage, Delivery, Law};
/// use std::sync::atomic::{AtomicU32, Ordering};
///
/// check_order(&Delivery::Causal, &[1, 2]).unwrap();
///
/// static ASKED: AtomicU32 = AtomicU32::new(0);
/// let moody = |_: &AnyMessage, _: &AnyMessage| ASKED.fetch_add(1, Ordering::Relaxed) % 3 == 0;
/// let broken = check_order(&moody, &[1, 2]).unwrap_err();
/// assert_eq!(broken.law, Law::Function);
/// ```
///
/// # Panics
///
/// When there are no messages to send, and when the order panics.
#[track_caller]
pub fn check_order<T: Message>(order: &dyn Order, messages: &[T]) -> Result<(), BrokenLaw> {
    assert!(
        !messages.is_empty(),
        "`check_order` needs at least one message to send"
    );
    let answers = Answers::of(order);
    let consistent = |execution: &Sketch| answers.allow(execution);
    for seed in 0..EXECUTIONS {
        let mut random = Random(seed);
        let grown = grow(&mut random, messages, &consistent);
        answers.have_not_changed()?;
        grown?;
    }
    Ok(())
}

/// What an order of delivery has to fulfil.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// The answer depends on nothing but the two messages.
    Function,
    /// Nothing depends on itself.
    Acyclic,
    /// What is left of a possible execution, without its last events, is possible.
    Prefixes,
    /// A possible execution goes on: sends are always possible, and a receive gets one of the
    /// messages that are there for it.
    Extensible,
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Law::Function => "the answer has to depend on the two messages only",
            Law::Acyclic => "no event may depend on itself",
            Law::Prefixes => {
                "what is left of an execution without its last events must be possible"
            }
            Law::Extensible => "an execution must be able to go on",
        })
    }
}

/// A law that an order of delivery breaks, with an execution that shows it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BrokenLaw {
    /// Which one.
    pub law: Law,
    /// What happened, in a sentence.
    pub message: String,
    /// The execution, a line for each process; empty when it does not matter.
    pub execution: String,
}

impl BrokenLaw {
    fn new(law: Law, message: String, execution: &Sketch) -> Self {
        BrokenLaw {
            law,
            message,
            execution: execution.to_string(),
        }
    }
}

impl fmt::Display for BrokenLaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.law, self.message)?;
        if !self.execution.is_empty() {
            write!(f, "\n{}", self.execution.trim_end())?;
        }
        Ok(())
    }
}

impl Error for BrokenLaw {}

const EXECUTIONS: u64 = 300;
const EVENTS: usize = 14;

/// Does a model allow an execution?
type Consistent<'c> = &'c dyn Fn(&Sketch) -> bool;

/// Grows one execution, and looks at the laws on the way.
fn grow<T: Message>(
    random: &mut Random,
    messages: &[T],
    consistent: Consistent<'_>,
) -> Result<(), BrokenLaw> {
    let mut execution = Sketch::new(2 + random.below(3));
    for _ in 0..EVENTS {
        let process = random.below(execution.processes());
        if random.below(2) == 0 {
            let message = messages[random.below(messages.len())].clone();
            let (to, tag) = (random.below(2), random.tag());
            execution = extended_by_send(&execution, process, to, tag, message, consistent)?;
        } else {
            let (tag, waits) = (random.tag(), random.below(2) == 0);
            execution = extended_by_receive(&execution, process, tag, waits, random, consistent)?;
        }
        has_no_cycles(&execution, random, consistent)?;
        for _ in 0..2 {
            has_prefix(&execution, random, consistent)?;
        }
    }
    Ok(())
}

fn extended_by_send<T: Message>(
    execution: &Sketch,
    process: usize,
    to: usize,
    tag: Option<u32>,
    message: T,
    consistent: Consistent<'_>,
) -> Result<Sketch, BrokenLaw> {
    let mut longer = execution.clone();
    let send = longer.send(process, to, tag, message);
    if consistent(&longer) {
        return Ok(longer);
    }
    let message = format!("{} should always be possible", longer.describe(send));
    Err(BrokenLaw::new(Law::Extensible, message, execution))
}

/// Adds a receive, and lets it take one of the messages that it may take. A receive that has to wait
/// is left out.
fn extended_by_receive(
    execution: &Sketch,
    process: usize,
    tag: Option<u32>,
    waits: bool,
    random: &mut Random,
    consistent: Consistent<'_>,
) -> Result<Sketch, BrokenLaw> {
    let mut longer = execution.clone();
    let receive = longer.receive(process, tag, waits);
    let open = longer.open(receive);
    let mut possible: Vec<Sketch> = Vec::new();
    for &send in &open {
        longer.set_read(receive, Some(send));
        if consistent(&longer) {
            possible.push(longer.clone());
        }
    }
    if !open.is_empty() && possible.is_empty() {
        let message = format!(
            "{} must get one of {} messages, and may get none of them",
            longer.describe(receive),
            open.len()
        );
        return Err(BrokenLaw::new(Law::Extensible, message, execution));
    }
    if !waits {
        longer.set_read(receive, None);
        if !consistent(&longer) {
            let message = format!("{} may always get nothing", longer.describe(receive));
            return Err(BrokenLaw::new(Law::Extensible, message, execution));
        }
        possible.push(longer);
    }
    match possible.len() {
        0 => Ok(execution.clone()),
        count => Ok(possible.swap_remove(random.below(count))),
    }
}

/// A receive cannot take what is sent because of it.
fn has_no_cycles(
    execution: &Sketch,
    random: &mut Random,
    consistent: Consistent<'_>,
) -> Result<(), BrokenLaw> {
    let receives = execution.places(|deed| matches!(deed, Deed::Receive { .. }));
    if receives.is_empty() {
        return Ok(());
    }
    let receive = receives[random.below(receives.len())];
    for send in execution.places(|deed| matches!(deed, Deed::Send { .. })) {
        if execution.wants(receive, send) && execution.past(send).contains(&receive) {
            let mut cyclic = execution.clone();
            cyclic.set_read(receive, Some(send));
            if consistent(&cyclic) {
                let message = format!("{} is sent because of it", cyclic.describe(receive));
                return Err(BrokenLaw::new(Law::Acyclic, message, &cyclic));
            }
        }
    }
    Ok(())
}

/// Removes an event or two with everything that depends on them.
fn has_prefix(
    execution: &Sketch,
    random: &mut Random,
    consistent: Consistent<'_>,
) -> Result<(), BrokenLaw> {
    let all: Vec<Place> = execution.places(|_| true);
    if all.is_empty() {
        return Ok(());
    }
    let mut prefix = execution.clone();
    let mut removed = Vec::new();
    for _ in 0..1 + random.below(2) {
        let event = all[random.below(all.len())];
        removed.push(execution.describe(event));
        prefix = prefix.without(event);
    }
    if consistent(&prefix) {
        return Ok(());
    }
    let message = format!(
        "this execution is possible, but not without {} and what depends on it",
        removed.join(", ")
    );
    Err(BrokenLaw::new(Law::Prefixes, message, execution))
}

/// A splitmix sequence.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        (next_random(&mut self.0) % n as u64) as usize
    }

    /// Often none.
    fn tag(&mut self) -> Option<u32> {
        (self.below(3) == 0).then(|| self.below(2) as u32)
    }
}

#[cfg(test)]
mod tests;

//! Receiving a set of messages at once.
//!
//! A process that collects votes, or looks through its mailbox once in a while, does not care in which
//! order the messages came. One receive of a set is then one event, and orders that make no
//! difference are not explored: three messages of three senders are one set, not six orders.

use crate::channel::Receiver;
use crate::message::Message;
use crate::receive::{Messages, messages, receive_wanted, value};
use crate::task::{Fed, Task, cannot_receive_now};
use plainsong_explore::Want;
use std::ops::{Bound, RangeBounds};
use std::panic::Location;

/// Takes all messages of type `T` that have arrived: any set of those that could have, or none.
///
/// Which of the messages sent so far have arrived is explored: each set is an execution of its own,
/// as the order of delivery allows. The messages come in no particular order; see
/// [`Messages::inbox`] for numbers and conditions.
///
/// ```
/// use plainsong::{current, inbox, spawn, send};
///
/// let report = plainsong::explore(|| {
///     let main = current();
///     for n in 1..=3 {
///         spawn(move || send(main, n));
///     }
///     let arrived: Vec<i32> = inbox();
///     assert!(arrived.len() <= 3);
/// });
/// assert_eq!(report.executions, 8);
/// ```
#[track_caller]
pub fn inbox<T: Message>() -> Vec<T> {
    messages().inbox(..)
}

impl<T: Message> Messages<T> {
    /// Takes a set of messages at once, and waits until there are enough of them.
    ///
    /// The numbers say how many: `2..` waits for two and takes two or more, `..=3` takes up to three
    /// and does not wait. In the order of [`Delivery::Fifo`](crate::Delivery::Fifo), a message is in
    /// the set only if the older ones of its sender are, and so on.
    ///
    /// ```
    /// use plainsong::{current, messages, spawn, send};
    ///
    /// let report = plainsong::explore(|| {
    ///     let main = current();
    ///     for voter in ["ann", "bob", "cem"] {
    ///         spawn(move || send(main, voter));
    ///     }
    ///     let quorum = messages::<&str>().inbox(2..=2);
    ///     assert_eq!(quorum.len(), 2);
    /// });
    /// assert_eq!(report.executions, 3);
    /// ```
    ///
    /// # Panics
    ///
    /// When the numbers are an empty range.
    #[track_caller]
    pub fn inbox(self, numbers: impl RangeBounds<usize>) -> Vec<T> {
        let (least, most) = bounds(&numbers);
        assert!(
            least <= most,
            "no number of messages is in {least}..={most}"
        );
        let Some(task) = Task::live("inbox") else {
            if least > 0 {
                cannot_receive_now("inbox");
            }
            return Vec::new();
        };
        let location = Location::caller();
        let arms = [self.arm];
        // What a future that was dropped has received belongs to whoever receives next.
        let mut taken = Vec::new();
        while taken.len() < most as usize
            && let Some(message) = task.waits.unused(&arms)
        {
            taken.push(message);
        }
        let count = taken.len() as u32;
        let want = Want::Set {
            least: least.saturating_sub(count),
            most: most - count,
        };
        match receive_wanted(&task, &arms, location, want, Vec::new()) {
            Fed::Messages(messages) => taken.extend(messages),
            _ => task.unfit("receive a set of messages", location),
        }
        taken.iter().map(|message| value(message)).collect()
    }
}

impl<T: Message> Receiver<T> {
    /// Takes a set of messages at once: see [`Messages::inbox`].
    ///
    /// ```
    /// use plainsong::channel;
    ///
    /// let report = plainsong::explore(|| {
    ///     let (sender, receiver) = channel("numbers");
    ///     (1..=3).for_each(|n| sender.send(n));
    ///     let arrived = receiver.inbox(..);
    ///     assert!(arrived.iter().copied().eq(1..=arrived.len()));
    /// });
    /// assert_eq!(report.executions, 4);
    /// ```
    #[track_caller]
    pub fn inbox(&self, numbers: impl RangeBounds<usize>) -> Vec<T> {
        self.messages().inbox(numbers)
    }
}

fn bounds(numbers: &impl RangeBounds<usize>) -> (u32, u32) {
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let least = match numbers.start_bound() {
        Bound::Included(&n) => number(n),
        Bound::Excluded(&n) => number(n).saturating_add(1),
        Bound::Unbounded => 0,
    };
    let most = match numbers.end_bound() {
        Bound::Included(&n) => number(n),
        Bound::Excluded(&n) => match n.checked_sub(1) {
            Some(n) => number(n),
            None => panic!("no number of messages is below 0"),
        },
        Bound::Unbounded => u32::MAX,
    };
    (least, most)
}

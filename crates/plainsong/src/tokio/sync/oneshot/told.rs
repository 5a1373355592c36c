//! A sender that finds out how to copy and show what it sends.

use super::AnySender;
use crate::message::{know_both, told};
use std::fmt::Debug;

told! {
    /// Sends the value.
    ///
    /// It can travel in messages, which is why it is `Clone`; whoever clones it otherwise is told so.
    Sender over AnySender, know_both: Clone + Debug {}
}

impl<T> Sender<T> {
    pub(super) fn over(any: AnySender<T>) -> Self {
        Sender(any)
    }
}

impl<T> Clone for Sender<T> {
    #[track_caller]
    fn clone(&self) -> Self {
        Sender(self.0.clone())
    }
}

impl<T: 'static> Sender<T> {
    /// Was the receiver dropped?
    #[track_caller]
    pub fn is_closed(&self) -> bool {
        self.0.is_closed()
    }
}

impl<T: Clone + Debug + 'static> Sender<T> {
    /// Sends the value; never waits.
    ///
    /// # Errors
    ///
    /// The value, when the receiver was dropped. If that happens at the same time, both outcomes are
    /// explored.
    ///
    /// ```
    /// use plainsong::tokio::sync::oneshot;
    ///
    /// plainsong::explore(|| {
    ///     let (sender, receiver) = oneshot::channel();
    ///     drop(receiver);
    ///     assert_eq!(sender.send(1), Err(1));
    /// })
    /// .assert_holds();
    /// ```
    #[track_caller]
    pub fn send(self, value: T) -> Result<(), T> {
        know_both::<T>();
        self.0.send(value)
    }
}

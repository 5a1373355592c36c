//! A sender that finds out how to copy the value.

use super::{AnySender, Ref, error};
use crate::message::told;

told! {
    /// Changes the value.
    Sender over AnySender, know_clone: Clone {
        fn send(value: T) -> Result<(), error::SendError<T>>;
        fn send_replace(value: T) -> T;
        fn borrow() -> Ref<T>;
    }
}

impl<T> Sender<T> {
    pub(super) fn over(any: AnySender<T>) -> Self {
        Sender(any)
    }
}

//! Stopping early: Ctrl-C stops everything, a finished race stops the others.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that can be raised once and is seen by everybody who holds a copy or descends from it.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Flag>);

#[derive(Debug, Default)]
struct Flag {
    raised: AtomicBool,
    outer: Option<Cancel>,
}

impl Cancel {
    /// A flag that also counts as raised when this one is.
    pub fn child(&self) -> Cancel {
        Cancel(Arc::new(Flag {
            raised: AtomicBool::new(false),
            outer: Some(self.clone()),
        }))
    }

    /// Raises it.
    pub fn cancel(&self) {
        self.0.raised.store(true, Ordering::SeqCst);
    }

    /// Is it raised, or the one it descends from?
    pub fn is_cancelled(&self) -> bool {
        let mut next = Some(self);
        while let Some(Cancel(flag)) = next {
            if flag.raised.load(Ordering::SeqCst) {
                return true;
            }
            next = flag.outer.as_ref();
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_stops_alone_but_not_without_its_parent() {
        let all = Cancel::default();
        let (one, other) = (all.child(), all.child());
        one.cancel();
        assert!(one.is_cancelled() && !other.is_cancelled() && !all.is_cancelled());
        all.cancel();
        assert!(other.is_cancelled());
    }
}

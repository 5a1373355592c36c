//! Who says when to stop.

use plainsong_semantics::search::Watch;
use plainsong_smt::Cancel;

/// Somebody who may end an attempt: the clock, the user.
pub trait Supervisor: Watch {
    /// Why it is time to stop, if it is, for a verdict's reason.
    fn reason_to_stop(&mut self) -> Option<String>;

    /// Raised once it is time to stop, for whoever waits for a solver.
    fn cancel(&self) -> Cancel;

    /// Does some work whose flag is raised once it is time to stop.
    fn watch_over(&mut self, work: &mut dyn FnMut(&Cancel));
}

impl dyn Supervisor + '_ {
    pub(crate) fn is_over(&mut self) -> bool {
        self.reason_to_stop().is_some()
    }

    /// What some work comes to that looks at nothing but its flag.
    pub(crate) fn while_working<T>(&mut self, work: impl FnOnce(&Cancel) -> T) -> T {
        let (mut work, mut result) = (Some(work), None);
        self.watch_over(&mut |cancel| {
            result = work.take().map(|work| work(cancel));
        });
        result.expect("work that is watched over is done")
    }
}

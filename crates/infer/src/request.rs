//! What is asked, and which instances are small enough to run.

use plainsong_ir::{Delivery, Song};
use plainsong_semantics::instance::{Instance, InstanceError};
use plainsong_semantics::machine::Subject;
use plainsong_semantics::search::{Limits, Question};
use plainsong_semantics::sizes::{Bounds, Sizes};
use std::sync::Arc;

/// Questions about one subject, with the instances that runs are looked for in.
#[derive(Clone, Debug)]
pub struct Asked {
    pub song: Arc<Song>,
    /// What is run.
    pub subject: Subject,
    /// What is asked; all about `subject`.
    pub questions: Vec<Question>,
    /// Sizes to try, in this order.
    pub sizes: Vec<Sizes>,
    /// The next ones, where nobody chose any.
    pub further: Vec<Sizes>,
    /// Which integers are tried where infinitely many could be.
    pub bounds: Bounds,
    /// When to give up.
    pub limits: Limits,
    /// One delivery model for all messages, instead of the declared ones.
    pub delivery: Option<Delivery>,
}

impl Asked {
    /// The instances of some sizes.
    pub fn instances(&self, sizes: &Sizes) -> Result<Vec<Instance>, InstanceError> {
        let instances = Instance::all(self.song.clone(), sizes, &self.bounds)?;
        let delivered = |instance: Instance| instance.with_delivery(self.delivery);
        Ok(instances.into_iter().map(delivered).collect())
    }
}

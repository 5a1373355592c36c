//! How the cache takes part in a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Whether answers are looked up and kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheMode {
    /// Answers are looked up and kept.
    #[default]
    Use,
    /// Answers are kept, but everything is asked again.
    Refresh,
    /// Nothing is looked up, and nothing is kept.
    Off,
}

/// How the cache takes part, and how often it did. Clones share the count, so several sets of solvers can be
/// watched together.
#[derive(Clone, Debug, Default)]
pub struct Caching {
    /// Whether it does.
    pub mode: CacheMode,
    hits: Arc<AtomicU64>,
}

impl Caching {
    /// In this mode, with nothing counted yet.
    pub fn new(mode: CacheMode) -> Caching {
        Caching {
            mode,
            hits: Arc::default(),
        }
    }

    /// The same count, in another mode.
    pub fn in_mode(&self, mode: CacheMode) -> Caching {
        Caching {
            mode,
            hits: Arc::clone(&self.hits),
        }
    }

    /// How many entries of earlier runs were used so far.
    pub fn hits(&self) -> u64 {
        self.hits.load(Ordering::SeqCst)
    }

    /// One more was used.
    pub(crate) fn count(&self) {
        self.hits.fetch_add(1, Ordering::SeqCst);
    }
}

/// The count makes no difference to an answer.
impl PartialEq for Caching {
    fn eq(&self, other: &Caching) -> bool {
        self.mode == other.mode
    }
}

impl Eq for Caching {}

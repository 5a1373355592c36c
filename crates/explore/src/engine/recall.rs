//! Counting what is [known](crate::subtree_cache) instead of exploring it again.

use super::{Again, Engine, Guide, Leaf, Policy, Visitor};
use crate::program::Program;
use crate::subtree_cache::{Looked, Subtree, describe};

/// How far the search got.
pub(super) enum Extended {
    /// To the end of an execution, or to where there is none.
    To(Option<Leaf>),
    /// To where everything is known, and was counted.
    Counted,
    /// The same, but the visitor has seen enough.
    Enough,
}

impl<P: Program> Engine<'_, P> {
    /// Inserts events until nothing can be inserted any more, or what follows is known.
    pub(super) fn extend_or_count(&mut self, visitor: &mut dyn Visitor<P>) -> Extended {
        if self.known.is_some() && !self.may_remember(visitor) {
            self.known = None;
        }
        if self.known.is_none() {
            return Extended::To(self.extend());
        }
        loop {
            if let Some(subtree) = self.look_up() {
                match visitor.again(&self.graph, &subtree.counts) {
                    Again::Counted => {
                        self.count_again(&subtree, visitor);
                        return Extended::Counted;
                    }
                    Again::Enough => return Extended::Enough,
                    Again::OneByOne => {
                        self.known = None;
                        return Extended::To(self.extend());
                    }
                }
            }
            if let Some(ended) = self.ended.take() {
                return Extended::To(ended.leaf());
            }
            let Some(thread) = self.pick() else {
                return Extended::To(self.ending());
            };
            if let Some(leaf) = self.add(thread) {
                return Extended::To(Some(leaf));
            }
        }
    }

    /// Does the visitor count, and does the search depend on nothing that is not in a key? Keeps what it has counted.
    fn may_remember(&mut self, visitor: &dyn Visitor<P>) -> bool {
        let counts = visitor.counts();
        self.counts = counts.unwrap_or_default();
        counts.is_some()
            && self.policy == Policy::ReceivesLast
            && !matches!(self.guide, Guide::Random { .. })
    }

    /// What lies behind the last decision, if there was one and it is known.
    #[inline]
    fn look_up(&mut self) -> Option<Subtree> {
        if !std::mem::take(&mut self.decided) || self.news() == 0 {
            return None;
        }
        let known = self.known.as_mut()?;
        if !known.is_awake() {
            return None;
        }
        let (key, scratch, at) = known.new_key(self.program.epoch());
        if !describe(&mut self.graph, &mut self.order, self.program, scratch, key) {
            known.no_key(at);
            return None;
        }
        let events = self.graph.order().len();
        let so_far = (self.counts, self.tally);
        match known.look(at, self.path.len(), events, so_far) {
            Looked::Subtree(known) if events + known.height <= self.limit => Some(known),
            _ => None,
        }
    }

    fn count_again(&mut self, subtree: &Subtree, visitor: &dyn Visitor<P>) {
        self.tally += subtree.tally;
        // Nobody was asked what comes next.
        self.restored = true;
        self.counts = visitor.counts().unwrap_or_default();
        let events = self.graph.order().len() + subtree.height;
        if let Some(known) = &mut self.known {
            known.ended(events);
        }
    }

    /// An execution was counted.
    pub(super) fn remember_leaf(&mut self, visitor: &dyn Visitor<P>) {
        if let Some(known) = &mut self.known {
            self.counts = visitor.counts().unwrap_or_default();
            known.ended(self.graph.order().len());
        }
    }

    /// Everything behind the decisions after this depth has been explored.
    #[inline]
    pub(super) fn remember(&mut self, depth: usize) {
        if let Some(known) = &mut self.known {
            known.close(depth, self.program.epoch(), self.counts, self.tally);
        }
    }
}

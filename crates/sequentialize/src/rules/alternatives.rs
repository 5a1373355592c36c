//! Sendings that are alternatives: every path through a round does one of them, and behind the loop there is one message.
//!
//! Which of them it was does not matter to the search, which goes on with the number of the first path. Whoever tells the
//! line keeps what was sent in one variable, whichever of them sends it (`line/message.rs`).
//!
//! Why one variable will do. On no path two sendings of a group are done: that is looked up in the stories of all paths when
//! they are put together. Where it is not so they stay apart, and there is no line to show.

use crate::derivation_log::{Event, Story};
use std::collections::{BTreeMap, BTreeSet};

/// Groups of sendings, by their numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Alternatives {
    /// The least number of the group, for all that are in one.
    least: BTreeMap<u32, u32>,
}

impl Alternatives {
    /// The number of a sending's group; its own if it has none.
    pub(crate) fn of(&self, number: u32) -> u32 {
        self.least.get(&number).copied().unwrap_or(number)
    }

    /// Has it a group?
    pub(crate) fn has(&self, number: u32) -> bool {
        self.least.contains_key(&number)
    }

    /// One sending of each path becomes one message.
    pub(super) fn put_together(&mut self, numbers: &[u32], stories: &[&Story]) {
        let groups: Vec<u32> = numbers.iter().map(|number| self.of(*number)).collect();
        if groups.iter().all(|group| *group == groups[0]) {
            return;
        }
        for (own, story) in groups.iter().zip(stories) {
            let mut sent = BTreeSet::new();
            self.collect(&story.events(), &mut sent);
            if groups
                .iter()
                .any(|other| other != own && sent.contains(other))
            {
                return;
            }
        }
        let least = groups.iter().copied().min().unwrap_or_default();
        for one in self.least.values_mut() {
            if groups.contains(one) {
                *one = least;
            }
        }
        self.least
            .extend(groups.into_iter().map(|one| (one, least)));
        self.least.extend(numbers.iter().map(|one| (*one, least)));
    }

    /// The groups of all that is sent in a story.
    fn collect(&self, story: &[&Event], sent: &mut BTreeSet<u32>) {
        for event in story {
            match event {
                Event::Sent(_, number, _) => drop(sent.insert(self.of(*number))),
                Event::Each { leaves, .. } | Event::Repeat { leaves, .. } => {
                    leaves
                        .iter()
                        .for_each(|leaf| self.collect(&leaf.events(), sent));
                }
                _ => {}
            }
        }
    }
}

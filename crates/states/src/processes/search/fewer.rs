//! Fewer steps, where their order does not matter (`order`).
//!
//! The first states are searched in full: what is near is found by a shortest way, and what processes do is observed. Only
//! when there are many states, and a look at some of them says that fewer steps are often enough, the search begins again with fewer
//! steps. Whether one of the states after a choice is looked at later is seen by its root: it is new, or on the next level.

use super::super::lane::Signs;
use super::{Again, Scratch, Search};

/// How many states are looked at to see whether fewer steps are often enough, and in how many of them they have to be: one in so many.
const SAMPLE: usize = 1_024;
const OFTEN: usize = 8;

impl Search<'_, '_> {
    /// Is it time to take fewer steps?
    pub(super) fn ask_about_order(&mut self, depth: usize) -> Result<(), Again> {
        let Some(after) = self.manner.order else {
            return Ok(());
        };
        let order = &self.net.order;
        let is_open = self.net.observes_order() && !order.is_on && !order.is_given_up;
        if !is_open || self.asked_about_order || self.net.is_wrong || self.roots.len() < after {
            return Ok(());
        }
        self.asked_about_order = true;
        let level = &self.levels[depth];
        let pace = level.len().div_ceil(SAMPLE).max(1);
        let sample: Vec<u64> = level.iter().copied().step_by(pace).collect();
        let mut nodes = vec![0; self.tree.nodes()];
        let mut fewer = 0;
        for root in &sample {
            self.tree.unfold(*root, &mut nodes);
            fewer += usize::from(self.net.enough(&nodes, false).is_some());
        }
        match fewer > 0 && fewer * OFTEN >= sample.len() && !self.net.is_wrong {
            true => Err(Again::Order),
            false => Ok(()),
        }
    }

    /// The same as to [`follow`](Search::follow) a state, by fewer steps where they are enough.
    pub(super) fn follow_fewer(&mut self, root: u64, scratch: &mut Scratch) -> (Signs, u64) {
        let slots = self.net.lanes.len();
        self.tree.unfold(root, &mut scratch.base);
        let mut all = 0;
        for slot in 0..slots {
            all += u64::from(self.net.expansion(slot, scratch.base[slot]).count);
        }
        let Some((enough, taken)) = self.net.enough(&scratch.base, true) else {
            self.net.order.judge(all, all);
            return self.follow(root, scratch);
        };
        scratch.roots.clear();
        let (mut signs, mut steps, mut goes_on) = (0, 0, false);
        for slot in (0..slots - 1).filter(|slot| enough >> slot & 1 == 1) {
            let expansion = self.net.expansion(slot, scratch.base[slot]);
            signs |= expansion.signs;
            steps += u64::from(expansion.steps);
            for at in expansion.first..expansion.first + expansion.count {
                let row = (
                    &scratch.base[..],
                    &mut scratch.next[..],
                    &mut scratch.changed[..],
                );
                if let Some(more) = self.take(slot, at, row) {
                    steps += more;
                    let next = self.tree.fold(&mut scratch.next, &mut scratch.changed);
                    let is_fault = self.net.lanes[slot].outcomes[at as usize].fault > 0;
                    goes_on |= !is_fault && self.is_later(next);
                    scratch.roots.push(next);
                }
            }
        }
        if !goes_on {
            self.net.order.judge(all, all);
            return self.follow(root, scratch);
        }
        self.net.order.judge(all, u64::from(taken));
        (signs, steps)
    }

    /// Is a state looked at later than the present one?
    fn is_later(&self, root: u64) -> bool {
        let (left, right) = super::unpack(root);
        !self.roots.has(left, right) || self.next_level.contains(&root)
    }
}

//! Two roles: a round that names one member and hears another.
//!
//! Statement. What a round does to the queues of the member that it names, and of the one who sent, is done to every
//! member once; so the two may not use one queue both. A value about the other one is about an unknown member.
//!
//! Why sound. The loop names each member once, and each sends once (`set_loop.rs`), but in which order the one and the
//! other is not known (condition S10; trap `m1`).

use super::Engine;
use super::fold::Renaming;
use crate::state::{QueuedMessage, SymbolicState};
use crate::stuck::{Obstacle, Stuck};
use crate::value::{Chan, Comp, Value};
use plainsong_diagnostics::Span;
use std::collections::{BTreeMap, BTreeSet};

impl Engine<'_> {
    /// The queues of the addressed member become those of the sender, if the two roles share none.
    pub(super) fn merge_roles(
        &mut self,
        start: &SymbolicState,
        queues: &mut BTreeMap<Chan, Vec<QueuedMessage>>,
        u: Comp,
        x: Comp,
        span: Span,
    ) -> Result<(), Stuck> {
        let keep = start.unknowns();
        let chans = start.queues.keys().chain(queues.keys()).copied();
        let of_x: BTreeSet<Chan> = chans.filter(|chan| chan.touches(x)).collect();
        let moved: BTreeSet<Chan> = of_x
            .iter()
            .flat_map(|chan| [*chan, chan.replace(x, u)])
            .filter(|chan| queues.get(chan) != start.queues.get(chan))
            .collect();
        for chan in &of_x {
            if moved.contains(chan) && moved.contains(&chan.replace(x, u)) {
                let sentence = format!(
                    "one round uses `{}` for the member it names and for the one that sent, which may be the \
                     same",
                    self.message(chan.message)
                );
                return Err(Stuck::new(Obstacle::Indiscriminate, span, sentence));
            }
        }
        // A value about the other role is about an unknown member.
        for (chan, queue) in queues.iter_mut() {
            let gone = match (chan.touches(u), chan.touches(x)) {
                (true, false) => x,
                (false, true) => u,
                _ => continue,
            };
            let renaming = Renaming::about(&keep, gone);
            for waiting in queue.iter_mut() {
                for value in &mut waiting.values {
                    *value = self.for_gone(&renaming, value);
                }
            }
        }
        for chan in of_x {
            let queue = queues.remove(&chan);
            if !moved.contains(&chan) {
                continue;
            }
            let twin = chan.replace(x, u);
            queues.remove(&twin);
            if let Some(mut queue) = queue {
                for waiting in &mut queue {
                    let values = waiting.values.iter();
                    waiting.values = values.map(|value| value.replace(x, u)).collect();
                }
                queues.insert(twin, queue);
            }
        }
        Ok(())
    }

    fn for_gone(&mut self, renaming: &About<'_>, value: &Value) -> Value {
        let mut inside = renaming.keep.clone();
        value.unknowns(&mut inside);
        self.without(&inside, renaming.gone, value)
    }

    /// The value with an unknown in the place of a process.
    pub(super) fn without(
        &mut self,
        keep: &BTreeSet<crate::value::Key>,
        gone: Comp,
        value: &Value,
    ) -> Value {
        let mut keep = keep.clone();
        value.unknowns(&mut keep);
        let mut number = self.numbers;
        let renamed = value.rename(&keep, &BTreeSet::from([gone]), &mut |_| crate::value::Key {
            number: crate::eval::next(&mut number),
            owner: Some(gone),
        });
        self.numbers = number;
        renamed
    }
}

/// Values about a process that is gone.
struct About<'k> {
    keep: &'k BTreeSet<crate::value::Key>,
    gone: Comp,
}

impl Renaming {
    fn about(keep: &BTreeSet<crate::value::Key>, gone: Comp) -> About<'_> {
        About { keep, gone }
    }
}

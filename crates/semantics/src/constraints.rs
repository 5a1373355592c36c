//! State constraints: which states are not searched further.
//!
//! Statement. A state after `init` that violates a `constraint` of the song, has more messages in one channel than the
//! declaration of their kind says (`message M <= 3`), or has more in flight than the run allows
//! ([`Bounds::pending`](crate::sizes::Bounds::pending)), is *cut*: properties are checked in it, for it can be reached, but nothing happens in it.
//! It is neither final nor a deadlock, and it is not counted. TLC treats `CONSTRAINT` like this.
//!
//! Why sound. What is refuted is refuted by steps that the program can take. What is not refuted holds in the states that
//! were seen, and a search that came to such a state says so ([`SearchReport::cut_by`](crate::search::SearchReport::cut_by)): the verdict
//! is bounded and names the constraint.
//!
//! A constraint that has no value in a state (it divides by zero, say) cuts it, too.
//!
//! NOT COVERED. Engines that do not ask [`Machine`] for steps: `driver` does not ask them about songs with constraints.

use crate::claim::{Verity, verity};
use crate::instance::Instance;
use crate::machine::{Config, Form, Machine};
use crate::voices::config::VoicesConfig;
use crate::voices::network::InFlight;
use plainsong_ir::{Claim, Song};
use std::collections::BTreeMap;

/// Does the song, or the run, cut states off?
pub fn has_constraints(song: &Song) -> bool {
    let is_bounded = |message: &plainsong_ir::Message| message.most.is_some();
    let voices = song.voices();
    !song.constraints.is_empty() || voices.is_some_and(|all| all.messages.iter().any(is_bounded))
}

pub(crate) fn is_constrained(instance: &Instance) -> bool {
    has_constraints(instance.song()) || instance.bounds().pending.is_some()
}

impl Machine {
    /// The first constraint that a state violates, in words; then it is not searched further.
    pub fn cut(&self, config: &Config) -> Option<String> {
        if !self.is_constrained() || !self.has_begun(config) {
            return None;
        }
        let song = self.instance().song();
        for constraint in &song.constraints {
            let Claim::Always(condition) = &constraint.claim else {
                continue;
            };
            if verity(self, constraint, condition, config) != Verity::Holds {
                return Some(constraint.name.clone());
            }
        }
        if let Form::Voices(config) = &config.0
            && let Some(full) = full_channel(song, config)
        {
            return Some(full);
        }
        let pending = match &config.0 {
            Form::Voices(config) => config.network.messages().len(),
            Form::Actions(config) => config.pending.len(),
            Form::Line(_) => 0,
        };
        let most = self.instance().bounds().pending?;
        (pending as u64 > most).then(|| format!("pending<={most}"))
    }
}

/// A kind of message of which too many are in flight from one process to another.
fn full_channel(song: &Song, config: &VoicesConfig) -> Option<String> {
    let kinds = &song.voices()?.messages;
    let mut channels: BTreeMap<_, u32> = BTreeMap::new();
    for InFlight { kind, from, to, .. } in config.network.messages() {
        let kind_of = &kinds[kind.index()];
        let Some(most) = kind_of.most else { continue };
        let count = channels.entry((kind, from, to)).or_default();
        *count += 1;
        if *count > most {
            return Some(format!("{}<={most}", kind_of.name));
        }
    }
    None
}

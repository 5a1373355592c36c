//! What may go wrong with a process by itself, or with a message of a kind.
//!
//! Faults are declared with how often they may happen, all processes of a family, or all messages of a kind,
//! together: see `voices/faults.rs`. Here they are numbered as declared, so that an engine can count each
//! against its own limit. A restart has no limit: it happens at most as often as there was a crash.

use super::{Deed, Fate, Part, Parts, Way};
use crate::trace::EventKind;
use plainsong_ir::{FaultKind, MessageId};

/// The number of a declared fault.
pub type FaultId = usize;

impl Parts {
    /// How often each declared fault may happen; a restart as often as it can.
    pub fn faults(&self) -> Vec<u32> {
        let faults = self.system().faults.iter();
        faults.map(|fault| fault.most.unwrap_or(u32::MAX)).collect()
    }

    /// The fault by which a process stops.
    pub fn crash(&self, lane: usize) -> Option<FaultId> {
        let family = self.machine.instance().members()[lane].family;
        self.declared(FaultKind::Crash(family))
    }

    /// The fault by which a message of a kind is lost.
    pub fn loss(&self, kind: MessageId) -> Option<FaultId> {
        self.declared(FaultKind::Lose(kind))
    }

    /// The fault by which a message of a kind is sent once more.
    pub fn copy(&self, kind: MessageId) -> Option<FaultId> {
        self.declared(FaultKind::Duplicate(kind))
    }

    /// A process that is not over goes down as it is.
    pub fn crashes(&self, part: &Part) -> Way {
        fault(EventKind::Crash, part.clone(), Fate::Well)
    }

    /// Every way in which a process that is down may begin anew; none if it cannot.
    pub fn restarts(&self, lane: usize, part: &Part) -> Vec<Way> {
        let family = self.machine.instance().members()[lane].family;
        if self.declared(FaultKind::Restart(family)).is_none() {
            return Vec::new();
        }
        let covered = &mut *self.covered.borrow_mut();
        match self.system().anew(lane, &part.0.vars, covered) {
            Ok(voices) => voices
                .into_iter()
                .map(|voice| {
                    let mut way = fault(EventKind::Restart, Part(voice), Fate::Well);
                    way.deed.anew = Some(way.part.clone());
                    way
                })
                .collect(),
            Err(failure) => vec![fault(
                EventKind::Restart,
                part.clone(),
                Fate::Failed(failure),
            )],
        }
    }

    fn declared(&self, kind: FaultKind) -> Option<FaultId> {
        let mut faults = self.system().faults.iter();
        faults.position(|fault| fault.kind == kind)
    }
}

fn fault(kind: EventKind, part: Part, fate: Fate) -> Way {
    Way {
        part,
        sends: Vec::new(),
        fate,
        deed: Deed {
            kind,
            chosen: Vec::new(),
            anew: None,
        },
    }
}

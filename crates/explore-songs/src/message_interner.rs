//! The message interner: each message is kept once.
//!
//! Equal letters to the same process have the same number, so that what a process does with a
//! message can be looked up by number instead of being computed. Numbers are never given twice: after
//! [`Letters::forget`] the same letter gets a new one.

use plainsong_semantics::local_process::Letter;
use rustc_hash::FxHashMap;
use std::rc::Rc;

#[derive(Clone)]
pub(crate) struct Message {
    /// Its number among those to the same process.
    pub(crate) number: u32,
    pub(crate) letter: Rc<Letter>,
}

/// The messages met so far.
pub(crate) struct Letters {
    known: FxHashMap<Letter, Message>,
    /// How many numbers were given for each process, and for what is addressed to nobody.
    given: Vec<u32>,
    /// The same, when the memory was last freed.
    first: Vec<u32>,
}

impl Letters {
    pub(crate) fn new(lanes: usize) -> Self {
        Letters {
            known: FxHashMap::default(),
            given: vec![0; lanes + 1],
            first: vec![0; lanes + 1],
        }
    }

    /// The message that a letter is.
    pub(crate) fn message(&mut self, letter: &Letter) -> Message {
        if let Some(known) = self.known.get(letter) {
            return known.clone();
        }
        let nobody = self.given.len() - 1;
        let given = &mut self.given[letter.to.member().unwrap_or(nobody)];
        let message = Message {
            number: *given,
            letter: Rc::new(letter.clone()),
        };
        *given += 1;
        self.known.insert(letter.clone(), message.clone());
        message
    }

    /// The least number of a message to a process since the memory was last freed.
    pub(crate) fn first_number(&self, lane: usize) -> u32 {
        self.first[lane]
    }

    /// Frees the memory; messages that somebody still has keep their numbers.
    pub(crate) fn forget(&mut self) {
        self.known.clear();
        self.first.clone_from(&self.given);
    }
}

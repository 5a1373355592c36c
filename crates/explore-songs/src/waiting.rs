//! A process that waits, and what is known about the messages it may get.
//!
//! Whether a process in some state wants a message, and where it goes with it, depends on the state
//! and the message alone: both are computed once and then looked up by the message's number.

use crate::letters::Message;
use crate::roles::EdgeId;
use plainsong_semantics::part::{Parts, Wait};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Messages with numbers below this, counted from the first, have their answer in two words.
const AT_HAND: u32 = 64;

/// A process that waits.
pub(crate) struct Waiting {
    pub(crate) wait: Wait,
    parts: Rc<Parts>,
    /// Messages with lower numbers are from before the tables were last emptied, and not looked up.
    first: u32,
    /// For the first messages: is it known whether they are wanted, and are they?
    known: Cell<u64>,
    wanted: Cell<u64>,
    /// The same for the others.
    others: RefCell<Vec<Option<bool>>>,
    /// Where it goes with a message.
    takes: RefCell<Vec<Option<EdgeId>>>,
    /// Where it goes without one.
    gives_up: Cell<Option<EdgeId>>,
    /// Where it is when what it waited for is lost: here.
    pub(crate) in_vain: Cell<Option<EdgeId>>,
}

impl Waiting {
    pub(crate) fn new(wait: Wait, parts: Rc<Parts>, first: u32) -> Self {
        Waiting {
            wait,
            parts,
            first,
            known: Cell::new(0),
            wanted: Cell::new(0),
            others: RefCell::default(),
            takes: RefCell::default(),
            gives_up: Cell::new(None),
            in_vain: Cell::new(None),
        }
    }

    /// Is the message wanted?
    #[inline]
    pub(crate) fn wants(&self, message: &Message) -> bool {
        let number = message.number.wrapping_sub(self.first);
        if number < AT_HAND && self.known.get() >> number & 1 == 1 {
            return self.wanted.get() >> number & 1 == 1;
        }
        self.find_out(message)
    }

    fn find_out(&self, message: &Message) -> bool {
        let Some(number) = message.number.checked_sub(self.first) else {
            return self.parts.wants(&self.wait, &message.letter);
        };
        if number < AT_HAND {
            let wants = self.parts.wants(&self.wait, &message.letter);
            self.known.set(self.known.get() | 1 << number);
            self.wanted
                .set(self.wanted.get() | u64::from(wants) << number);
            return wants;
        }
        let at = (number - AT_HAND) as usize;
        let known = self.others.borrow().get(at).copied().flatten();
        known.unwrap_or_else(|| {
            let wants = self.parts.wants(&self.wait, &message.letter);
            put(&mut self.others.borrow_mut(), at, wants);
            wants
        })
    }

    /// Where it goes with a message, or without one, if that is known.
    #[inline]
    pub(crate) fn goes(&self, message: Option<&Message>) -> Option<EdgeId> {
        match message {
            None => self.gives_up.get(),
            Some(message) => {
                let number = message.number.checked_sub(self.first)?;
                *self.takes.borrow().get(number as usize)?
            }
        }
    }

    /// Notes where it goes.
    pub(crate) fn note(&self, message: Option<&Message>, edge: EdgeId) {
        match message {
            None => self.gives_up.set(Some(edge)),
            Some(message) => {
                if let Some(number) = message.number.checked_sub(self.first) {
                    put(&mut self.takes.borrow_mut(), number as usize, edge);
                }
            }
        }
    }
}

fn put<T: Clone>(table: &mut Vec<Option<T>>, at: usize, value: T) {
    if table.len() <= at {
        table.resize(at + 1, None);
    }
    table[at] = Some(value);
}

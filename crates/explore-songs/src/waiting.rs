//! A process that waits, and what is known about the messages it may get.
//!
//! Whether a process in some state wants a message, and where it goes with it, depends on the state
//! and the message alone: both are computed once and then looked up by the message's number.

use crate::message_interner::Message;
use crate::process_automata::EdgeId;
use plainsong_semantics::local_process::{Parts, Wait};
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
    others: RefCell<Table<bool>>,
    /// Where it goes with a message.
    takes: RefCell<Table<EdgeId>>,
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
        let at = number - AT_HAND;
        let known = self.others.borrow().get(at);
        known.unwrap_or_else(|| {
            let wants = self.parts.wants(&self.wait, &message.letter);
            self.others.borrow_mut().put(at, wants);
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
                self.takes.borrow().get(number)
            }
        }
    }

    /// Notes where it goes.
    pub(crate) fn note(&self, message: Option<&Message>, edge: EdgeId) {
        match message {
            None => self.gives_up.set(Some(edge)),
            Some(message) => {
                if let Some(number) = message.number.checked_sub(self.first) {
                    self.takes.borrow_mut().put(number, edge);
                }
            }
        }
    }
}

/// Values for some numbers, from the least to the greatest that has one. A process that waits for the
/// thousandth message of a long execution has one value, not a thousand.
#[derive(Default)]
struct Table<T> {
    least: u32,
    values: Vec<Option<T>>,
}

impl<T: Copy> Table<T> {
    #[inline]
    fn get(&self, number: u32) -> Option<T> {
        let at = number.wrapping_sub(self.least) as usize;
        self.values.get(at).copied().flatten()
    }

    fn put(&mut self, number: u32, value: T) {
        if self.values.is_empty() {
            self.least = number;
        }
        if let Some(more) = self.least.checked_sub(number) {
            let before = (0..more).map(|_| None);
            self.values.splice(0..0, before);
            self.least = number;
        }
        let at = (number - self.least) as usize;
        if self.values.len() <= at {
            self.values.resize(at + 1, None);
        }
        self.values[at] = Some(value);
    }
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn a_table_holds_what_was_put_into_it_in_any_order() {
        let mut table = Table::default();
        for number in [700, 703, 699, 5, 703] {
            assert_eq!(
                table.get(number),
                (number == 703 && table.values.len() > 9).then_some(703)
            );
            table.put(number, number);
        }
        let held: Vec<u32> = (0..800).filter_map(|number| table.get(number)).collect();
        assert_eq!(held, [5, 699, 700, 703]);
        assert_eq!(table.values.len(), 699);
    }
}

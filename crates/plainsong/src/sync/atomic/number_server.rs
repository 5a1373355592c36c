//! The server of an atomic number: it does what it is asked, one after the other.
//!
//! A store needs no answer: requests to all objects have one order, which extends causality.

use crate::ghosts::keep_first;
use crate::message::{Role, Value};
use crate::process::Process;
use crate::sync::server::{Desk, Place, content, start};
use std::fmt::{self, Debug};

/// What an atomic number can hold.
pub(super) trait Word: Copy + Debug + PartialEq + 'static {
    /// As bits.
    fn bits(self) -> u64;

    /// From bits.
    fn of(bits: u64) -> Self;
}

impl Word for bool {
    fn bits(self) -> u64 {
        u64::from(self)
    }

    fn of(bits: u64) -> Self {
        bits != 0
    }
}

macro_rules! words {
    ($($number:ident)*) => {$(
        impl Word for $number {
            fn bits(self) -> u64 {
                self as u64
            }

            fn of(bits: u64) -> Self {
                bits as $number
            }
        }
    )*};
}

words! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize }

/// What to do with the number.
pub(super) enum Act<T> {
    Load,
    Store(T),
    Swap(T),
    /// Puts the second in the place of the first.
    CompareExchange(T, T),
    /// Puts the result of a function in the place of its first argument.
    Fetch(&'static str, fn(T, T) -> T, T),
}

impl<T: Word> Value for Act<T> {
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Act::Load => f.write_str("load"),
            Act::Store(new) => write!(f, "store({new:?})"),
            Act::Swap(new) => write!(f, "swap({new:?})"),
            Act::CompareExchange(old, new) => write!(f, "compare_exchange({old:?}, {new:?})"),
            Act::Fetch(name, _, operand) => write!(f, "{name}({operand:?})"),
        }
    }

    fn duplicate(&self) -> Option<Box<dyn Value>> {
        None
    }

    fn role(&self) -> Role {
        Role::Deed
    }
}

/// What the number was.
pub(super) struct Was<T>(pub(super) T);

impl<T: Word> Value for Was<T> {
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }

    fn duplicate(&self) -> Option<Box<dyn Value>> {
        None
    }

    fn role(&self) -> Role {
        Role::Deed
    }
}

/// Starts the server of an atomic number.
pub(super) fn start_number<T: Word>(number: T, made_at: Place) -> Process {
    let server = start("atomic", None, made_at, move |desk| serve(desk, number));
    keep_first(server, Was(number), made_at);
    server
}

fn serve<T: Word>(desk: &Desk, mut number: T) {
    let arms = [desk.of::<Act<T>>()];
    loop {
        let request = desk.next(&arms);
        let was = number;
        match *content::<Act<T>>(&request) {
            Act::Load => {}
            Act::Store(new) => {
                number = new;
                continue;
            }
            Act::Swap(new) => number = new,
            Act::CompareExchange(old, new) if number == old => number = new,
            Act::CompareExchange(..) => {}
            Act::Fetch(_, function, operand) => number = function(number, operand),
        }
        desk.reply(&request, Was(was));
    }
}

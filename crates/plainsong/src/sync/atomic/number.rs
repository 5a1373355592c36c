//! Atomic numbers: the types.

use super::Ordering;
use super::number_server::{Act, Was, Word, start_number};
use super::weak::note;
use crate::process::Process;
use crate::sync::server::{Place, answer, content, tell};
use crate::task::Task;
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;

/// Any atomic number.
struct Atomic<T> {
    server: Process,
    of: PhantomData<fn(T) -> T>,
}

impl<T: Word> Atomic<T> {
    fn new(number: T, made_at: Place) -> Self {
        Atomic {
            server: start_number(number, made_at),
            of: PhantomData,
        }
    }

    fn store(&self, number: T, place: Place) {
        tell(self.server, Act::Store(number), place);
    }

    fn ask(&self, act: Act<T>, place: Place) -> T {
        tell(self.server, act, place);
        content::<Was<T>>(&answer::<Was<T>>(self.server, "", place)).0
    }

    fn exchange(&self, old: T, new: T, place: Place) -> Result<T, T> {
        let was = self.ask(Act::CompareExchange(old, new), place);
        if was == old { Ok(was) } else { Err(was) }
    }
}

macro_rules! atomics {
    ($($name:ident $number:ident $example:literal $changed:literal)*) => {$(
        #[doc = concat!("An atomic number as [`std::sync::atomic::", stringify!($name), "`]: see the [module](crate::sync::atomic).")]
        ///
        /// ```
        #[doc = concat!("use plainsong::sync::atomic::{", stringify!($name), ", Ordering};")]
        ///
        /// plainsong::explore(|| {
        #[doc = concat!("    let number = ", stringify!($name), "::new(", $example, ");")]
        #[doc = concat!("    assert_eq!(number.swap(", $changed, ", Ordering::SeqCst), ", $example, ");")]
        #[doc = concat!("    assert_eq!(number.load(Ordering::SeqCst), ", $changed, ");")]
        /// })
        /// .assert_holds();
        /// ```
        pub struct $name(Atomic<$number>);

        impl $name {
            /// An atomic number. In pictures it is `atomic 1`, `atomic 2`, …
            #[track_caller]
            pub fn new(number: $number) -> Self {
                Task::insist(concat!(stringify!($name), "::new"));
                $name(Atomic::new(number, Location::caller()))
            }

            /// The number.
            #[track_caller]
            pub fn load(&self, order: Ordering) -> $number {
                note(order, Location::caller());
                self.0.ask(Act::Load, Location::caller())
            }

            /// Changes the number.
            #[track_caller]
            pub fn store(&self, number: $number, order: Ordering) {
                note(order, Location::caller());
                self.0.store(number, Location::caller());
            }

            /// Changes the number, and returns what it was.
            #[track_caller]
            pub fn swap(&self, number: $number, order: Ordering) -> $number {
                note(order, Location::caller());
                self.0.ask(Act::Swap(number), Location::caller())
            }

            /// Changes the number if it is `old`, and returns what it was.
            #[track_caller]
            pub fn compare_exchange(
                &self,
                old: $number,
                new: $number,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$number, $number> {
                note(success, Location::caller());
                note(failure, Location::caller());
                self.0.exchange(old, new, Location::caller())
            }

            /// The same as `compare_exchange`: it does not fail for no reason.
            #[track_caller]
            pub fn compare_exchange_weak(
                &self,
                old: $number,
                new: $number,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$number, $number> {
                note(success, Location::caller());
                note(failure, Location::caller());
                self.0.exchange(old, new, Location::caller())
            }

            /// Tries to change the number by a function until nobody comes between.
            #[track_caller]
            pub fn fetch_update(
                &self,
                set: Ordering,
                fetch: Ordering,
                mut function: impl FnMut($number) -> Option<$number>,
            ) -> Result<$number, $number> {
                let place = Location::caller();
                note(set, place);
                note(fetch, place);
                let mut was = self.0.ask(Act::Load, place);
                while let Some(new) = function(was) {
                    match self.0.exchange(was, new, place) {
                        Ok(was) => return Ok(was),
                        Err(other) => was = other,
                    }
                }
                Err(was)
            }

            /// The number.
            #[track_caller]
            pub fn into_inner(self) -> $number {
                self.0.ask(Act::Load, Location::caller())
            }
        }

        impl Default for $name {
            #[track_caller]
            fn default() -> Self {
                Task::insist(concat!(stringify!($name), "::new"));
                $name(Atomic::new($number::default(), Location::caller()))
            }
        }

        impl From<$number> for $name {
            #[track_caller]
            fn from(number: $number) -> Self {
                Task::insist(concat!(stringify!($name), "::new"));
                $name(Atomic::new(number, Location::caller()))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0.server)
            }
        }
    )*};
}

macro_rules! fetches {
    ($name:ident $number:ident { $($(#[$doc:meta])* $method:ident $function:expr;)* }) => {
        impl $name {$(
            $(#[$doc])*
            #[track_caller]
            pub fn $method(&self, number: $number, order: Ordering) -> $number {
                note(order, Location::caller());
                let act = Act::Fetch(stringify!($method), $function, number);
                self.0.ask(act, Location::caller())
            }
        )*}
    };
}

macro_rules! integers {
    ($($name:ident $number:ident)*) => {
        atomics! { $($name $number "1" "2")* }
        $(fetches! { $name $number {
            /// Adds, wrapping around, and returns what the number was.
            fetch_add |a, b| a.wrapping_add(b);
            /// Subtracts, wrapping around, and returns what the number was.
            fetch_sub |a, b| a.wrapping_sub(b);
            /// Keeps common bits, and returns what the number was.
            fetch_and |a, b| a & b;
            /// Keeps bits that are not common, and returns what the number was.
            fetch_nand |a, b| !(a & b);
            /// Sets bits, and returns what the number was.
            fetch_or |a, b| a | b;
            /// Flips bits, and returns what the number was.
            fetch_xor |a, b| a ^ b;
            /// Keeps the larger one, and returns what the number was.
            fetch_max |a, b| a.max(b);
            /// Keeps the smaller one, and returns what the number was.
            fetch_min |a, b| a.min(b);
        } })*
    };
}

integers! {
    AtomicI8 i8
    AtomicI16 i16
    AtomicI32 i32
    AtomicI64 i64
    AtomicIsize isize
    AtomicU8 u8
    AtomicU16 u16
    AtomicU32 u32
    AtomicU64 u64
    AtomicUsize usize
}

atomics! { AtomicBool bool "false" "true" }

fetches! { AtomicBool bool {
    /// Makes it true if both are, and returns what it was.
    fetch_and |a, b| a & b;
    /// Makes it false if both are true, and returns what it was.
    fetch_nand |a, b| !(a & b);
    /// Makes it true if one of them is, and returns what it was.
    fetch_or |a, b| a | b;
    /// Makes it true if they differ, and returns what it was.
    fetch_xor |a, b| a ^ b;
} }

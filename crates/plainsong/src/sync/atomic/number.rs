//! Atomic numbers: the types.

use super::Ordering;
use super::number_server::{Act, Was, Word, start_number};
use super::orders::{check_failure, check_load, check_store};
use super::weak::note;
use crate::memory::spot::Spot;
use crate::memory::{is_rc11, memory_order};
use crate::process::Process;
use crate::sync::server::{Place, answer, content, tell};
use crate::task::Task;
use plainsong_explore::Update;
use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;

/// Any atomic number.
struct Atomic<T> {
    at: At,
    of: PhantomData<fn(T) -> T>,
}

/// Where the number is.
enum At {
    /// A process has it: everything is sequentially consistent.
    Server(Process),
    Memory(Spot),
}

impl fmt::Debug for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            At::Server(server) => write!(f, "{server}"),
            At::Memory(spot) => f.write_str(&spot.name()),
        }
    }
}

impl<T: Word> Atomic<T> {
    fn new(number: T, made_at: Place) -> Self {
        let show = |bits: u64| format!("{:?}", T::of(bits));
        Atomic {
            at: match is_rc11() {
                true => At::Memory(Spot::new("atomic", number.bits(), show, made_at)),
                false => At::Server(start_number(number, made_at)),
            },
            of: PhantomData,
        }
    }

    fn load(&self, order: Ordering, place: Place) -> T {
        match self.at {
            At::Server(server) => ask(server, Act::Load, place),
            At::Memory(spot) => T::of(spot.load(memory_order(order), place)),
        }
    }

    fn store(&self, number: T, order: Ordering, place: Place) {
        match self.at {
            At::Server(server) => tell(server, Act::Store(number), place),
            At::Memory(spot) => spot.store(number.bits(), memory_order(order), place),
        }
    }

    /// Puts the result of a function in the place of what was there.
    fn update(
        &self,
        act: Act<T>,
        order: Ordering,
        place: Place,
        function: impl FnOnce(T) -> T,
    ) -> T {
        match self.at {
            At::Server(server) => ask(server, act, place),
            At::Memory(spot) => {
                let new = |old| function(T::of(old)).bits();
                T::of(spot.update(Update::Always, memory_order(order), place, new))
            }
        }
    }

    fn exchange(
        &self,
        (old, new): (T, T),
        (success, failure): (Ordering, Ordering),
        place: Place,
    ) -> Result<T, T> {
        let was = match self.at {
            At::Server(server) => ask(server, Act::CompareExchange(old, new), place),
            At::Memory(spot) => {
                let update = Update::If(old.bits(), memory_order(failure));
                T::of(spot.update(update, memory_order(success), place, |_| new.bits()))
            }
        };
        if was == old { Ok(was) } else { Err(was) }
    }
}

fn ask<T: Word>(server: Process, act: Act<T>, place: Place) -> T {
    tell(server, act, place);
    content::<Was<T>>(&answer::<Was<T>>(server, "", place)).0
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
                check_load(order);
                note(order, Location::caller());
                self.0.load(order, Location::caller())
            }

            /// Changes the number.
            #[track_caller]
            pub fn store(&self, number: $number, order: Ordering) {
                check_store(order);
                note(order, Location::caller());
                self.0.store(number, order, Location::caller());
            }

            /// Changes the number, and returns what it was.
            #[track_caller]
            pub fn swap(&self, number: $number, order: Ordering) -> $number {
                note(order, Location::caller());
                let place = Location::caller();
                self.0.update(Act::Swap(number), order, place, |_| number)
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
                check_failure(failure);
                note(success, Location::caller());
                note(failure, Location::caller());
                self.0.exchange((old, new), (success, failure), Location::caller())
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
                check_failure(failure);
                note(success, Location::caller());
                note(failure, Location::caller());
                self.0.exchange((old, new), (success, failure), Location::caller())
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
                check_failure(fetch);
                note(set, place);
                note(fetch, place);
                let mut was = self.0.load(fetch, place);
                while let Some(new) = function(was) {
                    match self.0.exchange((was, new), (set, fetch), place) {
                        Ok(was) => return Ok(was),
                        Err(other) => was = other,
                    }
                }
                Err(was)
            }

            /// The number.
            #[track_caller]
            pub fn into_inner(self) -> $number {
                self.0.load(Ordering::Relaxed, Location::caller())
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
                write!(f, "{}({:?})", stringify!($name), self.0.at)
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
                let function: fn($number, $number) -> $number = $function;
                let act = Act::Fetch(stringify!($method), function, number);
                let place = Location::caller();
                self.0.update(act, order, place, |was| function(was, number))
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

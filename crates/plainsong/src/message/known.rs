//! What is known about types of values: how to copy and how to show them.
//!
//! Generic code cannot ask whether a type is `Clone`, so it is told. Of the usual types it is known from the
//! start; where a function with the bound is called (`Sender::send` of a type that is `Clone + Debug`, say), it
//! is noted; and [`know`](crate::know) says it. What is known holds for the whole program, so which runs are
//! whole may differ between the first exploration and the second; what they find does not.

use super::{Parcel, Value, plain};
use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt::{self, Debug};
use std::sync::{PoisonError, RwLock};

/// What is known about a type.
pub(crate) struct Known<T: 'static> {
    pub(crate) clone: Option<fn(&T) -> T>,
    pub(crate) show: Option<fn(&T, &mut fmt::Formatter<'_>) -> fmt::Result>,
    /// Are two values known to be the same?
    pub(crate) same: Option<fn(&T, &T) -> bool>,
    /// A copy for a monitor.
    pub(crate) duplicate: Option<Duplicate<T>>,
}

/// How to copy a value for a monitor.
type Duplicate<T> = fn(&T) -> Box<dyn Value>;

impl<T> Clone for Known<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Known<T> {}

type Table = HashMap<TypeId, Box<dyn Any + Send + Sync>>;

/// What all OS threads know.
static KNOWN: RwLock<Option<Table>> = RwLock::new(None);

thread_local! {
    /// What this one has asked for.
    static ASKED: RefCell<Table> = RefCell::default();
}

impl<T: 'static> Known<T> {
    const NOTHING: Self = Known {
        clone: None,
        show: None,
        same: None,
        duplicate: None,
    };

    /// All that is known.
    pub(crate) fn get() -> Self {
        let asked = ASKED.with_borrow(|asked| {
            let known = asked.get(&TypeId::of::<T>())?;
            known.downcast_ref::<Self>().copied()
        });
        asked.unwrap_or_else(Self::look_up)
    }

    #[cold]
    fn look_up() -> Self {
        let table = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
        let told = table
            .as_ref()
            .and_then(|table| table.get(&TypeId::of::<T>()));
        let told = told.and_then(|known| known.downcast_ref::<Self>().copied());
        drop(table);
        let Some(known) = told.or_else(plain::known) else {
            return Self::NOTHING;
        };
        ASKED.with_borrow_mut(|asked| asked.insert(TypeId::of::<T>(), Box::new(known)));
        known
    }

    /// Adds to what is known.
    fn tell(self) {
        let before = Self::get();
        if self.clone.is_some() <= before.clone.is_some()
            && self.show.is_some() <= before.show.is_some()
            && self.same.is_some() <= before.same.is_some()
            && self.duplicate.is_some() <= before.duplicate.is_some()
        {
            return;
        }
        let all = Known {
            clone: before.clone.or(self.clone),
            show: before.show.or(self.show),
            same: before.same.or(self.same),
            duplicate: before.duplicate.or(self.duplicate),
        };
        let mut table = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
        let table = table.get_or_insert_with(Table::new);
        table.insert(TypeId::of::<T>(), Box::new(all));
        ASKED.with_borrow_mut(|asked| asked.insert(TypeId::of::<T>(), Box::new(all)));
    }
}

/// How to copy values of this type.
pub(crate) fn know_clone<T: Clone + 'static>() {
    Known::<T> {
        clone: Some(T::clone),
        ..Known::NOTHING
    }
    .tell();
}

/// How to copy and compare results of processes.
pub(crate) fn know_results<T: 'static, E: Clone + 'static>() {
    Known::<Result<Parcel<T>, E>> {
        clone: Some(Clone::clone),
        same: Some(|one, other| match (one, other) {
            (Ok(one), Ok(other)) => one.is_same(other),
            _ => false,
        }),
        ..Known::NOTHING
    }
    .tell();
}

/// How to copy and how to show values of this type.
pub(crate) fn know_both<T: Clone + Debug + 'static>() {
    both::<T>().tell();
}

/// All that there is to know about a type.
pub(super) fn both<T: Clone + Debug + 'static>() -> Known<T> {
    Known {
        clone: Some(T::clone),
        show: Some(<T as Debug>::fmt),
        same: None,
        duplicate: Some(|value| Box::new(super::copy(value))),
    }
}

/// Makes values of this type faster to explore and legible in pictures.
///
/// What is sent, returned, or kept in a lock need not be `Clone` or `Debug`. Then every execution runs from its
/// start, and pictures have the name of the type. This says that it is both, where that cannot be found out.
///
/// ```
/// #[derive(Clone, Debug)]
/// struct Answer(u32);
///
/// plainsong::know::<Answer>();
/// plainsong::explore(|| {
///     let thread = plainsong::thread::spawn(|| Answer(42));
///     assert_eq!(thread.join().unwrap().0, 42);
/// })
/// .assert_holds();
/// ```
pub fn know<T: Clone + Debug + 'static>() {
    know_both::<T>();
}

//! Values of the user's in flight, which need not be `Clone` or `Debug`.
//!
//! A send is received in many executions, so what is sent has to be there many times. Where a cloner of its
//! type is [known](super::known), each receive gets a copy, and processes run again piecewise. Where none is,
//! the value itself is handed over ([`Parcel::open`] empties the slot that all copies of the parcel share), and
//! every execution runs as a whole: then whoever sent it has sent it anew.
//!
//! Why sound. In one execution a send is received at most once, a lock has one holder, and an answer goes to
//! one process; and in whole runs nothing that an earlier run has sent is delivered again
//! ([`lockstep`](crate::machine)). So a slot is opened at most once for each time that it was filled. A
//! piecewise run that comes to a value without a cloner is given up before it is delivered, and the search
//! begins again with whole runs: the same graphs, so the same counts and verdicts.
//!
//! What stays in a slot is no part of the program: it is dropped unnoticed.

use super::known::Known;
use super::{Value, plain, short_type_name};
use crate::failure::{Failure, FailureKind};
use crate::record::discard;
use crate::task::Task;
use std::any::Any;
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

/// A value in flight. Copies share it.
pub(crate) struct Parcel<T: 'static>(Rc<Slot<T>>);

struct Slot<T: 'static>(RefCell<Option<Arc<T>>>);

impl<T> Clone for Parcel<T> {
    fn clone(&self) -> Self {
        Parcel(Rc::clone(&self.0))
    }
}

impl<T> Drop for Slot<T> {
    fn drop(&mut self) {
        discard(self.0.take());
    }
}

impl<T> Parcel<T> {
    pub(crate) fn new(value: T) -> Self {
        Parcel(Rc::new(Slot(RefCell::new(Some(Arc::new(value))))))
    }

    /// The value, for whoever it was sent to.
    pub(crate) fn open(&self) -> T {
        match Known::<T>::get().clone {
            Some(clone) => match self.inside() {
                Some(inside) => super::copy_by(clone, &inside),
                None => wanted_twice::<T, _>(),
            },
            None => {
                insist_on_whole_runs::<T>();
                self.take_out().unwrap_or_else(wanted_twice::<T, _>)
            }
        }
    }

    /// The value to be looked at, by one of many.
    pub(crate) fn share(&self) -> Arc<T> {
        let inside = self.inside().unwrap_or_else(wanted_twice::<T, _>);
        match Known::<T>::get().clone {
            Some(clone) => Arc::new(super::copy_by(clone, &inside)),
            None => {
                insist_on_whole_runs::<T>();
                inside
            }
        }
    }

    /// The value for a destructor while its process unwinds, if it is there.
    pub(crate) fn open_for_ghost(&self) -> Option<T> {
        match Known::<T>::get().clone {
            Some(clone) => Some(super::copy_by(clone, &*self.inside()?)),
            None => self.take_out(),
        }
    }

    /// The same, to be looked at.
    pub(crate) fn share_for_ghost(&self) -> Option<Arc<T>> {
        self.inside()
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let Some((one, other)) = self.inside().zip(other.inside()) else {
            return false;
        };
        match Known::<T>::get().same {
            Some(same) => same(&one, &other),
            None => plain::is_same(&*one, &*other),
        }
    }

    fn inside(&self) -> Option<Arc<T>> {
        self.0.0.borrow().clone()
    }

    /// The value itself, unless somebody looks at it.
    fn take_out(&self) -> Option<T> {
        match Arc::try_unwrap(self.0.0.take()?) {
            Ok(value) => Some(value),
            Err(shared) => {
                self.0.0.replace(Some(shared));
                None
            }
        }
    }
}

impl<T> Value for Parcel<T> {
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.inside(), Known::<T>::get().show) {
            (Some(inside), Some(show)) => show(&inside, f),
            _ => f.write_str(&short_type_name(std::any::type_name::<T>())),
        }
    }

    fn duplicate(&self) -> Option<Box<dyn Value>> {
        Known::<T>::get()
            .duplicate
            .zip(self.inside())
            .map(|(duplicate, inside)| duplicate(&inside))
    }

    fn is_same(&self, other: &dyn Any) -> bool {
        let other = other.downcast_ref();
        other.is_some_and(|other| Parcel::is_same(self, other))
    }

    fn type_name(&self) -> &'static str {
        std::any::type_name::<T>()
    }
}

impl<T> fmt::Display for Parcel<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Value::show(self, f)
    }
}

/// What nobody can copy is delivered only where every execution runs as a whole.
pub(crate) fn insist_on_whole_runs<T: 'static>() {
    let Some(task) = Task::running() else {
        return;
    };
    let world = &task.world;
    if !world.runs_as_a_whole.get() {
        world.needs_a_whole.set(true);
        let what = short_type_name(std::any::type_name::<T>());
        task.differs(None, format!("a {what}, which cannot be copied"));
    }
}

/// Somebody has it already: a limit of the tool, and no fault of the program.
#[cold]
fn wanted_twice<T: 'static, V>() -> V {
    let what = short_type_name(std::any::type_name::<T>());
    let task = Task::current("receive");
    let message =
        format!("a `{what}` cannot be copied, and was wanted twice: this is not explored");
    let failure = Failure::plain(FailureKind::Unsupported, message, None);
    task.world.complaint.replace(Some(failure));
    task.give_up()
}

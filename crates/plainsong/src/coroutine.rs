//! Stackful coroutines on pooled stacks. Besides this module only `borrowed` has `unsafe`.
//!
//! A process of the explored program runs on a stack of its own and gives control back in the
//! middle of an operation. Data travels beside the coroutine, in the task that it belongs to; here
//! there is only control: [`Coroutine::resume`] goes in, [`suspend`] comes out.
//!
//! Why the `unsafe` is sound. [`suspend`] needs the switch of the coroutine that is running, and
//! user code cannot hand it down, so it is found through [`RUNNING`], a pointer per OS thread.
//! - The pointer is null or points to the switch of the coroutine that runs on this OS thread: a
//!   coroutine sets it first thing, and again after each suspension, and [`Coroutine::resume`] sets
//!   it back to what it was when control returns, also by a panic.
//! - The switch lives at the bottom of the coroutine's stack for as long as the coroutine runs or is
//!   suspended, so whoever runs on that stack may use it.
//! - A coroutine is never moved to another OS thread: [`Coroutine`] is not `Send`.
//!
//! A coroutine that is dropped while suspended is forgotten with its stack, which is a leak and
//! nothing worse. The owner avoids it by making the coroutine unwind first.
//!
//! The signal handler in `overflow` has its own argument.
//!
//! Checked by `cargo xtask sanitize`: all tests of this crate under AddressSanitizer and its leak
//! detector, but for frames on stacks (its header says why). Miri cannot run the assembly that
//! switches stacks, so it runs over the engine only.
#![expect(
    unsafe_code,
    reason = "finding the running coroutine, and the signal handler"
)]

#[cfg(unix)]
mod overflow;

use corosensei::stack::{DefaultStack, Stack};
use corosensei::{Coroutine as Raw, CoroutineResult, Yielder};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

type Switch = Yielder<(), ()>;

thread_local! {
    static RUNNING: Cell<*const Switch> = const { Cell::new(std::ptr::null()) };
}

/// Stacks that are used again and again, and freed together.
pub(crate) struct Stacks {
    size: usize,
    free: RefCell<Vec<DefaultStack>>,
    #[cfg(unix)]
    page: usize,
}

impl Stacks {
    /// No stacks yet; those to come have at least `size` bytes.
    pub(crate) fn new(size: usize) -> Rc<Self> {
        #[cfg(unix)]
        overflow::install();
        Rc::new(Stacks {
            size,
            free: RefCell::default(),
            #[cfg(unix)]
            page: overflow::page_size(),
        })
    }

    fn take(&self) -> DefaultStack {
        let pooled = self.free.borrow_mut().pop();
        pooled.unwrap_or_else(|| {
            DefaultStack::new(self.size)
                .unwrap_or_else(|error| panic!("no memory for another stack: {error}"))
        })
    }
}

/// A function that can stop in the middle.
pub(crate) struct Coroutine {
    /// Always there, except while it is dropped.
    raw: Option<Raw<(), (), ()>>,
    stacks: Rc<Stacks>,
    #[cfg(unix)]
    guard: overflow::Guard,
}

/// Where a coroutine stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// In the middle.
    Suspended,
    /// It has returned.
    Finished,
}

impl Coroutine {
    /// A coroutine that has not started; the first [`Coroutine::resume`] starts it.
    pub(crate) fn new(stacks: &Rc<Stacks>, body: impl FnOnce() + 'static) -> Self {
        let stack = stacks.take();
        #[cfg(unix)]
        let guard = overflow::Guard::of(stack.limit().get(), stacks.page, stacks.size);
        let raw = Raw::with_stack(stack, move |switch: &Switch, ()| {
            RUNNING.set(switch);
            body();
        });
        Coroutine {
            raw: Some(raw),
            stacks: Rc::clone(stacks),
            #[cfg(unix)]
            guard,
        }
    }

    /// Is it in the middle?
    pub(crate) fn is_suspended(&self) -> bool {
        self.raw
            .as_ref()
            .is_some_and(|raw| raw.started() && !raw.done())
    }

    /// Runs until the next suspension or the end.
    pub(crate) fn resume(&mut self) -> State {
        let _outer = Outer(RUNNING.get());
        #[cfg(unix)]
        let _watched = self.guard.watch();
        let raw = self
            .raw
            .as_mut()
            .expect("only a dropped coroutine has none");
        match raw.resume(()) {
            CoroutineResult::Yield(()) => State::Suspended,
            CoroutineResult::Return(()) => State::Finished,
        }
    }
}

impl Drop for Coroutine {
    fn drop(&mut self) {
        let Some(mut raw) = self.raw.take() else {
            return;
        };
        if raw.started() && !raw.done() {
            std::mem::forget(raw);
            return;
        }
        // Not started: this drops what its body owns.
        raw.force_unwind();
        self.stacks.free.borrow_mut().push(raw.into_stack());
    }
}

/// Puts the pointer back when control returns.
struct Outer(*const Switch);

impl Drop for Outer {
    fn drop(&mut self) {
        RUNNING.set(self.0);
    }
}

/// Gives control back to whoever resumed the running coroutine.
pub(crate) fn suspend() {
    let switch = RUNNING.get();
    assert!(!switch.is_null(), "only a coroutine can be suspended");
    // SAFETY: not null, so it is the switch of the coroutine that runs here; see the module's text.
    unsafe { &*switch }.suspend(());
    RUNNING.set(switch);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_goes_back_and_forth() {
        let stacks = Stacks::new(64 * 1024);
        let log = Rc::new(RefCell::new(Vec::new()));
        let inner = Rc::clone(&log);
        let mut coroutine = Coroutine::new(&stacks, move || {
            for step in 0..3 {
                inner.borrow_mut().push(step);
                suspend();
            }
        });
        for step in 0..3 {
            assert_eq!(coroutine.resume(), State::Suspended);
            assert_eq!(log.borrow().len(), step + 1);
        }
        assert_eq!(coroutine.resume(), State::Finished);
    }

    #[test]
    fn coroutines_nest() {
        let stacks = Stacks::new(64 * 1024);
        let inside = Rc::clone(&stacks);
        let mut outer = Coroutine::new(&stacks, move || {
            let mut inner = Coroutine::new(&inside, suspend);
            assert_eq!(inner.resume(), State::Suspended);
            suspend();
            assert_eq!(inner.resume(), State::Finished);
        });
        assert_eq!(outer.resume(), State::Suspended);
        assert_eq!(outer.resume(), State::Finished);
    }

    #[test]
    fn finished_and_unstarted_ones_give_their_stack_back() {
        let stacks = Stacks::new(64 * 1024);
        let owned = Rc::new(());
        for _ in 0..1000 {
            let mut finished = Coroutine::new(&stacks, || {});
            finished.resume();
            let witness = Rc::clone(&owned);
            let _unstarted = Coroutine::new(&stacks, move || drop(witness));
        }
        assert_eq!(stacks.free.borrow().len(), 2);
        assert_eq!(Rc::strong_count(&owned), 1);
    }

    #[test]
    #[should_panic(expected = "only a coroutine can be suspended")]
    fn nothing_else_can_be_suspended() {
        suspend();
    }
}

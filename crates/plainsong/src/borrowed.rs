//! Code that borrows from a stack frame and runs elsewhere, with the `unsafe` that this takes.
//!
//! A scoped thread borrows from the frame of whoever called [`frame`], but the machine keeps code for
//! as long as it likes, so its type has to be `'static`. [`Scope::lend`] makes it so.
//!
//! Why the `unsafe` is sound. What must not happen is that lent code, or a value that it captured, is
//! used when the call of [`frame`] has returned or was unwound, because then what it borrows may be gone.
//! (The lifetimes are those of `std::thread::scope`: what has the lifetime `'scope` is valid as long as
//! the call lasts.) Lent code is counted from [`Scope::lend`] until it has returned, was unwound, or was
//! dropped without having run: its captured values are gone before the count goes down
//! ([`Lent`]). And the call of [`frame`] does not end, in whatever way, while the count is above
//! zero: [`Guard`] aborts the program. So nothing depends on the machine; it only takes care that it does
//! not come to that. A stack that is never unwound (a forgotten coroutine) is never used again either,
//! but its memory stays, so what others borrow from it stays valid.
//!
//! Lent code stays on its OS thread, because it is not `Send`. The count may be looked at by any.
#![expect(unsafe_code, reason = "a lifetime is forgotten")]

use crate::process::Process;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Starts threads that may borrow: see [`scope`](crate::thread::scope) and [`std::thread::Scope`].
pub struct Scope<'scope, 'env: 'scope> {
    borrowers: Arc<AtomicUsize>,
    /// The threads that were started and not yet waited for.
    pub(crate) started: Mutex<Vec<Process>>,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

/// Calls a function with a scope. When it ends, all code that was lent has to be gone.
pub(crate) fn frame<'env, R>(body: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> R) -> R {
    let guard = Guard(Arc::default());
    let scope = Scope {
        borrowers: Arc::clone(&guard.0),
        started: Mutex::default(),
        scope: PhantomData,
        env: PhantomData,
    };
    body(&scope)
}

impl<'scope> Scope<'scope, '_> {
    /// Is there lent code that is not gone?
    pub(crate) fn is_borrowed(&self) -> bool {
        self.borrowers.load(Ordering::SeqCst) > 0
    }

    /// The same code, with its lifetime forgotten.
    pub(crate) fn lend(&'scope self, code: impl FnOnce() + 'scope) -> Lent {
        let code: Box<dyn FnOnce() + 'scope> = Box::new(code);
        // SAFETY: only the lifetime changes, and the code is gone before it ends; see the module's
        // text.
        let code: Box<dyn FnOnce() + 'static> = unsafe { std::mem::transmute(code) };
        self.borrowers.fetch_add(1, Ordering::SeqCst);
        Lent {
            code: Some(code),
            borrowers: Arc::clone(&self.borrowers),
        }
    }
}

/// Lent code, counted as long as it exists.
pub(crate) struct Lent {
    code: Option<Box<dyn FnOnce()>>,
    borrowers: Arc<AtomicUsize>,
}

impl Lent {
    /// Runs it.
    pub(crate) fn run(mut self) {
        if let Some(code) = self.code.take() {
            code();
        }
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        // A destructor that panics here leaves the count as it is, which is safe.
        drop(self.code.take());
        self.borrowers.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Does not let go of a frame that something is borrowed from.
struct Guard(Arc<AtomicUsize>);

impl Drop for Guard {
    #[expect(
        clippy::print_stderr,
        reason = "the last words before the program aborts"
    )]
    fn drop(&mut self) {
        if self.0.load(Ordering::SeqCst) > 0 {
            eprintln!("plainsong: a scope ends before its threads: this cannot go on");
            std::process::abort();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::frame;

    #[test]
    fn code_borrows_and_runs() {
        let mut list = vec![1];
        frame(|scope| {
            let code = scope.lend(|| list.push(2));
            assert!(scope.is_borrowed());
            code.run();
            assert!(!scope.is_borrowed());
        });
        assert_eq!(list, [1, 2]);
    }

    #[test]
    fn code_that_does_not_run_is_dropped() {
        let text = "borrowed".to_owned();
        frame(|scope| {
            let code = scope.lend(|| assert_eq!(text, "borrowed"));
            drop(code);
            assert!(!scope.is_borrowed());
        });
    }

    #[test]
    fn code_that_panics_is_gone() {
        frame(|scope| {
            let code = scope.lend(|| panic!("on purpose"));
            assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| code.run())).is_err());
            assert!(!scope.is_borrowed());
        });
    }
}

//! Futures that do nothing but wait.
//!
//! An unbiased `select!` may poll its branches in any order. For branches that only wait for a message
//! the order does not matter, and most branches are of that kind; for the others every order has to be
//! explored. [`Quiet`] marks the futures of this crate that only wait, and [`Probe`] finds out, in a
//! macro and without naming types, whether a branch is one of them.

use std::pin::Pin;

/// A future that does nothing when it is polled, unless what it waits for has come.
pub trait Quiet {}

impl<F: Quiet + ?Sized> Quiet for &mut F {}
impl<F: Quiet + ?Sized> Quiet for Pin<&mut F> {}
impl<F: Quiet + ?Sized> Quiet for Box<F> {}
impl<F: Quiet + ?Sized> Quiet for Pin<Box<F>> {}
impl<T> Quiet for std::future::Pending<T> {}

/// Asks about a future; method lookup prefers [`Waiting`], which only quiet ones have, to [`Loud`].
#[doc(hidden)]
pub struct Probe<'f, F>(pub &'f F);

/// For futures that are [`Quiet`].
#[doc(hidden)]
pub trait Waiting {
    /// Is it quiet?
    fn is_quiet(&self) -> bool {
        true
    }
}

impl<F: Quiet> Waiting for Probe<'_, F> {}

/// For all futures.
#[doc(hidden)]
pub trait Loud {
    /// Is it quiet?
    fn is_quiet(&self) -> bool {
        false
    }
}

impl<F> Loud for &Probe<'_, F> {}

#[cfg(test)]
mod tests {
    use super::{Loud as _, Probe, Waiting as _};

    #[test]
    #[expect(
        clippy::needless_borrow,
        reason = "the borrow decides which trait is found"
    )]
    fn the_probe_tells_them_apart() {
        let (quiet, loud) = (std::future::pending::<()>(), std::future::ready(()));
        assert!((&Probe(&quiet)).is_quiet());
        assert!(!(&Probe(&loud)).is_quiet());
    }
}

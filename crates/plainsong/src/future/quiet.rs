//! Futures that do nothing but wait.
//!
//! An unbiased `select!` may poll its branches in any order. For branches that only wait for a message
//! the order does not matter, and most branches are of that kind; for the others every order has to be
//! explored. [`Quiet`] marks the futures of this crate that only wait, and [`Probe`] finds out, in a
//! macro and without naming types, whether a branch is one of them. One that is ready already (a receive
//! from a queue that was closed) waits no more: it is like any other future that is ready at once.

use std::pin::Pin;

/// A future that does nothing when it is polled, unless what it waits for has come.
pub trait Quiet {
    /// Does it wait? If not, it is ready when it is polled now.
    fn waits(&self) -> bool {
        true
    }
}

macro_rules! quiet_as_what_is_inside {
    ($($pointer:ty)*) => {$(
        impl<F: Quiet + ?Sized> Quiet for $pointer {
            fn waits(&self) -> bool {
                (**self).waits()
            }
        }
    )*};
}

quiet_as_what_is_inside!(&mut F Pin<&mut F> Box<F> Pin<Box<F>>);
impl<T> Quiet for std::future::Pending<T> {}

/// Asks about a future; method lookup prefers [`Waiting`], which only quiet ones have, to [`Loud`].
#[doc(hidden)]
pub struct Probe<'f, F>(pub &'f F);

/// For futures that are [`Quiet`].
#[doc(hidden)]
pub trait Waiting {
    /// Is it quiet?
    fn is_quiet(&self) -> bool;
}

impl<F: Quiet> Waiting for Probe<'_, F> {
    fn is_quiet(&self) -> bool {
        self.0.waits()
    }
}

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

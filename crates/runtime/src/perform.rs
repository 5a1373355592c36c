//! One role from its first message to its end.

use crate::error::{Error, Fault};
use crate::net::Net;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a role's program, and tells its peers how it ended.
///
/// A panic of the program (of code that it was given from outside, usually) becomes an error here, and
/// an error at every peer that still waits for this role.
///
/// # Errors
///
/// What the program returns; a panic; or, after a good end, that a peer did not receive everything, or was
/// lost before it did.
pub fn perform<N: Net, R>(
    mut net: N,
    program: impl FnOnce(&mut N) -> Result<R, Error>,
) -> Result<R, Error> {
    let result = catch_unwind(AssertUnwindSafe(|| program(&mut net)));
    let result = result.unwrap_or_else(|payload| {
        Err(Error::from(Fault::Panicked {
            role: net.name(),
            why: words(&*payload),
        }))
    });
    match result {
        Ok(result) => net.finish().map(|()| result),
        Err(error) => {
            net.abandon(&error);
            Err(error)
        }
    }
}

/// The message of a panic.
pub(crate) fn words(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no message").to_owned()
}

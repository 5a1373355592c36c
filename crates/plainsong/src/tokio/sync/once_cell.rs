//! A value that is made once, by whoever comes first.
//!
//! One permit goes round: who has it looks whether the value is there, and makes it if not. The value is lent for as
//! long as the cell exists, so there is only one of it: every execution runs as a whole.

use super::semaphore::Semaphore;
use crate::message::insist_on_whole_runs;
use std::cell::OnceCell as Cell;
use std::fmt;

/// A value that is made once: see tokio's `OnceCell`.
///
/// ```
/// use plainsong::tokio::{self, sync::OnceCell};
/// use std::sync::Arc;
///
/// let report = plainsong::explore(|| {
///     tokio::block_on(async {
///         let cell = Arc::new(OnceCell::new());
///         let tasks = [1, 2].map(|n| {
///             let cell = Arc::clone(&cell);
///             tokio::spawn(async move { *cell.get_or_init(|| async move { n }).await })
///         });
///         let mut seen = Vec::new();
///         for task in tasks {
///             seen.push(task.await.unwrap());
///         }
///         assert!(seen == [1, 1] || seen == [2, 2]);
///     });
/// });
/// report.assert_holds();
/// assert_eq!(report.executions, 2);
/// ```
pub struct OnceCell<T> {
    permit: Semaphore,
    value: Cell<T>,
}

impl<T: 'static> OnceCell<T> {
    /// A cell without a value.
    #[track_caller]
    pub fn new() -> Self {
        insist_on_whole_runs::<T>();
        OnceCell {
            permit: Semaphore::new(1),
            value: Cell::new(),
        }
    }

    /// The value; made now if there is none.
    pub async fn get_or_init<F: Future<Output = T>>(&self, make: impl FnOnce() -> F) -> &T {
        let made = self.get_or_try_init(|| async { Ok::<_, NoError>(make().await) });
        match made.await {
            Ok(value) => value,
            Err(never) => match never {},
        }
    }

    /// The value; made now if there is none.
    ///
    /// # Errors
    ///
    /// When it could not be made. Whoever comes next tries again.
    pub async fn get_or_try_init<E, F: Future<Output = Result<T, E>>>(
        &self,
        make: impl FnOnce() -> F,
    ) -> Result<&T, E> {
        let permit = self.permit.acquire().await;
        let value = match self.value.get() {
            Some(value) => value,
            None => {
                let made = make().await?;
                self.value.get_or_init(|| made)
            }
        };
        drop(permit);
        Ok(value)
    }

    /// The value, if it is there by now.
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        // Who asks has a place in the order of all operations.
        match self.permit.available_permits() {
            0 => None,
            _ => self.value.get(),
        }
    }

    /// Is the value there by now?
    #[track_caller]
    pub fn initialized(&self) -> bool {
        self.get().is_some()
    }

    /// The value.
    pub fn into_inner(self) -> Option<T> {
        self.value.into_inner()
    }
}

/// Nothing goes wrong.
enum NoError {}

impl<T: 'static> Default for OnceCell<T> {
    #[track_caller]
    fn default() -> Self {
        OnceCell::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for OnceCell<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OnceCell").field(&self.value.get()).finish()
    }
}

//! Tokens that tell tasks to stop, as in `tokio_util`.
//!
//! A token is a semaphore without permits: to cancel is to close it. A token is cancelled when it or one that it was
//! made from is, so it knows all of those.

use super::sync::{Acquire, Semaphore};
use std::fmt;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;

/// Tells tasks to stop: see `tokio_util::sync::CancellationToken`.
///
/// ```
/// use plainsong::tokio::{self, CancellationToken};
///
/// plainsong::explore(|| {
///     tokio::block_on(async {
///         let token = CancellationToken::new();
///         let child = token.child_token();
///         let task = tokio::spawn(async move { child.cancelled().await });
///         assert!(!token.is_cancelled());
///         token.cancel();
///         task.await.unwrap();
///     });
/// })
/// .assert_holds();
/// ```
#[derive(Clone)]
pub struct CancellationToken {
    /// Its own, and those of the tokens that it was made from.
    semaphores: Vec<Arc<Semaphore>>,
}

impl CancellationToken {
    /// A token that is not cancelled.
    #[track_caller]
    pub fn new() -> Self {
        CancellationToken {
            semaphores: vec![Arc::new(Semaphore::new(0))],
        }
    }

    /// A token that is cancelled with this one; this one is not cancelled with it.
    #[track_caller]
    pub fn child_token(&self) -> Self {
        let own = [Arc::new(Semaphore::new(0))];
        CancellationToken {
            semaphores: own
                .into_iter()
                .chain(self.semaphores.iter().cloned())
                .collect(),
        }
    }

    /// Cancels it and those made from it.
    #[track_caller]
    pub fn cancel(&self) {
        self.semaphores[0].close();
    }

    /// Was it cancelled by now?
    #[track_caller]
    pub fn is_cancelled(&self) -> bool {
        self.semaphores
            .iter()
            .any(|semaphore| semaphore.is_closed())
    }

    /// Waits until it is cancelled.
    pub async fn cancelled(&self) {
        let mut waiting: Vec<Pin<Box<Acquire<'_>>>> = Vec::new();
        for semaphore in &self.semaphores {
            waiting.push(Box::pin(semaphore.acquire()));
        }
        std::future::poll_fn(|cx| {
            let is_over = waiting
                .iter_mut()
                .any(|one| one.as_mut().poll(cx).is_ready());
            if is_over {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
    }

    /// The same, for as long as one likes.
    pub async fn cancelled_owned(self) {
        self.cancelled().await;
    }

    /// What a future returns, unless it is cancelled before.
    pub async fn run_until_cancelled<F: Future>(&self, future: F) -> Option<F::Output> {
        let mut cancelled = pin!(self.cancelled());
        let mut future = pin!(future);
        std::future::poll_fn(|cx| {
            if cancelled.as_mut().poll(cx).is_ready() {
                return Poll::Ready(None);
            }
            future.as_mut().poll(cx).map(Some)
        })
        .await
    }

    /// Cancels it when the result is dropped.
    pub fn drop_guard(self) -> DropGuard {
        DropGuard(Some(self))
    }
}

impl Default for CancellationToken {
    #[track_caller]
    fn default() -> Self {
        CancellationToken::new()
    }
}

impl fmt::Debug for CancellationToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CancellationToken")
    }
}

/// Cancels a token when it is dropped: see [`CancellationToken::drop_guard`].
#[derive(Debug)]
pub struct DropGuard(Option<CancellationToken>);

impl DropGuard {
    /// The token, which is not cancelled.
    pub fn disarm(mut self) -> CancellationToken {
        self.0.take().expect("it is there until it is dropped")
    }
}

impl Drop for DropGuard {
    fn drop(&mut self) {
        if let Some(token) = &self.0 {
            token.cancel();
        }
    }
}

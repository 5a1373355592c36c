//! `join!` and `try_join!`: all of several futures.

use crate::task::Task;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Waits for several futures; what they return, as a tuple.
///
/// ```
/// use plainsong::{channel, tokio};
///
/// plainsong::explore(|| {
///     tokio::block_on(async {
///         let (sender, receiver) = channel("numbers");
///         let (got, ()) = tokio::join!(receiver.receive_async(), async { sender.send(1) });
///         assert_eq!(got, 1);
///     });
/// })
/// .assert_holds();
/// ```
#[macro_export]
#[doc(hidden)]
macro_rules! __join {
    (@next [$($future:ident)*]) => {
        ::std::future::poll_fn(|cx| {
            let mut is_ready = true;
            $( is_ready &= $future.poll(cx).is_ready(); )*
            if is_ready {
                ::std::task::Poll::Ready(($($future.take(),)*))
            } else {
                ::std::task::Poll::Pending
            }
        }).await
    };
    (@next [$($known:ident)*] $first:expr $(, $rest:expr)*) => {{
        let mut future = $crate::tokio::macros::Joining::new($first);
        $crate::__join!(@next [$($known)* future] $($rest),*)
    }};
    ($($future:expr),* $(,)?) => {
        $crate::__join!(@next [] $($future),*)
    };
}

/// Waits for several futures that return results: all values as a tuple, or the first error.
///
/// ```
/// use plainsong::tokio;
///
/// plainsong::explore(|| {
///     tokio::block_on(async {
///         let both = async { tokio::try_join!(async { Ok::<_, u8>(1) }, async { Ok(2) }) };
///         assert_eq!(both.await, Ok((1, 2)));
///         let one = async { tokio::try_join!(async { Ok::<u8, _>(1) }, async { Err::<u8, _>(2) }) };
///         assert_eq!(one.await, Err(2));
///     });
/// })
/// .assert_holds();
/// ```
#[macro_export]
#[doc(hidden)]
macro_rules! __try_join {
    (@next [$($future:ident)*]) => {
        ::std::future::poll_fn(|cx| {
            let mut is_ready = true;
            $(
                is_ready &= $future.poll(cx).is_ready();
                if let ::std::option::Option::Some(error) = $future.take_error() {
                    return ::std::task::Poll::Ready(::std::result::Result::Err(error));
                }
            )*
            if is_ready {
                ::std::task::Poll::Ready(::std::result::Result::Ok(($($future.take_value(),)*)))
            } else {
                ::std::task::Poll::Pending
            }
        }).await
    };
    (@next [$($known:ident)*] $first:expr $(, $rest:expr)*) => {{
        let mut future = $crate::tokio::macros::Joining::new($first);
        $crate::__try_join!(@next [$($known)* future] $($rest),*)
    }};
    ($($future:expr),* $(,)?) => {
        $crate::__try_join!(@next [] $($future),*)
    };
}

/// Pins a future on the stack, as `tokio::pin!` does.
///
/// ```
/// use plainsong::tokio;
///
/// plainsong::explore(|| {
///     tokio::block_on(async {
///         let one = async { 1 };
///         tokio::pin!(one);
///         assert_eq!((&mut one).await, 1);
///     });
/// })
/// .assert_holds();
/// ```
#[macro_export]
#[doc(hidden)]
macro_rules! __pin {
    ($($name:ident),* $(,)?) => {
        $( let mut $name = ::std::pin::pin!($name); )*
    };
}

/// One of several futures, and what it returned.
#[doc(hidden)]
pub struct Joining<F: Future> {
    future: Option<Pin<Box<F>>>,
    output: Option<F::Output>,
    has_begun: bool,
}

impl<F: Future> Joining<F> {
    /// It has not begun.
    pub fn new(future: impl IntoFuture<IntoFuture = F>) -> Self {
        Joining {
            future: Some(Box::pin(future.into_future())),
            output: None,
            has_begun: false,
        }
    }

    /// Polls it unless it is done.
    pub fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if let Some(future) = &mut self.future {
            let task = Task::current("join");
            let is_first = !std::mem::replace(&mut self.has_begun, true);
            let poll = || {
                let poll = || future.as_mut().poll(cx);
                task.waits.observe_anew(is_first, poll)
            };
            match task.waits.observe(poll) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(output) => self.output = Some(output),
            }
            self.future = None;
        }
        Poll::Ready(())
    }

    /// What it returned.
    pub fn take(&mut self) -> F::Output {
        self.output
            .take()
            .expect("a future that is done has returned something")
    }
}

impl<T, E, F: Future<Output = Result<T, E>>> Joining<F> {
    /// The error that it returned, if it is done and did.
    pub fn take_error(&mut self) -> Option<E> {
        match self.output.take() {
            Some(Err(error)) => Some(error),
            other => {
                self.output = other;
                None
            }
        }
    }

    /// The value that it returned.
    pub fn take_value(&mut self) -> T {
        match self.take() {
            Ok(value) => value,
            Err(_) => unreachable!("errors are taken first"),
        }
    }
}

//! `select!`: the first of several futures.
//!
//! The order in which branches are polled. tokio begins with a branch drawn at random, so any branch
//! can be first. Branches that only wait ([`Quiet`](crate::future::Quiet)) do nothing when they are
//! polled, so their order does not matter: they are polled first, and the message that comes decides.
//! Other branches (`async` blocks, calls of `async fn`, a receive from a closed queue) may act or be
//! ready at once.
//! - With several of them, a choice says which begins.
//! - Before the first of them, and after each, a branch that waits by then may already have what it waits for,
//!   and if it is ready then the remaining ones never begin: a receive that does not wait explores both. A
//!   future that a server answers asks the server instead, also if it was polled in an earlier `select!`.
//!
//! After the first pass only what was woken makes progress, one thing at a time, and order is no matter.
//!
//! With `biased;` there is no choice of who begins, and a branch that waits wins against later ones that do
//! not only wait if its message is certainly there. That it is not there is an observation if all that is
//! waited for is in one queue: see [`crate::now`].
//!
//! NOT COVERED. Of several branches that only wait, `biased` does not prefer the first: each one whose
//! message can come wins in some execution, even if that of an earlier one is there too. In patterns,
//! `ref` and `mut` inside of something (`Some(mut x)`) do not compile.

use crate::choice::choose_at;
use crate::future::Interest;
use crate::now::look_among;
use crate::pattern::Arm;
use crate::receive::take_if_sure;
use crate::task::Task;
use std::panic::Location;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

/// Waits for several futures; goes on with the first that is ready and drops the others.
///
/// As in tokio: a branch is `pattern = future => expression`, with `, if condition` after the future if
/// it should not always take part. A branch whose pattern does not match is out. `else => expression`
/// is for when all are out. `biased;` in front polls them in the order they are written.
///
/// ```
/// use plainsong::{channel, tokio, Message};
///
/// let report = plainsong::explore(|| {
///     let (jobs, more) = channel::<u32>("jobs");
///     let (stop, stopped) = channel::<()>("stop");
///     let worker = tokio::spawn(async move {
///         let mut sum = 0;
///         loop {
///             tokio::select! {
///                 job = more.receive_async() => sum += job,
///                 () = stopped.receive_async() => break sum,
///             }
///         }
///     });
///     jobs.send(5);
///     stop.send(());
///     assert!(matches!(tokio::block_on(worker), Ok(0 | 5)));
/// });
/// report.assert_holds();
/// assert_eq!(report.executions, 2);
/// ```
#[macro_export]
#[doc(hidden)]
macro_rules! __select {
    // All branches are known.
    (@branch $biased:tt [$($known:tt)*]) => {
        $crate::__select!(@branch $biased [$($known)*]
            else => ::std::panic!("all branches are disabled and there is no else branch"))
    };
    (@branch $biased:tt
        [$({ $out:ident $branch:ident ($pattern:pat) ($future:expr) ($condition:expr) ($then:expr) })*]
        else => $else:expr $(,)?
    ) => {{
        $( let mut $out = ::std::option::Option::None; )*
        {
            use $crate::tokio::macros::{Loud as _, Waiting as _};
            $(
                let is_on: bool = $condition;
                let future = ::std::future::IntoFuture::into_future($future);
                let is_quiet = (&$crate::tokio::macros::Probe(&future)).is_quiet();
                let future = ::std::pin::pin!(future);
                #[allow(unused_variables, unused_mut, unreachable_patterns)]
                let mut $branch = $crate::tokio::macros::Branch::new(
                    future,
                    &mut $out,
                    is_on,
                    is_quiet,
                    |value| match value {
                        $pattern => true,
                        _ => false,
                    },
                );
            )*
            $crate::tokio::macros::race(
                ::std::vec![$( &mut $branch as &mut dyn $crate::tokio::macros::Branching ),*],
                $biased,
            )
            .await
        }
        $(
            if let ::std::option::Option::Some(value) = $out {
                #[allow(unreachable_patterns)]
                match value {
                    $pattern => $then,
                    _ => ::std::unreachable!("what has won matches its pattern"),
                }
            } else
        )*
        {
            $else
        }
    }};

    // One more branch: with a condition or without, a block or an expression.
    (@branch $biased:tt [$($known:tt)*]
        $pattern:pat = $future:expr, if $condition:expr => $then:block, $($rest:tt)*
    ) => {
        $crate::__select!(@branch $biased
            [$($known)* { out branch ($pattern) ($future) ($condition) ($then) }] $($rest)*)
    };
    (@branch $biased:tt [$($known:tt)*]
        $pattern:pat = $future:expr, if $condition:expr => $then:block $($rest:tt)*
    ) => {
        $crate::__select!(@branch $biased
            [$($known)* { out branch ($pattern) ($future) ($condition) ($then) }] $($rest)*)
    };
    (@branch $biased:tt [$($known:tt)*]
        $pattern:pat = $future:expr, if $condition:expr => $then:expr, $($rest:tt)*
    ) => {
        $crate::__select!(@branch $biased
            [$($known)* { out branch ($pattern) ($future) ($condition) ($then) }] $($rest)*)
    };
    (@branch $biased:tt [$($known:tt)*]
        $pattern:pat = $future:expr, if $condition:expr => $then:expr
    ) => {
        $crate::__select!(@branch $biased
            [$($known)* { out branch ($pattern) ($future) ($condition) ($then) }])
    };
    (@branch $biased:tt [$($known:tt)*]
        $pattern:pat = $future:expr => $then:block, $($rest:tt)*
    ) => {
        $crate::__select!(@branch $biased
            [$($known)* { out branch ($pattern) ($future) (true) ($then) }] $($rest)*)
    };
    (@branch $biased:tt [$($known:tt)*]
        $pattern:pat = $future:expr => $then:block $($rest:tt)*
    ) => {
        $crate::__select!(@branch $biased
            [$($known)* { out branch ($pattern) ($future) (true) ($then) }] $($rest)*)
    };
    (@branch $biased:tt [$($known:tt)*]
        $pattern:pat = $future:expr => $then:expr, $($rest:tt)*
    ) => {
        $crate::__select!(@branch $biased
            [$($known)* { out branch ($pattern) ($future) (true) ($then) }] $($rest)*)
    };
    (@branch $biased:tt [$($known:tt)*]
        $pattern:pat = $future:expr => $then:expr
    ) => {
        $crate::__select!(@branch $biased
            [$($known)* { out branch ($pattern) ($future) (true) ($then) }])
    };

    (biased; $($rest:tt)*) => {
        $crate::__select!(@branch true [] $($rest)*)
    };
    ($($rest:tt)*) => {
        $crate::__select!(@branch false [] $($rest)*)
    };
}

/// One branch of a `select!`, whatever its type.
#[doc(hidden)]
pub trait Branching {
    /// Does it take part?
    fn is_on(&self) -> bool;
    /// Does it only wait?
    fn is_quiet(&self) -> bool;
    /// Polls it: true if it is ready and has won. If what it returns does not match, it is out.
    fn wins(&mut self, cx: &mut Context<'_>) -> bool;
}

/// One branch of a `select!`.
#[doc(hidden)]
pub struct Branch<'a, F: Future, M> {
    future: Pin<&'a mut F>,
    out: &'a mut Option<F::Output>,
    is_on: bool,
    is_quiet: bool,
    matches: M,
}

impl<'a, F: Future, M: Fn(&F::Output) -> bool> Branch<'a, F, M> {
    /// A branch that puts what it returns into `out` if it matches.
    pub fn new(
        future: Pin<&'a mut F>,
        out: &'a mut Option<F::Output>,
        is_on: bool,
        is_quiet: bool,
        matches: M,
    ) -> Self {
        Branch {
            future,
            out,
            is_on,
            is_quiet,
            matches,
        }
    }
}

impl<F: Future, M: Fn(&F::Output) -> bool> Branching for Branch<'_, F, M> {
    fn is_on(&self) -> bool {
        self.is_on
    }

    fn is_quiet(&self) -> bool {
        self.is_quiet
    }

    fn wins(&mut self, cx: &mut Context<'_>) -> bool {
        if !self.is_on {
            return false;
        }
        let task = Task::current("select");
        let polled = task.waits.observe(|| self.future.as_mut().poll(cx));
        let Poll::Ready(output) = polled else {
            return false;
        };
        self.is_on = false;
        let matches = (self.matches)(&output);
        if matches {
            *self.out = Some(output);
        }
        matches
    }
}

/// Waits until a branch has won or all are out.
#[doc(hidden)]
#[track_caller]
pub fn race<'b>(branches: Vec<&'b mut dyn Branching>, is_biased: bool) -> Race<'b> {
    Race {
        branches,
        is_biased,
        has_begun: false,
        waits_for: Vec::new(),
        location: Location::caller(),
    }
}

/// See [`race`].
#[doc(hidden)]
pub struct Race<'b> {
    branches: Vec<&'b mut dyn Branching>,
    is_biased: bool,
    has_begun: bool,
    waits_for: Vec<Rc<Interest>>,
    location: &'static Location<'static>,
}

impl Future for Race<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let task = Task::current("select");
        let (has_won, waits_for) = task.waits.watch(|| {
            if self.has_begun {
                self.branches.iter_mut().any(|branch| branch.wins(cx))
            } else {
                self.has_begun = true;
                task.waits.observe_anew(true, || self.begin(cx))
            }
        });
        self.waits_for.extend(waits_for);
        if has_won || self.branches.iter().all(|branch| !branch.is_on()) {
            task.waits.forget(&self.waits_for);
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }
}

impl Race<'_> {
    /// Polls every branch for the first time, in one of the orders that are possible.
    fn begin(&mut self, cx: &mut Context<'_>) -> bool {
        let mut early = Early {
            task: Task::current("select"),
            location: self.location,
            is_biased: self.is_biased,
            waits_for: Vec::new(),
            polled: Vec::new(),
        };
        let mut last = None;
        for at in self.order() {
            if !self.branches[at].is_quiet() {
                let now = (early.task.next_operation(), early.waits_for.len());
                if last != Some(now) && early.wins(&mut self.branches, cx) {
                    return true;
                }
                last = Some((early.task.next_operation(), early.waits_for.len()));
            }
            if early.poll(&mut self.branches, at, cx) {
                return true;
            }
        }
        false
    }

    /// Who is polled when.
    fn order(&self) -> Vec<usize> {
        let is_on = |&at: &usize| self.branches[at].is_on();
        let all = (0..self.branches.len()).filter(is_on);
        if self.is_biased {
            return all.collect();
        }
        let (mut order, mut loud): (Vec<usize>, Vec<usize>) =
            all.partition(|&at| self.branches[at].is_quiet());
        if loud.len() > 1 {
            let begins = choose_at(0..loud.len(), self.location);
            loud.rotate_left(begins);
        }
        order.append(&mut loud);
        order
    }
}

/// Branches that wait now, and may have what they wait for before others begin.
struct Early {
    task: Rc<Task>,
    location: &'static Location<'static>,
    is_biased: bool,
    waits_for: Vec<Rc<Interest>>,
    polled: Vec<usize>,
}

impl Early {
    fn poll(
        &mut self,
        branches: &mut [&mut dyn Branching],
        at: usize,
        cx: &mut Context<'_>,
    ) -> bool {
        let (wins, waits_for) = self.task.waits.watch(|| branches[at].wins(cx));
        self.waits_for.extend(waits_for);
        if !self.polled.contains(&at) {
            self.polled.push(at);
        }
        wins
    }

    /// Has one of them what it waits for? One that goes on and waits for something else may have that too.
    fn wins(&mut self, branches: &mut [&mut dyn Branching], cx: &mut Context<'_>) -> bool {
        while self.something_comes() {
            for at in self.polled.clone() {
                if self.poll(branches, at, cx) {
                    return true;
                }
            }
        }
        false
    }

    /// Gives one of them what it waits for, if that is there.
    fn something_comes(&mut self) -> bool {
        let waits = &self.task.waits;
        self.waits_for.retain(|interest| waits.is_open(interest));
        let arms: Vec<Arm> = self
            .waits_for
            .iter()
            .filter(|interest| !interest.is_absent())
            .filter_map(|interest| interest.arm().cloned())
            .collect();
        if let Some(first) = arms.first() {
            let is_alike = |arm: &Arm| arm.is_in_memory && arm.mailbox == first.mailbox;
            let message = match self.is_biased {
                // That it is not there is an observation: it comes later.
                true if arms.iter().all(is_alike) => {
                    look_among(&self.task, &arms, first.mailbox, self.location)
                }
                true => {
                    let sure = vec![arms.clone()];
                    take_if_sure(&self.task, &arms, self.location, false, sure)
                }
                false => take_if_sure(&self.task, &arms, self.location, false, Vec::new()),
            };
            if let Some(message) = message {
                let mut waiting = self.waits_for.iter();
                return waiting.any(|interest| interest.offer(&message));
            }
        }
        self.pass_time()
    }

    /// Time that was waited for before may have passed.
    fn pass_time(&self) -> bool {
        let old = |interest: &&Rc<Interest>| interest.arm().is_none() && interest.is_old();
        let times: Vec<&Rc<Interest>> = self.waits_for.iter().filter(old).collect();
        if times.is_empty() {
            return false;
        }
        match choose_at(0..=times.len(), self.location).checked_sub(1) {
            Some(at) => {
                times[at].fire();
                true
            }
            None => false,
        }
    }
}

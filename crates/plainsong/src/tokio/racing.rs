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
//! With `biased;` there is no choice of who begins: branches are polled in their order, each at a moment of its own, and the
//! first that has what it waits for at its moment wins. (What is sent while they are polled may come too late for one and in
//! time for the next, also if it was sent to both in that order.) If all wait, whatever comes first wins.
//! A branch that is followed by others looks at its moment. Where the others only wait, it [marks](crate::now::mark) the
//! moment instead, and the mark is read when something has come for one of the others: if a message for it was there
//! before its mark, this is [no execution](in_vain), because in another one that message is taken.
//!
//! NOT COVERED. What travels through a network (not in the queues and locks of `tokio`) may be late: of branches that wait
//! for that each one whose message can come wins in some execution, with `biased` too. In patterns, `ref` and `mut` inside
//! of something (`Some(mut x)`) do not compile.

use crate::choice::choose_at;
use crate::future::Interest;
use crate::now::{in_vain, look_among, mark};
use crate::pattern::Arm;
use crate::receive::{take, take_if_sure};
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
    let waits_for = branches.iter().map(|_| Vec::new()).collect();
    Race {
        branches,
        is_biased,
        has_begun: false,
        waits_for,
        marks: Vec::new(),
        location: Location::caller(),
    }
}

/// See [`race`].
#[doc(hidden)]
pub struct Race<'b> {
    branches: Vec<&'b mut dyn Branching>,
    is_biased: bool,
    has_begun: bool,
    /// What each branch waits for.
    waits_for: Vec<Vec<Rc<Interest>>>,
    marks: Vec<Mark>,
    location: &'static Location<'static>,
}

/// The moment at which a branch began to wait.
struct Mark {
    branch: usize,
    interest: Rc<Interest>,
    now: Arm,
}

impl Future for Race<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let task = Task::current("select");
        let has_won = if std::mem::replace(&mut self.has_begun, true) {
            self.insist_on_order(&task);
            (0..self.branches.len()).any(|at| self.wins(&task, at, cx))
        } else {
            task.waits.observe_anew(true, || self.begin(&task, cx))
        };
        if has_won || self.branches.iter().all(|branch| !branch.is_on()) {
            task.waits.forget(&self.waits_for.concat());
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }
}

impl Race<'_> {
    /// Polls a branch.
    fn wins(&mut self, task: &Task, at: usize, cx: &mut Context<'_>) -> bool {
        let (wins, waits_for) = task.waits.watch(|| self.branches[at].wins(cx));
        let known = &mut self.waits_for[at];
        for one in waits_for {
            if !known.iter().any(|other| Rc::ptr_eq(other, &one)) {
                known.push(one);
            }
        }
        wins
    }

    /// Something has come for a branch. If something was there for an earlier one when that began, it has that, in
    /// another execution.
    fn insist_on_order(&mut self, task: &Task) {
        let has_come = |these: &Vec<Rc<Interest>>| these.iter().any(|one| one.has_come());
        let Some(first) = self.waits_for.iter().position(has_come) else {
            return;
        };
        let marks = std::mem::take(&mut self.marks);
        let before = marks.into_iter().filter(|mark| mark.branch < first);
        for Mark { interest, now, .. } in before {
            let Some(arm) = interest.arm().filter(|_| task.waits.is_open(&interest)) else {
                continue;
            };
            let arms = [arm.clone(), now.clone()];
            let earlier = take(task, &arms, self.location, true);
            if earlier.is_some_and(|earlier| !now.accepts(&earlier)) {
                in_vain(task, self.location);
            }
        }
    }

    /// Polls every branch for the first time, in one of the orders that are possible.
    fn begin(&mut self, task: &Task, cx: &mut Context<'_>) -> bool {
        match self.is_biased {
            true => (0..self.branches.len()).any(|at| self.begins_in_order(task, at, cx)),
            false => self.begin_in_some_order(task, cx),
        }
    }

    fn begin_in_some_order(&mut self, task: &Task, cx: &mut Context<'_>) -> bool {
        let mut last = None;
        for at in self.order() {
            if !self.branches[at].is_quiet() {
                let now = (task.next_operation(), self.waiting());
                if last != Some(now) && self.wins_early(task, cx) {
                    return true;
                }
                last = Some((task.next_operation(), self.waiting()));
            }
            if self.wins(task, at, cx) {
                return true;
            }
        }
        false
    }

    /// Polls a branch for the first time, when those before it have been: does it have what it waits for?
    fn begins_in_order(&mut self, task: &Task, at: usize, cx: &mut Context<'_>) -> bool {
        let after = &self.branches[at + 1..];
        let (is_last, only_wait) = (
            after.iter().all(|branch| !branch.is_on()),
            after.iter().all(|branch| branch.is_quiet()),
        );
        while !self.wins(task, at, cx) {
            let open = self.waits_for[at].clone().into_iter();
            let open: Vec<_> = open.filter(|one| task.waits.is_open(one)).collect();
            let mut these = open.iter();
            if is_last || !these.any(|one| self.comes_now(task, at, one, only_wait)) {
                return false;
            }
        }
        true
    }

    /// For how much branches wait by now.
    fn waiting(&self) -> usize {
        self.waits_for.iter().map(Vec::len).sum()
    }

    /// Has a branch that waits by now what it waits for, before others begin? One that goes on and waits for something
    /// else may have that too.
    fn wins_early(&mut self, task: &Task, cx: &mut Context<'_>) -> bool {
        while self.something_comes(task) {
            for at in 0..self.branches.len() {
                if !self.waits_for[at].is_empty() && self.wins(task, at, cx) {
                    return true;
                }
            }
        }
        false
    }

    /// Gives one of them what it waits for, if that is there.
    fn something_comes(&self, task: &Task) -> bool {
        let known = self.waits_for.concat().into_iter();
        let open: Vec<_> = known.filter(|one| task.waits.is_open(one)).collect();
        self.one_comes(task, &open) || self.pass_time(&open)
    }

    /// Has a branch what it waits for when it begins? That it is not there is an observation, as far as anybody can tell.
    /// If those after it only wait, it makes no difference before one of them has something: then it is enough to mark
    /// the moment.
    fn comes_now(
        &mut self,
        task: &Task,
        branch: usize,
        interest: &Rc<Interest>,
        only_wait: bool,
    ) -> bool {
        let Some(arm) = interest.arm().filter(|_| !interest.is_absent()) else {
            return !only_wait && self.pass_time(std::slice::from_ref(interest));
        };
        let (arms, place) = ([arm.clone()], self.location);
        let message = if arm.is_coming(place) {
            take(task, &arms, place, true)
        } else if !arm.is_in_memory && only_wait {
            None
        } else if !arm.is_in_memory {
            take_if_sure(task, &arms, place, false, vec![arms.to_vec()])
        } else if only_wait {
            self.marks.push(Mark {
                branch,
                interest: Rc::clone(interest),
                now: mark(task, arm.mailbox, place),
            });
            None
        } else {
            look_among(task, &arms, arm.mailbox, place)
        };
        message.is_some_and(|message| interest.offer(&message))
    }

    /// Some branch may have what it waits for, or none.
    fn one_comes(&self, task: &Task, open: &[Rc<Interest>]) -> bool {
        let there = open.iter().filter(|interest| !interest.is_absent());
        let arms: Vec<Arm> = there.filter_map(|one| one.arm().cloned()).collect();
        if arms.is_empty() {
            return false;
        }
        let message = take_if_sure(task, &arms, self.location, false, Vec::new());
        message.is_some_and(|message| open.iter().any(|interest| interest.offer(&message)))
    }

    /// Time that was waited for before may have passed.
    fn pass_time(&self, open: &[Rc<Interest>]) -> bool {
        let old = |interest: &&Rc<Interest>| interest.arm().is_none() && interest.is_old();
        let times: Vec<&Rc<Interest>> = open.iter().filter(old).collect();
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

    /// Who is polled when, if that is not said.
    fn order(&self) -> Vec<usize> {
        let is_on = |&at: &usize| self.branches[at].is_on();
        let all = (0..self.branches.len()).filter(is_on);
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

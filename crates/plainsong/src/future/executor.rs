//! Runs a future as the code of a process.
//!
//! The root future is polled. When it is pending, *one* receive is performed for everything that its
//! parts wait for, what comes is handed to the first part that wants it, and the root is polled again.
//! So an awaited message costs one event, as a plain receive does, and a `select!` over several is one
//! receive from several places: every message that can come first does, in an execution of its own.
//!
//! Time is not modelled. While something waits for time to pass, the receive does not wait: getting
//! nothing means that time has passed. A timeout of something in shared memory (a queue of `tokio`) comes at a
//! moment in the one order of all operations, see [`now`](crate::now). If several parts wait for that, each is first in an execution of
//! its own. One of several timeouts, or one for several things, comes only if nothing that it would be given up for is
//! there: it looks, and an execution in which it finds something is none, because that came first in another one.
//!
//! Time that passes while nothing else could have happened is no event. After many such passes in a row
//! each further one is, so that a loop that only waits for time has too many events in the end.
//!
//! A future that is pending and waits for nothing waits for ever. So does the process, and that is a
//! deadlock.

use super::interest::{Interest, Want};
use crate::choice::choose_at;
use crate::message::Envelope;
use crate::now::{in_vain, is_there, look_among as look};
use crate::pattern::Arm;
use crate::receive::take_if_sure;
use crate::task::Task;
use plainsong_explore::Mailbox;
use std::fmt;
use std::panic::Location;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

/// How often a future may wake itself before something happens.
const MOST_WAKES: u32 = 10_000;

/// How often time may pass in a row before that counts as an event.
const MOST_IDLE: u32 = 100;

/// The future was given up from outside.
pub(crate) struct Aborted;

/// Runs a future to its end, unless a message comes that `abort` accepts.
#[track_caller]
pub(crate) fn run<F: Future>(
    future: F,
    abort: Option<Arm>,
    location: &'static Location<'static>,
) -> Result<F::Output, Aborted> {
    let task = Task::current("block_on");
    let flag = Arc::new(Flag(AtomicBool::new(false)));
    let waker = Waker::from(Arc::clone(&flag));
    assert!(
        task.waits.begin(&waker),
        "`block_on` inside of async code would block the whole task: use `.await`"
    );
    let executor = Executor {
        task: Rc::clone(&task),
        flag,
        abort,
        location,
    };
    let mut future = pin!(future);
    let mut wakes = 0;
    let mut idle = Idle::default();
    loop {
        executor.flag.0.store(false, Ordering::Relaxed);
        task.waits.next_pass();
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return Ok(output);
        }
        match executor.wait()? {
            Progress::Made => wakes = 0,
            Progress::None => wakes += 1,
            Progress::Idle => {
                wakes = 0;
                idle.passed(&task, location);
            }
        }
        assert!(
            wakes < MOST_WAKES,
            "a future wakes itself again and again, and waits for nothing"
        );
    }
}

struct Executor {
    task: Rc<Task>,
    flag: Arc<Flag>,
    abort: Option<Arm>,
    location: &'static Location<'static>,
}

enum Progress {
    Made,
    None,
    /// Time has passed, and that was no event.
    Idle,
}

/// Time that passed without any event.
#[derive(Default)]
struct Idle {
    passes: u32,
    /// The next operation of the process.
    operation: u32,
}

impl Idle {
    /// Time has passed once more; from some time on, that is an event.
    fn passed(&mut self, task: &Task, location: &'static Location<'static>) {
        if self.operation != task.next_operation() {
            self.passes = 0;
        }
        self.passes += 1;
        if self.passes > MOST_IDLE {
            choose_at([TimePasses], location);
        }
        self.operation = task.next_operation();
    }
}

/// The only thing that can happen.
struct TimePasses;

impl fmt::Debug for TimePasses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("that time passes")
    }
}

impl Executor {
    /// Everything is pending: waits for something to happen.
    fn wait(&self) -> Result<Progress, Aborted> {
        let open = self.task.waits.open(self.task.process);
        let (messages, times): (Vec<_>, Vec<_>) =
            open.into_iter().partition(|open| open.arm().is_some());
        let is_woken = self.flag.0.load(Ordering::Relaxed);
        let waits = times.is_empty() && !is_woken;
        let mut arms: Vec<Arm> = messages
            .iter()
            .filter_map(|open| open.arm().cloned())
            .collect();
        arms.extend(self.abort.clone());
        if arms.is_empty() && waits {
            arms.push(self.never());
        }
        let mut has_looked = false;
        if !arms.is_empty() {
            let location = messages
                .first()
                .map_or(self.location, |first| first.location);
            let memory = memory_of(&times).filter(|_| !is_woken);
            has_looked = memory.is_some();
            let message = match memory {
                Some(mailbox) => look(&self.task, &arms, mailbox, location),
                None => {
                    let sure = if is_woken { Vec::new() } else { sure(&times) };
                    take_if_sure(&self.task, &arms, location, waits, sure)
                }
            };
            if let Some(message) = message {
                return self.deliver(&message, &messages);
            }
        }
        if is_woken {
            return Ok(match arms.is_empty() {
                true => Progress::None,
                false => Progress::Made,
            });
        }
        if let Some(time) = next_of(&times) {
            if self.is_there_for(time, times.len() == 1, has_looked) {
                in_vain(&self.task, time.location);
            }
            time.fire();
        }
        Ok(match arms.is_empty() && times.len() == 1 {
            true => Progress::Idle,
            false => Progress::Made,
        })
    }

    /// Is there what a timeout would be given up for? Of what travels through a network only what is certainly there
    /// counts; if there is only one timeout, that was asked for before.
    fn is_there_for(&self, time: &Interest, is_only: bool, has_looked: bool) -> bool {
        let Want::Time { for_these } = &time.want else {
            return false;
        };
        let open: Vec<Arm> = for_these
            .borrow()
            .iter()
            .filter(|one| self.task.waits.is_open(one))
            .filter_map(|one| one.arm().cloned())
            .collect();
        let is_in_network = |arm: &&Arm| !arm.is_in_memory && arm.about.is_none();
        let late: Vec<Arm> = open.iter().filter(is_in_network).cloned().collect();
        let mut open = open.iter();
        let is_there = |arm: &Arm| match has_looked {
            true => arm.is_coming(time.location),
            false => is_there(&self.task, arm, time.location),
        };
        open.any(is_there)
            || (!is_only && !late.is_empty() && is_certain(&self.task, &late, time.location))
    }

    fn deliver(
        &self,
        message: &Rc<Envelope>,
        interests: &[Rc<Interest>],
    ) -> Result<Progress, Aborted> {
        if interests.iter().any(|interest| interest.offer(message)) {
            return Ok(Progress::Made);
        }
        Err(Aborted)
    }

    /// What never comes.
    fn never(&self) -> Arm {
        let count = self.task.next_channel();
        let mut mailboxes = self.task.world.mailboxes.borrow_mut();
        let mailbox = mailboxes.of_plumbing(self.task.process, count, "something to wake it");
        Arm::anything(mailbox)
    }
}

impl Drop for Executor {
    fn drop(&mut self) {
        self.task.waits.end();
    }
}

/// The mailbox of what a timeout would be given up for, if it is one and in shared memory: then that time has
/// passed is an observation too, and what is waited for comes later.
fn memory_of(times: &[Rc<Interest>]) -> Option<Mailbox> {
    let [time] = times else {
        return None;
    };
    let Want::Time { for_these } = &time.want else {
        return None;
    };
    let these = for_these.borrow();
    let mut arms = these.iter().filter_map(|one| one.arm());
    let first = arms.next()?;
    let is_alike = |arm: &Arm| arm.is_in_memory && arm.mailbox == first.mailbox;
    (first.is_in_memory && arms.all(is_alike)).then_some(first.mailbox)
}

/// Time cannot have passed if all that it would be given up for is certainly there.
fn sure(times: &[Rc<Interest>]) -> Vec<Vec<Arm>> {
    let group = |time: &Rc<Interest>| match &time.want {
        Want::Time { for_these } => {
            let these = for_these.borrow();
            let group: Vec<Arm> = these.iter().filter_map(|one| one.arm().cloned()).collect();
            Some(group).filter(|group| !group.is_empty())
        }
        Want::Message(_) => None,
    };
    let groups: Option<Vec<Vec<Arm>>> = times.iter().map(group).collect();
    groups.unwrap_or_default()
}

/// Is one of these messages, which travel through a network, certainly there? One that may be is not asked for.
fn is_certain(task: &Task, arms: &[Arm], location: &'static Location<'static>) -> bool {
    let sure = vec![arms.to_vec()];
    take_if_sure(task, arms, location, false, sure).is_some()
}

/// The one of them for which time passes next.
fn next_of(times: &[Rc<Interest>]) -> Option<&Rc<Interest>> {
    match times {
        [] => None,
        [only] => Some(only),
        [first, ..] => {
            let options = times.iter().map(Passes);
            Some(choose_at(options, first.location).0)
        }
    }
}

/// One of several times that may pass first.
struct Passes<'t>(&'t Rc<Interest>);

impl fmt::Debug for Passes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the time of {}", self.0.location)
    }
}

/// Has anything woken the root?
struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

//! Random programs over the mirror of `tokio::sync`, played by real tasks: see `tokio_oracle`.

use crate::random::Random;
use plainsong::sync::atomic::{AtomicI32, Ordering};
use plainsong::tokio::sync::{
    Notify, RwLock, RwLockReadGuard, RwLockWriteGuard, Semaphore, SemaphorePermit, mpsc, oneshot,
};
use plainsong::tokio::time::{Duration, timeout};
use plainsong::{cover, tokio};
use std::sync::Arc;

/// A step of a task. There are a semaphore with one permit, a reader-writer lock, a `Notify`, a queue with room
/// for one message and a oneshot, which task 0 receives from, and an atomic number. Task 1 has the sender of
/// the oneshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Acquire,
    TryAcquire,
    /// Acquires if a permit comes in time.
    TimedAcquire,
    Permits,
    Read,
    TryRead,
    Write,
    TryWrite,
    /// Gives back what it has of the semaphore and the lock.
    Release,
    NotifyOne,
    NotifyAll,
    /// Makes a future of a notification, and awaits it.
    Notified,
    Send(i32),
    TrySend(i32),
    Capacity,
    IsClosed,
    Recv,
    TryRecv,
    /// Receives if a message comes in time.
    TimedRecv,
    SendOnce(i32),
    IsOnceClosed,
    RecvOnce,
    TryRecvOnce,
    /// Receives the value if it comes in time.
    TimedRecvOnce,
    /// Receives from the queue and the oneshot, each if something comes in time.
    TimedBoth,
    /// Receives from the queue or else from the oneshot.
    Either,
    Load,
    Store(i32),
    /// Drops what it has of the queue.
    DropQueue,
    /// Drops what it has of the oneshot.
    DropOnce,
}

/// One list of steps per task.
pub(crate) type Program = Vec<Vec<Step>>;

/// What each task saw.
pub(crate) type Logs = Vec<Vec<i32>>;

/// There is nothing now.
pub(crate) const NOT_NOW: i32 = -1;
/// There is nothing, and never will be.
pub(crate) const NEVER: i32 = -2;
/// It came from the oneshot and not from the queue.
pub(crate) const BY_ONCE: i32 = 100;

const SECOND: Duration = Duration::from_secs(1);

struct Shared {
    semaphore: Semaphore,
    lock: RwLock<()>,
    notify: Notify,
    number: AtomicI32,
}

#[derive(Default)]
struct Ends {
    sender: Option<mpsc::Sender<i32>>,
    receiver: Option<mpsc::Receiver<i32>>,
    once_sender: Option<oneshot::Sender<i32>>,
    once_receiver: Option<oneshot::Receiver<i32>>,
}

#[derive(Default)]
struct Held<'s> {
    permit: Option<SemaphorePermit<'s>>,
    read: Option<RwLockReadGuard<'s, ()>>,
    write: Option<RwLockWriteGuard<'s, ()>>,
}

/// Plays a program and covers what its tasks saw.
pub(crate) fn play(program: &Program) {
    tokio::block_on(async {
        let shared = Arc::new(Shared {
            semaphore: Semaphore::new(1),
            lock: RwLock::new(()),
            notify: Notify::new(),
            number: AtomicI32::new(0),
        });
        let (sender, receiver) = mpsc::channel(1);
        let (once_sender, once_receiver) = oneshot::channel();
        let mut ends: Vec<Ends> = program.iter().map(|_| Ends::default()).collect();
        for end in &mut ends[1..] {
            end.sender = Some(sender.clone());
        }
        drop(sender);
        ends[0].receiver = Some(receiver);
        ends[0].once_receiver = Some(once_receiver);
        ends[1].once_sender = Some(once_sender);
        let tasks: Vec<_> = program
            .iter()
            .zip(ends)
            .map(|(steps, ends)| {
                let (steps, shared) = (steps.clone(), Arc::clone(&shared));
                tokio::spawn(async move { run(&steps, &shared, ends).await })
            })
            .collect();
        let mut logs: Logs = Vec::new();
        for task in tasks {
            logs.push(task.await.unwrap());
        }
        cover(format!("{logs:?}"));
    });
}

async fn run(steps: &[Step], shared: &Shared, mut ends: Ends) -> Vec<i32> {
    let mut log = Vec::new();
    let mut held = Held::default();
    for &step in steps {
        log.extend(perform(step, shared, &mut ends, &mut held).await);
    }
    log
}

async fn perform<'s>(
    step: Step,
    shared: &'s Shared,
    ends: &mut Ends,
    held: &mut Held<'s>,
) -> Option<i32> {
    let is_there = |there: bool| if there { 1 } else { NOT_NOW };
    match step {
        Step::Acquire => held.permit = shared.semaphore.acquire().await.ok(),
        Step::TryAcquire => {
            held.permit = shared.semaphore.try_acquire().ok();
            return Some(is_there(held.permit.is_some()));
        }
        Step::TimedAcquire => {
            let acquired = timeout(SECOND, shared.semaphore.acquire()).await;
            held.permit = acquired.ok().and_then(Result::ok);
            return Some(is_there(held.permit.is_some()));
        }
        Step::Permits => return Some(shared.semaphore.available_permits() as i32),
        Step::Read => held.read = Some(shared.lock.read().await),
        Step::TryRead => {
            held.read = shared.lock.try_read().ok();
            return Some(is_there(held.read.is_some()));
        }
        Step::Write => held.write = Some(shared.lock.write().await),
        Step::TryWrite => {
            held.write = shared.lock.try_write().ok();
            return Some(is_there(held.write.is_some()));
        }
        Step::Release => *held = Held::default(),
        Step::NotifyOne => shared.notify.notify_one(),
        Step::NotifyAll => shared.notify.notify_waiters(),
        Step::Notified => shared.notify.notified().await,
        Step::Load => return Some(shared.number.load(Ordering::SeqCst)),
        Step::Store(n) => shared.number.store(n, Ordering::SeqCst),
        Step::TimedBoth | Step::Either => return Some(exchange_two(step, ends).await),
        Step::DropQueue => drop((ends.sender.take(), ends.receiver.take())),
        Step::DropOnce => drop((ends.once_sender.take(), ends.once_receiver.take())),
        _ => return Some(exchange(step, ends).await),
    }
    None
}

/// The steps that are about messages.
async fn exchange(step: Step, ends: &mut Ends) -> i32 {
    if let Some(sender) = &ends.sender {
        match step {
            Step::Send(n) => return sender.send(n).await.map_or(NEVER, |()| 0),
            Step::TrySend(n) => {
                return match sender.try_send(n) {
                    Ok(()) => 0,
                    Err(mpsc::error::TrySendError::Full(_)) => NOT_NOW,
                    Err(mpsc::error::TrySendError::Closed(_)) => NEVER,
                };
            }
            Step::Capacity => return sender.capacity() as i32,
            Step::IsClosed => return i32::from(sender.is_closed()),
            _ => {}
        }
    }
    if let Some(receiver) = &mut ends.receiver {
        match step {
            Step::Recv => return receiver.recv().await.unwrap_or(NEVER),
            Step::TimedRecv => {
                return match timeout(SECOND, receiver.recv()).await {
                    Ok(received) => received.unwrap_or(NEVER),
                    Err(_) => NOT_NOW,
                };
            }
            Step::TryRecv => {
                return receiver.try_recv().unwrap_or_else(|error| match error {
                    mpsc::error::TryRecvError::Empty => NOT_NOW,
                    mpsc::error::TryRecvError::Disconnected => NEVER,
                });
            }
            _ => {}
        }
    }
    match step {
        Step::SendOnce(n) => {
            let sent = ends.once_sender.take().map(|sender| sender.send(n));
            sent.and_then(Result::ok).map_or(NEVER, |()| 0)
        }
        Step::IsOnceClosed => {
            let sender = ends.once_sender.as_ref();
            i32::from(sender.is_some_and(oneshot::Sender::is_closed))
        }
        Step::RecvOnce => match ends.once_receiver.take() {
            Some(receiver) => receiver.await.unwrap_or(NEVER),
            None => NEVER,
        },
        Step::TryRecvOnce => {
            let received = ends.once_receiver.as_mut().map(|one| one.try_recv());
            if received == Some(Err(oneshot::error::TryRecvError::Empty)) {
                return NOT_NOW;
            }
            ends.once_receiver = None;
            received.and_then(Result::ok).unwrap_or(NEVER)
        }
        Step::TimedRecvOnce => match ends.once_receiver.as_mut() {
            Some(receiver) => match timeout(SECOND, receiver).await {
                Ok(received) => {
                    ends.once_receiver = None;
                    received.unwrap_or(NEVER)
                }
                Err(_) => NOT_NOW,
            },
            None => NEVER,
        },
        _ => unreachable!("{step:?} is not for this task"),
    }
}

/// The steps that are about messages from two places: the results of both, or which it was and its result.
async fn exchange_two(step: Step, ends: &mut Ends) -> i32 {
    let (queue, once) = (ends.receiver.as_mut(), ends.once_receiver.as_mut());
    let queue = queue.expect("it is dropped later");
    let Some(once) = once else {
        let received = match step {
            Step::Either => Ok(queue.recv().await),
            _ => timeout(SECOND, queue.recv()).await,
        };
        let received = received.map_or(NOT_NOW, |one| one.unwrap_or(NEVER));
        return both(step, received, NEVER);
    };
    if step == Step::TimedBoth {
        let (first, second) =
            tokio::join!(timeout(SECOND, queue.recv()), timeout(SECOND, &mut *once));
        let first = first.map_or(NOT_NOW, |one| one.unwrap_or(NEVER));
        let Ok(second) = second else {
            return both(step, first, NOT_NOW);
        };
        ends.once_receiver = None;
        return both(step, first, second.unwrap_or(NEVER));
    }
    tokio::select! {
        biased;
        received = queue.recv() => both(step, received.unwrap_or(NEVER), NEVER),
        received = &mut *once => {
            ends.once_receiver = None;
            BY_ONCE + received.unwrap_or(NEVER)
        }
    }
}

/// What is seen of two results.
pub(crate) fn both(step: Step, first: i32, second: i32) -> i32 {
    match step {
        Step::TimedBoth => 1000 * (first + 10) + second,
        _ => first,
    }
}

/// A random program that says at its end what it drops.
pub(crate) fn generate(random: &mut Random) -> Program {
    let kinds: Vec<u64> = (0..1 + random.below(3)).map(|_| random.below(6)).collect();
    let tasks = 2 + random.below(2) as usize;
    let most = if tasks == 2 { 5 } else { 3 };
    let of_task = |task: usize| {
        let mut steps = Vec::new();
        while steps.len() < most {
            let kind = kinds[random.below(kinds.len() as u64) as usize];
            section(random, task, kind, &mut steps);
        }
        steps.push(Step::Release);
        for (drops, is_early) in [
            (Step::DropQueue, random.below(2) == 0),
            (Step::DropOnce, random.below(2) == 0),
        ] {
            let uses = |step: &Step| uses(drops, *step);
            let last = steps.iter().rposition(uses).filter(|_| is_early);
            steps.insert(last.map_or(steps.len(), |last| last + 1), drops);
        }
        steps
    };
    (0..tasks).map(of_task).collect()
}

/// Does a step use what another one drops?
fn uses(drops: Step, step: Step) -> bool {
    let once = [
        Step::IsOnceClosed,
        Step::RecvOnce,
        Step::TryRecvOnce,
        Step::TimedRecvOnce,
    ];
    let queue = [
        Step::Capacity,
        Step::IsClosed,
        Step::Recv,
        Step::TryRecv,
        Step::TimedRecv,
    ];
    match step {
        Step::TimedBoth | Step::Either => true,
        Step::SendOnce(_) => drops == Step::DropOnce,
        Step::Send(_) | Step::TrySend(_) => drops == Step::DropQueue,
        _ if drops == Step::DropOnce => once.contains(&step),
        _ => queue.contains(&step),
    }
}

fn section(random: &mut Random, task: usize, kind: u64, steps: &mut Vec<Step>) {
    let number = 1 + random.below(3) as i32;
    let message = number + 10 * task as i32;
    match (kind, random.below(4)) {
        (0, 0) => steps.push(Step::Permits),
        (0, 1) => steps.extend([Step::TryAcquire, Step::Release]),
        (0, 2) => steps.extend([Step::TimedAcquire, Step::Load, Step::Release]),
        (0, _) => steps.extend([Step::Acquire, Step::Load, Step::Release]),
        (1, which) => {
            let locks = [Step::Read, Step::TryRead, Step::Write, Step::TryWrite];
            steps.extend([locks[which as usize], Step::Release]);
        }
        (2, 0) => steps.push(Step::NotifyAll),
        (2, 1) => steps.push(Step::NotifyOne),
        (2, _) => steps.push(Step::Notified),
        (3, 0) if task == 0 => steps.push(Step::TryRecv),
        (3, 1) if task == 0 => steps.push(Step::TimedRecv),
        (3, 2) if task == 0 => steps.push([Step::Recv, Step::TimedBoth][random.below(2) as usize]),
        (3, _) if task == 0 => steps.push([Step::Recv, Step::Either][random.below(2) as usize]),
        (3, 0) => steps.push(Step::TrySend(message)),
        (3, 1) => steps.push([Step::Capacity, Step::IsClosed][random.below(2) as usize]),
        (3, _) => steps.push(Step::Send(message)),
        (4, 0) if task == 0 => steps.push(Step::RecvOnce),
        (4, 1) if task == 0 => steps.push(Step::TimedRecvOnce),
        (4, 2) if task == 0 => steps.push(Step::Either),
        (4, _) if task == 0 => steps.push(Step::TryRecvOnce),
        (4, 0) if task == 1 => steps.push(Step::IsOnceClosed),
        (4, _) if task == 1 => steps.push(Step::SendOnce(number)),
        (_, 0 | 1) => steps.push(Step::Load),
        (_, _) => steps.push(Step::Store(number)),
    }
}

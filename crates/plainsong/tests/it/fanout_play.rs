//! Random programs over watch and broadcast channels, barriers, queues that are closed, `select!` and aborted tasks, played
//! by real tasks: see `fanout_oracle`.

use crate::random::Random;
use plainsong::tokio::sync::{Barrier, broadcast, mpsc, watch};
use plainsong::tokio::time::{Duration, timeout};
use plainsong::{cover, tokio};
use std::sync::Arc;

/// A step of a task. Task 0 has the sender of a watch channel, the others its receivers. Tasks 0 and 2 have
/// senders of a broadcast channel that keeps two values, tasks 1 and 2 its receivers. Task 1 receives from a queue with
/// room for one message, the others send to it. A barrier is for two tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Put(i32),
    Replace(i32),
    Watchers,
    Borrow,
    Update,
    HasChanged,
    Changed,
    TimedChanged,
    DropWatch,
    Cast(i32),
    Listeners,
    Behind,
    Hear,
    TryHear,
    TimedHear,
    DropCast,
    Meet,
    TimedMeet,
    Send(i32),
    TrySend(i32),
    TimedSend(i32),
    IsClosed,
    Recv,
    TryRecv,
    TimedRecv,
    Close,
    /// Receives from the queue, or waits for a change.
    QueueOrChange,
    /// Receives from the queue or from the broadcast channel.
    QueueOrHear,
    DropQueue,
}

impl Step {
    /// Is it an `.await`?
    pub(crate) fn is_awaited(self) -> bool {
        matches!(
            self,
            Step::Changed
                | Step::TimedChanged
                | Step::Hear
                | Step::TimedHear
                | Step::Meet
                | Step::TimedMeet
                | Step::Send(_)
                | Step::TimedSend(_)
                | Step::Recv
                | Step::TimedRecv
                | Step::QueueOrChange
                | Step::QueueOrHear
        )
    }
}

/// One list of steps per task, and who is aborted.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) tasks: Vec<Vec<Step>>,
    pub(crate) aborted: Option<usize>,
}

/// What each task saw.
pub(crate) type Logs = Vec<Vec<i32>>;

/// There is nothing now.
pub(crate) const NOT_NOW: i32 = -1;
/// There is nothing, and never will be.
pub(crate) const NEVER: i32 = -2;
/// All that is seen of a task that was aborted.
pub(crate) const ABORTED: i32 = -3;
/// So many values were missed, and one more.
pub(crate) const LAGGED: i32 = -10;
/// It was the second of two.
pub(crate) const SECOND: i32 = 100;

const WHILE: Duration = Duration::from_secs(1);

/// What a task has, in the order in which it is dropped.
#[derive(Default)]
struct Ends {
    put: Option<watch::Sender<i32>>,
    watch: Option<watch::Receiver<i32>>,
    cast: Option<broadcast::Sender<i32>>,
    hear: Option<broadcast::Receiver<i32>>,
    send: Option<mpsc::Sender<i32>>,
    receive: Option<mpsc::Receiver<i32>>,
}

/// Plays a program and covers what its tasks saw.
pub(crate) fn play(program: &Program) {
    tokio::block_on(async {
        let barrier = Arc::new(Barrier::new(2));
        let mut ends: Vec<Ends> = program.tasks.iter().map(|_| Ends::default()).collect();
        share(&mut ends);
        let both = program.tasks.iter().zip(ends);
        let tasks: Vec<_> = both
            .map(|(steps, ends)| {
                let (steps, barrier) = (steps.clone(), Arc::clone(&barrier));
                tokio::spawn(run(steps, barrier, ends))
            })
            .collect();
        if let Some(task) = program.aborted {
            tasks[task].abort();
        }
        let mut logs: Logs = Vec::new();
        for task in tasks {
            logs.push(task.await.unwrap_or_else(|_| vec![ABORTED]));
        }
        cover(format!("{logs:?}"));
    });
}

fn share(ends: &mut [Ends]) {
    let (put, watch) = watch::channel(0);
    let (cast, hear) = broadcast::channel(2);
    let (send, receive) = mpsc::channel(1);
    let tasks = ends.len();
    for (task, end) in ends.iter_mut().enumerate() {
        if task > 0 {
            end.watch = Some(watch.clone());
        }
        if task == 2 {
            end.cast = Some(cast.clone());
            end.hear = Some(cast.subscribe());
        }
        if task != 1 {
            end.send = Some(send.clone());
        }
    }
    assert!(tasks > 1, "somebody receives");
    drop(watch);
    drop(send);
    ends[0].put = Some(put);
    ends[0].cast = Some(cast);
    ends[1].hear = Some(hear);
    ends[1].receive = Some(receive);
}

async fn run(steps: Vec<Step>, barrier: Arc<Barrier>, mut ends: Ends) -> Vec<i32> {
    let mut log = Vec::new();
    for step in steps {
        match step {
            Step::DropWatch => drop((ends.put.take(), ends.watch.take())),
            Step::DropCast => {
                drop(ends.cast.take());
                drop(ends.hear.take());
            }
            Step::DropQueue => drop((ends.send.take(), ends.receive.take())),
            Step::Meet => log.push(i32::from(barrier.wait().await.is_leader())),
            Step::TimedMeet => {
                let met = timeout(WHILE, barrier.wait()).await;
                log.push(met.map_or(NOT_NOW, |one| i32::from(one.is_leader())));
            }
            Step::Close => ends.receive.as_mut().expect("task 1 has it").close(),
            Step::QueueOrChange | Step::QueueOrHear => log.push(either(step, &mut ends).await),
            Step::Send(_)
            | Step::TrySend(_)
            | Step::TimedSend(_)
            | Step::IsClosed
            | Step::Recv
            | Step::TryRecv
            | Step::TimedRecv => log.push(queue(step, &mut ends).await),
            Step::Cast(_) | Step::Listeners => log.push(cast(step, &ends)),
            Step::Behind | Step::Hear | Step::TryHear | Step::TimedHear => {
                log.push(hear(step, &mut ends).await);
            }
            _ => log.push(change(step, &mut ends).await),
        }
    }
    log
}

async fn change(step: Step, ends: &mut Ends) -> i32 {
    if let Some(sender) = &ends.put {
        return match step {
            Step::Put(n) => sender.send(n).map_or(NEVER, |()| 0),
            Step::Replace(n) => sender.send_replace(n),
            _ => sender.receiver_count() as i32,
        };
    }
    let receiver = ends.watch.as_mut().expect("it is dropped later");
    let changed = |result: Result<(), watch::error::RecvError>| result.map_or(NEVER, |()| 1);
    match step {
        Step::Borrow => *receiver.borrow(),
        Step::Update => *receiver.borrow_and_update(),
        Step::HasChanged => receiver.has_changed().map_or(NEVER, i32::from),
        Step::Changed => changed(receiver.changed().await),
        _ => timeout(WHILE, receiver.changed())
            .await
            .map_or(NOT_NOW, changed),
    }
}

fn cast(step: Step, ends: &Ends) -> i32 {
    let sender = ends.cast.as_ref().expect("it is dropped later");
    match step {
        Step::Cast(n) => sender.send(n).map_or(NEVER, |count| count as i32),
        _ => sender.receiver_count() as i32,
    }
}

fn heard(result: Result<i32, broadcast::error::RecvError>) -> i32 {
    match result {
        Ok(n) => n,
        Err(broadcast::error::RecvError::Lagged(missed)) => LAGGED - missed as i32,
        Err(broadcast::error::RecvError::Closed) => NEVER,
    }
}

async fn hear(step: Step, ends: &mut Ends) -> i32 {
    let receiver = ends.hear.as_mut().expect("it is dropped later");
    match step {
        Step::Behind => receiver.len() as i32,
        Step::Hear => heard(receiver.recv().await),
        Step::TimedHear => timeout(WHILE, receiver.recv()).await.map_or(NOT_NOW, heard),
        _ => match receiver.try_recv() {
            Ok(n) => n,
            Err(broadcast::error::TryRecvError::Empty) => NOT_NOW,
            Err(broadcast::error::TryRecvError::Closed) => NEVER,
            Err(broadcast::error::TryRecvError::Lagged(missed)) => LAGGED - missed as i32,
        },
    }
}

async fn queue(step: Step, ends: &mut Ends) -> i32 {
    if let Some(sender) = &ends.send {
        return match step {
            Step::Send(n) => sender.send(n).await.map_or(NEVER, |()| 0),
            Step::TimedSend(n) => timeout(WHILE, sender.send(n))
                .await
                .map_or(NOT_NOW, |sent| sent.map_or(NEVER, |()| 0)),
            Step::TrySend(n) => match sender.try_send(n) {
                Ok(()) => 0,
                Err(mpsc::error::TrySendError::Full(_)) => NOT_NOW,
                Err(mpsc::error::TrySendError::Closed(_)) => NEVER,
            },
            _ => i32::from(sender.is_closed()),
        };
    }
    let receiver = ends.receive.as_mut().expect("it is dropped later");
    match step {
        Step::Recv => receiver.recv().await.unwrap_or(NEVER),
        Step::TimedRecv => timeout(WHILE, receiver.recv())
            .await
            .map_or(NOT_NOW, |received| received.unwrap_or(NEVER)),
        _ => receiver.try_recv().unwrap_or_else(|error| match error {
            mpsc::error::TryRecvError::Empty => NOT_NOW,
            mpsc::error::TryRecvError::Disconnected => NEVER,
        }),
    }
}

async fn either(step: Step, ends: &mut Ends) -> i32 {
    let receive = ends.receive.as_mut().expect("it is dropped later");
    if step == Step::QueueOrChange {
        let watch = ends.watch.as_mut().expect("it is dropped later");
        return tokio::select! {
            received = receive.recv() => received.unwrap_or(NEVER),
            changed = watch.changed() => SECOND + changed.map_or(NEVER, |()| 1),
        };
    }
    let hear = ends.hear.as_mut().expect("it is dropped later");
    tokio::select! {
        received = receive.recv() => received.unwrap_or(NEVER),
        received = hear.recv() => SECOND + heard(received),
    }
}

/// A random program that says when it drops what.
pub(crate) fn generate(random: &mut Random) -> Program {
    let kinds: Vec<u64> = (0..1 + random.below(3)).map(|_| random.below(5)).collect();
    let count = 2 + random.below(2) as usize;
    let most = if count == 2 { 4 } else { 2 };
    let of_task = |task: usize| {
        let mut steps = Vec::new();
        while steps.len() < most {
            let kind = kinds[random.below(kinds.len() as u64) as usize];
            steps.extend(step(random, task, kind));
        }
        for drops in [Step::DropWatch, Step::DropCast, Step::DropQueue] {
            let is_early = random.below(2) == 0;
            let last = steps.iter().rposition(|&step| uses(drops, step));
            let last = last.filter(|_| is_early);
            steps.insert(last.map_or(steps.len(), |last| last + 1), drops);
        }
        steps
    };
    let tasks: Vec<Vec<Step>> = (0..count).map(of_task).collect();
    let aborted = (random.below(4) == 0).then(|| random.below(count as u64) as usize);
    Program { tasks, aborted }
}

/// Does a step use what another one drops?
fn uses(drops: Step, step: Step) -> bool {
    let of = match step {
        Step::Cast(_)
        | Step::Listeners
        | Step::Behind
        | Step::Hear
        | Step::TryHear
        | Step::TimedHear => Some(Step::DropCast),
        Step::Send(_)
        | Step::TrySend(_)
        | Step::TimedSend(_)
        | Step::IsClosed
        | Step::Recv
        | Step::TryRecv
        | Step::TimedRecv
        | Step::Close => Some(Step::DropQueue),
        Step::QueueOrChange => return drops != Step::DropCast,
        Step::QueueOrHear => return drops != Step::DropWatch,
        Step::Meet | Step::TimedMeet | Step::DropWatch | Step::DropCast | Step::DropQueue => None,
        _ => Some(Step::DropWatch),
    };
    of == Some(drops)
}

/// A step of this kind that the task can take.
fn step(random: &mut Random, task: usize, kind: u64) -> Option<Step> {
    let number = 1 + random.below(3) as i32 + 10 * task as i32;
    let which = random.below(6);
    let hears = task > 0;
    Some(match (kind, which) {
        (0, 0 | 1) if task == 0 => Step::Put(number),
        (0, 2 | 3) if task == 0 => Step::Replace(number),
        (0, _) if task == 0 => Step::Watchers,
        (0, 0) => Step::Borrow,
        (0, 1) => Step::Update,
        (0, 2) => Step::HasChanged,
        (0, 3) => Step::TimedChanged,
        (0, _) => Step::Changed,
        (1, 0) if hears => Step::Behind,
        (1, 1) if hears => Step::TryHear,
        (1, 2) if hears => Step::TimedHear,
        (1, 3) if hears => Step::Hear,
        (1, _) if task == 1 => Step::Hear,
        (1, 5) => Step::Listeners,
        (1, _) => Step::Cast(number),
        (2, 0..=3) => Step::Meet,
        (2, _) => Step::TimedMeet,
        (3, 0) if task == 1 => Step::Close,
        (3, 1) if task == 1 => Step::TryRecv,
        (3, 2) if task == 1 => Step::TimedRecv,
        (3, _) if task == 1 => Step::Recv,
        (3, 0) => Step::IsClosed,
        (3, 1) => Step::TrySend(number),
        (3, 2) => Step::TimedSend(number),
        (3, _) => Step::Send(number),
        (4, 0..=2) if task == 1 => Step::QueueOrChange,
        (4, _) if task == 1 => Step::QueueOrHear,
        (4, 0 | 1) => Step::Send(number),
        (4, 2 | 3) => Step::Cast(number),
        (4, _) if task == 0 => Step::Put(number),
        (_, _) => return None,
    })
}

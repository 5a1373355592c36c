//! Runs the programs of `std_oracle` on the mirrors of `std`, with numbers that can be copied and with some that cannot.

use crate::std_oracle::{Program, Step};
use plainsong::sync::atomic::{AtomicU8, Ordering};
use plainsong::sync::mpsc::{
    Receiver, Sender, SyncSender, TryRecvError, TrySendError, channel, sync_channel,
};
use plainsong::sync::{
    Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError,
};
use plainsong::{cover, thread};
use std::sync::Arc;
use std::time::Duration;

const SOON: Duration = Duration::from_millis(1);

/// A number, as the programs send and protect it.
pub(crate) trait Number: 'static {
    fn of(n: u8) -> Self;
    fn value(&self) -> u8;
    fn bump(&mut self);
}

impl Number for u8 {
    fn of(n: u8) -> Self {
        n
    }

    fn value(&self) -> u8 {
        *self
    }

    fn bump(&mut self) {
        *self += 1;
    }
}

/// A number that nobody can copy or show.
pub(crate) struct Opaque(Box<u8>);

impl Number for Opaque {
    fn of(n: u8) -> Self {
        Opaque(Box::new(n))
    }

    fn value(&self) -> u8 {
        *self.0
    }

    fn bump(&mut self) {
        *self.0 += 1;
    }
}

struct Shared<N> {
    numbers: [AtomicU8; 2],
    mutexes: [Mutex<N>; 2],
    condvar: Condvar,
    table: RwLock<N>,
}

enum End<N> {
    Free(Sender<N>),
    Bounded(SyncSender<N>),
}

impl<N> Clone for End<N> {
    fn clone(&self) -> Self {
        match self {
            End::Free(sender) => End::Free(sender.clone()),
            End::Bounded(sender) => End::Bounded(sender.clone()),
        }
    }
}

/// Runs a program, and covers what its threads saw.
pub(crate) fn play<N: Number>(program: &Arc<Program>) {
    let shared = Arc::new(Shared::<N> {
        numbers: [AtomicU8::new(0), AtomicU8::new(0)],
        mutexes: [Mutex::new(N::of(0)), Mutex::new(N::of(0))],
        condvar: Condvar::new(),
        table: RwLock::new(N::of(0)),
    });
    let (sender, receiver) = match program.bound {
        None => {
            let (sender, receiver) = channel();
            (End::Free(sender), receiver)
        }
        Some(bound) => {
            let (sender, receiver) = sync_channel(bound);
            (End::Bounded(sender), receiver)
        }
    };
    let mut senders: Vec<Option<End<N>>> = (0..program.threads.len())
        .map(|t| (t > 0).then(|| sender.clone()))
        .collect();
    drop(sender);
    let mut receiver = Some(receiver);
    let mut handles: Vec<thread::JoinHandle<Vec<String>>> = Vec::new();
    for (t, sender) in senders.iter_mut().enumerate() {
        let (program, shared) = (Arc::clone(program), Arc::clone(&shared));
        let earlier: Vec<thread::Thread> = handles.iter().map(|h| h.thread().clone()).collect();
        let (sender, receiver) = (sender.take(), receiver.take());
        handles.push(thread::spawn(move || {
            let mut player = Player {
                shared: &shared,
                guards: [None, None],
                reader: None,
                writer: None,
                sender,
                receiver,
                earlier,
                log: Vec::new(),
            };
            for &step in &program.threads[t] {
                player.perform(step);
            }
            player.log
        }));
    }
    let logs: Vec<Vec<String>> = handles.into_iter().map(|h| h.join().unwrap()).collect();
    cover(format!("{logs:?}"));
}

struct Player<'s, N: Number> {
    shared: &'s Shared<N>,
    guards: [Option<MutexGuard<'s, N>>; 2],
    reader: Option<RwLockReadGuard<'s, N>>,
    writer: Option<RwLockWriteGuard<'s, N>>,
    sender: Option<End<N>>,
    receiver: Option<Receiver<N>>,
    earlier: Vec<thread::Thread>,
    log: Vec<String>,
}

impl<N: Number> Player<'_, N> {
    fn note(&mut self, log: impl ToString) {
        self.log.push(log.to_string());
    }

    fn perform(&mut self, step: Step) {
        match step {
            Step::Load(_) | Step::Store(..) | Step::Add(_) | Step::Exchange(_) => {
                self.calculate(step);
            }
            Step::Lock(_) | Step::TryLock(_) | Step::Bump(_) | Step::Unlock(_) => self.mutex(step),
            Step::Wait | Step::WaitTimeout | Step::NotifyOne | Step::NotifyAll => {
                self.condvar(step);
            }
            Step::Read | Step::TryRead | Step::Write | Step::TryWrite | Step::Release => {
                self.rwlock(step);
            }
            Step::Send(n) => self.send(n, true),
            Step::TrySend(n) => self.send(n, false),
            Step::Recv | Step::TryRecv => self.receive(step == Step::Recv),
            Step::DropReceiver => drop(self.receiver.take()),
            Step::Park => thread::park(),
            Step::ParkTimeout => thread::park_timeout(SOON),
            Step::Unpark(other) => self.earlier[other].unpark(),
        }
    }

    fn calculate(&mut self, step: Step) {
        let (any, numbers) = (Ordering::SeqCst, &self.shared.numbers);
        let was = match step {
            Step::Load(i) => numbers[i].load(any),
            Step::Add(i) => numbers[i].fetch_add(1, any),
            Step::Exchange(i) => numbers[i]
                .compare_exchange(0, 9, any, any)
                .unwrap_or_else(|was| was),
            Step::Store(i, n) => return numbers[i].store(n, any),
            _ => unreachable!("not about a number"),
        };
        self.note(was);
    }

    fn mutex(&mut self, step: Step) {
        let mutexes = &self.shared.mutexes;
        match step {
            Step::Lock(m) => self.guards[m] = Some(mutexes[m].lock().unwrap()),
            Step::TryLock(m) => match mutexes[m].try_lock() {
                Ok(guard) => {
                    self.guards[m] = Some(guard);
                    self.note("got it");
                }
                Err(TryLockError::WouldBlock) => self.note("busy"),
                Err(TryLockError::Poisoned(_)) => unreachable!("nobody panics"),
            },
            Step::Bump(m) => {
                let bumped = self.guards[m].as_mut().map(|guard| {
                    guard.bump();
                    guard.value()
                });
                self.log.extend(bumped.map(|now| now.to_string()));
            }
            Step::Unlock(m) => self.guards[m] = None,
            _ => unreachable!("not about a mutex"),
        }
    }

    fn condvar(&mut self, step: Step) {
        let condvar = &self.shared.condvar;
        match step {
            Step::NotifyOne => condvar.notify_one(),
            Step::NotifyAll => condvar.notify_all(),
            _ => {
                let guard = self.guards[0].take().expect("waits with the lock");
                let (guard, late) = match step {
                    Step::Wait => (condvar.wait(guard).unwrap(), false),
                    _ => {
                        let (guard, result) = condvar.wait_timeout(guard, SOON).unwrap();
                        (guard, result.timed_out())
                    }
                };
                self.guards[0] = Some(guard);
                self.note(if late { "timeout" } else { "woken" });
            }
        }
    }

    fn rwlock(&mut self, step: Step) {
        let table = &self.shared.table;
        match step {
            Step::Read => self.reader = Some(table.read().unwrap()),
            Step::TryRead => self.reader = table.try_read().ok(),
            Step::Write => self.writer = Some(table.write().unwrap()),
            Step::TryWrite => self.writer = table.try_write().ok(),
            _ => {
                (self.reader, self.writer) = (None, None);
                return;
            }
        }
        match (&self.reader, &mut self.writer) {
            (Some(reader), _) => self.log.push(reader.value().to_string()),
            (_, Some(writer)) => {
                writer.bump();
                self.log.push(writer.value().to_string());
            }
            _ => self.note("busy"),
        }
    }

    fn send(&mut self, n: u8, waits: bool) {
        let result = match self.sender.as_ref().expect("sends with a sender") {
            End::Free(sender) => sender.send(N::of(n)).map_err(|_| "no receiver"),
            End::Bounded(sender) if waits => sender.send(N::of(n)).map_err(|_| "no receiver"),
            End::Bounded(sender) => sender.try_send(N::of(n)).map_err(|error| match error {
                TrySendError::Full(_) => "full",
                TrySendError::Disconnected(_) => "no receiver",
            }),
        };
        self.note(result.err().unwrap_or("sent"));
    }

    fn receive(&mut self, waits: bool) {
        let Some(receiver) = &self.receiver else {
            return;
        };
        let received = match waits {
            true => receiver.recv().map_err(|_| "closed"),
            false => receiver.try_recv().map_err(|error| match error {
                TryRecvError::Empty => "empty",
                TryRecvError::Disconnected => "closed",
            }),
        };
        match received {
            Ok(n) => self.note(n.value()),
            Err(why) => self.note(why),
        }
    }
}

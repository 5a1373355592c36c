//! What has arrived from a peer and was not yet received: a queue per link, with bounds.
//!
//! A link exists when the program has asked for it; messages may be faster than that, so they are kept until it
//! does. But not for long, nor many: beyond [`UNCLAIMED`] the reader waits, and with it the peer; if the program does
//! not ask for the link within the time of a silence, there is no such link, and the connection ends.
//!
//! At links that exist messages may wait for as long as the program likes, but not more of them than the
//! [backlog](super::Options::backlog): a peer cannot fill the memory.

use super::batch::Batch;
use super::link::Incoming;
use super::tally::Received;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// So many bytes may wait at links that the program has not asked for, and one batch more.
const UNCLAIMED: usize = 4 << 20;

/// What a link that nobody has asked for costs by itself.
const LINK: usize = 2 << 10;

#[derive(Debug)]
pub(super) struct Inbox {
    links: Mutex<Links>,
    /// A link was asked for, or the inbox was closed.
    claimed: Condvar,
    /// So many bytes wait at links that the program has asked for.
    waiting: Arc<AtomicUsize>,
    backlog: usize,
    silence: Duration,
}

#[derive(Debug, Default)]
struct Links {
    queues: BTreeMap<u16, Queue>,
    is_closed: bool,
    /// So many bytes wait at links that the program has not asked for.
    unclaimed: usize,
}

#[derive(Debug)]
struct Queue {
    tx: Option<Sender<Batch>>,
    /// None: the program has asked for it.
    rx: Option<Receiver<Batch>>,
    /// How many messages have arrived.
    arrived: u64,
    /// How many of them the program has received.
    received: Arc<AtomicU64>,
    /// How many bytes wait here, until the program has asked for it.
    unclaimed: usize,
}

impl Inbox {
    pub(super) fn new(backlog: usize, silence: Duration) -> Inbox {
        Inbox {
            links: Mutex::default(),
            claimed: Condvar::new(),
            waiting: Arc::default(),
            backlog,
            silence,
        }
    }

    /// The messages of a link; `None` when they were asked for before.
    pub(super) fn claim(&self, link: u16) -> Option<Incoming> {
        let mut links = self.links();
        let queue = links.queue(link);
        let incoming = Incoming {
            queue: queue.rx.take()?,
            received: Arc::clone(&queue.received),
            waiting: Arc::clone(&self.waiting),
        };
        let bytes = std::mem::take(&mut queue.unclaimed);
        let waiting = bytes.saturating_sub(LINK);
        self.waiting.fetch_add(waiting, Ordering::AcqRel);
        links.unclaimed = links.unclaimed.saturating_sub(bytes);
        drop(links);
        self.claimed.notify_all();
        Some(incoming)
    }

    /// Puts messages into the queue of their link. The error says why there is no room for them.
    pub(super) fn deliver(&self, batch: Batch) -> Result<(), String> {
        let (link, bytes) = (batch.link(), batch.cost());
        let mut links = self.links();
        if links.queue(link).rx.is_some() {
            links = self.wait_for_claim(links, link)?;
        }
        let queue = links.queue(link);
        queue.arrived += batch.len() as u64;
        let Some(tx) = &queue.tx else {
            return Ok(());
        };
        let is_claimed = queue.rx.is_none();
        if is_claimed {
            let waiting = self.waiting.fetch_add(bytes, Ordering::AcqRel) + bytes;
            if waiting > self.backlog {
                return Err(format!(
                    "it sent more than is received here: over {} bytes wait; see `Options::backlog`",
                    self.backlog
                ));
            }
        }
        if tx.send(batch).is_err() {
            // Nobody receives any more: the role has ended, or is about to.
            self.waiting.fetch_sub(bytes, Ordering::AcqRel);
        } else if !is_claimed {
            queue.unclaimed += bytes;
            links.unclaimed += bytes;
        }
        Ok(())
    }

    /// Waits, if too much waits there already, until the program asks for a link.
    fn wait_for_claim<'a>(
        &'a self,
        links: MutexGuard<'a, Links>,
        link: u16,
    ) -> Result<MutexGuard<'a, Links>, String> {
        let is_full = |links: &mut Links| {
            let queue = links.queue(link);
            let is_claimed = queue.rx.is_none() || queue.tx.is_none();
            !is_claimed && links.unclaimed > UNCLAIMED
        };
        let waited = self
            .claimed
            .wait_timeout_while(links, self.silence, is_full);
        let (links, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        match waited.timed_out() {
            true => Err(format!(
                "it sent messages over link {link}, which does not exist here"
            )),
            false => Ok(links),
        }
    }

    /// What the program has received, by link.
    pub(super) fn received(&self) -> Received {
        let links = self.links();
        let queues = links.queues.iter();
        queues
            .map(|(link, queue)| (*link, queue.received.load(Ordering::Acquire)))
            .collect()
    }

    /// Has the program received all that has arrived?
    pub(super) fn is_received(&self) -> bool {
        let links = self.links();
        let mut queues = links.queues.values();
        queues.all(|queue| queue.received.load(Ordering::Acquire) == queue.arrived)
    }

    /// Nothing arrives any more.
    pub(super) fn close(&self) {
        let mut links = self.links();
        links.is_closed = true;
        links.queues.values_mut().for_each(|queue| queue.tx = None);
        drop(links);
        self.claimed.notify_all();
    }

    fn links(&self) -> MutexGuard<'_, Links> {
        self.links.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Links {
    fn queue(&mut self, link: u16) -> &mut Queue {
        let (is_closed, unclaimed) = (self.is_closed, &mut self.unclaimed);
        self.queues.entry(link).or_insert_with(|| {
            let (tx, rx) = mpsc::channel();
            *unclaimed += LINK;
            Queue {
                tx: (!is_closed).then_some(tx),
                rx: Some(rx),
                arrived: 0,
                received: Arc::default(),
                unclaimed: LINK,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;
    use std::time::Instant;

    const SILENCE: Duration = Duration::from_millis(200);

    fn batch(link: u16, bytes: usize) -> Batch {
        let mut batch = Batch::of(link);
        batch.add(1, &vec![0; bytes]);
        batch
    }

    /// How many batches of this size are taken, of links that these numbers are.
    fn taken(inbox: &Inbox, bytes: usize, link: impl Fn(u16) -> u16) -> (u16, String) {
        for count in 0..=u16::MAX {
            if let Err(why) = inbox.deliver(batch(link(count), bytes)) {
                return (count, why);
            }
        }
        (u16::MAX, String::new())
    }

    #[test]
    fn what_nobody_asks_for_is_kept_for_a_while_and_only_so_much_of_it() {
        let inbox = Inbox::new(usize::MAX, SILENCE);
        let (count, why) = taken(&inbox, 60_000, |_| 77);
        assert!((60..80).contains(&count), "{count}");
        assert!(why.contains("link 77, which does not exist"), "{why}");
        let inbox = Inbox::new(usize::MAX, SILENCE);
        let (count, _) = taken(&inbox, 0, |count| count);
        assert!((1000..2100).contains(&count), "{count} empty links");
    }

    #[test]
    fn whoever_asks_late_gets_everything() {
        let inbox = Arc::new(Inbox::new(usize::MAX, Duration::from_secs(5)));
        let other = Arc::clone(&inbox);
        let begin = Instant::now();
        let sending =
            thread::spawn(move || (0..200).try_for_each(|_| other.deliver(batch(3, 60_000))));
        thread::sleep(SILENCE);
        let incoming = inbox.claim(3).expect("it was not asked for");
        assert_eq!(sending.join().expect("it ends"), Ok(()));
        assert_eq!(incoming.queue.try_iter().count(), 200);
        assert!(begin.elapsed() < Duration::from_secs(5));
        assert!(inbox.claim(3).is_none());
    }

    #[test]
    fn a_backlog_has_an_end_unless_it_is_received() {
        let inbox = Inbox::new(1 << 20, SILENCE);
        let incoming = inbox.claim(0).expect("it was not asked for");
        for _ in 0..1000 {
            assert_eq!(inbox.deliver(batch(0, 10_000)), Ok(()));
            incoming.take().expect("a batch");
        }
        let (count, why) = taken(&inbox, 10_000, |_| 0);
        assert!((95..106).contains(&count), "{count}");
        assert!(why.contains("backlog"), "{why}");
        let inbox = Inbox::new(1 << 20, SILENCE);
        let _incoming = inbox.claim(0).expect("it was not asked for");
        let (count, _) = taken(&inbox, 0, |_| 0);
        assert!(count < u16::MAX, "empty messages have a cost as well");
    }
}

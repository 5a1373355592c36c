//! The keeper of a role's connections: gives signs of life, and writes what was gathered when the program
//! computes for so long that it does not come to its next receive.

use super::connection::Connection;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle, Thread};
use std::time::{Duration, Instant};

/// So long may a message be held back.
const MOMENT: Duration = Duration::from_millis(1);

#[derive(Debug)]
pub(super) struct Keeper {
    is_stopped: Arc<AtomicBool>,
    handle: Option<JoinHandle<()>>,
    thread: Thread,
}

impl Keeper {
    pub(super) fn start(
        peers: Arc<[Option<Arc<Connection>>]>,
        silence: Duration,
    ) -> io::Result<Keeper> {
        let is_stopped = Arc::new(AtomicBool::new(false));
        let inner = Arc::clone(&is_stopped);
        let every = silence / 4;
        let handle = thread::Builder::new()
            .name("keeper".to_owned())
            .spawn(move || keep(&peers, every, &inner))?;
        Ok(Keeper {
            is_stopped,
            thread: handle.thread().clone(),
            handle: Some(handle),
        })
    }

    /// Its thread, to be unparked when something was gathered.
    pub(super) fn thread(&self) -> Thread {
        self.thread.clone()
    }

    /// Stops it, and waits for that.
    pub(super) fn stop(&mut self) {
        self.is_stopped.store(true, Ordering::Release);
        self.thread.unpark();
        if let Some(handle) = self.handle.take() {
            let _ = handle.join();
        }
    }
}

fn keep(peers: &[Option<Arc<Connection>>], every: Duration, is_stopped: &AtomicBool) {
    // The first one at once: the peers know then that this role has met everybody.
    let mut next_beat = Instant::now();
    while !is_stopped.load(Ordering::Acquire) {
        thread::park_timeout(next_beat.saturating_duration_since(Instant::now()));
        if is_stopped.load(Ordering::Acquire) {
            return;
        }
        thread::sleep(MOMENT);
        let peers = peers.iter().flatten();
        if Instant::now() >= next_beat {
            peers.for_each(|peer| peer.beat());
            next_beat = Instant::now() + every;
        } else {
            peers.for_each(|peer| peer.flush());
        }
    }
}

//! The two ends of a link over TCP.

use super::batch::Batch;
use super::connection::{Connection, Unsent};
use crate::error::{Doing, Error, Fault};
use crate::net::{Payload, Rx, Site, Tx};
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::thread::Thread;
use std::time::Duration;

/// The sending end of a link over TCP.
#[derive(Debug)]
pub struct TcpTx<T> {
    /// None: a link to oneself.
    peer: Option<Arc<Connection>>,
    link: u16,
    keeper: Thread,
    of: PhantomData<fn(T)>,
}

/// The receiving end of a link over TCP.
#[derive(Debug)]
pub struct TcpRx<T> {
    /// None: a link to oneself.
    queue: Option<(Arc<Connection>, Incoming)>,
    /// All connections of the role: what it has sent is written before it waits.
    all: Arc<[Option<Arc<Connection>>]>,
    deadline: Option<Duration>,
    /// What has come and was not yet asked for.
    batch: Batch,
    of: PhantomData<fn() -> T>,
}

/// The messages of a link from a peer, for its program.
#[derive(Debug)]
pub(super) struct Incoming {
    pub(super) queue: Receiver<Batch>,
    /// How many of them the program has received.
    pub(super) received: Arc<AtomicU64>,
    /// So many bytes wait at all links from this peer.
    pub(super) waiting: Arc<AtomicUsize>,
}

impl Incoming {
    /// What waits here, if something does: it is in the hands of the program then.
    pub(super) fn take(&self) -> Result<Batch, TryRecvError> {
        self.queue.try_recv().inspect(|batch| self.taken(batch))
    }

    /// The same; waits for it.
    fn wait(&self, deadline: Option<Duration>) -> Result<Batch, RecvTimeoutError> {
        let batch = match deadline {
            None => self
                .queue
                .recv()
                .map_err(|_| RecvTimeoutError::Disconnected),
            Some(deadline) => self.queue.recv_timeout(deadline),
        };
        batch.inspect(|batch| self.taken(batch))
    }

    fn taken(&self, batch: &Batch) {
        self.waiting.fetch_sub(batch.cost(), Ordering::AcqRel);
    }
}

impl<T> TcpTx<T> {
    pub(super) fn new(peer: Option<Arc<Connection>>, link: u16, keeper: Thread) -> TcpTx<T> {
        TcpTx {
            peer,
            link,
            keeper,
            of: PhantomData,
        }
    }
}

impl<T: Payload> Tx<T> for TcpTx<T> {
    fn send(&mut self, site: Site, value: T) -> Result<(), Error> {
        let peer = self.peer.as_ref().ok_or_else(to_oneself)?;
        let name = || peer.peer().to_owned();
        match peer.post(self.link, site, &value) {
            Ok(false) => Ok(()),
            Ok(true) => {
                self.keeper.unpark();
                Ok(())
            }
            Err(Unsent::Gone) => Err(peer.gone(Doing::Sending(site))),
            Err(Unsent::Unwritable(why)) => Err(Error::from(Fault::Garbled {
                peer: name(),
                site,
                why,
            })),
            Err(Unsent::TooLarge(size)) => Err(Error::from(Fault::TooLarge {
                peer: name(),
                site,
                size,
                limit: peer.largest(),
            })),
        }
    }
}

impl<T> TcpRx<T> {
    pub(super) fn new(
        queue: Option<(Arc<Connection>, Incoming)>,
        all: Arc<[Option<Arc<Connection>>]>,
        deadline: Option<Duration>,
    ) -> TcpRx<T> {
        TcpRx {
            queue,
            all,
            deadline,
            batch: Batch::default(),
            of: PhantomData,
        }
    }

    /// The next messages of the queue.
    fn next(&self, incoming: &Incoming) -> Result<Batch, RecvTimeoutError> {
        match incoming.take() {
            Ok(batch) => return Ok(batch),
            Err(TryRecvError::Disconnected) => return Err(RecvTimeoutError::Disconnected),
            Err(TryRecvError::Empty) => {}
        }
        self.all.iter().flatten().for_each(|peer| peer.flush());
        incoming.wait(self.deadline)
    }
}

impl<T: Payload> Rx<T> for TcpRx<T> {
    fn recv(&mut self, site: Site) -> Result<T, Error> {
        let (peer, incoming) = self.queue.as_ref().ok_or_else(to_oneself)?;
        let name = || peer.peer().to_owned();
        if self.batch.is_empty() {
            self.batch = match (self.next(incoming), self.deadline) {
                (Ok(batch), _) => batch,
                (Err(RecvTimeoutError::Timeout), Some(waited)) => {
                    return Err(Error::from(Fault::Deadline {
                        peer: name(),
                        site,
                        waited,
                    }));
                }
                (Err(_), _) => return Err(peer.gone(Doing::Receiving(site))),
            };
        }
        // Nobody else writes it.
        let received = incoming.received.load(Ordering::Relaxed) + 1;
        incoming.received.store(received, Ordering::Release);
        if self.batch.is_last() {
            peer.settle();
        }
        let (found, payload) = self.batch.pop();
        if found != site {
            return Err(Error::from(Fault::WrongSite {
                peer: name(),
                expected: site,
                found,
            }));
        }
        read(payload).map_err(|why| {
            Error::from(Fault::Garbled {
                peer: name(),
                site,
                why,
            })
        })
    }
}

/// The value that the bytes are, all of them.
fn read<T: Payload>(payload: &[u8]) -> Result<T, String> {
    match postcard::take_from_bytes(payload) {
        Ok((value, [])) => Ok(value),
        Ok((_, rest)) => Err(format!("{} bytes are left over", rest.len())),
        Err(error) => Err(error.to_string()),
    }
}

fn to_oneself() -> Error {
    Error::misuse("a role does not exchange messages with itself")
}

//! Networks that fall apart.

use crate::message::Message;
use crate::process::{Builder, Process};
use crate::send::Letter;
use crate::sync::atomic::{AtomicBool, Ordering};
use std::fmt;
use std::panic::Location;
use std::rc::Rc;

/// A place where the network may be cut: what is sent across it meanwhile is lost.
///
/// Whether it is cut is looked at when a message is sent. So cutting and healing are explored at
/// every point between the sends across it, and nowhere else.
///
/// ```
/// use plainsong::fault::Partition;
/// use plainsong::{explore, spawn, try_receive};
///
/// let report = explore(|| {
///     let river = Partition::new("river");
///     let south = spawn(|| [(); 2].map(|()| try_receive::<u32>()));
///     river.cut_once();
///     for n in [1_u32, 2] {
///         river.send(south.process(), n);
///     }
///     plainsong::cover_if(south.join() == [Some(2), None], "only the second");
/// });
/// assert!(report.coverage["only the second"] > 0);
/// ```
#[derive(Clone)]
pub struct Partition {
    name: Rc<str>,
    is_cut: Rc<AtomicBool>,
}

impl Partition {
    /// A place where the network is whole at first.
    #[track_caller]
    pub fn new(name: impl AsRef<str>) -> Self {
        Partition {
            name: name.as_ref().into(),
            is_cut: Rc::new(AtomicBool::new(false)),
        }
    }

    /// Cuts the network here.
    #[track_caller]
    pub fn cut(&self) {
        self.is_cut.store(true, Ordering::SeqCst);
    }

    /// Mends it.
    #[track_caller]
    pub fn heal(&self) {
        self.is_cut.store(false, Ordering::SeqCst);
    }

    /// Cuts the network at some time, and mends it some time later: at any time, or never.
    #[track_caller]
    pub fn cut_once(&self) {
        let partition = self.clone();
        let builder = Builder::new().name(format!("{} cut", self.name)).daemon();
        builder.spawn(move || {
            partition.cut();
            partition.heal();
        });
    }

    /// Sends a message across; it is lost while the network is cut.
    #[track_caller]
    pub fn send<T: Message>(&self, to: Process, message: T) {
        self.send_letter(to, Letter::new(message));
    }

    /// Sends a letter across; it is lost while the network is cut.
    #[track_caller]
    pub fn send_letter<T: Message>(&self, to: Process, letter: Letter<T>) {
        let place = Location::caller();
        if !self.is_cut.load(Ordering::SeqCst) {
            letter.deliver(
                crate::shared_context::Mailboxes::of_process(to.0),
                place,
                None,
            );
        }
    }
}

impl fmt::Debug for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Partition({})", self.name)
    }
}

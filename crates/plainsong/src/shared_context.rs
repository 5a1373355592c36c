//! What the processes of one explored program share: names and mailboxes.

use crate::coroutine::Stacks;
use crate::delivery::Delivery;
use crate::determinism_check::Mismatch;
use crate::failure::Failure;
use crate::fault::Budgets;
use crate::fix::Fixes;
use crate::ghosts::Ghosts;
use crate::memory::Locations;
use crate::monitor::Observers;
use crate::observer::Audience;
use crate::panics::Caught;
use crate::record::Record;
use crate::replay::Guide;
use crate::sync::atomic::weak::Seen;
use crate::sync::mpsc::hang_up::Askers;
use crate::traffic::Traffic;
use crate::watchdog::Pulse;
use plainsong_explore::{EventId, Mailbox, Tid};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::panic::Location;
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// One program under exploration.
pub(crate) struct World {
    pub(crate) delivery: Delivery,
    /// How often faults may happen.
    pub(crate) budgets: Budgets,
    pub(crate) stacks: Rc<Stacks>,
    /// Does whoever joins a process learn of its panic?
    pub(crate) returns_panics: bool,
    /// Processes that somebody may join.
    pub(crate) joinable: RefCell<BTreeSet<Tid>>,
    /// Compare message values too when a process runs again.
    pub(crate) compares_values: bool,
    /// Keep what messages look like when they are sent: they may contain state that processes share,
    /// and look otherwise when they are compared.
    pub(crate) keeps_text: bool,
    /// Note the values of choices, for a picture.
    pub(crate) takes_notes: bool,
    pub(crate) guide: Option<Guide>,
    pub(crate) monitors: Observers,
    /// Named choices that are not free.
    pub(crate) fixes: Fixes,
    processes: RefCell<Vec<Naming>>,
    /// What is known about each process from its runs in this world.
    pub(crate) records: RefCell<Vec<Weak<Record>>>,
    /// The world whose executions are performed again in this one.
    pub(crate) before: Option<Rc<World>>,
    pub(crate) mailboxes: Rc<RefCell<Mailboxes>>,
    pub(crate) mismatch: RefCell<Option<Mismatch>>,
    /// What is wrong with the program besides what its processes do.
    pub(crate) complaint: RefCell<Option<Failure>>,
    /// Has any mailbox had two receivers, perhaps in different executions?
    pub(crate) receiver_changed: Cell<bool>,
    /// Who asks before a send whether the receiver was dropped.
    pub(crate) askers: Arc<Askers>,
    /// Does each execution run as a whole?
    pub(crate) runs_as_a_whole: Cell<bool>,
    /// Does some process need executions to run as a whole?
    pub(crate) needs_a_whole: Cell<bool>,
    /// Has a message been sent whose order depends on causality?
    pub(crate) needs_causality: Cell<bool>,
    /// Was any receiver dropped?
    pub(crate) has_hung_up: Cell<bool>,
    /// Has a process asked a shared channel for a message that it is sure to get?
    pub(crate) has_sure_takes: Cell<bool>,
    /// Was some execution given up in vain? See [`crate::now`].
    pub(crate) has_vain: Cell<bool>,
    pub(crate) traffic: Traffic,
    pub(crate) weak_orderings: Seen,
    /// Shared memory, if it is explored.
    pub(crate) locations: Locations,
    /// What destructors get while their process unwinds.
    pub(crate) ghosts: Ghosts,
    /// Is there any coverage mark?
    pub(crate) has_marks: Cell<bool>,
    /// A leaf was visited: what ran for it is over.
    pub(crate) leaf_visited: Cell<bool>,
    /// Where the watchdog sees who runs.
    pub(crate) pulse: Option<Arc<Pulse>>,
    /// When processes stop where they are, because a limit is reached in the middle of an execution.
    pub(crate) deadline: Cell<Option<Instant>>,
    pub(crate) cancel: Option<Arc<AtomicBool>>,
    /// Is that so?
    pub(crate) is_out_of_time: Cell<bool>,
    /// How many operations there were since that was looked at.
    unchecked: Cell<u32>,
    /// Who is told about executions, in a search.
    pub(crate) audience: OnceCell<Arc<Audience>>,
    /// Does what comes next belong to an execution that the audience does not know of?
    pub(crate) begins: Cell<bool>,
    /// The number of the execution that the audience was told of last.
    pub(crate) number: Cell<u64>,
    /// How often a process was started.
    pub(crate) starts: Cell<u64>,
    /// The panic of the process that failed last, with its number.
    pub(crate) last_failure: RefCell<Option<(Tid, Caught)>>,
}

/// How many operations there are between two looks at the clock.
const MOST_UNCHECKED: u32 = 64;

/// Where a process comes from and what it is called.
#[derive(Clone, Default)]
struct Naming {
    parent: Tid,
    /// Which of its parent's children.
    child: u32,
    /// The user's name, and how many earlier siblings have the same.
    name: Option<(Rc<str>, u32)>,
}

thread_local! {
    static WORLD: RefCell<Option<Rc<World>>> = const { RefCell::new(None) };
}

impl World {
    pub(crate) fn new(
        delivery: Delivery,
        stacks: Rc<Stacks>,
        mailboxes: Rc<RefCell<Mailboxes>>,
    ) -> Self {
        World {
            delivery,
            budgets: Budgets::default(),
            stacks,
            returns_panics: false,
            joinable: RefCell::default(),
            compares_values: cfg!(debug_assertions),
            keeps_text: false,
            takes_notes: false,
            guide: None,
            monitors: Observers::default(),
            fixes: Fixes::default(),
            processes: RefCell::default(),
            records: RefCell::default(),
            before: None,
            mailboxes,
            mismatch: RefCell::default(),
            complaint: RefCell::default(),
            receiver_changed: Cell::new(false),
            askers: Arc::default(),
            runs_as_a_whole: Cell::new(false),
            needs_a_whole: Cell::new(false),
            needs_causality: Cell::new(false),
            has_hung_up: Cell::new(false),
            has_sure_takes: Cell::new(false),
            has_vain: Cell::new(false),
            traffic: Traffic::default(),
            weak_orderings: Seen::default(),
            locations: Locations::default(),
            ghosts: Ghosts::default(),
            has_marks: Cell::new(false),
            leaf_visited: Cell::new(false),
            pulse: None,
            deadline: Cell::new(None),
            cancel: None,
            is_out_of_time: Cell::new(false),
            unchecked: Cell::new(0),
            audience: OnceCell::new(),
            begins: Cell::new(false),
            number: Cell::new(0),
            starts: Cell::new(0),
            last_failure: RefCell::default(),
        }
    }

    /// Is it time to stop in the middle of an execution? A long one has no end to wait for.
    #[inline]
    pub(crate) fn is_time_to_stop(&self) -> bool {
        let unchecked = self.unchecked.replace(self.unchecked.get() + 1);
        if unchecked >= MOST_UNCHECKED {
            self.unchecked.set(0);
            self.look_at_the_clock();
        }
        self.is_out_of_time.get()
    }

    #[cold]
    fn look_at_the_clock(&self) {
        let deadline = self.deadline.get();
        let is_late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let cancel = self.cancel.as_ref();
        let is_cancelled = cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed));
        self.is_out_of_time.set(is_late || is_cancelled);
    }

    /// Tells the audience that an execution begins, unless that was done.
    pub(crate) fn begin_execution(&self) {
        if self.begins.take()
            && let Some(audience) = self.audience.get()
        {
            self.number.set(audience.before());
        }
    }

    /// The world that this OS thread explores.
    pub(crate) fn current() -> Option<Rc<World>> {
        WORLD.with_borrow(Clone::clone)
    }

    /// Makes this the current world until the result is dropped.
    pub(crate) fn enter(self: &Rc<Self>) -> Entered {
        Entered(WORLD.replace(Some(Rc::clone(self))))
    }

    /// Where in the source an operation of a process stands.
    pub(crate) fn location(&self, id: EventId) -> Option<&'static Location<'static>> {
        let record = self.records.borrow().get(id.thread as usize)?.upgrade()?;
        let prints = record.prints.borrow();
        prints.get(id.index as usize)?.location
    }

    /// Notes where a process comes from.
    pub(crate) fn register(
        &self,
        process: Tid,
        parent: Tid,
        child: u32,
        name: Option<&(Rc<str>, u32)>,
    ) {
        let mut processes = self.processes.borrow_mut();
        let at = process as usize;
        if at >= processes.len() {
            processes.resize_with(at + 1, Naming::default);
        }
        let known = &mut processes[at];
        if known.parent != parent || known.child != child || known.name.as_ref() != name {
            *known = Naming {
                parent,
                child,
                name: name.cloned(),
            };
            drop(processes);
            if let Some(pulse) = &self.pulse {
                pulse.name(process, self.name(process));
            }
        }
    }

    /// The user's name for a process, or its place in the tree of spawns: `thread 2.1`.
    pub(crate) fn name(&self, process: Tid) -> String {
        if process == 0 {
            return "main".to_owned();
        }
        if let Some(monitor) = self.monitors.of(process) {
            return numbered(&monitor.name);
        }
        let processes = self.processes.borrow();
        match processes.get(process as usize) {
            Some(Naming {
                name: Some(name), ..
            }) => numbered(name),
            Some(_) => {
                let mut path = path(&processes, process);
                if let Some(first) = path.first_mut() {
                    // Monitors come first, and do not count.
                    *first = first.saturating_sub(self.monitors.len() as u32);
                }
                let places: Vec<String> =
                    path.iter().map(|child| (child + 1).to_string()).collect();
                format!("thread {}", places.join("."))
            }
            None => format!("process {process}"),
        }
    }

    /// A name that no other process has: the names of its ancestors and its own.
    pub(crate) fn full_name(&self, process: Tid) -> String {
        let parent = self
            .processes
            .borrow()
            .get(process as usize)
            .map_or(0, |known| known.parent);
        let own = self.name(process);
        if process == 0 || parent == 0 {
            own
        } else {
            format!("{}/{own}", self.full_name(parent))
        }
    }

    /// The place of a process in the tree of spawns.
    pub(crate) fn path(&self, process: Tid) -> Vec<u32> {
        path(&self.processes.borrow(), process)
    }
}

fn path(processes: &[Naming], process: Tid) -> Vec<u32> {
    let mut path = Vec::new();
    let mut at = process;
    while at != 0
        && let Some(known) = processes.get(at as usize)
    {
        path.push(known.child);
        at = known.parent;
    }
    path.reverse();
    path
}

fn numbered((name, earlier): &(Rc<str>, u32)) -> String {
    match earlier {
        0 => name.to_string(),
        _ => format!("{name}#{}", earlier + 1),
    }
}

/// Goes back to the world before.
pub(crate) struct Entered(Option<Rc<World>>);

impl Drop for Entered {
    fn drop(&mut self) {
        WORLD.set(self.0.take());
    }
}

/// The numbers of mailboxes, and the names of channels.
pub(crate) struct Mailboxes {
    numbers: HashMap<(Tid, u32), u32>,
    gates: HashMap<(Mailbox, String), u32>,
    channels: Vec<String>,
    /// Channels that users do not see; what they call them is what is waited for there.
    plumbing: BTreeSet<u32>,
}

/// What a mailbox is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Messages to a process.
    Process(Tid),
    /// What a process returns.
    Result(Tid),
    /// Messages to a channel.
    Channel(u32),
}

/// Where coverage marks are sent; nobody receives them.
pub(crate) const MARKS: Mailbox = 2;

impl Default for Mailboxes {
    fn default() -> Self {
        Mailboxes {
            numbers: HashMap::new(),
            gates: HashMap::new(),
            channels: vec!["coverage".to_owned()],
            plumbing: BTreeSet::from([0]),
        }
    }
}

impl Mailboxes {
    pub(crate) fn of_process(process: Tid) -> Mailbox {
        process.wrapping_mul(3)
    }

    /// Where a process leaves what it returns.
    pub(crate) fn of_result(process: Tid) -> Mailbox {
        process.wrapping_mul(3).wrapping_add(1)
    }

    pub(crate) fn place(mailbox: Mailbox) -> Place {
        match mailbox % 3 {
            0 => Place::Process(mailbox / 3),
            1 => Place::Result(mailbox / 3),
            _ => Place::Channel(mailbox / 3),
        }
    }

    /// The mailbox of the channel that is its maker's `count`-th.
    pub(crate) fn of_channel(&mut self, maker: Tid, count: u32, name: &str) -> Mailbox {
        let channels = &mut self.channels;
        let number = *self.numbers.entry((maker, count)).or_insert_with(|| {
            channels.push(String::new());
            channels.len() as u32 - 1
        });
        if self.channels[number as usize] != name {
            self.channels[number as usize] = name.to_owned();
        }
        3 * number + 2
    }

    /// A mailbox that users do not see. Its name says what comes there: "a free place".
    pub(crate) fn of_plumbing(&mut self, maker: Tid, count: u32, name: &str) -> Mailbox {
        let mailbox = self.of_channel(maker, count, name);
        self.plumbing.insert(mailbox / 3);
        mailbox
    }

    /// What comes to a mailbox that users do not see; none if they do.
    pub(crate) fn plumbing(&self, mailbox: Mailbox) -> Option<&str> {
        match Mailboxes::place(mailbox) {
            Place::Channel(channel) if self.plumbing.contains(&channel) => {
                Some(self.channel_name(channel))
            }
            _ => None,
        }
    }

    /// Where a process, by its full name, learns that the receiver of a channel was dropped.
    pub(crate) fn of_gate(&mut self, channel: Mailbox, process: &str) -> Mailbox {
        let name = match Mailboxes::place(channel) {
            Place::Channel(number) => self.channel_name(number).to_owned(),
            _ => String::new(),
        };
        let channels = &mut self.channels;
        let key = (channel, process.to_owned());
        let number = *self.gates.entry(key).or_insert_with(|| {
            channels.push(name);
            channels.len() as u32 - 1
        });
        3 * number + 2
    }

    /// The name of a channel.
    pub(crate) fn channel_name(&self, channel: u32) -> &str {
        &self.channels[channel as usize]
    }
}

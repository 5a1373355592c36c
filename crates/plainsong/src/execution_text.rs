//! An execution as a story: who sent what, who received it, in an order that respects causality.
//!
//! The story of a panic has only what led to it: the causal past of the panic. The story of a
//! deadlock has everything, and who waits for what.

use crate::determinism_check::What;
use crate::explorer::Explorer;
use crate::failure::FailureKind;
use crate::fault::{NO_FAULT, is_crash, is_fault};
use crate::handled_panics::returned_a_panic;
use crate::machine::answers;
use crate::machine::{Machine, causal_order, describe_event, describe_operation, is_set};
use crate::memory::{describe_value, starts_location, store_number};
use crate::message::{Envelope, Role, short_type_name};
use crate::monitor::Copied;
use crate::picture::{Picture, with_remark};
use crate::replay::Wanted;
use crate::shared_context::{MARKS, Mailboxes, Place};
use crate::task::Note;
use crate::trace::{Trace, TraceLine};
use plainsong_explore::{EventId, Fate, Graph, Kind, Mailbox, Op, Read, Tid};

/// What happened, in words.
pub(crate) struct Story {
    /// Names of all processes, by number.
    names: Vec<String>,
    full_names: Vec<String>,
    happenings: Vec<Happening>,
    /// Crashes so far.
    crashes: Vec<EventId>,
    failed: Vec<Failed>,
    waiting: Vec<Waiting>,
    undelivered: Vec<String>,
    /// Has a thread panicked and left that to whoever joins it?
    returned_a_panic: bool,
}

/// Who failed, and when.
#[derive(Clone, Copy)]
struct Failed {
    process: Tid,
    when: &'static str,
}

/// One event.
struct Happening {
    process: Tid,
    /// It concerns a monitor that has nothing to do with the failure.
    is_aside: bool,
    deed: Deed,
}

enum Deed {
    Sent {
        text: String,
    },
    Received {
        from: Tid,
        label: String,
        kind: String,
        occurrence: u32,
        is_hidden: bool,
    },
    /// A set of messages, at once; not empty.
    ReceivedSet(Vec<Deed>),
    GotNothing {
        wanted: String,
    },
    /// An access to memory, with the number of the store that it loads or makes, if a replay has to know that.
    Accessed {
        text: String,
        number: Option<u32>,
        /// The process whose store is loaded, if it is another one, and what.
        loaded: Option<(Tid, String)>,
    },
    /// Waits for ever: what it could have received is lost.
    WaitsInVain,
    /// Got nothing, where users do not see it.
    Passed,
    Chose {
        /// Of the choice, if it has one.
        name: Option<String>,
        option: String,
    },
    Other {
        text: String,
    },
}

/// A process that waits for ever.
struct Waiting {
    process: Tid,
    what_for: String,
    location: Option<String>,
}

impl Story {
    /// What led to a panic.
    pub(crate) fn of_panic(graph: &Graph<Machine>, machine: &Machine, failed: EventId) -> Self {
        let mut story = Story::empty(graph, machine);
        story.failed.push(Failed {
            process: failed.thread,
            when: "<- here",
        });
        for id in causal_order(graph) {
            if graph.happens_before(id, failed) {
                story.tell(graph, machine, id);
            }
        }
        story
    }

    /// What led to a data race.
    pub(crate) fn of_race(graph: &Graph<Machine>, machine: &Machine, both: [EventId; 2]) -> Self {
        let mut story = Story::empty(graph, machine);
        for id in causal_order(graph) {
            if both.iter().any(|&one| graph.happens_before(id, one)) {
                story.tell(graph, machine, id);
            }
        }
        story.failed = both
            .map(|id| Failed {
                process: id.thread,
                when: "<- races",
            })
            .into();
        story
    }

    /// Everything, and who waits for what.
    pub(crate) fn of_deadlock(graph: &Graph<Machine>, machine: &Machine) -> Self {
        let mut story = Story::empty(graph, machine);
        for id in causal_order(graph) {
            story.tell(graph, machine, id);
            story.note_undelivered(graph, machine, id);
        }
        for process in 0..graph.threads() as Tid {
            if graph.exists(process) && !graph.is_daemon(process) {
                story.note_waiting(machine, graph, process);
            }
        }
        story
    }

    /// Everything, up to the end that a monitor objects to.
    pub(crate) fn of_end(graph: &Graph<Machine>, machine: &Machine, monitor: Tid) -> Self {
        let mut story = Story::empty(graph, machine);
        story.failed.push(Failed {
            process: monitor,
            when: "<- at the end",
        });
        for id in causal_order(graph) {
            story.tell(graph, machine, id);
        }
        story
    }

    fn empty(graph: &Graph<Machine>, machine: &Machine) -> Self {
        let processes = 0..graph.threads() as Tid;
        Story {
            names: processes
                .clone()
                .map(|process| machine.world.name(process))
                .collect(),
            full_names: processes
                .map(|process| machine.world.full_name(process))
                .collect(),
            happenings: Vec::new(),
            crashes: Vec::new(),
            failed: Vec::new(),
            waiting: Vec::new(),
            undelivered: Vec::new(),
            returned_a_panic: returned_a_panic(graph),
        }
    }

    fn tell(&mut self, graph: &Graph<Machine>, machine: &Machine, id: EventId) {
        if is_plumbing_event(graph, machine, id) {
            return;
        }
        let event = graph.event(id);
        let deed = match &event.kind {
            Kind::Receive { pattern, .. }
                if event.read == Read::None && pattern.is_plumbing(&machine.world) =>
            {
                Deed::Passed
            }
            Kind::Receive { want, .. } if is_set(*want) && event.read != Read::Lost => {
                let messages = event
                    .reads()
                    .map(|send| self.received(graph, machine, send));
                Deed::ReceivedSet(messages.collect())
            }
            Kind::Receive { pattern, .. } => match event.read {
                Read::Lost => Deed::WaitsInVain,
                Read::From(send) => self.received(graph, machine, send),
                _ => Deed::GotNothing {
                    wanted: pattern.describe(&machine.world),
                },
            },
            Kind::Choose { .. } => match machine.note(id) {
                Some(Note { name, value, .. }) => Deed::Chose {
                    name,
                    option: value,
                },
                None => Deed::Chose {
                    name: None,
                    option: String::new(),
                },
            },
            Kind::Memory(_) => accessed(graph, machine, id),
            Kind::Send { .. } => Deed::Sent {
                text: describe_event(&machine.world, graph, id),
            },
            _ => Deed::Other {
                text: describe_event(&machine.world, graph, id),
            },
        };
        if matches!(&deed, Deed::Chose { option, .. } if is_crash(option)) {
            self.crashes.push(id);
        }
        self.happenings.push(Happening {
            process: id.thread,
            is_aside: self.is_aside(machine, id),
            deed,
        });
    }

    /// The receipt of a message. If its sender has crashed since, that is said: the arrow is drawn where
    /// the message is received.
    fn received(&self, graph: &Graph<Machine>, machine: &Machine, send: EventId) -> Deed {
        let mut deed = received(graph, machine, send);
        let is_since = |crash: &EventId| crash.thread == send.thread && crash.index > send.index;
        if let Deed::Received { label, .. } = &mut deed
            && self.crashes.iter().any(is_since)
        {
            *label = with_remark(label, "sent before the crash");
        }
        deed
    }

    /// Is it the event of a monitor that has nothing to do with the failure?
    fn is_aside(&self, machine: &Machine, id: EventId) -> bool {
        machine.world.monitors.of(id.thread).is_some()
            && self.failed.iter().all(|failed| failed.process != id.thread)
    }

    fn note_undelivered(&mut self, graph: &Graph<Machine>, machine: &Machine, id: EventId) {
        let event = graph.event(id);
        if let Kind::Send {
            to, message, fate, ..
        } = &event.kind
            && !is_plumbing(machine, *to)
            && !is_plumbing_event(graph, machine, id)
            && message.value.role() == Role::Message
            && (event.read == Read::None || is_lost(graph, id))
            && !matches!(fate, Fate::Copy(_))
        {
            let to = crate::send::describe_mailbox(&machine.world, *to);
            let from = machine.world.name(id.thread);
            let kind = short_type_name(message.type_name);
            let lost = if is_lost(graph, id) { ", lost" } else { "" };
            self.undelivered
                .push(format!("{message:?} (a {kind}) from {from} to {to}{lost}"));
        }
    }

    fn note_waiting(&mut self, machine: &Machine, graph: &Graph<Machine>, process: Tid) {
        let what_for = match machine.pending(process).as_deref() {
            Some(Op::Receive { pattern, .. }) => {
                let mut text = pattern.describe(&machine.world);
                if let Some(holder) = pattern.object().and_then(|lock| holder(graph, lock.0)) {
                    text.push_str(&format!(", held by {}", machine.world.name(holder)));
                }
                text
            }
            Some(operation @ Op::Join { .. }) => {
                let text = describe_operation(&machine.world, process, operation);
                text.replacen("join", "the end of", 1)
            }
            _ => return,
        };
        let next = EventId {
            thread: process,
            index: answers(graph, process) as u32,
        };
        let print = machine.print(next).filter(|print| print.what != What::End);
        self.waiting.push(Waiting {
            process,
            what_for,
            location: print
                .and_then(|print| print.location)
                .map(ToString::to_string),
        });
    }

    /// Events of the execution, and of the story.
    pub(crate) fn size(&self, graph: &Graph<Machine>, machine: &Machine) -> (usize, usize) {
        let counts =
            |&&id: &&EventId| !is_plumbing_event(graph, machine, id) && !self.is_aside(machine, id);
        let all = graph.order().iter().filter(counts).count();
        let told = self
            .happenings
            .iter()
            .filter(|happening| !happening.is_aside);
        (all, told.count())
    }

    /// "deadlock: client 1 waits for Grant".
    pub(crate) fn complaint(&self) -> String {
        let waits = |waiting: &Waiting| {
            format!(
                "{} waits for {}",
                self.names[waiting.process as usize], waiting.what_for
            )
        };
        let waiting: Vec<String> = self.waiting.iter().map(waits).collect();
        format!("deadlock: {}", waiting.join("; "))
    }

    /// Where the first process waits that waits for ever.
    pub(crate) fn waits_at(&self) -> Option<String> {
        self.waiting.first()?.location.clone()
    }

    /// Messages as arrows between lanes.
    pub(crate) fn picture(&self) -> String {
        let mut picture = Picture::new(&self.names, &self.full_names);
        for happening in self.happenings.iter().filter(|it| !it.is_aside) {
            let process = happening.process as usize;
            match &happening.deed {
                Deed::Received {
                    is_hidden: true, ..
                } => {}
                Deed::Received { from, label, .. } => {
                    picture.arrow(*from as usize, process, label);
                }
                Deed::ReceivedSet(messages) => {
                    let mut count = 0;
                    for message in messages {
                        if let Deed::Received {
                            from,
                            label,
                            is_hidden: false,
                            ..
                        } = message
                        {
                            picture.arrow(*from as usize, process, label);
                            count += 1;
                        }
                    }
                    if messages.is_empty() {
                        picture.remark(process, "no messages");
                    } else if count > 1 {
                        picture.remark(process, &format!("{count} messages at once"));
                    }
                }
                Deed::GotNothing { wanted } => picture.remark(process, &format!("no {wanted}")),
                Deed::Chose { option, .. } if option == NO_FAULT => {}
                Deed::Chose { option, .. } if is_fault(option) => picture.remark(process, option),
                Deed::Chose { name: None, option } => {
                    picture.remark(process, &format!("chose {option}"));
                }
                Deed::Chose {
                    name: Some(name),
                    option,
                } => picture.remark(process, &format!("chose {name} = {option}")),
                Deed::Accessed {
                    loaded: Some((from, label)),
                    ..
                } => picture.arrow(*from as usize, process, label),
                Deed::Accessed { text, .. } => picture.remark(process, text),
                Deed::Passed | Deed::WaitsInVain | Deed::Sent { .. } | Deed::Other { .. } => {}
            }
        }
        for failed in &self.failed {
            picture.mark(failed.process as usize, 'X', failed.when);
        }
        for waiting in &self.waiting {
            let text = match &waiting.location {
                Some(location) => format!("<- waits for {}, at {location}", waiting.what_for),
                None => format!("<- waits for {}", waiting.what_for),
            };
            picture.mark(waiting.process as usize, '?', &text);
        }
        let mut text = picture.render();
        if !self.undelivered.is_empty() {
            text.push_str(&format!(
                "\n  never received: {}",
                self.undelivered.join("; ")
            ));
        }
        text
    }

    /// To be saved and replayed.
    pub(crate) fn trace(&self, settings: &Explorer, kind: FailureKind, message: &str) -> Trace {
        let name = |process: Tid| self.full_names[process as usize].clone();
        let line = |happening: &Happening| {
            let process = name(happening.process);
            match &happening.deed {
                Deed::Received {
                    from,
                    kind,
                    occurrence,
                    ..
                } => TraceLine::Receive {
                    process,
                    kind: kind.clone(),
                    occurrence: *occurrence,
                    from: name(*from),
                },
                Deed::ReceivedSet(messages) => TraceLine::Set {
                    process,
                    messages: messages.iter().filter_map(|it| wanted(it, &name)).collect(),
                },
                Deed::GotNothing { .. } | Deed::Passed => TraceLine::Nothing { process },
                Deed::WaitsInVain => TraceLine::Waits { process },
                Deed::Chose { option, .. } => TraceLine::Choose {
                    process,
                    option: option.clone(),
                },
                Deed::Accessed {
                    text,
                    number: Some(number),
                    ..
                } => TraceLine::Store {
                    process,
                    number: *number,
                    text: text.clone(),
                },
                Deed::Accessed { text, .. } | Deed::Sent { text } | Deed::Other { text } => {
                    TraceLine::Other {
                        process,
                        text: text.clone(),
                    }
                }
            }
        };
        let lines = self.happenings.iter().map(line).collect();
        let mut trace = Trace::new(settings.delivery, kind, message, lines);
        trace.returns_panics = settings.returns_panics && self.returned_a_panic;
        trace
    }
}

/// A message that was received, by what people call it.
fn wanted(deed: &Deed, name: &dyn Fn(Tid) -> String) -> Option<Wanted> {
    match deed {
        Deed::Received {
            from,
            kind,
            occurrence,
            ..
        } => Some(Wanted {
            kind: kind.clone(),
            from: name(*from),
            occurrence: *occurrence,
        }),
        _ => None,
    }
}

/// The receipt of a message.
fn received(graph: &Graph<Machine>, machine: &Machine, send: EventId) -> Deed {
    let message = graph.message(send);
    let mut label = format!("{message:?}");
    if let Some(Copied { to, .. }) = message.get() {
        let to = crate::send::describe_mailbox(&machine.world, *to);
        label.push_str(&format!(" to {to}"));
    }
    if let Some(tag) = &message.info.tag {
        label.push_str(&format!(" #{tag}"));
    }
    if let Place::Channel(channel) = Mailboxes::place(message.to) {
        let mailboxes = machine.world.mailboxes.borrow();
        match mailboxes.channel_name(channel) {
            "" => {}
            name => label = format!("{name}: {label}"),
        }
    }
    Deed::Received {
        from: send.thread,
        label,
        kind: short_type_name(message.type_name),
        occurrence: occurrence(graph, send, message),
        is_hidden: is_plumbing(machine, message.to)
            || matches!(message.value.role(), Role::Grant | Role::Plumbing),
    }
}

/// An access to memory.
fn accessed(graph: &Graph<Machine>, machine: &Machine, id: EventId) -> Deed {
    let mut text = describe_event(&machine.world, graph, id);
    let number = store_number(graph, id);
    if starts_location(graph, id) {
        return Deed::Other { text };
    }
    let mut loaded = None;
    if let (Read::From(store), Some(number)) = (graph.event(id).read, number) {
        let value = describe_value(&machine.world, graph, id);
        text.push_str(&format!(": {value}"));
        if store.thread != id.thread && number > 0 {
            loaded = Some((store.thread, value));
        }
    }
    Deed::Accessed {
        text,
        number,
        loaded,
    }
}

/// Is the message lost on the way?
fn is_lost(graph: &Graph<Machine>, send: EventId) -> bool {
    match graph.event(send).read {
        Read::By(receive) => graph.event(receive).drops().any(|drop| drop == send),
        _ => false,
    }
}

/// Who has a lock that is never released: whoever it was handed to last.
fn holder(graph: &Graph<Machine>, lock: Tid) -> Option<Tid> {
    let granted = |index: usize| {
        let id = EventId {
            thread: lock,
            index: index as u32,
        };
        match &graph.event(id).kind {
            Kind::Send { to, message, .. } if message.value.role() == Role::Grant => {
                match Mailboxes::place(*to) {
                    Place::Process(process) => Some(process),
                    _ => None,
                }
            }
            _ => None,
        }
    };
    (0..graph.live(lock)).rev().find_map(granted)
}

/// Is the mailbox for something else than messages?
fn is_plumbing(machine: &Machine, mailbox: Mailbox) -> bool {
    matches!(Mailboxes::place(mailbox), Place::Result(_))
        || machine.world.mailboxes.borrow().plumbing(mailbox).is_some()
}

/// Which of its sender's messages of its type to its mailbox it is, from 1.
pub(crate) fn occurrence(graph: &Graph<Machine>, send: EventId, message: &Envelope) -> u32 {
    let alike = |index: &u32| {
        let id = EventId {
            thread: send.thread,
            index: *index,
        };
        match &graph.event(id).kind {
            Kind::Send {
                to, message: other, ..
            } => *to == message.to && other.type_id == message.type_id,
            _ => false,
        }
    };
    (0..=send.index).filter(alike).count() as u32
}

/// A coverage mark, the start of a monitor, or a message to one: nothing that the program does.
fn is_plumbing_event(graph: &Graph<Machine>, machine: &Machine, id: EventId) -> bool {
    match &graph.event(id).kind {
        Kind::Send { to, message, .. } => *to == MARKS || message.get::<Copied>().is_some(),
        Kind::Spawn { thread, .. } => machine.world.monitors.of(*thread).is_some(),
        _ => false,
    }
}

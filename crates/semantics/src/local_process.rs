//! One process by itself (its local transition system), for engines that keep processes apart.
//!
//! A [`Part`] is the state of one process. [`Parts::next`] says what it does from there: it is over,
//! it goes one of several ways by itself, or it waits for a message; [`Parts::take`] and
//! [`Parts::give_up`] go on from a wait. A [`Way`] is one local step with its free choices made: what
//! it sends, where it leads, whether it fails. These are the same local steps that the interpreter
//! puts together into states (`voices/local.rs`), so an engine built on them has no step relation of
//! its own; what it adds is which message is taken when.
//!
//! A step that fails, or that an `assume` cuts off, is not taken: what it would have sent is not
//! sent, as in [`mod@executions`](crate::executions).
//!
//! What may go wrong with a process or a message is in [`faults`].

pub mod faults;
mod may_send;

pub use may_send::{Lanes, MOST_LANES};

use crate::code::Pace;
use crate::code::coverage::Covered;
use crate::code::run::{Branch, Chosen, Halt, MOST_CHOICES, Outgoing, endless};
use crate::machine::{Config, Form, Machine, Outcome};
use crate::search::Coverage;
use crate::trace::{EventKind, Failure};
use crate::value::{Pid, Value};
use crate::voices::VoiceSystem;
use crate::voices::config::{Private, Voice, VoicesConfig};
use crate::voices::faults::Trouble;
use crate::voices::local::Stand;
use crate::voices::network::Network;
use crate::voices::receive::Acceptor;
use crate::world::OwnVars;
use may_send::Outlook;
use plainsong_diagnostics::Span;
use plainsong_ir::{Delivery, MessageId, VarId};
use std::cell::RefCell;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The state of one process. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part(Arc<Voice>);

impl Part {
    /// The value of a state variable.
    pub fn value(&self, var: VarId) -> &Value {
        &self.0.vars[var.index()]
    }

    /// Is it this state?
    pub(crate) fn is_at(&self, voice: &Voice) -> bool {
        *self.0 == *voice
    }
}

/// Looks only at both ends of long collections, which is where states differ that follow each other.
impl Hash for Part {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.pc.hash(state);
        let values = self.0.slots.iter().chain(&self.0.vars);
        values.for_each(|value| sketch(value, state));
    }
}

/// A message in the hands of its sender.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Letter {
    /// Who sends it.
    pub from: Pid,
    pub to: Pid,
    pub model: Delivery,
    kind: MessageId,
    payload: Arc<[Value]>,
}

impl Letter {
    /// What kind of message it is.
    pub fn kind(&self) -> MessageId {
        self.kind
    }

    /// What it carries.
    pub fn payload(&self) -> &[Value] {
        &self.payload
    }
}

/// One local step, with its free choices made.
#[derive(Clone, Debug)]
pub struct Way {
    /// The process after it.
    pub part: Part,
    /// What it sends, in this order.
    pub sends: Vec<Letter>,
    /// Does it come to its end?
    pub fate: Fate,
    /// What tells it from the other steps of the process.
    pub deed: Deed,
}

impl Way {
    /// How many free choices were made in it.
    pub fn choices(&self) -> usize {
        self.deed.chosen.len()
    }
}

/// Does a local step come to its end?
#[derive(Clone, Debug, PartialEq)]
pub enum Fate {
    /// Yes.
    Well,
    /// An `assume` cuts it off, or there is nothing to choose from.
    Discarded,
    /// It fails.
    Failed(Failure),
    /// It goes on with a free choice, [which is to be made](Parts::choose).
    Chooses,
}

/// What tells a local step from others that begin where it does: its kind and its free choices.
#[derive(Clone, Debug, PartialEq)]
pub struct Deed {
    pub kind: EventKind,
    pub(crate) chosen: Vec<Chosen>,
    /// How a process that restarts begins.
    pub(crate) anew: Option<Part>,
}

impl Deed {
    /// This part of a step, and then that.
    #[must_use]
    pub fn and(mut self, later: &Deed) -> Deed {
        self.chosen.extend_from_slice(&later.chosen);
        self
    }
}

/// What a process does next.
#[derive(Clone, Debug)]
pub enum Next {
    /// Nothing: it has come to its end.
    Over,
    /// One of these; at least one.
    Goes(Vec<Way>),
    /// It waits for a message.
    Waits(Wait),
}

/// A process that waits.
#[derive(Clone, Debug)]
pub struct Wait {
    pub lane: usize,
    /// In which state.
    pub part: Part,
    /// Where it goes on when it gives up, if it may.
    timeout: Option<usize>,
    /// The senders that it names.
    senders: Vec<Option<Pid>>,
}

impl Wait {
    /// May it give up waiting?
    pub fn may_give_up(&self) -> bool {
        self.timeout.is_some()
    }

    /// For each of the messages that it may take: the sender that it names, if it names one.
    pub fn senders(&self) -> &[Option<Pid>] {
        &self.senders
    }
}

/// What follows when a message is taken.
#[derive(Clone, Debug)]
pub struct Taking {
    /// The ways on. A handler that an `assume` cuts off leaves its message where it is, so such ways are
    /// not among them.
    pub ways: Vec<Way>,
}

impl Taking {
    /// Is the message left where it is, whatever is chosen?
    pub fn is_refused(&self) -> bool {
        self.ways.is_empty()
    }
}

/// The processes of a machine, each by itself.
#[derive(Debug)]
pub struct Parts {
    machine: Machine,
    covered: RefCell<Covered>,
    outlook: Outlook,
    /// Where steps of bodies stop.
    pace: Pace,
}

impl Parts {
    /// The processes of voices; `None` for the other forms.
    pub fn new(machine: &Machine) -> Option<Parts> {
        let Form::Voices(system) = &machine.form else {
            return None;
        };
        Some(Parts {
            machine: machine.clone(),
            covered: RefCell::default(),
            outlook: Outlook::new(system),
            pace: Pace::Communications,
        })
    }

    /// The same, where steps of bodies stop before each free choice: [`Fate::Chooses`]. A step with many
    /// choices has more ways than one wants to list.
    #[must_use]
    pub fn choice_by_choice(self) -> Parts {
        Parts {
            pace: Pace::Choices,
            ..self
        }
    }

    /// The machine they are of.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Every way to start, in the order of [`Machine::initial`]: the processes, or why there are none.
    pub fn starts(&self) -> Vec<Result<Vec<Part>, Failure>> {
        let starts = self
            .machine
            .initial_covering(&mut self.covered.borrow_mut());
        let one = |start| match start {
            Outcome::Next(Config(Form::Voices(config))) => {
                Ok(config.voices.into_iter().map(Part).collect())
            }
            Outcome::Failed(failure, _) => Err(failure),
            Outcome::Next(_) | Outcome::Discarded => panic!("voices start as voices"),
        };
        starts.into_iter().map(one).collect()
    }

    /// Every way of `init`; `None` when there is no `init`.
    pub fn init(&self) -> Option<Vec<Way>> {
        let branches = self.system().begins(&mut self.covered.borrow_mut())?;
        Some(self.ways(EventKind::Init, branches))
    }

    /// May the process wait for ever without being missed?
    pub fn may_wait(&self, lane: usize) -> bool {
        self.system().may_wait(lane)
    }

    /// What a process does next.
    pub fn next(&self, lane: usize, part: &Part) -> Next {
        let system = self.system();
        let covered = &mut *self.covered.borrow_mut();
        let stand = system.stand(lane, &part.0);
        let (timeout, kind) = match &stand {
            Stand::Over => return Next::Over,
            Stand::Goes(kind) => {
                let branches = system.goes(lane, &part.0, self.pace, covered);
                return Next::Goes(self.ways(*kind, branches));
            }
            Stand::Receives(_, timeout) => (*timeout, EventKind::Receive),
            Stand::Handles(_) => (None, EventKind::Handle),
        };
        let world = own_vars(lane, part);
        let senders = match Acceptor::new(system, &world, &part.0.slots, &stand.accepts()) {
            Ok(acceptor) => acceptor.senders(),
            Err((_, failure)) => {
                system.receive_ran(lane, &part.0, covered);
                let mut ways = vec![fails(part, kind, failure)];
                if let Some(target) = timeout {
                    let branches = system.gives_up(lane, &part.0, target, self.pace, covered);
                    ways.extend(self.ways(EventKind::Timeout, branches));
                }
                return Next::Goes(ways);
            }
        };
        Next::Waits(Wait {
            lane,
            part: part.clone(),
            timeout,
            senders,
        })
    }

    /// The kinds of messages that a waiting process may take, as many as it names senders.
    pub fn awaited(&self, wait: &Wait) -> Vec<MessageId> {
        let stand = self.system().stand(wait.lane, &wait.part.0);
        let accepts = stand.accepts();
        accepts.iter().map(|accept| accept.message).collect()
    }

    /// A message that was sent elsewhere: by another program, over a wire.
    pub fn letter(&self, kind: MessageId, from: Pid, to: Pid, payload: Vec<Value>) -> Letter {
        Letter {
            from,
            to,
            model: self.system().delivery(kind, to),
            kind,
            payload: payload.into(),
        }
    }

    /// Does a waiting process want this message? One that it fails to look at counts.
    ///
    /// A message that its handler refuses whatever is chosen stays where it is. If it is `unordered`, that
    /// is the same as if it were not wanted; in another order others may have to wait behind it, so
    /// it counts.
    pub fn wants(&self, wait: &Wait, letter: &Letter) -> bool {
        let world = own_vars(wait.lane, &wait.part);
        let stand = self.system().stand(wait.lane, &wait.part.0);
        let wants =
            self.acceptor(wait, &stand, &world)
                .wants(letter.kind, letter.from, &letter.payload);
        let may_refuse = matches!(stand, Stand::Handles(_)) && !letter.model.keeps_order();
        wants && !(may_refuse && self.take(wait, letter).is_refused())
    }

    /// A waiting process takes a message that it wants.
    pub fn take(&self, wait: &Wait, letter: &Letter) -> Taking {
        let system = self.system();
        let world = own_vars(wait.lane, &wait.part);
        let stand = system.stand(wait.lane, &wait.part.0);
        let kind = match stand {
            Stand::Handles(_) => EventKind::Handle,
            _ => EventKind::Receive,
        };
        let acceptor = self.acceptor(wait, &stand, &world);
        match acceptor.accept(letter.kind, letter.from, &letter.payload) {
            Ok(accepted) => {
                let accepted = accepted.expect("only what is wanted is taken");
                let covered = &mut *self.covered.borrow_mut();
                let taking = system.takes(wait.lane, &wait.part.0, accepted, self.pace, covered);
                Taking {
                    ways: self.ways(kind, taking.branches),
                }
            }
            Err(failure) => Taking {
                ways: vec![fails(&wait.part, kind, failure)],
            },
        }
    }

    /// Where in the text a process waits; nothing for one that waits for its handlers.
    pub fn place(&self, wait: &Wait) -> Option<Span> {
        self.system().place(wait.lane, &wait.part.0)
    }

    /// A waiting process gives up; it may.
    pub fn give_up(&self, wait: &Wait) -> Vec<Way> {
        let target = wait.timeout.expect("a process gives up only where it may");
        let covered = &mut *self.covered.borrow_mut();
        let branches = self
            .system()
            .gives_up(wait.lane, &wait.part.0, target, self.pace, covered);
        self.ways(EventKind::Timeout, branches)
    }

    /// The ways on from a free choice in the middle of a step, before which so many were made. What they
    /// send is what the whole step sends so far; what they chose is the new choice only.
    pub fn choose(&self, lane: usize, way: &Way, choices: usize) -> Vec<Way> {
        let system = self.system();
        let kind = way.deed.kind;
        if choices >= MOST_CHOICES {
            let span = system.place(lane, &way.part.0).unwrap_or_default();
            return vec![fails(&way.part, kind, endless(span))];
        }
        let covered = &mut *self.covered.borrow_mut();
        let branches = system.goes(lane, &way.part.0, self.pace, covered);
        let mut ways = self.ways(kind, branches);
        if !way.sends.is_empty() {
            for on in &mut ways {
                on.sends = [&way.sends[..], &on.sends[..]].concat();
            }
        }
        ways
    }

    /// The state of processes and of messages that nobody has taken. The order of messages and what
    /// `causal` ones know of each other is not that of an execution: it is a state to look at, not one to
    /// go on from.
    pub fn state(&self, parts: impl Iterator<Item = Part>, unread: &[&Letter]) -> Config {
        let mut network = Network::new();
        for letter in unread {
            let payload = letter.payload.to_vec();
            network.send(letter.from, letter.to, letter.model, letter.kind, payload);
        }
        Config(Form::Voices(VoicesConfig {
            begun: true,
            voices: parts.map(|part| part.0).collect(),
            network,
            trouble: Trouble::default(),
        }))
    }

    /// Which parts of the text took part so far.
    pub fn coverage(&self) -> Coverage {
        Coverage::new(&self.machine, &self.covered.borrow())
    }

    fn acceptor<'a>(
        &'a self,
        wait: &'a Wait,
        stand: &Stand<'a>,
        world: &'a OwnVars<'a>,
    ) -> Acceptor<'a> {
        let accepts = match stand {
            Stand::Receives(arms, _) => arms
                .iter()
                .map(|arm| &arm.accept)
                .zip(wait.senders.iter().copied())
                .collect(),
            Stand::Handles(handlers) => handlers
                .iter()
                .map(|(accept, _)| accept)
                .zip(wait.senders.iter().copied())
                .collect(),
            Stand::Over | Stand::Goes(_) => panic!("it waits"),
        };
        Acceptor::knowing(self.system(), world, &wait.part.0.slots, accepts)
    }

    fn system(&self) -> &VoiceSystem {
        match &self.machine.form {
            Form::Voices(system) => system,
            _ => panic!("parts are made of voices only"),
        }
    }

    fn ways(&self, kind: EventKind, branches: Vec<Branch<Private>>) -> Vec<Way> {
        branches
            .into_iter()
            .map(|branch| self.way(kind, branch))
            .collect()
    }

    fn way(&self, kind: EventKind, branch: Branch<Private>) -> Way {
        let Branch { run, halt } = branch;
        let from = run.memory.me;
        let letter = |outgoing| {
            let Outgoing::Message(kind, payload, to) = outgoing else {
                panic!("processes leave no asyncs")
            };
            let model = self.system().delivery(kind, to);
            Letter {
                from,
                to,
                model,
                kind,
                payload: payload.into(),
            }
        };
        let voice = Voice {
            pc: run.pc,
            slots: run.slots,
            vars: run.memory.vars,
        };
        Way {
            sends: run.sent.into_iter().map(letter).collect(),
            fate: match halt {
                Halt::Stop if self.is_midway(from, &voice) => Fate::Chooses,
                Halt::Stop => Fate::Well,
                Halt::Blocked => Fate::Discarded,
                Halt::Failed(failure) => Fate::Failed(failure),
            },
            deed: Deed {
                kind,
                chosen: run.chosen,
                anew: None,
            },
            part: Part(Arc::new(voice)),
        }
    }

    /// Has a step stopped before a free choice?
    fn is_midway(&self, who: Pid, voice: &Voice) -> bool {
        let is_at_choice = |lane| self.system().is_at_choice(lane, voice);
        self.pace == Pace::Choices && who.member().is_some_and(is_at_choice)
    }
}

/// How many elements at each end of a collection count in [`sketch`].
const END: usize = 4;

/// Feeds a hash of a value that costs the same for long collections as for short ones.
fn sketch(value: &Value, state: &mut impl Hasher) {
    let elements = match value {
        Value::Set(elements) | Value::Bag(elements) | Value::Seq(elements) => elements,
        other => return other.hash(state),
    };
    let count = elements.len();
    count.hash(state);
    let ends = (0..count.min(END)).chain(count.max(2 * END) - END..count);
    ends.for_each(|at| elements[at].hash(state));
}

/// A step that fails before anything happens.
fn fails(part: &Part, kind: EventKind, failure: Failure) -> Way {
    Way {
        part: part.clone(),
        sends: Vec::new(),
        fate: Fate::Failed(failure),
        deed: Deed {
            kind,
            chosen: Vec::new(),
            anew: None,
        },
    }
}

fn own_vars(lane: usize, part: &Part) -> OwnVars<'_> {
    OwnVars {
        me: Pid::Member(lane as u32),
        vars: &part.0.vars,
    }
}

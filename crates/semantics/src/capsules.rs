//! Processes one by one, for engines that keep a state as one number for each process with its inbox.
//!
//! A *capsule* is a process with the messages in flight to it. What a process does depends on its capsule and on
//! nothing else: its code reads its own variables, its locals and the message it takes. So a state is taken apart
//! ([`Processes::split`]) and put together again ([`Processes::join`]), and what can happen is asked process by process and
//! message by message: [`Processes::alone`] is what it does by itself, [`Processes::take`] what it does with one message,
//! [`Processes::crash`] and [`Processes::restart`] what goes wrong with it. There is no second step relation here: all of
//! these are the functions that [`voices`](crate::voices) is made of.
//!
//! What an engine has to add is the order of delivery ([`Message::precedes`]), and the messages that are sent.
//!
//! NOT COVERED. The causal model: there, taking a message changes what is known of others
//! ([`Processes::has_causal_messages`]).

use crate::code::Pace;
use crate::code::coverage::Covered;
use crate::code::run::{Branch, Halt, Outgoing};
use crate::machine::{Config, Form, Machine, Outcome, Step};
use crate::search::Coverage;
use crate::trace::Failure;
use crate::value::{Pid, Value};
use crate::voices::VoiceSystem;
use crate::voices::config::{Private, Voice, VoicesConfig};
use crate::voices::faults::Trouble;
use crate::voices::local::Stand;
use crate::voices::network::Network;
use crate::voices::receive::Acceptor;
use crate::world::OwnVars;
use plainsong_ir::{Delivery, Fault, MessageId, Precedence, VarId};
use std::sync::Arc;

/// Where a step of a body ends.
const PACE: Pace = Pace::Communications;

/// A process by itself: where it stands, its locals and variables, and whether it is down.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Local {
    pub(crate) voice: Arc<Voice>,
    pub(crate) down: bool,
}

impl Local {
    /// Is the process down?
    pub fn is_down(&self) -> bool {
        self.down
    }

    /// Where in its text it stands, and whether it is down.
    pub fn place(&self) -> (usize, bool) {
        (self.voice.pc, self.down)
    }

    /// The value of a state variable.
    pub fn var(&self, var: VarId) -> &Value {
        &self.voice.vars[var.index()]
    }

    /// About how many bytes it takes.
    pub fn weight(&self) -> usize {
        let values = self.voice.slots.len() + self.voice.vars.len();
        size_of::<Voice>() + values * 2 * size_of::<Value>()
    }
}

/// A message in the inbox of its receiver.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Message {
    pub(crate) model: Delivery,
    pub(crate) from: Pid,
    pub(crate) kind: MessageId,
    pub(crate) payload: Arc<[Value]>,
}

impl Message {
    pub fn model(&self) -> Delivery {
        self.model
    }

    /// Its sender.
    pub fn from(&self) -> Pid {
        self.from
    }

    pub fn kind(&self) -> MessageId {
        self.kind
    }

    /// Given that it was sent before `later` to the same receiver and one receive accepts both, must it be taken first?
    pub fn precedes(&self, later: &Message) -> bool {
        self.model == later.model
            && match self.model.precedence() {
                Precedence::Never => false,
                Precedence::SameSender => self.from == later.from,
                Precedence::Always => true,
                Precedence::Cause => panic!("causal messages are not kept in inboxes"),
            }
    }
}

/// A state, taken apart. Inboxes are in any order that keeps the order of sending among messages of which one
/// [precedes](Message::precedes) the other.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The processes.
    pub locals: Vec<Local>,
    /// The messages to each process, and last, to `init`: nobody reads those.
    pub inboxes: Vec<Vec<Message>>,
    /// How often each declared fault with a limit has happened.
    pub spent: Vec<u32>,
}

#[derive(Clone, Debug)]
pub enum Way {
    /// To another state of the process, after these messages were sent, to processes by number; none is `init`.
    Next(Local, Vec<(Option<usize>, Message)>),
    /// Into a failure.
    Fails(Failure),
    /// Nowhere: an `assume` ends the execution, or there is nothing to choose from.
    Discarded,
}

/// What a process does without a message.
#[derive(Clone, Debug, Default)]
pub struct Alone {
    /// The ways on: of a process that goes on by itself, or of a receive that gives up.
    pub ways: Vec<Way>,
    /// Does it take messages?
    pub takes: bool,
    /// What goes wrong before it can look at any message.
    pub broken: Option<Failure>,
    /// Is it a deadlock if nothing can happen any more?
    pub waits: bool,
}

/// What a process does with a message.
#[derive(Clone, Debug)]
pub enum Taken {
    /// It does not accept it.
    Refused,
    /// Whether it accepts it fails.
    Fails(Failure),
    /// It takes it.
    Ways(Vec<Way>),
}

/// Which parts of the text took part.
#[derive(Clone, Debug, Default)]
pub struct Marks(Covered);

impl Marks {
    /// What took part here took part.
    pub fn include(&mut self, other: &Marks) {
        self.0.include(&other.0);
    }

    /// The account.
    pub fn coverage(&self, machine: &Machine) -> Coverage {
        Coverage::new(machine, &self.0)
    }
}

/// The processes of a machine.
#[derive(Clone, Copy)]
pub struct Processes<'m> {
    machine: &'m Machine,
    system: &'m VoiceSystem,
}

impl<'m> Processes<'m> {
    /// The processes of a machine; none when it runs something else.
    pub fn new(machine: &'m Machine) -> Option<Self> {
        match &machine.form {
            Form::Voices(system) => Some(Processes { machine, system }),
            _ => None,
        }
    }

    pub fn machine(&self) -> &'m Machine {
        self.machine
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.system.count()
    }

    /// May a message be delivered in causal order?
    pub fn has_causal_messages(&self) -> bool {
        self.system.has_causal_messages()
    }

    /// What may go wrong.
    pub fn faults(&self) -> &'m [Fault] {
        &self.system.faults
    }

    /// How a message of this kind is delivered to a process.
    pub fn delivery(&self, kind: MessageId, to: usize) -> Delivery {
        self.system.delivery(kind, Pid::Member(to as u32))
    }

    /// May a process take a message of this kind from another, whatever is in it?
    pub fn may_take(&self, lane: usize, local: &Local, kind: MessageId, from: usize) -> bool {
        if local.down || self.system.code_at(lane).is_none() {
            return false;
        }
        let voice = &local.voice;
        let accepts = self.system.stand(lane, voice);
        let accepts = accepts.accepts();
        let world = OwnVars {
            me: Pid::Member(lane as u32),
            vars: &voice.vars,
        };
        let acceptor = Acceptor::new(self.system, &world, &voice.slots, &accepts);
        acceptor.map_or(true, |all| all.may_accept(kind, Pid::Member(from as u32)))
    }

    /// Has `init` run?
    pub fn has_begun(&self, config: &Config) -> bool {
        self.machine.has_begun(config)
    }

    /// The states at the start.
    pub fn initial(&self, marks: &mut Marks) -> Vec<Outcome> {
        self.machine.initial_covering(&mut marks.0)
    }

    /// Everything that can happen in a state.
    pub fn steps(&self, config: &Config, marks: &mut Marks) -> Vec<Step> {
        self.machine.steps_covering(config, &mut marks.0)
    }

    /// Takes a state apart in which `init` has run.
    pub fn split(&self, config: &Config) -> Parts {
        let Form::Voices(config) = &config.0 else {
            panic!("a state of processes is wanted")
        };
        let local = |(lane, voice): (usize, &Arc<Voice>)| Local {
            voice: voice.clone(),
            down: config.trouble.is_down(lane),
        };
        let count = config.voices.len();
        let mut inboxes = vec![Vec::new(); count + 1];
        for message in config.network.messages() {
            let lane = message.to.member().unwrap_or(count);
            inboxes[lane].push(Message {
                model: message.model,
                from: message.from,
                kind: message.kind,
                payload: message.payload.clone(),
            });
        }
        Parts {
            locals: config.voices.iter().enumerate().map(local).collect(),
            inboxes,
            spent: config.trouble.spent_by_fault().to_vec(),
        }
    }

    /// How many messages are in flight.
    pub fn in_flight(&self, config: &Config) -> usize {
        match &config.0 {
            Form::Voices(config) => config.network.messages().len(),
            _ => panic!("a state of processes is wanted"),
        }
    }

    /// Puts a state together.
    pub fn join(&self, parts: &Parts) -> Config {
        let mut network = Network::new();
        for (lane, inbox) in parts.inboxes.iter().enumerate() {
            let to = match lane < parts.locals.len() {
                true => Pid::Member(lane as u32),
                false => Pid::Init,
            };
            for message in inbox {
                let Message {
                    model,
                    from,
                    kind,
                    ref payload,
                } = *message;
                network.send(from, to, model, kind, payload.to_vec());
            }
        }
        network.normalise();
        let down = (0..).zip(&parts.locals).filter(|(_, local)| local.down);
        Config(Form::Voices(VoicesConfig {
            begun: true,
            voices: parts.locals.iter().map(|one| one.voice.clone()).collect(),
            network,
            trouble: Trouble::of(parts.spent.clone(), down.map(|(lane, _)| lane).collect()),
        }))
    }

    /// What a process does without a message.
    pub fn alone(&self, lane: usize, local: &Local, marks: &mut Marks) -> Alone {
        if local.down || self.system.code_at(lane).is_none() {
            return Alone::default();
        }
        let voice = &local.voice;
        match self.system.stand(lane, voice) {
            Stand::Over => Alone::default(),
            Stand::Goes(_) => {
                let branches = self.system.goes(lane, voice, PACE, &mut marks.0);
                Alone {
                    ways: self.ways(branches),
                    ..Alone::default()
                }
            }
            stand @ Stand::Handles(_) => Alone {
                takes: true,
                broken: self.broken(lane, local, &stand),
                ..Alone::default()
            },
            stand @ Stand::Receives(_, timeout) => {
                let gives_up = timeout.map_or_else(Vec::new, |target| {
                    self.system
                        .gives_up(lane, voice, target, PACE, &mut marks.0)
                });
                let broken = self.broken(lane, local, &stand);
                if broken.is_some() {
                    self.system.receive_ran(lane, voice, &mut marks.0);
                }
                Alone {
                    ways: self.ways(gives_up),
                    takes: true,
                    broken,
                    waits: !self.system.may_wait(lane),
                }
            }
        }
    }

    /// What a process that [takes](Alone::takes) messages, and is not [broken](Alone::broken), does with one.
    pub fn take(&self, lane: usize, local: &Local, message: &Message, marks: &mut Marks) -> Taken {
        let voice = &local.voice;
        let stand = self.system.stand(lane, voice);
        let accepts = stand.accepts();
        let world = OwnVars {
            me: Pid::Member(lane as u32),
            vars: &voice.vars,
        };
        let acceptor = match Acceptor::new(self.system, &world, &voice.slots, &accepts) {
            Ok(acceptor) => acceptor,
            Err((_, failure)) => return Taken::Fails(failure),
        };
        match acceptor.accept(message.kind, message.from, &message.payload) {
            Ok(None) => Taken::Refused,
            Err(failure) => {
                if let Stand::Receives(..) = stand {
                    self.system.receive_ran(lane, voice, &mut marks.0);
                }
                Taken::Fails(failure)
            }
            Ok(Some(accepted)) => {
                let taking = self.system.takes(lane, voice, accepted, PACE, &mut marks.0);
                Taken::Ways(self.ways(taking.branches))
            }
        }
    }

    /// A process that crashes; none if it cannot.
    pub fn crash(&self, lane: usize, local: &Local) -> Option<Local> {
        let is_over = matches!(self.system.stand(lane, &local.voice), Stand::Over);
        (!is_over && !local.down).then(|| Local {
            down: true,
            ..local.clone()
        })
    }

    /// A process that restarts, in every way it can; none if it is not down.
    pub fn restart(
        &self,
        lane: usize,
        local: &Local,
        marks: &mut Marks,
    ) -> Option<Result<Vec<Local>, Failure>> {
        if !local.down {
            return None;
        }
        let voices = self.system.anew(lane, &local.voice.vars, &mut marks.0);
        Some(voices.map(|voices| {
            let up = voices.into_iter();
            up.map(|voice| Local { voice, down: false }).collect()
        }))
    }

    /// What goes wrong before a process can look at any message.
    fn broken(&self, lane: usize, local: &Local, stand: &Stand<'_>) -> Option<Failure> {
        let world = OwnVars {
            me: Pid::Member(lane as u32),
            vars: &local.voice.vars,
        };
        let accepts = stand.accepts();
        let acceptor = Acceptor::new(self.system, &world, &local.voice.slots, &accepts);
        acceptor.err().map(|(_, failure)| failure)
    }

    fn ways(&self, branches: Vec<Branch<Private>>) -> Vec<Way> {
        branches
            .into_iter()
            .map(|branch| self.way(branch))
            .collect()
    }

    fn way(&self, branch: Branch<Private>) -> Way {
        let Branch { run, halt } = branch;
        match halt {
            Halt::Blocked => return Way::Discarded,
            Halt::Failed(failure) => return Way::Fails(failure),
            Halt::Stop => {}
        }
        let from = run.memory.me;
        let sent = run.sent.into_iter().map(|outgoing| {
            let Outgoing::Message(kind, payload, to) = outgoing else {
                panic!("processes leave no asyncs")
            };
            let message = Message {
                model: self.system.delivery(kind, to),
                from,
                kind,
                payload: payload.into(),
            };
            (to.member(), message)
        });
        let sent = sent.collect();
        let voice = Voice {
            pc: run.pc,
            slots: run.slots,
            vars: run.memory.vars,
        };
        let local = Local {
            voice: Arc::new(voice),
            down: false,
        };
        Way::Next(local, sent)
    }
}

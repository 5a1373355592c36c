//! Voices: processes that exchange messages.
//!
//! [`config`] is a state, [`network`] the messages in flight, [`start`] how it begins, [`steps`]
//! what can happen, [`faults`] what can go wrong, [`local`] what a process does by itself, [`receive`] which messages a receive may
//! take, [`loosen`] processes that are freer than they say.

pub(crate) mod config;
pub(crate) mod faults;
pub(crate) mod local;
pub(crate) mod loosen;
pub(crate) mod network;
pub(crate) mod receive;
mod start;
mod steps;
mod turn;
mod waiting;

use crate::code::FlatCode;
use crate::code::coverage::Statements;
use crate::code::flatten::flatten;
use crate::instance::Instance;
use crate::value::Pid;
use plainsong_ir::{Accept, Body, Delivery, Fault, MessageId, Process, Voices};

/// A system of voices, ready to run.
#[derive(Clone, Debug)]
pub(crate) struct VoiceSystem {
    pub(crate) instance: Instance,
    /// One for each family of processes.
    programs: Vec<Program>,
    /// For each process, its program.
    program_of: Vec<usize>,
    /// All code; programs refer to it by number.
    codes: Vec<FlatCode>,
    /// `init`, by number.
    init: Option<usize>,
    /// The declared delivery of each kind of message.
    deliveries: Vec<Option<Delivery>>,
    /// What may go wrong.
    pub(crate) faults: Vec<Fault>,
}

/// What a family of processes does.
#[derive(Clone, Debug)]
struct Program {
    daemon: bool,
    act: Act,
}

#[derive(Clone, Debug)]
enum Act {
    /// Runs this code from its beginning to its end.
    Body(usize),
    /// Runs the code of the first handler that accepts a message.
    Handlers(Vec<(Accept, usize)>),
}

impl VoiceSystem {
    /// Prepares the processes of an instance.
    pub(crate) fn new(instance: &Instance, voices: &Voices, statements: &mut Statements) -> Self {
        let mut system = VoiceSystem {
            instance: instance.clone(),
            programs: Vec::new(),
            program_of: Vec::new(),
            codes: Vec::new(),
            init: None,
            deliveries: voices
                .messages
                .iter()
                .map(|message| message.delivery)
                .collect(),
            faults: voices.faults.clone(),
        };
        for process in &voices.processes {
            let program = system.program(process, statements);
            system.programs.push(program);
        }
        if let Some(init) = &voices.init {
            system
                .codes
                .push(flatten(&init.body, &init.locals, init.arity, statements));
            system.init = Some(system.codes.len() - 1);
        }
        if !voices.processes.is_empty() {
            system.program_of = programs_of_rows(instance, voices);
        }
        system
    }

    /// How many processes there are.
    pub(crate) fn count(&self) -> usize {
        self.program_of.len()
    }

    /// May a message be delivered in causal order?
    pub(crate) fn has_causal_messages(&self) -> bool {
        let everywhere = self.instance.delivery();
        let is_causal = |declared: &Option<Delivery>| {
            everywhere.or(*declared).is_some_and(Delivery::needs_causes)
        };
        self.deliveries.iter().any(is_causal)
    }

    /// All code, by number, with what a handler's code handles.
    pub(crate) fn all_codes(&self) -> impl Iterator<Item = (&FlatCode, Option<&Accept>)> {
        let handled = |number: usize| {
            let mut handlers = self.programs.iter().flat_map(|program| match &program.act {
                Act::Handlers(handlers) => &handlers[..],
                Act::Body(_) => &[],
            });
            handlers.find(|(_, code)| *code == number)
        };
        let codes = self.codes.iter().enumerate();
        codes.map(move |(number, code)| (code, handled(number).map(|(accept, _)| accept)))
    }

    /// The numbers of the codes that a process may run.
    pub(crate) fn codes_at(&self, lane: usize) -> Vec<usize> {
        match &self.program_at(lane).act {
            Act::Body(code) => vec![*code],
            Act::Handlers(handlers) => handlers.iter().map(|(_, code)| *code).collect(),
        }
    }

    /// The code with this number.
    pub(crate) fn code(&self, number: usize) -> &FlatCode {
        &self.codes[number]
    }

    fn program(&mut self, process: &Process, statements: &mut Statements) -> Program {
        let arity = self.instance.song().families[process.family.index()]
            .index
            .len();
        let mut add = |block| {
            self.codes
                .push(flatten(block, &process.locals, arity, statements));
            self.codes.len() - 1
        };
        let act = match &process.body {
            Body::Sequential(block) => Act::Body(add(block)),
            Body::Handlers(handlers) => Act::Handlers(
                handlers
                    .iter()
                    .map(|handler| (handler.accept.clone(), add(&handler.body)))
                    .collect(),
            ),
        };
        Program {
            daemon: process.daemon,
            act,
        }
    }

    fn program_at(&self, lane: usize) -> &Program {
        &self.programs[self.program_of[lane]]
    }

    /// May a process wait for ever?
    pub(crate) fn may_wait(&self, lane: usize) -> bool {
        let program = self.program_at(lane);
        program.daemon || matches!(program.act, Act::Handlers(_))
    }

    /// How a message of this kind is delivered to this process.
    pub(crate) fn delivery(&self, kind: MessageId, to: Pid) -> Delivery {
        let declared = self.instance.delivery().or(self.deliveries[kind.index()]);
        let to = to.member().map(|lane| &self.program_at(lane).act);
        match (declared, to) {
            (_, None) => Delivery::Unordered,
            (Some(delivery), _) => delivery,
            (None, Some(act)) => Delivery::by_default(matches!(act, Act::Body(_))),
        }
    }
}

/// For each process of the instance, which of `voices.processes` it is.
fn programs_of_rows(instance: &Instance, voices: &Voices) -> Vec<usize> {
    let rows = instance.lanes(crate::machine::Subject::System);
    let program = |family| {
        voices
            .processes
            .iter()
            .position(|process| process.family == family)
    };
    instance.members()[rows]
        .iter()
        .map(|member| program(member.family).expect("every process has a program"))
        .collect()
}

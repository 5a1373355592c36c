//! The local step of a process (a macro step): from one communication to the next, whatever the others do.
//!
//! Where a process stands says what it may do: it is over, it runs on by itself (to a send and behind
//! it, or from its beginning), or it waits for a message. Each of the functions here goes on from
//! there along every free choice. [`steps`](super::steps) puts them together with the network;
//! [`local_process`](crate::local_process) hands them to engines that keep processes apart.

use super::config::{Private, Voice};
use super::receive::Accepted;
use super::{Act, VoiceSystem};
use crate::code::coverage::Covered;
use crate::code::run::{Branch, Halt, Run, Runner};
use crate::code::{Arm, FlatCode, OpKind, Pace};
use crate::trace::EventKind;
use crate::value::{Pid, Value};
use plainsong_ir::Accept;

/// Where a process stands.
pub(crate) enum Stand<'a> {
    /// At its end.
    Over,
    /// Before something that it does by itself: a start or a send.
    Goes(EventKind),
    /// Before a receive of its body, perhaps with somewhere to go when it gives up.
    Receives(&'a [Arm], Option<usize>),
    /// Ready for a message to one of its handlers.
    Handles(&'a [(Accept, usize)]),
}

impl Stand<'_> {
    /// What is accepted there; nothing where the process does not wait.
    pub(crate) fn accepts(&self) -> Vec<&Accept> {
        match self {
            Stand::Over | Stand::Goes(_) => Vec::new(),
            Stand::Receives(arms, _) => arms.iter().map(|arm| &arm.accept).collect(),
            Stand::Handles(handlers) => handlers.iter().map(|(accept, _)| accept).collect(),
        }
    }
}

impl VoiceSystem {
    /// Where a process stands.
    pub(crate) fn stand(&self, lane: usize, voice: &Voice) -> Stand<'_> {
        match &self.program_at(lane).act {
            Act::Handlers(handlers) => Stand::Handles(handlers),
            Act::Body(code) => match self.codes[*code].ops.get(voice.pc).map(|op| &op.kind) {
                None => Stand::Over,
                Some(OpKind::Select(arms, timeout)) => Stand::Receives(arms, *timeout),
                Some(OpKind::Send(..)) => Stand::Goes(EventKind::Send),
                Some(_) => Stand::Goes(EventKind::Start),
            },
        }
    }

    /// The number of the code of a body, or of the first handler; none for a process without any.
    pub(crate) fn code_at(&self, lane: usize) -> Option<usize> {
        match &self.program_at(lane).act {
            Act::Body(code) => Some(*code),
            Act::Handlers(handlers) => handlers.first().map(|(_, code)| *code),
        }
    }

    /// The ways of `init`, as a whole; none when there is no `init`.
    pub(crate) fn begins(&self, covered: &mut Covered) -> Option<Vec<Branch<Private>>> {
        let code = &self.codes[self.init?];
        let memory = Private {
            me: Pid::Init,
            vars: Vec::new(),
        };
        let run = Run::new(0, vec![Value::None; code.slots], memory);
        Some(self.runner(code, Pace::Whole).branches(run, false, covered))
    }

    /// The ways on from [`Stand::Goes`].
    pub(crate) fn goes(
        &self,
        lane: usize,
        voice: &Voice,
        pace: Pace,
        covered: &mut Covered,
    ) -> Vec<Branch<Private>> {
        let run = Run::new(voice.pc, voice.slots.clone(), private(lane, voice));
        self.body_branches(lane, run, true, pace, covered)
    }

    /// Is it a free choice that a process is at?
    pub(crate) fn is_at_choice(&self, lane: usize, voice: &Voice) -> bool {
        match &self.program_at(lane).act {
            Act::Handlers(_) => false,
            Act::Body(code) => {
                let op = self.codes[*code].ops.get(voice.pc);
                op.is_some_and(|op| op.kind.is_choice())
            }
        }
    }

    /// The ways on when a receive gives up and goes to `target`.
    pub(crate) fn gives_up(
        &self,
        lane: usize,
        voice: &Voice,
        target: usize,
        pace: Pace,
        covered: &mut Covered,
    ) -> Vec<Branch<Private>> {
        self.receive_ran(lane, voice, covered);
        let run = Run::new(target, voice.slots.clone(), private(lane, voice));
        self.body_branches(lane, run, false, pace, covered)
    }

    /// The ways on with an accepted message, and the number of the code that they run. A handler
    /// that an `assume` cuts off does not take the message: such ways are left out.
    pub(crate) fn takes(
        &self,
        lane: usize,
        voice: &Voice,
        accepted: Accepted,
        pace: Pace,
        covered: &mut Covered,
    ) -> Taking {
        let memory = private(lane, voice);
        match self.stand(lane, voice) {
            Stand::Receives(arms, _) => {
                self.receive_ran(lane, voice, covered);
                let accept = &arms[accepted.by].accept;
                covered.received(accept.message.index());
                passes(accept, covered);
                let run = Run::new(arms[accepted.by].target, accepted.slots, memory);
                Taking {
                    code: self.code_at(lane).expect("a body has code"),
                    branches: self.body_branches(lane, run, false, pace, covered),
                }
            }
            Stand::Handles(handlers) => {
                let (accept, code) = &handlers[accepted.by];
                passes(accept, covered);
                let run = Run::new(0, accepted.slots, memory);
                let runner = self.runner(&self.codes[*code], Pace::Whole);
                let mut branches = runner.branches(run, false, covered);
                branches.retain(|branch| !matches!(branch.halt, Halt::Blocked));
                for branch in &mut branches {
                    covered.received(accept.message.index());
                    branch.run.pc = 0;
                    branch.run.slots.clone_from(&voice.slots);
                }
                Taking {
                    code: *code,
                    branches,
                }
            }
            Stand::Over | Stand::Goes(_) => panic!("only a process that waits takes a message"),
        }
    }

    /// Marks the statement of the receive at which a process stands.
    pub(crate) fn receive_ran(&self, lane: usize, voice: &Voice, covered: &mut Covered) {
        let Act::Body(code) = &self.program_at(lane).act else {
            return;
        };
        if let Some(statement) = self.codes[*code].ops[voice.pc].statement {
            covered.ran(statement);
        }
    }

    /// Runs the body of a process from here to its next stop.
    fn body_branches(
        &self,
        lane: usize,
        run: Run<Private>,
        moving: bool,
        pace: Pace,
        covered: &mut Covered,
    ) -> Vec<Branch<Private>> {
        let code = self.code_at(lane).expect("a body has code");
        self.runner(&self.codes[code], pace)
            .branches(run, moving, covered)
    }

    pub(super) fn runner<'a>(&'a self, code: &'a FlatCode, pace: Pace) -> Runner<'a> {
        Runner {
            instance: &self.instance,
            code,
            pace,
        }
    }
}

/// What follows when a message is taken.
pub(crate) struct Taking {
    /// The number of the code that runs.
    pub(crate) code: usize,
    /// Every way on.
    pub(crate) branches: Vec<Branch<Private>>,
}

/// A message has passed what a receive or handler asks of it.
fn passes(accept: &Accept, covered: &mut Covered) {
    let filter = accept.filter.iter();
    filter.for_each(|filter| covered.passed(filter.span));
}

fn private(lane: usize, voice: &Voice) -> Private {
    Private {
        me: Pid::Member(lane as u32),
        vars: voice.vars.clone(),
    }
}

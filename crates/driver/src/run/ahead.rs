//! Side by side: searches that are begun while proofs go on.
//!
//! Most proofs that are found are found soon, and then no search to the limits is needed. So proofs have [`HEAD_START`]; if they
//! take longer, and there is another core, the search that comes next is begun beside them. It is asked exactly what it would
//! be asked if no proof were found, and what it says is used if that comes true; otherwise it is given up. What it
//! refutes meanwhile ends the proofs of that.
//!
//! Statement. Answers do not depend on whether there was a core, or on who was faster: the same engines are asked the same questions
//! in the same order, some of them early. Only `-v` tells of a prover that had nothing to prove any more.

use super::attempts::{Grown, Prepared, Work, Worked};
use super::{Runner, outcome_of, second};
use crate::contain::contained;
use crate::engine::Task;
use crate::plan::PlannedTask;
use crate::select::Question;
use crate::watch::{Observer, Part, Stop};
use crate::worker::{Control, Ended, Message, Reporter, STACK, wait};
use plainsong_semantics::verdict::Outcome;
use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// So long proofs are alone.
const HEAD_START: Duration = Duration::from_secs(1);

/// Searches in the order of their turns, and the thread that begins them.
pub(super) struct Ahead {
    searches: Vec<Search>,
    /// While it is there, the thread goes on.
    _alive: Sender<()>,
}

struct Search {
    engine: &'static str,
    questions: Vec<Question>,
    slot: Arc<Mutex<Option<Work>>>,
    control: Control,
    grown: Grown,
    refuted: Refuted,
    receiver: Receiver<Message<Worked>>,
}

/// What a search that came to its end has refuted, by name.
type Refuted = Arc<Mutex<BTreeSet<String>>>;

/// A search that was begun, or is done.
pub(super) struct Begun {
    pub(super) control: Control,
    pub(super) grown: Grown,
    receiver: Receiver<Message<Worked>>,
}

impl Begun {
    pub(super) fn wait(&self, observer: &mut dyn Observer) -> Ended<Worked> {
        wait(&self.control, observer, &|| false, &self.receiver)
    }
}

/// What the thread does, one after the other.
struct Turn {
    slot: Arc<Mutex<Option<Work>>>,
    refuted: Refuted,
    sender: Sender<Message<Worked>>,
}

impl Runner<'_, '_> {
    /// Gets ready to search for what each task left open, unless everything is done one after the other.
    pub(super) fn begin_ahead(&mut self, left: &[(&PlannedTask, Vec<usize>)]) {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        if !self.plan.is_side_by_side || cores < 2 || self.plan.proofs.is_empty() {
            return;
        }
        let (part, most) = (self.part, self.most);
        self.part = Part::Search;
        let mut turns = Vec::new();
        let mut searches = Vec::new();
        for (planned, open) in left {
            let Some(otherwise) = planned.otherwise else {
                continue;
            };
            let is_open = |place: &usize| {
                outcome_of(&self.answers[planned.answers[*place]]) == Some(Outcome::Unknown)
            };
            let open: Vec<usize> = open.iter().copied().filter(is_open).collect();
            if open.is_empty() {
                continue;
            }
            let second = second(planned, otherwise, &open);
            self.most = self.supervision.timeout;
            let Prepared {
                work,
                control,
                grown,
            } = self.prepared(second.engine, &second.task);
            let (sender, receiver) = channel();
            let slot = Arc::new(Mutex::new(Some(work)));
            let refuted = Refuted::default();
            turns.push(Turn {
                slot: slot.clone(),
                refuted: refuted.clone(),
                sender,
            });
            searches.push(Search {
                engine: second.engine.name(),
                questions: second.task.questions,
                slot,
                control,
                grown,
                refuted,
                receiver,
            });
        }
        (self.part, self.most) = (part, most);
        if searches.is_empty() {
            return;
        }
        let (alive, ended) = channel();
        let thread = std::thread::Builder::new().stack_size(STACK);
        // Without a thread everything is done in turn.
        if thread.spawn(move || take_turns(turns, &ended)).is_ok() {
            self.ahead = Some(Ahead {
                searches,
                _alive: alive,
            });
        }
    }
}

fn take_turns(turns: Vec<Turn>, ended: &Receiver<()>) {
    let mut patience = HEAD_START;
    for turn in turns {
        let Turn {
            slot,
            refuted,
            sender,
        } = turn;
        if ended.recv_timeout(patience) != Err(RecvTimeoutError::Timeout) {
            return;
        }
        patience = Duration::ZERO;
        if let Some(work) = taken(&slot) {
            let mut reporter = Reporter::new(sender.clone());
            let result = contained(|| work(&mut reporter));
            if let Ok((Ok(report), ..)) = &result {
                let mut names = refuted.lock().unwrap_or_else(PoisonError::into_inner);
                let all = report.verdicts.iter();
                let wrong = all.filter(|one| one.outcome == Outcome::Refuted);
                names.extend(wrong.map(|one| one.property.clone()));
            }
            // Nobody listens if it is not needed any more.
            let _ = sender.send(Message::Done(result));
        }
    }
}

fn taken(slot: &Mutex<Option<Work>>) -> Option<Work> {
    slot.lock().unwrap_or_else(PoisonError::into_inner).take()
}

impl Ahead {
    /// The search that this engine was to do, if just that was begun. What was not begun is left to the one who asks.
    pub(super) fn take(&mut self, engine: &str, task: &Task) -> Option<Begun> {
        let names = |questions: &[Question]| -> Vec<String> {
            questions.iter().map(|one| one.name.clone()).collect()
        };
        let is_same =
            |one: &Search| one.engine == engine && names(&one.questions) == names(&task.questions);
        let at = self.searches.iter().position(is_same)?;
        if !task.is_limited_by_growth {
            return None;
        }
        let search = self.searches.remove(at);
        let is_begun = taken(&search.slot).is_none();
        is_begun.then_some(Begun {
            control: search.control,
            grown: search.grown,
            receiver: search.receiver,
        })
    }

    /// Is everything that is asked there refuted by now?
    pub(super) fn refutes(&self, questions: &[Question]) -> bool {
        let is_refuted = |question: &Question| {
            self.searches.iter().any(|one| {
                let names = one.refuted.lock().unwrap_or_else(PoisonError::into_inner);
                one.control.has_refuted(question.check) || names.contains(&question.name)
            })
        };
        !questions.is_empty() && questions.iter().all(is_refuted)
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        for search in &self.searches {
            search.control.stop(Stop::Moot);
        }
    }
}

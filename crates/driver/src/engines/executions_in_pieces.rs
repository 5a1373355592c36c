//! Executions of one instance in pieces: parts of the search tree, visited by whoever takes them.
//!
//! Statement. What all pieces find together is what one search finds: the same counts, and of several executions that refute a
//! check the one that a single search meets first.
//!
//! Why sound. What a search has seen and what it has left partition the executions ([`Part`]), so counts add up however often a
//! piece is put down. A single search visits places in lexicographic order, and what a piece has seen lies before what it has
//! left. So the executions that pieces have seen are intervals of that order, in the order of the places that the pieces begin
//! at, and the refutation from the piece that begins first is the first of all.
//!
//! NOT COVERED. Limits on executions hold approximately: what is found meanwhile counts.

use super::explicit_state::instances_of;
use super::external_outcomes::without_outcomes;
use super::running_estimate::Expectation;
use crate::engine::Task;
use crate::pieces::{Collector, Done, PieceQueue, Pieces, SHARES, Wish};
use crate::plan::{Plan, Request, plan};
use crate::resume::Key;
use crate::resume::file::{explored_from_json, explored_to_json};
use crate::select::questions;
use crate::watch::Overseer;
use crate::{Problem, engines};
use plainsong_explore_songs::{Explored, Finding, GaveUp, Manner, Part, explore};
use plainsong_ir::Song;
use plainsong_semantics::machine::{Machine, Subject};
use plainsong_semantics::search::{Check, Completeness, Limits, Progress, Watch};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A part of the executions of an instance.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Piece {
    /// The delivery model, where the command line replaced the declared ones.
    delivery: Option<String>,
    /// Which checks, by the names of their properties.
    properties: Vec<String>,
    /// The instance.
    bound: BTreeMap<String, String>,
    part: String,
}

impl Piece {
    fn text(&self) -> String {
        serde_json::to_string(self).expect("names can be written")
    }

    fn with(&self, part: &Part) -> String {
        let part = part.to_string();
        Piece {
            part,
            ..self.clone()
        }
        .text()
    }

    fn read(text: &str) -> Result<(Piece, Part), String> {
        let piece: Option<Piece> = serde_json::from_str(text).ok();
        let piece = piece.and_then(|piece| {
            let part = piece.part.parse().ok()?;
            Some((piece, part))
        });
        piece.ok_or_else(|| "a piece that is no part of a search".to_owned())
    }
}

/// What a worker answers.
#[derive(Serialize, Deserialize)]
enum Answer {
    /// What it found, as the file of an interrupted run has it.
    Explored(String),
    /// This engine does not have the answer: the number of the reason in [`REASONS`].
    GaveUp(usize),
}

const REASONS: [GaveUp; 9] = [
    GaveUp::NotVoices,
    GaveUp::CopiesInOrder,
    GaveUp::LosesFromMailboxes,
    GaveUp::TooManyCopies,
    GaveUp::Check,
    GaveUp::HandlerRefuses,
    GaveUp::HandlerSendsToMailboxes,
    GaveUp::TooLong,
    GaveUp::TooManyStates,
];

/// Has the executions of an instance visited by others.
pub(super) fn in_pieces(
    machine: &Machine,
    (checks, manner): (&[Check], &Manner),
    (task, key): (&Task, &Key),
    queue: &dyn PieceQueue,
    overseer: &mut Overseer<'_>,
) -> Result<Explored, GaveUp> {
    // Without an execution, also about what this engine does not cover.
    let none = Manner {
        parts: Vec::new(),
        jobs: 1,
        ..manner.clone()
    };
    let nothing = explore(machine, checks, &none, &mut Silent)?;
    let name = |check: &Check| {
        let question = task.questions.iter().find(|one| one.check == *check);
        question.map_or(String::new(), |question| question.name.clone())
    };
    let whole = Piece {
        delivery: key.delivery.clone(),
        properties: checks.iter().map(name).collect(),
        bound: key.bound.clone(),
        part: String::new(),
    };
    let mut totals = Totals {
        found: nothing,
        places: vec![None; checks.len()],
        left: vec![whole.text()],
        gave_up: None,
        limit: manner.limits.states,
        is_limit: false,
        watch: Expectation::new(machine, overseer, true),
    };
    let asked = queue.ask(&whole.text(), &[whole.text()], &mut totals);
    let Totals {
        mut found,
        gave_up,
        is_limit,
        left,
        ..
    } = totals;
    overseer.stage.remark = None;
    if let Some(gave_up) = gave_up {
        return Err(gave_up);
    }
    let why = match asked {
        Ok(true) => None,
        Ok(false) if is_limit => Some(Completeness::StateLimit),
        Ok(false) => Some(Completeness::Stopped),
        Err(problem) => Some(Completeness::Resource(problem.message)),
    };
    let is_graver = !matches!(found.count.completeness, Completeness::Resource(_));
    if let Some(why) = why.filter(|_| is_graver) {
        found.count.completeness = why;
    }
    let parts = left
        .iter()
        .filter_map(|body| Some(Piece::read(body).ok()?.1));
    found.left = parts.collect();
    Ok(found.as_of_one_search(machine, checks, manner))
}

/// What was found so far, by all.
struct Totals<'w, 'a> {
    found: Explored,
    /// Where the piece begins that a finding is of.
    places: Vec<Option<Vec<u32>>>,
    /// The pieces that have no result yet.
    left: Vec<String>,
    gave_up: Option<GaveUp>,
    limit: u64,
    is_limit: bool,
    watch: Expectation<'w, 'a>,
}

impl Totals<'_, '_> {
    /// Of findings of the same kind, the one counts whose piece begins first.
    fn enter(&mut self, findings: &[Finding], place: &[u32]) {
        let known = self.found.findings.iter_mut().zip(&mut self.places);
        for ((known, at), news) in known.zip(findings) {
            let (weight, heavier) = (known.weight(), news.weight());
            let is_first = at.as_deref().is_none_or(|at| place < at);
            if heavier > weight || (heavier == weight && weight > 0 && is_first) {
                known.clone_from(news);
                *at = Some(place.to_vec());
            }
        }
    }
}

impl Collector for Totals<'_, '_> {
    fn take(&mut self, body: &str, result: &str) -> Result<(), String> {
        let (piece, part) = Piece::read(body)?;
        let answer: Answer = serde_json::from_str(result)
            .map_err(|error| format!("a result that cannot be read: {error}"))?;
        let mut explored = match answer {
            Answer::Explored(text) => {
                explored_from_json(&text).ok_or("a result that cannot be read")?
            }
            Answer::GaveUp(reason) => {
                let reason = REASONS.get(reason).copied();
                self.gave_up = self.gave_up.max(reason.or(Some(GaveUp::Check)));
                return Ok(());
            }
        };
        self.enter(&explored.findings, part.place());
        explored.findings.clear();
        if !matches!(explored.count.completeness, Completeness::Resource(_)) {
            explored.count.completeness = Completeness::Complete;
        }
        let at = self.left.iter().position(|one| one == body);
        at.map(|at| self.left.swap_remove(at));
        let children = std::mem::take(&mut explored.left);
        self.left
            .extend(children.iter().map(|part| piece.with(part)));
        self.found = self.found.clone().and(explored);
        self.is_limit = self.found.looked_at >= self.limit;
        Ok(())
    }

    fn is_needed(&self, _: &str) -> bool {
        self.gave_up.is_none()
    }

    fn go_on(&mut self, pieces: Pieces) -> bool {
        if self.is_limit {
            return false;
        }
        let progress = Progress {
            states: self.found.executions(),
            ..Progress::default()
        };
        self.watch.remark(pieces.told());
        self.watch.keep_going(&progress)
    }
}

/// Nobody looks on.
struct Silent;

impl Watch for Silent {
    fn keep_going(&mut self, _: &Progress) -> bool {
        true
    }
}

/// Visits the executions of pieces.
pub struct ExecutionsWorker {
    song: Arc<Song>,
    plan: Plan,
    /// The instance at hand, by its text: pieces of one come one after the other.
    machine: Option<(String, Machine)>,
}

impl ExecutionsWorker {
    /// For the pieces of a run that asks this.
    pub fn new(song: &Arc<Song>, request: &Request) -> Result<Self, Problem> {
        Ok(ExecutionsWorker {
            song: song.clone(),
            plan: plan(song, request, engines::ALL)?,
            machine: None,
        })
    }

    /// Visits the executions of a piece, as long as somebody wants that.
    pub fn carry_out(
        &mut self,
        body: &str,
        wish: &mut (dyn FnMut() -> Wish + Send),
    ) -> Result<Done, String> {
        let (piece, part) = Piece::read(body)?;
        let all = questions(&self.song);
        let checks = piece.properties.iter().map(|name| {
            let question = all.iter().find(|question| question.name == *name);
            question.map(|question| question.check)
        });
        let checks: Option<Vec<Check>> = checks.collect();
        let checks = checks.ok_or("a piece about a property that the song does not have")?;
        let mut wishes = Wishes {
            wish,
            last: Wish::GoOn,
            looks: 0,
        };
        let manner = Manner {
            limits: Limits {
                states: u64::MAX,
                ..Limits::default()
            },
            parts: vec![part],
            ..Manner::default()
        };
        let machine = self.machine(&piece)?;
        let explored = match explore(machine, &checks, &manner, &mut wishes) {
            Ok(explored) => explored,
            Err(gave_up) => {
                let reason = REASONS.iter().position(|one| *one == gave_up);
                let answer = Answer::GaveUp(reason.unwrap_or_default());
                return Ok(Done {
                    result: serde_json::to_string(&answer).expect("a number"),
                    children: Vec::new(),
                });
            }
        };
        let wanted = match wishes.last {
            Wish::Share => SHARES.div_ceil(explored.left.len().max(1)),
            _ => 1,
        };
        // Shares partition what is left, so they may stand for it in what is found, too.
        let left = explored.left.iter().cloned();
        let left: Vec<Part> = left.flat_map(|part| part.shares(wanted)).collect();
        let children = left.iter().map(|part| piece.with(part)).collect();
        let explored = Explored { left, ..explored };
        let answer = Answer::Explored(explored_to_json(&explored));
        Ok(Done {
            result: serde_json::to_string(&answer).expect("a text"),
            children,
        })
    }

    /// The machine that a piece is about.
    fn machine(&mut self, piece: &Piece) -> Result<&Machine, String> {
        let name = format!("{:?} {:?}", piece.delivery, piece.bound);
        let is_at_hand = matches!(&self.machine, Some((at_hand, _)) if *at_hand == name);
        if !is_at_hand {
            let found = self.find(piece);
            let found = found.ok_or("a piece about sizes that this worker does not come to")?;
            self.machine = Some((name, found));
        }
        let machine = self.machine.as_ref().map(|(_, machine)| machine);
        machine.ok_or_else(|| "a piece without a machine".to_owned())
    }

    fn find(&self, piece: &Piece) -> Option<Machine> {
        let plan = &self.plan;
        let planned = plan.tasks.iter().chain(&plan.proofs).chain(&plan.further);
        for task in planned.map(|planned| &planned.task) {
            let delivery = task.delivery.map(|model| model.name().to_owned());
            if delivery != piece.delivery || task.subject != Subject::System {
                continue;
            }
            for sizes in task.sizes.iter().chain(&task.further) {
                let instances = instances_of(task, sizes).unwrap_or_default();
                let mut instances = instances.into_iter();
                let instance = instances.find(|one| without_outcomes(one) == piece.bound);
                if let Some(instance) = instance {
                    return Some(Machine::new(&instance, task.subject));
                }
            }
        }
        None
    }
}

/// What is wanted, as the engine asks for it. Some executions are visited in any case: what is left is never the piece itself.
struct Wishes<'w> {
    wish: &'w mut (dyn FnMut() -> Wish + Send),
    last: Wish,
    looks: u64,
}

impl Watch for Wishes<'_> {
    fn keep_going(&mut self, _: &Progress) -> bool {
        self.looks += 1;
        self.last = (self.wish)();
        match self.last {
            Wish::GoOn => true,
            Wish::Save | Wish::Share => self.looks == 1,
            Wish::Cancel => false,
        }
    }
}

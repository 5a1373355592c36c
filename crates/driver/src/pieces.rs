//! Work in pieces that others carry out: what a work queue has to offer, and what its workers call.
//!
//! A piece is a text, and so is its result. Whoever asks has pieces carried out ([`PieceQueue::ask`]) and adds up their results
//! ([`Collector`]); a worker carries one out as far as somebody wants it to ([`Wish`]), and leaves what remains as more pieces
//! ([`Done`]). The queue hands over the result of each piece once. Pieces are written and read by who knows what they are about:
//! [`random_check`](crate::random_check), and the visits to executions.

pub use crate::engines::ExecutionsWorker;
pub use crate::random_check::RandomWorker;

use crate::Problem;
use std::fmt::Debug;

/// Has pieces carried out.
pub trait PieceQueue: Debug + Send + Sync {
    /// Has these pieces carried out, and what they leave, until none is needed any more. Returns whether that is so: if not, the
    /// collector ended it.
    fn ask(
        &self,
        question: &str,
        first: &[String],
        collector: &mut dyn Collector,
    ) -> Result<bool, Problem>;
}

/// How far a question is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pieces {
    /// Pieces with a result.
    pub done: u64,
    /// Pieces without one, as far as they are known.
    pub open: u64,
    /// Threads that work on pieces, on all machines.
    pub workers: u64,
}

impl Pieces {
    /// `12 pieces done, 5 open, 4 workers`.
    pub fn told(&self) -> String {
        let done = plainsong_report::count(self.done, "piece");
        let workers = plainsong_report::count(self.workers, "worker");
        format!("{done} done, {} open, {workers}", self.open)
    }
}

/// Adds up results.
pub trait Collector {
    /// Takes the result of a piece; that of each piece once.
    fn take(&mut self, body: &str, result: &str) -> Result<(), String>;

    /// Can this open piece still make a difference?
    fn is_needed(&self, body: &str) -> bool;

    /// Is shown how far it is now and then; `false` ends it.
    fn go_on(&mut self, pieces: Pieces) -> bool;
}

/// What is wanted of a worker, asked now and then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// More of the piece.
    GoOn,
    /// What was found so far; what remains in as few pieces as possible.
    Save,
    /// What was found so far; what remains in several pieces.
    Share,
    /// Nothing any more.
    Cancel,
}

/// What came of a piece.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// What was found.
    pub result: String,
    /// What remains.
    pub children: Vec<String>,
}

/// In so many pieces a piece is shared.
pub(crate) const SHARES: usize = 8;

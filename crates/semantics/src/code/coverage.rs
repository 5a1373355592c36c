//! Which statements ran, and which messages were received.

use super::refused::Refusals;
use plainsong_diagnostics::Span;
use rustc_hash::FxHashSet;

/// The statements of everything a machine can run, numbered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Statements {
    /// Where each stands in the text.
    pub(crate) spans: Vec<Span>,
    /// Where the premises of assertions stand, numbered likewise.
    pub(crate) premises: Vec<Span>,
}

impl Statements {
    /// The number of one more statement.
    pub(crate) fn number(&mut self, span: Span) -> u32 {
        self.spans.push(span);
        (self.spans.len() - 1) as u32
    }

    /// The number of one more premise.
    pub(crate) fn number_premise(&mut self, span: Span) -> u32 {
        self.premises.push(span);
        (self.premises.len() - 1) as u32
    }
}

/// Which of them ran.
#[derive(Clone, Debug, Default)]
pub(crate) struct Covered {
    statements: Vec<bool>,
    kinds: Vec<bool>,
    sent: Vec<bool>,
    premises: Vec<bool>,
    /// The conditions that were true, by their places in the text.
    passed: FxHashSet<Span>,
    /// Conditions that were false for lack of other values, where somebody wants to know.
    pub(crate) refusals: Option<Refusals>,
}

impl Covered {
    /// Nothing yet; refused conditions will be noted, too.
    pub(crate) fn with_refusals(refusals: Refusals) -> Self {
        Covered {
            refusals: Some(refusals),
            ..Covered::default()
        }
    }

    pub(crate) fn ran(&mut self, statement: u32) {
        mark(&mut self.statements, statement as usize);
    }

    /// A message of this kind was received, or this action run.
    pub(crate) fn received(&mut self, kind: usize) {
        mark(&mut self.kinds, kind);
    }

    /// A message of this kind was sent, or this async left pending.
    pub(crate) fn sent(&mut self, kind: usize) {
        mark(&mut self.sent, kind);
    }

    /// A premise was true.
    pub(crate) fn met(&mut self, premise: u32) {
        mark(&mut self.premises, premise as usize);
    }

    /// What ran there ran.
    pub(crate) fn include(&mut self, other: &Covered) {
        unite(&mut self.statements, &other.statements);
        unite(&mut self.kinds, &other.kinds);
        unite(&mut self.sent, &other.sent);
        unite(&mut self.premises, &other.premises);
        self.passed.extend(&other.passed);
    }

    /// This condition of an `assume` or a receive was true.
    pub(crate) fn passed(&mut self, condition: Span) {
        self.passed.insert(condition);
    }

    /// The conditions that were ever true, in the order of the text.
    pub(crate) fn all_passed(&self) -> Vec<Span> {
        let mut all: Vec<Span> = self.passed.iter().copied().collect();
        all.sort_unstable();
        all
    }

    /// Was a message of this kind ever sent?
    pub(crate) fn has_sent(&self, kind: usize) -> bool {
        self.sent.get(kind).is_some_and(|sent| *sent)
    }

    /// Was a premise ever true?
    pub(crate) fn has_met(&self, premise: usize) -> bool {
        self.premises.get(premise).is_some_and(|met| *met)
    }

    /// Did a statement ever run?
    pub(crate) fn has_run(&self, statement: usize) -> bool {
        self.statements.get(statement).is_some_and(|ran| *ran)
    }

    /// Was a message of this kind ever received?
    pub(crate) fn has_received(&self, kind: usize) -> bool {
        self.kinds.get(kind).is_some_and(|received| *received)
    }
}

fn unite(marks: &mut Vec<bool>, others: &[bool]) {
    if marks.len() < others.len() {
        marks.resize(others.len(), false);
    }
    for (mark, other) in marks.iter_mut().zip(others) {
        *mark |= *other;
    }
}

fn mark(marks: &mut Vec<bool>, at: usize) {
    if marks.len() <= at {
        marks.resize(at + 1, false);
    }
    marks[at] = true;
}

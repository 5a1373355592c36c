//! Which statements ran, and which messages were received.

use plainsong_diagnostics::Span;

/// The statements of everything a machine can run, numbered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Statements {
    /// Where each stands in the text.
    pub(crate) spans: Vec<Span>,
}

impl Statements {
    /// The number of one more statement.
    pub(crate) fn number(&mut self, span: Span) -> u32 {
        self.spans.push(span);
        (self.spans.len() - 1) as u32
    }
}

/// Which of them ran.
#[derive(Clone, Debug, Default)]
pub(crate) struct Covered {
    statements: Vec<bool>,
    kinds: Vec<bool>,
}

impl Covered {
    /// A statement ran.
    pub(crate) fn ran(&mut self, statement: u32) {
        mark(&mut self.statements, statement as usize);
    }

    /// A message of this kind was received, or this action run.
    pub(crate) fn received(&mut self, kind: usize) {
        mark(&mut self.kinds, kind);
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

fn mark(marks: &mut Vec<bool>, at: usize) {
    if marks.len() <= at {
        marks.resize(at + 1, false);
    }
    marks[at] = true;
}

//! Checks the invariants of the forms.
//!
//! The front end reports users' mistakes with better words; a violation here means that a program
//! built a broken song. So this is run in debug assertions after lowering and in tests, and it
//! asks only for what everything downstream relies on:
//!
//! - ids are in range, and names can be names and are told apart where they must be;
//! - every expression has the type its parts give it, conversions included;
//! - locals are used where they are bound, bound once, and assigned only if they are variables;
//! - every construct stands where its form and the text allow it.

mod code;
mod declarations;
mod methods;
mod names;
mod places;
mod scope;
mod stmts;
mod typing;

use crate::{Song, Ty};
use plainsong_diagnostics::Span;
use std::fmt;

/// Checks a song.
pub fn validate(song: &Song) -> Result<(), Vec<Violation>> {
    let mut report = Report::default();
    names::check(song, &mut report);
    declarations::check(song, &mut report);
    if report.violations.is_empty() {
        // Only now is every id in a type and every family known to be in range.
        code::check(song, &mut report);
    }
    if report.violations.is_empty() {
        Ok(())
    } else {
        Err(report.violations)
    }
}

/// Checks the code of a song that a program has put together: its ids are in range, but its names need not be such as
/// people may write.
pub fn violations_in_code(song: &Song) -> Vec<Violation> {
    let mut report = Report::default();
    code::check(song, &mut report);
    report.violations
}

/// Something in a song that must not be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// In which declaration: `process db`.
    pub place: String,
    /// What is wrong.
    pub message: String,
    /// Where it stands in the text, if it came from one.
    pub span: Span,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// What was found so far, and where we are.
#[derive(Default)]
struct Report {
    violations: Vec<Violation>,
    place: String,
}

impl Report {
    /// What follows is about this declaration.
    fn enter(&mut self, place: impl Into<String>) {
        self.place = place.into();
    }

    fn add(&mut self, span: Span, message: impl Into<String>) {
        let place = self.place.clone();
        self.violations.push(Violation {
            place,
            message: message.into(),
            span,
        });
    }

    /// Adds a violation unless `holds`.
    fn require(&mut self, holds: bool, span: Span, message: impl FnOnce() -> String) {
        if !holds {
            self.add(span, message());
        }
    }
}

/// A type in a message.
fn show(song: &Song, ty: &Ty) -> String {
    crate::print::ty(song, ty)
}

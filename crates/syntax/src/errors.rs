//! The syntax errors found so far, at most as many as a person wants to read.

use plainsong_diagnostics::{Diagnostic, Span, sort};

use crate::codes;

/// At most this many syntax errors are reported for one file.
pub const MAX_ERRORS: usize = 50;

/// Syntax errors in the order found; those past [`MAX_ERRORS`] are only remembered by their place.
#[derive(Debug, Default)]
pub(crate) struct Errors {
    found: Vec<Diagnostic>,
    overflow: Option<Span>,
}

impl Errors {
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        if self.found.len() < MAX_ERRORS {
            self.found.push(diagnostic);
        } else if self.overflow.is_none() {
            self.overflow = Some(diagnostic.primary.span);
        }
    }

    /// Would another error only be counted?
    pub(crate) fn is_full(&self) -> bool {
        self.overflow.is_some()
    }

    /// Joins what the lexer and the parser found, sorted, cut off after [`MAX_ERRORS`].
    pub(crate) fn merge(lexer: Errors, parser: Errors) -> Vec<Diagnostic> {
        let mut all = lexer.found;
        all.extend(parser.found);
        sort(&mut all);
        let mut overflow = [lexer.overflow, parser.overflow]
            .into_iter()
            .flatten()
            .min();
        if all.len() > MAX_ERRORS {
            overflow = Some(all[MAX_ERRORS].primary.span);
            all.truncate(MAX_ERRORS);
        }
        let last = all
            .last()
            .map_or(Span::default(), |error| error.primary.span);
        all.extend(overflow.map(|span| too_many(span.max(last))));
        all
    }
}

fn too_many(span: Span) -> Diagnostic {
    Diagnostic::error(
        &codes::TOO_MANY_ERRORS,
        span,
        format!("more than {MAX_ERRORS} syntax errors; the rest are not shown"),
    )
    .help("is this a `.song` file? otherwise mend the first errors and try again")
}

//! Spans, diagnostics and their catalogue.
//!
//! A user's mistake becomes a [`Diagnostic`]: a stable [`Code`], the places in the text it is about,
//! what was expected, and a help line that says what to do. Stages collect diagnostics instead of
//! stopping at the first; rendering (terminal, JSON, editor) happens elsewhere.
//!
//! Each stage declares its codes with [`declare_codes!`], explanation included, so that
//! `plainsong explain CODE` and the book's catalogue are generated from the definition.

mod code;
mod near;
mod quote;
mod span;

pub use code::Code;
pub use near::{near_names, nearest};
pub use quote::{place_marker, quote_marker, with_lines};
pub use span::{Position, Span, line_and_column};

/// How bad it is: an error stops the file from being used, a warning does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The program is rejected.
    Error,
    /// The program is accepted, but something in it is probably not meant.
    Warning,
}

/// A place in the text with something to say about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    pub span: Span,
    /// What; may be empty on the primary label when the title says it all.
    pub text: String,
}

/// A change of the text that would mend the mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What the change does, as an imperative: "declare it first".
    pub title: String,
    /// Replacements, in ascending order and not overlapping.
    pub edits: Vec<(Span, String)>,
}

/// One mistake (or suspicion), ready to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Which mistake; documented in the catalogue.
    pub code: &'static Code,
    /// Error or warning.
    pub severity: Severity,
    /// One sentence without a full stop, naming the user's own names.
    pub message: String,
    /// Where the mistake is.
    pub primary: Label,
    /// Other places that matter: the declaration, the other use.
    pub secondary: Vec<Label>,
    /// What to do about it.
    pub help: Option<String>,
    /// Ready-made change, if there is one.
    pub fix: Option<Fix>,
}

impl Diagnostic {
    pub fn error(code: &'static Code, span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            severity: Severity::Error,
            message: message.into(),
            primary: Label {
                span,
                text: String::new(),
            },
            secondary: Vec::new(),
            help: None,
            fix: None,
        }
    }

    pub fn warning(code: &'static Code, span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::error(code, span, message)
        }
    }

    /// Says more at the primary place.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    /// Points at another place too.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label {
            span,
            text: text.into(),
        });
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Offers a change of the text.
    #[must_use]
    pub fn fix(mut self, title: impl Into<String>, edits: Vec<(Span, String)>) -> Self {
        self.fix = Some(Fix {
            title: title.into(),
            edits,
        });
        self
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// Sorts by place and drops repetitions, so that the same text gives the same list.
pub fn sort(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by(|a, b| {
        (a.primary.span, a.severity, a.code.name, &a.message).cmp(&(
            b.primary.span,
            b.severity,
            b.code.name,
            &b.message,
        ))
    });
    diagnostics.dedup();
}

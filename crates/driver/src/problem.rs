//! Something wrong with what was asked, as opposed to something wrong in a song's text.

use plainsong_diagnostics::{Span, near_names};
use plainsong_semantics::instance::InstanceError;

/// A request that cannot be carried out: a missing file, an unknown property, a size of zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problem {
    /// The file it is about, if it is about one.
    pub file: Option<String>,
    /// The place in that file, if there is one.
    pub span: Option<Span>,
    /// One sentence without a full stop.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Problem {
    /// A problem that needs no more than a sentence.
    pub fn new(message: impl Into<String>) -> Self {
        Problem {
            message: message.into(),
            ..Problem::default()
        }
    }

    /// With what to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// About this file.
    #[must_use]
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.file = Some(file.into());
        self
    }

    /// A song without anything to run.
    pub fn nothing_to_check() -> Self {
        Problem::new("there is nothing to check: no processes, actions or choreographies")
    }

    /// A name that nothing has: with the near ones, or else all there are.
    pub fn unknown(what: &str, name: &str, known: &[&str]) -> Self {
        let near = near_names(name, known.iter().copied());
        let quoted = |names: &[&str]| {
            names
                .iter()
                .map(|name| format!("`{name}`"))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let help = if !near.is_empty() {
            format!("did you mean {}?", quoted(&near))
        } else if known.is_empty() {
            "there are none".to_owned()
        } else {
            format!("there is {}", quoted(known))
        };
        Problem::new(format!("there is no {what} `{name}`")).help(help)
    }
}

impl From<InstanceError> for Problem {
    fn from(error: InstanceError) -> Self {
        Problem {
            file: None,
            span: error.span,
            message: error.message,
            help: error.help,
        }
    }
}

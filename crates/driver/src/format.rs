//! Formatting a source, with a guard against ourselves.

use crate::Source;
use crate::contain::{Crash, contained};
use plainsong_diagnostics::Diagnostic;

/// Why a source was not formatted.
#[derive(Debug)]
pub enum Unformatted {
    /// It has mistakes: formatting waits until they are mended.
    Mistakes(Vec<Diagnostic>),
    /// Our own bug.
    Bug(Crash),
}

/// The source in the one canonical style.
///
/// The result must be a fixed point of the formatter; otherwise it is not to be trusted with
/// anybody's text, and that is a bug of ours.
pub fn format(source: &Source) -> Result<String, Unformatted> {
    let once = formatted(&source.text)?;
    let twice = formatted(&once).map_err(|error| match error {
        Unformatted::Mistakes(_) => bug("formatting makes mistakes"),
        bug => bug,
    })?;
    if once == twice {
        Ok(once)
    } else {
        Err(bug("formatting twice is not the same as once"))
    }
}

fn formatted(text: &str) -> Result<String, Unformatted> {
    match contained(|| plainsong_syntax::format(text)) {
        Ok(Ok(text)) => Ok(text),
        Ok(Err(mistakes)) => Err(Unformatted::Mistakes(mistakes)),
        Err(crash) => Err(Unformatted::Bug(crash)),
    }
}

fn bug(message: &str) -> Unformatted {
    Unformatted::Bug(Crash {
        message: message.to_owned(),
        backtrace: String::new(),
    })
}

//! Which properties: all of them, those named, those that match.

use crate::Problem;
pub use plainsong_semantics::search::{Question, questions};
use regex_lite::Regex;

/// `--property` and `--match`.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Exactly these; all when empty.
    pub names: Vec<String>,
    /// Only those that match.
    pub pattern: Option<Regex>,
}

impl Selection {
    /// Parses the pattern.
    pub fn new(names: Vec<String>, pattern: Option<&str>) -> Result<Self, Problem> {
        let pattern = pattern
            .map(|text| {
                Regex::new(text).map_err(|error| {
                    Problem::new(format!("`{text}` is not a regular expression: {error}"))
                })
            })
            .transpose()?;
        Ok(Selection { names, pattern })
    }

    /// Is nothing in particular asked for?
    pub fn is_open(&self) -> bool {
        self.names.is_empty() && self.pattern.is_none()
    }

    /// Is this one asked?
    pub fn includes(&self, name: &str) -> bool {
        let named = self.names.is_empty() || self.names.iter().any(|other| other == name);
        named
            && self
                .pattern
                .as_ref()
                .is_none_or(|pattern| pattern.is_match(name))
    }

    /// Refuses a selection in which a name is unknown or nothing is left.
    pub fn validate<'a>(&self, known: impl IntoIterator<Item = &'a str>) -> Result<(), Problem> {
        let mut known: Vec<&str> = known.into_iter().collect();
        known.sort_unstable();
        known.dedup();
        for name in &self.names {
            if !known.contains(&name.as_str()) {
                return Err(Problem::unknown("property", name, &known));
            }
        }
        if known.iter().any(|name| self.includes(name)) {
            return Ok(());
        }
        Err(self.nothing_left(&known))
    }

    fn nothing_left(&self, known: &[&str]) -> Problem {
        if known.is_empty() {
            return Problem::nothing_to_check();
        }
        let pattern = self.pattern.as_ref().map_or("", Regex::as_str);
        let near = Problem::unknown("property", pattern, known);
        Problem {
            message: format!("no property matches `{pattern}`"),
            ..near
        }
    }
}

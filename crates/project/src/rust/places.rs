//! Pieces of Rust and how tightly they hold together.

/// How tightly an expression holds together; more is tighter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    /// Blocks, `if`, `match`, struct literals, closures.
    Loose,
    Or,
    And,
    Compare,
    Prefix,
    /// Calls, names, literals.
    Tight,
}

/// A piece of Rust.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) level: Level,
    /// Is it a reference to the value that is meant?
    pub(super) reference: bool,
}

impl Piece {
    pub(super) fn new(text: impl Into<String>, level: Level) -> Piece {
        Piece {
            text: text.into(),
            level,
            reference: false,
        }
    }

    pub(super) fn tight(text: impl Into<String>) -> Piece {
        Piece::new(text, Level::Tight)
    }

    pub(super) fn reference(text: impl Into<String>) -> Piece {
        Piece {
            reference: true,
            ..Piece::tight(text)
        }
    }

    /// As the value itself, where a whole expression stands.
    pub(super) fn value(&self) -> String {
        match self.reference {
            true => format!("*{}", self.text),
            false => self.text.clone(),
        }
    }

    /// As an operand of something that binds as tightly as `level`.
    pub(super) fn operand(&self, level: Level) -> String {
        let own = if self.reference {
            Level::Prefix
        } else {
            self.level
        };
        match own > level || (own == level && level == Level::And) {
            true => self.value(),
            false => format!("({})", self.value()),
        }
    }

    /// In front of a method.
    pub(super) fn receiver(&self) -> String {
        match self.level == Level::Tight {
            true => self.text.clone(),
            false => format!("({})", self.text),
        }
    }

    /// As a reference.
    pub(super) fn borrowed(&self) -> String {
        match (self.reference, self.level) {
            (true, _) => self.text.clone(),
            (false, Level::Tight | Level::Prefix) => format!("&{}", self.text),
            (false, _) => format!("&({})", self.text),
        }
    }
}

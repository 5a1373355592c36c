//! S-expressions: what is sent to a solver and what comes back.
//!
//! An atom keeps the text of its token; nothing is interpreted before somebody asks. Two kinds of
//! symbols are kept apart because a solver's vocabulary is larger than one thinks (a record field
//! called `pto` is a keyword of separation logic to one of them): [`Sexpr::word`] is a word of the
//! solver's language, [`Sexpr::name`] is a name of ours and can never collide with such a word.

mod name;
mod print;
mod read;

pub use name::{decode, encode};
pub use read::{ReadError, read, read_all};

use std::borrow::Cow;

/// An atom or a list.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sexpr {
    /// One token, exactly as written: a symbol, a keyword, a numeral, a string literal.
    Atom(Cow<'static, str>),
    /// What stands between parentheses.
    List(Vec<Sexpr>),
}

impl Sexpr {
    /// A word of the solver's own language: `and`, `Int`, `declare-const`, `:named`.
    pub const fn word(text: &'static str) -> Sexpr {
        Sexpr::Atom(Cow::Borrowed(text))
    }

    /// One of our names, safe against every word of a solver's language; see [`encode`].
    pub fn name(name: &str) -> Sexpr {
        Sexpr::Atom(Cow::Owned(encode(name)))
    }

    /// An integer; a negative one is a list, as the language has no negative numerals.
    pub fn int(value: impl Into<i128>) -> Sexpr {
        let value = value.into();
        let magnitude = Sexpr::Atom(Cow::Owned(value.unsigned_abs().to_string()));
        if value < 0 {
            Sexpr::List(vec![Sexpr::word("-"), magnitude])
        } else {
            magnitude
        }
    }

    /// `true` or `false`.
    pub const fn bool(value: bool) -> Sexpr {
        Sexpr::word(if value { "true" } else { "false" })
    }

    /// A string literal.
    pub fn text(text: &str) -> Sexpr {
        Sexpr::Atom(Cow::Owned(format!("\"{}\"", text.replace('"', "\"\""))))
    }

    pub fn list(items: impl IntoIterator<Item = Sexpr>) -> Sexpr {
        Sexpr::List(items.into_iter().collect())
    }

    /// A word applied to arguments: `(and a b)`.
    pub fn call(word: &'static str, arguments: impl IntoIterator<Item = Sexpr>) -> Sexpr {
        std::iter::once(Sexpr::word(word))
            .chain(arguments)
            .collect::<Vec<_>>()
            .into()
    }

    /// The token, if this is an atom.
    pub fn as_atom(&self) -> Option<&str> {
        match self {
            Sexpr::Atom(text) => Some(text),
            Sexpr::List(_) => None,
        }
    }

    /// The items, if this is a list.
    pub fn as_list(&self) -> Option<&[Sexpr]> {
        match self {
            Sexpr::Atom(_) => None,
            Sexpr::List(items) => Some(items),
        }
    }

    /// Our name that this atom carries, if it is one of ours.
    pub fn as_name(&self) -> Option<String> {
        self.as_atom().and_then(decode)
    }

    /// The integer written here: `7`, `(- 7)`, `-7`, or a whole decimal `7.0`.
    pub fn as_int(&self) -> Option<i128> {
        match self {
            Sexpr::Atom(text) => whole(text),
            Sexpr::List(items) => match items.as_slice() {
                [minus, value] if minus.is_word("-") => value.as_int()?.checked_neg(),
                _ => None,
            },
        }
    }

    /// `true` or `false`.
    pub fn as_bool(&self) -> Option<bool> {
        match self.as_atom()? {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// What a string literal says.
    pub fn as_text(&self) -> Option<String> {
        let text = self.as_atom()?.strip_prefix('"')?.strip_suffix('"')?;
        Some(text.replace("\"\"", "\""))
    }

    /// Is this exactly that word?
    pub fn is_word(&self, word: &str) -> bool {
        self.as_atom() == Some(word)
    }

    /// The arguments, if this is a list that begins with the word.
    pub fn arguments_of(&self, word: &str) -> Option<&[Sexpr]> {
        match self.as_list()? {
            [head, rest @ ..] if head.is_word(word) => Some(rest),
            _ => None,
        }
    }
}

fn whole(text: &str) -> Option<i128> {
    let digits = match text.split_once('.') {
        Some((digits, zeros)) if !zeros.is_empty() && zeros.bytes().all(|b| b == b'0') => digits,
        Some(_) => return None,
        None => text,
    };
    digits.parse().ok()
}

impl From<Vec<Sexpr>> for Sexpr {
    fn from(items: Vec<Sexpr>) -> Self {
        Sexpr::List(items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_read_back_as_what_was_written() {
        for value in [
            0,
            7,
            -7,
            i128::from(i64::MIN),
            i128::from(i64::MAX),
            i128::MIN + 1,
        ] {
            assert_eq!(Sexpr::int(value).as_int(), Some(value));
        }
        assert_eq!(read("7.0").ok().and_then(|s| s.as_int()), Some(7));
        assert_eq!(read("7.5").ok().and_then(|s| s.as_int()), None);
        assert_eq!(read("(- x)").ok().and_then(|s| s.as_int()), None);
    }

    #[test]
    fn texts_read_back_as_what_was_written() {
        for text in ["", "a", "say \"no\"", "two\nlines"] {
            assert_eq!(Sexpr::text(text).as_text().as_deref(), Some(text));
            let printed = Sexpr::text(text).to_string();
            assert_eq!(read(&printed), Ok(Sexpr::text(text)));
        }
    }
}

//! Text as S-expressions.
//!
//! What is read here was written by another process, perhaps one that was dying: any bytes may come,
//! none may end the run. So reading keeps its own stack, and gives up on nesting that would make
//! dropping the result a danger.

use super::Sexpr;
use std::borrow::Cow;
use std::fmt;

/// Solvers share common parts of what they print and stay far below this.
const DEEPEST: usize = 2_000;

/// Why a text is not an S-expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// What is wrong.
    pub what: &'static str,
    /// At which byte.
    pub at: usize,
}

impl fmt::Display for ReadError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} at byte {}", self.what, self.at)
    }
}

impl std::error::Error for ReadError {}

impl std::str::FromStr for Sexpr {
    type Err = ReadError;

    fn from_str(text: &str) -> Result<Sexpr, ReadError> {
        read(text)
    }
}

/// Reads exactly one S-expression.
pub fn read(text: &str) -> Result<Sexpr, ReadError> {
    let mut all = read_all(text)?;
    match (all.pop(), all.is_empty()) {
        (Some(one), true) => Ok(one),
        _ => Err(ReadError {
            what: "not exactly one expression",
            at: text.len(),
        }),
    }
}

/// Reads all S-expressions of a text; comments are left out.
pub fn read_all(text: &str) -> Result<Vec<Sexpr>, ReadError> {
    let mut reader = Reader { text, at: 0 };
    let mut open: Vec<Vec<Sexpr>> = Vec::new();
    let mut done = Vec::new();
    while let Some((at, token)) = reader.token()? {
        let finished = match token {
            "(" if open.len() == DEEPEST => return fail("nested too deeply", at),
            "(" => {
                open.push(Vec::new());
                continue;
            }
            ")" => match open.pop() {
                Some(items) => Sexpr::List(items),
                None => return fail("`)` without `(`", at),
            },
            atom => Sexpr::Atom(Cow::Owned(atom.to_owned())),
        };
        open.last_mut().unwrap_or(&mut done).push(finished);
    }
    if open.is_empty() {
        Ok(done)
    } else {
        fail("`(` without `)`", text.len())
    }
}

fn fail<T>(what: &'static str, at: usize) -> Result<T, ReadError> {
    Err(ReadError { what, at })
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    /// The next token and where it begins.
    fn token(&mut self) -> Result<Option<(usize, &'a str)>, ReadError> {
        self.skip_space_and_comments();
        let at = self.at;
        let rest = &self.text[at..];
        let Some(first) = rest.bytes().next() else {
            return Ok(None);
        };
        let length = match first {
            b'(' | b')' => 1,
            b'"' => self.quoted(b'"', "string without end")?,
            b'|' => self.quoted(b'|', "symbol without closing bar")?,
            _ => rest.find(ends_an_atom).unwrap_or(rest.len()),
        };
        self.at += length;
        Ok(Some((at, &rest[..length])))
    }

    fn skip_space_and_comments(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start_matches(is_space);
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with(';') {
                return;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    /// The length of a token between two equal marks; a doubled `"` is part of a string.
    fn quoted(&self, mark: u8, missing: &'static str) -> Result<usize, ReadError> {
        let bytes = &self.text.as_bytes()[self.at..];
        let mut at = 1;
        loop {
            match bytes.get(at) {
                None => return fail(missing, self.at),
                Some(&byte) if byte == mark => {
                    if mark == b'"' && bytes.get(at + 1) == Some(&mark) {
                        at += 2;
                    } else {
                        return Ok(at + 1);
                    }
                }
                Some(_) => at += 1,
            }
        }
    }
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}

fn ends_an_atom(c: char) -> bool {
    is_space(c) || matches!(c, '(' | ')' | '"' | '|' | ';')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_texts_are_errors() {
        for text in ["(", ")", "(a", "a)", "\"a", "|a", "(a \"b)", "(a |b)"] {
            assert!(read_all(text).is_err(), "{text}");
        }
        assert!(read("").is_err() && read("a b").is_err());
        assert!(read_all(&"(".repeat(1_000_000)).is_err());
        let deep = format!("{}{}", "(".repeat(1_999), ")".repeat(1_999));
        assert!(read(&deep).is_ok());
    }

    #[test]
    fn tokens_end_where_they_should() {
        let read = read_all("a;c\n\"x\"\"y\"(b|q r|)c").expect("it reads");
        let texts: Vec<_> = read.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["a", "\"x\"\"y\"", "(b |q r|)", "c"]);
    }

    /// Any bytes: an answer or an error, never a panic.
    #[test]
    fn arbitrary_bytes_never_panic() {
        let alphabet = [
            "(", ")", "\"", "|", ";", "\n", " ", "a", "ß", "\u{0}", "%", "-",
        ];
        let mut state = 1_u64;
        for _ in 0..20_000 {
            let mut text = String::new();
            for _ in 0..12 {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                text.push_str(alphabet[(state >> 33) as usize % alphabet.len()]);
            }
            if let Ok(all) = read_all(&text) {
                let printed: Vec<_> = all.iter().map(ToString::to_string).collect();
                assert_eq!(read_all(&printed.join("\n")), Ok(all), "{text}");
            }
        }
    }
}

//! S-expressions as text: one space between items, no line breaks.
//!
//! The text is canonical, so it can be compared and hashed. Printing keeps its own stack: how deeply
//! a term nests is up to whoever built it.

use super::Sexpr;
use std::fmt::{self, Write};

impl fmt::Display for Sexpr {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut open = Vec::new();
        let mut next = Some(self);
        loop {
            match next {
                Some(Sexpr::Atom(text)) => out.write_str(text)?,
                Some(Sexpr::List(items)) => {
                    out.write_char('(')?;
                    open.push(items.iter());
                    next = open.last_mut().and_then(Iterator::next);
                    if next.is_some() {
                        continue;
                    }
                }
                None => out.write_char(')')?,
            }
            let Some(items) = open.last_mut() else {
                return Ok(());
            };
            next = items.next();
            match next {
                Some(_) => out.write_char(' ')?,
                None => {
                    open.pop();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use super::*;

    #[test]
    fn texts_print_as_they_were_read() {
        for text in [
            "a",
            "()",
            "(a)",
            "(a (b c) () ((d)) e)",
            "(() ())",
            "((()))",
        ] {
            assert_eq!(read(text).expect(text).to_string(), text);
        }
        let wide = read(" ( a ; gone\n\t(b\n c)) ").expect("it reads");
        assert_eq!(wide.to_string(), "(a (b c))");
    }

    #[test]
    fn deep_terms_print_without_a_deep_stack() {
        let mut deep = Sexpr::word("x");
        for _ in 0..100_000 {
            deep = Sexpr::call("not", [deep]);
        }
        assert_eq!(deep.to_string().len(), 100_000 * 6 + 1);
        std::mem::forget(deep); // Dropping it is what nests deeply.
    }
}

//! Text that may be broken into lines: small documents, and the choice of where to break them.
//!
//! A *group* is written on one line if it fits within the width, otherwise each of its own breaks
//! becomes a line end; groups inside it decide for themselves.

/// Columns of the canonical style.
const WIDTH: usize = 100;
/// Spaces per level of indentation.
const STEP: usize = 4;

/// A piece of text with possible line ends.
#[derive(Clone, Debug)]
pub(super) enum Doc {
    /// Text without line ends.
    Text(String),
    /// A space, or a line end when the group is broken.
    Line,
    /// Nothing, or a line end when the group is broken.
    Break,
    /// Nothing, or this text when the group is broken.
    WhenBroken(&'static str),
    /// Always a line end; breaks every group around it.
    End,
    /// Always an empty line: two line ends without trailing spaces.
    Gap,
    /// One level further in.
    Indent(Box<Doc>),
    /// On one line if possible.
    Group(Box<Doc>),
    /// One after the other.
    Join(Vec<Doc>),
}

/// A piece of text.
pub(super) fn text(text: impl Into<String>) -> Doc {
    Doc::Text(text.into())
}

/// One after the other.
pub(super) fn join(parts: impl IntoIterator<Item = Doc>) -> Doc {
    Doc::Join(parts.into_iter().collect())
}

/// On one line if possible.
pub(super) fn group(parts: impl IntoIterator<Item = Doc>) -> Doc {
    Doc::Group(Box::new(join(parts)))
}

/// One level further in.
pub(super) fn indent(parts: impl IntoIterator<Item = Doc>) -> Doc {
    Doc::Indent(Box::new(join(parts)))
}

/// `open a, b, c close`; when broken, each item stands on a line of its own. `padding` is what
/// stands inside the delimiters: [`Doc::Break`] for none, [`Doc::Line`] for a space.
pub(super) fn list(open: &str, items: Vec<Doc>, close: &str, padding: Doc) -> Doc {
    if items.is_empty() {
        return text(format!("{open}{close}"));
    }
    let inner = join([commas(items), Doc::WhenBroken(",")]);
    delimited(open, inner, close, padding)
}

/// `open inner close`; when broken, what is inside stands on lines of its own.
pub(super) fn delimited(open: &str, inner: Doc, close: &str, padding: Doc) -> Doc {
    group([
        text(open),
        indent([padding.clone(), inner]),
        padding,
        text(close),
    ])
}

/// `a, b, c`, with a possible line end after each comma.
pub(super) fn commas(items: Vec<Doc>) -> Doc {
    separated(items, || join([text(","), Doc::Line]))
}

/// The items with a separator between each two.
pub(super) fn separated(items: Vec<Doc>, separator: impl Fn() -> Doc) -> Doc {
    let mut parts = Vec::new();
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            parts.push(separator());
        }
        parts.push(item);
    }
    Doc::Join(parts)
}

impl Doc {
    /// As text; the first line starts at the left margin.
    pub(super) fn render(&self) -> String {
        let mut out = String::new();
        let mut column = 0;
        let mut work = vec![(0, true, self)];
        while let Some((margin, broken, doc)) = work.pop() {
            match doc {
                Doc::Text(piece) => {
                    out.push_str(piece);
                    column += piece.chars().count();
                }
                Doc::Line if !broken => {
                    out.push(' ');
                    column += 1;
                }
                Doc::Line | Doc::End => column = end_line(&mut out, margin),
                Doc::Break if broken => column = end_line(&mut out, margin),
                Doc::Gap => {
                    out.push('\n');
                    column = end_line(&mut out, margin);
                }
                Doc::WhenBroken(piece) if broken => {
                    out.push_str(piece);
                    column += piece.len();
                }
                Doc::Break | Doc::WhenBroken(_) => {}
                Doc::Indent(inner) => work.push((margin + STEP, broken, inner)),
                Doc::Group(inner) => {
                    let flat = fits(WIDTH.saturating_sub(column), inner, &work);
                    work.push((margin, !flat, inner));
                }
                Doc::Join(parts) => {
                    work.extend(parts.iter().rev().map(|part| (margin, broken, part)));
                }
            }
        }
        out
    }
}

fn end_line(out: &mut String, margin: usize) -> usize {
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', margin));
    margin
}

/// Does `doc`, unbroken, fit into the room together with what follows up to the next line end?
fn fits(room: usize, doc: &Doc, rest: &[(usize, bool, &Doc)]) -> bool {
    let mut room = room;
    let mut work = vec![(false, doc)];
    let mut rest = rest.iter().rev();
    loop {
        let Some((broken, doc)) = work.pop() else {
            match rest.next() {
                Some((_, broken, doc)) => work.push((*broken, doc)),
                None => return true,
            }
            continue;
        };
        let taken = match doc {
            Doc::Text(piece) => piece.chars().count(),
            Doc::Line if !broken => 1,
            Doc::Line | Doc::Break if broken => return true,
            Doc::End | Doc::Gap => return broken,
            Doc::WhenBroken(piece) if broken => piece.len(),
            Doc::Line | Doc::Break | Doc::WhenBroken(_) => 0,
            Doc::Indent(inner) | Doc::Group(inner) => {
                work.push((broken, inner));
                0
            }
            Doc::Join(parts) => {
                work.extend(parts.iter().rev().map(|part| (broken, part)));
                0
            }
        };
        if taken > room {
            return false;
        }
        room -= taken;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_stays_on_one_line_or_takes_one_line_per_item() {
        let items = |count| (0..count).map(|_| text("abcdefghij")).collect();
        assert_eq!(
            list("f(", items(2), ")", Doc::Break).render(),
            "f(abcdefghij, abcdefghij)"
        );
        let long = list("f(", items(9), ")", Doc::Break).render();
        assert_eq!(long.lines().count(), 11);
        assert!(long.starts_with("f(\n    abcdefghij,\n"));
        assert!(long.ends_with("    abcdefghij,\n)"));
    }

    #[test]
    fn what_follows_a_group_counts() {
        let long = "x".repeat(95);
        let doc = join([
            group([text(long.clone()), Doc::Line, text("ab")]),
            text("cdefg"),
        ]);
        assert_eq!(doc.render(), format!("{long}\nabcdefg"));
    }

    #[test]
    fn a_forced_end_breaks_the_groups_around_it() {
        let doc = group([
            text("{"),
            indent([Doc::Line, text("a"), Doc::End, text("b")]),
        ]);
        assert_eq!(doc.render(), "{\n    a\n    b");
    }
}

//! Changes of the text that diagnostics offer, carried out.

use plainsong_diagnostics::{Diagnostic, Span};

/// The text with the fixes that the diagnostics offer, as many as do not touch the same words; and how many
/// those are. Insertions at one place all take effect, in order.
pub fn mended(text: &str, diagnostics: &[Diagnostic]) -> (String, usize) {
    let mut edits: Vec<(Span, &str)> = Vec::new();
    let mut count = 0;
    for fix in diagnostics.iter().filter_map(|one| one.fix.as_ref()) {
        let is_free =
            |(span, _): &(Span, String)| edits.iter().all(|(other, _)| apart(*span, *other));
        if fix.edits.iter().all(is_free) {
            edits.extend(fix.edits.iter().map(|(span, new)| (*span, &**new)));
            count += 1;
        }
    }
    edits.sort_by_key(|(span, _)| (span.start, span.end));
    let (mut mended, mut at) = (String::new(), 0);
    for (span, new) in edits {
        let start = span.start as usize;
        mended.push_str(text.get(at..start).unwrap_or_default());
        mended.push_str(&new.replace('\n', &format!("\n{}", indentation(text, start))));
        at = span.end as usize;
    }
    mended.push_str(text.get(at..).unwrap_or_default());
    (mended, count)
}

/// The blanks that the line of a place begins with.
fn indentation(text: &str, at: usize) -> &str {
    let before = text.get(..at).unwrap_or_default();
    let line = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
    &line[..line.len() - line.trim_start().len()]
}

/// Do two changes leave each other alone? Two insertions do, wherever they are.
fn apart(one: Span, other: Span) -> bool {
    let is_empty = |span: Span| span.start == span.end;
    match (is_empty(one), is_empty(other)) {
        (true, true) => true,
        _ => one.end <= other.start || other.end <= one.start,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes::MIXED_GUARD;

    fn offering(edits: Vec<(Span, &str)>) -> Diagnostic {
        let edits = edits.into_iter().map(|(span, new)| (span, new.to_owned()));
        Diagnostic::warning(&MIXED_GUARD, Span::new(0, 0), "it").fix("do it", edits.collect())
    }

    #[test]
    fn new_lines_begin_like_the_old_one() {
        let found = [offering(vec![(Span::new(5, 5), "first;\n")])];
        let expected = "{\n   first;\n   then;\n}".to_owned();
        assert_eq!(mended("{\n   then;\n}", &found), (expected, 1));
    }

    #[test]
    fn what_touches_the_same_words_waits() {
        let found = [
            offering(vec![(Span::new(0, 0), "x "), (Span::new(2, 3), "B")]),
            offering(vec![(Span::new(0, 0), "y "), (Span::new(4, 5), "C")]),
            offering(vec![(Span::new(2, 5), "all")]),
        ];
        assert_eq!(mended("a b c", &found), ("x y a B C".to_owned(), 2));
    }
}

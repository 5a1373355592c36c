//! Places in sentences that are made where the text is not at hand.
//!
//! An engine knows spans, not the text. It puts a marker where a line number or the user's own words should stand, and
//! whoever has the text fills them in ([`with_lines`]).

use crate::span::{Span, line_and_column};

/// The most characters that are quoted.
const LONGEST: usize = 140;

/// Stands for the number of a line: `line 5`.
pub fn place_marker(span: Span) -> String {
    format!("\u{27e6}{}\u{27e7}", span.start)
}

/// Stands for what is written there, and the number of its line: `` `x == y` (line 5) ``.
pub fn quote_marker(span: Span) -> String {
    format!("\u{27e6}{}-{}\u{27e7}", span.start, span.end)
}

/// The sentence with line numbers and quotes in it.
pub fn with_lines(sentence: &str, text: &str) -> String {
    let mut result = String::new();
    let mut rest = sentence;
    while let Some((before, after)) = rest.split_once('\u{27e6}') {
        result.push_str(before);
        let Some((marker, after)) = after.split_once('\u{27e7}') else {
            break;
        };
        result.push_str(&told(marker, text));
        rest = after;
    }
    result.push_str(rest);
    result
}

fn told(marker: &str, text: &str) -> String {
    let (start, end) = match marker.split_once('-') {
        Some((start, end)) => (start, end.parse().ok()),
        None => (marker, None),
    };
    let start: u32 = start.parse().unwrap_or(0);
    let line = line_and_column(text, start).line;
    let Some(end) = end else {
        return format!("line {line}");
    };
    let words = Span::new(start, end).slice(text).split_whitespace();
    let mut quote = words.collect::<Vec<_>>().join(" ");
    if quote.chars().count() > LONGEST {
        quote = quote.chars().take(LONGEST).collect::<String>() + " …";
    }
    format!("`{quote}` (line {line})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_filled_in() {
        let text = "one\ntwo ==\n    three;\n";
        let span = Span::new(4, 20);
        let sentence = format!("{} is false ({})", quote_marker(span), place_marker(span));
        let told = with_lines(&sentence, text);
        assert_eq!(told, "`two == three` (line 2) is false (line 2)");
        assert_eq!(with_lines("nothing", text), "nothing");
    }
}

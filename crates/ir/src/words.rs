//! Words of the language: which can be names.

/// Keywords and reserved words, in alphabetical order.
const NOT_NAMES: &[&str] = &[
    "action",
    "always",
    "any",
    "as",
    "assert",
    "assume",
    "async",
    "bag",
    "bool",
    "break",
    "call",
    "choose",
    "choreography",
    "const",
    "continue",
    "daemon",
    "decreases",
    "else",
    "endpoint",
    "ensures",
    "enum",
    "eventually",
    "exists",
    "extern",
    "false",
    "finally",
    "fn",
    "for",
    "forall",
    "if",
    "in",
    "init",
    "int",
    "invariant",
    "is",
    "layer",
    "lemma",
    "let",
    "linear",
    "loop",
    "map",
    "match",
    "maybe",
    "message",
    "nat",
    "none",
    "old",
    "on",
    "option",
    "par",
    "param",
    "procedure",
    "process",
    "property",
    "receive",
    "refines",
    "requires",
    "self",
    "send",
    "seq",
    "sequentialize",
    "set",
    "size",
    "some",
    "sort",
    "struct",
    "timeout",
    "to",
    "true",
    "var",
    "via",
    "where",
    "while",
    "yield",
];

/// Can this word be the name of something? Letters, digits and `_`, not starting with a digit, not
/// only `_`, and neither a keyword nor reserved.
pub fn is_name(word: &str) -> bool {
    let starts = word
        .chars()
        .next()
        .is_some_and(|first| first == '_' || first.is_alphabetic());
    starts
        && word != "_"
        && word.chars().all(|c| c == '_' || c.is_alphanumeric())
        && NOT_NAMES.binary_search(&word).is_err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted() {
        assert!(NOT_NAMES.is_sorted());
    }

    #[test]
    fn keywords_and_odd_words_are_no_names() {
        for word in ["", "_", "1x", "x y", "while", "yield", "a-b"] {
            assert!(!is_name(word), "{word}");
        }
        for word in ["x", "_x", "x1", "from", "fifo", "fair", "größe"] {
            assert!(is_name(word), "{word}");
        }
    }
}

//! One mistake, one diagnostic: what follows from a keyword used as a name is not said again.
//!
//! Who declares `var size: int` uses `size` in further places, and there the parser finds a keyword where
//! none can stand, in as many ways as there are places. The declaration is the mistake; so of each word the
//! first place where it stands as a name is reported, and other syntax errors on lines with that word are
//! left out. Nothing is accepted because of that: the first error stays.

use plainsong_diagnostics::Diagnostic;
use std::collections::BTreeSet;

use crate::codes;

/// Leaves out what follows from a keyword that is used as a name. `errors` are in the order of the text.
pub(crate) fn without_consequences(text: &str, errors: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let is_misused = |error: &&Diagnostic| error.code.name == codes::KEYWORD_AS_NAME.name;
    let words: BTreeSet<&str> = errors
        .iter()
        .filter(is_misused)
        .map(|error| error.primary.span.slice(text))
        .collect();
    if words.is_empty() {
        return errors;
    }
    let mut said = BTreeSet::new();
    let mut kept = errors;
    kept.retain(|error| match is_misused(&error) {
        true => said.insert(error.primary.span.slice(text)),
        false => !line_of(text, error)
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .any(|word| words.contains(word)),
    });
    kept
}

/// The line where an error begins.
fn line_of<'t>(text: &'t str, error: &Diagnostic) -> &'t str {
    let at = error.primary.span.start as usize;
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let rest = &text[start..];
    &rest[..rest.find('\n').unwrap_or(rest.len())]
}

#[cfg(test)]
mod tests {
    use crate::parse;

    /// What is complained about, and how.
    fn errors(text: &str) -> Vec<String> {
        let parsed = parse(text);
        let errors = parsed.errors().iter();
        errors
            .map(|error| format!("{} {}", error.primary.span.slice(text), error.code.name))
            .collect()
    }

    /// What comes on later lines because an expression ends too early is nobody's mistake either.
    #[test]
    fn a_keyword_used_as_a_name_does_not_end_a_condition() {
        let text = "process p {
            var size: int = 0;
            var n: int = 0;
            while n < size && n >= 0 {
                n = n + 1;
            }
        }";
        assert_eq!(errors(text), ["size keyword-as-name"]);
    }

    #[test]
    fn a_keyword_used_as_a_name_is_one_mistake_wherever_it_stands() {
        let text = "process p {
            var size: int = 0;
            receive Size(size) from any;
            size = size + 1;
            let x = p.size;
            if size > 1 { send Size(size) to p; }
        }
        property q: always p.size == 0;";
        assert_eq!(errors(text), ["size keyword-as-name"]);
    }

    #[test]
    fn a_use_before_the_declaration_is_no_mistake_of_its_own() {
        let text = "process p { send Ping to map[0]; }
        process map[n: Node] { let message = 3; assert message == 3; }";
        assert_eq!(
            errors(text),
            ["map keyword-as-name", "message keyword-as-name"]
        );
    }

    #[test]
    fn names_in_sources_and_patterns_too() {
        assert_eq!(
            errors("process p { receive A from any old; }"),
            ["old keyword-as-name"]
        );
        assert_eq!(
            errors("process p { receive A from any old[n]; }"),
            ["old keyword-as-name"]
        );
        let text = "process p { match x { Reply(to) => { } some(on) => { } } }";
        assert_eq!(errors(text), ["to keyword-as-name", "on keyword-as-name"]);
        let text = "process p { match x { Entry { size } => { } } }";
        assert_eq!(errors(text), ["size keyword-as-name"]);
    }

    #[test]
    fn other_mistakes_are_still_found() {
        let text = "process p {
            var size: int = 0;
            send to p;
        }";
        assert_eq!(errors(text).len(), 2, "{:?}", errors(text));
    }
}

//! Names of songs as names in Rust.

use crate::names::camel;
use std::collections::BTreeSet;

const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Names that generated functions give themselves, and modules that they use.
const TAKEN: &[&str] = &[
    "external", "me", "net", "own", "types", "value", "world", "main", "lib", "runtime",
];

/// Types that generated code uses.
pub(super) const TYPES: &[&str] = &[
    "Bag",
    "Code",
    "Deserialize",
    "Err",
    "Error",
    "Failure",
    "Int",
    "Map",
    "Net",
    "None",
    "Number",
    "Ok",
    "Option",
    "Parameters",
    "Protocol",
    "Range",
    "RefCell",
    "Result",
    "Roles",
    "Rx",
    "Self",
    "Seq",
    "Serialize",
    "Set",
    "Some",
    "State",
    "String",
    "Tx",
    "Undefined",
    "Vec",
    "World",
];

/// `TwoWords` becomes `two_words`; a name that means something to Rust or to generated code gets an
/// underscore.
pub(super) fn snake(name: &str) -> String {
    let mut snake = String::new();
    let letters: Vec<char> = name.chars().collect();
    for (at, letter) in letters.iter().enumerate() {
        let begins = letter.is_ascii_uppercase()
            && at > 0
            && (letters[at - 1].is_ascii_lowercase()
                || letters.get(at + 1).is_some_and(char::is_ascii_lowercase))
            && letters[at - 1] != '_';
        if begins {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    let snake = snake.trim_start_matches('_').to_owned();
    match KEYWORDS.contains(&&*snake) || TAKEN.contains(&&*snake) || snake.is_empty() {
        true => format!("{snake}_"),
        false => snake,
    }
}

/// The type of a role's variables.
pub(super) fn role_name(family: &str) -> String {
    let name = camel(family);
    match TYPES.contains(&&*name) {
        true => format!("{name}Role"),
        false => name,
    }
}

/// The name of the crate; some mean something to Cargo or to the compiler.
pub(super) fn crate_name(choreography: &str) -> String {
    const RESERVED: &[&str] = &[
        "alloc",
        "build",
        "core",
        "deps",
        "examples",
        "incremental",
        "plainsong_runtime",
        "proc_macro",
        "serde",
        "std",
        "test",
    ];
    let name = snake(choreography);
    match RESERVED.contains(&&*name) {
        true => format!("{name}_"),
        false => name,
    }
}

/// A name that is not among `taken`; it is now.
pub(super) fn fresh(wanted: &str, taken: &mut BTreeSet<String>) -> String {
    let base = snake(wanted);
    let numbered = (2..).map(|n| format!("{}_{n}", base.trim_end_matches('_')));
    let name = std::iter::once(base.clone())
        .chain(numbered)
        .find(|name| !taken.contains(name))
        .unwrap_or(base);
    taken.insert(name.clone());
    name
}

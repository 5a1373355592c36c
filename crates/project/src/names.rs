//! Names of messages, made from names of variables.

use plainsong_ir::Message;

/// `votes` becomes `Votes`, the second one `Votes2`.
pub(crate) fn message_name(of: &str, taken: &[Message]) -> String {
    let base = camel(of);
    let is_free = |name: &str| taken.iter().all(|message| message.name != name);
    if is_free(&base) {
        return base;
    }
    let numbered = (2..).map(|n| format!("{base}{n}"));
    numbered
        .into_iter()
        .find(|name| is_free(name))
        .unwrap_or(base)
}

/// `two_words` becomes `TwoWords`.
pub(crate) fn camel(of: &str) -> String {
    let mut name = String::new();
    for part in of.split('_') {
        let mut letters = part.chars();
        name.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        name.push_str(letters.as_str());
    }
    match name.chars().next() {
        Some(first) if first.is_ascii_alphabetic() => name,
        _ => format!("Value{name}"),
    }
}

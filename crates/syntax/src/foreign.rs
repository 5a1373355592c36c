//! What people write who come from other notations, and how it is written here.

/// A help line for a character that the language does not have.
pub(crate) fn foreign_character(c: char) -> Option<String> {
    let instead = match c {
        '"' | '\'' | '“' | '”' | '‘' | '’' | '`' => {
            return Some("there are no strings; use an enum for a fixed set of words".into());
        }
        '\\' => return Some("conjunction is `&&`, disjunction is `||`".into()),
        '#' | '@' => return Some("comments begin with `//`; there are no attributes".into()),
        '∧' => "&&",
        '∨' => "||",
        '¬' | '~' => "!",
        '≤' => "<=",
        '≥' => ">=",
        '≠' => "!=",
        '⇒' | '⟹' => "==>",
        '⇔' | '⟺' | '≡' => "<==>",
        '→' => "->",
        '∀' => "forall",
        '∃' => "exists",
        '∈' => "in",
        '∪' => "|",
        '∩' => "&",
        '∅' => "{}",
        '×' => "*",
        '−' | '–' => "-",
        '…' => "..",
        _ => return None,
    };
    Some(format!("write `{instead}`"))
}

/// How an operator that is a word elsewhere is written here.
pub(crate) fn foreign_operator(word: &str) -> Option<&'static str> {
    Some(match word {
        "and" => "&&",
        "or" => "||",
        "not" => "!",
        "implies" => "==>",
        "iff" => "<==>",
        "mod" => "%",
        "div" => "/",
        "union" => "|",
        "intersect" => "&",
        _ => return None,
    })
}

/// The item or statement keyword that goes by this word elsewhere.
pub(crate) fn foreign_keyword(word: &str) -> Option<&'static str> {
    Some(match word {
        "type" => "sort` or `enum",
        "function" | "func" | "def" | "fun" => "fn",
        "actor" | "machine" | "node" | "proc" => "process",
        "msg" | "event" => "message",
        "role" => "endpoint",
        "variable" | "variables" | "mut" => "var",
        "constant" | "constants" => "const",
        "spec" | "theorem" | "ltl" => "property",
        "recv" => "receive",
        "spawn" | "fork" => "async",
        "require" => "assume",
        "await" => "assume",
        "either" => "maybe",
        "switch" | "case" => "match",
        "elif" | "elsif" | "elseif" => "else if",
        _ => return None,
    })
}

/// The type that goes by this name elsewhere.
pub(crate) fn foreign_type(name: &str) -> Option<&'static str> {
    Some(match name.to_lowercase().as_str() {
        "list" | "vec" | "array" | "sequence" | "queue" => "seq<T>",
        "dict" | "hashmap" | "btreemap" | "map" | "function" => "map<K, V>",
        "hashset" | "btreeset" | "set" => "set<T>",
        "multiset" | "bag" => "bag<T>",
        "maybe" | "optional" | "option" => "option<T>",
        _ => return None,
    })
}

//! Patterns.

use super::eval::Store;
use super::value::Value;
use plainsong_ir::{Pattern, PatternKind};

/// Does `value` match? Binds the names of the pattern as far as it does.
pub(super) fn matches(pattern: &Pattern, value: &Value, store: &mut Store) -> bool {
    match (&pattern.kind, value) {
        (PatternKind::Wild, _) => true,
        (PatternKind::Bind(local), value) => {
            store.bind(*local, value.clone());
            true
        }
        (PatternKind::Bool(expected), Value::Bool(b)) => expected == b,
        (PatternKind::Int(expected), Value::Int(n)) => i128::from(*expected) == *n,
        (PatternKind::None, Value::Option(inner)) => inner.is_none(),
        (PatternKind::Some(pattern), Value::Option(Some(inner))) => matches(pattern, inner, store),
        (PatternKind::Tuple(patterns), Value::Tuple(parts))
        | (PatternKind::Struct(_, patterns), Value::Record(parts)) => {
            all_match(patterns, parts, store)
        }
        (PatternKind::Variant(_, expected, patterns), Value::Variant(at, payload)) => {
            expected == at && all_match(patterns, payload, store)
        }
        (PatternKind::Pid(expected, patterns), Value::Process(family, index)) => {
            expected == family && all_match(patterns, index, store)
        }
        _ => false,
    }
}

/// What belongs to the first pattern that matches.
pub(super) fn first_match<'p, T>(
    arms: &'p [(Pattern, T)],
    subject: &Value,
    store: &mut Store,
) -> &'p T {
    let arm = arms
        .iter()
        .find(|(pattern, _)| matches(pattern, subject, store));
    &arm.expect("the patterns cover every value").1
}

fn all_match(patterns: &[Pattern], values: &[Value], store: &mut Store) -> bool {
    patterns
        .iter()
        .zip(values)
        .all(|(pattern, value)| matches(pattern, value, store))
}

//! Patterns against values.

use crate::instance::Instance;
use crate::value::Value;
use plainsong_ir::{FamilyId, Pattern, PatternKind};

/// Does `value` match? Binds the pattern's names on the way, also when the answer is no.
pub(crate) fn matches(
    instance: &Instance,
    pattern: &Pattern,
    value: &Value,
    locals: &mut [Value],
) -> bool {
    match (&pattern.kind, value) {
        (PatternKind::Wild, _) => true,
        (PatternKind::Bind(local), _) => {
            locals[local.index()] = value.clone();
            true
        }
        (PatternKind::Bool(wanted), Value::Bool(truth)) => wanted == truth,
        (PatternKind::Int(wanted), Value::Int(int)) => wanted == int,
        (PatternKind::None, value) => *value == Value::None,
        (PatternKind::Some(inner), Value::Some(value)) => matches(instance, inner, value, locals),
        (PatternKind::Tuple(patterns) | PatternKind::Struct(_, patterns), Value::Tuple(parts)) => {
            all_match(instance, patterns, parts, locals)
        }
        (PatternKind::Variant(_, wanted, patterns), Value::Variant(variant, payload)) => {
            *wanted == *variant as usize && all_match(instance, patterns, payload, locals)
        }
        (PatternKind::Pid(family, patterns), Value::Process(pid)) => pid
            .member()
            .is_some_and(|row| is_member(instance, *family, patterns, row, locals)),
        _ => false,
    }
}

fn all_match(
    instance: &Instance,
    patterns: &[Pattern],
    values: &[Value],
    locals: &mut [Value],
) -> bool {
    patterns
        .iter()
        .zip(values)
        .all(|(pattern, value)| matches(instance, pattern, value, locals))
}

fn is_member(
    instance: &Instance,
    family: FamilyId,
    patterns: &[Pattern],
    row: usize,
    locals: &mut [Value],
) -> bool {
    let member = &instance.members()[row];
    member.family == family && all_match(instance, patterns, &member.index, locals)
}

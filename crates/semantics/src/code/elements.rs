//! The elements of a `for` loop, as its hidden slot keeps them.
//!
//! The slot is part of a process's state, which is hashed and compared after each step. So integers that follow each
//! other, as in `for i in 0..N`, are kept as the first and the one behind the last, and elements that nobody looks at as
//! their number: a round of a long loop costs no more than one of a short loop.
//!
//! *One list, one value*: lists that are equal are kept as equal values, so states are equal when they were before.

use crate::value::Value;

/// What is kept of a list of elements.
pub(super) fn kept(elements: Vec<Value>) -> Value {
    let Some((&Value::Int(first), rest)) = elements.split_first() else {
        return Value::Seq(elements.into());
    };
    let follows = |(at, value): (usize, &Value)| {
        let next = first.checked_add(at as i64 + 1);
        next.is_some_and(|next| *value == Value::Int(next))
    };
    match first.checked_add(elements.len() as i64) {
        Some(end) if rest.iter().enumerate().all(follows) => {
            Value::Tuple([Value::Int(first), Value::Int(end)].into())
        }
        _ => Value::Seq(elements.into()),
    }
}

/// Only the number of elements.
pub(super) fn counted(kept: &Value) -> Value {
    match kept {
        Value::Int(_) => kept.clone(),
        Value::Tuple(ends) => Value::Int(ends[1].int() - ends[0].int()),
        list => Value::Int(list.elements().len() as i64),
    }
}

/// The element at a position; nothing behind the last. One of which only the number is kept is no value.
pub(super) fn element(kept: &Value, position: usize) -> Option<Value> {
    match kept {
        Value::Int(count) => ((position as i64) < *count).then_some(Value::None),
        Value::Tuple(ends) => {
            let element = ends[0].int() + position as i64;
            (element < ends[1].int()).then_some(Value::Int(element))
        }
        list => list.elements().get(position).cloned(),
    }
}

/// One past the last, if they are integers that follow each other and none was taken out.
pub(super) fn past(kept: &Value) -> Option<Value> {
    match kept {
        Value::Tuple(ends) => Some(ends[1].clone()),
        _ => None,
    }
}

/// All elements.
pub(super) fn all(kept: &Value) -> Vec<Value> {
    (0..)
        .map_while(|position| element(kept, position))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_come_back() {
        let ints = |list: &[i64]| list.iter().map(|one| Value::Int(*one)).collect::<Vec<_>>();
        let lists = [
            ints(&[]),
            ints(&[7]),
            ints(&[0, 1, 2]),
            ints(&[-1, 0, 1]),
            ints(&[0, 2]),
            ints(&[2, 1]),
            ints(&[1, 1]),
            ints(&[i64::MAX - 1, i64::MAX]),
            vec![Value::Id(0), Value::Id(1)],
            vec![Value::Int(0), Value::None],
        ];
        for list in lists {
            let kept = kept(list.clone());
            assert_eq!(all(&kept), list);
            let number = counted(&kept);
            assert_eq!(all(&number), vec![Value::None; list.len()]);
            assert_eq!(counted(&number), number);
        }
    }

    #[test]
    fn a_long_range_takes_two_numbers() {
        let list = (3..1000).map(Value::Int).collect();
        let ends = [Value::Int(3), Value::Int(1000)];
        assert_eq!(kept(list), Value::Tuple(ends.into()));
    }
}

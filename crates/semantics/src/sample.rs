//! One of several ways, drawn choice by choice.
//!
//! The ways on from a state are the leaves of a tree of free choices. [`way`] and [`step`] go down that
//! tree and ask at each choice, so a run asks for exactly the choices that it makes, in the order in
//! which it makes them: however its statements are cut into steps, and also when it is a process of its
//! own and no longer part of a choreography.

use crate::code::run::Chosen;
use crate::local_process::Way;
use crate::machine::Step;

/// Draws one of the ways of a process; `pick` gets the number of options and returns one of them.
///
/// # Errors
///
/// Those of `pick`.
pub fn way<E>(
    ways: Vec<Way>,
    pick: impl FnMut(usize) -> Result<usize, E>,
) -> Result<Option<Way>, E> {
    draw(ways, |way| &way.deed.chosen, pick)
}

/// Draws one of the steps of a choreography; `pick` gets the number of options and returns one of them.
///
/// # Errors
///
/// Those of `pick`.
pub fn step<E>(
    steps: Vec<Step>,
    pick: impl FnMut(usize) -> Result<usize, E>,
) -> Result<Option<Step>, E> {
    draw(steps, |step| &step.chosen, pick)
}

fn draw<T, E>(
    mut left: Vec<T>,
    chosen: impl Fn(&T) -> &[Chosen],
    mut pick: impl FnMut(usize) -> Result<usize, E>,
) -> Result<Option<T>, E> {
    for depth in 0.. {
        let mut options: Vec<Chosen> = Vec::new();
        for way in &left {
            // Ways with one choice after the other come next to each other.
            if let Some(option) = chosen(way).get(depth)
                && options.last() != Some(option)
            {
                options.push(option.clone());
            }
        }
        if options.is_empty() {
            break;
        }
        let picked = pick(options.len())?;
        let picked = options.swap_remove(picked.min(options.len() - 1));
        left.retain(|way| chosen(way).get(depth) == Some(&picked));
    }
    Ok(left.into_iter().next())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    fn chosen(values: &[i64]) -> Vec<Chosen> {
        let one = |&value: &i64| Chosen {
            span: plainsong_diagnostics::Span::default(),
            local: None,
            value: Value::Int(value),
        };
        values.iter().map(one).collect()
    }

    /// 1 or 2; after 1 again 1, 2 or 3, after 2 nothing.
    #[test]
    fn only_choices_that_are_made_are_asked_for() {
        let tree = || [&[1, 1][..], &[1, 2], &[1, 3], &[2]].map(chosen).to_vec();
        let drawn = |answers: &[usize]| {
            let mut asked = Vec::new();
            let mut answers = answers.iter();
            let way = draw(
                tree(),
                |way| way,
                |count| {
                    asked.push(count);
                    answers.next().copied().ok_or(())
                },
            );
            (way.ok().flatten(), asked)
        };
        assert_eq!(drawn(&[0, 2]), (Some(chosen(&[1, 3])), vec![2, 3]));
        assert_eq!(drawn(&[1]), (Some(chosen(&[2])), vec![2]));
        assert_eq!(drawn(&[0]).0, None);
        let nothing = draw(vec![chosen(&[])], |way| way, |_| Err(()));
        assert_eq!(nothing, Ok(Some(chosen(&[]))));
    }
}

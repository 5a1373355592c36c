//! Programs that need no interpreter loop: tests, then writes of constants, then one state.
//!
//! Most actions of most systems are like that: `assume` something about a few fields, change a few others,
//! leave the same async again. Such a program is a row of masks, and running it is a few instructions per
//! state that it leads to.
//!
//! Why the same. A direct form is taken only from a program that consists of marks, tests that end it, patches
//! and posts of the async that is taken, in an order where no test follows a patch; what it computes beside
//! that cannot fail, and is not looked at. Which statements are marked then depends on the tests only, and it
//! is used only once all of them have been marked.

use crate::code::{Binary, Op, Program};
use crate::layout::Field;

/// A program of that kind.
#[derive(Clone, Debug)]
pub(crate) struct Direct {
    /// Word, mask and value: nothing happens unless these bits are like this.
    must: Vec<(usize, u64, u64)>,
    /// Nothing happens if these bits are like this.
    must_not: Vec<(usize, u64, u64)>,
    /// Word, bits to clear, bits to set.
    patches: Vec<(usize, u64, u64)>,
    /// The count of the async, if it is not left again: its word, its bits, and one of it.
    count: Option<(usize, u64, u64)>,
}

/// A try to find the direct form of a program.
#[derive(Clone, Debug)]
pub(crate) enum Attempt {
    Direct(Direct),
    /// Some statement of it did not run yet.
    NotYet,
    /// There is none.
    Never,
}

impl Attempt {
    /// For a program on states of so many words that takes async `taken`, counted in `count` unless it is always on
    /// offer.
    pub(crate) fn at(
        program: &Program<'_>,
        words: usize,
        (taken, count): (usize, Option<Field>),
        marks: &[bool],
    ) -> Attempt {
        let unmarked = |op: &Op| matches!(op, Op::Mark(statement) if !marks[*statement as usize]);
        match Direct::of(program, words, (taken, count)) {
            None => Attempt::Never,
            Some(_) if program.ops.iter().any(unmarked) => Attempt::NotYet,
            Some(direct) => Attempt::Direct(direct),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Came {
    /// Nothing can happen.
    Blocked,
    State,
    /// The count does not fit: the program knows more.
    Misfit,
}

impl Direct {
    /// The direct form of a program that takes async `taken`, counted in `count`, if there is one.
    fn of(
        program: &Program<'_>,
        words: usize,
        (taken, count): (usize, Option<Field>),
    ) -> Option<Direct> {
        let mut direct = Direct {
            must: Vec::new(),
            must_not: Vec::new(),
            patches: Vec::new(),
            count: count.map(|count| (count.word, count.mask << count.shift, 1 << count.shift)),
        };
        let ends = |to: u32| matches!(program.ops[to as usize], Op::End);
        let in_state = |word: u32| (word as usize) < words;
        let mut ops = program.ops.iter();
        loop {
            match ops.next()? {
                Op::Mark(_) => {}
                Op::Test {
                    word,
                    to,
                    mask,
                    value,
                } if ends(*to) && in_state(*word) && direct.patches.is_empty() => {
                    add(&mut direct.must, *word as usize, *mask, *value);
                }
                Op::TestNot {
                    word,
                    to,
                    mask,
                    value,
                } if ends(*to) && in_state(*word) && direct.patches.is_empty() => {
                    direct.must_not.push((*word as usize, *mask, *value));
                }
                Op::Compute(Binary::Or | Binary::AndNot | Binary::And, to, ..)
                    if !in_state(*to) => {}
                Op::Patch { word, clear, bits } if in_state(*word) => {
                    patch(&mut direct.patches, *word as usize, *clear, *bits);
                }
                Op::Post(number) if *number as usize == taken && direct.count.is_some() => {
                    direct.count = None;
                }
                Op::Emit => break,
                _ => return None,
            }
        }
        let is_over = match ops.next()? {
            Op::End => true,
            Op::Jump(to) => ends(*to),
            _ => false,
        };
        is_over.then_some(direct)
    }

    /// Takes the async in a state, and appends the state that it leads to.
    pub(crate) fn run(&self, base: &[u64], emitted: &mut Vec<u64>) -> Came {
        let like = |(word, mask, value): &(usize, u64, u64)| base[*word] & mask == *value;
        if !self.must.iter().all(like) || self.must_not.iter().any(like) {
            return Came::Blocked;
        }
        let first = emitted.len();
        match base {
            // Without a call to copy it.
            [word] => emitted.push(*word),
            _ => emitted.extend_from_slice(base),
        }
        let state = &mut emitted[first..];
        for (word, clear, bits) in &self.patches {
            state[*word] = state[*word] & !clear | bits;
        }
        if let Some((word, mask, one)) = self.count {
            // The number that stands for one less has the bits for one less, if these are not all zero.
            if state[word] & mask == 0 {
                emitted.truncate(first);
                return Came::Misfit;
            }
            state[word] -= one;
        }
        Came::State
    }
}

/// One test of a word where there were two. Tests that contradict each other stay apart, and fail.
fn add(tests: &mut Vec<(usize, u64, u64)>, word: usize, mask: u64, value: u64) {
    let agrees = |(other, known, bits): &&mut (usize, u64, u64)| {
        *other == word && *bits & mask == value & *known
    };
    match tests.iter_mut().find(agrees) {
        Some((_, known, bits)) => {
            *known |= mask;
            *bits |= value;
        }
        None => tests.push((word, mask, value)),
    }
}

/// The later patch wins.
fn patch(patches: &mut Vec<(usize, u64, u64)>, word: usize, clear: u64, bits: u64) {
    match patches.iter_mut().find(|(other, ..)| *other == word) {
        Some((_, cleared, set)) => {
            *cleared |= clear;
            *set = *set & !clear | bits;
        }
        None => patches.push((word, clear, bits)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Layout;
    use crate::shape::{Fit, Grows};

    fn counted() -> Field {
        let mut layout = Layout::default();
        let fit = Fit {
            bits: 2,
            bias: 0,
            grows: Grows::Up,
            blank: 0,
        };
        let field = layout.add(fit);
        layout.fields()[field]
    }

    fn program(ops: Vec<Op>) -> Program<'static> {
        Program {
            ops,
            ..Program::default()
        }
    }

    fn test(mask: u64, value: u64, to: u32) -> Op {
        Op::Test {
            word: 0,
            to,
            mask,
            value,
        }
    }

    fn patch_of(clear: u64, bits: u64) -> Op {
        Op::Patch {
            word: 0,
            clear,
            bits,
        }
    }

    #[test]
    fn an_action_that_leaves_itself_again_is_a_row_of_masks() {
        let ops = vec![
            Op::Mark(0),
            test(12, 4, 6),
            patch_of(12, 8),
            Op::Post(5),
            Op::Emit,
            Op::Jump(6),
            Op::End,
        ];
        let attempt =
            |marked| Attempt::at(&program(ops.clone()), 1, (5, Some(counted())), &[marked]);
        assert!(matches!(attempt(false), Attempt::NotYet));
        let Attempt::Direct(direct) = attempt(true) else {
            panic!("it has a direct form");
        };
        let mut emitted = Vec::new();
        assert_eq!(direct.run(&[0b0001], &mut emitted), Came::Blocked);
        assert_eq!(direct.run(&[0b0101], &mut emitted), Came::State);
        assert_eq!(emitted, [0b1001]);
    }

    #[test]
    fn an_async_that_is_not_left_again_is_counted_down() {
        let ops = vec![patch_of(16, 16), Op::Emit, Op::End];
        let Attempt::Direct(direct) = Attempt::at(&program(ops), 1, (5, Some(counted())), &[])
        else {
            panic!("it has a direct form");
        };
        let mut emitted = Vec::new();
        assert_eq!(direct.run(&[0b10], &mut emitted), Came::State);
        assert_eq!(emitted, [0b10001]);
        assert_eq!(direct.run(&[0b100], &mut emitted), Came::Misfit);
        assert_eq!(emitted.len(), 1);
    }

    #[test]
    fn a_test_after_a_change_is_left_to_the_program() {
        let ops = vec![patch_of(1, 1), test(1, 1, 3), Op::Emit, Op::End];
        let attempt = Attempt::at(&program(ops), 1, (5, Some(counted())), &[]);
        assert!(matches!(attempt, Attempt::Never));
    }
}

//! The exit codes: one table, relied on by scripts.
//!
//! When several apply, the first of 4, 3, 1, 2, 0 wins: a bug or a rejected file means that not
//! everything was asked, which nobody should mistake for a complete answer.

use plainsong_semantics::trace::{Ending, FailureKind};
use plainsong_semantics::verdict::{Outcome, Requirements, Verdict};

/// How a run ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// 0: everything asked was proved, or held up to the bound the user asked for.
    #[default]
    Fine,
    /// 2: something is unknown, or conditional, and nothing worse.
    Unknown,
    /// 1: something was refuted.
    Refuted,
    /// 3: input rejected: syntax, types, configuration, nothing selected.
    Rejected,
    /// 4: our own bug, with a file to attach.
    Bug,
}

impl Exit {
    /// The number the shell sees.
    pub fn code(self) -> u8 {
        match self {
            Exit::Fine => 0,
            Exit::Refuted => 1,
            Exit::Unknown => 2,
            Exit::Rejected => 3,
            Exit::Bug => 4,
        }
    }

    /// What a verdict contributes. One that rests on something that is not proved leaves the question open.
    /// With `--require`, neither does one that is bounded, trusts something or is vacuous answer it.
    pub fn of_verdict(verdict: &Verdict, required: Requirements) -> Self {
        match verdict.is_conditional() || required.unmet(verdict).is_some() {
            true => Exit::Unknown,
            false => Exit::of(verdict.outcome, required.proved),
        }
    }

    /// What an unconditional answer contributes. Where proofs are required, a bounded answer is not enough.
    pub fn of(outcome: Outcome, require_proved: bool) -> Self {
        match outcome {
            Outcome::Proved => Exit::Fine,
            Outcome::Holds if require_proved => Exit::Unknown,
            Outcome::Holds => Exit::Fine,
            Outcome::Refuted => Exit::Refuted,
            Outcome::Unknown => Exit::Unknown,
        }
    }

    /// What an execution that ended like this contributes: one that went wrong refutes something.
    pub fn of_ending(ending: &Ending) -> Self {
        match ending {
            Ending::Failed(failure) if failure.kind == FailureKind::Resource => Exit::Unknown,
            Ending::Failed(_) | Ending::Deadlock(_) | Ending::Violated { .. } => Exit::Refuted,
            Ending::Final | Ending::Cut | Ending::Discarded => Exit::Fine,
        }
    }

    /// Both happened.
    #[must_use]
    pub fn and(self, other: Exit) -> Exit {
        self.max(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_wins_in_the_order_4_3_1_2_0() {
        let mut exits = [
            Exit::Refuted,
            Exit::Fine,
            Exit::Bug,
            Exit::Unknown,
            Exit::Rejected,
        ];
        exits.sort();
        assert_eq!(exits.map(Exit::code), [0, 2, 1, 3, 4]);
        assert_eq!(Exit::Unknown.and(Exit::Refuted), Exit::Refuted);
    }

    #[test]
    fn a_bounded_answer_is_enough_unless_a_proof_is_required() {
        assert_eq!(Exit::of(Outcome::Holds, false), Exit::Fine);
        assert_eq!(Exit::of(Outcome::Holds, true), Exit::Unknown);
        assert_eq!(Exit::of(Outcome::Proved, true), Exit::Fine);
    }
}

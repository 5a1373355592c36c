//! What the soundness of a proof rests on, one by one, so that tests can leave one out and see something false proved.

/// A condition that a test may drop. Nothing else ever does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Condition {
    /// `init` establishes every conjunct.
    Initiation,
    /// Every action is a kind of step: dropped, the last one is forgotten.
    EveryStepKind,
    /// Claims have a value after every step, not only a true one where they have one.
    Defined,
    /// Nothing is relied on after a step but what is shown: dropped, the other conjuncts are.
    NoCircle,
    /// What a conjunct that is not proved supported is shown again without it.
    Reopened,
    /// What an action creates is pending afterwards.
    Created,
    /// The gate of every step is shown before assertions are said to hold.
    Gates,
}

impl Condition {
    /// All of them.
    pub const ALL: [Condition; 7] = [
        Condition::Initiation,
        Condition::EveryStepKind,
        Condition::Defined,
        Condition::NoCircle,
        Condition::Reopened,
        Condition::Created,
        Condition::Gates,
    ];
}

//! Views of sequentializations.

use super::{
    Block, CommuteSide, DecreasesClause, InvariantClause, Name, Witness, accessors, names, nodes,
};

nodes! {
    /// `sequentialize A, B as C { … }`
    SequentializeItem = SequentializeItem;
    /// `B as C`
    Eliminated = Eliminated;
}

accessors! {
    SequentializeItem {
        /// The actions that are eliminated.
        eliminated: [Eliminated];
        /// The invariant action, with names for its arguments and choices.
        by: CommuteSide;
        /// What it chooses when nothing has run.
        witnesses: [Witness];
        /// What holds after every step of the program.
        invariants: [InvariantClause];
        /// What decreases, the most important first.
        decreases: [DecreasesClause];
        /// The schedule.
        block: Block;
    }
}

impl SequentializeItem {
    /// The action of which they become the end.
    pub fn into(&self) -> Option<Name> {
        names(&self.syntax).next()
    }

    /// What that action becomes.
    pub fn becomes(&self) -> Option<Name> {
        names(&self.syntax).nth(1)
    }
}

impl Eliminated {
    /// The action.
    pub fn name(&self) -> Option<Name> {
        names(&self.syntax).next()
    }

    /// What stands in its place.
    pub fn by(&self) -> Option<Name> {
        names(&self.syntax).nth(1)
    }
}

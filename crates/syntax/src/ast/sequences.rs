//! Views of sequentializations.

use super::{
    Block, CommuteSide, DecreasesClause, InvariantClause, Name, Witness, child, children, names,
    nodes,
};

nodes! {
    /// `sequentialize A, B as C { … }`
    SequentializeItem = SequentializeItem;
    /// `B as C`
    Eliminated = Eliminated;
}

impl SequentializeItem {
    /// The actions that are eliminated.
    pub fn eliminated(&self) -> impl Iterator<Item = Eliminated> + use<> {
        children(&self.syntax)
    }

    /// The action of which they become the end.
    pub fn into(&self) -> Option<Name> {
        names(&self.syntax).next()
    }

    /// What that action becomes.
    pub fn becomes(&self) -> Option<Name> {
        names(&self.syntax).nth(1)
    }

    /// The invariant action, with names for its arguments and choices.
    pub fn by(&self) -> Option<CommuteSide> {
        child(&self.syntax)
    }

    /// What it chooses when nothing has run.
    pub fn witnesses(&self) -> impl Iterator<Item = Witness> + use<> {
        children(&self.syntax)
    }

    /// What holds after every step of the program.
    pub fn invariants(&self) -> impl Iterator<Item = InvariantClause> + use<> {
        children(&self.syntax)
    }

    /// What gets smaller, the most important first.
    pub fn decreases(&self) -> impl Iterator<Item = DecreasesClause> + use<> {
        children(&self.syntax)
    }

    /// The schedule.
    pub fn block(&self) -> Option<Block> {
        child(&self.syntax)
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

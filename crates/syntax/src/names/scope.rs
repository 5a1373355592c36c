//! Local names: which binding a name means at some point of the code.
//!
//! Inner bindings hide outer ones, so each name has a stack of bindings. A log of what was bound
//! makes leaving a block cheap, and looking a name up does not depend on how many there are.

use plainsong_ir::LocalId;
use std::collections::HashMap;

/// The local names visible at one point of the code.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    bindings: HashMap<String, Vec<LocalId>>,
    log: Vec<String>,
}

/// A point to go back to with [`Scope::leave`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark(usize);

impl Scope {
    /// The innermost binding of `name`.
    pub(crate) fn find(&self, name: &str) -> Option<LocalId> {
        self.bindings.get(name)?.last().copied()
    }

    /// From here on `name` means `local`.
    pub(crate) fn bind(&mut self, name: &str, local: LocalId) {
        self.bindings
            .entry(name.to_owned())
            .or_default()
            .push(local);
        self.log.push(name.to_owned());
    }

    /// Enters a block.
    pub(crate) fn enter(&self) -> Mark {
        Mark(self.log.len())
    }

    /// Forgets what was bound since `mark`.
    pub(crate) fn leave(&mut self, mark: Mark) {
        for name in self.log.drain(mark.0..) {
            if let Some(stack) = self.bindings.get_mut(&name) {
                stack.pop();
            }
        }
    }

    /// The names visible now, in no particular order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.bindings
            .iter()
            .filter(|(_, stack)| !stack.is_empty())
            .map(|(name, _)| name.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_bindings_hide_outer_ones_until_their_block_ends() {
        let mut scope = Scope::default();
        scope.bind("x", LocalId(0));
        let mark = scope.enter();
        scope.bind("x", LocalId(1));
        scope.bind("y", LocalId(2));
        assert_eq!(scope.find("x"), Some(LocalId(1)));
        scope.leave(mark);
        assert_eq!(scope.find("x"), Some(LocalId(0)));
        assert_eq!(scope.find("y"), None);
        assert_eq!(scope.names().collect::<Vec<_>>(), ["x"]);
    }
}

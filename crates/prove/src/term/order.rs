//! When something that decreases has decreased: the order of words.
//!
//! Statement. `(a1, a2, …)` comes before `(b1, b2, …)` if at the first place where they differ, among those that
//! both have, `ai < bi` and `0 <= bi`.
//!
//! Why there is no endless descent. Integers with `x < y and 0 <= y` have none. Take an endless descent of
//! tuples and the length `k` of the shortest that occurs in it infinitely often. The first `k` numbers never
//! grow in the order of words, so from some point on they stay; from there no tuple of length `k` takes
//! part in a step, because that would be decided within the first `k`. So the shortest that occur are longer, and
//! so on; but there are only finitely many lengths, one for each function or lemma of a circle.

use super::{Term, Terms};

impl Terms {
    /// Do the first numbers come before the second?
    pub fn precedes(&mut self, there: &[Term], here: &[Term]) -> Term {
        let (mut ways, mut same) = (Vec::new(), Vec::new());
        let zero = self.int(0);
        for (&there, &here) in there.iter().zip(here) {
            let bounded = self.le(zero, here);
            let smaller = self.lt(there, here);
            let decided: Vec<Term> = same.iter().copied().chain([bounded, smaller]).collect();
            ways.push(self.and(&decided));
            same.push(self.eq(there, here));
        }
        self.or(&ways)
    }
}

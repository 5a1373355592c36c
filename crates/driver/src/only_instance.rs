//! Exhaustive search of the only instance is a proof.
//!
//! Statement. A song whose sorts all have declared sizes, without parameters, windows of integers and external
//! functions, has one instance. A property that holds in a search of all of it is proved.
//!
//! Why sound. An engine says `holds` only if it saw every execution (or state) of each instance it was asked about, and
//! [`Verdict::bound`] names everything that was restricted on the way: sizes, values of parameters, windows that a choice
//! asked, outcomes of external functions, constraints, messages in flight. Where it is empty, nothing was. What holds only
//! provided that another property does is left as it is: an execution that fails ends there, so not all was seen.

use plainsong_semantics::verdict::{Outcome, Verdict};

/// What holds within no bound, and rests on nothing else, is proved.
pub(crate) fn proved_if_unbounded(verdict: &mut Verdict) {
    let is_all_of_it = verdict.bound.is_empty() && verdict.provided.is_empty();
    if verdict.outcome == Outcome::Holds && is_all_of_it {
        verdict.outcome = Outcome::Proved;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn outcome(bound: &[(&str, &str)]) -> Outcome {
        let bound: BTreeMap<String, String> = bound
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let mut verdict = Verdict::holds("p", bound, "holds in all 3 states");
        proved_if_unbounded(&mut verdict);
        verdict.outcome
    }

    #[test]
    fn a_bound_of_any_kind_keeps_it_from_being_a_proof() {
        assert_eq!(outcome(&[]), Outcome::Proved);
        assert_eq!(outcome(&[("Client", "2")]), Outcome::Holds);
        assert_eq!(outcome(&[("pending", "3")]), Outcome::Holds);
    }

    #[test]
    fn what_rests_on_another_property_is_no_proof() {
        let mut verdict = Verdict::holds("p", BTreeMap::new(), "holds in all 3 states");
        verdict.provided.push("assertions".to_owned());
        proved_if_unbounded(&mut verdict);
        assert_eq!(verdict.outcome, Outcome::Holds);
    }
}

//! Remainders near the divisor, from what division means.
//!
//! `a = m·q + r` with `0 <= r < m` determines `q` and `r`. If `a` lies between `m·c` and `m·(c + 1)`, then
//! `q = c`, because any other quotient is at least one `m` off. The solver is asked without its own
//! `div` and `mod`: the products are spelled out.

use super::{Steps, facts};
use crate::term::Sort;

impl Steps<'_> {
    pub(super) fn remainder(&mut self) {
        let terms = &mut self.theory.terms;
        let [a, m, q, r] = ["a", "m", "q", "r"].map(|name| terms.fresh(name, Sort::INT));
        let zero = terms.int(0);
        let product = terms.mul(m, q);
        let sum = terms.add(product, r);
        let positive = terms.lt(zero, m);
        let (low, high) = (terms.le(zero, r), terms.lt(r, m));
        let known = vec![positive, terms.eq(a, sum), low, high];
        // A quotient above c makes the product at least one m larger, one below at least one smaller.
        let mut bounds = Vec::new();
        for c in [-1, 0, 1] {
            let c = terms.int(c);
            let at = terms.mul(m, c);
            let (above, below) = (terms.lt(c, q), terms.lt(q, c));
            let larger = terms.add(at, m);
            let smaller = terms.sub(at, m);
            let up = terms.le(larger, product);
            let down = terms.le(product, smaller);
            bounds.push(terms.implies(above, up));
            bounds.push(terms.implies(below, down));
            let same = terms.eq(q, c);
            let exact = terms.eq(product, at);
            bounds.push(terms.implies(same, exact));
        }
        let statement = facts::remainder(terms, a, m, r);
        for &bound in &bounds {
            self.step(
                "products are as far apart as quotients",
                known.clone(),
                bound,
            );
        }
        self.conclude(known, &bounds, statement);
    }
}

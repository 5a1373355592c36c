//! Step properties on packed states: `always` with `old(x)`, checked on every step.
//!
//! Whether a claim holds of a step depends on the globals that it reads, before and after it. So it is worked out once by the
//! interpreter for each pair of their values, and kept. Where one does not hold, the interpreter looks at all steps of the
//! state again, and tells the refutation. A claim that counts what is pending is asked of every step.

use super::Search;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{Claim, Expr, ExprKind, Property, Song};
use plainsong_semantics::claim::{Verity, verity_of_step};
use plainsong_semantics::search::{Check, Findings, Query};
use rustc_hash::FxHashMap;

/// The most pairs that are kept.
const MOST_KEPT: usize = 1 << 20;

/// A claim about steps.
pub(super) struct StepClaim<'s> {
    check: Check,
    property: &'s Property,
    claim: &'s Expr,
    /// The globals that it reads; none when it also counts what is pending.
    reads: Option<Vec<usize>>,
    /// Whether it holds, by the leaves of these globals before and after a step.
    known: FxHashMap<Box<[u64]>, bool>,
}

/// The claims about steps that are asked.
pub(super) fn step_claims<'s>(song: &'s Song, query: &Query) -> Vec<StepClaim<'s>> {
    let claim = |check: &Check| {
        let Check::Property(at) = check else {
            return None;
        };
        let property = &song.properties[*at];
        let Claim::Step(claim) = &property.claim else {
            return None;
        };
        Some(StepClaim {
            check: *check,
            property,
            claim,
            reads: globals_read(claim),
            known: FxHashMap::default(),
        })
    };
    query.checks.iter().filter_map(claim).collect()
}

fn globals_read(claim: &Expr) -> Option<Vec<usize>> {
    struct Reads(Option<Vec<usize>>);
    impl Visit for Reads {
        fn expr(&mut self, expr: &Expr) {
            match (&expr.kind, &mut self.0) {
                (ExprKind::Global(global), Some(reads)) => reads.push(global.index()),
                (ExprKind::Pending(_) | ExprKind::PendingOf(..), reads) => *reads = None,
                _ => {}
            }
            walk::expr(self, expr);
        }
    }
    let mut reads = Reads(Some(Vec::new()));
    reads.expr(claim);
    reads.0.map(|mut globals| {
        globals.sort_unstable();
        globals.dedup();
        globals
    })
}

impl Search<'_> {
    /// Is there an open claim that some step out of the state at hand may violate? What it leads to lies in
    /// `runs.emitted`, and is not renamed yet.
    pub(super) fn look_at_steps(&mut self) {
        self.is_step_suspect = false;
        if self.step_claims.is_empty() || !self.coding.has_begun(&self.base) {
            return;
        }
        let mut claims = std::mem::take(&mut self.step_claims);
        let words = self.coding.layout.words();
        for after in self.runs.emitted.chunks_exact(words) {
            let holds = |claim: &mut StepClaim<'_>| self.holds_of_step(claim, after);
            if !claims.iter_mut().all(holds) {
                self.is_step_suspect = true;
                break;
            }
        }
        self.step_claims = claims;
    }

    fn holds_of_step(&self, claim: &mut StepClaim<'_>, after: &[u64]) -> bool {
        let ask = || {
            let before = self.coding.state(&self.base).config();
            let after = self.coding.state(after).config();
            let (property, expr) = (claim.property, claim.claim);
            verity_of_step(self.machine, property, expr, (&before, &after)) == Verity::Holds
        };
        let Some(reads) = &claim.reads else {
            return ask();
        };
        let mut key = Vec::new();
        for words in [&self.base[..], after] {
            for global in reads {
                let (shape, first) = self.coding.global(*global);
                let fields = &self.coding.layout.fields()[first..first + shape.width];
                key.extend(fields.iter().map(|field| field.load(words)));
            }
        }
        if let Some(known) = claim.known.get(&key[..]) {
            return *known;
        }
        let holds = ask();
        if claim.known.len() >= MOST_KEPT {
            claim.known.clear();
        }
        claim.known.insert(key.into(), holds);
        holds
    }

    /// Forgets the claims that are answered.
    pub(super) fn settle_step_claims(&mut self, findings: &Findings<'_>) {
        self.step_claims
            .retain(|claim| findings.is_open(claim.check));
    }
}

//! Lemmas in procedures: steps of a proof between the steps of a program.
//!
//! Statement. Behind `use lemma(…);` what the lemma promises of the arguments may be relied on; what it requires
//! is checked there like an assertion, in runs as well.
//!
//! Why sound. A lemma speaks about its arguments only, never about globals, so nothing that others do changes
//! what it says. Its proof, and those of the functions that are called, are asked for with the obligations of the
//! procedure ([`plainsong_prove::vc::support`]).
//!
//! NOT COVERED. Lemmas that rest on an `assume`: refused. What external functions promise is listed with the verdict.

use super::{Path, ProcedureWalk};
use plainsong_diagnostics::Span;
use plainsong_ir::{LocalId, Use};
use plainsong_prove::lower::{Env, Lowering, Unsupported};
use plainsong_prove::obligation::{Obligation, Rule};
use plainsong_prove::symbolic_execution::SymbolicExecution;
use plainsong_prove::theory::Result;
use plainsong_prove::vc::support;
use plainsong_semantics::verdict::Assumption;

impl ProcedureWalk<'_> {
    /// `use lemma(…);`
    pub(super) fn use_lemma(&mut self, path: &mut Path, used: &Use, span: Span) -> Result<()> {
        let song = self.song.clone();
        let lemma = &song.lines[used.lemma];
        let arguments = self.values(path, &used.arguments)?.into_iter().enumerate();
        let env = Env {
            locals: arguments
                .map(|(at, term)| (LocalId::from(at), term))
                .collect(),
            ..Env::default()
        };
        let outside = std::mem::replace(&mut path.env, env);
        let told = format!("what the lemma `{}` requires holds", lemma.name);
        for condition in &lemma.requires {
            let holds = self.read(path, condition)?;
            self.may_not_fail(path, holds, span, &told);
        }
        for promise in &lemma.ensures {
            let mut lowering = Lowering::new(self.theory, path.env.clone());
            let holds = lowering.expr(promise)?;
            // Part of the lemma's proof.
            let defined = std::mem::take(&mut lowering.definedness).into_iter();
            path.known.extend(defined.map(|one| one.condition));
            path.known.push(holds);
        }
        path.env = outside;
        self.used.insert(used.lemma);
        Ok(())
    }

    /// All obligations, with those of lemmas and functions.
    pub(super) fn with_support(mut self) -> Result<Vec<Obligation>> {
        let support = support(self.theory, &self.used)?;
        // What external functions promise is listed with the verdict (`trusted.rs`).
        let is_listed = |note: &&Assumption| matches!(note, Assumption::Contract(_));
        let mut more = support.notes.iter().filter(|note| !is_listed(note));
        if let Some(trusted) = more.next() {
            let message = format!("what is used here rests on more than proofs: {trusted}");
            return Err(Unsupported::new(self.decl(&self.song).span, message));
        }
        let asked = support.obligations.into_iter();
        let asked = asked.filter(|one| one.rule != Rule::Vacuity);
        self.obligations.extend(asked);
        Ok(self.obligations)
    }
}

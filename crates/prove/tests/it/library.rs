//! The library proves itself: every step of every lemma is shown, and none of its neighbours that is
//! false is.

use crate::prover::SOLVERS;
use plainsong_ir::Song;
use plainsong_prove::discharge::{Effort, Shown, discharge};
use plainsong_prove::lemma_library::{Lemma, show};
use plainsong_prove::theory::Theory;
use plainsong_smt::Cancel;
use std::sync::Arc;

#[test]
fn every_lemma_is_shown() {
    for lemma in Lemma::ALL {
        let shown = show(lemma, &SOLVERS, &Effort::default(), &Cancel::default());
        assert!(
            shown.is_ok_and(|steps| steps > 0),
            "{}: {:?}",
            lemma.name(),
            { show(lemma, &SOLVERS, &Effort::default(), &Cancel::default()) }
        );
    }
}

/// What a lemma is proved from contradicts nothing: without its goal, no step is shown.
#[test]
fn what_lemmas_are_proved_from_is_not_contradictory() {
    for lemma in Lemma::ALL {
        let mut theory = Theory::new(Arc::new(Song::default()));
        let mut steps = lemma.steps(&mut theory);
        for step in &mut steps {
            step.goal = theory.terms.bool(false);
        }
        let effort = Effort {
            steps: Some(1),
            ..Effort::default()
        };
        let shown = discharge(&mut theory, &steps, &SOLVERS, &effort, &Cancel::default());
        assert!(!shown.contains(&Shown::Yes), "{}", lemma.name());
    }
}

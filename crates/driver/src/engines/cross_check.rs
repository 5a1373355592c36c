//! Cross-check: small instances of what was proved for every size are explored all the same, for a few milliseconds.
//!
//! A line that is wrong, because a rule or its code is, is nearly always wrong for two or three processes already,
//! and soon. So what was proved is looked at once more by an engine that shares nothing with the rules: a refutation
//! is a real execution, which the interpreter has replayed, and outweighs any argument. It is reported as such, with
//! a note that says that this is our mistake. Finding nothing adds nothing to a proof, and is not mentioned.

use super::explore::Explore;
use crate::Engine;
use crate::engine::Task;
use crate::select::Question;
use crate::watch::Overseer;
use plainsong_semantics::search::Limits;
use plainsong_semantics::sizes::Sizes;
use plainsong_semantics::verdict::{Outcome, Verdict};

/// So much of each small instance is looked at.
const STATES: u64 = 500;
const INSTANCES: usize = 6;

/// Replaces what was proved by what contradicts it, if exploring these sizes finds something.
pub(super) fn doubt(
    task: &Task,
    sizes: Vec<Sizes>,
    verdicts: &mut [Verdict],
    overseer: &mut Overseer<'_>,
) {
    let is_proved = |verdict: &Verdict| verdict.outcome == Outcome::Proved;
    let asked = task.questions.iter().zip(&*verdicts);
    let asked: Vec<Question> = asked
        .filter(|(_, verdict)| is_proved(verdict))
        .map(|(question, _)| question.clone())
        .collect();
    if asked.is_empty() {
        return;
    }
    let small = Task {
        questions: asked,
        sizes: sizes.into_iter().take(INSTANCES).collect(),
        limits: Limits {
            states: task.limits.states.min(STATES),
            ..task.limits
        },
        grow: false,
        jobs: 1,
        symmetry: false,
        ..task.clone()
    };
    let (ledger, stage) = (overseer.ledger.take(), overseer.stage.clone());
    let seen = Explore.run(&small, overseer);
    (overseer.ledger, overseer.stage) = (ledger, stage);
    let Ok(seen) = seen else { return };
    let proved = verdicts.iter_mut().filter(|verdict| is_proved(verdict));
    for (verdict, seen) in proved.zip(seen.verdicts) {
        if seen.outcome != Outcome::Refuted {
            continue;
        }
        let property = verdict.property.clone();
        *verdict = Verdict { property, ..seen };
        verdict.notes.push(
            "this was called proved before an execution was found that shows the opposite: a mistake of ours, please report the song"
                .to_owned(),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::doubt;
    use crate::engine::{LivenessOptions, ProofOptions, Task};
    use crate::select::questions;
    use crate::watch::{Interrupt, Observer, Overseer, Stage};
    use plainsong_semantics::machine::Subject;
    use plainsong_semantics::search::{Limits, Progress};
    use plainsong_semantics::sizes::{Bounds, Sizes};
    use plainsong_semantics::verdict::{Outcome, Verdict};
    use std::sync::Arc;
    use std::time::Duration;

    struct Nobody;

    impl Observer for Nobody {
        fn progress(&mut self, _: &Stage, _: &Progress, _: Duration) {}
    }

    const STUCK: &str = "sort Client;
        message Ask;
        message Reply;
        process server { for c in Client { receive Ask from client[c]; } }
        process client[c: Client] { send Ask to server; receive Reply from server; }";

    fn doubted(text: &str) -> Vec<Verdict> {
        let song = Arc::new(plainsong_syntax::compile(text).song.expect("a song"));
        let questions = questions(&song);
        let proved = |name: &String| Verdict::proved(name, "as is claimed");
        let mut verdicts: Vec<Verdict> = questions.iter().map(|one| proved(&one.name)).collect();
        let task = Task {
            song,
            subject: Subject::System,
            questions,
            sizes: Vec::new(),
            further: Vec::new(),
            grow: false,
            bounds: Bounds::default(),
            limits: Limits::default(),
            is_limited_by_growth: false,
            effort: crate::effort::Effort::default(),
            jobs: 1,
            memory: None,
            disk: None,
            symmetry: false,
            delivery: None,
            proof: ProofOptions::default(),
            liveness: LivenessOptions::default(),
        };
        let interrupt = Interrupt::default();
        let mut observer = Nobody;
        let mut overseer = Overseer::new(Stage::default(), None, &interrupt, &mut observer);
        let sizes = vec![
            Sizes::new().with("Client", 1),
            Sizes::new().with("Client", 2),
        ];
        doubt(&task, sizes, &mut verdicts, &mut overseer);
        verdicts
    }

    #[test]
    fn a_wrong_proof_is_found_out() {
        let verdicts = doubted(STUCK);
        let deadlock = verdicts.iter().find(|one| one.property == "no_deadlock");
        let deadlock = deadlock.expect("it was asked");
        assert_eq!(deadlock.outcome, Outcome::Refuted, "{deadlock:?}");
        assert!(deadlock.trace.is_some());
        assert!(
            deadlock
                .notes
                .iter()
                .any(|note| note.contains("mistake of ours"))
        );
    }

    #[test]
    fn a_right_proof_stays_as_it_is() {
        let mended = STUCK.replace(
            "receive Ask from client[c];",
            "receive Ask from client[c]; send Reply to client[c];",
        );
        for verdict in doubted(&mended) {
            assert_eq!(verdict.outcome, Outcome::Proved, "{verdict:?}");
            assert_eq!(verdict.reason, "as is claimed");
            assert!(verdict.notes.is_empty());
        }
    }
}

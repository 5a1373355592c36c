//! The proof cache: proofs of a song that has not changed.
//!
//! Obligations are found again one by one, so that an edited song costs what the edit costs. But to find them they
//! have to be made, and for a song that has not changed at all this is most of the work. So the verdict of a proof
//! is kept as well.
//!
//! Why sound. Whether something is proved is a function of the song, the question, this program and the answers
//! of its solver, and all of them are in the key: the whole song with its places in the text, the question, size
//! and date of the program's file, and the solver with its version; and an entry counts only under the seal of the user's key
//! (`plainsong-smt`). Only `proved` is kept: it says what can be shown,
//! whereas a refutation is seen by the interpreter each time again, and what is unknown is worth another try.
//! Who wants proofs to be found again (`--stability`, `--recheck`, `--dump`) gets nothing from here.

use plainsong_semantics::search::Question;
use plainsong_semantics::verdict::{Assumption, Outcome, Verdict};
use plainsong_smt::{Cancel, Sexpr, Solvers};

/// What is kept about one song.
pub struct Remembered<'a> {
    solvers: &'a Solvers,
    /// All that verdicts depend on beside the question; nothing if they are not to be kept.
    about: Option<String>,
}

impl<'a> Remembered<'a> {
    /// All that verdicts depend on beside the question is in `about`; without it nothing is kept.
    pub fn new(about: Option<String>, solvers: &'a Solvers) -> Remembered<'a> {
        Remembered { solvers, about }
    }

    /// The verdict about a question, if it was proved before.
    pub fn proof(&self, question: &Question) -> Option<Verdict> {
        let note = self
            .solvers
            .recall_conclusion(&self.key(question)?, &Cancel::default())?;
        let note = note.parse().ok()?;
        read(question, &note)
    }

    /// Keeps a verdict if it is a proof.
    pub fn keep(&self, question: &Question, verdict: &Verdict) {
        let Some(key) = self.key(question) else {
            return;
        };
        if verdict.outcome == Outcome::Proved {
            let text = write(verdict).to_string();
            self.solvers
                .note_conclusion(&key, &text, &Cancel::default());
        }
    }

    fn key(&self, question: &Question) -> Option<String> {
        let about = self.about.as_ref()?;
        Some(format!("proof of {question:?}\n{about}"))
    }
}

/// `(reason (assumption …) (provided …) (note …) obligations)`
fn write(verdict: &Verdict) -> Sexpr {
    let texts = |all: &[String]| Sexpr::list(all.iter().map(|one| Sexpr::text(one)));
    Sexpr::list([
        Sexpr::text(&verdict.reason),
        Sexpr::list(
            verdict
                .assumptions
                .iter()
                .map(|one| Sexpr::text(&one.to_string())),
        ),
        texts(&verdict.provided),
        texts(&verdict.notes),
        Sexpr::text(&verdict.obligations.unwrap_or_default().to_string()),
    ])
}

fn read(question: &Question, note: &Sexpr) -> Option<Verdict> {
    let [reason, assumptions, provided, notes, obligations] = note.as_list()? else {
        return None;
    };
    let texts = |all: &Sexpr| -> Option<Vec<String>> {
        all.as_list()?.iter().map(Sexpr::as_text).collect()
    };
    Some(Verdict {
        obligations: obligations.as_text()?.parse().ok(),
        assumptions: texts(assumptions)?
            .into_iter()
            .map(Assumption::Other)
            .collect(),
        provided: texts(provided)?,
        notes: texts(notes)?,
        ..Verdict::proved(&question.name, reason.as_text()?)
    })
}

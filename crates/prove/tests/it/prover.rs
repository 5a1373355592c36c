//! What tests share: a text in, the obligations that could not be shown out.

use plainsong_prove::discharge::{Effort, Shown, discharge};
use plainsong_prove::obligation::Rule;
use plainsong_prove::theory::Theory;
use plainsong_prove::vc::conditions;
use plainsong_smt::{Cancel, Setup, Solvers};
use std::sync::{Arc, LazyLock};

/// The solvers of all tests; every query is really asked.
pub(crate) static SOLVERS: LazyLock<Solvers> = LazyLock::new(|| {
    let mut setup = Setup::from_environment();
    setup.answers = None;
    Solvers::new(setup)
});

/// The obligations of the first choreography that could not be shown: rule and text.
pub(crate) fn open(text: &str) -> Vec<String> {
    open_in(text, 0, None)
}

/// The same, with only so many of the steps, and without the first of them.
pub(crate) fn open_in(text: &str, skipped: usize, steps: Option<usize>) -> Vec<String> {
    let compiled = plainsong_syntax::compile(text);
    let song = compiled
        .song
        .unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
    let mut theory = Theory::new(Arc::new(song));
    let conditions = conditions(&mut theory, 0, &[]).expect("covered");
    let effort = Effort {
        name: "test".to_owned(),
        steps,
        skipped,
        ..Effort::default()
    };
    let all = &conditions.obligations;
    let shown = discharge(&mut theory, all, &SOLVERS, &effort, &Cancel::default());
    let open = all.iter().zip(shown).filter(|(one, shown)| {
        // A place that should be reachable is open when it is not known to be unreachable.
        (*shown != Shown::Yes) != (one.rule == Rule::Vacuity)
    });
    open.map(|(one, _)| format!("{}: {}", one.rule.name(), one.span.slice(text)))
        .collect()
}

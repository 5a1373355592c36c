//! Tests of proofs by induction, on songs.

mod bodies;
mod conditions;
mod counterexamples;
mod finals;
mod finding;
mod random;
mod random_handlers;
mod relation;
mod responses;
mod rules;

use plainsong_induct::{Ask, Condition, Found, Report, prove};
use plainsong_smt::{Cancel, Setup, Solvers};
use std::sync::Arc;

/// What is shown of a song, possibly without one of the conditions that soundness rests on.
fn report_with(text: &str, dropped: Option<Condition>, solvers: &Solvers) -> Report {
    let compiled = plainsong_syntax::compile(text);
    let song = compiled
        .song
        .unwrap_or_else(|| panic!("{:?}\n{text}", compiled.diagnostics));
    let ask = Ask {
        solvers,
        cancel: &Cancel::default(),
        seed: 0,
        recheck: false,
        dropped,
    };
    prove(&Arc::new(song), &ask).unwrap_or_else(|refused| panic!("{}\n{text}", refused.why))
}

fn solvers() -> Solvers {
    Solvers::new(Setup {
        answers: None,
        ..Setup::from_environment()
    })
}

fn report(text: &str, dropped: Option<Condition>) -> Report {
    report_with(text, dropped, &solvers())
}

/// The claims that are shown, by their names, and `assertions`.
fn shown(text: &str, dropped: Option<Condition>) -> Vec<String> {
    shown_with(text, dropped, &solvers())
}

fn shown_with(text: &str, dropped: Option<Condition>, solvers: &Solvers) -> Vec<String> {
    let report = report_with(text, dropped, solvers);
    let song = plainsong_syntax::compile(text)
        .song
        .expect("it was compiled before");
    let is_shown = |found: &Found| matches!(found, Found::Shown(_));
    let claims = report.claims.iter().filter(|(_, found)| is_shown(found));
    let mut names: Vec<String> = claims
        .map(|(at, _)| song.properties[*at].name.clone())
        .collect();
    names.extend(is_shown(&report.gates).then(|| "assertions".to_owned()));
    names
}

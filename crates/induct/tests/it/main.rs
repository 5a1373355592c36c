//! Tests of proofs by induction, on songs.

mod conditions;
mod rules;

use plainsong_induct::{Ask, Condition, Found, Report, prove};
use plainsong_smt::{Cancel, Setup, Solvers};
use std::sync::Arc;

/// What is shown of a song, possibly without one of the conditions that soundness rests on.
fn report(text: &str, dropped: Option<Condition>) -> Report {
    let compiled = plainsong_syntax::compile(text);
    let song = compiled
        .song
        .unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
    let solvers = Solvers::new(Setup {
        answers: None,
        ..Setup::from_environment()
    });
    let ask = Ask {
        solvers: &solvers,
        cancel: &Cancel::default(),
        seed: 0,
        recheck: false,
        dropped,
    };
    prove(&Arc::new(song), &ask).unwrap_or_else(|refused| panic!("{}", refused.why))
}

/// The claims that are shown, by their names, and `assertions`.
fn shown(text: &str, dropped: Option<Condition>) -> Vec<String> {
    let report = report(text, dropped);
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

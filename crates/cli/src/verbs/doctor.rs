//! `plainsong doctor`: what this build has, and what each part needs.
//!
//! The one verb that fetches a solver although nobody has a question yet, so that a machine can be made
//! ready before it loses its network.

use super::serve;
use crate::session::Session;
use plainsong_driver::save::TOOL;
use plainsong_driver::{Exit, engines};
use plainsong_smt::{Attempt, Cancel, Found, Origin, PINNED_Z3, Setup, Solver, Solvers};
use std::sync::Arc;

/// One line for each part. Fine if nothing is missing.
pub(crate) fn doctor(session: &mut Session) -> Exit {
    let mut text = line(TOOL);
    for engine in engines::ALL {
        text.push_str(&line(&format!("{:8} {}", engine.name(), engine.needs())));
    }
    let solvers = Solvers::new(Setup {
        attempt: Attempt::Always,
        notice: Some(Arc::new(|text| {
            // Without standard error there is nobody to tell.
            let _ = std::io::Write::write_fmt(&mut anstream::stderr(), format_args!("{text} …\n"));
        })),
        host: serve::host(),
        ..Setup::from_environment()
    });
    let examined = solvers.examine(&Cancel::default());
    let exit = match examined {
        Ok(_) => Exit::Fine,
        Err(_) => Exit::Unknown,
    };
    text.push_str(&solver(examined));
    text.push_str(&second(solvers.examine_second(&Cancel::default())));
    text.push_str(&cache(&solvers));
    session.console.result(&text);
    exit
}

fn solver(examined: Result<&Found, String>) -> String {
    let found = match examined {
        Ok(found) => found,
        Err(why) => {
            return format!("  \u{1b}[31mno\u{1b}[0m solver   proofs are not possible: {why}\n");
        }
    };
    let how = match found.origin {
        Origin::Named => "named by PLAINSONG_Z3",
        Origin::Pinned => "the pinned version",
        Origin::SearchPath => "on the search path",
    };
    let program = found.solver.program.display();
    let mut text = line(&format!(
        "solver   {}, {how}: {program}",
        found.solver.title()
    ));
    if let Some(remark) = &found.remark {
        let also = "answers may differ from those on other machines";
        text.push_str(&format!(
            "     not the pinned Z3 {PINNED_Z3}, {also}: {remark}\n"
        ));
    }
    text
}

/// Nothing depends on it, so it may be missing.
fn second(examined: Result<&Solver, String>) -> String {
    match examined {
        Ok(solver) => line(&format!("solver   {}, for second opinions", solver.title())),
        Err(why) => format!("  -  no cvc5 for second opinions: {why}\n"),
    }
}

/// Nothing but time depends on it.
fn cache(solvers: &Solvers) -> String {
    match solvers.examine_cache() {
        Ok((answers, key)) => line(&format!(
            "cache    answers in {}, sealed with {}",
            answers.display(),
            key.display()
        )),
        Err(why) => format!("  -  no cache of answers, so everything is asked each time: {why}\n"),
    }
}

fn line(text: &str) -> String {
    format!("  \u{1b}[32mok\u{1b}[0m {text}\n")
}

//! `plainsong diverge`: what never comes to rest.

use super::check::{Manner, check_in};
use crate::arguments::{DivergeArguments, DivergeMethod, FairHow};
use crate::session::Session;
use plainsong_driver::Exit;
use plainsong_driver::engine::{Fairness, Method, RestOptions};

/// Looks for periods.
pub(crate) fn diverge(arguments: &DivergeArguments, session: &mut Session) -> Exit {
    let fairness = arguments.fair.map(|how| match how {
        FairHow::Pending => Fairness::Fair,
        FairHow::Resent => Fairness::Resent,
    });
    let method = match arguments.method {
        None => Method::All,
        Some(DivergeMethod::Nearest) => Method::Nearest,
        Some(DivergeMethod::Rounds) => Method::Rounds,
        Some(DivergeMethod::Covering) => Method::Covering,
        Some(DivergeMethod::Structural) => Method::Structural,
        Some(DivergeMethod::States) => Method::States,
        Some(DivergeMethod::Shifted) => Method::Shifted,
        Some(DivergeMethod::Drifting) => Method::Drifting,
        Some(DivergeMethod::Alive) => Method::Alive {
            delay: arguments.delay,
            recursion: arguments.recursion,
        },
    };
    let manner = Manner {
        rest: RestOptions {
            fairness,
            method,
            prove: true,
        },
        engine: Some("diverge"),
        ..Manner::default()
    };
    check_in(&arguments.check, manner, session)
}

//! `plainsong explore`: every execution, in one run or in several.

use super::check::{Manner, check_in};
use super::resuming::Resuming;
use crate::arguments::ExploreArguments;
use crate::session::Session;
use plainsong_driver::Exit;

/// Explores the files, or goes on where an earlier run was stopped.
pub(crate) fn explore(arguments: &ExploreArguments, session: &mut Session) -> Exit {
    let manner = |resuming: Resuming| Manner {
        engine: Some("explore"),
        resuming: Some(resuming),
        ..Manner::default()
    };
    match &arguments.resume {
        None => {
            let resuming = Resuming::new(session);
            check_in(&arguments.check, manner(resuming), session)
        }
        Some(path) => match Resuming::from(path, &arguments.check) {
            Ok((first, resuming)) => check_in(&first, manner(resuming), session),
            Err(problem) => {
                session.console.json = arguments.check.json;
                session.reject(&problem)
            }
        },
    }
}

//! `plainsong explore`: every execution, in one run or in several.

use super::check::Manner;
use super::resuming::run_or_go_on;
use crate::arguments::ExploreArguments;
use crate::session::Session;
use plainsong_driver::Exit;

/// Explores the files, or goes on where an earlier run was stopped.
pub(crate) fn explore(arguments: &ExploreArguments, session: &mut Session) -> Exit {
    let manner = Manner {
        engine: Some("explore"),
        ..Manner::default()
    };
    run_or_go_on(&arguments.check, &arguments.resuming, manner, session)
}

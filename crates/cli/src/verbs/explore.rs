//! `plainsong explore`: every execution, in one run or in several.

use super::check::Manner;
use super::resuming::run_or_go_on;
use crate::arguments::ExploreArguments;
use crate::session::Session;
use plainsong_driver::Exit;

/// Explores the files, or goes on where an earlier run was stopped.
pub(crate) fn explore(arguments: &ExploreArguments, session: &mut Session) -> Exit {
    #[cfg_attr(
        not(feature = "swarm"),
        expect(unused_mut, reason = "there is no queue")
    )]
    let mut manner = Manner {
        engine: Some("explore"),
        ..Manner::default()
    };
    #[cfg(feature = "swarm")]
    let run = match crate::swarm::begin_exploring(arguments, session) {
        Ok(run) => run,
        Err(exit) => return exit,
    };
    #[cfg(feature = "swarm")]
    if let Some(run) = &run {
        manner.queue = Some(run.queue());
    }
    let exit = run_or_go_on(&arguments.check, &arguments.resuming, manner, session);
    #[cfg(feature = "swarm")]
    if let Some(run) = run {
        run.end(exit, session);
    }
    exit
}

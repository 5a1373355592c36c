//! `plainsong prove`: choreographies for every size and every value.

use super::check::{Manner, check_in};
use crate::arguments::ProveArguments;
use crate::session::Session;
use plainsong_driver::engine::ProofOptions;
use plainsong_driver::{Exit, Problem};

/// Proves what can be proved.
pub(crate) fn prove(arguments: &ProveArguments, session: &mut Session) -> Exit {
    if let Some(folder) = &arguments.dump
        && let Err(error) = std::fs::create_dir_all(folder)
    {
        let folder = folder.display();
        return session.reject(&Problem::new(format!(
            "cannot write to `{folder}`: {error}"
        )));
    }
    let proof = ProofOptions {
        dump: arguments.dump.clone(),
        stability: arguments.stability,
        recheck: arguments.recheck,
        host: super::serve::host(),
        caching: arguments.check.cache.caching(),
        ..ProofOptions::default()
    };
    let manner = Manner {
        engine: Some("prove"),
        proof,
        ..Manner::default()
    };
    check_in(&arguments.check, manner, session)
}

//! Flags of visits to executions: what `explore` takes beside the flags of `check`, and resuming.

use clap::Args;
use std::path::PathBuf;

/// `explore`.
#[derive(Debug, Args)]
pub(crate) struct ExploreArguments {
    #[command(flatten)]
    pub(crate) check: super::CheckArguments,
    #[cfg(feature = "swarm")]
    #[command(flatten)]
    pub(crate) queue: super::QueueArguments,
    #[command(flatten)]
    pub(crate) resuming: ResumeArguments,
}

/// Runs that go on where an earlier one was stopped.
#[derive(Debug, Args)]
pub(crate) struct ResumeArguments {
    /// Resume an interrupted run from the file that it wrote; the file contains the question
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = [
            "files", "size", "bound", "delivery", "property", "pattern", "grow", "list", "fail_fast",
            "keep_going",
        ]
    )]
    pub(crate) resume: Option<PathBuf>,
}

//! The flags of `sim`.

use super::{InstanceArguments, LimitArguments};
use clap::Args;
use std::path::PathBuf;

pub(super) const SIM_EXIT_CODES: &str = "\
Exit codes:
  0  as many executions ran as asked for, and none violates anything: no proof
  1  an execution violates a property
  2  fewer executions ran (time, memory, Ctrl-C), and none violates anything
  3  input rejected
  4  a bug of plainsong, with a file to attach";

/// `sim`.
#[derive(Debug, Args)]
pub(crate) struct SimArguments {
    /// The song; `-` is standard input
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) instance: InstanceArguments,
    /// The same seed gives the same execution; by chance when not given. With `--runs N`, the seed of the first
    /// execution: the others have the seeds after it
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) seed: Option<u64>,
    /// Draw N random executions and check every property on each, instead of showing one
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) runs: Option<u64>,
    /// Probabilistic concurrency testing: choose steps by random priorities that change D - 1 times, for bugs
    /// that need D events in the right order. Without it, every possible step has the same probability
    #[arg(long, value_name = "D", allow_negative_numbers = true, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) pct: Option<u32>,
    /// Number of worker threads; totals, verdicts and seeds do not depend on it [default: one for each core]
    #[arg(long, value_name = "N", allow_negative_numbers = true, requires = "runs", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
    /// Choose the next event yourself: reads numbers, `b` (back) and `q` (quit) from standard input, and shows which properties hold
    #[arg(long, conflicts_with_all = ["runs", "pct", "json", "steps", "out", "timeout", "memory"])]
    pub(crate) step: bool,
    /// Stop after the round of executions in which something is refuted
    #[arg(long, requires = "runs")]
    pub(crate) fail_fast: bool,
    /// The most steps of an execution
    #[arg(
        long,
        value_name = "N",
        allow_negative_numbers = true,
        default_value_t = 1000
    )]
    pub(crate) steps: usize,
    /// Save the execution and its picture in this folder; what refutes a property is saved in `out` without it
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
    #[cfg(feature = "swarm")]
    #[command(flatten)]
    pub(crate) queue: super::QueueArguments,
    /// One JSON object per line instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

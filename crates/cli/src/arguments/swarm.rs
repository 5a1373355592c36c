//! The flags of work over many machines.

use clap::{Args, Subcommand};
use std::net::SocketAddr;

/// `--swarm`, where a question can be asked in pieces.
#[derive(Debug, Args)]
pub(crate) struct QueueArguments {
    /// Have the work done by the workers of this NATS server with JetStream, `nats://HOST:4222`; the totals are those of one
    /// machine. Credentials come from the environment: PLAINSONG_SWARM_USER and PLAINSONG_SWARM_PASSWORD, PLAINSONG_SWARM_TOKEN, or
    /// PLAINSONG_SWARM_CREDENTIALS (a file)
    #[arg(long, value_name = "URL")]
    pub(crate) swarm: Option<String>,
    /// Begin the run under this name, or join the one of this name if it asks the same [default: made from the question]
    #[arg(long, value_name = "NAME", requires = "swarm")]
    pub(crate) run: Option<String>,
}

/// `worker`.
#[derive(Debug, Args)]
pub(crate) struct WorkerArguments {
    /// The NATS server, `nats://HOST:4222`; several of a cluster with commas between them
    #[arg(long, value_name = "URL")]
    pub(crate) swarm: String,
    /// Number of threads that work on pieces [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
    /// Put a piece down after so many seconds at the latest, so that no more than that is lost with a worker
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = super::seconds)]
    pub(crate) slice: std::time::Duration,
    /// Serve what the worker does at this address, `HOST:PORT/metrics`, in the format of Prometheus
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) metrics: Option<SocketAddr>,
}

/// `swarm`.
#[derive(Debug, Args)]
pub(crate) struct SwarmArguments {
    /// The NATS server, `nats://HOST:4222`
    #[arg(
        long,
        value_name = "URL",
        global = true,
        default_value = "nats://127.0.0.1:4222"
    )]
    pub(crate) swarm: String,
    #[command(subcommand)]
    pub(crate) verb: SwarmVerb,
}

/// What to do with runs.
#[derive(Debug, Subcommand)]
pub(crate) enum SwarmVerb {
    /// List all runs
    List,
    /// Show what a run asks and how far it is
    Show {
        /// Its name
        name: String,
    },
    /// Forget a run and all that was found
    Delete {
        /// Its name
        name: String,
    },
}

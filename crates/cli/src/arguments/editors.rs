//! The flags of `lsp` and `studio`.

use clap::Args;
use std::path::PathBuf;

/// `lsp`.
#[derive(Debug, Args)]
pub(crate) struct LspArguments {
    /// Over standard input and output, which is what it does anyway: editors say so
    #[arg(long)]
    pub(crate) stdio: bool,
}

/// `studio`.
#[derive(Debug, Args)]
pub(crate) struct StudioArguments {
    /// A folder whose songs are offered and saved; without one, the examples
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    /// The port to listen on, of this machine only; 0 takes one that is free
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub(crate) port: u16,
}

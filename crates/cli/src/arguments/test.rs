//! The flags of `test`.

use super::LimitArguments;
use clap::Args;
use std::path::PathBuf;

pub(super) const TEST_EXIT_CODES: &str = "\
A song with `// expect` lines or marks passes when all of them come out as written.
A song without any is checked, and passes when nothing in it is refuted.

Exit codes:
  0  every song passed
  1  a song failed
  2  not all songs were run (time, memory, Ctrl-C)
  3  input rejected: no songs, no such folder, a filter that matches nothing
  4  a bug of plainsong, with a file to attach";

/// `test`.
#[derive(Debug, Args)]
pub(crate) struct TestArguments {
    /// Songs, and folders whose songs are run, at any depth. Without any, the current folder
    pub(crate) paths: Vec<PathBuf>,
    /// Only songs whose path contains this text
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Option<String>,
    /// Number of songs that are run at once [default: one for each core]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
    /// Go on: run again what changes, until Ctrl-C
    #[arg(long, conflicts_with_all = ["junit", "sarif", "json"])]
    pub(crate) watch: bool,
    /// Write the results as JUnit's XML
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Write the results as SARIF, which code hosts show beside the lines
    #[arg(long, value_name = "FILE")]
    pub(crate) sarif: Option<PathBuf>,
    /// Say only what failed
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
    /// One JSON object per line instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

//! One test per song: everything its header and its marks say.
//!
//! `PLAINSONG_BLESS=1` rewrites the expectations instead; see `songs/README.md`.

use libtest_mimic::{Arguments, Failed, Trial};
use plainsong_testkit::corpus;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let bless = std::env::var_os("PLAINSONG_BLESS").is_some_and(|value| value != "0");
    let files = corpus::files().expect("the corpus lies beside the crates");
    let trials = files
        .into_iter()
        .map(|file| Trial::test(file.display().to_string(), move || test(&file, bless)))
        .collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn test(file: &Path, bless: bool) -> Result<(), Failed> {
    let path = corpus::root().join(file);
    let mut text = std::fs::read_to_string(&path)?;
    if bless {
        let blessed = corpus::bless(&text).map_err(|problems| listed(file, &problems))?;
        if blessed != text {
            std::fs::write(&path, &blessed)?;
            text = blessed;
        }
    }
    let problems = corpus::examine(&text);
    if problems.is_empty() {
        Ok(())
    } else {
        Err(listed(file, &problems))
    }
}

fn listed(file: &Path, problems: &[corpus::Problem]) -> Failed {
    let lines: Vec<String> = problems
        .iter()
        .map(|problem| format!("{}:{}: {}", file.display(), problem.line, problem.message))
        .collect();
    Failed::from(lines.join("\n"))
}

//! cvc5 as a program, for those who have no command of their own that calls [`plainsong_smt::serve`].

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let libraries = arguments.next().map(PathBuf::from).unwrap_or_default();
    let memory_mb = arguments
        .next()
        .and_then(|text| text.to_str()?.parse().ok())
        .unwrap_or(2_048);
    match plainsong_smt::serve(&libraries, memory_mb) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("{error}\n"));
            ExitCode::FAILURE
        }
    }
}

//! cvc5 as a process.
//!
//! Its package has no program, only libraries; so a program of ours (a hidden verb of the command)
//! loads them and behaves like a solver behind a pipe: one command a line, its answer, and so on. What
//! goes wrong inside the libraries goes wrong in that process.

mod library;

use library::Library;
use std::io::{self, BufRead, Write};
use std::path::Path;

/// Serves commands from standard input until it ends. `memory_mb` limits what it may use; its time is limited as well.
pub fn serve(libraries: &Path, memory_mb: u64) -> io::Result<()> {
    limit(memory_mb);
    let mut library = Library::load(libraries).map_err(io::Error::other)?;
    let mut output = io::stdout().lock();
    let mut lines = io::stdin().lock().lines();
    while let Some(line) = lines.next() {
        match library.command(&line?) {
            Ok(answer) => output.write_all(tidied(&answer).as_bytes())?,
            Err(why) => {
                writeln!(output, "(error \"{}\")", why.replace('"', "\"\""))?;
                return only_echo(lines, output);
            }
        }
        output.flush()?;
    }
    Ok(())
}

/// After an error nothing is executed any more, but the end of the answer is still marked.
fn only_echo(
    lines: impl Iterator<Item = io::Result<String>>,
    mut output: impl Write,
) -> io::Result<()> {
    for line in lines {
        if let Some(rest) = line?.strip_prefix("(echo ") {
            writeln!(output, "{}", rest.trim_end_matches(')'))?;
            output.flush()?;
        }
    }
    Ok(())
}

/// `unknown (RESOURCEOUT)` is one answer in two expressions; the reason is asked for anyway.
fn tidied(answer: &str) -> String {
    if answer.starts_with("unknown ") {
        "unknown\n".to_owned()
    } else if answer.is_empty() || answer.ends_with('\n') {
        answer.to_owned()
    } else {
        format!("{answer}\n")
    }
}

/// Limits what this process may use, of memory and of processor time.
#[cfg(unix)]
fn limit(megabytes: u64) {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let seconds = crate::process::LIFETIME.as_secs();
    for (resource, most) in [(Resource::As, megabytes << 20), (Resource::Cpu, seconds)] {
        let limit = Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        // A machine that does not allow it has limits of its own.
        let _ = setrlimit(resource, limit);
    }
}

#[cfg(not(unix))]
fn limit(_megabytes: u64) {}

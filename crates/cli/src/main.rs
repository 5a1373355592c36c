//! The `plainsong` command.
//!
//! Standard output carries the result, standard error progress and complaints. Exit codes are those
//! of [`plainsong_driver::Exit`]. Everything runs on a thread with a large stack, because songs may
//! nest deeply, and inside a container, because a bug of ours is exit code 4 and a file to attach.

mod arguments;
mod console;
mod habits;
mod limits;
mod progress;
mod session;
#[cfg(feature = "swarm")]
mod swarm;
mod verbs;

use arguments::{Arguments, ColorWhen};
use clap::Parser as _;
use clap::error::ErrorKind;
use plainsong_driver::Exit;
use session::Session;
use std::process::ExitCode;

/// Deep nesting is limited by the parser; what it lets through fits into this.
const STACK: usize = 256 * 1024 * 1024;

fn main() -> ExitCode {
    let worker = std::thread::Builder::new().stack_size(STACK).spawn(run);
    let exit = worker
        .ok()
        .and_then(|worker| worker.join().ok())
        .unwrap_or(Exit::Bug);
    ExitCode::from(exit.code())
}

fn run() -> Exit {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let error = habits::told(error);
            // Nobody to tell when the terminal is gone.
            let _ = error.print();
            return match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Exit::Fine,
                _ => Exit::Rejected,
            };
        }
    };
    choose_colour(arguments.color);
    let mut session = Session::new();
    match session.contain(|session| verbs::run(&arguments.verb, session)) {
        Exit::Fine if session.console.is_lost => Exit::Rejected,
        exit => exit,
    }
}

fn choose_colour(when: ColorWhen) {
    match when {
        ColorWhen::Auto => anstream::ColorChoice::Auto,
        ColorWhen::Always => anstream::ColorChoice::Always,
        ColorWhen::Never => anstream::ColorChoice::Never,
    }
    .write_global();
}

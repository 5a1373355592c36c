//! `plainsong doctor`: what this build has, and what each part needs.

use crate::session::Session;
use plainsong_driver::save::TOOL;
use plainsong_driver::{Exit, engines};

/// One line for each part.
pub(crate) fn doctor(session: &mut Session) -> Exit {
    let mut text = line(TOOL);
    for engine in engines::ALL {
        text.push_str(&line(&format!("{:8} {}", engine.name(), engine.needs())));
    }
    let planned = engines::PLANNED.join(", ");
    text.push_str(&format!("  -  not in this build: {planned}\n"));
    session.console.result(&text);
    Exit::Fine
}

fn line(text: &str) -> String {
    format!("  \u{1b}[32mok\u{1b}[0m {text}\n")
}

//! `plainsong sim --step`: whoever sits at the terminal chooses what happens next.

use crate::session::Session;
use plainsong_driver::{Exit, LoadedSong};
use plainsong_semantics::machine::Machine;
use plainsong_semantics::stepping::{Stepping, Worth};
use plainsong_semantics::trace::Ending;
use std::io::BufRead;

const HELP: &str = "  a number takes that step, `b` takes the last one back, `q` ends it\n";

/// What was typed.
enum Command {
    Take(usize),
    Back,
    Quit,
    Unclear,
}

/// Steps through one system or choreography; standard input says how.
pub(crate) fn step_through(
    loaded: &LoadedSong,
    machine: &Machine,
    seed: u64,
    session: &mut Session,
) -> Exit {
    let Some(mut stepping) = Stepping::begin(machine, seed) else {
        session.console.result("  no execution starts well\n");
        return Exit::Unknown;
    };
    let bound = machine.instance().bound();
    let bound = bound
        .iter()
        .map(|(name, value)| format!("  {name}={value}"));
    let heading = format!(
        "{}{}\n{HELP}",
        loaded.source.name,
        bound.collect::<String>()
    );
    session.console.result(&heading);
    // Which steps violate something: those that are taken back do not count.
    let mut violating: Vec<usize> = Vec::new();
    let mut lines = std::io::stdin().lock().lines();
    loop {
        violating.retain(|step| *step < stepping.steps());
        if show(&stepping, session) {
            violating.push(stepping.steps());
        }
        let choices = stepping.choices();
        let line = lines.next().and_then(Result::ok);
        match line.as_deref().map_or(Command::Quit, command) {
            Command::Quit => break,
            Command::Back if stepping.back() => {}
            Command::Take(number) if number >= 1 && number <= choices.len() => {
                stepping.take(choices[number - 1].position);
            }
            Command::Back | Command::Take(_) | Command::Unclear => session.console.result(HELP),
        }
    }
    let text = plainsong_report::execution(loaded.source.text(), &stepping.trace(), &[]);
    session.console.result(&format!("\n{text}"));
    match violating.is_empty() {
        true => Exit::Fine,
        false => Exit::Refuted,
    }
}

fn command(line: &str) -> Command {
    match line.trim() {
        "b" | "back" => Command::Back,
        "q" | "quit" => Command::Quit,
        other => other.parse().map_or(Command::Unclear, Command::Take),
    }
}

/// Shows the state at hand and what can happen; is something violated in it?
fn show(stepping: &Stepping<'_>, session: &mut Session) -> bool {
    let mut text = format!("\nafter {} steps\n", stepping.steps());
    let properties = stepping.properties();
    let holding = properties
        .iter()
        .filter(|(_, worth)| *worth == Worth::Holds);
    let holding: Vec<&str> = holding.map(|(name, _)| name.as_str()).collect();
    if !holding.is_empty() {
        text.push_str(&format!("  holds      {}\n", holding.join(", ")));
    }
    let mut is_wrong = false;
    for (name, worth) in &properties {
        if let Worth::Violated(why) = worth {
            is_wrong = true;
            text.push_str(&format!("  VIOLATED   {name}: {why}\n"));
        }
    }
    if let Some(why) = stepping.wrong() {
        is_wrong = true;
        text.push_str(&format!("  VIOLATED   {why}\n"));
    }
    match stepping.ending() {
        Ending::Final => text.push_str("  it terminated: there is nothing left to do\n"),
        Ending::Discarded => text.push_str("  an `assume` ends it here\n"),
        _ => {}
    }
    for (at, choice) in stepping.choices().iter().enumerate() {
        text.push_str(&format!("  {:>4}  {}\n", at + 1, choice.words));
    }
    session.console.result(&text);
    is_wrong
}

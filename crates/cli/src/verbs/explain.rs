//! `plainsong explain`: the long story behind a diagnostic code.

use crate::arguments::ExplainArguments;
use crate::session::Session;
use plainsong_diagnostics::Code;
use plainsong_driver::{Exit, Problem};

/// Explains a code, or lists all.
pub(crate) fn explain(arguments: &ExplainArguments, session: &mut Session) -> Exit {
    let mut codes = plainsong_syntax::all_codes();
    codes.extend(plainsong_driver::projection::CODES);
    codes.extend(plainsong_driver::LINE_CODES);
    codes.sort_by_key(|code| code.name);
    let Some(wanted) = &arguments.code else {
        session.console.result(&list(&codes));
        return Exit::Fine;
    };
    // As copied from the terminal: `error[unknown-name]`.
    let name = wanted
        .trim_start_matches("error")
        .trim_start_matches("warning");
    let name = name
        .trim_start_matches('[')
        .trim_end_matches(':')
        .trim_end_matches(']');
    match codes.iter().find(|code| code.name == name) {
        Some(code) => {
            let explanation = code.explanation.trim();
            session
                .console
                .result(&format!("{}: {}\n\n{explanation}\n", code.name, code.title));
            Exit::Fine
        }
        None => session.reject(&unknown(name, &codes)),
    }
}

fn list(codes: &[&Code]) -> String {
    let width = codes.iter().map(|code| code.name.len()).max().unwrap_or(0);
    codes
        .iter()
        .map(|code| format!("{:width$}  {}\n", code.name, code.title))
        .collect()
}

fn unknown(name: &str, codes: &[&Code]) -> Problem {
    let names: Vec<&str> = codes.iter().map(|code| code.name).collect();
    let near = plainsong_diagnostics::near_names(name, names.iter().copied());
    if near.is_empty() {
        return Problem::new(format!("there is no code `{name}`"))
            .help("`plainsong explain --list` shows all of them");
    }
    Problem::unknown("code", name, &names)
}

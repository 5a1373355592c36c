//! Verbs and flags of other tools: what they are called here, said in place of clap's nearest spelling.

use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

/// What a verb of another tool is here.
const VERBS: &[(&str, &str)] = &[
    (
        "verify",
        "`plainsong check FILE` checks every property, `plainsong prove FILE` proves for every size",
    ),
    (
        "model-check",
        "`plainsong check FILE` checks every property",
    ),
    ("mc", "`plainsong check FILE` checks every property"),
    ("tlc", "`plainsong check FILE` checks every property"),
    (
        "typecheck",
        "`plainsong check FILE --list` checks the text and lists its properties",
    ),
    (
        "parse",
        "`plainsong check FILE --list` checks the text and lists its properties",
    ),
    (
        "lint",
        "`plainsong check FILE --list` checks the text and lists its properties",
    ),
    (
        "compile",
        "`plainsong project FILE` makes a crate of a choreography; `plainsong check FILE` checks a program",
    ),
    (
        "build",
        "`plainsong project FILE` makes a crate of a choreography; `plainsong check FILE` checks a program",
    ),
    ("simulate", "`plainsong sim FILE` shows a random execution"),
    ("random", "`plainsong sim FILE` shows a random execution"),
    ("fuzz", "`plainsong sim FILE` shows a random execution"),
    ("format", "`plainsong fmt FILE` formats"),
    ("trace", "`plainsong replay TRACE` shows a saved execution"),
    ("init", "`plainsong new DIR` makes a first program"),
    ("create", "`plainsong new DIR` makes a first program"),
];

/// What a flag of another tool is here.
const FLAGS: &[(&str, &str)] = &[
    ("--workers", "write `--jobs N`"),
    ("-workers", "write `--jobs N`"),
    ("--threads", "write `--jobs N`"),
    ("--parallel", "write `--jobs N`"),
    ("-j", "write `--jobs N`"),
    ("-w", "write `--jobs N`"),
    ("-n", "write `--size SORT=N`, or `--bound WHAT=N`"),
    ("--instances", "write `--size SORT=N`"),
    ("--scope", "write `--size SORT=N`"),
    (
        "--invariant",
        "write the claim into the file, `property name: always p;`, and ask for it with `--property name`",
    ),
    (
        "--invariants",
        "write the claim into the file, `property name: always p;`, and ask for it with `--property name`",
    ),
    (
        "--inv",
        "write the claim into the file, `property name: always p;`, and ask for it with `--property name`",
    ),
    (
        "--temporal",
        "write the claim into the file, `property name: p leads to q;`, and ask for it with `--property name`",
    ),
    (
        "--deadlock",
        "deadlocks are looked for in any case; `--property no_deadlock` asks for nothing else",
    ),
    (
        "-deadlock",
        "deadlocks are looked for in any case; `--property no_deadlock` asks for nothing else",
    ),
    (
        "-d",
        "deadlocks are looked for in any case; `--property no_deadlock` asks for nothing else",
    ),
    (
        "--depth",
        "searches have no depth: bound what grows, `--bound pending=3`, or give a `--timeout`",
    ),
    (
        "--max-depth",
        "searches have no depth: bound what grows, `--bound pending=3`, or give a `--timeout`",
    ),
    (
        "--max-steps",
        "searches have no depth: bound what grows, `--bound pending=3`, or give a `--timeout`",
    ),
    ("--time-limit", "write `--timeout SECONDS`"),
    ("--max-time", "write `--timeout SECONDS`"),
    ("--mem", "write `--memory MB`"),
    ("--max-memory", "write `--memory MB`"),
    ("--output", "write `--out DIR`"),
    ("-o", "write `--out DIR`"),
    (
        "--format",
        "write `--json`, `--junit FILE`, `--sarif FILE` or `--page FILE`",
    ),
    (
        "--reporter",
        "write `--json`, `--junit FILE`, `--sarif FILE` or `--page FILE`",
    ),
    ("--html", "write `--page FILE`"),
    ("--fairness", "write `--fair LEVEL`"),
    (
        "--seed",
        "searches are exhaustive and need no seed; `plainsong sim FILE --seed N` is random",
    ),
    (
        "--simulate",
        "`plainsong sim FILE` shows a random execution",
    ),
    ("--debug", "write `--verbose`"),
];

/// The complaint about a command line, with what is meant by a word of another tool.
pub(crate) fn told(mut error: Error) -> Error {
    let (kind, table, guesses): (_, _, &[ContextKind]) = match error.kind() {
        ErrorKind::InvalidSubcommand => (
            ContextKind::InvalidSubcommand,
            VERBS,
            &[ContextKind::SuggestedSubcommand],
        ),
        ErrorKind::UnknownArgument => (
            ContextKind::InvalidArg,
            FLAGS,
            &[ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand],
        ),
        _ => return error,
    };
    let Some(ContextValue::String(word)) = error.get(kind) else {
        return error;
    };
    let name = word.split('=').next().unwrap_or(word);
    let Some((_, meant)) = table.iter().find(|(known, _)| *known == name) else {
        return error;
    };
    for guess in guesses {
        error.remove(*guess);
    }
    let tip = ContextValue::StyledStrs(vec![(*meant).into()]);
    error.insert(ContextKind::Suggested, tip);
    error
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::Arguments;
    use clap::{CommandFactory as _, Parser as _};

    fn said(arguments: &[&str]) -> String {
        let words = ["plainsong"].iter().chain(arguments);
        let error = Arguments::try_parse_from(words).expect_err("it is refused");
        told(error).to_string()
    }

    #[test]
    fn words_of_other_tools_are_understood() {
        let said = said(&["verify", "a.song"]);
        assert!(
            said.contains("tip: `plainsong check FILE` checks"),
            "{said}"
        );
    }

    #[test]
    fn flags_of_other_tools_are_understood() {
        for flag in ["-j4", "--workers=4", "-workers"] {
            let said = said(&["check", "a.song", flag]);
            assert!(said.contains("tip: write `--jobs N`"), "{said}");
            assert!(!said.contains("as a value"), "{said}");
        }
    }

    #[test]
    fn nothing_of_ours_is_in_the_tables() {
        let command = Arguments::command();
        for (verb, _) in VERBS {
            assert!(command.find_subcommand(verb).is_none(), "{verb}");
        }
        let check = command.find_subcommand("check").expect("a verb");
        for (flag, _) in FLAGS {
            let long = flag.strip_prefix("--");
            let is_ours = |one: &clap::Arg| long.is_some() && one.get_long() == long;
            assert!(!check.get_arguments().any(is_ours), "{flag}");
        }
    }
}

//! `plainsong completions SHELL` and `plainsong man DIR`: what shells and `man` know of the command, made from its flags.

use crate::arguments::{Arguments, CompletionsArguments, ManArguments};
use crate::session::Session;
use clap::CommandFactory as _;
use plainsong_driver::{Exit, Problem};

/// What the command is called.
const NAME: &str = "plainsong";

/// Prints completions.
pub(crate) fn completions(arguments: &CompletionsArguments, session: &mut Session) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(
        arguments.shell,
        &mut Arguments::command(),
        NAME,
        &mut script,
    );
    session.console.result(&String::from_utf8_lossy(&script));
    Exit::Fine
}

/// Writes manual pages.
pub(crate) fn manual(arguments: &ManArguments, session: &mut Session) -> Exit {
    let folder = &arguments.folder;
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(Arguments::command(), folder));
    match written {
        Ok(()) => Exit::Fine,
        Err(error) => {
            let place = folder.display();
            session.reject(&Problem::new(format!("cannot write into {place}: {error}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum as _;

    #[test]
    fn every_shell_knows_every_verb_and_every_verb_has_a_page() {
        let verbs = ["check", "explore", "sequentialize", "lsp", "doctor"];
        for shell in clap_complete::Shell::value_variants() {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Arguments::command(), NAME, &mut script);
            let script = String::from_utf8(script).expect("text");
            for verb in verbs {
                assert!(script.contains(verb), "{shell}: {verb}");
            }
            assert!(
                script.contains("--size") || script.contains("size"),
                "{shell}"
            );
        }
        let folder = tempfile::tempdir().expect("a folder");
        clap_mangen::generate_to(Arguments::command(), folder.path()).expect("pages");
        for verb in verbs {
            let page = folder.path().join(format!("plainsong-{verb}.1"));
            let page = std::fs::read_to_string(page).expect("a page");
            assert!(page.contains(".SH NAME") && page.contains(verb), "{page}");
        }
    }
}

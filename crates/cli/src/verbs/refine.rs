//! `plainsong refine`: movers and refinement of procedures; with `--emit` the program of a layer, or the
//! line that schedules lead to.

use super::check::{Manner, check_in};
use super::request::files;
use crate::arguments::RefineArguments;
use crate::session::Session;
use plainsong_driver::engine::ProofOptions;
use plainsong_driver::{Exit, Problem, Source, layers, song};

/// Proves what can be proved.
pub(crate) fn refine(arguments: &RefineArguments, session: &mut Session) -> Exit {
    if let Some(folder) = &arguments.dump
        && let Err(error) = std::fs::create_dir_all(folder)
    {
        let folder = folder.display();
        return session.reject(&Problem::new(format!(
            "cannot write to `{folder}`: {error}"
        )));
    }
    let caching = arguments.check.cache.caching();
    let proof = ProofOptions {
        dump: arguments.dump.clone(),
        stability: arguments.stability,
        recheck: arguments.recheck,
        explain: arguments.explain,
        host: super::serve::host(),
        caching: caching.clone(),
        ..ProofOptions::default()
    };
    let manner = Manner {
        engine: Some("refine"),
        proof,
        ..Manner::default()
    };
    let exit = check_in(&arguments.check, manner, session);
    if !arguments.emit && !arguments.movers {
        return exit;
    }
    for file in files(&arguments.check.files).unwrap_or_default() {
        // What is wrong with a file was said before.
        let Ok(Ok(loaded)) = Source::load(&file).map(song::compile) else {
            continue;
        };
        let Some(song) = &loaded.song else { continue };
        if arguments.movers {
            session
                .console
                .result(&format!("\n{}", layers::movers(song, &caching)));
        }
        if !arguments.emit {
            continue;
        }
        let emitted = match &arguments.layer {
            Some(said) => match layers::numbered(song, &loaded.source.text, said) {
                Ok(layer) => Some(layers::emitted(song, layer)),
                Err(problem) => {
                    return session.reject(&problem.in_file(file.display().to_string()));
                }
            },
            None => layers::line(song, exit == Exit::Fine),
        };
        match emitted {
            Some(text) => session.console.result(&format!("\n{text}")),
            None => {
                let why = "there is no schedule to print a line of; say which layer is meant: `--layer 1`";
                return session.reject(&Problem::new(why));
            }
        }
    }
    exit
}

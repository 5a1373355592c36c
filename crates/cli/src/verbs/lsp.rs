//! `plainsong lsp`: the language server.

use crate::arguments::LspArguments;
use crate::session::Session;
use plainsong_driver::{Exit, Problem};

/// Serves until the editor says goodbye.
pub(crate) fn lsp(arguments: &LspArguments, session: &mut Session) -> Exit {
    // There is no other way of talking yet.
    let LspArguments { stdio: _ } = arguments;
    match plainsong_lsp::serve_stdio() {
        Ok(()) => Exit::Fine,
        Err(error) => {
            let problem = Problem::new(format!("the language server cannot go on: {error}"));
            session.reject(
                &problem.help(
                    "`plainsong lsp` is started by an editor, not by hand; the book says how",
                ),
            )
        }
    }
}

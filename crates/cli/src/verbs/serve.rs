//! `plainsong serve-cvc5`: hidden, because the command starts it itself. cvc5 comes as libraries; this is
//! the process that they run in, so that nothing they do can harm the run.

use crate::arguments::ServeArguments;
use crate::session::Session;
use plainsong_driver::Exit;
use plainsong_smt::Host;

/// The name of the verb.
pub(crate) const SERVE_CVC5: &str = "serve-cvc5";

/// How to start this verb; none if nobody knows where this program is.
pub(crate) fn host() -> Option<Host> {
    Some(Host {
        program: std::env::current_exe().ok()?,
        arguments: vec![SERVE_CVC5.into()],
    })
}

/// Answers on standard output what standard input asks.
pub(crate) fn serve(arguments: &ServeArguments, session: &mut Session) -> Exit {
    match plainsong_smt::serve(&arguments.libraries, arguments.memory) {
        Ok(()) => Exit::Fine,
        Err(error) => {
            session.console.remark(&format!("{error}\n"));
            Exit::Unknown
        }
    }
}

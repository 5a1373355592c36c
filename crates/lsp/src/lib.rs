//! The language server: what the front end and the engines know, in an editor.
//!
//! It speaks the Language Server Protocol 3.17 over standard input and output. A [`document::Document`] is a text with
//! what the front end says of it, worked out once for each version; `features` are functions of it; [`verdicts`] asks the
//! engines in the background. The loop is in `server`.
//!
//! Texts are analysed whole after each change. Measured, not assumed, to be quick enough: see `tests/it/latency.rs`.
//!
//! NOT COVERED: imports (a song is one file), ranges in formatting, workspace symbols.

pub mod document;
pub mod features;
pub mod names;
pub mod position;
mod server;
pub mod traffic;
pub mod verdicts;

use lsp_server::Connection;
pub use server::{Checking, Options, serve};

/// Serves standard input and output until the client says goodbye.
pub fn serve_stdio() -> Result<(), String> {
    let (connection, threads) = Connection::stdio();
    let served = serve(&connection);
    drop(connection);
    let joined = threads.join().map_err(|error| error.to_string());
    served.and(joined)
}

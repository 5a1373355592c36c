//! Renderings as people and programs see them.

mod counterexamples;
mod diagnostics;
mod differences;
mod exports;
mod lines;
mod pictures;
mod scenes;
mod stream;
mod trace_files;

/// Without colours.
fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

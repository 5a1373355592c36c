//! What people and programs see: diagnostics, verdict lines, message pictures, saved traces and
//! the JSON stream.
//!
//! Everything here turns data into text and back and does nothing else: no files, no clocks, no
//! terminals. Renderings for the terminal carry colours; whoever prints strips them when they are
//! not wanted.

mod answer;
mod counterexample;
mod diagnostics;
mod figures;
mod lines;
mod paint;
mod picture;
pub mod stream;
mod text;
pub mod trace_file;

pub use answer::{Answer, Coverage, Sensitivity};
pub use counterexample::{counterexample, execution, reason};
pub use diagnostics::{diagnostic, diagnostics};
pub use figures::{count, thousands};
pub use lines::{file_lines, sensitivity_lines, summary_line};
pub use picture::picture;
pub use text::Text;

//! What people and programs see: diagnostics, verdict lines, message pictures, saved traces and
//! the JSON stream.
//!
//! Everything here turns data into text and back and does nothing else: no files, no clocks, no
//! terminals. Renderings for the terminal carry colours; whoever prints strips them when they are
//! not wanted.

mod answer;
mod counterexample;
mod diagnostics;
mod difference;
mod export;
mod figures;
mod lasso;
mod lines;
mod page;
mod paint;
mod picture;
mod states;
pub mod stream;
mod text;
pub mod trace_file;
mod words;

pub use answer::{Account, Answer, Coverage, Sensitivity, Shrunk};
pub use counterexample::{counterexample, execution, reason};
pub use diagnostics::{diagnostic, diagnostics};
pub use difference::{Difference, difference};
pub use export::{itf, json, mermaid, plantuml, shiviz};
pub use figures::{count, thousands};
pub use lines::{file_lines, sensitivity_lines, summary_line};
pub use page::{Page, html};
pub use picture::{picture, svg};
pub use text::Text;

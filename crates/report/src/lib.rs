//! What people and programs see: diagnostics, verdict lines, message pictures, saved traces and
//! the JSON stream.
//!
//! Everything here turns data into text and back and does nothing else: no files, no clocks, no
//! terminals. Renderings for the terminal carry colours; whoever prints strips them when they are
//! not wanted.

mod answer;
mod ci;
mod counterexample;
mod diagnostics;
mod difference;
mod export;
mod figures;
mod forecast;
mod lasso;
mod line_page;
mod lines;
mod page;
mod paint;
mod picture;
mod states;
pub mod stream;
mod test_code;
mod text;
pub mod trace_file;

pub use answer::{Account, Answer, Attempt, Coverage, Sensitivity, Shrunk};
pub use ci::{Findings, Mistake, SongTest, junit, junit_of_tests, sarif, sarif_of_tests};
pub use counterexample::{counterexample, execution, place, reason};
pub use diagnostics::{diagnostic, diagnostics};
pub use difference::{Difference, difference};
pub use export::{itf, json, mermaid, plantuml, shiviz};
pub use figures::{count, power_of_ten, thousands};
pub use forecast::{Forecast, about, forecast_lines};
pub use line_page::line_page;
pub use lines::{file_lines, sensitivity_lines, summary_line};
pub use page::{
    COLOURS, Checked, Page, Steps, comparison_html, html, overview_html, stepping_book,
    stepping_html,
};
pub use picture::{picture, svg};
pub use test_code::to_test;
pub use text::Text;

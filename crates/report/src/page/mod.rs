//! The page: executions in one HTML file, to be opened without a server and without a network.
//!
//! The file carries the execution, the alternative one when a race decided it, the values of the
//! properties and the text of the song as one JSON object, and a hand-written script that draws them.
//! Everything a reader sees is computed here or by that script from that object; nothing is fetched.
//! A page about a whole run carries the verdicts, the coverage and one such story for each refutation; a page
//! about two executions shows them side by side.

mod overview;
mod stepping;
mod story;

pub use overview::Checked;
pub use stepping::{Steps, stepping_book, stepping_html};

use crate::trace_file::SavedTrace;
use crate::{Difference, Text};
use plainsong_semantics::property_values::Truths;
use plainsong_semantics::race::Race;
use serde_json::{Value, json};

const PAGE: &str = include_str!("page.html");
/// The colours of both themes, for pages that belong together.
pub const COLOURS: &str = include_str!("colours.css");
const STYLE: &str = include_str!("page.css");
/// The script, one idea a file; together they are the body of one function.
const SCRIPT: [&str; 9] = [
    include_str!("script/story.js"),
    include_str!("script/layout.js"),
    include_str!("script/picture.js"),
    include_str!("script/values.js"),
    include_str!("script/verdicts.js"),
    include_str!("script/panels.js"),
    include_str!("script/moving.js"),
    include_str!("script/stepping.js"),
    include_str!("script/start.js"),
];

/// What a page is about.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// The execution.
    pub saved: &'a SavedTrace,
    /// The song, where it is at hand.
    pub source: Option<Text<'a>>,
    /// What the properties are worth along the execution.
    pub truths: &'a [Truths],
    /// What decided it.
    pub race: Option<&'a Race>,
    /// What the properties are worth along the alternative.
    pub other_truths: &'a [Truths],
    /// Why something is missing.
    pub note: Option<&'a str>,
}

/// The page as one file.
pub fn html(page: &Page<'_>) -> String {
    let told = json!({ "files": [], "stories": [story::story(page)] });
    filled(&title(page), told)
}

/// A whole run as one file: every verdict, how much of each song took part, and the executions that refute
/// something.
pub fn overview_html(tool: &str, files: &[Checked<'_>]) -> String {
    let names: Vec<&str> = files.iter().map(|file| file.name).collect();
    let (files, stories) = overview::overview(files);
    let story = json!({ "tool": tool, "files": files, "stories": stories });
    filled(&names.join(", "), story)
}

/// Two executions side by side, each under its name.
pub fn comparison_html(
    left: (&str, &Page<'_>),
    right: (&str, &Page<'_>),
    difference: &Difference,
) -> String {
    let title = format!("{} \u{2013} {}", left.0, right.0);
    let story = story::comparison(left, right, difference);
    filled(&title, json!({ "files": [], "stories": [story] }))
}

fn title(page: &Page<'_>) -> String {
    let header = &page.saved.header;
    match &header.property {
        Some(property) => format!("{property} \u{2013} {}", header.file),
        None => header.file.clone(),
    }
}

fn filled(title: &str, told: Value) -> String {
    // Inside a script element only `<` has a meaning, and JSON can do without it.
    let told = told.to_string().replace('<', "\\u003c");
    let script = format!("\"use strict\";\n(() => {{\n{}}})();\n", SCRIPT.concat());
    PAGE.replace("@TITLE@", &escaped(title))
        .replace("@STYLE@", &format!("{COLOURS}{STYLE}"))
        .replace("@SCRIPT@", &script)
        .replace("@STORY@", &told)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

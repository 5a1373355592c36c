//! The page: one execution in one HTML file, to be opened without a server and without a network.
//!
//! The file carries the execution, the alternative one when a race decided it, the values of the
//! properties and the text of the song as one JSON object, and a hand-written script that draws them.
//! Everything a reader sees is computed here or by that script from that object; nothing is fetched.

mod story;

use crate::Text;
use crate::trace_file::SavedTrace;
use plainsong_semantics::race::Race;
use plainsong_semantics::truths::Truths;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

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
    let header = &page.saved.header;
    let mut title = header.file.clone();
    if let Some(property) = &header.property {
        title = format!("{property} \u{2013} {title}");
    }
    // Inside a script element only `<` has a meaning, and JSON can do without it.
    let story = story::story(page).to_string().replace('<', "\\u003c");
    PAGE.replace("@TITLE@", &escaped(&title))
        .replace("@STYLE@", STYLE)
        .replace("@SCRIPT@", SCRIPT)
        .replace("@STORY@", &story)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

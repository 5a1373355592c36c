//! Stepping: the page about an execution that its reader makes, event by event.
//!
//! The page knows what could happen in each state that was passed. Where somebody answers for it (the studio), a choice
//! leads on, also from an earlier state; a page that was saved shows what else could have happened.

use super::story::{comparison, story};
use super::{Page, filled, title};
use crate::Difference;
use plainsong_semantics::stepping::Choice;
use serde_json::{Value, json};

/// An execution so far.
#[derive(Clone, Copy, Debug)]
pub struct Steps<'a> {
    /// The execution and what the properties are worth along it.
    pub page: &'a Page<'a>,
    /// What could happen at the start and after each event.
    pub choices: &'a [Vec<Choice>],
    /// The execution that it is compared with: its name, itself, and where both part.
    pub beside: Option<(&'a str, &'a Page<'a>, &'a Difference)>,
}

/// What the page is told.
pub fn stepping_book(steps: &Steps<'_>) -> Value {
    let mut told = match steps.beside {
        Some((name, other, difference)) => {
            comparison(("your steps", steps.page), (name, other), difference)
        }
        None => story(steps.page),
    };
    let ending = &mut told["runs"][0]["ending"];
    if ending["verdict"] == "cut off" {
        ending["verdict"] = json!("running");
        ending["reason"] = json!("choose what happens next");
    }
    let choice =
        |one: &Choice| json!({ "position": one.position, "lane": one.lane, "words": one.words });
    let choices = steps.choices.iter();
    let choices: Vec<Vec<Value>> = choices
        .map(|all| all.iter().map(choice).collect())
        .collect();
    let events = &steps.page.saved.trace.events;
    let path: Vec<usize> = events.iter().map(|event| event.step).collect();
    told["stepping"] = json!({ "choices": choices, "path": path });
    json!({ "files": [], "stories": [told] })
}

/// The page as one file.
pub fn stepping_html(steps: &Steps<'_>) -> String {
    filled(&title(steps.page), stepping_book(steps))
}

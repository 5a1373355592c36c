//! What is answered: the page, the songs, and the language server's messages.

use crate::Shared;
use crate::http::{Answer, Request};
use crate::songs;
use serde_json::json;

const PAGE: &str = include_str!("page/studio.html");
const STYLE: &str = include_str!("page/studio.css");
/// The script, one idea a file; together they are the body of one function.
const SCRIPT: [&str; 5] = [
    include_str!("page/language.js"),
    include_str!("page/editor.js"),
    include_str!("page/assist.js"),
    include_str!("page/results.js"),
    include_str!("page/start.js"),
];

/// Answers a request of somebody who was let in.
pub(crate) fn answer(shared: &Shared, request: &Request) -> Answer {
    match (&*request.method, &*request.path) {
        ("GET", "/") => Answer::html(page()),
        ("GET", "/songs") => Answer::json(&songs::list(shared.folder.as_deref())),
        ("GET", "/example") => match songs::example(&name(request)) {
            Some(text) => Answer::text(text),
            None => Answer::missing("there is no such example"),
        },
        ("GET", "/song") => of_folder(shared, |folder| {
            songs::read(folder, &name(request)).map(|song| Answer::json(&song))
        }),
        ("POST", "/song") => of_folder(shared, |folder| {
            songs::save(folder, &name(request), &request.body).map(|()| Answer::text(""))
        }),
        ("POST", "/session") => match shared.sessions.begin() {
            Ok(number) => Answer::text(number.to_string()),
            Err(why) => Answer::bad(why),
        },
        ("POST", "/tell") => of_session(shared, request, |session| {
            session.tell(&request.body).map(|()| Answer::text(""))
        }),
        ("GET", "/news") => of_session(shared, request, |session| {
            let after = request.query("after").and_then(|after| after.parse().ok());
            Ok(Answer::json(&session.news(after.unwrap_or(0))))
        }),
        _ => Answer::missing("there is nothing here"),
    }
}

fn name(request: &Request) -> String {
    request.query("name").unwrap_or_default()
}

fn of_folder(
    shared: &Shared,
    work: impl FnOnce(&std::path::Path) -> Result<Answer, String>,
) -> Answer {
    match &shared.folder {
        Some(folder) => work(folder).unwrap_or_else(Answer::bad),
        None => Answer::missing("the studio was opened without a folder"),
    }
}

fn of_session(
    shared: &Shared,
    request: &Request,
    work: impl FnOnce(&crate::language::Session) -> Result<Answer, String>,
) -> Answer {
    let number = request.query("session").unwrap_or_default();
    match shared.sessions.find(&number) {
        Some(session) => work(&session).unwrap_or_else(Answer::bad),
        None => Answer::missing("this page was closed; load it again"),
    }
}

fn page() -> String {
    let facts = json!({ "version": env!("CARGO_PKG_VERSION") }).to_string();
    let script = format!("\"use strict\";\n(() => {{\n{}}})();\n", SCRIPT.concat());
    PAGE.replace("@STYLE@", &format!("{}{STYLE}", plainsong_report::COLOURS))
        .replace("@FACTS@", &facts)
        .replace("@SCRIPT@", &script)
}

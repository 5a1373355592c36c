//! A headless Chromium that loads a page and tells what became of it.
//!
//! Without a browser the tests say so and pass, unless `PLAINSONG_BROWSER=required`, as on the machine that
//! guards the repository.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The browser, if there is one; required where the environment says so.
#[expect(clippy::print_stderr, reason = "a test that did not run should say so")]
pub(crate) fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .flat_map(|folder| {
            ["chromium", "chromium-browser", "google-chrome"].map(|name| folder.join(name))
        })
        .find(|program| program.is_file());
    if found.is_none() {
        let required =
            std::env::var_os("PLAINSONG_BROWSER").is_some_and(|value| value == "required");
        assert!(
            !required,
            "no Chromium found, and PLAINSONG_BROWSER=required"
        );
        eprintln!("not tested: no Chromium found; install the package `chromium`");
    }
    found
}

/// The page as it is once its scripts have run.
pub(crate) fn dom(browser: &Path, page: &Path, fragment: &str) -> String {
    dom_in(browser, page, fragment, (1300, 800))
}

/// The same in a window of a size.
pub(crate) fn dom_in(
    browser: &Path,
    page: &Path,
    fragment: &str,
    (width, height): (u32, u32),
) -> String {
    let profile = tempfile::tempdir().expect("a folder");
    let address = format!("file://{}{fragment}", page.display());
    let mut command = Command::new(browser);
    command
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
        ])
        .args(["--no-first-run", "--disable-background-networking"])
        .args([
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
        ])
        .arg(format!("--window-size={width},{height}"))
        .arg("--dump-dom")
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(address);
    let output = plainsong_children::output(&mut command).expect("the browser starts");
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        dom.contains("</html>"),
        "no page: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    dom
}

pub(crate) fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let from = text.find(start).map_or(0, |at| at + start.len());
    let rest = &text[from..];
    &rest[..rest.find(end).unwrap_or(rest.len())]
}

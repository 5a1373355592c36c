//! The studio in a real browser: a headless Chromium finds a mistake, mends it, and steps through the song.
//!
//! Between browser and studio stands a small proxy of the test. It adds a script that does what a reader does and tells
//! what it saw, and lets that script look into the frame, which the studio itself does not allow. Without a browser the test
//! says so and passes, unless `PLAINSONG_BROWSER=required`.

use crate::served::Served;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Command;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Longer than all of it takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(240);

const READER: &str = r##"<script>
const log = [];
const wrong = [];
window.onerror = (message) => wrong.push(message);
const look = (selector) => [...document.querySelectorAll(selector)];
const until = async (what, test) => {
  for (let tries = 0; tries < 1500; tries++) {
    const found = test();
    if (found) return found;
    await new Promise((later) => setTimeout(later, 100));
  }
  throw new Error("waited in vain for " + what);
};
const text = document.getElementById("text");
const verdict = (property) => look("#verdicts li").find((one) => one.textContent.includes(property));
const standing = (property) => verdict(property)?.querySelector(".title").className.replace("title ", "");
const settled = (property, standings) => until(property + " " + standings, () => standings.includes(standing(property)) && !look("#verdicts .running").length);
const frame = () => document.getElementById("frame").contentDocument;
const inFrame = (what, selector) => until(what, () => frame()?.querySelector(selector));
const write = (from, to) => {
  const at = text.value.indexOf(from);
  text.focus();
  text.setRangeText(to, at, at + from.length, "end");
  text.dispatchEvent(new Event("input"));
};
async function read() {
  await until("songs", () => look("#songs option").length >= 5 && text.value);
  const songs = document.getElementById("songs");
  songs.value = "example:commit.song";
  songs.dispatchEvent(new Event("change"));
  await until("the song", () => text.value.includes("the mistake"));
  await until("colours", () => look("#paint .t-event").length);
  await settled("unanimous", ["refuted"]);
  log.push("agreement " + standing("agreement"));
  verdict("unanimous").querySelector("button").click();
  const badge = await inFrame("the execution", "#badge");
  log.push("shown " + badge.textContent + " " + document.getElementById("showing").textContent);

  write("commit = yes;", "commit = commit && yes;");
  await until("stale", () => look("#verdicts .stale").length);
  document.getElementById("check").click();
  await settled("unanimous", ["proved", "holds"]);
  log.push("mended");

  document.getElementById("walk").click();
  await inFrame("choices", "#choices button");
  const counted = (number) => until("event " + number, () => frame().getElementById("count").textContent.startsWith(`event ${number} `));
  const choose = (at) => frame().querySelectorAll("#choices button")[at].click();
  log.push("at the start: " + frame().getElementById("count").textContent);
  choose(0); await counted(1);
  choose(0); await counted(2);
  const key = (name) => frame().dispatchEvent(new (frame().defaultView.KeyboardEvent)("keydown", { key: name }));
  key("ArrowLeft"); await counted(1);
  log.push("what was taken is marked " + frame().querySelectorAll("#choices button[aria-current=true]").length);
  const other = [...frame().querySelectorAll("#choices button")].find((one) => one.getAttribute("aria-current") !== "true");
  other.click();
  await until("another branch", () => frame().getElementById("count").textContent === "event 2 of 2");
  log.push("branched, properties " + frame().querySelectorAll("#properties li").length);

  write("commit && yes", "comit && yes");
  const problem = await until("a problem", () => look("#problems li").find((one) => one.textContent.includes("error")));
  const fix = await until("a fix", () => problem.isConnected ? problem.querySelector("button:not(.go)") : look("#problems li button:not(.go)")[0]);
  fix.click();
  await until("no problem", () => !look("#problems .error").length);
  log.push("fixed " + text.value.includes("commit = commit && yes;"));

  text.setSelectionRange(text.value.length, text.value.length);
  text.setRangeText("\npro", text.value.length, text.value.length, "end");
  text.dispatchEvent(new Event("input"));
  text.dispatchEvent(new KeyboardEvent("keydown", { key: " ", ctrlKey: true }));
  const offered = await until("completion", () => look("#offers li").find((one) => one.textContent.startsWith("process")));
  log.push("offered " + !document.getElementById("offers").hidden);
}
read().catch((error) => wrong.push(error.message)).then(() => {
  log.push("wrong: " + (wrong.join("; ") || "nothing"));
  return fetch("/log", { method: "POST", body: log.join("\n") });
});
</script><img src="/hold" alt=""></body>"##;

#[test]
fn a_reader_finds_a_mistake_mends_it_and_steps_through() {
    let Some(browser) = browser() else { return };
    let studio = Served::on(None);
    let (log, port) = proxy(&studio);
    let profile = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(browser);
    command
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
        ])
        .args([
            "--no-first-run",
            "--disable-background-networking",
            "--disable-sync",
        ])
        .args([
            "--disable-component-update",
            "--disable-dev-shm-usage",
            "--dump-dom",
        ])
        .arg("--window-size=1300,800")
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("http://127.0.0.1:{port}/?token={}", studio.token));
    let watched = std::thread::spawn(move || plainsong_children::output(&mut command));
    let told = log.recv_timeout(PATIENCE).expect("the reader tells");
    watched.join().expect("no panic").expect("the browser ends");
    assert_eq!(
        told.lines().collect::<Vec<_>>(),
        [
            "agreement proved",
            "shown REFUTED the execution that refutes unanimous",
            "mended",
            "at the start: start, before 0 events",
            "what was taken is marked 1",
            "branched, properties 2",
            "fixed true",
            "offered true",
            "wrong: nothing",
        ]
    );
}

/// Passes requests on; what is posted to `/log` is told, and `/hold` is answered after that.
fn proxy(studio: &Served) -> (Receiver<String>, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let (sender, log) = channel();
    let done = Arc::new(Mutex::new(false));
    let target = studio.port;
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (sender, done) = (sender.clone(), done.clone());
            std::thread::spawn(move || pass(stream, target, &sender, &done));
        }
    });
    (log, port)
}

fn pass(mut stream: TcpStream, target: u16, sender: &Sender<String>, done: &Mutex<bool>) {
    let (head, body) = request(&mut stream);
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    if path == "/log" {
        *done.lock().expect("no panic") = true;
        let _ = sender.send(body.clone());
    }
    if path == "/log" || path == "/hold" {
        while !*done.lock().expect("no panic") {
            std::thread::sleep(Duration::from_millis(50));
        }
        let _ =
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        return;
    }
    let kept = head.lines().filter(|line| {
        let name = line.to_ascii_lowercase();
        !["host:", "origin:", "connection:"]
            .iter()
            .any(|start| name.starts_with(start))
    });
    let mut kept: Vec<&str> = kept.collect();
    let host = format!("Host: 127.0.0.1:{target}");
    kept.insert(1, &host);
    let Ok(mut onward) = TcpStream::connect(("127.0.0.1", target)) else {
        return;
    };
    let _ = onward.write_all(format!("{}\r\n\r\n{body}", kept.join("\r\n")).as_bytes());
    let mut answer = String::new();
    let _ = onward.read_to_string(&mut answer);
    if path.starts_with("/?") {
        let (_, page) = answer.split_once("\r\n\r\n").expect("a page");
        let page = page
            .replace(
                "sandbox=\"allow-scripts\"",
                "sandbox=\"allow-scripts allow-same-origin\"",
            )
            .replacen("</body>", READER, 1);
        let length = page.len();
        answer = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{page}"
        );
    }
    let _ = stream.write_all(answer.as_bytes());
}

/// The head and the body of a request.
fn request(stream: &mut TcpStream) -> (String, String) {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let lower = head.to_ascii_lowercase();
            let length = lower
                .lines()
                .find_map(|line| line.strip_prefix("content-length:"));
            let length: usize = length
                .and_then(|length| length.trim().parse().ok())
                .unwrap_or(0);
            if body.len() >= length {
                return (head.to_owned(), body.to_owned());
            }
        }
        match stream.read(&mut chunk) {
            Ok(0) | Err(_) => return (String::new(), String::new()),
            Ok(read) => bytes.extend_from_slice(&chunk[..read]),
        }
    }
}

/// The browser, if there is one; required where the environment says so.
#[expect(clippy::print_stderr, reason = "a test that did not run should say so")]
fn browser() -> Option<PathBuf> {
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

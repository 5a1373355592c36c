//! The page in a real browser: it opens, steps, and swaps a race.
//!
//! A headless Chromium loads the page from a file, with a script added at its end that presses keys and
//! clicks as a reader would, and writes down where that leads.

use crate::chromium::{between, browser, dom};
use crate::songs;
use crate::stage::Stage;

/// What a reader does. Each line written down is: what, step, execution, address, changed variables,
/// messages in flight.
const READER: &str = r##"
<pre id="log"></pre>
<script>
const lines = [];
const look = (what) => lines.push([what, document.body.dataset.step, document.body.dataset.run, location.hash,
  document.querySelectorAll("tr.changed").length, document.querySelectorAll(".flying").length].join(" "));
const press = (key, shiftKey = false) => document.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey }));
look("open");
press("Home"); look("home");
press("ArrowRight"); look("right");
press("ArrowRight"); look("right");
press("ArrowLeft"); look("left");
press("]"); look("process");
press("End"); press("ArrowLeft", true); look("along");
document.querySelector("#state button").click(); look("first-change");
document.getElementById("swap").click(); look("swap");
lines.push("badge " + document.getElementById("badge").textContent);
press("s"); look("back");
lines.push("badge " + document.getElementById("badge").textContent);
document.querySelector("#lanes input").click();
lines.push("lanes " + document.querySelectorAll("#names button").length);
document.querySelector("#lanes input").click();
press("d");
lines.push("theme " + document.documentElement.dataset.theme);
lines.push("error " + (window.wrong || "none"));
document.getElementById("log").textContent = lines.join("\n");
</script>
</body>"##;

const WATCH: &str =
    "<head><script>window.onerror = (message) => { window.wrong = message; };</script>";

#[test]
fn the_page_opens_steps_and_swaps_a_race() {
    let Some(browser) = browser() else { return };
    let stage = Stage::with(songs::OVERTAKES);
    stage.run(&["check", "a.song"]).exits(1);
    let shown = stage.run(&["show", "out/a.quiet.trace", "--as", "html"]);
    let page = shown.exits(0).out;
    let page = page
        .replacen("<head>", WATCH, 1)
        .replacen("</body>", READER, 1);
    stage.write("page.html", page);
    let dom = dom(&browser, &stage.path("page.html"), "");
    let log = between(&dom, "<pre id=\"log\">", "</pre>").replace("&amp;", "&");
    assert_eq!(
        log.lines().collect::<Vec<_>>(),
        [
            "open 8 0 #step=8&lane=0 0 0",
            "home 0 0 #step=0&lane=0 0 0",
            "right 1 0 #step=1&lane=0 0 1",
            "right 2 0 #step=2&lane=2 0 0",
            "left 1 0 #step=1&lane=0 0 1",
            "process 1 0 #step=1&lane=1 0 1",
            "along 7 0 #step=7&lane=1 0 1",
            "first-change 6 0 #step=6&lane=1 1 0",
            "swap 6 1 #step=6&lane=1&run=1 0 0",
            "badge fine",
            "back 6 0 #step=6&lane=1 1 0",
            "badge REFUTED",
            "lanes 2",
            "theme dark",
            "error none",
        ],
        "{dom}"
    );
}

#[test]
fn the_position_is_in_the_address() {
    let Some(browser) = browser() else { return };
    let stage = Stage::with(songs::OVERTAKES);
    stage.run(&["check", "a.song"]).exits(1);
    stage
        .run(&["show", "out/a.quiet.trace", "--as", "html", "--out", "out"])
        .exits(0);
    let page = stage.path("out/a.quiet.html");
    let dom = dom(&browser, &page, "#step=1&run=1&lane=0");
    assert!(dom.contains("data-step=\"1\""), "{dom}");
    assert!(dom.contains("data-run=\"1\""), "{dom}");
    assert!(dom.contains("event 1 of 8"), "{dom}");
}

/// Pages of every form of song are drawn without a mistake of the script.
#[test]
fn every_form_has_a_page() {
    let Some(browser) = browser() else { return };
    let broken_line = songs::LINE.replace("b.v = a.t;", "b.v = b.t;");
    let refuted = [
        (songs::DEADLOCK, "no_deadlock"),
        (songs::ASSERTION, "assertions"),
        (songs::ACTIONS, "never_held"),
        (&broken_line, "swap"),
    ];
    for (song, property) in refuted {
        let stage = Stage::with(song);
        stage.run(&["check", "a.song"]).exits(1);
        let trace = format!("out/a.{property}.trace");
        let page = stage.run(&["show", &trace, "--as", "html"]).exits(0).out;
        let end = "<script>document.body.dataset.wrong = window.wrong || \"none\";</script></body>";
        let page = page
            .replacen("<head>", WATCH, 1)
            .replacen("</body>", end, 1);
        stage.write("page.html", page);
        let dom = dom(&browser, &stage.path("page.html"), "");
        assert!(dom.contains("data-wrong=\"none\""), "{property}: {dom}");
        assert!(dom.contains(">REFUTED</span>"), "{property}: {dom}");
    }
}

/// Nothing around the picture moves when the picture is longer than the window.
#[test]
fn a_long_execution_scrolls_within_its_pane() {
    let Some(browser) = browser() else { return };
    let stage = Stage::with(
        "\
message Number(n: int);

process sender {
    for i in 0..60 { send Number(i) to receiver; }
}

process receiver {
    for i in 0..60 {
        receive Number(n) from sender;
        assert n < 59;
    }
}
",
    );
    stage.run(&["check", "a.song"]).exits(1);
    let shown = stage.run(&["show", "out/a.assertions.trace", "--as", "html"]);
    let look = "<script>
const place = (what) => document.querySelector(what).getBoundingClientRect();
document.body.dataset.seen = [place('header').top === 0, place('.names').top >= place('header').bottom - 1,
  place('.band.now').top >= place('.names').bottom - 1, place('.band.now').bottom <= place('footer').top + 1].join(' ');
</script></body>";
    stage.write("page.html", shown.exits(0).out.replacen("</body>", look, 1));
    for fragment in ["", "#step=1&lane=0", "#step=60&lane=0"] {
        let dom = dom(&browser, &stage.path("page.html"), fragment);
        assert!(
            dom.contains("data-seen=\"true true true true\""),
            "{fragment}: {}",
            between(&dom, "<body", ">")
        );
    }
}

/// A page about a whole run has every verdict, what took part, and each execution that refutes something.
#[test]
fn a_page_of_a_run_has_all_verdicts() {
    let Some(browser) = browser() else { return };
    let stage = Stage::with(songs::ACTIONS);
    stage.write("b.song", songs::ASSERTION);
    let files = ["check", "a.song", "b.song", "--page", "all.html"];
    stage.run(&files).exits(1);
    let page = stage.path("all.html");
    let first = dom(&browser, &page, "");
    for told in [
        "a.song",
        "b.song",
        "never_held",
        "free",
        "no_deadlock",
        "REFUTED",
        "Covered",
    ] {
        assert!(first.contains(told), "{told}: {first}");
    }
    assert!(
        first.contains("of 8 statements") || first.contains("statements</li>"),
        "{first}"
    );
    assert!(
        first.contains("<span id=\"property\">never_held</span>"),
        "{first}"
    );
    let second = dom(&browser, &page, "#story=1");
    assert!(
        second.contains("<span id=\"property\">assertions</span>"),
        "{second}"
    );
    assert!(
        second.contains("&amp;story=1") || second.contains("class=\"no chosen\""),
        "{second}"
    );
}

#[test]
fn a_page_of_a_run_in_which_everything_holds_says_so() {
    let Some(browser) = browser() else { return };
    let stage = Stage::with(songs::LINE);
    stage
        .run(&["check", "a.song", "--page", "fine.html"])
        .exits(0);
    let dom = dom(&browser, &stage.path("fine.html"), "");
    assert!(dom.contains(">fine</span>"), "{dom}");
    assert!(dom.contains("Nothing was refuted"), "{dom}");
    assert!(dom.contains("swap"), "{dom}");
}

/// Two executions side by side; the failing one and its alternative too.
/// What is refuted in words, not by an execution of processes, is told in words.
#[test]
fn a_page_of_movers_tells_what_is_refuted() {
    let Some(browser) = browser() else { return };
    let stage = Stage::with(
        "var x: int = 0;
left action add(n: int) { x = x + n; }
action double() { x = 2 * x; }
init { async add(1); async double(); }
",
    );
    stage
        .run(&["refine", "a.song", "--page", "page.html"])
        .exits(1);
    let dom = dom(&browser, &stage.path("page.html"), "");
    assert!(dom.contains("class=\"badge\">refuted<"), "{dom}");
    let told = between(&dom, "class=\"told\"", "</section>");
    assert!(told.contains("not a left mover"), "{told}");
}

#[test]
fn two_executions_stand_side_by_side() {
    let Some(browser) = browser() else { return };
    let stage = Stage::with(songs::OVERTAKES);
    stage.run(&["check", "a.song"]).exits(1);
    stage.run(&["sim", "a.song", "--seed", "1", "--out", "other"]);
    let other = "other/a.sim.trace";
    stage.run(&["diff", "out/a.quiet.trace", other, "--html", "both.html"]);
    let both = dom(&browser, &stage.path("both.html"), "");
    assert!(both.contains("data-both=\"1\""), "{both}");
    assert!(both.contains("first difference"), "{both}");
    assert_eq!(both.matches("<svg").count(), 2, "{both}");
    let shown = stage.run(&["show", "out/a.quiet.trace", "--as", "html", "--out", "out"]);
    shown.exits(0);
    let pair = dom(&browser, &stage.path("out/a.quiet.html"), "#both=1");
    assert!(pair.contains("data-both=\"1\""), "{pair}");
    assert_eq!(pair.matches("<svg").count(), 2, "{pair}");
    assert!(pair.contains("other side:"), "{pair}");
}

//! What the page looks like: measured in a headless Chromium, as a reader would see it.
//!
//! A script at the end of the page measures boxes and colours, and writes down what is wrong with them.

use crate::chromium::{between, browser, dom, dom_in};
use crate::stage::Stage;
use std::path::PathBuf;

/// Everybody tells everybody, from handlers that send several messages each.
const GOSSIP: &str = "\
sort Node;

message Hello(from: Node, round: nat);
message Heard(from: Node, round: nat);

process node[n: Node] {
    var heard: nat = 0;
    var last: map<Node, nat> = map m: Node => 0;

    on Hello(who, round) {
        last[who] = round;
        send Heard(n, round) to node[who];
        for m in Node {
            if m != n && round < 2 { send Hello(n, round + 1) to node[m]; }
        }
    }

    on Heard(who, round) {
        heard += 1;
    }
}

init {
    for n in Node { send Hello(n, 0) to node[n]; }
}

property few: always forall n: Node :: node[n].heard < 4;
";

/// Functions that measure.
const MEASURE: &str = r#"<pre id="log"></pre><script>
const lines = [];
const box = (node) => node.getBoundingClientRect();
const all = (selector) => [...document.querySelectorAll(selector)];
const press = (key) => document.dispatchEvent(new KeyboardEvent("keydown", { key }));
const overlap = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
const rgb = (text) => (text.match(/[\d.]+/g) || []).map(Number);
const light = (colour) => { const [r, g, b] = colour.map((c) => { c /= 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const contrast = (a, b) => { const [x, y] = [light(a), light(b)].sort((m, n) => n - m); return (x + 0.05) / (y + 0.05); };
const behind = (node) => { for (let at = node; at; at = at.parentElement) { const colour = rgb(getComputedStyle(at).backgroundColor); if (colour.length === 3) return colour; } return [255, 255, 255]; };
"#;

/// A page of refuted songs, with a script that measures at its end.
fn measured(stage: &Stage, song: &str, flags: &[&str], script: &str) -> PathBuf {
    stage.write("a.song", song);
    let check = ["check", "a.song", "--page", "page.html"];
    stage.run(&[&check[..], flags].concat()).exits(1);
    let watch = "<head><script>window.onerror = (message) => { window.wrong = message; };</script>";
    let end = format!(
        "{MEASURE}{script}
lines.push('error ' + (window.wrong || 'none'));
document.getElementById('log').textContent = lines.join('\\n');
</script></body>"
    );
    let page = stage.read("page.html");
    let page = page
        .replacen("<head>", watch, 1)
        .replacen("</body>", &end, 1);
    stage.write("measured.html", page);
    stage.path("measured.html")
}

fn log(dom: &str) -> Vec<String> {
    let text = between(dom, "<pre id=\"log\">", "</pre>");
    let text = text.replace("&lt;", "<").replace("&amp;", "&");
    text.lines().map(str::to_owned).collect()
}

#[test]
fn labels_do_not_cover_each_other_where_handlers_send_several_messages() {
    let Some(browser) = browser() else { return };
    let stage = Stage::new();
    let script = "
const labels = all('.pane .label:not(.note)');
lines.push('many ' + (labels.length > 15));
labels.forEach((a, at) => labels.slice(at + 1).forEach((b) => {
  if (overlap(box(a), box(b))) lines.push('covers: ' + a.textContent + ' / ' + b.textContent);
}));
const pane = document.getElementById('pane0');
for (const note of all('.note')) if (box(note).right > box(pane).left + pane.scrollWidth) lines.push('clipped: ' + note.textContent);
lines.push('bars ' + (all('.bar').length > 3));";
    let page = measured(&stage, GOSSIP, &["--size", "Node=3"], script);
    assert_eq!(
        log(&dom(&browser, &page, "")),
        ["many true", "bars true", "error none"]
    );
}

/// Numbers of three digits are whole; the lane of a chosen event is seen; everything fits when that is asked for.
#[test]
fn a_picture_that_is_long_and_wide_is_seen_whole() {
    let Some(browser) = browser() else { return };
    let stage = Stage::new();
    let song = "\
sort Place = 0..8;

message Token(hops: nat, a_long_name_for_the_way_it_went: nat);

process place[p: Place] {
    on Token(hops, way) {
        assert hops < 120;
        send Token(hops + 1, 1000000 + hops) to place[(p + 1) % 8];
    }
}

init { send Token(0, 0) to place[0]; }
";
    let script = "
const pane = document.getElementById('pane0');
const inside = (node) => box(node).left >= box(pane).left && box(node).right <= box(pane).left + pane.clientWidth;
press('Home');
lines.push('numbers ' + all('.number').every((one) => box(one).left >= box(pane).left) + ' ' + (all('.number').length > 100));
let seen = true;
for (let at = 0; at < 9; at++) { press('ArrowRight'); seen = seen && inside(document.querySelector('.event.now .dot')); }
lines.push('seen ' + seen + ' sideways ' + (pane.scrollLeft > 0));
press('f');
lines.push('fits ' + (pane.scrollWidth <= pane.clientWidth) + ' ' + all('.number, .label').every(inside));
press('f');
lines.push('full size ' + (pane.scrollWidth > pane.clientWidth));";
    let page = measured(&stage, song, &[], script);
    assert_eq!(
        log(&dom(&browser, &page, "")),
        [
            "numbers true true",
            "seen true sideways true",
            "fits true true",
            "full size true",
            "error none"
        ]
    );
}

/// WCAG AA: 4.5 to 1 for every text that is not disabled, in both themes.
#[test]
fn every_text_has_contrast_in_both_themes() {
    let Some(browser) = browser() else { return };
    let stage = Stage::new();
    let script = "
for (const which of ['one', 'other']) {
  let measured = 0;
  press('Home'); press('ArrowRight'); press('ArrowRight');
  for (const node of all('body *')) {
    const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
    if (!own || node.closest('script, style, title, pre#log, .later, :disabled') || !box(node).width) continue;
    const style = getComputedStyle(node), mark = node.closest('.mark'), now = rgb(getComputedStyle(document.querySelector('.band.now')).fill);
    const grounds = mark ? [rgb(getComputedStyle(mark.querySelector('circle')).fill)] : node.closest('svg') ? [behind(node), now] : [behind(node)];
    const ratio = Math.min(...grounds.map((ground) => contrast(rgb(node.closest('svg') ? style.fill : style.color).slice(0, 3), ground)));
    measured += 1;
    if (ratio < 4.5) lines.push(`${which} ${ratio.toFixed(2)} ${node.tagName} ${node.className} ${node.textContent.slice(0, 30)}`);
  }
  lines.push(document.documentElement.dataset.theme + ' ' + (measured > 40));
  press('d');
}";
    let page = measured(&stage, GOSSIP, &["--size", "Node=3"], script);
    assert_eq!(
        log(&dom(&browser, &page, "")),
        ["undefined true", "dark true", "error none"]
    );
}

/// On a narrow screen the picture, the event and the state are seen without scrolling; the verdicts are one click away.
#[test]
fn the_state_is_seen_on_a_narrow_screen() {
    let Some(browser) = browser() else { return };
    let stage = Stage::new();
    let script = "
const shown = (id) => { const there = box(document.getElementById(id)); return there.height > 0 && there.top < innerHeight - 60; };
lines.push('narrow ' + (innerWidth < 600), ['picture', 'what', 'state', 'verdicts'].map(shown).join(' '));
document.getElementById('more').click();
lines.push(['picture', 'verdicts'].map(shown).join(' '));
lines.push('sideways ' + (document.documentElement.scrollWidth > innerWidth));";
    let page = measured(&stage, GOSSIP, &["--size", "Node=3"], script);
    assert_eq!(
        log(&dom_in(&browser, &page, "", (500, 844))),
        [
            "narrow true",
            "true true true false",
            "false true",
            "sideways false",
            "error none"
        ]
    );
}

/// Refuted first, wherever it stands in the song; a filter by words and by verdicts.
#[test]
fn many_verdicts_are_sorted_and_filtered() {
    let Some(browser) = browser() else { return };
    let stage = Stage::new();
    let mut song = String::from(
        "var x: int = 0;
action up() { if x < 2 { x += 1; async up(); } }
init { async up(); }
",
    );
    for at in 0..6 {
        song.push_str(&format!("property low_{at}: always x < 1{at};\n"));
    }
    song.push_str("property wrong: always x < 2;\n");
    let script = "
const row = (one) => one.textContent.replace(/\\s+/g, ' ').trim();
const rows = () => all('#verdicts > ul > li').map(row);
lines.push(rows()[0].slice(0, 15));
lines.push('signs ' + new Set(all('#verdicts .sign').map((one) => one.textContent + getComputedStyle(one).color)).size);
const words = document.getElementById('words');
words.value = 'low_3'; words.dispatchEvent(new Event('input'));
lines.push('words ' + rows().length);
words.value = ''; words.dispatchEvent(new Event('input'));
const before = rows().length;
document.querySelector('#which .no').click();
lines.push('without refuted ' + (before - rows().length));
words.dispatchEvent(new KeyboardEvent('keydown', { key: 'd', bubbles: true }));
lines.push('theme ' + document.documentElement.dataset.theme);";
    let page = measured(&stage, &song, &[], script);
    assert_eq!(
        log(&dom(&browser, &page, "")),
        [
            "✗ REFUTED wrong",
            "signs 2",
            "words 1",
            "without refuted 1",
            "theme undefined",
            "error none"
        ]
    );
}

/// Each event is announced, the picture is a list with a chosen option, and long values are folded but for what changed.
#[test]
fn a_screen_reader_hears_what_happens_and_long_values_are_folded() {
    let Some(browser) = browser() else { return };
    let stage = Stage::new();
    let song = "\
sort Slot = 0..5;
struct Entry { term: nat, by: int }
var log: map<Slot, Entry> = map s: Slot => Entry { term: 0, by: 0 };
var at: int = 0;
action write() { if at < 3 { log[at].term = 1; at += 1; async write(); } }
init { async write(); }
property short: always at < 2;
";
    let script = "
const said = document.getElementById('said');
lines.push(said.getAttribute('aria-live') + ' ' + said.getAttribute('role'));
press('Home'); lines.push(said.textContent);
press('ArrowRight'); press('ArrowRight'); lines.push(said.textContent);
const list = document.getElementById('picture');
list.focus();
lines.push('focus ' + (document.activeElement === list));
const option = document.getElementById(list.getAttribute('aria-activedescendant'));
lines.push('option ' + option.getAttribute('role') + ' ' + option.getAttribute('aria-selected') + ' ' + option.getAttribute('aria-label'));
const value = document.querySelector('tr[data-variable=log] .value');
lines.push('changed ' + [...value.querySelectorAll('.change')].map((one) => one.textContent).join('; '));
const fold = value.querySelector('details');
lines.push('folded ' + !fold.open + ' ' + fold.querySelectorAll(':scope > div').length);
lines.push('unnamed ' + all('button').filter((one) => one.offsetParent && !(one.getAttribute('aria-label') || one.textContent.trim())).length);";
    let page = measured(&stage, song, &[], script);
    assert_eq!(
        log(&dom(&browser, &page, "")),
        [
            "polite status",
            "start, before 3 events",
            "event 2 of 3; write; log[0].term = 1, at = 1",
            "focus true",
            "option option true 2: write",
            "changed log[0].term = 1   (was 0)",
            "folded true 5",
            "unnamed 0",
            "error none"
        ]
    );
}

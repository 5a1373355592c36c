//! The picture as SVG: small, without scripts and fonts of its own, to be pasted into a review.
//!
//! It draws the same rows as the terminal picture and has room for more lanes. Colours are those of
//! paper, on a background of its own, so that it looks the same everywhere.

use super::margin::INDEPENDENT;
use super::rows;
use super::rows::{Party, Row, RowKind};
use plainsong_semantics::trace::{Ending, Trace};
use std::fmt::Write as _;

/// Width of a character, in the units of the picture.
const CHARACTER: f64 = 7.3;
const ROW: f64 = 30.0;
const MARGIN: f64 = 24.0;
/// The least distance between two lanes.
const LEAST: f64 = 90.0;
/// More characters of a label are not shown.
const LONGEST: usize = 60;
/// A line of the title.
const TITLE: usize = 100;

const STYLE: &str = "\
text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#1f2328}\
.lane{font-weight:600;text-anchor:middle}.life{stroke:#c9d1d9;stroke-width:1.5}\
.arrow{stroke:#0969da;stroke-width:1.5;fill:none}.away{stroke-dasharray:2 4}\
.head{fill:#0969da}.lost{fill:#fff;stroke:#0969da;stroke-width:1.5}\
.label{text-anchor:middle;paint-order:stroke;stroke:#fff;stroke-width:4px}\
.note{fill:#6e7781}.bad{fill:#cf222e;font-weight:600}.title{font-weight:600}.dot{fill:#57606a}";

/// The picture of a trace under a title; every trace has one.
pub fn svg(title: &str, trace: &Trace) -> String {
    let rows = rows(trace);
    let columns = Columns::new(trace, &rows);
    let mut drawing = SvgCanvas {
        columns: &columns,
        body: String::new(),
        y: MARGIN,
        width: columns.right(),
    };
    drawing.title(title);
    drawing.heads(trace, rows.len());
    let mut repeats: Option<(f64, f64)> = None;
    for row in &rows {
        drawing.row(row);
        if row.repeats {
            let first = repeats.map_or(drawing.y, |(first, _)| first);
            repeats = Some((first, drawing.y));
        }
    }
    if let Some((first, last)) = repeats {
        drawing.bracket(first, last);
    }
    drawing.y += ROW * 0.5;
    drawing.leftovers(trace);
    drawing.finish()
}

/// Where the lanes are.
struct Columns {
    parties: Vec<(Party, String)>,
    at: Vec<f64>,
}

impl Columns {
    fn new(trace: &Trace, rows: &[Row]) -> Self {
        let mut parties = Vec::new();
        if rows
            .iter()
            .flat_map(|row| row.kind.parties())
            .any(|party| party == Party::Init)
        {
            parties.push((Party::Init, "init".to_owned()));
        }
        let lanes = trace.lanes.iter().enumerate();
        parties.extend(lanes.map(|(lane, name)| (Party::Lane(lane), name.clone())));
        let mut columns = Columns {
            at: Vec::new(),
            parties,
        };
        columns.place(rows);
        columns
    }

    fn place(&mut self, rows: &[Row]) {
        let half = |name: &str| width(name) / 2.0;
        let mut gaps: Vec<f64> = self
            .parties
            .windows(2)
            .map(|pair| (half(&pair[0].1) + half(&pair[1].1) + 24.0).max(LEAST))
            .collect();
        for row in rows {
            let Some((from, to)) = self.ends(row.kind) else {
                continue;
            };
            let (left, right) = (from.min(to), from.max(to));
            let needed = width(&clipped(&row.label)) + 36.0;
            let there: f64 = gaps[left..right].iter().sum();
            if left < right && there < needed {
                let more = (needed - there) / (right - left) as f64;
                gaps[left..right].iter_mut().for_each(|gap| *gap += more);
            }
        }
        let mut at = MARGIN
            + self
                .parties
                .first()
                .map_or(0.0, |first| half(&first.1))
                .max(20.0);
        for place in 0..self.parties.len() {
            self.at.push(at);
            at += gaps.get(place).copied().unwrap_or(0.0);
        }
    }

    fn of(&self, party: Party) -> Option<usize> {
        self.parties.iter().position(|(other, _)| *other == party)
    }

    fn ends(&self, kind: RowKind) -> Option<(usize, usize)> {
        match kind {
            RowKind::Message { from, to }
            | RowKind::Sent { from, to }
            | RowKind::Taken { from, to } => Some((self.of(from)?, self.of(to)?)),
            RowKind::At(_) | RowKind::Nowhere => None,
        }
    }

    fn right(&self) -> f64 {
        match (self.at.last(), self.parties.last()) {
            (Some(at), Some((_, name))) => at + (width(name) / 2.0).max(20.0),
            _ => MARGIN,
        }
    }
}

struct SvgCanvas<'a> {
    columns: &'a Columns,
    body: String,
    y: f64,
    width: f64,
}

impl SvgCanvas<'_> {
    fn title(&mut self, title: &str) {
        for line in wrapped(title) {
            self.y += 4.0;
            self.text(MARGIN, "title", &line);
            self.y += 14.0;
        }
        self.y += 12.0;
    }

    fn heads(&mut self, trace: &Trace, rows: usize) {
        if trace.lanes.is_empty() {
            return;
        }
        let (top, bottom) = (self.y + 8.0, self.y + 14.0 + ROW * rows as f64);
        for ((_, name), x) in self.columns.parties.iter().zip(&self.columns.at) {
            let name = escaped(name);
            let _ = write!(
                self.body,
                "<line class=\"life\" x1=\"{x:.1}\" y1=\"{top:.1}\" x2=\"{x:.1}\" y2=\"{bottom:.1}\"/>\
                 <text class=\"lane\" x=\"{x:.1}\" y=\"{:.1}\">{name}</text>",
                self.y
            );
        }
        self.y += ROW * 0.4;
    }

    fn row(&mut self, row: &Row) {
        self.y += ROW;
        if row.independent {
            self.mark();
        }
        let label = clipped(&row.label);
        let mut remarks: Vec<String> = row.notes.clone();
        remarks.extend(row.changes.iter().cloned());
        let mut right = self.columns.right() + 16.0;
        match self.columns.ends(row.kind) {
            Some((from, to)) if from == to => {
                let x = self.columns.at[from];
                self.itself(x, &label);
                right = right.max(x + 40.0 + width(&label));
            }
            Some((from, to)) => self.arrow(row.kind, from, to, &label),
            None => right = right.max(self.beside(row.kind, &label)),
        }
        let y = self.y;
        self.y += 4.0;
        if !remarks.is_empty() {
            let text = clip(&remarks.join(", "), 90);
            self.text(right, "note", &text);
            right += width(&text) + 14.0;
        }
        if let Some(here) = &row.here {
            self.text(right, "bad", &format!("\u{2190} here: {here}"));
        }
        self.y = y;
    }

    /// The row is independent of the one above.
    fn mark(&mut self) {
        let y = self.y + 4.0;
        let _ = write!(
            self.body,
            "<text class=\"note\" x=\"18\" y=\"{y:.1}\">~<title>{INDEPENDENT}</title></text>"
        );
    }

    /// The bracket of what repeats for ever.
    fn bracket(&mut self, first: f64, last: f64) {
        let (top, bottom) = (first - 10.0, last + 10.0);
        let _ = write!(
            self.body,
            "<path class=\"arrow\" d=\"M14 {top:.1}H8V{bottom:.1}H14\"/>"
        );
        self.y += ROW * 0.6;
        self.text(8.0, "note", "repeats for ever");
    }

    fn arrow(&mut self, kind: RowKind, from: usize, to: usize, label: &str) {
        let (start, end) = (self.columns.at[from], self.columns.at[to]);
        let towards = (end - start).signum();
        let y = self.y;
        let (tip, class, head) = match kind {
            RowKind::Sent { .. } => (start + (end - start) * 0.8, "arrow away", false),
            RowKind::Taken { .. } => (end, "arrow away", true),
            _ => (end, "arrow", true),
        };
        let line_end = if head { tip - 6.0 * towards } else { tip };
        let _ = write!(
            self.body,
            "<line class=\"{class}\" x1=\"{start:.1}\" y1=\"{y:.1}\" x2=\"{line_end:.1}\" y2=\"{y:.1}\"/>"
        );
        if head {
            let back = tip - 8.0 * towards;
            let (up, down) = (y - 4.0, y + 4.0);
            let _ = write!(
                self.body,
                "<path class=\"head\" d=\"M{tip:.1} {y:.1}L{back:.1} {up:.1}L{back:.1} {down:.1}Z\"/>"
            );
        } else {
            let _ = write!(
                self.body,
                "<circle class=\"lost\" cx=\"{tip:.1}\" cy=\"{y:.1}\" r=\"4\"/>"
            );
        }
        let middle = (start + end) / 2.0;
        self.y -= 5.0;
        self.text(middle, "label", label);
        self.y = y;
    }

    /// A message to oneself.
    fn itself(&mut self, x: f64, label: &str) {
        let y = self.y;
        let (up, far, tip) = (y - 8.0, x + 22.0, x + 8.0);
        let _ = write!(
            self.body,
            "<path class=\"arrow\" d=\"M{x:.1} {up:.1}H{far:.1}V{y:.1}H{tip:.1}\"/>\
             <path class=\"head\" d=\"M{x:.1} {y:.1}l8 -4v8z\"/>"
        );
        self.text(x + 28.0, "", label);
    }

    /// Something at one lane, or nowhere in particular; returns where it ends.
    fn beside(&mut self, kind: RowKind, label: &str) -> f64 {
        let place = kind
            .parties()
            .next()
            .and_then(|party| self.columns.of(party));
        let x = place.map_or(MARGIN, |place| self.columns.at[place]);
        let y = self.y;
        if place.is_some() {
            let _ = write!(
                self.body,
                "<circle class=\"dot\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"/>"
            );
        }
        let start = if place.is_some() { x + 10.0 } else { x };
        self.y += 4.0;
        self.text(start, "", label);
        self.y = y;
        start + width(label) + 16.0
    }

    /// Who waits, and what was never received.
    fn leftovers(&mut self, trace: &Trace) {
        let name = |lane: Option<usize>| {
            lane.and_then(|lane| trace.lanes.get(lane))
                .map_or("", String::as_str)
        };
        let mut lines = Vec::new();
        if let Ending::Deadlock(waiting) = &trace.ending {
            for one in waiting {
                lines.push(format!("{} waits for {}", name(one.lane), one.what));
            }
        }
        for sent in &trace.undelivered {
            let to = sent.to.map(|to| format!(" to {}", name(Some(to))));
            lines.push(format!(
                "undelivered: {}{}",
                sent.label,
                to.unwrap_or_default()
            ));
        }
        for line in lines.iter().take(20) {
            self.y += 18.0;
            self.text(MARGIN, "note", &clip(line, 110));
        }
    }

    fn text(&mut self, x: f64, class: &str, text: &str) {
        let right = match class {
            "label" => x + width(text) / 2.0,
            _ => x + width(text),
        };
        self.width = self.width.max(right);
        let _ = write!(
            self.body,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
            self.y,
            escaped(text)
        );
    }

    fn finish(self) -> String {
        let (width, height) = (self.width + MARGIN, self.y + MARGIN);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\"><style>{STYLE}</style>\
             <rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"#fff\"/>{}</svg>\n",
            self.body
        )
    }
}

fn width(text: &str) -> f64 {
    text.chars().count() as f64 * CHARACTER
}

/// At most three lines, broken between words.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is a first line");
        if !line.is_empty() && line.chars().count() + word.chars().count() >= TITLE {
            lines.push(clip(word, TITLE));
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&clip(word, TITLE));
        }
    }
    if lines.len() > 3 {
        lines.truncate(3);
        lines[2].push_str(" \u{2026}");
    }
    lines
}

fn clipped(label: &str) -> String {
    clip(label, LONGEST)
}

fn clip(text: &str, longest: usize) -> String {
    if text.chars().count() <= longest {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(longest - 1).collect();
    short.push('\u{2026}');
    short
}

/// Text as XML wants it.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            control if control.is_control() => safe.push(' '),
            other => safe.push(other),
        }
    }
    safe
}

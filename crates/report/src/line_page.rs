//! The line beside the voices: one file, offline. Statements that belong together light up together.
//!
//! Every statement of a line knows the place in the text that it comes from; pointing at it shows that line of the
//! text, and pointing at a line of the text shows all statements that come from it. What is received is said in the words of
//! who sent it, so such a statement belongs to the send, too: the margin says `24 → 43`.

use crate::Text;
use plainsong_diagnostics::{Span, line_and_column};
use plainsong_ir::{Block, Choreography, Song, Stmt, StmtKind, print};
use std::fmt::Write as _;

const STYLE: &str = "body{margin:0;font:14px/1.5 system-ui,sans-serif;background:#fff;color:#1b1b1b}\
h1{font-size:16px;margin:12px 16px}main{display:grid;grid-template-columns:1fr 1fr;gap:16px;padding:0 16px 16px}\
section{border:1px solid #ccc;border-radius:6px;padding:8px 12px;overflow:auto}h2{font-size:14px;margin:0 0 6px}\
pre{margin:0;font:13px/1.55 ui-monospace,monospace}[data-line]{border-radius:3px}\
[data-line].lit{background:#ffe9a8;color:#1b1b1b}.number{color:#767676;user-select:none}\
@media (prefers-color-scheme:dark){body{background:#161616;color:#e6e6e6}section{border-color:#444}\
[data-line].lit{background:#6b5310;color:#fff}.number{color:#8f8f8f}}";

const SCRIPT: &str = "const all=document.querySelectorAll('[data-line]');\
const of=one=>one.dataset.line.split(' ');\
function light(lines){for(const one of all){const on=of(one).some(line=>lines.includes(line));\
one.classList.toggle('lit',on);\
if(on&&event&&one.closest('section')!==event.target.closest('section'))one.scrollIntoView({block:'nearest'})}\
if(lines.length)history.replaceState(null,'','#'+lines[0])}\
for(const one of all){one.tabIndex=0;one.addEventListener('mouseenter',()=>light(of(one)));\
one.addEventListener('focus',()=>light(of(one)))}\
if(location.hash){const line=location.hash.slice(1);for(const one of all)one.classList.toggle('lit',of(one).includes(line))}";

/// A page with a line of a song on the left and the text it was found in on the right.
pub fn line_page(song: &Song, line: &Choreography, source: Text<'_>) -> String {
    let mut writer = Writer {
        song,
        line,
        source,
        html: String::new(),
    };
    writer.endpoints();
    writer.block(&line.code.body, 1);
    let told = writer.html;
    let mut text = String::new();
    for (at, row) in source.text.lines().enumerate() {
        let number = at + 1;
        let row = escape(row);
        let _ = writeln!(
            text,
            "<span class=\"number\">{number:>4}  </span><span data-line=\"{number}\">{row}</span>"
        );
    }
    let name = escape(source.name);
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{name}: the line</title>\
         <style>{STYLE}</style><h1>{name}</h1><main><section><h2>The line, for any number of processes</h2>\
         <pre>{told}</pre></section><section><h2>The voices</h2><pre>{text}</pre></section></main>\
         <script>{SCRIPT}</script></html>\n"
    )
}

struct Writer<'a> {
    song: &'a Song,
    line: &'a Choreography,
    source: Text<'a>,
    html: String,
}

impl Writer<'_> {
    /// Everything before the first statement.
    fn endpoints(&mut self) {
        let mut head = self.line.clone();
        head.code.body = Block::new();
        let printed = print::choreography(self.song, &head);
        let printed = printed.trim_end().trim_end_matches('}').trim_end();
        for row in printed.lines() {
            let _ = writeln!(self.html, "{}{}", margin(""), escape(row));
        }
    }

    fn block(&mut self, block: &Block, depth: usize) {
        for stmt in block {
            self.stmt(stmt, depth);
        }
        if depth == 1 {
            let _ = writeln!(self.html, "{}}}", margin(""));
        }
    }

    fn stmt(&mut self, stmt: &Stmt, depth: usize) {
        let hollow = |kind: StmtKind| Stmt {
            kind,
            span: stmt.span,
        };
        match &stmt.kind {
            StmtKind::For {
                local,
                domain,
                filter,
                clauses,
                body,
            } => {
                let head = hollow(StmtKind::For {
                    local: *local,
                    domain: domain.clone(),
                    filter: filter.clone(),
                    clauses: clauses.clone(),
                    body: Block::new(),
                });
                self.opened(&head, depth);
                self.block(body, depth + 1);
                self.row("}", Span::default(), depth);
            }
            StmtKind::While(condition, clauses, body) => {
                let (condition, clauses) = (condition.clone(), clauses.clone());
                let head = hollow(StmtKind::While(condition, clauses, Block::new()));
                self.opened(&head, depth);
                self.block(body, depth + 1);
                self.row("}", Span::default(), depth);
            }
            StmtKind::If(condition, yes, no) => {
                let head = StmtKind::If(condition.clone(), Block::new(), Block::new());
                self.opened(&hollow(head), depth);
                self.block(yes, depth + 1);
                self.otherwise(no, depth);
            }
            StmtKind::Maybe(yes, no) => {
                self.row("maybe {", stmt.span, depth);
                self.block(yes, depth + 1);
                self.otherwise(no, depth);
            }
            StmtKind::Match(value, arms) => {
                let value = print::expr(self.song, &self.line.code.locals, value);
                self.row(&format!("match {value} {{"), stmt.span, depth);
                for (pattern, body) in arms {
                    let pattern = print::pattern(self.song, &self.line.code.locals, pattern);
                    if body.is_empty() {
                        self.row(&format!("{pattern} => {{}}"), Span::default(), depth + 1);
                        continue;
                    }
                    self.row(&format!("{pattern} => {{"), Span::default(), depth + 1);
                    self.block(body, depth + 2);
                    self.row("}", Span::default(), depth + 1);
                }
                self.row("}", Span::default(), depth);
            }
            _ => {
                let printed = print::stmt(self.song, &self.line.code.locals, stmt);
                let from = match &stmt.kind {
                    StmtKind::Assign(_, value) => value.span,
                    _ => Span::default(),
                };
                self.rows(printed.trim_end(), &[from, stmt.span], depth);
            }
        }
    }

    fn otherwise(&mut self, block: &Block, depth: usize) {
        if !block.is_empty() {
            self.row("} else {", Span::default(), depth);
            self.block(block, depth + 1);
        }
        self.row("}", Span::default(), depth);
    }

    /// A statement with an empty body, without its end.
    fn opened(&mut self, head: &Stmt, depth: usize) {
        let printed = print::stmt(self.song, &self.line.code.locals, head);
        let printed = printed.trim_end().trim_end_matches('}').trim_end();
        self.row(printed, head.span, depth);
    }

    fn row(&mut self, text: &str, span: Span, depth: usize) {
        self.rows(text, &[span], depth);
    }

    /// A statement that belongs to one place of the text, or to two: where something is sent and where it is received.
    fn rows(&mut self, text: &str, spans: &[Span], depth: usize) {
        let indent = "    ".repeat(depth);
        let mut lines: Vec<String> = Vec::new();
        for span in spans.iter().filter(|span| **span != Span::default()) {
            let line = line_and_column(self.source.text, span.start).line;
            let line = line.to_string();
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
        for (at, row) in text.lines().enumerate() {
            let row = escape(row);
            let (place, told) = match lines.is_empty() || at > 0 {
                true => (String::new(), row),
                false => (
                    lines.join(" \u{2192} "),
                    format!("<span data-line=\"{}\">{row}</span>", lines.join(" ")),
                ),
            };
            let _ = writeln!(self.html, "{}{indent}{told}", margin(&place));
        }
    }
}

/// What stands before a row.
fn margin(place: &str) -> String {
    format!("<span class=\"number\">{place:>9}  </span>")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

//! From commands to text: which groups fit on a line.
//!
//! A group is printed flat when it fits into the rest of the line together with what follows it up
//! to the next possible break; otherwise each of its own breaks becomes a new line, and the groups
//! inside are tried again. A group that contains a forced line break never fits.

use super::align::align;
use super::comments::Comment;
use super::{INDENT, WIDTH};

/// One step of printing.
#[derive(Clone, Copy, Debug)]
pub(super) enum Command<'t> {
    Text(&'t str),
    Space,
    /// A new line if the group is broken; otherwise a space or nothing.
    Line {
        space: bool,
    },
    /// Always a new line.
    HardLine,
    /// An empty line, if the last line is complete.
    BlankLine,
    Comment(Comment<'t>),
    Indent,
    Dedent,
    Open,
    Close,
    /// Breaks the group it is in.
    Break,
}

use Command::*;

pub(super) fn print(commands: &[Command<'_>]) -> String {
    let mut printer = Printer {
        widths: flat_widths(commands),
        commands,
        out: String::new(),
        column: 0,
        indent: 0,
        line_indent: 0,
        broken: vec![true],
        owes_newline: false,
        end_comments: Vec::new(),
    };
    for at in 0..commands.len() {
        printer.step(at);
    }
    let mut out = align(&printer.out, &printer.end_comments);
    out.truncate(out.trim_end().len());
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

struct Printer<'c, 't> {
    commands: &'c [Command<'t>],
    /// For each `Open`, the width of the group printed flat; nothing if it must be broken.
    widths: Vec<Option<usize>>,
    out: String,
    column: usize,
    indent: usize,
    /// The indentation of the current line.
    line_indent: usize,
    /// For each open group: is it broken?
    broken: Vec<bool>,
    /// A comment has ended the line, and nothing has been printed since.
    owes_newline: bool,
    /// Where the `//` comments after code begin.
    end_comments: Vec<usize>,
}

impl Printer<'_, '_> {
    fn step(&mut self, at: usize) {
        match self.commands[at] {
            Text(text) => self.text(text),
            Space => self.space(),
            Line { .. } if self.is_broken() || self.owes_newline => self.newline(),
            Line { space: true } => self.space(),
            Line { space: false } | Break => {}
            HardLine => self.newline(),
            BlankLine => self.blank_line(),
            Comment(comment) => self.comment(comment),
            Indent => self.indent += INDENT,
            Dedent => self.indent = self.indent.saturating_sub(INDENT),
            Open => {
                let broken = self.is_broken() && !self.fits(at);
                self.broken.push(broken);
            }
            Close => _ = self.broken.pop(),
        }
    }

    fn is_broken(&self) -> bool {
        self.broken.last().copied().unwrap_or(true)
    }

    /// Does the group opened at `at` fit, with what follows it up to the next break?
    fn fits(&self, at: usize) -> bool {
        let Some(width) = self.widths[at] else {
            return false;
        };
        let start = if self.column == 0 {
            self.line_indent
        } else {
            self.column
        };
        let inside = start + width;
        inside <= WIDTH && inside + self.width_after(at, WIDTH - inside) <= WIDTH
    }

    /// The width of what follows the group up to the next break, as far as it matters.
    fn width_after(&self, open: usize, limit: usize) -> usize {
        let mut depth = 0_usize;
        let mut width = 0;
        for command in &self.commands[open..] {
            match command {
                Open => depth += 1,
                Close => depth = depth.saturating_sub(1),
                _ if depth > 0 => {}
                Text(text) => width += text.chars().count(),
                Space => width += 1,
                Line { .. } | HardLine | BlankLine | Comment(_) => break,
                Indent | Dedent | Break => {}
            }
            if width > limit {
                break;
            }
        }
        width
    }

    fn text(&mut self, text: &str) {
        if self.owes_newline {
            self.newline();
        }
        self.raw(text);
    }

    fn raw(&mut self, text: &str) {
        if self.column == 0 {
            self.out.extend(std::iter::repeat_n(' ', self.line_indent));
            self.column = self.line_indent;
        }
        self.out.push_str(text);
        match text.rfind('\n') {
            Some(newline) => self.column = text[newline + 1..].chars().count().max(1),
            None => self.column += text.chars().count(),
        }
    }

    fn space(&mut self) {
        if self.column > 0 && !self.owes_newline && !self.out.ends_with([' ', '\n']) {
            self.out.push(' ');
            self.column += 1;
        }
    }

    fn newline(&mut self) {
        self.owes_newline = false;
        self.line_indent = self.indent;
        if self.column > 0 {
            self.out.truncate(self.out.trim_end_matches(' ').len());
            self.out.push('\n');
            self.column = 0;
        }
    }

    fn blank_line(&mut self) {
        self.newline();
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    fn comment(&mut self, comment: Comment<'_>) {
        if comment.begins_line || self.owes_newline {
            self.newline();
            if comment.blank_before {
                self.blank_line();
            }
        } else if !self.out.ends_with(['(', '[']) {
            self.space();
        }
        if self.column > 0 && comment.text.starts_with("//") {
            self.end_comments.push(self.out.len());
        }
        self.raw(comment.text);
        self.owes_newline = comment.ends_line;
    }
}

/// For each command that opens a group, the width of the group on one line, if that is possible.
fn flat_widths(commands: &[Command<'_>]) -> Vec<Option<usize>> {
    let mut widths = vec![None; commands.len()];
    let mut open: Vec<(usize, Option<usize>)> = Vec::new();
    for (at, command) in commands.iter().enumerate() {
        match command {
            Open => open.push((at, Some(0))),
            Close => {
                if let Some((start, width)) = open.pop() {
                    widths[start] = width;
                    add(&mut open, width);
                }
            }
            Indent | Dedent => {}
            _ => add(&mut open, flat_width(command)),
        }
    }
    widths
}

fn add(open: &mut [(usize, Option<usize>)], width: Option<usize>) {
    if let Some((_, total)) = open.last_mut() {
        *total = total.zip(width).map(|(total, width)| total + width);
    }
}

/// The width of one command on a line, if it can be on a line with others.
fn flat_width(command: &Command<'_>) -> Option<usize> {
    match command {
        Text(text) => Some(text.chars().count()),
        Space | Line { space: true } => Some(1),
        Line { space: false } | Indent | Dedent | Open | Close => Some(0),
        HardLine | BlankLine | Break => None,
        Comment(comment) => {
            let inline = !comment.begins_line && !comment.ends_line && !comment.text.contains('\n');
            inline.then(|| comment.text.chars().count() + 2)
        }
    }
}

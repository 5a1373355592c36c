//! Positions of the protocol and offsets into a text.
//!
//! The protocol counts lines from 0 and columns in units that client and server agree on: UTF-8 bytes where the client
//! can, UTF-16 units otherwise. A position past the end of a line means its end.

use lsp_types::{Position, PositionEncodingKind, Range, TextDocumentContentChangeEvent};
use plainsong_diagnostics::Span;

/// In which units columns are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// As the protocol demands where nothing is agreed.
    #[default]
    Utf16,
}

impl Encoding {
    /// The best that the client offers.
    pub fn agreed(offered: Option<&[PositionEncodingKind]>) -> Encoding {
        match offered {
            Some(kinds) if kinds.contains(&PositionEncodingKind::UTF8) => Encoding::Utf8,
            _ => Encoding::Utf16,
        }
    }

    /// Its name in the protocol.
    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
        }
    }

    fn width(self, c: char) -> usize {
        match self {
            Encoding::Utf8 => c.len_utf8(),
            Encoding::Utf16 => c.len_utf16(),
        }
    }
}

/// Where the lines of a text begin.
#[derive(Clone, Debug)]
pub struct Lines {
    starts: Vec<u32>,
    encoding: Encoding,
}

impl Lines {
    /// Of a text.
    pub fn new(text: &str, encoding: Encoding) -> Lines {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at as u32 + 1));
        Lines {
            starts: starts.collect(),
            encoding,
        }
    }

    /// The line of an offset, from 0.
    pub fn line(&self, offset: u32) -> u32 {
        (self.starts.partition_point(|start| *start <= offset) - 1) as u32
    }

    /// Where a line begins.
    pub fn start(&self, line: u32) -> Option<u32> {
        self.starts.get(line as usize).copied()
    }

    /// An offset as a position.
    pub fn position(&self, text: &str, offset: u32) -> Position {
        let mut offset = (offset as usize).min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line(offset as u32);
        let start = self.starts[line as usize] as usize;
        let units = text[start..offset].chars().map(|c| self.encoding.width(c));
        Position::new(line, units.sum::<usize>() as u32)
    }

    /// A position as an offset.
    pub fn offset(&self, text: &str, position: Position) -> u32 {
        let Some(start) = self.start(position.line) else {
            return text.len() as u32;
        };
        let line = &text[start as usize..];
        let line = line.split('\n').next().unwrap_or("");
        let mut units = position.character as usize;
        let mut at = start as usize;
        for c in line.chars() {
            let width = self.encoding.width(c);
            if units < width {
                break;
            }
            units -= width;
            at += c.len_utf8();
        }
        at as u32
    }

    /// A span as a range.
    pub fn range(&self, text: &str, span: Span) -> Range {
        Range::new(
            self.position(text, span.start),
            self.position(text, span.end),
        )
    }

    /// A range as a span.
    pub fn span(&self, text: &str, range: Range) -> Span {
        let start = self.offset(text, range.start);
        Span::new(start, self.offset(text, range.end).max(start))
    }
}

/// Carries out what the client changed.
pub fn apply(text: &mut String, change: &TextDocumentContentChangeEvent, encoding: Encoding) {
    let Some(range) = change.range else {
        text.clone_from(&change.text);
        return;
    };
    let lines = Lines::new(text, encoding);
    let span = lines.span(text, range);
    text.replace_range(span.start as usize..span.end as usize, &change.text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_the_agreed_units_and_survive_nonsense() {
        let text = "aé𝄞b\nc";
        let wide = Lines::new(text, Encoding::Utf16);
        assert_eq!(wide.position(text, 7), Position::new(0, 4));
        assert_eq!(wide.offset(text, Position::new(0, 4)), 7);
        assert_eq!(wide.offset(text, Position::new(0, 3)), 3, "inside a pair");
        assert_eq!(wide.offset(text, Position::new(0, 99)), 8);
        assert_eq!(wide.offset(text, Position::new(9, 0)), 10);
        let bytes = Lines::new(text, Encoding::Utf8);
        assert_eq!(bytes.position(text, 7), Position::new(0, 7));
        assert_eq!(bytes.position(text, 99), Position::new(1, 1));
    }

    #[test]
    fn changes_are_carried_out() {
        let mut text = "one\ntwo\n".to_owned();
        let change = |range, new: &str| TextDocumentContentChangeEvent {
            range,
            range_length: None,
            text: new.to_owned(),
        };
        let middle = Range::new(Position::new(0, 3), Position::new(1, 1));
        apply(&mut text, &change(Some(middle), " "), Encoding::Utf16);
        assert_eq!(text, "one wo\n");
        let backwards = Range::new(Position::new(9, 9), Position::new(0, 0));
        apply(&mut text, &change(Some(backwards), "!"), Encoding::Utf16);
        assert_eq!(text, "one wo\n!");
        apply(&mut text, &change(None, "new"), Encoding::Utf16);
        assert_eq!(text, "new");
    }
}

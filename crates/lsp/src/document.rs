//! An open text, and what is known about it.

use crate::names::Names;
use crate::position::{Encoding, Lines};
use lsp_types::{Location, Range, TextDocumentContentChangeEvent, Uri};
use plainsong_diagnostics::Span;
use plainsong_driver::Source;
use plainsong_driver::contain::contained;
use plainsong_syntax::{Analysed, SyntaxKind, SyntaxNode, SyntaxToken};
use std::cell::OnceCell;
use std::path::PathBuf;

/// One open file. What is derived from its text is worked out when it is asked for first.
#[derive(Debug)]
pub struct Document {
    /// As the client names it.
    pub uri: Uri,
    /// Counted by the client.
    pub version: i32,
    text: String,
    encoding: Encoding,
    lines: OnceCell<Lines>,
    analysis: OnceCell<Analysis>,
}

/// What is derived from a text.
#[derive(Debug)]
pub struct Analysis {
    /// Tree, mistakes, song and types.
    pub front: Analysed,
    /// What its names mean.
    pub names: Names,
    /// The compiler broke on it: our own bug, in its words.
    pub bug: Option<String>,
}

impl Analysis {
    /// Of a text. Editing goes on whatever happens: a bug of ours is a message.
    pub fn new(text: &str) -> Analysis {
        let whole = contained(|| {
            let front = plainsong_syntax::analyse(text);
            let names = Names::new(&front.parse.syntax(), &front.types);
            (front, names)
        });
        match whole {
            Ok((front, names)) => Analysis {
                front,
                names,
                bug: None,
            },
            Err(crash) => Analysis {
                front: plainsong_syntax::analyse(""),
                names: Names::default(),
                bug: Some(crash.message),
            },
        }
    }
}

impl Document {
    /// A file that was opened.
    pub fn new(uri: Uri, version: i32, text: String, encoding: Encoding) -> Document {
        Document {
            uri,
            version,
            text,
            encoding,
            lines: OnceCell::new(),
            analysis: OnceCell::new(),
        }
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Carries out changes.
    pub fn change(&mut self, version: i32, changes: &[TextDocumentContentChangeEvent]) {
        for change in changes {
            crate::position::apply(&mut self.text, change, self.encoding);
        }
        self.version = version;
        self.lines = OnceCell::new();
        self.analysis = OnceCell::new();
    }

    /// What is known about the text.
    pub fn analysis(&self) -> &Analysis {
        self.analysis.get_or_init(|| Analysis::new(&self.text))
    }

    /// What its names mean.
    pub fn names(&self) -> &Names {
        &self.analysis().names
    }

    /// The tree.
    pub fn tree(&self) -> SyntaxNode {
        self.analysis().front.parse.syntax()
    }

    /// Where its lines are.
    pub fn lines(&self) -> &Lines {
        self.lines
            .get_or_init(|| Lines::new(&self.text, self.encoding))
    }

    /// A span as the client counts.
    pub fn range(&self, span: Span) -> Range {
        self.lines().range(&self.text, span)
    }

    /// A span of this file.
    pub fn location(&self, span: Span) -> Location {
        Location::new(self.uri.clone(), self.range(span))
    }

    /// A position as an offset.
    pub fn offset(&self, position: lsp_types::Position) -> u32 {
        self.lines().offset(&self.text, position)
    }

    /// The token at an offset: of two that touch there, the one that is a word.
    pub fn token(&self, offset: u32) -> Option<SyntaxToken> {
        let root = self.tree();
        if offset > u32::from(root.text_range().end()) {
            return None;
        }
        let tokens: Vec<SyntaxToken> = root.token_at_offset(offset.into()).collect();
        let word = |token: &&SyntaxToken| {
            let kind = token.kind();
            kind == SyntaxKind::Ident || kind.is_keyword()
        };
        tokens.iter().find(word).or(tokens.last()).cloned()
    }

    /// For the engines.
    pub fn source(&self) -> Source {
        let path = path_of(&self.uri);
        Source {
            name: path.as_ref().map_or_else(
                || self.uri.as_str().to_owned(),
                |path| path.display().to_string(),
            ),
            text: self.text.clone(),
            path,
        }
    }
}

/// The path that a `file:` address names.
pub fn path_of(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    let mut bytes = Vec::new();
    let mut left = rest.bytes();
    while let Some(byte) = left.next() {
        let decoded = match byte {
            b'%' => {
                let digits = [left.next()?, left.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            other => other,
        };
        bytes.push(decoded);
    }
    let path = String::from_utf8(bytes).ok()?;
    // `/c:/songs` on Windows.
    let drive = path.as_bytes().get(2) == Some(&b':');
    Some(PathBuf::from(match drive {
        true => &path[1..],
        false => &path,
    }))
}

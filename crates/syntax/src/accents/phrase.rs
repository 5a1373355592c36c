//! Phrases of the table, and where in a text they stand.

use super::table::{Place, Row};
use crate::kinds::SyntaxKind::{self, *};
use crate::lexer::{Token, lex};
use plainsong_diagnostics::Span;

/// The tokens of a text without spaces and comments.
pub(super) struct Words<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    /// How many braces are open before each.
    depth: Vec<usize>,
}

impl<'t> Words<'t> {
    pub(super) fn new(text: &'t str, tokens: &[Token]) -> Self {
        let tokens: Vec<Token> = tokens
            .iter()
            .filter(|token| counts(token.kind))
            .copied()
            .collect();
        let mut open = 0_usize;
        let depth = tokens
            .iter()
            .map(|token| {
                let before = open;
                match token.kind {
                    LBrace => open += 1,
                    RBrace => open = open.saturating_sub(1),
                    _ => {}
                }
                before
            })
            .collect();
        Words {
            text,
            tokens,
            depth,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    pub(super) fn word(&self, at: usize) -> &'t str {
        self.tokens[at].span().slice(self.text)
    }

    /// From the word `from` up to, and without, the word `to`.
    pub(super) fn span(&self, from: usize, to: usize) -> Span {
        Span::new(
            self.tokens[from].start,
            self.tokens[to.max(from + 1) - 1].end,
        )
    }

    /// The number of the line of a place.
    pub(super) fn line(&self, at: u32) -> usize {
        self.text[..at as usize].matches('\n').count()
    }

    /// What follows from a phrase: its line, and its block where it has one.
    pub(super) fn extent(&self, from: usize, to: usize, has_block: bool) -> Span {
        let start = self.tokens[from].start as usize;
        let line = self.text[..start]
            .rfind('\n')
            .map_or(0, |newline| newline + 1);
        let mut end = self.end_of_line(self.tokens[to - 1].end);
        let opening = (from..self.len()).find(|&at| self.tokens[at].kind == LBrace);
        if let (true, Some(opening)) = (has_block, opening)
            && (self.tokens[opening].start <= end || opening == to)
        {
            let closing = (opening + 1..self.len()).find(|&at| {
                self.tokens[at].kind == RBrace && self.depth[at] == self.depth[opening] + 1
            });
            let last = closing.map_or(self.text.len() as u32, |at| self.tokens[at].end);
            end = self.end_of_line(last);
        }
        Span::new(line as u32, end)
    }

    fn end_of_line(&self, at: u32) -> u32 {
        let rest = &self.text[at as usize..];
        at + rest.find('\n').unwrap_or(rest.len()) as u32
    }

    fn is_first_on_line(&self, at: usize) -> bool {
        let before = at.checked_sub(1).map_or(0, |last| self.tokens[last].end);
        let gap = &self.text[before as usize..self.tokens[at].start as usize];
        at == 0 || gap.contains('\n')
    }

    /// Does the word begin a statement or an item?
    fn is_start(&self, at: usize) -> bool {
        let after = |last: usize| matches!(self.tokens[last].kind, LBrace | RBrace | Semicolon);
        self.is_first_on_line(at) || at.checked_sub(1).is_some_and(after)
    }

    /// Does a statement stand here as it should? Then who did not expect one had lost the way before.
    pub(super) fn is_lost_statement(&self, at: u32) -> bool {
        let found = self.tokens.binary_search_by_key(&at, |token| token.start);
        found.is_ok_and(|here| {
            let kind = self.tokens[here].kind;
            let is_statement = kind.starts_keyword_statement() || kind == RBrace;
            is_statement && self.depth[here] > 0 && self.is_start(here)
        })
    }

    /// Does a value end before the word, so that an operator may follow?
    fn is_after_value(&self, at: usize) -> bool {
        at.checked_sub(1).is_some_and(|last| {
            let kind = self.tokens[last].kind;
            matches!(
                kind,
                Ident | Int | RParen | RBracket | TrueKw | FalseKw | NoneKw | SelfKw
            )
        })
    }

    fn stands(&self, at: usize, place: Place) -> bool {
        match place {
            Place::Anywhere => true,
            Place::Start => self.is_start(at),
            Place::Item => self.is_start(at) && self.depth[at] == 0,
            Place::Body => self.is_start(at) && self.depth[at] > 0,
            Place::Operator => self.is_after_value(at),
            Place::Operand => !self.is_after_value(at),
        }
    }
}

/// What is written elsewhere, in words of ours. `_` stands for any name or number.
pub(super) struct Phrase {
    place: Place,
    words: Vec<(&'static str, SyntaxKind)>,
    /// Is there space before each of the words in the table? Where there is none, there is none in the text.
    spaced: Vec<bool>,
}

impl Phrase {
    pub(super) fn of(row: &'static Row) -> Self {
        let (tokens, _) = lex(row.written);
        let mut words = Vec::new();
        let mut spaced = Vec::new();
        let mut last = 0;
        for token in tokens.iter().filter(|token| counts(token.kind)) {
            words.push((token.span().slice(row.written), token.kind));
            spaced.push(token.start > last);
            last = token.end;
        }
        Phrase {
            place: row.place,
            words,
            spaced,
        }
    }

    /// The word that it begins with, where that is a whole word that is given.
    pub(super) fn first_word(&self) -> Option<&'static str> {
        let (word, kind) = *self.words.first()?;
        let is_part = kind == Unknown && self.words.len() == 1;
        (kind != Underscore && !is_part).then_some(word)
    }

    /// Of two phrases at one place the one that says more counts: first by words that are given, then by length.
    pub(super) fn rank(&self) -> (usize, usize, bool) {
        let given = self.words.iter().filter(|(_, kind)| *kind != Underscore);
        let is_placed = self.place != Place::Anywhere;
        (given.count(), self.words.len(), is_placed)
    }

    /// How many words it takes at this place, if it stands there.
    pub(super) fn matches(&self, words: &Words<'_>, at: usize) -> Option<usize> {
        if at + self.words.len() > words.len() || !words.stands(at, self.place) {
            return None;
        }
        let fits = self.words.iter().enumerate().all(|(number, (word, kind))| {
            let here = at + number;
            let joined = number == 0
                || self.spaced[number]
                || words.tokens[here - 1].end == words.tokens[here].start;
            joined
                && match kind {
                    Underscore => matches!(words.tokens[here].kind, Ident | Int),
                    // The lexer takes several unknown characters for one word.
                    Unknown if number + 1 == self.words.len() => words.word(here).starts_with(word),
                    _ => words.word(here) == *word,
                }
        });
        fits.then_some(self.words.len())
    }
}

/// Unknown characters count here, though the parser passes over them.
fn counts(kind: SyntaxKind) -> bool {
    kind == Unknown || !kind.is_trivia()
}

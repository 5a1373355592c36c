//! From the tree to printing commands: tokens, operators, quantifiers and headers.

use rowan::NodeOrToken;

use super::comments::{Comment, Gap, gaps};
use super::lists;
use super::printer::Command;
use super::spacing::{Piece, wants_space};
use crate::kinds::SyntaxKind::{self, *};
use crate::kinds::{SyntaxElement, SyntaxNode, SyntaxToken};

/// Collects the commands that print a tree.
pub(super) struct Layout<'t> {
    pub(super) text: &'t str,
    commands: Vec<Command<'t>>,
    gaps: std::iter::Peekable<std::vec::IntoIter<Gap<'t>>>,
    /// The last token.
    last: Option<Piece>,
    /// Has a break come since the last token?
    separated: bool,
    /// Has a comment come since the last token or break?
    commented: bool,
    /// Comments on the line of the last token, not printed yet.
    trailing: Vec<Comment<'t>>,
}

impl<'t> Layout<'t> {
    /// The commands that print the file.
    pub(super) fn of(text: &'t str, root: &SyntaxNode) -> Vec<Command<'t>> {
        let mut layout = Layout {
            text,
            commands: Vec::new(),
            gaps: gaps(text, root).into_iter().peekable(),
            last: None,
            separated: true,
            commented: false,
            trailing: Vec::new(),
        };
        layout.take_trailing();
        for (index, item) in root.children().enumerate() {
            layout.sequence_break(index == 0);
            layout.node(&item);
        }
        layout.final_comments();
        layout.commands
    }

    // ----- emitting -----

    pub(super) fn push(&mut self, command: Command<'t>) {
        let ends = matches!(command, Command::Close | Command::Dedent);
        if !ends {
            self.flush_trailing();
        }
        if matches!(command, Command::Line { .. } | Command::HardLine) {
            self.separated = true;
            self.commented = false;
        }
        self.commands.push(command);
    }

    /// A group of its own around what `inside` prints.
    pub(super) fn group(&mut self, inside: impl FnOnce(&mut Self)) {
        self.flush_trailing();
        self.flush_leading(Blanks::Never);
        self.push(Command::Open);
        inside(self);
        self.push(Command::Close);
    }

    pub(super) fn indented(&mut self, inside: impl FnOnce(&mut Self)) {
        self.push(Command::Indent);
        inside(self);
        self.push(Command::Dedent);
    }

    pub(super) fn line(&mut self) {
        self.push(Command::Line { space: true });
    }

    fn flush_trailing(&mut self) {
        for comment in std::mem::take(&mut self.trailing) {
            self.comment(comment);
        }
    }

    /// Prints the comments that stand on lines of their own before the next token.
    fn flush_leading(&mut self, blanks: Blanks) {
        let Some(gap) = self.gaps.peek_mut() else {
            return;
        };
        let leading = std::mem::take(&mut gap.leading);
        let blank_before = std::mem::take(&mut gap.blank_before);
        let first = leading.is_empty();
        for (index, mut comment) in leading.into_iter().enumerate() {
            comment.blank_before &= blanks.allowed(index == 0);
            self.comment(comment);
        }
        if blank_before && blanks.allowed(first) {
            self.commands.push(Command::BlankLine);
        }
    }

    fn comment(&mut self, comment: Comment<'t>) {
        self.commands.push(Command::Comment(comment));
        self.commented = true;
    }

    fn final_comments(&mut self) {
        self.flush_trailing();
        self.flush_leading(Blanks::Always);
    }

    /// A new line before the next element of a sequence, with an empty one if the author left one.
    pub(super) fn sequence_break(&mut self, first: bool) {
        self.push(Command::HardLine);
        self.flush_leading(if first {
            Blanks::NotFirst
        } else {
            Blanks::Always
        });
    }

    /// Comments before a closing bracket, inside its indentation.
    pub(super) fn comments_before_closing(&mut self, first: bool) {
        let Some(gap) = self.gaps.peek_mut().filter(|gap| !gap.leading.is_empty()) else {
            return;
        };
        gap.blank_before = false;
        self.sequence_break(first);
    }

    /// Are there comments before the next token?
    pub(super) fn comments_ahead(&mut self) -> bool {
        !self.trailing.is_empty() || self.gaps.peek().is_some_and(|gap| !gap.leading.is_empty())
    }

    fn take_trailing(&mut self) {
        if let Some(gap) = self.gaps.peek_mut() {
            self.trailing = std::mem::take(&mut gap.trailing);
        }
    }

    // ----- tokens -----

    pub(super) fn token(&mut self, token: &SyntaxToken) {
        let piece = Piece {
            kind: token.kind(),
            parent: token.parent().map_or(SongFile, |parent| parent.kind()),
        };
        self.flush_trailing();
        self.flush_leading(Blanks::Never);
        if self.needs_space(piece) {
            self.commands.push(Command::Space);
        }
        self.commands
            .push(Command::Text(&self.text[token.text_range()]));
        self.last = Some(piece);
        self.separated = false;
        self.commented = false;
        self.gaps.next();
        self.take_trailing();
    }

    fn needs_space(&self, next: Piece) -> bool {
        if self.commented {
            return !matches!(next.kind, Comma | Semicolon | RParen | RBracket);
        }
        !self.separated && self.last.is_some_and(|last| wants_space(last, next))
    }

    // ----- nodes -----

    /// Prints a node by the rule for its kind.
    pub(super) fn node(&mut self, node: &SyntaxNode) {
        match node.kind() {
            BinaryExpr => self.chain(node),
            QuantifierExpr | QuantifiedClaim => self.quantifier(node),
            kind if lists::is_list(kind) => self.list(node),
            FilterComprehension | SetComprehension | SeqComprehension => self.comprehension(node),
            Block | ProcessBody | ChoreographyBody | BlockExpr | Endpoint => self.braced(node),
            MatchStmt | MatchExpr | ReceiveChoice => self.arms(node),
            IfStmt | IfExpr | MaybeStmt | WhileStmt | ForStmt | LoopStmt | Handler => {
                self.branches(node);
            }
            SequentializeItem if node.children().all(|child| child.kind() != Block) => {
                self.external(node);
            }
            LemmaItem | SequentializeItem => self.branches(node),
            FnItem if node.children().all(|child| child.kind() != BlockExpr) => {
                self.external(node);
            }
            FnItem | ProcedureItem
                if node
                    .children()
                    .any(|child| child.kind() == DecreasesClause || child.kind() == Contract) =>
            {
                self.branches(node);
            }
            Claim if node.children().any(|child| child.kind() == Claim) => self.claims(node),
            PropertyItem if !claims_quantifier(node) => self.property(node),
            _ => self.inline(node),
        }
    }

    pub(super) fn element(&mut self, element: &SyntaxElement) {
        match element {
            NodeOrToken::Node(node) => self.node(node),
            NodeOrToken::Token(token) => self.token(token),
        }
    }

    /// Everything one after the other, spaced by the tokens.
    fn inline(&mut self, node: &SyntaxNode) {
        for element in parts(node) {
            self.element(&element);
        }
    }

    /// `a && b && c`: on one line, or broken before every operator.
    fn chain(&mut self, node: &SyntaxNode) {
        let (first, rest) = operands(node);
        self.group(|layout| {
            layout.element(&first);
            layout.indented(|layout| {
                for pair in rest.chunks(2) {
                    layout.line();
                    pair.iter().for_each(|element| layout.element(element));
                }
            });
        });
    }

    /// `forall x: T :: p`: on one line, or broken before the body.
    fn quantifier(&mut self, node: &SyntaxNode) {
        let (head, body) = split_after(parts(node).collect(), ColonColon);
        self.group(|layout| {
            head.iter().for_each(|element| layout.element(element));
            layout.indented(|layout| {
                layout.line();
                body.iter().for_each(|element| layout.element(element));
            });
        });
    }

    /// `(claim) && (claim)`: on one line, or broken before every `&&`.
    fn claims(&mut self, node: &SyntaxNode) {
        self.group(|layout| {
            for element in parts(node) {
                if element.kind() == AndOp {
                    layout.line();
                }
                layout.element(&element);
            }
        });
    }

    /// `property p: always e;`: on one line, or broken before the claim.
    fn property(&mut self, node: &SyntaxNode) {
        let (head, claim) = split_after(parts(node).collect(), Colon);
        self.group(|layout| {
            head.iter().for_each(|element| layout.element(element));
            layout.indented(|layout| {
                layout.line();
                claim.iter().for_each(|element| layout.element(element));
            });
        });
    }
}

/// A claim that is a quantifier is broken after its `::` and not before.
fn claims_quantifier(property: &SyntaxNode) -> bool {
    let claims = property.children().filter(|child| child.kind() == Claim);
    claims
        .flat_map(|claim| claim.children())
        .any(|claimed| matches!(claimed.kind(), QuantifierExpr | QuantifiedClaim))
}

/// Which empty lines before and between comments are kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Blanks {
    Never,
    NotFirst,
    Always,
}

impl Blanks {
    fn allowed(self, first: bool) -> bool {
        match self {
            Blanks::Never => false,
            Blanks::NotFirst => !first,
            Blanks::Always => true,
        }
    }
}

/// The nodes and tokens in a node that are not white space or comments.
pub(super) fn parts(node: &SyntaxNode) -> impl Iterator<Item = SyntaxElement> + use<> {
    node.children_with_tokens()
        .filter(|element| !element.kind().is_trivia())
}

/// What comes up to the token of kind `kind`, and what comes after it.
pub(super) fn split_after(
    mut elements: Vec<SyntaxElement>,
    kind: SyntaxKind,
) -> (Vec<SyntaxElement>, Vec<SyntaxElement>) {
    let at = elements.iter().position(|element| element.kind() == kind);
    let rest = elements.split_off(at.map_or(elements.len(), |at| at + 1));
    (elements, rest)
}

/// The first operand of a chain of operators of one level, then operators and operands by turns.
fn operands(node: &SyntaxNode) -> (SyntaxElement, Vec<SyntaxElement>) {
    let level = chain_level(node);
    let mut backwards: Vec<SyntaxElement> = Vec::new();
    let mut todo: Vec<SyntaxElement> = parts(node).collect();
    while let Some(element) = todo.pop() {
        match element.as_node().filter(|inner| inner.kind() == BinaryExpr) {
            Some(inner) if chain_level(inner) == level => todo.extend(parts(inner)),
            _ => backwards.push(element),
        }
    }
    backwards.reverse();
    let rest = backwards.split_off(1);
    (backwards.remove(0), rest)
}

/// Operators that may stand in one chain have the same level.
fn chain_level(node: &SyntaxNode) -> Option<SyntaxKind> {
    let operator = parts(node).find_map(NodeOrToken::into_token)?.kind();
    Some(match operator {
        Plus | Minus => Plus,
        Star | Slash | Percent => Star,
        other => other,
    })
}

//! Blocks and the statements that have them: on one line if the author wrote them so.

use rowan::NodeOrToken;

use super::lists::begins_line;
use super::printer::Command;
use super::rules::{Layout, parts};
use crate::kinds::SyntaxKind::*;
use crate::kinds::{SyntaxElement, SyntaxNode};

/// How the parts of a block are separated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Each on its own line.
    Lines,
    /// By the breaks of the group around them.
    Flexible,
}

impl Layout<'_> {
    /// `… { part* }` with the shape the author gave it.
    pub(super) fn braced(&mut self, node: &SyntaxNode) {
        let (head, body) = split_at_brace(node);
        head.iter().for_each(|element| self.element(element));
        self.own_body(&body);
    }

    fn own_body(&mut self, body: &[SyntaxElement]) {
        let shape = written_shape(self.text, body);
        self.group(|layout| layout.body(body, shape));
    }

    /// `match e { arm* }` and `receive { arm* }`.
    pub(super) fn arms(&mut self, node: &SyntaxNode) {
        let (head, body) = split_at_brace(node);
        let shape = written_shape(self.text, &body);
        self.group(|layout| {
            layout.header(&head);
            layout.body(&body, shape);
        });
    }

    /// What stands before a block; when it is broken, the block's brace gets its own line.
    fn header(&mut self, elements: &[SyntaxElement]) {
        let clauses = elements.iter().filter(|element| is_clause(element));
        let broken = clauses
            .into_iter()
            .any(|clause| begins_line(self.text, clause));
        self.group(|layout| {
            if broken {
                layout.push(Command::Break);
            }
            layout.with_clauses(elements);
            layout.line();
        });
    }

    /// `extern fn f(…) -> T requires e ensures e;`
    pub(super) fn external(&mut self, node: &SyntaxNode) {
        let elements: Vec<SyntaxElement> = parts(node).collect();
        let mut clauses = elements.iter().filter(|element| is_clause(element));
        let broken = clauses.any(|clause| begins_line(self.text, clause));
        self.group(|layout| {
            if broken {
                layout.push(Command::Break);
            }
            layout.with_clauses(&elements);
        });
    }

    fn with_clauses(&mut self, elements: &[SyntaxElement]) {
        for element in elements {
            if is_clause(element) {
                self.indented(|layout| {
                    layout.line();
                    layout.element(element);
                });
            } else {
                self.element(element);
            }
        }
    }

    /// Statements with blocks: all blocks on the line of their header, or none.
    pub(super) fn branches(&mut self, node: &SyntaxNode) {
        let lines = branch_bodies(node)
            .iter()
            .any(|body| written_shape(self.text, body) == Shape::Lines);
        let shape = if lines { Shape::Lines } else { Shape::Flexible };
        self.group(|layout| layout.branch(node, shape));
    }

    fn branch(&mut self, node: &SyntaxNode, shape: Shape) {
        let mut header: Vec<SyntaxElement> = Vec::new();
        for element in parts(node) {
            match element {
                NodeOrToken::Node(block) if is_block(&block) => {
                    if !header.is_empty() {
                        self.header(&std::mem::take(&mut header));
                    }
                    self.body(&parts(&block).collect::<Vec<_>>(), shape);
                }
                NodeOrToken::Node(next) if is_if(&next) && header.is_empty() => {
                    self.branch(&next, shape);
                }
                NodeOrToken::Token(token) if token.kind() == ElseKw => self.token(&token),
                other => header.push(other),
            }
        }
    }

    fn body(&mut self, body: &[SyntaxElement], shape: Shape) {
        let [open, inside @ .., close] = body else {
            return;
        };
        self.element(open);
        if inside.is_empty() && !self.comments_ahead() {
            self.element(close);
            return;
        }
        self.indented(|layout| {
            for (index, element) in inside.iter().enumerate() {
                match shape {
                    Shape::Lines => layout.sequence_break(index == 0),
                    Shape::Flexible => layout.line(),
                }
                layout.element(element);
            }
            layout.comments_before_closing(inside.is_empty());
        });
        match shape {
            Shape::Lines => self.push(Command::HardLine),
            Shape::Flexible => self.line(),
        }
        self.element(close);
    }
}

fn is_block(node: &SyntaxNode) -> bool {
    matches!(node.kind(), Block | BlockExpr)
}

fn is_if(node: &SyntaxNode) -> bool {
    matches!(node.kind(), IfStmt | IfExpr)
}

fn is_clause(element: &SyntaxElement) -> bool {
    matches!(element.kind(), InvariantClause | DecreasesClause | Contract)
}

/// What comes before the `{` that is a direct part of the node, and the rest.
fn split_at_brace(node: &SyntaxNode) -> (Vec<SyntaxElement>, Vec<SyntaxElement>) {
    let mut elements: Vec<SyntaxElement> = parts(node).collect();
    let at = elements.iter().position(|element| element.kind() == LBrace);
    let body = elements.split_off(at.unwrap_or(elements.len()));
    (elements, body)
}

/// Is there a line break between the braces?
fn written_shape(text: &str, body: &[SyntaxElement]) -> Shape {
    let (Some(open), Some(close)) = (body.first(), body.last()) else {
        return Shape::Flexible;
    };
    let inside = open.text_range().end().into()..close.text_range().start().into();
    let lines = text
        .get::<std::ops::Range<usize>>(inside)
        .is_some_and(|text| text.contains('\n'));
    if lines { Shape::Lines } else { Shape::Flexible }
}

/// The braces of a statement and of all its `else`s.
fn branch_bodies(node: &SyntaxNode) -> Vec<Vec<SyntaxElement>> {
    let mut bodies = Vec::new();
    let mut next = Some(node.clone());
    while let Some(current) = next.take() {
        let mut else_seen = false;
        for element in parts(&current) {
            match element {
                NodeOrToken::Token(token) => else_seen |= token.kind() == ElseKw,
                NodeOrToken::Node(inner) if is_block(&inner) => {
                    bodies.push(parts(&inner).collect());
                }
                NodeOrToken::Node(inner) if else_seen => next = Some(inner),
                NodeOrToken::Node(_) => {}
            }
        }
    }
    bodies
}

//! Bracketed lists and comprehensions: on one line, or one element per line.

use super::printer::Command;
use super::rules::{Layout, parts};
use super::spacing::has_tight_braces;
use crate::kinds::SyntaxKind::{self, *};
use crate::kinds::{SyntaxElement, SyntaxNode};

/// Is a node of this kind a list in brackets, possibly with something before them?
pub(super) fn is_list(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        ArgList
            | BinderList
            | SlotList
            | IndexList
            | ParenExpr
            | TupleExpr
            | SetExpr
            | BagExpr
            | SeqExpr
            | StructExpr
            | TupleType
            | TuplePattern
            | VariantPattern
            | StructPattern
            | ProcessPattern
            | Variant
            | EnumItem
            | StructItem
    )
}

impl Layout<'_> {
    pub(super) fn list(&mut self, node: &SyntaxNode) {
        let mut elements: Vec<SyntaxElement> = parts(node).collect();
        let opening = elements
            .iter()
            .position(|element| element.kind().closing().is_some());
        let brackets = elements.split_off(opening.unwrap_or(elements.len()));
        elements.iter().for_each(|element| self.element(element));
        if let [open, inside @ .., close] = brackets.as_slice() {
            let broken = asks_for_lines(self.text, node, inside);
            self.group(|layout| layout.bracketed(open, inside, close, broken));
        }
    }

    fn bracketed(
        &mut self,
        open: &SyntaxElement,
        inside: &[SyntaxElement],
        close: &SyntaxElement,
        broken: bool,
    ) {
        let space =
            open.kind() == LBrace && open.parent().is_some_and(|p| !has_tight_braces(p.kind()));
        self.element(open);
        if inside.is_empty() && !self.comments_ahead() {
            self.element(close);
            return;
        }
        if broken {
            self.push(Command::Break);
        }
        self.indented(|layout| {
            let mut begins = true;
            for element in inside {
                if begins {
                    let first = element == &inside[0];
                    layout.push(Command::Line {
                        space: space || !first,
                    });
                }
                layout.element(element);
                begins = element.kind() == Comma;
            }
            layout.comments_before_closing(inside.is_empty());
        });
        self.push(Command::Line { space });
        self.element(close);
    }

    /// `{ e for x in S where p }`: on one line, or broken before `for` and `where`.
    pub(super) fn comprehension(&mut self, node: &SyntaxNode) {
        let elements: Vec<SyntaxElement> = parts(node).collect();
        let [open, inside @ .., close] = elements.as_slice() else {
            return;
        };
        self.group(|layout| {
            layout.element(open);
            layout.indented(|layout| {
                layout.line();
                for element in inside {
                    if element.kind() == ForKw {
                        layout.line();
                    }
                    match element.as_node().filter(|inner| inner.kind() == Binding) {
                        Some(binding) => layout.binding(binding),
                        None => layout.element(element),
                    }
                }
                layout.comments_before_closing(false);
            });
            layout.line();
            layout.element(close);
        });
    }

    fn binding(&mut self, node: &SyntaxNode) {
        for element in parts(node) {
            if element.kind() == WhereClause {
                self.line();
            }
            self.element(&element);
        }
    }
}

/// Did the author ask for one element per line: by a comma after the last one, or in a declaration
/// by beginning a line after the brace?
fn asks_for_lines(text: &str, node: &SyntaxNode, inside: &[SyntaxElement]) -> bool {
    let comma_last = inside.last().is_some_and(|last| last.kind() == Comma);
    let declaration = matches!(node.kind(), EnumItem | StructItem);
    comma_last || declaration && inside.first().is_some_and(|first| begins_line(text, first))
}

/// Does the line begin with this element?
pub(super) fn begins_line(text: &str, element: &SyntaxElement) -> bool {
    let before = &text[..element.text_range().start().into()];
    before.trim_end_matches([' ', '\t', '\r']).ends_with('\n')
}

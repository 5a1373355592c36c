//! Patterns: a bare name is a variant or a process where one is expected, and a new name elsewhere.

use super::super::{DefinitionId, Kind, Use};
use super::{Walk, first_ident, idents};
use SyntaxKind::*;
use plainsong_ir::Ty;
use plainsong_syntax::ast::{span_of, token_span};
use plainsong_syntax::{SyntaxKind, SyntaxNode};

/// Is it a node of a pattern?
pub(super) fn is_pattern(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        WildcardPattern
            | NamePattern
            | LiteralPattern
            | NonePattern
            | SomePattern
            | TuplePattern
            | VariantPattern
            | StructPattern
            | ProcessPattern
    )
}

impl Walk<'_> {
    pub(super) fn pattern(&mut self, node: &SyntaxNode) {
        match node.kind() {
            NamePattern => self.name_pattern(node),
            VariantPattern => {
                let names = idents(node);
                if let [of, variant] = &names[..] {
                    self.used_item(of);
                    let owner = self.items.items.get(of.text()).copied();
                    let known = owner.and_then(|owner| self.member(owner, variant.text()));
                    self.used(variant, known);
                } else if let [variant] = &names[..] {
                    let span = span_of(node);
                    self.used(variant, self.variant(variant.text(), span));
                }
                self.children(node);
            }
            StructPattern => {
                let owner = first_ident(node).and_then(|token| {
                    self.used_item(&token);
                    self.items.items.get(token.text()).copied()
                });
                for field in node.children() {
                    self.field(&field, owner, true);
                }
            }
            ProcessPattern => {
                if let Some(token) = first_ident(node) {
                    self.used_item(&token);
                }
                self.children(node);
            }
            _ => self.children(node),
        }
    }

    fn name_pattern(&mut self, node: &SyntaxNode) {
        let Some(token) = first_ident(node) else {
            return;
        };
        let name = token.text();
        let known = match self.types.at(token_span(&token)) {
            Some(Ty::Process) => {
                let item = self.items.items.get(name).copied();
                item.filter(|id| self.kind(*id) == Kind::Process)
            }
            Some(Ty::Enum(_)) | None => self.variant(name, token_span(&token)),
            Some(_) => None,
        };
        match known {
            Some(_) => self.used(&token, known),
            None => self.bind(&token, Kind::Local),
        }
    }

    /// `term: p` or `term`, of a struct that is taken apart or made.
    pub(super) fn field(&mut self, node: &SyntaxNode, owner: Option<DefinitionId>, binds: bool) {
        let Some(token) = first_ident(node) else {
            return self.node(node);
        };
        let short = !super::has_token(node, Colon);
        if let Some(of) = owner.and_then(|owner| self.member(owner, token.text())) {
            let span = token_span(&token);
            self.uses.push(Use {
                span,
                of,
                shorthand: short,
            });
        }
        if short && binds {
            self.bind(&token, Kind::Local);
        } else if short && let Some(of) = self.look_up(token.text()) {
            let span = token_span(&token);
            self.uses.push(Use {
                span,
                of,
                shorthand: true,
            });
        }
        self.children(node);
    }
}

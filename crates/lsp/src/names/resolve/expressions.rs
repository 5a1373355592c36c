//! Expressions.

use super::super::{DefinitionId, Kind};
use super::patterns::is_pattern;
use super::{Walk, first_ident, idents};
use SyntaxKind::*;
use plainsong_ir::Ty;
use plainsong_syntax::ast::{span_of, token_span};
use plainsong_syntax::{SyntaxKind, SyntaxNode};

impl Walk<'_> {
    pub(super) fn expression(&mut self, node: &SyntaxNode) {
        match node.kind() {
            NameExpr => {
                if let Some(token) = first_ident(node) {
                    self.used(&token, self.meaning(node));
                }
            }
            FieldExpr => self.field_expr(node),
            CallExpr => {
                if let Some(token) = first_ident(node) {
                    let function = self.items.items.get(token.text()).copied();
                    let known = function.or_else(|| self.variant(token.text(), span_of(node)));
                    self.used(&token, known);
                }
                self.children(node);
            }
            PathExpr => {
                if let [of, variant] = &idents(node)[..] {
                    self.used_item(of);
                    let owner = self.items.items.get(of.text()).copied();
                    let known = owner.and_then(|owner| self.member(owner, variant.text()));
                    self.used(variant, known);
                }
                self.children(node);
            }
            StructExpr => {
                let owner = first_ident(node).and_then(|token| {
                    self.used_item(&token);
                    self.items.items.get(token.text()).copied()
                });
                for child in node.children() {
                    match child.kind() {
                        FieldInit => self.field(&child, owner, false),
                        _ => self.node(&child),
                    }
                }
            }
            SetComprehension | SeqComprehension => {
                let mark = self.enter();
                let (bindings, elements): (Vec<_>, Vec<_>) =
                    node.children().partition(|child| child.kind() == Binding);
                bindings.iter().for_each(|child| self.node(child));
                elements.iter().for_each(|child| self.node(child));
                self.leave(mark, node);
            }
            Binding => self.binding(node),
            MapExpr => {
                let mark = self.enter();
                let name = first_ident(node);
                for child in node.children() {
                    self.node(&child);
                    if let (true, Some(name)) = (super::is_type(child.kind()), &name) {
                        self.bind(name, Kind::Local);
                    }
                }
                self.leave(mark, node);
            }
            IsExpr => {
                let mark = self.enter();
                self.children(node);
                self.leave(mark, node);
            }
            kind if is_pattern(kind) => self.pattern(node),
            _ => self.children(node),
        }
    }

    /// `x, y: T where p` or `x in S where p`
    fn binding(&mut self, node: &SyntaxNode) {
        let (filters, domains): (Vec<_>, Vec<_>) = node
            .children()
            .partition(|child| child.kind() == WhereClause);
        domains.iter().for_each(|child| self.node(child));
        for token in idents(node) {
            self.bind(&token, Kind::Local);
        }
        filters.iter().for_each(|child| self.node(child));
    }

    /// What a bare name in an expression means.
    fn meaning(&self, node: &SyntaxNode) -> Option<DefinitionId> {
        let token = first_ident(node)?;
        let name = token.text();
        if let Some(local) = self.is_local(name) {
            return local;
        }
        let known = self.look_up(name);
        known.or_else(|| self.variant(name, token_span(&token)))
    }

    /// `p.x`, `line.p.x` or `e.field`
    fn field_expr(&mut self, node: &SyntaxNode) {
        let (Some(base), Some(token)) = (node.first_child(), first_ident(node)) else {
            return self.children(node);
        };
        if let Some(line) = self.line_named(&base) {
            if let Some(base) = first_ident(&base) {
                self.used(&base, Some(line));
            }
            return self.used(&token, self.member(line, token.text()));
        }
        self.node(&base);
        let known = match self.family_of(&base) {
            Some(family) => self.member(family, token.text()),
            None => self.field_of(&base, token.text()),
        };
        self.used(&token, known);
    }

    fn field_of(&self, base: &SyntaxNode, name: &str) -> Option<DefinitionId> {
        let owner = match self.types.at(span_of(base)) {
            Some(ty) => self.types.fields(ty).map(|(owner, _)| owner.to_owned()),
            None => None,
        };
        if let Some(owner) = owner {
            return self.member(*self.items.items.get(&owner)?, name);
        }
        // Without types: the only field of that name.
        let rows = self.items.definitions.iter().enumerate();
        let mut rows = rows.filter(|(_, row)| row.kind == Kind::Field && row.name == name);
        let (at, _) = rows.next()?;
        rows.next().is_none().then_some(DefinitionId(at))
    }

    /// In a property, a choreography whose endpoint follows.
    fn line_named(&self, base: &SyntaxNode) -> Option<DefinitionId> {
        if base.kind() != NameExpr || !self.home.property {
            return None;
        }
        let token = first_ident(base)?;
        let hidden = self.is_local(token.text()).is_some()
            || self.items.items.contains_key(token.text())
            || self.endpoint_anywhere(token.text()).is_some();
        let line = self.items.lines.get(token.text()).copied();
        line.filter(|_| !hidden)
    }

    /// The process or endpoint that an expression names.
    pub(super) fn family_of(&self, node: &SyntaxNode) -> Option<DefinitionId> {
        let is_family =
            |id: &DefinitionId| matches!(self.kind(*id), Kind::Process | Kind::Endpoint);
        match node.kind() {
            NameExpr => self.look_up(first_ident(node)?.text()).filter(is_family),
            IndexExpr | ParenExpr => self.family_of(&node.first_child()?),
            FieldExpr => {
                let line = self.line_named(&node.first_child()?)?;
                self.member(line, first_ident(node)?.text())
            }
            _ => None,
        }
    }

    /// Who is meant behind `to` and `from`: a process, also where a variable that cannot be meant has its name.
    pub(super) fn address(&mut self, node: &SyntaxNode) {
        let named = match node.kind() {
            NameExpr => Some(node.clone()),
            IndexExpr => node.first_child().filter(|base| base.kind() == NameExpr),
            _ => None,
        };
        let hidden = named
            .and_then(|named| first_ident(&named))
            .and_then(|token| {
                let name = token.text();
                let own = self.home.own.and_then(|own| self.member(own, name))?;
                let family = self.items.items.get(name).copied();
                let family = family.filter(|id| self.kind(*id) == Kind::Process)?;
                let span = self.items.definitions[own.0].span;
                let ty = self.types.at(span);
                let is_meant = matches!(ty, Some(Ty::Process | Ty::Map(..) | Ty::Seq(_)));
                (!is_meant && self.is_local(name).is_none()).then_some((token, family))
            });
        match hidden {
            None => self.node(node),
            Some((token, family)) => {
                self.used(&token, Some(family));
                if node.kind() == IndexExpr {
                    node.children().skip(1).for_each(|child| self.node(&child));
                }
            }
        }
    }
}

//! The walk over a tree that decides what each name means.
//!
//! Names are looked for from the inside out: local names, variables of the process, endpoints of the choreography,
//! items, variants. Children are visited in the order of the text, because a name is visible from where it is bound;
//! the few constructs in which the use comes first (comprehensions, choices) are visited in their order of meaning.

mod expressions;
mod items;
mod patterns;
mod statements;

use super::collect::Items;
use super::{Definition, DefinitionId, Kind, Names, Use};
use plainsong_diagnostics::Span;
use plainsong_syntax::ast::{span_of, token_span};
use plainsong_syntax::{SyntaxElement, SyntaxKind, SyntaxNode, SyntaxToken, TypesInText};

/// Reads the uses of a tree.
pub(super) fn resolve(root: &SyntaxNode, types: &TypesInText, items: Items) -> Names {
    let mut walk = Walk {
        items,
        types,
        uses: Vec::new(),
        scope: Vec::new(),
        home: Home::default(),
    };
    walk.children(root);
    let mut definitions = walk.items.definitions;
    // A layer clause or a broken declaration may name itself.
    let defined: std::collections::HashSet<Span> = definitions.iter().map(|row| row.span).collect();
    walk.uses
        .retain(|one| one.shorthand || !defined.contains(&one.span));
    for row in &mut definitions {
        row.visible.end = row.visible.end.max(row.visible.start);
    }
    Names {
        definitions,
        uses: walk.uses,
    }
}

/// Whose code is read.
#[derive(Clone, Copy, Default)]
struct Home {
    /// The process or endpoint whose variables are known by their bare names.
    own: Option<DefinitionId>,
    line: Option<DefinitionId>,
    property: bool,
}

struct Walk<'t> {
    items: Items,
    types: &'t TypesInText,
    uses: Vec<Use>,
    /// Local names, innermost last; nothing for a name that no text declares.
    scope: Vec<(String, Option<DefinitionId>)>,
    home: Home,
}

/// A point of the scope to go back to.
#[derive(Clone, Copy)]
struct Mark(usize);

impl Walk<'_> {
    fn children(&mut self, node: &SyntaxNode) {
        for child in node.children() {
            self.node(&child);
        }
    }

    fn enter(&self) -> Mark {
        Mark(self.scope.len())
    }

    /// Ends a scope; what was bound in it is visible up to `end`.
    fn leave(&mut self, mark: Mark, end: &SyntaxNode) {
        let end = u32::from(end.text_range().end());
        for (_, id) in self.scope.drain(mark.0..) {
            if let Some(id) = id {
                let row = &mut self.items.definitions[id.0];
                if row.kind.is_local() {
                    row.visible.end = row.visible.end.max(end);
                }
            }
        }
    }

    /// Visits the children in a scope of their own.
    fn scoped(&mut self, node: &SyntaxNode) {
        let mark = self.enter();
        self.children(node);
        self.leave(mark, node);
    }

    /// From here on the name means this place.
    fn bind(&mut self, token: &SyntaxToken, kind: Kind) {
        let id = DefinitionId(self.items.definitions.len());
        let span = token_span(token);
        let parent = token.parent().map_or(span, |parent| span_of(&parent));
        self.items.definitions.push(Definition {
            name: token.text().to_owned(),
            kind,
            span,
            whole: parent,
            owner: None,
            visible: Span::new(span.start, span.end),
        });
        self.scope.push((token.text().to_owned(), Some(id)));
    }

    /// From here on the name means something that is declared elsewhere.
    fn bind_known(&mut self, name: &str, id: Option<DefinitionId>) {
        self.scope.push((name.to_owned(), id));
    }

    fn is_local(&self, name: &str) -> Option<Option<DefinitionId>> {
        let mut rows = self.scope.iter().rev();
        rows.find(|(bound, _)| bound == name).map(|(_, id)| *id)
    }

    fn member(&self, owner: DefinitionId, name: &str) -> Option<DefinitionId> {
        self.items.members.get(&(owner, name.to_owned())).copied()
    }

    fn kind(&self, id: DefinitionId) -> Kind {
        self.items.definitions[id.0].kind
    }

    /// What a bare name means, variants left out.
    fn look_up(&self, name: &str) -> Option<DefinitionId> {
        if let Some(local) = self.is_local(name) {
            return local;
        }
        let own = self.home.own.and_then(|owner| self.member(owner, name));
        let endpoint = || self.home.line.and_then(|line| self.member(line, name));
        own.or_else(endpoint)
            .or_else(|| self.items.items.get(name).copied())
            .or_else(|| self.endpoint_anywhere(name))
    }

    /// In a property, an endpoint of any choreography.
    fn endpoint_anywhere(&self, name: &str) -> Option<DefinitionId> {
        let rows = self.items.endpoints.get(name)?;
        rows.first().copied().filter(|_| self.home.property)
    }

    fn used(&mut self, token: &SyntaxToken, of: Option<DefinitionId>) {
        if let Some(of) = of {
            let span = token_span(token);
            self.uses.push(Use {
                span,
                of,
                shorthand: false,
            });
        }
    }

    fn used_item(&mut self, token: &SyntaxToken) {
        self.used(token, self.items.items.get(token.text()).copied());
    }

    fn used_signal(&mut self, token: &SyntaxToken) {
        self.used(token, self.items.signals.get(token.text()).copied());
    }

    /// The variant of the enum that is expected there, or the only one of that name.
    fn variant(&self, name: &str, at: Span) -> Option<DefinitionId> {
        let rows = self.items.variants.get(name)?;
        let expected = self.types.at(at);
        let owner = expected
            .and_then(|ty| self.types.enum_name(ty))
            .and_then(|name| self.items.items.get(name));
        let owned = owner.and_then(|owner| self.member(*owner, name));
        owned.or_else(|| rows.first().copied().filter(|_| rows.len() == 1))
    }
}

/// The names among the tokens of a node.
fn idents(node: &SyntaxNode) -> Vec<SyntaxToken> {
    let tokens = node
        .children_with_tokens()
        .filter_map(SyntaxElement::into_token);
    tokens
        .filter(|token| token.kind() == SyntaxKind::Ident)
        .collect()
}

fn first_ident(node: &SyntaxNode) -> Option<SyntaxToken> {
    idents(node).into_iter().next()
}

fn has_token(node: &SyntaxNode, kind: SyntaxKind) -> bool {
    node.children_with_tokens()
        .any(|element| element.kind() == kind)
}

/// The name that stands right after a keyword.
fn ident_after(node: &SyntaxNode, keyword: SyntaxKind) -> Option<SyntaxToken> {
    let after = node
        .children_with_tokens()
        .skip_while(|element| element.kind() != keyword)
        .skip(1);
    let mut tokens = after.filter(|element| !element.kind().is_trivia());
    let token = tokens.next()?.into_token()?;
    (token.kind() == SyntaxKind::Ident).then_some(token)
}

fn is_type(kind: SyntaxKind) -> bool {
    use SyntaxKind::*;
    matches!(kind, PrimitiveType | NamedType | GenericType | TupleType)
}

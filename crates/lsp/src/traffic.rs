//! Where messages go: which receive can take what a `send` sends.
//!
//! An over-approximation from the text: the message is the same, the receiver is a member of the family that the
//! address names, and the sender one that the receive accepts. An address that is a value can be anybody.

use crate::document::Document;
use crate::names::{DefinitionId, Kind};
use plainsong_diagnostics::Span;
use plainsong_syntax::ast::{span_of, token_span};
use plainsong_syntax::{SyntaxElement, SyntaxKind, SyntaxNode, SyntaxToken};

/// A `send` or a place that takes a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// The name of the message there.
    pub name: Span,
    /// The statement, arm or handler.
    pub whole: Span,
    /// The message.
    pub message: DefinitionId,
    /// Whose code it is; nothing in `init`.
    pub home: Option<DefinitionId>,
    /// The family of the other end, where the text says which.
    pub other: Option<DefinitionId>,
    /// Is something sent here?
    pub sends: bool,
}

impl End {
    /// Can one end be the other end of this one?
    pub fn meets(&self, other: &End) -> bool {
        let (send, receive) = match self.sends {
            true => (self, other),
            false => (other, self),
        };
        let may_be = |named: Option<DefinitionId>, is: Option<DefinitionId>| {
            named.is_none() || is.is_none() || named == is
        };
        send.sends
            && !receive.sends
            && send.message == receive.message
            && may_be(send.other, receive.home)
            && may_be(receive.other, send.home)
    }
}

/// Every end of a text.
pub fn ends(document: &Document) -> Vec<End> {
    let tree = document.tree();
    let nodes = tree.descendants();
    nodes.filter_map(|node| end(document, &node)).collect()
}

fn end(document: &Document, node: &SyntaxNode) -> Option<End> {
    let sends = node.kind() == SyntaxKind::SendStmt;
    if !sends && node.kind() != SyntaxKind::Accept {
        return None;
    }
    let name = idents(node).next()?;
    let name = token_span(&name);
    let message = meaning(document, name)?;
    let is_message = document.names().definition(message).kind == Kind::Message;
    let statement = match sends {
        true => node.clone(),
        false => node.parent()?,
    };
    let other = match sends {
        true => after(node, SyntaxKind::ToKw),
        false => node
            .children()
            .find(|child| child.kind() == SyntaxKind::Source),
    };
    is_message.then_some(End {
        name,
        whole: span_of(&statement),
        message,
        home: home(document, node),
        other: other.and_then(|other| family(document, &other)),
        sends,
    })
}

/// The node after a keyword.
fn after(node: &SyntaxNode, keyword: SyntaxKind) -> Option<SyntaxNode> {
    let elements = node.children_with_tokens();
    let mut rest = elements.skip_while(|element| element.kind() != keyword);
    rest.find_map(SyntaxElement::into_node)
}

fn idents(node: &SyntaxNode) -> impl Iterator<Item = SyntaxToken> {
    let tokens = node.children_with_tokens();
    let tokens = tokens.filter_map(SyntaxElement::into_token);
    tokens.filter(|token| token.kind() == SyntaxKind::Ident)
}

fn meaning(document: &Document, span: Span) -> Option<DefinitionId> {
    let uses = &document.names().uses;
    let at = uses.partition_point(|one| one.span < span);
    uses.get(at)
        .filter(|one| one.span == span)
        .map(|one| one.of)
}

/// The family that an address or a source names, if it names one.
fn family(document: &Document, node: &SyntaxNode) -> Option<DefinitionId> {
    use SyntaxKind::{IndexExpr, NameExpr, Source};
    if !matches!(node.kind(), Source | NameExpr | IndexExpr) {
        return None;
    }
    let own = idents(node).find_map(|token| meaning(document, token_span(&token)));
    let is_family = |id: &DefinitionId| document.names().definition(*id).kind == Kind::Process;
    match own {
        Some(id) => Some(id).filter(is_family),
        None => family(document, &node.first_child()?),
    }
}

/// The process whose code a node is.
pub fn home(document: &Document, node: &SyntaxNode) -> Option<DefinitionId> {
    let mut above = node.ancestors();
    let process = above.find(|node| node.kind() == SyntaxKind::ProcessItem)?;
    let span = span_of(&process);
    let names = document.names();
    let mut rows = names.all();
    rows.find(|(_, row)| row.kind == Kind::Process && row.whole == span)
        .map(|(id, _)| id)
}

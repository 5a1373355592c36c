//! Statements: what they bind, and from where on.

use super::super::{DefinitionId, Kind};
use super::{Walk, first_ident, idents};
use SyntaxKind::*;
use plainsong_syntax::{SyntaxKind, SyntaxNode, SyntaxToken};

impl Walk<'_> {
    /// Visits code.
    pub(super) fn code(&mut self, node: &SyntaxNode) {
        match node.kind() {
            Block | BlockExpr | Handler | ReceiveArm | TimeoutArm | MatchStmtArm | MatchArm
            | QuantifierExpr | QuantifiedClaim | FilterComprehension => self.scoped(node),
            LetStmt => match super::ident_after(node, LetKw) {
                Some(name) => self.declaration(node, &name),
                None => self.taken_apart(node),
            },
            AssignStmt => self.assignment(node),
            ForStmt => self.for_stmt(node),
            SendStmt => {
                self.signal_and_children(node);
            }
            AsyncStmt | PendingExpr => {
                self.signal_and_children(node);
            }
            CallStmt => self.call(node),
            Called => self.called(node),
            UseStmt => {
                if let Some(token) = first_ident(node) {
                    self.used(&token, self.items.lemmas.get(token.text()).copied());
                }
                self.children(node);
            }
            Accept => self.accept(node),
            _ => self.expression(node),
        }
    }

    fn signal_and_children(&mut self, node: &SyntaxNode) {
        if let Some(token) = first_ident(node) {
            self.used_signal(&token);
        }
        let mut address = false;
        for child in node.children_with_tokens() {
            match child {
                rowan_node if rowan_node.as_node().is_some() => {
                    if let Some(child) = rowan_node.as_node() {
                        match address {
                            true => self.address(child),
                            false => self.node(child),
                        }
                    }
                }
                token => address |= matches!(token.kind(), ToKw | FromKw),
            }
        }
    }

    /// `let x: T = e;`: the name is visible after the value, and in the condition of a choice.
    pub(super) fn declaration(&mut self, node: &SyntaxNode, name: &SyntaxToken) {
        let mut bound = false;
        for child in node.children() {
            match child.kind() {
                Choose => {
                    self.choice_open(&child, |walk| walk.bind(name, Kind::Local));
                    bound = true;
                }
                _ => self.node(&child),
            }
        }
        if !bound {
            self.bind(name, Kind::Local);
        }
    }

    /// `let (a, b) = e;`: the value first.
    fn taken_apart(&mut self, node: &SyntaxNode) {
        let (patterns, others): (Vec<_>, Vec<_>) = node
            .children()
            .partition(|child| super::patterns::is_pattern(child.kind()));
        others.iter().for_each(|child| self.node(child));
        patterns.iter().for_each(|child| self.node(child));
    }

    /// `choose S where p`: `bind` makes the candidate known to the condition, and to nothing after it.
    pub(super) fn choice(&mut self, node: &SyntaxNode, bind: impl FnOnce(&mut Self)) {
        let mark = self.enter();
        self.choice_open(node, bind);
        self.leave(mark, node);
    }

    fn choice_open(&mut self, node: &SyntaxNode, bind: impl FnOnce(&mut Self)) {
        let (filters, domains): (Vec<_>, Vec<_>) = node
            .children()
            .partition(|child| child.kind() == WhereClause);
        domains.iter().for_each(|child| self.node(child));
        bind(self);
        filters.iter().for_each(|child| self.node(child));
    }

    /// `place = e;`
    fn assignment(&mut self, node: &SyntaxNode) {
        let mut root = None;
        for (at, child) in node.children().enumerate() {
            match (at, child.kind()) {
                (0, _) => {
                    self.node(&child);
                    root = self.root_of(&child);
                }
                (_, Choose) => {
                    let known = root.clone();
                    self.choice(&child, |walk| {
                        if let Some((name, id)) = known {
                            walk.bind_known(&name, id);
                        }
                    });
                }
                _ => self.node(&child),
            }
        }
    }

    /// The variable that a place is a part of.
    fn root_of(&self, place: &SyntaxNode) -> Option<(String, Option<DefinitionId>)> {
        let token = match place.kind() {
            NameExpr => first_ident(place)?,
            FieldExpr => {
                let base = place.first_child()?;
                match self.family_of(&base) {
                    Some(_) => first_ident(place)?,
                    None => return self.root_of(&base),
                }
            }
            IndexExpr | ParenExpr | TupleFieldExpr => return self.root_of(&place.first_child()?),
            _ => return None,
        };
        let span = plainsong_syntax::ast::token_span(&token);
        let used = self.uses.iter().rev().find(|one| one.span == span);
        Some((token.text().to_owned(), used.map(|one| one.of)))
    }

    /// `for x in S where p { … }`
    fn for_stmt(&mut self, node: &SyntaxNode) {
        let mark = self.enter();
        let name = first_ident(node);
        for (at, child) in node.children().enumerate() {
            self.node(&child);
            if let (0, Some(name)) = (at, &name) {
                self.bind(name, Kind::Local);
            }
        }
        self.leave(mark, node);
    }

    /// `call line(e) with left as a;`
    fn call(&mut self, node: &SyntaxNode) {
        let called = node.children().find(|child| child.kind() == Called);
        let line = called
            .and_then(|called| first_ident(&called))
            .and_then(|name| self.items.lines.get(name.text()).copied());
        for child in node.children() {
            self.node(&child);
        }
        let players = node.descendants().filter(|child| child.kind() == Player);
        for player in players.collect::<Vec<_>>() {
            if let (Some(line), Some(token)) = (line, idents(&player).pop()) {
                self.used(&token, self.member(line, token.text()));
            }
        }
    }

    fn called(&mut self, node: &SyntaxNode) {
        if let Some(token) = first_ident(node) {
            let space = match self.home.line {
                Some(_) => &self.items.lines,
                None => &self.items.signals,
            };
            self.used(&token, space.get(token.text()).copied());
        }
        self.children(node);
    }

    /// `M(x) from any p[i] as who where c`: the sender that is named first, then what is bound, then the condition.
    fn accept(&mut self, node: &SyntaxNode) {
        if let Some(token) = first_ident(node) {
            self.used_signal(&token);
        }
        let children: Vec<SyntaxNode> = node.children().collect();
        let sources = || children.iter().filter(|child| child.kind() == Source);
        for source in sources().filter(|source| !super::has_token(source, AnyKw)) {
            source.children().for_each(|child| self.address(&child));
        }
        for child in &children {
            match child.kind() {
                SlotList => self.slots(child),
                Source if super::has_token(child, AnyKw) => self.any_source(child),
                Source => {}
                _ => self.node(child),
            }
        }
    }

    fn slots(&mut self, list: &SyntaxNode) {
        for slot in list.children() {
            if let Some(token) = first_ident(&slot) {
                self.bind(&token, Kind::Local);
            }
        }
    }

    fn any_source(&mut self, source: &SyntaxNode) {
        let binder = super::ident_after(source, AsKw);
        for token in idents(source) {
            if Some(&token) != binder.as_ref() {
                self.used_item(&token);
            }
        }
        source.children().for_each(|list| self.slots(&list));
        if let Some(binder) = binder {
            self.bind(&binder, Kind::Local);
        }
    }
}

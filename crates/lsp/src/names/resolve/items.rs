//! Items: their heads bind parameters, their bodies are code.

use super::super::{DefinitionId, Kind};
use super::{Home, Walk, first_ident, idents};
use crate::names::collect::is_state;
use SyntaxKind::*;
use plainsong_syntax::{SyntaxKind, SyntaxNode};

impl Walk<'_> {
    /// Visits a node.
    pub(super) fn node(&mut self, node: &SyntaxNode) {
        match node.kind() {
            SongFile | Error => self.children(node),
            ProcessItem => {
                let own = self.named_item(node);
                self.at_home(Home { own, ..self.home }, node);
            }
            ChoreographyItem => {
                let name = self.name_after(node, ChoreographyKw);
                let line = name.and_then(|name| self.items.lines.get(&name).copied());
                self.at_home(Home { line, ..self.home }, node);
            }
            Endpoint => {
                let name = self.name_after(node, EndpointKw);
                let own = name
                    .zip(self.home.line)
                    .and_then(|(name, line)| self.member(line, &name));
                self.at_home(Home { own, ..self.home }, node);
            }
            PropertyItem | ConstraintItem => {
                let home = Home {
                    property: true,
                    ..self.home
                };
                self.at_home(home, node);
            }
            FnItem => {
                self.runner(node);
                self.sequence_names(node);
                self.scoped_unless_result(node);
            }
            ActionItem | ProcedureItem | InvariantItem | LemmaItem | MessageItem | InitItem
            | SequentializeItem | CommuteItem | ConstItem | ParamItem | SortItem | EnumItem
            | StructItem | ResultDecl | LayersItem => {
                self.sequence_names(node);
                self.scoped_unless_result(node);
            }
            Binder => {
                self.children(node);
                if let Some(token) = first_ident(node) {
                    self.bind(&token, Kind::Parameter);
                }
            }
            Contract => self.contract(node),
            RefinesClause | SynchronizesClause | Eliminated => {
                for token in idents(node) {
                    self.used_signal(&token);
                }
                self.children(node);
            }
            LayerClause => {
                for token in idents(node) {
                    self.used(&token, self.items.layers.get(token.text()).copied());
                }
            }
            CommuteSide => {
                for (at, token) in idents(node).into_iter().enumerate() {
                    match at {
                        0 => self.used_signal(&token),
                        _ => self.bind(&token, Kind::Local),
                    }
                }
            }
            Witness => {
                if let Some(token) = first_ident(node) {
                    self.used(&token, self.is_local(token.text()).flatten());
                }
                self.children(node);
            }
            InvariantCall => {
                if let Some(token) = first_ident(node) {
                    self.used_signal(&token);
                }
                self.children(node);
            }
            Sizing => {
                if let Some(token) = first_ident(node) {
                    self.used_item(&token);
                }
            }
            FaultItem => {
                if let Some(token) = idents(node).get(1) {
                    let whom = token.text();
                    let known = self
                        .items
                        .items
                        .get(whom)
                        .or_else(|| self.items.signals.get(whom));
                    self.used(token, known.copied());
                }
            }
            VarDecl => self.var(node),
            kind if super::is_type(kind) => self.ty(node),
            _ => self.code(node),
        }
    }

    fn at_home(&mut self, home: Home, node: &SyntaxNode) {
        let before = std::mem::replace(&mut self.home, home);
        self.scoped(node);
        self.home = before;
    }

    /// The name of a result is visible in the whole procedure.
    fn scoped_unless_result(&mut self, node: &SyntaxNode) {
        match node.kind() {
            ResultDecl => self.children(node),
            _ => self.scoped(node),
        }
    }

    fn sequence_names(&mut self, node: &SyntaxNode) {
        if node.kind() == SequentializeItem {
            for token in idents(node) {
                self.used_signal(&token);
            }
        }
    }

    fn name_after(&self, node: &SyntaxNode, keyword: SyntaxKind) -> Option<String> {
        let token = super::ident_after(node, keyword)?;
        Some(token.text().to_owned())
    }

    /// `extern fn f at role(…)`: a process, or the endpoints of that name.
    fn runner(&mut self, node: &SyntaxNode) {
        if let Some(role) = super::ident_after(node, AtKw) {
            let process = self.items.items.get(role.text());
            let endpoints = || self.items.endpoints.get(role.text())?.first();
            let known = process.or_else(endpoints).copied();
            self.used(&role, known);
        }
    }

    fn named_item(&self, node: &SyntaxNode) -> Option<DefinitionId> {
        let name = self.name_after(node, ProcessKw)?;
        self.items.items.get(&name).copied()
    }

    /// In a promise of a function, `result` is what it returns.
    fn contract(&mut self, node: &SyntaxNode) {
        let of_function = node.parent().is_some_and(|parent| parent.kind() == FnItem);
        let mark = self.enter();
        if of_function && super::has_token(node, EnsuresKw) {
            self.bind_known("result", None);
        }
        self.children(node);
        self.leave(mark, node);
    }

    /// `var x: T = e;` of a process, an endpoint, a file or a body.
    fn var(&mut self, node: &SyntaxNode) {
        if let Some(share) = super::ident_after(node, AsKw) {
            let rows = self.items.variants.get(share.text());
            let only = rows.and_then(|rows| rows.first().copied());
            self.used(
                &share,
                only.or_else(|| self.items.items.get(share.text()).copied()),
            );
        }
        let Some(name) = super::ident_after(node, VarKw) else {
            return self.children(node);
        };
        let of_file = node
            .parent()
            .is_some_and(|parent| parent.kind() == SongFile);
        if !of_file && !is_state(node) {
            return self.declaration(node, &name);
        }
        let known = match of_file {
            true => self.items.items.get(name.text()).copied(),
            false => self.home.own.and_then(|own| self.member(own, name.text())),
        };
        for child in node.children() {
            match child.kind() {
                // The candidate has the name of the variable.
                Choose => self.choice(&child, |walk| walk.bind_known(name.text(), known)),
                _ => self.node(&child),
            }
        }
    }

    fn ty(&mut self, node: &SyntaxNode) {
        if node.kind() == NamedType
            && let Some(token) = first_ident(node)
        {
            self.used_item(&token);
        }
        self.children(node);
    }
}

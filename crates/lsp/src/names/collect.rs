//! The names of items, and of what is inside items and seen from outside: variants, fields, variables, endpoints.

use super::{Definition, DefinitionId, Kind};
use plainsong_syntax::ast::{self, AstNode, Name, span_of};
use plainsong_syntax::{SyntaxKind, SyntaxNode};
use std::collections::HashMap;

/// The namespaces of a text, as in `names` of `plainsong-syntax`.
#[derive(Debug, Default)]
pub(super) struct Items {
    pub(super) definitions: Vec<Definition>,
    /// Sorts, enums, structs, constants, functions, processes, globals.
    pub(super) items: HashMap<String, DefinitionId>,
    /// Messages, actions, procedures, invariants.
    pub(super) signals: HashMap<String, DefinitionId>,
    pub(super) lines: HashMap<String, DefinitionId>,
    pub(super) lemmas: HashMap<String, DefinitionId>,
    pub(super) layers: HashMap<String, DefinitionId>,
    /// Of all choreographies.
    pub(super) endpoints: HashMap<String, Vec<DefinitionId>>,
    /// Of all enums.
    pub(super) variants: HashMap<String, Vec<DefinitionId>>,
    /// Fields, variables, variants and endpoints by their owner.
    pub(super) members: HashMap<(DefinitionId, String), DefinitionId>,
}

impl Items {
    fn define(
        &mut self,
        name: Option<Name>,
        kind: Kind,
        node: &SyntaxNode,
        owner: Option<DefinitionId>,
    ) -> Option<DefinitionId> {
        let name = name?;
        let id = DefinitionId(self.definitions.len());
        let whole = span_of(node);
        self.definitions.push(Definition {
            name: name.text().to_owned(),
            kind,
            span: name.span(),
            whole,
            owner,
            visible: whole,
        });
        if let Some(owner) = owner {
            self.members
                .entry((owner, name.text().to_owned()))
                .or_insert(id);
        }
        Some(id)
    }

    fn item(&mut self, name: Option<Name>, kind: Kind, node: &SyntaxNode) -> Option<DefinitionId> {
        let text = name.as_ref()?.text().to_owned();
        let id = self.define(name, kind, node, None)?;
        let space = match kind {
            Kind::Message | Kind::Action | Kind::Procedure | Kind::Invariant => &mut self.signals,
            Kind::Choreography => &mut self.lines,
            Kind::Lemma => &mut self.lemmas,
            Kind::Layer => &mut self.layers,
            Kind::Property | Kind::Constraint => return Some(id),
            _ => &mut self.items,
        };
        space.entry(text).or_insert(id);
        Some(id)
    }
}

/// Reads the items of a tree.
pub(super) fn collect(root: &SyntaxNode) -> Items {
    let mut items = Items::default();
    for node in root.children() {
        item(&mut items, &node);
    }
    items
}

fn item(items: &mut Items, node: &SyntaxNode) {
    let Some(item) = ast::Item::cast(node.clone()) else {
        return;
    };
    match item {
        ast::Item::Sort(item) => {
            items.item(item.name(), Kind::Sort, node);
        }
        ast::Item::Enum(item) => {
            let owner = items.item(item.name(), Kind::Enum, node);
            for variant in item.variants() {
                let id = items.define(variant.name(), Kind::Variant, variant.syntax(), owner);
                if let (Some(id), Some(name)) = (id, variant.name()) {
                    let rows = items.variants.entry(name.text().to_owned());
                    rows.or_default().push(id);
                }
            }
        }
        ast::Item::Struct(item) => {
            let owner = items.item(item.name(), Kind::Struct, node);
            for field in item.fields() {
                items.define(field.name(), Kind::Field, field.syntax(), owner);
            }
        }
        ast::Item::Const(item) => {
            items.item(item.name(), Kind::Constant, node);
        }
        ast::Item::Param(item) => {
            items.item(item.name(), Kind::SizeParameter, node);
        }
        ast::Item::Fn(item) => {
            items.item(item.name(), Kind::Function, node);
        }
        ast::Item::Message(item) => {
            items.item(item.name(), Kind::Message, node);
        }
        ast::Item::Process(item) => {
            let owner = items.item(item.name(), Kind::Process, node);
            for var in item.body().into_iter().flat_map(|body| body.state()) {
                items.define(var.name(), Kind::State, var.syntax(), owner);
            }
        }
        ast::Item::Var(item) => {
            items.item(item.name(), Kind::Global, node);
        }
        ast::Item::Action(item) => {
            items.item(item.name(), Kind::Action, node);
        }
        ast::Item::Procedure(item) => {
            items.item(item.name(), Kind::Procedure, node);
        }
        ast::Item::Invariant(item) => {
            items.item(item.name(), Kind::Invariant, node);
        }
        ast::Item::Choreography(item) => {
            let owner = items.item(item.name(), Kind::Choreography, node);
            for endpoint in item
                .body()
                .iter()
                .flat_map(ast::ChoreographyBody::endpoints)
            {
                let id = items.define(endpoint.name(), Kind::Endpoint, endpoint.syntax(), owner);
                if let (Some(id), Some(name)) = (id, endpoint.name()) {
                    let rows = items.endpoints.entry(name.text().to_owned());
                    rows.or_default().push(id);
                }
                for var in endpoint.state() {
                    items.define(var.name(), Kind::State, var.syntax(), id);
                }
            }
        }
        ast::Item::Lemma(item) => {
            items.item(item.name(), Kind::Lemma, node);
        }
        ast::Item::Property(item) => {
            items.item(item.name(), Kind::Property, node);
        }
        ast::Item::Constraint(item) => {
            items.item(item.name(), Kind::Constraint, node);
        }
        ast::Item::Layers(item) => {
            for name in item.names() {
                items.item(Some(name), Kind::Layer, node);
            }
        }
        ast::Item::Init(_)
        | ast::Item::Size(_)
        | ast::Item::Fault(_)
        | ast::Item::Sequentialize(_)
        | ast::Item::Commute(_) => {}
    }
}

/// Is it a variable of a process or endpoint, not of its body?
pub(super) fn is_state(node: &SyntaxNode) -> bool {
    let Some(parent) = node.parent() else {
        return false;
    };
    match parent.kind() {
        SyntaxKind::Endpoint => true,
        SyntaxKind::ProcessBody => ast::ProcessBody::cast(parent)
            .is_some_and(|body| body.state().any(|var| var.syntax() == node)),
        _ => false,
    }
}

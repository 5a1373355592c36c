//! Which links a role uses, and which roles of a crate are linked at all.
//!
//! The runtime connects members of linked families only ([`linked_families`]), so a star of N roles has N - 1 connections and not N (N - 1) / 2.
//!
//! NOT COVERED. Which members of a family talk to each other: a ring within one family connects all of them, because
//! every member opens its links to the whole family.

use super::Emit;
use super::names::snake;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{
    Block, Expr, ExprKind, FamilyId, MessageId, Song, Source, Stmt, StmtKind, Ty, linked_families,
};
use std::collections::BTreeSet;

/// The links of some code: does it send, to or from whom, and of which type?
pub(super) fn links_of(song: &Song, block: &Block) -> BTreeSet<(bool, FamilyId, Ty)> {
    let mut links = Links {
        song,
        found: BTreeSet::new(),
    };
    block.iter().for_each(|one| links.stmt(one));
    links.found
}

/// The method `links` of the protocol; nothing if anybody may send to anybody.
pub(super) fn method(emit: &Emit<'_>) -> String {
    let Some(pairs) = linked_families(emit.song) else {
        return String::new();
    };
    let range = |family: FamilyId| {
        let decl = &emit.song.families[family.index()];
        let role = format!("roles.{}", snake(&decl.name));
        match decl.index.is_empty() {
            true => format!("{role}..{role} + 1"),
            false => format!("{role}.clone()"),
        }
    };
    let (parameters, body) = match pairs.is_empty() {
        true => ("_parameters", "Ok(Some(Vec::new()))".to_owned()),
        false => {
            let pairs = pairs
                .into_iter()
                .map(|(one, other)| format!("({}, {})", range(one), range(other)));
            let pairs = pairs.collect::<Vec<_>>().join(", ");
            let body = format!(
                "let roles = World::new(parameters)?.roles;\n        Ok(Some(vec![{pairs}]))"
            );
            ("parameters", body)
        }
    };
    format!(
        "fn links(&self, {parameters}: &Parameters) -> Result<Option<Vec<plainsong_runtime::Link>>, Error> {{\n        {body}\n    }}\n\n"
    )
}

struct Links<'a> {
    song: &'a Song,
    found: BTreeSet<(bool, FamilyId, Ty)>,
}

impl Links<'_> {
    fn add(&mut self, sends: bool, message: MessageId, peer: &Expr) {
        let Some(voices) = self.song.voices() else {
            return;
        };
        if let ExprKind::Pid(family, _) = peer.kind {
            let ty = voices.messages[message.index()].fields[0].ty.clone();
            self.found.insert((sends, family, ty));
        }
    }
}

impl Visit for Links<'_> {
    fn stmt(&mut self, one: &Stmt) {
        match &one.kind {
            StmtKind::Send(message, _, to) => self.add(true, *message, to),
            StmtKind::Receive(accept) => {
                if let Source::Process(from) = &accept.source {
                    self.add(false, accept.message, from);
                }
            }
            _ => walk::stmt(self, one),
        }
    }
}

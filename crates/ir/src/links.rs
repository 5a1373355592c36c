//! Which families of processes exchange messages: the communication topology of a program.

use crate::visit::{Visit, walk};
use crate::{Body, Expr, ExprKind, FamilyId, Song, Source, Stmt, StmtKind};
use std::collections::BTreeSet;

/// Pairs of families of which one names the other in a send or a receive, each pair once, the earlier family first.
/// `None` if the address of some send is computed: then a process may send to any other.
///
/// Why it is enough to look at addresses: whatever a process receives was sent by somebody, whose send names the family of
/// the receiver.
pub fn linked_families(song: &Song) -> Option<BTreeSet<(FamilyId, FamilyId)>> {
    let mut pairs = BTreeSet::new();
    for process in song
        .voices()
        .into_iter()
        .flat_map(|voices| &voices.processes)
    {
        let mut peers = Peers::default();
        match &process.body {
            Body::Sequential(block) => block.iter().for_each(|one| peers.stmt(one)),
            Body::Handlers(handlers) => {
                for handler in handlers {
                    peers.accept(&handler.accept);
                    handler.body.iter().for_each(|one| peers.stmt(one));
                }
            }
        }
        if peers.is_anybody {
            return None;
        }
        let own = process.family;
        let found = peers.found.into_iter();
        pairs.extend(found.map(|peer| (own.min(peer), own.max(peer))));
    }
    Some(pairs)
}

#[derive(Default)]
struct Peers {
    found: BTreeSet<FamilyId>,
    is_anybody: bool,
}

impl Peers {
    fn address(&mut self, peer: &Expr) {
        match peer.kind {
            ExprKind::Pid(family, _) => {
                self.found.insert(family);
            }
            _ => self.is_anybody = true,
        }
    }
}

impl Visit for Peers {
    fn stmt(&mut self, one: &Stmt) {
        if let StmtKind::Send(_, _, to) = &one.kind {
            self.address(to);
        }
        walk::stmt(self, one);
    }

    fn accept(&mut self, accept: &crate::Accept) {
        if let Source::Process(from) = &accept.source {
            self.address(from);
        }
        walk::accept(self, accept);
    }
}

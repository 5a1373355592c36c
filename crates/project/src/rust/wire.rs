//! What two programs have to agree on to talk: the digest that the runtime compares when roles meet.
//!
//! It covers what decides which messages are sent, when, and what they look like: types, parameters, functions, and the
//! processes with their statements. It does not cover what proofs are about: contracts, properties, loop invariants,
//! measures, assertions and assumptions. So a stronger `ensures` does not stop a rolling update, and another message does.
//!
//! Sizes and the values of parameters are compared by the runtime for each run, and are no part of it either.

use plainsong_ir::visit::{VisitMut, erase_spans, walk_mut};
use plainsong_ir::{Block, Contract, LoopClauses, Song, StmtKind};

/// A digest that is the same on every machine.
pub(super) fn digest(voices: &Song) -> u64 {
    let mut song = voices.clone();
    song.properties.clear();
    song.constraints.clear();
    song.sizes.clear();
    for function in &mut song.functions {
        function.contract = Contract::default();
        function.at = None;
    }
    for decl in &mut song.consts {
        decl.constraint = None;
    }
    WithoutClaims.visit_song(&mut song);
    fnv(&plainsong_ir::print::song(&song))
}

struct WithoutClaims;

impl WithoutClaims {
    fn visit_song(&mut self, song: &mut Song) {
        erase_spans(song);
        walk_mut::song(self, song);
    }
}

impl VisitMut for WithoutClaims {
    fn block(&mut self, block: &mut Block) {
        block.retain(|one| {
            !matches!(
                one.kind,
                StmtKind::Assert(_) | StmtKind::Assume(_) | StmtKind::Use(_)
            )
        });
        walk_mut::block(self, block);
    }

    fn clauses(&mut self, clauses: &mut LoopClauses) {
        *clauses = LoopClauses::default();
    }
}

/// FNV-1a of a text.
fn fnv(text: &str) -> u64 {
    let step = |digest: u64, byte| (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

//! Live variables: which ones a loop can still see from before (read before they are written).
//!
//! Standard backward analysis over blocks. `break` and `continue` see what is live at the innermost loop's
//! head and behind it, together: more than can happen, which is the safe side.

use crate::process_code::{BlockId, Op, OpKind, Part, Var, binds, received};
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{Access, Choice, Domain, Expr, ExprKind, Place, Source};
use std::collections::BTreeSet;

type Vars = BTreeSet<Var>;

impl Part<'_> {
    /// The variables that the body of an endless loop may read before it writes them.
    pub(crate) fn live_at_head(&self, body: BlockId) -> Vars {
        self.around(body, &Vars::new())
    }

    /// At the head of a loop: what its rounds read first, and what is live behind it.
    fn around(&self, body: BlockId, behind: &Vars) -> Vars {
        let mut head = behind.clone();
        loop {
            let mut next = self.before_block(body, &head, &head);
            next.extend(head.iter().copied());
            if next == head {
                return head;
            }
            head = next;
        }
    }

    fn before_block(&self, block: BlockId, after: &Vars, jumps: &Vars) -> Vars {
        let ops = self.blocks[block.0 as usize].iter().rev();
        ops.fold(after.clone(), |live, op| self.before(op, &live, jumps))
    }

    fn before(&self, op: &Op<'_>, after: &Vars, jumps: &Vars) -> Vars {
        let mut live = match &op.kind {
            OpKind::Break | OpKind::Continue => jumps.clone(),
            OpKind::Loop(body) | OpKind::For { body, .. } => self.around(*body, after),
            OpKind::If(..) | OpKind::Maybe(..) | OpKind::Match(..) | OpKind::Select { .. } => {
                let blocks = op.blocks().into_iter();
                blocks
                    .flat_map(|block| self.before_block(block, after, jumps))
                    .collect()
            }
            OpKind::Unless(_) => after.union(jumps).copied().collect(),
            _ => after.clone(),
        };
        for var in writes(op) {
            live.remove(&var);
        }
        live.extend(reads(op));
        live
    }
}

/// What an operation certainly overwrites.
fn writes(op: &Op<'_>) -> Vec<Var> {
    match &op.kind {
        OpKind::Set(var, _) | OpKind::Choose(var, _) => vec![*var],
        OpKind::Receive(accept) => received(accept),
        OpKind::Select { arms, .. } => {
            let names = arms.iter().flat_map(|(accept, _)| received(accept));
            names.collect()
        }
        OpKind::Match(_, arms) => {
            // Names belong to their arm, so none of them is seen from before.
            let mut bound = Vec::new();
            arms.iter()
                .for_each(|(pattern, _)| binds(pattern, &mut bound));
            bound
        }
        OpKind::For { local, .. } => vec![Var::Local(*local)],
        _ => Vec::new(),
    }
}

/// What an operation reads itself, without what is under it.
fn reads(op: &Op<'_>) -> Vars {
    let mut reads = Reads::default();
    match &op.kind {
        OpKind::Set(_, value) => reads.expr(value),
        OpKind::SetPart(var, place, value) => {
            reads.0.insert(*var);
            reads.path(place);
            reads.expr(value);
        }
        OpKind::Choose(_, choice) => reads.choice(choice),
        OpKind::ChoosePart(var, place, choice) => {
            reads.0.insert(*var);
            reads.path(place);
            reads.choice(choice);
        }
        OpKind::If(value, ..)
        | OpKind::Match(value, _)
        | OpKind::Unless(value)
        | OpKind::Assert(value)
        | OpKind::Assume(value) => reads.expr(value),
        OpKind::Opaque(stmt, vars) => {
            reads.stmt(stmt);
            reads.0.extend(vars.iter().copied());
        }
        OpKind::Send(_, arguments, address) => {
            arguments.iter().for_each(|one| reads.expr(one));
            reads.expr(address);
        }
        OpKind::Receive(_) | OpKind::Select { .. } => {
            for accept in op.kind.accepts() {
                if let Source::Process(process) = &accept.source {
                    reads.expr(process);
                }
            }
        }
        OpKind::Maybe(..)
        | OpKind::Loop(_)
        | OpKind::For { .. }
        | OpKind::Break
        | OpKind::Continue => {}
    }
    reads.0
}

/// The variables that an expression reads.
pub(crate) fn read_in(value: &Expr) -> Vars {
    let mut reads = Reads::default();
    reads.expr(value);
    reads.0
}

#[derive(Default)]
struct Reads(Vars);

impl Reads {
    fn path(&mut self, place: &Place) {
        for access in &place.path {
            if let Access::Index(key) = access {
                self.expr(key);
            }
        }
    }

    fn choice(&mut self, choice: &Choice) {
        if let Domain::In(set) = &choice.domain {
            self.expr(set);
        }
        if let Some(filter) = &choice.filter {
            self.expr(filter);
        }
    }
}

impl Visit for Reads {
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Local(local) => drop(self.0.insert(Var::Local(*local))),
            ExprKind::Own(var) => drop(self.0.insert(Var::Own(*var))),
            _ => {}
        }
        walk::expr(self, expr);
    }
}

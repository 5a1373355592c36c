//! What statements read and assign: so a local that is read once is moved, and what changes nothing is left out.

use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{
    Binding, Block, Choice, Domain, Expr, ExprKind, LocalId, Place, Root, StartValue, Stmt,
    StmtKind, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// The names that something reads; what the condition of a choice reads of its candidate is another name in Rust.
pub(super) fn names_read(block: &Block) -> BTreeSet<LocalId> {
    #[derive(Default)]
    struct Reads(BTreeSet<LocalId>);
    impl Visit for Reads {
        fn expr(&mut self, of: &Expr) {
            if let ExprKind::Local(local) = of.kind {
                self.0.insert(local);
            }
            walk::expr(self, of);
        }

        fn choice(&mut self, choice: &Choice) {
            let mut inside = Reads::default();
            walk::choice(&mut inside, choice);
            inside.0.remove(&choice.local);
            self.0.append(&mut inside.0);
        }
    }
    let mut reads = Reads::default();
    reads.block(block);
    reads.0
}

pub(super) fn choice_reads(choice: &Choice) -> BTreeSet<LocalId> {
    let set = match &choice.domain {
        Domain::Type(_) => None,
        Domain::In(set) => Some(set),
    };
    set.into_iter()
        .chain(&choice.filter)
        .flat_map(super::types::locals_read)
        .collect()
}

pub(super) fn index_used(start: &StartValue, indices: usize) -> Vec<usize> {
    let read = match start {
        StartValue::Value(value) => super::types::locals_read(value),
        StartValue::Choice(choice) => choice_reads(choice),
    };
    read.iter()
        .map(|local| local.index())
        .filter(|at| *at < indices)
        .collect()
}

/// Does the next statement assign what this one assigned back to where it came from?
pub(super) fn is_back(one: &Stmt, next: &Stmt) -> bool {
    let whole = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Assign(place, value) if place.path.is_empty() => match (&place.root, &value.kind)
        {
            (Root::Own(to), ExprKind::Own(from)) => Some((*to, *from)),
            _ => None,
        },
        _ => None,
    };
    matches!((whole(one), whole(next)), (Some((to, from)), Some((back, of))) if to == of && from == back)
}

/// Does nothing in a loop assign what its condition reads?
pub(super) fn waits(condition: &Expr, body: &Block) -> bool {
    struct Changes(BTreeSet<VarId>, bool);
    impl Visit for Changes {
        fn place(&mut self, place: &Place) {
            if let Root::Own(var) = place.root {
                self.0.insert(var);
            }
            // Locals that are assigned are few, and are not told apart here.
            self.1 |= matches!(place.root, Root::Local(_));
            walk::place(self, place);
        }
    }
    let mut changes = Changes(BTreeSet::new(), false);
    changes.block(body);
    let mut reads = false;
    plainsong_ir::visit::each_expr(condition, |of| {
        reads |= matches!(of.kind, ExprKind::Own(var) if changes.0.contains(&var));
    });
    !reads && !changes.1 && condition.kind != ExprKind::Bool(true)
}

/// Is a variable assigned to itself?
pub(super) fn is_itself(place: &Place, value: &Expr) -> bool {
    match (&place.root, &value.kind) {
        (Root::Own(var), ExprKind::Own(other)) => var == other && place.path.is_empty(),
        _ => false,
    }
}

/// The variable that an assignment overwrites, if its value reads it exactly once and at once.
pub(super) fn overwritten(place: &Place, value: &Expr) -> Option<VarId> {
    struct Count {
        var: VarId,
        times: usize,
        depth: usize,
    }
    impl Visit for Count {
        fn expr(&mut self, of: &Expr) {
            if matches!(of.kind, ExprKind::Own(var) if var == self.var) {
                self.times += 1 + self.depth;
            }
            let closes = matches!(
                of.kind,
                ExprKind::Quantifier(..)
                    | ExprKind::Comprehension(..)
                    | ExprKind::MapOf(..)
                    | ExprKind::If(..)
                    | ExprKind::Match(..)
            );
            self.depth += usize::from(closes);
            walk::expr(self, of);
            self.depth -= usize::from(closes);
        }
    }
    let Root::Own(var) = place.root else {
        return None;
    };
    let mut count = Count {
        var,
        times: 0,
        depth: 0,
    };
    count.expr(value);
    (place.path.is_empty() && count.times == 1).then_some(var)
}

/// Locals that are read exactly once, no more often than they are bound.
pub(super) fn read_once(block: &Block) -> BTreeSet<LocalId> {
    #[derive(Default)]
    struct Reads {
        depth: usize,
        bound: BTreeMap<LocalId, usize>,
        read: BTreeMap<LocalId, (usize, usize)>,
    }
    impl Reads {
        fn deeper(&mut self, work: impl FnOnce(&mut Self)) {
            self.depth += 1;
            work(self);
            self.depth -= 1;
        }
    }
    impl Visit for Reads {
        fn stmt(&mut self, one: &Stmt) {
            match &one.kind {
                StmtKind::While(..) | StmtKind::For { .. } => {
                    self.deeper(|reads| walk::stmt(reads, one));
                }
                _ => walk::stmt(self, one),
            }
        }

        fn expr(&mut self, of: &Expr) {
            match &of.kind {
                ExprKind::Quantifier(..) | ExprKind::Comprehension(..) | ExprKind::MapOf(..) => {
                    self.deeper(|reads| walk::expr(reads, of));
                }
                _ => walk::expr(self, of),
            }
        }

        fn choice(&mut self, choice: &Choice) {
            self.deeper(|reads| walk::choice(reads, choice));
        }

        fn binding(&mut self, binding: &Binding) {
            walk::binding(self, binding);
        }

        fn binds(&mut self, local: &LocalId) {
            self.bound.insert(*local, self.depth);
        }

        fn uses(&mut self, local: &LocalId) {
            let read = self.read.entry(*local).or_insert((0, 0));
            *read = (read.0 + 1, self.depth);
        }
    }
    let mut reads = Reads::default();
    block.iter().for_each(|one| reads.stmt(one));
    let once = reads
        .read
        .iter()
        .filter(|(local, (times, depth))| *times == 1 && reads.bound.get(local) == Some(depth));
    once.map(|(local, _)| *local).collect()
}

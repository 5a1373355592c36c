//! Who takes part in located statements.

use crate::core::{Core, CoreKind, Guard, Told};
use crate::owner::{Owner, Who};
use plainsong_ir::visit::Visit;
use plainsong_ir::{LocalId, Pattern, StmtKind};
use std::collections::BTreeSet;

/// Those who have something to do in `block`; `within` takes part in the innermost loop around it,
/// all of whom a `break` concerns.
pub(crate) fn participants(block: &[Core], within: &[Who]) -> Vec<Who> {
    let mut taking = ParticipantCollector::default();
    taking.block(block, within);
    taking.all()
}

/// Those who do more in `block` than to give names to values.
pub(crate) fn acting(block: &[Core]) -> Vec<Who> {
    let mut taking = ParticipantCollector {
        ignores_names: true,
        ..ParticipantCollector::default()
    };
    taking.block(block, &[]);
    taking.all()
}

/// Those by whose state, or by whose choice, the way through `block` and past `guard` is decided.
pub(crate) fn deciders(block: &[Core], guard: &Guard) -> Vec<Who> {
    let mut taking = ParticipantCollector {
        deciders: true,
        ..ParticipantCollector::default()
    };
    taking.guard(guard);
    taking.block(block, &[]);
    taking.all()
}

/// Does nobody do anything in there but find the way through it?
pub(crate) fn is_idle(block: &[Core]) -> bool {
    block.iter().all(|core| match &core.kind {
        CoreKind::Do { stmt, weak, .. } => *weak || matches!(stmt.kind, StmtKind::Let(..)),
        CoreKind::If(_, then, otherwise) => is_idle(then) && is_idle(otherwise),
        CoreKind::For { body, .. } => is_idle(body),
        CoreKind::Match { arms, .. } => arms.iter().all(|(_, block)| is_idle(block)),
        CoreKind::Break | CoreKind::Continue => true,
        CoreKind::Obtain { .. }
        | CoreKind::Gather(_)
        | CoreKind::Tell { .. }
        | CoreKind::While { .. }
        | CoreKind::Maybe(..) => false,
    })
}

/// Is there a `break` or `continue` of the loop with this body in it?
pub(crate) fn is_left(body: &[Core]) -> bool {
    body.iter().any(|core| match &core.kind {
        CoreKind::Break | CoreKind::Continue => true,
        CoreKind::If(_, then, otherwise) | CoreKind::Maybe(_, then, otherwise) => {
            is_left(then) || is_left(otherwise)
        }
        CoreKind::Match { arms, .. } => arms.iter().any(|(_, block)| is_left(block)),
        _ => false,
    })
}

/// Adds somebody, once.
pub(crate) fn add(all: &mut Vec<Who>, who: Who) {
    if all.contains(&who) || all.contains(&Who::Family(who.family())) {
        return;
    }
    if let Who::Family(family) = who {
        all.retain(|other| other.family() != family);
    }
    all.push(who);
}

/// Two named members of one family may be the same: then the whole family is meant, so that nobody
/// is told twice.
pub(crate) fn told_once(who: Vec<Who>) -> Vec<Who> {
    let mut all = Vec::new();
    for one in &who {
        let twins = who.iter().filter(|other| other.family() == one.family());
        if twins.count() > 1 {
            add(&mut all, Who::Family(one.family()));
        } else {
            add(&mut all, one.clone());
        }
    }
    all
}

#[derive(Default)]
struct ParticipantCollector {
    who: Vec<Who>,
    /// Names bound inside; whoever is named by one of them may be anybody of its family.
    bound: BTreeSet<LocalId>,
    /// Do those count, too, who decide by their own conjuncts and do nothing else?
    deciders: bool,
    /// Do those not count who only give names to values?
    ignores_names: bool,
}

impl ParticipantCollector {
    fn all(self) -> Vec<Who> {
        let mut all = Vec::new();
        for one in self.who {
            match one {
                Who::One(owner) if !owner.locals().is_disjoint(&self.bound) => {
                    add(&mut all, Who::Family(owner.family));
                }
                other => add(&mut all, other),
            }
        }
        all
    }

    fn one(&mut self, owner: &Owner) {
        self.who.push(Who::One(owner.clone()));
    }

    fn told(&mut self, told: &Told) {
        self.one(&told.at);
        self.who.extend(told.to.iter().cloned());
    }

    fn guard(&mut self, guard: &Guard) {
        let Guard::Known { own, each, told } = guard else {
            return;
        };
        if self.deciders {
            own.iter().for_each(|(owner, _)| self.one(owner));
            let families = each.iter().map(|part| Who::Family(part.family));
            self.who.extend(families);
        }
        if let Some(told) = told {
            self.told(told);
        }
    }

    fn block(&mut self, block: &[Core], within: &[Who]) {
        for core in block {
            self.core(core, within);
        }
    }

    fn core(&mut self, core: &Core, within: &[Who]) {
        match &core.kind {
            CoreKind::Do { at, stmt, weak } => {
                let is_name = self.ignores_names && matches!(stmt.kind, StmtKind::Let(..));
                if let (Some(at), false) = (at, *weak || is_name) {
                    self.one(at);
                }
                self.binding(&stmt.kind);
            }
            CoreKind::Obtain { to, items, then } => {
                self.one(to);
                for item in items {
                    self.one(&item.from);
                }
                self.binding(&then.kind);
            }
            CoreKind::Gather(gather) => {
                self.one(&gather.to);
                self.who.push(Who::Family(gather.from.family));
            }
            CoreKind::Tell { from, to, .. } => {
                self.one(from);
                self.who.extend(to.iter().map(|(who, _)| who.clone()));
            }
            CoreKind::If(guard, then, otherwise) => {
                self.guard(guard);
                self.block(then, within);
                self.block(otherwise, within);
            }
            CoreKind::While {
                before,
                guard,
                body,
                kept_by,
                ..
            } => {
                self.block(before, &[]);
                self.guard(guard);
                self.block(body, &[]);
                self.who.extend(kept_by.iter().cloned());
            }
            CoreKind::For {
                at, local, body, ..
            } => {
                self.bound.insert(*local);
                if let Some(at) = at {
                    self.one(at);
                }
                self.block(body, &[]);
            }
            CoreKind::Match { at, arms, told, .. } => {
                if let Some(at) = at {
                    self.one(at);
                }
                if let Some(told) = told {
                    self.told(told);
                }
                for (pattern, block) in arms {
                    self.pattern_names(pattern);
                    self.block(block, within);
                }
            }
            CoreKind::Maybe(at, then, otherwise) => {
                self.one(at);
                self.block(then, within);
                self.block(otherwise, within);
            }
            CoreKind::Break | CoreKind::Continue => self.who.extend(within.iter().cloned()),
        }
    }

    fn binding(&mut self, stmt: &StmtKind) {
        match stmt {
            StmtKind::Let(local, _) => {
                self.bound.insert(*local);
            }
            StmtKind::LetChoice(choice) => {
                self.bound.insert(choice.local);
            }
            _ => {}
        }
    }

    fn pattern_names(&mut self, pattern: &Pattern) {
        struct Names<'a>(&'a mut BTreeSet<LocalId>);
        impl Visit for Names<'_> {
            fn binds(&mut self, local: &LocalId) {
                self.0.insert(*local);
            }
        }
        Names(&mut self.bound).pattern(pattern);
    }
}

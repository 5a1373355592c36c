//! Who takes part in located statements.

use crate::core::{Core, CoreKind, Guard, Told};
use crate::owner::{Owner, Who};
use plainsong_ir::visit::Visit;
use plainsong_ir::{LocalId, Pattern, StmtKind};
use std::collections::BTreeSet;

/// Those who have something to do in `block`; `within` takes part in the innermost loop around it,
/// all of whom a `break` concerns.
pub(crate) fn participants(block: &[Core], within: &[Who]) -> Vec<Who> {
    let mut taking = Taking::default();
    taking.block(block, within);
    let Taking { who, bound } = taking;
    let mut all = Vec::new();
    for one in who {
        match one {
            Who::One(owner) if !owner.locals().is_disjoint(&bound) => {
                add(&mut all, Who::Family(owner.family));
            }
            other => add(&mut all, other),
        }
    }
    all
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
struct Taking {
    who: Vec<Who>,
    /// Names bound inside; whoever is named by one of them may be anybody of its family.
    bound: BTreeSet<LocalId>,
}

impl Taking {
    fn one(&mut self, owner: &Owner) {
        self.who.push(Who::One(owner.clone()));
    }

    fn told(&mut self, told: &Told) {
        self.one(&told.at);
        self.who.extend(told.to.iter().cloned());
    }

    fn guard(&mut self, guard: &Guard) {
        if let Guard::Known {
            told: Some(told), ..
        } = guard
        {
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
                if let (Some(at), false) = (at, weak) {
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
            } => {
                self.block(before, &[]);
                self.guard(guard);
                self.block(body, &[]);
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

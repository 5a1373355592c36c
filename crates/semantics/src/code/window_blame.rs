//! Is a window of values to blame when a step cannot be taken?
//!
//! Statement. Every way that a step can go ends at an `assume` that is false or at a choice without a value. A window is
//! to blame if a value outside of it might have passed: then nothing is known of what comes after.
//!
//! Why sound. Seeds are the values that a way has chosen from windows. They influence what is computed from them, and
//! what is assigned between a decision that they influence and the place where its branches meet. A way that ends at an
//! instruction which they do not influence, and which no influenced decision leads around, ends there (or before)
//! whatever is chosen from the window: for the other choices that it made, nothing passes. So it does at an `assume` about
//! one chosen value that says itself which values could pass, if these were tried. Every other way is one that the
//! window may have ended.
//! NOT COVERED. What was chosen in earlier steps: the values of a state are taken as they are.

use super::assign::Memory;
use super::run::{Branch, Chosen, Halt, Run, Runner};
use super::{FlatCode, OpKind, Pace};
use crate::eval::Eval;
use crate::instance::confined::is_confined;
use plainsong_ir::finite::is_finite;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{
    Access, Choice, Domain, Expr, ExprKind, FamilyId, GlobalId, LocalId, Pattern, PatternKind,
    Place, Root, Ty, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

impl Runner<'_> {
    /// Which of the ways of a step, all of them blocked, a window may have ended.
    pub(super) fn ended_by_window<M: Memory>(&self, branches: &[Branch<M>]) -> Option<usize> {
        if !branches.iter().all(|one| matches!(one.halt, Halt::Blocked)) {
            return None;
        }
        let windowed = self.windowed();
        if windowed.is_empty() {
            return None;
        }
        let is_windowed =
            |one: &&Chosen| one.local.is_some_and(|local| windowed.contains_key(&local));
        let others = |run: &Run<M>| -> Vec<Chosen> {
            let others = run.chosen.iter().filter(|one| !is_windowed(one));
            others.cloned().collect()
        };
        let mut excused = Vec::new();
        let mut blamed = Vec::new();
        for (at, Branch { run, .. }) in branches.iter().enumerate() {
            let seeds = run.chosen.iter().filter(is_windowed);
            let seeds: BTreeSet<LocalId> = seeds.filter_map(|one| one.local).collect();
            let influence = Influence::new(self.code, self.pace, &seeds);
            let may_pass = !seeds.is_empty()
                && influence.might_pass(run.pc)
                && !self.is_confined(run, &influence, &windowed);
            match may_pass {
                true => blamed.push((at, others(run))),
                false => excused.push(others(run)),
            }
        }
        let mut blamed = blamed.into_iter();
        let one = blamed.find(|(_, others)| !excused.contains(others))?;
        Some(one.0)
    }

    /// The names that take values out of windows, and of which types.
    fn windowed(&self) -> BTreeMap<LocalId, &Ty> {
        let song = self.instance.song();
        let chosen = self.code.ops.iter().filter_map(|op| match &op.kind {
            OpKind::LetChoice(choice) | OpKind::AssignChoice(_, choice) => Some(choice),
            _ => None,
        });
        let windowed = chosen.filter_map(|choice| match &choice.domain {
            Domain::Type(ty) if !is_finite(song, ty) => Some((choice.local, ty)),
            _ => None,
        });
        windowed.collect()
    }

    /// Does a run end at an `assume` that only values could pass which were tried, as the `where` of a choice would?
    fn is_confined<M: Memory>(
        &self,
        run: &Run<M>,
        influence: &Influence<'_>,
        windowed: &BTreeMap<LocalId, &Ty>,
    ) -> bool {
        let OpKind::Assume(condition) = &self.code.ops[run.pc].kind else {
            return false;
        };
        let names = influence.names_in(condition);
        let mut names = names.iter();
        let (Some(Name::Local(local)), None) = (names.next(), names.next()) else {
            return false;
        };
        let Some(ty) = windowed
            .get(local)
            .filter(|_| !influence.is_decided(run.pc))
        else {
            return false;
        };
        let choice = Choice {
            local: *local,
            domain: Domain::Type((*ty).clone()),
            filter: Some(condition.clone()),
        };
        let mut eval = Eval::new(self.instance, &run.memory);
        let tried = self.instance.choosable(ty).unwrap_or_default();
        is_confined(&mut eval, &choice, ty, &tried, &mut run.slots.clone())
    }
}

/// A name or a variable; of a family, that of every member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    Local(LocalId),
    Own(VarId),
    Of(FamilyId, VarId),
    Global(GlobalId),
    /// The elements of a loop.
    Elements(usize),
}

/// What may be different had another value been chosen.
struct Influence<'a> {
    code: &'a FlatCode,
    pace: Pace,
    names: BTreeSet<Name>,
    /// Instructions that go on elsewhere then.
    decisions: BTreeSet<usize>,
}

impl<'a> Influence<'a> {
    fn new(code: &'a FlatCode, pace: Pace, seeds: &BTreeSet<LocalId>) -> Self {
        let mut found = Influence {
            code,
            pace,
            names: seeds.iter().copied().map(Name::Local).collect(),
            decisions: BTreeSet::new(),
        };
        loop {
            let before = (found.names.len(), found.decisions.len());
            (0..code.ops.len()).for_each(|at| found.spread(at));
            if before == (found.names.len(), found.decisions.len()) {
                return found;
            }
        }
    }

    /// Might a run that ends at this instruction have gone on?
    fn might_pass(&self, at: usize) -> bool {
        let speaks = match self.code.ops.get(at).map(|op| &op.kind) {
            Some(OpKind::Assume(condition)) => self.speaks(condition),
            Some(OpKind::LetChoice(choice) | OpKind::AssignChoice(_, choice)) => {
                self.is_chosen_otherwise(choice)
            }
            _ => true,
        };
        speaks || self.is_decided(at)
    }

    fn spread(&mut self, at: usize) {
        let code = self.code;
        match &code.ops[at].kind {
            OpKind::Let(local, value) if self.speaks(value) || self.is_decided(at) => {
                self.names.insert(Name::Local(*local));
            }
            OpKind::LetChoice(choice)
                if self.is_chosen_otherwise(choice) || self.is_decided(at) =>
            {
                self.names.insert(Name::Local(choice.local));
            }
            OpKind::Assign(place, value)
                if self.speaks(value) || self.is_elsewhere(place) || self.is_decided(at) =>
            {
                self.names.insert(written(place));
            }
            OpKind::AssignChoice(place, choice)
                if self.names.contains(&Name::Local(choice.local))
                    || self.is_chosen_otherwise(choice)
                    || self.is_elsewhere(place)
                    || self.is_decided(at) =>
            {
                self.names.insert(Name::Local(choice.local));
                self.names.insert(written(place));
            }
            OpKind::Unless(condition, _) if self.speaks(condition) => {
                self.decisions.insert(at);
            }
            OpKind::Match(scrutinee, arms) if self.speaks(scrutinee) => {
                self.decisions.insert(at);
                let mut bound = Bound(&mut self.names);
                arms.iter().for_each(|(pattern, _)| bound.pattern(pattern));
            }
            OpKind::Loop(hidden, domain) if self.speaks_of(domain) || self.is_decided(at) => {
                self.names.insert(Name::Elements(*hidden));
            }
            OpKind::Next {
                hidden,
                local,
                filter,
                ..
            } if self.names.contains(&Name::Elements(*hidden))
                || filter.as_ref().is_some_and(|filter| self.speaks(filter)) =>
            {
                self.decisions.insert(at);
                self.names.insert(Name::Local(*local));
            }
            OpKind::Past { hidden, local, .. } if self.names.contains(&Name::Elements(*hidden)) => {
                self.decisions.insert(at);
                self.names.insert(Name::Local(*local));
            }
            _ => {}
        }
    }

    fn is_chosen_otherwise(&self, choice: &Choice) -> bool {
        let filter = choice.filter.as_ref();
        // What is chosen is no reason why nothing can be.
        let own = Name::Local(choice.local);
        let speaks = |expr: &Expr| self.names_in(expr).iter().any(|name| *name != own);
        self.speaks_of(&choice.domain) || filter.is_some_and(speaks)
    }

    fn speaks_of(&self, domain: &Domain) -> bool {
        matches!(domain, Domain::In(collection) if self.speaks(collection))
    }

    /// Is it another part of the variable that is written?
    fn is_elsewhere(&self, place: &Place) -> bool {
        let index = place.path.iter().any(|access| match access {
            Access::Index(index) => self.speaks(index),
            Access::Field(_) | Access::Project(_) => false,
        });
        let member = match &place.root {
            Root::Of(_, index, _) => index.iter().any(|one| self.speaks(one)),
            _ => false,
        };
        index || member
    }

    fn speaks(&self, expr: &Expr) -> bool {
        !self.names_in(expr).is_empty()
    }

    /// Which of the names an expression reads.
    fn names_in(&self, expr: &Expr) -> BTreeSet<Name> {
        let mut reads = Reads {
            names: &self.names,
            found: BTreeSet::new(),
        };
        reads.expr(expr);
        reads.found
    }

    /// Does an influenced decision lead here or past it?
    fn is_decided(&self, at: usize) -> bool {
        let mut decisions = self.decisions.iter();
        decisions.any(|&decision| decision != at && self.leads_past(decision, at))
    }

    /// Can a run come from a decision to the instruction, and also to the end of the step without it?
    fn leads_past(&self, decision: usize, at: usize) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = self.successors(decision);
        let (mut comes, mut ends) = (false, false);
        while let Some(pc) = open.pop() {
            if pc == at {
                comes = true;
            } else if self.code.stops(pc, self.pace) || self.code.is_end(pc) {
                ends = true;
            } else if seen.insert(pc) {
                open.extend(self.successors(pc));
            }
        }
        comes && ends
    }

    fn successors(&self, pc: usize) -> Vec<usize> {
        match &self.code.ops[pc].kind {
            OpKind::Jump(to) => vec![*to],
            OpKind::Unless(_, to) | OpKind::Maybe(to) => vec![pc + 1, *to],
            OpKind::Next { exit: to, .. } | OpKind::Past { over: to, .. } => vec![pc + 1, *to],
            OpKind::Match(_, arms) => arms.iter().map(|(_, to)| *to).collect(),
            OpKind::Select(arms, timeout) => {
                let arms = arms.iter().map(|arm| arm.target);
                arms.chain(*timeout).collect()
            }
            _ => vec![pc + 1],
        }
    }
}

fn written(place: &Place) -> Name {
    match &place.root {
        Root::Local(local) => Name::Local(*local),
        Root::Own(var) => Name::Own(*var),
        Root::Of(family, _, var) => Name::Of(*family, *var),
        Root::Global(global) => Name::Global(*global),
    }
}

/// The names that patterns bind.
struct Bound<'a>(&'a mut BTreeSet<Name>);

impl Visit for Bound<'_> {
    fn pattern(&mut self, pattern: &Pattern) {
        if let PatternKind::Bind(local) = &pattern.kind {
            self.0.insert(Name::Local(*local));
        }
        walk::pattern(self, pattern);
    }
}

/// Collects those of the names that an expression reads.
struct Reads<'a> {
    names: &'a BTreeSet<Name>,
    found: BTreeSet<Name>,
}

impl Visit for Reads<'_> {
    fn expr(&mut self, expr: &Expr) {
        let name = match &expr.kind {
            ExprKind::Local(local) => Some(Name::Local(*local)),
            ExprKind::Own(var) => Some(Name::Own(*var)),
            ExprKind::Of(family, _, var) => Some(Name::Of(*family, *var)),
            ExprKind::Global(global) => Some(Name::Global(*global)),
            _ => None,
        };
        self.found
            .extend(name.filter(|name| self.names.contains(name)));
        walk::expr(self, expr);
    }
}

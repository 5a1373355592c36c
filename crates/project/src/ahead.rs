//! Who runs ahead of statements that may never be passed.
//!
//! A `while` without `decreases` may have no end, an `assume` ends an execution, and so does a choice with nothing to
//! choose. What follows happens in the line only if they are passed, and what is proved of it rests on that: behind
//! `while a.v != 0 {}`, `c` may rely on what is known of `a.v`. A process that takes no part in such a statement goes on
//! without waiting for it, and would fail where the line does not get to.
//!
//! Statement. Let every process hear from one that has passed such a statement, directly or through others, before it
//! does anything behind it that can fail. Then a failure of the processes is one of the line: all statements before it, in
//! the order of the line, are passed or cannot fail.
//!
//! [`demands`] finds who does something that can fail without having heard; [`Locate`](crate::locate::Locate) lets them be
//! told, and looks again, since who is told takes part in more. For an assertion alone nobody is told anything: it is
//! left to the line.
//!
//! DIFFERS from what a reader might do: what a process hears is followed through the located program in its order, with
//! members of families one by one only inside the loop that names them; a family has heard when a loop over all of
//! its members, or a message to all of them, says so.
//! A `requires` about values that endpoints choose is an `assume` before all else.
//! NOT COVERED. A choice of a type without values: sorts are not empty.

use crate::core::{Core, CoreKind, Guard};
use crate::owner::{Owner, Who};
use crate::participants::{acting, add};
use crate::terms::can_fail;
use plainsong_diagnostics::Span;
use plainsong_ir::{
    Access, BinOp, Choice, Domain, Expr, ExprKind, FamilyId, LocalId, Place, Song, Stmt, StmtKind,
    Ty, UnOp,
};
use std::collections::{BTreeMap, BTreeSet};

/// What is needed so that nobody fails ahead of the line.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Demands {
    /// Those who have to be told that a statement has been passed, by its place in the text.
    pub(crate) told: BTreeMap<Span, Vec<Who>>,
    /// Assertions that some endpoints may come to too early.
    pub(crate) early: BTreeSet<(Span, FamilyId)>,
}

/// What is needed of a located program, beyond what is heard anyway.
pub(crate) fn demands(song: &Song, endpoints: &[FamilyId], block: &[Core]) -> Demands {
    let mut ahead = Ahead {
        song,
        endpoints,
        heard: Some(BTreeMap::new()),
        left: Vec::new(),
        demands: Demands::default(),
    };
    ahead.block(block);
    ahead.demands
}

/// Those who go through the rounds of a loop, and so know when it has ended.
pub(crate) fn passing(before: &[Core], body: &[Core], kept_by: &[Who]) -> Vec<Who> {
    let mut all = acting(before);
    let more = acting(body).into_iter().chain(kept_by.iter().cloned());
    more.for_each(|who| add(&mut all, who));
    all
}

/// For each statement that may never be passed, who has heard that it was.
type Heard = BTreeMap<Span, Vec<Who>>;

struct Ahead<'a> {
    song: &'a Song,
    endpoints: &'a [FamilyId],
    /// Nothing where the line does not come to.
    heard: Option<Heard>,
    /// What is known where the loops around are left.
    left: Vec<Vec<Heard>>,
    demands: Demands,
}

impl Ahead<'_> {
    fn block(&mut self, block: &[Core]) {
        block.iter().for_each(|core| self.core(core));
    }

    fn core(&mut self, core: &Core) {
        match &core.kind {
            CoreKind::Do {
                at: Some(at),
                stmt,
                weak: true,
            } => self.claims(at, stmt.span),
            CoreKind::Do { at, stmt, .. } => self.does(at.as_ref(), stmt),
            CoreKind::Obtain { to, items, then } => {
                for item in items {
                    self.evaluates(Some(&item.from), &item.value);
                    self.hears(&Who::One(item.from.clone()), &Who::One(to.clone()));
                }
                self.does(Some(to), then);
            }
            CoreKind::Gather(gather) => {
                let from = Who::Family(gather.from.family);
                self.hears(&from, &Who::One(gather.to.clone()));
            }
            CoreKind::Tell { from, to, .. } => {
                for (who, _) in to {
                    self.hears(&Who::One(from.clone()), who);
                }
            }
            CoreKind::If(guard, then, otherwise) => {
                self.guard(guard);
                self.either([&then[..], otherwise]);
            }
            CoreKind::Match {
                at,
                scrutinee,
                arms,
                ..
            } => {
                self.evaluates(at.as_ref(), scrutinee);
                self.either(arms.iter().map(|(_, block)| &block[..]));
            }
            CoreKind::Maybe(_, then, otherwise) => self.either([&then[..], otherwise]),
            CoreKind::While {
                before,
                guard,
                body,
                kept_by,
                ends,
            } => {
                self.rounds(|ahead| {
                    ahead.block(before);
                    ahead.guard(guard);
                    ahead.block(body);
                });
                if !ends {
                    self.passed(core.span, passing(before, body, kept_by));
                }
            }
            CoreKind::For {
                at,
                local,
                domain,
                filter,
                body,
            } => self.for_(at.as_ref(), (*local, domain, filter.as_ref()), body),
            CoreKind::Break | CoreKind::Continue => {
                if let (Some(heard), Some(left)) = (self.heard.take(), self.left.last_mut()) {
                    left.push(heard);
                }
            }
        }
    }

    fn for_(
        &mut self,
        at: Option<&Owner>,
        (local, domain, filter): (LocalId, &Domain, Option<&Expr>),
        body: &[Core],
    ) {
        if let Domain::In(set) = domain {
            self.evaluates(at, set);
        }
        let is_whole = match domain {
            Domain::Type(_) => true,
            Domain::In(set) => matches!(set.kind, ExprKind::All(_)),
        };
        let is_left = crate::participants::is_left(body);
        let mut told = Vec::new();
        self.rounds(|ahead| {
            ahead.forget(local);
            filter.into_iter().for_each(|of| ahead.evaluates(at, of));
            ahead.block(body);
            told = ahead.told_in_every_round(local);
        });
        // Every member is the one of some round.
        if is_whole && filter.is_none() && !is_left {
            for (span, family) in told {
                let heard = self.heard.iter_mut().filter_map(|all| all.get_mut(&span));
                heard.for_each(|heard| add(heard, Who::Family(family)));
            }
        }
        self.forget(local);
    }

    /// A name means somebody else from here on.
    fn forget(&mut self, local: LocalId) {
        for heard in self.heard.iter_mut().flat_map(BTreeMap::values_mut) {
            heard.retain(|who| match who {
                Who::One(owner) => !owner.locals().contains(&local),
                Who::Family(_) => true,
            });
        }
    }

    /// Families of which the member named by a loop's own variable has heard at the end of a round.
    fn told_in_every_round(&self, local: LocalId) -> Vec<(Span, FamilyId)> {
        let mut told = Vec::new();
        for (span, heard) in self.heard.iter().flatten() {
            for who in heard {
                if let Who::One(owner) = who
                    && let [index] = &owner.index[..]
                    && matches!(index.kind, ExprKind::Local(name) if name == local)
                {
                    told.push((*span, owner.family));
                }
            }
        }
        told
    }

    /// Rounds until nothing changes; behind them counts what is known after any number of them.
    fn rounds(&mut self, mut round: impl FnMut(&mut Self)) {
        loop {
            let before = self.heard.clone();
            self.left.push(Vec::new());
            round(self);
            let left = self.left.pop().unwrap_or_default();
            let mut after = before.clone();
            for one in left.into_iter().map(Some).chain([self.heard.take()]) {
                after = both(after, one);
            }
            self.heard.clone_from(&after);
            if after == before {
                return;
            }
        }
    }

    fn either<'b>(&mut self, ways: impl IntoIterator<Item = &'b [Core]>) {
        let before = self.heard.clone();
        let mut after = None;
        for way in ways {
            self.heard.clone_from(&before);
            self.block(way);
            after = both(after, self.heard.take());
        }
        self.heard = after;
    }

    fn guard(&mut self, guard: &Guard) {
        match guard {
            Guard::Common(condition) => self.evaluates(None, condition),
            Guard::Known { own, .. } => {
                for (owner, condition) in own {
                    self.evaluates(Some(owner), condition);
                }
            }
        }
    }

    fn does(&mut self, at: Option<&Owner>, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Let(_, value) => self.evaluates(at, value),
            StmtKind::Assign(place, value) if can_fail_at(place) || can_fail(value) => {
                self.risks(at);
            }
            StmtKind::Assert(_) | StmtKind::Assume(_) => self.risks(at),
            StmtKind::LetChoice(choice) | StmtKind::AssignChoice(_, choice) => {
                let set = match &choice.domain {
                    Domain::In(set) => Some(set),
                    Domain::Type(_) => None,
                };
                let mut parts = set.into_iter().chain(&choice.filter);
                if parts.any(can_fail) {
                    self.risks(at);
                }
            }
            _ => {}
        }
        if let (true, Some(at)) = (may_block(stmt), at) {
            self.passed(stmt.span, vec![Who::One(at.clone())]);
        }
    }

    fn evaluates(&mut self, at: Option<&Owner>, value: &Expr) {
        if can_fail(value) {
            self.risks(at);
        }
    }

    /// Somebody asserts something.
    fn claims(&mut self, at: &Owner, span: Span) {
        let who = Who::One(at.clone());
        let mut all = self.heard.iter().flat_map(BTreeMap::values);
        if all.any(|heard| !has_heard(heard, &who)) {
            self.demands.early.insert((span, at.family));
        }
    }

    /// Somebody, or everybody, does something that can fail.
    fn risks(&mut self, at: Option<&Owner>) {
        let all: Vec<Who> = match at {
            Some(owner) => vec![Who::One(owner.clone())],
            None => self.endpoints.iter().map(|id| self.every(*id)).collect(),
        };
        for who in all {
            let told = match &who {
                Who::One(owner) => self.every(owner.family),
                Who::Family(_) => who.clone(),
            };
            for (span, heard) in self.heard.iter_mut().flatten() {
                if !has_heard(heard, &who) {
                    add(self.demands.told.entry(*span).or_default(), told.clone());
                    add(heard, told.clone());
                }
            }
        }
    }

    /// An endpoint, or all members of a family.
    fn every(&self, family: FamilyId) -> Who {
        match self.song.families[family.index()].index.is_empty() {
            true => Who::One(Owner::new(family, &[])),
            false => Who::Family(family),
        }
    }

    /// A message of the first reaches the second.
    fn hears(&mut self, from: &Who, to: &Who) {
        for heard in self.heard.iter_mut().flat_map(BTreeMap::values_mut) {
            if has_heard(heard, from) {
                add(heard, to.clone());
            }
        }
    }

    /// A statement that may never be passed was, and these know it; those of them know that it was passed each time who
    /// had heard of the times before.
    fn passed(&mut self, span: Span, mut who: Vec<Who>) {
        if let Some(heard) = &mut self.heard {
            if let Some(before) = heard.get(&span) {
                who.retain(|one| has_heard(before, one));
            }
            heard.insert(span, who);
        }
    }
}

/// May an execution end at a statement? An `assume` may be false, and there may be nothing to choose.
fn may_block(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Assume(_) => true,
        StmtKind::LetChoice(choice) | StmtKind::AssignChoice(_, choice) => {
            let is_empty = match &choice.domain {
                Domain::Type(_) => false,
                Domain::In(set) => !has_members(set),
            };
            is_empty || choice.filter.is_some() && !some_truth_passes(choice)
        }
        _ => false,
    }
}

/// Is it seen from the text that a collection is not empty?
fn has_members(set: &Expr) -> bool {
    match &set.kind {
        ExprKind::All(_) => true,
        ExprKind::Literal(elements) => !elements.is_empty(),
        _ => false,
    }
}

/// Is it seen from the text that `true` or `false` passes the filter, as in `choose bool where yes || …`?
fn some_truth_passes(choice: &Choice) -> bool {
    let is_bool = match &choice.domain {
        Domain::Type(ty) => *ty == Ty::Bool,
        Domain::In(set) => set.kind == ExprKind::All(Ty::Bool),
    };
    let passes = |value| {
        let filter = choice.filter.as_ref();
        filter.and_then(|filter| decided(filter, choice.local, value)) == Some(true)
    };
    is_bool && (passes(true) || passes(false))
}

/// What a condition comes to when `local` has this value, as far as that alone decides it.
fn decided(of: &Expr, local: LocalId, value: bool) -> Option<bool> {
    match &of.kind {
        ExprKind::Bool(known) => Some(*known),
        ExprKind::Local(id) if *id == local => Some(value),
        ExprKind::Unary(UnOp::Not, of) => decided(of, local, value).map(|known| !known),
        ExprKind::Binary(op @ (BinOp::And | BinOp::Or), left, right) => {
            let ends = *op == BinOp::Or;
            match decided(left, local, value) {
                Some(known) if known == ends => Some(ends),
                Some(_) => decided(right, local, value),
                None => None,
            }
        }
        _ => None,
    }
}

/// Can the way to a place be missing?
fn can_fail_at(place: &Place) -> bool {
    place.path.iter().any(|access| match access {
        Access::Index(index) => can_fail(index) || index.ty == Ty::Int,
        _ => false,
    })
}

fn has_heard(heard: &[Who], who: &Who) -> bool {
    heard.contains(who) || heard.contains(&Who::Family(who.family()))
}

/// What is known whichever way was taken.
fn both(one: Option<Heard>, other: Option<Heard>) -> Option<Heard> {
    let (mut one, other) = match (one, other) {
        (Some(one), Some(other)) => (one, other),
        (one, other) => return one.or(other),
    };
    for (span, heard) in other {
        match one.get_mut(&span) {
            Some(known) => {
                known.retain(|who| has_heard(&heard, who));
            }
            // Not come to on the other way: nobody has to wait for it there.
            None => {
                one.insert(span, heard);
            }
        }
    }
    Some(one)
}

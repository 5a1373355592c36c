//! Free choices and who makes them.

use super::{Locate, core, done};
use crate::core::{Core, CoreKind, Guard};
use crate::owned::Chooser;
use crate::owner::{Owner, Who};
use crate::participants::{is_idle, is_left, participants};
use crate::terms::stmt;
use plainsong_diagnostics::Span;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{Block, Choice, Domain, LocalId, Place, Root, Stmt, StmtKind, Ty};
use std::collections::BTreeSet;

impl Locate<'_> {
    pub(super) fn let_choice(
        &mut self,
        choice: &Choice,
        rest: &[Stmt],
        span: Span,
        out: &mut Vec<Core>,
    ) {
        self.paper_rule(span, "a free choice that belongs to no endpoint");
        let reads = self.reads(parts(choice));
        let user = || self.first_user(choice.local, rest);
        let owner = match &reads.owners[..] {
            [owner] if !reads.gathers => Some(owner.clone()),
            owners => user().or_else(|| self.somebody(owners, &reads)),
        };
        let Some(owner) = owner else {
            return self.nobody(span);
        };
        self.located.insert(choice.local, owner.clone());
        self.chooses(&owner, false, span);
        self.chosen(&owner, choice, span, out, StmtKind::LetChoice);
    }

    pub(super) fn assign_choice(
        &mut self,
        place: &Place,
        choice: &Choice,
        span: Span,
        out: &mut Vec<Core>,
    ) {
        let Some(owner) = self.owner_of(place) else {
            return;
        };
        let path = self.reads(super::indices(place));
        if !path.others(&owner).is_empty() {
            self.hidden(place.span);
        }
        let place = place.clone();
        self.chosen(&owner, choice, span, out, |choice| {
            StmtKind::AssignChoice(place, choice)
        });
    }

    /// A choice at `owner`, with what it reads brought there.
    fn chosen(
        &mut self,
        owner: &Owner,
        choice: &Choice,
        span: Span,
        out: &mut Vec<Core>,
        then: impl FnOnce(Choice) -> StmtKind,
    ) {
        let before = out.len();
        let mut items = Vec::new();
        let mut choice = choice.clone();
        if let Domain::In(set) = &mut choice.domain {
            *set = self.fetch(set, owner, &mut items, out);
        }
        if let Some(filter) = &mut choice.filter {
            let candidate = BTreeSet::from([choice.local]);
            *filter = self.fetch_under(candidate, filter, owner, &mut items, out);
        }
        let messages = items.len() + (out.len() - before);
        if messages > 0 {
            self.mixed(owner, messages, span);
        }
        let then = stmt(then(choice), span);
        let to = owner.clone();
        out.push(match items.is_empty() {
            true => done(Some(to), then),
            false => core(CoreKind::Obtain { to, items, then }, span),
        });
        self.tell_that_it_is_passed((span, span), &[Who::One(owner.clone())], out);
    }

    pub(super) fn maybe(
        &mut self,
        then: &Block,
        otherwise: &Block,
        span: Span,
        within: &[Who],
        out: &mut Vec<Core>,
    ) {
        let then = self.block(then, within);
        let otherwise = self.block(otherwise, within);
        let is_nothing = is_idle(&then) && is_idle(&otherwise);
        let is_nothing = is_nothing && !is_left(&then) && !is_left(&otherwise);
        let mut taking = participants(&then, within);
        for who in participants(&otherwise, within) {
            crate::participants::add(&mut taking, who);
        }
        let mut named = taking.iter().filter_map(|who| match who {
            Who::One(owner) => Some(owner.clone()),
            Who::Family(_) => None,
        });
        let Some(at) = named.next().or_else(|| self.single()) else {
            return match is_nothing {
                true => (),
                false => self.nobody(span),
            };
        };
        let is_alone = taking == [Who::One(at.clone())];
        self.chooses(&at, is_alone, span);
        if is_alone {
            return out.push(core(CoreKind::Maybe(at, then, otherwise), span));
        }
        let name = self.fresh("way", &Ty::Bool);
        self.located.insert(name, at.clone());
        let choice = Choice {
            local: name,
            domain: Domain::Type(Ty::Bool),
            filter: None,
        };
        out.push(done(
            Some(at.clone()),
            stmt(StmtKind::LetChoice(choice), span),
        ));
        let guard = self.tell(at, name, taking, "way", span, out);
        out.push(core(CoreKind::If(guard, then, otherwise), span));
    }

    /// Notes who makes a choice.
    fn chooses(&mut self, owner: &Owner, is_alone: bool, span: Span) {
        let owner = owner.clone();
        self.choosers
            .insert((self.calls.clone(), span), Chooser { owner, is_alone });
    }

    /// The owner of the first assignment that uses a local, if it is known here who that is.
    pub(super) fn first_user(&self, name: LocalId, rest: &[Stmt]) -> Option<Owner> {
        let mut find = FirstUser {
            name,
            found: None,
            bound: BTreeSet::new(),
        };
        rest.iter().for_each(|one| find.stmt(one));
        find.found
            .filter(|owner| owner.locals().is_disjoint(&find.bound))
    }
}

/// What a choice evaluates.
fn parts(choice: &Choice) -> Vec<&plainsong_ir::Expr> {
    let set = match &choice.domain {
        Domain::Type(_) => None,
        Domain::In(set) => Some(set),
    };
    set.into_iter().chain(&choice.filter).collect()
}

struct FirstUser {
    name: LocalId,
    found: Option<Owner>,
    bound: BTreeSet<LocalId>,
}

impl Visit for FirstUser {
    fn stmt(&mut self, one: &Stmt) {
        if let StmtKind::Assign(place, _) | StmtKind::AssignChoice(place, _) = &one.kind
            && let Root::Of(family, index, _) = &place.root
            && self.found.is_none()
            && crate::terms::locals_used(std::slice::from_ref(one)).contains(&self.name)
        {
            self.found = Some(Owner::new(*family, index));
        }
        walk::stmt(self, one);
    }

    fn binds(&mut self, local: &LocalId) {
        self.bound.insert(*local);
    }
}

/// A guard that reads a told local.
pub(super) fn known(told: crate::core::Told) -> Guard {
    let (own, each) = (Vec::new(), Vec::new());
    Guard::Known {
        own,
        each,
        told: Some(told),
    }
}

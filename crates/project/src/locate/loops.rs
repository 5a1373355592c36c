//! Loops: everybody who takes part in a round knows whether there is another one.
//!
//! A `break` concerns all who take part in the loop, so whoever decides about it tells all of them;
//! who they are depends on the body, which is therefore located again until that does not change.
//!
//! A `while` in which nobody does anything may have no end all the same, and then nothing behind it happens: those who
//! decide about its rounds keep it. (Who takes part in one where something is done keeps it anyway.) Of one that is left by
//! `break`, all who decide take part, so that each knows how the others decided.

use super::fixes::Around;
use super::{Locate, core};
use crate::ahead::passing;
use crate::core::{Core, CoreKind, Guard};
use crate::owner::Who;
use crate::participants::{add, deciders, is_idle, is_left, participants};
use crate::terms::local;
use plainsong_diagnostics::Span;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{Block, Domain, Expr, LocalId, Song, Stmt, StmtKind};
use std::collections::BTreeSet;

/// More often than any program needs: each time at least one more endpoint takes part.
const MOST_ROUNDS: usize = 64;

impl Locate<'_> {
    pub(super) fn while_(
        &mut self,
        condition: &Expr,
        body: &Block,
        span: Span,
        out: &mut Vec<Core>,
    ) {
        let (before, guard, located, within) = self.settled(None, body, |locate, block| {
            let mut before = Vec::new();
            let taking = participants(block, &[]);
            locate.around = (!leaves(body)).then_some(Around {
                span,
                is_loop: true,
            });
            let guard = locate.guard(condition, taking, "round", &mut before);
            (before, guard)
        });
        let kept_by = match is_idle(&before) && is_idle(&located) {
            true => self.kept_by(&guard, &located, within),
            false => Vec::new(),
        };
        let passing = passing(&before, &located, &kept_by);
        let kind = CoreKind::While {
            before,
            guard,
            body: located,
            kept_by,
            ends: self.ending.contains(&span),
        };
        out.push(core(kind, span));
        self.tell_that_it_is_passed((span, condition.span), &passing, out);
    }

    /// Who goes through the rounds of a loop in which nobody does anything: all who know whether there is another one.
    /// What everybody can decide is the first single endpoint's.
    fn kept_by(&self, guard: &Guard, body: &[Core], within: Vec<Who>) -> Vec<Who> {
        let knowing = match is_left(body) {
            true => within,
            false => deciders(&[], guard),
        };
        match (knowing.is_empty(), self.single()) {
            (false, _) => knowing,
            (true, Some(single)) => vec![Who::One(single)],
            (true, None) => self
                .line
                .endpoints
                .iter()
                .copied()
                .map(Who::Family)
                .collect(),
        }
    }

    /// Locates a body until those who take part in the loop are those it was located for; they are the last of what is
    /// returned, for a loop that is left.
    fn settled(
        &mut self,
        name: Option<LocalId>,
        body: &Block,
        test: impl Fn(&mut Self, &[Core]) -> (Vec<Core>, Guard),
    ) -> (Vec<Core>, Guard, Vec<Core>, Vec<Who>) {
        let mut within = Vec::new();
        for _ in 0..MOST_ROUNDS {
            let mark = self.mark();
            let block = self.block(body, &within);
            let (before, guard) = test(self, &block);
            let mut all = of_all_rounds(participants(&block, &within), name);
            participants(&before, &[])
                .into_iter()
                .for_each(|who| add(&mut all, who));
            if all.is_empty() && name.is_none() {
                all = deciders(&block, &guard);
            }
            let same = all.len() == within.len() && all.iter().all(|who| within.contains(who));
            if same || !leaves(body) {
                return (before, guard, block, within);
            }
            self.back_to(mark);
            within.clone_from(&all);
        }
        unreachable!("participants of a loop only grow, and there are finitely many families");
    }

    pub(super) fn for_(
        &mut self,
        (name, domain, filter): (LocalId, &Domain, Option<&Expr>),
        body: &Block,
        span: Span,
        out: &mut Vec<Core>,
    ) {
        let elements = match domain {
            Domain::Type(_) => None,
            Domain::In(set) => Some(set),
        };
        let reads = self.reads(elements);
        let filter_reads = self.reads(filter);
        // A filter that reads endpoints is a choice in each round.
        let inner;
        let is_choice = |filter: &Expr| {
            !filter_reads.owners.is_empty() || !reads.owners.is_empty() || self.calls_out(filter)
        };
        let (body, filter) = match filter {
            Some(filter) if is_choice(filter) => {
                let kind = StmtKind::If(filter.clone(), body.clone(), Vec::new());
                self.undivided.push(filter.span);
                inner = vec![crate::terms::stmt(kind, filter.span)];
                (&inner, None)
            }
            other => (body, other.cloned()),
        };
        let (Some(elements), false) = (elements, reads.owners.is_empty()) else {
            self.everybody_evaluates(elements);
            let body = self.body(name, body);
            let (at, local, domain) = (None, name, domain.clone());
            let kind = CoreKind::For {
                at,
                local,
                domain,
                filter,
                body,
            };
            return out.push(core(kind, span));
        };
        let Some(at) = self.somebody(&reads.owners, &reads) else {
            return self.nobody(span);
        };
        self.elements_at(at, (name, elements), body, span, out);
    }

    /// A loop over elements that one endpoint has.
    fn elements_at(
        &mut self,
        owner: crate::owner::Owner,
        (name, elements): (LocalId, &Expr),
        block: &Block,
        span: Span,
        out: &mut Vec<Core>,
    ) {
        let set = self.fresh("elements", &elements.ty);
        self.located.insert(set, owner.clone());
        self.bring(&owner, elements, span, out, |value| {
            StmtKind::Let(set, value)
        });
        let mark = self.mark();
        self.located.insert(name, owner.clone());
        let body = self.body(name, block);
        let domain = Domain::In(local(set, &elements.ty));
        let alone = of_all_rounds(participants(&body, &[]), Some(name))
            .iter()
            .all(|who| *who == Who::One(owner.clone()));
        let (at, body) = if alone {
            (Some(owner), body)
        } else {
            self.back_to(mark);
            let body = self.body(name, block);
            let taking = of_all_rounds(participants(&body, &[]), Some(name));
            self.tell(owner, set, taking, "elements", span, out);
            (None, body)
        };
        let kind = CoreKind::For {
            at,
            local: name,
            domain,
            filter: None,
            body,
        };
        out.push(core(kind, span));
    }

    fn body(&mut self, name: LocalId, body: &Block) -> Vec<Core> {
        let everybody =
            |_: &mut Self, _: &[Core]| (Vec::new(), Guard::Common(crate::terms::truth(true)));
        self.settled(Some(name), body, everybody).2
    }
}

/// Those who take part in some round: whoever the loop's own name selects may be anybody.
fn of_all_rounds(taking: Vec<Who>, name: Option<LocalId>) -> Vec<Who> {
    let mut all = Vec::new();
    for who in taking {
        let is_selected = match (&who, name) {
            (Who::One(owner), Some(name)) => owner.locals().contains(&name),
            _ => false,
        };
        match is_selected {
            true => add(&mut all, Who::Family(who.family())),
            false => add(&mut all, who),
        }
    }
    all
}

/// The loops of a song's choreographies that are shown to end.
pub(super) fn ending(song: &Song) -> BTreeSet<Span> {
    struct Ending(BTreeSet<Span>);
    impl Visit for Ending {
        fn stmt(&mut self, one: &Stmt) {
            if let StmtKind::While(_, clauses, _) = &one.kind
                && !clauses.decreases.is_empty()
            {
                self.0.insert(one.span);
            }
            walk::stmt(self, one);
        }
    }
    let mut ending = Ending(BTreeSet::new());
    let lines = song.lines.iter().flat_map(|line| &line.code.body);
    lines.for_each(|one| ending.stmt(one));
    ending.0
}

/// Is there a `break` or `continue` of this loop in its body?
pub(crate) fn leaves(body: &[Stmt]) -> bool {
    struct Leaves(bool);
    impl Visit for Leaves {
        fn stmt(&mut self, one: &Stmt) {
            match one.kind {
                StmtKind::Break | StmtKind::Continue => self.0 = true,
                StmtKind::While(..) | StmtKind::For { .. } => {}
                _ => walk::stmt(self, one),
            }
        }
    }
    let mut leaves = Leaves(false);
    body.iter().for_each(|one| leaves.stmt(one));
    leaves.0
}

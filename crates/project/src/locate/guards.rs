//! Knowledge of choice, and the projection of `if`: who decides a condition, and who has to be told.
//!
//! Rule. A condition whose conjuncts each read one endpoint is decided by each of these alone (that
//! they agree is the obligation *unanimity*, for the prover); a conjunct about every member of a family, beside one
//! of a single endpoint, by each member (which conditions are taken apart like this is said in
//! [`plainsong_ir::unanimity`], for all). Whoever acts in a branch and has no
//! conjunct is told by one who has. A condition with a conjunct that nobody can evaluate alone is
//! decided by one endpoint, which is brought what it needs and tells all who act.
//!
//! Why one decides. The alternative is that everybody is brought everything and evaluates the same
//! term. With `f(r)` values foreign to `r`, that costs the sum of `f(r)` over those who act, each
//! at least 1 since the condition reads two endpoints; deciding costs `f(d)` and one message for
//! each of the others, which is never more.
//!
//! A conjunct that can fail and stands behind one of somebody else's is not evaluated on its own
//! (the line would not evaluate it when the first is false): such a condition has one decider, too.
//!
//! Telling goes to those who take part only, so a choice among some costs the others nothing.

use super::choices::known;
use super::fixes::{Around, Decision};
use super::{Locate, core};
use crate::codes::{MIXED_GUARD, UNINFORMED_ENDPOINT};
use crate::core::{Core, CoreKind, Guard, Told};
use crate::owner::{Owner, Who};
use crate::participants::{add, participants, told_once};
use crate::terms::{all, conjuncts, equal, expr, int, is_total};
use plainsong_diagnostics::{Fix, Span};
use plainsong_ir::unanimity::{FamilyPart, family_part};
use plainsong_ir::visit::{VisitMut, free_locals};
use plainsong_ir::{Block, Expr, ExprKind, LocalId, Pattern, PatternKind, StmtKind, Ty};

/// A condition taken apart.
struct Parts {
    /// Each owner with its conjuncts and those that everybody can evaluate, in order.
    groups: Vec<(Owner, Vec<Expr>)>,
    /// Families whose members decide for themselves, with all that a member evaluates.
    each: Vec<FamilyPart>,
    /// Everybody whom it reads and can be named.
    named: Vec<Owner>,
    /// Is there a conjunct that nobody can evaluate alone?
    mixed: bool,
    /// How many endpoints it reads.
    reads: usize,
}

impl Locate<'_> {
    pub(super) fn if_(
        &mut self,
        condition: &Expr,
        then: &Block,
        otherwise: &Block,
        span: Span,
        within: &[Who],
        out: &mut Vec<Core>,
    ) {
        if let [only] = &otherwise[..] {
            self.behind_else.push(only.span);
        }
        let then = self.block(then, within);
        let otherwise = self.block(otherwise, within);
        let mut taking = participants(&then, within);
        for who in participants(&otherwise, within) {
            add(&mut taking, who);
        }
        let has_place =
            !self.behind_else.contains(&span) && !self.undivided.contains(&condition.span);
        self.around = has_place.then_some(Around {
            span,
            is_loop: false,
        });
        let guard = self.guard(condition, taking, "branch", out);
        out.push(core(CoreKind::If(guard, then, otherwise), span));
    }

    /// How those who take part know whether `condition` holds; what has to be sent for that is
    /// added to `out`.
    pub(super) fn guard(
        &mut self,
        condition: &Expr,
        mut taking: Vec<Who>,
        name: &str,
        out: &mut Vec<Core>,
    ) -> Guard {
        let span = condition.span;
        let parts = self.parts(condition);
        if parts.reads == 0 {
            self.paper_rule(span, "the condition has no conjunct of any endpoint");
            if self.calls_out(condition) {
                return self.asked_by_the_only_one(condition, &taking);
            }
            return Guard::Common(condition.clone());
        }
        self.every_endpoint(&parts, span);
        let is_split = parts.groups.len() + parts.each.len() > 1 && self.options.decide;
        if parts.mixed || is_split {
            if name == "round" {
                // Who sends for every test has to know how many tests there are.
                parts
                    .named
                    .iter()
                    .for_each(|owner| add(&mut taking, Who::One(owner.clone())));
                self.gathered(condition, &mut taking);
            }
            return self.centralised(condition, &parts, taking, name, out);
        }
        let is_owner = |who: &Who| match who {
            Who::One(owner) if parts.groups.iter().any(|(other, _)| other == owner) => true,
            who => parts.each.iter().any(|part| part.family == who.family()),
        };
        let uninformed: Vec<Who> = taking
            .iter()
            .filter(|who| !is_owner(who))
            .cloned()
            .collect();
        let is_told = |owner: &Owner| uninformed.iter().any(|who| who.family() == owner.family);
        let group = |(owner, parts): &(Owner, Vec<Expr>)| (owner.clone(), all(parts.clone()));
        if parts.groups.iter().all(|(owner, _)| !is_told(owner)) && uninformed.is_empty() {
            let own = parts.groups.iter().map(group).collect();
            let (each, told) = (parts.each, None);
            return Guard::Known { own, each, told };
        }
        if parts.groups.is_empty() {
            // Members of the family know, but none of them is named that could tell others.
            self.nobody(span);
            return Guard::Common(condition.clone());
        }
        let single = parts
            .groups
            .iter()
            .find(|(owner, _)| owner.index.is_empty());
        let (decider, conjunct) = group(single.unwrap_or(&parts.groups[0]));
        let mut to = uninformed.clone();
        let others = parts.groups.iter().filter(|(owner, _)| *owner != decider);
        let (told, own): (Vec<_>, Vec<_>) = others
            .map(group)
            .partition(|(owner, _)| is_told(owner) || owner.family == decider.family);
        told.into_iter()
            .for_each(|(owner, _)| to.push(Who::One(owner)));
        let fix = self.fix_condition(&Decision {
            condition,
            decider: &decider,
            value: &conjunct,
            told: &uninformed,
            stays: true,
        });
        let told = self.computed(&decider, &conjunct, to, name, span, out);
        self.uninformed(&uninformed, &decider, span, fix);
        Guard::Known {
            own,
            each: parts.each,
            told: Some(told),
        }
    }

    fn parts(&mut self, condition: &Expr) -> Parts {
        let mut parts = Parts {
            groups: Vec::new(),
            each: Vec::new(),
            named: Vec::new(),
            mixed: false,
            reads: 0,
        };
        let mut common: Vec<Expr> = Vec::new();
        for part in conjuncts(condition) {
            let reads = self.reads([part]);
            parts.reads += reads.owners.len();
            match &reads.owners[..] {
                [] => {
                    let message = "this names no endpoint: everybody who takes part evaluates it";
                    if conjuncts(condition).len() > 1 {
                        self.paper_rule(part.span, message);
                    }
                    common.push(part.clone());
                    parts
                        .groups
                        .iter_mut()
                        .for_each(|(_, own)| own.push(part.clone()));
                    for each in &mut parts.each {
                        each.body = all(vec![each.body.clone(), part.clone()]);
                    }
                }
                [owner] if !reads.gathers => {
                    let others = parts.groups.iter().any(|(other, _)| other != owner);
                    let others = others || !parts.each.is_empty();
                    parts.mixed |= others && !is_total(part);
                    match parts.groups.iter_mut().find(|(other, _)| other == owner) {
                        Some((_, own)) => own.push(part.clone()),
                        None => {
                            let own = [&common[..], std::slice::from_ref(part)].concat();
                            parts.groups.push((owner.clone(), own));
                        }
                    }
                }
                _ => match self.family_part(part) {
                    Some(each) => {
                        let body = [&common[..], &[each.body]].concat();
                        let body = all(body);
                        parts.each.push(FamilyPart { body, ..each });
                    }
                    None => parts.mixed = true,
                },
            }
            for owner in reads.owners {
                let is_named = !reads.gathers || owner.index.is_empty();
                if is_named && !parts.named.contains(&owner) {
                    parts.named.push(owner);
                }
            }
        }
        // What is not proved to be unanimous is not divided.
        let divides = parts.groups.len() > 1 || !parts.each.is_empty();
        if divides {
            self.everybody_evaluates(&common);
        }
        let is_shown = self.owners.divides(condition) && !self.undivided.contains(&condition.span);
        parts.mixed |= divides && !is_shown;
        parts
    }

    /// A part of a whole family, in names that everybody knows.
    fn family_part(&self, part: &Expr) -> Option<FamilyPart> {
        let is_common = |local: &LocalId| !self.located.contains_key(local);
        family_part(part).filter(|_| free_locals(part).iter().all(is_common))
    }

    /// One endpoint evaluates the whole condition and tells the others.
    fn centralised(
        &mut self,
        condition: &Expr,
        parts: &Parts,
        taking: Vec<Who>,
        name: &str,
        out: &mut Vec<Core>,
    ) -> Guard {
        let span = condition.span;
        let acting = taking.iter().filter_map(|who| match who {
            Who::One(owner) => Some(owner.clone()),
            Who::Family(_) => None,
        });
        let candidates = parts
            .named
            .iter()
            .cloned()
            .chain(acting)
            .chain(self.single());
        let cost = |owner: &Owner| {
            let foreign = parts.named.iter().filter(|other| *other != owner).count();
            let others = taking.iter().filter(|who| **who != Who::One(owner.clone()));
            foreign + others.count()
        };
        let Some(decider) = candidates.min_by_key(cost) else {
            self.nobody(span);
            return Guard::Common(condition.clone());
        };
        let to = taking
            .into_iter()
            .filter(|who| *who != Who::One(decider.clone()));
        let to: Vec<Who> = to.collect();
        let before = self.messages.len();
        let fix = self.fix_condition(&Decision {
            condition,
            decider: &decider,
            value: condition,
            told: &to,
            stays: false,
        });
        let told = self.computed(&decider, condition, to, name, span, out);
        let messages = self.messages.len() - before;
        let who = self.name_of(&decider);
        let message = "no endpoint can evaluate this alone".to_owned();
        let help = format!("projection lets `{who}` decide, with {messages} added messages");
        self.problems.retain(|problem| {
            problem.primary.span != span || problem.code.name != crate::codes::MIXED_ENDPOINTS.name
        });
        self.repair(&MIXED_GUARD, span, message, help);
        if let Some(problem) = self.problems.last_mut() {
            problem.fix = fix;
        }
        known(told)
    }

    /// `decider` evaluates `value` into a local and tells it to others.
    pub(super) fn computed(
        &mut self,
        decider: &Owner,
        value: &Expr,
        to: Vec<Who>,
        name: &str,
        span: Span,
        out: &mut Vec<Core>,
    ) -> Told {
        let local = self.fresh(name, &value.ty);
        self.located.insert(local, decider.clone());
        self.bring(decider, value, span, out, |value| {
            StmtKind::Let(local, value)
        });
        self.told(decider.clone(), local, to, name, span, out)
    }

    fn told(
        &mut self,
        at: Owner,
        local: LocalId,
        to: Vec<Who>,
        name: &str,
        span: Span,
        out: &mut Vec<Core>,
    ) -> Told {
        let ty = self.locals[local.index()].ty.clone();
        let to = told_once(to);
        self.added += to.len();
        let each = to.iter().map(|who| (who.clone(), self.message(name, &ty)));
        let each: Vec<_> = each.collect();
        if !each.is_empty() {
            let from = at.clone();
            out.push(core(
                CoreKind::Tell {
                    from,
                    to: each,
                    local,
                },
                span,
            ));
        }
        Told { local, at, to }
    }

    /// Tells the others of `taking` the value of a truth value of `at`.
    pub(super) fn tell(
        &mut self,
        at: Owner,
        local: LocalId,
        taking: Vec<Who>,
        name: &str,
        span: Span,
        out: &mut Vec<Core>,
    ) -> Guard {
        let others = taking
            .into_iter()
            .filter(|who| *who != Who::One(at.clone()));
        let others: Vec<Who> = others.collect();
        let told = self.told(at.clone(), local, others.clone(), name, span, out);
        self.uninformed(&others, &at, span, None);
        known(told)
    }

    fn uninformed(&mut self, who: &[Who], decider: &Owner, span: Span, fix: Option<Fix>) {
        if who.is_empty() {
            return;
        }
        let names = who.iter().map(|who| match who {
            Who::One(owner) => format!("`{}`", self.name_of(owner)),
            Who::Family(family) => {
                format!("every `{}`", self.song.families[family.index()].name)
            }
        });
        let names = names.collect::<Vec<_>>().join(", ");
        let decider = self.name_of(decider);
        let verb = if who.len() == 1 { "acts" } else { "act" };
        let message = format!("{names} {verb} here without knowing which way `{decider}` goes");
        let help = format!("projection lets `{decider}` tell {names}");
        self.repair(&UNINFORMED_ENDPOINT, span, message, help);
        if let Some(problem) = self.problems.last_mut() {
            problem.fix = fix;
        }
    }

    /// Literally, every condition has a conjunct for everybody.
    fn every_endpoint(&mut self, parts: &Parts, span: Span) {
        let missing = self.line.endpoints.iter().find(|id| {
            parts.groups.iter().all(|(owner, _)| owner.family != **id)
                && parts.each.iter().all(|part| part.family != **id)
        });
        if let Some(id) = missing {
            let name = &self.song.families[id.index()].name;
            let message = format!("the condition has no conjunct of `{name}`");
            self.paper_rule(span, &message);
        }
    }

    /// Every member of a family from which the condition gathers.
    fn gathered(&mut self, condition: &Expr, taking: &mut Vec<Who>) {
        let reads = self.reads([condition]);
        let families = reads
            .owners
            .iter()
            .filter(|owner| !owner.index.is_empty() && reads.gathers);
        families.for_each(|owner| add(taking, Who::Family(owner.family)));
    }

    pub(super) fn match_(
        &mut self,
        scrutinee: &Expr,
        arms: &[(Pattern, Block)],
        span: Span,
        within: &[Who],
        out: &mut Vec<Core>,
    ) {
        let reads = self.reads([scrutinee]);
        let at = match reads.owners.is_empty() {
            true => {
                self.everybody_evaluates([scrutinee]);
                None
            }
            false => match self.somebody(&reads.owners, &reads) {
                Some(owner) => Some(owner),
                None => return self.nobody(span),
            },
        };
        let mut located = Vec::new();
        let mut taking = Vec::new();
        for (pattern, block) in arms {
            self.names_in(pattern, at.as_ref());
            let block = self.block(block, within);
            participants(&block, within)
                .into_iter()
                .for_each(|who| add(&mut taking, who));
            located.push((pattern.clone(), block));
        }
        let (mut scrutinee, mut told) = (scrutinee.clone(), None);
        if let Some(at) = &at {
            if reads.gathers || !reads.others(at).is_empty() {
                let value = self.fresh("subject", &scrutinee.ty);
                self.located.insert(value, at.clone());
                self.bring(at, &scrutinee, span, out, |brought| {
                    StmtKind::Let(value, brought)
                });
                scrutinee = crate::terms::local(value, &scrutinee.ty);
            }
            let others = taking
                .into_iter()
                .filter(|who| *who != Who::One(at.clone()));
            let others: Vec<Who> = others.collect();
            if !others.is_empty() {
                let number = number_of_arm(&scrutinee, arms);
                self.uninformed(&others, at, span, None);
                told = Some(self.computed(at, &number, others, "arm", span, out));
            }
        }
        let arms = located;
        out.push(core(
            CoreKind::Match {
                at,
                scrutinee,
                arms,
                told,
            },
            span,
        ));
    }

    fn names_in(&mut self, pattern: &Pattern, at: Option<&Owner>) {
        struct Names(Vec<LocalId>);
        impl plainsong_ir::visit::Visit for Names {
            fn binds(&mut self, local: &LocalId) {
                self.0.push(*local);
            }
        }
        let mut names = Names(Vec::new());
        plainsong_ir::visit::Visit::pattern(&mut names, pattern);
        if let Some(at) = at {
            names.0.into_iter().for_each(|name| {
                self.located.insert(name, at.clone());
            });
        }
    }
}

/// Which arm is taken, counted from 0.
fn number_of_arm(scrutinee: &Expr, arms: &[(Pattern, Block)]) -> Expr {
    struct Wild;
    impl VisitMut for Wild {
        fn pattern(&mut self, pattern: &mut Pattern) {
            if let PatternKind::Bind(_) = pattern.kind {
                pattern.kind = PatternKind::Wild;
            }
            plainsong_ir::visit::walk_mut::pattern(self, pattern);
        }
    }
    let arms = arms.iter().enumerate().map(|(at, (pattern, _))| {
        let mut pattern = pattern.clone();
        Wild.pattern(&mut pattern);
        (pattern, int(at as i64))
    });
    let kind = ExprKind::Match(Box::new(scrutinee.clone()), arms.collect());
    expr(kind, Ty::Int, scrutinee.span)
}

/// `local == n`
pub(crate) fn is_arm(local: Expr, number: usize) -> Expr {
    equal(local, int(number as i64))
}

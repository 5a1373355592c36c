//! From the located program to the code of one process family.
//!
//! Every statement is kept by those who take part in it and dropped by the others. A single endpoint
//! takes part or not, which the text decides. A member of a family takes part when the indices in
//! the text are its own, which is a condition on names that never change: `if n == me { … }`. A loop
//! whose whole body stands under such a condition on its own variable is replaced by that one round.
//!
//! Order is kept: each process does what is its own in the order of the line. That is what makes the
//! voices free of deadlock (the earliest statement that somebody has not finished can be gone on
//! with) and their result the line's (each link has one sender and one receiver, and receives name
//! the sender).

mod conditions;
mod obtain;
mod settle;
mod simplify;
mod tell;

use crate::core::{Core, CoreKind, Guard};
use crate::locate::is_arm;
use crate::owner::Owner;
use crate::participants::is_left;
use crate::terms::{all, conjuncts, default_of, expr, local, not, some, stmt, truth, unwrap};
use conditions::When;
use plainsong_diagnostics::Span;
use plainsong_ir::visit::{VisitMut, any_expr, free_locals, walk_mut};
use plainsong_ir::{
    Block, Body, Choice, ConstId, Expr, ExprKind, FamilyId, Local, LocalId, LoopClauses, Measures,
    Pattern, PatternKind, Place, Process, Root, Song, Stmt, StmtKind, Ty,
};
use std::collections::BTreeMap;

/// What all voices are made from.
pub(crate) struct Score<'a> {
    pub(crate) song: &'a Song,
    /// The locals of the located program.
    pub(crate) locals: &'a [Local],
    /// The constants that the line's parameters became, by position.
    pub(crate) parameters: &'a [ConstId],
    /// The families of the voices, by the line's.
    pub(crate) families: &'a BTreeMap<FamilyId, FamilyId>,
    /// The new families, to look up their indices.
    pub(crate) body: &'a [Core],
}

/// The process of one family.
pub(crate) fn voice(score: &Score<'_>, family: FamilyId) -> Process {
    let decl = &score.song.families[family.index()];
    let indices = decl.index.iter().map(|binder| Local {
        name: binder.name.clone(),
        ty: binder.ty.clone(),
        mutable: false,
        span: decl.span,
    });
    let mut voice = Voice {
        score,
        family,
        locals: indices.collect(),
        names: BTreeMap::new(),
        facts: Vec::new(),
    };
    let body = voice.block(score.body);
    let mut body = simplify::without_unread_variables(simplify::tidy(body));
    for at in 0..voice.locals.len() {
        voice.locals[at].mutable &= settle::is_assigned(LocalId::from(at), &body);
    }
    // A `var` in front would be read as a state variable.
    if let Some(StmtKind::Let(local, _)) = body.first().map(|one| &one.kind)
        && voice.locals[local.index()].mutable
    {
        body.insert(0, stmt(StmtKind::Assert(truth(true)), Span::default()));
    }
    let locals = bound_only(decl.index.len(), &voice.locals, &mut body);
    Process {
        family: score.families[&family],
        daemon: false,
        fairness: None,
        locals,
        measures: Measures::default(),
        order: Default::default(),
        body: Body::Sequential(body),
    }
}

/// The rows of the indices and of the names that are still bound, in reading order.
fn bound_only(indices: usize, locals: &[Local], body: &mut Block) -> Vec<Local> {
    struct Renumber<'a> {
        old: &'a [Local],
        new: Vec<Local>,
        numbers: BTreeMap<LocalId, LocalId>,
    }
    impl VisitMut for Renumber<'_> {
        fn binds(&mut self, local: &mut LocalId) {
            self.new.push(self.old[local.index()].clone());
            let new = LocalId::from(self.new.len() - 1);
            self.numbers.insert(*local, new);
            *local = new;
        }

        fn uses(&mut self, local: &mut LocalId) {
            *local = self.numbers.get(local).copied().unwrap_or(*local);
        }
    }
    let mut renumber = Renumber {
        old: locals,
        new: locals[..indices].to_vec(),
        numbers: BTreeMap::new(),
    };
    renumber.block(body);
    renumber.new
}

struct Voice<'a> {
    score: &'a Score<'a>,
    family: FamilyId,
    locals: Vec<Local>,
    /// What the locals of the located program are here; a *wrapped* one is an option, since not
    /// every member has it.
    names: BTreeMap<LocalId, (LocalId, bool)>,
    /// Conditions on indices that hold here.
    facts: Vec<Expr>,
}

impl Voice<'_> {
    fn block(&mut self, block: &[Core]) -> Block {
        let mut out = Vec::new();
        for core in block {
            self.core(core, &mut out);
        }
        out
    }

    fn core(&mut self, core: &Core, out: &mut Block) {
        let span = core.span;
        match &core.kind {
            CoreKind::Do { at: None, stmt, .. } => {
                let stmt = self.stmt(stmt);
                out.push(stmt);
            }
            CoreKind::Do {
                at: Some(at), stmt, ..
            } => self.do_at(at, stmt, out),
            CoreKind::Obtain { to, items, then } => self.obtain(to, items, then, out),
            CoreKind::Gather(gather) => self.gather(gather, out),
            CoreKind::Tell { from, to, local } => self.tell(from, to, *local, out),
            CoreKind::If(guard, then, otherwise) => self.if_(guard, then, otherwise, span, out),
            CoreKind::While { .. } => self.while_(core, out),
            CoreKind::For { at, .. } => {
                let when = at.as_ref().map_or(When::Always, |at| self.when(at));
                self.under(when, out, |voice, out| voice.for_(core, out));
            }
            CoreKind::Match { .. } => self.match_(core, out),
            CoreKind::Maybe(at, then, otherwise) => {
                let when = self.when(at);
                self.under(when, out, |voice, out| {
                    let kind = StmtKind::Maybe(voice.block(then), voice.block(otherwise));
                    out.push(stmt(kind, span));
                });
            }
            CoreKind::Break => out.push(stmt(StmtKind::Break, span)),
            CoreKind::Continue => out.push(stmt(StmtKind::Continue, span)),
        }
    }

    fn do_at(&mut self, at: &Owner, one: &Stmt, out: &mut Block) {
        match self.when(at) {
            When::Never => {}
            When::Always => {
                let one = self.stmt(one);
                out.push(one);
            }
            When::If(condition) => {
                let one = self.kept(one, out);
                simplify::push_under(out, condition, vec![one]);
            }
        }
    }

    /// A statement as it is here, where a name that it binds is declared before, for everybody.
    fn kept(&mut self, one: &Stmt, out: &mut Block) -> Stmt {
        let span = one.span;
        match &one.kind {
            StmtKind::Let(name, value) => {
                let value = self.expr(value);
                let place = self.declare(*name, span, out);
                stmt(StmtKind::Assign(place, self.wrap(*name, value)), span)
            }
            StmtKind::LetChoice(choice) => {
                let place = self.declare(choice.local, span, out);
                self.store(one, choice.local, place)
            }
            _ => self.stmt(one),
        }
    }

    /// `if true { let new_x = choose … where new_x > x; x = new_x; }`: in a process the candidate is called like the
    /// variable that is assigned, and hides it.
    fn chosen_apart(&mut self, place: Place, choice: Choice, span: Span) -> Stmt {
        let row = &mut self.locals[choice.local.index()];
        row.name = format!("new_{}", row.name);
        let value = local(choice.local, &row.ty.clone());
        let block = vec![
            stmt(StmtKind::LetChoice(choice), span),
            stmt(StmtKind::Assign(place, value), span),
        ];
        stmt(StmtKind::If(truth(true), block, Vec::new()), span)
    }

    /// `if true { let x = choose …; place = some(x); }`
    fn chosen_into(&mut self, place: Place, choice: Choice, span: Span) -> Stmt {
        let value = local(choice.local, &self.locals[choice.local.index()].ty.clone());
        let block = vec![
            stmt(StmtKind::LetChoice(choice), span),
            stmt(StmtKind::Assign(place, some(value)), span),
        ];
        stmt(StmtKind::If(truth(true), block, Vec::new()), span)
    }

    /// A mutable local for what only some members have, with a value nobody reads.
    fn declare(&mut self, name: LocalId, span: Span, out: &mut Block) -> Place {
        let row = &self.score.locals[name.index()];
        let song = self.score.song;
        let mut added = Vec::new();
        let base = self.locals.len() + 1;
        let default = default_of(song, &row.ty, &mut |key, ty| {
            added.push((key.to_owned(), ty.clone()));
            LocalId::from(base + added.len() - 1)
        });
        let (ty, value) = match default {
            Some(value) => (row.ty.clone(), value),
            None => {
                let ty = Ty::Option(Box::new(row.ty.clone()));
                (ty.clone(), expr(ExprKind::None, ty, span))
            }
        };
        let is_wrapped = ty != row.ty;
        let id = self.add(&row.name, &ty, true);
        for (key, ty) in added {
            self.add(&key, &ty, false);
        }
        self.names.insert(name, (id, is_wrapped));
        out.push(stmt(StmtKind::Let(id, value), span));
        Place {
            root: Root::Local(id),
            path: Vec::new(),
            span,
        }
    }

    fn wrap(&self, name: LocalId, value: Expr) -> Expr {
        match self.names.get(&name) {
            Some((_, true)) => some(value),
            _ => value,
        }
    }

    fn add(&mut self, name: &str, ty: &Ty, mutable: bool) -> LocalId {
        self.locals.push(Local {
            name: name.to_owned(),
            ty: ty.clone(),
            mutable,
            span: Span::default(),
        });
        LocalId::from(self.locals.len() - 1)
    }

    /// A new row like the one of the located program.
    fn plain(&mut self, name: LocalId) -> LocalId {
        let row = self.score.locals[name.index()].clone();
        self.add(&row.name, &row.ty, false)
    }

    /// Binds a local of the located program here.
    fn bind(&mut self, name: LocalId) -> LocalId {
        let id = self.plain(name);
        self.names.insert(name, (id, false));
        id
    }

    fn if_(
        &mut self,
        guard: &Guard,
        then: &[Core],
        otherwise: &[Core],
        span: Span,
        out: &mut Block,
    ) {
        let Some((when, condition)) = self.guard(guard) else {
            return;
        };
        self.under(when, out, |voice, out| {
            let (then, otherwise) = (voice.block(then), voice.block(otherwise));
            if simplify::is_idle(&then)
                && simplify::is_idle(&otherwise)
                && !simplify::leaves(&then)
                && !simplify::leaves(&otherwise)
            {
                return out.extend(simplify::evaluated(&condition));
            }
            let kind = match then.is_empty() {
                true => StmtKind::If(not(condition), otherwise, Vec::new()),
                false => StmtKind::If(condition, then, otherwise),
            };
            out.push(stmt(kind, span));
        });
    }

    fn while_(&mut self, core: &Core, out: &mut Block) {
        let CoreKind::While {
            before,
            guard,
            body,
            kept_by,
            ..
        } = &core.kind
        else {
            return;
        };
        let span = core.span;
        let is_kept = kept_by.iter().any(|who| who.family() == self.family);
        let is_left = is_left(body);
        if before.is_empty() {
            let Some((when, condition)) = self.guard(guard) else {
                return;
            };
            return self.under(when, out, |voice, out| {
                let body = voice.block(body);
                if is_kept || !simplify::does_nothing(&body, is_left) {
                    out.push(stmt(
                        StmtKind::While(condition, LoopClauses::default(), body),
                        span,
                    ));
                }
            });
        }
        let Some((when, _)) = self.region(guard) else {
            return;
        };
        self.under(when, out, |voice, out| {
            let mut round = voice.block(before);
            let Some((_, condition)) = voice.guard(guard) else {
                return;
            };
            let body = voice.block(body);
            let is_idle = simplify::is_idle(&round) && simplify::does_nothing(&body, is_left);
            if !is_kept && is_idle {
                return;
            }
            let leave = vec![stmt(StmtKind::Break, span)];
            round.push(stmt(StmtKind::If(not(condition), leave, Vec::new()), span));
            round.extend(body);
            out.push(stmt(
                StmtKind::While(truth(true), LoopClauses::default(), round),
                span,
            ));
        });
    }

    fn for_(&mut self, core: &Core, out: &mut Block) {
        let CoreKind::For {
            local,
            domain,
            filter,
            body,
            ..
        } = &core.kind
        else {
            return;
        };
        // A loop over something nobody here was told has no body here either.
        if let plainsong_ir::Domain::In(set) = domain
            && !self.knows(set)
        {
            return;
        }
        let mark = self.locals.len();
        let name = self.bind(*local);
        let is_left = is_left(body);
        let body = self.block(body);
        if simplify::does_nothing(&body, is_left) {
            self.locals.truncate(mark);
            return;
        }
        let domain = match domain {
            plainsong_ir::Domain::Type(ty) => plainsong_ir::Domain::Type(ty.clone()),
            plainsong_ir::Domain::In(set) => plainsong_ir::Domain::In(self.expr(set)),
        };
        let filter = filter.as_ref().map(|filter| self.expr(filter));
        simplify::for_each(name, domain, filter, body, core.span, &self.locals, out);
    }

    /// Are all names in an expression known here?
    fn knows(&self, of: &Expr) -> bool {
        let is_known = |name: &LocalId| {
            name.index() < self.score.parameters.len() || self.names.contains_key(name)
        };
        free_locals(of).iter().all(is_known)
    }

    fn match_(&mut self, core: &Core, out: &mut Block) {
        let CoreKind::Match {
            at,
            scrutinee,
            arms,
            told,
        } = &core.kind
        else {
            return;
        };
        let span = core.span;
        let when = at.as_ref().map_or(When::Always, |at| self.when(at));
        self.under(when, out, |voice, out| {
            let arms = arms.iter().map(|(pattern, block)| {
                let pattern = voice.pattern(pattern);
                (pattern, voice.block(block))
            });
            let arms: Vec<(Pattern, Block)> = arms.collect();
            if arms
                .iter()
                .all(|(_, block)| simplify::is_idle(block) && !simplify::leaves(block))
            {
                let scrutinee = voice.expr(scrutinee);
                return out.extend(simplify::evaluated(&scrutinee));
            }
            let scrutinee = voice.expr(scrutinee);
            out.push(stmt(StmtKind::Match(scrutinee, arms), span));
        });
        let Some(told) = told else {
            return;
        };
        let when = self.told_region(told);
        self.under(when, out, |voice, out| {
            let mut chain: Block = Vec::new();
            for (number, (_, block)) in arms.iter().enumerate().rev() {
                let block = voice.block(block);
                let number_here = voice.read(told.local);
                chain = match number + 1 == arms.len() {
                    true => block,
                    false => vec![stmt(
                        StmtKind::If(is_arm(number_here, number), block, chain),
                        span,
                    )],
                };
            }
            out.extend(chain);
        });
    }

    /// Who takes part under a guard and, for them, the condition.
    fn guard(&mut self, guard: &Guard) -> Option<(When, Expr)> {
        let (when, own) = self.region(guard)?;
        let condition = match (guard, own) {
            (Guard::Common(condition), _) => self.expr(condition),
            (_, Some(own)) => self.expr(&own),
            (Guard::Known { told, .. }, None) => self.read(told.as_ref()?.local),
        };
        Some((when, condition))
    }

    /// Who takes part under a guard, and by which conjunct if it is their own.
    fn region(&mut self, guard: &Guard) -> Option<(When, Option<Expr>)> {
        let Guard::Known { own, each, told } = guard else {
            return Some((When::Always, None));
        };
        if let Some(part) = each.iter().find(|part| part.family == self.family) {
            // The member that the part is about is this one.
            for (at, name) in part.member.iter().enumerate() {
                self.names.insert(*name, (LocalId::from(at), false));
            }
            return Some((When::Always, Some(part.body.clone())));
        }
        if let Some((owner, conjunct)) = own.iter().find(|(owner, _)| owner.family == self.family) {
            return Some((self.when(owner), Some(conjunct.clone())));
        }
        let told = told.as_ref()?;
        match (self.when(&told.at), self.told_region(told)) {
            (When::Never, When::Never) => None,
            (When::Never, when) | (when, When::Never) => Some((when, None)),
            (When::If(a), When::If(b)) => Some((When::If(crate::terms::either(a, b)), None)),
            _ => Some((When::Always, None)),
        }
    }

    /// The value of a local of the located program.
    fn read(&self, name: LocalId) -> Expr {
        let ty = self.score.locals[name.index()].ty.clone();
        self.read_as(name, &ty)
    }

    fn read_as(&self, name: LocalId, ty: &Ty) -> Expr {
        match self.names.get(&name) {
            Some((id, false)) => local(*id, ty),
            Some((id, true)) => unwrap(local(*id, &Ty::Option(Box::new(ty.clone()))), ty.clone()),
            None => local(name, ty),
        }
    }

    fn stmt(&mut self, one: &Stmt) -> Stmt {
        let kind = match &one.kind {
            StmtKind::Let(name, value) => {
                let value = self.expr(value);
                StmtKind::Let(self.bind(*name), value)
            }
            StmtKind::LetChoice(choice) => {
                let candidate = self.bind(choice.local);
                StmtKind::LetChoice(self.choice(choice, candidate))
            }
            StmtKind::Assign(place, value) => {
                let value = self.expr(value);
                StmtKind::Assign(self.place(place), value)
            }
            StmtKind::AssignChoice(place, choice) => {
                let place = self.place(place);
                let candidate = self.bind(choice.local);
                let choice = self.choice(choice, candidate);
                match reads_itself(&place, &choice) {
                    true => return self.chosen_apart(place, choice, one.span),
                    false => StmtKind::AssignChoice(place, choice),
                }
            }
            StmtKind::Assert(claim) => StmtKind::Assert(self.expr(claim)),
            StmtKind::Assume(claim) => StmtKind::Assume(self.expr(claim)),
            other => unreachable!("not a statement without parts: {other:?}"),
        };
        stmt(kind, one.span)
    }

    fn choice(&mut self, choice: &Choice, candidate: LocalId) -> Choice {
        let domain = match &choice.domain {
            plainsong_ir::Domain::Type(ty) => plainsong_ir::Domain::Type(ty.clone()),
            plainsong_ir::Domain::In(set) => plainsong_ir::Domain::In(self.expr(set)),
        };
        let filter = choice.filter.as_ref().map(|filter| self.expr(filter));
        Choice {
            local: candidate,
            domain,
            filter,
        }
    }

    fn place(&mut self, place: &Place) -> Place {
        let mut place = place.clone();
        for access in &mut place.path {
            if let plainsong_ir::Access::Index(index) = access {
                *index = self.expr(index);
            }
        }
        place.root = match place.root {
            Root::Of(_, _, var) => Root::Own(var),
            Root::Local(name) => Root::Local(self.names.get(&name).map_or(name, |row| row.0)),
            other => other,
        };
        place
    }

    fn pattern(&mut self, pattern: &Pattern) -> Pattern {
        let mut pattern = pattern.clone();
        Here { voice: self }.pattern(&mut pattern);
        pattern
    }

    /// An expression of the located program as it is written here, where its owner is `self`.
    fn expr(&mut self, of: &Expr) -> Expr {
        let mut of = of.clone();
        Here { voice: self }.expr(&mut of);
        of
    }

    /// Statements that only some members execute.
    fn under(&mut self, when: When, out: &mut Block, then: impl FnOnce(&mut Self, &mut Block)) {
        match when {
            When::Never => {}
            When::Always => then(self, out),
            When::If(condition) => {
                let known = self.facts.len();
                let parts = conjuncts(&condition).into_iter().cloned();
                self.facts.extend(parts);
                let mut inner = Vec::new();
                then(self, &mut inner);
                self.facts.truncate(known);
                if !inner.is_empty() {
                    simplify::push_under(out, condition, inner);
                }
            }
        }
    }
}

/// Rewrites names of the located program into those of one voice.
struct Here<'v, 'a> {
    voice: &'v mut Voice<'a>,
}

impl VisitMut for Here<'_, '_> {
    fn expr(&mut self, of: &mut Expr) {
        match &of.kind {
            ExprKind::Of(_, _, var) => {
                of.kind = ExprKind::Own(*var);
                return;
            }
            ExprKind::Local(name) => {
                let span = of.span;
                *of = match self.voice.score.parameters.get(name.index()) {
                    Some(id) => expr(ExprKind::Const(*id), of.ty.clone(), span),
                    None => self.voice.read_as(*name, &of.ty),
                };
                of.span = span;
                return;
            }
            ExprKind::Pid(family, _) => {
                let family = self.voice.score.families.get(family).copied();
                if let (Some(family), ExprKind::Pid(old, _)) = (family, &mut of.kind) {
                    *old = family;
                }
            }
            _ => {}
        }
        walk_mut::expr(self, of);
    }

    fn pattern(&mut self, pattern: &mut Pattern) {
        if let PatternKind::Pid(family, _) = &mut pattern.kind
            && let Some(new) = self.voice.score.families.get(family)
        {
            *family = *new;
        }
        walk_mut::pattern(self, pattern);
    }

    fn binds(&mut self, local: &mut LocalId) {
        *local = self.voice.bind(*local);
    }
}

/// All of a list.
pub(super) fn conjunction(parts: Vec<Expr>) -> Expr {
    all(parts)
}

/// Does the condition of a choice read the variable that is assigned?
fn reads_itself(place: &Place, choice: &Choice) -> bool {
    let reads = |of: &Expr| matches!((&of.kind, &place.root), (ExprKind::Own(var), Root::Own(own)) if var == own);
    choice.filter.iter().any(|filter| any_expr(filter, reads))
}

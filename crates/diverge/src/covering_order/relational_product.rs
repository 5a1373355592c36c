//! A handler run twice, side by side: with an earlier state and message, and with later ones that cover them.

use super::copies::Run::{self, Earlier, Later};
use super::copies::{Asked, Moved, Nowhere, Written, is_local};
use super::{Duty, text};
use crate::terms::{assign, both, equal, local, named, of, stmt, truth};
use plainsong_diagnostics::Span;
use plainsong_ir::covers::Pair;
use plainsong_ir::visit::{Visit, VisitMut};
use plainsong_ir::{
    BinOp, Block, Choice, Choreography, Code, Covers, Domain, Expr, ExprKind, Family, FamilyId,
    Handler, Local, LocalId, LoopClauses, MessageId, Pattern, PatternKind, Process, Song, Source,
    StartValue, StateVar, Stmt, StmtKind, Ty, VarId, Voices,
};

/// Writes a handler as a line in which it runs twice.
pub(super) struct Writer<'a> {
    song: &'a Song,
    voices: &'a Voices,
    process: &'a Process,
    family: &'a Family,
    handler: &'a Handler,
    /// Parameters, then the locals of the earlier run, those of the later one, and what is needed besides.
    locals: Vec<Local>,
    arity: usize,
    meanings: Vec<(Span, String)>,
    refused: Option<String>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        song: &'a Song,
        voices: &'a Voices,
        process: &'a Process,
        handler: &'a Handler,
    ) -> Self {
        let family = &song.families[process.family.index()];
        let fields = &voices.messages[handler.accept.message.index()].fields;
        let vars = || family.vars.iter().map(|var| (&var.name, &var.ty));
        let parts = || fields.iter().map(|field| (&field.name, &field.ty));
        let old = |(name, ty): (&String, &Ty)| named(&format!("old_{name}"), ty);
        let now = |(name, ty): (&String, &Ty)| named(name, ty);
        let mut locals: Vec<Local> = family.index.iter().map(|i| named(&i.name, &i.ty)).collect();
        locals.extend(vars().map(old));
        locals.extend(vars().map(now));
        locals.extend(parts().map(old));
        locals.extend(parts().map(now));
        let senders = senders(handler).into_iter();
        locals.extend(senders.map(|one| process.locals[one.index()].clone()));
        let arity = locals.len();
        locals.extend(process.locals.iter().cloned());
        locals.extend(process.locals.iter().cloned());
        Writer {
            song,
            voices,
            process,
            family,
            handler,
            locals,
            arity,
            meanings: Vec::new(),
            refused: None,
        }
    }

    pub(super) fn duty(mut self, name: &str) -> Result<Duty, String> {
        let mut body = self.assumed();
        body.extend(self.bound());
        if let Some(filter) = &self.handler.accept.filter {
            let words = text(self.song, self.process, filter);
            let why = format!("`{words}` may be false for what covers");
            body.extend(self.held(filter, filter.span, why));
        }
        body.extend(self.block(&self.handler.body));
        let span = self.handler.accept.span;
        body.extend(self.covered(span));
        self.means(
            span,
            "the state that it leaves may not cover the other".to_owned(),
        );
        if let Some(why) = self.refused {
            return Err(why);
        }
        let parameters = self.parameters();
        let mut song = self.song.clone();
        song.families.push(self.endpoint("earlier", Earlier));
        song.families.push(self.endpoint("later", Later));
        song.properties.clear();
        song.lines = vec![Choreography {
            name: "covers".to_owned(),
            endpoints: vec![self.me(Earlier), self.me(Later)],
            requires: Vec::new(),
            ensures: Vec::new(),
            code: Code {
                arity: self.arity,
                locals: self.locals,
                body,
            },
            kind: Default::default(),
            span,
        }];
        Ok(Duty {
            handler: name.to_owned(),
            parameters,
            song,
            meanings: self.meanings,
        })
    }

    fn me(&self, run: Run) -> FamilyId {
        let first = self.song.families.len();
        FamilyId::from(match run {
            Earlier => first,
            Later => first + 1,
        })
    }

    /// An endpoint with the variables of the process as they are in one run.
    fn endpoint(&self, name: &str, run: Run) -> Family {
        let vars = self.family.vars.iter().enumerate();
        let var = |(at, var): (usize, &StateVar)| StateVar {
            name: var.name.clone(),
            ty: var.ty.clone(),
            start: StartValue::Value(self.var(run, at)),
            locals: self.locals[..self.arity].to_vec(),
            durable: false,
            is_input: false,
            span: Span::default(),
        };
        Family {
            name: name.to_owned(),
            index: Vec::new(),
            vars: vars.map(var).collect(),
            span: Span::default(),
        }
    }

    // ----- parameters -----

    /// The parameters as the song names them.
    fn parameters(&self) -> Vec<String> {
        let names = |run: Run, locals: &mut dyn Iterator<Item = &String>| -> Vec<String> {
            locals
                .map(|name| match run {
                    Earlier => format!("old({name})"),
                    Later => name.clone(),
                })
                .collect()
        };
        let message = &self.voices.messages[self.handler.accept.message.index()];
        let mut all = names(Later, &mut self.family.index.iter().map(|one| &one.name));
        for run in [Earlier, Later] {
            all.extend(names(
                run,
                &mut self.family.vars.iter().map(|one| &one.name),
            ));
        }
        for run in [Earlier, Later] {
            all.extend(names(run, &mut message.fields.iter().map(|one| &one.name)));
        }
        let senders = senders(self.handler).into_iter();
        all.extend(senders.map(|one| self.process.locals[one.index()].name.clone()));
        all
    }

    fn local(&self, at: usize) -> Expr {
        local(LocalId::from(at), &self.locals[at].ty)
    }

    /// A variable at the beginning.
    fn var(&self, run: Run, at: usize) -> Expr {
        let first = self.family.index.len();
        self.local(match run {
            Earlier => first + at,
            Later => first + self.family.vars.len() + at,
        })
    }

    fn fields(&self) -> usize {
        let message = self.handler.accept.message;
        self.voices.messages[message.index()].fields.len()
    }

    /// A part of the message that is taken.
    fn field(&self, run: Run, at: usize) -> Expr {
        let first = self.family.index.len() + 2 * self.family.vars.len();
        self.local(match run {
            Earlier => first + at,
            Later => first + self.fields() + at,
        })
    }

    fn indices(&self) -> Vec<Expr> {
        (0..self.family.index.len())
            .map(|at| self.local(at))
            .collect()
    }

    // ----- covering -----

    /// Makes the locals that an order binds locals of the line.
    fn adopt(&mut self, order: &Covers, mut pair: Pair) -> Pair {
        pair.first = self.locals.len();
        let inner = order.inner(&pair).to_vec();
        self.locals.extend(inner);
        pair
    }

    /// That the later state covers the earlier one, whatever stands for their variables.
    fn state(&mut self, before: Vec<Expr>, now: Vec<Expr>) -> Vec<Expr> {
        let process = self.process;
        let pair = Pair {
            names: self.indices(),
            before,
            now,
            own: true,
            first: 0,
        };
        let pair = self.adopt(&process.order, pair);
        process.order.holds(&pair)
    }

    fn message(&mut self, message: MessageId, before: Vec<Expr>, now: Vec<Expr>) -> Vec<Expr> {
        let order = &self.voices.messages[message.index()].order;
        let pair = Pair {
            names: Vec::new(),
            before,
            now,
            own: false,
            first: 0,
        };
        let pair = self.adopt(order, pair);
        order.holds(&pair)
    }

    /// The later ones cover the earlier ones at the beginning.
    fn assumed(&mut self) -> Block {
        let vars = self.family.vars.len();
        let of = |run| (0..vars).map(move |at| (run, at));
        let before = of(Earlier).map(|(run, at)| self.var(run, at)).collect();
        let now = of(Later).map(|(run, at)| self.var(run, at)).collect();
        let mut all = self.state(before, now);
        let fields = self.fields();
        let before = (0..fields).map(|at| self.field(Earlier, at)).collect();
        let now = (0..fields).map(|at| self.field(Later, at)).collect();
        all.extend(self.message(self.handler.accept.message, before, now));
        let all = all.into_iter().map(|mut one| {
            Nowhere.expr(&mut one);
            stmt(StmtKind::Assume(one))
        });
        all.collect()
    }

    /// That the states as they are now cover each other, to be shown.
    fn covered(&mut self, span: Span) -> Block {
        self.covering_now()
            .into_iter()
            .map(|one| asserted(one, span))
            .collect()
    }

    fn covering_now(&mut self) -> Vec<Expr> {
        let vars = self.family.vars.iter().enumerate();
        let now = |me: FamilyId| {
            let vars = vars.clone();
            vars.map(move |(at, var)| of(me, VarId::from(at), var.ty.clone()))
        };
        let before = now(self.me(Earlier)).collect();
        let now = now(self.me(Later)).collect();
        self.state(before, now)
    }

    // ----- both runs -----

    /// Something as one run says it.
    fn said(&self, run: Run, expr: &Expr) -> Expr {
        let mut expr = expr.clone();
        self.moved(run).expr(&mut expr);
        expr
    }

    fn moved(&self, run: Run) -> Moved {
        let by = match run {
            Earlier => self.arity,
            Later => self.arity + self.process.locals.len(),
        };
        Moved {
            by,
            me: self.me(run),
            run,
            place: self.handler.accept.span,
        }
    }

    fn name(&self, run: Run, local: LocalId) -> LocalId {
        LocalId::from(self.moved(run).by + local.index())
    }

    fn named(&self, run: Run, local: LocalId) -> Expr {
        self.local(self.name(run, local).index())
    }

    fn means(&mut self, span: Span, meaning: String) {
        self.meanings.push((span, meaning));
    }

    /// A value in a name of its own, so that it is computed whatever is said about it.
    fn computed(&mut self, value: Expr, block: &mut Block) -> Expr {
        let at = self.locals.len();
        self.locals.push(named("value", &value.ty));
        block.push(stmt(StmtKind::Let(LocalId::from(at), value)));
        self.local(at)
    }

    /// Indices and what the handler binds.
    fn bound(&self) -> Block {
        let accept = &self.handler.accept;
        let mut block = Block::new();
        for run in [Earlier, Later] {
            let mut bind = |local: LocalId, value: Expr| {
                block.push(stmt(StmtKind::Let(self.name(run, local), value)));
            };
            for at in 0..self.family.index.len() {
                bind(LocalId::from(at), self.local(at));
            }
            for (at, slot) in accept.slots.iter().enumerate() {
                slot.iter()
                    .for_each(|slot| bind(*slot, self.field(run, at)));
            }
            let all = senders(self.handler);
            let first = self.arity - all.len();
            for (who, at) in all.into_iter().zip(first..) {
                bind(who, self.local(at));
            }
        }
        block
    }

    /// The earlier run knows that it holds, the later one has to show it.
    fn held(&mut self, condition: &Expr, span: Span, why: String) -> Block {
        self.means(span, why);
        let knows = self.said(Earlier, condition);
        let shows = self.said(Later, condition);
        vec![stmt(StmtKind::Assume(knows)), asserted(shows, span)]
    }

    /// Both runs come to the same.
    fn alike(&mut self, what: &Expr, block: &mut Block) -> Expr {
        let words = text(self.song, self.process, what);
        self.means(what.span, format!("`{words}` may come to something else"));
        let earlier = self.said(Earlier, what);
        let earlier = self.computed(earlier, block);
        let later = self.said(Later, what);
        let later = self.computed(later, block);
        block.push(asserted(equal(earlier.clone(), later), what.span));
        earlier
    }

    fn block(&mut self, block: &Block) -> Block {
        block.iter().flat_map(|one| self.stmt(one)).collect()
    }

    fn stmt(&mut self, one: &Stmt) -> Block {
        let mut block = Block::new();
        match &one.kind {
            _ if is_local(one) => {
                for run in [Earlier, Later] {
                    let mut copy = one.clone();
                    self.means_of(&copy);
                    self.moved(run).stmt(&mut copy);
                    block.push(copy);
                }
            }
            StmtKind::LetChoice(choice) => self.choice(choice, &mut block),
            StmtKind::AssignChoice(place, choice) => {
                self.choice(choice, &mut block);
                for run in [Earlier, Later] {
                    let mut place = place.clone();
                    self.moved(run).place(&mut place);
                    let chosen = self.named(run, choice.local);
                    block.push(assign(place.root, place.path, chosen));
                }
            }
            StmtKind::If(condition, yes, no) => {
                let decides = self.alike(condition, &mut block);
                let (yes, no) = (self.block(yes), self.block(no));
                block.push(stmt(StmtKind::If(decides, yes, no)));
            }
            StmtKind::Match(scrutinee, arms) => self.arms(scrutinee, arms, &mut block),
            StmtKind::For {
                local,
                domain,
                filter,
                body,
                ..
            } => self.rounds(*local, domain, filter.as_ref(), body, &mut block),
            StmtKind::Maybe(yes, no) => {
                let kind = StmtKind::Maybe(self.block(yes), self.block(no));
                block.push(stmt(kind));
            }
            StmtKind::Send(message, args, to) => {
                self.sent(*message, args, to, one.span, &mut block);
            }
            StmtKind::Break | StmtKind::Continue => block.push(one.clone()),
            StmtKind::While(..) => self.refuse("it has a `while`, which is not covered"),
            _ => self.refuse("it has a statement that is not covered"),
        }
        block
    }

    /// What it means when an assertion among these statements fails.
    fn means_of(&mut self, one: &Stmt) {
        let mut asked = Asked::default();
        asked.stmt(one);
        for (span, condition) in asked.0 {
            let words = text(self.song, self.process, &condition);
            let meaning = format!("`{words}` may be false for what covers");
            self.means(span, meaning.clone());
            self.means(condition.span, meaning);
        }
    }

    fn refuse(&mut self, why: &str) {
        self.refused.get_or_insert(why.to_owned());
    }

    /// The earlier run chooses, and the later one chooses the same.
    fn choice(&mut self, choice: &Choice, block: &mut Block) {
        if let Domain::In(set) = &choice.domain {
            self.alike(set, block);
        }
        let mut copy = choice.clone();
        let mut moved = self.moved(Earlier);
        copy.local = self.name(Earlier, choice.local);
        if let Domain::In(set) = &mut copy.domain {
            moved.expr(set);
        }
        copy.filter.iter_mut().for_each(|one| moved.expr(one));
        block.push(stmt(StmtKind::LetChoice(copy)));
        let chosen = self.named(Earlier, choice.local);
        let later = self.name(Later, choice.local);
        block.push(stmt(StmtKind::Let(later, chosen)));
        if let Some(filter) = &choice.filter {
            let words = text(self.song, self.process, filter);
            self.means(
                filter.span,
                format!("what is chosen `where {words}` may not be allowed"),
            );
            let shows = self.said(Later, filter);
            block.push(asserted(shows, filter.span));
        }
    }

    /// Both runs take the same arm.
    fn arms(&mut self, scrutinee: &Expr, arms: &[(Pattern, Block)], block: &mut Block) {
        let words = text(self.song, self.process, scrutinee);
        self.means(
            scrutinee.span,
            format!("`match {words}` may take another arm"),
        );
        let otherwise = vec![asserted(truth(false), scrutinee.span)];
        let later = self.said(Later, scrutinee);
        let later = self.computed(later, block);
        let moved = |writer: &Self, run: Run, pattern: &Pattern| {
            let mut pattern = pattern.clone();
            writer.moved(run).pattern(&mut pattern);
            pattern
        };
        let mut both = Vec::new();
        for (at, (pattern, body)) in arms.iter().enumerate() {
            let before = arms[..at].iter();
            let mut inner: Vec<(Pattern, Block)> = before
                .map(|(other, _)| (moved(self, Later, other), otherwise.clone()))
                .collect();
            let body = self.block(body);
            inner.push((moved(self, Later, pattern), body));
            let wild = Pattern {
                kind: PatternKind::Wild,
                span: Span::default(),
            };
            inner.push((wild, otherwise.clone()));
            let follows = stmt(StmtKind::Match(later.clone(), inner));
            both.push((moved(self, Earlier, pattern), vec![follows]));
        }
        let earlier = self.said(Earlier, scrutinee);
        block.push(stmt(StmtKind::Match(earlier, both)));
    }

    /// Both runs go through the same elements. What is written on the way stays related: states by `covers`, locals by
    /// being equal.
    fn rounds(
        &mut self,
        element: LocalId,
        domain: &Domain,
        filter: Option<&Expr>,
        body: &Block,
        block: &mut Block,
    ) {
        let through = match domain {
            Domain::Type(_) => domain.clone(),
            Domain::In(set) => Domain::In(self.alike(set, block)),
        };
        let mut written = Written::default();
        body.iter().for_each(|one| written.stmt(one));
        let mut invariants = Vec::new();
        if written.own {
            let span = self.handler.accept.span;
            invariants.extend(self.covering_now().into_iter().map(|one| placed(one, span)));
        }
        for local in written.locals.difference(&written.bound).copied() {
            let (earlier, later) = (self.named(Earlier, local), self.named(Later, local));
            invariants.push(placed(equal(earlier, later), self.handler.accept.span));
        }
        let same = self.named(Earlier, element);
        let mut round = vec![stmt(StmtKind::Let(self.name(Later, element), same))];
        match filter {
            Some(filter) => {
                let decides = self.alike(filter, &mut round);
                let body = self.block(body);
                round.push(stmt(StmtKind::If(decides, body, Block::new())));
            }
            None => round.extend(self.block(body)),
        }
        block.push(stmt(StmtKind::For {
            local: self.name(Earlier, element),
            domain: through,
            filter: None,
            clauses: LoopClauses {
                invariants,
                decreases: Vec::new(),
            },
            body: round,
        }));
    }

    /// What the later run sends covers what the earlier one sends, and goes to the same process.
    fn sent(
        &mut self,
        message: MessageId,
        args: &[Expr],
        to: &Expr,
        span: Span,
        block: &mut Block,
    ) {
        match &to.kind {
            ExprKind::SelfPid => {}
            ExprKind::Pid(_, index) => index.iter().for_each(|one| drop(self.alike(one, block))),
            _ => drop(self.alike(to, block)),
        }
        let mut values = |run| -> Vec<Expr> {
            let args = args.iter();
            args.map(|arg| {
                let said = self.said(run, arg);
                self.computed(said, block)
            })
            .collect()
        };
        let (before, now) = (values(Earlier), values(Later));
        let name = &self.voices.messages[message.index()].name;
        let why = format!("the `{name}` that is sent may not cover the other");
        self.means(span, why);
        let holds = self.message(message, before, now);
        block.extend(holds.into_iter().map(|one| asserted(one, span)));
    }
}

/// Locals that a handler binds to who sent the message.
fn senders(handler: &Handler) -> Vec<LocalId> {
    match &handler.accept.source {
        Source::Anyone(who) => who.iter().copied().collect(),
        Source::Family(_, indices, who) => indices.iter().chain(who).copied().collect(),
        Source::Process(_) => Vec::new(),
    }
}

fn asserted(condition: Expr, span: Span) -> Stmt {
    Stmt {
        kind: StmtKind::Assert(placed(condition, span)),
        span,
    }
}

/// An expression that is asked at a place of the text.
fn placed(condition: Expr, span: Span) -> Expr {
    // A conjunction is asked part by part, each at its own place: one with `true` is not.
    match condition.kind {
        ExprKind::Binary(BinOp::And, left, right) => Expr {
            span,
            ..both(BinOp::And, placed(*left, span), placed(*right, span))
        },
        _ => Expr { span, ..condition },
    }
}

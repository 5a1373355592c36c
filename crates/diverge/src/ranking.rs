//! Rest for any number of processes, by a measure of each one's own state, or of payloads.
//!
//! Statement. Every execution of handlers comes to rest, whatever the sizes, if one of these holds:
//!
//! - **own state**: every family whose handlers send has a measure of a process's own variables such that a
//!   handler that sends decreases it and one that does not send does not increase it;
//! - **payload**: every message that a handler sends has a smaller number in it than the one it took.
//!
//! Why sound. Own state: a process writes only its own variables, so the sum of all measures never increases, and
//! decreases with every handler that sends; one that does not send leaves one message less. The pair of both is
//! well-founded, because there are finitely many processes. Payload: what waits is a bag of natural numbers in
//! which one is replaced by smaller ones (Dershowitz and Manna). Neither depends on fairness, nor on the order of
//! delivery.
//!
//! Measures: a flag that is set, or cleared; an option that is filled; an option of a natural number that is
//! filled or gets less; a natural number that gets less; a member of a finite ordered sort that goes up, or
//! down. That a handler does as it should is a line of sequential code with an assertion at its end
//! ([`obligations`]): whoever has a prover shows it for every size. A handler that fails ends the execution, so
//! its assertions are assumed.
//!
//! NOT COVERED. Bodies with blocking receives, actions, faults, lexicographic measures. For these there is
//! nothing to show, which is not to say that they do not come to rest.

use plainsong_diagnostics::Span;
use plainsong_ir::visit::{VisitMut, walk_mut};
use plainsong_ir::{
    Accept, BinOp, Binder, Block, Body, Choreography, Code, Expr, ExprKind, Family, FamilyId,
    Handler, Local, LocalId, MessageId, Place, Process, Root, Song, SortKind, Source, StartValue,
    StateVar, Stmt, StmtKind, System, Ty, VarId, Voices,
};

/// A way to measure the state of a process, or a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measure {
    kind: Kind,
    /// In words: `node.parent is filled`.
    pub words: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A variable, and how it gets less.
    Own(VarId, Way),
    /// The first natural number of each payload.
    Payload,
}

/// How a measure of a variable decreases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Set,
    Cleared,
    Filled,
    FilledOrLess,
    Less,
    Greater,
}

/// The processes with handlers that send, if there is nothing but handlers and nothing goes wrong.
pub fn sending(song: &Song) -> Option<Vec<usize>> {
    let System::Voices(voices) = &song.system else {
        return None;
    };
    let handles = |process: &Process| matches!(process.body, Body::Handlers(_));
    if !voices.faults.is_empty() || !voices.processes.iter().all(handles) {
        return None;
    }
    let sends = |at: &usize| handlers(voices, *at).iter().any(|one| does_send(&one.body));
    Some((0..voices.processes.len()).filter(sends).collect())
}

/// The measures of a process's own state that are worth a try.
pub fn own_measures(song: &Song, process: usize) -> Vec<Measure> {
    let Some(voices) = song.voices() else {
        return Vec::new();
    };
    let family = &song.families[voices.processes[process].family.index()];
    let mut measures = Vec::new();
    for (at, var) in family.vars.iter().enumerate() {
        for (way, words) in ways(song, &var.ty) {
            measures.push(Measure {
                kind: Kind::Own(VarId::from(at), *way),
                words: format!("`{}` of `{}` {words}", var.name, family.name),
            });
        }
    }
    measures
}

/// The measure of payloads.
pub fn payload_measure() -> Measure {
    Measure {
        kind: Kind::Payload,
        words: "the number in its payload".to_owned(),
    }
}

/// One song for each handler of a process, with one line whose assertions say that the measure decreases.
pub fn obligations(song: &Song, process: usize, measure: &Measure) -> Vec<Song> {
    let Some(voices) = song.voices() else {
        return Vec::new();
    };
    let all = handlers(voices, process).iter();
    all.map(|handler| Writer::new(song, voices, process, handler, measure).song())
        .collect()
}

fn handlers(voices: &Voices, process: usize) -> &[Handler] {
    match &voices.processes[process].body {
        Body::Handlers(handlers) => handlers,
        Body::Sequential(_) => &[],
    }
}

fn does_send(block: &Block) -> bool {
    struct Sends(bool);
    impl plainsong_ir::visit::Visit for Sends {
        fn stmt(&mut self, stmt: &Stmt) {
            self.0 |= matches!(stmt.kind, StmtKind::Send(..));
            plainsong_ir::visit::walk::stmt(self, stmt);
        }
    }
    let mut sends = Sends(false);
    plainsong_ir::visit::Visit::block(&mut sends, block);
    sends.0
}

fn ways(song: &Song, ty: &Ty) -> &'static [(Way, &'static str)] {
    match ty {
        Ty::Bool => &[(Way::Set, "is set"), (Way::Cleared, "is cleared")],
        Ty::Nat => &[(Way::Less, "gets less")],
        Ty::Option(inner) if **inner == Ty::Nat => &[(Way::FilledOrLess, "is filled or gets less")],
        Ty::Option(_) => &[(Way::Filled, "is filled")],
        Ty::Sort(sort) => match song.sorts[sort.index()].kind {
            SortKind::Identities { ordered: false } => &[],
            _ => &[(Way::Greater, "goes up"), (Way::Less, "goes down")],
        },
        _ => &[],
    }
}

/// Writes a handler as a line.
struct Writer<'a> {
    song: &'a Song,
    process: &'a Process,
    family: &'a Family,
    handler: &'a Handler,
    measure: &'a Measure,
    /// The endpoint that stands for the process.
    me: FamilyId,
    /// Parameters, then the locals of the process.
    locals: Vec<Local>,
    arity: usize,
}

impl<'a> Writer<'a> {
    fn new(
        song: &'a Song,
        voices: &'a Voices,
        process: usize,
        handler: &'a Handler,
        measure: &'a Measure,
    ) -> Self {
        let process = &voices.processes[process];
        let family = &song.families[process.family.index()];
        let parameter = |name: &str, ty: &Ty| Local {
            name: name.to_owned(),
            ty: ty.clone(),
            mutable: false,
            span: Span::default(),
        };
        let known = (family
            .index
            .iter()
            .map(|one: &Binder| parameter(&one.name, &one.ty)))
        .chain((family.vars.iter()).map(|var| parameter(&format!("{}_before", var.name), &var.ty)))
        .chain(bound(&handler.accept).into_iter().map(|local| {
            let local = &process.locals[local.index()];
            parameter(&format!("{}_taken", local.name), &local.ty)
        }));
        let mut locals: Vec<Local> = known.collect();
        let arity = locals.len();
        locals.extend(process.locals.iter().cloned());
        Writer {
            song,
            process,
            family,
            handler,
            measure,
            me: FamilyId::from(song.families.len()),
            locals,
            arity,
        }
    }

    fn song(self) -> Song {
        let mut body = self.binds();
        let mut moved = Moved {
            by: self.arity,
            me: self.me,
            sent: VarId::from(self.family.vars.len()),
            measure: self.measure.kind,
            taken: self.taken(),
            song: self.song,
        };
        if let Some(filter) = &self.handler.accept.filter {
            let mut filter = filter.clone();
            moved.expr(&mut filter);
            body.push(stmt(StmtKind::Assume(filter)));
        }
        let mut handler = self.handler.body.clone();
        moved.block(&mut handler);
        body.extend(handler);
        if let Kind::Own(var, way) = self.measure.kind {
            body.push(stmt(StmtKind::Assert(self.goal(var, way))));
        }
        let mut song = self.song.clone();
        song.families.push(self.endpoint());
        song.properties.clear();
        song.lines = vec![Choreography {
            name: "measure".to_owned(),
            endpoints: vec![self.me],
            requires: Vec::new(),
            ensures: Vec::new(),
            code: Code {
                arity: self.arity,
                locals: self.locals,
                body,
            },
            kind: Default::default(),
            span: self.handler.accept.span,
        }];
        song
    }

    /// Indices and what the handler binds are what the parameters say.
    fn binds(&self) -> Block {
        let indices = 0..self.family.index.len();
        let first = self.family.index.len() + self.family.vars.len();
        let taken = bound(&self.handler.accept).into_iter().zip(first..);
        let all = indices
            .map(|at| (LocalId::from(at), at))
            .chain(taken)
            .collect::<Vec<_>>();
        let bind = |(local, parameter): (LocalId, usize)| {
            let value = self.local(parameter);
            stmt(StmtKind::Let(
                LocalId::from(self.arity + local.index()),
                value,
            ))
        };
        all.into_iter().map(bind).collect()
    }

    fn endpoint(&self) -> Family {
        let var = |name: &str, ty: &Ty, start: Expr| StateVar {
            name: name.to_owned(),
            ty: ty.clone(),
            start: StartValue::Value(start),
            locals: self.locals[..self.arity].to_vec(),
            durable: false,
            span: Span::default(),
        };
        let first = self.family.index.len();
        let vars = self.family.vars.iter().enumerate();
        let mut vars: Vec<StateVar> = vars
            .map(|(at, known)| var(&known.name, &known.ty, self.local(first + at)))
            .collect();
        vars.push(var("sends", &Ty::Bool, truth(false)));
        Family {
            name: "measured".to_owned(),
            index: Vec::new(),
            vars,
            span: Span::default(),
        }
    }

    /// The handler sends and the measure decreases, or it does not send and the measure does not increase.
    fn goal(&self, var: VarId, way: Way) -> Expr {
        let before = self.local(self.family.index.len() + var.index());
        let ty = self.family.vars[var.index()].ty.clone();
        let after = of(self.me, var, ty);
        let less = way.less(before.clone(), after.clone());
        let sends = of(self.me, VarId::from(self.family.vars.len()), Ty::Bool);
        let stays = both(BinOp::And, not(sends), both(BinOp::Eq, before, after));
        both(BinOp::Or, less, stays)
    }

    /// The number in the message that is taken; 0 when there is none in it.
    fn taken(&self) -> Expr {
        let accept = &self.handler.accept;
        let number = number_of(self.song, accept.message);
        let local = number.and_then(|at| accept.slots[at]);
        match local {
            Some(local) => Expr {
                kind: ExprKind::Local(LocalId::from(self.arity + local.index())),
                ty: self.process.locals[local.index()].ty.clone(),
                span: Span::default(),
            },
            None => zero(),
        }
    }

    fn local(&self, at: usize) -> Expr {
        Expr {
            kind: ExprKind::Local(LocalId::from(at)),
            ty: self.locals[at].ty.clone(),
            span: Span::default(),
        }
    }
}

impl Way {
    /// The measure after is less than before.
    fn less(self, before: Expr, after: Expr) -> Expr {
        match self {
            Way::Set => both(BinOp::And, not(before), after),
            Way::Cleared => both(BinOp::And, before, not(after)),
            Way::Filled => {
                let was = both(BinOp::Eq, before.clone(), none(&before.ty));
                both(BinOp::And, was, filled(after))
            }
            Way::FilledOrLess => {
                let was = both(BinOp::Eq, before.clone(), none(&before.ty));
                let less = both(BinOp::Lt, unwrapped(after.clone()), unwrapped(before));
                both(BinOp::And, filled(after), both(BinOp::Or, was, less))
            }
            Way::Less => both(BinOp::Lt, after, before),
            Way::Greater => both(BinOp::Lt, before, after),
        }
    }
}

/// What a handler binds: parts of the payload, and who sent it.
fn bound(accept: &Accept) -> Vec<LocalId> {
    let mut locals: Vec<LocalId> = accept.slots.iter().flatten().copied().collect();
    match &accept.source {
        Source::Anyone(who) => locals.extend(who),
        Source::Family(_, indices, who) => locals.extend(indices.iter().chain(who)),
        Source::Process(_) => {}
    }
    locals
}

/// The place of the first natural number of a payload.
fn number_of(song: &Song, message: MessageId) -> Option<usize> {
    let fields = &song.voices()?.messages[message.index()].fields;
    fields.iter().position(|field| field.ty == Ty::Nat)
}

/// Code of a process as code of an endpoint.
struct Moved<'a> {
    by: usize,
    me: FamilyId,
    sent: VarId,
    measure: Kind,
    taken: Expr,
    song: &'a Song,
}

impl VisitMut for Moved<'_> {
    fn binds(&mut self, local: &mut LocalId) {
        *local = LocalId::from(local.index() + self.by);
    }

    fn uses(&mut self, local: &mut LocalId) {
        *local = LocalId::from(local.index() + self.by);
    }

    fn expr(&mut self, expr: &mut Expr) {
        if let ExprKind::Own(var) = expr.kind {
            expr.kind = ExprKind::Of(self.me, Vec::new(), var);
        }
        walk_mut::expr(self, expr);
    }

    fn place(&mut self, place: &mut Place) {
        if let Root::Own(var) = place.root {
            place.root = Root::Of(self.me, Vec::new(), var);
        }
        walk_mut::place(self, place);
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        walk_mut::stmt(self, stmt);
        match &stmt.kind {
            StmtKind::Assert(condition) => stmt.kind = StmtKind::Assume(condition.clone()),
            StmtKind::Send(message, args, _) => {
                stmt.kind = match self.measure {
                    Kind::Own(..) => StmtKind::Assign(
                        Place {
                            root: Root::Of(self.me, Vec::new(), self.sent),
                            path: Vec::new(),
                            span: Span::default(),
                        },
                        truth(true),
                    ),
                    Kind::Payload => {
                        let number = number_of(self.song, *message);
                        let sent = number.map_or_else(zero, |at| args[at].clone());
                        StmtKind::Assert(both(BinOp::Lt, sent, self.taken.clone()))
                    }
                };
            }
            _ => {}
        }
    }
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt {
        kind,
        span: Span::default(),
    }
}

fn expr(kind: ExprKind, ty: Ty) -> Expr {
    Expr {
        kind,
        ty,
        span: Span::default(),
    }
}

fn truth(truth: bool) -> Expr {
    expr(ExprKind::Bool(truth), Ty::Bool)
}

fn zero() -> Expr {
    expr(ExprKind::Int(0), Ty::Nat)
}

fn none(ty: &Ty) -> Expr {
    expr(ExprKind::None, ty.clone())
}

fn not(inner: Expr) -> Expr {
    expr(
        ExprKind::Unary(plainsong_ir::UnOp::Not, Box::new(inner)),
        Ty::Bool,
    )
}

fn filled(option: Expr) -> Expr {
    let none = none(&option.ty);
    both(BinOp::Ne, option, none)
}

fn unwrapped(option: Expr) -> Expr {
    let ty = match &option.ty {
        Ty::Option(inner) => (**inner).clone(),
        other => other.clone(),
    };
    expr(
        ExprKind::Method(plainsong_ir::Builtin::Unwrap, vec![option]),
        ty,
    )
}

fn both(op: BinOp, left: Expr, right: Expr) -> Expr {
    expr(
        ExprKind::Binary(op, Box::new(left), Box::new(right)),
        Ty::Bool,
    )
}

fn of(family: FamilyId, var: VarId, ty: Ty) -> Expr {
    expr(ExprKind::Of(family, Vec::new(), var), ty)
}

//! Ranking functions for any number of processes: a lexicographic measure of each process' own state, or of payloads.
//!
//! Statement. Every execution of handlers terminates, whatever the sizes, if one of these holds:
//!
//! - **own state**: every family whose handlers send has a measure of a process's own variables such that a
//!   handler that sends decreases it and one that does not send does not increase it;
//! - **payload**: every message that a handler sends has a smaller number in it than the one it took;
//! - **declared**: processes and messages have tuples of numbers, as `decreases` says, and every handler makes the
//!   tuple of its process less, or leaves it as it is and sends only messages whose tuple is less than that of the one
//!   it took. Tuples are compared from the first number on; who declares none has zeros.
//!
//! Why sound. Own state: a process writes only its own variables, so the sum of all measures never increases, and
//! decreases with every handler that sends; one that does not send leaves one message less. The pair of both is
//! well-founded, because there are finitely many processes. Payload: what waits is a bag of natural numbers in
//! which one is replaced by smaller ones (Dershowitz and Manna). Declared: add the tuples of all processes up, number
//! by number; as only one process changes its own, the sum decreases with it or stays, and where it stays the bag
//! decreases as before. Integers count as 0 where they are negative. None of this depends on fairness, nor on the
//! order of delivery.
//!
//! That the declared tuples decrease is said in two ways, and one is enough. At the end: the process has less, or as
//! much and a flag says that every message was less. Step by step: no statement gives the process more, and whatever is
//! sent is less than what was taken or the process already has less. The second holds of the handler as a whole, since
//! what the process has cannot rise again, and needs no invariant where messages are sent in a loop.
//!
//! Measures: a flag that is set, or cleared; an option that is filled; an option of a natural number that is
//! filled or decreases; a natural number that decreases; a member of a finite ordered sort that goes up, or
//! down. That a handler does as it should is a line of sequential code with an assertion at its end
//! ([`obligations`]): whoever has a prover shows it for every size. A handler that fails ends the execution, so
//! its assertions are assumed.
//!
//! - **payload first**: a handler of a message with a number in it sends only ones with smaller numbers, or with none; the
//!   others send none with a number, and are as declared.
//!
//! Why that is sound: the bag of numbers that wait comes first. A handler that takes one replaces it by smaller ones;
//! the others leave it as it is, and for them the argument is the one above, since only they count among steps that do.
//!
//! Tuples that nobody declared are supposed ([`supposed`](mod@supposed)) and shown in the same way.
//!
//! NOT COVERED. Bodies with blocking receives, actions, faults. For these there is nothing to show, which is not to say
//! that they do not terminate.

mod declared;
mod linear;
mod measure_templates;
mod synthesis;

pub use linear::{Linear, linear};
pub use measure_templates::Number;
pub use synthesis::{Counts, Supposed, supposed};

use crate::terms::{both, filled, none, not, of, stmt, truth, unwrapped, zero};
use declared::{Declared, InWords, Own, Sizes, is_harmless, less, no_more, same};
use plainsong_diagnostics::Span;
use plainsong_ir::visit::{VisitMut, any_stmt, walk_mut};
use plainsong_ir::{
    Accept, BinOp, Binder, Block, Body, Choreography, Code, Expr, ExprKind, Family, FamilyId,
    Handler, Local, LocalId, Measures, MessageId, Place, Process, Root, Song, SortKind, Source,
    StartValue, StateVar, Stmt, StmtKind, System, Ty, VarId, Voices,
};

/// A way to measure the state of a process, or a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measure {
    kind: Kind,
    /// Do numbers in payloads come before all else?
    first: bool,
    /// In words: `node.parent is filled`.
    pub words: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A variable, and how it decreases.
    Own(VarId, Way),
    /// The first natural number of each payload.
    Payload,
    /// What the song says, compared at the end of a handler.
    Declared,
    /// What the song says, compared with every step of a handler.
    DeclaredSteps,
    /// What the song says of processes does not get more: compared at the end of a handler.
    NoMore,
    /// The same, compared with every step of a handler.
    NoMoreSteps,
    /// The first natural number of each payload that has one.
    PayloadFirst,
    Nothing,
}

impl Kind {
    fn is_declared(self) -> bool {
        matches!(
            self,
            Kind::Declared | Kind::DeclaredSteps | Kind::NoMore | Kind::NoMoreSteps
        )
    }

    fn is_by_steps(self) -> bool {
        matches!(self, Kind::DeclaredSteps | Kind::NoMoreSteps)
    }
}

/// How a measure of a variable decreases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// A flag is set.
    Set,
    /// A flag is cleared.
    Cleared,
    /// An option is filled.
    Filled,
    /// An option of a natural number is filled, or decreases.
    FilledOrLess,
    /// A number or a member of a sort decreases.
    Less,
    /// A member of a finite sort goes up.
    Greater,
}

impl Measure {
    /// The same behind numbers in payloads, if these come first.
    #[must_use]
    pub fn behind_payloads(self, first: bool) -> Measure {
        Measure { first, ..self }
    }

    /// What is to be shown of a handler of some message.
    fn of(&self, has_number: bool) -> Kind {
        match (self.first && has_number, self.kind) {
            (true, Kind::NoMore | Kind::NoMoreSteps) => Kind::Nothing,
            (true, _) => Kind::PayloadFirst,
            (false, kind) => kind,
        }
    }

    /// The variable that is measured, and how it decreases, if it is one.
    pub fn own(&self) -> Option<(VarId, Way)> {
        match self.kind {
            Kind::Own(var, way) => Some((var, way)),
            _ => None,
        }
    }
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
                first: false,
                words: format!("`{}` of `{}` {words}", var.name, family.name),
            });
        }
    }
    measures
}

pub fn payload_measure() -> Measure {
    Measure {
        kind: Kind::Payload,
        first: false,
        words: "the number in its payload".to_owned(),
    }
}

/// What the song declares, if it does, in two ways: each handler has to be shown in one of them.
pub fn declared_measures(song: &Song) -> Option<[Measure; 2]> {
    let voices = song.voices()?;
    let processes = voices.processes.iter().map(|one| &one.measures);
    let mut all = processes.chain(voices.messages.iter().map(|one| &one.measures));
    let is_declared = all.any(|one| !one.levels.is_empty());
    is_declared.then(|| {
        [Kind::DeclaredSteps, Kind::Declared].map(|kind| Measure {
            kind,
            first: false,
            words: "what `decreases` says".to_owned(),
        })
    })
}

/// That what the song declares of processes does not get more, in two ways: each handler has to be shown in one of them.
pub fn no_more_measures() -> [Measure; 2] {
    [Kind::NoMoreSteps, Kind::NoMore].map(|kind| Measure {
        kind,
        first: false,
        words: "what `decreases` says of processes gets no more".to_owned(),
    })
}

/// The handler of an obligation, as a user would name it.
pub fn handler_name(song: &Song, process: usize, handler: usize) -> Option<String> {
    let voices = song.voices()?;
    let family = &song.families[voices.processes[process].family.index()];
    let message = handlers(voices, process).get(handler)?.accept.message;
    let message = &voices.messages[message.index()].name;
    Some(format!("`on {message}` of `{}`", family.name))
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
    any_stmt(block, |stmt| matches!(stmt.kind, StmtKind::Send(..)))
}

fn ways(song: &Song, ty: &Ty) -> &'static [(Way, &'static str)] {
    match ty {
        Ty::Bool => &[(Way::Set, "is set"), (Way::Cleared, "is cleared")],
        Ty::Nat => &[(Way::Less, "decreases")],
        Ty::Option(inner) if **inner == Ty::Nat => &[(Way::FilledOrLess, "is filled or decreases")],
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
    kind: Kind,
    /// Do messages with a number come before all else?
    first: bool,
    /// The endpoint that stands for the process.
    me: FamilyId,
    /// Parameters, then the locals of the process, then those of measures.
    locals: Vec<Local>,
    arity: usize,
    /// Where each part of the message that is taken is a parameter.
    parts: Vec<usize>,
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
        let first = family.index.len() + family.vars.len();
        let bound = bound(&handler.accept);
        let mut parts = Vec::new();
        let fields = &voices.messages[handler.accept.message.index()].fields;
        for (slot, field) in handler.accept.slots.iter().zip(fields) {
            let place = slot.and_then(|slot| bound.iter().position(|one| *one == slot));
            parts.push(place.map_or(locals.len(), |place| first + place));
            if place.is_none() {
                locals.push(parameter(&format!("{}_taken", field.name), &field.ty));
            }
        }
        let arity = locals.len();
        locals.extend(process.locals.iter().cloned());
        Writer {
            song,
            process,
            family,
            handler,
            kind: measure.of(number_of(song, handler.accept.message).is_some()),
            first: measure.first,
            me: FamilyId::from(song.families.len()),
            locals,
            arity,
            parts,
        }
    }

    fn song(mut self) -> Song {
        let mut body = self.binds();
        let declared = self.declared();
        let mut moved = Moved {
            by: self.arity,
            me: self.me,
            sent: VarId::from(self.family.vars.len()),
            measure: self.kind,
            first: self.first,
            taken: self.taken(),
            declared: declared.messages,
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
        let goal = match self.kind {
            Kind::Own(var, way) => Some(self.goal(var, way)),
            Kind::Declared => Some(self.declared_goal(&declared.before, &declared.after)),
            Kind::NoMore => Some(no_more(&declared.before, &declared.after)),
            Kind::Payload | Kind::PayloadFirst | Kind::Nothing => None,
            Kind::DeclaredSteps | Kind::NoMoreSteps => None,
        };
        body.extend(goal.map(|goal| stmt(StmtKind::Assert(goal))));
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
            is_input: false,
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

    /// What is declared of the process, before and after, and of messages; nothing for other measures.
    fn declared(&mut self) -> Declared {
        if !self.kind.is_declared() {
            return Declared::default();
        }
        let indices: Vec<Expr> = (0..self.family.index.len())
            .map(|at| self.local(at))
            .collect();
        let own = &self.process.measures;
        let first = self.family.index.len();
        let vars = self.family.vars.iter().enumerate();
        let before = vars.clone().map(|(at, _)| self.local(first + at)).collect();
        let after = vars.map(|(at, var)| of(self.me, VarId::from(at), var.ty.clone()));
        let after: Vec<Expr> = after.collect();
        let before = self.said(own, indices.clone(), before);
        let now = after;
        let after = self.said(own, indices.clone(), now.clone());
        let copies: Vec<usize> = own.levels.iter().map(|_| self.scratch()).collect();
        let copies = copies.into_iter().map(|at| self.local(at)).collect();
        let song = self.song;
        let all = &song.voices().expect("voices").messages;
        let longest = all.iter().map(|one| one.measures.levels.len()).max();
        let parts: Vec<Expr> = self.parts.iter().map(|at| self.local(*at)).collect();
        let taken = &all[self.handler.accept.message.index()].measures;
        let taken = self.said(taken, parts, Vec::new());
        let firsts = all
            .iter()
            .map(|one| self.adopt(&one.measures, one.fields.len()));
        Declared {
            before: before.clone(),
            after: after.clone(),
            messages: Sizes {
                own: Own {
                    before: before.clone(),
                    now: after.clone(),
                    copies,
                },
                taken,
                firsts: firsts.collect(),
                longest: longest.unwrap_or(0),
            },
        }
    }

    /// One more local, for an integer.
    fn scratch(&mut self) -> usize {
        self.locals.push(Local {
            name: "had".to_owned(),
            ty: Ty::Int,
            mutable: false,
            span: Span::default(),
        });
        self.locals.len() - 1
    }

    /// Measures in other words: for their first locals and for variables.
    fn said(&mut self, measures: &Measures, names: Vec<Expr>, own: Vec<Expr>) -> Vec<Expr> {
        let first = self.adopt(measures, names.len());
        InWords { names, own, first }.all(&measures.levels)
    }

    /// Makes the locals of measures locals of the line, but for those that have other words.
    fn adopt(&mut self, measures: &Measures, but: usize) -> usize {
        let first = self.locals.len();
        self.locals
            .extend(measures.locals.iter().skip(but).cloned());
        first
    }

    /// The process has less, or as much as before and has sent nothing but smaller messages.
    fn declared_goal(&self, before: &[Expr], after: &[Expr]) -> Expr {
        let unpaid = of(self.me, VarId::from(self.family.vars.len()), Ty::Bool);
        let paid = both(BinOp::And, not(unpaid), same(before, after));
        both(BinOp::Or, less(before, after), paid)
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
    first: bool,
    taken: Expr,
    declared: Sizes,
    song: &'a Song,
}

impl Moved<'_> {
    /// The message that is sent is not less than the one that was taken.
    fn unpaid(&self, message: MessageId, args: &[Expr]) -> Expr {
        let all = &self.song.voices().expect("voices").messages;
        let measures = &all[message.index()].measures;
        self.declared.is_no_less(message, measures, args)
    }

    /// `sends = e;`
    fn sent(&self, value: Expr) -> StmtKind {
        let place = Place {
            root: Root::Of(self.me, Vec::new(), self.sent),
            path: Vec::new(),
            span: Span::default(),
        };
        StmtKind::Assign(place, value)
    }
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

    fn block(&mut self, block: &mut Block) {
        walk_mut::block(self, block);
        if self.measure.is_by_steps() {
            let all = std::mem::take(block).into_iter();
            block.extend(all.flat_map(|one| match is_harmless(&one.kind) {
                true => vec![one],
                false => self.declared.own.watched(one),
            }));
        }
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        walk_mut::stmt(self, stmt);
        match &stmt.kind {
            StmtKind::Assert(condition) => stmt.kind = StmtKind::Assume(condition.clone()),
            StmtKind::Send(message, args, _) => {
                let number = number_of(self.song, *message);
                stmt.kind = match self.measure {
                    Kind::PayloadFirst => {
                        let less =
                            |at: usize| both(BinOp::Lt, args[at].clone(), self.taken.clone());
                        StmtKind::Assert(number.map_or_else(|| truth(true), less))
                    }
                    // What has a number comes before what was taken, which has none.
                    _ if self.first && number.is_some() => StmtKind::Assert(truth(false)),
                    Kind::Own(..) | Kind::NoMore | Kind::NoMoreSteps | Kind::Nothing => {
                        self.sent(truth(true))
                    }
                    Kind::Declared => {
                        let before = of(self.me, self.sent, Ty::Bool);
                        self.sent(both(BinOp::Or, before, self.unpaid(*message, args)))
                    }
                    Kind::DeclaredSteps => {
                        let own = &self.declared.own;
                        let has_less = less(&own.before, &own.now);
                        let paid = not(self.unpaid(*message, args));
                        StmtKind::Assert(both(BinOp::Or, paid, has_less))
                    }
                    Kind::Payload => {
                        let sent = number.map_or_else(zero, |at| args[at].clone());
                        StmtKind::Assert(both(BinOp::Lt, sent, self.taken.clone()))
                    }
                };
            }
            _ => {}
        }
    }
}

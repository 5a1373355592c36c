//! Handlers to actions: processes with handlers as an action system, the same program in the other form.
//!
//! Statement. A message in flight to a process with handlers is a pending async, and taking it is an action: of
//! the handlers of a family for one kind of message, with the member's indices, the sender's indices if the
//! handlers ask for the sender, and the payload as parameters ([`crate::handlers`]). A state variable
//! of a family is a global map from its indices. `where` is what the action waits for.
//!
//! Why sound. A step of a process with handlers takes one message and runs the first handler that accepts it,
//! which reads and writes only that member's variables and sends; `init` is one step before all others. The action
//! does the same to the global maps, and creates one async for each message sent. So configurations of both are
//! the same up to names, with the same steps and failures, when messages come in any order. Other
//! delivery models allow fewer steps: what cannot fail, or never ends otherwise, does not under them either; but a
//! refutation of the actions says nothing about them ([`Voices::first_ordered`]).
//!
//! *Final* differs: processes with handlers are quiescent when nothing can be taken, messages left over or not; an action
//! system ends with nothing pending. They agree when every message can be taken at any time; where one may
//! have to wait, nothing may be claimed about final states.
//!
//! A message to a family that does not handle it is never taken. Either that is refused, or the send is left out
//! ([`Unhandled`]): steps and failures stay the same, the messages left over in a final state do not.
//!
//! Bodies and faults ([`processes_to_actions`]). Where a process with a body is, and the names that it keeps, are variables of it; what
//! it does by itself is an action that is always on offer ([`control_flow`]). A fault is an action as well, or
//! another way to take a message ([`faults`]). Then the actions allow at least the steps of the processes, and sometimes states
//! between them: what is proved of the actions holds of the processes, and nothing else carries over.
//!
//! NOT COVERED, and refused ([`Refusal`]): addresses that are not written out, senders
//! that are asked for where several families send, and what [`control_flow`] leaves out of bodies.

mod bodies;
mod code;
mod control_flow;
mod faults;
mod final_states;
mod kept_locals;
mod position_facts;
mod refusal;
mod state;

use crate::build::{binary, equal, truth};
use crate::handlers::{MessageAction, Sender, asks, written_address};
use crate::visit::{VisitMut, walk_mut};
use crate::{
    Accept, Action, ActionId, Actions, BinOp, Binder, Block, Body, Claim, Code, Delivery, Expr,
    ExprKind, FamilyId, GlobalId, Handled, Local, LocalId, Message, MessageId, Process, Role,
    Sequentialization, Song, Source, StateVar, Stmt, StmtKind, System, Ty, VarId, Voices,
};
use bodies::{Control, with_control};
use code::{CodeRewriter, Outside};
use plainsong_diagnostics::Span;
pub use refusal::Refusal;

/// What becomes of messages to a family that does not handle them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unhandled {
    /// They are no asyncs, and so there is no action system.
    Refused,
    /// They are never taken: the send does nothing.
    LeftOut,
}

/// The action system of a song whose processes have handlers, or why there is none. Its actions are numbered as
/// [`Voices::message_actions`] are, and its globals are called `Family.variable`.
pub fn handlers_to_actions(song: &Song, unhandled: Unhandled) -> Result<Song, Refusal> {
    let voices = song.voices().ok_or(Refusal::NoProcesses)?;
    if let Some(fault) = voices.faults.first() {
        return Err(Refusal::Faults(fault.span));
    }
    for process in &voices.processes {
        let family = &song.families[process.family.index()];
        if matches!(&process.body, Body::Sequential(body) if !body.is_empty()) {
            return Err(Refusal::Body(family.name.clone(), family.span));
        }
    }
    translated(song, unhandled, Finals::AsTheyAre)
}

/// What `finally` is about in an action system that stands for processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Finals {
    /// Final states.
    AsTheyAre,
    /// All states: it is the conclusion of what is true of final ones ([`final_states`]).
    Stated,
}

/// An action system that allows at least the steps of a song's processes, with bodies and faults, or why there is none. Its
/// first actions are numbered as [`Voices::message_actions`] are; variables that are not of the text are behind those of their family,
/// and behind the song's properties is what bodies know of themselves ([`position_facts`]). Of `finally e` the claim becomes what holds in
/// all states if `e` holds in final ones, and not without ([`final_states`]).
pub fn processes_to_actions(song: &Song, unhandled: Unhandled) -> Result<Song, Refusal> {
    translated(song, unhandled, Finals::Stated)
}

fn translated(song: &Song, unhandled: Unhandled, finals: Finals) -> Result<Song, Refusal> {
    let (song, control) = &with_control(song)?;
    let voices = song.voices().ok_or(Refusal::NoProcesses)?;
    let builder = ActionBuilder {
        song,
        voices,
        rows: voices.message_actions(),
        unhandled,
        control,
    };
    builder.covered()?;
    let mut actions = Vec::new();
    for at in 0..builder.rows.len() {
        actions.push(builder.action(at)?);
    }
    actions.extend(builder.moves()?);
    actions.extend(builder.crashes_and_restarts()?);
    let init = voices.init.as_ref().map(|init| builder.init(init));
    let sequences = voices.sequences.iter().map(|one| builder.sequence(one));
    let mut globals = builder.globals();
    globals.extend(builder.budgets());
    let system = Actions {
        globals,
        actions,
        init: init.transpose()?,
        sequences: sequences.collect(),
        ..Actions::default()
    };
    let mut whole = song.clone();
    whole.properties.extend(builder.position_facts());
    for property in &mut whole.properties {
        if let (Claim::Finally(claim), Finals::Stated) = (&mut property.claim, finals) {
            builder.of_final_states(claim, &mut property.locals);
        }
        match &mut property.claim {
            Claim::Finally(claim) | Claim::Always(claim) | Claim::Step(claim) => {
                Outside(&builder).expr(claim);
            }
            Claim::Temporal(temporal) => {
                for part in &mut temporal.parts {
                    let conditions = part.premise.iter_mut().chain([&mut part.goal]);
                    conditions.for_each(|condition| Outside(&builder).expr(condition));
                    let measures = part.measure.iter_mut();
                    measures.for_each(|measure| Outside(&builder).expr(measure));
                }
            }
            Claim::Quiescent { .. } => {}
        }
    }
    whole.system = System::Actions(system);
    Ok(whole)
}

impl Voices {
    /// A message that keeps an order: then there are fewer executions than of the action system, and only what is
    /// proved of that carries over.
    pub fn first_ordered(&self) -> Option<&Message> {
        let is_ordered = |message: &&Message| {
            let delivery = message.delivery;
            delivery.is_some_and(Delivery::keeps_order)
        };
        self.messages.iter().find(is_ordered)
    }
}

struct ActionBuilder<'s> {
    song: &'s Song,
    voices: &'s Voices,
    rows: Vec<MessageAction>,
    unhandled: Unhandled,
    control: &'s Control,
}

impl ActionBuilder<'_> {
    fn covered(&self) -> Result<(), Refusal> {
        let mut rows = self.rows.iter();
        match rows.find(|row| row.sender == Sender::Unclear) {
            Some(row) => {
                let accepting = self.accepting(row).into_iter();
                let mut asking = accepting.filter(|(_, accept, _)| asks(accept));
                let span = asking.next().map_or_else(Span::default, |one| one.1.span);
                Err(Refusal::UnclearSender(self.row_name(row), span))
            }
            None => Ok(()),
        }
    }

    /// The process that a row is about.
    fn process(&self, row: &MessageAction) -> &Process {
        let mut processes = self.voices.processes.iter();
        let process = processes.find(|process| process.family == row.family);
        process.expect("a handling is of a process")
    }

    /// The handlers of a row, or the receives, in the order of the text; each with where the member has to be.
    fn accepting(&self, row: &MessageAction) -> Vec<(Option<Expr>, Accept, Block)> {
        self.control.accepting(self.process(row), row.message)
    }

    fn message_name(&self, message: MessageId) -> &str {
        &self.voices.messages[message.index()].name
    }

    /// The name of the message; with the family if several handle it.
    fn row_name(&self, row: &MessageAction) -> String {
        let name = self.message_name(row.message);
        let same = self.rows.iter().filter(|one| one.message == row.message);
        match same.count() {
            1 => name.to_owned(),
            _ => format!("{name}_{}", self.song.families[row.family.index()].name),
        }
    }

    /// The global that holds a state variable of a family.
    fn global(&self, family: FamilyId, var: VarId) -> GlobalId {
        let before = self.voices.processes.iter().map(|process| process.family);
        let before = before.take_while(|one| *one != family);
        let count: usize = before.map(|one| self.vars(one).len()).sum();
        GlobalId::from(count + var.index())
    }

    fn vars(&self, family: FamilyId) -> &[StateVar] {
        &self.song.families[family.index()].vars
    }

    fn indices(&self, family: FamilyId) -> &[Binder] {
        &self.song.families[family.index()].index
    }

    fn init(&self, code: &Code) -> Result<Code, Refusal> {
        let mut code = code.clone();
        let mut rewriter = CodeRewriter::of_init(self);
        rewriter.block(&mut code.body);
        rewriter.refused.map_or(Ok(code), Err)
    }

    fn sequence(&self, sequence: &Sequentialization) -> Sequentialization {
        let mut sequence = sequence.clone();
        let mut outside = Outside(self);
        let clauses = sequence.invariants.iter_mut();
        for expr in clauses.chain(&mut sequence.decreases) {
            outside.expr(expr);
        }
        walk_mut::block(&mut outside, &mut sequence.code.body);
        sequence
    }

    fn action(&self, number: usize) -> Result<Action, Refusal> {
        let row = &self.rows[number];
        let process = self.process(row);
        let mut locals = self.parameters(row, process);
        let arity = locals.len();
        locals.extend(process.locals.iter().cloned());
        let accepting = self.accepting(row);
        let span = accepting.first().map_or(Span::default(), |one| one.1.span);
        let cases: Result<Vec<_>, Refusal> = accepting
            .iter()
            .map(|one| self.case(row, one, &locals[..arity]))
            .collect();
        let handled = chained(cases?, span);
        let body = self.with_message_faults(number, &locals[..arity], handled);
        Ok(Action {
            name: self.row_name(row),
            code: Code {
                arity,
                locals,
                body,
            },
            role: Role {
                handles: Some(Handled {
                    name: self.message_name(row.message).to_owned(),
                    to: row.family,
                    from: match row.sender {
                        Sender::Family(family) => Some(family),
                        _ => None,
                    },
                }),
                ..Role::default()
            },
            span,
        })
    }

    /// The member's indices, the sender's if it is asked for, the payload.
    fn parameters(&self, row: &MessageAction, process: &Process) -> Vec<Local> {
        let own = self.indices(row.family).iter();
        let sender = match row.sender {
            Sender::Family(family) => self.indices(family),
            _ => &[],
        };
        let fields = self.voices.messages[row.message.index()].fields.iter();
        let span = self.song.families[process.family.index()].span;
        let all = own.chain(sender).chain(fields).map(|binder| Local {
            name: binder.name.clone(),
            ty: binder.ty.clone(),
            mutable: false,
            span,
        });
        all.collect()
    }

    /// What one handler asks for, and what it does.
    fn case(
        &self,
        row: &MessageAction,
        (place, accept, body): &(Option<Expr>, Accept, Block),
        parameters: &[Local],
    ) -> Result<(Option<Expr>, Block), Refusal> {
        let span = accept.span;
        let params: Vec<Expr> = (0..parameters.len())
            .map(|at| local(parameters, at, span))
            .collect();
        let count = self.indices(row.family).len();
        let sender = match row.sender {
            Sender::Family(family) => Some((family, self.indices(family).len())),
            _ => None,
        };
        let (member, rest) = params.split_at(count);
        let (from, payload) = rest.split_at(sender.map_or(0, |(_, count)| count));
        let mut names: Vec<(LocalId, Expr)> = Vec::new();
        let indices = member.iter().enumerate();
        names.extend(indices.map(|(at, value)| (LocalId::from(at), value.clone())));
        for (slot, value) in accept.slots.iter().zip(payload) {
            names.extend(slot.map(|local| (local, value.clone())));
        }
        let who = sender.map(|(family, _)| Expr {
            kind: ExprKind::Pid(family, from.to_vec()),
            ty: Ty::Process,
            span,
        });
        let mut parts = self.standing(row.family, member, place.clone());
        match &accept.source {
            Source::Anyone(name) => names.extend(name.zip(who)),
            Source::Family(family, indices, name) => {
                if sender.map(|(family, _)| family) == Some(*family) {
                    names.extend(indices.iter().copied().zip(from.iter().cloned()));
                    names.extend(name.zip(who));
                } else {
                    parts.push(truth(false).at(span));
                }
            }
            Source::Process(address) => {
                let address = (address.clone(), sender.map(|(family, _)| family), from);
                parts.push(self.is_sender(row, address, &names)?);
            }
        }
        let mut inside = CodeRewriter {
            member: Some((row.family, member.to_vec())),
            names,
            by: parameters.len(),
            ..CodeRewriter::of_init(self)
        };
        if let Some(filter) = &accept.filter {
            let mut filter = filter.clone();
            inside.expr(&mut filter);
            parts.push(filter);
        }
        let mut body = body.clone();
        inside.block(&mut body);
        if let Some(why) = inside.refused {
            return Err(why);
        }
        Ok((parts.into_iter().reduce(both), body))
    }

    /// That a member is up, and where it has to be.
    fn standing(&self, family: FamilyId, member: &[Expr], place: Option<Expr>) -> Vec<Expr> {
        let parts = self.control.is_up(family).into_iter().chain(place);
        let mut inside = CodeRewriter {
            member: Some((family, member.to_vec())),
            ..CodeRewriter::of_init(self)
        };
        let each = |mut part: Expr| {
            inside.expr(&mut part);
            part
        };
        parts.map(each).collect()
    }

    /// Is the sender the process that the handler names?
    fn is_sender(
        &self,
        row: &MessageAction,
        (mut address, family, from): (Expr, Option<FamilyId>, &[Expr]),
        names: &[(LocalId, Expr)],
    ) -> Result<Expr, Refusal> {
        let span = address.span;
        let member = names[..self.indices(row.family).len()].iter();
        let member = member.map(|(_, value)| value.clone()).collect();
        let mut inside = CodeRewriter {
            member: Some((row.family, member)),
            names: names.to_vec(),
            ..CodeRewriter::of_init(self)
        };
        inside.expr(&mut address);
        let Some((named, indices)) = written_address(&address, None) else {
            return Err(Refusal::SenderValue(span));
        };
        if family != Some(named) {
            return Ok(truth(false).at(span));
        }
        let pairs = indices.iter().zip(from);
        let parts = pairs.map(|(a, b)| equal(a.clone(), b.clone()).at(a.span));
        let all = parts.reduce(both);
        Ok(all.unwrap_or_else(|| truth(true).at(span)))
    }

    /// The async of a message that is sent; none if nobody handles it.
    fn sent(
        &self,
        sender: Option<&[Expr]>,
        (message, payload, address): (MessageId, &[Expr], &Expr),
    ) -> Result<Option<StmtKind>, Refusal> {
        let name = self.message_name(message).to_owned();
        let Some((family, indices)) = written_address(address, None) else {
            return Err(Refusal::AddressValue(name, address.span));
        };
        let mut rows = self.rows.iter();
        let found = rows.position(|row| row.family == family && row.message == message);
        let Some(number) = found else {
            let family = self.song.families[family.index()].name.clone();
            return match self.unhandled {
                Unhandled::LeftOut => Ok(None),
                Unhandled::Refused => Err(Refusal::Unhandled {
                    message: name,
                    family,
                    span: address.span,
                }),
            };
        };
        let mut arguments = indices.to_vec();
        if let (Sender::Family(_), Some(own)) = (self.rows[number].sender, sender) {
            arguments.extend(own.iter().cloned());
        }
        arguments.extend(payload.iter().cloned());
        Ok(Some(StmtKind::Async(ActionId::from(number), arguments)))
    }
}

/// The first case whose condition holds; the message waits if there is none.
fn chained(cases: Vec<(Option<Expr>, Block)>, span: Span) -> Block {
    if let [(Some(condition), body)] = &cases[..] {
        let wait = Stmt {
            kind: StmtKind::Assume(condition.clone()),
            span: condition.span,
        };
        let mut block = vec![wait];
        block.extend(body.iter().cloned());
        return block;
    }
    let wait = vec![Stmt {
        kind: StmtKind::Assume(truth(false).at(span)),
        span,
    }];
    cases
        .into_iter()
        .rev()
        .fold(wait, |rest, (condition, body)| {
            let Some(condition) = condition else {
                return body;
            };
            let span = condition.span;
            let kind = StmtKind::If(condition, body, rest);
            vec![Stmt { kind, span }]
        })
}

/// `map[a][b]`
fn at(map: Expr, indices: &[Expr]) -> Expr {
    indices.iter().fold(map, |map, index| {
        let ty = match &map.ty {
            Ty::Map(_, value) => (**value).clone(),
            other => other.clone(),
        };
        let span = map.span;
        Expr {
            kind: ExprKind::Index(Box::new(map), Box::new(index.clone())),
            ty,
            span,
        }
    })
}

fn local(locals: &[Local], at: usize, span: Span) -> Expr {
    Expr {
        kind: ExprKind::Local(LocalId::from(at)),
        ty: locals[at].ty.clone(),
        span,
    }
}

/// Both, standing where the first one stands.
fn both(one: Expr, other: Expr) -> Expr {
    let span = one.span;
    binary(BinOp::And, one, other).at(span)
}

//! From voices to actions: processes with handlers as an action system.
//!
//! Statement. A message under way to a process with handlers is a pending async, and taking it is an action: of
//! the handlers of a family for one kind of message, with the member's indices, the sender's indices if the
//! handlers ask for the sender, and the payload as parameters ([`plainsong_ir::handlers`]). A state variable
//! of a family is a global map from its indices. `where` is what the action waits for.
//!
//! Why sound. A step of a process with handlers takes one message and runs the first handler that accepts it,
//! which reads and writes only that member's variables and sends; `init` is one step before all others. The action
//! does the same to the global maps, and creates one async for each message sent. So configurations of both are
//! the same up to names, with the same steps and failures, when messages come in any order. Other
//! delivery models allow fewer steps: what cannot fail, or never ends otherwise, does not under them either; but a
//! refutation of the actions says nothing about them ([`Handlers::ordered`]).
//!
//! *Final* differs: processes with handlers are quiescent when nothing can be taken, messages left over or not; an action
//! system ends with nothing pending. They agree when every message can be taken at any time; where one may
//! have to wait, [`Handlers::stays`] says so, and nothing is claimed about final states.
//!
//! NOT COVERED, and said so: processes with bodies, faults, addresses that are not written out, senders that are asked
//! for where several families send.

mod code;
mod state;

use crate::sequential::waits;
use code::{Inside, Outside, SendRewriter};
use plainsong_diagnostics::Span;
use plainsong_ir::build::truth;
use plainsong_ir::handlers::{Handling, Sender, written_address};
use plainsong_ir::visit::{VisitMut, walk_mut};
use plainsong_ir::{
    Accept, Action, ActionId, Actions, BinOp, Binder, Block, Body, Claim, Code, Delivery, Expr,
    ExprKind, FamilyId, GlobalId, Handled, Local, LocalId, MessageId, Process, Role,
    Sequentialization, Song, Source, StateVar, Stmt, StmtKind, System, Ty, VarId, Voices,
};

/// A song of voices as actions.
#[derive(Clone, Debug)]
pub struct Handlers {
    /// The action system.
    pub song: Song,
    /// Does some message keep an order? Then only what is proved carries over.
    pub ordered: bool,
    /// Why a message may have to wait, if one may; then final states are not the same.
    pub stays: Option<String>,
    /// What its sequentializations are called: by messages, not by the actions that handle them.
    pub names: Vec<String>,
}

/// The action system of a song whose processes have handlers, or why there is none.
pub fn voices_to_actions(song: &Song) -> Result<Handlers, String> {
    let voices = song.voices().ok_or("there are no processes")?;
    let making = ActionBuilder {
        song,
        voices,
        rows: voices.handlings(),
    };
    making.covered()?;
    let actions: Vec<Action> = (0..making.rows.len())
        .map(|at| making.action(at))
        .collect::<Result<_, _>>()?;
    let stays = actions.iter().find(|action| waits(&action.code.body));
    let stays = stays.map(|action| {
        let name = &action.name;
        format!("`{name}` may have to wait for ever, and then nothing is said about final states")
    });
    let ordered = voices.messages.iter().any(|message| {
        message
            .delivery
            .is_some_and(|delivery| delivery != Delivery::Unordered)
    });
    let mut whole = song.clone();
    for property in &mut whole.properties {
        if let Claim::Finally(claim) | Claim::Always(claim) = &mut property.claim {
            Outside(&making).expr(claim);
        }
    }
    whole.system = System::Actions(Actions {
        globals: making.globals(),
        actions,
        init: voices
            .init
            .as_ref()
            .map(|init| making.init(init))
            .transpose()?,
        sequences: voices
            .sequences
            .iter()
            .map(|one| making.sequence(one))
            .collect(),
        ..Actions::default()
    });
    Ok(Handlers {
        song: whole,
        ordered,
        stays,
        names: (song.sequences().iter())
            .map(|one| song.sequence_name(one))
            .collect(),
    })
}

struct ActionBuilder<'s> {
    song: &'s Song,
    voices: &'s Voices,
    rows: Vec<Handling>,
}

impl ActionBuilder<'_> {
    fn covered(&self) -> Result<(), String> {
        if !self.voices.faults.is_empty() {
            return Err("schedules of programs with faults are not covered".to_owned());
        }
        for process in &self.voices.processes {
            let name = &self.song.families[process.family.index()].name;
            if matches!(&process.body, Body::Sequential(body) if !body.is_empty()) {
                return Err(format!(
                    "`{name}` has a body; schedules speak about processes with handlers"
                ));
            }
        }
        for row in &self.rows {
            if row.sender == Sender::Unclear {
                let name = self.row_name(row);
                return Err(format!(
                    "the handlers of `{name}` ask who sent it, and not only one family does"
                ));
            }
        }
        Ok(())
    }

    fn message_name(&self, message: MessageId) -> &str {
        &self.voices.messages[message.index()].name
    }

    /// The name of the message; with the family if several handle it.
    fn row_name(&self, row: &Handling) -> String {
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

    fn init(&self, code: &Code) -> Result<Code, String> {
        let mut code = code.clone();
        let mut sending = SendRewriter {
            making: self,
            sender: None,
            wrong: None,
        };
        sending.block(&mut code.body);
        sending.wrong.map_or(Ok(code), Err)
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

    fn action(&self, number: usize) -> Result<Action, String> {
        let row = &self.rows[number];
        let mut processes = self.voices.processes.iter();
        let process = processes.find(|process| process.family == row.family);
        let process = process.expect("a handling is of a process");
        let parameters = self.parameters(row, process);
        let arity = parameters.len();
        let mut locals = parameters;
        locals.extend(process.locals.iter().cloned());
        let Body::Handlers(handlers) = &process.body else {
            return Err("there are no handlers".to_owned());
        };
        let own = handlers
            .iter()
            .filter(|handler| handler.accept.message == row.message);
        let mut cases = Vec::new();
        let mut span = Span::default();
        for handler in own {
            span = if cases.is_empty() {
                handler.accept.span
            } else {
                span
            };
            cases.push(self.case(row, (&handler.accept, &handler.body), &locals[..arity])?);
        }
        Ok(Action {
            name: self.row_name(row),
            code: Code {
                arity,
                locals,
                body: chained(cases, span),
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
    fn parameters(&self, row: &Handling, process: &Process) -> Vec<Local> {
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
        row: &Handling,
        (accept, body): (&Accept, &Block),
        parameters: &[Local],
    ) -> Result<(Option<Expr>, Block), String> {
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
        let mut parts = Vec::new();
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
        let mut inside = Inside {
            making: self,
            family: row.family,
            member: member.to_vec(),
            names,
            by: parameters.len(),
            wrong: None,
        };
        if let Some(filter) = &accept.filter {
            let mut filter = filter.clone();
            inside.expr(&mut filter);
            parts.push(filter);
        }
        let mut body = body.clone();
        inside.block(&mut body);
        if let Some(why) = inside.wrong {
            return Err(why);
        }
        let condition = parts
            .into_iter()
            .reduce(|a, b| binary(BinOp::And, a, b, Ty::Bool));
        Ok((condition, body))
    }

    /// Is the sender the process that the handler names?
    fn is_sender(
        &self,
        row: &Handling,
        (mut address, family, from): (Expr, Option<FamilyId>, &[Expr]),
        names: &[(LocalId, Expr)],
    ) -> Result<Expr, String> {
        let span = address.span;
        let member = names[..self.indices(row.family).len()].iter();
        let mut inside = Inside {
            making: self,
            family: row.family,
            member: member.map(|(_, value)| value.clone()).collect(),
            names: names.to_vec(),
            by: 0,
            wrong: None,
        };
        inside.expr(&mut address);
        let Some((named, indices)) = written_address(&address, None) else {
            return Err("a handler asks for a sender that is not written out".to_owned());
        };
        if family != Some(named) {
            return Ok(truth(false).at(span));
        }
        let pairs = indices.iter().zip(from);
        let parts = pairs.map(|(a, b)| binary(BinOp::Eq, a.clone(), b.clone(), Ty::Bool));
        let all = parts.reduce(|a, b| binary(BinOp::And, a, b, Ty::Bool));
        Ok(all.unwrap_or_else(|| truth(true).at(span)))
    }

    /// The async of a message that is sent.
    fn sent(
        &self,
        sender: Option<(FamilyId, &[Expr])>,
        (message, payload, address): (MessageId, &[Expr], &Expr),
    ) -> Result<StmtKind, String> {
        let name = self.message_name(message);
        let Some((family, indices)) = written_address(address, None) else {
            return Err(format!(
                "`{name}` is sent to an address that is not written out"
            ));
        };
        let mut rows = self.rows.iter();
        let found = rows.position(|row| row.family == family && row.message == message);
        let Some(number) = found else {
            let who = &self.song.families[family.index()].name;
            return Err(format!(
                "`{name}` is sent to `{who}`, which does not handle it"
            ));
        };
        let mut arguments = indices.to_vec();
        if let (Sender::Family(_), Some((_, own))) = (self.rows[number].sender, sender) {
            arguments.extend(own.iter().cloned());
        }
        arguments.extend(payload.iter().cloned());
        Ok(StmtKind::Async(ActionId::from(number), arguments))
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

fn binary(op: BinOp, a: Expr, b: Expr, ty: Ty) -> Expr {
    let span = a.span;
    Expr {
        kind: ExprKind::Binary(op, Box::new(a), Box::new(b)),
        ty,
        span,
    }
}

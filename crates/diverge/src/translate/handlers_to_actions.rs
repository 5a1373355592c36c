//! Processes with handlers as actions on global variables.
//!
//! Statement. The actions do what the handlers do: a message under way is a pending async of the action of its kind and
//! its receiver's family, with the receiver's indices before the payload.
//!
//! Why sound. Handlers run to completion and touch only their own process, whose variables are a row of the global maps;
//! messages delivered `unordered` are a bag, as asyncs are. A handler's `where` is an `assume`: in an action that means
//! *not now*. A message that no handler of its receiver's family takes is never served, and is left out.
//!
//! NOT COVERED. Bodies, faults, queues, handlers that ask for the sender, addresses that are values. They are refused.

use super::Refused;
use super::names::Names;
use crate::terms::{expr, global, index, local, named, stmt};
use plainsong_diagnostics::Span;
use plainsong_ir::visit::{VisitMut, walk_mut};
use plainsong_ir::{
    Access, Action, ActionId, Actions, Block, Body, Choice, Code, Delivery, Domain, Expr, ExprKind,
    Family, FamilyId, Global, GlobalId, Handler, Local, LocalId, MessageId, Place, Process, Role,
    Root, Song, Source, StartValue, StateVar, Stmt, StmtKind, System, Ty, VarId, Voices,
};
use std::collections::BTreeMap;

/// The song with actions in place of processes, and without properties.
pub(super) fn handlers_to_actions(song: &Song) -> Result<Song, Refused> {
    let voices = song.voices().expect("processes");
    refuse(song, voices)?;
    let mut names = Names::of(&Song {
        families: Vec::new(),
        system: System::None,
        ..song.clone()
    });
    let mut writer = Writer {
        song,
        voices,
        globals: BTreeMap::new(),
        actions: BTreeMap::new(),
    };
    let mut actions = Actions::default();
    for process in &voices.processes {
        writer.variables(process, &mut names, &mut actions)?;
    }
    writer.name_actions(&mut names);
    let mut named: Vec<_> = writer.actions.clone().into_iter().collect();
    named.sort_by_key(|(_, (id, _))| *id);
    for ((message, family), (_, name)) in named {
        actions.actions.push(writer.action(message, family, name)?);
    }
    if let Some(init) = &voices.init {
        let mut init = init.clone();
        writer.rewritten(None, &BTreeMap::new(), &mut init.body)?;
        actions.init = Some(init);
    }
    Ok(Song {
        families: Vec::new(),
        system: System::Actions(actions),
        properties: Vec::new(),
        lines: Vec::new(),
        ..song.clone()
    })
}

fn refuse(song: &Song, voices: &Voices) -> Result<(), Refused> {
    if let Some(fault) = voices.faults.first() {
        return Err(Refused::new(fault.span, "faults are not translated"));
    }
    for process in &voices.processes {
        if matches!(process.body, Body::Sequential(_)) {
            let span = song.families[process.family.index()].span;
            let why = "a process with a body is not translated, only handlers are";
            return Err(Refused::new(span, why));
        }
    }
    for message in &voices.messages {
        let is_bag = matches!(message.delivery, None | Some(Delivery::Unordered));
        if !is_bag {
            let why = "messages in queues are not translated, only unordered ones are";
            return Err(Refused::new(message.span, why));
        }
    }
    Ok(())
}

/// Kinds of messages and the families that have a handler for them, one action for each.
pub(super) fn takers(voices: &Voices) -> Vec<(MessageId, FamilyId)> {
    let messages = (0..voices.messages.len()).map(MessageId::from);
    let all = messages.flat_map(|message| {
        let takes = move |process: &&Process| {
            let mut handlers = handlers(process).iter();
            handlers.any(|one| one.accept.message == message)
        };
        let processes = voices.processes.iter().filter(takes);
        processes.map(move |process| (message, process.family))
    });
    all.collect()
}

fn handlers(process: &Process) -> &[Handler] {
    match &process.body {
        Body::Handlers(handlers) => handlers,
        Body::Sequential(_) => &[],
    }
}

struct Writer<'s> {
    song: &'s Song,
    voices: &'s Voices,
    globals: BTreeMap<(FamilyId, VarId), GlobalId>,
    /// The action of each kind of message in each family that has a handler for it.
    actions: BTreeMap<(MessageId, FamilyId), (ActionId, String)>,
}

impl Writer<'_> {
    fn family(&self, id: FamilyId) -> &Family {
        &self.song.families[id.index()]
    }

    fn variables(
        &mut self,
        process: &Process,
        names: &mut Names,
        actions: &mut Actions,
    ) -> Result<(), Refused> {
        for (at, var) in self.family(process.family).vars.clone().iter().enumerate() {
            let family = self.family(process.family);
            let name = format!("{}_{}", family.name, var.name);
            let id = GlobalId::from(actions.globals.len());
            let ty = (family.index.iter().rev()).fold(var.ty.clone(), |ty, binder| {
                Ty::Map(Box::new(binder.ty.clone()), Box::new(ty))
            });
            let (start, locals) = self.start(process.family, var, &ty)?;
            actions.globals.push(Global {
                name: names.fresh(&name),
                ty,
                start,
                locals,
                linear: false,
                share: None,
                layers: None,
                span: var.span,
            });
            self.globals.insert((process.family, VarId::from(at)), id);
        }
        Ok(())
    }

    fn start(
        &self,
        family: FamilyId,
        var: &StateVar,
        ty: &Ty,
    ) -> Result<(StartValue, Vec<Local>), Refused> {
        let indices = self.family(family).index.len();
        let mut locals = var.locals.clone();
        let mut rewriter = self.rewriter(Some(family), (0..indices).map(LocalId::from).collect());
        let start = match &var.start {
            StartValue::Value(value) => {
                let mut value = value.clone();
                rewriter.expr(&mut value);
                let mapped = (0..indices).rev().fold(value, |value, at| {
                    let key = locals[at].ty.clone();
                    let ty = Ty::Map(Box::new(key), Box::new(value.ty.clone()));
                    expr(ExprKind::MapOf(LocalId::from(at), Box::new(value)), ty)
                });
                StartValue::Value(mapped)
            }
            StartValue::Choice(choice) if indices == 0 => {
                let mut choice = choice.clone();
                rewriter.choice(&mut choice);
                StartValue::Choice(choice)
            }
            StartValue::Choice(choice) => {
                let is_free = choice.filter.is_none() && matches!(choice.domain, Domain::Type(_));
                if !is_free {
                    let why = "the start of a family's variable is translated when it is a value, or any value of its type";
                    return Err(Refused::new(var.span, why));
                }
                locals = vec![named(&var.name, ty)];
                StartValue::Choice(Choice {
                    local: LocalId::from(0),
                    domain: Domain::Type(ty.clone()),
                    filter: None,
                })
            }
        };
        rewriter.refused.map_or(Ok((start, locals)), Err)
    }

    fn handlers(&self, family: FamilyId) -> &[Handler] {
        let is_it = |process: &&Process| process.family == family;
        let process = self.voices.processes.iter().find(is_it);
        process.map_or(&[], handlers)
    }

    fn name_actions(&mut self, names: &mut Names) {
        let all = takers(self.voices);
        for (at, (message, family)) in all.iter().enumerate() {
            let known = &self.voices.messages[message.index()].name;
            let name = match all.iter().filter(|(other, _)| other == message).count() {
                1 => known.clone(),
                _ => format!("{known}_{}", self.family(*family).name),
            };
            let action = (ActionId::from(at), names.fresh(&name));
            self.actions.insert((*message, *family), action);
        }
    }

    /// What a family does with a kind of message.
    fn action(
        &self,
        message: MessageId,
        family: FamilyId,
        name: String,
    ) -> Result<Action, Refused> {
        let fields = &self.voices.messages[message.index()].fields;
        let indices = &self.family(family).index;
        let parameters = indices.iter().chain(fields);
        let mut locals: Vec<Local> = parameters.map(|one| named(&one.name, &one.ty)).collect();
        let arity = locals.len();
        let is_process = |process: &&Process| process.family == family;
        let process = self.voices.processes.iter().find(is_process);
        let process = process.expect("a process of the family");
        let mut ways: Vec<Block> = Vec::new();
        for handler in self.handlers(family) {
            if handler.accept.message != message {
                continue;
            }
            if handler.accept.source != Source::Anyone(None) {
                let why = "a handler that asks for the sender is not translated";
                return Err(Refused::new(handler.accept.span, why));
            }
            let mut renamed: BTreeMap<LocalId, LocalId> = (0..indices.len())
                .map(|at| (LocalId::from(at), LocalId::from(at)))
                .collect();
            for (at, slot) in handler.accept.slots.iter().enumerate() {
                if let Some(slot) = slot {
                    renamed.insert(*slot, LocalId::from(indices.len() + at));
                    locals[indices.len() + at].name = process.locals[slot.index()].name.clone();
                }
            }
            for (at, one) in process.locals.iter().enumerate() {
                let id = LocalId::from(at);
                renamed.entry(id).or_insert_with(|| {
                    locals.push(one.clone());
                    LocalId::from(locals.len() - 1)
                });
            }
            let filter = handler.accept.filter.iter();
            let filter = filter.map(|filter| stmt(StmtKind::Assume(filter.clone())));
            let mut body: Block = filter.chain(handler.body.iter().cloned()).collect();
            self.rewritten(Some(family), &renamed, &mut body)?;
            ways.push(body);
        }
        let body = ways
            .into_iter()
            .reduce(|one, other| vec![stmt(StmtKind::Maybe(one, other))]);
        Ok(Action {
            name,
            code: Code {
                arity,
                locals,
                body: body.unwrap_or_default(),
            },
            role: Role::default(),
            span: self.voices.messages[message.index()].span,
        })
    }

    fn rewriter(&self, family: Option<FamilyId>, own: Vec<LocalId>) -> Rewriter<'_> {
        Rewriter {
            writer: self,
            family,
            own,
            renamed: BTreeMap::new(),
            refused: None,
        }
    }

    fn rewritten(
        &self,
        family: Option<FamilyId>,
        renamed: &BTreeMap<LocalId, LocalId>,
        body: &mut Block,
    ) -> Result<(), Refused> {
        let indices = family.map_or(0, |family| self.family(family).index.len());
        let mut rewriter = self.rewriter(family, (0..indices).map(LocalId::from).collect());
        rewriter.renamed = renamed.clone();
        rewriter.block(body);
        rewriter.refused.map_or(Ok(()), Err)
    }
}

/// Own variables become rows of global maps, sends asyncs.
struct Rewriter<'w> {
    writer: &'w Writer<'w>,
    family: Option<FamilyId>,
    /// The indices of the process whose code it is.
    own: Vec<LocalId>,
    renamed: BTreeMap<LocalId, LocalId>,
    refused: Option<Refused>,
}

impl Rewriter<'_> {
    fn refuse(&mut self, span: Span, why: &str) {
        self.refused.get_or_insert(Refused::new(span, why));
    }

    fn indices(&self) -> Vec<Expr> {
        let family = self.family.map(|family| &self.writer.family(family).index);
        let binders = family.into_iter().flatten();
        let indices = self.own.iter().zip(binders);
        indices.map(|(at, one)| local(*at, &one.ty)).collect()
    }

    fn global(&self, var: VarId) -> (GlobalId, Ty) {
        let family = self.family.expect("only processes have variables");
        let known = self.writer.family(family);
        let ty = (known.index.iter().rev())
            .fold(known.vars[var.index()].ty.clone(), |ty, binder| {
                Ty::Map(Box::new(binder.ty.clone()), Box::new(ty))
            });
        (self.writer.globals[&(family, var)], ty)
    }

    fn receiver(&self, address: &Expr) -> Option<(FamilyId, Vec<Expr>)> {
        match &address.kind {
            ExprKind::Pid(family, indices) => Some((*family, indices.clone())),
            ExprKind::SelfPid => Some((self.family?, self.indices())),
            _ => None,
        }
    }
}

impl VisitMut for Rewriter<'_> {
    fn expr(&mut self, one: &mut Expr) {
        match &one.kind {
            ExprKind::Own(var) => {
                let (id, ty) = self.global(*var);
                *one = (self.indices().into_iter()).fold(global(id, &ty), index);
            }
            ExprKind::Pid(..) | ExprKind::SelfPid => {
                self.refuse(one.span, "addresses that are values are not translated");
            }
            _ => walk_mut::expr(self, one),
        }
    }

    fn place(&mut self, place: &mut Place) {
        walk_mut::place(self, place);
        if let Root::Own(var) = place.root {
            let indices = self.indices().into_iter().map(Access::Index);
            place.path.splice(0..0, indices);
            place.root = Root::Global(self.global(var).0);
        }
    }

    fn block(&mut self, block: &mut Block) {
        walk_mut::block(self, block);
        // What nobody takes was left an empty `if`.
        block.retain(|one| !is_nothing(one));
    }

    fn stmt(&mut self, one: &mut Stmt) {
        let StmtKind::Send(message, arguments, address) = &mut one.kind else {
            walk_mut::stmt(self, one);
            return;
        };
        let Some((family, mut all)) = self.receiver(address) else {
            self.refuse(
                one.span,
                "a send to an address that is a value is not translated",
            );
            return;
        };
        // Indices of `self` are renamed already.
        if matches!(address.kind, ExprKind::Pid(..)) {
            all.iter_mut().for_each(|one| self.expr(one));
        }
        arguments.iter_mut().for_each(|one| self.expr(one));
        all.append(arguments);
        one.kind = match self.writer.actions.get(&(*message, family)) {
            Some((action, _)) => StmtKind::Async(*action, all),
            None => nothing(),
        };
    }

    fn binds(&mut self, local: &mut LocalId) {
        self.uses(local);
    }

    fn uses(&mut self, local: &mut LocalId) {
        if let Some(new) = self.renamed.get(local) {
            *local = *new;
        }
    }
}

fn nothing() -> StmtKind {
    StmtKind::If(crate::terms::truth(true), Vec::new(), Vec::new())
}

fn is_nothing(one: &Stmt) -> bool {
    one.kind == nothing()
}

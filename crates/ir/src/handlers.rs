//! The handlers of a song of voices, numbered like actions; behind them, what bodies receive.
//!
//! A message in flight to a process is a pending async: of the handlers of that family for that
//! kind of message, or of its receives, with the member's indices, the sender's indices if they ask for the sender, and
//! the payload as arguments. Schedules in songs of voices name them by these numbers.

use crate::visit::{any_stmt, each_stmt};
use crate::{
    Accept, ActionId, Block, Body, ExprKind, FamilyId, MessageId, Process, Song, Source, StmtKind,
    Ty, Voices,
};
use std::collections::BTreeSet;

/// What a process family does with one kind of message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageAction {
    pub family: FamilyId,
    /// The kind of message.
    pub message: MessageId,
    /// Whose message it is, if the handlers ask.
    pub sender: Sender,
}

/// The part of the sender in what a handler does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sender {
    /// The handlers do not ask.
    Unasked,
    /// They ask, and only this family sends such messages.
    Family(FamilyId),
    /// They ask, and several send such messages, or `init` does.
    Unclear,
}

/// Every family with every kind of message that it handles, in the order of the text; then those of bodies, which
/// receive it.
pub fn message_actions(processes: &[Process], init: Option<&Block>) -> Vec<MessageAction> {
    let has_handlers = |one: &&Process| matches!(one.body, Body::Handlers(_));
    let (first, last): (Vec<&Process>, Vec<&Process>) = processes.iter().partition(has_handlers);
    let mut rows: Vec<MessageAction> = Vec::new();
    for process in first.into_iter().chain(last) {
        let accepts = accepted(process);
        for accept in &accepts {
            let (family, message) = (process.family, accept.message);
            if rows
                .iter()
                .any(|row| row.family == family && row.message == message)
            {
                continue;
            }
            let mut own = accepts.iter();
            let asked = own.any(|accept| accept.message == message && asks(accept));
            let sender = match asked {
                false => Sender::Unasked,
                true => sender(processes, init, message),
            };
            rows.push(MessageAction {
                family,
                message,
                sender,
            });
        }
    }
    rows
}

/// What a process accepts, by its handlers or where its body receives, in the order of the text.
fn accepted(process: &Process) -> Vec<Accept> {
    match &process.body {
        Body::Handlers(handlers) => handlers.iter().map(|one| one.accept.clone()).collect(),
        Body::Sequential(block) => {
            let mut accepts = Vec::new();
            each_stmt(block, |stmt| match &stmt.kind {
                StmtKind::Receive(accept) => accepts.push(accept.clone()),
                StmtKind::Select(arms, _) => {
                    accepts.extend(arms.iter().map(|(accept, _)| accept.clone()));
                }
                _ => {}
            });
            accepts
        }
    }
}

impl Voices {
    /// Every family with every kind of message that it handles; schedules number them like this.
    pub fn message_actions(&self) -> Vec<MessageAction> {
        message_actions(&self.processes, self.init.as_ref().map(|init| &init.body))
    }
}

impl MessageAction {
    /// The types of the arguments: the member's indices, the sender's, the payload.
    pub fn parameters(&self, song: &Song) -> Vec<Ty> {
        let indices = |family: FamilyId| {
            let row = song.families.get(family.index());
            row.into_iter().flat_map(|row| &row.index)
        };
        let sender = match self.sender {
            Sender::Family(family) => Some(family),
            _ => None,
        };
        let message = song
            .voices()
            .and_then(|voices| voices.messages.get(self.message.index()));
        let fields = message.into_iter().flat_map(|row| &row.fields);
        indices(self.family)
            .chain(sender.into_iter().flat_map(indices))
            .chain(fields)
            .map(|binder| binder.ty.clone())
            .collect()
    }
}

impl Song {
    /// The sequentializations of a song, of actions or of voices.
    pub fn sequences(&self) -> &[crate::Sequentialization] {
        match &self.system {
            crate::System::None => &[],
            crate::System::Voices(voices) => &voices.sequences,
            crate::System::Actions(actions) => &actions.sequences,
        }
    }

    /// What a sequentialization is called in answers: `sequentialize.A.B`.
    pub fn sequence_name(&self, sequence: &crate::Sequentialization) -> String {
        let mut names = vec!["sequentialize"];
        let eliminated = sequence.eliminated.iter();
        names.extend(eliminated.filter_map(|one| self.called_name(one.action)));
        names.dedup();
        names.join(".")
    }

    /// What a schedule calls: an action, or a kind of message.
    pub fn called_name(&self, id: ActionId) -> Option<&str> {
        match &self.system {
            crate::System::Actions(actions) => Some(&actions.actions.get(id.index())?.name),
            crate::System::Voices(voices) => {
                let row = *voices.message_actions().get(id.index())?;
                Some(&voices.messages.get(row.message.index())?.name)
            }
            crate::System::None => None,
        }
    }
}

/// Does it matter who sent the message?
pub(crate) fn asks(accept: &Accept) -> bool {
    match &accept.source {
        Source::Anyone(who) => who.is_some(),
        Source::Family(..) | Source::Process(_) => true,
    }
}

/// Who sends messages of a kind.
fn sender(processes: &[Process], init: Option<&Block>, message: MessageId) -> Sender {
    if init.is_some_and(|block| sends(block, message)) {
        return Sender::Unclear;
    }
    let families = processes
        .iter()
        .filter(|process| match &process.body {
            Body::Sequential(block) => sends(block, message),
            Body::Handlers(handlers) => {
                handlers.iter().any(|handler| sends(&handler.body, message))
            }
        })
        .map(|process| process.family);
    let families: BTreeSet<FamilyId> = families.collect();
    match families.len() {
        1 => Sender::Family(families.into_iter().next().expect("there is one")),
        _ => Sender::Unclear,
    }
}

fn sends(block: &Block, message: MessageId) -> bool {
    any_stmt(
        block,
        |stmt| matches!(&stmt.kind, StmtKind::Send(kind, ..) if *kind == message),
    )
}

/// The family and the indices of an address that is written out.
pub fn written_address(
    address: &crate::Expr,
    me: Option<FamilyId>,
) -> Option<(FamilyId, &[crate::Expr])> {
    match &address.kind {
        ExprKind::Pid(family, indices) => Some((*family, indices)),
        ExprKind::SelfPid => Some((me?, &[])),
        _ => None,
    }
}

//! The process behind a shared channel.

use crate::channel::Receiver;
use crate::message::{Envelope, Info, Message, Role, Value, copy};
use crate::pattern::Arm;
use crate::process::Process;
use crate::receive::receive_wanted;
use crate::sync::server::{Desk, Place, protocol, start};
use crate::task::Fed;
use plainsong_explore::{Graph, Kind, Read, Want};
use std::fmt;

protocol! {
    /// Wants a message.
    Take {
        /// Does it have to get one?
        pub(crate) is_sure: bool,
    } Plumbing "a request"
    /// The message was received by somebody.
    HandedOver {} Plumbing "handed over"
}

/// The message.
pub(super) struct Given<T> {
    pub(super) message: T,
    pub(super) info: Info,
}

impl<T: Message> Value for Given<T> {
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message.fmt(f)
    }

    fn duplicate(&self) -> Option<Box<dyn Value>> {
        None
    }

    fn role(&self) -> Role {
        Role::Deed
    }
}

/// Starts the process. When there is no room at all, it tells senders that their message was received.
pub(super) fn start_channel<T: Message>(
    name: &str,
    receiver: Receiver<T>,
    tells_senders: bool,
    made_at: Place,
) -> Process {
    start("channel", Some(name.to_owned()), made_at, move |desk| {
        serve(desk, &receiver, tells_senders);
    })
}

fn serve<T: Message>(desk: &Desk, receiver: &Receiver<T>, tells_senders: bool) {
    let arms: [Arm; 2] = [desk.of::<Take>(), receiver.messages().arm];
    loop {
        let task = &desk.task;
        let both = receive_wanted(task, &arms, desk.made_at, Want::Each, Vec::new());
        let Fed::Messages(both) = both else {
            task.unfit("hand a message over", desk.made_at)
        };
        let is_request = |message: &&std::rc::Rc<Envelope>| message.is::<Take>();
        let request = both.iter().find(is_request);
        let message = both.iter().find(|message| !is_request(message));
        let (Some(request), Some(message)) = (request, message) else {
            task.unfit("hand a message over", desk.made_at)
        };
        let value: &T = message.get().expect("messages are selected by type");
        let given = Given {
            message: copy(value),
            info: message.info.clone(),
        };
        desk.reply(request, given);
        if tells_senders {
            desk.reply(message, HandedOver {});
        }
    }
}

/// Does somebody wait for a message that it was sure to get? Then this is no execution.
pub(crate) fn is_in_vain(graph: &Graph<crate::machine::Machine>) -> bool {
    graph.order().iter().any(|&id| {
        let event = graph.event(id);
        match &event.kind {
            Kind::Send { message, .. } if event.read == Read::None => {
                message.get::<Take>().is_some_and(|take| take.is_sure)
            }
            _ => false,
        }
    })
}

//! Which messages are sent and received anywhere in the file.

use super::Lowering;
use super::codes::suspicions::{NEVER_RECEIVED, NEVER_SENT, UNUSED_MESSAGE};
use plainsong_diagnostics::Diagnostic;
use plainsong_ir::MessageId;
use std::collections::BTreeSet;

/// The messages seen so far.
#[derive(Debug, Default)]
pub(crate) struct Traffic {
    sent: BTreeSet<MessageId>,
    received: BTreeSet<MessageId>,
}

impl Traffic {
    /// Someone sends it.
    pub(crate) fn sent(&mut self, message: MessageId) {
        self.sent.insert(message);
    }

    /// Someone receives it.
    pub(crate) fn received(&mut self, message: MessageId) {
        self.received.insert(message);
    }
}

impl Lowering<'_> {
    /// Warns about messages that are not both sent and received.
    pub(crate) fn unused_messages(&mut self) {
        for at in 0..self.messages.len() {
            let id = MessageId::from(at);
            let (name, span) = (&self.messages[at].name, self.messages[at].span);
            let sent = self.traffic.sent.contains(&id);
            let warning = match (sent, self.traffic.received.contains(&id)) {
                (true, true) => continue,
                (true, false) => Diagnostic::warning(
                    &NEVER_RECEIVED,
                    span,
                    format!("`{name}` is sent but never received"),
                ),
                (false, true) => Diagnostic::warning(
                    &NEVER_SENT,
                    span,
                    format!("`{name}` is received but never sent"),
                ),
                (false, false) => Diagnostic::warning(
                    &UNUSED_MESSAGE,
                    span,
                    format!("`{name}` is neither sent nor received"),
                ),
            };
            self.report(warning);
        }
    }
}

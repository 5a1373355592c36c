//! The handlers of one process. A handler sends only kinds of messages declared after the one it
//! handles, so reactions come to an end.

use super::Small;
use super::plan::Plan;
use crate::random_song::scope::Home;
use plainsong_ir::{FamilyId, Handler, MessageId};

impl Small {
    /// One or two handlers for messages that the process is sent.
    pub(super) fn handlers(&mut self, family: FamilyId, plan: &Plan) -> Vec<Handler> {
        self.composer.scope.home = Home::Handler;
        let mut messages: Vec<(MessageId, Option<FamilyId>)> = Vec::new();
        for step in plan.steps.iter().filter(|step| step.to == family) {
            messages.push((step.message, Some(step.from)));
        }
        if messages.is_empty() {
            messages.push((self.some_message(), None));
        }
        messages.truncate(2);
        messages
            .into_iter()
            .map(|(message, from)| self.handler(message, from))
            .collect()
    }

    fn handler(&mut self, message: MessageId, from: Option<FamilyId>) -> Handler {
        let before = self.composer.scope.visible.len();
        let (accept, mut body) = self.accept(message, from);
        let later = message.index() + 1;
        if later < self.composer.messages.len() && self.composer.dice.once_in(3) {
            let to = self.some_family();
            if self.members[to.index()] == 1 {
                body.extend(self.sends(MessageId::from(later), to, None));
            }
        }
        self.composer.scope.visible.truncate(before);
        Handler { accept, body }
    }
}

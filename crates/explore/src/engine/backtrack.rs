//! Going back to the newest event that has another outcome.
//!
//! Events are removed in place. A revisit has deleted events out of the middle: they were kept, and are put
//! back.

use super::{Engine, Frame, Outcomes};
use crate::backward_revisit::Cut;
use crate::mailbox_order::SendOrder;
use crate::program::Program;
use crate::revisit::Turn;

impl<P: Program> Engine<'_, P> {
    /// Goes back to the newest event with another outcome and takes that; false when there is none.
    pub(super) fn backtrack(&mut self) -> bool {
        while let Some(mut frame) = self.stack.pop() {
            self.remember(frame.depth);
            self.go_back(&mut frame);
            if frame.next >= frame.end {
                continue;
            }
            let taken = frame.next;
            frame.next += 1;
            self.path.truncate(frame.depth);
            self.path.push(taken);
            self.counted = (self.tally.events, self.tally.revisits);
            self.take(&mut frame, taken);
            self.decided = true;
            let has_undo = matches!(
                frame.outcomes,
                Outcomes::Revisits { undo: Some(_), .. } | Outcomes::Stores { undo: Some(_), .. }
            );
            if frame.next < frame.end || has_undo {
                self.stack.push(frame);
            } else if let Outcomes::Reads(reads) = frame.outcomes {
                self.spare_reads.push(reads);
            }
            return true;
        }
        false
    }

    /// Makes the graph what it was before, or for a send just after, the event was inserted.
    pub(super) fn go_back(&mut self, frame: &mut Frame<P>) {
        match &mut frame.outcomes {
            Outcomes::Options { .. } | Outcomes::Reads(_) | Outcomes::ReceivableSets(_) => {
                self.cut(frame.before);
            }
            Outcomes::Revisits { undo, .. } => match undo.take() {
                Some(undo) => {
                    let (cut, order) = *undo;
                    self.cut(frame.before + 1 - cut.deleted().count());
                    self.restore(cut, order);
                }
                None => self.cut(frame.before + 1),
            },
            Outcomes::Stores { undo, .. } => match undo.take() {
                Some(undo) => {
                    let (cut, order) = *undo;
                    self.cut(frame.before + 1 - cut.deleted().count());
                    self.take_store_back(frame.event, cut, order);
                }
                None => self.cut(frame.before),
            },
        }
    }

    /// Takes an outcome of an event, from where [`Engine::go_back`] leads.
    pub(super) fn take(&mut self, frame: &mut Frame<P>, taken: u32) {
        self.cursor = match frame.outcomes {
            Outcomes::Revisits { .. } | Outcomes::Stores { .. } => 0,
            _ if self.restored => 0,
            // When the event was picked, nobody before its thread had anything to do.
            _ => self.graph.rank(frame.event.thread),
        };
        self.restored = false;
        match &mut frame.outcomes {
            Outcomes::Options { least } => {
                let value = *least + taken;
                self.set_choice(frame.event, value);
                self.insert(frame.event.thread, None);
            }
            Outcomes::Reads(reads) => {
                self.read(frame.event.thread, reads[taken as usize]);
            }
            Outcomes::ReceivableSets(receivable_sets) => {
                self.take_some(frame.event.thread, &receivable_sets[taken as usize]);
            }
            Outcomes::Revisits { turns, undo } => {
                *undo = Some(Box::new(self.revisit(&turns[taken as usize - 1])));
            }
            Outcomes::Stores { outcomes, undo } => {
                *undo = self.take_store(frame.event, &outcomes[taken as usize]);
            }
        }
    }

    /// Removes events until `length` are left.
    pub(super) fn cut(&mut self, length: usize) {
        while self.graph.order().len() > length {
            let id = self.graph.remove_last();
            self.order.removed(id, self.graph.order().len());
        }
    }

    /// Turns a receive round, without what came after it.
    pub(super) fn revisit(&mut self, turn: &Turn) -> (Cut<P>, SendOrder) {
        self.tally.revisits += self.news();
        let receive = turn.receive;
        let cut = self.graph.revisit(turn);
        self.cursor = 0;
        let order = std::mem::replace(&mut self.order, self.spare.pop().unwrap_or_default());
        self.order.reset();
        self.answer_changed(receive);
        (cut, order)
    }

    /// Undoes a revisit.
    pub(super) fn restore(&mut self, cut: Cut<P>, order: SendOrder) {
        let receive = cut.receive(&self.graph);
        self.program.forget(receive.thread, receive.index as usize);
        for id in cut.deleted() {
            self.program.forget(id.thread, id.index as usize);
        }
        self.graph.restore(cut);
        self.restored = true;
        self.spare.push(std::mem::replace(&mut self.order, order));
    }
}

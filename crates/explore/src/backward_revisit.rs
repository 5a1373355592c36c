//! Backward revisit: events are deleted, and put back later.

use crate::event::{EventId, Kind, More, Read};
use crate::graph::{EventOf, Graph};
use crate::program::Program;
use crate::revisit::Turn;

/// An event that was deleted, with its clock and its view.
struct Deleted<P: Program> {
    id: EventId,
    event: EventOf<P>,
    clock: Box<[u32]>,
    /// Empty where memory is not used.
    view: Box<[u32]>,
}

/// Saved events and clocks, to be put back after a revisit.
pub(crate) struct Cut<P: Program> {
    /// Where in the insertion order the revisited receive stands.
    position: usize,
    /// The order after it, deleted events included.
    tail: Vec<EventId>,
    /// Deleted events, oldest first.
    deleted: Vec<Deleted<P>>,
    /// What the receive read before.
    read: Read,
    more: Option<Box<More>>,
}

impl<P: Program> Cut<P> {
    /// The receive that was turned round.
    pub(crate) fn receive(&self, graph: &Graph<P>) -> EventId {
        graph.order[self.position]
    }

    /// The events that were deleted, oldest first.
    pub(crate) fn deleted(&self) -> impl Iterator<Item = EventId> + '_ {
        self.deleted.iter().map(|deleted| deleted.id)
    }
}

impl<P: Program> Graph<P> {
    /// Deletes what was inserted after the receive and is not in the causal past of what stays, and
    /// makes it take something else.
    pub(crate) fn revisit(&mut self, turn: &Turn) -> Cut<P> {
        let Turn {
            receive,
            ref taking,
            ref kept,
        } = *turn;
        let position = self
            .order
            .iter()
            .rposition(|&id| id == receive)
            .expect("a revisited receive is in the graph");
        let tail = self.order.split_off(position + 1);
        let mut staying = Vec::with_capacity(tail.len());
        let mut deleted = Vec::new();
        let stays = |graph: &Self, id| kept.iter().any(|&send| graph.happens_before(id, send));
        staying.extend(tail.iter().copied().filter(|&id| stays(self, id)));
        for &id in tail.iter().rev() {
            if !stays(self, id) {
                self.unlink(id);
                self.threads[id.thread as usize].live -= 1;
                let view = match self.memory.is_used {
                    true => self.view(id).into(),
                    false => Box::default(),
                };
                deleted.push(Deleted {
                    id,
                    event: self.event(id).clone(),
                    clock: self.clock(id).into(),
                    view,
                });
            }
        }
        deleted.reverse();
        self.order.extend(staying);
        let event = self.event_mut(receive);
        let (read, more) = (event.read, event.more.clone());
        self.reread(receive, taking.read(), taking.more());
        self.clocks_are_settled();
        self.next_stamp = self.stamp_after_all();
        self.recount_running();
        self.memory.updating = self.is_update(receive).then_some(receive.thread);
        Cut {
            position,
            tail,
            deleted,
            read,
            more,
        }
    }

    /// Undoes [`Graph::revisit`]: nothing was inserted since, or it was removed again.
    pub(crate) fn restore(&mut self, cut: Cut<P>) {
        let receive = self.order[cut.position];
        self.reread(receive, cut.read, cut.more);
        self.threads[receive.thread as usize]
            .script
            .truncate(receive.index as usize + 1);
        self.order.truncate(cut.position + 1);
        for deleted in cut.deleted {
            let Deleted {
                id,
                event,
                clock,
                view,
            } = deleted;
            let thread = &mut self.threads[id.thread as usize];
            thread.script.truncate(id.index as usize);
            thread.script.push(event);
            thread.live += 1;
            thread.clocks.truncate(id.index as usize * self.stride);
            // Threads seen for the first time since then have made the rows wider.
            thread.clocks.extend_from_slice(&clock);
            thread
                .clocks
                .resize((id.index as usize + 1) * self.stride, 0);
            if self.memory.is_used {
                let view = if view.is_empty() { &clock } else { &view };
                thread.views.truncate(id.index as usize * self.stride);
                thread.views.extend_from_slice(view);
                let end = (id.index as usize + 1) * self.stride;
                thread.views.resize(end, 0);
            }
            self.relink(id);
        }
        self.order.extend(cut.tail);
        self.clocks_are_settled();
        self.next_stamp = self.stamp_after_all();
        self.recount_running();
        self.memory.updating = None;
    }

    fn stamp_after_all(&self) -> u32 {
        self.order
            .last()
            .map_or(0, |&last| self.event(last).stamp + 1)
    }

    /// Registers a restored event; its reads-from edge is known from both sides.
    fn relink(&mut self, id: EventId) {
        self.link(id);
        if let Kind::Spawn { thread, .. } = self.event(id).kind {
            // It may have been spawned with other code in between.
            self.threads[thread as usize].script.clear();
        }
        // A send that was read by an older receive has its reader in the graph already.
        if let (Kind::Send { .. }, Read::By(reader)) = (&self.event(id).kind, self.event(id).read) {
            let present = (reader.index as usize) < self.live(reader.thread);
            let takes_it = present && {
                let reader = self.event(reader);
                reader.reads().chain(reader.drops()).any(|send| send == id)
            };
            self.set_reader(id, takes_it.then_some(reader));
        }
    }

    /// Makes a receive, or a load, the last of its thread, read something else.
    fn reread(&mut self, receive: EventId, read: Read, more: Option<Box<More>>) {
        if self.access(receive).is_some() {
            self.event_mut(receive).read = read;
            self.set_clock(receive);
            return;
        }
        self.put_down(receive);
        let event = self.event_mut(receive);
        event.read = read;
        event.more = more;
        self.take_up(receive);
        self.set_clock(receive);
    }
}

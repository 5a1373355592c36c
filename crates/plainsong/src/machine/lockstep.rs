//! Everything again: each execution runs as a whole, in the order of its events.
//!
//! Processes that share state behind the exploration's back (an `Arc<Mutex<_>>`, say) see each
//! other only if they all run, and in a fixed order. Here every process is started again after each
//! execution, and all run in lockstep with the graph: when an event is inserted, its process goes on
//! to its next operation, causes first. What a process does is compared with the graph at every step.
//!
//! What is received is what was sent in the same run, not what the graph has from an earlier one: a
//! message may contain shared state, and that belongs to one execution.

use super::causality::missing_cause;
use super::{Broken, Machine, Step, describe, is_stop};
use crate::determinism_check::{Mismatch, at};
use crate::message::Envelope;
use crate::shared_context::World;
use crate::task::{Fed, Operation};
use plainsong_explore::{EventId, Graph, Kind, Op, Tid};
use std::rc::Rc;

impl Machine {
    /// Runs all processes up to where they are in the graph.
    pub(crate) fn perform(&mut self, graph: &Graph<Self>) -> bool {
        self.perform_together(graph).is_ok() && self.monitors_agree(graph)
    }

    /// A process that has another name than it had in the world before.
    pub(crate) fn renamed(&self, graph: &Graph<Self>, before: &World) -> Option<Mismatch> {
        for &id in graph.order() {
            if let Kind::Spawn { thread, .. } = graph.event(id).kind {
                let (was, is) = (before.name(thread), self.world.name(thread));
                if was != is {
                    let location = self.print(id).and_then(|print| print.location);
                    self.broken(
                        id.thread,
                        id.index as usize,
                        &at(&format!("spawn `{was}`"), location),
                        &at(&format!("spawn `{is}`"), location),
                    );
                    return self.world.mismatch.take();
                }
            }
        }
        None
    }

    pub(super) fn perform_together(&mut self, graph: &Graph<Self>) -> Step {
        let over = self.world.leaf_visited.replace(false);
        if over || self.processes.is_empty() {
            self.begin(graph)?;
        }
        self.done.resize(graph.threads(), 0);
        while let Some(&id) = graph.order().get(self.performed) {
            self.performed += 1;
            self.perform_with_causes(id, graph)?;
        }
        Ok(())
    }

    fn perform_with_causes(&mut self, id: EventId, graph: &Graph<Self>) -> Step {
        if missing_cause(graph, id, &self.done).is_none() {
            return self.perform_in_turn(id, graph);
        }
        let mut open = vec![id];
        while let Some(&next) = open.last() {
            if let Some(cause) = missing_cause(graph, next, &self.done) {
                open.push(cause);
                continue;
            }
            open.pop();
            self.perform_in_turn(next, graph)?;
        }
        Ok(())
    }

    /// Performs an event unless that was done before.
    fn perform_in_turn(&mut self, id: EventId, graph: &Graph<Self>) -> Step {
        let done = &mut self.done[id.thread as usize];
        if id.index != *done {
            return Ok(());
        }
        *done += 1;
        self.perform_event(id, graph)
    }

    /// Gives up everything and starts the first process.
    pub(super) fn begin(&mut self, graph: &Graph<Self>) -> Step {
        self.performed = 0;
        self.done.clear();
        self.give_up_everything();
        self.fresh.clear();
        for entry in &mut self.processes {
            entry.origin = None;
        }
        self.world.monitors.forget_all();
        self.start(0, graph)?;
        self.go_on(0, graph)
    }

    /// What a process does after its first `kept` operations is not known any more, nor what its
    /// children do that it spawns there.
    pub(super) fn forget_prints(&mut self, process: Tid, kept: usize) {
        let record = Rc::clone(&self.entry(process).record);
        record.prints.borrow_mut().truncate(kept + 1);
        for child in record.children_from(kept) {
            self.forget_prints(child, 0);
            self.entry(child).record.prints.borrow_mut().clear();
        }
    }

    fn perform_event(&mut self, id: EventId, graph: &Graph<Self>) -> Step {
        if self.world.monitors.of(id.thread).is_some() {
            return self.see(id, graph);
        }
        self.perform_alone(id, graph)?;
        if is_stop(graph, id.thread, id.index as usize) {
            return Ok(());
        }
        match graph.event(id).kind {
            Kind::Spawn { thread, .. } => self.begin_child(thread, graph),
            _ => Ok(()),
        }
    }

    /// Lets a process go on with so many answers that it was fed.
    pub(super) fn proceed(&mut self, process: Tid, answers: usize, graph: &Graph<Self>) -> Step {
        let run = self.run(process);
        run.task.requests.borrow_mut().clear();
        run.consumed += answers;
        self.go_on(process, graph)
    }

    /// Lets a process that was just spawned run to its first operation.
    pub(super) fn begin_child(&mut self, child: Tid, graph: &Graph<Self>) -> Step {
        if self.world.monitors.of(child).is_some() {
            return Ok(());
        }
        self.start(child, graph)?;
        self.go_on(child, graph)
    }

    /// Puts what was sent in this run in place of what the graph has.
    pub(super) fn refresh(&self, fed: &mut Fed, id: EventId, graph: &Graph<Self>) {
        for (message, send) in fed.received().iter_mut().zip(graph.event(id).reads()) {
            let sent = self.fresh.get(send.thread as usize);
            if let Some(Some(fresh)) = sent.and_then(|sent| sent.get(send.index as usize)) {
                *message = Rc::clone(fresh);
            }
        }
    }

    /// Remembers the message that a process sends in this run.
    pub(super) fn keep_fresh(&mut self, id: EventId, graph: &Graph<Self>) {
        let Kind::Send { message: old, .. } = &graph.event(id).kind else {
            return;
        };
        let pending = self.pending(id.thread).as_deref().cloned();
        if let Some(Op::Send { message, .. }) = pending
            && !Rc::ptr_eq(old, &message)
        {
            self.keep_message(id, message);
        }
    }

    pub(super) fn keep_message(&mut self, id: EventId, message: Rc<Envelope>) {
        let (thread, index) = (id.thread as usize, id.index as usize);
        if thread >= self.fresh.len() {
            self.fresh.resize_with(thread + 1, Vec::new);
        }
        self.fresh[thread].resize(index, None);
        self.fresh[thread].push(Some(message));
    }

    /// Is the operation that the process stopped at the one in the graph?
    pub(super) fn compare(&mut self, id: EventId, graph: &Graph<Self>) -> Result<(), Broken> {
        let Some(pending) = self.pending(id.thread) else {
            return Err(self.broken(id.thread, id.index as usize, "an operation", "none"));
        };
        if same(graph, id, &pending) {
            return Ok(());
        }
        let print = self.print(id);
        let location = print.and_then(|print| print.location);
        let now = describe::describe_operation(&self.world, id.thread, &pending);
        let now = at(&now, location);
        let before = describe::describe_event(&self.world, graph, id);
        let earlier = self.world.before.as_ref();
        let place = describe::location(graph, id)
            .or_else(|| earlier.and_then(|earlier| earlier.location(id)));
        let before = at(&before, place);
        Err(self.broken(id.thread, id.index as usize, &before, &now))
    }
}

/// Is the operation the one that the event was made from?
fn same(graph: &Graph<Machine>, id: EventId, operation: &Operation) -> bool {
    match (&graph.event(id).kind, operation) {
        (
            Kind::Send {
                to,
                model,
                message,
                fate,
            },
            Op::Send {
                to: to2,
                model: model2,
                message: message2,
                fate: fate2,
            },
        ) => {
            to == to2
                && model == model2
                && fate == fate2
                && message.type_id == message2.type_id
                && message.info.tag == message2.info.tag
                && message.looks_like(message2)
        }
        (
            Kind::Receive { pattern, want },
            Op::Receive {
                pattern: pattern2,
                want: want2,
            },
        ) => (want == want2 || !pattern2.sure.is_empty()) && pattern.is_like(pattern2),
        (
            Kind::Choose {
                options, budget, ..
            },
            Op::Choose {
                options: options2,
                budget: budget2,
            },
        ) => options == options2 && budget == budget2,
        (Kind::Join { thread }, Op::Join { thread: thread2 }) => thread == thread2,
        (Kind::Memory(memory), Op::Memory(access)) => memory.access == *access,
        (&Kind::Spawn { thread, .. }, &Op::Spawn { daemon, .. }) => {
            graph.is_daemon(thread) == daemon
        }
        (Kind::End, Op::End) | (Kind::Block, Op::Block) | (Kind::Fail, Op::Fail) => true,
        _ => false,
    }
}

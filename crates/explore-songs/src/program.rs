//! What the engine asks of a song.

use crate::message_interner::Message;
use crate::process_automata::Node;
use crate::thread_states::{INIT, Stage};
use crate::waiting::Waiting;
use plainsong_explore::{History, Mailbox, Mailboxes, Model, Op, Program, Tid, Want};
use plainsong_ir::Delivery;
use std::cell::RefCell;
use std::rc::Rc;

/// The threads of a song, shared with whoever looks at the ends of executions.
pub(crate) struct Song(pub(crate) Rc<RefCell<Stage>>);

/// What a waiting process wants.
#[derive(Clone)]
pub(crate) struct Wanted {
    waiting: Rc<Waiting>,
    mailbox: [Mailbox; 1],
}

impl Program for Song {
    type Message = Message;
    type Pattern = Wanted;

    fn next(&mut self, thread: Tid, history: History<'_, Self>) -> Op<Message, Wanted> {
        let mut stage = self.0.borrow_mut();
        let edge = stage.state(history.graph(), thread, history.len());
        match stage.roles.at(edge) {
            Node::Start => choose(stage.starts()),
            Node::Fork { ways, .. } => choose(ways.len()),
            Node::Perhaps { faults, budget, .. } => Op::Choose {
                options: faults.len() as u32 + 1,
                budget: *budget,
            },
            Node::Send {
                to,
                message,
                on_the_way,
                ..
            } => Op::Send {
                to: *to,
                model: model(message.letter.model),
                message: message.clone(),
                fate: *on_the_way,
            },
            Node::Spawns(lane) => Op::Spawn {
                child: *lane as u32,
                daemon: stage.roles.parts.may_wait(*lane),
                family: None,
            },
            Node::Waits(waiting) => Op::Receive {
                want: if waiting.wait.may_give_up() {
                    Want::Maybe
                } else {
                    Want::One
                },
                pattern: Wanted {
                    mailbox: [thread - 1],
                    waiting: waiting.clone(),
                },
            },
            Node::Over(..) => Op::End,
            Node::Stuck(..) => Op::Block,
        }
    }

    fn outlook(&mut self, thread: Tid, history: History<'_, Self>) -> Option<Mailboxes> {
        let mut stage = self.0.borrow_mut();
        let edge = stage.state(history.graph(), thread, history.len());
        stage.roles.outlook(stage.roles.edge(edge).to)
    }

    fn standing(&mut self, thread: Tid, history: History<'_, Self>, into: &mut Vec<u32>) {
        let mut stage = self.0.borrow_mut();
        let edge = stage.state(history.graph(), thread, history.len());
        into.push(stage.roles.edge(edge).to);
        if thread == INIT {
            into.push(stage.chosen_start(history.graph()) as u32);
        }
    }

    fn epoch(&self) -> u64 {
        self.0.borrow().generation()
    }

    fn number(message: &Message) -> u32 {
        message.number
    }

    fn forget(&mut self, thread: Tid, kept: usize) {
        self.0.borrow_mut().forget(thread, kept);
    }

    fn budgets(&self) -> Vec<u32> {
        self.0.borrow().roles.parts.faults()
    }

    fn mailboxes(pattern: &Wanted) -> &[Mailbox] {
        &pattern.mailbox
    }

    #[inline]
    fn accepts(pattern: &Wanted, message: &Message, _: Tid) -> bool {
        debug_assert!(pattern.mailbox[0] + 1 > INIT, "`init` receives nothing");
        pattern.waiting.wants(message)
    }
}

fn choose<M, R>(options: usize) -> Op<M, R> {
    Op::Choose {
        options: options as u32,
        budget: None,
    }
}

fn model(delivery: Delivery) -> Model {
    match delivery {
        Delivery::Unordered => Model::Unordered,
        Delivery::Fifo => Model::Fifo,
        Delivery::Causal => Model::Causal,
        Delivery::Mailbox => Model::Mailbox,
    }
}

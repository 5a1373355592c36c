//! What the engine asks of a song.

use crate::stage::{At, INIT, Stage};
use plainsong_explore::{Fate, History, Mailbox, Model, Op, Program, Tid, Want};
use plainsong_ir::Delivery;
use plainsong_semantics::part::{Letter, Parts, Wait};
use std::cell::RefCell;
use std::rc::Rc;

/// The threads of a song, shared with whoever looks at the ends of executions.
pub(crate) struct Song(pub(crate) Rc<RefCell<Stage>>);

/// What a waiting process wants.
#[derive(Clone)]
pub(crate) struct Wanted {
    parts: Rc<Parts>,
    wait: Rc<Wait>,
    mailbox: [Mailbox; 1],
}

impl Program for Song {
    type Message = Rc<Letter>;
    type Pattern = Wanted;

    fn next(&mut self, thread: Tid, history: History<'_, Self>) -> Op<Rc<Letter>, Wanted> {
        let mut stage = self.0.borrow_mut();
        let (starts, nobody) = (stage.starts(), stage.lanes() as Mailbox);
        let parts = stage.parts.clone();
        let state = stage.state(history.graph(), thread, history.len());
        match &state.at {
            At::Start => choose(starts),
            At::Fork(ways) => choose(ways.len()),
            At::Sends { letters, next, .. } => {
                let letter = letters[*next].clone();
                Op::Send {
                    to: letter.to.member().map_or(nobody, |lane| lane as Mailbox),
                    model: model(letter.model),
                    message: letter,
                    fate: Fate::Sure,
                }
            }
            At::Spawns(lane) => Op::Spawn {
                child: *lane as u32,
                daemon: parts.may_wait(*lane),
                family: None,
            },
            At::Waits(wait) => Op::Receive {
                want: if wait.may_give_up() {
                    Want::Maybe
                } else {
                    Want::One
                },
                pattern: Wanted {
                    mailbox: [thread - 1],
                    wait: wait.clone(),
                    parts,
                },
            },
            At::Over(_) => Op::End,
            At::Stuck(_) => Op::Block,
        }
    }

    fn forget(&mut self, thread: Tid, kept: usize) {
        self.0.borrow_mut().forget(thread, kept);
    }

    fn mailboxes(pattern: &Wanted) -> &[Mailbox] {
        &pattern.mailbox
    }

    fn accepts(pattern: &Wanted, message: &Rc<Letter>, _: Tid) -> bool {
        debug_assert!(pattern.mailbox[0] + 1 > INIT, "`init` receives nothing");
        pattern.parts.wants(&pattern.wait, message)
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

//! Chain replication with faults, `songs/explore/chain-replication-with-faults.song`, and the same in
//! Rust.

use super::{Counts, agreed, is_slow_wanted, mailboxes, song};
use plainsong::{Builder, Receiver, Sender, choose, spawn_named};
use plainsong_ir::Delivery;

/// How large a chain is, and what happens to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chain {
    pub(super) nodes: usize,
    pub(super) faults: usize,
    pub(super) requests: usize,
}

impl Chain {
    const fn of(nodes: usize, faults: usize, requests: usize) -> Chain {
        Chain {
            nodes,
            faults,
            requests,
        }
    }

    fn sizes(self) -> [(&'static str, i64); 3] {
        [
            ("N", self.nodes as i64),
            ("Faults", self.faults as i64),
            ("Requests", self.requests as i64),
        ]
    }

    /// The counts of the song under each model.
    pub(super) fn sung_counts(self) -> [Counts; 4] {
        Delivery::ALL.map(|model| song(SONG, &self.sizes()).counts(model))
    }

    /// The counts under each model, song and Rust alike.
    fn counts(self) -> [Counts; 4] {
        agreed(song(SONG, &self.sizes()), || move || chain(self))
    }

    fn logs_may_differ(self, model: Delivery) -> bool {
        song(SONG, &self.sizes()).is_refuted("same_log", model)
    }
}

const SONG: &str = "chain-replication-with-faults";

/// Stricter models have no more executions; what goes wrong, goes wrong without order.
#[test]
fn song_and_rust_agree() {
    for chain in chains() {
        let counts = chain.counts();
        assert!(
            counts.is_sorted_by(|weak, strict| weak.0 >= strict.0),
            "{chain:?}"
        );
        assert_eq!(
            counts[1..].iter().map(|count| count.1).sum::<u64>(),
            0,
            "{chain:?}"
        );
        let differ = Delivery::ALL.map(|model| chain.logs_may_differ(model));
        let several_are_up = chain.nodes - chain.faults > 1;
        assert_eq!(differ, [several_are_up, false, false, false], "{chain:?}");
    }
}

/// What the book's table has: first those that take a moment in Rust too.
pub(super) const CHAINS: [Chain; 6] = [
    Chain::of(3, 0, 3),
    Chain::of(4, 0, 3),
    Chain::of(3, 1, 2),
    Chain::of(4, 1, 2),
    Chain::of(3, 2, 2),
    Chain::of(4, 2, 2),
];

/// How many of them are compared each time.
const USUAL: usize = 5;

fn chains() -> Vec<Chain> {
    let slow = [Chain::of(3, 1, 3)];
    match is_slow_wanted() {
        true => [&CHAINS[..], &slow].concat(),
        false => CHAINS[..USUAL].to_vec(),
    }
}

#[derive(Clone, Debug)]
enum ToNode {
    Write(usize),
    Next(Option<usize>),
    Stop,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum ToClient {
    Told,
    Done,
}

fn chain(of: Chain) {
    let (to_node, at_node) = mailboxes::<ToNode>("node", of.nodes);
    let (to_client, at_client) = mailboxes::<ToClient>("client", of.requests);
    for (n, at) in at_node.into_iter().enumerate() {
        let node = Node {
            log: Vec::new(),
            next: Some(n + 1).filter(|&next| next < of.nodes),
            to_node: to_node.clone(),
            to_client: to_client.clone(),
        };
        let builder = Builder::new().name(format!("node {n}")).daemon();
        builder.spawn(move || node.run(&at));
    }
    for (c, at) in at_client.into_iter().enumerate() {
        let (head, other) = (to_node[0].clone(), to_client.get(1).cloned());
        spawn_named(format!("client {c}"), move || {
            client(c, &at, &head, other.as_ref());
        });
    }
    spawn_named("master", move || master(of, &to_node));
}

struct Node {
    log: Vec<usize>,
    next: Option<usize>,
    to_node: Vec<Sender<ToNode>>,
    to_client: Vec<Sender<ToClient>>,
}

impl Node {
    fn run(mut self, at: &Receiver<ToNode>) {
        loop {
            match at.receive() {
                ToNode::Write(write) if self.log.contains(&write) => {}
                ToNode::Write(write) => {
                    self.log.push(write);
                    self.pass_on(write);
                }
                ToNode::Next(next) => {
                    self.next = next;
                    self.log.iter().for_each(|&write| self.pass_on(write));
                }
                ToNode::Stop => return,
            }
        }
    }

    fn pass_on(&self, write: usize) {
        match self.next {
            Some(next) => self.to_node[next].send(ToNode::Write(write)),
            None => self.to_client[write].send(ToClient::Done),
        }
    }
}

fn client(
    c: usize,
    at: &Receiver<ToClient>,
    head: &Sender<ToNode>,
    other: Option<&Sender<ToClient>>,
) {
    if c == 1 {
        at.receive_where(|&word, _| word == ToClient::Told);
    }
    head.send(ToNode::Write(c));
    if let Some(other) = other.filter(|_| c == 0) {
        other.send(ToClient::Told);
    }
    at.receive_where(|&word, _| word == ToClient::Done);
}

fn master(of: Chain, to_node: &[Sender<ToNode>]) {
    let mut up: Vec<usize> = (0..of.nodes).collect();
    for _ in 0..of.faults {
        let victim = choose(1..up.len());
        to_node[up[victim]].send(ToNode::Stop);
        let after = up.get(victim + 1).copied();
        to_node[up[victim - 1]].send(ToNode::Next(after));
        up.remove(victim);
    }
}

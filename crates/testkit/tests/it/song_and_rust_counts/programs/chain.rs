//! Chain replication, as `songs/explore/chain-replication-with-faults.song` has it.

use super::mailboxes;
use plainsong::{Builder, Receiver, Sender, choose, spawn_named};

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

/// Chain replication: so many nodes of which a master stops some, while clients write once each.
pub(crate) fn chain(nodes: usize, faults: usize, requests: usize) {
    let (to_node, at_node) = mailboxes::<ToNode>("node", nodes);
    let (to_client, at_client) = mailboxes::<ToClient>("client", requests);
    for (n, at) in at_node.into_iter().enumerate() {
        let node = Node {
            log: Vec::new(),
            next: Some(n + 1).filter(|&next| next < nodes),
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
    spawn_named("master", move || master(nodes, faults, &to_node));
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

fn master(nodes: usize, faults: usize, to_node: &[Sender<ToNode>]) {
    let mut up: Vec<usize> = (0..nodes).collect();
    for _ in 0..faults {
        let victim = choose(1..up.len());
        to_node[up[victim]].send(ToNode::Stop);
        let after = up.get(victim + 1).copied();
        to_node[up[victim - 1]].send(ToNode::Next(after));
        up.remove(victim);
    }
}

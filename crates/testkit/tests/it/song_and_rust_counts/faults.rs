//! Declared faults: songs with crashes, losses and copies, and the same in Rust.
//!
//! In Rust a process may crash before its end, in a song not after its last step; so the processes that
//! crash here run for ever. A copy in Rust comes in any order, in a song only if it is `unordered`. What is lost
//! from a `mailbox` is no longer lost lazily in Rust, and is left to the search through states in songs.

use super::{Counts, Sung, counts, explored, is_slow_wanted, mailboxes, rust_counts_by, song};
use plainsong::fault::crashing_for_good;
use plainsong::{Builder, Explorer, channel, spawn_named};
use plainsong_ir::Delivery;

/// Chains of 3 and 4 nodes of which up to 2 crash, under each model.
#[test]
fn chains_whose_nodes_crash() {
    let clients = 2;
    let lengths = if is_slow_wanted() { 1..=5 } else { 1..=4 };
    for nodes in lengths {
        for crashes in 0..=2 {
            let all = Delivery::ALL.map(|model| {
                let sizes = [("N", nodes as i64), ("Client", clients as i64)];
                let sung = with(song("chain-whose-nodes-crash", &sizes), crashes, model);
                let explorer = Explorer::new().crashes(crashes);
                let rust = rust_counts_by(&explorer, model, move || chain(nodes, clients));
                assert_eq!(sung, rust, "{nodes} nodes, {crashes} crashes, {model:?}");
                sung
            });
            assert!(all.is_sorted_by(|weak, strict| weak >= strict), "{all:?}");
        }
    }
}

#[test]
fn requests_of_which_some_are_lost() {
    for clients in 1..=2 {
        for losses in 0..=2 {
            for model in [Delivery::Unordered, Delivery::Fifo, Delivery::Causal] {
                let sizes = [("Client", clients as i64)];
                let sung = song("requests-of-which-one-is-lost", &sizes);
                let sung = with(sung, losses, model);
                let explorer = Explorer::new().losses(losses);
                let rust = rust_counts_by(&explorer, model, move || requests(clients));
                assert_eq!(sung, rust, "{clients} clients, {losses} lost, {model:?}");
            }
        }
    }
}

#[test]
fn orders_that_come_twice() {
    for buyers in 1..=3 {
        for copies in 0..=1 {
            let sizes = [("Buyer", buyers as i64)];
            let sung = song("orders-that-come-twice", &sizes);
            let sung = with(sung, copies, Delivery::Unordered);
            let explorer = Explorer::new().duplicates(copies);
            let program = move || orders(buyers);
            let rust = rust_counts_by(&explorer, Delivery::Unordered, program);
            assert_eq!(sung, rust, "{buyers} buyers, {copies} copies");
        }
    }
}

/// The song with its fault so often, instead of once.
fn with(sung: Sung<'_>, often: u32, model: Delivery) -> Counts {
    let text = sung.text();
    let fault = text.lines().find(|line| line.starts_with("fault "));
    let fault = fault.expect("the song has a fault");
    let other = match often {
        0 => String::new(),
        _ => fault.replace("<= 1", &format!("<= {often}")),
    };
    let instance = sung.instance(&text.replace(fault, &other));
    counts(&explored(&instance.with_delivery(Some(model)), &[]))
}

fn chain(nodes: usize, clients: usize) {
    let (to_node, at_node) = mailboxes::<usize>("node", nodes);
    let (to_client, at_client) = mailboxes::<()>("client", clients);
    for (n, at) in at_node.into_iter().enumerate() {
        let (next, to_client) = (to_node.get(n + 1).cloned(), to_client.clone());
        let node = move || loop {
            let write = at.receive();
            match &next {
                Some(next) => next.send(write),
                None => to_client[write].send(()),
            }
        };
        let builder = Builder::new().name(format!("node {n}")).daemon();
        builder.spawn(crashing_for_good(node));
    }
    for (c, at) in at_client.into_iter().enumerate() {
        let head = to_node[0].clone();
        spawn_named(format!("client {c}"), move || {
            head.send(c);
            at.try_receive();
        });
    }
}

fn requests(clients: usize) {
    let (to_server, at_server) = channel::<(u32, usize)>("server");
    let (to_client, at_client) = mailboxes::<u32>("client", clients);
    let server = Builder::new().name("server").daemon();
    server.spawn(move || {
        loop {
            let (number, c) = at_server.receive();
            to_client[c].send(number);
        }
    });
    for (c, at) in at_client.into_iter().enumerate() {
        let to_server = to_server.clone().lossy();
        spawn_named(format!("client {c}"), move || {
            to_server.send((1, c));
            to_server.send((2, c));
            at.try_receive();
        });
    }
}

fn orders(buyers: usize) {
    let (to_shop, at_shop) = channel::<usize>("shop");
    let shop = Builder::new().name("shop").daemon();
    shop.spawn(move || {
        loop {
            at_shop.receive();
        }
    });
    for b in 0..buyers {
        let to_shop = to_shop.clone().duplicating();
        spawn_named(format!("buyer {b}"), move || to_shop.send(b));
    }
}

//! Binary trees: build and count many trees of several depths, each depth on its own; only the counts
//! are exchanged.

use super::Contestant;
use plainsong_runtime::{Cast, Net, Rx, Tx, threads};
use std::hint::black_box;
use std::thread;

const DEEPEST: u32 = 15;
const SHALLOWEST: u32 = 4;

struct Tree(Option<Box<(Tree, Tree)>>);

impl Tree {
    fn new(depth: u32) -> Tree {
        Tree((depth > 0).then(|| Box::new((Tree::new(depth - 1), Tree::new(depth - 1)))))
    }

    fn count(&self) -> u64 {
        match &self.0 {
            None => 1,
            Some(both) => 1 + both.0.count() + both.1.count(),
        }
    }
}

/// The work of one endpoint: how many nodes there are in all trees of a depth.
fn check(depth: u32) -> u64 {
    let trees = 1 << (DEEPEST - depth + SHALLOWEST);
    (0..trees).map(|_| Tree::new(depth).count()).sum()
}

/// The long-lived tree.
fn long_lived() -> u64 {
    Tree::new(DEEPEST).count()
}

fn depths() -> Vec<u32> {
    (SHALLOWEST..=DEEPEST).step_by(2).collect()
}

pub fn contestants() -> Vec<Contestant> {
    vec![
        Contestant::new("std::thread by hand", || {
            let workers: Vec<_> = depths()
                .into_iter()
                .map(|depth| thread::spawn(move || check(depth)))
                .collect();
            let long = thread::spawn(long_lived);
            let counts: Vec<u64> = workers.into_iter().map(|one| one.join().unwrap()).collect();
            black_box((counts, long.join().unwrap()));
        }),
        Contestant::new("plainsong-runtime, threads", || {
            let depths = depths();
            let workers = depths.len();
            let roles = (0..workers).map(|j| format!("worker[{j}]"));
            let roles = roles.chain(["long".to_owned(), "printer".to_owned()]);
            let cast = Cast::new("binary_trees", 1, roles);
            let ends = threads::run(&cast, &threads::Options::default(), |role, net| {
                if role == workers + 1 {
                    let mut counts = Vec::new();
                    for mut from in net.rxs::<u64>(0..workers + 1, 0)? {
                        counts.push(from.recv(1)?);
                    }
                    return Ok(counts);
                }
                let mut to_printer = net.tx::<u64>(workers + 1, 0)?;
                let count = match depths.get(role) {
                    Some(&depth) => check(depth),
                    None => long_lived(),
                };
                to_printer.send(1, count)?;
                Ok(vec![count])
            });
            assert!(ends.iter().all(Result::is_ok));
            black_box(ends);
        }),
    ]
}

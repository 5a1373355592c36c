//! At the smallest sizes, the enumeration of all interleavings finds the same numbers under each model.

use super::{Sung, counts, explored, song};
use plainsong_ir::Delivery;
use plainsong_semantics::executions::executions;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Machine, Subject};
use plainsong_semantics::search::{Completeness, Limits, Unwatched};

#[test]
fn on_chains() {
    for (nodes, faults, requests) in [(2, 0, 2), (3, 1, 1), (3, 2, 1), (2, 1, 2)] {
        let sizes = [("N", nodes), ("Faults", faults), ("Requests", requests)];
        under_each_model(song("chain-replication-with-faults", &sizes));
    }
}

#[test]
fn on_elections() {
    let sizes = [("Candidate", 2), ("Voter", 2), ("Terms", 1)];
    for name in ["leader-by-majority", "leader-by-majority-voters-forget"] {
        under_each_model(song(name, &sizes));
    }
}

/// The copies for the monitor are causal whatever the rest is.
#[test]
fn on_elections_that_are_watched() {
    let sizes = [("Candidate", 2), ("Voter", 1), ("Terms", 2)];
    let song = song("leader-by-majority-watched", &sizes);
    for model in Delivery::ALL {
        let text = song.text_where_fifo(model);
        same(&song.instance(&text), &format!("{} {model:?}", song.name));
    }
}

fn under_each_model(song: Sung) {
    let instance = song.instance(&song.text());
    for model in Delivery::ALL {
        let name = format!("{} {:?} {model:?}", song.name, song.sizes);
        same(&instance.clone().with_delivery(Some(model)), &name);
    }
}

fn same(instance: &Instance, name: &str) {
    let machine = Machine::new(instance, Subject::System);
    let all = executions(&machine, &Limits::default(), &mut Unwatched).expect("there are voices");
    assert_eq!(all.completeness, Completeness::Complete, "{name}");
    assert_eq!((all.failed, all.discarded), (0, 0), "{name}");
    let found = counts(&explored(instance, &[]));
    assert_eq!(found, (all.complete, all.blocked), "{name}");
}

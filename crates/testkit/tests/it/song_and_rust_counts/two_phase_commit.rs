//! `examples/two_phase_commit.song`, and the same in Rust.

use super::{Counts, Sung, agreed, is_slow_wanted, mailboxes};
use plainsong::{channel, choose_bool, spawn};

/// The counts for so many databases under each model, song and Rust alike.
pub(super) fn counts(databases: usize) -> [Counts; 4] {
    let sizes = [("Db", databases as i64)];
    let song = Sung {
        folder: "examples",
        name: "two_phase_commit",
        sizes: &sizes,
    };
    agreed(song, || move || two_phase_commit(databases))
}

/// 2^n votes, n! orders of votes, n! orders of acknowledgements.
#[test]
fn song_rust_and_formula_agree() {
    for n in 1..=if is_slow_wanted() { 4 } else { 3 } {
        let orders: u64 = (1..=n as u64).product();
        assert_eq!(counts(n), [((orders * orders) << n, 0); 4]);
    }
}

#[derive(Clone, Debug)]
enum ToCoordinator {
    Vote(bool),
    Done,
}

#[derive(Clone, Debug)]
enum ToDatabase {
    Prepare,
    Decide(bool),
}

fn two_phase_commit(n: usize) {
    let (to_coordinator, at_coordinator) = channel::<ToCoordinator>("coordinator");
    let (to_database, at_database) = mailboxes::<ToDatabase>("database", n);
    spawn(move || {
        let tell = |order: &ToDatabase| {
            to_database.iter().for_each(|to| to.send(order.clone()));
        };
        tell(&ToDatabase::Prepare);
        let mut commit = true;
        for _ in 0..n {
            let vote = at_coordinator.receive_where(|m, _| matches!(m, ToCoordinator::Vote(_)));
            commit &= matches!(vote, ToCoordinator::Vote(true));
        }
        tell(&ToDatabase::Decide(commit));
        for _ in 0..n {
            at_coordinator.receive_where(|m, _| matches!(m, ToCoordinator::Done));
        }
    });
    for at in at_database {
        let to_coordinator = to_coordinator.clone();
        spawn(move || {
            at.receive_where(|m, _| matches!(m, ToDatabase::Prepare));
            let yes = choose_bool();
            to_coordinator.send(ToCoordinator::Vote(yes));
            let decision = at.receive_where(|m, _| matches!(m, ToDatabase::Decide(_)));
            assert!(yes || matches!(decision, ToDatabase::Decide(false)));
            to_coordinator.send(ToCoordinator::Done);
        });
    }
}

//! Processes that are alike: fewer executions, the same verdicts.

use plainsong::{
    Delivery, Explorer, Process, Report, Verdict, choose_bool, current, receive, send,
    spawn_family, spawn_named, try_receive,
};

fn both(program: impl Fn() + Copy + Send + Sync + 'static) -> [Report; 2] {
    [false, true].map(|symmetry| {
        let explorer = Explorer::new().symmetry(symmetry).keep_going(true);
        let report = explorer.run(program);
        for seed in 0..4 {
            let again = explorer.clone().seed(seed).run(program);
            assert_eq!(again.executions, report.executions, "seed {seed}");
            assert_eq!(again.failed, report.failed, "seed {seed}");
        }
        assert_eq!(explorer.jobs(2).run(program).executions, report.executions);
        report
    })
}

/// Two-phase commit whose coordinator commits when nobody, or when not all, said no.
fn commit(voters: usize, majority_is_enough: bool) {
    let coordinator = spawn_named("coordinator", move || {
        let votes: Vec<(Process, bool)> = (0..voters).map(|_| receive()).collect();
        let yes = votes.iter().filter(|(_, yes)| *yes).count();
        let commits = yes == voters || (majority_is_enough && 2 * yes > voters);
        votes.iter().for_each(|&(voter, _)| send(voter, commits));
    });
    let coordinator = coordinator.process();
    spawn_family("voter", voters, move || {
        let yes = choose_bool();
        send(coordinator, (current(), yes));
        let commits: bool = receive();
        assert!(yes || !commits, "committed against a vote");
    });
}

#[test]
fn two_phase_commit_without_names() {
    for n in 1..=4 {
        let [all, some] = both(move || commit(n, false));
        all.assert_holds();
        some.assert_holds();
        let factorial: u64 = (1..=n as u64).product();
        assert_eq!(all.executions, (1 << n) * factorial);
        assert_eq!(some.executions, 1 << n);
    }
}

#[test]
fn failures_are_still_found() {
    let [all, some] = both(|| commit(3, true));
    assert_eq!(all.verdict, Verdict::Refuted);
    assert_eq!(some.verdict, Verdict::Refuted);
    assert_eq!(all.failures[0].message, some.failures[0].message);
    assert!(some.failed < all.failed);
    let trace = some.failures[0]
        .trace
        .as_ref()
        .expect("a failure has a trace");
    let again = Explorer::new()
        .symmetry(true)
        .replay(trace, || commit(3, true));
    assert_eq!(again.failures[0].message, some.failures[0].message);
}

#[test]
fn deadlocks_are_still_found() {
    // One of the clients that give up is never answered.
    let program = || {
        let server = spawn_named("server", || {
            let client: Process = receive();
            send(client, ());
        });
        let server = server.process();
        spawn_family("client", 3, move || {
            send(server, current());
            if choose_bool() {
                try_receive::<()>();
            } else {
                receive::<()>();
            }
        });
    };
    let [all, some] = both(program);
    assert_eq!(all.verdict, Verdict::Refuted);
    assert_eq!(some.verdict, Verdict::Refuted);
    assert!(some.failed + some.executions < all.failed + all.executions);
}

#[test]
fn it_is_not_used_where_causality_counts() {
    let program = || {
        let main = current();
        spawn_family("sender", 3, move || send(main, ()));
        (0..3).for_each(|_| receive::<()>());
    };
    for delivery in [Delivery::Causal, Delivery::Mailbox] {
        let explorer = Explorer::new().symmetry(true).delivery(delivery);
        let report = explorer.run(program);
        assert_eq!(report.executions, 6);
        assert!(report.notes[0].starts_with("symmetry was not used"));
    }
    assert_eq!(Explorer::new().symmetry(true).run(program).executions, 1);
}

//! Roles as threads of one process.

use crate::shapes::commit::{self, Commit, Standing, State};
use crate::shapes::swap::{Pair, Parameters, Swap};
use plainsong_runtime::threads::{self, Options, run_protocol};
use plainsong_runtime::{Cast, Doing, Error, Fault, Net, Rx, Tx};
use std::time::Duration;

fn with_seed(seed: u64) -> Options {
    Options {
        seed,
        ..Options::default()
    }
}

#[test]
fn swap_swaps() {
    let ends = run_protocol(&Swap, &Parameters { x: 1, y: 2 }, &Options::default()).unwrap();
    assert_eq!(ends, [Ok(Pair { v: 2, t: 1 }), Ok(Pair { v: 1, t: 2 })]);
}

#[test]
fn servers_agree_and_commit_only_what_all_want() {
    let mut committed = 0;
    for seed in 0..50 {
        let parameters = commit::Parameters {
            servers: 3,
            rounds: 3,
        };
        let ends = run_protocol(&Commit, &parameters, &with_seed(seed)).unwrap();
        let Ok(State::Coordinator { votes, commit, .. }) = &ends[0] else {
            panic!("{ends:?}")
        };
        assert_eq!(*commit, votes.iter().all(|&vote| vote));
        for end in &ends[1..] {
            let Ok(State::Server { state, .. }) = end else {
                panic!("{ends:?}")
            };
            assert_eq!(*state == Standing::Committed, *commit);
        }
        committed += u32::from(*commit);
        let again = run_protocol(&Commit, &parameters, &with_seed(seed)).unwrap();
        assert_eq!(ends, again, "seed {seed}");
    }
    assert!((1..50).contains(&committed), "choices vary: {committed}");
}

/// A system that has no more threads ends the program without a word; so nobody starts.
#[test]
fn too_many_roles_are_an_error() {
    let roles = (0..100_000).map(|at| format!("s[{at}]"));
    let cast = Cast::new("crowd", 1, roles);
    let ends = threads::run(&cast, &Options::default(), |_, _| Ok(()));
    assert_eq!(ends.len(), 100_000);
    for end in [&ends[0], &ends[99_999]] {
        let Err(error) = end else { panic!("{end:?}") };
        assert!(matches!(error.fault(), Fault::Misuse { .. }), "{error}");
        assert!(error.to_string().contains("100000 roles"), "{error}");
    }
    let parameters = commit::Parameters {
        servers: 100_000,
        rounds: 1,
    };
    let refused = run_protocol(&Commit, &parameters, &Options::default());
    assert!(refused.is_err(), "one error for all of them");
}

/// Three in a ring: 0 sends to 1, 1 to 2, 2 to 0; role 0 fails before its first link, after its first
/// message, or not at all.
fn ring(
    fail: impl Fn(usize) -> Result<(), Error> + Sync,
    ask_first: bool,
) -> Vec<Result<i64, Error>> {
    let cast = Cast::new("ring", 1, ["p", "q", "r"]);
    threads::run(&cast, &Options::default(), |role, net| {
        if !ask_first {
            fail(role)?;
        }
        let mut next = net.tx::<i64>((role + 1) % 3, 0)?;
        let mut previous = net.rx::<i64>((role + 2) % 3, 0)?;
        if ask_first {
            fail(role)?;
        }
        let mut sum = 0;
        for _ in 0..2 {
            next.send(1, sum + 1)?;
            sum += previous.recv(1)?;
        }
        Ok(sum)
    })
}

#[test]
fn everybody_ends_when_nobody_fails() {
    assert_eq!(ring(|_| Ok(()), true), [Ok(3), Ok(3), Ok(3)]);
}

#[test]
fn when_a_role_fails_everybody_who_waits_gets_an_error_that_says_why() {
    for ask_first in [true, false] {
        let fail = |role| match role {
            0 => Err(Error::assumption("the disk is there")),
            _ => Ok(()),
        };
        let ends = ring(fail, ask_first);
        for end in ends {
            let error = end.unwrap_err().to_string();
            assert!(error.contains("the disk is there"), "{error}");
        }
    }
}

#[test]
fn a_panic_is_an_error_at_every_role() {
    let ends = ring(
        |role| match role {
            1 => panic!("external code broke"),
            _ => Ok(()),
        },
        true,
    );
    assert!(matches!(
        ends[1].as_ref().unwrap_err().fault(),
        Fault::Panicked { role, why } if role == "q" && why == "external code broke"
    ));
    for end in ends {
        let error = end.unwrap_err().to_string();
        assert!(error.contains("external code broke"), "{error}");
    }
}

#[test]
fn a_deadline_ends_the_wait() {
    let cast = Cast::new("mutual", 1, ["a", "b"]);
    let options = Options {
        deadline: Some(Duration::from_millis(20)),
        ..Options::default()
    };
    let ends = threads::run(&cast, &options, |role, net| {
        net.rx::<bool>(1 - role, 0)?.recv(7)
    });
    let passed = |end: &Result<bool, Error>| match end.as_ref().unwrap_err().fault() {
        Fault::Deadline { site: 7, .. } => true,
        Fault::PeerGone { doing, .. } => {
            assert_eq!(*doing, Doing::Receiving(7));
            false
        }
        other => panic!("{other:?}"),
    };
    assert!(ends.iter().any(passed), "{ends:?}");
}

#[test]
#[cfg(debug_assertions)]
fn two_sends_in_the_wrong_order_are_noticed() {
    let cast = Cast::new("twisted", 1, ["a", "b"]);
    let ends = threads::run(&cast, &Options::default(), |role, net| {
        if role == 0 {
            let mut to_b = net.tx(1, 0)?;
            to_b.send(2, 20_i64)?;
            to_b.send(1, 10)?;
            return Ok(0);
        }
        let mut from_a = net.rx::<i64>(0, 0)?;
        Ok(from_a.recv(1)? + from_a.recv(2)?)
    });
    assert!(matches!(
        ends[1].as_ref().unwrap_err().fault(),
        Fault::WrongSite {
            expected: 1,
            found: 2,
            ..
        }
    ));
}

#[test]
fn misuse_is_told() {
    let cast = Cast::new("misuse", 1, ["a", "b"]);
    let mut nets = threads::nets(&cast, &Options::default());
    let _link = nets[0].tx::<bool>(1, 0).unwrap();
    let _to_oneself = nets[0].tx::<bool>(0, 0).unwrap();
    let said = [
        nets[0].tx::<bool>(1, 0).map(drop),
        nets[0].rx::<bool>(2, 0).map(drop),
        nets[0].choose(1, 0).map(drop),
    ]
    .map(|result| result.unwrap_err().to_string());
    assert!(said[0].contains("asked for twice"), "{}", said[0]);
    assert!(said[1].contains("no role number 2"), "{}", said[1]);
    assert!(said[2].contains("something to choose from"), "{}", said[2]);

    let mut nets = threads::nets(&cast, &Options::default());
    let _link = nets[0].tx::<bool>(1, 0).unwrap();
    let two_types = nets[1].rx::<i64>(0, 0).map(drop).unwrap_err();
    assert!(two_types.to_string().contains("two types"), "{two_types}");
}

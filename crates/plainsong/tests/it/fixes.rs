//! Named choices that are fixed from outside: which executions are left, and what the report says.

use crate::script::DELIVERIES;
use plainsong::{
    Delivery, End, Explorer, FailureKind, Limit, Verdict, choose_named, current, receive, send,
    spawn_family, spawn_named,
};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

/// Two processes choose twice each and tell main.
fn four_choices() -> [(String, u32); 4] {
    let main = current();
    for name in ["ann", "bob"] {
        spawn_named(name, move || {
            for _ in 0..2 {
                send(main, (name.to_owned(), choose_named("pace", 0..3_u32)));
            }
        });
    }
    [(); 4].map(|()| receive::<(String, u32)>())
}

/// What `four_choices` sees.
fn outcomes(explorer: &Explorer) -> BTreeSet<[(String, u32); 4]> {
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let noted = Arc::clone(&seen);
    let report = explorer.run(move || {
        noted.lock().unwrap().insert(four_choices());
    });
    report.assert_holds();
    let seen = std::mem::take(&mut *seen.lock().unwrap());
    assert_eq!(
        report.executions,
        seen.len() as u64,
        "each outcome is seen once"
    );
    seen
}

#[test]
fn a_restricted_run_sees_exactly_the_executions_with_those_values() {
    // `n`-th choice of `name`, from 0.
    let value = |order: &[(String, u32); 4], name: &str, n: usize| {
        let mut own = order.iter().filter(|one| one.0 == name);
        own.nth(n).unwrap().1
    };
    for delivery in [Delivery::Fifo, Delivery::Causal, Delivery::Mailbox] {
        for jobs in [1, 3] {
            let explorer = Explorer::new().delivery(delivery).jobs(jobs);
            let all = outcomes(&explorer);
            assert_eq!(all.len(), 81 * 6);
            let global = outcomes(&explorer.clone().fix("pace", 1));
            let expected = all.iter().filter(|one| one.iter().all(|one| one.1 == 1));
            assert_eq!(global, expected.cloned().collect());
            let local = explorer
                .clone()
                .fix_at("pace", "ann", 2, 0)
                .fix_at("pace", "bob", 1, 2);
            let fits = |one: &&_| value(one, "ann", 1) == 0 && value(one, "bob", 0) == 2;
            assert_eq!(
                outcomes(&local),
                all.iter().filter(fits).cloned().collect::<BTreeSet<_>>()
            );
            let both = explorer.clone().fix("pace", 1).fix_at("pace", "ann", 1, 2);
            let outcomes = outcomes(&both);
            assert_eq!(outcomes.len(), 6);
            assert!(outcomes.iter().all(|one| value(one, "ann", 0) == 2
                && value(one, "ann", 1) == 1
                && value(one, "bob", 0) == 1));
        }
    }
}

#[test]
fn the_report_says_what_was_fixed() {
    let explorer = Explorer::new()
        .fix("size", 3)
        .fix_at("mode", "main", 1, "fast")
        .fix("size", 2);
    let report = explorer.run(|| {
        choose_named("size", [1, 2]);
        choose_named("mode", ["slow", "fast"]);
    });
    report.assert_holds();
    assert_eq!(report.executions, 1);
    assert_eq!(report.fixed.len(), 2);
    let text = report.to_string();
    let start = "holds where `mode` of main, number 1, is \"fast\" and `size` is 2: every such";
    assert!(text.starts_with(start), "{text}");
}

#[test]
fn a_value_that_is_no_option_is_an_error_and_no_refutation() {
    for jobs in [1, 3] {
        let explorer = Explorer::new().jobs(jobs).keep_going(true);
        let report = explorer.fix("mode", "fats").run(|| {
            choose_named("mode", ["slow", "fast"]);
        });
        assert_eq!(
            (report.verdict, report.end),
            (Verdict::Unknown, End::WrongFix)
        );
        assert_eq!((report.executions, report.failed), (0, 0));
        let failure = &report.failures[0];
        assert_eq!(failure.kind, FailureKind::WrongFix);
        assert_eq!(
            failure.message,
            "`mode` is \"fats\", which is not among its options: \"slow\", \"fast\"; did you mean \"fast\"?"
        );
        assert!(failure.location.as_ref().unwrap().contains("fixes.rs"));
    }
    let report = Explorer::new().fix("n", 50).run(|| {
        choose_named("n", 0..40);
    });
    let message = &report.failures[0].message;
    assert!(
        message.ends_with(
            "options: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, …"
        ),
        "{message}"
    );
}

#[test]
fn a_fix_that_never_applies_is_an_error_with_a_near_name() {
    let complaint = |explorer: Explorer| {
        let report = explorer.run(|| {
            four_choices();
        });
        assert_eq!(
            (report.verdict, report.end),
            (Verdict::Unknown, End::WrongFix)
        );
        report.failures[0].message.clone()
    };
    assert_eq!(
        complaint(Explorer::new().fix("pacce", 1)),
        "`pacce` is fixed, but no execution has a choice of that name; did you mean `pace`?"
    );
    assert_eq!(
        complaint(Explorer::new().fix("retries", 1)),
        "`retries` is fixed, but no execution has a choice of that name; there are `pace`"
    );
    assert_eq!(
        complaint(Explorer::new().fix_at("pace", "anne", 1, 1)),
        "`pace` of `anne` is fixed, but no process of that name has such a choice; did you mean `ann`?"
    );
    assert_eq!(
        complaint(Explorer::new().fix_at("pace", "ann", 3, 1)),
        "choice 3 of `pace` in `ann` is fixed, but it makes at most 2 (they are counted from 1)"
    );
    let nothing = Explorer::new().fix("pace", 1).run(|| ());
    assert!(
        nothing.failures[0]
            .message
            .ends_with("that name (no execution has a named choice)")
    );
}

#[test]
fn before_everything_was_explored_an_unused_fix_is_a_note() {
    let explorer = Explorer::new().fix("late", 1).limit_executions(2);
    let program = || {
        if choose_named("way", 0..5) == 4 {
            choose_named("late", 0..2);
        }
    };
    let report = explorer.run(program);
    assert_eq!(report.end, End::Limit(Limit::Executions));
    assert!(report.failures.is_empty(), "{report}");
    let note =
        "so far: `late` is fixed, but no execution has a choice of that name; there are `way`";
    assert!(report.notes.iter().any(|it| it == note), "{report}");
    Explorer::new().fix("late", 1).run(program).assert_holds();
}

#[test]
fn slices_know_what_earlier_ones_have_used() {
    let file = std::env::temp_dir().join(format!("plainsong-fixes-{}", std::process::id()));
    let _ = std::fs::remove_file(&file);
    let explorer = Explorer::new()
        .fix("early", 1)
        .checkpoint_file(&file)
        .limit_executions(3);
    let program = || {
        if choose_named("way", 0..8) == 0 {
            choose_named("early", 0..2);
        }
    };
    let reports = [(); 3].map(|()| explorer.run(program));
    reports[2].assert_holds();
    assert_eq!(reports[2].executions, 8);
    // With another fix it is another exploration.
    drop(explorer.run(program));
    let other = explorer.fix("early", 0).run(program);
    assert_eq!(other.end, End::WrongCheckpoint);
    let _ = std::fs::remove_file(&file);
}

#[test]
fn a_failure_of_a_restricted_run_is_drawn_by_name_and_replays_without_fixes() {
    let program = || {
        let retries = choose_named("retries", 0..3);
        let size = choose_named("size", 0..3);
        assert!(retries + size < 4, "too much");
    };
    for delivery in DELIVERIES {
        let explorer = Explorer::new().delivery(delivery);
        let report = explorer.clone().fix("retries", 2).run(program);
        assert_eq!(report.verdict, Verdict::Refuted);
        assert!(report.to_string().contains("REFUTED where `retries` is 2"));
        let failure = &report.failures[0];
        assert!(failure.picture.contains("chose retries = 2"), "{failure}");
        let trace = failure.trace.as_ref().unwrap();
        assert_eq!(explorer.replay(trace, program).verdict, Verdict::Refuted);
        // A replay goes where the trace leads.
        let other = explorer.fix("retries", 0).replay(trace, program);
        assert_eq!(other.verdict, Verdict::Refuted);
    }
    let holds = Explorer::new().fix("retries", 1).run(program);
    holds.assert_holds();
}

#[test]
fn symmetry_is_not_used_when_one_of_a_family_is_told_what_to_choose() {
    let vote = || {
        let main = current();
        spawn_family("voter", 3, move || {
            send(main, choose_named("vote", [false, true]));
        });
        assert_eq!([(); 3].map(|()| receive::<bool>()).len(), 3);
    };
    let explorer = Explorer::new().symmetry(true);
    assert_eq!(
        explorer.clone().fix("vote", true).run(vote).executions,
        1,
        "all do the same"
    );
    let names = explorer.clone().fix_at("vote", "nobody", 1, true).run(vote);
    let first = names.failures[0].message.split('`').nth_back(1).unwrap();
    let report = explorer.fix_at("vote", first, 1, true).run(vote);
    report.assert_holds();
    assert_eq!(report.executions, 24); // 2² · 3!
    assert!(report.notes[0].contains("symmetry was not used"));
}

//! Monitors: what they see, in which orders, and what becomes of it.

use crate::script::DELIVERIES;
use plainsong::{
    Destination, ExecutionEnd, Explorer, FailureKind, Letter, Monitor, Process, Report, Restart,
    Sent, Trace, Verdict, assume, channel, choose_bool, cover, current, receive, send, spawn,
    spawn_named,
};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

#[derive(Clone, Debug, PartialEq)]
struct Vote(bool);

#[derive(Clone, Debug)]
struct Decision;

/// Sees numbers, and wants them to rise.
#[derive(Default)]
struct Rising(u32);

#[plainsong::monitor(u32)]
impl Rising {
    fn number(&mut self, number: &u32) {
        assert!(*number > self.0, "{number} after {}", self.0);
        self.0 = *number;
    }
}

/// Sees votes, and has nothing to say.
struct Votes;

#[plainsong::monitor(Vote)]
impl Votes {
    fn vote(&mut self, _vote: &Vote) {}
}

/// Complete, blocked and failed executions in all modes; they have to agree.
fn counts(explorer: &Explorer, program: impl Fn() + Send + Sync + Clone + 'static) -> [u64; 3] {
    let explorer = explorer.clone().keep_going(true);
    let count = |explorer: &Explorer| {
        let report = explorer.run(program.clone());
        [report.executions, report.blocked, report.failed]
    };
    let changed = count(&explorer.clone().restart(Restart::Changed));
    let others = [
        explorer.clone().restart(Restart::All),
        explorer.clone().restart(Restart::Changed).jobs(2),
        explorer.clone().restart(Restart::All).jobs(2),
        explorer.clone().restart(Restart::Changed).seed(7),
        explorer.clone().restart(Restart::All).seed(3),
    ];
    for other in &others {
        assert_eq!(count(other), changed, "{other:?}");
    }
    changed
}

fn factorial(n: u64) -> u64 {
    (1..=n).product()
}

/// Two concurrent sends, one receive.
fn two_senders() {
    let main = current();
    for n in [1_u32, 2] {
        spawn(move || send(main, n));
    }
    receive::<u32>();
}

/// A number that is sent, and another one by somebody who knows about it.
fn causal_pair() {
    let main = current();
    let friend = spawn_named("friend", move || {
        receive::<&str>();
        send(main, 2_u32);
    });
    let friend = friend.process();
    spawn_named("first", move || {
        send(main, 1_u32);
        send(friend, "your turn");
    });
    receive::<u32>();
    receive::<u32>();
}

fn two_phase_commit(n: u64) {
    let coordinator = current();
    let voters: Vec<Process> = (0..n)
        .map(|_| {
            let voter = spawn(move || {
                send(coordinator, Vote(choose_bool()));
                receive::<Decision>();
            });
            voter.process()
        })
        .collect();
    for _ in 0..n {
        receive::<Vote>();
    }
    for voter in voters {
        send(voter, Decision);
    }
}

#[test]
fn concurrent_sends_are_seen_in_both_orders() {
    for delivery in DELIVERIES {
        let explorer = Explorer::new().delivery(delivery);
        assert_eq!(counts(&explorer, two_senders), [2, 0, 0], "{delivery:?}");
        let numbers = explorer.clone().monitor(|| Numbers);
        assert_eq!(counts(&numbers, two_senders), [4, 0, 0], "{delivery:?}");
        let rising = explorer.monitor(Rising::default);
        let report = rising.run(two_senders);
        assert_eq!(report.verdict, Verdict::Refuted, "{delivery:?}");
        assert_eq!(report.failures[0].message, "1 after 2");
    }
}

/// Sees numbers, and has nothing to say.
struct Numbers;

#[plainsong::monitor(u32)]
impl Numbers {
    fn number(&mut self, _number: &u32) {}
}

#[test]
fn a_message_is_seen_after_what_it_depends_on_under_every_model() {
    let expected = [2, 2, 1, 1];
    for (delivery, expected) in DELIVERIES.into_iter().zip(expected) {
        let explorer = Explorer::new().delivery(delivery);
        let plain = counts(&explorer, causal_pair);
        let watched = counts(&explorer.monitor(Rising::default), causal_pair);
        assert_eq!(plain, [expected, 0, 0], "{delivery:?}");
        assert_eq!(watched, plain, "{delivery:?}");
    }
}

#[test]
fn votes_are_seen_in_every_order() {
    for delivery in DELIVERIES {
        let explorer = Explorer::new().delivery(delivery).monitor(|| Votes);
        for n in 1..=3 {
            let expected = 2_u64.pow(n as u32) * factorial(n).pow(2);
            let found = counts(&explorer, move || two_phase_commit(n));
            assert_eq!(found, [expected, 0, 0], "{delivery:?} {n}");
        }
    }
}

#[test]
fn each_monitor_has_its_own_order() {
    let explorer = Explorer::new().monitor(|| Numbers).monitor(|| Numbers);
    assert_eq!(counts(&explorer, two_senders), [2 * 2 * 2, 0, 0]);
}

#[test]
fn filters_leave_executions_out() {
    struct Yes;
    #[plainsong::monitor(Vote)]
    impl Yes {
        fn selects(sent: &Sent) -> bool {
            sent.get() == Some(&Vote(true))
        }
        fn vote(&mut self, vote: &Vote) {
            assert!(vote.0);
        }
    }
    let program = || two_phase_commit(3);
    // Of three votes, k are shown, in k! orders: 3! (1 + 3 + 3 · 2 + 6).
    let by_value = Explorer::new().monitor(|| Yes);
    assert_eq!(counts(&by_value, program), [96, 0, 0]);
    let by_sender = |sent: &Sent<'_>| sent.from().to_string() == "thread 2";
    let by_sender = Explorer::new().monitor_where(|| Votes, by_sender);
    assert_eq!(counts(&by_sender, program), [48, 0, 0]);
    let by_receiver = |sent: &Sent<'_>| !sent.to().is("main");
    let by_receiver = Explorer::new().monitor_where(|| Votes, by_receiver);
    assert_eq!(counts(&by_receiver, program), [48, 0, 0]);
    let by_type = Explorer::new().monitor(|| Rising(0));
    assert_eq!(counts(&by_type, program), [48, 0, 0]);
}

#[test]
fn tags_can_be_selected() {
    let program = || {
        let main = current();
        for tag in 1..=3 {
            spawn(move || Letter::new(7_u32).tagged(tag).send(main));
        }
    };
    let is_small = |sent: &Sent<'_>| sent.tag().is_some_and(|tag| *tag < 3.into());
    let explorer = Explorer::new().monitor_where(|| Numbers, is_small);
    assert_eq!(counts(&explorer, program), [2, 0, 0]);
    let all = Explorer::new().monitor(|| Numbers);
    assert_eq!(counts(&all, program), [6, 0, 0]);
}

#[test]
fn sender_and_receiver_are_the_right_ones() {
    #[derive(Default)]
    struct Route(Vec<(String, String)>);
    #[plainsong::monitor(u32)]
    impl Route {
        fn number(&mut self, _number: &u32, sent: &Sent) {
            if let Destination::Process(process) = sent.to() {
                assert_ne!(process, sent.from());
            }
            let route = (sent.from().to_string(), sent.to().to_string());
            self.0.push(route);
        }
        fn on_end(&mut self) {
            let route = |from: &str, to: &str| (from.to_owned(), to.to_owned());
            let expected = [route("main", "relay"), route("relay", "sink")];
            assert_eq!(self.0, expected);
        }
    }
    let explorer = Explorer::new().monitor(Route::default);
    let found = counts(&explorer, || {
        let (sender, receiver) = channel::<u32>("sink");
        let relay = spawn_named("relay", move || sender.send(receive::<u32>()));
        send(relay.process(), 1_u32);
        receiver.receive();
    });
    assert_eq!(found, [1, 0, 0]);
}

#[test]
fn the_program_does_not_notice() {
    let program = || {
        let child = spawn(|| format!("{:?}", current()));
        assert_eq!(child.join(), "thread 1");
        send(current(), 1_u32);
        assert!(plainsong::try_receive_any().is_none_or(|any| any.is::<u32>()));
    };
    for explorer in [
        Explorer::new(),
        Explorer::new().monitor(|| Numbers).monitor(|| Votes),
    ] {
        let report = explorer.run(program);
        report.assert_holds();
        assert_eq!(report.executions, 2);
    }
}

#[test]
fn locks_and_results_are_not_shown_but_order_what_is() {
    struct InOrder(u32);
    impl Monitor for InOrder {
        fn selects(_sent: &Sent<'_>) -> bool {
            true
        }
        fn on_message(&mut self, sent: &Sent<'_>) {
            let number = sent.get::<u32>().expect("only numbers are sent");
            assert_eq!(*number, self.0, "sent with the lock held");
            self.0 += 1;
        }
    }
    let explorer = Explorer::new().monitor(|| InOrder(0));
    let found = counts(&explorer, || {
        let main = current();
        let next = Arc::new(plainsong::sync::Mutex::new(0_u32));
        let workers = [(); 2].map(|()| {
            let next = Arc::clone(&next);
            spawn(move || {
                let mut next = next.lock().unwrap();
                send(main, *next);
                *next += 1;
                *next
            })
        });
        let results = workers.map(plainsong::JoinHandle::join);
        assert!(results == [1, 2] || results == [2, 1]);
    });
    assert_eq!(found, [2, 0, 0]);
}

/// Notes how executions end.
struct Ends(Arc<Mutex<Vec<ExecutionEnd>>>);

impl Monitor for Ends {
    fn selects(sent: &Sent<'_>) -> bool {
        sent.is::<u32>()
    }

    fn on_message(&mut self, _sent: &Sent<'_>) {}

    fn on_end(&mut self, end: &ExecutionEnd) {
        let mut ends = self.0.lock().unwrap();
        ends.push(end.clone());
    }
}

fn ends(
    explorer: &Explorer,
    program: impl Fn() + Send + Sync + 'static,
) -> (Report, Vec<ExecutionEnd>) {
    let ends = Arc::new(Mutex::default());
    let noted = Arc::clone(&ends);
    let explorer = explorer
        .clone()
        .monitor(move || Ends(Arc::clone(&noted)))
        .keep_going(true);
    let report = explorer.run(program);
    let ends = ends.lock().unwrap().clone();
    (report, ends)
}

#[test]
fn m1_m2_nobody_ends_or_joins_a_monitor() {
    let (report, ends) = ends(&Explorer::new(), || {
        let sink = spawn(|| receive::<u32>());
        send(sink.process(), 1_u32);
        sink.join();
    });
    report.assert_holds();
    assert_eq!((report.executions, report.blocked), (1, 0));
    assert_eq!(ends, [ExecutionEnd::Completed]);
}

#[test]
fn m3_the_end_is_told_once_for_each_execution() {
    for explorer in [
        Explorer::new(),
        Explorer::new().restart(Restart::All),
        Explorer::new().jobs(2),
    ] {
        let (report, ends) = ends(&explorer, two_senders);
        assert_eq!(report.executions, 4);
        assert_eq!(ends, vec![ExecutionEnd::Completed; 4]);
    }
}

#[test]
fn m4_the_end_is_told_for_deadlocks() {
    for allowed in [true, false] {
        let explorer = Explorer::new().allow_deadlock(allowed);
        let (report, ends) = ends(&explorer, || {
            spawn_named("stuck", || receive::<Vote>());
            if choose_bool() {
                receive::<u32>();
            }
        });
        let counted = if allowed {
            report.blocked
        } else {
            report.failed
        };
        assert_eq!((report.executions, counted), (0, 2));
        let waiting: Vec<usize> = ends
            .iter()
            .map(|end| match end {
                ExecutionEnd::Completed => 0,
                ExecutionEnd::Deadlocked { waiting } => waiting.len(),
            })
            .collect();
        assert_eq!(waiting, [1, 2]);
    }
}

#[test]
fn m5_the_end_is_not_told_when_an_assumption_does_not_hold() {
    let (report, ends) = ends(&Explorer::new(), || {
        send(current(), 1_u32);
        assume(choose_bool());
    });
    assert_eq!((report.executions, report.blocked), (1, 1));
    assert_eq!(ends, [ExecutionEnd::Completed]);
}

#[test]
fn the_end_is_not_told_when_something_fails() {
    let (report, ends) = ends(&Explorer::new(), || {
        send(current(), 1_u32);
        assert!(choose_bool());
    });
    assert_eq!((report.executions, report.failed), (1, 1));
    assert_eq!(ends, [ExecutionEnd::Completed]);
}

#[test]
fn the_end_is_not_told_when_an_execution_is_too_long() {
    let (report, ends) = ends(&Explorer::new().limit_events(50), || {
        loop {
            send(current(), 1_u32);
        }
    });
    assert_eq!((report.executions, report.blocked), (0, 1));
    assert_eq!(ends, []);
}

#[test]
fn samples_are_watched_too() {
    let (report, ends) = ends(&Explorer::new().sample(20).seed(1), two_senders);
    assert_eq!(report.executions, 20);
    assert_eq!(ends, vec![ExecutionEnd::Completed; 20]);
    let estimate = Explorer::new()
        .monitor(|| Numbers)
        .estimate(50, two_senders);
    assert!((3.0..5.0).contains(&estimate.executions), "{estimate}");
    let rising = Explorer::new().sample(100).monitor(Rising::default);
    assert_eq!(rising.run(two_senders).verdict, Verdict::Refuted);
}

/// Wants as many answers as questions.
#[derive(Default)]
struct Answered {
    open: i32,
}

#[derive(Clone, Debug)]
struct Question;

#[derive(Clone, Debug)]
struct Answer;

#[plainsong::monitor(Question, Answer)]
impl Answered {
    fn question(&mut self, _question: &Question) {
        self.open += 1;
    }

    fn answer(&mut self, _answer: &Answer) {
        self.open -= 1;
    }

    fn on_end(&mut self, end: &ExecutionEnd) {
        assert_eq!(self.open, 0, "not everything was answered");
        assert_eq!(*end, ExecutionEnd::Completed);
    }
}

fn lazy_server() {
    let server = spawn_named("server", || {
        let (Question, client) = receive::<(Question, Process)>();
        if choose_bool() {
            send(client, Answer);
        }
    });
    let server = server.process();
    spawn_named("client", move || {
        send(current(), Question);
        send(server, (Question, current()));
        plainsong::try_receive::<Answer>();
    });
}

#[test]
fn m6_a_panic_at_the_end_is_a_failure_with_line_and_picture() {
    let explorer = Explorer::new().monitor(Answered::default);
    let report = explorer.run(lazy_server);
    assert_eq!(report.verdict, Verdict::Refuted);
    let failure = &report.failures[0];
    assert_eq!(failure.kind, FailureKind::Panic);
    assert!(
        failure.message.contains("not everything was answered"),
        "{failure}"
    );
    assert_eq!(failure.process.as_deref(), Some("Answered"));
    let location = failure.location.as_ref().expect("a panic has a place");
    assert!(location.contains("monitors.rs"), "{location}");
    assert!(failure.picture.contains("|   <- at the end"), "{failure}");
    assert!(failure.picture.contains("Question to client"), "{failure}");
    let all = counts(&explorer, lazy_server);
    assert_eq!(all, [2, 0, 1]);
}

#[test]
fn what_is_wrong_at_the_end_is_replayed() {
    for restart in [Restart::Changed, Restart::All] {
        let explorer = Explorer::new().restart(restart).monitor(Answered::default);
        let failure = explorer.run(lazy_server).failures.remove(0);
        let text = failure.trace.expect("a failure has a trace").to_string();
        let trace: Trace = text.parse().expect("what is written can be read");
        let again = explorer.replay(&trace, lazy_server);
        assert_eq!(again.verdict, Verdict::Refuted, "{again}\n{text}");
        assert_eq!(again.failures[0].message, failure.message);
        let unwatched = Explorer::new().replay(&trace, lazy_server);
        assert_eq!(unwatched.verdict, Verdict::Unknown);
    }
}

#[test]
fn m7_a_failure_at_the_end_of_a_deadlock_comes_after_the_deadlock() {
    let explorer = Explorer::new().monitor(Answered::default).keep_going(true);
    let report = explorer.run(|| {
        send(current(), Question);
        receive::<Vote>();
    });
    let kinds: Vec<FailureKind> = report.failures.iter().map(|failure| failure.kind).collect();
    assert_eq!(kinds, [FailureKind::Deadlock, FailureKind::Panic]);
    assert_eq!((report.executions, report.failed), (0, 1));
    // Whose failure it is not has no lane.
    assert!(!report.failures[0].picture.contains("Answered"));
}

#[test]
fn a_deadlock_is_replayed_with_what_monitors_saw() {
    let explorer = Explorer::new().monitor(|| Numbers).monitor(|| Numbers);
    let program = || {
        two_senders();
        receive::<Vote>();
    };
    let failure = explorer.run(program).failures.remove(0);
    let trace = failure.trace.expect("a failure has a trace");
    let text = trace.to_string();
    for line in [
        "\"Numbers\" receive u32 1 from \"thread 1\"",
        "\"Numbers#2\" receive u32 1 from \"thread 2\"",
    ] {
        assert!(text.contains(line), "{text}");
    }
    for seed in 0..10 {
        let again = explorer.clone().seed(seed).replay(&trace, program);
        assert_eq!(again.failures[0].message, failure.message, "{again}");
    }
}

#[test]
fn m8_monitors_only_watch() {
    struct Meddling;
    #[plainsong::monitor(u32, Vote)]
    impl Meddling {
        fn number(&mut self, number: &u32, sent: &Sent) {
            send(sent.from(), number + 1);
        }
        fn vote(&mut self, _vote: &Vote) {}
        fn on_end(&mut self, _end: &ExecutionEnd) {
            receive::<u32>();
        }
    }
    let explorer = Explorer::new().monitor(|| Meddling);
    let report = explorer.run(|| send(current(), 1_u32));
    let failure = &report.failures[0];
    assert_eq!(
        failure.message,
        "`send` does not work in a monitor: monitors only watch"
    );
    assert!(failure.location.as_ref().unwrap().contains("monitors.rs"));
    let report = explorer.run(|| send(current(), Vote(true)));
    assert!(report.failures[0].message.starts_with("`receive` does not"));

    let choosy = |_: &Sent<'_>| choose_bool();
    let report = Explorer::new()
        .monitor_where(|| Votes, choosy)
        .run(|| send(current(), Vote(true)));
    let failure = &report.failures[0];
    assert!(
        failure.message.starts_with("`choose` does not"),
        "{failure}"
    );
    assert_eq!(failure.process.as_deref(), Some("main"));
}

#[test]
fn a_monitor_that_cannot_be_made_is_a_failure() {
    let unmakable = || -> Numbers { panic!("no numbers today") };
    let report = Explorer::new().monitor(unmakable).run(|| {});
    assert_eq!(report.failures[0].message, "no numbers today");
}

#[test]
fn a_monitor_that_is_not_deterministic_is_named() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    struct Moody;
    #[plainsong::monitor(u32)]
    impl Moody {
        fn number(&mut self, _number: &u32) {
            assert!(CALLS.fetch_add(1, Ordering::Relaxed) != 1, "now it fails");
        }
    }
    let report = Explorer::new()
        .restart(Restart::Changed)
        .monitor(|| Moody)
        .run(|| send(current(), 1_u32));
    assert_eq!(report.failures[0].kind, FailureKind::NotDeterministic);
    assert!(report.failures[0].message.contains("`Moody`"), "{report}");
}

#[test]
fn marks_of_monitors_are_counted() {
    #[derive(Default)]
    struct Marks(Option<u32>);
    #[plainsong::monitor(u32)]
    impl Marks {
        fn number(&mut self, number: &u32) {
            cover(format!("saw {number}"));
            if self.0.replace(*number) == Some(2) {
                cover("falling");
            }
        }
        fn on_end(&mut self) {
            cover("the end");
        }
    }
    for explorer in [
        Explorer::new(),
        Explorer::new().restart(Restart::All),
        Explorer::new().jobs(2),
    ] {
        let report = explorer.monitor(Marks::default).run(|| {
            two_senders();
            assume(choose_bool());
        });
        let counted = |name: &str| report.coverage[name];
        assert_eq!((report.executions, report.blocked), (4, 4));
        assert_eq!((counted("saw 1"), counted("saw 2")), (8, 8));
        assert_eq!((counted("falling"), counted("the end")), (4, 4));
    }
}

mod leaders {
    //! At most one leader per term, with a broken twin.

    use super::*;
    use std::collections::BTreeMap;

    #[derive(Clone, Debug)]
    struct AskVote {
        term: u32,
        candidate: Process,
    }

    #[derive(Clone, Debug)]
    struct Granted {
        term: u32,
    }

    #[derive(Clone, Debug)]
    struct Lead {
        term: u32,
    }

    #[derive(Default)]
    struct OneLeader {
        leaders: BTreeMap<u32, Process>,
    }

    #[plainsong::monitor(Lead)]
    impl OneLeader {
        fn lead(&mut self, lead: &Lead, sent: &Sent) {
            let leader = self.leaders.entry(lead.term).or_insert(sent.from());
            assert_eq!(*leader, sent.from(), "two leaders in term {}", lead.term);
        }
    }

    /// A voter votes once per term, unless it forgets.
    fn voter(forgets: bool) {
        let mut voted = 0;
        for _ in 0..2 {
            let AskVote { term, candidate } = receive();
            if term > voted {
                send(candidate, Granted { term });
                if !forgets {
                    voted = term;
                }
            }
        }
    }

    fn election(forgets: bool) {
        let follower = current();
        let voter = spawn_named("voter", move || voter(forgets)).process();
        for name in ["ann", "bob"] {
            spawn_named(name, move || {
                let candidate = current();
                send(voter, AskVote { term: 1, candidate });
                if let Some(Granted { term }) = plainsong::try_receive() {
                    send(follower, Lead { term });
                }
            });
        }
    }

    fn explorer() -> Explorer {
        Explorer::new().monitor(OneLeader::default)
    }

    #[test]
    fn there_is_one_leader() {
        for delivery in DELIVERIES {
            let report = explorer().delivery(delivery).run(|| election(false));
            report.assert_holds();
            assert_eq!(report.executions, 4, "{delivery:?}");
        }
    }

    #[test]
    fn a_voter_that_forgets_makes_two() {
        let report = explorer().run(|| election(true));
        let failure = &report.failures[0];
        assert!(
            failure.message.contains("two leaders in term 1"),
            "{report}"
        );
        assert_eq!(failure.process.as_deref(), Some("OneLeader"));
        let expected = "
    OneLeader   voter                                       ann   bob
        |         |<- AskVote { term: 1, candidate: ann } ---|     |
        |         |<---- AskVote { term: 1, candidate: bob } ------|
        |         |---------- Granted { term: 1 } ---------->|     |
        |<------------ Lead { term: 1 } to main -------------|     |
        |         |------------- Granted { term: 1 } ------------->|
        |<--------------- Lead { term: 1 } to main ----------------|
        X         |                                          |     |   <- here";
        assert_eq!(failure.picture, expected[1..], "\n{failure}");
        let race = failure.race.as_ref().expect("something decided it");
        assert!(race.contains("bob received Granted"), "{race}");
    }

    #[test]
    fn two_leaders_are_replayed() {
        let failure = explorer().run(|| election(true)).failures.remove(0);
        let trace = failure.trace.expect("a failure has a trace");
        let text = trace.to_string();
        assert!(
            text.contains("\"OneLeader\" receive Lead 1 from \"bob\""),
            "{text}"
        );
        for seed in 0..10 {
            let again = explorer().seed(seed).replay(&trace, || election(true));
            assert_eq!(again.failures[0].message, failure.message, "{again}");
        }
        let fixed = explorer().replay(&trace, || election(false));
        assert_eq!(fixed.verdict, Verdict::Unknown, "{fixed}");
    }

    #[test]
    fn several_workers_find_it() {
        for restart in [Restart::Changed, Restart::All] {
            let report = explorer().restart(restart).jobs(2).run(|| election(true));
            assert_eq!(report.verdict, Verdict::Refuted);
            assert!(!report.failures[0].picture.is_empty());
        }
    }
}

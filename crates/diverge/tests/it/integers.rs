//! Random programs with integers: every execution that is said to go on for ever does so.
//!
//! There is nothing to decide such programs with, so the oracle is the interpreter: the claimed cycle is executed
//! again and again, many more times than any literal in the program is large, by steps that take a message of the same
//! kind at the same process, whose integers go on as they did from round to round. And what is said to terminate has no long execution along a
//! few simple schedules.

use crate::programs::{Dice, machine};
use plainsong_diverge::{Divergence, Fairness, Finding, Method, Question, diverge};
use plainsong_semantics::machine::{Config, Machine, Outcome, Step};
use plainsong_semantics::search::Unwatched;
use plainsong_semantics::trace::Event;
use plainsong_semantics::value::Value;

/// Literals are smaller.
const ROUNDS: usize = 14;
/// A run of this length has no end in programs this small.
const LONG: usize = 120;

#[derive(Debug, Default)]
struct Tally {
    diverge: usize,
    shifted: usize,
    apart: usize,
    rest: usize,
    unknown: usize,
}

#[test]
#[expect(
    clippy::print_stdout,
    reason = "how many programs of each kind there were is what the test is worth"
)]
fn what_drifts_goes_on_for_ever() {
    let programs: u64 =
        std::env::var("PLAINSONG_PROGRAMS").map_or(50, |n| n.parse().expect("a number"));
    let mut tally = Tally::default();
    for seed in 0..programs {
        let text = program(&mut Dice(seed));
        let machine = machine(&text);
        for fairness in [Fairness::Any, Fairness::Fair] {
            let context = || format!("seed {seed}, {fairness:?}\n{text}");
            for method in [Method::All, Method::Drifting] {
                match ask(&machine, fairness, method) {
                    Finding::Diverges(found) => {
                        let fair = found.repetition.ignored.is_empty();
                        assert!(fair || fairness == Fairness::Any, "{}", context());
                        assert!(goes_on(&machine, &found), "{found:?}\n{}", context());
                        count(&mut tally, &found);
                    }
                    Finding::Rests(why) => {
                        let long = [true, false].map(|newest| run(&machine, newest));
                        // The oldest first is fair.
                        assert!(long[1] < LONG, "{why}\n{}", context());
                        let is_fair = fairness == Fairness::Fair;
                        assert!(is_fair || long[0] < LONG, "{why}\n{}", context());
                        tally.rest += 1;
                    }
                    Finding::Unknown(_) => tally.unknown += 1,
                }
            }
        }
    }
    println!("{tally:?}");
    assert!(tally.shifted > 0 && tally.rest > 0, "{tally:?}");
}

/// A counter that goes on as it did, once it has passed a limit, and one that stops there.
fn limited(limit: u64, stops: bool) -> String {
    let beyond = if stops { "" } else { "send Ping(k + 1) to a;" };
    format!(
        "message Ping(k: nat);
         process a {{ on Ping(k) {{ if k > {limit} {{ {beyond} }} else {{ send Ping(k + 1) to a; }} }} }}
         init {{ send Ping(0) to a; }}
         property quiet: eventually quiescent;
         property fairly: eventually quiescent fair;"
    )
}

#[test]
fn limits_are_passed_quickly_and_only_then_is_it_for_ever() {
    for limit in [7, 16, 100, 1000] {
        let (passes, stops) = (limited(limit, false), limited(limit, true));
        let (passes, stops) = (machine(&passes), machine(&stops));
        for fairness in [Fairness::Any, Fairness::Fair] {
            let found = match ask(&passes, fairness, Method::All) {
                Finding::Diverges(found) => found,
                other => panic!("{limit}, {fairness:?}: {other:?}"),
            };
            assert_eq!(found.repetition.events, 1);
            // No longer than it has to be: the last event takes the first number beyond the limit.
            let events = found.trace.events.len() as u64;
            assert!(events <= limit + 6, "{limit}: {events} events");
            for method in [Method::All, Method::Drifting] {
                let other = ask(&stops, fairness, method);
                assert!(!matches!(other, Finding::Diverges(_)), "{limit}: {other:?}");
            }
        }
    }
}

#[test]
fn what_other_branches_do_makes_no_difference() {
    let song = |body: &str| {
        format!(
            "message Ping(k: int);
             process a {{ on Ping(k) {{ {body} }} }}
             init {{ send Ping(0) to a; }}
             property quiet: eventually quiescent;
             property fairly: eventually quiescent fair;"
        )
    };
    let on = "send Ping(k + 1) to a;";
    for body in [
        format!("if k < 5 || k > 7 {{ {on} }} else {{ send Ping(8) to a; }}"),
        format!(
            "if k > 70 {{ send Ping(k + 3) to a; }} else if k == 50 {{ send Ping(90) to a; }} else {{ {on} }}"
        ),
        format!("if k == 6 {{ send Ping(8) to a; }} else if k != -1 {{ {on} }}"),
    ] {
        let machine = machine(&song(&body));
        for fairness in [Fairness::Any, Fairness::Fair] {
            let Finding::Diverges(found) = ask(&machine, fairness, Method::Drifting) else {
                panic!("{body} goes on for ever");
            };
            assert!(goes_on(&machine, &found), "{body}");
        }
    }
    // A branch that is not taken for a long time, and then leads back or stops.
    for body in [
        format!("if k < 200 {{ {on} }} else {{ let over = k; }}"),
        format!("if k != 150 {{ {on} }}"),
    ] {
        let machine = machine(&song(&body));
        for method in [Method::Drifting, Method::All] {
            let found = ask(&machine, Fairness::Any, method);
            assert!(!matches!(found, Finding::Diverges(_)), "{body}: {found:?}");
        }
    }
    let back = format!("if k < 200 {{ {on} }} else {{ send Ping(0) to a; }}");
    let machine = machine(&song(&back));
    if let Finding::Diverges(found) = ask(&machine, Fairness::Any, Method::Drifting) {
        assert!(found.repetition.shifts.is_empty(), "{found:?}");
    }
}

fn count(tally: &mut Tally, found: &Divergence) {
    tally.diverge += 1;
    let by: Vec<i64> = found.repetition.shifts.iter().map(|(_, by)| *by).collect();
    tally.shifted += usize::from(!by.is_empty());
    tally.apart += usize::from(by.iter().any(|one| *one != by[0]));
}

fn ask(machine: &Machine, fairness: Fairness, method: Method) -> Finding {
    let question = Question {
        property: usize::from(fairness == Fairness::Fair),
        fairness,
        states: 500,
        method,
    };
    diverge(machine, &question, &mut Unwatched).finding
}

/// Can the cycle of a claim be executed again and again?
fn goes_on(machine: &Machine, found: &Divergence) -> bool {
    let events = &found.trace.events;
    let starts = machine.initial().into_iter();
    let ends: Vec<Config> = starts
        .filter_map(|start| follow(machine, start, found))
        .collect();
    let period: Vec<Model> = {
        let mut path = Vec::new();
        let first = events.len() - found.repetition.events;
        let mut config = machine.initial().into_iter().find_map(next);
        for event in events {
            let Some(at) = config else { return false };
            let step = machine.steps(&at).into_iter().nth(event.step);
            let Some(step) = step else { return false };
            config = next(step.outcome.clone());
            path.push(Model {
                choices: event.choices.clone(),
                step,
            });
        }
        path.split_off(first)
    };
    let told = found.repetition.shifts.iter();
    let told: Vec<i64> = told.map(|(_, by)| *by).collect();
    ends.iter().any(|end| repeats(machine, end, &period, &told))
}

/// A step of the cycle, and what was chosen in it.
struct Model {
    step: Step,
    choices: Vec<String>,
}

fn follow(machine: &Machine, start: Outcome, found: &Divergence) -> Option<Config> {
    let mut config = next(start)?;
    for event in &found.trace.events {
        config = next(machine.steps(&config).into_iter().nth(event.step)?.outcome)?;
    }
    Some(config)
}

/// Many rounds, by steps that look like those of the cycle. From the cycle to the first round integers move by distances
/// that are told, or not at all; from then on, each as it did before.
fn repeats(machine: &Machine, end: &Config, period: &[Model], told: &[i64]) -> bool {
    let mut rounds = Rounds {
        machine,
        period,
        told,
        taken: period.iter().map(|one| integers(&one.step)).collect(),
        left: LOOKED_AT,
    };
    rounds.go_on(end)
}

/// The most steps that are looked at: ways back are rare.
const LOOKED_AT: usize = 20_000;

struct Rounds<'a> {
    machine: &'a Machine,
    period: &'a [Model],
    /// Distances by which integers move.
    told: &'a [i64],
    /// The integers of the messages taken so far, those of the cycle first.
    taken: Vec<Option<Vec<i64>>>,
    left: usize,
}

impl Rounds<'_> {
    fn go_on(&mut self, config: &Config) -> bool {
        let (at, length) = (self.taken.len(), self.period.len());
        if at == length * (1 + ROUNDS) {
            return true;
        }
        let model = &self.period[at % length];
        let steps = self.machine.steps(config).into_iter().enumerate();
        let alike = steps.filter(|(number, step)| {
            let choices = |event: Event| event.choices;
            is_alike(step, &model.step)
                && choices(self.machine.event(config, *number, step)) == model.choices
        });
        let mut turns: Vec<(usize, Step)> = alike
            .filter_map(|(_, step)| Some((self.rank(&integers(&step))?, step)))
            .collect();
        turns.sort_by_key(|(rank, _)| *rank);
        for (_, step) in turns {
            let values = integers(&step);
            let Some(after) = next(step.outcome).filter(|_| self.left > 0) else {
                continue;
            };
            self.left -= 1;
            self.taken.push(values);
            if self.go_on(&after) {
                return true;
            }
            self.taken.pop();
        }
        false
    }

    /// May a message with these integers be taken next, and how soon is it tried?
    fn rank(&self, values: &Option<Vec<i64>>) -> Option<usize> {
        let (at, length) = (self.taken.len(), self.period.len());
        let moved = |from: &Option<Vec<i64>>, to: &Option<Vec<i64>>| -> Vec<i64> {
            let pairs = from.iter().flatten().zip(to.iter().flatten());
            pairs.map(|(from, to)| to - from).collect()
        };
        let now = moved(&self.taken[at - length], values);
        if at >= 2 * length {
            let before = moved(&self.taken[at - 2 * length], &self.taken[at - length]);
            return (now == before).then_some(0);
        }
        let known = self.told.iter().chain([&0]);
        let known: Vec<i64> = known.copied().collect();
        let ranks = now.iter().map(|by| known.iter().position(|one| one == by));
        ranks.sum()
    }
}

/// Does a step take a message of the same kind at the same process?
fn is_alike(step: &Step, model: &Step) -> bool {
    let kind = |step: &Step| step.takes().map(|task| task.kind());
    step.lane == model.lane && step.kind == model.kind && kind(step) == kind(model)
}

/// The integers of the message that a step takes.
fn integers(step: &Step) -> Option<Vec<i64>> {
    let task = step.takes()?;
    let values = task.values().iter();
    let int = |value: &Value| match value {
        Value::Int(int) => *int,
        other => panic!("messages hold integers, not {other:?}"),
    };
    Some(values.map(int).collect())
}

/// How long one schedule goes on.
fn run(machine: &Machine, newest: bool) -> usize {
    let Some(mut config) = machine.initial().into_iter().find_map(next) else {
        return 0;
    };
    let mut queue: Vec<plainsong_semantics::idle::Task> = Vec::new();
    for length in 0..LONG {
        let steps = machine.steps(&config);
        let wanted = if newest { queue.last() } else { queue.first() };
        let step = match wanted {
            Some(task) => steps
                .into_iter()
                .find(|step| step.takes().as_ref() == Some(task)),
            None => steps.into_iter().next(),
        };
        let Some(after) = step.and_then(|step| next(step.outcome)) else {
            return length;
        };
        let mut bag = plainsong_semantics::idle::Idle::of(&after).bag;
        if !queue.is_empty() {
            queue.remove(if newest { queue.len() - 1 } else { 0 });
        }
        for old in &queue {
            let at = bag
                .iter()
                .position(|one| one == old)
                .expect("it still waits");
            bag.remove(at);
        }
        queue.extend(bag);
        config = after;
    }
    LONG
}

fn next(outcome: Outcome) -> Option<Config> {
    match outcome {
        Outcome::Next(config) => Some(config),
        _ => None,
    }
}

/// A program of one to three processes with two integers each.
fn program(dice: &mut Dice) -> String {
    let nodes = 1 + dice.below(3);
    let mut text = format!("sort Place = 0..{nodes};\nmessage A(k: int);\nmessage B(k: int);\n");
    let start = [dice.below(4), dice.below(4)];
    text += "process node[n: Place] {\n";
    text += &format!(
        "    var x: int = {};\n    var y: int = {};\n",
        start[0], start[1]
    );
    for kind in ["A", "B"] {
        text += &format!("    on {kind}(k) {{\n");
        let mut sends = 2;
        block(dice, &mut text, nodes, &mut sends, 2);
        text += "    }\n";
    }
    text += "}\ninit {\n";
    for _ in 0..=dice.below(2) {
        let kind = ["A", "B"][dice.below(2)];
        let (value, to) = (dice.below(5), dice.below(nodes));
        text += &format!("    send {kind}({value}) to node[{to}];\n");
    }
    text + "}\nproperty quiet: eventually quiescent;\nproperty fair: eventually quiescent fair;\n"
}

fn block(dice: &mut Dice, text: &mut String, nodes: usize, sends: &mut usize, depth: usize) {
    for _ in 0..=dice.below(3) {
        match dice.below(6) {
            0..=2 if *sends > 0 => {
                *sends -= 1;
                let kind = ["A", "B"][dice.below(2)];
                let to = match dice.below(3) {
                    0 => "n".to_owned(),
                    1 => format!("(n + 1) % {nodes}"),
                    _ => dice.below(nodes).to_string(),
                };
                let value = value(dice);
                *text += &format!("        send {kind}({value}) to node[{to}];\n");
            }
            3 if depth > 0 => {
                let left = ["k", "x", "y", "k - x"][dice.below(4)];
                let operator = ["<", "<=", ">", ">=", "==", "!="][dice.below(6)];
                let right = ["k", "x", "y", "0", "2", "7"][dice.below(6)];
                *text += &format!("        if {left} {operator} {right} {{\n");
                block(dice, text, nodes, sends, depth - 1);
                *text += "        }\n";
            }
            4 if depth > 0 && dice.below(4) == 0 => {
                *text += "        maybe {\n";
                block(dice, text, nodes, sends, depth - 1);
                *text += "        }\n";
            }
            _ => {
                let (name, value) = (["x", "y"][dice.below(2)], value(dice));
                *text += &format!("        {name} = {value};\n");
            }
        }
    }
}

fn value(dice: &mut Dice) -> String {
    let name = ["k", "x", "y"][dice.below(3)];
    match dice.below(12) {
        0..=3 => name.to_owned(),
        4..=7 => format!("{name} + {}", 1 + dice.below(3)),
        8 | 9 => format!("{name} - {}", 1 + dice.below(2)),
        10 => format!("x + {name}"),
        _ => dice.below(6).to_string(),
    }
}

/// Three processes that flood each other's queues: a step far from the start copies thousands of messages, and counts as
/// many steps.
#[test]
fn queues_that_grow_without_end_are_paid_for() {
    let text = "\
sort Me = 0..3;
message Ping via fifo;
process p[me: Me] {
    on Ping { send Ping to p[me]; send Ping to p[(me + 2) % 3]; }
}
init { send Ping to p[1]; send Ping to p[2]; }
property quiet: eventually quiescent;
";
    let machine = machine(text);
    let question = Question {
        property: 0,
        fairness: Fairness::Any,
        states: 50_000,
        method: Method::Drifting,
    };
    let report = diverge(&machine, &question, &mut Unwatched);
    assert!(report.steps < 2_000, "{} steps", report.steps);
}

//! On every refuted question of the corpus: smaller executions fail in the same way and replay, and
//! what is said about races is true.
//!
//! That a race avoids the failure is checked again here, with nothing of what found it: the alternative
//! replays, terminates, and the property holds in it; where it is called certain, random executions
//! from there on are asked too.

use crate::interpreter_agrees::account::instance;
use plainsong_ir::{Claim, Property, System};
use plainsong_semantics::claim::{Verity, verity};
use plainsong_semantics::follow::follow;
use plainsong_semantics::machine::{Config, Machine, Outcome, Status};
use plainsong_semantics::property_values::truths;
use plainsong_semantics::race::{Race, race};
use plainsong_semantics::replay::replay;
use plainsong_semantics::search::{Answer, Limits, Query, Unwatched, search};
use plainsong_semantics::shrink::{fewer_events, in_reading_order, smaller_values};
use plainsong_semantics::simulate::simulate;
use plainsong_semantics::trace::{Ending, Trace};
use plainsong_testkit::corpus::{files, root};
use std::sync::OnceLock;

const LIMITS: Limits = Limits {
    states: 2_000,
    refutations: None,
};

#[test]
fn what_is_said_about_races_is_true() {
    let (mut refuted, mut races, mut certain) = (0, 0, 0);
    for (name, machine, trace) in refutations() {
        refuted += 1;
        let Some(race) = race(machine, trace) else {
            continue;
        };
        races += 1;
        certain += usize::from(race.certain);
        holds_up(name, machine, trace, &race);
    }
    let summary = format!("{refuted} refuted, {races} races, {certain} of them certain");
    assert!(
        refuted > 60 && races > 30 && certain > 20,
        "too few: {summary}"
    );
}

#[test]
fn smaller_executions_fail_in_the_same_way() {
    let (mut refuted, mut other) = (0, 0);
    for (name, machine, trace) in refutations() {
        refuted += 1;
        let mut now = trace.clone();
        for improve in [fewer_events, smaller_values, in_reading_order] {
            now = improve(machine, &now);
            assert_eq!(replay(machine, &now), Ok(()), "{name}");
            assert!(now.events.len() <= trace.events.len(), "{name}");
            assert!(
                same_kind(&trace.ending, &now.ending),
                "{name}: {:?}",
                now.ending
            );
        }
        other += usize::from(now != *trace);
    }
    assert!(
        refuted > 60 && other > 10,
        "{refuted} refuted, {other} changed"
    );
}

/// Comments move every place in the text, and there is one more property: saved traces still
/// follow.
#[test]
fn traces_survive_unrelated_edits() {
    let mut followed = 0;
    for (name, machine, trace) in refutations() {
        let file = name.split(": ").next().expect("a file");
        let text = std::fs::read_to_string(root().join(file)).expect("a song can be read");
        let edited = format!("// Moved.\n\n{text}\nproperty unrelated: always 1 + 1 == 2;\n");
        let song = plainsong_syntax::compile(&edited)
            .song
            .expect("it is still a song");
        let edited = Machine::new(&instance(&song).expect("it has sizes"), machine.subject());
        match follow(&edited, trace) {
            Ok(told) => {
                assert_eq!(replay(&edited, &told), Ok(()), "{name}");
                assert!(same_kind_elsewhere(&trace.ending, &told.ending), "{name}");
                assert_eq!(told.events.len(), trace.events.len(), "{name}");
                followed += 1;
            }
            Err(mismatch) => panic!("{name}: {mismatch:?}"),
        }
    }
    assert!(followed > 60, "only {followed}");
}

/// Like [`same_kind`], where places have moved.
fn same_kind_elsewhere(one: &Ending, other: &Ending) -> bool {
    match (one, other) {
        (Ending::Failed(one), Ending::Failed(other)) => one.kind == other.kind,
        _ => same_kind(one, other),
    }
}

/// Long random executions that fail lose what is not needed.
#[test]
fn random_failures_become_smaller() {
    let (mut failures, mut before, mut after) = (0, 0, 0);
    for (name, machine, found) in refutations() {
        if !matches!(found.ending, Ending::Failed(_)) || machine.lanes().len() < 3 {
            continue;
        }
        let random = (0..20).map(|seed| simulate(machine, seed, 300));
        for trace in random.filter(|trace| matches!(trace.ending, Ending::Failed(_))) {
            let small = fewer_events(machine, &trace);
            assert_eq!(replay(machine, &small), Ok(()), "{name}");
            assert!(same_kind(&trace.ending, &small.ending), "{name}");
            failures += 1;
            before += trace.events.len();
            after += small.events.len();
        }
    }
    assert!(
        failures > 10 && after < before,
        "{failures} failures, {before} events became {after}"
    );
}

#[test]
fn properties_along_a_trace_agree_with_its_ending() {
    let mut judged = 0;
    for (name, machine, trace) in refutations() {
        let Ending::Violated { property, .. } = &trace.ending else {
            continue;
        };
        for one in truths(machine, trace) {
            assert_eq!(one.holds.len(), trace.events.len() + 1, "{name}");
            if one.property == *property {
                assert_eq!(one.holds.last(), Some(&Some(false)), "{name}");
                judged += 1;
            }
        }
    }
    assert!(judged > 20, "only {judged}");
}

/// Everything that the search through states refutes in the corpus.
fn refutations() -> &'static [(String, Machine, Trace)] {
    static ALL: OnceLock<Vec<(String, Machine, Trace)>> = OnceLock::new();
    ALL.get_or_init(refuted_in_the_corpus)
}

fn refuted_in_the_corpus() -> Vec<(String, Machine, Trace)> {
    let mut found = Vec::new();
    for file in files().expect("the corpus can be listed") {
        let text = std::fs::read_to_string(root().join(&file)).expect("a song can be read");
        let Some(song) = plainsong_syntax::compile(&text).song else {
            continue;
        };
        // Programs in layers are not run step by step.
        if matches!(&song.system, System::Actions(actions) if actions.is_layered()) {
            continue;
        }
        let Some(instance) = instance(&song) else {
            continue;
        };
        for query in Query::all(&song) {
            let report = search(&instance, &query, &LIMITS, &mut Unwatched);
            for finding in report.findings {
                if let Answer::Refuted(trace) = finding.answer {
                    let name = format!("{}: {}", file.display(), finding.name);
                    found.push((name, Machine::new(&instance, query.subject), *trace));
                }
            }
        }
    }
    found
}

fn same_kind(one: &Ending, other: &Ending) -> bool {
    match (one, other) {
        (Ending::Violated { property, .. }, Ending::Violated { property: same, .. }) => {
            property == same
        }
        (Ending::Failed(one), Ending::Failed(other)) => {
            one.kind == other.kind && one.span == other.span
        }
        (Ending::Deadlock(_), Ending::Deadlock(_)) => true,
        _ => false,
    }
}

fn holds_up(name: &str, machine: &Machine, trace: &Trace, race: &Race) {
    let other = &race.alternative;
    assert_eq!(replay(machine, other), Ok(()), "{name}");
    assert_eq!(other.ending, Ending::Final, "{name}");
    assert!(race.event < trace.events.len(), "{name}");
    assert!(race.instead < other.events.len(), "{name}");
    let path = path(name, machine, other);
    let property = violated(machine, trace);
    for config in &path {
        assert!(
            is_well(machine, property, config),
            "{name}: {}",
            race.sentence
        );
    }
    if race.certain {
        for seed in 0..10 {
            wander(name, machine, property, &path[race.instead + 1], seed);
        }
    }
}

fn violated<'m>(machine: &'m Machine, trace: &Trace) -> Option<&'m Property> {
    let Ending::Violated { property, .. } = &trace.ending else {
        return None;
    };
    let mut properties = machine.instance().song().properties.iter();
    properties.find(|one| one.name == *property)
}

/// The states of a trace.
fn path(name: &str, machine: &Machine, trace: &Trace) -> Vec<Config> {
    let start = machine.initial().into_iter().find_map(|start| match start {
        Outcome::Next(config) if machine.start(&config) == trace.start => Some(config),
        _ => None,
    });
    let mut path = vec![start.unwrap_or_else(|| panic!("{name}: the trace has a start"))];
    for event in &trace.events {
        let mut steps = machine.steps(path.last().expect("a start"));
        match steps.swap_remove(event.step).outcome {
            Outcome::Next(next) => path.push(next),
            other => panic!("an alternative fails nowhere: {other:?}"),
        }
    }
    path
}

fn is_well(machine: &Machine, property: Option<&Property>, config: &Config) -> bool {
    let status = machine.status(config);
    if matches!(status, Status::Deadlock(_)) {
        return false;
    }
    let Some(property) = property else {
        return true;
    };
    let claim = match &property.claim {
        Claim::Always(claim) => claim,
        Claim::Finally(claim) if status == Status::Final => claim,
        _ => return true,
    };
    // Before `init` has run, `always` claims nothing.
    let before_init = machine
        .steps(config)
        .iter()
        .any(|step| step.kind == plainsong_semantics::trace::EventKind::Init);
    before_init || verity(machine, property, claim, config) == Verity::Holds
}

/// A random walk that must stay well.
fn wander(
    name: &str,
    machine: &Machine,
    property: Option<&Property>,
    from: &Config,
    mut seed: u64,
) {
    let mut config = from.clone();
    for _ in 0..200 {
        assert!(is_well(machine, property, &config), "{name}");
        let steps = machine.steps(&config);
        let mut outcomes: Vec<Outcome> = steps.into_iter().map(|step| step.outcome).collect();
        outcomes.retain(|outcome| !matches!(outcome, Outcome::Discarded));
        if outcomes.is_empty() {
            return;
        }
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let at = (seed >> 33) as usize % outcomes.len();
        match outcomes.swap_remove(at) {
            Outcome::Next(next) => config = next,
            other => panic!("{name}: a certain race fails all the same: {other:?}"),
        }
    }
}

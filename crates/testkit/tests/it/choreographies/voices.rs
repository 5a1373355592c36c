//! The voices of a choreography have exactly one execution for each vector of outcomes of its free choices and
//! external functions: no deadlock, and the same ends equally often.

use super::{Ends, Given, Told, choreographies, ends, given, variables, windows};
use plainsong_explore_songs::{Manner, explore_showing};
use plainsong_ir::Song;
use plainsong_project::{Options, project};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Config, Machine, Subject};
use plainsong_semantics::outcomes::{split, undecided};
use plainsong_semantics::search::{Completeness, Unwatched};
use plainsong_semantics::sizes::Sizes;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Larger ones are left to the generated programs and to the comparison by states.
const MOST_PATHS: usize = 4_000;

#[test]
fn voices_have_one_execution_for_each_vector_of_choices() {
    let (mut compared, mut executions, mut wrong) = (0, 0, Vec::new());
    let mut too_big = Vec::new();
    for told in choreographies(&["examples", "songs/project", "songs/prove"]) {
        let bare = told.bare();
        let Ok(projection) = project(&bare, told.line, &Options::default()) else {
            continue;
        };
        let voices = Arc::new(projection.song);
        for size in told.different(2..=3) {
            match compare(&told, &bare, &voices, &told.sizes(size)) {
                Ok(Some(found)) => {
                    compared += 1;
                    executions += found;
                }
                Ok(None) => too_big.push(format!("{} at size {size}", told.name)),
                Err(why) => wrong.push(format!("{} at size {size}: {why}", told.name)),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > 80, "{compared} compared; too big: {too_big:?}");
    assert!(executions > 5_000, "{executions} executions");
}

fn compare(
    told: &Told,
    bare: &Arc<Song>,
    voices: &Arc<Song>,
    sizes: &Sizes,
) -> Result<Option<u64>, String> {
    let Some(ends) = ends(bare, told.line, sizes, MOST_PATHS) else {
        return Ok(None);
    };
    if ends.values().all(|ends| ends.count() == 0) {
        return Ok(Some(0)); // nothing that is tried satisfies what it requires
    }
    let instances = Instance::all(voices.clone(), sizes, &windows());
    let instances = instances.map_err(|error| error.message)?;
    let mut executions = 0;
    let mut open: Vec<Instance> = instances.into_iter().map(undecided).collect();
    // Ways to start with the same parameters and outcomes are instances of their own.
    let mut seen: BTreeMap<Given, BTreeMap<String, u64>> = BTreeMap::new();
    while let Some(instance) = open.pop() {
        let given = given(&instance);
        let is_known = |(values, _): &Given| *values == given.0;
        if !ends.keys().any(is_known) {
            continue; // nothing starts with these parameters
        }
        let machine = Machine::new(&instance, Subject::System);
        let mut of_instance: BTreeMap<String, u64> = BTreeMap::new();
        let mut look = |config: &Config, complete: bool| {
            let end = match complete {
                true => variables(&machine, config),
                false => format!("deadlock: {}", variables(&machine, config)),
            };
            *of_instance.entry(end).or_default() += 1;
        };
        let found = explore_showing(
            &machine,
            &[],
            &Manner::default(),
            &mut Unwatched,
            Some(&mut look),
        );
        let found = found.map_err(|gave_up| gave_up.sentence().to_owned())?;
        if let Some(more) = split(&machine, u64::MAX)? {
            open.extend(more);
            continue;
        }
        let Some(line) = ends.get(&given) else {
            return Err(format!("the line does not ask for {}", given.1));
        };
        let seen = seen.entry(given).or_default();
        if !line.failures.is_empty() {
            continue; // guards that disagree, a value that is not defined
        }
        if found.count.completeness != Completeness::Complete || found.count.failed > 0 {
            return Err(format!("{:?}", found.count));
        }
        for (end, count) in of_instance {
            *seen.entry(end).or_default() += count;
        }
        executions += found.count.complete;
    }
    for (given, seen) in &seen {
        let line = &ends[given];
        if line.failures.is_empty() && *seen != line.paths {
            return Err(format!(
                "the line ends with {:?}, the voices with {seen:?}",
                line.paths
            ));
        }
    }
    // Where the line fails, voices may not get so far as to ask.
    let is_missing = |(given, ends): &(&Given, &Ends)| {
        !given.1.is_empty() && ends.failures.is_empty() && !seen.contains_key(*given)
    };
    match ends.iter().find(is_missing) {
        Some((given, _)) => Err(format!("only the line asks for {}", given.1)),
        None => Ok(Some(executions)),
    }
}

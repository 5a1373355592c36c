//! There and back: `project`, then `sequentialize`, gives a line that ends like the first one.
//!
//! The line that comes back has more variables: what was received. Those of the first line are compared, at
//! sizes 1 to 3, with every outcome of its free choices. [`ONE_WAY`] lists the choreographies whose voices
//! `sequentialize` does not take, each with the reason it gives.

use super::{Told, choreographies, given, windows};
use plainsong_ir::{Song, VarId};
use plainsong_project::{Options, project};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Config, Machine, Outcome, Subject};
use plainsong_semantics::show::show;
use plainsong_semantics::sizes::Sizes;
use plainsong_semantics::value::Value;
use plainsong_sequentialize::sequentialize;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

/// The most states of one line at one size.
const MOST_STATES: usize = 20_000;

/// A `while` of data: `sequentialize` follows loops whose number of rounds is decided beforehand.
const ROUNDS: &str = "goes through this loop depends on what its rounds compute";

/// A map over a family that is given from outside: its members are not alike.
const SINGLED_OUT: &str = "singles out one member of a family";

/// A family over a range of numbers: its members are not alike either.
const ORDERED: &str = "can be told apart";

/// Choreographies without a way back (or files, or folders), and why.
const ONE_WAY: &[(&str, &str)] = &[
    ("songs/prove/", ROUNDS),
    ("songs/prove/contracts-that-fail.song", ORDERED),
    // Its endpoints disagree whether there is something to send.
    (
        "songs/prove/contracts-that-fail.song constant_part",
        "is never received",
    ),
    (
        "songs/project/an-invariant-that-one-side-breaks.song",
        ROUNDS,
    ),
    // What makes the first of them agree is something that `requires` says of numbers.
    ("songs/project/crossed-values-that-", "waits for"),
    ("songs/project/externals-with-contracts.song", ORDERED),
    // Members wait for each other before they do what relies on a premise about all of them.
    (
        "songs/project/premises-that-are-too-weak.song chosen_by_members",
        "waits for",
    ),
    ("songs/project/k-nucleotide.song", ORDERED),
    ("songs/project/small-choreographies.song left_alone", ROUNDS),
    ("songs/project/tic-tac-toe-with-one-board.song", ROUNDS),
    ("songs/project/guards-for-several.song nested", ROUNDS),
    ("songs/project/guards-for-several.song refreshed", ROUNDS),
    ("songs/project/guards-that-agree.song", ROUNDS),
    // Guards that disagree: these voices do wait for each other.
    (
        "songs/project/guards-that-disagree.song branch",
        "waits for",
    ),
    (
        "songs/project/guards-that-disagree.song nested",
        "waits for",
    ),
    (
        "songs/project/guards-that-disagree.song unequal",
        "is never received",
    ),
    (
        "songs/project/guards-that-disagree.song third",
        "too many branches",
    ),
    (
        "songs/project/parts-of-choreographies.song between",
        SINGLED_OUT,
    ),
    (
        "songs/project/parts-of-choreographies.song count_down",
        ROUNDS,
    ),
    (
        "songs/project/parts-of-choreographies.song pairs",
        "are both named by `Server`",
    ),
    (
        "songs/project/parts-that-promise-too-little.song alike",
        SINGLED_OUT,
    ),
    (
        "songs/project/parts-that-promise-too-little.song count_down",
        ROUNDS,
    ),
    (
        "songs/project/parts-that-promise-too-little.song unequal",
        ROUNDS,
    ),
    (
        "songs/project/stores-that-look-like-transfers.song selfish",
        SINGLED_OUT,
    ),
    ("songs/prove/ackermann.song runs_down", "too many branches"),
    ("songs/project/consensus-of-", SINGLED_OUT),
    ("songs/project/families-that-decide.song apart", SINGLED_OUT),
    (
        "songs/project/premises-about-parameters-of-the-song.song of_members",
        SINGLED_OUT,
    ),
    (
        "songs/project/premises-about-parameters-of-the-song.song chosen_by_members",
        SINGLED_OUT,
    ),
    ("songs/project/paper-scissors-rock-", ROUNDS),
    ("songs/project/sends-of-families-", ORDERED),
    ("songs/project/election-", ORDERED),
    ("songs/project/two-phase-commit-", ORDERED),
    // A loop whose rounds every member decides for itself.
    ("songs/project/election.song", "is never served"),
    (
        "songs/project/families-that-decide.song alone",
        "is never served",
    ),
    ("songs/project/tic-tac-toe", "too many steps"),
    ("songs/project/externals-explored", "too many steps"),
    (
        "songs/project/two-phase-commit-with-",
        "do not all end alike",
    ),
    (
        "songs/project/two-phase-commit-until-all-vote-yes.song",
        "do not all end alike",
    ),
    ("songs/project/ring-election", SINGLED_OUT),
    (
        "songs/project/ring-summation-one-round-short.song",
        SINGLED_OUT,
    ),
    ("songs/project/ring-summation.song", SINGLED_OUT),
    ("songs/project/ring-summation-with-lemmas.song", SINGLED_OUT),
    (
        "songs/project/names-that-mean-something-to-rust.song clash",
        ORDERED,
    ),
    ("songs/project/permuting-sends", SINGLED_OUT),
    ("songs/project/permuting-sends-by-", ORDERED),
    ("songs/project/an-auction", ORDERED),
    (
        "songs/project/values-inside-of-values.song grid",
        SINGLED_OUT,
    ),
    // Which arm of a `match` is taken is told as a number.
    (
        "songs/project/values-inside-of-values.song nested",
        "waits for",
    ),
    // Whether there is another round is told to every server before each.
    (
        "songs/project/two-phase-commit.song",
        "do not all end alike",
    ),
];

/// The search nests as deep as a song has branches: as much room as the command gives it.
const STACK: usize = 256 * 1024 * 1024;

#[test]
fn lines_come_back_from_their_voices() {
    let thread = std::thread::Builder::new().stack_size(STACK);
    let test = thread
        .spawn(all_come_back)
        .expect("a thread can be started");
    if let Err(panic) = test.join() {
        std::panic::resume_unwind(panic);
    }
}

fn all_come_back() {
    let (mut back, mut compared, mut wrong) = (0, 0, Vec::new());
    let mut one_way = BTreeMap::new();
    for told in choreographies(&["examples", "songs/project", "songs/prove"]) {
        let bare = told.bare();
        let voices = match project(&bare, told.line, &Options::default()) {
            Ok(projection) => projection.song,
            Err(_) => continue,
        };
        let again = match sequentialize(&voices, None) {
            Ok(found) => found.line.map(|line| Arc::new(line.song)),
            Err(stuck) => Err(stuck.sentence.clone()),
        };
        match again {
            Ok(again) => {
                back += 1;
                for size in told.different(1..=3) {
                    match compare(&told, &bare, &again, &told.sizes(size)) {
                        Ok(found) => compared += found,
                        Err(why) => wrong.push(format!("{} at size {size}: {why}", told.name)),
                    }
                }
            }
            Err(why) => {
                one_way.insert(told.name, why);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(back >= 30, "{back} came back");
    assert!(compared > 500, "{compared} ends compared");
    one_way.retain(|name, why| {
        let is_known = |(song, known): &(&str, &str)| name.starts_with(song) && why.contains(known);
        !ONE_WAY.iter().any(is_known)
    });
    assert!(one_way.is_empty(), "{one_way:#?}");
}

/// How many ends were the same.
fn compare(
    told: &Told,
    first: &Arc<Song>,
    again: &Arc<Song>,
    sizes: &Sizes,
) -> Result<usize, String> {
    let last = again.lines.len() - 1;
    let Some(first_ends) = all_ends(first, told.line, sizes, None) else {
        return Ok(0);
    };
    let Some(last_ends) = all_ends(again, last, sizes, Some((first, told.line))) else {
        return Ok(0);
    };
    let mut count = 0;
    for (given, ends) in first_ends {
        let Some(ends) = ends else {
            continue; // it fails
        };
        let found = last_ends.get(&given).cloned().flatten().unwrap_or_default();
        if found != ends {
            return Err(format!("given {given:?}, {ends:?} became {found:?}"));
        }
        count += ends.len();
    }
    Ok(count)
}

/// A variable of an endpoint with its value.
type End = BTreeSet<String>;

/// How a line can end, for each value of constants and parameters; nothing where it fails on the way.
type AllEnds = BTreeMap<Vec<Value>, Option<BTreeSet<End>>>;

fn all_ends(
    song: &Arc<Song>,
    line: usize,
    sizes: &Sizes,
    of: Option<(&Song, usize)>,
) -> Option<AllEnds> {
    let mut all = AllEnds::new();
    let mut left = MOST_STATES;
    let instances = Instance::all(song.clone(), sizes, &windows()).unwrap_or_default();
    for instance in instances {
        let machine = Machine::new(&instance, Subject::Line(line));
        let arity = song.lines[line].code.arity;
        for start in machine.initial() {
            let Outcome::Next(start) = start else {
                continue;
            };
            let given = [&given(&instance).0[..], start.parameters(arity)].concat();
            let found = walk(&machine, start, of, &mut left)?;
            let known = all.entry(given).or_insert_with(|| Some(BTreeSet::new()));
            match (known.as_mut(), found) {
                (Some(known), Some(found)) => known.extend(found),
                _ => *known = None,
            }
        }
    }
    Some(all)
}

/// All ends from one state; `Some(None)` when something fails on the way.
fn walk(
    machine: &Machine,
    start: Config,
    of: Option<(&Song, usize)>,
    left: &mut usize,
) -> Option<Option<BTreeSet<End>>> {
    let mut seen = HashSet::from([start.clone()]);
    let (mut open, mut ends) = (vec![start], BTreeSet::new());
    while let Some(config) = open.pop() {
        *left = left.checked_sub(1)?;
        let steps = machine.steps(&config);
        if steps.is_empty() {
            ends.insert(end(machine, &config, of));
        }
        for step in steps {
            match step.outcome {
                Outcome::Next(next) if seen.insert(next.clone()) => open.push(next),
                Outcome::Failed(..) => return Some(None),
                Outcome::Next(_) | Outcome::Discarded => {}
            }
        }
    }
    Some(Some(ends))
}

/// The variables, of those that the first line has.
fn end(machine: &Machine, config: &Config, of: Option<(&Song, usize)>) -> End {
    let instance = machine.instance();
    let mut end = End::new();
    for row in instance.lanes(machine.subject()) {
        let member = &instance.members()[row];
        let family = &instance.song().families[member.family.index()];
        for (at, var) in family.vars.iter().enumerate() {
            if of.is_none_or(|(song, line)| declares(song, line, &family.name, &var.name)) {
                let value = show(instance, config.value(row, VarId::from(at)), &var.ty);
                end.insert(format!("{}.{} = {value}", member.name, var.name));
            }
        }
    }
    end
}

fn declares(song: &Song, line: usize, family: &str, var: &str) -> bool {
    let endpoints = song.lines[line].endpoints.iter();
    endpoints
        .map(|id| &song.families[id.index()])
        .any(|decl| decl.name == family && decl.vars.iter().any(|one| one.name == var))
}

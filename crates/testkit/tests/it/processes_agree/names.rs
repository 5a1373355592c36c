//! Packing states of processes up to names changes no answer, and keeps each orbit exactly once.
//!
//! On random programs whose processes are families over a sort, with constraints and claims about steps, and on the songs of the
//! corpus. Answers are those of the search through all states, unless the search up to names says that it cannot tell. Without
//! dropping dead messages, and where no loop is loosened, the orbits add up to the number of all states; and never are more
//! states kept than by the interpreter's search up to names, whose forms are not quite canonical. With dead messages
//! dropped, answers stay the same.

use super::on_disk::Files;
use crate::explorer_agrees::families::families;
use crate::interpreter_agrees::account::instance;
use crate::interpreter_agrees::asked_for;
use crate::states_agree::instances_at;
use plainsong_ir::{Claim, Delivery, SortId, System};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Machine, Subject};
use plainsong_semantics::process_symmetry::{
    SymmetricProcesses, UpToNames, search_up_to_names, symmetric,
};
use plainsong_semantics::search::{
    Answer, Check, Completeness, Limits, Query, SearchReport, Unwatched, search,
};
use plainsong_states::{Manner, search_processes_up_to_names};
use plainsong_testkit::corpus::{files, root};
use plainsong_testkit::random_song::Dice;

/// How many random programs are tried, unless asked for another number.
const PROGRAMS: u64 = 160;

/// The most states of a program; larger ones are left out.
const MOST_STATES: u64 = 3_000;

/// What some programs have besides.
const EXTRAS: [&str; 5] = [
    "",
    "property step: always old(hub.n) == 0 || hub.n == old(hub.n);\n",
    "property step: always forall a: Id :: node[a].seen == old(node[a].seen);\n",
    "constraint few: forall a: Id :: node[a].n < 2;\n",
    "constraint few: hub.last == none;\nproperty step: always old(hub.last) == hub.last;\n",
];

/// Each of them happens so often at most.
const DECISIONS: [(&str, &str); 6] = [
    ("last == none", "last = some(a);"),
    ("last == none || last == some(a)", "last = some(a); n += 1;"),
    ("seen.len() < 2", "seen = seen.with(a);"),
    ("!(a in seen)", "seen = seen.with(a); last = some(me);"),
    ("n < 2", "n += 1;"),
    ("n == 0 && !(me in seen)", "n += 1; seen = {me, a};"),
];

const SENDS: [&str; 6] = [
    "send Yes(me) to node[a];",
    "send Yes(a) to node[a];",
    "for i in Id where i != me { send Yes(me) to node[i]; }",
    "for i in Id { send Yes(a) to node[i]; }",
    "if a != me { send Ask(a) to node[a]; }",
    "",
];

const CLAIMS: [&str; 8] = [
    "always forall a, b: Id where a != b :: node[a].n == 0 || node[b].n == 0",
    "always (count a: Id :: node[a].last != none) < 2",
    "finally forall a: Id :: node[a].last != none",
    "finally forall a, b: Id :: node[a].last == node[b].last",
    "always forall a: Id :: node[a].last != some(a)",
    "always forall a: Id :: old(node[a].last) == none || node[a].last == old(node[a].last)",
    "always (count a: Id :: old(node[a].n) != node[a].n) < 1",
    "always forall a, b: Id :: a in node[b].seen ==> b in node[a].seen",
];

const REST: [&str; 8] = [
    "",
    "fault crash node <= 1;\n",
    "fault lose Yes <= 1;\n",
    "fault duplicate Ask <= 1;\n",
    "fault crash node <= 1;\nfault restart node;\n",
    "constraint few: (count a: Id :: node[a].n > 0) < 2;\n",
    "constraint few: forall a: Id :: node[a].seen.len() < 2;\n",
    "",
];

/// Processes with handlers that do something until it is decided, and nothing later.
fn deciding(seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let model = *dice.pick(&["", " via fifo", " via unordered", " via mailbox"]);
    let size = dice.between(2, 3);
    let mut text = format!(
        "sort Id;\nsize Id = {size};\nmessage Ask(a: Id) via unordered;\nmessage Yes(a: Id){model};\n\
         process node[me: Id] {{\nvar n: nat = 0;\nvar last: option<Id> = none;\n\
         var seen: set<Id> = {{}};\n"
    );
    for kind in ["Ask", "Yes"] {
        let (guard, effect) = *dice.pick(&DECISIONS);
        let send = *dice.pick(&SENDS);
        text += &format!("on {kind}(a) {{ if {guard} {{ {effect} {send} }} }}\n");
    }
    let to = *dice.pick(&["node[i]", "node[j]"]);
    text += &format!(
        "}}\ninit {{ for i in Id {{ for j in Id where i != j {{ send Ask(i) to {to}; }} }} }}\n"
    );
    text += *dice.pick(&REST);
    for name in ["one", "two", "three"] {
        text += &format!("property {name}: {};\n", dice.pick(&CLAIMS));
    }
    text
}

#[test]
fn on_random_families() {
    let mut tally = Tally::default();
    let (skipped, programs) = asked_for(PROGRAMS);
    for seed in skipped..skipped + programs {
        let extra = EXTRAS[seed as usize % EXTRAS.len()];
        let text = families(seed) + extra;
        let compiled = plainsong_syntax::compile(&text);
        let song = compiled
            .song
            .unwrap_or_else(|| panic!("{text}\n{:?}", compiled.diagnostics));
        let model = [
            None,
            Some(Delivery::Unordered),
            Some(Delivery::Fifo),
            Some(Delivery::Mailbox),
        ];
        let instance = instance(&song).expect("sizes are chosen");
        let instance = instance.with_delivery(model[seed as usize % model.len()]);
        tally.compare(&format!("seed {seed}\n{text}"), &instance);
    }
    assert!(tally.compared * 3 > programs as usize, "{tally:?}");
    assert!(tally.real * 4 > tally.compared, "{tally:?}");
    assert!(tally.fewer * 3 > tally.compared, "{tally:?}");
    assert!(tally.refuted * 5 > tally.compared, "{tally:?}");
    assert!(tally.open * 20 < tally.refuted, "{tally:?}");
}

/// Processes with handlers, whose messages come to mean nothing once something is decided.
#[test]
fn on_families_that_decide() {
    let mut tally = Tally::default();
    let (skipped, programs) = asked_for(PROGRAMS);
    for seed in skipped..skipped + programs {
        let text = deciding(seed);
        let compiled = plainsong_syntax::compile(&text);
        let song = compiled
            .song
            .unwrap_or_else(|| panic!("{text}\n{:?}", compiled.diagnostics));
        let instance = instance(&song).expect("sizes are chosen");
        tally.compare(&format!("seed {seed}\n{text}"), &instance);
    }
    assert!(tally.compared * 2 > programs as usize, "{tally:?}");
    assert!(tally.real * 2 > tally.compared, "{tally:?}");
    assert!(tally.fewer * 2 > tally.compared, "{tally:?}");
    assert!(tally.refuted * 5 > tally.compared, "{tally:?}");
    assert!(tally.steps * 10 > tally.compared, "{tally:?}");
    assert!(tally.cut * 10 > tally.compared, "{tally:?}");
    assert!(tally.dropped * 4 > tally.compared, "{tally:?}");
}

#[test]
fn on_the_songs_of_the_corpus() {
    let mut tally = Tally::default();
    for path in files().expect("the corpus can be listed") {
        let text = std::fs::read_to_string(root().join(&path)).expect("a song can be read");
        let Some(song) = plainsong_syntax::compile(&text).song else {
            continue;
        };
        if !matches!(&song.system, System::Voices(_)) {
            continue;
        }
        for size in [2, 3] {
            for instance in instances_at(&song, size).iter().take(4) {
                tally.compare(&path.display().to_string(), instance);
            }
        }
    }
    assert!(tally.fewer >= 10, "{tally:?}");
    assert!(tally.real >= 10, "{tally:?}");
}

/// What the compared programs were like.
#[derive(Debug, Default)]
struct Tally {
    compared: usize,
    /// No loop was loosened.
    real: usize,
    fewer: usize,
    refuted: usize,
    /// A claim about steps was refuted.
    steps: usize,
    /// A constraint cut states off.
    cut: usize,
    /// Dropping dead messages made a difference.
    dropped: usize,
    /// Answers that the search up to names does not know.
    open: usize,
}

impl Tally {
    fn compare(&mut self, name: &str, instance: &Instance) {
        let song = instance.song();
        let mut queries = Query::all(song).into_iter();
        let query = queries.find(|query| query.subject == Subject::System);
        let mut query = query.expect("there are processes");
        query.checks.retain(|check| match check {
            Check::Property(at) => !matches!(song.properties[*at].claim, Claim::Quiescent { .. }),
            _ => true,
        });
        let (alike, _) = symmetric(song, &query.checks, instance.delivery());
        if alike.is_empty() {
            return;
        }
        let limits = Limits {
            states: MOST_STATES,
            ..Limits::default()
        };
        let all = search(instance, &query, &limits, &mut Unwatched);
        if all.completeness != Completeness::Complete {
            return;
        }
        let sorts = (&query, &alike[..]);
        let mut states = Vec::new();
        let files = Files::default();
        for manner in [
            manner(1 << 16, false),
            manner(0, false),
            manner(name.len() % 2, true),
            Manner {
                scratch: Some(&files),
                in_memory: 1 + name.len() as u64 % 20,
                ..manner(0, false)
            },
        ] {
            let limits = Limits::default();
            let found =
                search_processes_up_to_names(manner, instance, sorts, &limits, &mut Unwatched);
            let Ok(found) = found else { return };
            if matches!(found.report.completeness, Completeness::Resource(_)) {
                // Loops in any order are one step with many choices, which may be too many to try.
                return;
            }
            self.open += same(name, &all, &found);
            states.push(found.report.states);
            if !manner.dead_messages {
                self.orbits(name, (instance, &query), &alike, (&all, &found));
            }
        }
        assert_eq!(states[0], states[1], "{name}");
        self.compared += 1;
        self.fewer += usize::from(states[0] < all.states);
        self.dropped += usize::from(states[2] < states[0]);
        self.cut += usize::from(!all.cut_by.is_empty());
        let is_refuted = |check: &dyn Fn(Check) -> bool| {
            let mut findings = all.findings.iter();
            findings.any(|one| matches!(one.answer, Answer::Refuted(_)) && check(one.check))
        };
        let is_step = |check: Check| match check {
            Check::Property(at) => matches!(song.properties[at].claim, Claim::Step(_)),
            _ => false,
        };
        self.refuted += usize::from(is_refuted(&|_| true));
        self.steps += usize::from(is_refuted(&is_step));
    }

    /// Is every orbit kept, and once?
    fn orbits(
        &mut self,
        name: &str,
        (instance, query): (&Instance, &Query),
        alike: &[SortId],
        (all, found): (&SearchReport, &UpToNames),
    ) {
        // Where everything is refuted, the search ends before all states are seen.
        if found.report.completeness != Completeness::Complete {
            return;
        }
        let machine = Machine::new(instance, Subject::System);
        let is_real = SymmetricProcesses::new(&machine, alike).is_real();
        assert!(found.stands_for >= u128::from(all.states), "{name}");
        if is_real {
            assert_eq!(found.stands_for, u128::from(all.states), "{name}");
            self.real += 1;
        }
        let limits = Limits::default();
        let theirs = search_up_to_names(instance, query, alike, &limits, &mut Unwatched);
        if theirs.report.completeness == Completeness::Complete {
            assert!(found.report.states <= theirs.report.states, "{name}");
        }
    }
}

fn manner(ways: usize, dead_messages: bool) -> Manner<'static> {
    Manner {
        ways,
        dead_messages,
        ..Manner::default()
    }
}

/// Are the answers the same? Says how many are left open.
fn same(name: &str, all: &SearchReport, found: &UpToNames) -> usize {
    let mut open = 0;
    for (one, other) in found.report.findings.iter().zip(&all.findings) {
        let is_refuted = matches!(other.answer, Answer::Refuted(_));
        match &one.answer {
            Answer::Refuted(_) => assert!(is_refuted, "{name}: {}", one.name),
            Answer::NotRefuted => assert!(!is_refuted, "{name}: {}", one.name),
            Answer::Unknown(_) => {
                assert!(found.open.contains(&one.check), "{name}");
                open += 1;
            }
        }
    }
    if found.report.completeness == Completeness::Complete {
        assert_eq!(all.failures, found.report.failures, "{name}");
        assert_eq!(
            all.final_states > 0,
            found.report.final_states > 0,
            "{name}"
        );
        assert_eq!(all.cut_by, found.report.cut_by, "{name}");
    }
    open
}

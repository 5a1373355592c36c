//! Programs and what their schedules make of them, state by state.
//!
//! Whatever is proved by the solver alone is run in the interpreter at small sizes: if the sequential program
//! cannot fail, the original cannot, and both end in the same states. Random programs try to get a wrong
//! schedule proved: failures that are left pending, actions that overwrite each other, that wait, that
//! create others or themselves, schedules in the wrong order or with something missing.
//!
//! `PLAINSONG_SYSTEMS` and `PLAINSONG_SEED` say how many random programs, and from where on.

use plainsong_ir::{RangeEnd, Song, SortKind};
use plainsong_prove::theory::Theory;
use plainsong_refine::answer::{Answer, Prover};
use plainsong_refine::compare::{Behaviours, behaviours};
use plainsong_refine::refine::Refining;
use plainsong_refine::sequential::line;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::sizes::{Bounds, Sizes};
use plainsong_smt::{Cancel, Setup, Solvers};
use std::sync::Arc;

/// The most states of a song, and of a random program, which may have no end of them.
const MOST_STATES: usize = 40_000;
const MOST_STATES_OF_RANDOM: usize = 1_500;

pub(crate) fn compiled(text: &str) -> Arc<Song> {
    let compiled = plainsong_syntax::compile(text);
    let diagnostics: Vec<&String> = compiled
        .diagnostics
        .iter()
        .map(|one| &one.message)
        .collect();
    Arc::new(
        compiled
            .song
            .unwrap_or_else(|| panic!("{diagnostics:?}\n{text}")),
    )
}

/// How many sequentializations are proved, from the first on.
pub(crate) fn proved(song: &Arc<Song>, solvers: &Solvers) -> usize {
    let mut theory = Theory::new(song.clone());
    let cancel = Cancel::default();
    let mut prover = Prover {
        theory: &mut theory,
        solvers,
        cancel: &cancel,
        seed: 0,
        second: None,
    };
    let mut refining = Refining::by_proof_alone(song);
    let count = song.actions().map_or(0, |actions| actions.sequences.len());
    (0..count)
        .take_while(|at| matches!(refining.sequence(*at, &mut prover), Answer::Proved(_)))
        .count()
}

pub(crate) fn behaviours_at(song: &Arc<Song>, size: i64, most: usize) -> Vec<Option<Behaviours>> {
    let mut sizes = Sizes::new();
    for sort in &song.sorts {
        let sized = match &sort.kind {
            SortKind::Identities { .. } => true,
            SortKind::Range(range) => range.end == RangeEnd::Open,
        };
        if sized {
            sizes = sizes.with(sort.name.clone(), size);
        }
    }
    let bounds = Bounds {
        int: (-1, 2),
        nat: 2,
        length: 2,
        ..Bounds::default()
    };
    let globals = song.actions().map_or(0, |actions| actions.globals.len());
    let seen: Vec<usize> = (0..globals).collect();
    let instances = Instance::all(song.clone(), &sizes, &bounds).expect("there are sizes");
    let all = instances.iter();
    all.map(|one| behaviours(one, &seen, most)).collect()
}

/// Where the original does something else than the program after `count` schedules; how many starts were
/// compared otherwise.
fn compare(song: &Arc<Song>, count: usize, size: i64, most: usize) -> Result<usize, String> {
    let sequential = Arc::new(line(song, count));
    let pairs = behaviours_at(song, size, most)
        .into_iter()
        .zip(behaviours_at(&sequential, size, most));
    let mut compared = 0;
    for (one, other) in pairs {
        let (Some(one), Some(other)) = (one, other) else {
            continue;
        };
        for (start, behaviour) in &other {
            if behaviour.failure.is_some() {
                continue;
            }
            compared += 1;
            let original = &one[start];
            if let Some(failure) = &original.failure {
                return Err(format!("size {size}: only the original fails: {failure}"));
            }
            if original.ends != behaviour.ends {
                let (a, b) = (&original.ends, &behaviour.ends);
                return Err(format!(
                    "size {size}: it ends in {a:?}, sequentially in {b:?}"
                ));
            }
        }
    }
    Ok(compared)
}

#[test]
fn songs_that_are_proved_end_as_their_schedules_do() {
    let solvers = Solvers::new(Setup::from_environment());
    // With the largest size at which all states can be looked at. Schedules that may go on for ever are
    // not among them: the interpreter does not come to the end of their only step.
    for (path, largest) in [
        ("examples/broadcast_consensus.song", 3),
        ("songs/refine/paxos-round-after-round.song", 2),
        ("songs/refine/increments-and-decrements-one-by-one.song", 3),
        ("songs/refine/task-distribution.song", 3),
        ("songs/refine/broadcast-consensus-in-two-steps.song", 3),
        ("songs/refine/lock-service-with-client.song", 3),
        ("songs/refine/two-phase-commit-by-schedule.song", 3),
        ("songs/refine/buyers-share-any-price.song", 2),
    ] {
        let path = format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"));
        let song = compiled(&std::fs::read_to_string(&path).expect("the song is there"));
        let count = proved(&song, &solvers);
        assert_eq!(count, song.actions().expect("actions").sequences.len());
        for size in 1..=largest {
            let compared = compare(&song, count, size, MOST_STATES)
                .unwrap_or_else(|why| panic!("{path}: {why}"));
            assert!(compared > 0, "{path}: nothing to compare at size {size}");
        }
    }
}

#[test]
fn a_wrong_schedule_would_be_noticed() {
    let text = "sort Id;\nvar x: int = 0;\naction P(i: Id) { x = 1; }\naction Q(i: Id) { x = 2; }\n\
        init { for i in Id { async P(i); async Q(i); } }\n\
        sequentialize P, Q { for i in Id { call P(i); } for i in Id { call Q(i); } }\n";
    let song = compiled(text);
    assert!(compare(&song, 1, 2, MOST_STATES).is_err());
    assert_eq!(proved(&song, &Solvers::new(Setup::from_environment())), 0);
}

#[test]
#[expect(clippy::print_stdout, reason = "how many are proved is worth knowing")]
fn random_programs_that_are_proved_end_as_their_schedules_do() {
    let number = |name: &str, usual: u64| {
        let said = std::env::var(name).ok();
        said.and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let (count, first) = (
        number("PLAINSONG_SYSTEMS", 200),
        number("PLAINSONG_SEED", 0),
    );
    let solvers = Solvers::new(Setup::from_environment());
    let (mut shown, mut wrong) = (0, 0);
    for seed in first..first + count {
        let text = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 1).program();
        let song = compiled(&text);
        let is_proved = proved(&song, &solvers) == 1;
        shown += u64::from(is_proved);
        for size in 1..=2 {
            match compare(&song, 1, size, MOST_STATES_OF_RANDOM) {
                Err(why) if is_proved => panic!("seed {seed}: {why}\n{text}"),
                Err(_) if size == 2 => wrong += 1,
                _ => {}
            }
        }
    }
    println!("{shown} of {count} are proved, {wrong} are wrong");
    assert!(shown * 12 >= count, "{shown} of {count} are proved");
    assert!(wrong * 12 >= count, "{wrong} of {count} are wrong");
}

/// Where chance comes from: an xorshift generator.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % count as u64) as usize
    }

    pub(crate) fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }

    /// Three actions, of which one or two are eliminated.
    fn program(&mut self) -> String {
        let ordered = self.below(3) == 0;
        let sort = if ordered {
            "sort Id = 0..;"
        } else {
            "sort Id;"
        };
        let mut text = format!(
            "{sort}\nvar x: int = 0;\nvar b: bool = false;\n\
             var m: map<Id, int> = map i: Id => 0;\nvar s: set<Id> = {{}};\n"
        );
        let creates = self.below(4) == 0;
        let again = self.below(8) == 0;
        for name in ["P", "Q", "R"] {
            text.push_str(&format!("action {name}(i: Id) {{\n"));
            for _ in 0..=self.below(2) {
                let statement = match ordered && self.below(2) == 0 {
                    true => self.in_order(),
                    false => self.statement(),
                };
                text.push_str(&format!("    {statement}\n"));
            }
            if name == "P" && creates {
                let ways = [
                    "async R(i);",
                    "async R(i);",
                    "for j in Id { async R(j); }",
                    "async R(i); async R(i);",
                    "if b { async R(i); } else { maybe { async R(i); } }",
                ];
                text.push_str(&format!("    {}\n", self.of(&ways)));
            }
            if name == "P" && again {
                text.push_str("    maybe { async P(i); }\n");
            }
            text.push_str("}\n");
        }
        let others = match (creates, self.below(2)) {
            (true, _) => "async Q(i);",
            (false, 0) => "async Q(i); async R(i);",
            (false, _) => "async Q(i);",
        };
        text.push_str(&format!(
            "init {{ for i in Id {{ async P(i); {others} }} }}\n"
        ));
        text.push_str(&self.schedule(creates, others.contains('R')));
        text
    }

    fn schedule(&mut self, creates: bool, both: bool) -> String {
        let with_r = (creates || both) && self.below(3) > 0;
        let with_q = self.below(3) == 0;
        let mut names = vec!["P"];
        names.extend(with_q.then_some("Q"));
        names.extend(with_r.then_some("R"));
        let mut order = names.clone();
        if self.below(4) == 0 {
            order.reverse();
        }
        if self.below(10) == 0 {
            order.pop();
        }
        let calls = order.iter().map(|name| format!("call {name}(i);"));
        let calls: Vec<String> = calls.collect();
        let body = match self.below(2) {
            0 => format!("for i in Id {{ {} }}", calls.join(" ")),
            _ => {
                let loops = calls.iter().map(|call| format!("for i in Id {{ {call} }}"));
                loops.collect::<Vec<_>>().join(" ")
            }
        };
        format!("sequentialize {} {{ {body} }}\n", names.join(", "))
    }

    fn statement(&mut self) -> String {
        match self.below(10) {
            0 => format!("assume {};", self.condition()),
            1 => format!("assert {};", self.condition()),
            2 => format!("if {} {{ {} }}", self.condition(), self.change()),
            3 => "maybe { x = x + 1; } else { x = x - 1; }".to_owned(),
            _ => self.change(),
        }
    }

    /// Where the order in which things are called matters.
    fn in_order(&mut self) -> String {
        let all = [
            "maybe { if forall j: Id where j in s :: j < i { s = s.with(i); } }",
            "maybe { if x <= i { x = i + 1; } }",
            "maybe { if forall j: Id where j > i :: m[j] == 0 { m[i] = m[i] + 1; } }",
            "maybe { m[i] = x; }",
            "if forall j: Id where j < i :: m[j] == 1 { m[i] = 1; }",
        ];
        self.of(&all).to_owned()
    }

    fn condition(&mut self) -> String {
        let all = [
            "x == 0",
            "x >= 0",
            "b",
            "!b",
            "m[i] == 0",
            "i in s",
            "!(i in s)",
        ];
        self.of(&all).to_owned()
    }

    fn change(&mut self) -> String {
        let all = [
            "x = x + 1;",
            "x = 0;",
            "b = true;",
            "b = !b;",
            "m[i] = m[i] + 1;",
            "m[i] = x;",
            "m[i] = 1;",
            "s = s.with(i);",
            "s = s.without(i);",
        ];
        self.of(&all).to_owned()
    }
}

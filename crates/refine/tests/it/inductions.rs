//! Programs and what inductions make of them, state by state.
//!
//! Whatever is proved by the solver alone is run in the interpreter at small sizes: if the program with the new action
//! cannot fail, the original cannot, and the ends of the original are ends of the new one. Random programs try to get a
//! wrong induction proved: invariant actions that do too much or too little, choices that skip something or name what is
//! not there, ends that are wrong, others beside that do not let anything move past them, asyncs that come back.
//!
//! `PLAINSONG_SYSTEMS` and `PLAINSONG_SEED` say how many random programs, and from where on.

use crate::sequences::{Dice, behaviours_at, compiled, proved};
use plainsong_ir::Song;
use plainsong_refine::sequential::line;
use plainsong_smt::{Setup, Solvers};
use std::sync::Arc;

const MOST_STATES: usize = 3_000;

/// Something that the original does and the new program does not; how many starts were compared otherwise.
fn included(song: &Arc<Song>, count: usize, size: i64) -> Result<usize, String> {
    let new = Arc::new(line(song, count));
    let pairs = behaviours_at(song, size, MOST_STATES).into_iter();
    let pairs = pairs.zip(behaviours_at(&new, size, MOST_STATES));
    let mut compared = 0;
    for (one, other) in pairs {
        let (Some(one), Some(other)) = (one, other) else {
            continue;
        };
        for (start, new) in other.iter().filter(|(_, new)| new.failure.is_none()) {
            compared += 1;
            let original = &one[start];
            if let Some(failure) = &original.failure {
                return Err(format!("size {size}: only the original fails: {failure}"));
            }
            if let Some(end) = original.ends.difference(&new.ends).next() {
                return Err(format!("size {size}: only the original ends in {end:?}"));
            }
        }
    }
    Ok(compared)
}

#[test]
fn a_wrong_induction_would_be_noticed() {
    let text = "var x: int = 0;\naction Main() { async P(); async Q(); }\naction P() { x = 1; }\n\
        action Q() { x = 2; }\naction Part() { async P(); async Q(); }\n\
        action All() { x = 1; async Q(); }\ninit { async Main(); }\n\
        sequentialize P into Main as All by Part() { call P(); }\n";
    let song = compiled(text);
    assert!(included(&song, 1, 1).is_err());
    assert_eq!(proved(&song, &Solvers::new(Setup::from_environment())), 0);
}

#[test]
#[expect(clippy::print_stdout, reason = "how many are proved is worth knowing")]
fn random_inductions_that_are_proved_lose_nothing() {
    let number = |name: &str, usual: u64| {
        let said = std::env::var(name).ok();
        said.and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let (count, first) = (
        number("PLAINSONG_SYSTEMS", 100),
        number("PLAINSONG_SEED", 0),
    );
    let solvers = Solvers::new(Setup::from_environment());
    let (mut shown, mut wrong) = (0, 0);
    for seed in first..first + count {
        let text = induction(&mut Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 1));
        let song = compiled(&text);
        let is_proved = proved(&song, &solvers) == 1;
        shown += u64::from(is_proved);
        let mut fails = false;
        for size in 1..=3 {
            match included(&song, 1, size) {
                Err(why) if is_proved => panic!("seed {seed}: {why}\n{text}"),
                Err(_) => fails = true,
                Ok(_) => {}
            }
        }
        wrong += u64::from(fails);
    }
    println!("{shown} of {count} are proved, {wrong} are wrong");
    assert!(shown * 12 >= count, "{shown} of {count} are proved");
    assert!(wrong * 12 >= count, "{wrong} of {count} are wrong");
}

/// What an async does, what the first `k` do together, and what all of them do.
const DOINGS: [[&str; 3]; 8] = [
    ["x = x + 1;", "x = x + k;", "x = x + Id.len();"],
    [
        "m[i] = 1;",
        "for i in Id where i < k { m[i] = 1; }",
        "for i in Id { m[i] = 1; }",
    ],
    [
        "s = s.with(i);",
        "s = s | { i in Id where i < k };",
        "s = Id;",
    ],
    ["b = true;", "if k > 0 { b = true; }", "b = true;"],
    [
        "async Q(i);",
        "for i in Id where i < k { async Q(i); }",
        "for i in Id { async Q(i); }",
    ],
    [
        "assert x >= 0; x = x + 1;",
        "x = x + k;",
        "x = x + Id.len();",
    ],
    [
        "assume x >= 0; x = x + 1;",
        "x = x + k;",
        "assert x >= 0; x = x + Id.len();",
    ],
    ["x = i;", "if k > 0 { x = k - 1; }", "x = Id.len() - 1;"],
];

/// What something else does, which may be pending at the same time.
const OTHERS: [&str; 7] = [
    "x = x + 2;",
    "x = 0;",
    "assert x == 0;",
    "assert !b;",
    "assume b; x = x + 1;",
    "m[i] = 0;",
    "s = s.without(i);",
];

/// A program with an induction, in which something may be wrong.
fn induction(dice: &mut Dice) -> String {
    let [mut one, mut some, mut all] = DOINGS[dice.below(DOINGS.len())];
    let odd = DOINGS[dice.below(DOINGS.len())];
    match dice.below(12) {
        0 => one = odd[0],
        1 => some = odd[1],
        2 => all = odd[2],
        _ => {}
    }
    let other = dice.of(&OTHERS);
    let beside = dice.of(&["", "", "for i in Id { async Q(i); }", "async Q(0);"]);
    let again = match dice.below(10) {
        0 => "maybe { async P(i); }",
        1 => "async P(i);",
        _ => "",
    };
    let gate = dice.of(&["", "", "assert x >= 0;", "assert !b;"]);
    let left = dice.of(&["i >= k", "i >= k", "i >= k", "i >= k", "i > k", "true"]);
    let bound = dice.of(&[
        "Id.len()",
        "Id.len()",
        "Id.len()",
        "Id.len()",
        "Id.len() - 1",
    ]);
    let next = dice.of(&["k", "k", "k", "k", "k", "k - 1", "0"]);
    let then = dice.of(&[
        "k = k + 1;",
        "k = k + 1;",
        "k = k + 1;",
        "k = k + 1;",
        "k = k + 2;",
        "",
    ]);
    let mains = dice.of(&[
        "async Main();",
        "async Main();",
        "async Main(); async Main();",
    ]);
    format!(
        "sort Id = 0..;\nvar x: int = 0;\nvar b: bool = false;\n\
         var m: map<Id, int> = map i: Id => 0;\nvar s: set<Id> = {{}};\n\
         action Main() {{ for i in Id {{ async P(i); }} {beside} }}\n\
         action P(i: Id) {{ {one} {again} }}\n\
         action Q(i: Id) {{ {other} }}\n\
         action Part() {{\n    {gate}\n    let k = choose 0..=Id.len();\n    {some}\n    \
         for i in Id where {left} {{ async P(i); }}\n    {beside}\n}}\n\
         action All() {{ {gate} {all} {beside} }}\n\
         init {{ {mains} async Q(0); }}\n\
         sequentialize P into Main as All by Part() choosing k with k = 0 {{\n    \
         if k < {bound} {{ call P({next}); {then} }}\n}}\n"
    )
}

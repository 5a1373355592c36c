//! How long parsing, checking and lowering take on a file of 2,000 lines. Goal: under 100 ms.

use crate::measure::{best_of, milliseconds};

/// A song of at least `lines` lines: copies of a small protocol with their own names.
pub fn long_song(lines: usize) -> String {
    let mut text = String::new();
    let mut copy = 0;
    while text.lines().count() < lines {
        text.push_str(&protocol(copy));
        copy += 1;
    }
    text
}

fn protocol(n: usize) -> String {
    format!(
        "sort Db{n};
message Prepare{n};
message Vote{n}(yes: bool, weight: int);
message Decide{n}(commit: bool);
enum Mood{n} {{ Calm{n}, Busy{n}(int) }}
fn weigh{n}(a: int, b: int) -> int {{ if a > b {{ a * 2 }} else {{ b + a % 3 }} }}

process coordinator{n} {{
    var commit: bool = true;
    var total: int = 0;
    var seen: set<Db{n}> = {{}};
    for d in Db{n} {{
        send Prepare{n} to db{n}[d];
    }}
    for d in Db{n} {{
        receive Vote{n}(yes, weight) from any db{n}[who];
        commit = commit && yes;
        total = total + weigh{n}(weight, total);
        seen = seen.with(who);
    }}
    assert seen.len() == Db{n}.len();
    for d in Db{n} where d in seen {{
        send Decide{n}(commit) to db{n}[d];
    }}
}}

process db{n}[d: Db{n}] {{
    var outcome: option<bool> = none;
    var mood: Mood{n} = Calm{n};
    receive Prepare{n} from coordinator{n};
    let yes = choose bool;
    if yes {{
        mood = Busy{n}(1);
    }}
    let weight = match mood {{ Calm{n} => 0, Busy{n}(w) => w }};
    send Vote{n}(yes, weight) to coordinator{n};
    receive Decide{n}(c) from coordinator{n};
    assert c ==> yes;
    outcome = some(c);
}}

property agreement{n}: finally forall a, b: Db{n} :: db{n}[a].outcome == db{n}[b].outcome;

"
    )
}

/// Prints the table.
pub fn table() {
    let song = long_song(2000);
    let lines = song.lines().count();
    let (parsing, _) = best_of(10, || plainsong_syntax::parse(&song));
    let (all, compiled) = best_of(10, || plainsong_syntax::compile(&song));
    let errors = compiled
        .diagnostics
        .iter()
        .filter(|one| one.is_error())
        .count();
    assert_eq!(
        errors,
        0,
        "the song is right: {:?}",
        compiled.diagnostics.first()
    );
    println!("front end, {lines} lines, {} bytes", song.len());
    println!("  parse                     {}", milliseconds(parsing));
    println!(
        "  parse, check and lower    {}   (goal: under 100 ms)",
        milliseconds(all)
    );
}

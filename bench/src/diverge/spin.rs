//! SPIN's search for non-progress cycles on the same programs: time, memory, and the size at which it gives up.
//!
//! Needs `spin` and `gcc`; without them the table says so. A program is tried with more and more nodes until SPIN gives up
//! for the first time.

use super::models::{
    Distances, distances, flooding, paxos, ping_pong, ping_pong_pung, spanning_tree,
};
use std::path::Path;
use std::process::Command;

const SECONDS: u32 = 60;
const KILOBYTES: u64 = 4 * 1024 * 1024;

/// Prints the table.
pub(super) fn table() {
    println!(
        "\nSPIN, `pan -l` (no progress anywhere), at most {SECONDS} s and 4 GB; 1.5 s more to compile each"
    );
    let folder = std::env::temp_dir().join("plainsong-bench-spin-diverge");
    if std::fs::create_dir_all(&folder).is_err() || Command::new("spin").arg("-V").output().is_err()
    {
        println!("(there is no `spin` here)");
        return;
    }
    for modulus in 1..=3 {
        row(
            &folder,
            &format!("PingPong mod {modulus}"),
            &ping_pong(modulus),
        );
    }
    row(&folder, "PingPongPung", &ping_pong_pung());
    type Model = Box<dyn Fn(usize) -> String>;
    let searches = |which| Box::new(move |nodes| distances(nodes, which)) as Model;
    let families: [(&str, std::ops::RangeInclusive<usize>, Model); 10] = [
        (
            "SpanningTree-bug",
            3..=6,
            Box::new(|nodes| spanning_tree(nodes, true)),
        ),
        (
            "SpanningTree-correct",
            3..=7,
            Box::new(|nodes| spanning_tree(nodes, false)),
        ),
        ("Bfs-bug", 3..=6, searches(Distances::BfsBug)),
        ("Bfs-correct", 3..=6, searches(Distances::Bfs)),
        (
            "BellmanFord-bug",
            3..=6,
            searches(Distances::BellmanFordBug),
        ),
        (
            "BellmanFord-correct",
            3..=6,
            searches(Distances::BellmanFord),
        ),
        (
            "Paxos-competition, as it is",
            2..=2,
            Box::new(|all| paxos(all, false)),
        ),
        (
            "Paxos-competition, by hand",
            2..=5,
            Box::new(|all| paxos(all, true)),
        ),
        (
            "flooding forgets",
            3..=6,
            Box::new(|nodes| flooding(nodes, false)),
        ),
        (
            "flooding remembers",
            3..=7,
            Box::new(|nodes| flooding(nodes, true)),
        ),
    ];
    for (name, sizes, model) in families {
        for size in sizes {
            if !row(&folder, &format!("{name} n={size}"), &model(size)) {
                break;
            }
        }
    }
}

/// Prints a row. Is there an answer?
fn row(folder: &Path, name: &str, model: &str) -> bool {
    let told = run(folder, model).unwrap_or_default();
    let find = |after: &str, before: &str| {
        let rest = told.split(after).nth(1)?;
        Some(rest.split(before).next()?.trim().to_owned())
    };
    let memory = told
        .lines()
        .find(|line| line.contains("total actual memory usage"))
        .and_then(|line| line.split_whitespace().next());
    let states = told
        .lines()
        .find(|line| line.contains("states, stored"))
        .and_then(|line| line.split_whitespace().next());
    let verdict = match told.as_str() {
        text if text.contains("out of memory") => "out of memory",
        text if text.contains("non-progress cycle (at depth") => "cycle",
        text if text.contains("max search depth too small") => "not deep enough",
        text if text.contains("errors: 0") => "no cycle",
        _ => "gives up",
    };
    let seconds = find("cpu ", "\n").unwrap_or_default();
    println!(
        "{name:<32} {verdict:>15} {:>12} states {:>10} MB {seconds:>8} s",
        states.unwrap_or("-"),
        memory.unwrap_or("-")
    );
    verdict.ends_with("cycle")
}

fn run(folder: &Path, model: &str) -> Option<String> {
    std::fs::write(folder.join("m.pml"), model).ok()?;
    let script = format!(
        "spin -a m.pml >/dev/null && gcc -std=gnu99 -O2 -DNP -DVECTORSZ=4096 -o pan pan.c 2>/dev/null && \
         ( ulimit -v {KILOBYTES}; ulimit -t {SECONDS}; TIMEFORMAT='cpu %U'; time ./pan -l -m1000000 > pan.out 2>&1 ) 2> time.out; \
         cat pan.out time.out"
    );
    let output = Command::new("bash")
        .arg("-c")
        .arg(script)
        .current_dir(folder)
        .output()
        .ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

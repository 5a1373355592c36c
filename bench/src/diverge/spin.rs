//! SPIN's search for non-progress cycles on the same programs: time, memory, and the size at which it gives up.
//!
//! One process takes tasks out of counters, one for each kind, which saturate: SPIN needs a state that is repeated
//! exactly, and what is pending grows. Needs `spin` and `gcc`; without them the table says so.

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
    for nodes in 3..=5 {
        row(
            &folder,
            &format!("SpanningTree-bug n={nodes}"),
            &spanning_tree(nodes, true),
        );
    }
    for nodes in 3..=5 {
        row(
            &folder,
            &format!("SpanningTree-correct n={nodes}"),
            &spanning_tree(nodes, false),
        );
    }
}

fn row(folder: &Path, name: &str, model: &str) {
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
        text if text.contains("errors: 0") => "no cycle",
        _ => "gives up",
    };
    let seconds = find("cpu ", "\n").unwrap_or_default();
    println!(
        "{name:<26} {verdict:>14} {:>12} states {:>10} MB {seconds:>8} s",
        states.unwrap_or("-"),
        memory.unwrap_or("-")
    );
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

fn ping_pong(modulus: usize) -> String {
    format!(
        "bit x; byte i; byte ping = 1; byte pong = 1;
active proctype table() {{ do
 :: atomic {{ ping > 0 -> ping--; if :: !x -> ping++; x = 1 :: else fi; i = (i + 1) % {modulus} }}
 :: atomic {{ pong > 0 -> pong--; if :: x -> pong++; x = 0 :: else fi }}
 od }}\n"
    )
}

/// Searches from each node to each other, adoptions by each; at most three of a kind are counted.
fn spanning_tree(nodes: usize, by_message: bool) -> String {
    let mut options = String::new();
    for me in 0..nodes {
        for from in 0..nodes {
            let search = me * nodes + from;
            let mut body = match by_message {
                true => format!("if :: adopt[{search}] < 3 -> adopt[{search}]++ :: else fi;"),
                false => format!("reported[{me}] = 1;"),
            };
            for other in (0..nodes).filter(|other| *other != me && *other != from) {
                let sent = other * nodes + me;
                body += &format!(" if :: search[{sent}] < 3 -> search[{sent}]++ :: skip fi;");
            }
            options += &format!(
                " :: atomic {{ search[{search}] > 0 -> search[{search}]--; if :: !reported[{me}] -> {body} :: else fi }}\n"
            );
            if by_message {
                options += &format!(
                    " :: atomic {{ adopt[{search}] > 0 -> adopt[{search}]--; reported[{me}] = 1 }}\n"
                );
            }
        }
    }
    format!(
        "bit reported[{nodes}]; byte search[{0}]; byte adopt[{0}];
active proctype net() {{ search[0] = 1; do\n{options} od }}\n",
        nodes * nodes
    )
}

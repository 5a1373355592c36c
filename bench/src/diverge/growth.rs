//! How the time grows with the number of nodes, and with the number of pending tasks.

use super::{ask, compiled, machine, said};
use crate::measure::{best_of, milliseconds};
use plainsong_diverge::Method;

/// Prints the tables, with a bar for each figure: one `#` for each doubling of a microsecond.
pub(super) fn table() {
    println!("\ndiverge: time over nodes");
    for (song, name, nodes) in [
        ("spanning-tree-adopts-by-message", "Node", 3..=8),
        ("spanning-tree", "Node", 2..=6),
        ("flooding-remembers-what-it-saw", "N", 3..=6),
    ] {
        for node in nodes {
            let machine = machine(song, Some((name, node)));
            let (took, found) = best_of(1, || ask(&machine, Method::All));
            row(&format!("{song} {name}={node}"), took, said(&found));
        }
    }
    println!(
        "\ndiverge: time over pending tasks (each is served, and sends one more of the next kind)"
    );
    for tasks in [10, 100, 1_000, 4_000] {
        let machine = compiled(&pending(tasks), None);
        let (took, found) = best_of(1, || ask(&machine, Method::All));
        row(&format!("{tasks} pending"), took, said(&found));
    }
}

fn row(name: &str, took: std::time::Duration, said: &str) {
    let microseconds = took.as_micros().max(1);
    let bar = "#".repeat(microseconds.ilog2() as usize);
    println!("{name:<44} {:>12} {said:>9}  {bar}", milliseconds(took));
}

/// Many tasks at once, each of which leads to one more, twice.
fn pending(tasks: usize) -> String {
    format!(
        "message First;\nmessage Second;\nmessage Third;\n\
         process worker {{\n    on First {{ send Second to worker; }}\n    on Second {{ send Third to worker; }}\n    on Third {{ }}\n}}\n\
         init {{\n    for i in 0..{tasks} {{ send First to worker; }}\n}}\n\
         property quiet: eventually quiescent;\n"
    )
}

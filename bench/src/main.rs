//! Every table, from one command: `cargo run --release --manifest-path bench/Cargo.toml`.
//!
//! With `--features peers` the peers run in the same process and the same run, interleaved; each
//! figure is the best of several, and the last column is the ratio. Figures of different machines or
//! moments are not comparable, ratios of one run are. Words on the command line pick tables.

mod explore;
mod front_end;
mod measure;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let runs = |name: &str| wanted.is_empty() || wanted.iter().any(|word| name.contains(word));
    if runs("front_end") {
        front_end::table();
    }
    if runs("explore") {
        explore::table();
    }
}

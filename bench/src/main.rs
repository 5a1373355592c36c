//! Every table, from one command: `cargo run --release --manifest-path bench/Cargo.toml`.
//!
//! With `--features peers` the peers run in the same run, interleaved; each figure is the best of
//! several. Figures of different machines or moments are not comparable, ratios of one run are. Words
//! on the command line pick tables, or rows by the name of their program.
//!
//! Explorations are measured in processes of their own, which this program starts from itself, so
//! that one does not inherit the memory of another.

mod diverge;
mod explore;
mod front_end;
mod measure;
mod prove;
mod refine;
mod runtime;
mod sequentialize;
mod solver;
mod states;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if wanted.first().is_some_and(|word| word == explore::MEASURE) {
        explore::measure(&wanted[1..]);
        return;
    }
    if wanted.first().is_some_and(|word| word == states::MEASURE) {
        states::measure(&wanted[1..]);
        return;
    }
    let runs = |name: &str| wanted.is_empty() || wanted.iter().any(|word| name.contains(word));
    if runs("front_end") {
        front_end::table();
    }
    if runs("solver") {
        solver::table();
    }
    if runs("prove") {
        prove::table();
    }
    if runs("sequentialize") {
        sequentialize::table();
    }
    if runs("diverge") {
        diverge::table();
    }
    if runs("refine") {
        refine::table();
    }
    runtime::table(&|row| runs("runtime") || runs(row));
    explore::table(&wanted);
    if runs("states") {
        states::table();
    }
}

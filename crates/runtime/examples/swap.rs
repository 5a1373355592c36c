//! `examples/swap.song` as a program: the shape of what `plainsong project` makes.
//!
//! `cargo run -p plainsong-runtime --example swap -- --tcp x=1 y=2`

#[path = "../tests/it/shapes/swap.rs"]
mod swap;

fn main() -> std::process::ExitCode {
    plainsong_runtime::command(&swap::Swap)
}

//! scratch
#![allow(clippy::print_stdout)]
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    match plainsong_syntax::format(&text) {
        Ok(t) => print!("{t}"),
        Err(e) => println!("{} errors", e.len()),
    }
}

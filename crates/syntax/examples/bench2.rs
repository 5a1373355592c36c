//! scratch
#![allow(clippy::print_stdout)]
use std::time::Instant;
fn main() {
    let mut all = String::new();
    for p in std::env::args().skip(1) {
        all.push_str(&std::fs::read_to_string(p).unwrap());
    }
    let t: String = all.lines().take(2000).map(|l| format!("{l}\n")).collect();
    for t in [&t, &all] {
        for _ in 0..3 {
            let s = Instant::now();
            let p = plainsong_syntax::format(t);
            println!("{} bytes {:?} {}", t.len(), s.elapsed(), p.is_ok());
        }
    }
}

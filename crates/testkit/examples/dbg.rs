fn main() {
    let a: Vec<u64> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    for seed in a[0]..a[1] { eprintln!("{seed}"); let s = plainsong_testkit::random_song::song(seed, a[2] as usize);
      if let Err(v) = plainsong_ir::validate::validate(&s) { for x in v.iter().take(5) { eprintln!("  {x}"); } }
      if a.len() > 3 { println!("{}", plainsong_ir::print::song(&s)); } }
}

//! scratch
#![allow(clippy::print_stdout)]
use std::time::Instant;
fn main() {
    let mut all = String::new();
    for p in std::env::args().skip(1) {
        all.push_str(&std::fs::read_to_string(p).unwrap());
    }
    let mut t = String::new();
    while t.lines().count() < 2000 {
        t.push_str(&all);
    }
    let t: String = t.lines().take(2000).map(|l| format!("{l}\n")).collect();
    for _ in 0..5 {
        let s = Instant::now();
        let p = plainsong_syntax::parse(&t);
        let e = s.elapsed();
        println!("{} bytes {:?} {} errors", t.len(), e, p.errors().len());
    }
    let mut big = String::new();
    while big.len() < 10_000_000 {
        big.push_str(&all);
    }
    let go = |name: &str, t: &str| {
        let s = Instant::now();
        let p = plainsong_syntax::parse(t);
        let e = s.elapsed();
        let ok = p.syntax().text().len() == (t.len() as u32).into();
        let n = p.errors().len();
        drop(p);
        println!(
            "{name}: {} bytes {:?} {:?} total, {n} errors lossless {ok}",
            t.len(),
            e,
            s.elapsed()
        );
    };
    go("songs", &big);
    go(
        "parens",
        &format!(
            "const A: int = {}1{};",
            "(".repeat(1_000_000),
            ")".repeat(1_000_000)
        ),
    );
    go("open parens", &"(".repeat(10_000_000));
    go(
        "const open parens",
        &format!("const A: int = {}", "(".repeat(10_000_000)),
    );
    go("braces", &format!("init {}", "{".repeat(10_000_000)));
    go(
        "not",
        &format!("const A: bool = {}x;", "!".repeat(10_000_000)),
    );
    go(
        "chain",
        &format!("const A: int = 1{};", " + 1".repeat(1_000_000)),
    );
    go(
        "implies",
        &format!("const A: int = a{};", " ==> a".repeat(1_000_000)),
    );
    go(
        "fields",
        &format!("const A: int = a{};", ".a".repeat(1_000_000)),
    );
    go(
        "else if",
        &format!("init {{ if a {{}}{} }}", " else if a {}".repeat(1_000_000)),
    );
    go("types", &format!("var a: {}", "set<".repeat(1_000_000)));
    go("filter", &"action A() { a = {x in (\n".repeat(400_000));
    go(
        "filter2",
        &format!("action A() {{ {}", "for y in {x in (\n".repeat(500_000)),
    );
    go(
        "garbage",
        &"a b c ; { ] ) 1 @ $ if for = \n".repeat(300_000),
    );
    go(
        "stmts",
        &format!("init {{ {} }}", "x = ) ".repeat(1_000_000)),
    );
    go(
        "nest",
        &format!(
            "const A: int = {}",
            "(1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+".repeat(200_000)
        ),
    );
    go("comments", &"/* */".repeat(2_000_000));
    go("opencomments", &"/*".repeat(5_000_000));
    go("quote", &"\"\n".repeat(5_000_000));
    go("bytes", &"\u{1}a".repeat(3_000_000));
    go(
        "lookahead",
        &format!("const A: int = f({});", "a {".repeat(1_000_000)),
    );
    go(
        "args",
        &format!("const A: int = f({});", "1, ".repeat(3_000_000)),
    );
    go("vars", &"var ".repeat(2_000_000));
    go(
        "match",
        &format!("init {{ match x {{ {} }} }}", "_ => {}".repeat(1_000_000)),
    );
    go(
        "patterns",
        &format!("init {{ match x {{ {} }} }}", "some(".repeat(1_000_000)),
    );
    go(
        "process",
        &format!("process p {{ {} }}", "on A { } x = 1; ".repeat(500_000)),
    );
}

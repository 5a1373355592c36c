//! Whatever is proved of procedures that move, runs show.
//!
//! Random programs of two counters: procedures that move add to them, in a row, in loops, by calling themselves and each other,
//! called or synchronized. What they add is known when they are written, so contracts and claims are mostly true; some are
//! changed a little. As in [`layered`](crate::layered), every program that is proved is run at all of its layers.
//!
//! `PLAINSONG_LAYERED` and `PLAINSONG_SEED` say how many programs, and from where on.

use crate::layered::{Counts, one};
use crate::programs::Dice;
use plainsong_smt::{Setup, Solvers};
use std::sync::Arc;

#[test]
#[expect(
    clippy::print_stderr,
    reason = "how many were proved is part of the result"
)]
fn what_is_proved_of_random_moving_procedures_no_run_refutes() {
    let number = |name: &str, usual: u64| {
        let said = std::env::var(name).ok();
        said.and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let (count, first) = (number("PLAINSONG_LAYERED", 40), number("PLAINSONG_SEED", 0));
    let solvers = Solvers::new(Setup {
        answers: None,
        ..Setup::from_environment()
    });
    let mut counts = Counts::default();
    for seed in first..first + count {
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 11);
        let text = Writer {
            dice: &mut dice,
            text: String::new(),
            written: Vec::new(),
        }
        .program();
        let compiled = plainsong_syntax::compile(&text);
        let Some(song) = compiled.song else {
            panic!("seed {seed}: {:?}\n{text}", compiled.diagnostics);
        };
        one(seed, &text, &Arc::new(song), &solvers, &mut counts);
    }
    eprintln!("{counts:?}");
    assert!(counts.moving * 6 >= count, "{counts:?}");
    assert!(counts.different * 8 >= count, "{counts:?}");
    assert!(counts.too_large * 10 <= count, "{counts:?}");
}

/// What is added to each counter: so often the parameter, and so much besides.
#[derive(Clone, Copy, Default)]
struct Added([(i64, i64); 2]);

impl Added {
    fn and(mut self, other: Added) -> Added {
        for (mine, more) in self.0.iter_mut().zip(other.0) {
            *mine = (mine.0 + more.0, mine.1 + more.1);
        }
        self
    }

    /// With the parameter so often and so much besides instead.
    fn of(self, (times, more): (i64, i64)) -> Added {
        Added(self.0.map(|(a, b)| (a * times, a * more + b)))
    }
}

const COUNTERS: [&str; 2] = ["x", "y"];

struct Writer<'d> {
    dice: &'d mut Dice,
    text: String,
    /// Procedures that move: their names, whether they move left, what they add.
    written: Vec<(String, bool, Added)>,
}

impl Writer<'_> {
    fn chance(&mut self, percent: usize) -> bool {
        self.dice.below(100) < percent
    }

    fn program(mut self) -> String {
        for counter in COUNTERS {
            self.text += &format!("var {counter}: int = 0 @ 0..2;\n");
        }
        for (name, counter) in ["X", "Y"].into_iter().zip(COUNTERS) {
            let mover = self.dice.of(&["both", "both", "left"]);
            self.text += &format!("{mover} action {name}(k: int) @ 1 {{ {counter} += k; }}\n");
        }
        for at in 0..1 + self.dice.below(3) {
            self.moving(at);
        }
        self.caller();
        if self.chance(12) {
            self.text += "atomic action SEEN() -> r: int @ 2 { r = x; }\n\
                atomic action SEE() -> r: int @ 1 { r = x; }\n\
                procedure see() -> r: int @ 1 refines SEEN { let s = call SEE(); r = s; }\n";
        }
        self.text
    }

    fn moving(&mut self, at: usize) {
        let name = format!("g{at}");
        let again = self.chance(35);
        let (body, added, synchronized) = self.steps(true);
        let (body, added, measure) = match again {
            true => {
                let less = self.dice.of(&["k - 1", "k - 1", "k - 1", "k - 1", "k"]);
                let added = Added(added.0.map(|(a, b)| if a == 0 { (b, 0) } else { (1, 1) }));
                let body = format!("if k > 0 {{ {body} call {name}({less}); }}");
                (body, added, " decreases k")
            }
            false => (body, added, ""),
        };
        let mover = self.dice.of(&["left", "left", "both"]);
        let contract = self.contract(added);
        let synchronizes = names(" synchronizes ", &synchronized);
        self.text += &format!(
            "{mover} procedure {name}(k: nat) @ 1{synchronizes}{contract}{measure} {{ {body} }}\n"
        );
        self.written.push((name, true, added));
    }

    fn contract(&mut self, added: Added) -> String {
        let mut text = String::new();
        for (counter, (a, b)) in COUNTERS.into_iter().zip(added.0) {
            let b = if self.chance(4) { b + 1 } else { b };
            if !self.chance(3) {
                text += &format!(" ensures {counter} == old({counter}) + {a} * k + {b}");
            }
        }
        text
    }

    /// Some statements, what they add, and what they start to be done at once.
    fn steps(&mut self, moves: bool) -> (String, Added, Vec<String>) {
        let (mut text, mut added, mut synchronized) = (String::new(), Added::default(), Vec::new());
        for _ in 0..1 + self.dice.below(3) {
            let value = [("k", (1, 0)), ("1", (0, 1)), ("2", (0, 2))][self.dice.below(3)];
            let (step, more) = self.step(value, &mut synchronized);
            if !moves && self.chance(25) && value.1.0 == 0 {
                let [x, y] = more.0.map(|(_, b)| b);
                let i = format!("i{}", text.len());
                text += &format!(
                    "var {i}: int = 0; while {i} < k invariant {i} <= k && 0 <= {i} \
                     && x == old(x) + {x} * {i} && y == old(y) + {y} * {i} decreases k - {i} \
                     {{ {step} {i} += 1; }} "
                );
                added = added.and(Added([(x, 0), (y, 0)]));
            } else {
                text += &format!("{step} ");
                added = added.and(more);
            }
        }
        synchronized.sort();
        synchronized.dedup();
        (text, added, synchronized)
    }

    fn step(
        &mut self,
        (value, meant): (&str, (i64, i64)),
        synchronized: &mut Vec<String>,
    ) -> (String, Added) {
        let which = self.dice.below(2 + self.written.len());
        match which.checked_sub(2) {
            None => {
                let mut added = Added::default();
                added.0[which] = meant;
                (format!("call {}({value});", ["X", "Y"][which]), added)
            }
            Some(at) => {
                let (name, _, added) = self.written[at].clone();
                let word = match self.chance(40) {
                    true => {
                        synchronized.push(name.clone());
                        "async"
                    }
                    false => "call",
                };
                (format!("{word} {name}({value});"), added.of(meant))
            }
        }
    }

    fn caller(&mut self) {
        let (body, added, synchronized) = self.steps(false);
        let mut claims = String::new();
        for (counter, (a, b)) in COUNTERS.into_iter().zip(added.0) {
            let a = if self.chance(10) { a + 1 } else { a };
            let b = if self.chance(10) { b - 1 } else { b };
            claims += &format!("{counter} += {a} * k + {b}; ");
        }
        let synchronizes = names(" synchronizes ", &synchronized);
        self.text += &format!(
            "procedure p(k: nat) @ 1 refines P{synchronizes} {{ {body} }}\n\
             atomic action P(k: nat) @ 2 {{ {claims} }}\n\
             init {{ async p(1); async p(2); }}\n"
        );
    }
}

fn names(word: &str, names: &[String]) -> String {
    match names.is_empty() {
        true => String::new(),
        false => format!("{word}{}", names.join(", ")),
    }
}

//! Random choreographies: the voices end like the line, whoever decides and whoever has to be told.
//!
//! Conditions may read anybody, so nothing makes them unanimous: they are projected with one decider, and
//! again with those that can be taken apart decided by each; there the runs count in which all agree.
//! `PLAINSONG_RANDOM=10000` tries that many, from `PLAINSONG_SEED` on.

use crate::same_ends::{Comparison, Schedules, compare};
use plainsong_project::{Options, project};
use plainsong_semantics::sizes::Sizes;

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % sides as u64) as usize
    }

    fn pick<'a>(&mut self, from: &'a [String]) -> &'a str {
        &from[self.roll(from.len())]
    }
}

struct Writer {
    dice: Dice,
    /// The endpoints that are no family.
    singles: Vec<String>,
    /// Are there choreographies to call?
    calls: bool,
    /// Names of members of the sort that are visible.
    members: Vec<String>,
    /// Names of numbers and of truth values that are visible.
    numbers: Vec<String>,
    truths: Vec<String>,
    names: usize,
    choices: usize,
    loops: usize,
}

impl Writer {
    fn new(seed: u64) -> Self {
        Writer {
            dice: Dice(seed),
            singles: ["a", "b", "c"].map(str::to_owned).to_vec(),
            calls: true,
            members: Vec::new(),
            numbers: vec!["one".to_owned()],
            truths: vec!["p".to_owned()],
            names: 0,
            choices: 0,
            loops: 0,
        }
    }

    fn fresh(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    fn endpoint(&mut self) -> String {
        let mut all = self.singles.clone();
        all.extend(self.members.iter().map(|name| format!("s[{name}]")));
        self.dice.pick(&all).to_owned()
    }

    fn number(&mut self, depth: usize) -> String {
        let sides = if depth == 0 { 3 } else { 9 };
        match self.dice.roll(sides) {
            0 => self.dice.roll(3).to_string(),
            1 => self.dice.pick(&self.numbers.clone()).to_owned(),
            2 | 3 => format!("{}.{}", self.endpoint(), ["x", "y"][self.dice.roll(2)]),
            4 | 5 => format!(
                "({} + {}) % 3",
                self.number(depth - 1),
                self.number(depth - 1)
            ),
            6 => format!("{}.o.unwrap_or({})", self.endpoint(), self.dice.roll(3)),
            7 => format!("(count k: S :: s[k].f == {})", self.truth(depth - 1)),
            _ => {
                let condition = self.truth(depth - 1);
                let (a, b) = (self.number(depth - 1), self.number(depth - 1));
                format!("(if {condition} {{ {a} }} else {{ {b} }})")
            }
        }
    }

    fn truth(&mut self, depth: usize) -> String {
        let sides = if depth == 0 { 2 } else { 8 };
        match self.dice.roll(sides) {
            0 => self.dice.pick(&self.truths.clone()).to_owned(),
            1 => format!("{}.f", self.endpoint()),
            2 => format!("!({})", self.truth(depth - 1)),
            3 => format!("({} && {})", self.truth(depth - 1), self.truth(depth - 1)),
            4 => format!("({} || {})", self.truth(depth - 1), self.truth(depth - 1)),
            5 => format!("({} == {})", self.number(depth - 1), self.number(depth - 1)),
            6 => format!("{}.o.is_some()", self.endpoint()),
            _ => format!("(exists k: S :: s[k].x == {})", self.number(depth - 1)),
        }
    }

    fn block(&mut self, depth: usize, in_loop: bool) -> String {
        let (members, numbers, truths) = (
            self.members.clone(),
            self.numbers.clone(),
            self.truths.clone(),
        );
        let count = 1 + self.dice.roll(3);
        let block: String = (0..count).map(|_| self.stmt(depth, in_loop)).collect();
        (self.members, self.numbers, self.truths) = (members, numbers, truths);
        block
    }

    /// A call of one of the [`parts`]: by two single endpoints with the family, or by a member and one.
    fn call(&mut self) -> String {
        let first = self.dice.roll(3);
        let second = (first + 1 + self.dice.roll(2)) % 3;
        let (u, w) = (&self.singles[first], &self.singles[second]);
        match self.members.last() {
            Some(member) if self.dice.roll(2) == 0 => {
                format!("call pair({first}) with s[{member}] as u, {w} as w;\n")
            }
            _ => format!("call part(p) with {u} as u, {w} as w;\n"),
        }
    }

    fn stmt(&mut self, depth: usize, in_loop: bool) -> String {
        let sides = if depth == 0 { 7 } else { 17 };
        if self.calls && self.dice.roll(8) == 0 {
            return self.call();
        }
        match self.dice.roll(sides) {
            0..=2 => format!("{}.x = {};\n", self.endpoint(), self.number(2)),
            3 => format!("{}.f = {};\n", self.endpoint(), self.truth(2)),
            4 => format!("{}.o = some({});\n", self.endpoint(), self.number(1)),
            5 => {
                let (name, value) = (self.fresh(), self.number(1));
                self.numbers.push(name.clone());
                format!("let {name} = {value};\n")
            }
            6 if self.choices < 3 => {
                self.choices += 1;
                match self.dice.roll(4) {
                    0 => format!("{}.f = choose bool;\n", self.endpoint()),
                    // The condition is about the candidate, and may read anybody, also what is assigned.
                    1 => format!(
                        "{}.x = choose 0..3 where x != {} || {};\n",
                        self.endpoint(),
                        self.number(1),
                        self.truth(1)
                    ),
                    2 => {
                        let (name, other) = (self.fresh(), self.number(1));
                        self.numbers.push(name.clone());
                        format!("let {name} = choose {{0, 2}} where {name} >= {other} - 2;\n")
                    }
                    _ => {
                        let name = self.fresh();
                        self.truths.push(name.clone());
                        format!("let {name} = choose bool;\n")
                    }
                }
            }
            6 | 7 => format!("{}.y = {};\n", self.endpoint(), self.number(1)),
            8 | 9 => {
                let condition = match self.dice.roll(4) {
                    0 | 1 => format!("({}) == true", self.truth(2)),
                    2 => format!("{} && {}", self.truth(1), self.truth(1)),
                    _ => {
                        let body = ["s[k].f", "s[k].x == s[k].y", "!s[k].f"][self.dice.roll(3)];
                        format!("{} && (forall k: S :: {body})", self.truth(1))
                    }
                };
                let (then, otherwise) = (
                    self.block(depth - 1, in_loop),
                    self.block(depth - 1, in_loop),
                );
                format!("if {condition} {{\n{then}}} else {{\n{otherwise}}}\n")
            }
            10 | 11 if self.loops < 3 => {
                self.loops += 1;
                let name = self.fresh();
                self.members.push(name.clone());
                let filter = match self.dice.roll(3) {
                    0 => format!(" where {}", self.truth(1)),
                    _ => String::new(),
                };
                let body = self.block(depth - 1, true);
                self.members.pop();
                format!("for {name} in S{filter} {{\n{body}}}\n")
            }
            12 if self.loops < 3 => {
                self.loops += 1;
                // Ends after two rounds at the latest, whatever happens inside.
                let (owner, condition) = (self.endpoint(), self.truth(1));
                let body = self.block(depth - 1, true);
                format!(
                    "{owner}.t = 2;\nwhile {owner}.t > 0 && {condition} {{\n{owner}.t -= 1;\n{body}}}\n"
                )
            }
            13 => {
                let scrutinee = format!("{}.o", self.endpoint());
                let none = self.block(depth - 1, in_loop);
                let name = self.fresh();
                self.numbers.push(name.clone());
                let some = self.block(depth - 1, in_loop);
                self.numbers.pop();
                format!(
                    "match {scrutinee} {{ none => {{\n{none}}} some({name}) => {{\n{some}}} }}\n"
                )
            }
            14 if self.choices < 3 => {
                self.choices += 1;
                let (then, otherwise) = (
                    self.block(depth - 1, in_loop),
                    self.block(depth - 1, in_loop),
                );
                format!("maybe {{\n{then}}} else {{\n{otherwise}}}\n")
            }
            15 if in_loop => {
                let word = ["break", "continue"][self.dice.roll(2)];
                format!("if {} {{ {word}; }}\n", self.truth(1))
            }
            _ => {
                let name = self.fresh();
                let set = format!("{{{}, {}.x}}", self.dice.roll(3), self.endpoint());
                self.numbers.push(name.clone());
                let body = self.block(depth - 1, true);
                self.numbers.pop();
                format!("for {name} in {set} {{\n{body}}}\n")
            }
        }
    }
}

pub(crate) fn song(seed: u64) -> String {
    let mut writer = Writer::new(seed);
    let vars = "var x: int = 0; var y: int = 1; var f: bool = p; var o: option<int> = none; var t: int = 0;";
    let body: String = (0..5).map(|_| writer.stmt(2, false)).collect();
    let parts = parts(seed);
    format!(
        "sort S;\nconst one: int = 1;\nchoreography c(p: bool) {{\n    endpoint a {{ {vars} }}\n    endpoint b {{ {vars} }}\n    endpoint c {{ {vars} }}\n    endpoint s[i: S] {{ {vars} }}\n{body}}}\n{parts}"
    )
}

/// What others may call: something random, and something that a member can take part in.
fn parts(seed: u64) -> String {
    let vars = "var x: int = choose int; var y: int = 1; var f: bool = choose bool; var o: option<int> = choose option<int>; var t: int = 0;";
    let mut writer = Writer::new(seed ^ 0x5EED);
    writer.singles = ["u", "w"].map(str::to_owned).to_vec();
    writer.calls = false;
    let body: String = (0..2).map(|_| writer.stmt(1, false)).collect();
    let pair = "w.y = (u.x + k) % 3;\nif u.x > w.x { u.x = w.y; w.f = u.f; }\nwhile w.t < 2 { w.t += 1; u.y = w.x; }\n";
    format!(
        "choreography part(p: bool) {{\n    endpoint u {{ {vars} }}\n    endpoint w {{ {vars} }}\n    endpoint s[i: S] {{ {vars} }}\n{body}}}\nchoreography pair(k: int) {{\n    endpoint u {{ {vars} }}\n    endpoint w {{ {vars} }}\n{pair}}}\n"
    )
}

#[test]
fn random_choreographies_end_like_their_voices() {
    let number = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
    let tries = number("PLAINSONG_RANDOM").unwrap_or(40);
    let first = number("PLAINSONG_SEED").unwrap_or(0);
    let (mut same, mut big, mut rejected) = (0, 0, 0);
    for seed in first..first + tries {
        let text = song(seed);
        let compiled = plainsong_syntax::compile(&text);
        let Some(song) = compiled.song else {
            panic!("seed {seed}: {:?}\n{text}", compiled.diagnostics);
        };
        for decide in [true, false] {
            let options = Options {
                strict: false,
                decide,
            };
            let Ok(projection) = project(&song, 0, &options) else {
                rejected += 1;
                continue;
            };
            let voices = projection.song;
            let shown = plainsong_ir::print::song(&voices);
            if let Err(violations) = plainsong_ir::validate::validate(&voices) {
                panic!("seed {seed}: {violations:?}\n{text}\n{shown}");
            }
            let sizes = Sizes::default().with("S", 2);
            match compare(&song, 0, &voices, &sizes, (Schedules::One, 4_000)) {
                Comparison::Same(_) => same += 1,
                Comparison::TooBig => big += 1,
                Comparison::Different(how) => panic!("seed {seed}: {how}\n{text}\n{shown}"),
            }
        }
    }
    assert!(
        same * 10 >= tries * 6,
        "{same} the same, {big} too big, {rejected} rejected of {tries}"
    );
}

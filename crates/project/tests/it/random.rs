//! Random choreographies: the voices end like the line, whoever decides and whoever has to be told.
//!
//! Conditions may read anybody, so nothing makes them unanimous: they are projected with one decider, and
//! again with those that can be taken apart decided by each; there the runs count in which all agree.
//! Loops may have no end: nobody does anything in their rounds, or only claims something; then the voices have no end
//! either. External functions are called by those whose state they read, and `requires` is about parameters of the
//! choreography or of the song.
//! `PLAINSONG_RANDOM=10000` tries that many, from `PLAINSONG_SEED` on.

use crate::same_ends::{Comparison, Schedules, compare};
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{Body, Expr, ExprKind, Song};
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
    /// How many more loops may have no end.
    spins: usize,
    /// Are there calls of external functions, and inputs?
    picks: bool,
    /// Is the input `g` of `b` visible?
    has_input: bool,
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
            spins: 0,
            picks: false,
            has_input: false,
        }
    }

    /// One that may write loops without an end and calls of external functions.
    fn wild(self) -> Self {
        Writer {
            spins: 1,
            picks: true,
            ..self
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
            1 if self.has_input && self.dice.roll(3) == 0 => "b.g".to_owned(),
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

    /// A call of an external function, which is to be made by the endpoint of its first argument.
    fn pick(&mut self) -> String {
        let who = self.endpoint();
        // `b` and the members have one of their own.
        let name = match &*who {
            "b" => "pick_of_b",
            _ if who.starts_with("s[") => "pick_of_s",
            _ => "pick",
        };
        format!("{name}({who}.me, {})", self.number(0))
    }

    /// Something that always holds, of one endpoint or of two.
    fn claim(&mut self) -> String {
        let (a, b) = (self.endpoint(), self.endpoint());
        match self.dice.roll(3) {
            0 => format!("assert {a}.x == {a}.x;\n"),
            1 => format!("assert {a}.x == {a}.x && {b}.y == {b}.y;\n"),
            _ => format!("assert {a}.x == {b}.x || {a}.x != {b}.x;\n"),
        }
    }

    /// A loop in which nobody does anything: it ends at once, by a `break`, or never.
    fn spin(&mut self) -> String {
        let condition = match self.dice.roll(6) {
            0 => format!("{} && {}", self.truth(0), self.truth(0)),
            1 => format!("odd({})", self.number(0)),
            2 => format!("{} == 0", self.pick()),
            3 => format!("{} && {} == 1", self.truth(0), self.pick()),
            4 => format!("{}.x != {}", self.endpoint(), self.number(0)),
            _ => self.truth(1),
        };
        let count = self.dice.roll(3);
        let body: String = (0..count).map(|_| self.idle()).collect();
        format!("while {condition} {{\n{body}}}\n")
    }

    /// Something that goes well behind a statement only because the statement is passed, by somebody else.
    fn reliance(&mut self) -> String {
        let (here, there, k) = (self.endpoint(), self.endpoint(), self.dice.roll(3));
        let wait = match self.dice.roll(3) {
            0 => format!("while {here}.x != {k} {{}}"),
            1 => format!("while {here}.x != {k} {{ {here}.t = 1 - {here}.t; }}"),
            _ => format!("assume {here}.x == {k};"),
        };
        let divided = format!("1 / (if {there}.y == {k} {{ 1 }} else {{ 0 }})");
        let relies = match self.dice.roll(4) {
            0 => format!("assert {there}.y == {k};"),
            1 => format!("{there}.t = {divided};"),
            2 => format!("if {divided} > 0 {{ {} }}", self.claim()),
            _ => format!("{}.t = {divided};", self.endpoint()),
        };
        format!("{there}.y = {here}.x;\n{wait}\n{relies}\n")
    }

    /// A statement in a loop that does nothing.
    fn idle(&mut self) -> String {
        match self.dice.roll(6) {
            0 | 1 => self.claim(),
            2 => format!("let {} = {};\n", self.fresh(), self.number(1)),
            3 => format!("if {} {{ break; }}\n", self.truth(1)),
            4 => format!("if {} {{ continue; }}\n", self.truth(1)),
            _ => {
                let (name, claim) = (self.fresh(), self.claim());
                format!("for {name} in S {{ {claim} }}\n")
            }
        }
    }

    fn stmt(&mut self, depth: usize, in_loop: bool) -> String {
        let sides = if depth == 0 { 9 } else { 19 };
        if self.spins > 0 && self.dice.roll(16) == 0 {
            self.spins -= 1;
            return match self.dice.roll(3) {
                0 => self.reliance(),
                _ => self.spin(),
            };
        }
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
            7 if self.picks => {
                let (to, call) = (self.endpoint(), self.pick());
                match self.dice.roll(2) {
                    0 => format!("{to}.x = {call};\n"),
                    _ => format!("{to}.x = ({call} + {}) % 3;\n", self.number(0)),
                }
            }
            7 | 8 => self.claim(),
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
            6 | 9 => format!("{}.y = {};\n", self.endpoint(), self.number(1)),
            10 | 11 => {
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
            12 | 13 if self.loops < 3 => {
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
            14 if self.loops < 3 => {
                self.loops += 1;
                // Ends after two rounds at the latest, whatever happens inside.
                let (owner, condition) = (self.endpoint(), self.truth(1));
                let body = self.block(depth - 1, true);
                format!(
                    "{owner}.t = 2;\nwhile {owner}.t > 0 && {condition} {{\n{owner}.t -= 1;\n{body}}}\n"
                )
            }
            15 => {
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
            16 if self.choices < 3 => {
                self.choices += 1;
                let (then, otherwise) = (
                    self.block(depth - 1, in_loop),
                    self.block(depth - 1, in_loop),
                );
                format!("maybe {{\n{then}}} else {{\n{otherwise}}}\n")
            }
            17 if in_loop => {
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

/// A choreography that has an end whatever it is given.
pub(crate) fn song(seed: u64) -> String {
    let writers = [Writer::new(seed), Writer::new(seed ^ 0x5EED)];
    written(writers, |_, _| "")
}

/// One that may have no end, calls external functions and requires something.
fn wild_song(seed: u64) -> String {
    let whole = Writer {
        has_input: true,
        ..Writer::new(seed).wild()
    };
    let writers = [whole, Writer::new(seed ^ 0x5EED).wild()];
    written(writers, |dice, of_line| match dice.roll(8) {
        0 => "requires p;",
        1 => "requires !p || a.x == 1;",
        2 => "requires forall i: S :: s[i].f;",
        3 => "requires odd(if p { 1 } else { 0 });",
        4 if of_line.is_empty() => "requires q;",
        5 => "requires S.len() > 2;",
        6 => "requires b.g || !p;",
        _ => "",
    })
}

fn written(
    [mut writer, of_parts]: [Writer; 2],
    premise: impl FnOnce(&mut Dice, &str) -> &'static str,
) -> String {
    let vars = |me: &str| {
        format!(
            "var x: int = 0; var y: int = 1; var f: bool = p; var o: option<int> = none; var t: int = 0; var me: int = {me};"
        )
    };
    let body: String = (0..5).map(|_| writer.stmt(2, false)).collect();
    // Whose parameter it is makes no difference to what the line does.
    let (of_song, of_line) = match writer.dice.roll(2) {
        0 => ("", "p: bool"),
        _ => ("param p: bool;\nconst q: bool = !p;\n", ""),
    };
    let premise = premise(&mut writer.dice, of_line);
    let [a, b, c, s] = ["1", "2", "3", "4"].map(vars);
    let input = if writer.has_input { "in g: bool;" } else { "" };
    let parts = parts(of_parts);
    format!(
        "sort S;\nconst one: int = 1;\n{of_song}fn odd(n: int) -> bool {{ n % 2 == 1 }}\n\
         extern fn pick(who: int, n: int) -> int ensures 0 <= result && result <= 2;\n\
         extern fn pick_of_b at b(who: int, n: int) -> int ensures 0 <= result && result <= 2;\n\
         extern fn pick_of_s at s(who: int, n: int) -> int ensures 0 <= result && result <= 2;\n\
         choreography c({of_line}) {{\n    endpoint a {{ {a} }}\n    endpoint b {{ {input} {b} }}\n    endpoint c {{ {c} }}\n    endpoint s[i: S] {{ {s} }}\n{premise}\n{body}}}\n{parts}"
    )
}

/// What others may call: something random, and something that a member can take part in.
fn parts(mut writer: Writer) -> String {
    let vars = "var x: int = choose int; var y: int = 1; var f: bool = choose bool; var o: option<int> = choose option<int>; var t: int = 0; var me: int = choose int;";
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
        let text = match seed % 2 {
            0 => song(seed),
            _ => wild_song(seed),
        };
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
            if let Some(call) = foreign_call(&voices) {
                panic!("seed {seed}: somebody else makes the call {call}\n{text}\n{shown}");
            }
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

/// A call of an external function by another endpoint than the one whose state it reads.
fn foreign_call(voices: &Song) -> Option<String> {
    struct Foreign<'a>(&'a Song, Option<String>);
    impl Visit for Foreign<'_> {
        fn expr(&mut self, of: &Expr) {
            if let ExprKind::Call(id, arguments) = &of.kind
                && self.0.functions[id.index()].is_external()
                && !matches!(arguments[0].kind, ExprKind::Own(_))
            {
                self.1 = Some(plainsong_ir::print::expr(self.0, &[], of));
            }
            walk::expr(self, of);
        }
    }
    let mut foreign = Foreign(voices, None);
    for process in &voices.voices()?.processes {
        match &process.body {
            Body::Sequential(body) => foreign.block(body),
            Body::Handlers(_) => {}
        }
    }
    foreign.1
}

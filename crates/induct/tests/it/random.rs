//! Random systems with random claims: nothing is shown that a search refutes at sizes up to 4.

use crate::{shown_with, solvers};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::Subject;
use plainsong_semantics::search::{Answer, Check, Limits, Query, Unwatched, search};
use plainsong_semantics::sizes::{Bounds, Sizes};
use std::fmt::Write as _;
use std::sync::Arc;

/// The most states of one instance that are searched.
const STATES: u64 = 3_000;

/// A source of chance: xorshift.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }

    pub(crate) fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    /// Something that is true or false of a state; `x` and `y` are members of the sort.
    fn atom(&mut self, counts: bool) -> String {
        let member = self.pick(&["x", "y"]);
        let all = [
            "lit".to_owned(),
            format!("mark[{member}]"),
            format!("holder == some({member})"),
            "holder == none".to_owned(),
            "n == 0".to_owned(),
            "n <= 2".to_owned(),
            "x == y".to_owned(),
            format!("{member} in members"),
            format!("level[{member}] <= n"),
            format!("pending(Go({member})) == 0"),
            format!("pending(Go({member})) <= 1"),
            "pending(Stop()) <= 1".to_owned(),
        ];
        let most = if counts { all.len() } else { 9 };
        let atom = all[self.below(most)].clone();
        match self.below(2) {
            0 => atom,
            _ => format!("!({atom})"),
        }
    }

    fn clause(&mut self, counts: bool) -> String {
        let count = 1 + self.below(3);
        let atoms: Vec<String> = (0..count).map(|_| self.atom(counts)).collect();
        atoms.join(" || ")
    }

    fn statement(&mut self, deep: bool) -> String {
        let member = self.pick(&["x", "y"]);
        let truth = self.pick(&["true", "false", "lit", "mark[y]", "!lit"]);
        match self.below(if deep { 10 } else { 12 }) {
            0 => format!("lit = {truth};"),
            1 | 2 => format!("mark[{member}] = {truth};"),
            3 => format!("holder = some({member});"),
            4 => "holder = none;".to_owned(),
            5 => self
                .pick(&["n += 1;", "n = 0;", "if n > 0 { n -= 1; }"])
                .to_owned(),
            6 => format!(
                "members = members.{}({member});",
                self.pick(&["with", "without"])
            ),
            7 => format!("async Go({member});"),
            8 => "async Stop();".to_owned(),
            9 => format!(
                "level[{member}] = {};",
                self.pick(&["n", "0", "level[x]", "level[y]"])
            ),
            10 => format!("if {} {{ {} }}", self.clause(false), self.statement(true)),
            _ => format!(
                "for z in S {{ mark[z] = {}; }}",
                self.pick(&["false", "z == x", "lit"])
            ),
        }
    }

    fn code(&mut self) -> String {
        let mut text = String::new();
        if self.below(3) > 0 {
            let _ = write!(text, "assume {}; ", self.clause(false));
        }
        for _ in 0..1 + self.below(3) {
            let _ = write!(text, "{} ", self.statement(false));
        }
        text
    }

    pub(crate) fn system(&mut self) -> String {
        let mut text = "sort S;\nvar lit: bool = false;\nvar n: nat = 0;\nvar holder: option<S> = none;
var mark: map<S, bool> = map s: S => false;\nvar level: map<S, nat> = map s: S => 0;\nvar members: set<S> = {};\n"
            .to_owned();
        let _ = writeln!(text, "action Go(x: S) {{ let y = x; {} }}", self.code());
        let _ = writeln!(
            text,
            "action Stop() {{ let x = choose S; let y = choose S; {} }}",
            self.code()
        );
        for at in 0..1 + self.below(2) {
            let _ = writeln!(
                text,
                "repeat action Do{at}(x: S, y: S) {{ {} }}",
                self.code()
            );
        }
        let _ = writeln!(
            text,
            "init {{ for x in S {{ async Go(x); }} async Stop(); }}"
        );
        for at in 0..6 {
            let clause = self.clause(true);
            let _ = writeln!(text, "property p{at}: always forall x, y: S :: {clause};");
        }
        text
    }
}

/// The claims that a search refutes at some size up to 4.
fn refuted(text: &str) -> Vec<String> {
    let song = plainsong_syntax::compile(text)
        .song
        .unwrap_or_else(|| panic!("{text}"));
    let song = Arc::new(song);
    let mut names = Vec::new();
    for size in 1..=4 {
        let sizes = Sizes::new().with("S", size);
        let instances = Instance::all(song.clone(), &sizes, &Bounds::default());
        for instance in instances.unwrap_or_else(|error| panic!("{}\n{text}", error.message)) {
            let mut checks: Vec<Check> = (0..song.properties.len()).map(Check::Property).collect();
            checks.push(Check::Assertions);
            let query = Query {
                subject: Subject::System,
                checks: checks.clone(),
            };
            let limits = Limits {
                states: STATES,
                refutations: None,
            };
            let report = search(&instance, &query, &limits, &mut Unwatched);
            for (finding, check) in report.findings.iter().zip(&checks) {
                if matches!(finding.answer, Answer::Refuted(_)) {
                    names.push(match check {
                        Check::Property(at) => song.properties[*at].name.clone(),
                        _ => "assertions".to_owned(),
                    });
                }
            }
        }
    }
    names
}

/// Compares what is shown of random systems with what a search refutes: how many systems, claims shown, claims refuted.
pub(crate) fn compared(system: impl Fn(&mut Dice) -> String) -> (u64, u64, u64) {
    compared_some(system, 25)
}

/// The same, of as many systems as usual where nobody says how many.
pub(crate) fn compared_some(system: impl Fn(&mut Dice) -> String, usual: u64) -> (u64, u64, u64) {
    let number = |name: &str, usual: u64| {
        let said = std::env::var(name).ok();
        said.and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let (count, first) = (
        number("PLAINSONG_SYSTEMS", usual),
        number("PLAINSONG_SEED", 0),
    );
    let solvers = solvers();
    let (mut proved, mut wrong) = (0, 0);
    for seed in first..first + count {
        let text = system(&mut Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 1));
        let shown = shown_with(&text, None, &solvers);
        let refuted = refuted(&text);
        let both = shown.iter().find(|name| refuted.contains(name));
        assert!(
            both.is_none(),
            "seed {seed}: {both:?} is shown, and refuted\n{text}"
        );
        proved += shown.iter().filter(|name| *name != "assertions").count() as u64;
        wrong += refuted.len() as u64;
    }
    (count, proved, wrong)
}

#[test]
fn nothing_is_shown_that_a_search_refutes() {
    let (count, proved, wrong) = compared(Dice::system);
    assert!(proved >= count / 4, "{proved} proved, {wrong} refuted");
    assert!(wrong >= count, "{proved} proved, {wrong} refuted");
}

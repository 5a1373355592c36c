//! Random recursive functions and lemmas: what is proved is never refuted by trying all small values, and
//! what is proved to end does.
//!
//! `PLAINSONG_RANDOM=5000` tries as many as that, from `PLAINSONG_SEED` on.

use crate::prover::SOLVERS;
use plainsong_ir::Song;
use plainsong_prove::discharge::{Effort, Shown, discharge};
use plainsong_prove::obligation::Rule;
use plainsong_prove::theory::Theory;
use plainsong_prove::vc::conditions;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::Subject;
use plainsong_semantics::search::{Answer, Check, Limits, Query, Unwatched, search};
use plainsong_semantics::sizes::{Bounds, Sizes};
use plainsong_smt::Cancel;
use std::sync::Arc;

#[test]
fn no_proof_rests_on_itself() {
    let number = |name: &str, usual: u64| {
        let said = std::env::var(name).ok();
        said.and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let (count, first) = (number("PLAINSONG_RANDOM", 16), number("PLAINSONG_SEED", 0));
    let (mut proved, mut refuted) = (0u64, 0u64);
    for seed in first..first + count {
        let text = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 7).song();
        let compiled = plainsong_syntax::compile(&text);
        let song = Arc::new(compiled.song.unwrap_or_else(|| {
            panic!("seed {seed}: {:?}\n{text}", compiled.diagnostics);
        }));
        for line in 0..song.lines.len() {
            let wrong = is_wrong(&song, line);
            let shown = is_proved(&song, line);
            assert!(
                !(wrong && shown),
                "seed {seed}: {} is proved, but it is false or never ends:\n{text}",
                song.lines[line].name
            );
            proved += u64::from(shown);
            refuted += u64::from(wrong);
        }
    }
    assert!(proved >= count / 4, "only {proved} lines are proved");
    assert!(refuted >= count, "only {refuted} lines are refuted");
}

fn is_proved(song: &Arc<Song>, line: usize) -> bool {
    let mut theory = Theory::new(song.clone());
    let Ok(conditions) = conditions(&mut theory, line, &[]) else {
        return false;
    };
    let effort = Effort {
        name: "test".to_owned(),
        steps: Some(1),
        ..Effort::default()
    };
    let asked = conditions.obligations.into_iter();
    let asked: Vec<_> = asked.filter(|one| one.rule != Rule::Vacuity).collect();
    let shown = discharge(&mut theory, &asked, &SOLVERS, &effort, &Cancel::default());
    shown.iter().all(|shown| *shown == Shown::Yes)
}

/// Does it fail for some small values, or not end?
fn is_wrong(song: &Arc<Song>, line: usize) -> bool {
    let bounds = Bounds {
        int: (-2, 3),
        nat: 2,
        length: 2,
        ..Bounds::default()
    };
    let instances = Instance::all(song.clone(), &Sizes::new(), &bounds).expect("instances");
    let query = Query {
        subject: Subject::Line(line),
        checks: vec![Check::Contract, Check::Assertions],
    };
    instances.iter().any(|instance| {
        let report = search(instance, &query, &Limits::default(), &mut Unwatched);
        let mut findings = report.findings.iter();
        findings.any(|finding| finding.answer != Answer::NotRefuted)
    })
}

/// Random text, the same for the same seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % sides
    }

    /// Mostly what makes sense, sometimes one of the others.
    fn mostly(&mut self, usual: &str, others: &[&str]) -> String {
        match self.roll(6) {
            0 => self.pick(others),
            _ => usual.to_owned(),
        }
    }

    fn pick(&mut self, from: &[&str]) -> String {
        from[self.roll(from.len() as u64) as usize].to_owned()
    }

    fn song(&mut self) -> String {
        let mut text = String::new();
        for name in ["f", "g"] {
            text.push_str(&self.function(name));
        }
        for name in ["l", "m"] {
            text.push_str(&self.lemma(name));
        }
        let required = self.required();
        let claim = self.claim(&["f", "g"]).replace('x', "me.x");
        let used = self.pick(&["use l(n, k);", "use m(n, k);", ""]);
        format!(
            "choreography c(n: int, k: int) {{
                endpoint me {{ var x: int = 0; }}
                {required}{}
                me.x = {};
                {used}
                assert {claim};
            }}
            {text}",
            terminator(&required),
            self.pick(&["f(n, k)", "g(n, k)"]),
        )
    }

    fn function(&mut self, name: &str) -> String {
        let (required, measure) = (self.required(), self.measure());
        let promised = match self.roll(3) {
            0 => String::new(),
            1 => format!("ensures {}", self.claim(&[])).replace('x', "result"),
            _ => format!("ensures {}", self.claim(&["f"])).replace('x', "result"),
        };
        let (base, more) = (self.int(), self.int());
        let stops = self.mostly("n <= 0", &["n == 0", "k <= 0", "n <= 0 || k <= 0", "k > n"]);
        let inner = self.inner(name);
        let rest = match self.roll(4) {
            0 => format!("{inner} + {more}"),
            1 => format!(
                "if {inner} > 0 {{ {} }} else {{ {more} }}",
                self.inner(name)
            ),
            2 => format!("{inner} - {}", self.inner(name)),
            _ => inner,
        };
        format!(
            "fn {name}(n: int, k: int) -> int {required} {promised} decreases {measure} {{
                if {stops} {{ {base} }} else {{ {rest} }}
            }}\n"
        )
    }

    fn lemma(&mut self, name: &str) -> String {
        let (required, measure) = (self.required(), self.measure());
        let claim = self.claim(&["f", "g"]).replace('x', "n");
        let condition = self.mostly("n > 0", &["k > 0", "n > 0 && k > 0", "true"]);
        let used = self.mostly(name, &["l", "m"]);
        let arguments = self.arguments();
        let (asserted, other) = (self.claim(&["f"]).replace('x', "k"), self.pick(&["l", "m"]));
        let more = match self.roll(3) {
            0 => format!("use {other}{};", self.arguments()),
            1 => format!("assert {asserted};"),
            _ => String::new(),
        };
        format!(
            "lemma {name}(n: int, k: int) {required} ensures {claim} decreases {measure} {{
                if {condition} {{ use {used}{arguments}; }}
                {more}
            }}\n"
        )
    }

    fn required(&mut self) -> String {
        self.mostly("requires n >= 0", &["requires n >= 0 && k >= 0", ""])
    }

    fn measure(&mut self) -> String {
        self.mostly("n", &["n + k", "k", "n - k", "2"])
    }

    fn arguments(&mut self) -> String {
        let others = ["(n, k - 1)", "(k, n)", "(n, k)", "(n - 2, k + 1)"];
        self.mostly("(n - 1, k)", &others)
    }

    /// A call in the body of a function, mostly of the function itself.
    fn inner(&mut self, name: &str) -> String {
        format!("{}{}", self.mostly(name, &["f", "g"]), self.arguments())
    }

    /// A claim about `n`, `k` and `x`, maybe with calls of these functions.
    fn claim(&mut self, functions: &[&str]) -> String {
        let left = match functions.is_empty() || self.roll(3) == 0 {
            true => "x".to_owned(),
            false => format!("{}(n, k)", self.pick(functions)),
        };
        let right = self.pick(&["0", "0", "1", "n", "k", "x"]);
        let compared = self.pick(&["==", "<=", ">=", ">=", ">="]);
        format!("{left} {compared} {right}")
    }

    fn int(&mut self) -> String {
        self.pick(&["0", "1", "n", "n + 1", "k"])
    }
}

/// Contracts of choreographies end with a semicolon.
fn terminator(required: &str) -> &'static str {
    match required.is_empty() {
        true => "",
        false => ";",
    }
}

/// A lemma that asks for what is never the case promises anything: that is said.
#[test]
fn what_no_argument_satisfies_is_named() {
    let lemma = |requires: &str| {
        crate::prover::open(&format!(
            "lemma l(n: int) requires {requires} ensures n == 0 || n > 3 {{}}"
        ))
    };
    assert_eq!(lemma("n > 3"), Vec::<String>::new());
    assert_eq!(
        lemma("n > 3 && n < 2"),
        ["vacuity/reachable: n > 3 && n < 2"]
    );
}

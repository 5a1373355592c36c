//! Random obligations: what is proved is never refuted by trying all small values.
//!
//! `PLAINSONG_RANDOM=5000` tries as many as that, from `PLAINSONG_SEED` on.

use crate::prover::open_in;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::Subject;
use plainsong_semantics::search::{Answer, Check, Limits, Query, Unwatched, search};
use plainsong_semantics::sizes::{Bounds, Sizes};
use std::sync::Arc;

#[test]
fn nothing_that_is_proved_is_refuted() {
    let number = |name: &str, usual: u64| {
        let said = std::env::var(name).ok();
        said.and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let (count, first) = (number("PLAINSONG_RANDOM", 60), number("PLAINSONG_SEED", 0));
    let (mut proved, mut refuted, mut neither) = (0u64, 0u64, 0u64);
    for seed in first..first + count {
        let text = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 1).obligation();
        let (skipped, steps) = match seed % 8 {
            0 => (0, 2),
            1..=3 => (4, 5), // Instances by models, and nothing else.
            _ => (0, 1),
        };
        let shown = open_in(&text, skipped, Some(steps))
            .iter()
            .all(|one| one.starts_with("vacuity"));
        match (shown, is_refuted(&text)) {
            (true, true) => panic!("seed {seed}: proved, but it is false:\n{text}"),
            (true, false) => proved += 1,
            (false, true) => refuted += 1,
            (false, false) => neither += 1,
        }
    }
    assert!(proved >= count / 20, "only {proved} of {count} are proved");
    assert!(
        refuted >= count / 5,
        "only {refuted} of {count} are refuted"
    );
    // A quantified expression that no run reads has to be defined all the same: that is often open.
    assert!(neither <= 2 * count / 5, "{neither} of {count} are open");
}

/// Does it fail for some small values?
fn is_refuted(text: &str) -> bool {
    let song = plainsong_syntax::compile(text).song.expect("it compiles");
    let bounds = Bounds {
        int: (-1, 1),
        nat: 2,
        length: 2,
        ..Bounds::default()
    };
    let instances = Instance::all(Arc::new(song), &Sizes::new(), &bounds).expect("instances");
    let query = Query {
        subject: Subject::Line(0),
        checks: vec![Check::Assertions],
    };
    instances.iter().any(|instance| {
        let report = search(instance, &query, &Limits::default(), &mut Unwatched);
        let mut findings = report.findings.iter();
        findings.any(|finding| matches!(finding.answer, Answer::Refuted(_)))
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

    fn obligation(&mut self) -> String {
        let given = self.truth(2);
        let claim = self.truth(3);
        // Some claims repeat what is given, so that some are true.
        let claim = match self.roll(4) {
            0 => format!("({given}) || ({claim})"),
            1 => format!("({claim}) ==> ({given})"),
            _ => claim,
        };
        let value = self.int(2);
        format!(
            "choreography c(x: int, o: option<int>, s: seq<int>, a: set<int>, b: bag<int>) {{
                endpoint me {{ var n: int = 0; var t: seq<int> = s; }}
                requires b.len() <= 1 && a.len() <= 2;
                requires {given};
                if x > 0 {{ me.n = {value}; }} else {{ me.t = me.t.push(x); }}
                assert {claim};
            }}"
        )
    }

    fn truth(&mut self, depth: u64) -> String {
        if depth == 0 {
            let (one, two) = (self.int(0), self.int(0));
            return match self.roll(5) {
                0 => format!("{one} == {two}"),
                1 => format!("{one} in {}", self.set(0)),
                2 => format!("{one} in {}", self.seq(0)),
                3 => "o is some(_)".to_owned(),
                _ => format!("{one} <= {two}"),
            };
        }
        let less = depth - 1;
        match self.roll(13) {
            0 => format!("({}) && ({})", self.truth(less), self.truth(less)),
            1 => format!("({}) || ({})", self.truth(less), self.truth(less)),
            2 => format!("({}) ==> ({})", self.truth(less), self.truth(less)),
            3 => format!("!({})", self.truth(less)),
            4 => format!("({}) <==> ({})", self.truth(less), self.truth(less)),
            5 => format!("{} == {}", self.set(less), self.set(less)),
            6 => format!("{}.subset({})", self.set(less), self.set(less)),
            7 => format!("{} == {}", self.seq(less), self.seq(less)),
            8 => format!("{} == {}", self.bag(less), self.bag(less)),
            9 => format!("(forall v in {} :: v <= {})", self.set(less), self.int(0)),
            10 => format!("(exists v in {} :: v > {})", self.seq(less), self.int(0)),
            11 => format!("o == some({})", self.int(less)),
            _ => format!("{} < {}", self.int(less), self.int(less)),
        }
    }

    fn int(&mut self, depth: u64) -> String {
        if depth == 0 {
            let small = self.roll(4) as i64 - 1;
            return match self.roll(4) {
                0 => format!("({small})"),
                1 => "me.n".to_owned(),
                _ => "x".to_owned(),
            };
        }
        let less = depth - 1;
        match self.roll(12) {
            0 => format!("({} + {})", self.int(less), self.int(less)),
            1 => format!("({} - {})", self.int(less), self.int(less)),
            2 => format!("({} * {})", self.int(0), self.int(0)),
            3 => format!("({} / 2)", self.int(less)),
            4 => format!("({} % 2)", self.int(less)),
            5 => format!("{}.len()", self.seq(less)),
            6 => format!("{}.len()", self.set(less)),
            7 => format!("{}.count({})", self.bag(less), self.int(0)),
            8 => format!("o.unwrap_or({})", self.int(0)),
            9 => format!("(sum v in {} :: v)", self.seq(less)),
            10 => format!("(count v in {} :: v > {})", self.set(less), self.int(0)),
            _ => format!(
                "(if {} {{ {} }} else {{ {} }})",
                self.truth(0),
                self.int(0),
                self.int(0)
            ),
        }
    }

    fn set(&mut self, depth: u64) -> String {
        if depth == 0 {
            return "a".to_owned();
        }
        let less = depth - 1;
        match self.roll(7) {
            0 => format!("{}.with({})", self.set(less), self.int(0)),
            1 => format!("{}.without({})", self.set(less), self.int(0)),
            2 => format!("({} | {})", self.set(less), self.set(less)),
            3 => format!("({} - {})", self.set(less), self.set(less)),
            4 => format!("({} & {})", self.set(less), self.set(less)),
            5 => format!("{}.to_set()", self.seq(less)),
            _ => format!("{{ w in {} where w > {} }}", self.set(less), self.int(0)),
        }
    }

    fn seq(&mut self, depth: u64) -> String {
        if depth == 0 {
            return ["s", "me.t"][self.roll(2) as usize].to_owned();
        }
        let less = depth - 1;
        match self.roll(4) {
            0 => format!("{}.push({})", self.seq(less), self.int(0)),
            1 => format!("({} + {})", self.seq(less), self.seq(less)),
            2 => format!("[{}]", self.int(less)),
            _ => self.seq(less),
        }
    }

    fn bag(&mut self, depth: u64) -> String {
        if depth == 0 {
            return "b".to_owned();
        }
        let less = depth - 1;
        match self.roll(5) {
            0 => format!("{}.with({})", self.bag(less), self.int(0)),
            1 => format!("{}.without({})", self.bag(less), self.int(0)),
            2 => format!("({} | {})", self.bag(less), self.bag(less)),
            3 => format!("({} - {})", self.bag(less), self.bag(less)),
            _ => format!("{}.to_bag()", self.seq(less)),
        }
    }
}

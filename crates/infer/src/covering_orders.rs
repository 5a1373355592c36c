//! Covering orders (`covers`), proved compatible with every handler.
//!
//! `plainsong_diverge::covering_order` says which lines with which assertions have to be shown, and why that is enough. Here they
//! are shown. Where one is not, small values are tried in the line itself, so that the user sees a state and a
//! message with which the handler does something else.

use crate::pids_as_data::as_data;
use plainsong_diagnostics::Span;
use plainsong_diverge::covering_order::{Duty, duties};
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{Expr, ExprKind, Song, Ty};
use plainsong_prove::discharge::{Effort, Shown, discharge};
use plainsong_prove::obligation::{Obligation, Rule};
use plainsong_prove::theory::Theory;
use plainsong_prove::vc::conditions;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Config, Machine, Outcome, Subject};
use plainsong_semantics::sizes::{Bounds, Sizes};
use plainsong_semantics::trace::{Failure, FailureKind};
use plainsong_semantics::verdict::Assumption;
use plainsong_smt::{Cancel, Setup, Solvers};
use std::collections::BTreeSet;
use std::sync::Arc;

/// That cycles may rest on what `covers` says.
#[derive(Clone, Debug, Default)]
pub struct Compatible {
    /// How many obligations were shown.
    pub obligations: usize,
    /// What is trusted.
    pub notes: Vec<Assumption>,
}

/// Is what `covers` says compatible with every handler? Nothing where the song does not declare it; else why it may not
/// be used.
pub fn compatible(
    song: &Song,
    setup: Setup,
    cancel: &Cancel,
) -> Option<Result<Compatible, String>> {
    let duties = duties(song)?;
    Some(duties.and_then(|duties| {
        let solvers = Solvers::new(setup);
        let mut known = Compatible::default();
        for (at, duty) in duties.iter().enumerate() {
            if cancel.is_cancelled() {
                return Err("there was no time to show that it is compatible".to_owned());
            }
            shown(duty, at, &solvers, cancel, &mut known)?;
        }
        Ok(known)
    }))
}

fn shown(
    duty: &Duty,
    at: usize,
    solvers: &Solvers,
    cancel: &Cancel,
    known: &mut Compatible,
) -> Result<(), String> {
    let handler = &duty.handler;
    let mut theory = Theory::new(Arc::new(as_data(duty.song.clone())));
    let all = conditions(&mut theory, 0, &[]);
    let all = all.map_err(|why| format!("{handler}: {}", why.message))?;
    let is_owed = |one: &Obligation| {
        one.rule != Rule::Vacuity && duty.is_owed(one.span, one.rule == Rule::Defined)
    };
    let asked: Vec<Obligation> = all.obligations.into_iter().filter(is_owed).collect();
    let effort = Effort {
        name: format!("covers/{at}"),
        ..Effort::default()
    };
    let shown = discharge(&mut theory, &asked, solvers, &effort, cancel);
    let open = asked.iter().zip(shown).find(|(_, one)| *one != Shown::Yes);
    if let Some((open, _)) = open {
        let tried = counterexample(duty);
        return Err(match tried {
            Some((values, meaning)) => format!("with {values} in {handler}, {meaning}"),
            None => format!(
                "that it is compatible was not proved of {handler}: {}",
                duty.meaning(open.span)
            ),
        });
    }
    known.obligations += asked.len();
    // What the earlier run assumes, the later one has shown.
    let others = all
        .notes
        .into_iter()
        .filter(|one| !matches!(one, Assumption::Assume(_)));
    known.notes.extend(others);
    Ok(())
}

/// So many steps of lines are tried.
const STEPS: usize = 200_000;

/// Small values with which the later run does something else, and what.
fn counterexample(duty: &Duty) -> Option<(String, String)> {
    let song = Arc::new(duty.song.clone());
    let sizes = song
        .sorts
        .iter()
        .fold(Sizes::new(), |sizes, sort| sizes.with(&sort.name, 2));
    let windows = [(1, 1, 1), (1, 2, 2), (2, 4, 2)];
    let around = around(&song);
    windows.into_iter().find_map(|(below, above, length)| {
        let bounds = Bounds {
            int: (-below, above),
            nat: above,
            length,
            constants: false,
            ..Bounds::default()
        };
        let instances = Instance::all(song.clone(), &sizes, &bounds);
        let machines = instances.ok()?.into_iter();
        let mut machines = machines.map(|one| Machine::new(&one, Subject::Line(0)));
        let given = [Sizes::new()].into_iter().chain(around.iter().cloned());
        let given: Vec<Sizes> = given.collect();
        machines.find_map(|machine| given.iter().find_map(|given| tried(duty, &machine, given)))
    })
}

/// Values for a number and its counterpart on both sides of a number in the text: no window has to be wide enough.
fn around(song: &Song) -> Vec<Sizes> {
    let line = &song.lines[0].code;
    let mut numbers = Numbers::default();
    line.body.iter().for_each(|one| numbers.stmt(one));
    let parameters = &line.locals[..line.arity];
    let mut around = Vec::new();
    for later in parameters
        .iter()
        .filter(|one| matches!(one.ty, Ty::Int | Ty::Nat))
    {
        let earlier = format!("old_{}", later.name);
        if !parameters.iter().any(|one| one.name == earlier) {
            continue;
        }
        for number in &numbers.0 {
            for (one, other) in [(-1, 0), (0, 1), (0, -1), (1, 0)] {
                let (one, other) = (number + one, number + other);
                if one >= 0 && other >= 0 {
                    around.push(Sizes::new().with(&earlier, one).with(&later.name, other));
                }
            }
        }
    }
    around
}

/// The numbers of a text that no window has.
#[derive(Default)]
struct Numbers(BTreeSet<i64>);

impl Visit for Numbers {
    fn expr(&mut self, expr: &Expr) {
        match expr.kind {
            ExprKind::Int(number) if (3..1_000_000).contains(&number) => {
                self.0.insert(number);
            }
            _ => walk::expr(self, expr),
        }
    }
}

fn tried(duty: &Duty, machine: &Machine, given: &Sizes) -> Option<(String, String)> {
    let mut left = STEPS;
    for start in machine.initial_with(given) {
        let Outcome::Next(start) = start else {
            continue;
        };
        if let Some(failure) = failing(machine, &start, &mut left) {
            let values = duty.parameters.iter().zip(machine.start(&start));
            let values: Vec<String> = values
                .map(|(name, value)| format!("{name} = {}", value.after))
                .collect();
            let meaning = match failure.kind {
                FailureKind::Assertion => duty.meaning(failure.span).to_owned(),
                _ => failure.message,
            };
            return Some((values.join(", "), meaning));
        }
        if left == 0 {
            break;
        }
    }
    None
}

/// How the later run fails from here, if it does.
fn failing(machine: &Machine, config: &Config, left: &mut usize) -> Option<Failure> {
    *left = left.checked_sub(1)?;
    machine
        .steps(config)
        .into_iter()
        .find_map(|step| match step.outcome {
            Outcome::Next(next) => failing(machine, &next, left),
            Outcome::Failed(failure, _) => {
                let is_ours =
                    failure.kind == FailureKind::Resource || failure.span == Span::default();
                (!is_ours).then_some(failure)
            }
            Outcome::Discarded => None,
        })
}

#[cfg(test)]
mod tests {
    use super::{compatible, duties};
    use plainsong_semantics::covering_order::CoveringOrder;
    use plainsong_semantics::idle::Idle;
    use plainsong_semantics::instance::Instance;
    use plainsong_semantics::machine::{Config, Machine, Outcome, Subject};
    use plainsong_semantics::sizes::{Bounds, Sizes};
    use plainsong_smt::{Cancel, Setup};
    use std::collections::VecDeque;
    use std::sync::Arc;

    fn asked(text: &str) -> Result<usize, String> {
        let song = plainsong_syntax::compile(text).song.expect(text);
        let found = compatible(&song, Setup::from_environment(), &Cancel::default());
        found
            .expect("it declares what covers")
            .map(|one| one.obligations)
    }

    fn handler(covers: &str, body: &str) -> String {
        format!(
            "message Go(k: int) {covers};
             process p {{
                 var x: int = 0;
                 var y: nat = 3;
                 var on_: bool = true;
                 covers x >= old(x);
                 on Go(k) {{ {body} }}
             }}
             init {{ send Go(1) to p; }}
             property quiet: eventually quiescent;"
        )
    }

    const MORE: &str = "covers k >= old(k)";

    #[test]
    fn what_is_compatible_is_shown() {
        for body in [
            "x = x * 2 + k; send Go(k + 1) to p;",
            "if x < k { x = k; } send Go(x) to p;",
            "if on_ { send Go(x) to p; }",
            "match y { 3 => { send Go(k) to p; } _ => { x = 0; } }",
            "for z in bool { if z { x = x + 1; } send Go(x) to p; }",
            "let n = choose 1..3; send Go(k + n) to p;",
            "maybe { send Go(k) to p; } else { x = x + k; }",
            "assert x >= 0; send Go(k) to p;",
            "assume k > 2; x = x + 1; send Go(k) to p;",
        ] {
            let found = asked(&handler(MORE, body));
            assert!(found.is_ok(), "{body}: {found:?}");
        }
    }

    #[test]
    fn what_is_not_names_the_handler_and_values() {
        for (body, part) in [
            (
                "send Go(0 - k) to p;",
                "the `Go` that is sent may not cover",
            ),
            ("x = 0 - k;", "the state that it leaves may not cover"),
            (
                "if k < 7 { send Go(k) to p; }",
                "`k < 7` may come to something else",
            ),
            (
                "y = y + 1; assert x < 5;",
                "`x < 5` may be false for what covers",
            ),
            (
                "let n = choose 1..5 where n > x; send Go(k) to p;",
                "`where n > x` may not be allowed",
            ),
            (
                "for z in 0..k { send Go(z) to p; }",
                "may come to something else",
            ),
            ("let z = 9 / (5 - x); if z == z { x = x + 1; }", "zero"),
            (
                "while on_ { on_ = false; }",
                "`while`, which is not covered",
            ),
        ] {
            let found = asked(&handler(MORE, body)).expect_err(body);
            assert!(found.contains("`on Go` of `p`"), "{body}: {found}");
            assert!(found.contains(part), "{body}: {found}");
            let is_refused = found.contains("not covered");
            assert!(is_refused || found.contains("old(x) = "), "{body}: {found}");
        }
    }

    #[test]
    fn a_part_that_is_only_compared_with_itself_is_computed_all_the_same() {
        let body = "send Go(9 / (5 - x)) to p;";
        let found = asked(&handler("covers old(k) == old(k)", body)).expect_err(body);
        assert!(found.contains("zero"), "{found}");
    }

    #[test]
    fn what_is_delivered_in_order_is_refused() {
        let text = handler(MORE, "send Go(k) to p;").replace("Go(k: int)", "Go(k: int) via fifo");
        let found = asked(&text).expect_err(&text);
        assert!(found.contains("delivered in order"), "{found}");
    }

    /// Random handlers with random orders: where the prover says yes, every step of a state has its counterpart in every
    /// state that covers it.
    #[test]
    fn what_is_shown_is_a_simulation() {
        let programs = std::env::var("PLAINSONG_RANDOM").ok();
        let programs = programs.and_then(|text| text.parse().ok()).unwrap_or(60);
        let (mut shown, mut compared) = (0, 0);
        for seed in 0..programs {
            let text = random(seed);
            if asked(&text).is_err() {
                continue;
            }
            shown += 1;
            compared += simulates(&text) as u64;
        }
        assert!(shown * 10 > programs, "{shown} of {programs}");
        assert!(compared > shown, "{compared} steps in {shown} programs");
    }

    struct Dice(u64);

    impl Dice {
        fn below(&mut self, most: u64) -> u64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % most
        }

        fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
            all[self.below(all.len() as u64) as usize]
        }

        fn number(&mut self, depth: u64) -> String {
            match self.below(if depth == 0 { 3 } else { 6 }) {
                0 => self.of(&["0", "1", "2"]).to_owned(),
                1 => "k".to_owned(),
                2 => self.of(&["x", "y"]).to_owned(),
                3 => format!("({} + {})", self.number(depth - 1), self.number(depth - 1)),
                4 => format!(
                    "({} - {})",
                    self.number(depth - 1),
                    self.of(&["1", "x", "k"])
                ),
                _ => format!("({} * 2)", self.number(depth - 1)),
            }
        }

        fn statement(&mut self, depth: u64) -> String {
            match self.below(if depth == 0 { 3 } else { 6 }) {
                0 => format!("x = {};", self.number(1)),
                1 => format!("y = {};", self.number(1)),
                2 => format!("send Go({}) to p[i];", self.number(1)),
                3 => {
                    let test = format!(
                        "{} {} {}",
                        self.number(0),
                        self.of(&["<", "<=", "=="]),
                        self.number(0)
                    );
                    format!(
                        "if {test} {{ {} }} else {{ {} }}",
                        self.statement(depth - 1),
                        self.statement(depth - 1)
                    )
                }
                4 => format!(
                    "maybe {{ {} }} else {{ {} }}",
                    self.statement(depth - 1),
                    self.statement(depth - 1)
                ),
                _ => format!(
                    "for j in N where j != i {{ send Go({}) to p[j]; {} }}",
                    self.number(1),
                    self.statement(depth - 1)
                ),
            }
        }
    }

    fn random(seed: u64) -> String {
        let mut dice = Dice(seed.wrapping_mul(7_919) + 17);
        let orders = [">=", "<=", "=="];
        let (k, x, y) = (dice.of(&orders), dice.of(&orders), dice.of(&orders));
        let (first, second) = (dice.statement(2), dice.statement(1));
        format!(
            "sort N;
             message Go(k: int) covers k {k} old(k);
             process p[i: N] {{
                 var x: int = 0;
                 var y: int = 1;
                 covers x {x} old(x) && y {y} old(y);
                 on Go(k) {{ {first} {second} }}
             }}
             init {{ for i in N {{ send Go(0) to p[i]; send Go(1) to p[i]; }} }}
             property quiet: eventually quiescent;"
        )
    }

    /// Compares the steps of states that cover each other; how many there were.
    fn simulates(text: &str) -> usize {
        let song = Arc::new(plainsong_syntax::compile(text).song.expect(text));
        assert!(duties(&song).is_some());
        let sizes = Sizes::new().with("N", 2);
        let instances = Instance::all(song, &sizes, &Bounds::default()).expect(text);
        let machine = Machine::new(&instances[0], Subject::System).trusting_order();
        let order = CoveringOrder::of(&machine).expect(text);
        let states = reached(&machine, 60);
        let mut compared = 0;
        for earlier in &states {
            for later in &states {
                if order.covers(&Idle::of(earlier), &Idle::of(later)).is_none() {
                    continue;
                }
                for step in machine.steps(earlier) {
                    let Outcome::Next(next) = &step.outcome else {
                        continue;
                    };
                    let next = Idle::of(next);
                    let follows = machine.steps(later).iter().any(|other| {
                        let Outcome::Next(after) = &other.outcome else {
                            return false;
                        };
                        other.lane == step.lane && order.covers(&next, &Idle::of(after)).is_some()
                    });
                    assert!(follows, "{text}\n{}", machine.rest(earlier));
                    compared += 1;
                }
            }
        }
        compared
    }

    /// The first states, breadth first.
    fn reached(machine: &Machine, most: usize) -> Vec<Config> {
        let mut states: Vec<Config> = Vec::new();
        let mut open: VecDeque<Config> = VecDeque::new();
        let starts = machine.initial().into_iter();
        open.extend(starts.filter_map(|one| match one {
            Outcome::Next(config) => Some(config),
            _ => None,
        }));
        while let Some(config) = open.pop_front() {
            if states.contains(&config) {
                continue;
            }
            for step in machine.steps(&config) {
                if let Outcome::Next(next) = step.outcome {
                    open.push_back(next);
                }
            }
            states.push(config);
            if states.len() == most {
                break;
            }
        }
        states
    }
}

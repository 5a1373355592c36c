//! Processes with bodies and faults as actions, against the interpreter of processes: random programs come to the same states, or
//! the actions to more where the header of the translation says so; and nothing is shown of them that a search refutes.

use crate::random::{Dice, compared_some};
use plainsong_induct::System;
use plainsong_ir::{Claim, Song};
use plainsong_semantics::claim::verity;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Machine, Outcome, Subject};
use plainsong_semantics::sizes::{Bounds, Sizes};
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::fmt::Write as _;
use std::sync::Arc;

/// The most states of one instance.
const STATES: usize = 1_000;

impl Dice {
    /// Something that is true or false of a state; `a` and `b` are members of the sort.
    fn said_of_bodies(&mut self) -> String {
        let one = self.pick(&["a", "b"]);
        let other = self.pick(&["a", "b"]);
        let all = [
            format!("node[{one}].lit"),
            format!("node[{one}].peer == some({other})"),
            format!("node[{one}].peer == none"),
            "hub.n <= 1".to_owned(),
            format!("{one} in hub.known"),
            "a == b".to_owned(),
            format!("pending(Tell({one}) to node[{other}]) == 0"),
            "pending(Join(a) to hub) <= 1".to_owned(),
            format!("crashed(node[{one}])"),
        ];
        let said = all[self.below(all.len())].clone();
        match self.below(2) {
            0 => said,
            _ => format!("!({said})"),
        }
    }

    /// Statements of a body; `k` numbers the names that it binds. `exact`: without loops.
    fn piece(&mut self, k: usize, exact: bool) -> String {
        let truth = self.pick(&["true", "false", "!lit"]);
        match self.below(if exact { 8 } else { 11 }) {
            0 => format!("lit = {truth};"),
            1 => format!("send Join({}) to hub;", self.pick(&["i", "m"])),
            2 => format!("receive Tell(x{k}); peer = some(x{k});"),
            3 => format!("receive Tell(x{k}) where x{k} != i; m = x{k};"),
            4 => format!("let y{k} = choose S; send Tell(y{k}) to node[m]; peer = some(y{k});"),
            5 => format!("if lit {{ send Tell(i) to node[m]; m = i; }} else {{ lit = {truth}; }}"),
            6 => {
                format!("maybe {{ peer = none; }} else {{ receive Tell(x{k}); lit = x{k} == i; }}")
            }
            7 => format!(
                "receive {{ Tell(x{k}) where x{k} == m => {{ lit = true; }} timeout => {{ lit = false; }} }}"
            ),
            8 => format!("for z{k} in S where z{k} != i {{ send Tell(i) to node[z{k}]; }}"),
            9 => format!("for z{k} in S {{ receive Tell(x{k}); if x{k} == z{k} {{ break; }} }}"),
            _ => {
                format!("while !lit {{ maybe {{ break; }} receive Tell(x{k}); lit = x{k} == i; }}")
            }
        }
    }

    fn of_hub_body(&mut self) -> String {
        self.pick(&[
            "n += 1;",
            "known = known.with(x);",
            "send Tell(x) to node[x];",
            "if x in known { send Tell(x) to node[x]; } else { known = known.with(x); }",
        ])
        .to_owned()
    }

    pub(crate) fn bodies(&mut self, exact: bool) -> String {
        let models = ["", " via fifo", " via causal", " via mailbox"];
        let via = if exact {
            &[" via unordered"][..]
        } else {
            &models
        };
        let mut text = "sort S;\n".to_owned();
        let _ = writeln!(text, "message Tell(x: S){};", self.pick(via));
        let _ = writeln!(text, "message Join(x: S){};", self.pick(via));
        text.push_str("process hub { var n: nat = 0; var known: set<S> = {};\n");
        let (one, other) = (self.of_hub_body(), self.of_hub_body());
        let guard = self.pick(&[" where n < 2", " where !(x in known) && n < 2"]);
        match self.below(3) {
            0 => _ = writeln!(text, "on Join(x){guard} {{ {one} {other} }} }}"),
            1 => _ = writeln!(text, "loop {{ receive Join(x){guard}; {one} {other} }} }}"),
            _ => _ = writeln!(text, "receive Join(x){guard}; {one} {other} }}"),
        }
        let durable = self.pick(&["", "durable "]);
        let _ = writeln!(
            text,
            "process node[i: S] {{ {durable}var lit: bool = false; var peer: option<S> = none; var m: S = i;"
        );
        for k in 0..2 + self.below(3) {
            let _ = writeln!(text, "{}", self.piece(k, exact));
        }
        text.push_str("receive Tell(last); lit = last == i; }\n");
        for fault in [
            "fault lose Tell <= 1;",
            "fault duplicate Join <= 1;",
            "fault crash node <= 1;",
        ] {
            if self.below(4) == 0 {
                let _ = writeln!(text, "{fault}");
            }
        }
        if text.contains("crash") && self.below(2) == 0 {
            let _ = writeln!(text, "fault restart node;");
        }
        text.push_str("init { for x in S { send Tell(x) to node[x]; } }\n");
        let crash = text.contains("crash");
        for at in 0..6 {
            let mut said = Vec::new();
            for _ in 0..1 + self.below(3) {
                let one = self.said_of_bodies();
                said.push(match one.contains("crashed") && !crash {
                    true => "a == b".to_owned(),
                    false => one,
                });
            }
            let clause = said.join(" || ");
            let _ = writeln!(text, "property p{at}: always forall a, b: S :: {clause};");
        }
        text
    }
}

/// For each state, which claims hold in it; nothing if there are too many.
fn rows(song: &Arc<Song>, claims: usize) -> Option<BTreeSet<Vec<bool>>> {
    let sizes = Sizes::new().with("S", 2);
    let instances = Instance::all(song.clone(), &sizes, &Bounds::default());
    let mut rows = BTreeSet::new();
    for instance in instances.unwrap_or_else(|error| panic!("{}", error.message)) {
        let machine = Machine::new(&instance, Subject::System);
        let (mut seen, mut queue) = (HashSet::new(), VecDeque::new());
        for outcome in machine.initial() {
            queue.extend(match outcome {
                Outcome::Next(config) => Some(config),
                _ => None,
            });
        }
        while let Some(config) = queue.pop_front() {
            if !seen.insert(format!("{config:?}")) {
                continue;
            }
            if seen.len() > STATES {
                return None;
            }
            for step in machine.steps(&config) {
                if let Outcome::Next(next) = step.outcome {
                    queue.push_back(next);
                }
            }
            let truths = song.properties[..claims]
                .iter()
                .map(|property| match &property.claim {
                    Claim::Always(claim) => {
                        format!("{:?}", verity(&machine, property, claim, &config)) == "Holds"
                    }
                    _ => false,
                });
            rows.insert(truths.collect());
        }
    }
    Some(rows)
}

fn alike(exact: bool) {
    let said = std::env::var("PLAINSONG_SYSTEMS").ok();
    let count: u64 = said.and_then(|text| text.parse().ok()).unwrap_or(25);
    let mut complete = 0;
    for seed in 0..count {
        let text = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 7).bodies(exact);
        let compiled = plainsong_syntax::compile(&text);
        let song = compiled.song.map(Arc::new);
        let song = song.unwrap_or_else(|| panic!("{:?}\n{text}", compiled.diagnostics));
        let system = System::of(&song).unwrap_or_else(|why| panic!("{}\n{text}", why.why));
        let (Some(own), Some(actions)) = (rows(&song, system.own), rows(&system.song, system.own))
        else {
            continue;
        };
        complete += 1;
        let missing: Vec<_> = own.difference(&actions).collect();
        assert!(
            missing.is_empty(),
            "seed {seed}: the actions do not come to {missing:?}\n{text}"
        );
        let more: Vec<_> = actions.difference(&own).collect();
        assert!(
            !exact || more.is_empty(),
            "seed {seed}: only the actions come to {more:?}\n{text}"
        );
    }
    assert!(
        complete > count / 4,
        "{complete} of {count} were small enough"
    );
}

#[test]
fn bodies_and_faults_come_to_the_same_states_as_their_actions() {
    alike(true);
}

#[test]
fn loops_and_ordered_messages_come_to_no_state_that_the_actions_do_not() {
    alike(false);
}

#[test]
fn nothing_is_shown_of_bodies_that_a_search_refutes() {
    let (count, proved, wrong) = compared_some(|dice| dice.bodies(false), 3);
    assert!(proved > 0, "{proved} proved, {wrong} refuted");
    assert!(wrong >= count, "{proved} proved, {wrong} refuted");
}

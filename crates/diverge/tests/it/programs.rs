//! Random small programs: a variable of a few values, a few kinds of tasks, and what serving one does.

use plainsong_ir::Song;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Machine, Subject};
use plainsong_semantics::sizes::{Bounds, Sizes};
use std::sync::Arc;

/// Pseudo-random numbers (SplitMix64): the same seed, the same program.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }

    pub(crate) fn once_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }
}

/// The machine of a text.
pub(crate) fn machine(text: &str) -> Machine {
    sized(text, None)
}

/// The machine of a text, with so many nodes.
pub(crate) fn sized(text: &str, nodes: Option<i64>) -> Machine {
    let sizes = match nodes {
        Some(nodes) => {
            let song = plainsong_syntax::compile(text).song.expect("a song");
            let unsized_sort = |name: &&str| song.sorts.iter().any(|sort| sort.name == **name);
            let name = ["Node", "Proposer"].into_iter().find(unsized_sort);
            Sizes::new().with(name.expect("a sort of nodes"), nodes)
        }
        None => Sizes::new(),
    };
    let compiled = plainsong_syntax::compile(text);
    let song: Song = compiled
        .song
        .unwrap_or_else(|| panic!("{:?}\n{text}", compiled.diagnostics));
    let instances = Instance::all(Arc::new(song), &sizes, &Bounds::default());
    let instance = instances.expect("one instance").remove(0);
    Machine::new(&instance, Subject::System)
}

/// A program of 2 or 3 values and up to 4 kinds, as handlers or as actions. In every third one a message stops
/// everybody else once it is served: what goes on for ever there ignores it.
pub(crate) fn program(dice: &mut Dice) -> String {
    let is_stopped = dice.once_in(3);
    let mut writer = Writer {
        is_actions: dice.once_in(2),
        values: 2 + dice.below(2),
        kinds: usize::from(is_stopped) + 1 + dice.below(if is_stopped { 3 } else { 4 }),
        text: String::new(),
        is_stopped,
        sends: 0,
    };
    writer.write(dice);
    writer.text
}

struct Writer {
    is_actions: bool,
    values: usize,
    kinds: usize,
    text: String,
    /// Does the first kind set `x` to its last value, at which nobody does anything?
    is_stopped: bool,
    /// What the handler at hand may still send.
    sends: usize,
}

impl Writer {
    fn write(&mut self, dice: &mut Dice) {
        let values = self.values;
        self.line(0, &format!("sort Value = 0..{values};"));
        if self.is_actions {
            self.line(0, "var x: Value = 0;");
        } else {
            for kind in 0..self.kinds {
                self.line(0, &format!("message {}(v: Value);", name(kind)));
            }
            self.line(0, "process p {");
            self.line(1, "var x: Value = 0;");
        }
        for kind in 0..self.kinds {
            self.sends = dice.below(3);
            let indent = usize::from(!self.is_actions);
            let head = match self.is_actions {
                true => format!("action {}(v: Value) {{", name(kind)),
                false if dice.once_in(8) => {
                    format!("on {}(v) where {} {{", name(kind), self.condition(dice))
                }
                false => format!("on {}(v) {{", name(kind)),
            };
            self.line(indent, &head);
            if dice.once_in(6) {
                let condition = self.condition(dice);
                self.line(indent + 1, &format!("assume {condition};"));
            }
            match (self.is_stopped, kind) {
                (true, 0) => self.line(indent + 1, &format!("x = {};", values - 1)),
                (true, _) => {
                    self.line(indent + 1, &format!("if x != {} {{", values - 1));
                    let sends = self.send(dice, "v");
                    self.line(indent + 2, &sends);
                    self.block(dice, indent + 2, 1);
                    self.line(indent + 1, "}");
                }
                (false, _) => self.block(dice, indent + 1, 2),
            }
            self.line(indent, "}");
        }
        if !self.is_actions {
            self.line(0, "}");
        }
        self.line(0, "init {");
        if self.is_stopped {
            let stop = match self.is_actions {
                true => "async A(0);",
                false => "send A(0) to p;",
            };
            self.line(1, stop);
        }
        for _ in 0..=dice.below(3) {
            let statement = self.send(dice, "0");
            self.line(1, &statement);
        }
        self.line(0, "}");
        self.line(0, "property quiet: eventually quiescent;");
        self.line(0, "property fair: eventually quiescent fair;");
    }

    fn block(&mut self, dice: &mut Dice, indent: usize, depth: usize) {
        for _ in 0..=dice.below(2) {
            self.statement(dice, indent, depth);
        }
    }

    fn statement(&mut self, dice: &mut Dice, indent: usize, depth: usize) {
        match dice.below(5) {
            0 | 1 if self.sends > 0 => {
                self.sends -= 1;
                let value = self.value(dice);
                let statement = self.send(dice, &value);
                self.line(indent, &statement);
            }
            2 if depth > 0 => {
                let condition = self.condition(dice);
                self.line(indent, &format!("if {condition} {{"));
                self.block(dice, indent + 1, depth - 1);
                self.line(indent, "}");
            }
            3 if depth > 0 && dice.once_in(2) => {
                self.line(indent, "maybe {");
                self.block(dice, indent + 1, depth - 1);
                self.line(indent, "}");
            }
            _ => {
                let value = self.value(dice);
                self.line(indent, &format!("x = {value};"));
            }
        }
    }

    fn send(&mut self, dice: &mut Dice, value: &str) -> String {
        let kind = name(dice.below(self.kinds));
        match self.is_actions {
            true => format!("async {kind}({value});"),
            false => format!("send {kind}({value}) to p;"),
        }
    }

    fn value(&mut self, dice: &mut Dice) -> String {
        let values = self.values;
        match dice.below(5) {
            0 => "x".to_owned(),
            1 => "v".to_owned(),
            2 => format!("(x + 1) % {values}"),
            _ => dice.below(values).to_string(),
        }
    }

    fn condition(&mut self, dice: &mut Dice) -> String {
        let left = if dice.once_in(3) { "v" } else { "x" };
        let operator = ["==", "!=", "<"][dice.below(3)];
        format!("{left} {operator} {}", dice.below(self.values))
    }

    fn line(&mut self, indent: usize, line: &str) {
        self.text.push_str(&"    ".repeat(indent));
        self.text.push_str(line);
        self.text.push('\n');
    }
}

fn name(kind: usize) -> &'static str {
    ["A", "B", "C", "D"][kind]
}

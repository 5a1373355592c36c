//! Random programs of the odder kinds: families, queues, bodies with receives and time-outs, faults, durable variables,
//! values that are chosen, senders that are asked for.

use crate::programs::Dice;

/// A program with a family `p`, often a single process `q`, and something odd.
pub(crate) fn odd_program(dice: &mut Dice) -> String {
    let mut writer = Writer {
        kinds: 1 + dice.below(3),
        q: match dice.below(4) {
            0 => Other::Absent,
            1 | 2 => Other::Handles,
            _ => Other::Body,
        },
        sends: 0,
        is_body: false,
        text: String::new(),
    };
    writer.write(dice);
    writer.text
}

/// What the single process is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Other {
    Absent,
    Handles,
    Body,
}

struct Writer {
    kinds: usize,
    q: Other,
    /// What the handler at hand may still send.
    sends: usize,
    /// Is the code at hand that of `q`?
    is_body: bool,
    text: String,
}

impl Writer {
    fn write(&mut self, dice: &mut Dice) {
        self.line(0, "sort Value = 0..2;");
        self.line(0, "sort Place = 0..2;");
        for kind in 0..self.kinds {
            let via = match dice.below(9) {
                0 => " via fifo",
                1 => " via mailbox",
                2 => " via causal",
                3 => " via unordered",
                _ => "",
            };
            self.line(0, &format!("message {}(v: Value){via};", name(kind)));
        }
        self.family(dice);
        match self.q {
            Other::Absent => {}
            Other::Handles => self.single(dice),
            Other::Body => self.body(dice),
        }
        self.line(0, "init {");
        for _ in 0..=dice.below(2) {
            self.is_body = false;
            let statement = self.send(dice, "0", "0");
            self.line(1, &statement);
        }
        self.line(0, "}");
        self.faults(dice);
        self.line(0, "property quiet: eventually quiescent;");
        self.line(0, "property fair: eventually quiescent fair;");
    }

    fn family(&mut self, dice: &mut Dice) {
        self.line(0, "process p[i: Place] {");
        let durable = if dice.once_in(4) { "durable " } else { "" };
        let start = match dice.below(6) {
            0 => "choose Value",
            _ => "0",
        };
        self.line(1, &format!("{durable}var x: Value = {start};"));
        self.handlers(dice, "i");
        self.line(0, "}");
    }

    fn single(&mut self, dice: &mut Dice) {
        self.is_body = true;
        self.line(0, "process q {");
        self.line(1, "var x: Value = 0;");
        self.handlers(dice, "0");
        self.line(0, "}");
    }

    fn handlers(&mut self, dice: &mut Dice, me: &str) {
        for kind in 0..self.kinds {
            self.sends = dice.below(3);
            let from = match (dice.below(8), self.q) {
                (0, _) => " from any p",
                (1, Other::Handles | Other::Body) => " from any q",
                (2, _) => " from any as who",
                _ => "",
            };
            let filter = match dice.once_in(6) {
                true => format!(" where {}", self.condition(dice)),
                false => String::new(),
            };
            self.line(1, &format!("on {}(v){from}{filter} {{", name(kind)));
            if from.ends_with("who") && self.q != Other::Body && dice.once_in(2) {
                self.line(2, "assume who != p[0];");
            }
            self.block(dice, 2, 2, me);
            self.line(1, "}");
        }
    }

    /// A body that receives, again and again or a few times.
    fn body(&mut self, dice: &mut Dice) {
        self.is_body = true;
        let daemon = if dice.once_in(2) { "daemon " } else { "" };
        self.line(0, &format!("{daemon}process q {{"));
        self.line(1, "var x: Value = 0;");
        if dice.once_in(3) {
            self.sends = 1;
            let statement = self.send(dice, "x", "0");
            self.line(1, &statement);
        }
        let again = dice.below(3) > 0;
        if again {
            self.line(1, "loop {");
        }
        self.line(2, "receive {");
        for kind in 0..self.kinds {
            self.sends = dice.below(3);
            self.line(3, &format!("{}(v) => {{", name(kind)));
            self.block(dice, 4, 1, "0");
            self.line(3, "}");
        }
        if dice.once_in(4) {
            self.sends = dice.below(2);
            self.line(3, "timeout => {");
            self.sends_only(dice);
            self.line(3, "}");
        }
        self.line(2, "}");
        if again {
            self.line(1, "}");
        }
        self.line(0, "}");
    }

    fn sends_only(&mut self, dice: &mut Dice) {
        if self.sends > 0 {
            let statement = self.send(dice, "x", "0");
            self.line(4, &statement);
        } else {
            self.line(4, "x = 1;");
        }
    }

    fn faults(&mut self, dice: &mut Dice) {
        let kind = name(dice.below(self.kinds));
        match dice.below(10) {
            0 => self.line(0, &format!("fault lose {kind} <= 1;")),
            1 => self.line(0, &format!("fault lose {kind} <= 2;")),
            2 => self.line(0, &format!("fault duplicate {kind} <= 1;")),
            3 => self.line(0, "fault crash p <= 1;"),
            4 => {
                self.line(0, "fault crash p <= 1;");
                self.line(0, "fault restart p;");
            }
            _ => {}
        }
    }

    fn block(&mut self, dice: &mut Dice, indent: usize, depth: usize, me: &str) {
        for _ in 0..=dice.below(2) {
            self.statement(dice, indent, depth, me);
        }
    }

    fn statement(&mut self, dice: &mut Dice, indent: usize, depth: usize, me: &str) {
        match dice.below(9) {
            0..=2 if self.sends > 0 => {
                self.sends -= 1;
                let value = self.value(dice);
                let statement = self.send(dice, &value, me);
                self.line(indent, &statement);
            }
            3 | 4 if depth > 0 => {
                let condition = self.condition(dice);
                self.line(indent, &format!("if {condition} {{"));
                self.block(dice, indent + 1, depth - 1, me);
                self.line(indent, "}");
            }
            5 if depth > 0 => {
                self.line(indent, "maybe {");
                self.block(dice, indent + 1, depth - 1, me);
                self.line(indent, "}");
            }
            6 => self.line(indent, "x = choose Value where x != v;"),
            7 if self.sends > 0 && !self.is_body => {
                self.sends = 0;
                let kind = name(dice.below(self.kinds));
                let line = format!("for k in Place where k != {me} {{ send {kind}(v) to p[k]; }}");
                self.line(indent, &line);
            }
            _ => {
                let value = self.value(dice);
                self.line(indent, &format!("x = {value};"));
            }
        }
    }

    fn send(&mut self, dice: &mut Dice, value: &str, me: &str) -> String {
        let kind = name(dice.below(self.kinds));
        let to = match (dice.below(6), self.q) {
            (0 | 1, Other::Handles | Other::Body) => "q".to_owned(),
            (2, _) => format!("p[{me}]"),
            (3, _) => format!("p[1 - {me}]"),
            (other, _) => format!("p[{}]", other % 2),
        };
        format!("send {kind}({value}) to {to};")
    }

    fn value(&mut self, dice: &mut Dice) -> String {
        match dice.below(5) {
            0 => "x".to_owned(),
            1 => "v".to_owned(),
            2 => "1 - x".to_owned(),
            _ => dice.below(2).to_string(),
        }
    }

    fn condition(&mut self, dice: &mut Dice) -> String {
        let left = if dice.once_in(3) { "v" } else { "x" };
        let operator = ["==", "!="][dice.below(2)];
        format!("{left} {operator} {}", dice.below(2))
    }

    fn line(&mut self, indent: usize, line: &str) {
        self.text.push_str(&"    ".repeat(indent));
        self.text.push_str(line);
        self.text.push('\n');
    }
}

fn name(kind: usize) -> &'static str {
    ["A", "B", "C"][kind]
}

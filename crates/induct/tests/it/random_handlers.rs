//! Random processes with handlers and random claims, under random delivery models: nothing is shown that a search refutes.

use crate::random::{Dice, compared};
use std::fmt::Write as _;

impl Dice {
    /// Something that is true or false of a state; `a` and `b` are members of the sort.
    fn said(&mut self) -> String {
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
            format!("pending(Tell({one}) to node[{other}]) <= 1"),
            "pending(Join(a) to hub) <= 1".to_owned(),
        ];
        let said = all[self.below(all.len())].clone();
        match self.below(2) {
            0 => said,
            _ => format!("!({said})"),
        }
    }

    fn of_node(&mut self) -> String {
        match self.below(6) {
            0 => format!("lit = {};", self.pick(&["true", "false", "!lit"])),
            1 => "peer = some(x);".to_owned(),
            2 => "peer = none;".to_owned(),
            3 => format!("send Tell({}) to node[x];", self.pick(&["i", "x"])),
            4 => "if lit { send Join(i) to hub; }".to_owned(),
            _ => "if peer == none { peer = some(i); } else { lit = true; }".to_owned(),
        }
    }

    fn of_hub(&mut self) -> String {
        match self.below(4) {
            0 => "n += 1;".to_owned(),
            1 => "known = known.with(x);".to_owned(),
            2 => "if x in known { n = 0; }".to_owned(),
            _ => "send Tell(x) to node[x];".to_owned(),
        }
    }

    pub(crate) fn processes(&mut self) -> String {
        let via = ["", " via fifo", " via causal", " via mailbox"];
        let mut text = "sort S;\n".to_owned();
        let _ = writeln!(text, "message Tell(x: S){};", self.pick(&via));
        let _ = writeln!(text, "message Join(x: S){};", self.pick(&via));
        text.push_str("process hub { var n: nat = 0; var known: set<S> = {};\n");
        let guard = self.pick(&["", " where n < 2", " where !(x in known)"]);
        let (one, other) = (self.of_hub(), self.of_hub());
        let _ = writeln!(text, "on Join(x){guard} {{ {one} {other} }} }}");
        text.push_str("process node[i: S] { var lit: bool = false; var peer: option<S> = none;\n");
        let guard = self.pick(&[" where !lit", " where peer == none", " where x != i"]);
        let (one, other, last) = (self.of_node(), self.of_node(), self.of_node());
        let _ = writeln!(text, "on Tell(x){guard} {{ {one} {other} }}");
        if self.below(2) == 0 {
            let _ = writeln!(text, "on Tell(x) {{ {last} }}");
        }
        text.push_str("}\ninit { for x in S { send Join(x) to hub; send Tell(x) to node[x]; } }\n");
        for at in 0..6 {
            let count = 1 + self.below(3);
            let said: Vec<String> = (0..count).map(|_| self.said()).collect();
            let clause = said.join(" || ");
            let _ = writeln!(text, "property p{at}: always forall a, b: S :: {clause};");
        }
        text
    }
}

#[test]
fn nothing_is_shown_of_handlers_that_a_search_refutes() {
    let (count, proved, wrong) = compared(Dice::processes);
    assert!(proved >= count / 8, "{proved} proved, {wrong} refuted");
    assert!(wrong >= count, "{proved} proved, {wrong} refuted");
}

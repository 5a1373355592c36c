//! Random systems of processes over small types, as text: bodies and handlers, all models but the causal one,
//! addresses in messages, filters, choices, timeouts, assertions, faults, constraints, claims about steps.
//!
//! A process sends no more than a few messages, so most systems have a few hundred states.

use plainsong_testkit::random_song::Dice;

/// A random system of processes.
pub(super) fn composed(seed: u64) -> String {
    in_style(seed, false)
}

/// The same, of bodies: they are longer, and nothing is bounded.
pub(super) fn composed_of_bodies(seed: u64) -> String {
    in_style(seed, true)
}

fn in_style(seed: u64, of_bodies: bool) -> String {
    let mut composer = Composer {
        dice: Dice::new(seed),
        of_bodies,
        ids: Vec::new(),
        bools: Vec::new(),
        pids: Vec::new(),
        fresh: 0,
    };
    composer.system()
}

const MODELS: [&str; 6] = [
    "",
    "",
    " via unordered",
    " via fifo",
    " via fifo",
    " via mailbox",
];

struct Composer {
    dice: Dice,
    of_bodies: bool,
    /// Names of identities in scope.
    ids: Vec<String>,
    /// Truth values in scope.
    bools: Vec<String>,
    /// Processes in scope.
    pids: Vec<String>,
    fresh: usize,
}

impl Composer {
    fn system(&mut self) -> String {
        let mut text = "sort Id;\nsize Id = 2;\nsort Small = 0..=2;\n".to_owned();
        for message in ["A(x: bool)", "B(i: Id, l: seq<bool>)", "C", "D(p: process)"] {
            let room = match self.dice.once_in(12) {
                true if !self.of_bodies => format!(" <= {}", self.dice.between(1, 2)),
                _ => String::new(),
            };
            text += &format!("message {message}{}{room};\n", self.dice.pick(&MODELS));
        }
        let (one, two) = (self.dice.once_in(3), self.dice.once_in(2));
        text += &self.process("node[me: Id]", one || self.of_bodies, &["me"]);
        text += &self.process("hub", two || self.of_bodies, &[]);
        text += &self.faults();
        if self.dice.once_in(4) {
            text += "init { send C to hub; let k = choose Id; send A(true) to node[k]; }\n";
        } else {
            text += "init { for k in Id { send A(false) to node[k]; } send C to hub; }\n";
        }
        for (name, when) in [("one", "always"), ("two", "finally"), ("three", "always")] {
            text += &format!("property {name}: {when} {};\n", self.claim());
        }
        text += &format!("property four: always {};\n", self.claim_about_steps());
        if self.of_bodies {
            return text;
        }
        if self.dice.once_in(4) {
            text += &format!("constraint few: {};\n", self.claim());
        }
        if self.dice.once_in(8) {
            text += "constraint quiet: pending() <= 3;\n";
        }
        text
    }

    fn process(&mut self, head: &str, is_body: bool, ids: &[&str]) -> String {
        self.ids = ids.iter().map(|id| (*id).to_owned()).collect();
        self.bools = vec!["flag".into(), "(n == 1)".into(), "(log.len() == 1)".into()];
        self.bools.push("(who == none)".into());
        self.pids.clear();
        let daemon = match is_body && self.dice.once_in(3) {
            true => "daemon ",
            false => "",
        };
        let durable = |dice: &mut Dice| match dice.once_in(3) {
            true => "durable ",
            false => "",
        };
        let mut text = format!("{daemon}process {head} {{\n");
        let start = ["0", "1", "choose Small"][self.dice.below(3)];
        text += &format!("{}var n: Small = {start};\n", durable(&mut self.dice));
        text += &format!("{}var flag: bool = false;\n", durable(&mut self.dice));
        text += &format!("{}var who: option<Id> = none;\n", durable(&mut self.dice));
        text += &format!("{}var log: seq<bool> = [];\n", durable(&mut self.dice));
        if is_body {
            let (least, most) = [(1, 4), (3, 6)][usize::from(self.of_bodies)];
            for _ in 0..self.dice.between(least, most) {
                text += &self.item(2);
            }
        } else {
            for kind in 0..4 {
                if self.dice.once_in(5) {
                    continue;
                }
                let scope = self.scope();
                text += &format!("on {} {{\n", self.accept(kind));
                text += &self.block(2, 2);
                text += "}\n";
                self.leave(scope);
            }
        }
        text + "}\n"
    }

    fn scope(&self) -> (usize, usize, usize) {
        (self.ids.len(), self.bools.len(), self.pids.len())
    }

    fn leave(&mut self, (ids, bools, pids): (usize, usize, usize)) {
        self.ids.truncate(ids);
        self.bools.truncate(bools);
        self.pids.truncate(pids);
    }

    fn name(&mut self, letter: &str) -> String {
        self.fresh += 1;
        format!("{letter}{}", self.fresh)
    }

    /// A pattern of a receive; its names come into scope.
    fn accept(&mut self, kind: usize) -> String {
        let mut text = match kind {
            0 => {
                let name = self.name("x");
                self.bools.push(name.clone());
                format!("A({name})")
            }
            1 => {
                let (name, list) = (self.name("i"), self.name("l"));
                self.ids.push(name.clone());
                self.bools.push(format!("({list}.len() == 1)"));
                format!("B({name}, {list})")
            }
            2 => "C".to_owned(),
            _ => {
                let name = self.name("p");
                self.pids.push(name.clone());
                format!("D({name})")
            }
        };
        match self.dice.below(6) {
            0 => {
                let name = self.name("q");
                self.pids.push(name.clone());
                text += &format!(" from any as {name}");
            }
            1 => {
                let name = self.name("s");
                self.ids.push(name.clone());
                text += &format!(" from any node[{name}]");
            }
            2 if self.dice.once_in(2) => text += " from hub",
            _ => {}
        }
        if self.dice.once_in(4) {
            text += &format!(" where {}", self.truth(1));
        }
        text
    }

    /// A statement of a body.
    fn item(&mut self, depth: usize) -> String {
        match self.dice.below(7) {
            0 | 1 => format!("{};\n", self.send()),
            2 | 3 => {
                let kind = self.dice.below(4);
                format!("receive {};\n", self.accept(kind))
            }
            4 => {
                let mut text = "receive {\n".to_owned();
                for _ in 0..self.dice.between(1, 2) {
                    let scope = self.scope();
                    let kind = self.dice.below(4);
                    text += &format!("{} => {{\n", self.accept(kind));
                    text += &self.block(2, 1);
                    text += "}\n";
                    self.leave(scope);
                }
                if self.dice.once_in(2) {
                    text += &format!("timeout => {{\n{}}}\n", self.block(1, 1));
                }
                text + "}\n"
            }
            5 if depth > 0 => {
                let scope = self.scope();
                let mut text = match self.dice.once_in(2) {
                    true => format!("if {} {{\n", self.truth(1)),
                    false => "while n < 2 { n = n + 1;\n".to_owned(),
                };
                for _ in 0..self.dice.between(1, 2) {
                    text += &self.item(depth - 1);
                }
                self.leave(scope);
                text + "}\n"
            }
            _ => self.stmt(1),
        }
    }

    fn block(&mut self, most: usize, depth: usize) -> String {
        let scope = self.scope();
        let count = self.dice.between(1, most);
        let text = (0..count).map(|_| self.stmt(depth)).collect();
        self.leave(scope);
        text
    }

    fn stmt(&mut self, depth: usize) -> String {
        match self.dice.below(13) {
            0 => format!("flag = {};\n", self.truth(1)),
            1..=4 => format!("if n < 2 {{ n = n + 1; {}; }}\n", self.send()),
            5 => match (self.dice.once_in(3), self.id()) {
                (false, Some(id)) => format!("who = some({id});\n"),
                _ => "who = none;\n".to_owned(),
            },
            6 => format!(
                "if log.len() < 2 {{ log = log.push({}); }}\n",
                self.truth(0)
            ),
            7 if self.dice.once_in(2) => format!("assert {};\n", self.truth(2)),
            8 => {
                let name = self.name("c");
                self.bools.push(name.clone());
                format!("let {name} = choose bool;\n")
            }
            9 if depth > 0 => format!("maybe {{\n{}}}\n", self.block(1, depth - 1)),
            10 if self.dice.once_in(4) => format!("assume {};\n", self.truth(1)),
            11 if self.dice.once_in(4) => "flag = log[1];\n".to_owned(),
            _ if depth > 0 => {
                let condition = self.truth(1);
                format!("if {condition} {{\n{}}}\n", self.block(2, depth - 1))
            }
            _ => "flag = !flag;\n".to_owned(),
        }
    }

    fn send(&mut self) -> String {
        let message = match self.dice.below(5) {
            0 | 1 => format!("A({})", self.truth(0)),
            2 => match self.id() {
                Some(id) => format!("B({id}, log)"),
                None => "C".to_owned(),
            },
            3 => "C".to_owned(),
            _ => match self.pids.is_empty() {
                true => "D(hub)".to_owned(),
                false => format!("D({})", self.dice.pick(&self.pids)),
            },
        };
        let to = match (self.dice.below(4), self.id()) {
            (0, _) if !self.pids.is_empty() => self.dice.pick(&self.pids).clone(),
            (1 | 2, Some(id)) => format!("node[{id}]"),
            _ => "hub".to_owned(),
        };
        format!("send {message} to {to}")
    }

    fn id(&mut self) -> Option<String> {
        self.dice.choose(&self.ids).cloned()
    }

    fn truth(&mut self, depth: usize) -> String {
        let one = self.dice.pick(&self.bools).clone();
        match self.dice.below(6) {
            0 => format!("!{one}"),
            1 if depth > 0 => format!("({one} || {})", self.truth(depth - 1)),
            2 if depth > 0 => format!("({one} && {})", self.truth(depth - 1)),
            3 if depth > 0 => match self.id() {
                Some(id) => format!("(who != some({id}))"),
                None => one,
            },
            _ => one,
        }
    }

    fn faults(&mut self) -> String {
        let mut text = String::new();
        if self.dice.once_in(2) || self.of_bodies && self.dice.once_in(2) {
            return text;
        }
        let limit = |dice: &mut Dice| [" <= 1", " <= 2"][dice.below(2)];
        if self.dice.once_in(3) {
            text += &format!("fault crash node{};\n", limit(&mut self.dice));
            if self.dice.once_in(2) {
                text += "fault restart node;\n";
            }
        }
        if self.dice.once_in(3) {
            text += "fault crash hub <= 1;\nfault restart hub;\n";
        }
        for kind in ["A", "B", "C"] {
            if self.dice.once_in(3) {
                text += &format!("fault lose {kind}{};\n", limit(&mut self.dice));
            }
            if self.dice.once_in(4) {
                text += &format!("fault duplicate {kind} <= 1;\n");
            }
        }
        text
    }

    fn claim(&mut self) -> String {
        match self.dice.below(10) {
            8 => "forall a: Id :: crashed(node[a]) ==> node[a].n < 2".to_owned(),
            9 => "!crashed(hub) || (exists a: Id :: !crashed(node[a]) && hub.n < 2)".to_owned(),
            0 => "pending(A) <= 2".to_owned(),
            1 => "pending() <= 3 || hub.flag".to_owned(),
            2 => {
                "forall a, b: Id :: node[a].flag && node[b].flag ==> a == b || hub.n < 2".to_owned()
            }
            3 => "forall a: Id where node[a].n > 0, k in 0..node[a].log.len() :: node[a].log[k]"
                .to_owned(),
            4 => "hub.who == none || (exists a: Id :: hub.who == some(a) && node[a].n > 0)"
                .to_owned(),
            5 => "(forall a: Id :: node[a].n < 2 || node[a].flag) && hub.log.len() < 2".to_owned(),
            6 => "forall a: Id :: node[a].log[0] ==> hub.flag".to_owned(),
            _ => "(count a in Id :: node[a].flag) < 2".to_owned(),
        }
    }

    fn claim_about_steps(&mut self) -> String {
        match self.dice.below(8) {
            0 => "forall a: Id :: node[a].n >= old(node[a].n)".to_owned(),
            1 => "hub.n == old(hub.n) || hub.n == old(hub.n) + 1".to_owned(),
            2 => "forall a: Id :: old(node[a].who) != none ==> node[a].who == old(node[a].who)"
                .to_owned(),
            3 => "hub.flag ==> old(hub.flag) || (exists a: Id :: old(node[a].flag))".to_owned(),
            4 => "pending() <= old(pending()) + 1".to_owned(),
            5 => "forall a: Id :: old(crashed(node[a])) ==> crashed(node[a]) || node[a].n < 2"
                .to_owned(),
            6 => "hub.n > old(hub.n) || (exists a: Id :: node[a].n != old(node[a].n)) || hub.n < 2"
                .to_owned(),
            _ => "hub.log.len() <= old(hub.log.len()) + 1 && hub.n < 2".to_owned(),
        }
    }
}

//! Random programs whose processes are families over a sort, as text.
//!
//! Members are compared, kept in sets and options, sent, gone through in loops that send, receive or
//! compute. Now and then something tells them apart.

use plainsong_testkit::random_song::Dice;

/// A random program.
pub(crate) fn families(seed: u64) -> String {
    let mut composer = Composer {
        dice: Dice::new(seed),
        ids: Vec::new(),
        in_node: false,
        links: false,
        fresh: 0,
    };
    composer.program()
}

const MODELS: [&str; 5] = [
    "",
    " via unordered",
    " via fifo",
    " via causal",
    " via mailbox",
];

/// What every process of a hub and of its nodes keeps.
const VARS: &str = "var seen: set<Id> = {};
var last: option<Id> = none;
var peers: set<process> = {};
var n: nat = 0;
";

/// Processes with two indices.
const LINK: &str = "daemon process link[a: Id, b: Id] {
var n: nat = 0;
loop { receive Over(i); if i == b { n += 1; } else { send Note to node[a]; } }
}
";

struct Composer {
    dice: Dice,
    /// Names of members in scope.
    ids: Vec<String>,
    in_node: bool,
    /// Are there processes with two indices?
    links: bool,
    fresh: usize,
}

impl Composer {
    fn program(&mut self) -> String {
        let size = self.dice.between(2, 3);
        let kind = if self.dice.once_in(8) { " ordered" } else { "" };
        let (word, note) = (self.model(), self.model());
        let mut text = format!(
            "sort Id{kind};\nsize Id = {size};\nmessage Word(i: Id){word};\nmessage Note{note};\n"
        );
        self.links = self.dice.once_in(4);
        if self.links {
            text += &format!("message Over(i: Id){};\n{LINK}", self.model());
        }
        let (most, least) = if size == 3 { (3, 1) } else { (4, 1) };
        let daemon = if self.dice.once_in(3) { "daemon " } else { "" };
        self.in_node = false;
        let hub = self.block(least, most, 2);
        text += &format!("{daemon}process hub {{\n{VARS}{hub}}}\n");
        self.in_node = true;
        self.ids = vec!["me".into()];
        let daemon = if self.dice.once_in(3) { "daemon " } else { "" };
        if self.dice.once_in(3) {
            text += &format!("process node[me: Id] {{\n{VARS}{}}}\n", self.handlers());
        } else {
            let body = self.block(1, 3, 2);
            text += &format!("{daemon}process node[me: Id] {{\n{VARS}{body}}}\n");
        }
        self.ids.clear();
        if self.dice.once_in(2) {
            let to = self.pick(&["node[i]", "hub", "node[i]"]);
            text += &format!(
                "init {{ for i in Id {{ send {} to {to}; }} }}\n",
                self.pick(&["Word(i)", "Note"])
            );
        }
        if self.dice.once_in(4) {
            let fault = self.pick(&[
                "crash node",
                "crash hub",
                "lose Word",
                "duplicate Note",
                "lose Note",
            ]);
            text += &format!("fault {fault} <= 1;\n");
        }
        for (name, when) in [("one", "always"), ("two", "finally"), ("three", "always")] {
            text += &format!("property {name}: {when} {};\n", self.claim());
        }
        text
    }

    fn model(&mut self) -> &'static str {
        self.pick(&MODELS)
    }

    fn pick(&mut self, from: &[&'static str]) -> &'static str {
        self.dice.pick::<&str>(from)
    }

    fn name(&mut self, stem: &str) -> String {
        self.fresh += 1;
        format!("{stem}{}", self.fresh)
    }

    fn id(&mut self) -> Option<String> {
        (!self.ids.is_empty()).then(|| self.dice.pick(&self.ids).clone())
    }

    fn block(&mut self, least: usize, most: usize, depth: usize) -> String {
        let known = self.ids.len();
        let count = self.dice.between(least, most);
        let mut text = String::new();
        for _ in 0..count {
            text += &self.stmt(depth);
        }
        self.ids.truncate(known);
        text
    }

    fn handlers(&mut self) -> String {
        let mut text = String::new();
        for (accept, name) in [("Word(k)", "k"), ("Note", "")] {
            self.ids = vec!["me".into()];
            if !name.is_empty() {
                self.ids.push(name.into());
            }
            // What is sent in answer to a message is bounded, so that there is an end.
            let send = self.send();
            let mut body = String::new();
            for _ in 0..self.dice.between(1, 2) {
                body += &self.quiet(1);
            }
            text += &format!("on {accept} {{ n += 1; if n < 3 {{ {send} }} {body} }}\n");
        }
        text
    }

    fn stmt(&mut self, depth: usize) -> String {
        match self.dice.below(if depth == 0 { 7 } else { 12 }) {
            0..=2 => self.send(),
            3..=4 => self.receive(),
            5..=6 => self.quiet(depth),
            7..=9 => self.each(depth),
            10 => {
                let (condition, yes) = (self.condition(), self.block(1, 2, depth - 1));
                let no = self.block(1, 1, depth - 1);
                format!("if {condition} {{\n{yes}}} else {{\n{no}}}\n")
            }
            _ => {
                let name = self.name("k");
                let known = self.ids.len();
                self.ids.push(name.clone());
                let word = self.block(1, 1, depth - 1);
                self.ids.truncate(known);
                let note = self.block(1, 1, depth - 1);
                let timeout = if self.dice.once_in(2) {
                    "timeout => {}\n"
                } else {
                    ""
                };
                format!(
                    "receive {{\nWord({name}) => {{\n{word}}}\nNote => {{\n{note}}}\n{timeout}}}\n"
                )
            }
        }
    }

    fn each(&mut self, depth: usize) -> String {
        let name = self.name("m");
        if self.dice.once_in(6) {
            return format!("for {name} in peers {{ send Note to {name}; n += 1; }}\n");
        }
        let domain = self.pick(&["Id", "Id", "Id", "seen"]);
        let other = self.id();
        let filter = match other {
            Some(other) if self.dice.once_in(3) => format!(" where {name} != {other}"),
            _ if self.dice.once_in(8) => format!(" where !({name} in seen)"),
            _ => String::new(),
        };
        let known = self.ids.len();
        self.ids.push(name.clone());
        let body = self.block(1, 2, depth - 1);
        self.ids.truncate(known);
        format!("for {name} in {domain}{filter} {{\n{body}}}\n")
    }

    fn send(&mut self) -> String {
        if self.links
            && self.dice.once_in(3)
            && let (Some(a), Some(b), Some(c)) = (self.id(), self.id(), self.id())
        {
            return format!("send Over({c}) to link[{a}, {b}];\n");
        }
        let what = match self.id() {
            Some(id) if self.dice.once_in(2) => format!("Word({id})"),
            _ => "Note".to_owned(),
        };
        let to = match self.id() {
            Some(id) if !self.in_node || self.dice.once_in(2) => format!("node[{id}]"),
            _ => "hub".to_owned(),
        };
        format!("send {what} to {to};\n")
    }

    fn receive(&mut self) -> String {
        let from = match self.id() {
            Some(id) if self.dice.once_in(6) => format!(" from node[{id}]"),
            _ if self.in_node && self.dice.once_in(6) => " from hub".to_owned(),
            _ if !self.in_node && self.dice.once_in(3) => {
                let name = self.name("s");
                self.ids.push(name.clone());
                let note = format!("receive Note from any node[{name}];\n");
                return note;
            }
            _ => String::new(),
        };
        if self.dice.once_in(2) {
            return format!("receive Note{from};\n");
        }
        let name = self.name("k");
        let filter = match self.id() {
            Some(id) if self.dice.once_in(4) => format!(" where {name} != {id}"),
            _ => String::new(),
        };
        self.ids.push(name.clone());
        format!("receive Word({name}){from}{filter};\n")
    }

    fn quiet(&mut self, depth: usize) -> String {
        let id = self.id();
        match (self.dice.below(7), id) {
            (0, Some(id)) => format!("last = some({id});\n"),
            (1, Some(id)) => format!("seen = seen.with({id});\n"),
            (2, Some(_)) => format!("assert {};\n", self.condition()),
            (3, _) if self.dice.once_in(2) => {
                let name = self.name("c");
                self.ids.push(name.clone());
                format!("let {name} = choose Id;\n")
            }
            (5, Some(id)) => format!("peers = peers.with(node[{id}]);\n"),
            (4, _) if depth > 0 => {
                let name = self.name("m");
                format!(
                    "for {name} in Id {{ if !({name} in seen) {{ seen = seen.with({name}); }} }}\n"
                )
            }
            _ => "n += 1;\n".to_owned(),
        }
    }

    fn condition(&mut self) -> String {
        match (self.dice.below(6), self.id(), self.id()) {
            (0..=1, Some(a), Some(b)) => format!("{a} == {b}"),
            (2, Some(a), _) => format!("{a} in seen"),
            (3, Some(a), _) => format!("last == some({a})"),
            (4, ..) => "seen.len() < 2".to_owned(),
            _ => format!("n < {}", self.dice.between(1, 2)),
        }
    }

    fn claim(&mut self) -> String {
        let of = |at: usize| {
            [
                "hub.n < 2",
                "hub.seen.len() < 2",
                "forall a: Id :: node[a].n < 2",
                "forall a, b: Id where a != b :: node[a].n == 0 || node[b].n == 0",
                "hub.last == none",
                "forall a: Id :: !(a in node[a].seen)",
                "forall a, b: Id :: node[a].last == some(b) ==> a == b",
                "exists a: Id :: hub.last != some(a)",
                "(count a: Id :: node[a].n > 0) < 2",
                "forall a: Id :: node[a].last == none || hub.n > 0",
                "forall a: Id :: !(node[a] in hub.peers)",
                "forall a, b: Id :: node[a] in node[b].peers ==> a == b",
            ][at]
        };
        let (one, other) = (of(self.dice.below(12)), of(self.dice.below(12)));
        if self.dice.once_in(2) {
            one.to_owned()
        } else {
            format!("({one}) || ({other})")
        }
    }
}

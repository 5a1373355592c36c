//! Random action systems over small types, as text: few kinds of expressions, many states.
//!
//! Where the songs of the general composer rarely get far, these have guards that are often true,
//! actions that leave each other, and variables of every shape that is packed: maps, sets, bags,
//! options, enums with payloads, tuples, ranges, numbers that grow, and a sequence, which is not.

use plainsong_testkit::random_song::Dice;

/// A random action system.
pub(super) fn composed(seed: u64) -> String {
    let mut composer = Composer {
        dice: Dice::new(seed),
        ids: Vec::new(),
        bools: Vec::new(),
        fresh: 0,
    };
    composer.system()
}

const HEAD: &str = "sort Id;
sort Small = 1..=3;
size Id = 2;
enum Color { Red, Green(bool), Blue(Id) }
fn flipped(c: Color, i: Id) -> Color { if c == Red { Blue(i) } else { Red } }
var color: map<Id, Color> = map i: Id => Red;
var ids: set<Id> = {};
var pairs: set<(Id, bool)> = {};
var votes: bag<bool> = bag {};
var maybe_id: option<Id> = none;
var number: nat = 0;
var sign: int = 0;
var small: Small = choose Small;
var both: (bool, option<Small>) = (false, none);
var log: seq<bool> = [];
";

/// The parameters of each action.
const ACTIONS: [(&str, &str); 3] = [("One", "i: Id"), ("Two", "i: Id, x: bool"), ("Zero", "")];

struct Composer {
    dice: Dice,
    /// Names of identities in scope.
    ids: Vec<String>,
    /// Names of truth values in scope.
    bools: Vec<String>,
    fresh: usize,
}

impl Composer {
    fn system(&mut self) -> String {
        let mut text = HEAD.to_owned();
        for (name, parameters) in ACTIONS {
            self.ids = Vec::new();
            self.bools = Vec::new();
            if parameters.contains("i:") {
                self.ids.push("i".into());
            }
            if parameters.contains("x:") {
                self.bools.push("x".into());
            }
            let body = self.block(4, 2);
            text += &format!("action {name}({parameters}) {{\n{body}}}\n");
        }
        if self.dice.once_in(2) {
            self.ids = vec!["i".into()];
            self.bools = vec!["x".into()];
            let body = self.block(4, 2);
            text += &format!("repeat action Again(x: bool, i: Id) {{\n{body}}}\n");
        }
        self.ids = vec!["i".into()];
        self.bools = Vec::new();
        let posts = self.asyncs(2);
        text += &format!("init {{ async Zero(); for i in Id {{ {posts} }} }}\n");
        self.ids.clear();
        text += &format!("property one: always {};\n", self.truth(3));
        text += &format!("property two: finally {};\n", self.truth(2));
        text += &format!("property three: always {};\n", self.truth(2));
        if self.dice.once_in(4) {
            text += "property rest: eventually quiescent;\n";
        }
        text
    }

    fn block(&mut self, most: usize, depth: usize) -> String {
        let (ids, bools) = (self.ids.len(), self.bools.len());
        let count = self.dice.between(1, most);
        let text = (0..count).map(|_| self.stmt(depth) + "\n").collect();
        self.ids.truncate(ids);
        self.bools.truncate(bools);
        text
    }

    fn asyncs(&mut self, most: usize) -> String {
        let count = self.dice.between(1, most);
        (0..count).map(|_| self.post()).collect()
    }

    fn post(&mut self) -> String {
        let (a, x) = (self.id(1), self.truth(1));
        match self.dice.below(3) {
            0 => format!("async One({a});"),
            1 => format!("async Two({a}, {x});"),
            _ => "async Zero();".into(),
        }
    }

    fn name(&mut self) -> String {
        self.fresh += 1;
        format!("v{}", self.fresh)
    }

    fn stmt(&mut self, depth: usize) -> String {
        let choice = self.dice.below(if depth == 0 { 15 } else { 24 });
        match choice {
            0 | 1 => format!("assume {};", self.truth(2)),
            2 => match self.dice.below(3) {
                0 => format!("assert {};", self.truth(2)),
                _ => "assert number < 6;".into(),
            },
            3 | 4 => format!("color[{}] = {};", self.id(1), self.color(2)),
            5 | 6 => format!("ids = {};", self.set(2)),
            7 => match self.dice.below(2) {
                0 => format!("pairs = pairs.with(({}, {}));", self.id(1), self.truth(1)),
                _ => format!("pairs = {{ (j, j in ids) for j in {} }};", self.set(1)),
            },
            8 => match self.dice.below(3) {
                0 => format!("votes = votes.without({});", self.truth(1)),
                1 => format!(
                    "if votes.len() < 3 {{ votes = votes | bag {{ {} }}; }}",
                    self.truth(1)
                ),
                _ => format!(
                    "if votes.len() < 3 {{ votes = votes.with({}); }}",
                    self.truth(1)
                ),
            },
            9 => match self.dice.below(3) {
                0 => "maybe_id = none;".into(),
                _ => format!("maybe_id = some({});", self.id(1)),
            },
            10 => match self.dice.below(3) {
                0 => format!("if number < 20 {{ number = number + {}; }}", self.number(1)),
                1 => format!("number = {};", self.number(1)),
                _ => format!("if sign > -20 {{ sign = sign - {}; }}", self.number(1)),
            },
            11 => match self.dice.below(3) {
                0 => "small = small + 1;".into(),
                1 => "both.1 = some(small);".into(),
                _ => format!("both.0 = {};", self.truth(2)),
            },
            12 => match self.dice.below(2) {
                0 => format!("if log.len() < 2 {{ log = log.push({}); }}", self.truth(1)),
                _ => "if !log.is_empty() { log = log.drop_first(); }".into(),
            },
            13 | 14 => self.post(),
            15 | 16 => {
                let (condition, yes) = (self.truth(2), self.block(2, depth - 1));
                let no = self.block(2, depth - 1);
                format!("if {condition} {{\n{yes}}} else {{\n{no}}}")
            }
            17 => {
                let (yes, no) = (self.block(2, depth - 1), self.block(1, depth - 1));
                format!("maybe {{\n{yes}}} else {{\n{no}}}")
            }
            18 | 19 => {
                let name = self.name();
                let domain = match self.dice.below(3) {
                    0 => "Id".to_owned(),
                    _ => self.set(1),
                };
                self.ids.push(name.clone());
                let filter = match self.dice.below(2) {
                    0 => format!(" where {}", self.truth(1)),
                    _ => String::new(),
                };
                format!("let {name} = choose {domain}{filter};")
            }
            20 => {
                let name = self.name();
                self.bools.push(name.clone());
                let from = ["bool", "votes", "log"][self.dice.below(3)];
                format!("let {name} = choose {from};")
            }
            21 => self.loop_stmt(depth),
            22 => {
                let name = self.name();
                let value = self.truth(2);
                let text = format!("var {name} = {value};");
                self.bools.push(name.clone());
                let change = format!("{name} = {};", self.truth(1));
                let body = self.block(1, depth - 1);
                format!("{text} if {} {{ {change} }} {body}", self.truth(1))
            }
            _ => {
                let scrutinee = self.color(1);
                let red = self.block(1, depth - 1);
                let (x, j) = (self.name(), self.name());
                self.bools.push(x.clone());
                let green = self.block(1, depth - 1);
                self.bools.pop();
                self.ids.push(j.clone());
                let blue = self.block(1, depth - 1);
                self.ids.pop();
                format!(
                    "match {scrutinee} {{ Red => {{\n{red}}} Green({x}) => {{\n{green}}} \
                     Blue({j}) => {{\n{blue}}} }}"
                )
            }
        }
    }

    fn loop_stmt(&mut self, depth: usize) -> String {
        let name = self.name();
        let domain = self.set(1);
        self.ids.push(name.clone());
        let filter = match self.dice.below(2) {
            0 => format!(" where {}", self.truth(1)),
            _ => String::new(),
        };
        let body = self.block(2, depth - 1);
        let exit = match self.dice.below(4) {
            0 => format!("if {} {{ break; }}\n", self.truth(1)),
            1 => format!("if {} {{ continue; }}\n", self.truth(1)),
            _ => String::new(),
        };
        let more = self.stmt(0);
        self.ids.pop();
        format!("for {name} in {domain}{filter} {{\n{body}{exit}{more}\n}}")
    }

    fn truth(&mut self, depth: usize) -> String {
        if depth == 0 || self.dice.once_in(5) {
            return match self.dice.choose(&self.bools.clone()) {
                Some(name) => name.clone(),
                None => ["true", "false", "both.0"][self.dice.below(3)].into(),
            };
        }
        let less = depth - 1;
        match self.dice.below(19) {
            0 => format!("({} && {})", self.truth(less), self.truth(less)),
            1 => format!("({} || {})", self.truth(less), self.truth(less)),
            2 => format!("({} ==> {})", self.truth(less), self.truth(less)),
            3 => format!("!({})", self.truth(less)),
            4 => format!("({} == {})", self.color(less), self.color(less)),
            5 => format!("({} in {})", self.id(less), self.set(less)),
            6 => format!(
                "(maybe_id != none && maybe_id.unwrap() == {})",
                self.id(less)
            ),
            7 => format!("({} <= {})", self.number(less), self.number(less)),
            8 => format!("({}).subset({})", self.set(less), self.set(less)),
            9 => format!("(maybe_id == some({}))", self.id(less)),
            10 => format!("({} in votes)", self.truth(less)),
            11 => "log.is_empty()".into(),
            12 => format!("(({}, {}) in pairs)", self.id(less), self.truth(less)),
            13 => format!("({} is Green(true))", self.color(less)),
            14 => "(both.1 == none || both.1.unwrap() >= small)".into(),
            15 => format!(
                "(if {} {{ both.0 }} else {{ small < 3 }})",
                self.truth(less)
            ),
            16 => format!("(sign < {})", self.number(less)),
            _ => {
                let name = self.name();
                let word = ["forall", "exists"][self.dice.below(2)];
                let domain = match self.dice.below(3) {
                    0 => format!(" in {}", self.set(less)),
                    _ => ": Id".into(),
                };
                self.ids.push(name.clone());
                let body = self.truth(less);
                self.ids.pop();
                format!("({word} {name}{domain} :: {body})")
            }
        }
    }

    /// An identity; where none is in scope, the least of a set that is not empty.
    fn id(&mut self, depth: usize) -> String {
        let known = self.dice.choose(&self.ids.clone()).cloned();
        match (known, depth) {
            (Some(name), 0) => name,
            (Some(name), _) => match self.dice.below(5) {
                0 => format!("maybe_id.unwrap_or({name})"),
                1 => format!(
                    "(if {} {{ {name} }} else {{ {} }})",
                    self.truth(depth - 1),
                    self.id(0)
                ),
                2 => format!(
                    "(match color[{name}] {{ Blue(b) => b, Red => {name}, Green(_) => {name} }})"
                ),
                _ => name,
            },
            (None, _) => "maybe_id.unwrap()".into(),
        }
    }

    fn color(&mut self, depth: usize) -> String {
        let less = depth.saturating_sub(1);
        match self.dice.below(5) {
            0 => "Red".into(),
            1 => format!("Green({})", self.truth(less)),
            2 if depth > 0 => format!("Blue({})", self.id(less)),
            3 if depth > 0 => format!("flipped({}, {})", self.color(less), self.id(less)),
            _ => format!("color[{}]", self.id(less)),
        }
    }

    fn number(&mut self, depth: usize) -> String {
        let less = depth.saturating_sub(1);
        match self.dice.below(8) {
            0 | 1 => self.dice.below(4).to_string(),
            2 => format!("({}).len()", self.set(less)),
            3 => format!("votes.count({})", self.truth(less)),
            4 => "log.len()".into(),
            5 => "(sum j: Id :: if j in ids { 2 } else { 1 })".into(),
            6 => "(count j: Id :: color[j] == Red)".into(),
            _ => "number".into(),
        }
    }

    fn set(&mut self, depth: usize) -> String {
        let less = depth.saturating_sub(1);
        match self.dice.below(8) {
            0 => "Id".into(),
            1 => format!("{{ {} }}", self.id(less)),
            2 if depth > 0 => format!("({}).with({})", self.set(less), self.id(less)),
            3 if depth > 0 => format!("({}).without({})", self.set(less), self.id(less)),
            4 if depth > 0 => format!("({} | {})", self.set(less), self.set(less)),
            5 if depth > 0 => format!("({} - {})", self.set(less), self.set(less)),
            6 => {
                let name = self.name();
                self.ids.push(name.clone());
                let body = self.truth(less);
                self.ids.pop();
                format!("{{ {name} in Id where {body} }}")
            }
            _ => "ids".into(),
        }
    }
}

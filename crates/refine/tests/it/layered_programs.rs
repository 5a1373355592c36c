//! Random programs in two layers: actions over a few variables, procedures that call them, and the actions
//! that these claim to be.
//!
//! The claims are mostly the bodies written as one step, so that many are true, and then changed a little, so
//! that many are not. Variables are hidden or introduced on the way; a lock, a flag, counters and a map by
//! thread make actions of every kind of mover. Some permissions are drawn from a variable and put back, some actions
//! refine others, some left movers require something.

use crate::programs::Dice;
use std::collections::BTreeMap;

/// A variable and the layers at which it exists (`first` is where it is introduced).
struct Variable {
    name: &'static str,
    first: u32,
    last: u32,
}

/// Something that is called: an action, or a procedure with the action it refines.
#[derive(Clone)]
struct Callable {
    name: String,
    /// Has it the permission of its thread?
    linear: bool,
    result: bool,
    /// As one step: statements over `t`, `k` and, as the result, `r`.
    meaning: Vec<String>,
    /// The last layer at which it exists.
    last: u32,
    /// Does it draw a permission `t` of its own?
    draws: bool,
}

/// The writer of one program.
struct Writer<'d> {
    dice: &'d mut Dice,
    variables: Vec<Variable>,
    locals: usize,
    invariants: BTreeMap<u32, Vec<(String, bool)>>,
    /// Are permissions drawn from a variable, instead of being handed out by `init`?
    pool: bool,
    /// Are they put back?
    put: bool,
}

impl Dice {
    /// The text of a layered program.
    pub(crate) fn layered(&mut self) -> String {
        let last = [1, 2, 3, 3].map(|last| [last, 3][self.below(2)]);
        let hidden = 1 + self.below(3) as u32;
        let variable = |name, first, last| Variable { name, first, last };
        let variables = vec![
            variable("x", 0, 3),
            variable("y", 0, last[0]),
            variable("b", 0, last[1]),
            variable("m", 0, last[2]),
            variable("h", 0, hidden),
            variable("o", 1, 2 + self.below(2) as u32),
            variable("pool", 0, 3),
        ];
        let pool = self.chance(20);
        let put = pool && self.chance(50);
        let mut writer = Writer {
            dice: self,
            variables,
            locals: 0,
            invariants: BTreeMap::new(),
            pool,
            put,
        };
        writer.program()
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

impl Writer<'_> {
    fn program(&mut self) -> String {
        let mut text = "sort Tid;\n".to_owned();
        for one in &self.variables {
            let (ty, start) = match one.name {
                "pool" if !self.pool => continue,
                "pool" => ("set<Tid>", "Tid"),
                "b" => ("bool", "false"),
                "m" => ("map<Tid, int>", "map i: Tid => 0"),
                "h" => ("option<Tid>", "none"),
                _ => ("int", "0"),
            };
            let layers = format!("@ {}..{}", one.first, one.last);
            let linear = if one.name == "pool" { "linear " } else { "" };
            text += &format!("{linear}var {}: {ty} = {start} {layers};\n", one.name);
        }
        if self.pool {
            let taken = match self.dice.chance(15) {
                true => "",
                false => "pool = pool.without(f); ",
            };
            text += &format!(
                "right action draw() -> linear n: Tid @ 1..2 {{ let f = choose pool; {taken}n = f; }}\n"
            );
        }
        if self.put {
            let takes = if self.dice.chance(15) {
                "linear"
            } else {
                "take"
            };
            let mover = self.dice.of(&["left", "left", "both", "atomic"]);
            text +=
                &format!("{mover} action put({takes} n: Tid) @ 1..2 {{ pool = pool.with(n); }}\n");
        }
        for layer in 1..=2 {
            self.invariants(layer, &mut text);
        }
        let mut low: Vec<Callable> = Vec::new();
        if self.dice.chance(50) {
            low.extend(self.locks(&mut text));
        }
        for at in 0..1 + self.dice.below(3) {
            low.push(self.action(at, &mut text));
        }
        let mut middle: Vec<Callable> = Vec::new();
        for at in 0..1 + self.dice.below(2) {
            let name = format!("p{at}");
            let callees = [low.clone(), middle.clone()].concat();
            middle.push(self.procedure(&name, 1, &callees, &mut text));
        }
        let mut top: Vec<Callable> = Vec::new();
        if self.dice.chance(60) {
            let again = low.iter().filter(|one| one.last >= 2).cloned();
            let callees: Vec<_> = again.chain(middle.clone()).chain(middle.clone()).collect();
            top.push(self.procedure("q", 2, &callees, &mut text));
        }
        text += &self.init(&top, &middle);
        text
    }

    fn init(&mut self, top: &[Callable], middle: &[Callable]) -> String {
        let height = if top.is_empty() { 2 } else { 3 };
        let started = middle.iter().filter(|one| one.last >= height);
        let all: Vec<&Callable> = top.iter().chain(started).collect();
        let mut text = "init {\n".to_owned();
        let mut given = false;
        for one in all {
            let k = self.dice.of(&["0", "1"]);
            match one.linear {
                true if given => {}
                true => {
                    text += &format!("    for t in Tid {{ async {}(t, {k}); }}\n", one.name);
                    given = true;
                }
                false => {
                    for _ in 0..1 + self.dice.below(2) {
                        text += &format!("    async {}({k});\n", one.name);
                    }
                }
            }
        }
        text + "}\n"
    }

    fn invariants(&mut self, layer: u32, text: &mut String) {
        for at in 0..self.dice.below(3) {
            let linear = self.dice.chance(40);
            let body = match linear {
                true => self
                    .dice
                    .of(&["m[t] == 0", "m[t] >= 0", "h != some(t)", "h == some(t)"]),
                false => self.dice.of(&[
                    "x >= 0",
                    "b ==> x >= 1",
                    "b <==> h != none",
                    "b <==> o == 1",
                    "o == x",
                    "y <= x",
                    "x == 0",
                ]),
            };
            let seen = |one: &Variable| one.first <= layer && layer <= one.last;
            if !self.mentions(body, seen) {
                continue;
            }
            let name = format!("i{layer}{at}");
            let params = if linear { "linear t: Tid" } else { "" };
            *text += &format!("invariant {name}({params}) @ {layer} {{ {body} }}\n");
            self.invariants
                .entry(layer)
                .or_default()
                .push((name, linear));
        }
    }

    /// Are all variables in a text as they should be?
    fn mentions(&self, text: &str, good: impl Fn(&Variable) -> bool) -> bool {
        let mut words = text.split(|c: char| !c.is_alphanumeric());
        words.all(|word| {
            self.variables
                .iter()
                .all(|one| one.name != word || good(one))
        })
    }

    fn exists(&self, text: &str, layer: u32) -> bool {
        self.mentions(text, |one| one.first < layer && layer <= one.last)
    }

    /// The last layer at which a step can exist.
    fn last(&self, meaning: &[String], first: u32) -> u32 {
        let exists = |layer: &u32| meaning.iter().all(|one| self.exists(one, *layer));
        (first..=3).take_while(exists).last().unwrap_or(first)
    }

    fn action(&mut self, at: usize, text: &mut String) -> Callable {
        let linear = self.dice.chance(75);
        let result = self.dice.chance(35);
        let mut meaning = Vec::new();
        while meaning.is_empty() {
            let count = [1, 1, 1, 2][self.dice.below(4)];
            for _ in 0..count {
                let step = self.step(linear);
                if self.exists(&step, 1) {
                    meaning.push(step);
                }
            }
        }
        if result {
            let choices: &[&str] = match linear {
                true => &[
                    "r = x;",
                    "r = y;",
                    "r = m[t];",
                    "r = if b { 1 } else { 0 };",
                ],
                false => &["r = x;", "r = y;", "r = if b { 1 } else { 0 };"],
            };
            let read = self.dice.of(choices).to_owned();
            let at = if self.dice.chance(50) {
                0
            } else {
                meaning.len()
            };
            meaning.insert(at, read);
            if self.dice.chance(40) {
                meaning.retain(|one| one.starts_with("r =") || one.starts_with("assert"));
            }
        }
        let name = format!("a{at}");
        let mut last = self.last(&meaning, 1).min(2);
        let required = self.required(linear);
        if last == 2 && self.dice.chance(20) {
            let above = format!("{name}_above");
            let mut more = meaning.clone();
            self.change(linear, 1, &mut more);
            let clauses = format!(" refines {above}");
            self.write_action(&name, linear, result, &meaning, (1, 1), &clauses, text);
            last = self.last(&more, 2).min(2);
            self.write_action(&above, linear, result, &more, (2, last), "", text);
        } else if let (true, Some(clause)) = (self.dice.chance(15), required) {
            last = 1;
            self.write_action(&name, linear, result, &meaning, (1, 1), &clause, text);
        } else {
            self.write_action(&name, linear, result, &meaning, (1, last), "", text);
        }
        Callable {
            name,
            linear,
            result,
            meaning,
            last,
            draws: false,
        }
    }

    /// What an action of layer 1 may require.
    fn required(&mut self, linear: bool) -> Option<String> {
        let all = self.invariants.get(&1)?.clone();
        let (name, own) = all.get(self.dice.below(all.len().max(1)))?;
        if *own && !linear {
            return None;
        }
        Some(format!(" requires {name}({})", if *own { "t" } else { "" }))
    }

    #[expect(clippy::too_many_arguments, reason = "one line of text")]
    fn write_action(
        &mut self,
        name: &str,
        linear: bool,
        result: bool,
        meaning: &[String],
        (first, last): (u32, u32),
        clauses: &str,
        text: &mut String,
    ) {
        let mover = match self.dice.chance(20) {
            _ if clauses.contains("requires") => "left",
            true => self.dice.of(&["left", "right", "both"]),
            false => "atomic",
        };
        *text += &format!(
            "{mover} action {name}({}){} @ {first}..{last}{clauses} {{ {} }}\n",
            parameters(linear),
            if result { " -> r: int" } else { "" },
            meaning.join(" ")
        );
    }

    /// A lock, and steps for whoever holds it.
    fn locks(&mut self, text: &mut String) -> Vec<Callable> {
        let all = [
            ("lock", false, "assume h == none; h = some(t);"),
            ("free", false, "assert h == some(t); h = none;"),
            ("load", true, "assert h == some(t); r = x;"),
            ("save", false, "assert h == some(t); x = k;"),
        ];
        let mut written = Vec::new();
        for (name, result, step) in all {
            let parts = step.split_inclusive(';').map(|part| part.trim().to_owned());
            let mut meaning: Vec<String> = parts.collect();
            if self.dice.chance(8) {
                meaning.remove(0);
            }
            let last = self.last(&meaning, 1).min(2);
            self.write_action(name, true, result, &meaning, (1, last), "", text);
            written.push(Callable {
                name: name.to_owned(),
                linear: true,
                result,
                meaning,
                last,
                draws: false,
            });
        }
        written
    }

    /// One statement of a step.
    fn step(&mut self, linear: bool) -> String {
        let own = [
            "m[t] += 1;",
            "m[t] = k;",
            "assume h == none; h = some(t);",
            "assert h == some(t); h = none;",
            "assert h == some(t); x += 1;",
            "assert h == some(t); x = k;",
            "assert h == some(t); y = x;",
            "if h == none { h = some(t); b = true; }",
            "if h == some(t) { h = none; }",
        ];
        let all = [
            "x += 1;",
            "x += k;",
            "x = k;",
            "y = x;",
            "y += 1;",
            "b = true;",
            "b = false;",
            "b = !b;",
            "assume b;",
            "assume !b; b = true;",
            "assert x >= 0;",
            "assert b; b = false;",
            "if b { x = 1; }",
            "if x == 0 { b = true; } else { x -= 1; }",
            "let c = choose {0, 1}; x = c;",
            "maybe { x += 1; }",
        ];
        match linear && self.dice.chance(60) {
            true => self.dice.of(&own).to_owned(),
            false => self.dice.of(&all).to_owned(),
        }
    }

    /// A procedure and the action it claims to be.
    fn procedure(
        &mut self,
        name: &str,
        layer: u32,
        callees: &[Callable],
        text: &mut String,
    ) -> Callable {
        let draws = self.pool;
        let holds = draws || self.dice.chance(75);
        let linear = holds && !draws;
        let result = self.dice.chance(25);
        let usable = callees.iter().filter(|one| holds || !one.linear);
        let usable: Vec<Callable> = usable.cloned().collect();
        let (mut body, mut meaning) = (Vec::new(), Vec::new());
        if draws {
            body.push("let t = call draw();".to_owned());
            meaning.push("let t = choose pool; pool = pool.without(t);".to_owned());
        }
        let mut known = vec!["0".to_owned(), "1".to_owned(), "k".to_owned()];
        let lock = |name: &str| {
            usable
                .iter()
                .filter(|one| one.name == name)
                .cloned()
                .collect()
        };
        let (lock, free): (Vec<_>, Vec<_>) = (lock("lock"), lock("free"));
        let locked = self.dice.chance(60);
        if locked {
            self.called(&lock, &mut known, &mut body, &mut meaning);
        }
        for _ in 0..1 + self.dice.below(if locked { 3 } else { 4 }) {
            self.statement(layer, holds, &usable, &mut known, &mut body, &mut meaning);
        }
        if locked {
            self.called(&free, &mut known, &mut body, &mut meaning);
        }
        if draws && self.put && self.dice.chance(80) {
            body.push("call put(t);".to_owned());
            meaning.push("pool = pool.with(t);".to_owned());
        }
        if self.dice.chance(4) && linear {
            body.push(format!("maybe {{ call {name}(t, k); }}"));
        }
        if result {
            let last = known.last().expect("there are constants");
            body.push(format!("r = {last};"));
            meaning.push(format!("r = {last};"));
            if self.dice.chance(10) {
                // Changed behind a yield; the claim knows the first one.
                let other = self.dice.of(&["0", "1", "7"]);
                body.push(format!("yield; r = {other};"));
            }
        }
        for one in &mut meaning {
            if !self.exists(one, layer + 1) {
                // What is read from something hidden is anything above.
                let read = one.split_once(" = ").map(|(name, _)| name.to_owned());
                let read = read.filter(|name| name.starts_with("let ") || name == "r");
                *one = read.map_or(String::new(), |name| format!("{name} = choose {{0, 1}};"));
            }
        }
        meaning.retain(|one| !one.is_empty());
        self.change(holds, layer, &mut meaning);
        let above = self.last(&meaning, layer + 1);
        let claim = name.to_uppercase();
        let refines = match !result && meaning.is_empty() && self.dice.chance(50) {
            true => String::new(),
            false => format!(" refines {claim}"),
        };
        if !refines.is_empty() {
            let layers = (layer + 1, above);
            self.write_action(&claim, linear, result, &meaning, layers, "", text);
        }
        *text += &format!(
            "procedure {name}({}){} @ {layer}{refines}{} {{\n    {}\n}}\n",
            parameters(linear),
            if result { " -> r: int" } else { "" },
            self.clauses(layer, linear),
            body.join("\n    ")
        );
        Callable {
            name: name.to_owned(),
            linear,
            result,
            meaning,
            last: if refines.is_empty() { 3 } else { above },
            draws,
        }
    }

    /// Some invariants, to hold at the entry, the exit or both.
    fn clauses(&mut self, layer: u32, linear: bool) -> String {
        let mut text = String::new();
        for of in 1..=layer {
            for (name, own) in self.invariants.get(&of).cloned().unwrap_or_default() {
                if (own && !linear) || self.dice.chance(30) {
                    continue;
                }
                let kind = self
                    .dice
                    .of(&["preserves", "preserves", "preserves", "requires"]);
                text += &format!(" {kind} {name}({})", if own { "t" } else { "" });
            }
        }
        text
    }

    fn statement(
        &mut self,
        layer: u32,
        linear: bool,
        callees: &[Callable],
        known: &mut Vec<String>,
        body: &mut Vec<String>,
        meaning: &mut Vec<String>,
    ) {
        match self.dice.below(20) {
            0 | 1 => body.push(self.a_yield(layer, linear)),
            2 => {
                let step = self.dice.of(&["o = 1;", "o = 0;", "o = x;", "o = o + 1;"]);
                if layer == 1 {
                    body.push(step.to_owned());
                    meaning.push(step.to_owned());
                }
            }
            3 => {
                let which = self.dice.below(known.len());
                let (mut one, mut two) = (Vec::new(), Vec::new());
                let (mut a, mut b) = (Vec::new(), Vec::new());
                self.called(callees, &mut known.clone(), &mut one, &mut a);
                self.called(callees, &mut known.clone(), &mut two, &mut b);
                let (one, two) = (one.join(" "), two.join(" "));
                let condition = format!("{} == 0", known[which]);
                body.push(format!("if {condition} {{ {one} }} else {{ {two} }}"));
                let (a, b) = (a.join(" "), b.join(" "));
                meaning.push(format!("if {condition} {{ {a} }} else {{ {b} }}"));
            }
            4 => {
                let (mut one, mut a) = (Vec::new(), Vec::new());
                self.called(callees, &mut known.clone(), &mut one, &mut a);
                body.push(format!("maybe {{ {} }}", one.join(" ")));
                meaning.push(format!("maybe {{ {} }}", a.join(" ")));
            }
            5 | 6 => self.parallel(callees, known, body, meaning),
            8 => self.repeated(layer, linear, callees, known, body, meaning),
            9 => self.until(layer, linear, callees, known, body, meaning),
            7 => {
                let value = known.last().expect("there are constants");
                body.push(format!("assert {value} >= 0;"));
                meaning.push(format!("assert {value} >= 0;"));
            }
            10 => {
                let which = self.dice.below(known.len());
                let waits = format!("assume {} == 0;", known[which]);
                body.push(waits.clone());
                meaning.push(waits);
            }
            _ => self.called(callees, known, body, meaning),
        }
    }

    /// Two rounds, with or without a yield and a measure; the claim has both.
    fn repeated(
        &mut self,
        layer: u32,
        linear: bool,
        callees: &[Callable],
        known: &[String],
        body: &mut Vec<String>,
        meaning: &mut Vec<String>,
    ) {
        let name = format!("n{}", self.locals);
        self.locals += 1;
        let (mut inside, mut step) = (Vec::new(), Vec::new());
        if self.dice.chance(50) {
            inside.push(self.a_yield(layer, linear));
        }
        self.called(callees, &mut known.to_vec(), &mut inside, &mut step);
        let inside = inside.join(" ");
        let measure = match self.dice.chance(50) {
            true => format!(" decreases 2 - {name}"),
            false => String::new(),
        };
        body.push(match self.dice.chance(70) {
            true => format!(
                "var {name}: int = 0; while {name} < 2{measure} {{ {inside} {name} += 1; }}"
            ),
            false => format!("for {name} in {{0, 1}} {{ {inside} }}"),
        });
        for _ in 0..self.dice.below(3) {
            let block = step.join(" ");
            meaning.push(format!("if true {{ {block} }}"));
        }
    }

    /// Tries again until a result is zero; then another step. The claim waits for that.
    fn until(
        &mut self,
        layer: u32,
        linear: bool,
        callees: &[Callable],
        known: &[String],
        body: &mut Vec<String>,
        meaning: &mut Vec<String>,
    ) {
        let asked: Vec<Callable> = callees.iter().filter(|one| one.result).cloned().collect();
        if asked.is_empty() {
            return;
        }
        let yielded = match self.dice.chance(80) {
            true => self.a_yield(layer, linear),
            false => String::new(),
        };
        let (mut ask, mut asked_meaning) = (Vec::new(), Vec::new());
        let mut inner = known.to_vec();
        self.called(&asked, &mut inner, &mut ask, &mut asked_meaning);
        let result = inner.last().expect("there is a result").clone();
        let (mut then, mut then_meaning) = (Vec::new(), Vec::new());
        self.called(callees, &mut inner, &mut then, &mut then_meaning);
        let (ask, then) = (ask.join(" "), then.join(" "));
        body.push(format!(
            "loop {{ {yielded} {ask} if {result} == 0 {{ {then} break; }} }}"
        ));
        meaning.extend(asked_meaning);
        if self.dice.chance(80) {
            meaning.push(format!("assume {result} == 0;"));
        }
        meaning.extend(then_meaning);
    }

    fn a_yield(&mut self, layer: u32, linear: bool) -> String {
        let of = 1 + self.dice.below(layer as usize) as u32;
        let all = self.invariants.get(&of).cloned().unwrap_or_default();
        let some = all.into_iter().filter(|(_, own)| linear || !own);
        let some: Vec<String> = some
            .take(1)
            .map(|(name, own)| format!("{name}({})", if own { "t" } else { "" }))
            .collect();
        format!("yield {};", some.join(", ")).replace(" ;", ";")
    }

    fn called(
        &mut self,
        callees: &[Callable],
        known: &mut Vec<String>,
        body: &mut Vec<String>,
        meaning: &mut Vec<String>,
    ) {
        if callees.is_empty() {
            return;
        }
        let callee = callees[self.dice.below(callees.len())].clone();
        let value = known[self.dice.below(known.len())].clone();
        let name = format!("v{}", self.locals);
        self.locals += 1;
        let binds = match callee.result {
            true => format!("let {name} = "),
            false => String::new(),
        };
        let first = if callee.linear { "t, " } else { "" };
        body.push(format!("{binds}call {}({first}{value});", callee.name));
        self.inline(&callee, &value, &name, meaning);
        if callee.result {
            known.push(name);
        }
    }

    /// What a callee does, with a value for `k` and a name for `r`.
    fn inline(&mut self, callee: &Callable, value: &str, name: &str, meaning: &mut Vec<String>) {
        let renamed = |word: &str, at: &dyn Fn(&str) -> Option<String>| {
            at(word).unwrap_or_else(|| word.to_owned())
        };
        let fresh = self.locals;
        self.locals += 1;
        for one in &callee.meaning {
            let text = words(one, |word| {
                renamed(word, &|word| match word {
                    "k" => Some(value.to_owned()),
                    "r" => Some(name.to_owned()),
                    "c" => Some(format!("c{fresh}")),
                    _ if callee.draws && (word == "t" || word.starts_with("t_")) => {
                        Some(format!("{word}_{fresh}"))
                    }
                    _ if word.starts_with('v') && word.len() > 1 => Some(format!("{word}_{fresh}")),
                    _ => None,
                })
            });
            let text = match text.strip_prefix(&format!("{name} =")) {
                Some(rest) => format!("let {name} ={rest}"),
                None => text,
            };
            meaning.push(text);
        }
    }

    fn parallel(
        &mut self,
        callees: &[Callable],
        known: &[String],
        body: &mut Vec<String>,
        meaning: &mut Vec<String>,
    ) {
        let (mut arms, mut linear) = (Vec::new(), false);
        for _ in 0..2 {
            let Some(callee) = callees.get(self.dice.below(callees.len().max(1))) else {
                return;
            };
            if callee.result || (callee.linear && linear) {
                continue;
            }
            linear |= callee.linear;
            let value = known[self.dice.below(known.len())].clone();
            let first = if callee.linear { "t, " } else { "" };
            arms.push(format!("call {}({first}{value});", callee.name));
            self.inline(callee, &value, "r", meaning);
        }
        body.push(format!("par {{ {} }}", arms.join(" ")));
    }

    /// A small change of a claim, or none.
    fn change(&mut self, linear: bool, layer: u32, meaning: &mut Vec<String>) {
        let count = meaning.len();
        match self.dice.below(14) {
            0 if count > 0 => {
                let at = self.dice.below(count);
                if !meaning[at].starts_with("let") && !meaning[at].starts_with("r =") {
                    meaning.remove(at);
                }
            }
            1 => {
                let step = self.step(linear);
                let at = self.dice.below(count + 1);
                if self.exists(&step, layer + 1) && !step.contains("let") {
                    meaning.insert(at, step);
                }
            }
            2 if count > 1 => meaning.swap(0, count - 1),
            // Locks that are only there below need no gate above.
            3..=6 => {
                for one in meaning.iter_mut() {
                    *one = one.replace("assert h == some(t); ", "");
                }
                let lock = |one: &String| one.contains(" h = ") || one.starts_with("h = ");
                let gate = |one: &String| {
                    ["assume h == none;", "assert h == some(t);"].contains(&one.as_str())
                };
                meaning.retain(|one| !lock(one) && !gate(one));
            }
            7 => meaning.insert(0, "assert x >= 0;".to_owned()),
            _ => {}
        }
    }
}

fn parameters(linear: bool) -> &'static str {
    match linear {
        true => "linear t: Tid, k: int",
        false => "k: int",
    }
}

/// A text with its words replaced.
fn words(text: &str, replace: impl Fn(&str) -> String) -> String {
    let (mut out, mut word) = (String::new(), String::new());
    for c in text.chars() {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        out += &replace(&std::mem::take(&mut word));
        out.push(c);
    }
    out + &replace(&word)
}

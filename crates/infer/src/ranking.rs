//! Termination for every size: ranking functions proposed by `diverge`, proved by the prover.
//!
//! `plainsong_diverge::ranking` says which lines of code with which assertions have to be shown, and why that is
//! enough. Here they are shown, one handler after the other; a measure counts only when everything was. What the song
//! declares comes first; where that is not proved and nothing else is found, the handler is named.

use crate::pids_as_data::as_data;
use plainsong_diverge::ranking::{
    Counts, Measure, Number, Supposed, declared_measures, handler_name, linear, obligations,
    own_measures, payload_measure, sending, supposed,
};
use plainsong_ir::{Song, print};
use plainsong_prove::discharge::{Effort, Shown, discharge};
use plainsong_prove::obligation::{Obligation, Rule};
use plainsong_prove::theory::Theory;
use plainsong_prove::vc::conditions;
use plainsong_semantics::verdict::Assumption;
use plainsong_smt::{Cancel, Setup, Solvers};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A proof for every size.
pub struct Ranked {
    /// Why everything terminates.
    pub why: String,
    /// How many obligations were shown.
    pub obligations: usize,
    /// What is trusted.
    pub notes: Vec<Assumption>,
    pub decreases: Decreases,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Decreases {
    /// What the song declares.
    Declared,
    /// Levels of messages and numbers of processes: the song where they are declared, and whether numbers in payloads
    /// come before them.
    Supposed(Box<Song>, bool),
    /// Numbers in payloads.
    Payload,
    /// Of each process that sends, its own state.
    Own(Vec<(usize, Measure)>),
}

/// What it took to show a ranking again.
pub struct ShownAgain {
    /// How many obligations.
    pub obligations: usize,
    /// What is trusted.
    pub notes: Vec<Assumption>,
}

/// Is a ranking shown again, without answers that were kept?
pub fn shown_again(song: &Song, decreases: &Decreases) -> Option<ShownAgain> {
    let setup = Setup {
        answers: None,
        ..Setup::from_environment()
    };
    let mut prover = Prover::new(setup);
    let never = &mut || false;
    let is_shown = match decreases {
        Decreases::Declared => {
            let ways = declared_measures(song)?;
            sending(song)?;
            prover.declared(song, &ways, never).is_ok()
        }
        Decreases::Supposed(song, first) => {
            let ways = declared_measures(song)?.map(|way| way.behind_payloads(*first));
            sending(song)?;
            prover.declared(song, &ways, never).is_ok()
        }
        Decreases::Payload => {
            let payload = payload_measure();
            let mut all = sending(song)?.into_iter();
            all.all(|process| prover.shows(song, process, &payload, never))
        }
        Decreases::Own(own) => sending(song)?.into_iter().all(|process| {
            let measure = own.iter().find(|(known, _)| *known == process);
            measure.is_some_and(|(_, measure)| prover.shows(song, process, measure, never))
        }),
    };
    is_shown.then_some(ShownAgain {
        obligations: prover.shown,
        notes: prover.notes,
    })
}

/// Looks for a ranking with solvers set up in some way; `stop` says when to give up.
pub fn ranking(
    song: &Song,
    setup: Setup,
    cancel: &Cancel,
    stop: &mut dyn FnMut() -> bool,
) -> Result<Ranked, Option<String>> {
    let Some(processes) = sending(song) else {
        let why = "what `decreases` says is used only where all processes have handlers and there are no faults";
        return Err(declared_measures(song).map(|_| why.to_owned()));
    };
    let mut prover = Prover::new(setup);
    prover.cancel = cancel.clone();
    let mut complaint = None;
    if let Some(ways) = declared_measures(song) {
        match prover.declared(song, &ways, stop) {
            Ok(()) => {
                let why = "whatever a handler does, what `decreases` says decreases";
                return Ok(prover.ranked(why.to_owned(), Decreases::Declared));
            }
            Err(handler) => complaint = Some(handler),
        }
    }
    let found = prover.found(song, processes, stop).or_else(|| {
        // What the song declares is not to be supposed otherwise.
        match declared_measures(song) {
            Some(_) => None,
            None => prover
                .supposed(song, stop)
                .or_else(|| prover.linear(song, stop)),
        }
    });
    match found {
        Some((why, decreases)) => Ok(prover.ranked(why, decreases)),
        None => Err(complaint.map(|handler| {
            format!("that what `decreases` says decreases was not proved for {handler}")
        })),
    }
}

struct Prover {
    solvers: Solvers,
    cancel: Cancel,
    shown: usize,
    notes: Vec<Assumption>,
    /// Of each process, the numbers that no handler makes greater; with numbers in payloads first, or not.
    steady: BTreeMap<(usize, bool), Vec<Number>>,
}

impl Prover {
    fn new(setup: Setup) -> Self {
        Prover {
            solvers: Solvers::new(setup),
            cancel: Cancel::default(),
            shown: 0,
            notes: Vec::new(),
            steady: BTreeMap::new(),
        }
    }

    fn ranked(self, why: String, decreases: Decreases) -> Ranked {
        Ranked {
            why,
            decreases,
            obligations: self.shown,
            notes: self.notes,
        }
    }

    /// Shows what the song declares, for all handlers, or names the first for which that failed.
    fn declared(
        &mut self,
        song: &Song,
        ways: &[Measure],
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<(), String> {
        let all = song.voices().map_or(0, |voices| voices.processes.len());
        (0..all).try_for_each(|process| self.declared_of(song, process, ways, stop))
    }

    /// The same for the handlers of one process.
    fn declared_of(
        &mut self,
        song: &Song,
        process: usize,
        ways: &[Measure],
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<(), String> {
        let ways = ways.iter().map(|way| obligations(song, process, way));
        let mut ways: Vec<_> = ways.map(Vec::into_iter).collect();
        let before = self.shown;
        for at in 0.. {
            let lines: Vec<Song> = ways.iter_mut().filter_map(Iterator::next).collect();
            if lines.is_empty() {
                break;
            }
            let name = format!("declared/{process}/{at}");
            let mut lines = lines.into_iter();
            let shown = match stop() {
                true => None,
                false => lines.find_map(|line| self.line(line, &name)),
            };
            let Some(shown) = shown else {
                self.shown = before;
                return Err(handler_name(song, process, at).unwrap_or_default());
            };
            self.shown += shown;
        }
        Ok(())
    }

    /// Levels of messages and numbers of some processes, in words.
    fn supposed(
        &mut self,
        song: &Song,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<(String, Decreases)> {
        let all = song.voices().map_or(0, |voices| voices.processes.len());
        supposed(song).into_iter().find_map(|way| {
            self.shown = 0;
            let ways = way.ways()?;
            let mut written = way.plain().clone();
            let mut words = Vec::new();
            let less = "it sends only what has less in its payload".to_owned();
            if way.counts == Counts::First {
                words.push(less.clone());
            }
            for process in 0..all {
                if !way.measured.contains(&process) {
                    self.declared_of(way.plain(), process, &ways, stop).ok()?;
                    continue;
                }
                let tuple = self.tuple(&way, process, stop)?;
                written = Supposed::with(&written, process, &tuple);
                words.extend(tuple.into_iter().map(|one| one.words));
            }
            if !way.order.is_empty() {
                let order: Vec<String> = way.order.iter().map(|one| format!("`{one}`")).collect();
                words.push(format!(
                    "it sends only what comes later in {}",
                    order.join(", ")
                ));
            }
            if way.counts == Counts::Last {
                words.push(less);
            }
            let why = format!("whatever a handler does, {}", words.join(", or "));
            Some((
                why,
                Decreases::Supposed(Box::new(written), way.counts == Counts::First),
            ))
        })
    }

    /// Linear measures of processes and payloads.
    fn linear(
        &mut self,
        song: &Song,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<(String, Decreases)> {
        let found = linear(song)?;
        // Read again, so that it is what somebody who declares these measures would write.
        let written = plainsong_syntax::compile(&print::song(&found.song)).song?;
        self.shown = 0;
        let ways = declared_measures(&written)?;
        self.declared(&written, &ways, stop).ok()?;
        let why = format!("whatever a handler does, {}", found.words.join(", or "));
        Some((why, Decreases::Supposed(Box::new(written), false)))
    }

    /// Numbers of a process, compared from the first on, that are enough: a single one, or else all that no handler makes
    /// greater while those before them stay, but for the ones that can be left out.
    fn tuple(
        &mut self,
        way: &Supposed,
        process: usize,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<Vec<Number>> {
        let (song, ways) = (way.plain(), way.ways()?);
        let numbers = way.numbers(process);
        let single = numbers.iter().map(std::slice::from_ref).find(|single| {
            let song = Supposed::with(song, process, single);
            self.declared_of(&song, process, &ways, stop).is_ok()
        });
        if let Some(single) = single {
            return Some(single.to_vec());
        }
        let mut tuple = self.steady(way, process, numbers, stop);
        let shown = self.shown;
        let mut is_enough = |tuple: &[Number]| {
            self.shown = shown;
            let song = Supposed::with(song, process, tuple);
            tuple.len() > 1 && self.declared_of(&song, process, &ways, stop).is_ok()
        };
        if !is_enough(&tuple) {
            return None;
        }
        for at in (0..tuple.len()).rev() {
            let without: Vec<Number> = [&tuple[..at], &tuple[at + 1..]].concat();
            if is_enough(&without) {
                tuple = without;
            }
        }
        is_enough(&tuple).then_some(tuple)
    }

    /// All numbers of a process that no handler makes greater while those before them stay. Levels of messages make no
    /// difference to that, so it is asked once.
    fn steady(
        &mut self,
        way: &Supposed,
        process: usize,
        mut left: Vec<Number>,
        stop: &mut dyn FnMut() -> bool,
    ) -> Vec<Number> {
        let key = (process, way.counts == Counts::First);
        if let Some(known) = self.steady.get(&key) {
            return known.clone();
        }
        let mut tuple: Vec<Number> = Vec::new();
        let shown = self.shown;
        let ways = way.no_more();
        while let Some(at) = left.iter().position(|one| {
            let longer = [&tuple[..], std::slice::from_ref(one)].concat();
            let song = Supposed::with(way.plain(), process, &longer);
            self.declared_of(&song, process, &ways, stop).is_ok()
        }) {
            tuple.push(left.remove(at));
        }
        self.shown = shown;
        self.steady.insert(key, tuple.clone());
        tuple
    }

    /// A measure that nobody declared, in words.
    fn found(
        &mut self,
        song: &Song,
        processes: Vec<usize>,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<(String, Decreases)> {
        let payload = payload_measure();
        let mut all = processes.iter();
        if all.all(|process| self.shows(song, *process, &payload, stop)) {
            let why = "whatever a handler sends has less in its payload than what it took";
            return Some((why.to_owned(), Decreases::Payload));
        }
        let (mut words, mut own) = (Vec::new(), Vec::new());
        for process in processes {
            let mut measures = own_measures(song, process).into_iter();
            let found = measures.find(|measure| self.shows(song, process, measure, stop))?;
            words.push(found.words.clone());
            own.push((process, found));
        }
        let why = format!("whenever a handler sends, {}", words.join(", and "));
        Some((why, Decreases::Own(own)))
    }

    /// Are all obligations of a measure shown?
    fn shows(
        &mut self,
        song: &Song,
        process: usize,
        measure: &Measure,
        stop: &mut dyn FnMut() -> bool,
    ) -> bool {
        let mut shown = 0;
        for (handler, line) in obligations(song, process, measure).into_iter().enumerate() {
            if stop() {
                return false;
            }
            match self.line(line, &format!("measure/{process}/{handler}")) {
                Some(number) => shown += number,
                None => return false,
            }
        }
        self.shown += shown;
        true
    }

    /// How many obligations a line has, if all are shown.
    fn line(&mut self, line: Song, name: &str) -> Option<usize> {
        let mut theory = Theory::new(Arc::new(as_data(line)));
        let all = conditions(&mut theory, 0, &[]).ok()?;
        let asked: Vec<Obligation> = all
            .obligations
            .into_iter()
            .filter(|one| one.rule != Rule::Vacuity)
            .collect();
        let effort = Effort {
            name: name.to_owned(),
            ..Effort::default()
        };
        let shown = discharge(&mut theory, &asked, &self.solvers, &effort, &self.cancel);
        if shown.iter().any(|one| *one != Shown::Yes) {
            return None;
        }
        for note in all.notes {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
        Some(asked.len())
    }
}

#[cfg(test)]
mod rewrites;

#[cfg(test)]
mod tests {
    use super::{Decreases, ranking};
    use plainsong_diverge::{Fairness, Finding, Method, Question, diverge};
    use plainsong_semantics::instance::Instance;
    use plainsong_semantics::machine::{Machine, Subject};
    use plainsong_semantics::search::Unwatched;
    use plainsong_semantics::sizes::{Bounds, Sizes};
    use plainsong_smt::{Cancel, Setup};
    use std::sync::Arc;

    /// Random handlers: what is proved for every size does not diverge at small sizes.
    #[test]
    fn what_is_proved_for_every_size_comes_to_rest_at_small_ones() {
        let programs = std::env::var("PLAINSONG_RANDOM").ok();
        let programs = programs.and_then(|text| text.parse().ok()).unwrap_or(60);
        let (mut proved, mut supposed) = (0, 0);
        for seed in 0..programs {
            let text = random(seed);
            let song = Arc::new(plainsong_syntax::compile(&text).song.expect(&text));
            let Ok(found) = ranking(
                &song,
                Setup::from_environment(),
                &Cancel::default(),
                &mut || false,
            ) else {
                continue;
            };
            proved += 1;
            supposed += u64::from(matches!(found.decreases, Decreases::Supposed(..)));
            for size in 1..=3 {
                let sizes = Sizes::new().with("N", size);
                let instances = Instance::all(song.clone(), &sizes, &Bounds::default());
                let machine = Machine::new(&instances.expect(&text)[0], Subject::System);
                let question = Question {
                    property: 0,
                    fairness: Fairness::Any,
                    states: 1_000,
                    method: Method::All,
                };
                let there = diverge(&machine, &question, &mut Unwatched).finding;
                let diverges = matches!(there, Finding::Diverges(_));
                assert!(!diverges, "N={size}, {}: {there:?}\n{text}", found.why);
            }
        }
        assert!(
            supposed * 20 > programs,
            "{supposed} of {proved} of {programs}"
        );
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

        /// A message; the payload of one that leads to the next may decrease, or stay.
        fn sent(&mut self, taken: &str) -> &'static str {
            match (self.of(&["A", "B", "C"]), taken) {
                ("A", _) => "A",
                ("B", _) => "B",
                (_, "C") => self.of(&["C(if k > 0 { k - 1 } else { 0 })", "C(k)"]),
                _ => "C(2)",
            }
        }

        fn send(&mut self, taken: &str) -> String {
            let message = self.sent(taken);
            match self.below(3) {
                0 => format!("send {message} to hub;"),
                1 => format!("for m in N {{ send {message} to node[m]; }}"),
                _ => format!("for m in N {{ maybe {{ send {message} to node[m]; }} }}"),
            }
        }

        fn handler(&mut self, message: &str) -> String {
            let body = match self.below(9) {
                0 | 1 => String::new(),
                2 => self.send(message),
                6 if message == "C" => format!("if k > 0 {{ {} }}", self.send(message)),
                6 | 7 => {
                    let change = self.of(&["s = s.with(w);", "s = s.without(w);", "y = y + 1;"]);
                    let when = self.of(&["!(w in s)", "w in s", "s.is_empty()"]);
                    let send = self.send(message);
                    format!("let w = choose N; if {when} {{ {change} {send} }}")
                }
                8 => {
                    let change = self.of(&["y = y + 1;", "x = x + 1;", "f = true;"]);
                    let send = self.send(message);
                    format!("{change} if y == N.len() {{ {send} }}")
                }
                3 => {
                    let change = self.of(&["x = x - 1;", "x = x + 1;", ""]);
                    format!("if x > 0 {{ {change} {} }}", self.send(message))
                }
                4 => {
                    let change = self.of(&["y = y + 1;", "y = y + 1;", "y = 0;"]);
                    let limit = self.of(&["<", "<=", "!="]);
                    let (first, second) = (self.send(message), self.send(message));
                    format!("if y {limit} 2 {{ {change} {first} {second} }}")
                }
                _ => {
                    let change = self.of(&["f = true;", "f = true;", "f = false;"]);
                    format!(
                        "if !f {{ {change} {} }} else {{ {} }}",
                        self.send(message),
                        self.of(&["", "x = 0;", "f = false;"])
                    )
                }
            };
            let taken = if message == "C" { "C(k)" } else { message };
            format!("on {taken} {{ {body} }}")
        }

        fn process(&mut self, head: &str) -> String {
            let handlers: Vec<String> = ["A", "B", "C"].map(|one| self.handler(one)).into();
            format!(
                "process {head} {{ var x: nat = 2; var y: int = 0; var f: bool = false; var s: set<N> = {{}}; {} }}",
                handlers.join(" ")
            )
        }
    }

    fn random(seed: u64) -> String {
        let mut dice = Dice(seed.wrapping_mul(104_729) + 5);
        let (hub, node) = (dice.process("hub"), dice.process("node[n: N]"));
        format!(
            "sort N; message A; message B; message C(k: nat); {hub} {node}
             init {{ send A to hub; send B to hub; for n in N {{ send C(2) to node[n]; }} }}
             property quiet: eventually quiescent;"
        )
    }
}

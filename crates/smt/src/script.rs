//! A query as the text that a solver reads.
//!
//! Everything a goal depends on is said in one text: options (they outlive a `reset`, so each is
//! always set), limits and seed, the commands, `check-sat`, and all that is asked back, so that one
//! write and one answer make up the conversation. The answer ends with a marker of its own.

use crate::query::{Kind, Query, Strategy};
use crate::sexpr::Sexpr;
use std::fmt::Write;

/// The solver's arithmetic: said in every query, so that one process may serve those with either.
const ARITHMETIC: &str = "smt.arith.solver";

/// Options that only some queries set: they outlive a reset.
pub(crate) fn lasting(query: &Query) -> Vec<(String, String)> {
    let options = query.options.iter();
    let options = options.filter(|(name, _)| name != ARITHMETIC);
    options.cloned().collect()
}

/// Options that hold for a whole process or batch: queries that differ here are kept apart.
pub(crate) fn settings(query: &Query) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    let mut set = |name: &str, value: String| all.push((name.to_owned(), value));
    let seed = query.seed.to_string();
    match query.strategy.kind() {
        Kind::Z3 => {
            let automatic = query.strategy == Strategy::Automatic;
            set("auto_config", automatic.to_string());
            let matching = query.strategy == Strategy::Matching;
            set("smt.mbqi", (!matching).to_string());
            if !query.options.iter().any(|(name, _)| name == ARITHMETIC) {
                set(ARITHMETIC, "6".to_owned());
            }
            set("smt.random_seed", seed.clone());
            set("sat.random_seed", seed.clone());
            set("nlsat.seed", seed);
        }
        Kind::Cvc5 => {
            set("seed", seed.clone());
            set("sat-random-seed", seed);
            set("produce-models", "true".to_owned());
            match query.strategy {
                Strategy::ModelBased => set("mbqi", "true".to_owned()),
                _ => set("enum-inst", "true".to_owned()),
            }
        }
    }
    set("produce-unsat-cores", query.ask.core.to_string());
    all.extend(query.options.iter().cloned());
    all
}

/// What identifies a query: all that its answer depends on except limits. Canonical, without marker.
pub(crate) fn identity(query: &Query) -> String {
    let mut text = String::new();
    opening(query, &mut text);
    scope(query, &mut text);
    body(query, &mut text);
    questions(query, &mut text);
    text
}

/// The text for a process that answers this query alone, from a clean state.
pub(crate) fn alone(query: &Query, marker: &str) -> String {
    let mut text = String::new();
    match query.strategy.kind() {
        Kind::Z3 => text.push_str("(reset)\n"),
        Kind::Cvc5 => {} // Its process is a new one.
    }
    limit(query, query.limits.resource, &mut text);
    opening(query, &mut text);
    scope(query, &mut text);
    body(query, &mut text);
    costs(query.strategy.kind(), &mut text);
    questions(query, &mut text);
    end(marker, &mut text);
    text
}

/// The text that begins a batch of queries with the settings of `first`.
pub(crate) fn batch_opening(first: &Query) -> String {
    let mut text = String::from("(reset)\n");
    opening(first, &mut text);
    text
}

/// The text for one query of a batch: it leaves no trace for the next one. Values are not asked for.
pub(crate) fn in_batch(query: &Query, content: &str, resource: u64, marker: &str) -> String {
    let mut text = String::new();
    limit(query, resource, &mut text);
    text.push_str("(push 1)\n");
    text.push_str(content);
    costs(query.strategy.kind(), &mut text);
    if query.ask.core {
        text.push_str("(get-unsat-core)\n");
    }
    text.push_str("(pop 1)\n");
    end(marker, &mut text);
    text
}

/// What a query says and asks for, without anything that sets up its process.
pub(crate) fn content(query: &Query) -> String {
    let mut text = String::new();
    body(query, &mut text);
    text
}

/// A script for people and for any solver: the obligation and how to ask again as comments, then the
/// query in the words that all solvers share.
pub(crate) fn for_people(query: &Query) -> String {
    let mut text = String::new();
    for line in query.name.lines().chain(query.about.lines()) {
        line_of_comment(line, &mut text);
    }
    line_of_comment(&format!("asked with: {}", command_line(query)), &mut text);
    option("produce-models", "true", &mut text);
    option(
        "produce-unsat-cores",
        &query.ask.core.to_string(),
        &mut text,
    );
    text.push_str("(set-logic ALL)\n");
    scope(query, &mut text);
    body(query, &mut text);
    questions(query, &mut text);
    text
}

/// How to have a file answered as the query was.
fn command_line(query: &Query) -> String {
    let kind = query.strategy.kind();
    let settings = settings(query).into_iter();
    let special = settings.filter(|(name, _)| !name.starts_with("produce-"));
    let mut words = vec![kind.name().to_owned()];
    words.extend(special.map(|(name, value)| match kind {
        Kind::Z3 => format!("{name}={value}"),
        Kind::Cvc5 => format!("--{name}={value}"),
    }));
    let units = units(kind, query.limits.resource);
    words.push(match kind {
        Kind::Z3 => format!("rlimit={units}"),
        Kind::Cvc5 => format!("--rlimit={units}"),
    });
    words.join(" ")
}

fn line_of_comment(line: &str, text: &mut String) {
    let kept: String = line.chars().filter(|c| !c.is_control()).collect();
    text.push_str(format!("; {kept}").trim_end());
    text.push('\n');
}

fn opening(query: &Query, text: &mut String) {
    for (name, value) in settings(query) {
        option(&name, &value, text);
    }
    text.push_str("(set-logic ALL)\n");
}

/// One unit of cvc5 takes as long as about so many of Z3.
const Z3_UNITS_PER_CVC5_UNIT: u64 = 100;

/// Limits are said in units of Z3. Zero would mean none at all.
fn units(kind: Kind, resource: u64) -> u64 {
    match kind {
        // Counted for each `check-sat` anew.
        Kind::Z3 => resource.clamp(1, u32::MAX.into()),
        Kind::Cvc5 => (resource / Z3_UNITS_PER_CVC5_UNIT).max(1),
    }
}

fn limit(query: &Query, resource: u64, text: &mut String) {
    let units = units(query.strategy.kind(), resource);
    option("rlimit", &units.to_string(), text);
}

fn option(name: &str, value: &str, text: &mut String) {
    let _ = writeln!(text, "(set-option :{name} {value})");
}

/// Z3 leaves out simplifications where something might be taken back.
fn scope(query: &Query, text: &mut String) {
    if matches!(query.strategy, Strategy::Matching | Strategy::Direct) {
        text.push_str("(push 1)\n");
    }
}

fn body(query: &Query, text: &mut String) {
    for command in &query.commands {
        let _ = writeln!(text, "{command}");
    }
    text.push_str("(check-sat)\n");
}

/// Asks why nothing is known and what it cost: always two answers.
fn costs(kind: Kind, text: &mut String) {
    text.push_str("(get-info :reason-unknown)\n");
    text.push_str(match kind {
        Kind::Z3 => "(get-info :rlimit)\n",
        Kind::Cvc5 => "(get-info :all-statistics)\n",
    });
}

/// One answer for each thing that is asked, in the order of the fields of [`Ask`](crate::Ask).
fn questions(query: &Query, text: &mut String) {
    if !query.ask.values.is_empty() {
        let values = Sexpr::List(query.ask.values.clone());
        let _ = writeln!(text, "(get-value {values})");
    }
    if query.ask.model {
        text.push_str("(get-model)\n");
    }
    if query.ask.core {
        text.push_str("(get-unsat-core)\n");
    }
}

fn end(marker: &str, text: &mut String) {
    let _ = writeln!(text, "(echo \"{marker}\")");
}

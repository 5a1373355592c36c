//! What is asked of a solver.

use crate::sexpr::{ReadError, Sexpr, read_all};
use std::time::Duration;

/// One question: are these assertions satisfiable together?
///
/// A query is complete in itself: all its declarations are among its commands, and it is answered
/// as if no other query existed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// A short name, for the file of a dump: `swap/ensures/1`.
    pub name: String,
    /// The obligation in words and source text, for the top of a dump. Has no influence on the answer.
    pub about: String,
    /// Declarations, definitions and assertions, in this order. No `check-sat`, no options.
    pub commands: Vec<Sexpr>,
    /// What to tell besides the verdict.
    pub ask: Ask,
    /// Which solver, and how it goes about it.
    pub strategy: Strategy,
    /// Further options of the solver: `("smt.arith.solver", "2")`.
    pub options: Vec<(String, String)>,
    /// When to give up.
    pub limits: Limits,
    /// Where the solver's chance begins.
    pub seed: u32,
    /// Does whoever asks keep what follows from `unsat`? Then that answer need not be kept as well.
    pub is_noted: bool,
}

impl Query {
    /// A query with the usual strategy and limits that asks for the verdict only.
    pub fn new(name: impl Into<String>, commands: Vec<Sexpr>) -> Query {
        Query {
            name: name.into(),
            about: String::new(),
            commands,
            ask: Ask::default(),
            strategy: Strategy::default(),
            options: Vec::new(),
            limits: Limits::default(),
            seed: 0,
            is_noted: false,
        }
    }

    /// A query from a script by hand: what only a driver may say (`check-sat`, `set-logic`, …) is left out.
    pub fn from_script(name: impl Into<String>, script: &str) -> Result<Query, ReadError> {
        let mut commands = read_all(script)?;
        commands.retain(|command| !is_for_drivers(command));
        Ok(Query::new(name, commands))
    }
}

fn is_for_drivers(command: &Sexpr) -> bool {
    let head = command.as_list().and_then(|items| items.first()?.as_atom());
    matches!(
        head,
        Some("check-sat" | "set-logic" | "set-info" | "get-model" | "exit")
    )
}

/// What to tell besides the verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ask {
    /// If satisfiable: what these terms come to.
    pub values: Vec<Sexpr>,
    /// If satisfiable: the whole model.
    pub model: bool,
    /// If not: which of the named assertions (`(! … :named n)`) were needed.
    pub core: bool,
}

/// When to give up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// In units of Z3, the same on every machine: this one decides. It does some two million in a second.
    pub resource: u64,
    /// A safety net for a solver that does not count: it is ended after this time.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            resource: 10_000_000,
            time: Duration::from_secs(60),
        }
    }
}

/// Which solver, and how it goes about it. The order is the one to try them in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Strategy {
    /// Z3 with the instances that match what occurs, and no others: says soon that it does not know, or shows
    /// a goal with the few instances that it needs. For a first attempt: where a batch leaves it open, it
    /// is not asked again alone.
    Matching,
    /// Z3 without its automatic configuration, and without the simplifications that it makes before it begins:
    /// some of them take longer than all the rest, and some spoil what instances are found by.
    Direct,
    /// Z3 without its automatic configuration: best at most of our goals, and the steadiest.
    #[default]
    Plain,
    /// Z3 as it comes: sets itself up by the shape of the goal.
    Automatic,
    /// cvc5 with enumerative instantiation: proves goals whose witness is missing.
    Enumerate,
    /// cvc5 with model-based instantiation: counterexamples to quantified goals.
    ModelBased,
}

impl Strategy {
    /// All of them.
    pub const ALL: [Strategy; 6] = [
        Strategy::Matching,
        Strategy::Direct,
        Strategy::Plain,
        Strategy::Automatic,
        Strategy::Enumerate,
        Strategy::ModelBased,
    ];

    /// Which solver has it.
    pub fn kind(self) -> Kind {
        match self {
            Strategy::Matching | Strategy::Direct | Strategy::Plain | Strategy::Automatic => {
                Kind::Z3
            }
            Strategy::Enumerate | Strategy::ModelBased => Kind::Cvc5,
        }
    }
}

/// The solvers that are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Z3: the one that is always used.
    Z3,
    /// cvc5: for a second opinion.
    Cvc5,
}

impl Kind {
    /// Its name as people write it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Z3 => "z3",
            Kind::Cvc5 => "cvc5",
        }
    }
}

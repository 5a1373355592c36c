//! Names: those of items and those of locals come from different words, so that they never clash.

use super::composer::Composer;
use plainsong_ir::LocalId;

const TYPES: &[&str] = &[
    "Db", "Node", "Slot", "Round", "Color", "Reply", "Point", "Entry", "Phase",
];
const VARIANTS: &[&str] = &[
    "Red", "Green", "Free", "Taken", "Value", "Yes", "No", "Idle", "Busy",
];
const FIELDS: &[&str] = &["term", "value", "left", "right", "owner"];
const CONSTS: &[&str] = &["LIMIT", "ROOT", "FIRST", "QUORUM", "START", "EMPTY"];
const FUNCTIONS: &[&str] = &["twice", "merge", "is_ready", "step", "largest", "next_of"];
const SIGNALS: &[&str] = &[
    "Vote", "Prepare", "Commit", "Beat", "Ask", "Grant", "Done", "Token",
];
const FAMILIES: &[&str] = &[
    "server",
    "client",
    "worker",
    "keeper",
    "coordinator",
    "replica",
];
const STATE: &[&str] = &[
    "outcome", "seen", "votes", "log", "phase", "held", "queue", "best",
];
const LINES: &[&str] = &["swap", "relay", "commit_all", "elect"];
const PROPERTIES: &[&str] = &["agreement", "exclusive", "quiet", "bounded", "sane"];
const LOCALS: &[&str] = &[
    "a", "b", "c", "d", "i", "j", "k", "m", "n", "p", "q", "r", "s", "t", "u", "v", "w", "x", "y",
    "z", "from", "who", "fair", "ordered", "total", "other",
];

/// What a name is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Type,
    Variant,
    Field,
    Const,
    Function,
    Signal,
    Family,
    State,
    Line,
    Property,
}

impl Kind {
    fn words(self) -> &'static [&'static str] {
        match self {
            Kind::Type => TYPES,
            Kind::Variant => VARIANTS,
            Kind::Field => FIELDS,
            Kind::Const => CONSTS,
            Kind::Function => FUNCTIONS,
            Kind::Signal => SIGNALS,
            Kind::Family => FAMILIES,
            Kind::State => STATE,
            Kind::Line => LINES,
            Kind::Property => PROPERTIES,
        }
    }
}

impl Composer {
    /// A name that is not among `used`.
    pub(super) fn name_apart_from(&mut self, kind: Kind, used: &[String]) -> String {
        let word = *self.dice.pick(kind.words());
        let free = |name: &String| !used.contains(name);
        if free(&word.to_owned()) {
            return word.to_owned();
        }
        (2..)
            .map(|n| format!("{word}{n}"))
            .find(free)
            .unwrap_or_default()
    }

    /// A name for an item, unlike those of all other items.
    pub(super) fn item_name(&mut self, kind: Kind) -> String {
        let name = self.name_apart_from(kind, &self.taken.clone());
        self.taken.push(name.clone());
        name
    }

    /// A name for a local that nothing visible has.
    pub(super) fn local_name(&mut self) -> String {
        let visible = |scope: &super::scope::Scope, name: &str| {
            scope
                .visible
                .iter()
                .any(|local: &LocalId| scope.locals[local.index()].name == name)
        };
        let word = *self.dice.pick(LOCALS);
        let free = |name: &String| !visible(&self.scope, name);
        if free(&word.to_owned()) {
            return word.to_owned();
        }
        (2..)
            .map(|n| format!("{word}{n}"))
            .find(free)
            .unwrap_or_default()
    }
}

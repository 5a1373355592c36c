//! What the names of a file mean.
//!
//! There are four namespaces, told apart by where a name stands:
//!
//! - *items*: sorts, enums, structs, constants, parameters, functions, processes and globals. They
//!   share one, because all of them can stand in an expression (`Db.len()`, `LIMIT`, `db[d]`);
//! - *signals*: messages and actions, named by `send`, `receive`, `on`, `async` and `pending`;
//! - *choreographies*, whose endpoints have a namespace each, and *lemmas*;
//! - *properties*.
//!
//! In an expression a name is looked for from the inside out: local names, the state variables of the
//! process, the endpoints of the choreography, items, and last the variants of enums. An inner
//! meaning hides an outer one.
//!
//! Text that the parser could not make sense of may declare anything, so the names in it are kept as
//! *doubtful*: using one is not reported.

pub(crate) mod declare;
pub(crate) mod scope;

use plainsong_diagnostics::{Span, near_names};
use plainsong_ir::{
    ActionId, ConstId, EnumId, FamilyId, FnId, GlobalId, InvariantId, MessageId, ProcedureId,
    SortId, StructId, VarId,
};
use std::collections::{HashMap, HashSet};

/// What an item's name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    Sort(SortId),
    Enum(EnumId),
    Struct(StructId),
    Const(ConstId),
    Function(FnId),
    Family(FamilyId),
    Global(GlobalId),
}

impl Item {
    /// With an article, for messages.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Item::Sort(_) => "a sort",
            Item::Enum(_) => "an enum",
            Item::Struct(_) => "a struct",
            Item::Const(_) => "a constant",
            Item::Function(_) => "a function",
            Item::Family(_) => "a process",
            Item::Global(_) => "a global variable",
        }
    }

    /// Does it stand for a type?
    pub(crate) fn is_type(self) -> bool {
        matches!(self, Item::Sort(_) | Item::Enum(_) | Item::Struct(_))
    }
}

/// What the name of a message or action means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    Message(MessageId),
    Action(ActionId),
    Procedure(ProcedureId),
    Invariant(InvariantId),
}

impl Signal {
    /// With an article, for messages.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Signal::Message(_) => "a message",
            Signal::Action(_) => "an action",
            Signal::Procedure(_) => "a procedure",
            Signal::Invariant(_) => "an invariant",
        }
    }
}

/// A name's meaning and the place that gives it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Declared<T> {
    pub(crate) what: T,
    pub(crate) span: Span,
}

/// Every name that the items of a file declare.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(crate) items: HashMap<String, Declared<Item>>,
    pub(crate) signals: HashMap<String, Declared<Signal>>,
    /// By position in [`Song::lines`](plainsong_ir::Song::lines).
    pub(crate) lines: HashMap<String, Declared<usize>>,
    /// By position among the lemmas.
    pub(crate) lemmas: HashMap<String, Declared<usize>>,
    pub(crate) properties: HashMap<String, Span>,
    /// The enums that have a variant of this name, ascending, and its position there.
    pub(crate) variants: HashMap<String, Vec<(EnumId, usize)>>,
    /// The position of each field, by struct.
    pub(crate) fields: Vec<HashMap<String, usize>>,
    /// The state variables of each family, by family.
    pub(crate) vars: Vec<HashMap<String, VarId>>,
    /// The endpoints of this name, in all choreographies.
    pub(crate) endpoints: HashMap<String, Vec<Endpoint>>,
    doubtful: HashSet<String>,
}

/// An endpoint and the choreography it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Endpoint {
    pub(crate) line: usize,
    pub(crate) family: FamilyId,
}

impl Names {
    /// What the name of an item means.
    pub(crate) fn item(&self, name: &str) -> Option<Item> {
        self.items.get(name).map(|declared| declared.what)
    }

    /// What the name of a message or action means.
    pub(crate) fn signal(&self, name: &str) -> Option<Signal> {
        self.signals.get(name).map(|declared| declared.what)
    }

    /// The enums that have a variant of this name.
    pub(crate) fn enums_with(&self, variant: &str) -> &[(EnumId, usize)] {
        self.variants.get(variant).map_or(&[], Vec::as_slice)
    }

    /// The position of a variant in its enum.
    pub(crate) fn variant(&self, of: EnumId, name: &str) -> Option<usize> {
        let rows = self.enums_with(name);
        rows.binary_search_by_key(&of, |&(id, _)| id)
            .ok()
            .map(|at| rows[at].1)
    }

    /// The endpoint of this name in a choreography.
    pub(crate) fn endpoint(&self, line: usize, name: &str) -> Option<FamilyId> {
        let rows = self.endpoints.get(name)?;
        let at = rows
            .binary_search_by_key(&line, |endpoint| endpoint.line)
            .ok()?;
        Some(rows[at].family)
    }

    /// Might text that was not understood declare this name?
    pub(crate) fn is_doubtful(&self, name: &str) -> bool {
        self.doubtful.contains(name)
    }

    /// Counts `name` as possibly declared.
    pub(crate) fn doubt(&mut self, name: &str) {
        if !self.doubtful.contains(name) {
            self.doubtful.insert(name.to_owned());
        }
    }
}

/// Names near the one written, nearest first.
pub(crate) fn near<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut near = near_names(written, known);
    // Any two names of one letter are near each other; that helps nobody.
    if written.chars().nth(1).is_none() {
        near.retain(|name| name.eq_ignore_ascii_case(written));
    }
    near
}

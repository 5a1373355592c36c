//! What each local is called in the text.
//!
//! Rows of a table of locals may repeat names, and passes may move code to where a name already
//! means something else. So a local gets its printed name where it is bound: its own, or, if that
//! is visible there or belongs to an item, the first of `x_1`, `x_2`, … that is free.

use crate::{Local, LocalId, Song, System, words};
use std::collections::{BTreeMap, BTreeSet};

/// The names of locals at one point of the text.
pub(super) struct Names<'a> {
    locals: &'a [Local],
    items: BTreeSet<&'a str>,
    given: BTreeMap<LocalId, String>,
    visible: Vec<LocalId>,
}

/// A point to go back to when a scope ends.
#[derive(Clone, Copy)]
pub(super) struct Mark(usize);

impl<'a> Names<'a> {
    /// No local is visible yet. `more` are names that mean something here besides those of items.
    pub(super) fn new(
        song: &'a Song,
        locals: &'a [Local],
        more: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let mut items = item_names(song);
        items.extend(more);
        Names {
            locals,
            items,
            given: BTreeMap::new(),
            visible: Vec::new(),
        }
    }

    /// Binds a local and says what it is called.
    pub(super) fn bind(&mut self, local: LocalId) -> String {
        let row = self.locals.get(local.index());
        let wanted = row.map_or("local", |row| &row.name);
        let name = if self.is_free(wanted) {
            wanted.to_owned()
        } else {
            let base = numbered(wanted);
            (1..)
                .map(|n| format!("{base}_{n}"))
                .find(|name| self.is_free(name))
                .unwrap_or_default()
        };
        self.bind_as(local, name.clone());
        name
    }

    /// Binds a local under a given name, which may hide another.
    pub(super) fn bind_as(&mut self, local: LocalId, name: String) {
        self.given.insert(local, name);
        self.visible.push(local);
    }

    /// What a local is called; one that is bound nowhere keeps its own name.
    pub(super) fn name(&self, local: LocalId) -> &str {
        match self.given.get(&local) {
            Some(name) => name,
            None => self
                .locals
                .get(local.index())
                .map_or("local", |row| &row.name),
        }
    }

    /// The table these names are for.
    pub(super) fn locals(&self) -> &'a [Local] {
        self.locals
    }

    /// Where we are, to [`leave`](Names::leave) to later.
    pub(super) fn mark(&self) -> Mark {
        Mark(self.visible.len())
    }

    /// Forgets what was bound since `mark`.
    pub(super) fn leave(&mut self, mark: Mark) {
        for local in self.visible.drain(mark.0..) {
            self.given.remove(&local);
        }
    }

    fn is_free(&self, name: &str) -> bool {
        words::is_name(name)
            && !self.items.contains(name)
            && !self.visible.iter().any(|local| self.name(*local) == name)
    }
}

/// What numbers are put behind: passes may call locals what is no name in the text.
fn numbered(wanted: &str) -> String {
    let fits = |c: char| c == '_' || c.is_alphanumeric();
    let base: String = wanted
        .chars()
        .map(|c| if fits(c) { c } else { '_' })
        .collect();
    match words::is_name(&format!("{base}_1")) {
        true => base,
        false => "local".to_owned(),
    }
}

/// The names that mean something wherever an expression stands.
pub(super) fn item_names(song: &Song) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    names.extend(song.sorts.iter().map(|sort| &*sort.name));
    names.extend(song.structs.iter().map(|decl| &*decl.name));
    for decl in &song.enums {
        names.insert(&*decl.name);
        names.extend(decl.variants.iter().map(|variant| &*variant.name));
    }
    names.extend(song.consts.iter().map(|decl| &*decl.name));
    names.extend(song.functions.iter().map(|decl| &*decl.name));
    match &song.system {
        System::None => {}
        System::Voices(voices) => {
            let families = voices
                .processes
                .iter()
                .map(|process| process.family.index());
            names.extend(families.filter_map(|at| Some(&*song.families.get(at)?.name)));
        }
        System::Actions(actions) => {
            names.extend(actions.globals.iter().map(|global| &*global.name));
        }
    }
    names
}

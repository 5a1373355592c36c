//! Names that nothing else in a song has.

use plainsong_ir::{Song, System};
use std::collections::BTreeSet;

/// The names that are taken.
pub(super) struct Names(BTreeSet<String>);

impl Names {
    /// Those of a song's declarations.
    pub(super) fn of(song: &Song) -> Names {
        let mut names = BTreeSet::new();
        let mut take = |name: &String| {
            names.insert(name.clone());
        };
        song.sorts.iter().for_each(|one| take(&one.name));
        song.enums.iter().for_each(|one| {
            take(&one.name);
            one.variants.iter().for_each(|one| take(&one.name));
        });
        song.structs.iter().for_each(|one| take(&one.name));
        song.consts.iter().for_each(|one| take(&one.name));
        song.functions.iter().for_each(|one| take(&one.name));
        song.families.iter().for_each(|one| take(&one.name));
        match &song.system {
            System::Actions(actions) => {
                actions.globals.iter().for_each(|one| take(&one.name));
                actions.actions.iter().for_each(|one| take(&one.name));
            }
            System::Voices(voices) => voices.messages.iter().for_each(|one| take(&one.name)),
            System::None => {}
        }
        Names(names)
    }

    /// This name, or with a line behind it if it is taken; it is taken then.
    pub(super) fn fresh(&mut self, name: &str) -> String {
        let mut name = name.to_owned();
        while !self.0.insert(name.clone()) {
            name.push('_');
        }
        name
    }
}

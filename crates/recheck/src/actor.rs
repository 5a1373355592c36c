//! Who acts: a single process, all members of a family that are not looked at by themselves, or one member.

use crate::{Refused, refuse};
use plainsong_ir::{FamilyId, Song};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Actor {
    pub(crate) family: FamilyId,
    /// The member's number, if it is one.
    pub(crate) member: Option<u32>,
}

impl Actor {
    /// The actor of a name in a certificate.
    pub(crate) fn named(song: &Song, name: &str) -> Result<Actor, Refused> {
        let (family, member) = match name.split_once('#') {
            Some((family, number)) => match number.parse() {
                Ok(number) => (family, Some(number)),
                Err(_) => return refuse(format!("`{name}` is no process")),
            },
            None => (name, None),
        };
        let processes = song.voices().map_or(&[][..], |voices| &voices.processes);
        let found = processes
            .iter()
            .find(|process| song.families[process.family.index()].name == family);
        match found {
            Some(process) => Ok(Actor {
                family: process.family,
                member,
            }),
            None => refuse(format!("there is no process `{family}`")),
        }
    }

    /// All members that are not looked at by themselves; of a single process, itself.
    pub(crate) fn whole(self) -> Actor {
        Actor {
            member: None,
            ..self
        }
    }

    /// Is it a whole family?
    pub(crate) fn is_family(self, song: &Song) -> bool {
        self.member.is_none() && !song.families[self.family.index()].index.is_empty()
    }
}

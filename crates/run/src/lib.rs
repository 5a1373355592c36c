//! Plays a choreography: as the line that it is, or as voices on the transports of `plainsong-runtime`.
//!
//! A [`Line`] fixes everything that a run is given from outside: parameters, starting values, the seed of
//! its free choices. It can be played as it stands ([`Line::play`]): the interpreter, statement by statement.
//! Or it is given the voices that projection made of it ([`Line::voices`]), and each voice is
//! interpreted by itself, on a thread, in a process, anywhere: the steps of its code are those of
//! `semantics`, what it sends and receives goes through a [`Net`](plainsong_runtime::Net).
//!
//! Statement. All ways end in the same states, provided that the guards of the line are unanimous.
//! Why. The voices are a Kahn network, of which the line is one schedule; and the k-th free choice
//! of an endpoint is drawn from the same sequence wherever it is made (see [`plainsong_semantics::sample`]).
//!
//! A choice that belongs to no endpoint in the text (`maybe`, `let x = choose …`) is given to one by projection; whoever
//! plays the line gives it to the same one first (`plainsong_project::owned`).
//!
//! Not covered. What a choreography promises (`ensures`, invariants) is checked where all endpoints are
//! at hand, that is when it is played as a line.

mod line;
mod voices;
mod wire;

pub use line::{Line, NoStart};
pub use voices::Voices;

use plainsong_ir::{FamilyId, Song, VarId};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::show::show;
use plainsong_semantics::value::Value;
use std::fmt;

/// The most steps of a run, or of a voice: one that takes more is taken to have no end.
pub const MOST_STEPS: usize = 10_000_000;

/// How an endpoint ended: its variables, in the order of declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// Names and values, as in the text of a song.
    pub variables: Vec<(String, String)>,
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (name, value)) in self.variables.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}{name} = {value}")?;
        }
        Ok(())
    }
}

/// The variables of a member of a family; those that a projection added (`_…`) are not shown.
fn end<'a>(instance: &Instance, family: FamilyId, value: impl Fn(VarId) -> &'a Value) -> End {
    let variables = own_variables(instance.song(), family).map(|(var, name)| {
        let ty = &instance.song().families[family.index()].vars[var.index()].ty;
        (name.to_owned(), show(instance, value(var), ty))
    });
    End {
        variables: variables.collect(),
    }
}

/// The variables of a family that the user declared.
fn own_variables(song: &Song, family: FamilyId) -> impl Iterator<Item = (VarId, &str)> {
    let vars = song.families[family.index()].vars.iter().enumerate();
    vars.map(|(at, var)| (VarId::from(at), &*var.name))
        .filter(|(_, name)| !name.starts_with('_'))
}

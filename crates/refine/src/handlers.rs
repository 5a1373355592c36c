//! Schedules of processes with handlers: what is asked of the action system that they stand for.
//!
//! The translation is [`plainsong_ir::handlers_to_actions`]; here stands what of the answers carries over.

use crate::sequential::waits;
use plainsong_ir::Song;
use plainsong_ir::handlers_to_actions::{Refusal, Unhandled, handlers_to_actions};

/// A song of processes as actions.
#[derive(Clone, Debug)]
pub struct Handlers {
    /// The action system.
    pub song: Song,
    /// Does some message keep an order? Then only what is proved carries over.
    pub ordered: bool,
    /// Why a message may have to wait, if one may; then final states are not the same.
    pub stays: Option<String>,
    /// What its sequentializations are called: by messages, not by the actions that handle them.
    pub names: Vec<String>,
}

impl Handlers {
    /// The action system of a song whose processes have handlers, or why there is none.
    pub fn of(song: &Song) -> Result<Handlers, Refusal> {
        let actions = handlers_to_actions(song, Unhandled::Refused)?;
        let mut all = actions.actions().into_iter().flat_map(|all| &all.actions);
        let stays = all.find(|action| waits(&action.code.body)).map(|action| {
            let name = &action.name;
            format!(
                "`{name}` may have to wait for ever, and then nothing is said about final states"
            )
        });
        let voices = song.voices();
        Ok(Handlers {
            stays,
            ordered: voices.is_some_and(|voices| voices.first_ordered().is_some()),
            names: (song.sequences().iter())
                .map(|one| song.sequence_name(one))
                .collect(),
            song: actions,
        })
    }
}

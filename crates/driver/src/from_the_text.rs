//! What the text of a song says without a look at any execution.

use plainsong_ir::failing::place_that_may_fail;
use plainsong_ir::{Body, Process, Song};
use plainsong_semantics::search::Check;

/// Why something holds whatever the executions are, if the text of a song says so.
pub(crate) fn from_the_text(song: &Song, check: Check) -> Option<&'static str> {
    let voices = song.voices()?;
    let may_wait = |process: &Process| process.daemon || matches!(process.body, Body::Handlers(_));
    match check {
        Check::Assertions if place_that_may_fail(song).is_none() => {
            Some("nothing in the song can fail")
        }
        Check::NoDeadlock if voices.processes.iter().all(may_wait) => {
            Some("every process has handlers or is a daemon, and may wait for ever")
        }
        _ => None,
    }
}

//! What the text of a song says without a look at any execution.

use plainsong_ir::Song;
use plainsong_ir::failing::place_that_may_fail;
use plainsong_ir::waiting::why_nobody_waits;
use plainsong_semantics::search::Check;

/// Why something holds whatever the executions are, if the text of a song says so.
pub(crate) fn from_the_text(song: &Song, check: Check) -> Option<&'static str> {
    match check {
        Check::Assertions if song.voices().is_some() && place_that_may_fail(song).is_none() => {
            Some("nothing in the song can fail")
        }
        Check::NoDeadlock => why_nobody_waits(song),
        _ => None,
    }
}

//! The line of a song's voices as text: `plainsong sequentialize --emit`.

use plainsong_ir::{Delivery, Song, print};
use plainsong_sequentialize::{sequentialize, with_lines};

/// The line that the processes of a song follow, as source text; or why there is none to show.
pub fn line(song: &Song, text: &str, delivery: Option<Delivery>) -> Result<String, String> {
    let found = sequentialize(song, delivery).map_err(|stuck| with_lines(&stuck.sentence, text))?;
    let song = found.line?;
    let line = song.lines.last().ok_or("there is no line")?;
    Ok(print::choreography(&song, line))
}

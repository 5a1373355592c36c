//! The line of a song's voices as text: `plainsong sequentialize --emit`.

use plainsong_ir::{Delivery, Song, print};
use plainsong_sequentialize::{Stuck, sequentialize, with_lines};

/// The line that the processes of a song follow, as source text. Where there is none, as far as it was
/// found, with what remains and why it does not go on, as comments.
pub fn line(song: &Song, text: &str, delivery: Option<Delivery>) -> String {
    match sequentialize(song, delivery) {
        Ok(found) => match found.line {
            Ok(line) => last(&line.song),
            Err(why) => format!("// There is a line, but it cannot be shown: {why}.\n"),
        },
        Err(stuck) => so_far(&stuck, text),
    }
}

fn so_far(stuck: &Stuck, text: &str) -> String {
    let mut told = format!("// No line: {}.\n", with_lines(&stuck.sentence, text));
    for one in &stuck.remaining {
        told.push_str(&format!("// Remains: {}.\n", with_lines(one, text)));
    }
    if let Some(song) = &stuck.so_far {
        told.push_str("// As far as it goes:\n");
        told.push_str(&last(song));
    }
    told
}

/// The line was added last.
fn last(song: &Song) -> String {
    let line = song.lines.last();
    line.map_or(String::new(), |line| print::choreography(song, line))
}

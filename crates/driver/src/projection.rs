//! The voices of a song's choreographies: `plainsong project`.

use crate::Problem;
use plainsong_diagnostics::Diagnostic;
use plainsong_ir::Song;
pub use plainsong_project::codes::ALL as CODES;
pub use plainsong_project::{Options, Projection};

/// The choreography that is meant: the one of that name, or the only one.
pub fn line(song: &Song, name: Option<&str>) -> Result<usize, Problem> {
    let names = || {
        let names = song.lines.iter().map(|line| format!("`{}`", line.name));
        names.collect::<Vec<_>>().join(", ")
    };
    match (name, song.lines.len()) {
        (_, 0) => Err(Problem::new("there is no choreography in this song").help(
            "processes are what `project` makes: `plainsong sequentialize` goes the other way",
        )),
        (None, 1) => Ok(0),
        (None, _) => Err(
            Problem::new("there are several choreographies in this song")
                .help(format!("choose one with `--line`: {}", names())),
        ),
        (Some(name), _) => {
            let found = song.lines.iter().position(|line| line.name == name);
            found.ok_or_else(|| {
                Problem::new(format!("there is no choreography `{name}` in this song"))
                    .help(format!("there are {}", names()))
            })
        }
    }
}

/// The voices of a choreography, or what stands against it.
pub fn project(song: &Song, line: usize, options: &Options) -> Result<Projection, Vec<Diagnostic>> {
    plainsong_project::project(song, line, options)
}

/// The voices as source text.
pub fn text(projection: &Projection) -> String {
    plainsong_ir::print::song(&projection.song)
}

//! `plainsong new`: a folder with a small protocol, one property that holds and one that does not.

use crate::arguments::NewArguments;
use crate::session::Session;
use plainsong_driver::{Exit, Problem};
use std::path::Path;

const SONG: &str = include_str!("../template/song.song");
const README: &str = include_str!("../template/README.md");

/// Makes the folder.
pub(crate) fn new(arguments: &NewArguments, session: &mut Session) -> Exit {
    match make(&arguments.name) {
        Ok(next) => {
            session.console.result(&next);
            Exit::Fine
        }
        Err(problem) => session.reject(&problem),
    }
}

fn make(folder: &Path) -> Result<String, Problem> {
    let name = folder
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let fits = |character: char| character.is_ascii_alphanumeric() || "-_".contains(character);
    if name.is_empty() || !name.chars().all(fits) {
        return Err(
            Problem::new(format!("`{}` does not do as a name", folder.display()))
                .help("use letters, digits, `-` and `_`"),
        );
    }
    if folder.exists() {
        return Err(
            Problem::new(format!("`{}` is there already", folder.display()))
                .help("choose another name; nothing is overwritten"),
        );
    }
    let song = format!("{name}.song");
    let write = || -> std::io::Result<()> {
        std::fs::create_dir_all(folder)?;
        std::fs::write(folder.join(&song), SONG)?;
        std::fs::write(folder.join("README.md"), README.replace("NAME", name))
    };
    write()
        .map_err(|error| Problem::new(format!("cannot make `{}`: {error}", folder.display())))?;
    Ok(format!(
        "made {}\n\n    cd {}\n    plainsong check\n",
        folder.join(song).display(),
        folder.display(),
    ))
}

//! `plainsong check --fix` and `plainsong project --fix`: what projection would add to a choreography is written
//! into the song.

use super::request::files;
use crate::arguments::CheckArguments;
use crate::session::Session;
use plainsong_driver::projection::{self, Options};
use plainsong_driver::{Exit, Problem};
use plainsong_report::count;
use std::path::Path;

/// Mends all choreographies of the files.
pub(crate) fn mend(arguments: &CheckArguments, session: &mut Session) -> Result<(), Exit> {
    let files = files(&arguments.files).map_err(|problem| session.reject(&problem))?;
    for file in files {
        let quiet = arguments.json || arguments.detail.quiet;
        correct(&file, quiet, session)?;
        let (_, song) = session.song(&file)?;
        for line in song.choreographies() {
            mend_line(
                &file,
                &song.lines[line].name,
                &Options::default(),
                quiet,
                session,
            )?;
        }
    }
    Ok(())
}

/// Mistakes that come with a fix, if the text is no song because of them. What cannot be read is told by whoever
/// reads it next.
pub(crate) fn correct(file: &Path, quiet: bool, session: &mut Session) -> Result<(), Exit> {
    let Ok(text) = std::fs::read_to_string(file) else {
        return Ok(());
    };
    let (corrected, fixes) = projection::corrected(&text);
    if fixes == 0 {
        return Ok(());
    }
    write(file, &corrected, session)?;
    if !quiet {
        let told = match fixes {
            1 => "1 mistake corrected".to_owned(),
            many => format!("{many} mistakes corrected"),
        };
        let place = file.display();
        session.console.result(&format!("{place}: {told}\n"));
    }
    Ok(())
}

fn write(file: &Path, text: &str, session: &mut Session) -> Result<(), Exit> {
    std::fs::write(file, text).map_err(|error| {
        let place = file.display();
        session.reject(&Problem::new(format!("{place} cannot be written: {error}")))
    })
}

/// Mends one choreography, and says how often and what that shows.
pub(crate) fn mend_line(
    file: &Path,
    name: &str,
    options: &Options,
    quiet: bool,
    session: &mut Session,
) -> Result<(), Exit> {
    let (loaded, _) = session.song(file)?;
    let mended = projection::mended(&loaded.source.text, name, options);
    let mended = mended.map_err(|problem| session.reject(&problem))?;
    if mended.fixes > 0 {
        write(file, &mended.text, session)?;
    }
    if !quiet {
        let messages = |number: usize| count(number as u64, "message");
        let told = match (mended.fixes, mended.messages) {
            (0, 0) => "nothing to fix".to_owned(),
            (0, left) => format!("nothing to fix; the text does not show {}", messages(left)),
            (fixes, left) => {
                let fixes = if fixes == 1 {
                    "1 fix".to_owned()
                } else {
                    format!("{fixes} fixes")
                };
                let shown = messages(mended.added.saturating_sub(left));
                let hidden = match left {
                    0 => String::new(),
                    left => format!("; the text still does not show {}", messages(left)),
                };
                format!("{fixes}, {shown} added to the text{hidden}")
            }
        };
        session.console.result(&format!("{name}: {told}\n"));
    }
    Ok(())
}

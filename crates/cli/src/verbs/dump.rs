//! `plainsong dump`: a song as it was understood, as a song.

use crate::arguments::DumpArguments;
use crate::session::Session;
use plainsong_driver::Exit;

/// Prints what was compiled; the result compiles to the same thing.
pub(crate) fn dump(arguments: &DumpArguments, session: &mut Session) -> Exit {
    match session.song(&arguments.file) {
        Ok((_, song)) => {
            session.console.raw(&plainsong_ir::print::song(&song));
            Exit::Fine
        }
        Err(exit) => exit,
    }
}

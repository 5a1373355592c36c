//! `plainsong studio`: songs in the browser, served on this machine only.

use crate::arguments::StudioArguments;
use crate::session::Session;
use plainsong_driver::{Exit, Problem};
use plainsong_studio::Studio;
use std::time::Duration;

/// How often Ctrl-C is looked for.
const GLANCE: Duration = Duration::from_millis(100);

/// Serves until Ctrl-C.
pub(crate) fn studio(arguments: &StudioArguments, session: &mut Session) -> Exit {
    if let Some(folder) = &arguments.folder
        && !folder.is_dir()
    {
        let problem = Problem::new(format!("{} is not a folder", folder.display()));
        return session.reject(&problem.help("`plainsong studio DIR` offers the songs below DIR"));
    }
    let studio = match Studio::open(arguments.folder.clone(), arguments.port) {
        Ok(studio) => studio,
        Err(error) => {
            let problem = Problem::new(format!("the studio cannot listen: {error}"));
            return session.reject(&problem.help("another `--port` may be free; 0 takes any"));
        }
    };
    session.interrupt_gently();
    let said = format!("studio: {}\nCtrl-C ends it\n", studio.address());
    session.console.result(&said);
    let serving = std::thread::spawn(move || studio.serve());
    while !session.interrupt.is_set() {
        if serving.is_finished() {
            let ended = serving.join().unwrap_or(Ok(()));
            let why = ended.map_or_else(|error| error.to_string(), |()| "it ended".to_owned());
            return session.reject(&Problem::new(format!("the studio cannot go on: {why}")));
        }
        std::thread::sleep(GLANCE);
    }
    Exit::Fine
}

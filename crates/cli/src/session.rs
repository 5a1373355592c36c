//! What all verbs share during one run: the console, Ctrl-C, and the way out of our own bugs.

use crate::console::Console;
use plainsong_diagnostics::Diagnostic;
use plainsong_driver::contain::{Crash, contained};
use plainsong_driver::save::Saver;
use plainsong_driver::watch::Interrupt;
use plainsong_driver::{Exit, LoadedSong, Problem, Source, song};
use plainsong_ir::Song;
use plainsong_report::stream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long a run has to say what it knows after a second Ctrl-C.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// One run of the command.
pub(crate) struct Session {
    /// Where results and complaints go.
    pub(crate) console: Console,
    /// Set by Ctrl-C.
    pub(crate) interrupt: Interrupt,
    /// Where files about bugs go.
    pub(crate) out: PathBuf,
    gently: Arc<AtomicBool>,
    /// As they were given, with the command itself before them.
    pub(crate) arguments: Vec<String>,
}

impl Session {
    /// Begins to listen to Ctrl-C.
    pub(crate) fn new() -> Self {
        let session = Session {
            console: Console::new(),
            interrupt: Interrupt::default(),
            gently: Arc::default(),
            out: PathBuf::from("out"),
            arguments: std::env::args_os()
                .map(|one| one.to_string_lossy().into_owned())
                .collect(),
        };
        session.listen_to_interrupts();
        session
    }

    /// From now on the first Ctrl-C asks everybody to finish their step, and the second one waits for nobody: what is
    /// known is said, and the run ends. Before that the first one ends it.
    pub(crate) fn interrupt_gently(&self) {
        self.gently.store(true, Ordering::SeqCst);
    }

    /// Ctrl-C is exit code 2: whatever was asked is not known.
    fn listen_to_interrupts(&self) {
        let (interrupt, gently) = (self.interrupt.clone(), self.gently.clone());
        // Without a handler Ctrl-C ends the run anyway, only with another code.
        let _ = ctrlc::set_handler(move || {
            let is_first = !interrupt.is_set();
            if is_first && gently.load(Ordering::SeqCst) {
                interrupt.set();
                return;
            }
            if !is_first {
                interrupt.hurry();
                std::thread::sleep(LAST_WORDS);
            }
            std::process::exit(i32::from(Exit::Unknown.code()));
        });
    }

    /// Runs `work`; a bug in it that nothing smaller contained ends here.
    pub(crate) fn contain(&mut self, work: impl FnOnce(&mut Session) -> Exit) -> Exit {
        match contained(|| work(self)) {
            Ok(exit) => exit,
            Err(crash) => {
                self.bug(None, &crash);
                Exit::Bug
            }
        }
    }

    /// Says what is wrong with a request.
    pub(crate) fn reject(&mut self, problem: &Problem) -> Exit {
        self.console.problem(problem, None);
        Exit::Rejected
    }

    /// Says that we have a bug, and which file to attach.
    pub(crate) fn bug(&mut self, source: Option<&Source>, crash: &Crash) -> Exit {
        let saved = Saver::new(self.out.clone()).bug(source, &self.arguments, crash);
        let problem = Problem::new(format!("this is a bug of plainsong: {}", crash.message));
        let problem = match saved {
            Ok(path) => problem.help(format!("please report it and attach {}", path.display())),
            Err(cannot) => problem.help(cannot.message),
        };
        let problem = Problem {
            file: source.map(|source| source.name.clone()),
            ..problem
        };
        self.console.problem(&problem, None);
        Exit::Bug
    }

    /// Reads and compiles a song, saying what is wrong or suspicious.
    pub(crate) fn song(&mut self, path: &Path) -> Result<(LoadedSong, Arc<Song>), Exit> {
        let source = Source::load(path).map_err(|problem| self.reject(&problem))?;
        let loaded =
            song::compile(source).map_err(|(source, crash)| self.bug(Some(&source), &crash))?;
        self.diagnostics(&loaded.source, &loaded.diagnostics);
        match loaded.song.clone() {
            Some(song) => Ok((loaded, song)),
            None => Err(Exit::Rejected),
        }
    }

    /// Shows diagnostics: to people, or into the stream.
    pub(crate) fn diagnostics(&mut self, source: &Source, diagnostics: &[Diagnostic]) {
        if self.console.json {
            for one in diagnostics {
                self.console.record(&stream::diagnostic(source.text(), one));
            }
        } else if !diagnostics.is_empty() {
            self.console
                .remark(&plainsong_report::diagnostics(source.text(), diagnostics));
        }
    }
}

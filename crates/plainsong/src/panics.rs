//! Panics of explored code: recorded, not printed.
//!
//! While a process runs, its panics are failures to be reported with a picture, or part of what
//! the code under test does and catches. The hook installed here records message and place and
//! stays silent; everywhere else it passes the panic on to the hook that was there before.

use std::any::Any;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::cell::{Cell, RefCell};
use std::fmt;
use std::sync::Once;

/// A panic as the user should see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Caught {
    pub(crate) message: String,
    /// `file:line:column` of the user's own code.
    pub(crate) location: Option<String>,
    /// Frames of the user's code, when `RUST_BACKTRACE` asks for them.
    pub(crate) frames: Option<String>,
}

impl Caught {
    /// Is it the same panic, in another run?
    pub(crate) fn is_like(&self, other: &Caught) -> bool {
        self.message == other.message && self.location == other.location
    }
}

impl fmt::Display for Caught {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a panic")?;
        if let Some(location) = &self.location {
            write!(f, ", at {location}")?;
        }
        write!(f, ": {}", self.message)
    }
}

/// What to record of a panic.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    Nothing,
    /// Message and place.
    Place,
    /// The frames too, if `RUST_BACKTRACE` asks for them: that takes time.
    Frames,
}

thread_local! {
    static RECORDING: Cell<Detail> = const { Cell::new(Detail::Nothing) };
    static LAST: RefCell<Option<Caught>> = const { RefCell::new(None) };
    /// The one before the last, if nobody caught it.
    static BEFORE: RefCell<Option<Caught>> = const { RefCell::new(None) };
}

/// Installs the hook, once per program.
pub(crate) fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let record = RECORDING.get();
            if record == Detail::Nothing {
                previous(info);
                return;
            }
            let caught = Caught {
                message: message(info.payload()),
                location: info.location().map(ToString::to_string),
                frames: (record == Detail::Frames).then(frames).flatten(),
            };
            if is_the_end(&caught.message) {
                last_words();
                return;
            }
            if std::thread::panicking() && is_nested() {
                complain(&caught);
            }
            BEFORE.set(LAST.replace(Some(caught)));
        }));
    });
}

/// Records panics until the result is dropped.
pub(crate) fn record(what: Detail) -> Recording {
    Recording(RECORDING.replace(what))
}

/// Goes back to what was done with panics before.
pub(crate) struct Recording(Detail);

impl Drop for Recording {
    fn drop(&mut self) {
        RECORDING.set(self.0);
    }
}

/// What is known about a panic that was just caught.
pub(crate) fn caught(payload: &(dyn Any + Send)) -> Caught {
    BEFORE.take();
    LAST.take().unwrap_or_else(|| Caught {
        message: message(payload),
        location: None,
        frames: None,
    })
}

/// The panic that is in flight, if it was recorded.
pub(crate) fn last() -> Option<Caught> {
    LAST.with_borrow(Clone::clone)
}

fn message(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "a panic without a message".to_owned()
    }
}

thread_local! {
    static UNWINDING: Cell<bool> = const { Cell::new(false) };
}

/// Says that this thread unwinds a process whose execution is given up.
pub(crate) fn unwinding(yes: bool) {
    UNWINDING.set(yes);
}

fn is_nested() -> bool {
    UNWINDING.get()
}

/// A destructor panics while its process is unwound: the program is about to abort.
#[expect(
    clippy::print_stderr,
    reason = "the last words before the program aborts"
)]
fn complain(caught: &Caught) {
    let place = caught.location.as_deref().unwrap_or("an unknown place");
    eprintln!(
        "plainsong: a destructor panicked while an execution was given up: {} ({place})\n\
         Destructors run when an execution is given up; let those that insist on something \
         check `std::thread::panicking()` first.",
        caught.message
    );
}

/// Is it what the runtime says before it aborts the program, because a destructor panicked while a
/// panic was in progress?
fn is_the_end(message: &str) -> bool {
    message == "panic in a destructor during cleanup"
}

/// The panics that nobody will report any more.
#[expect(
    clippy::print_stderr,
    reason = "the last words before the program aborts"
)]
fn last_words() {
    if is_nested() {
        return; // That was explained already.
    }
    let show = |caught: Option<Caught>| caught.map_or(String::new(), |it| format!("\n  {it}"));
    eprintln!(
        "plainsong: a destructor panicked while its process unwound from a panic, so the program \
         aborts:{}{}",
        show(BEFORE.take()),
        show(LAST.take())
    );
}

/// The user's frames of the present panic, if backtraces are wanted.
fn frames() -> Option<String> {
    let trace = Backtrace::capture();
    (trace.status() == BacktraceStatus::Captured).then(|| trim(&trace.to_string()))
}

/// Leaves out what lies above the panic and below the process: the runtime's and our own frames.
fn trim(trace: &str) -> String {
    let mut kept = String::new();
    let mut inside = false;
    let mut skip = false;
    for line in trace.lines() {
        let is_frame = line
            .trim_start()
            .split_once(": ")
            .is_some_and(|(number, _)| {
                !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
            });
        if is_frame {
            if line.contains("plainsong::task::run_body")
                || line.contains("plainsong::monitor::observers::")
            {
                break;
            }
            let is_panic = line.contains("core::panicking::")
                || line.contains("rust_begin_unwind")
                || line.contains("__rustc")
                || line.contains("std::panicking::")
                || line.contains("begin_panic");
            inside |= is_panic;
            skip = !inside || is_panic;
        }
        if !skip {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

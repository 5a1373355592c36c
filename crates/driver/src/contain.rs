//! Containing our own bugs: a panic inside one query becomes a value, and a file to attach.
//!
//! While contained code runs, the panic hook keeps message and backtrace instead of printing them.
//! A stack overflow cannot be contained; the command line runs everything on a large stack, and the
//! parser and the interpreter limit their depth.

use std::any::Any;
use std::backtrace::Backtrace;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::Once;

/// What is known about a panic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crash {
    /// The invariant that was broken, as the panic put it, with its place in our code.
    pub message: String,
    /// How it came to that.
    pub backtrace: String,
}

/// Runs `work`; a panic in it is caught and described.
pub fn contained<T>(work: impl FnOnce() -> T) -> Result<T, Crash> {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(install);
    let outer = CONTAINED.with(|contained| contained.replace(Some(None)));
    let result = catch_unwind(AssertUnwindSafe(work));
    let crash = CONTAINED
        .with(|contained| contained.replace(outer))
        .flatten();
    result.map_err(|payload| {
        crash.unwrap_or_else(|| Crash {
            message: said(&*payload),
            backtrace: String::new(),
        })
    })
}

/// What a panic of another thread, handed over to this one, said.
fn said(payload: &(dyn Any + Send)) -> String {
    let owned = payload.downcast_ref::<String>().cloned();
    let text = || {
        payload
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
    };
    owned
        .or_else(text)
        .unwrap_or_else(|| "no message".to_owned())
}

thread_local! {
    /// Nothing outside of [`contained`]; inside, the panic once there was one.
    static CONTAINED: RefCell<Option<Option<Crash>>> = const { RefCell::new(None) };
}

fn install() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let kept = CONTAINED.with(|contained| match contained.try_borrow_mut() {
            Ok(mut slot) if slot.is_some() => {
                *slot = Some(Some(describe(info)));
                true
            }
            _ => false,
        });
        if !kept {
            usual(info);
        }
    }));
}

fn describe(info: &PanicHookInfo<'_>) -> Crash {
    let text = info.payload_as_str().unwrap_or("no message");
    let place = info
        .location()
        .map(|at| format!(" ({}:{})", at.file(), at.line()));
    Crash {
        message: format!("{text}{}", place.unwrap_or_default()),
        backtrace: Backtrace::force_capture().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_value_and_the_next_query_runs() {
        let crash = contained(|| panic!("every lane has a name")).expect_err("it panicked");
        assert!(
            crash.message.starts_with("every lane has a name ("),
            "{}",
            crash.message
        );
        assert!(crash.backtrace.contains("contained"));
        assert_eq!(contained(|| 2), Ok(2));
    }

    #[test]
    fn a_panic_that_a_worker_hands_over_keeps_its_words() {
        let crash = contained(|| {
            let worker = std::thread::spawn(|| std::panic::resume_unwind(Box::new("its words")));
            let panic = worker.join().expect_err("it panicked");
            std::panic::resume_unwind(panic);
        });
        assert_eq!(crash.expect_err("it panicked").message, "its words");
    }

    #[test]
    fn containers_nest() {
        let outer = contained(|| {
            let inner = contained(|| panic!("inner")).expect_err("it panicked");
            assert!(inner.message.starts_with("inner"));
            panic!("outer");
        });
        assert!(outer.expect_err("it panicked").message.starts_with("outer"));
    }
}

//! A clear message when a process runs out of stack.
//!
//! Below each stack lies a guard page. Touching it raises a signal that, left alone, ends the
//! program without a word. The handler here recognises the guard page of the coroutine that runs,
//! says what happened and what to do, and aborts; every other fault goes to the handler that was
//! there before (the standard library's, usually). Going on after an overflow is not attempted:
//! it can strike anywhere, in the allocator for instance.
//!
//! Why sound. The handler reads a thread-local without destructor and initialiser, formats into a
//! buffer on the signal stack that the standard library has set up, and calls `write` and `abort`,
//! which may be called from signal handlers. [`PREVIOUS`] is written once, before the handler can
//! run.

use std::cell::Cell;
use std::mem::MaybeUninit;
use std::sync::OnceLock;

/// The guard page of a stack.
#[derive(Clone, Copy)]
pub(super) struct Guard {
    low: usize,
    high: usize,
    size: usize,
}

const NONE: Guard = Guard {
    low: 0,
    high: 0,
    size: 0,
};

thread_local! {
    static WATCHED: Cell<Guard> = const { Cell::new(NONE) };
}

impl Guard {
    /// The guard page at the end of a stack of `size` bytes.
    pub(super) fn of(limit: usize, page: usize, size: usize) -> Self {
        Guard {
            low: limit,
            high: limit + page,
            size,
        }
    }

    /// Watches the page until the result is dropped.
    pub(super) fn watch(self) -> Watched {
        Watched(WATCHED.replace(self))
    }
}

/// How large a guard page is.
pub(super) fn page_size() -> usize {
    // SAFETY: it only asks for a number.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(page).unwrap_or(4096)
}

/// Goes back to the page that was watched before.
pub(super) struct Watched(Guard);

impl Drop for Watched {
    fn drop(&mut self) {
        WATCHED.set(self.0);
    }
}

struct Previous([libc::sigaction; 2]);

static PREVIOUS: OnceLock<Previous> = OnceLock::new();

const SIGNALS: [libc::c_int; 2] = [libc::SIGSEGV, libc::SIGBUS];

/// Installs the handler, once per program.
pub(super) fn install() {
    PREVIOUS.get_or_init(|| {
        // SAFETY: asking for the present handlers needs no handler of our own.
        let previous = Previous(SIGNALS.map(|signal| unsafe {
            let mut old = MaybeUninit::zeroed();
            libc::sigaction(signal, std::ptr::null(), old.as_mut_ptr());
            old.assume_init()
        }));
        for signal in SIGNALS {
            // SAFETY: all zeros is an empty `sigaction`; `on_fault` has the type that SA_SIGINFO wants.
            unsafe {
                let mut action: libc::sigaction = std::mem::zeroed();
                action.sa_sigaction = on_fault as *const () as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                libc::sigemptyset(&raw mut action.sa_mask);
                libc::sigaction(signal, &raw const action, std::ptr::null_mut());
            }
        }
        previous
    });
}

type Handler = extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void);

extern "C" fn on_fault(
    signal: libc::c_int,
    info: *mut libc::siginfo_t,
    context: *mut libc::c_void,
) {
    // SAFETY: the system passes a valid description of the fault.
    let address = unsafe { (*info).si_addr() } as usize;
    let guard = WATCHED.get();
    if (guard.low..guard.high).contains(&address) {
        report(guard.size);
    }
    let which = usize::from(signal != SIGNALS[0]);
    let previous = PREVIOUS.get().map(|previous| &previous.0[which]);
    match previous {
        Some(old) if old.sa_sigaction != libc::SIG_DFL && old.sa_sigaction != libc::SIG_IGN => {
            // SAFETY: it was installed as a handler; one that takes fewer arguments ignores the rest.
            let old: Handler = unsafe { std::mem::transmute(old.sa_sigaction) };
            old(signal, info, context);
        }
        _ => {
            // SAFETY: with the default action the fault happens again and ends the program.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
    }
}

fn report(size: usize) -> ! {
    let mut digits = [0u8; 20];
    let digits = decimal(size / 1024, &mut digits);
    let parts: [&[u8]; 3] = [
        b"\nplainsong: a process of the explored program has overflowed its stack of ",
        digits,
        b" KiB.\nIf it does not recurse for ever, give it more with `Explorer::stack_size`.\n",
    ];
    for part in parts {
        // SAFETY: the buffer is valid; there is nobody to tell when writing fails.
        unsafe { libc::write(2, part.as_ptr().cast(), part.len()) };
    }
    std::process::abort()
}

/// The digits of a number, without allocation.
fn decimal(mut number: usize, buffer: &mut [u8; 20]) -> &[u8] {
    let mut at = buffer.len();
    loop {
        at -= 1;
        buffer[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return &buffer[at..];
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn numbers_are_written_without_allocation() {
        let mut buffer = [0; 20];
        assert_eq!(super::decimal(0, &mut buffer), b"0");
        assert_eq!(super::decimal(25_690, &mut buffer), b"25690");
        assert_eq!(
            super::decimal(usize::MAX, &mut buffer),
            usize::MAX.to_string().as_bytes()
        );
    }
}

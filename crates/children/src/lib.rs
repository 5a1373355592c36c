//! Child processes that end when their parent does, however it ends.
//!
//! A parent that ends properly ends its children itself. One that is killed (`kill -9`, the kernel short of memory) cannot,
//! and a child that computes notices nothing: it reads no input and writes no output. So somebody else has to look after
//! it: on Unix a watchdog, on Windows a job object ([`guard`]).
//!
//! A [`Guarded`] child is also ended when it is dropped.

#[cfg_attr(unix, path = "watchdog.rs")]
#[cfg_attr(windows, path = "job.rs")]
#[cfg_attr(not(any(unix, windows)), path = "nobody.rs")]
mod guard;

use std::io;
use std::process::{
    Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Output, Stdio,
};

/// Starts a child that ends with this process.
///
/// # Errors
///
/// When it cannot be started.
pub fn spawn(command: &mut Command) -> io::Result<Guarded> {
    start(command, Reach::Child)
}

/// Starts a child that ends with this process, and with it all that it starts itself: for `cargo`, browsers and
/// others that leave the work to further processes. On Unix they are a process group of their own, so Ctrl-C at a
/// terminal reaches this process only.
///
/// # Errors
///
/// When it cannot be started.
pub fn spawn_group(command: &mut Command) -> io::Result<Guarded> {
    guard::own_group(command);
    start(command, Reach::Group)
}

/// Runs a command, with all that it starts, to its end, and says what it wrote. There is nothing on its standard input.
///
/// # Errors
///
/// When it cannot be started, or a pipe breaks.
pub fn output(command: &mut Command) -> io::Result<Output> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    spawn_group(command)?.output()
}

fn start(command: &mut Command, reach: Reach) -> io::Result<Guarded> {
    guard::prepare();
    let child = command.spawn()?;
    guard::watch(child.id(), reach);
    Ok(Guarded {
        child: Some(child),
        reach,
    })
}

/// Who is ended together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    Child,
    /// The child and what it started.
    Group,
}

/// A child that ends with this process, or when it is dropped.
#[derive(Debug)]
pub struct Guarded {
    /// Taken when it was waited for.
    child: Option<Child>,
    reach: Reach,
}

impl Guarded {
    /// Its number; none if it was waited for.
    pub fn id(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    /// The pipe to its standard input, if there is one and nobody has taken it.
    pub fn stdin(&mut self) -> Option<ChildStdin> {
        self.child.as_mut()?.stdin.take()
    }

    /// The pipe from its standard output, if there is one and nobody has taken it.
    pub fn stdout(&mut self) -> Option<ChildStdout> {
        self.child.as_mut()?.stdout.take()
    }

    /// The pipe from its standard error, if there is one and nobody has taken it.
    pub fn stderr(&mut self) -> Option<ChildStderr> {
        self.child.as_mut()?.stderr.take()
    }

    /// How it ended, if it has.
    ///
    /// # Errors
    ///
    /// When the system does not say.
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        match &mut self.child {
            Some(child) => child.try_wait(),
            None => Err(over()),
        }
    }

    /// Waits for its end.
    ///
    /// # Errors
    ///
    /// When the system does not say how it ended.
    pub fn wait(mut self) -> io::Result<ExitStatus> {
        let child = self.child.as_mut().ok_or_else(over)?;
        let status = child.wait();
        self.forget();
        status
    }

    /// Waits for its end; says what it wrote to the pipes that nobody has taken.
    ///
    /// # Errors
    ///
    /// When a pipe breaks.
    pub fn output(mut self) -> io::Result<Output> {
        let child = self.child.take().ok_or_else(over)?;
        let id = child.id();
        let output = child.wait_with_output();
        guard::forget(id, self.reach);
        output
    }

    /// Ends it, and says how it ended: perhaps by itself before.
    ///
    /// # Errors
    ///
    /// When the system does not say how it ended.
    pub fn end(&mut self) -> io::Result<ExitStatus> {
        let Some(child) = &mut self.child else {
            return Err(over());
        };
        // Before it is waited for: after that, its number may be another process's.
        guard::end(child.id(), self.reach);
        // If it has ended already there is nothing to end.
        let _ = child.kill();
        let status = child.wait();
        self.child = None;
        status
    }

    fn forget(&mut self) {
        if let Some(child) = self.child.take() {
            guard::forget(child.id(), self.reach);
        }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        if self.child.is_some() {
            let _ = self.end();
        }
    }
}

fn over() -> io::Error {
    io::Error::other("it has ended")
}

//! The watchdog on Unix: a shell that waits for its standard input to end.
//!
//! Statement. When this process is gone, its children are killed within a moment.
//!
//! Why. Only this process holds the other end of the watchdog's input (pipes are not inherited by other children), so
//! the kernel closes it however this process ends. What the watchdog read until then says which children there are. It
//! is a process group of its own, and ignores polite signals: neither Ctrl-C nor a kill of this process's group
//! ends it before its time. A child is told of before it is given anything to do, and forgotten before it is
//! waited for, so that its number is not another process's.
//!
//! Rejected. `PR_SET_PDEATHSIG` exists on Linux only, fires when the *thread* that started the child ends, and needs
//! `unsafe` code between fork and exec, which also makes starting slower the more memory this process has.

use super::Reach;
use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// `+ 17` watches a process, `- 17` forgets it, `! 17` kills it and forgets it; `-17` is a process group.
const SCRIPT: &str = "\
trap '' INT TERM HUP QUIT USR1 USR2 PIPE TSTP
all=' '
while read -r verb who; do
  case $verb in
    +) all=\"$all$who \" ;;
    !) kill -s KILL -- \"$who\" 2>/dev/null ;;
  esac
  case $verb in
    -|!) case $all in *\" $who \"*) all=\"${all%% $who *} ${all#* $who }\" ;; esac ;;
  esac
done
for who in $all; do kill -s KILL -- \"$who\" 2>/dev/null; done
exit 0
";

static WATCHDOG: Mutex<Watchdog> = Mutex::new(Watchdog {
    wards: BTreeSet::new(),
    process: None,
});

/// Whom it watches, and the process that does.
struct Watchdog {
    wards: BTreeSet<String>,
    process: Option<(Child, ChildStdin)>,
}

/// Makes the child the first of a process group.
pub(super) fn own_group(command: &mut Command) {
    command.process_group(0);
}

/// Starts the watchdog, before there is anybody to watch.
pub(super) fn prepare() {
    watchdog().awake();
}

pub(super) fn watch(id: u32, reach: Reach) {
    let who = name(id, reach);
    let mut watchdog = watchdog();
    watchdog.wards.insert(who.clone());
    watchdog.tell(&format!("+ {who}\n"));
}

/// The child has ended.
pub(super) fn forget(id: u32, reach: Reach) {
    let who = name(id, reach);
    let mut watchdog = watchdog();
    watchdog.wards.remove(&who);
    watchdog.tell(&format!("- {who}\n"));
}

/// The child is about to be ended. What it started is ended by the watchdog: there is no safe function for that.
pub(super) fn end(id: u32, reach: Reach) {
    if reach == Reach::Child {
        return forget(id, reach);
    }
    let who = name(id, reach);
    let mut watchdog = watchdog();
    watchdog.wards.remove(&who);
    watchdog.tell(&format!("! {who}\n"));
}

impl Watchdog {
    /// Tells it something. One that is gone is replaced by another, which is told everything.
    fn tell(&mut self, line: &str) {
        if let Some((_, input)) = &mut self.process
            && input.write_all(line.as_bytes()).is_ok()
        {
            return;
        }
        self.process = None;
        self.awake();
        if let Some((_, input)) = &mut self.process {
            let _ = input.write_all(line.as_bytes());
        }
    }

    /// Starts it, if it does not run. Without a shell there is none, and children are as alone as ever.
    fn awake(&mut self) {
        if let Some((child, _)) = &mut self.process {
            match child.try_wait() {
                Ok(None) => return,
                _ => self.process = None,
            }
        }
        self.process = start(&self.wards).ok();
    }
}

fn start(wards: &BTreeSet<String>) -> io::Result<(Child, ChildStdin)> {
    let mut child = Command::new("/bin/sh")
        .args(["-c", SCRIPT, "plainsong-watchdog"])
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()?;
    let mut input = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
    for who in wards {
        writeln!(input, "+ {who}")?;
    }
    Ok((child, input))
}

/// As `kill` takes it.
fn name(id: u32, reach: Reach) -> String {
    match reach {
        Reach::Child => id.to_string(),
        Reach::Group => format!("-{id}"),
    }
}

fn watchdog() -> MutexGuard<'static, Watchdog> {
    WATCHDOG.lock().unwrap_or_else(PoisonError::into_inner)
}

//! One solver process behind a pipe.
//!
//! Nothing that happens at the other end can hang or harm this one. Writing is done by a thread of
//! its own (a solver that does not read fills the pipe), so is reading; whoever waits for an answer
//! looks up regularly to see whether time is up or nobody wants it any more. After any failure the
//! process is ended: a late answer has no way to be taken for one to a later question, and each
//! answer ends with a marker that occurs only once.
//!
//! Nor does a solver outlive this process, however that ends (`plainsong-children`); and it has limits of its own, of
//! memory and of time, should nobody be left to end it.

use crate::answer::Reason;
use crate::cancel::Cancel;
use crate::query::Kind;
use crate::solver::Solver;
use plainsong_children::Guarded;
use std::io::{self, Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often somebody who waits looks up.
const LOOK_UP: Duration = Duration::from_millis(10);

/// No answer is as long as this.
const LONGEST_REPLY: usize = 64 << 20;

/// How much of a solver's complaints is kept.
const COMPLAINTS: usize = 2_000;

/// No process lives longer than this: who is asked for longer is asked again, of another one.
pub(crate) const LIFETIME: Duration = Duration::from_secs(3_600);

/// How long a solver that has ended is listened to: somebody else may hold the pipe of its complaints open.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// A running solver. Dropping it ends it.
pub(crate) struct Process {
    child: Guarded,
    input: Sender<String>,
    output: Receiver<Vec<u8>>,
    complaints: Arc<Mutex<Vec<u8>>>,
    /// Disconnected when all complaints were read.
    complained: Receiver<()>,
    /// What was read beyond the last marker.
    ahead: Vec<u8>,
    questions: u64,
}

impl Process {
    /// Starts a solver that may use so much memory.
    pub(crate) fn start(solver: &Solver, memory_mb: u32) -> io::Result<Process> {
        let mut command = Command::new(&solver.program);
        command.args(&solver.arguments);
        match solver.kind {
            Kind::Z3 => command
                .arg("-in")
                .arg(format!("-memory:{memory_mb}"))
                .arg(format!("-T:{}", LIFETIME.as_secs())),
            Kind::Cvc5 => command.arg(memory_mb.to_string()),
        };
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child = plainsong_children::spawn(&mut command)?;
        let (input, to_write) = mpsc::channel();
        let (to_read, output) = mpsc::channel();
        let (complains, complained) = mpsc::channel();
        let mut process = Process {
            child,
            input,
            output,
            complaints: Arc::default(),
            complained,
            ahead: Vec::new(),
            questions: 0,
        };
        process.listen(to_write, to_read, complains)?;
        Ok(process)
    }

    /// Starts the threads at the pipes.
    fn listen(
        &mut self,
        to_write: Receiver<String>,
        to_read: Sender<Vec<u8>>,
        complains: Sender<()>,
    ) -> io::Result<()> {
        if let Some(pipe) = self.child.stdin() {
            start_thread(move || write_all(pipe, &to_write))?;
        }
        if let Some(pipe) = self.child.stdout() {
            start_thread(move || read_all(pipe, |chunk| to_read.send(chunk.to_vec()).is_ok()))?;
        }
        if let Some(pipe) = self.child.stderr() {
            let complaints = self.complaints.clone();
            start_thread(move || {
                read_all(pipe, |chunk| keep(&complaints, chunk));
                drop(complains);
            })?;
        }
        Ok(())
    }

    /// A marker that this process has not seen yet.
    pub(crate) fn marker(&mut self) -> String {
        self.questions += 1;
        format!("<<plainsong {}>>", self.questions)
    }

    /// How many questions it has answered.
    pub(crate) fn questions(&self) -> u64 {
        self.questions
    }

    /// Sends a text. That it could not be sent shows when the answer does not come.
    pub(crate) fn say(&mut self, text: String) {
        let _ = self.input.send(text);
    }

    /// Everything up to the marker. After an error the process is of no use any more.
    pub(crate) fn hear(
        &mut self,
        marker: &str,
        time: Duration,
        cancel: &Cancel,
    ) -> Result<String, Reason> {
        let begin = Instant::now();
        let mut searched = 0;
        loop {
            if let Some(text) = self.take_until(marker, &mut searched) {
                return String::from_utf8(text)
                    .map_err(|_| Reason::Garbage("bytes that are not text".to_owned()));
            }
            if self.ahead.len() > LONGEST_REPLY {
                return Err(Reason::Garbage("no end of it".to_owned()));
            }
            if cancel.is_cancelled() {
                return Err(Reason::Cancelled);
            }
            let left = time.saturating_sub(begin.elapsed());
            if left.is_zero() {
                return Err(Reason::Time(time));
            }
            match self.output.recv_timeout(left.min(LOOK_UP)) {
                Ok(chunk) => self.ahead.extend(chunk),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(self.why_it_ended(cancel)),
            }
        }
    }

    /// Takes what stands before the marker, and the marker's line. Each byte is searched once.
    fn take_until(&mut self, marker: &str, searched: &mut usize) -> Option<Vec<u8>> {
        let from = searched.saturating_sub(marker.len());
        let Some(found) = find(&self.ahead[from..], marker.as_bytes()) else {
            *searched = self.ahead.len();
            return None;
        };
        let at = from + found;
        let line_end = at + find(&self.ahead[at..], b"\n")?;
        let rest = self.ahead.split_off(line_end + 1);
        let mut text = std::mem::replace(&mut self.ahead, rest);
        text.truncate(at);
        if text.last() == Some(&b'"') {
            text.pop(); // Some solvers print the quotes of an echoed string.
        }
        Some(text)
    }

    /// The pipe is closed: says what is known about it.
    fn why_it_ended(&mut self, cancel: &Cancel) -> Reason {
        // Ctrl-C reaches the children of a terminal's process too.
        if cancel.is_cancelled() {
            return Reason::Cancelled;
        }
        let mut text = match self.child.end() {
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        };
        let _ = self.complained.recv_timeout(LAST_WORDS);
        let said = [&self.ahead[..], &lock(&self.complaints)[..]].concat();
        let said = String::from_utf8_lossy(&said);
        if said.contains("out of memory") || said.contains("bad_alloc") {
            return Reason::Memory;
        }
        if let Some(line) = said.lines().rfind(|line| !line.trim().is_empty()) {
            let line: String = line.chars().take(200).collect();
            text.push_str(&format!(", it said {line:?}"));
        }
        Reason::Crash(text)
    }
}

fn start_thread(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().spawn(work).map(drop)
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

fn write_all(mut pipe: impl Write, texts: &Receiver<String>) {
    while let Ok(text) = texts.recv() {
        if pipe
            .write_all(text.as_bytes())
            .and_then(|()| pipe.flush())
            .is_err()
        {
            return;
        }
    }
}

fn read_all(mut pipe: impl Read, mut keep: impl FnMut(&[u8]) -> bool) {
    let mut buffer = vec![0; 1 << 16];
    loop {
        match pipe.read(&mut buffer) {
            Ok(0) => return,
            Ok(length) if keep(&buffer[..length]) => {}
            Ok(_) => return,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// Keeps the last bytes; a solver that complains a lot must not fill the memory.
fn keep(complaints: &Mutex<Vec<u8>>, chunk: &[u8]) -> bool {
    let mut kept = lock(complaints);
    kept.extend(chunk);
    let surplus = kept.len().saturating_sub(COMPLAINTS);
    kept.drain(..surplus);
    true
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

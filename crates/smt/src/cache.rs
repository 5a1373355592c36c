//! Answers on disk.
//!
//! An answer is filed under the SHA-256 of all it depends on: the query as canonical text with its
//! settings and seed, and the solver with its version. Limits are not among it: an answer under one
//! limit is as good under another. That the solver gave up by itself, or at its resource limit, is kept
//! too, under a key that has that limit: it would do so again. Whatever depends on the machine (time,
//! memory, a crash) is worth another try and is not kept; nor is what a first attempt left open, which may depend
//! on the queries that it shared a process with.
//!
//! An entry begins with a message authentication code over its key and its text, under a key of the user's that lies
//! elsewhere ([`seal`](crate::seal)). So one that was cut off, edited, moved or written by somebody else is ignored. It
//! gets its name by a rename, so two runs can share a folder. Nothing that goes wrong here is an error: without a cache
//! the answer is the same, only later.
//!
//! What a run has found out itself it remembers without looking at the disk, also when the cache is switched off.

use crate::answer::{Answer, Outcome, Reason};
use crate::caching::{CacheMode, Caching};
use crate::install::sha256;
use crate::query::{Query, Strategy};
use crate::script;
use crate::seal::SealKey;
use crate::sexpr::{Sexpr, read};
use crate::solver::Solver;
use std::collections::HashMap;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

/// Changes when the form of entries does.
const FORM: &str = "plainsong answer 2";

/// So many bytes are remembered of what this run found out.
const REMEMBERED: usize = 64 << 20;

/// No entry is as long as this.
const LONGEST: u64 = 64 << 20;

/// There are 16 folders (making one takes longer than writing an entry); each keeps so many entries, or a few more, then
/// loses its older half.
const ENTRIES: usize = 6_000;

/// A folder of answers.
#[derive(Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
    /// None: entries can neither be trusted nor made.
    seal: Option<SealKey>,
    caching: Caching,
    memory: Mutex<Memory>,
}

/// What this run has found out.
#[derive(Debug, Default)]
struct Memory {
    bodies: HashMap<Key, String>,
    bytes: usize,
}

/// Where an answer is filed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key(String);

impl Key {
    pub(crate) fn new(query: &Query, solver: &Solver) -> Key {
        let text = format!("{FORM}\n{}\n{}", solver.title(), script::identity(query));
        Key(digest(&text))
    }

    /// Where it is filed that nothing is known under this limit.
    pub(crate) fn of_silence(&self, query: &Query) -> Key {
        let limit = query.limits.resource;
        Key(digest(&format!("{FORM}, silent at {limit}\n{}", self.0)))
    }
}

impl Key {
    /// One entry in 256, more or less, looks whether its folder has too much in it: looking takes as long as
    /// writing many.
    fn make_room(&self, folder: &Path) {
        if self.0.ends_with("00") {
            make_room(folder);
        }
    }
}

impl Cache {
    /// Answers in this folder, which need not exist yet; without a key only those of this run.
    pub(crate) fn new(folder: PathBuf, seal: Option<SealKey>, caching: Caching) -> Cache {
        Cache {
            folder,
            seal,
            caching,
            memory: Mutex::default(),
        }
    }

    /// The answer to a query, if there is a sound entry.
    pub(crate) fn get(&self, key: &Key, query: &Query, solver: &Solver) -> Option<Answer> {
        let entry = self.entry(key, query, solver);
        entry.or_else(|| self.entry(&key.of_silence(query), query, solver))
    }

    fn entry(&self, key: &Key, query: &Query, solver: &Solver) -> Option<Answer> {
        let (body, cached) = self.load(key)?;
        let (outcome, resource, time) = entry(&read(&body).ok()?)?;
        if !fits(&outcome, query) {
            return None;
        }
        self.count(cached);
        Some(Answer {
            outcome,
            resource,
            time,
            solver: solver.title(),
            cached,
        })
    }

    /// Keeps an answer if it would be the same again.
    pub(crate) fn put(&self, key: &Key, query: &Query, answer: &Answer) {
        if query.is_noted && answer.is_unsat() {
            return;
        }
        let Some(body) = body(answer).filter(|_| would_be_repeated(query, answer)) else {
            return;
        };
        let key = match answer.outcome {
            Outcome::Unknown(_) => key.of_silence(query),
            _ => key.clone(),
        };
        self.store(key, body);
    }

    /// What was noted under a text, if the entry is sound.
    pub(crate) fn recall(&self, about: &str) -> Option<String> {
        let (body, cached) = self.load(&noted(about))?;
        self.count(cached);
        Some(body)
    }

    /// Notes something under a text.
    pub(crate) fn note(&self, about: &str, body: &str) {
        self.store(noted(about), body.to_owned());
    }

    /// The body of an entry, and whether it is of an earlier run.
    fn load(&self, key: &Key) -> Option<(String, bool)> {
        if let Some(body) = self.memory().bodies.get(key) {
            return Some((body.clone(), false));
        }
        let is_read = self.caching.mode == CacheMode::Use;
        let seal_key = self.seal.as_ref().filter(|_| is_read)?;
        let mut text = String::new();
        let path = self.path(key);
        // Whoever opens a pipe waits for its other end.
        fs::symlink_metadata(&path)
            .ok()
            .filter(fs::Metadata::is_file)?;
        let file = fs::File::open(path).ok()?;
        file.take(LONGEST).read_to_string(&mut text).ok()?;
        let (seal, body) = text.split_once('\n')?;
        let fits = seal_key.fits(seal, &key.0, body);
        fits.then(|| (body.to_owned(), true))
    }

    /// Remembers an entry, and writes it. A full disk or a folder of somebody else's: then it is not written.
    fn store(&self, key: Key, body: String) {
        let is_written = self.caching.mode != CacheMode::Off;
        if let Some(seal_key) = self.seal.as_ref().filter(|_| is_written) {
            let path = self.path(&key);
            let text = format!("{}\n{body}", seal_key.seal(&key.0, &body));
            if let Some(folder) = path.parent() {
                let _ = write(folder, &path, &text);
                key.make_room(folder);
            }
        }
        let mut memory = self.memory();
        if memory.bytes + body.len() <= REMEMBERED {
            memory.bytes += body.len();
            memory.bodies.insert(key, body);
        }
    }

    fn count(&self, cached: bool) {
        if cached {
            self.caching.count();
        }
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn path(&self, key: &Key) -> PathBuf {
        self.folder.join(&key.0[..1]).join(&key.0[1..])
    }
}

fn write(folder: &Path, path: &Path, text: &str) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.persist(path)?;
    Ok(())
}

/// Drops the older half of a folder that has too much in it.
fn make_room(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let paths: Vec<PathBuf> = entries.filter_map(|one| Some(one.ok()?.path())).collect();
    if paths.len() <= ENTRIES {
        return;
    }
    let age = |path: &PathBuf| {
        let modified = fs::metadata(path).and_then(|data| data.modified());
        modified.unwrap_or(SystemTime::UNIX_EPOCH)
    };
    let mut by_age: Vec<(SystemTime, PathBuf)> =
        paths.into_iter().map(|path| (age(&path), path)).collect();
    by_age.sort();
    for (_, path) in &by_age[..ENTRIES / 2] {
        let _ = fs::remove_file(path);
    }
}

/// The key of a note; no query has it, because those begin otherwise.
fn noted(about: &str) -> Key {
    Key(digest(&format!("plainsong note 2\n{about}")))
}

fn digest(text: &str) -> String {
    sha256(text.as_bytes()).unwrap_or_default()
}

/// `(verdict (items …) model resource nanoseconds)`; a missing part is `()`.
fn body(answer: &Answer) -> Option<String> {
    let none = || Sexpr::list([]);
    let (nothing, mut why) = (Vec::new(), Vec::new());
    let (verdict, items, model) = match &answer.outcome {
        Outcome::Unsat { core } => ("unsat", core, none()),
        Outcome::Sat { values, model } => {
            let model = model.clone().map(|model| Sexpr::list([model]));
            ("sat", values, model.unwrap_or_else(none))
        }
        Outcome::Unknown(Reason::Resource) => ("resource", &nothing, none()),
        Outcome::Unknown(Reason::Incomplete(text)) => {
            why.push(Sexpr::text(text));
            ("incomplete", &why, none())
        }
        Outcome::Unknown(_) => return None,
    };
    let resource = answer.resource.map_or_else(none, Sexpr::int);
    let time = u64::try_from(answer.time.as_nanos()).unwrap_or(u64::MAX);
    let items = Sexpr::List(items.clone());
    Some(Sexpr::call(verdict, [items, model, resource, Sexpr::int(time)]).to_string())
}

fn entry(body: &Sexpr) -> Option<(Outcome, Option<u64>, Duration)> {
    let [verdict, items, model, resource, time] = body.as_list()? else {
        return None;
    };
    let items = items.as_list()?.to_vec();
    let outcome = match verdict.as_atom()? {
        "unsat" => Outcome::Unsat { core: items },
        "sat" => Outcome::Sat {
            values: items,
            model: model.as_list()?.first().cloned(),
        },
        "resource" => Outcome::Unknown(Reason::Resource),
        "incomplete" => Outcome::Unknown(Reason::Incomplete(items.first()?.as_text()?)),
        _ => return None,
    };
    let resource = resource.as_int().and_then(|value| value.try_into().ok());
    let time = Duration::from_nanos(time.as_int()?.try_into().ok()?);
    Some((outcome, resource, time))
}

/// Would the solver say the same again? It counts what it spends, so that being stopped by somebody else is
/// told from reaching the limit; and who was interrupted might have gone on.
fn would_be_repeated(query: &Query, answer: &Answer) -> bool {
    match &answer.outcome {
        Outcome::Unknown(_) if query.strategy == Strategy::Matching => false,
        Outcome::Unknown(Reason::Resource) => answer.resource >= Some(query.limits.resource),
        Outcome::Unknown(Reason::Incomplete(text)) => {
            let stopped = ["interrupt", "timeout", "time"];
            !stopped.iter().any(|word| text.contains(word))
        }
        _ => true,
    }
}

/// Does it tell what is asked? The key says so already; this keeps callers from having to trust it.
fn fits(outcome: &Outcome, query: &Query) -> bool {
    match outcome {
        Outcome::Sat { values, model } => {
            values.len() == query.ask.values.len() && model.is_some() == query.ask.model
        }
        _ => true,
    }
}

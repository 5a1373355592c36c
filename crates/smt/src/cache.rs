//! Answers on disk.
//!
//! An answer is filed under the SHA-256 of all it depends on: the query as canonical text with its
//! settings and seed, and the solver with its version. Limits are not among it: an answer under one
//! limit is as good under another. That the solver gave up by itself, or at its resource limit, is kept
//! too, under a key that has that limit: it would do so again. Whatever depends on the machine (time,
//! memory, a crash) is worth another try and is not kept; nor is what a first attempt left open, which may depend
//! on the queries that it shared a process with.
//!
//! An entry begins with a digest over its key and its text, so one that was cut off, edited or moved is
//! ignored. It gets its name by a rename, so two runs can share a folder. Nothing that goes wrong
//! here is an error: without a cache the answer is the same, only later.

use crate::answer::{Answer, Outcome, Reason};
use crate::install::sha256;
use crate::query::{Query, Strategy};
use crate::script;
use crate::sexpr::{Sexpr, read};
use crate::solver::Solver;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Changes when the form of entries does.
const FORM: &str = "plainsong answer 1";

/// There are 16 folders (making one takes longer than writing an entry); each keeps so many entries, or a few more, then
/// loses its older half.
const ENTRIES: usize = 6_000;

/// A folder of answers.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
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
    /// Answers in this folder, which need not exist yet.
    pub(crate) fn new(folder: impl Into<PathBuf>) -> Cache {
        Cache {
            folder: folder.into(),
        }
    }

    /// The answer to a query, if there is a sound entry.
    pub(crate) fn get(&self, key: &Key, query: &Query, solver: &Solver) -> Option<Answer> {
        let entry = self.entry(key, query, solver);
        entry.or_else(|| self.entry(&key.of_silence(query), query, solver))
    }

    fn entry(&self, key: &Key, query: &Query, solver: &Solver) -> Option<Answer> {
        let text = fs::read_to_string(self.path(key)).ok()?;
        let (seal, body) = text.split_once('\n')?;
        if seal != sealed(key, body) {
            return None;
        }
        let (outcome, resource, time) = entry(&read(body).ok()?)?;
        fits(&outcome, query).then(|| Answer {
            outcome,
            resource,
            time,
            solver: solver.title(),
            cached: true,
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
        let key = &match answer.outcome {
            Outcome::Unknown(_) => key.of_silence(query),
            _ => key.clone(),
        };
        let path = self.path(key);
        let Some(folder) = path.parent() else {
            return;
        };
        // A full disk or a folder of somebody else's: then it is not kept.
        let _ = write(folder, &path, &format!("{}\n{body}", sealed(key, &body)));
        key.make_room(folder);
    }

    /// What was noted under a text, if the entry is sound.
    pub(crate) fn recall(&self, about: &str) -> Option<String> {
        let key = noted(about);
        let text = fs::read_to_string(self.path(&key)).ok()?;
        let (seal, body) = text.split_once('\n')?;
        (seal == sealed(&key, body)).then(|| body.to_owned())
    }

    /// Notes something under a text.
    pub(crate) fn note(&self, about: &str, body: &str) {
        let key = noted(about);
        let path = self.path(&key);
        if let Some(folder) = path.parent() {
            let _ = write(folder, &path, &format!("{}\n{body}", sealed(&key, body)));
            key.make_room(folder);
        }
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
    Key(digest(&format!("plainsong note 1\n{about}")))
}

fn digest(text: &str) -> String {
    sha256(text.as_bytes()).unwrap_or_default()
}

fn sealed(key: &Key, body: &str) -> String {
    digest(&format!("{}\n{body}", key.0))
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

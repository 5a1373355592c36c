//! What others hold: every solver there is, behind one door.
//!
//! Nothing is looked for, fetched or started before the first query.

use crate::answer::{Answer, Outcome, Reason};
use crate::cache::{Cache, Key};
use crate::caching::{CacheMode, Caching};
use crate::cancel::Cancel;
use crate::dump::dump;
use crate::install::{Attempt, Found, Places};
use crate::pool::{Pool, PoolSize};
use crate::query::{Ask, Kind, Query, Strategy};
use crate::seal::SealKey;
use crate::sexpr::Sexpr;
use crate::solver::{Host, Solver};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// What a second opinion may cost at least: it does not find what the first one found within the same limit.
const RECHECK: u64 = 3_000_000;

/// Whom to tell that something takes a while.
pub type Notice = Arc<dyn Fn(&str) + Send + Sync>;

/// How the solvers of one run are set up.
#[derive(Clone, Default)]
pub struct Setup {
    /// Where to look for them.
    pub places: Places,
    /// How many processes, how large.
    pub size: PoolSize,
    /// Where answers are kept; without it every query is asked.
    pub answers: Option<PathBuf>,
    /// Whether they are looked up and kept.
    pub caching: Caching,
    /// Where every query is written to, for people.
    pub dump: Option<PathBuf>,
    /// Whether to fetch a solver again when that failed a short time ago.
    pub attempt: Attempt,
    /// Told before a solver is fetched.
    pub notice: Option<Notice>,
    /// Who runs cvc5; without it there are no second opinions.
    pub host: Option<Host>,
}

impl Setup {
    /// As this user's environment has it.
    pub fn from_environment() -> Setup {
        Setup::with_caching(&Caching::default())
    }

    /// The same, with the cache used so.
    pub fn with_caching(caching: &Caching) -> Setup {
        let places = Places::from_environment();
        Setup {
            answers: places.cache.as_ref().map(|cache| cache.join("answers")),
            caching: caching.clone(),
            places,
            ..Setup::default()
        }
    }
}

/// A second opinion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opinion {
    /// The other solver says the same.
    Same(Answer),
    /// It says the opposite: one of them is wrong, and nothing is known.
    Other(Answer),
    /// It does not know either way, or is not there.
    None(Reason),
}

/// The solvers of one run. Shared by reference between threads.
pub struct Solvers {
    setup: Setup,
    cache: OnceLock<Option<Cache>>,
    z3: OnceLock<Result<(Found, Pool), String>>,
    cvc5: OnceLock<Result<Pool, String>>,
    /// What first attempts left open in this run: not worth keeping for others, nor asking again.
    left_open: Mutex<HashMap<Key, Answer>>,
}

impl Solvers {
    /// Solvers that will be looked for when they are needed.
    pub fn new(setup: Setup) -> Solvers {
        Solvers {
            setup,
            cache: OnceLock::new(),
            z3: OnceLock::new(),
            cvc5: OnceLock::new(),
            left_open: Mutex::default(),
        }
    }

    /// Where answers are kept, and the key that seals them; an error says why nothing is kept. Makes the key if there
    /// is none.
    pub fn examine_cache(&self) -> Result<(&Path, &Path), String> {
        let none = "there is no folder for caches on this machine";
        let answers = self.setup.answers.as_deref().ok_or(none)?;
        let none = "there is no folder for the key apart from the cache";
        let key = self.setup.places.key.as_deref().ok_or(none)?;
        SealKey::open(key).map(|_| (answers, key))
    }

    /// The cache; nothing is made or read before the first question.
    fn cache(&self) -> Option<&Cache> {
        let Setup {
            answers,
            caching,
            places,
            ..
        } = &self.setup;
        let open = || {
            let is_off = caching.mode == CacheMode::Off;
            let key = places.key.as_ref().filter(|_| !is_off);
            let seal = key.and_then(|key| SealKey::open(key).ok());
            let answers = answers.clone()?;
            Some(Cache::new(answers, seal, caching.clone()))
        };
        self.cache.get_or_init(open).as_ref()
    }

    /// The solver that is always used; an error says what to do to get one.
    pub fn primary(&self, cancel: &Cancel) -> Result<&Found, &str> {
        self.z3(cancel).map(|(found, _)| found)
    }

    /// Finds the solver that is always used and has it answer two questions. An error says what is wrong
    /// and what to do.
    pub fn examine(&self, cancel: &Cancel) -> Result<&Found, String> {
        let (found, pool) = self.z3(cancel)?;
        examine(pool, Strategy::Plain, cancel)?;
        Ok(found)
    }

    /// The same with the solver that gives second opinions.
    pub fn examine_second(&self, cancel: &Cancel) -> Result<&Solver, String> {
        let pool = self.cvc5(cancel)?;
        examine(pool, Strategy::Enumerate, cancel)?;
        Ok(pool.solver())
    }

    /// What the other solver says about a query that was decided; see [`Opinion`].
    pub fn recheck(&self, query: &Query, answer: &Answer, cancel: &Cancel) -> Opinion {
        let mut query = query.clone();
        query.ask = Ask::default();
        query.options.clear();
        query.limits.resource = query.limits.resource.max(RECHECK);
        query.strategy = match answer.outcome {
            Outcome::Unsat { .. } => Strategy::Enumerate,
            Outcome::Sat { .. } => Strategy::ModelBased,
            Outcome::Unknown(_) => return Opinion::None(Reason::Incomplete(String::new())),
        };
        let second = self.ask(&query, cancel);
        match second.outcome {
            Outcome::Unknown(reason) => Opinion::None(reason),
            _ if second.is_sat() == answer.is_sat() => Opinion::Same(second),
            _ => Opinion::Other(second),
        }
    }

    pub fn ask(&self, query: &Query, cancel: &Cancel) -> Answer {
        self.record(query);
        let pool = match self.pool_for(query, cancel) {
            Ok(pool) => pool,
            Err(reason) => return Answer::unknown(reason),
        };
        let key = self.key(query, pool);
        self.look_up(&key, query, pool).unwrap_or_else(|| {
            let answer = pool.ask(query, cancel);
            self.keep(&key, query, &answer);
            answer
        })
    }

    /// Answers many queries, in parallel and in batches; answers come in their order.
    pub fn ask_all(&self, queries: &[Query], cancel: &Cancel) -> Vec<Answer> {
        let mut answers: Vec<Option<Answer>> = vec![None; queries.len()];
        for kind in [Kind::Z3, Kind::Cvc5] {
            let is_its = |at: &usize| queries[*at].strategy.kind() == kind;
            let its: Vec<usize> = (0..queries.len()).filter(is_its).collect();
            self.ask_some(queries, &its, &mut answers, cancel);
        }
        answers.into_iter().flatten().collect()
    }

    /// Fills in the answers at positions whose queries are for the same solver.
    fn ask_some(
        &self,
        queries: &[Query],
        positions: &[usize],
        answers: &mut [Option<Answer>],
        cancel: &Cancel,
    ) {
        let Some(&first) = positions.first() else {
            return;
        };
        let pool = self.pool_for(&queries[first], cancel);
        let (mut open, mut keys) = (Vec::new(), Vec::new());
        for &at in positions {
            self.record(&queries[at]);
            let pool = match &pool {
                Ok(pool) => pool,
                Err(reason) => {
                    answers[at] = Some(Answer::unknown(reason.clone()));
                    continue;
                }
            };
            let key = self.key(&queries[at], pool);
            answers[at] = self.look_up(&key, &queries[at], pool);
            if answers[at].is_none() {
                open.push(at);
                keys.push(key);
            }
        }
        let Ok(pool) = pool else {
            return;
        };
        let asked: Vec<&Query> = open.iter().map(|&at| &queries[at]).collect();
        let heard = pool.ask_all(&asked, cancel);
        for ((at, key), answer) in open.into_iter().zip(keys).zip(heard) {
            self.keep(&key, &queries[at], &answer);
            answers[at] = Some(answer);
        }
    }

    /// What was noted about a text by whoever asked this solver before; nothing when queries are to be
    /// dumped, because then they have to be asked.
    pub fn recall(&self, about: &str, cancel: &Cancel) -> Option<String> {
        let cache = self.cache().filter(|_| self.setup.dump.is_none())?;
        let (found, _) = self.z3(cancel).ok()?;
        cache.recall(&format!("{}\n{about}", found.solver.title()))
    }

    /// Notes a conclusion that was drawn from this solver's answers. The text has to contain all that
    /// the conclusion depends on.
    pub fn note(&self, about: &str, what: &str, cancel: &Cancel) {
        if let (Some(cache), Ok((found, _))) = (self.cache(), self.z3(cancel)) {
            cache.note(&format!("{}\n{about}", found.solver.title()), what);
        }
    }

    /// What this build of the program noted about a text: something that it tried in vain, which another build
    /// may try otherwise. Nothing when queries are to be dumped.
    pub fn recall_vain(&self, about: &str) -> Option<String> {
        let cache = self.cache().filter(|_| self.setup.dump.is_none())?;
        cache.recall(&format!("{}\n{about}", build()?))
    }

    /// Notes something that was tried in vain, for later runs of this build. The text has to contain all that it
    /// depends on.
    pub fn note_vain(&self, about: &str, what: &str) {
        if let (Some(cache), Some(build)) = (self.cache(), build()) {
            cache.note(&format!("{build}\n{about}"), what);
        }
    }

    /// What this build of the program concluded from this solver's answers; nothing when queries are to be dumped.
    pub fn recall_conclusion(&self, about: &str, cancel: &Cancel) -> Option<String> {
        self.recall(&format!("{}\n{about}", build()?), cancel)
    }

    /// Notes what was concluded, for later runs of this build with this solver. The text has to contain all else
    /// that the conclusion depends on.
    pub fn note_conclusion(&self, about: &str, what: &str, cancel: &Cancel) {
        if let Some(build) = build() {
            self.note(&format!("{build}\n{about}"), what, cancel);
        }
    }

    fn record(&self, query: &Query) {
        if let Some(folder) = &self.setup.dump {
            // Whoever asked for a dump checked the folder; a disk that fills up must not end the run.
            let _ = dump(query, folder);
        }
    }

    /// Where the answer to a query is filed; nowhere without a cache.
    fn key(&self, query: &Query, pool: &Pool) -> Option<Key> {
        let key = |_: &Cache| Key::new(query, pool.solver());
        self.cache().map(key)
    }

    fn look_up(&self, key: &Option<Key>, query: &Query, pool: &Pool) -> Option<Answer> {
        let (cache, key) = (self.cache()?, key.as_ref()?);
        if query.strategy == Strategy::Matching {
            let left_open = self.left_open();
            if let Some(answer) = left_open.get(&key.of_silence(query)) {
                return Some(answer.clone());
            }
        }
        cache.get(key, query, pool.solver())
    }

    fn keep(&self, key: &Option<Key>, query: &Query, answer: &Answer) {
        let (Some(cache), Some(key)) = (self.cache(), key) else {
            return;
        };
        let is_open = matches!(
            answer.outcome,
            Outcome::Unknown(Reason::Resource | Reason::Incomplete(_))
        );
        match query.strategy {
            Strategy::Matching if is_open => {
                let key = key.of_silence(query);
                self.left_open().insert(key, answer.clone());
            }
            _ => cache.put(key, query, answer),
        }
    }

    fn left_open(&self) -> MutexGuard<'_, HashMap<Key, Answer>> {
        let left_open = self.left_open.lock();
        left_open.unwrap_or_else(PoisonError::into_inner)
    }

    fn pool_for(&self, query: &Query, cancel: &Cancel) -> Result<&Pool, Reason> {
        match query.strategy.kind() {
            Kind::Z3 => match self.z3(cancel) {
                Ok((_, pool)) => Ok(pool),
                Err(why) => Err(Reason::NoSolver(why.to_owned())),
            },
            Kind::Cvc5 => self.cvc5(cancel).map_err(Reason::NoSolver),
        }
    }

    fn z3(&self, cancel: &Cancel) -> Result<&(Found, Pool), &str> {
        let find = || {
            let Setup {
                places, attempt, ..
            } = &self.setup;
            let notice = |text: &str| self.notice(text);
            let found = places.z3(*attempt, &notice, cancel)?;
            let pool = Pool::new(found.solver.clone(), self.setup.size);
            Ok((found, pool))
        };
        self.z3.get_or_init(find).as_ref().map_err(String::as_str)
    }

    fn cvc5(&self, cancel: &Cancel) -> Result<&Pool, String> {
        let find = || {
            let Setup {
                places, attempt, ..
            } = &self.setup;
            let host = self.setup.host.as_ref();
            let host = host.ok_or("no program was named that runs cvc5")?;
            let notice = |text: &str| self.notice(text);
            let libraries = places.cvc5(*attempt, &notice, cancel)?;
            Ok(Pool::new(Solver::cvc5(host, libraries), self.setup.size))
        };
        self.cvc5.get_or_init(find).as_ref().map_err(String::clone)
    }

    fn notice(&self, text: &str) {
        if let Some(notice) = &self.setup.notice {
            notice(text);
        }
    }
}

/// Which build of the program this is: the size of its file, and when it was written.
fn build() -> Option<&'static str> {
    static BUILD: OnceLock<Option<String>> = OnceLock::new();
    let read = || {
        let data = std::env::current_exe().and_then(std::fs::metadata).ok()?;
        let since = data.modified().ok()?.duration_since(std::time::UNIX_EPOCH);
        Some(format!("build {} {}", data.len(), since.ok()?.as_nanos()))
    };
    BUILD.get_or_init(read).as_deref()
}

/// Does it answer, and rightly?
fn examine(pool: &Pool, strategy: Strategy, cancel: &Cancel) -> Result<(), String> {
    let question = |value| {
        let assertion = Sexpr::call("assert", [Sexpr::bool(value)]);
        let mut query = Query::new("examination", vec![assertion]);
        query.strategy = strategy;
        pool.ask(&query, cancel).outcome
    };
    let program = pool.solver().program.display();
    match (question(true), question(false)) {
        (Outcome::Sat { .. }, Outcome::Unsat { .. }) => Ok(()),
        (Outcome::Unknown(reason), _) | (_, Outcome::Unknown(reason)) => {
            Err(format!("{program} does not answer: {reason}"))
        }
        _ => Err(format!("{program} is wrong")),
    }
}

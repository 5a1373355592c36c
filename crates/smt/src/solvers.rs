//! What others hold: every solver there is, behind one door.
//!
//! Nothing is looked for, fetched or started before the first query.

use crate::answer::{Answer, Outcome, Reason};
use crate::cache::{Cache, Key};
use crate::cancel::Cancel;
use crate::dump::dump;
use crate::install::{Attempt, Found, Places};
use crate::pool::{Pool, PoolSize};
use crate::query::{Kind, Query};
use crate::sexpr::Sexpr;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

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
    /// Where every query is written to, for people.
    pub dump: Option<PathBuf>,
    /// Whether to fetch a solver again when that failed a short time ago.
    pub attempt: Attempt,
    /// Told before a solver is fetched.
    pub notice: Option<Notice>,
}

impl Setup {
    /// As this user's environment has it.
    pub fn from_environment() -> Setup {
        let places = Places::from_environment();
        Setup {
            answers: places.cache.as_ref().map(|cache| cache.join("answers")),
            places,
            ..Setup::default()
        }
    }
}

/// The solvers of one run. Shared by reference between threads.
pub struct Solvers {
    setup: Setup,
    cache: Option<Cache>,
    z3: OnceLock<Result<(Found, Pool), String>>,
}

impl Solvers {
    /// Solvers that will be looked for when they are needed.
    pub fn new(setup: Setup) -> Solvers {
        Solvers {
            cache: setup.answers.as_ref().map(Cache::new),
            setup,
            z3: OnceLock::new(),
        }
    }

    /// The solver that is always used; an error says what to do to get one.
    pub fn primary(&self, cancel: &Cancel) -> Result<&Found, &str> {
        self.z3(cancel).map(|(found, _)| found)
    }

    /// Finds the solver that is always used and has it answer two questions. An error says what is wrong
    /// and what to do.
    pub fn examine(&self, cancel: &Cancel) -> Result<&Found, String> {
        let (found, pool) = self.z3(cancel)?;
        let question = |value| {
            let assertion = Sexpr::call("assert", [Sexpr::bool(value)]);
            pool.ask(&Query::new("examination", vec![assertion]), cancel)
        };
        let (yes, no) = (question(true), question(false));
        match (yes.outcome, no.outcome) {
            (Outcome::Sat { .. }, Outcome::Unsat { .. }) => Ok(found),
            (Outcome::Unknown(reason), _) | (_, Outcome::Unknown(reason)) => {
                let program = found.solver.program.display();
                Err(format!("{program} does not answer: {reason}"))
            }
            _ => Err(format!("{} is wrong", found.solver.program.display())),
        }
    }

    /// Answers one query.
    pub fn ask(&self, query: &Query, cancel: &Cancel) -> Answer {
        self.record(query);
        let pool = match self.pool_for(query, cancel) {
            Ok(pool) => pool,
            Err(reason) => return Answer::unknown(reason),
        };
        self.look_up(query, pool).unwrap_or_else(|| {
            let answer = pool.ask(query, cancel);
            self.keep(query, pool, &answer);
            answer
        })
    }

    /// Answers many queries, in parallel and in batches; answers come in their order.
    pub fn ask_all(&self, queries: &[Query], cancel: &Cancel) -> Vec<Answer> {
        let Ok((_, pool)) = self.z3(cancel) else {
            return self.ask_each(queries, cancel);
        };
        if queries
            .iter()
            .any(|query| query.strategy.kind() != Kind::Z3)
        {
            return self.ask_each(queries, cancel);
        }
        queries.iter().for_each(|query| self.record(query));
        let mut answers: Vec<Option<Answer>> = queries
            .iter()
            .map(|query| self.look_up(query, pool))
            .collect();
        let is_open = |at: &usize| answers[*at].is_none();
        let open: Vec<usize> = (0..queries.len()).filter(is_open).collect();
        let asked: Vec<&Query> = open.iter().map(|&at| &queries[at]).collect();
        for (at, answer) in open.into_iter().zip(pool.ask_all(&asked, cancel)) {
            self.keep(&queries[at], pool, &answer);
            answers[at] = Some(answer);
        }
        answers.into_iter().flatten().collect()
    }

    fn ask_each(&self, queries: &[Query], cancel: &Cancel) -> Vec<Answer> {
        queries
            .iter()
            .map(|query| self.ask(query, cancel))
            .collect()
    }

    fn record(&self, query: &Query) {
        if let Some(folder) = &self.setup.dump {
            // Whoever asked for a dump checked the folder; a disk that fills up must not end the run.
            let _ = dump(query, folder);
        }
    }

    fn look_up(&self, query: &Query, pool: &Pool) -> Option<Answer> {
        let key = Key::new(query, pool.solver());
        self.cache.as_ref()?.get(&key, query, pool.solver())
    }

    fn keep(&self, query: &Query, pool: &Pool, answer: &Answer) {
        if let Some(cache) = &self.cache {
            cache.put(&Key::new(query, pool.solver()), answer);
        }
    }

    fn pool_for(&self, query: &Query, cancel: &Cancel) -> Result<&Pool, Reason> {
        match query.strategy.kind() {
            Kind::Z3 => match self.z3(cancel) {
                Ok((_, pool)) => Ok(pool),
                Err(why) => Err(Reason::NoSolver(why.to_owned())),
            },
            Kind::Cvc5 => Err(Reason::NoSolver("there is no cvc5".to_owned())),
        }
    }

    fn z3(&self, cancel: &Cancel) -> Result<&(Found, Pool), &str> {
        let find = || {
            let notice = |text: &str| {
                if let Some(notice) = &self.setup.notice {
                    notice(text);
                }
            };
            let Setup {
                places, attempt, ..
            } = &self.setup;
            let found = places.z3(*attempt, &notice, cancel)?;
            let pool = Pool::new(found.solver.clone(), self.setup.size);
            Ok((found, pool))
        };
        self.z3.get_or_init(find).as_ref().map_err(String::as_str)
    }
}

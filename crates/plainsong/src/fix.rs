//! Named choices whose value is fixed from outside.
//!
//! A [named choice](crate::choose_named) is free, unless the settings fix it: for every process, or for
//! one process and one occurrence. A fixed choice has one outcome, so the exploration is *restricted*: it
//! visits exactly those executions of the whole that take the fixed values. The report says what was
//! fixed, because "holds" is then about the restricted executions only.
//!
//! Values are compared as they are printed (`{:?}`), as in traces: so they can come from a file, and
//! `2` fixes a choice among numbers of any type.
//!
//! A fix that never applies is a mistake and not a restriction: a value that is not among the options, or
//! a name that no execution comes to. Both end the exploration with [`End::WrongFix`](crate::End::WrongFix).
//! That no execution comes to a name is known only when all were looked at; before that, it is a note.

use crate::explorer::Explorer;
use crate::failure::{Failure, FailureKind};
use crate::task::Task;
use plainsong_diagnostics::nearest;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Debug};
use std::panic::Location;
use std::sync::Arc;

/// A choice that was fixed, as the report names it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fixed {
    /// The name of the choice.
    pub name: String,
    /// In which process, by its name, and which of its choices of that name, from 1; none for all.
    pub place: Option<(String, u32)>,
    /// The value, as it is printed with `{:?}`.
    pub value: String,
}

impl fmt::Display for Fixed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.name)?;
        if let Some((process, occurrence)) = &self.place {
            write!(f, " of {process}, number {occurrence},")?;
        }
        write!(f, " is {}", self.value)
    }
}

impl Explorer {
    /// Fixes a [named choice](crate::choose_named), wherever it is made: only executions with this value
    /// are explored, and the [report](crate::Report::fixed) says so.
    ///
    /// The value is the option that is printed like this one. What is said later replaces what was said
    /// before, and [`fix_at`](Explorer::fix_at) is stronger. A [replay](Explorer::replay) follows its trace
    /// and does not mind.
    ///
    /// ```
    /// use plainsong::{choose_named, Explorer};
    ///
    /// let program = || {
    ///     let retries = choose_named("retries", 0..3);
    ///     let size = choose_named("size", [1, 64]);
    ///     assert!(retries < 3 && size > 0);
    /// };
    /// assert_eq!(Explorer::new().run(program).executions, 6);
    ///
    /// let report = Explorer::new().fix("retries", 2).run(program);
    /// report.assert_holds();
    /// assert_eq!(report.executions, 2);
    /// assert!(report.to_string().starts_with("holds where `retries` is 2"));
    /// ```
    ///
    /// A value that is not among the options, or a name that no execution comes to, is an error:
    ///
    /// ```
    /// use plainsong::{choose_named, End, Explorer, Verdict};
    ///
    /// let report = Explorer::new().fix("retires", 2).run(|| {
    ///     choose_named("retries", 0..3);
    /// });
    /// assert_eq!((report.verdict, report.end), (Verdict::Unknown, End::WrongFix));
    /// assert!(report.failures[0].message.contains("did you mean `retries`?"));
    /// ```
    pub fn fix(self, name: impl Into<String>, value: impl Debug) -> Self {
        self.fix_to(name.into(), None, &value)
    }

    /// Fixes one [named choice](crate::choose_named) of one process: the process by its name (`ann`, or
    /// `ann/helper` if it was spawned by `ann`), and which of its choices of that name, from 1. See
    /// [`fix`](Explorer::fix). Processes of a family are then not alike:
    /// [symmetry](Explorer::symmetry) is not used.
    ///
    /// ```
    /// use plainsong::{choose_named, spawn_named, Explorer};
    ///
    /// let report = Explorer::new().fix_at("loses", "ann", 2, true).run(|| {
    ///     for name in ["ann", "bob"] {
    ///         spawn_named(name, || {
    ///             let rounds = [(); 2].map(|()| choose_named("loses", [false, true]));
    ///             assert_eq!(rounds.len(), 2);
    ///         });
    ///     }
    /// });
    /// assert_eq!(report.executions, 8); // not 16
    /// ```
    pub fn fix_at(
        self,
        name: impl Into<String>,
        process: impl Into<String>,
        occurrence: u32,
        value: impl Debug,
    ) -> Self {
        self.fix_to(name.into(), Some((process.into(), occurrence)), &value)
    }

    fn fix_to(mut self, name: String, place: Option<(String, u32)>, value: &dyn Debug) -> Self {
        let value = format!("{value:?}");
        self.fixed
            .retain(|other| other.name != name || other.place != place);
        self.fixed.push(Fixed { name, place, value });
        self
    }
}

/// What is fixed, and what has come of it, for one worker.
#[derive(Default)]
pub(crate) struct Fixes {
    all: Arc<[Fixed]>,
    seen: RefCell<Seen>,
}

/// Which fixes were used, and which named choices there are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// By their place in the settings.
    pub(crate) used: BTreeSet<usize>,
    /// How many choices of a name a process made at most in one execution.
    choices: BTreeMap<String, BTreeMap<String, u32>>,
}

impl Seen {
    /// Adds what another worker has seen.
    pub(crate) fn add(&mut self, other: &Seen) {
        self.used.extend(&other.used);
        for (name, processes) in &other.choices {
            let known = self.choices.entry(name.clone()).or_default();
            for (process, &count) in processes {
                let most = known.entry(process.clone()).or_default();
                *most = count.max(*most);
            }
        }
    }

    /// The fixes that were not used.
    pub(crate) fn unused<'f>(&self, fixed: &'f [Fixed]) -> Vec<&'f Fixed> {
        let unused = fixed.iter().enumerate();
        let unused = unused.filter(|(at, _)| !self.used.contains(at));
        unused.map(|(_, fixed)| fixed).collect()
    }

    /// Says that a fix has no effect, and what was probably meant.
    pub(crate) fn complain(&self, fixed: &Fixed) -> String {
        let name = &fixed.name;
        let Some(processes) = self.choices.get(name) else {
            let names = self.choices.keys().map(String::as_str);
            let near = did_you_mean(name, names, "no execution has a named choice");
            return format!("`{name}` is fixed, but no execution has a choice of that name{near}");
        };
        let Some((process, occurrence)) = &fixed.place else {
            return format!("`{name}` is fixed, but each of its choices is fixed otherwise");
        };
        match processes.get(process) {
            None => {
                let names = processes.keys().map(String::as_str);
                let near = did_you_mean(process, names, "");
                format!(
                    "`{name}` of `{process}` is fixed, but no process of that name has such a choice{near}"
                )
            }
            Some(most) => format!(
                "choice {occurrence} of `{name}` in `{process}` is fixed, but it makes at most {most} \
                 (they are counted from 1)"
            ),
        }
    }
}

/// "; did you mean `retries`?", or a list of what there is.
fn did_you_mean<'n>(
    wanted: &str,
    known: impl Iterator<Item = &'n str> + Clone,
    none: &str,
) -> String {
    if let Some(near) = nearest(wanted, known.clone()) {
        return format!("; did you mean `{near}`?");
    }
    let all: Vec<String> = known.map(|name| format!("`{name}`")).collect();
    match (all.is_empty(), none.is_empty()) {
        (false, _) => format!("; there are {}", all.join(", ")),
        (true, false) => format!(" ({none})"),
        (true, true) => String::new(),
    }
}

impl Fixes {
    pub(crate) fn new(fixed: &[Fixed]) -> Self {
        Fixes {
            all: Arc::from(fixed),
            seen: RefCell::default(),
        }
    }

    /// The value that the next choice of this name by a process has to take, if it is fixed.
    pub(crate) fn next(&self, task: &Task, name: &str) -> Option<&Fixed> {
        if self.all.is_empty() {
            return None;
        }
        let occurrence = task.count_choice(name);
        let process = task.world.full_name(task.process);
        let mut seen = self.seen.borrow_mut();
        seen.note(name, &process, occurrence);
        let is_here = |fixed: &Fixed| match &fixed.place {
            Some(place) => place.0 == process && place.1 == occurrence,
            None => true,
        };
        let fits = |&at: &usize| self.all[at].name == name && is_here(&self.all[at]);
        let strongest = (0..self.all.len())
            .filter(fits)
            .max_by_key(|&at| self.all[at].place.is_some())?;
        seen.used.insert(strongest);
        Some(&self.all[strongest])
    }

    /// Tells all workers what this one has seen.
    pub(crate) fn add_to(&self, seen: &mut Seen) {
        if !self.all.is_empty() {
            seen.add(&self.seen.borrow());
        }
    }
}

impl Seen {
    fn note(&mut self, name: &str, process: &str, occurrence: u32) {
        if !self.choices.contains_key(name) {
            self.choices.insert(name.to_owned(), BTreeMap::new());
        }
        let processes = self.choices.get_mut(name).expect("it is there now");
        match processes.get_mut(process) {
            Some(most) => *most = occurrence.max(*most),
            None => {
                processes.insert(process.to_owned(), occurrence);
            }
        }
    }
}

/// The complaint about a value that is not among the options, which are printed like this.
pub(crate) fn no_such_option(
    fixed: &Fixed,
    mut options: Vec<String>,
    location: &Location<'_>,
) -> Failure {
    let near = nearest(&fixed.value, options.iter().map(String::as_str));
    let near = match near.filter(|_| fixed.value.len() >= SHORTEST_SLIP) {
        Some(near) => format!("; did you mean {near}?"),
        None => String::new(),
    };
    if options.len() > MOST_NAMED {
        options.truncate(MOST_NAMED);
        options.push("…".to_owned());
    }
    let options = options.join(", ");
    let message = format!("{fixed}, which is not among its options: {options}{near}");
    Failure::plain(FailureKind::WrongFix, message, Some(location.to_string()))
}

/// How many options a complaint names.
const MOST_NAMED: usize = 20;

/// Values shorter than this are all near each other.
const SHORTEST_SLIP: usize = 3;

//! Endings: the processes and their line end in the same states.
//!
//! Both are run by the interpreter at small sizes, in every order and with every choice. What is compared are
//! the state variables of processes that are no daemons: rounds of different clients with a daemon interleave,
//! and the line shows one order of them. Loops of the line that stand for receives in any order are run in every
//! order. A line that is exact ends in the same states; another one may end in more. Where everything was decided, the
//! line does not fail: who reads it must not see what the verdict denies.

use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{Domain, Song, Stmt, StmtKind, Ty};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Config, Machine, Outcome, Status, Subject};
use plainsong_semantics::sizes::{Bounds, Sizes};
use plainsong_sequentialize::Line;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

/// Values of variables, by name.
type Ending = Vec<(String, String)>;

/// What came of a comparison.
#[derive(Debug, Default)]
pub(crate) struct Compared {
    /// Instances whose endings were compared.
    pub(crate) instances: usize,
    /// Those of an exact line.
    pub(crate) exact: usize,
    /// Endings of the processes.
    pub(crate) endings: usize,
    pub(crate) wrong: Vec<String>,
}

/// Compares at these sizes, skipping instances with more states than that. `decided`: was every assertion and operation
/// seen to be fine?
pub(crate) fn compare(line: &Line, decided: bool, sizes: &[Sizes], states: usize) -> Compared {
    let song = Arc::new(line.written_out(false));
    let number = song.lines.len() - 1;
    let mut compared = Compared::default();
    let is_vague = chooses_numbers(line);
    for one in sizes {
        let instances = Instance::all(song.clone(), one, &Bounds::default());
        for instance in instances.unwrap_or_default() {
            let voices = endings(&instance, Subject::System, states);
            let told = endings(&instance, Subject::Line(number), states);
            let (Some((voices, _)), Some((told, failure))) = (voices, told) else {
                continue;
            };
            if let (true, Some(failure)) = (decided, failure) {
                let sentence = format!("{:?}: the line fails: {failure}", one.chosen);
                compared.wrong.push(sentence);
            }
            let names = names(&song);
            let voices = of_interest(voices, &names, &[]);
            let told = of_interest(told, &names, &renamed(line));
            // A number of a round that may be any is one of a few here: a larger one is not among them.
            if is_vague && voices.iter().flatten().any(is_large) {
                continue;
            }
            compared.instances += 1;
            compared.exact += usize::from(line.exact);
            compared.endings += voices.len();
            if let Some(missing) = voices.difference(&told).next() {
                let sentence = format!("{:?}: the line does not end in {missing:?}", one.chosen);
                compared.wrong.push(sentence);
            }
            if line.exact
                && let Some(more) = told.difference(&voices).next()
            {
                let sentence = format!("{:?}: only the line ends in {more:?}", one.chosen);
                compared.wrong.push(sentence);
            }
        }
    }
    compared
}

/// Does a line choose among all numbers?
fn chooses_numbers(line: &Line) -> bool {
    struct Chooses(bool);
    impl Visit for Chooses {
        fn stmt(&mut self, stmt: &Stmt) {
            if let StmtKind::AssignChoice(_, choice) = &stmt.kind {
                self.0 |= matches!(choice.domain, Domain::Type(Ty::Nat | Ty::Int));
            }
            walk::stmt(self, stmt);
        }
    }
    let mut chooses = Chooses(false);
    let last = line.song.lines.last();
    last.into_iter()
        .for_each(|line| chooses.block(&line.code.body));
    chooses.0
}

/// Is it a number beyond those that are chosen from?
fn is_large((_, value): &(String, String)) -> bool {
    value
        .parse()
        .is_ok_and(|number: i64| number > Bounds::default().nat)
}

/// Every state without a step in which nobody waits, and a failure if there is one; or nothing if there are too many states.
fn endings(
    instance: &Instance,
    subject: Subject,
    states: usize,
) -> Option<(Vec<Ending>, Option<String>)> {
    let machine = Machine::new(instance, subject);
    let mut seen = HashSet::new();
    let mut open = Vec::new();
    let mut endings = Vec::new();
    let mut failure = None;
    let starts = machine.initial();
    open.extend(starts.into_iter().filter_map(|one| next(one, &mut failure)));
    while let Some(config) = open.pop() {
        if !seen.insert(config.clone()) {
            continue;
        }
        if seen.len() > states {
            return None;
        }
        let steps = machine.steps(&config);
        if machine.status_given(&config, &steps) == Status::Final {
            endings.push(machine.variables(&config));
        }
        let outcomes = steps.into_iter().map(|step| step.outcome);
        open.extend(outcomes.filter_map(|one| next(one, &mut failure)));
    }
    Some((endings, failure))
}

fn next(outcome: Outcome, failure: &mut Option<String>) -> Option<Config> {
    match outcome {
        Outcome::Next(config) => Some(config),
        Outcome::Failed(one, ..) => {
            failure.get_or_insert(one.message);
            None
        }
        Outcome::Discarded => None,
    }
}

/// The variables to look at: family and variable.
fn names(song: &Song) -> BTreeSet<(String, String)> {
    let voices = song.voices().expect("there are processes");
    let talking = voices.processes.iter().filter(|process| !process.daemon);
    talking
        .flat_map(|process| {
            let family = &song.families[process.family.index()];
            let vars = family.vars.iter();
            vars.map(|var| (family.name.clone(), var.name.clone()))
        })
        .collect()
}

/// Names of endpoints, with the name of the process where that differs.
fn renamed(line: &Line) -> Vec<(String, String)> {
    let name = |family: &plainsong_ir::FamilyId| line.song.families[family.index()].name.clone();
    let pairs = line.endpoints.iter();
    pairs
        .map(|(process, endpoint)| (name(endpoint), name(process)))
        .collect()
}

fn of_interest(
    endings: Vec<Ending>,
    names: &BTreeSet<(String, String)>,
    renamed: &[(String, String)],
) -> BTreeSet<Ending> {
    endings
        .into_iter()
        .map(|ending| {
            let kept = ending.into_iter().filter_map(|(name, value)| {
                let (member, var) = name.rsplit_once('.')?;
                let (family, index) = match member.split_once('[') {
                    Some((family, index)) => (family, format!("[{index}")),
                    None => (member, String::new()),
                };
                let family = renamed
                    .iter()
                    .find(|(endpoint, _)| endpoint == family)
                    .map_or(family, |(_, process)| process);
                names
                    .contains(&(family.to_owned(), var.to_owned()))
                    .then(|| (format!("{family}{index}.{var}"), value))
            });
            let mut kept: Ending = kept.collect();
            kept.sort();
            kept
        })
        .collect()
}

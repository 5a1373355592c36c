//! Choreographies of the corpus, and how they end: what projection is compared with.
//!
//! A line is sequential, so a path through it is a vector of outcomes of its free choices. [`ends`] walks all
//! paths, with the interpreter.

mod generated;
mod there_and_back;
mod voices;

use plainsong_ir::visit::{Visit, VisitMut, walk, walk_mut};
use plainsong_ir::{
    ConstId, Expr, ExprKind, LoopClauses, RangeEnd, Song, SortKind, Stmt, StmtKind, VarId,
};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Config, Machine, Outcome, Subject};
use plainsong_semantics::outcomes::{split, undecided};
use plainsong_semantics::show::show;
use plainsong_semantics::sizes::{Bounds, Sizes};
use plainsong_semantics::value::Value;
use plainsong_testkit::corpus::{files, root};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is tried of infinitely many values: a parameter of a choreography is one of the song of its voices, which is tried
/// within the window only.
fn windows() -> Bounds {
    Bounds {
        constants: false,
        ..Bounds::default()
    }
}

/// A choreography of the corpus.
struct Told {
    /// File and name.
    name: String,
    /// Is something about its file expected to be refuted?
    is_broken: bool,
    text: String,
    song: Arc<Song>,
    line: usize,
}

/// Files with choreographies that may have no end, or stop at a choice or premise: such executions are not counted. Projection's own tests
/// compare them with their voices, state by state.
const ENDLESS: [&str; 7] = [
    "songs/project/choices-that-may-find-nothing.song",
    "songs/project/premises-that-endpoints-check.song",
    "songs/project/premises-that-endpoints-check-in-vain.song",
    "songs/project/loops-in-which-nobody-acts.song",
    "songs/project/loops-in-which-nobody-acts-that-promise-more.song",
    "songs/project/nobody-runs-ahead-of-a-loop.song",
    "songs/project/one-who-fails-behind-a-loop.song",
];

/// Those of the files in these folders.
fn choreographies(folders: &[&str]) -> Vec<Told> {
    let mut all = Vec::new();
    for path in files().expect("the corpus is there") {
        let is_endless = ENDLESS.iter().any(|other| path.ends_with(other));
        if is_endless || !folders.iter().any(|folder| path.starts_with(folder)) {
            continue;
        }
        let text = std::fs::read_to_string(root().join(&path)).expect("a song can be read");
        let Some(song) = plainsong_syntax::compile(&text).song.map(Arc::new) else {
            continue;
        };
        let mut expected = text.lines().filter(|line| line.starts_with("// expect"));
        let is_broken = expected.any(|line| line.contains("refuted"));
        for line in song.choreographies() {
            all.push(Told {
                name: format!("{} {}", path.display(), song.lines[line].name),
                is_broken,
                text: text.clone(),
                song: song.clone(),
                line,
            });
        }
    }
    all
}

impl Told {
    /// The same statements, about which nothing is claimed: only what happens counts.
    fn bare(&self) -> Arc<Song> {
        struct Bare;
        impl VisitMut for Bare {
            fn clauses(&mut self, clauses: &mut LoopClauses) {
                *clauses = LoopClauses::default();
            }
        }
        let mut song = (*self.song).clone();
        walk_mut::song(&mut Bare, &mut song);
        song.lines.iter_mut().for_each(|line| line.ensures.clear());
        Arc::new(song)
    }

    /// The sizes that differ: one when the text says how many members its sorts have.
    fn different(&self, sizes: std::ops::RangeInclusive<i64>) -> Vec<i64> {
        let mut different: Vec<i64> = sizes.collect();
        different.dedup_by(|one, other| self.sizes(*one) == self.sizes(*other));
        different
    }

    /// Sorts have so many members: those of which a run chooses it, and those whose bounds read parameters.
    fn sizes(&self, size: i64) -> Sizes {
        struct Bounding(Vec<ConstId>);
        impl Visit for Bounding {
            fn expr(&mut self, expr: &Expr) {
                if let ExprKind::Const(id) = expr.kind {
                    self.0.push(id);
                }
                walk::expr(self, expr);
            }
        }
        let mut sizes = Sizes::default();
        for sort in &self.song.sorts {
            let mut bounding = Bounding(Vec::new());
            match &sort.kind {
                SortKind::Identities { .. } => sizes = sizes.with(&sort.name, size),
                SortKind::Range(range) => match &range.end {
                    RangeEnd::Open => sizes = sizes.with(&sort.name, size),
                    RangeEnd::Before(end) | RangeEnd::With(end) => bounding.expr(end),
                },
            }
            for id in bounding.0 {
                let decl = &self.song.consts[id.index()];
                if decl.value.is_none() {
                    sizes = sizes.with(&decl.name, size);
                }
            }
        }
        sizes
    }
}

/// Does the song cut off executions?
fn assumes(song: &Song) -> bool {
    struct Assumes(bool);
    impl Visit for Assumes {
        fn stmt(&mut self, one: &Stmt) {
            self.0 |= matches!(one.kind, StmtKind::Assume(_));
            walk::stmt(self, one);
        }
    }
    let mut assumes = Assumes(false);
    walk::song(&mut assumes, song);
    assumes.0
}

/// The values of the song's constants, and of the choreography's parameters behind them; and what external functions
/// return.
type Given = (Vec<Value>, String);

/// How the paths of a line end.
#[derive(Debug, Default)]
struct Ends {
    /// How many paths end with these variables.
    paths: BTreeMap<String, u64>,
    /// What fails on some path.
    failures: Vec<String>,
}

impl Ends {
    fn count(&self) -> u64 {
        self.paths.values().sum()
    }
}

/// Every path of a choreography at one size; nothing when there are more than `most`, or endless ones.
fn ends(
    song: &Arc<Song>,
    line: usize,
    sizes: &Sizes,
    most: usize,
) -> Option<BTreeMap<Given, Ends>> {
    let instances = Instance::all(song.clone(), sizes, &windows()).ok()?;
    let mut open: Vec<Instance> = instances.into_iter().map(undecided).collect();
    let mut ends: BTreeMap<Given, Ends> = BTreeMap::new();
    let mut left = most * 20;
    while let Some(instance) = open.pop() {
        let of_instance = ends_of(&instance, line, &mut left)?;
        // Paths that come to calls of external functions are walked again for every outcome.
        match split(&Machine::new(&instance, Subject::Line(line)), u64::MAX).ok()? {
            Some(more) => open.extend(more),
            None => of_instance.into_iter().for_each(|(given, found)| {
                let ends: &mut Ends = ends.entry(given).or_default();
                ends.failures.extend(found.failures);
                for (end, count) in found.paths {
                    *ends.paths.entry(end).or_default() += count;
                }
            }),
        }
    }
    let paths: u64 = ends.values().map(Ends::count).sum();
    (paths <= most as u64).then_some(ends)
}

fn ends_of(instance: &Instance, line: usize, left: &mut usize) -> Option<BTreeMap<Given, Ends>> {
    let mut ends: BTreeMap<Given, Ends> = BTreeMap::new();
    let machine = Machine::new(instance, Subject::Line(line));
    let (constants, outcomes) = given(instance);
    let arity = instance.song().lines[line].code.arity;
    for start in machine.initial() {
        let start = match start {
            Outcome::Next(start) => start,
            // Nothing that is tried satisfies what it requires.
            Outcome::Failed(failure, _) if failure.message.contains("in the window") => continue,
            Outcome::Failed(failure, _) => {
                let key = (constants.clone(), outcomes.clone());
                let found = ends.entry(key).or_default();
                found.failures.push(failure.message);
                continue;
            }
            Outcome::Discarded => continue,
        };
        let values = [&constants[..], start.parameters(arity)].concat();
        let key = (values, outcomes.clone());
        walk_paths(&machine, start, ends.entry(key).or_default(), left)?;
    }
    Some(ends)
}

fn walk_paths(machine: &Machine, start: Config, ends: &mut Ends, left: &mut usize) -> Option<()> {
    let mut open = vec![start];
    while let Some(config) = open.pop() {
        *left = left.checked_sub(1)?;
        let steps = machine.steps(&config);
        if steps.is_empty() {
            *ends.paths.entry(variables(machine, &config)).or_default() += 1;
        }
        for step in steps {
            match step.outcome {
                Outcome::Next(next) => open.push(next),
                Outcome::Failed(failure, _) => ends.failures.push(failure.message),
                Outcome::Discarded => {}
            }
        }
    }
    Some(())
}

fn given(instance: &Instance) -> Given {
    let count = instance.song().consts.len();
    let constants = (0..count).map(|at| instance.constant(at.into()).clone());
    let outcomes = instance.bound().remove("external");
    (constants.collect(), outcomes.unwrap_or_default())
}

/// All variables of all endpoints or processes, as generated programs print them.
fn variables(machine: &Machine, config: &Config) -> String {
    let instance = machine.instance();
    let rows = instance.lanes(machine.subject()).map(|row| {
        let family = &instance.song().families[instance.members()[row].family.index()];
        let vars = family.vars.iter().enumerate().map(|(at, var)| {
            let value = config.value(row, VarId::from(at));
            format!("{} = {}", var.name, show(instance, value, &var.ty))
        });
        vars.collect::<Vec<_>>().join(", ")
    });
    rows.collect::<Vec<_>>().join(" | ")
}

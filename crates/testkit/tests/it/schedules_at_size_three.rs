//! Paxos with three rounds, nodes and values: the program and its schedule end alike.
//!
//! All other schedules of the corpus are compared at that size by the interpreter (`crates/refine/tests/it/case_studies.rs`); here
//! are too many states for it. So the program is searched by the engine for packed states, up to the names of nodes and
//! values, and its final states are kept. The line that the schedule leads to is walked by the interpreter, statement by
//! statement, with the set of all states that it may be in there. Of each final state the smallest renaming stands for
//! all of them; both sets have to be the same, and neither program may fail.
//!
//! `PLAINSONG_SLOW=1` looks at three of everything: 22 million states, a minute in a release build. Otherwise one sort has two members.

use plainsong_ir::{
    Action, ActionId, Block, Code, Domain, ExprKind, LocalId, Role, Song, SortId, StmtKind, System,
    Ty,
};
use plainsong_refine::sequential::line;
use plainsong_semantics::atomic::{Atoms, Effect};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::Subject;
use plainsong_semantics::rename::Renaming;
use plainsong_semantics::search::{Check, Completeness, Limits, Query, Unwatched};
use plainsong_semantics::sizes::{Bounds, Sizes};
use plainsong_semantics::value::Value;
use plainsong_states::{Manner, search_in};
use plainsong_testkit::corpus::root;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The variables of a state.
type Store = Vec<Value>;

#[test]
fn paxos_with_three_rounds_nodes_and_values_ends_as_its_schedule_does() {
    let path = root().join("songs/refine/paxos-round-after-round.song");
    let text = std::fs::read_to_string(path).expect("the song is there");
    let song = Arc::new(plainsong_syntax::compile(&text).song.expect("it is right"));
    let all = match std::env::var_os("PLAINSONG_SLOW").is_some() {
        true => vec![[3, 3, 3]],
        false => vec![[3, 2, 3], [2, 3, 3]],
    };
    for sizes in all {
        let program = ends(&song, sizes);
        let schedule = ends_of_line(&song, sizes);
        let lost = program.difference(&schedule).next();
        assert_eq!(lost, None, "{sizes:?}: only the program ends so");
        let new = schedule.difference(&program).next();
        assert_eq!(new, None, "{sizes:?}: only the schedule ends so");
        assert!(program.len() > 40, "{sizes:?}: only {}", program.len());
    }
}

#[test]
fn a_schedule_with_fewer_ends_is_noticed() {
    let text = "sort Node;\nsort Round = 1..;\nsort Value;\nvar x: option<Value> = none;\n\
        action Set(n: Node) { let v = choose Value; x = some(v); }\naction Clear(n: Node) { x = none; }\n\
        init { for n in Node { async Set(n); async Clear(n); } }\n\
        sequentialize Set, Clear { for n in Node { call Set(n); } for n in Node { call Clear(n); } }\n";
    let song = Arc::new(plainsong_syntax::compile(text).song.expect("it is right"));
    let sizes = [2, 1, 2];
    assert_eq!(ends(&song, sizes).len(), 2, "something or nothing");
    assert_eq!(ends_of_line(&song, sizes).len(), 1, "nothing");
}

fn instance(song: &Arc<Song>, [nodes, rounds, values]: [i64; 3]) -> Instance {
    let sizes = Sizes::new()
        .with("Node", nodes)
        .with("Round", rounds)
        .with("Value", values);
    let all = Instance::all(song.clone(), &sizes, &Bounds::default());
    all.expect("it has sizes").remove(0)
}

/// The final states of the program, each by its smallest renaming.
fn ends(song: &Arc<Song>, sizes: [i64; 3]) -> BTreeSet<Store> {
    let instance = instance(song, sizes);
    let query = Query {
        subject: Subject::System,
        checks: vec![Check::Assertions],
    };
    let limits = Limits {
        states: 100_000_000,
        ..Limits::default()
    };
    let manner = Manner {
        up_to_names: true,
        ends: true,
        ..Manner::default()
    };
    let found = search_in(manner, &instance, &query, &limits, &mut Unwatched);
    assert_eq!(found.report.completeness, Completeness::Complete);
    assert_eq!(found.by_interpreter, None);
    assert!(!found.report.failures, "the program does not fail");
    let names = Names::new(song, sizes);
    found.ends.iter().map(|one| names.smallest(one)).collect()
}

/// The final states of the line, each by its smallest renaming.
fn ends_of_line(song: &Arc<Song>, sizes: [i64; 3]) -> BTreeSet<Store> {
    let mut line = line(song, song.sequences().len());
    let System::Actions(actions) = &mut line.system else {
        panic!("a line is one of actions");
    };
    let code = actions.init.take().expect("the line is what `init` does");
    let first = actions.actions.len();
    let mut walk = Vec::new();
    planned(&code.body, &mut walk);
    // Each statement that is no loop is an action of the members of the loops around it.
    for step in &walk {
        step.each_statement(&mut |stmt| {
            let mut locals = code.locals.clone();
            locals.iter_mut().for_each(|one| one.mutable = true);
            actions.actions.push(Action {
                name: format!("Step{}", actions.actions.len()),
                code: Code {
                    arity: locals.len(),
                    locals,
                    body: vec![stmt.clone()],
                },
                role: Role::default(),
                span: stmt.span,
            });
        });
    }
    let instance = instance(&Arc::new(line), sizes);
    let mut walking = Walking {
        atoms: Atoms::new(&instance),
        names: Names::new(song, sizes),
        locals: vec![Value::None; code.locals.len()],
    };
    let starts = plainsong_semantics::threads::Threads::new(&instance);
    let starts = starts.stores().expect("there are starts");
    let mut states: BTreeSet<Store> = starts.into_iter().collect();
    let mut next = first;
    for step in &walk {
        states = walking.walk(step, states, &mut next);
    }
    let states = states.iter();
    states.map(|one| walking.names.smallest(one)).collect()
}

/// A part of a line: a loop over a sort, or a statement.
enum Part<'s> {
    Each(LocalId, Ty, Vec<Part<'s>>),
    Statement(&'s plainsong_ir::Stmt),
}

fn planned<'s>(block: &'s Block, parts: &mut Vec<Part<'s>>) {
    for stmt in block {
        let over = match &stmt.kind {
            StmtKind::For { domain, .. } => match domain {
                Domain::Type(ty) => Some(ty.clone()),
                Domain::In(whole) => match &whole.kind {
                    ExprKind::All(ty) => Some(ty.clone()),
                    _ => None,
                },
            },
            _ => None,
        };
        match (&stmt.kind, over) {
            (StmtKind::For { local, body, .. }, Some(ty)) => {
                let mut inner = Vec::new();
                planned(body, &mut inner);
                parts.push(Part::Each(*local, ty, inner));
            }
            _ => parts.push(Part::Statement(stmt)),
        }
    }
}

impl Part<'_> {
    fn each_statement(&self, seen: &mut dyn FnMut(&plainsong_ir::Stmt)) {
        match self {
            Part::Each(_, _, inner) => inner.iter().for_each(|one| one.each_statement(seen)),
            Part::Statement(stmt) => seen(stmt),
        }
    }

    fn count(&self) -> usize {
        let mut count = 0;
        self.each_statement(&mut |_| count += 1);
        count
    }
}

struct Walking {
    atoms: Atoms,
    names: Names,
    locals: Vec<Value>,
}

impl Walking {
    /// All states behind a part; `next` is the action of its first statement, and then of the part behind it.
    fn walk(
        &mut self,
        part: &Part<'_>,
        states: BTreeSet<Store>,
        next: &mut usize,
    ) -> BTreeSet<Store> {
        match part {
            Part::Each(local, ty, inner) => {
                let members = self.atoms.instance().candidates(ty);
                let (first, mut states) = (*next, states);
                for member in members.expect("a sort has members") {
                    self.locals[local.index()] = member;
                    *next = first;
                    for one in inner {
                        states = self.walk(one, states, next);
                    }
                }
                *next = first + part.count();
                states
            }
            Part::Statement(_) => {
                let id = ActionId::from(*next);
                *next += 1;
                let mut behind = BTreeSet::new();
                for state in states {
                    for effect in self.atoms.run(id, &state, &self.locals) {
                        match effect {
                            Effect::Done(done) => {
                                behind.insert(self.names.of_values(&done.globals));
                            }
                            Effect::Failed(failure) => panic!("the line fails: {failure:?}"),
                        }
                    }
                }
                behind
            }
        }
    }
}

/// The ways to rename nodes and values. A line goes through nodes in their order, so only values are alike on the way.
struct Names {
    song: Arc<Song>,
    all: Vec<Renaming>,
    values: Vec<Renaming>,
}

impl Names {
    fn new(song: &Arc<Song>, [nodes, _, values]: [i64; 3]) -> Names {
        let sort = |name: &str| {
            let at = song.sorts.iter().position(|one| one.name == name);
            SortId::from(at.expect("the sort is there"))
        };
        let values = permutations(sort("Value"), values as u32);
        let nodes = permutations(sort("Node"), nodes as u32);
        let both = nodes
            .iter()
            .flat_map(|one| values.iter().map(|two| one.then(two)));
        Names {
            song: song.clone(),
            all: both.collect(),
            values: values.clone(),
        }
    }

    fn smallest(&self, store: &Store) -> Store {
        self.least(&self.all, store)
    }

    fn of_values(&self, store: &Store) -> Store {
        self.least(&self.values, store)
    }

    fn least(&self, renamings: &[Renaming], store: &Store) -> Store {
        let actions = self.song.actions().expect("it has variables");
        let renamed = renamings.iter().map(|one| {
            let rows = actions.globals.iter().zip(store);
            rows.map(|(row, value)| one.value(&self.song, &row.ty, value))
                .collect()
        });
        renamed.min().expect("there is one that renames nothing")
    }
}

/// Every order of the members of a sort.
fn permutations(sort: SortId, size: u32) -> Vec<Renaming> {
    let mut all = vec![Renaming::swap(sort, size, 0, 0)];
    for at in 1..size {
        let more: Vec<Renaming> = all
            .iter()
            .flat_map(|one| {
                (0..at).map(move |other| one.then(&Renaming::swap(sort, size, other, at)))
            })
            .collect();
        all.extend(more);
    }
    all
}

//! All schedules of the corpus, state by state: the program and what its schedules make of it end alike.
//!
//! For every song and example whose schedules are expected to be proved, both programs are run at sizes 1 to 3: from
//! each start, one can fail exactly if the other can, and both end in the same states (`Good` and `Trans` are the same).
//! The schedule is run as a thread that calls actions one by one, so that a loop that may go on for ever is no more than
//! its states; the line itself, which is one step, is compared in `sequences`. Inductions may end in more states.
//!
//! Where numbers grow for ever, the first states of both have to agree. Paxos with three of everything has too many states
//! for the interpreter: three of two sorts and one or two of the third are looked at here, three of all in
//! `crates/testkit/tests/it/schedules_at_size_three.rs`.

use crate::sequences::compiled;
use plainsong_diagnostics::Span;
use plainsong_ir::visit::{VisitMut, walk_mut};
use plainsong_ir::{
    Action, ActionId, Actions, Call, Callee, Code, Contract, Procedure, ProcedureId, RangeEnd,
    Role, Song, SortKind, Stmt, StmtKind, System,
};
use plainsong_refine::handlers::Handlers;
use plainsong_refine::layer_program::topmost;
use plainsong_refine::sequential::line;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::sizes::{Bounds, Sizes};
use plainsong_semantics::threads::{Next, State, Threads};
use plainsong_semantics::trace::FailureKind;
use plainsong_semantics::value::Value;
use std::collections::{BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

/// The most states of all starts of an instance.
const MOST_STATES: usize = 16_000;
/// The most instances of one size: parameters have many values.
const MOST_INSTANCES: usize = 12;
/// Numbers grow for ever in these.
const ENDLESS: [&str; 2] = ["ping-pong-in-turn", "producer-consumer-in-step"];
/// Too many states where rounds, nodes and values are three each; so these sizes instead.
const MANY: [&str; 2] = ["paxos", "paxos-round-after-round"];
const MANY_SIZES: [[i64; 3]; 3] = [[3, 1, 3], [1, 3, 3], [2, 2, 3]];

#[test]
fn schedules_of_the_corpus_end_as_their_programs_do() {
    let mut compared = BTreeSet::new();
    for path in songs() {
        let text = std::fs::read_to_string(&path).expect("the song is there");
        if !text.contains("\nsequentialize ") || !text.contains("// expect refine: proved") {
            continue;
        }
        let name = path.file_stem().expect("it has a name").to_string_lossy();
        let song = as_actions(&compiled(&text));
        let are_many = MANY.contains(&&*name);
        for size in 1..=3 {
            for sizes in sizes(&song, size, are_many) {
                compare(&name, &song, &sizes);
            }
        }
        compared.insert(name.into_owned());
    }
    assert!(compared.len() >= 22, "only {compared:?}");
    let known = ENDLESS.iter().chain(&MANY);
    assert!(known.into_iter().all(|name| compared.contains(*name)));
}

#[test]
#[should_panic(expected = "only the program ends so")]
fn a_schedule_that_loses_an_end_is_noticed() {
    let text = "sort Id;\nvar x: int = 0;\naction P(i: Id) { x = 1; }\naction Q(i: Id) { x = 2; }\n\
        init { for i in Id { async P(i); async Q(i); } }\n\
        sequentialize P, Q { for i in Id { call P(i); } for i in Id { call Q(i); } }\n";
    let song = compiled(text);
    compare("a wrong one", &song, &sizes(&song, 2, false)[0]);
}

/// All songs about refinement, and all examples.
pub(crate) fn songs() -> Vec<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut all = Vec::new();
    for folder in ["songs/refine", "examples"] {
        let rows = std::fs::read_dir(root.join(folder)).expect("the folder is there");
        let paths = rows.map(|row| row.expect("it can be read").path());
        all.extend(paths.filter(|path| path.extension().is_some_and(|end| end == "song")));
    }
    all.sort();
    all
}

/// The action system that the schedules of a song are about.
fn as_actions(song: &Arc<Song>) -> Song {
    if song.voices().is_some() {
        return Handlers::of(song).expect("there are handlers").song;
    }
    match song.actions().is_some_and(Actions::is_layered) {
        true => topmost(song).0,
        false => (**song).clone(),
    }
}

fn compare(name: &str, song: &Song, (sizes, bounds): &(Sizes, Bounds)) {
    let by_induction = song.sequences().iter().any(|one| one.by.is_some());
    let (original, new) = (Arc::new(song.clone()), Arc::new(stepwise(song)));
    let globals = original
        .actions()
        .map_or(0, |actions| actions.globals.len());
    let [of_original, of_new] = [original, new].map(|song| {
        let all = Instance::all(song, sizes, bounds).unwrap_or_default();
        all.into_iter().rev().take(MOST_INSTANCES)
    });
    for (one, two) in of_original.zip(of_new) {
        let at = format!("{name} at {sizes:?}");
        let (a, b) = (run(&one, globals), run(&two, globals));
        let is_whole = a.whole && b.whole;
        assert_eq!(is_whole, !ENDLESS.contains(&name), "{at}: all states");
        assert_eq!(a.fails, b.fails, "{at}: one of the two fails");
        let lost = a.ends.difference(&b.ends).next();
        assert_eq!(lost, None, "{at}: only the program ends so");
        let new = b.ends.difference(&a.ends).next();
        assert!(
            new.is_none() || by_induction,
            "{at}: only the schedule ends in {new:?}"
        );
    }
}

/// Sizes of sorts, and how far numbers go.
fn sizes(song: &Song, size: i64, are_many: bool) -> Vec<(Sizes, Bounds)> {
    let bounds = Bounds {
        int: (-1, 2),
        nat: size,
        length: 2,
        ..Bounds::default()
    };
    let sized = song.sorts.iter().filter(|sort| match &sort.kind {
        SortKind::Identities { .. } => true,
        SortKind::Range(range) => range.end == RangeEnd::Open,
    });
    let names: Vec<&String> = sized.map(|sort| &sort.name).collect();
    let rows: Vec<[i64; 3]> = match size == 3 && are_many {
        true => MANY_SIZES.to_vec(),
        false => vec![[size; 3]],
    };
    let all = rows.iter().map(|row| {
        let rows = names.iter().zip(row);
        let sizes = rows.fold(Sizes::new(), |sizes, (name, size)| {
            sizes.with((*name).clone(), *size)
        });
        (sizes, bounds.clone())
    });
    all.collect()
}

/// What was seen of a program.
struct Seen {
    whole: bool,
    fails: bool,
    /// Starts and ends.
    ends: BTreeSet<(Vec<Value>, Vec<Value>)>,
}

fn run(instance: &Instance, globals: usize) -> Seen {
    let threads = Threads::new(instance);
    let mut seen = Seen {
        whole: true,
        fails: false,
        ends: BTreeSet::new(),
    };
    let mut left = MOST_STATES;
    for store in threads.stores().expect("there are starts") {
        let mut known: BTreeSet<State> = BTreeSet::new();
        let mut open: VecDeque<State> = VecDeque::new();
        let mut next = threads.begin(&store);
        loop {
            for one in next {
                match one {
                    Next::Failed(failure) if failure.kind == FailureKind::Resource => {
                        seen.whole = false;
                    }
                    Next::Failed(_) => seen.fails = true,
                    Next::State(state) if known.contains(&state) => {}
                    Next::State(_) if left == 0 => seen.whole = false,
                    Next::State(state) => {
                        left -= 1;
                        known.insert(state.clone());
                        open.push_back(state);
                    }
                }
            }
            let Some(state) = open.pop_front() else { break };
            if state.is_final() {
                let end = state.globals[..globals].to_vec();
                seen.ends.insert((store[..globals].to_vec(), end));
            }
            next = threads.steps(&state);
        }
    }
    seen
}

/// The line that the schedules lead to. Where it has a `while`, as a thread that stops in each round: its states are
/// looked at then, not all ways through it.
fn stepwise(song: &Song) -> Song {
    let mut song = line(song, song.sequences().len());
    let System::Actions(actions) = &mut song.system else {
        return song;
    };
    let mut code = actions.init.clone().unwrap_or_default();
    let pause = ActionId::from(actions.actions.len());
    let mut pausing = Pausing {
        pause,
        rounds: false,
        creates: false,
    };
    pausing.block(&mut code.body);
    if !pausing.rounds || pausing.creates {
        return song;
    }
    code.body.insert(0, pausing.stop());
    actions.actions.push(Action {
        name: "Pause".to_owned(),
        code: Code::default(),
        role: Role::default(),
        span: Span::default(),
    });
    actions.procedures.push(Procedure {
        name: "line".to_owned(),
        mover: None,
        contract: Contract::default(),
        layer: 1,
        refines: None,
        synchronizes: Vec::new(),
        clauses: Vec::new(),
        code,
        linear: Vec::new(),
        taken: Vec::new(),
        given: Vec::new(),
        result: None,
        gives: false,
        span: Span::default(),
    });
    actions.init = Some(Code {
        body: vec![Stmt {
            kind: StmtKind::Spawn(ProcedureId::from(actions.procedures.len() - 1), Vec::new()),
            span: Span::default(),
        }],
        ..Code::default()
    });
    song
}

/// Puts a stop into each round of a `while`.
struct Pausing {
    pause: ActionId,
    rounds: bool,
    creates: bool,
}

impl Pausing {
    fn stop(&self) -> Stmt {
        let (span, callee) = (Span::default(), Callee::Action(self.pause));
        let call = Call {
            callee,
            arguments: Vec::new(),
            span,
        };
        let kind = StmtKind::Call(None, call);
        Stmt { kind, span }
    }
}

impl VisitMut for Pausing {
    fn stmt(&mut self, stmt: &mut Stmt) {
        walk_mut::stmt(self, stmt);
        match &mut stmt.kind {
            StmtKind::While(_, _, body) | StmtKind::For { body, .. } => {
                self.rounds = true;
                body.insert(0, self.stop());
            }
            StmtKind::Async(..) => self.creates = true,
            _ => {}
        }
    }
}

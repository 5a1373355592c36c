//! Programs with procedures: what they mean.
//!
//! A state is the values of the globals and a bag of threads. A thread is a tree of frames: a frame
//! waits for the procedure it called, or for the arms of its `par`. One step runs one action of one
//! thread; everything between two actions is local and belongs to the step before it. Threads are
//! switched anywhere (`yield` says nothing here): this is the preemptive meaning that proofs are about.
//!
//! A thread that waits between two actions waits for ever: what it reads there is its own. It stays, with what it has done
//! and started so far, and never comes to its end; others go on.
//!
//! A frame that has nothing left to do but to return is not kept, so a procedure that ends by calling
//! itself needs no more room the second time. More calls than [`DEEPEST`] that wait for each other, or that
//! follow in one step because nothing acts, or as many threads that a procedure starts between two calls, are a failure of
//! kind `Resource`: nothing is known about what comes after.
//!
//! The program is one in which every callee is what it is called as: the one of a layer, extracted.

use crate::atomic::{Atoms, Done, Effect, Globals};
use crate::code::coverage::{Covered, Statements};
use crate::code::flatten::{flatten, flatten_called};
use crate::code::run::{Branch, Halt, Outgoing, Run, Runner};
use crate::code::{FlatCode, OpKind, Pace};
use crate::eval::Eval;
use crate::instance::Instance;
use crate::start::start_values;
use crate::trace::{Failure, FailureKind};
use crate::value::Value;
use plainsong_ir::{ActionId, Actions, Call, Callee, LocalId, ProcedureId};

/// The most calls that wait for each other or follow without a step, if nothing else is said.
const DEEPEST: usize = 24;

/// A program with procedures, ready to run.
#[derive(Clone, Debug)]
pub struct Threads {
    atoms: Atoms,
    procedures: Vec<FlatCode>,
    results: Vec<Option<LocalId>>,
    init: Option<FlatCode>,
    /// The most calls that wait for each other or follow without a step.
    deepest: usize,
}

/// Globals and threads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct State {
    pub globals: Vec<Value>,
    /// The threads, ascending.
    threads: Vec<Node>,
}

/// Something that runs or waits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Node {
    /// One action, then nothing.
    Act(ActionId, Vec<Value>),
    /// A procedure at a call.
    Frame(Frame),
    /// It waits for ever.
    Stuck,
}

/// A procedure that stands at a call, and what it waits for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Frame {
    procedure: ProcedureId,
    pc: usize,
    slots: Vec<Value>,
    /// The procedure it called, or the arms of its `par` that are not done.
    below: Vec<Node>,
}

/// What is done in a step: an action, and the procedure that calls it, if one does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deed {
    /// The procedure, with its arguments.
    pub within: Option<(ProcedureId, Vec<Value>)>,
    pub action: ActionId,
    pub arguments: Vec<Value>,
}

/// What a step leads to.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    State(State),
    Failed(Failure),
}

/// What became of a node: it goes on, or it came to its end with a result.
enum Grown {
    Node(Node),
    Ended(Option<Value>),
}

/// A thread that was started.
#[derive(Clone, Debug)]
enum Started {
    Act(ActionId, Vec<Value>),
    Run(ProcedureId, Vec<Value>),
}

/// One way things went: the globals, the node, and threads that were started.
struct Way {
    globals: Vec<Value>,
    grown: Grown,
    started: Vec<Started>,
}

impl State {
    /// Has everything come to its end?
    pub fn is_final(&self) -> bool {
        self.threads.is_empty()
    }

    /// The actions that come next, one for each thread that runs, with their arguments.
    pub fn next_actions(&self) -> Vec<(ActionId, &[Value])> {
        let mut open: Vec<&Node> = self.threads.iter().collect();
        let mut next = Vec::new();
        while let Some(node) = open.pop() {
            match node {
                Node::Act(action, arguments) => next.push((*action, &arguments[..])),
                Node::Frame(frame) => open.extend(&frame.below),
                Node::Stuck => {}
            }
        }
        next
    }
}

impl Threads {
    /// Prepares the program of an instance.
    pub fn new(instance: &Instance) -> Threads {
        let song = instance.song().clone();
        let empty = Actions::default();
        let actions = song.actions().unwrap_or(&empty);
        let mut statements = Statements::default();
        let procedures = actions.procedures.iter();
        let procedures = procedures
            .map(|one| flatten_called(&one.code, one.result, &mut statements))
            .collect();
        let results = actions.procedures.iter().map(|one| one.result).collect();
        let init = actions.init.as_ref();
        let init = init.map(|code| flatten(&code.body, &code.locals, 0, &mut statements));
        Threads {
            atoms: Atoms::new(instance),
            procedures,
            results,
            init,
            deepest: DEEPEST,
        }
    }

    /// The same program, of which less is known: what comes after more than so many calls, instead of [`DEEPEST`].
    pub fn no_deeper_than(self, calls: usize) -> Threads {
        Threads {
            deepest: calls,
            ..self
        }
    }

    /// Every value of the globals at the start.
    pub fn stores(&self) -> Result<Vec<Vec<Value>>, Failure> {
        let song = self.atoms.instance().song().clone();
        let globals = song.actions().map_or(&[][..], |actions| &actions.globals);
        let mut stores = vec![Vec::new()];
        for global in globals {
            let mut longer = Vec::new();
            for values in stores {
                let world = Globals { values };
                let mut slots = vec![Value::None; global.locals.len()];
                let mut eval = Eval::new(self.atoms.instance(), &world);
                for value in start_values(&mut eval, &global.start, global.span, &mut slots)? {
                    longer.push([&world.values[..], &[value]].concat());
                }
            }
            stores = longer;
        }
        Ok(stores)
    }

    /// The states after `init`, from a store.
    pub fn begin(&self, globals: &[Value]) -> Vec<Next> {
        let mut runs = vec![Ok((globals.to_vec(), Vec::new()))];
        if let Some(code) = &self.init {
            let slots = vec![Value::None; code.slots];
            let memory = Globals {
                values: globals.to_vec(),
            };
            let branches = self.branches(code, Run::new(0, slots, memory), Pace::Whole);
            let ways = branches.into_iter().filter_map(|branch| match branch.halt {
                // Without a start there is nothing.
                Halt::Blocked => None,
                Halt::Stop => Some(Ok((branch.run.memory.values, branch.run.sent))),
                Halt::Failed(failure) => Some(Err(failure)),
            });
            runs = ways.collect();
        }
        let mut all = Vec::new();
        for run in runs {
            match run {
                Ok((globals, sent)) => {
                    let state = State {
                        globals,
                        threads: Vec::new(),
                    };
                    all.extend(self.started(state, threads_of(sent), 0));
                }
                Err(failure) => all.push(Next::Failed(failure)),
            }
        }
        all
    }

    /// Everything that can happen in a state.
    pub fn steps(&self, state: &State) -> Vec<Next> {
        let all = self.told_steps(state).into_iter();
        all.map(|(_, next)| next).collect()
    }

    /// The same, with what is done in each step.
    pub fn told_steps(&self, state: &State) -> Vec<(Deed, Next)> {
        let mut all = Vec::new();
        for (at, node) in state.threads.iter().enumerate() {
            if at > 0 && state.threads[at - 1] == *node {
                continue;
            }
            for path in paths(node) {
                let Some(deed) = self.deed(node, &path) else {
                    continue;
                };
                for way in self.moves(&state.globals, node, &path, 0) {
                    let next = match way {
                        Ok(way) => self.moved(state, at, way),
                        Err(failure) => vec![Next::Failed(failure)],
                    };
                    all.extend(next.into_iter().map(|one| (deed.clone(), one)));
                }
            }
        }
        all
    }

    /// The state in which one thread went its way.
    fn moved(&self, state: &State, at: usize, way: Way) -> Vec<Next> {
        let mut threads = state.threads.clone();
        threads.remove(at);
        if let Grown::Node(node) = way.grown {
            threads.push(node);
        }
        let next = State {
            globals: way.globals,
            threads,
        };
        self.started(next, way.started, 0)
    }

    /// What a thread does next at one of the places where it stands.
    fn deed(&self, node: &Node, path: &[usize]) -> Option<Deed> {
        let (mut node, mut within) = (node, None);
        let song = self.atoms.instance().song();
        for at in path {
            let Node::Frame(frame) = node else {
                return None;
            };
            let procedure = &song.actions()?.procedures[frame.procedure.index()];
            let arguments = frame.slots[..procedure.code.arity].to_vec();
            within = Some((frame.procedure, arguments));
            node = frame.below.get(*at)?;
        }
        match node {
            Node::Act(action, arguments) => Some(Deed {
                within,
                action: *action,
                arguments: arguments.clone(),
            }),
            _ => None,
        }
    }

    /// The state with more threads; each runs to its first action. Those that only start others are counted by `depth`.
    fn started(&self, state: State, new: Vec<Started>, depth: usize) -> Vec<Next> {
        let mut states = vec![state];
        let mut failed = Vec::new();
        let mut todo = new;
        while let Some(started) = todo.pop() {
            let (procedure, arguments) = match started {
                Started::Run(procedure, arguments) => (procedure, arguments),
                Started::Act(action, arguments) => {
                    for state in &mut states {
                        state.threads.push(Node::Act(action, arguments.clone()));
                    }
                    continue;
                }
            };
            let mut longer = Vec::new();
            for state in states {
                for way in self.enter(&state.globals, procedure, &arguments, depth) {
                    match way {
                        Ok(way) => {
                            let mut next = state.clone();
                            if let Grown::Node(node) = way.grown {
                                next.threads.push(node);
                            }
                            longer.extend(match way.started.is_empty() {
                                true => vec![Next::State(next)],
                                false => self.started(next, way.started, depth + 1),
                            });
                        }
                        Err(failure) => failed.push(Next::Failed(failure)),
                    }
                }
            }
            states = Vec::new();
            for next in longer {
                match next {
                    Next::State(state) => states.push(state),
                    other => failed.push(other),
                }
            }
        }
        let mut all: Vec<Next> = states
            .into_iter()
            .map(|mut state| {
                state.threads.sort();
                Next::State(state)
            })
            .collect();
        all.extend(failed);
        all
    }

    /// A procedure from its beginning to its first action.
    fn enter(
        &self,
        globals: &[Value],
        procedure: ProcedureId,
        arguments: &[Value],
        depth: usize,
    ) -> Vec<Result<Way, Failure>> {
        let code = &self.procedures[procedure.index()];
        let mut slots = arguments.to_vec();
        slots.resize(code.slots, Value::None);
        self.go_on(globals.to_vec(), procedure, 0, slots, depth)
    }

    /// A frame from an instruction to its next action.
    fn go_on(
        &self,
        globals: Vec<Value>,
        procedure: ProcedureId,
        pc: usize,
        slots: Vec<Value>,
        depth: usize,
    ) -> Vec<Result<Way, Failure>> {
        let deepest = self.deepest;
        if depth > deepest {
            let song = self.atoms.instance().song();
            let actions = song.actions().expect("a procedure belongs to actions");
            return vec![Err(Failure {
                kind: FailureKind::Resource,
                message: format!(
                    "more than {deepest} calls wait for each other, or follow without a step"
                ),
                span: actions.procedures[procedure.index()].span,
            })];
        }
        let code = &self.procedures[procedure.index()];
        let run = Run::new(pc, slots, Globals { values: globals });
        let mut all = Vec::new();
        for Branch { run, halt, .. } in self.branches(code, run, Pace::Calls) {
            match halt {
                Halt::Stop => all.extend(self.stand(procedure, run, depth)),
                Halt::Failed(failure) => all.push(Err(failure)),
                Halt::Blocked => all.push(Ok(Way {
                    globals: run.memory.values,
                    grown: Grown::Node(Node::Stuck),
                    started: threads_of(run.sent),
                })),
            }
        }
        all
    }

    /// A frame that has come to a stop: it ends, or calls.
    fn stand(
        &self,
        procedure: ProcedureId,
        run: Run<Globals>,
        depth: usize,
    ) -> Vec<Result<Way, Failure>> {
        let code = &self.procedures[procedure.index()];
        let globals = run.memory.values;
        let started = threads_of(run.sent);
        let calls: Vec<Call> = match &code.ops[run.pc].kind {
            OpKind::Return => {
                let result = self.results[procedure.index()];
                let result = result.map(|local| run.slots[local.index()].clone());
                return vec![Ok(Way {
                    globals,
                    grown: Grown::Ended(result),
                    started,
                })];
            }
            OpKind::Call(_, call) => vec![call.clone()],
            OpKind::Par(calls) => calls.clone(),
            other => panic!("a procedure stops at calls, not at {other:?}"),
        };
        let frame = Frame {
            procedure,
            pc: run.pc,
            slots: run.slots,
            below: Vec::new(),
        };
        let mut ways = vec![Ok((globals, frame, started, None))];
        for call in &calls {
            ways = ways
                .into_iter()
                .flat_map(|way| match way {
                    Ok(way) => self.called(call, way, depth),
                    Err(failure) => vec![Err(failure)],
                })
                .collect();
        }
        let mut all = Vec::new();
        for way in ways {
            match way {
                Ok((globals, frame, started, result)) => {
                    all.extend(self.settle(globals, frame, result, started, depth));
                }
                Err(failure) => all.push(Err(failure)),
            }
        }
        all
    }

    /// Adds what a call runs to what a frame waits for.
    fn called(&self, call: &Call, way: Open, depth: usize) -> Vec<Result<Open, Failure>> {
        let (globals, mut frame, started, _) = way;
        let world = Globals {
            values: globals.clone(),
        };
        let mut slots = frame.slots.clone();
        let values = Eval::new(self.atoms.instance(), &world).exprs(&call.arguments, &mut slots);
        let arguments = match values {
            Ok(values) => values,
            Err(failure) => return vec![Err(failure)],
        };
        let procedure = match call.callee {
            Callee::Action(action) => {
                frame.below.push(Node::Act(action, arguments));
                return vec![Ok((globals, frame, started, None))];
            }
            Callee::Procedure(procedure) => procedure,
        };
        let ways = self.enter(&globals, procedure, &arguments, depth + 1);
        let ways = ways.into_iter();
        let ways = ways.map(|way| {
            let way = way?;
            let mut frame = frame.clone();
            let mut result = None;
            match way.grown {
                Grown::Node(node) => frame.below.push(node),
                Grown::Ended(value) => result = value,
            }
            let started = [started.clone(), way.started].concat();
            Ok((way.globals, frame, started, result))
        });
        ways.collect()
    }

    /// A frame whose callees may all be done: then it goes on behind its call.
    fn settle(
        &self,
        globals: Vec<Value>,
        mut frame: Frame,
        result: Option<Value>,
        started: Vec<Started>,
        depth: usize,
    ) -> Vec<Result<Way, Failure>> {
        if !frame.below.is_empty() {
            frame.below.sort();
            let node = match frame.below.pop() {
                Some(last) if frame.below.is_empty() && self.only_returns(&frame) => last,
                last => {
                    frame.below.extend(last);
                    Node::Frame(frame)
                }
            };
            return vec![Ok(Way {
                globals,
                grown: Grown::Node(node),
                started,
            })];
        }
        let code = &self.procedures[frame.procedure.index()];
        if let (OpKind::Call(Some(local), _), Some(value)) = (&code.ops[frame.pc].kind, result) {
            frame.slots[local.index()] = value;
        }
        let pc = frame.pc + 1;
        let ways = self.go_on(globals, frame.procedure, pc, frame.slots, depth + 1);
        let ways = ways.into_iter().map(|way| {
            let mut way = way?;
            way.started.extend(started.iter().cloned());
            Ok(way)
        });
        ways.collect()
    }

    /// Does a frame without a result only return once its callee has?
    fn only_returns(&self, frame: &Frame) -> bool {
        let code = &self.procedures[frame.procedure.index()];
        let mut pc = frame.pc + 1;
        for _ in 0..code.ops.len() {
            match code.ops.get(pc).map(|op| &op.kind) {
                Some(OpKind::Jump(target)) => pc = *target,
                Some(OpKind::Return) => return self.results[frame.procedure.index()].is_none(),
                _ => return false,
            }
        }
        false
    }

    /// Everything that a node can do at one of the places where it stands: one action, and what follows it locally.
    fn moves(
        &self,
        globals: &[Value],
        node: &Node,
        path: &[usize],
        depth: usize,
    ) -> Vec<Result<Way, Failure>> {
        let (frame, at, rest) = match (node, path) {
            (Node::Act(action, arguments), _) => return self.act(globals, *action, arguments),
            (Node::Frame(frame), [at, rest @ ..]) => (frame, *at, rest),
            _ => return Vec::new(),
        };
        let mut all = Vec::new();
        for way in self.moves(globals, &frame.below[at], rest, depth + 1) {
            let way = match way {
                Ok(way) => way,
                Err(failure) => {
                    all.push(Err(failure));
                    continue;
                }
            };
            let mut frame = frame.clone();
            let mut result = None;
            match way.grown {
                Grown::Node(node) => frame.below[at] = node,
                Grown::Ended(value) => {
                    frame.below.remove(at);
                    result = value;
                }
            }
            all.extend(self.settle(way.globals, frame, result, way.started, depth));
        }
        all
    }

    fn act(
        &self,
        globals: &[Value],
        action: ActionId,
        arguments: &[Value],
    ) -> Vec<Result<Way, Failure>> {
        let effects = self.atoms.run(action, globals, arguments).into_iter();
        let ways = effects.map(|effect| match effect {
            Effect::Failed(failure) => Err(failure),
            Effect::Done(Done {
                globals,
                result,
                created,
            }) => Ok(Way {
                globals,
                grown: Grown::Ended(result),
                started: created
                    .into_iter()
                    .map(|(action, arguments)| Started::Act(action, arguments))
                    .collect(),
            }),
        });
        ways.collect()
    }

    /// Every way local code can go to its next stop.
    fn branches(&self, code: &FlatCode, run: Run<Globals>, pace: Pace) -> Vec<Branch<Globals>> {
        let runner = Runner {
            instance: self.atoms.instance(),
            code,
            pace,
        };
        runner.branches(run, false, &mut Covered::default())
    }
}

/// The places where a node stands before an action: which of those that each frame waits for.
fn paths(node: &Node) -> Vec<Vec<usize>> {
    match node {
        Node::Act(..) => vec![Vec::new()],
        Node::Stuck => Vec::new(),
        Node::Frame(frame) => {
            let all = frame.below.iter().enumerate();
            let all = all.flat_map(|(at, below)| {
                let inner = paths(below).into_iter();
                inner.map(move |rest| [&[at][..], &rest].concat())
            });
            all.collect()
        }
    }
}

/// A frame whose calls are being made: with the globals, threads started and the last result.
type Open = (Vec<Value>, Frame, Vec<Started>, Option<Value>);

fn threads_of(sent: Vec<Outgoing>) -> Vec<Started> {
    let threads = sent.into_iter().map(|outgoing| match outgoing {
        Outgoing::Thread(procedure, arguments) => Started::Run(procedure, arguments),
        Outgoing::Async(action, arguments) => Started::Act(action, arguments),
        other @ Outgoing::Message(..) => panic!("procedures send no messages: {other:?}"),
    });
    threads.collect()
}

//! An execution graph in the language of Graphviz.
//!
//! Each process is a box with its events from top to bottom; thick arrows are messages, from the send
//! to the receive that got it, dashed ones are spawns and joins. It is the graph that the engine
//! explores, so the processes behind mutexes and bounded channels are there too, and messages that nobody
//! received; the [picture](crate::Failure::picture) of a failure shows less.
//!
//! `dot -Tsvg execution.dot` draws it.

use crate::explorer::Explorer;
use crate::machine::{Machine, describe_event, describe_operation};
use crate::memory::describe_value;
use crate::observer::{Execution, Observer, Outcome};
use plainsong_explore::{EventId, Graph, Kind, Op, Read, Tid};
use std::fmt::{self, Write as _};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

impl Explorer {
    /// Saves the graph of an execution here, for Graphviz: of the first that fails, or, if none does, of the
    /// first that ended.
    ///
    /// ```
    /// use plainsong::{current, receive, send, spawn_named, Explorer};
    ///
    /// let file = std::env::temp_dir().join("plainsong-example.dot");
    /// let report = Explorer::new().dot_file(&file).run(|| {
    ///     let main = current();
    ///     spawn_named("ann", move || send(main, "hello"));
    ///     assert_eq!(receive::<&str>(), "hello");
    /// });
    /// report.assert_holds();
    /// assert_eq!(report.dot_file.as_ref(), Some(&file));
    /// let graph = std::fs::read_to_string(&file)?;
    /// assert!(graph.starts_with("digraph"));
    /// assert!(graph.contains(r#"label="\"hello\"""#)); // on the arrow from ann to main
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn dot_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.dot_file = Some(path.into());
        self
    }

    /// Saves the graphs of the first executions, at most so many, in this folder, for Graphviz:
    /// `execution-1-completed.dot` and so on, whether something fails or not. Files of earlier
    /// explorations are replaced only by those of the same name.
    ///
    /// ```
    /// use plainsong::{choose, Explorer};
    ///
    /// let folder = std::env::temp_dir().join("plainsong-example-graphs");
    /// # let _ = std::fs::remove_dir_all(&folder);
    /// let report = Explorer::new().dot_folder(&folder, 100).run(|| {
    ///     choose(0..3);
    /// });
    /// report.assert_holds();
    /// assert_eq!(std::fs::read_dir(&folder)?.count(), 3);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn dot_folder(mut self, path: impl Into<PathBuf>, most: u64) -> Self {
        self.dot_folder = Some((path.into(), most));
        self
    }
}

/// The graph of an execution, as far as a machine that has taken notes knows it.
pub(crate) fn dot(graph: &Graph<Machine>, machine: &Machine, title: &str) -> String {
    let mut text = String::new();
    let written = write_graph(&mut text, graph, machine, title);
    written.expect("a string takes everything");
    text
}

fn write_graph(
    text: &mut String,
    graph: &Graph<Machine>,
    machine: &Machine,
    title: &str,
) -> fmt::Result {
    writeln!(text, "digraph execution {{")?;
    writeln!(text, "  label={}; labelloc=t;", quoted(title))?;
    writeln!(text, "  node [shape=box, fontname=monospace];")?;
    let processes = 0..graph.threads() as Tid;
    for process in processes.filter(|&process| graph.exists(process)) {
        write_process(text, graph, machine, process)?;
    }
    for &id in &in_order(graph) {
        write_arrows(text, graph, machine, id)?;
    }
    writeln!(text, "}}")
}

/// All events, by process and place: the order of insertion depends on the search.
fn in_order(graph: &Graph<Machine>) -> Vec<EventId> {
    let mut events = graph.order().to_vec();
    events.sort_unstable_by_key(|id| (id.thread, id.index));
    events
}

fn write_process(
    text: &mut String,
    graph: &Graph<Machine>,
    machine: &Machine,
    process: Tid,
) -> fmt::Result {
    writeln!(text, "  subgraph cluster_{process} {{")?;
    writeln!(
        text,
        "    label={};",
        quoted(&machine.world.full_name(process))
    )?;
    let count = graph.live(process) as u32;
    for index in 0..count {
        let id = EventId {
            thread: process,
            index,
        };
        let failed = matches!(graph.event(id).kind, Kind::Fail);
        let style = if failed { ", color=red" } else { "" };
        let label = quoted(&label(graph, machine, id));
        writeln!(text, "    {} [label={label}{style}];", node(id))?;
    }
    let mut last = count;
    if let Some(operation @ (Op::Receive { .. } | Op::Join { .. })) =
        machine.pending(process).as_deref()
    {
        let operation = describe_operation(&machine.world, process, operation);
        let label = quoted(&format!("waits: {operation}"));
        let id = EventId {
            thread: process,
            index: count,
        };
        writeln!(text, "    {} [label={label}, style=dotted];", node(id))?;
        last += 1;
    }
    for index in 1..last {
        let at = |index| EventId {
            thread: process,
            index,
        };
        writeln!(text, "    {} -> {};", node(at(index - 1)), node(at(index)))?;
    }
    writeln!(text, "  }}")
}

/// What an event is called.
fn label(graph: &Graph<Machine>, machine: &Machine, id: EventId) -> String {
    let event = graph.event(id);
    let described = describe_event(&machine.world, graph, id);
    match &event.kind {
        Kind::Receive { .. } => match event.read {
            Read::Lost => format!("{described}: it was lost"),
            _ if event.reads().next().is_some() => described,
            _ => format!("{described}: nothing"),
        },
        Kind::Choose { .. } => match machine.note(id) {
            Some(note) => match note.name {
                Some(name) => format!("choose {name} = {}", note.value),
                None => format!("choose {}", note.value),
            },
            None => described,
        },
        _ => described,
    }
}

/// The arrows that lead to an event from other processes.
fn write_arrows(
    text: &mut String,
    graph: &Graph<Machine>,
    machine: &Machine,
    id: EventId,
) -> fmt::Result {
    let event = graph.event(id);
    for send in event.reads() {
        let message = match graph.access(send) {
            Some(_) => describe_value(&machine.world, graph, send),
            None => format!("{:?}", graph.message(send)),
        };
        let message = quoted(&message);
        let arrow = format!("{} -> {}", node(send), node(id));
        writeln!(text, "  {arrow} [label={message}, penwidth=2];")?;
    }
    let (from, to) = match event.kind {
        Kind::Spawn { thread, .. } if graph.live(thread) > 0 => (id, EventId { thread, index: 0 }),
        Kind::Join { thread } if graph.live(thread) > 0 => {
            let index = graph.live(thread) as u32 - 1;
            (EventId { thread, index }, id)
        }
        _ => return Ok(()),
    };
    writeln!(text, "  {} -> {} [style=dashed];", node(from), node(to))
}

fn node(id: EventId) -> String {
    format!("e{}_{}", id.thread, id.index)
}

/// As Graphviz wants it: within quotation marks, where only those and backslashes are special.
fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", text.replace('\n', "\\n"))
}

/// Saves graphs of executions in a folder.
pub(crate) struct Album {
    folder: PathBuf,
    most: u64,
    ended: AtomicU64,
    kept: Mutex<Kept>,
}

/// What was saved, and what was not.
#[derive(Default)]
struct Kept {
    files: Vec<PathBuf>,
    trouble: Option<String>,
}

impl Album {
    pub(crate) fn new((folder, most): (PathBuf, u64)) -> Self {
        Album {
            folder,
            most,
            ended: AtomicU64::new(0),
            kept: Mutex::default(),
        }
    }

    /// What went wrong, if something did.
    pub(crate) fn trouble(&self) -> Option<String> {
        self.kept().trouble.clone()
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn save(&self, number: u64, outcome: &Outcome, graph: &str) -> std::io::Result<PathBuf> {
        std::fs::create_dir_all(&self.folder)?;
        let name = format!("execution-{number}-{}.dot", outcome.name());
        let file = self.folder.join(name);
        std::fs::write(&file, graph)?;
        Ok(file)
    }
}

impl Observer for Album {
    fn after(&self, execution: &Execution<'_>) {
        let number = self.ended.fetch_add(1, Ordering::Relaxed) + 1;
        if number > self.most {
            return;
        }
        let Some(graph) = execution.dot() else {
            return;
        };
        match self.save(number, execution.outcome(), &graph) {
            Ok(file) => self.kept().files.push(file),
            Err(error) => {
                let folder = self.folder.display();
                let text = format!("graphs were not saved in {folder}: {error}");
                self.kept().trouble.get_or_insert(text);
            }
        }
    }

    /// What was saved is void.
    fn start_again(&self) {
        self.ended.store(0, Ordering::Relaxed);
        for file in std::mem::take(&mut self.kept().files) {
            // One that cannot be removed is replaced, or the reader is told when that fails.
            let _ = std::fs::remove_file(file);
        }
    }
}

//! The race that decided a failure.
//!
//! Going back from the failure, the last receive that could have taken another message, and the
//! last load that could have read another store, are asked: what if? Everything before it is
//! kept, it takes the other outcome, and all executions that follow are explored. If none fails,
//! that event decided the failure.

use crate::attempt::attempt;
use crate::execution_text::occurrence;
use crate::explorer::Explorer;
use crate::leaf_visitor::Shared;
use crate::machine::{Machine, causal_order, is_set};
use crate::memory::{describe_value, store_number};
use crate::message::{Role, short_type_name};
use crate::replay::{Afterwards, Decision, Guide, Wanted};
use plainsong_explore::{EventId, Graph, Kind, Model, Read};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How many other outcomes are tried.
const MOST_TRIES: usize = 20;

/// How many executions are explored for each.
const MOST_EXECUTIONS: u64 = 10_000;

/// How long each may take.
const LONGEST: Duration = Duration::from_millis(500);

/// How long all of them may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// Names the race that decided the failure of an execution, if one can be found.
pub(crate) fn explain(
    graph: &Graph<Machine>,
    machine: &Machine,
    failed: Option<EventId>,
    shared: &Shared,
) -> Option<String> {
    let led_to_it = |id: &&EventId| failed.is_none_or(|failed| graph.happens_before(**id, failed));
    let order = causal_order(graph);
    let past: Vec<EventId> = order.iter().filter(led_to_it).copied().collect();
    let started = Instant::now();
    let mut tries = 0;
    for &id in past.iter().rev() {
        for other in alternatives(graph, id) {
            tries += 1;
            if tries > MOST_TRIES || started.elapsed() > PATIENCE {
                return None;
            }
            let guide = guide(graph, machine, id, other);
            if let Some(executions) = holds_afterwards(&guide, shared) {
                return Some(sentence(graph, machine, id, other, executions));
            }
        }
    }
    None
}

/// What a receive might have got instead, or a load have read.
#[derive(Clone, Copy)]
enum Other {
    Message(EventId),
    Nothing,
    Store(EventId),
}

/// Other outcomes of an event, in the given execution.
fn alternatives(graph: &Graph<Machine>, id: EventId) -> Vec<Other> {
    let Kind::Receive { pattern, want } = &graph.event(id).kind else {
        return other_stores(graph, id);
    };
    if is_set(*want) {
        return Vec::new();
    }
    let open = open_messages(graph, id);
    let taken = graph.event(id).read;
    let mut others: Vec<Other> = open
        .iter()
        .filter(|&&send| taken != Read::From(send))
        .filter(|&&send| !open.iter().any(|&earlier| holds_up(graph, earlier, send)))
        .map(|&send| Other::Message(send))
        .collect();
    if !want.waits() && pattern.only.is_none() && taken != Read::None {
        others.push(Other::Nothing);
    }
    others
}

/// The stores that an atomic load could read, as far as causality tells.
fn other_stores(graph: &Graph<Machine>, id: EventId) -> Vec<Other> {
    let (Some(number), Some(access)) = (store_number(graph, id), graph.access(id)) else {
        return Vec::new();
    };
    let Some(location) = access.location().filter(|_| access.is_load()) else {
        return Vec::new();
    };
    let stores = graph.stores(location).iter().enumerate();
    let others =
        stores.filter(|&(at, &store)| at as u32 != number && !graph.happens_before(id, store));
    others.map(|(_, &store)| Other::Store(store)).collect()
}

/// The messages that a receive could take if order were no matter: it wants them, they do not
/// depend on it, and no earlier receive has taken them.
fn open_messages(graph: &Graph<Machine>, receive: EventId) -> Vec<EventId> {
    let Kind::Receive { pattern, .. } = &graph.event(receive).kind else {
        return Vec::new();
    };
    let is_open = |&send: &EventId| match &graph.event(send).kind {
        Kind::Send { to, message, .. } => {
            let taken_before = match graph.event(send).read {
                Read::By(by) => by.index < receive.index,
                _ => false,
            };
            pattern.mailboxes().contains(to)
                && !taken_before
                && !graph.happens_before(receive, send)
                && pattern.matches(message)
        }
        _ => false,
    };
    graph.order().iter().copied().filter(is_open).collect()
}

/// Must `later` wait for `earlier`, as far as happens-before tells?
fn holds_up(graph: &Graph<Machine>, earlier: EventId, later: EventId) -> bool {
    let (
        Kind::Send {
            to, model, message, ..
        },
        Kind::Send {
            to: to2,
            model: model2,
            message: message2,
            ..
        },
    ) = (&graph.event(earlier).kind, &graph.event(later).kind)
    else {
        return false;
    };
    earlier != later
        && to == to2
        && model == model2
        && match model {
            Model::Unordered => false,
            Model::Fifo => earlier.thread == later.thread && earlier.index < later.index,
            Model::Causal | Model::Mailbox => graph.happens_before(earlier, later),
            Model::Custom(_) => {
                graph.happens_before(earlier, later)
                    && <Machine as plainsong_explore::Program>::keeps_order(message, message2)
            }
        }
}

/// The first receive of an execution that takes a message out of order; a replay is not stopped
/// from doing so.
pub(crate) fn out_of_order(graph: &Graph<Machine>) -> Option<EventId> {
    let overtakes = |&id: &EventId| match graph.event(id).read {
        Read::From(send) if matches!(graph.event(id).kind, Kind::Receive { .. }) => {
            open_messages(graph, id)
                .iter()
                .any(|&earlier| holds_up(graph, earlier, send))
        }
        _ => false,
    };
    graph.order().iter().copied().find(overtakes)
}

/// Everything that `id` and the other message depend on, then the other message.
fn guide(graph: &Graph<Machine>, machine: &Machine, id: EventId, other: Other) -> Guide {
    let before = |event: EventId| {
        event != id
            && (graph.happens_before(event, id)
                || matches!(other, Other::Message(cause) | Other::Store(cause)
                    if graph.happens_before(event, cause)))
    };
    let mut decisions: BTreeMap<String, Vec<Decision>> = BTreeMap::new();
    let mut decide = |event: EventId, decision: Decision| {
        let process = machine.world.full_name(event.thread);
        decisions.entry(process).or_default().push(decision);
    };
    for &event in graph.order() {
        if before(event)
            && let Some(decision) = decision(graph, machine, event)
        {
            decide(event, decision);
        }
    }
    decide(
        id,
        match other {
            Other::Message(send) => Decision::Receive(vec![wanted(graph, machine, send)]),
            Other::Nothing => Decision::Receive(Vec::new()),
            Other::Store(store) => Decision::Store(store_number(graph, store).unwrap_or(0)),
        },
    );
    Guide {
        decisions,
        afterwards: Afterwards::Free,
    }
}

fn decision(graph: &Graph<Machine>, machine: &Machine, id: EventId) -> Option<Decision> {
    let event = graph.event(id);
    match &event.kind {
        Kind::Receive { .. } if event.read == Read::Lost => Some(Decision::Wait),
        Kind::Receive { .. } => {
            let messages = event.reads().map(|send| wanted(graph, machine, send));
            Some(Decision::Receive(messages.collect()))
        }
        Kind::Choose { .. } => Some(Decision::Choose(machine.note(id)?.value)),
        _ => store_number(graph, id).map(Decision::Store),
    }
}

fn wanted(graph: &Graph<Machine>, machine: &Machine, send: EventId) -> Wanted {
    let message = graph.message(send);
    Wanted {
        kind: short_type_name(message.type_name),
        from: machine.world.full_name(send.thread),
        occurrence: occurrence(graph, send, message),
    }
}

/// How many executions there are with this guide, if none of them fails.
fn holds_afterwards(guide: &Guide, shared: &Shared) -> Option<u64> {
    let settings = Explorer {
        jobs: 1,
        samples: None,
        seed: None,
        keep_going: false,
        explains: false,
        executions: Some(MOST_EXECUTIONS),
        time: Some(LONGEST),
        audience: None,
        dot_file: None,
        ..shared.settings.clone()
    };
    let outcome = attempt(&settings, &shared.root, shared.restart, Some(guide));
    let all_fine = outcome.failures.is_empty()
        && outcome.mismatch.is_none()
        && outcome.early_end.is_none()
        && outcome.askers.is_empty()
        && outcome.complete > 0;
    all_fine.then_some(outcome.complete)
}

/// "had `server` received Acquire from client 2 first, nothing would fail".
fn sentence(
    graph: &Graph<Machine>,
    machine: &Machine,
    id: EventId,
    other: Other,
    executions: u64,
) -> String {
    if let Other::Store(store) = other {
        return sentence_of_load(graph, machine, id, store, executions);
    }
    let receiver = machine.world.name(id.thread);
    let message = |send: EventId| {
        format!(
            "{:?} from {}",
            graph.message(send),
            machine.world.name(send.thread)
        )
    };
    let verb = match machine.world.monitors.of(id.thread) {
        Some(_) => "seen",
        None => "received",
    };
    let received = match graph.event(id).read {
        Read::From(send) if verb == "seen" => format!("{receiver} saw {}", message(send)),
        Read::From(send) => format!("{receiver} received {}", message(send)),
        _ => format!("{receiver} received nothing"),
    };
    let instead = match other {
        Other::Message(send) => format!("{} first", message(send)),
        _ => "nothing".to_owned(),
    };
    let place = match graph.event(id).read {
        // What an object behind the scenes receives is called elsewhere.
        Read::From(send) if graph.message(send).value.role() == Role::Deed => {
            Some(graph.message(send).location)
        }
        _ => machine.print(id).and_then(|print| print.location),
    };
    let place = place.map_or(String::new(), |place| format!(" at {place}"));
    let all = all_fine(executions);
    format!("{received}{place};\n        had it {verb} {instead}, {all}")
}

/// "reader loaded atomic 1 = 0; had it loaded atomic 1 = 1, all 2 executions that follow are fine".
fn sentence_of_load(
    graph: &Graph<Machine>,
    machine: &Machine,
    id: EventId,
    store: EventId,
    executions: u64,
) -> String {
    let name = machine.world.name(id.thread);
    let value = |id: EventId| describe_value(&machine.world, graph, id);
    let place = machine.print(id).and_then(|print| print.location);
    let place = place.map_or(String::new(), |place| format!(" at {place}"));
    format!(
        "{name} loaded {}{place};\n        had it loaded {}, {}",
        value(id),
        value(store),
        all_fine(executions)
    )
}

fn all_fine(executions: u64) -> String {
    match executions {
        1 => "the execution that follows is fine".to_owned(),
        _ => format!("all {executions} executions that follow are fine"),
    }
}

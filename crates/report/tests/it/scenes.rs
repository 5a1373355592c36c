//! Hand-made traces.

use plainsong_diagnostics::Span;
use plainsong_semantics::trace::{
    Change, Ending, Event, EventKind, Failure, FailureKind, Sent, Trace, Waiting,
};

/// Builds a trace lane by lane, giving out message numbers.
pub(crate) struct Scene {
    trace: Trace,
    next: u64,
}

impl Scene {
    pub(crate) fn new(lanes: &[&str]) -> Self {
        let trace = Trace {
            lanes: lanes.iter().map(|&lane| lane.to_owned()).collect(),
            start: Vec::new(),
            events: Vec::new(),
            ending: Ending::Final,
            undelivered: Vec::new(),
        };
        Scene { trace, next: 0 }
    }

    pub(crate) fn event(
        &mut self,
        kind: EventKind,
        lane: Option<usize>,
        label: &str,
    ) -> &mut Event {
        self.trace.events.push(Event {
            lane,
            kind,
            label: label.to_owned(),
            peer: None,
            message: None,
            sends: Vec::new(),
            choices: Vec::new(),
            changes: Vec::new(),
            span: Span::new(3, 7),
            step: self.trace.events.len(),
        });
        self.trace.events.last_mut().expect("just pushed")
    }

    pub(crate) fn send(&mut self, from: usize, to: usize, label: &str) -> u64 {
        let number = self.next;
        self.next += 1;
        let event = self.event(EventKind::Send, Some(from), label);
        event.peer = Some(to);
        event.message = Some(number);
        self.trace.undelivered.push(Sent {
            message: number,
            label: label.to_owned(),
            from: Some(from),
            to: Some(to),
        });
        number
    }

    /// A message that leaves with the latest event.
    pub(crate) fn further(&mut self, to: usize, label: &str) -> u64 {
        let number = self.next;
        self.next += 1;
        let event = self.trace.events.last_mut().expect("an event");
        let sent = Sent {
            message: number,
            label: label.to_owned(),
            from: event.lane,
            to: Some(to),
        };
        event.sends.push(sent.clone());
        self.trace.undelivered.push(sent);
        number
    }

    pub(crate) fn take(&mut self, kind: EventKind, number: u64) -> &mut Event {
        let at = self
            .trace
            .undelivered
            .iter()
            .position(|sent| sent.message == number);
        let sent = self.trace.undelivered.remove(at.expect("in flight"));
        let event = self.event(kind, sent.to, &sent.label);
        event.peer = sent.from;
        event.message = Some(number);
        event
    }

    pub(crate) fn receive(&mut self, number: u64) -> &mut Event {
        self.take(EventKind::Receive, number)
    }

    pub(crate) fn start(&mut self, variable: &str, value: &str) {
        self.trace.start.push(change(variable, value, value));
    }

    pub(crate) fn end(mut self, ending: Ending) -> Trace {
        self.trace.ending = ending;
        self.trace
    }
}

pub(crate) fn change(variable: &str, before: &str, after: &str) -> Change {
    Change {
        variable: variable.to_owned(),
        before: before.to_owned(),
        after: after.to_owned(),
    }
}

/// Two-phase commit where a database commits although it voted no.
pub(crate) fn late_commit() -> Trace {
    let mut scene = Scene::new(&["coordinator", "db[0]", "db[1]"]);
    scene.start("db[0].outcome", "none");
    scene.start("db[1].outcome", "none");
    let first = scene.send(0, 1, "Prepare");
    let second = scene.send(0, 2, "Prepare");
    scene.receive(second).choices.push("yes = false".to_owned());
    scene.receive(first).choices.push("yes = true".to_owned());
    let no = scene.send(2, 0, "Vote(false)");
    let yes = scene.send(1, 0, "Vote(true)");
    scene.receive(no);
    scene
        .receive(yes)
        .changes
        .push(change("coordinator.commit", "false", "true"));
    let decide = scene.send(0, 1, "Decide(true)");
    scene
        .receive(decide)
        .changes
        .push(change("db[0].outcome", "none", "some(true)"));
    let decide = scene.send(0, 2, "Decide(true)");
    scene.receive(decide);
    scene.end(Ending::Failed(Failure {
        kind: FailureKind::Assertion,
        message: "c ==> yes is false: c = true, yes = false".to_owned(),
        span: Span::new(4, 9),
    }))
}

/// Two processes that greet each other at the same time: the messages cross.
pub(crate) fn crossing() -> Trace {
    let mut scene = Scene::new(&["left", "right"]);
    let there = scene.send(0, 1, "Hello(1)");
    let back = scene.send(1, 0, "Hello(2)");
    scene.receive(back);
    scene.receive(there);
    scene.end(Ending::Final)
}

/// A token that is duplicated in flight: two are inside when the last one arrives.
pub(crate) fn doubled() -> Trace {
    let mut scene = Scene::new(&["a", "b", "c"]);
    let token = scene.send(0, 1, "Token");
    scene.event(EventKind::Duplicate, Some(0), "Token").message = Some(token);
    let copy = scene.further(1, "Token");
    scene.receive(token);
    let on = scene.send(1, 2, "Token");
    let late = scene.send(0, 2, "Late");
    scene.event(EventKind::Lose, Some(2), "Late").message = Some(late);
    scene.receive(copy);
    scene.receive(on);
    scene.end(Ending::Violated {
        property: "exclusive".to_owned(),
        span: Span::new(3, 7),
        why: "two are inside".to_owned(),
    })
}

/// Handlers: messages leave in groups, `init` begins, one goes to its own sender.
pub(crate) fn handlers() -> Trace {
    let mut scene = Scene::new(&["node[0]", "node[1]", "node[2]"]);
    scene
        .event(EventKind::Init, None, "init")
        .choices
        .push("root = 0".to_owned());
    let root = scene.further(0, "Search(0)");
    scene.take(EventKind::Handle, root);
    let own = scene.further(0, "Adopt(0)");
    let near = scene.further(1, "Search(0)");
    let far = scene.further(2, "Search(0)");
    scene.take(EventKind::Handle, far);
    scene
        .take(EventKind::Handle, own)
        .changes
        .push(change("node[0].parent", "none", "some(0)"));
    scene.take(EventKind::Handle, near);
    scene.further(2, "Search(1)");
    scene.end(Ending::Cut)
}

/// One process waits for a message that nobody sends, another that was sent the wrong one.
pub(crate) fn deadlock() -> Trace {
    let mut scene = Scene::new(&["client", "server"]);
    scene.send(0, 1, "Hello");
    scene.end(Ending::Deadlock(vec![
        Waiting {
            lane: Some(0),
            what: "Welcome from server".to_owned(),
            span: Span::new(10, 12),
        },
        Waiting {
            lane: Some(1),
            what: "Bye from any client".to_owned(),
            span: Span::new(30, 34),
        },
    ]))
}

/// An action system.
pub(crate) fn actions() -> Trace {
    let mut scene = Scene::new(&[]);
    scene.start("owner", "none");
    let init = scene.event(EventKind::Init, None, "init");
    for (message, label) in [(0, "Acquire(0)"), (1, "Acquire(1)")] {
        init.sends.push(Sent {
            message,
            label: label.to_owned(),
            from: None,
            to: None,
        });
    }
    let acquire = scene.event(EventKind::Act, None, "Acquire(1)");
    acquire.changes.push(change("owner", "none", "some(1)"));
    acquire.sends.push(Sent {
        message: 2,
        label: "Release(1)".to_owned(),
        from: None,
        to: None,
    });
    scene
        .event(EventKind::Act, None, "Release(1)")
        .changes
        .push(change("owner", "some(1)", "none"));
    scene.end(Ending::Violated {
        property: "held".to_owned(),
        span: Span::new(0, 3),
        why: "owner != none is false: owner = none".to_owned(),
    })
}

/// A line: its statements are one sequence, whoever's they are.
pub(crate) fn swap() -> Trace {
    let mut scene = Scene::new(&["a", "b"]);
    scene
        .event(EventKind::Local, Some(0), "a.t = a.v")
        .changes
        .push(change("a.t", "0", "1"));
    scene
        .event(EventKind::Local, Some(1), "b.t = b.v")
        .changes
        .push(change("b.t", "0", "2"));
    let transfer = scene.event(EventKind::Transfer, Some(0), "a.v = b.t");
    transfer.peer = Some(1);
    transfer.changes.push(change("a.v", "1", "2"));
    scene.end(Ending::Final)
}

/// So many lanes that they do not fit.
pub(crate) fn crowd() -> Trace {
    let names: Vec<String> = (0..9).map(|number| format!("worker[{number}]")).collect();
    let lanes: Vec<&str> = std::iter::once("leader")
        .chain(names.iter().map(String::as_str))
        .collect();
    let mut scene = Scene::new(&lanes);
    for worker in 1..lanes.len() {
        let job = scene.send(0, worker, "Job");
        scene.receive(job);
    }
    scene.event(EventKind::Timeout, Some(0), "timeout");
    scene.end(Ending::Final)
}

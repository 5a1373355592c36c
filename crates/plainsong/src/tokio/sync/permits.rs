//! Permits, and a value that goes with them: what locks and semaphores are made of.
//!
//! The server hands out permits in the order in which they are asked for, each time with the value that
//! it keeps, and gets them back with a new value, perhaps. A mutex has one permit; a reader of a
//! reader-writer lock has one of very many, a writer all.
//!
//! Selective. That permits were given back ([`Release`]) matters only to somebody who waits for them, so
//! it is received only then. One request at a time waits; later ones are not looked at before it is
//! served. If a request needs all permits that are out, they are received in one fixed order. So n tasks
//! that lock a mutex once have n! executions. A request that is given up ([`GiveUp`]) before it is
//! granted is forgotten; what was granted in vain comes back.
//!
//! Ready at once. Where somebody can tell whether permits are there at the first poll (in `select!`,
//! `join!`, a timeout), they are tried first ([`TryAcquire`]), and waited for if there are not enough.
//! That these are two requests changes nothing: the task does nothing in between, so it is as if both
//! were made at the last moment at which there were not enough.
//!
//! Nobody overtakes. Permits that come back go to those who wait, in the order in which they asked, and
//! one who waits for several keeps what there is. So as long as somebody waits, [`TryAcquire`] gets
//! nothing and no permits are free. That is exact: while a request waits, the server listens to every
//! release that could serve it, so what it has not received comes later than what it has; and it looks
//! for releases on its own account only when nobody waits, that is, when all requests that came before
//! were served. Then it reads what comes before a moment that it [marks](crate::now): the answer "not
//! enough" is ordered with all else, as the answer "here they are" is.
//!
//! Over-counted. Requests that need not wait for each other are explored in every order, though perhaps
//! nobody can tell.

use super::post::{answer, ask, request, wait};
use crate::future::Awaited;
use crate::ghosts::{keep_first, leave, leave_first, shared_value_of, value_of};
use crate::message::{Envelope, Parcel};
use crate::now::Now;
use crate::pattern::Arm;
use crate::process::Process;
use crate::record::discard;
use crate::sync::server::{Desk, Place, content, protocol, start, tell, tell_soon};
use crate::tag::Tag;
use crate::task::Task;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};

protocol! {
    /// Wants permits, and waits for them; answered by [`Granted`].
    Acquire { permits: usize } Plumbing "acquire"
    /// Wants permits now; answered by [`Granted`].
    TryAcquire { permits: usize } Plumbing "try_acquire"
    /// Is its request with that number granted, or will never be? Answered by [`IsGranted`].
    AskGranted { number: u32 } Plumbing "acquire"
    /// Is it?
    IsGranted { yes: bool } Plumbing "an answer"
    /// Does not want what its request with that number asked for any more.
    GiveUp { number: u32 } Plumbing "give up"
    /// The answer: permits and the value, or neither.
    Granted<T> { reply: Reply<T> } Grant "granted"
    /// Gives permits back, or makes new ones, with a new value if there is one.
    Release<T> { of: Option<Key>, permits: usize, value: Option<Parcel<T>> } Plumbing "release"
    /// No more permits for anybody.
    Close {} Plumbing "close"
    /// How many permits are there? Answered by [`State`].
    AskState {} Plumbing "how many?"
    /// So many, and whether it is closed.
    State { pub(super) free: usize, pub(super) is_closed: bool } Plumbing "an answer"
}

/// A request: who asked, and the number of the request.
pub(super) type Key = (u32, u32);

/// The answer to a request.
pub(super) enum Reply<T: 'static> {
    /// Granted, with the value.
    Value(Parcel<T>),
    Busy,
    Closed,
}

/// The client's view of a server.
#[derive(Clone, Copy, Debug)]
pub(super) struct Permits {
    pub(super) server: Process,
}

/// Permits that somebody has, with the value; they are given back when it is dropped.
pub(super) struct Held<T: 'static> {
    server: Process,
    of: Key,
    pub(super) permits: usize,
    value: Option<Content<T>>,
    place: Place,
}

/// The value that comes with permits.
enum Content<T> {
    /// It goes back.
    Own(T),
    /// Others look at it too.
    Shared(Arc<T>),
}

impl Permits {
    /// Starts a server with so many permits.
    pub(super) fn start<T: 'static>(
        kind: &'static str,
        permits: usize,
        value: T,
        made_at: Place,
    ) -> Self {
        let value = Parcel::new(value);
        let first = value.clone();
        let serve = move |desk: &Desk| {
            let mut server = Server {
                desk,
                value,
                free: permits,
                is_closed: false,
                waiting: None,
                out: BTreeMap::new(),
                given_up: Vec::new(),
            };
            loop {
                let request = desk.next(&server.arms());
                server.serve(request);
            }
        };
        let server = start(kind, None, made_at, serve);
        leave_first(server, &first);
        let reply = Reply::Value(first);
        keep_first(server, Granted { reply }, made_at);
        let (free, is_closed) = (permits, false);
        keep_first(server, State { free, is_closed }, made_at);
        Permits { server }
    }

    /// Asks for permits and waits for them.
    pub(super) fn wait<T: 'static>(
        self,
        permits: usize,
        is_exclusive: bool,
        place: Place,
    ) -> Option<Held<T>> {
        let reply = request::<_, Granted<T>>(self.server, Acquire { permits }, "", place);
        self.held(&reply, permits, is_exclusive, place).ok()
    }

    /// Asks for permits that are free; false if it is closed, true if there are not enough.
    pub(super) fn try_acquire<T: 'static>(
        self,
        permits: usize,
        is_exclusive: bool,
        place: Place,
    ) -> Result<Held<T>, bool> {
        let reply = request::<_, Granted<T>>(self.server, TryAcquire { permits }, "", place);
        self.held(&reply, permits, is_exclusive, place)
    }

    fn held<T: 'static>(
        self,
        reply: &Envelope,
        permits: usize,
        is_exclusive: bool,
        place: Place,
    ) -> Result<Held<T>, bool> {
        let value = match &content::<Granted<T>>(reply).reply {
            Reply::Value(value) if is_exclusive => Content::Own(value_of(self.server, value)),
            Reply::Value(value) => Content::Shared(shared_value_of(self.server, value)),
            Reply::Busy => return Err(true),
            Reply::Closed => return Err(false),
        };
        let task = Task::current("acquire");
        Ok(Held {
            server: self.server,
            of: (task.process, number(reply)),
            permits,
            value: Some(value),
            place,
        })
    }

    /// Makes new permits.
    pub(super) fn add(self, permits: usize, place: Place) {
        let release = Release::<()> {
            of: None,
            permits,
            value: None,
        };
        tell(self.server, release, place);
    }

    /// No more permits for anybody.
    pub(super) fn close(self, place: Place) {
        tell(self.server, Close {}, place);
    }

    /// How many permits are free, and whether it is closed.
    pub(super) fn state(self, place: Place) -> (usize, bool) {
        let answer = request::<_, State>(self.server, AskState {}, "", place);
        let state = content::<State>(&answer);
        (state.free, state.is_closed)
    }
}

impl<T: 'static> Held<T> {
    /// The value.
    pub(super) fn value(&self) -> &T {
        let value = self.value.as_ref();
        match value.expect("the value is there until it is given back") {
            Content::Own(value) => value,
            Content::Shared(value) => value,
        }
    }

    /// The value, which does not go back.
    pub(super) fn into_value(mut self) -> T {
        match self.value.take() {
            Some(Content::Own(value)) => value,
            _ => unreachable!("the value is there until it is given back"),
        }
    }

    /// The value, to be changed.
    pub(super) fn value_mut(&mut self) -> &mut T {
        let value = self.value.as_mut();
        match value.expect("the value is there until it is given back") {
            Content::Own(value) => value,
            Content::Shared(_) => unreachable!("only who has the value alone changes it"),
        }
    }
}

impl<T: 'static> Drop for Held<T> {
    fn drop(&mut self) {
        let value = match self.value.take() {
            Some(Content::Own(value)) => Some(Parcel::new(value)),
            // The server has it too, so it is not dropped.
            Some(Content::Shared(value)) => {
                discard(value);
                None
            }
            None => None,
        };
        if let Some(value) = &value {
            leave(self.server, value);
        }
        let release = Release {
            of: Some(self.of),
            permits: self.permits,
            value,
        };
        tell_soon(self.server, release, self.place);
    }
}

/// Permits to come.
pub(super) struct Acquiring {
    server: Process,
    permits: usize,
    is_exclusive: bool,
    place: Place,
    /// The number of the request, and its answer.
    asked: Option<(u32, Awaited)>,
    is_over: bool,
}

impl Acquiring {
    pub(super) fn new(permits: Permits, count: usize, is_exclusive: bool, place: Place) -> Self {
        Acquiring {
            server: permits.server,
            permits: count,
            is_exclusive,
            place,
            asked: None,
            is_over: false,
        }
    }

    /// The permits when they are granted; none if it is closed.
    pub(super) fn poll<T: 'static>(&mut self, cx: &Context<'_>) -> Poll<Option<Held<T>>> {
        let (server, permits, place) = (self.server, self.permits, self.place);
        let task = Task::current("acquire");
        let mut is_absent = self.asked.is_none() && task.waits.is_observed(cx.waker());
        if is_absent {
            let now = Permits { server }.try_acquire(permits, self.is_exclusive, place);
            match now {
                Ok(held) => return Poll::Ready(Some(held)),
                Err(false) => return Poll::Ready(None),
                Err(true) => {}
            }
        }
        if let Some((number, awaited)) = &self.asked
            && awaited.is_open()
            && task.waits.is_observed_anew(cx.waker())
        {
            let number = *number;
            if is_granted(server, number, place) {
                let reply = wait(
                    &task,
                    answer::<Granted<T>>(&task, server, number, ""),
                    place,
                );
                self.is_over = true;
                let held = Permits { server }.held(&reply, permits, self.is_exclusive, place);
                return Poll::Ready(held.ok());
            }
            is_absent = true;
        }
        let (_, awaited) = self.asked.get_or_insert_with(|| {
            let number = task.next_ticket();
            ask(server, Acquire { permits }, number, place);
            let arm = answer::<Granted<T>>(&task, server, number, "");
            let arm = arm.asking(move |place| is_granted(server, number, place));
            (number, Awaited::message(arm, place))
        });
        awaited.poll_unless_absent(cx, is_absent).map(|reply| {
            self.is_over = true;
            let permits = Permits { server };
            permits
                .held(&reply, self.permits, self.is_exclusive, place)
                .ok()
        })
    }
}

/// Is a request granted, or will never be?
fn is_granted(server: Process, number: u32, place: Place) -> bool {
    let answered = request::<_, IsGranted>(server, AskGranted { number }, "", place);
    content::<IsGranted>(&answered).yes
}

impl Drop for Acquiring {
    fn drop(&mut self) {
        if let Some((number, _)) = self.asked
            && !self.is_over
        {
            tell_soon(self.server, GiveUp { number }, self.place);
        }
    }
}

struct Server<'d, T: 'static> {
    desk: &'d Desk,
    value: Parcel<T>,
    free: usize,
    is_closed: bool,
    /// The request that waits, and how many permits it needs.
    waiting: Option<(Rc<Envelope>, usize)>,
    /// Who has how many.
    out: BTreeMap<Key, usize>,
    given_up: Vec<Key>,
}

impl<T: 'static> Server<'_, T> {
    /// What it listens to now.
    fn arms(&self) -> Vec<Arm> {
        let desk = self.desk;
        let mut arms = vec![
            desk.of::<TryAcquire>(),
            desk.of::<AskGranted>(),
            desk.of::<GiveUp>(),
            desk.of::<Close>(),
            desk.of::<AskState>(),
        ];
        match self.waiting {
            None => arms.push(desk.of::<Acquire>()),
            Some((_, needed)) => arms.extend(self.releases(needed)),
        }
        arms
    }

    /// The releases that somebody waits for who needs so many permits.
    fn releases(&self, needed: usize) -> [Arm; 2] {
        let desk = self.desk;
        let all: usize = self.out.values().sum();
        let first = self.out.keys().next().copied();
        let only = first.filter(|_| needed >= self.free + all);
        [
            desk.of_those::<Release<T>>(move |release, _| only.is_none() || release.of == only),
            desk.of::<Release<()>>(),
        ]
    }

    fn serve(&mut self, request: Rc<Envelope>) {
        if request.is::<Acquire>() {
            self.acquire(request);
        } else if request.is::<TryAcquire>() {
            self.try_acquire(&request);
        } else if let Some(asked) = request.get::<AskGranted>() {
            let yes = self.is_granted((request.info.from.0, asked.number));
            self.desk.reply(&request, IsGranted { yes });
        } else if request.is::<GiveUp>() {
            self.give_up(&request);
        } else if request.is::<Close>() {
            self.is_closed = true;
            self.serve_waiting();
        } else if request.is::<AskState>() {
            let (free, is_closed) = (self.available(), self.is_closed);
            self.desk.reply(&request, State { free, is_closed });
        } else {
            self.release(&request);
        }
    }

    fn acquire(&mut self, request: Rc<Envelope>) {
        let key = key(&request);
        if let Some(at) = self.given_up.iter().position(|&given_up| given_up == key) {
            self.given_up.swap_remove(at);
            return;
        }
        let needed = content::<Acquire>(&request).permits;
        self.waiting = Some((request, needed));
        self.serve_waiting();
    }

    /// Grants what the waiting request wants, if it can be granted.
    fn serve_waiting(&mut self) {
        if let Some((request, needed)) = self.waiting.take() {
            if self.is_closed || needed <= self.free {
                self.grant(&request, needed);
            } else {
                self.waiting = Some((request, needed));
            }
        }
    }

    fn try_acquire(&mut self, request: &Envelope) {
        let needed = content::<TryAcquire>(request).permits;
        if self.waiting.is_none() {
            self.collect(needed);
        }
        let is_busy = needed > self.free || self.waiting.is_some();
        if is_busy && !self.is_closed {
            return self.reply(request, Reply::Busy);
        }
        self.grant(request, needed);
    }

    /// How many permits nobody has or waits for.
    fn available(&mut self) -> usize {
        if self.waiting.is_none() {
            self.collect(usize::MAX);
        }
        match self.waiting.is_some() && !self.is_closed {
            true => 0,
            false => self.free,
        }
    }

    /// Receives what was given back, until there are enough permits or no more is there now. Whoever closes
    /// it or gives up does that before this moment too, or after it.
    fn collect(&mut self, needed: usize) {
        if self.free >= needed || self.is_closed {
            return;
        }
        let desk = self.desk;
        let arms = [
            desk.of::<Release<T>>(),
            desk.of::<Release<()>>(),
            desk.of::<Close>(),
            desk.of::<GiveUp>(),
            desk.mark(),
        ];
        while self.free < needed && !self.is_closed {
            let next = desk.next(&arms);
            if next.is::<Now>() {
                return;
            }
            self.serve(next);
        }
    }

    /// Is a request granted now, or will never be? Reads what those before it and it itself wait for, up to
    /// this moment.
    fn is_granted(&mut self, key: Key) -> bool {
        let desk = self.desk;
        if self.out.contains_key(&key) || self.is_closed {
            return true;
        }
        let now = desk.mark();
        while !self.out.contains_key(&key) && !self.is_closed {
            let mut arms = vec![desk.of::<Close>(), desk.of::<GiveUp>(), now.clone()];
            match self.waiting {
                None => arms.push(desk.of::<Acquire>()),
                Some((_, needed)) => arms.extend(self.releases(needed)),
            }
            let next = desk.next(&arms);
            if next.is::<Now>() {
                return false;
            }
            self.serve(next);
        }
        true
    }

    fn grant(&mut self, request: &Envelope, permits: usize) {
        if self.is_closed {
            return self.reply(request, Reply::Closed);
        }
        self.free -= permits;
        self.out.insert(key(request), permits);
        self.reply(request, Reply::Value(self.value.clone()));
    }

    fn reply(&self, request: &Envelope, reply: Reply<T>) {
        self.desk.reply(request, Granted { reply });
    }

    fn release(&mut self, request: &Envelope) {
        if let Some(release) = request.get::<Release<T>>() {
            self.take_back(release.of, release.permits);
            if let Some(value) = &release.value {
                self.value = value.clone();
            }
        } else {
            let release = content::<Release<()>>(request);
            self.take_back(release.of, release.permits);
        }
        self.serve_waiting();
    }

    fn take_back(&mut self, of: Option<Key>, permits: usize) {
        if let Some(key) = of {
            self.out.remove(&key);
        }
        self.free += permits;
    }

    fn give_up(&mut self, request: &Envelope) {
        let key = (request.info.from.0, content::<GiveUp>(request).number);
        if let Some(permits) = self.out.get(&key).copied() {
            self.take_back(Some(key), permits);
            self.serve_waiting();
        } else if matches!(&self.waiting, Some((waiting, _)) if self::key(waiting) == key) {
            self.waiting = None;
        } else {
            self.given_up.push(key);
        }
    }
}

fn key(request: &Envelope) -> Key {
    (request.info.from.0, number(request))
}

/// The number of a request, or of the request that is answered.
fn number(message: &Envelope) -> u32 {
    match message.info.tag {
        Some(Tag::Number(number)) => number as u32,
        _ => unreachable!("requests are numbered"),
    }
}

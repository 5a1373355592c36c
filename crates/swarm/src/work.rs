//! The loop of a worker: take a piece, work on it, store its outcome, put its children into the queue, acknowledge.
//!
//! The order of the last three is what makes it safe to die at any moment: before the outcome is stored, the piece is given to
//! somebody else; after that, whoever gets the piece finds the outcome and does what is left to do ([`Desk::hand_over`]).
//!
//! While a piece is worked on, somebody else ([`attend`]) tells the server that it is, listens for workers that have nothing to do,
//! and looks whether the run is still wanted.

use crate::metrics::{Metrics, count};
use crate::pause::{LEAST, Pause, Wish};
use crate::record::{Outcome, Piece, RunRecord, State};
use crate::server::Trouble;
use crate::store::{ACK_WAIT, Connection, Hub, Stored, outcome_fits};
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::{AckKind, Message};
use futures_util::StreamExt as _;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long a worker waits for a piece before it asks for one, and again and again.
pub(crate) const WAIT: Duration = Duration::from_millis(250);
/// How long one offer to take a piece stands. A piece that is sent just when it ends comes back after [`ACK_WAIT`].
const OFFER: Duration = Duration::from_secs(3);
/// How long after trouble with the server it is asked again.
const AGAIN: Duration = Duration::from_millis(200);
/// How long a worker that is to stop tries to store what it has.
const LAST_WORDS: Duration = Duration::from_secs(5);
/// How often whoever attends a piece looks at the run.
pub(crate) const LOOK: Duration = Duration::from_millis(500);
/// A piece that was given out so often, without anything coming of it, ends its workers.
const MOST_DELIVERIES: u32 = 40;

/// What came of a piece.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// What was found.
    pub result: String,
    /// What was left, as pieces.
    pub children: Vec<String>,
}

/// Somebody who can carry out pieces.
pub trait Work {
    /// Carries out a piece of a run, as far as `pause` lets it. An error is one of the piece, not of the moment: it ends the run.
    fn carry_out(&mut self, run: &RunRecord, body: &str, pause: &Pause) -> Result<Done, String>;
}

/// Where one thread of a worker works.
pub struct Desk<'c> {
    connection: &'c Connection,
    build: String,
    name: String,
    slice: Duration,
    stop: Arc<AtomicBool>,
    metrics: Arc<Metrics>,
    say: &'c (dyn Fn(&str) + Sync),
}

/// What a desk keeps between pieces.
struct Drawer {
    consumer: Option<PullConsumer>,
    /// Runs that were looked up lately.
    runs: BTreeMap<String, (Instant, RunRecord)>,
    /// Was trouble told since something last went well?
    has_told: bool,
}

impl<'c> Desk<'c> {
    /// For pieces of this build. `say` is told what goes wrong and may go better later.
    pub fn new(
        connection: &'c Connection,
        (build, name): (&str, &str),
        slice: Duration,
        stop: &Arc<AtomicBool>,
        metrics: &Arc<Metrics>,
        say: &'c (dyn Fn(&str) + Sync),
    ) -> Self {
        Desk {
            connection,
            build: build.to_owned(),
            name: name.to_owned(),
            slice,
            stop: stop.clone(),
            metrics: metrics.clone(),
            say,
        }
    }

    /// Works until it is told to stop.
    pub fn work(&self, work: &mut dyn Work) {
        let mut drawer = Drawer {
            consumer: None,
            runs: BTreeMap::new(),
            has_told: false,
        };
        while !self.is_stopped() {
            match self.one(work, &mut drawer) {
                Ok(()) => drawer.has_told = false,
                Err(trouble) => {
                    self.tell(&mut drawer, &trouble);
                    drawer.consumer = None;
                    std::thread::sleep(AGAIN);
                }
            }
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    fn tell(&self, drawer: &mut Drawer, trouble: &Trouble) {
        count(&self.metrics.troubles, 1);
        if !std::mem::replace(&mut drawer.has_told, true) {
            let help = trouble.help.as_ref();
            let help = help.map_or(String::new(), |help| format!(" ({help})"));
            (self.say)(&format!("{trouble}{help}; trying again"));
        }
    }

    fn hub(&self) -> &Hub {
        &self.connection.hub
    }

    /// At most one piece.
    fn one(&self, work: &mut dyn Work, drawer: &mut Drawer) -> Result<(), Trouble> {
        let runtime = &self.connection.runtime;
        self.metrics.desks.is_idle(true);
        let message = runtime.block_on(self.take(drawer));
        self.metrics.desks.is_idle(false);
        let Some(message) = message? else {
            return Ok(());
        };
        let message = Arc::new(message);
        let subject = message.subject.to_string();
        let Some(piece) = Hub::received(&subject, &message.payload) else {
            count(&self.metrics.garbage, 1);
            (self.say)(&format!(
                "a message on {subject} is no piece; it is left out"
            ));
            return runtime.block_on(end(&message));
        };
        let Some(run) = runtime.block_on(self.run_of(&piece, drawer))? else {
            return runtime.block_on(end(&message));
        };
        if let Stored::Outcome(stored) = runtime.block_on(self.hub().outcome(&piece))? {
            count(&self.metrics.dropped, 1);
            return runtime.block_on(self.hand_over(&piece, &stored, &message));
        }
        let deliveries = message.info().map_or(1, |info| info.delivered.max(1));
        let deliveries = u32::try_from(deliveries).unwrap_or(u32::MAX);
        let began = Instant::now();
        let pause = Pause::new(self.slice, deliveries, &self.stop);
        let done = match deliveries {
            0..=MOST_DELIVERIES => {
                let attendant = attend(
                    self.hub().clone(),
                    self.build.clone(),
                    (message.clone(), piece.clone()),
                    pause.clone(),
                );
                let attendant = runtime.spawn(attendant);
                self.metrics.desks.begins(&piece.id());
                let done = work.carry_out(&run, &piece.body, &pause);
                self.metrics.desks.ends(&piece.id());
                attendant.abort();
                done
            }
            _ => Err(format!(
                "{deliveries} workers took this piece, and none came to an end with it; they may run out of memory"
            )),
        };
        count(&self.metrics.busy, began.elapsed().as_millis() as u64);
        if pause.is_cancelled() && done.is_ok() {
            // What was found so far counts if the run goes on some day.
            let state = runtime.block_on(self.hub().run(&run.name))?;
            let is_paused =
                state.is_some_and(|(now, _)| now.id == run.id && now.state == State::Paused);
            if !is_paused {
                return runtime.block_on(end(&message));
            }
        }
        if pause.wish() == Wish::Share {
            count(&self.metrics.shared, 1);
        }
        let (result, children) = match done {
            Ok(done) => (Ok(done.result), done.children),
            Err(why) => (Err(why), Vec::new()),
        };
        let outcome = Outcome {
            result,
            children,
            worker: self.name.clone(),
            milliseconds: began.elapsed().as_millis() as u64,
        };
        let outcome = match outcome_fits(&piece, &outcome) {
            Ok(()) => outcome,
            Err(why) => Outcome {
                result: Err(why.message),
                children: Vec::new(),
                ..outcome
            },
        };
        self.store(drawer, &piece, &outcome, &message)
    }

    /// Stores an outcome and does what is left to do, until that is done. A worker that is to stop gives up after a while: its
    /// piece is given to somebody else.
    fn store(
        &self,
        drawer: &mut Drawer,
        piece: &Piece,
        outcome: &Outcome,
        message: &Message,
    ) -> Result<(), Trouble> {
        let mut ended = None;
        loop {
            let stored = self.connection.runtime.block_on(async {
                // While the server is away nobody else has the piece; then nobody else should begin with it.
                let _ = message.ack_with(AckKind::Progress).await;
                let (stored, is_ours) = self.hub().store(piece, outcome).await?;
                let counter = match is_ours {
                    true => &self.metrics.pieces,
                    false => &self.metrics.dropped,
                };
                count(counter, 1);
                self.hand_over(piece, &stored, message).await
            });
            let trouble = match stored {
                Ok(()) => return Ok(()),
                Err(trouble) => trouble,
            };
            if self.is_stopped() {
                let since = *ended.get_or_insert_with(Instant::now);
                if since.elapsed() > LAST_WORDS {
                    return Err(trouble);
                }
            }
            self.tell(drawer, &trouble);
            std::thread::sleep(AGAIN);
        }
    }

    /// Puts the children of the outcome that counts into the queue, and acknowledges the piece.
    async fn hand_over(
        &self,
        piece: &Piece,
        stored: &Outcome,
        message: &Message,
    ) -> Result<(), Trouble> {
        let id = piece.id();
        for body in &stored.children {
            let child = Piece {
                parent: id.clone(),
                body: body.clone(),
                ..piece.clone()
            };
            self.hub().send(&self.build, &child, None).await?;
        }
        count(&self.metrics.children, stored.children.len() as u64);
        end(message).await
    }

    /// The next piece, if one comes soon.
    async fn take(&self, drawer: &mut Drawer) -> Result<Option<Message>, Trouble> {
        if drawer.consumer.is_none() {
            drawer.consumer = Some(self.hub().consumer(&self.build).await?);
        }
        let Some(consumer) = &drawer.consumer else {
            return Ok(None);
        };
        let no_work = |error: &dyn std::fmt::Display| {
            Trouble::new(format!("the server gives no work: {error}"))
        };
        let batch = consumer.batch().max_messages(1).expires(OFFER);
        let mut batch = batch.messages().await.map_err(|error| no_work(&error))?;
        let hungry = self.hub().names.hungry(&self.build);
        let (begun, connection) = (Instant::now(), self.hub().connects());
        while !self.is_stopped() {
            match tokio::time::timeout(WAIT, batch.next()).await {
                Ok(Some(Err(error))) => return Err(no_work(&error)),
                Ok(Some(Ok(message))) => return Ok(Some(message)),
                Ok(None) => return Ok(None),
                // A server that came back knows nothing of the offer; one that went away says nothing at all.
                Err(_) if self.hub().connects() != connection => {
                    return Err(no_work(&"the connection was lost"));
                }
                Err(_) if begun.elapsed() > OFFER + WAIT => return Err(no_work(&"no answer")),
                Err(_) => {
                    // Who does not hear it hears the next one.
                    let _ = self.hub().client.publish(hungry.clone(), "".into()).await;
                }
            }
        }
        Ok(None)
    }

    /// The run of a piece, if it is to be worked on.
    async fn run_of(
        &self,
        piece: &Piece,
        drawer: &mut Drawer,
    ) -> Result<Option<RunRecord>, Trouble> {
        if let Some((since, run)) = drawer.runs.get(&piece.run)
            && since.elapsed() < LOOK
        {
            return Ok(Some(run.clone()));
        }
        drawer.runs.remove(&piece.run);
        let run = self.hub().run(&piece.name).await?;
        let run = run.map(|(run, _)| run).filter(|run| {
            run.id == piece.run && run.state == State::Open && run.asked.build == self.build
        });
        if let Some(run) = &run {
            let now = Instant::now();
            drawer.runs.insert(piece.run.clone(), (now, run.clone()));
        }
        Ok(run)
    }
}

/// There is nothing left to do with a message.
async fn end(message: &Message) -> Result<(), Trouble> {
    let ended = message.ack().await;
    ended.map_err(|error| Trouble::new(format!("cannot acknowledge a piece: {error}")))
}

/// Stands beside whoever works on a piece.
async fn attend(hub: Hub, build: String, (message, piece): (Arc<Message>, Piece), pause: Pause) {
    tokio::time::sleep(LEAST).await;
    let hungry = hub.names.hungry(&build);
    // Of all who are at work, one hears each worker that has nothing to do.
    let mut hungry = hub.client.queue_subscribe(hungry, "busy".into()).await.ok();
    let mut looks = tokio::time::interval(LOOK);
    let mut since = Instant::now();
    loop {
        tokio::select! {
            _ = looks.tick() => {
                if since.elapsed() >= ACK_WAIT / 4 {
                    since = Instant::now();
                    let _ = message.ack_with(AckKind::Progress).await;
                }
                if let Ok(now) = hub.run(&piece.name).await {
                    let is_wanted = now.is_some_and(|(now, _)| now.id == piece.run && now.state == State::Open);
                    if !is_wanted {
                        pause.cancel();
                    }
                }
            }
            Some(_) = next(&mut hungry) => pause.share(),
        }
    }
}

/// What comes next, if anything can.
async fn next(subscriber: &mut Option<async_nats::Subscriber>) -> Option<async_nats::Message> {
    match subscriber {
        Some(subscriber) => subscriber.next().await,
        None => std::future::pending().await,
    }
}

impl Connection {
    /// Says every second that a worker with so many desks is there, and what it does, until the connection ends.
    pub fn announce(&self, build: &str, name: &str, desks: usize, metrics: &Arc<Metrics>) {
        let (client, subject) = (self.hub.client.clone(), self.hub.names.alive(build));
        let (name, metrics) = (name.to_owned(), metrics.clone());
        self.runtime.spawn(async move {
            let mut seconds = tokio::time::interval(Duration::from_secs(1));
            loop {
                seconds.tick().await;
                let presence = metrics.desks.presence(&name, desks as u64);
                let text = serde_json::to_vec(&presence).expect("names can be written");
                let _ = client.publish(subject.clone(), text.into()).await;
            }
        });
    }
}

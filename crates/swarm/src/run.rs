//! A run from whoever asks: it is begun or joined, its questions are asked, and each outcome is handed over once.
//!
//! Outcomes come from a watch on the store. Nothing depends on it: an open piece of which nothing was heard for a while is looked
//! up, and if it is neither in the store nor in the queue it is sent again ([`Asking::look_again`]).

use crate::account::{Account, Entered};
use crate::names::{digest, is_name, outcome_key};
use crate::presence::Sightings;
use crate::record::{Asked, Outcome, Piece, RunRecord, State, unsealed};
use crate::server::Trouble;
use crate::store::{Connection, Hub, Stored};
use async_nats::jetstream::kv::{Entry, Operation, Watch};
use futures_util::StreamExt as _;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How often whoever asks is shown how far it is.
const TICK: Duration = Duration::from_millis(50);
/// After how long without news open pieces are looked up.
const QUIET: Duration = Duration::from_secs(1);
/// How long a server may be away when a run begins or ends.
const PATIENCE: Duration = Duration::from_secs(10);
/// How many of them at once.
const LOOKED_UP: usize = 256;

/// How far a question is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Pieces with an outcome.
    pub done: u64,
    /// Pieces without one, as far as they are known.
    pub open: u64,
    /// Threads that work, on all machines.
    pub desks: u64,
}

/// Somebody who adds up results.
pub trait Collector {
    /// Takes the result of a piece; each one once, parents before children.
    fn take(&mut self, body: &str, result: &str) -> Result<(), String>;

    /// Can this open piece still make a difference?
    fn is_needed(&self, body: &str) -> bool {
        let _ = body;
        true
    }

    /// Is shown how far it is, twenty times a second; `false` ends it.
    fn go_on(&mut self, progress: Progress) -> bool;
}

/// A run.
pub struct Run {
    pub(crate) connection: Arc<Connection>,
    pub(crate) record: RunRecord,
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Run({})", self.record.name)
    }
}

impl Run {
    /// Begins a run of this name, or joins the one that is there, if that asks the same.
    pub fn start_or_join(
        connection: &Arc<Connection>,
        name: &str,
        asked: &Asked,
    ) -> Result<Run, Trouble> {
        if !is_name(name) {
            return Err(Trouble::new(format!("`{name}` is no name of a run"))
                .help("letters, digits, `-` and `_`, at most 64 of them"));
        }
        let record = RunRecord {
            name: name.to_owned(),
            id: nonce()?,
            asked: asked.clone(),
            state: State::Open,
            begun: SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |since| since.as_secs()),
        };
        let hub = &connection.hub;
        let stored = connection.runtime.block_on(persistently(async || {
            hub.begin(&record).await?;
            let stored = hub.run(name).await?;
            stored.ok_or_else(|| Trouble::new(format!("run {name} was deleted meanwhile")))
        }));
        let (stored, _) = stored?;
        if stored.asked.build != asked.build {
            return Err(Trouble::new(format!(
                "run {name} belongs to another build of this program ({}, this one is {})",
                stored.asked.build, asked.build
            ))
            .help("use the build that began it, or another name with `--run`"));
        }
        if stored.asked != *asked {
            return Err(Trouble::new(format!(
                "run {name} asks something else: {}",
                stored.asked.title
            ))
            .help("choose another name with `--run`"));
        }
        Ok(Run {
            connection: connection.clone(),
            record: stored,
        })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.record.name
    }

    /// Was it there before, with every piece done?
    pub fn is_finished(&self) -> bool {
        self.record.state == State::Finished
    }

    /// Has the pieces of a question carried out, until every one that is needed is. Returns whether that is so.
    pub fn ask(
        &self,
        question: &str,
        first: &[String],
        collector: &mut dyn Collector,
    ) -> Result<bool, Trouble> {
        let question = digest(&[question]);
        let account = Account::new(&question, first);
        let asking = Asking {
            hub: &self.connection.hub,
            record: &self.record,
            question,
            account,
            seen: Sightings::default(),
        };
        self.connection.runtime.block_on(asking.run(collector))
    }

    /// Nothing of it is needed any more; what was found stays until it is deleted.
    pub fn finish(&self) -> Result<(), Trouble> {
        self.end(State::Finished)
    }

    /// Workers leave it alone until it is asked again.
    pub fn pause(&self) -> Result<(), Trouble> {
        self.end(State::Paused)
    }

    fn end(&self, state: State) -> Result<(), Trouble> {
        let (hub, record) = (&self.connection.hub, &self.record);
        self.connection.runtime.block_on(persistently(async || {
            hub.set_state(record, state).await?;
            hub.clear(&record.asked.build, &record.id).await
        }))
    }
}

/// Does what may be done twice until it goes well or will not go better later: a server may be away for a moment.
async fn persistently<T>(act: impl AsyncFn() -> Result<T, Trouble>) -> Result<T, Trouble> {
    let begun = Instant::now();
    loop {
        match act().await {
            Err(trouble) if trouble.help.is_none() && begun.elapsed() < PATIENCE => {
                tokio::time::sleep(TICK).await;
            }
            done => return done,
        }
    }
}

/// A question while it is open.
struct Asking<'r> {
    hub: &'r Hub,
    record: &'r RunRecord,
    question: String,
    account: Account,
    seen: Sightings,
}

impl Asking<'_> {
    async fn run(mut self, collector: &mut dyn Collector) -> Result<bool, Trouble> {
        let alive = self.hub.names.alive(&self.record.asked.build);
        let mut alive = self.hub.client.subscribe(alive).await.ok();
        let mut watch = None;
        let mut ticks = tokio::time::interval(TICK);
        let (mut news, mut is_begun) = (Instant::now(), false);
        loop {
            if watch.is_none() {
                watch = self.watch().await.ok();
            }
            tokio::select! {
                entry = next_entry(&mut watch) => match entry {
                    Some(entry) => {
                        news = Instant::now();
                        self.arrived(&entry, collector)?;
                    }
                    None => {
                        watch = None;
                        tokio::time::sleep(TICK).await;
                    }
                },
                Some(message) = next_message(&mut alive) => {
                    self.seen.see(&message.payload, Instant::now());
                }
                _ = ticks.tick() => {
                    let progress = Progress {
                        done: self.account.done(),
                        open: self.account.open(),
                        desks: self.seen.desks(Instant::now()),
                    };
                    if !collector.go_on(progress) {
                        return Ok(false);
                    }
                    if self.is_over(collector) {
                        return Ok(true);
                    }
                    if !is_begun || news.elapsed() >= QUIET {
                        // A server that is away is asked again later.
                        if self.look_again(collector).await? {
                            is_begun = true;
                            news = Instant::now();
                        }
                    }
                }
            }
            if self.account.open() == 0 {
                return Ok(true);
            }
        }
    }

    fn is_over(&self, collector: &dyn Collector) -> bool {
        let mut open = self.account.all_open();
        !open.any(|(_, open)| collector.is_needed(&open.body))
    }

    async fn watch(&self) -> Result<Watch, Trouble> {
        let keys = outcome_key(&self.record.id, &self.question, "*");
        let watch = self.hub.outcomes.watch_with_history(keys).await;
        watch.map_err(|error| Trouble::new(format!("cannot watch the results: {error}")))
    }

    /// Takes in what the watch shows.
    fn arrived(&mut self, entry: &Entry, collector: &mut dyn Collector) -> Result<(), Trouble> {
        if entry.operation != Operation::Put {
            return Ok(());
        }
        let id = entry.key.rsplit('.').next().unwrap_or_default();
        match unsealed::<Outcome>(&entry.key, &entry.value) {
            Some(outcome) => self.enter(id, outcome, collector),
            // It is swept away when the piece is looked up.
            None => Ok(()),
        }
    }

    fn enter(
        &mut self,
        id: &str,
        outcome: Outcome,
        collector: &mut dyn Collector,
    ) -> Result<(), Trouble> {
        for Entered { id, body, outcome } in self.account.enter(id, outcome) {
            self.seen.forget_piece(&id);
            let taken = match outcome.result {
                Ok(result) => collector.take(&body, &result),
                Err(why) => Err(format!(
                    "worker {} could not carry out a piece: {why}",
                    outcome.worker
                )),
            };
            taken.map_err(|why| {
                let name = &self.record.name;
                Trouble::new(why).help(format!(
                    "`plainsong swarm delete {name}` forgets what was found so far"
                ))
            })?;
        }
        Ok(())
    }

    /// Looks up open pieces, and sends what is needed again if the queue has lost it. `false` if the server is away.
    async fn look_again(&mut self, collector: &mut dyn Collector) -> Result<bool, Trouble> {
        let open: Vec<Piece> = self.open(collector).take(LOOKED_UP).collect();
        let done = self.account.done();
        for piece in open {
            match self.hub.outcome(&piece).await {
                Ok(Stored::Nothing) => {}
                Ok(Stored::Outcome(outcome)) => self.enter(&piece.id(), outcome, collector)?,
                Ok(Stored::Garbage(revision)) => {
                    // Somebody else may have done it just now.
                    let _ = self.hub.sweep(&piece, revision).await;
                }
                Err(_) => return Ok(false),
            }
        }
        // What they left may be done as well: nothing is sent before that was looked up.
        if self.account.done() > done || self.is_over(collector) {
            return Ok(true);
        }
        let build = &self.record.asked.build;
        match self.hub.run(&self.record.name).await {
            Ok(Some((now, _))) if now.id == self.record.id => {}
            Ok(_) => {
                let name = &self.record.name;
                return Err(Trouble::new(format!("run {name} was deleted meanwhile")));
            }
            Err(_) => return Ok(false),
        }
        if self.hub.set_state(self.record, State::Open).await.is_err() {
            return Ok(false);
        }
        let Ok(waiting) = self.hub.waiting(build, &self.record.id).await else {
            return Ok(false);
        };
        // Where the queue knows of nothing and yet something is open, that was never sent, or is lost. Else orphans are.
        let mut open: Vec<Piece> = self.open(collector).collect();
        if waiting > 0 {
            let now = Instant::now();
            open.retain(|piece| self.seen.is_orphan(&piece.id(), now));
        }
        // Orphans with the queue in order come from a consumer that was ahead until a moment ago.
        let has_orphans = waiting > 0 && !open.is_empty();
        if has_orphans || self.hub.is_consumer_ahead(build).await {
            self.hub.renew_consumer(build).await;
        }
        for piece in open {
            // What was sent a moment ago, perhaps by somebody else, is not dropped as a repetition.
            let now = SystemTime::now().duration_since(UNIX_EPOCH);
            let number = now.map_or(0, |now| now.as_nanos());
            match self.hub.send(build, &piece, Some(number)).await {
                Ok(()) => self.seen.see_piece(&piece.id(), Instant::now()),
                // What does not fit, or is not allowed, will not be so later either.
                Err(trouble) if trouble.help.is_some() => return Err(trouble),
                Err(_) => return Ok(false),
            }
        }
        Ok(true)
    }

    fn open<'a>(&'a self, collector: &'a dyn Collector) -> impl Iterator<Item = Piece> + 'a {
        let needed = self.account.all_open();
        let needed = needed.filter(|(_, open)| collector.is_needed(&open.body));
        needed.map(|(_, open)| Piece {
            run: self.record.id.clone(),
            name: self.record.name.clone(),
            question: self.question.clone(),
            parent: open.parent.clone(),
            body: open.body.clone(),
        })
    }
}

/// The next entry; nothing when the watch is over.
async fn next_entry(watch: &mut Option<Watch>) -> Option<Entry> {
    match watch {
        Some(watch) => watch.next().await?.ok(),
        None => {
            tokio::time::sleep(QUIET).await;
            None
        }
    }
}

async fn next_message(from: &mut Option<async_nats::Subscriber>) -> Option<async_nats::Message> {
    match from {
        Some(from) => from.next().await,
        None => std::future::pending().await,
    }
}

/// What no other run has.
fn nonce() -> Result<String, Trouble> {
    let mut bytes = [0; 12];
    getrandom::fill(&mut bytes)
        .map_err(|error| Trouble::new(format!("the system gives no random numbers: {error}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

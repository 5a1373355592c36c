//! Streams and buckets: what is on the server, and the few operations on it that everything else is made of.
//!
//! Invariant. An outcome is only ever created, never replaced ([`Hub::store`]): the server compares and creates in one step. What
//! is removed is garbage, which has no seal ([`Hub::outcome`]), and deleted runs.

use crate::names::{Names, outcome_key};
use crate::record::{Outcome, Piece, RunRecord, State, sealed, unsealed};
use crate::server::{Server, Trouble};
use async_nats::Client;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::kv::{self, Operation};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, Stream};
use async_nats::jetstream::{self, Context};
use futures_util::StreamExt as _;
use std::fmt::Display;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::runtime::Runtime;

/// After so long without a sign of life a piece is given to another worker.
pub(crate) const ACK_WAIT: Duration = Duration::from_secs(4);
/// How many pieces may be worked on at once.
const MOST_PIECES: i64 = 100_000;
/// How many workers may wait at once.
const MOST_WAITING: i64 = 20_000;
/// What fits into one message, with room for headers.
const LARGEST: usize = 1_000_000;

/// A connection to a server, with the thread that serves it.
pub struct Connection {
    pub(crate) runtime: Runtime,
    pub(crate) hub: Hub,
}

impl Connection {
    /// Connects, and makes what is needed on the server if it is not there.
    pub fn new(server: &Server) -> Result<Connection, Trouble> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .map_err(|error| Trouble::new(format!("cannot start a thread: {error}")))?;
        let hub = runtime.block_on(Hub::new(server))?;
        Ok(Connection { runtime, hub })
    }
}

/// What is on the server.
#[derive(Clone)]
pub(crate) struct Hub {
    pub(crate) client: Client,
    pub(crate) names: Names,
    context: Context,
    runs: kv::Store,
    pub(crate) outcomes: kv::Store,
    stream: Stream,
}

/// What is stored for a piece.
pub(crate) enum Stored {
    Nothing,
    Outcome(Outcome),
    /// Something that has no seal, with its revision.
    Garbage(u64),
}

impl Hub {
    async fn new(server: &Server) -> Result<Self, Trouble> {
        let client = server.connect().await?;
        let mut context = jetstream::new(client.clone());
        context.set_timeout(Duration::from_secs(3));
        let names = Names::new(&server.prefix);
        let replicas = server.replicas;
        let runs = bucket(&context, &names.runs(), replicas).await?;
        let outcomes = bucket(&context, &names.outcomes(), replicas).await?;
        let stream = context
            .get_or_create_stream(Config {
                name: names.stream(),
                description: Some("plainsong: pieces that wait for a worker".to_owned()),
                subjects: vec![names.all_work()],
                retention: RetentionPolicy::WorkQueue,
                num_replicas: replicas,
                ..Config::default()
            })
            .await
            .map_err(no_jetstream)?;
        Ok(Hub {
            client,
            names,
            context,
            runs,
            outcomes,
            stream,
        })
    }

    /// How often a connection was made: it grows when the server comes back.
    pub(crate) fn connects(&self) -> u64 {
        self.client.statistics().connects.load(Ordering::Relaxed)
    }

    /// From which workers of a build take pieces.
    pub(crate) async fn consumer(&self, build: &str) -> Result<PullConsumer, Trouble> {
        let name = consumer_name(build);
        let config = pull::Config {
            durable_name: Some(name.clone()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: ACK_WAIT,
            max_ack_pending: MOST_PIECES,
            max_waiting: MOST_WAITING,
            filter_subject: self.names.work_of(build),
            ..pull::Config::default()
        };
        let consumer = self.stream.get_or_create_consumer(&name, config).await;
        consumer.map_err(|error| failed("ask for work", error))
    }

    /// Has a server that was killed forgotten messages that its consumer remembers? Then new ones get numbers that the consumer takes
    /// for old ones, and it gives out none of them.
    pub(crate) async fn is_consumer_ahead(&self, build: &str) -> bool {
        let consumer = self.stream.consumer_info(consumer_name(build)).await;
        let (Ok(consumer), Ok(stream)) = (consumer, self.stream.get_info().await) else {
            return false;
        };
        consumer.delivered.stream_sequence > stream.state.last_sequence
    }

    /// Lets workers begin with a new consumer, which gives out all that is in the queue. What is worked on comes again.
    pub(crate) async fn renew_consumer(&self, build: &str) {
        // If it is not there, there is nothing to renew; if the server is away, it is asked again later.
        let _ = self.stream.delete_consumer(&consumer_name(build)).await;
        let _ = self.consumer(build).await;
    }

    /// Puts a piece into the queue. A `number` makes it a new message, also if the piece was sent a moment ago.
    pub(crate) async fn send(
        &self,
        build: &str,
        piece: &Piece,
        number: Option<u128>,
    ) -> Result<(), Trouble> {
        let (subject, id) = (self.names.work(build, &piece.run), piece.id());
        let number = number.map_or(String::new(), |number| format!(".{number}"));
        let message = PublishMessage::build()
            .message_id(format!("{}.{id}{number}", piece.run))
            .payload(fits("a piece", sealed(&subject, piece))?.into());
        let sent = self
            .context
            .send_publish(subject, message)
            .await
            .map_err(|error| failed("send a piece", error))?;
        sent.await.map_err(|error| failed("send a piece", error))?;
        Ok(())
    }

    /// A piece that was sent to this subject.
    pub(crate) fn received(subject: &str, payload: &[u8]) -> Option<Piece> {
        unsealed(subject, payload)
    }

    /// How many pieces of a run are in the queue or worked on.
    pub(crate) async fn waiting(&self, build: &str, run: &str) -> Result<u64, Trouble> {
        let subject = self.names.work(build, run);
        let info = self.stream.info_with_subjects(&subject).await;
        let mut info = info.map_err(|error| failed("look at the queue", error))?;
        let mut number = 0;
        while let Some(one) = info.next().await {
            let (_, count) = one.map_err(|error| failed("look at the queue", error))?;
            number += count as u64;
        }
        Ok(number)
    }

    /// Takes the pieces of a run out of the queue.
    pub(crate) async fn clear(&self, build: &str, run: &str) -> Result<(), Trouble> {
        let purged = self.stream.purge().filter(self.names.work(build, run));
        let purged = purged.await;
        purged.map_err(|error| failed("empty the queue", error))?;
        Ok(())
    }

    /// Stores an outcome, unless there is one. Returns the one that counts, and whether it is this one.
    pub(crate) async fn store(
        &self,
        piece: &Piece,
        outcome: &Outcome,
    ) -> Result<(Outcome, bool), Trouble> {
        let key = key_of(piece);
        let value = fits("a result", sealed(&key, outcome))?;
        let created = self.outcomes.create(&key, value.into()).await;
        match (created, self.outcome(piece).await?) {
            (Ok(_), Stored::Outcome(stored)) => Ok((stored, true)),
            (Err(_), Stored::Outcome(stored)) => Ok((stored, false)),
            (Err(_), Stored::Garbage(revision)) => {
                self.sweep(piece, revision).await?;
                Err(Trouble::new("there was garbage where a result belongs"))
            }
            (Err(error), Stored::Nothing) => Err(failed("store a result", error)),
            (Ok(_), _) => Err(Trouble::new("a result that was stored is not there")),
        }
    }

    /// What is stored for a piece.
    pub(crate) async fn outcome(&self, piece: &Piece) -> Result<Stored, Trouble> {
        let key = key_of(piece);
        let entry = self.outcomes.entry(&key).await;
        let entry = entry.map_err(|error| failed("read a result", error))?;
        Ok(
            match entry.filter(|entry| entry.operation == Operation::Put) {
                None => Stored::Nothing,
                Some(entry) => match unsealed(&key, &entry.value) {
                    Some(outcome) => Stored::Outcome(outcome),
                    None => Stored::Garbage(entry.revision),
                },
            },
        )
    }

    /// Removes garbage, if it is still that.
    pub(crate) async fn sweep(&self, piece: &Piece, revision: u64) -> Result<(), Trouble> {
        let swept = self
            .outcomes
            .purge_expect_revision(key_of(piece), Some(revision));
        swept.await.map_err(|error| failed("remove garbage", error))
    }

    /// The run of this name.
    pub(crate) async fn run(&self, name: &str) -> Result<Option<(RunRecord, u64)>, Trouble> {
        let entry = self.runs.entry(name).await;
        let entry = entry.map_err(|error| failed("read a run", error))?;
        let entry = entry.filter(|entry| entry.operation == Operation::Put);
        let Some(entry) = entry else {
            return Ok(None);
        };
        match unsealed(name, &entry.value) {
            Some(record) => Ok(Some((record, entry.revision))),
            None => Err(Trouble::new(format!(
                "what is stored as run {name} is none, or of another version of plainsong"
            ))
            .help(format!(
                "`plainsong swarm delete {name}` removes it; `--run` chooses another name"
            ))),
        }
    }

    /// Creates a run, unless there is one of this name.
    pub(crate) async fn begin(&self, record: &RunRecord) -> Result<(), Trouble> {
        let value = fits("the question", sealed(&record.name, record))?;
        let created = self.runs.create(&record.name, value.into()).await;
        match created {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == kv::CreateErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(failed("begin a run", error)),
        }
    }

    /// From now on the run is in this state.
    pub(crate) async fn set_state(&self, record: &RunRecord, state: State) -> Result<(), Trouble> {
        let Some((mut stored, revision)) = self.run(&record.name).await? else {
            return Err(Trouble::new(format!(
                "run {} was deleted meanwhile",
                record.name
            )));
        };
        if stored.id != record.id || stored.state == state {
            return Ok(());
        }
        stored.state = state;
        let value = sealed(&record.name, &stored);
        let updated = self.runs.update(&record.name, value.into(), revision).await;
        updated.map_err(|error| failed("write down a run", error))?;
        Ok(())
    }

    /// The names of all runs.
    pub(crate) async fn all_runs(&self) -> Result<Vec<String>, Trouble> {
        let keys = self.runs.keys().await;
        let mut keys = keys.map_err(|error| failed("list runs", error))?;
        let mut names = Vec::new();
        while let Some(name) = keys.next().await {
            names.push(name.map_err(|error| failed("list runs", error))?);
        }
        names.sort();
        Ok(names)
    }

    /// Removes a run. Its outcomes are removed with all that begins like them.
    pub(crate) async fn forget(&self, name: &str, id: Option<&str>) -> Result<(), Trouble> {
        let purged = self.runs.purge(name).await;
        purged.map_err(|error| failed("delete a run", error))?;
        let Some(id) = id else { return Ok(()) };
        let stream = format!("KV_{}", self.names.outcomes());
        let stream = self.context.get_stream(stream).await;
        let stream = stream.map_err(|error| failed("delete results", error))?;
        let subject = format!("$KV.{}.{id}.>", self.names.outcomes());
        let purged = stream.purge().filter(subject).await;
        purged.map_err(|error| failed("delete results", error))?;
        Ok(())
    }

    /// How many outcomes of a run are stored.
    pub(crate) async fn stored(&self, id: &str) -> Result<u64, Trouble> {
        let stream = format!("KV_{}", self.names.outcomes());
        let stream = self.context.get_stream(stream).await;
        let stream = stream.map_err(|error| failed("count results", error))?;
        let subject = format!("$KV.{}.{id}.>", self.names.outcomes());
        let info = stream.info_with_subjects(subject).await;
        let mut info = info.map_err(|error| failed("count results", error))?;
        let mut number = 0;
        while let Some(one) = info.next().await {
            one.map_err(|error| failed("count results", error))?;
            number += 1;
        }
        Ok(number)
    }
}

/// A bucket of the key-value store. It is made as the stream that it is: the client's own way asks about the account, and does not
/// understand what older servers answer. Nothing is read from replicas that may lag behind, so what was stored is seen.
async fn bucket(context: &Context, name: &str, replicas: usize) -> Result<kv::Store, Trouble> {
    let stream = context.get_or_create_stream(Config {
        name: format!("KV_{name}"),
        description: Some("plainsong: what is asked, or was found".to_owned()),
        subjects: vec![format!("$KV.{name}.>")],
        max_messages_per_subject: 1,
        discard: DiscardPolicy::New,
        allow_rollup: true,
        deny_delete: true,
        allow_direct: false,
        num_replicas: replicas,
        ..Config::default()
    });
    stream.await.map_err(no_jetstream)?;
    context.get_key_value(name).await.map_err(no_jetstream)
}

fn consumer_name(build: &str) -> String {
    format!("workers-{build}")
}

fn key_of(piece: &Piece) -> String {
    outcome_key(&piece.run, &piece.question, &piece.id())
}

/// Can an outcome be stored at all?
pub(crate) fn outcome_fits(piece: &Piece, outcome: &Outcome) -> Result<(), Trouble> {
    fits("a result", sealed(&key_of(piece), outcome)).map(|_| ())
}

fn fits(what: &str, bytes: Vec<u8>) -> Result<Vec<u8>, Trouble> {
    match bytes.len() {
        0..=LARGEST => Ok(bytes),
        many => Err(Trouble::new(format!(
            "{what} takes {many} bytes, more than the {LARGEST} that fit into a message"
        ))),
    }
}

fn failed(what: &str, error: impl Display) -> Trouble {
    let error = error.to_string();
    let trouble = Trouble::new(format!("the server did not let us {what}: {error}"));
    let is_full = ["insufficient", "maximum", "resource", "no space"];
    match is_full.iter().any(|word| error.contains(word)) {
        true => trouble.help(
            "its store may be full: `plainsong swarm delete NAME` frees what finished runs take",
        ),
        false => trouble,
    }
}

fn no_jetstream(error: impl Display) -> Trouble {
    Trouble::new(format!("the server keeps no streams for us: {error}")).help(
        "start it with `--jetstream --store_dir DIR`, and let this user create streams below the prefix",
    )
}

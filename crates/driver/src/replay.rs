//! Taking a saved trace again.

use crate::contain::{Crash, contained};
use crate::select::questions;
use crate::{LoadedSong, Problem};
use plainsong_infer::covering_orders::compatible;
use plainsong_ir::{Claim, Delivery, Song};
use plainsong_report::trace_file::{Header, SavedTrace, hash};
use plainsong_semantics::follow::follow;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Machine, Subject};
use plainsong_semantics::outcomes::{is_split, undecided, with_told};
use plainsong_semantics::replay::{Mismatch, replay};
use plainsong_semantics::sizes::{Bounds, External, Sizes};
use plainsong_semantics::trace::Trace;
use plainsong_smt::{CacheMode, Caching, Cancel, Setup};
use std::sync::Arc;

/// What came of it.
#[derive(Clone, Debug)]
pub enum Again {
    /// The same events and the same ending.
    Same,
    /// The song has changed, but this execution of it has the same events and ends in the same way.
    Follows(Box<Trace>),
    /// The song parts from the trace here; it may have changed since.
    Parted {
        mismatch: Mismatch,
        /// Is the text another than when the trace was saved?
        changed: bool,
    },
    /// Our own bug.
    Bug(Crash),
}

/// Takes the steps of a saved trace again.
pub fn again(loaded: &LoadedSong, song: &Arc<Song>, saved: &SavedTrace) -> Result<Again, Problem> {
    is_asked(song, &saved.header)?;
    let machine = machine(song, &saved.header)?;
    Ok(match contained(|| take(&machine, &saved.trace)) {
        Ok(Ok(Some(trace))) => Again::Follows(Box::new(trace)),
        Ok(Ok(None)) => Again::Same,
        Ok(Err(mismatch)) => Again::Parted {
            mismatch,
            changed: hash(&loaded.source.text) != saved.header.hash,
        },
        Err(crash) => Again::Bug(crash),
    })
}

/// An execution that violates what nobody claims any more shows nothing.
fn is_asked(song: &Song, header: &Header) -> Result<(), Problem> {
    let Some(name) = &header.property else {
        return Ok(());
    };
    let known = questions(song);
    if known.is_empty() || known.iter().any(|question| question.name == *name) {
        return Ok(());
    }
    let problem = Problem::new(format!("the song has no property `{name}` any more"));
    let names: Vec<String> = known.iter().map(|one| format!("`{}`", one.name)).collect();
    Err(problem.help(format!(
        "it has {}; the trace itself can be looked at with `plainsong show`",
        names.join(", ")
    )))
}

/// Word by word, or else by names.
fn take(machine: &Machine, trace: &Trace) -> Result<Option<Trace>, Mismatch> {
    match replay(machine, trace) {
        Ok(()) => Ok(None),
        Err(_) => follow(machine, trace).map(Some),
    }
}

/// The machine that a trace with this header is an execution of.
pub fn machine(song: &Arc<Song>, header: &Header) -> Result<Machine, Problem> {
    let instance = instance(song, header)?;
    let machine = Machine::new(&instance, subject(song, header));
    Ok(match rests_on_order(song, header) {
        true => machine.trusting_order(),
        false => machine,
    })
}

/// May a cycle rest on what `covers` says? That is shown anew, as the text may have changed.
fn rests_on_order(song: &Song, header: &Header) -> bool {
    let claims_termination = song.properties.iter().any(|property| {
        header.property.as_ref() == Some(&property.name)
            && matches!(property.claim, Claim::Quiescent { .. })
    });
    let setup = || Setup::with_caching(&Caching::new(CacheMode::Off));
    claims_termination && matches!(compatible(song, setup(), &Cancel::default()), Some(Ok(_)))
}

/// What a trace is an execution of: whatever its property is asked of. A property that is not asked any more is taken to
/// be about the choreography that it is named after, or about the system.
pub(crate) fn subject(song: &Song, header: &Header) -> Subject {
    let name = header.property.as_deref();
    let asked = questions(song).into_iter();
    let mut asked = asked.filter(|question| Some(&*question.name) == name);
    if let Some(question) = asked.next() {
        return question.subject;
    }
    let line = song
        .lines
        .iter()
        .position(|line| name.is_some_and(|name| name.split('.').next() == Some(&line.name)));
    line.map_or(Subject::System, Subject::Line)
}

pub(crate) fn instance(song: &Arc<Song>, header: &Header) -> Result<Instance, Problem> {
    let mut sizes = Sizes::new();
    for (name, size) in &header.sizes {
        sizes = sizes.with(name, *size);
    }
    let instances = Instance::all(song.clone(), &sizes, &bounds(header)?)?;
    // A window of integers that no open parameter needs any more is not part of the bound.
    let wanted = |instance: &&Instance| {
        let bound = instance.bound();
        header
            .limits
            .iter()
            .all(|(name, limit)| bound.get(name).is_none_or(|value| value == limit))
    };
    let found = instances.iter().find(wanted).cloned();
    let found = match found {
        Some(instance) => Some(with_outcomes(instance, header)?),
        None => None,
    };
    let delivery = match &header.delivery {
        None => None,
        Some(name) => Some(delivery(name)?),
    };
    found
        .map(|instance| instance.with_delivery(delivery))
        .ok_or_else(|| Problem::new("its parameters no longer take the values of the trace"))
}

/// The name of what external functions return, among the limits.
const EXTERNAL: &str = "external";

/// With what external functions return, where that is told call by call.
fn with_outcomes(instance: Instance, header: &Header) -> Result<Instance, Problem> {
    let instance = undecided(instance);
    let Some(text) = header.limits.get(EXTERNAL).filter(|_| is_split(&instance)) else {
        return Ok(instance);
    };
    with_told(&instance, text).map_err(|why| {
        Problem::new(format!(
            "external functions no longer return what the trace says: {why}"
        ))
    })
}

fn delivery(name: &str) -> Result<Delivery, Problem> {
    let known: Vec<&str> = Delivery::ALL
        .iter()
        .map(|delivery| delivery.name())
        .collect();
    Delivery::named(name).ok_or_else(|| Problem::unknown("delivery model", name, &known))
}

fn bounds(header: &Header) -> Result<Bounds, Problem> {
    let mut bounds = Bounds::default();
    let window = |name: &str| -> Result<Option<(i64, i64)>, Problem> {
        let Some(text) = header.limits.get(name) else {
            return Ok(None);
        };
        // Constants of the text that are tried too stand behind the window.
        let (window, _) = text.split_once(',').unwrap_or((text, ""));
        let read = window
            .split_once("..=")
            .and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
        read.map(Some)
            .ok_or_else(|| Problem::new(format!("`{text}` is not a window of integers")))
    };
    if let Some(int) = window("int")? {
        bounds.int = int;
    }
    if let Some((_, nat)) = window("nat")? {
        bounds.nat = nat;
    }
    if let Some((_, length)) = window("length")? {
        bounds.length = usize::try_from(length)
            .map_err(|_| Problem::new(format!("`{length}` is not a length")))?;
    }
    let named = ["int", "nat"].map(|name| header.limits.get(name));
    bounds.constants = named.into_iter().flatten().any(|text| text.contains(','));
    let known = [External::Least, External::Greatest].into_iter();
    let said = header.limits.get(EXTERNAL).map(String::as_str);
    let found = known.into_iter().find(|one| said == one.name());
    bounds.external = found.unwrap_or_default();
    Ok(bounds)
}

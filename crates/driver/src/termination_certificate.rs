//! Termination certificates: why one instance terminates, written to a file, and checked again by a checker that shares no
//! code with the search.
//!
//! They are about what is shown by counting what is pending, of one instance: sizes, and windows where any integer could
//! be chosen. What is said of one that is accepted is read off the instance that was checked. Proofs for every size are shown by the solver, handler by
//! handler, and have no certificate here.

use crate::certificate::{Rechecked, trusted};
use crate::sizes::{ascending, from_one_to_three, refuse_endless, table};
use crate::{Problem, Source};
pub use plainsong_certificate::TerminationCertificate;
use plainsong_certificate::{Executions, Reason, Strike, VERSION, hash};
use plainsong_diverge::Fairness;
use plainsong_diverge::rank_certificate::{Counted, Struck, counted};
use plainsong_ir::{Claim, Delivery, Property, Sizing, Song};
use plainsong_recheck::{Covered, Refused, bounds_of, recheck_termination, windows_of};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Machine, Subject};
use plainsong_semantics::search::Unwatched;
use plainsong_semantics::sizes::{Bounds, Sizes};
use plainsong_semantics::verdict::Assumption;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// What a certificate is asked about.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// Sizes that were chosen; the largest counts.
    pub sizes: Vec<Sizing>,
    /// Which executions are meant; without it, the property says so.
    pub fairness: Option<Fairness>,
    /// The windows of integers, sequences and bags.
    pub bounds: Bounds,
    /// The model that delivers all messages.
    pub delivery: Option<Delivery>,
    /// The properties that were chosen, by name; all when empty.
    pub properties: Vec<String>,
}

/// The certificate of the largest instance that is asked about, for the first property of which counting shows that it
/// terminates; or, in a sentence, why there is none.
pub fn certificate(
    song: &Arc<Song>,
    source: &Source,
    asked: &Asked,
) -> Result<Result<String, String>, Problem> {
    let chosen = |name: &String| asked.properties.is_empty() || asked.properties.contains(name);
    let mut why = "no property claims rest".to_owned();
    for property in song.properties.iter().filter(|one| chosen(&one.name)) {
        let Claim::Quiescent { fair } = property.claim else {
            continue;
        };
        match about(song, source, property, fair, asked)? {
            Ok(text) => return Ok(Ok(text)),
            Err(other) => why = other,
        }
    }
    Ok(Err(why))
}

fn about(
    song: &Arc<Song>,
    source: &Source,
    property: &Property,
    fair: bool,
    asked: &Asked,
) -> Result<Result<String, String>, Problem> {
    let mut sizes = table(song, Some(property), &asked.sizes);
    from_one_to_three(&mut sizes);
    refuse_endless(&sizes)?;
    let Some(largest) = ascending(&sizes).pop() else {
        return Ok(Err("there is no instance of these sizes".to_owned()));
    };
    let machine = machine(song, &largest, &asked.bounds, asked.delivery)?;
    let claimed = match fair {
        true => Fairness::Fair,
        false => Fairness::Any,
    };
    let fairness = asked.fairness.unwrap_or(claimed);
    let strikes = match counted(&machine, fairness, &mut Unwatched) {
        Ok(strikes) => strikes,
        Err(why) => return Ok(Err(why)),
    };
    let chosen = sizes
        .keys()
        .filter_map(|name| Some((name.clone(), largest.get(name)?)));
    let certificate = TerminationCertificate {
        version: VERSION,
        file: source.name.clone(),
        hash: hash(&source.text),
        property: property.name.clone(),
        sizes: chosen.collect(),
        windows: windows_of(machine.instance()),
        delivery: asked.delivery.map(|model| model.name().to_owned()),
        executions: match fairness {
            Fairness::Any => Executions::Any,
            Fairness::Fair => Executions::Fair,
            Fairness::Resent => Executions::Resent,
        },
        strikes: strikes.into_iter().map(strike).collect(),
    };
    Ok(serde_json::to_string_pretty(&certificate).map_err(|error| error.to_string()))
}

/// Reads a certificate, if it is a termination certificate.
pub fn read(path: &Path) -> Option<TerminationCertificate> {
    let text = Source::load(path).ok()?.text;
    serde_json::from_str(&text).ok()
}

/// What was checked, in words: exactly what the instance covers.
fn claim(certificate: &TerminationCertificate, covered: &Covered) -> String {
    let which = match certificate.executions {
        Executions::Any => "every execution",
        Executions::Fair => "every fair execution",
        Executions::Resent => "every execution that is fair to what is sent again",
    };
    let bound = covered.bound.iter();
    let bound: Vec<String> = bound
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    match bound.is_empty() {
        true => format!("{which} terminates"),
        false => format!("{which} with {} terminates", bound.join(", ")),
    }
}

/// Checks a certificate against the song it is about; what it shows and what that rests on, in words.
pub fn again(
    song: &Arc<Song>,
    source: &Source,
    certificate: &TerminationCertificate,
) -> (Rechecked, String, Vec<Assumption>) {
    match checked(song, source, certificate) {
        Ok(covered) => {
            let fails = covered.fails.then_some(Assumption::EndsThere);
            let notes = trusted(song).into_iter().chain(fails).collect();
            (Rechecked::Accepted, claim(certificate, &covered), notes)
        }
        Err(refused) => (refused.into(), String::new(), Vec::new()),
    }
}

fn checked(
    song: &Arc<Song>,
    source: &Source,
    certificate: &TerminationCertificate,
) -> Result<Covered, Refused> {
    let is_claim = song.properties.iter().any(|property| {
        property.name == certificate.property && matches!(property.claim, Claim::Quiescent { .. })
    });
    if !is_claim {
        let name = &certificate.property;
        return Err(Refused::Wrong(format!("no property `{name}` claims rest")));
    }
    let chosen: &BTreeMap<String, i64> = &certificate.sizes;
    let sizes = chosen
        .iter()
        .fold(Sizes::new(), |sizes, (name, size)| sizes.with(name, *size));
    let delivery = match &certificate.delivery {
        None => None,
        Some(name) => match Delivery::named(name) {
            None => {
                let why = format!("there is no model of delivery `{name}`");
                return Err(Refused::Wrong(why));
            }
            known => known,
        },
    };
    let bounds = bounds_of(&certificate.windows);
    let machine = machine(song, &sizes, &bounds, delivery)
        .map_err(|problem| Refused::Wrong(problem.message))?;
    recheck_termination(&machine, &source.text, certificate)
}

fn machine(
    song: &Arc<Song>,
    sizes: &Sizes,
    bounds: &Bounds,
    delivery: Option<Delivery>,
) -> Result<Machine, Problem> {
    let instances = Instance::all(song.clone(), sizes, bounds);
    match &instances.map_err(|error| Problem::new(error.message))?[..] {
        [one] => {
            let one = one.clone().with_delivery(delivery);
            Ok(Machine::new(&one, Subject::System))
        }
        _ => Err(Problem::new(
            "a certificate is about one instance: choose the parameters with --size",
        )),
    }
}

fn strike(struck: Struck) -> Strike {
    Strike {
        scope: struck.scope,
        reason: match struck.reason {
            Counted::Ranked {
                potentials,
                weights,
            } => Reason::Ranked {
                potentials,
                weights,
            },
            Counted::Unserved(task) => Reason::Unserved { task },
            Counted::Waits(task) => Reason::Waits { task },
        },
    }
}

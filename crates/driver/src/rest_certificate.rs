//! Certificates of rest: why one instance comes to rest, written to a file, and checked again by a checker that shares no
//! code with the search.
//!
//! They are about what is shown by counting what is pending. Proofs for every size are shown by the solver, handler by
//! handler, and have no certificate here.

use crate::certificate::Rechecked;
use crate::sizes::{ascending, from_one_to_three, refuse_endless, table};
use crate::{Problem, Source};
use plainsong_diverge::Fairness;
use plainsong_diverge::counted::{Counted, Struck, counted};
use plainsong_ir::{Claim, Sizing, Song};
pub use plainsong_recheck::RestCertificate;
use plainsong_recheck::{Executions, Reason, Refused, Strike, VERSION, hash, recheck_rest};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Machine, Subject};
use plainsong_semantics::search::Unwatched;
use plainsong_semantics::sizes::{Bounds, Sizes};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The certificate of the largest instance that is asked about, if counting shows that it comes to rest. `fairness`
/// says which executions are meant; without it, the property does.
pub fn certificate(
    song: &Arc<Song>,
    source: &Source,
    sizes: &[Sizing],
    fairness: Option<Fairness>,
) -> Result<Option<String>, Problem> {
    let mut claims = song
        .properties
        .iter()
        .filter_map(|property| match property.claim {
            Claim::Quiescent { fair } => Some((property, fair)),
            _ => None,
        });
    let Some((property, claimed)) = claims.next() else {
        return Ok(None);
    };
    let mut sizes = table(song, Some(property), sizes);
    from_one_to_three(&mut sizes);
    refuse_endless(&sizes)?;
    let Some(largest) = ascending(&sizes).pop() else {
        return Ok(None);
    };
    let machine = machine(song, &largest)?;
    let claimed = match claimed {
        true => Fairness::Fair,
        false => Fairness::Any,
    };
    let fairness = fairness.unwrap_or(claimed);
    let Some(strikes) = counted(&machine, fairness, &mut Unwatched) else {
        return Ok(None);
    };
    let chosen = sizes
        .keys()
        .filter_map(|name| Some((name.clone(), largest.get(name)?)));
    let certificate = RestCertificate {
        version: VERSION,
        file: source.name.clone(),
        hash: hash(&source.text),
        property: property.name.clone(),
        sizes: chosen.collect(),
        executions: match fairness {
            Fairness::Any => Executions::Any,
            Fairness::Fair => Executions::Fair,
            Fairness::Resent => Executions::Resent,
        },
        strikes: strikes.into_iter().map(strike).collect(),
    };
    Ok(serde_json::to_string_pretty(&certificate).ok())
}

/// Reads a certificate, if it is one of rest.
pub fn read(path: &Path) -> Option<RestCertificate> {
    let text = Source::load(path).ok()?.text;
    serde_json::from_str(&text).ok()
}

/// What a certificate is for, in words.
pub fn claim(certificate: &RestCertificate) -> String {
    let which = match certificate.executions {
        Executions::Any => "every execution",
        Executions::Fair => "every fair execution",
        Executions::Resent => "every execution that is fair to what is sent again",
    };
    let sizes = certificate.sizes.iter();
    let sizes: Vec<String> = sizes.map(|(name, size)| format!("{name}={size}")).collect();
    match sizes.is_empty() {
        true => format!("{which} comes to rest"),
        false => format!("{which} with {} comes to rest", sizes.join(", ")),
    }
}

/// Checks a certificate against the song it is about.
pub fn again(song: &Arc<Song>, source: &Source, certificate: &RestCertificate) -> Rechecked {
    let is_claim = song.properties.iter().any(|property| {
        property.name == certificate.property && matches!(property.claim, Claim::Quiescent { .. })
    });
    if !is_claim {
        let name = &certificate.property;
        return Rechecked::Refused(format!("no property `{name}` claims rest"));
    }
    let chosen: &BTreeMap<String, i64> = &certificate.sizes;
    let sizes = chosen
        .iter()
        .fold(Sizes::new(), |sizes, (name, size)| sizes.with(name, *size));
    let machine = match machine(song, &sizes) {
        Ok(machine) => machine,
        Err(problem) => return Rechecked::Refused(problem.message),
    };
    match recheck_rest(&machine, &source.text, certificate) {
        Ok(()) => Rechecked::Accepted,
        Err(Refused(why)) if why.ends_with("not covered") => Rechecked::NotCovered(why),
        Err(Refused(why)) => Rechecked::Refused(why),
    }
}

fn machine(song: &Arc<Song>, sizes: &Sizes) -> Result<Machine, Problem> {
    let instances = Instance::all(song.clone(), sizes, &Bounds::default());
    match &instances.map_err(|error| Problem::new(error.message))?[..] {
        [one] => Ok(Machine::new(one, Subject::System)),
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

//! Ranking certificates for every size: what decreases, written to a file, and looked at again.
//!
//! What decreases is shown by a solver, handler by handler, for every size. Checked again is both: the solver shows
//! it anew, without answers that were kept, and the checker, which shares no code with the search or the prover, looks
//! at every step of small instances.

use crate::certificate::{Rechecked, trusted};
use crate::engines::diverge::once;
use crate::sizes::{ascending, from_one_to_three, table};
use crate::{Problem, Source};
pub use plainsong_certificate::RankCertificate;
use plainsong_certificate::{OwnRank, RankWay, Ranks, VERSION, hash};
use plainsong_diverge::ranking::{Measure, Way, own_measures};
use plainsong_infer::ranking::{Decreases, ranking, shown_again};
use plainsong_ir::{Claim, Measures, Song, System, print};
use plainsong_recheck::{Looked, recheck_ranks};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Machine, Subject};
use plainsong_semantics::sizes::Bounds;
use plainsong_semantics::verdict::Assumption;
use plainsong_smt::{Caching, Cancel, Setup};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The certificate for every size, if a measure is found.
pub fn certificate(song: &Arc<Song>, source: &Source, caching: &Caching) -> Option<String> {
    let is_claim = |claim: &Claim| matches!(claim, Claim::Quiescent { .. });
    let property = song.properties.iter().find(|one| is_claim(&one.claim))?;
    let found = ranking(
        song,
        Setup::with_caching(caching),
        &Cancel::default(),
        &mut || false,
    )
    .ok()?;
    let certificate = RankCertificate {
        version: VERSION,
        file: source.name.clone(),
        hash: hash(&source.text),
        property: property.name.clone(),
        decreases: named(song, &found.decreases)?,
    };
    serde_json::to_string_pretty(&certificate).ok()
}

/// Reads a certificate, if it is a ranking certificate.
pub fn read(path: &Path) -> Option<RankCertificate> {
    let text = Source::load(path).ok()?.text;
    serde_json::from_str(&text).ok()
}

/// Checks a certificate again, with what was done and what that rests on in words.
pub fn again(
    song: &Arc<Song>,
    source: &Source,
    certificate: &RankCertificate,
) -> Result<(Rechecked, String, Vec<Assumption>), Problem> {
    let claims = |one: &plainsong_ir::Property| {
        one.name == certificate.property && matches!(one.claim, Claim::Quiescent { .. })
    };
    if !song.properties.iter().any(claims) {
        let name = &certificate.property;
        let why = format!("no property `{name}` claims rest");
        return Ok(refused(why));
    }
    let mut looked = Some(Looked::default());
    for machine in instances(song)? {
        match recheck_ranks(&machine, &source.text, certificate) {
            Err(why) => return Ok(refused(why.to_string())),
            Ok(more) => looked = looked.zip(more).map(|(all, more)| all.and(more)),
        }
    }
    let Some(decreases) = meant(song, &certificate.decreases) else {
        let why = "it names a process or a variable that is not there, or is about another song"
            .to_owned();
        return Ok(refused(why));
    };
    let Some(again) = shown_again(song, &decreases) else {
        let why = "that it decreases for every size was not proved again".to_owned();
        return Ok(refused(why));
    };
    let shown = plainsong_report::count(again.obligations as u64, "obligation");
    let may_fail = looked.is_none_or(|looked| looked.fails);
    let looked = match looked {
        Some(looked) => {
            let steps = plainsong_report::count(looked.steps, "step");
            format!("{steps} of small instances looked at")
        }
        None => "steps of instances are not covered".to_owned(),
    };
    let told = format!("{shown} shown again for every size, {looked}: every execution terminates");
    let ends = may_fail.then_some(Assumption::EndsThere);
    let notes = once([trusted(song), again.notes, ends.into_iter().collect()].concat());
    Ok((Rechecked::Accepted, told, notes))
}

fn refused(why: String) -> (Rechecked, String, Vec<Assumption>) {
    (Rechecked::Refused(why), String::new(), Vec::new())
}

/// Instances of up to three of each sort.
fn instances(song: &Arc<Song>) -> Result<Vec<Machine>, Problem> {
    let mut sizes = table(song, None, &[]);
    from_one_to_three(&mut sizes);
    let mut machines = Vec::new();
    for sizes in ascending(&sizes) {
        let instances = Instance::all(song.clone(), &sizes, &Bounds::default());
        let instances = instances.map_err(|error| Problem::new(error.message))?;
        machines.extend(
            instances
                .iter()
                .map(|one| Machine::new(one, Subject::System)),
        );
    }
    Ok(machines)
}

/// Measures by name.
fn named(song: &Song, decreases: &Decreases) -> Option<Ranks> {
    Some(match decreases {
        Decreases::Declared => Ranks::Declared,
        Decreases::Payload => Ranks::Payload,
        Decreases::Supposed(written, false) => Ranks::Written(print::song(written)),
        Decreases::Supposed(written, true) => Ranks::PayloadThen(print::song(written)),
        Decreases::Own(own) => {
            let mut ranks = BTreeMap::new();
            for (process, measure) in own {
                let family = song.voices()?.processes[*process].family;
                let family = &song.families[family.index()];
                let (var, way) = measure.own()?;
                let rank = OwnRank {
                    variable: family.vars[var.index()].name.clone(),
                    way: way_of(way),
                };
                ranks.insert(family.name.clone(), rank);
            }
            Ranks::Own(ranks)
        }
    })
}

/// The measures that names mean.
fn meant(song: &Song, ranks: &Ranks) -> Option<Decreases> {
    let own = match ranks {
        Ranks::Own(own) => own,
        Ranks::Payload => return Some(Decreases::Payload),
        Ranks::Declared => return Some(Decreases::Declared),
        Ranks::Written(text) | Ranks::PayloadThen(text) => {
            let first = matches!(ranks, Ranks::PayloadThen(_));
            let written = plainsong_syntax::compile(text).song?;
            let is_the_same = undeclared(&written) == undeclared(song);
            return is_the_same.then(|| Decreases::Supposed(Box::new(written), first));
        }
    };
    let voices = song.voices()?;
    let mut measures = Vec::new();
    for (name, rank) in own {
        let is_it = |at: &usize| {
            let family = voices.processes[*at].family;
            song.families[family.index()].name == *name
        };
        let process = (0..voices.processes.len()).find(is_it)?;
        let vars = &song.families[voices.processes[process].family.index()].vars;
        let fits = |measure: &Measure| {
            measure.own().is_some_and(|(var, way)| {
                vars[var.index()].name == rank.variable && way_of(way) == rank.way
            })
        };
        let measure = own_measures(song, process).into_iter().find(fits)?;
        measures.push((process, measure));
    }
    Some(Decreases::Own(measures))
}

/// The text of a song without what it declares to decrease.
fn undeclared(song: &Song) -> String {
    let mut song = song.clone();
    if let System::Voices(voices) = &mut song.system {
        for process in &mut voices.processes {
            process.measures = Measures::default();
        }
        for message in &mut voices.messages {
            message.measures = Measures::default();
        }
    }
    print::song(&song)
}

fn way_of(way: Way) -> RankWay {
    match way {
        Way::Set => RankWay::Set,
        Way::Cleared => RankWay::Cleared,
        Way::Filled => RankWay::Filled,
        Way::FilledOrLess => RankWay::FilledOrLess,
        Way::Less => RankWay::Less,
        Way::Greater => RankWay::Greater,
    }
}

//! Certificates: a derivation written to a file, and checked again by a checker that shares no code with the search.

use crate::{Problem, Source};
use plainsong_certificate::{Certificate, VERSION, hash};
use plainsong_infer::arithmetic_oracle::Arithmetic;
use plainsong_ir::{Delivery, Song};
use plainsong_recheck::{Refused, Shown, recheck};
use plainsong_semantics::verdict::Assumption;
use plainsong_sequentialize::derivation_with;
use plainsong_smt::Caching;
use std::path::Path;

/// The certificate of a song's line, if there is a line.
pub fn certificate(
    song: &Song,
    source: &Source,
    delivery: Option<Delivery>,
    caching: &Caching,
) -> Option<String> {
    let ways = derivation_with(song, delivery, &Arithmetic::with_caching(caching)).ok()?;
    let certificate = Certificate {
        version: VERSION,
        file: source.name.clone(),
        hash: hash(&source.text),
        delivery: delivery.map(|model| model.name().to_owned()),
        ways,
    };
    serde_json::to_string_pretty(&certificate).ok()
}

pub fn read(path: &Path) -> Result<Certificate, Problem> {
    let text = Source::load(path)?.text;
    serde_json::from_str(&text)
        .map_err(|error| Problem::new(format!("{} is no certificate: {error}", path.display())))
}

/// What came of checking a certificate again.
pub enum Rechecked {
    /// Every step is right.
    Accepted,
    /// It uses a rule that the checker does not have, in one sentence.
    NotCovered(String),
    /// Something in it is wrong.
    Refused(String),
}

impl From<Refused> for Rechecked {
    fn from(refused: Refused) -> Rechecked {
        match refused {
            Refused::NotCovered(why) => Rechecked::NotCovered(why),
            Refused::Wrong(why) => Rechecked::Refused(why),
        }
    }
}

/// What is trusted of a song, whatever a certificate says about it: executions that an assumption ends are not meant.
pub fn trusted(song: &Song) -> Vec<Assumption> {
    crate::engines::trusted(song)
}

/// Checks a certificate against the song it is about; and what it says.
pub fn again(song: &Song, source: &Source, certificate: &Certificate) -> (Rechecked, String) {
    let everything = "no deadlock and no message left over";
    let (rechecked, claim) = match recheck(song, &source.text, certificate) {
        Ok(Shown { nothing_left: true }) => (Rechecked::Accepted, everything),
        Ok(_) => (Rechecked::Accepted, "no deadlock"),
        Err(why) => (why.into(), everything),
    };
    let claim = match &certificate.delivery {
        None => format!("{claim}, for any size"),
        Some(model) => format!("{claim}, for any size, with delivery={model}"),
    };
    (rechecked, claim)
}

//! From flags to a request, and what has to be right about it for the songs at hand.

use crate::arguments::{DeliveryModel, InstanceArguments};
use plainsong_driver::plan::Request;
use plainsong_driver::{Problem, sizes, source};
use plainsong_ir::{Delivery, Song};
use plainsong_report::stream::{self, Record, Start};
use std::path::{Path, PathBuf};

/// What the flags about instances ask for.
pub(crate) fn request(arguments: &InstanceArguments) -> Request {
    let mut request = Request {
        sizes: arguments.size.iter().map(|size| size.0.clone()).collect(),
        delivery: arguments.delivery.map(delivery),
        ..Request::default()
    };
    for bound in &arguments.bound {
        bound.apply(&mut request.bounds, &mut request.limits);
    }
    request
}

/// Refuses what none of the songs can follow.
pub(crate) fn validate(request: &Request, songs: &[&Song]) -> Result<(), Problem> {
    sizes::validate(&request.sizes, songs)?;
    let messages = songs.iter().any(|song| song.voices().is_some());
    if request.delivery.is_some() && !messages {
        return Err(Problem::new(
            "`--delivery` has no effect: nothing here sends messages",
        ));
    }
    Ok(())
}

/// The files named, or the songs in the current folder.
pub(crate) fn files(named: &[PathBuf]) -> Result<Vec<PathBuf>, Problem> {
    if named.is_empty() {
        source::songs_in(Path::new("."))
    } else {
        Ok(named.to_vec())
    }
}

/// The first line of the stream.
pub(crate) fn start(verb: &str, files: &[PathBuf]) -> Record {
    Record::Start(Start {
        schema: stream::SCHEMA,
        tool: plainsong_driver::save::TOOL.to_owned(),
        verb: verb.to_owned(),
        files: files
            .iter()
            .map(|file| file.display().to_string())
            .collect(),
    })
}

fn delivery(model: DeliveryModel) -> Delivery {
    match model {
        DeliveryModel::Unordered => Delivery::Unordered,
        DeliveryModel::Fifo => Delivery::Fifo,
        DeliveryModel::Causal => Delivery::Causal,
        DeliveryModel::Mailbox => Delivery::Mailbox,
    }
}

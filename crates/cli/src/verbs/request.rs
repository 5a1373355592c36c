//! From flags to a request, and what has to be right about it for the songs at hand.

use crate::arguments::{DeliveryModel, InstanceArguments};
use plainsong_driver::plan::{PlannedTask, Request, plan};
use plainsong_driver::{Engine, Problem, engines, sizes, source};
use plainsong_ir::{Delivery, Song};
use plainsong_report::stream::{self, Record, Start};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the flags about instances ask for.
pub(crate) fn request(arguments: &InstanceArguments) -> Request {
    let mut request = Request {
        sizes: arguments.size.iter().map(|size| size.0.clone()).collect(),
        delivery: arguments.delivery.and_then(delivery),
        every_delivery: matches!(arguments.delivery, Some(DeliveryModel::All)),
        ..Request::default()
    };
    for bound in &arguments.bound {
        bound.apply(&mut request.bounds, &mut request.effort);
    }
    request
}

/// Refuses what none of the songs can follow.
pub(crate) fn validate(request: &Request, songs: &[&Arc<Song>]) -> Result<(), Problem> {
    let plain: Vec<&Song> = songs.iter().map(|song| &***song).collect();
    sizes::validate(&request.sizes, &plain)?;
    let messages = songs.iter().any(|song| song.voices().is_some());
    if (request.delivery.is_some() || request.every_delivery) && !messages {
        return Err(Problem::new(
            "`--delivery` has no effect: nothing here sends messages",
        ));
    }
    if request.grow && !songs.iter().any(|song| grows(song, request)) {
        return Err(Problem::new(
            "`--grow` has no effect: every sort has a size, or there is none",
        ));
    }
    if request.jobs.is_some() && !songs.iter().any(|song| shares(song, request)) {
        return Err(Problem::new(
            "`--jobs` has no effect: only executions and states, which `explore` visits, are shared by workers",
        ));
    }
    let is_watched = plainsong_driver::memory::resident().is_some();
    let counts = |song: &&Arc<Song>| searches_states(song, request);
    if request.memory.is_some() && !is_watched && !songs.iter().any(counts) {
        return Err(Problem::new(
            "`--memory` has no effect: this system does not say how much memory a process takes, and only the states of action systems are counted",
        ));
    }
    if request.symmetry && !songs.iter().any(|song| explores_a_system(song, request)) {
        return Err(Problem::new(
            "`--symmetry` has no effect: it is for action systems and processes, which `explore` visits",
        ));
    }
    Ok(())
}

fn searches_states(song: &Arc<Song>, request: &Request) -> bool {
    plan(song, request, engines::ALL).is_ok_and(|plan| {
        let mut tasks = plan.tasks.iter();
        let actions = song.actions().is_some_and(|actions| !actions.is_layered());
        actions && tasks.any(|planned| engines_of(planned).any(|engine| engine.name() == "explore"))
    })
}

fn explores_a_system(song: &Arc<Song>, request: &Request) -> bool {
    plan(song, request, engines::ALL).is_ok_and(|plan| {
        let mut tasks = plan.tasks.iter();
        let is_system = song.voices().is_some() || searches_states(song, request);
        is_system
            && tasks.any(|planned| engines_of(planned).any(|engine| engine.name() == "explore"))
    })
}

fn grows(song: &Arc<Song>, request: &Request) -> bool {
    plan(song, request, engines::ALL)
        .is_ok_and(|plan| plan.tasks.iter().any(|planned| planned.task.grow))
}

fn shares(song: &Arc<Song>, request: &Request) -> bool {
    plan(song, request, engines::ALL).is_ok_and(|plan| {
        let mut tasks = plan.tasks.iter();
        tasks.any(|planned| engines_of(planned).any(|engine| engine.shares(&planned.task)))
    })
}

/// Who does a task, and who is asked what is left open.
fn engines_of(planned: &PlannedTask) -> impl Iterator<Item = &'static dyn Engine> {
    let otherwise = planned.otherwise.map(|otherwise| otherwise.engine);
    std::iter::once(planned.engine).chain(otherwise)
}

/// The files named and those below the folders named, or the songs in the current folder.
pub(crate) fn files(named: &[PathBuf]) -> Result<Vec<PathBuf>, Problem> {
    if named.is_empty() {
        source::songs_in(Path::new("."))
    } else {
        Ok(source::songs_or_folders(named))
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

fn delivery(model: DeliveryModel) -> Option<Delivery> {
    Some(match model {
        DeliveryModel::Unordered => Delivery::Unordered,
        DeliveryModel::Fifo => Delivery::Fifo,
        DeliveryModel::Causal => Delivery::Causal,
        DeliveryModel::Mailbox => Delivery::Mailbox,
        DeliveryModel::All => return None,
    })
}

//! `estimate`: how many executions there probably are and how long it takes to visit them.
//!
//! First they are visited for a short while: often that is all of them, and the number is no guess. If
//! not, the while says how many there are in a second, and random executions say how many there are in all
//! ([`plainsong_explore_songs::estimate`]). Claims about every state cost more than executions that are only counted:
//! where there are some, a second while with them says how many there are in a second.

use crate::plan::Request;
use crate::sizes::{ascending, refuse_endless, table};
use crate::watch::Interrupt;
use crate::{LoadedSong, Problem};
use plainsong_diagnostics::line_and_column;
use plainsong_explore_songs::{Cause, Estimated, Explored, GaveUp, Manner, estimate, explore};
use plainsong_ir::{Claim, Song};
use plainsong_report::Forecast;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Machine, Subject};
use plainsong_semantics::search::{Check, Completeness, Progress, Watch};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long executions are visited.
const WHILE: Duration = Duration::from_millis(800);

/// How long random executions are drawn.
const WALK: Duration = Duration::from_secs(3);

/// Of the causes, so many are named, if they contribute something.
const CAUSES: usize = 3;

/// How random executions are drawn.
#[derive(Clone, Copy, Debug)]
pub struct Walks {
    pub most: u32,
    /// The same seed gives the same numbers.
    pub seed: u64,
}

/// Forecasts for all sizes that were asked for.
pub fn forecasts(
    loaded: &LoadedSong,
    song: &Arc<Song>,
    request: &Request,
    walks: Walks,
    interrupt: &Interrupt,
) -> Result<Vec<Forecast>, Problem> {
    let file = &loaded.source.name;
    if song.voices().is_none() {
        let problem = Problem::new("there are no executions to count: nothing sends messages");
        return Err(problem.in_file(file));
    }
    let sizes = table(song, None, &request.sizes);
    refuse_endless(&sizes)?;
    let mut forecasts = Vec::new();
    for sizes in ascending(&sizes) {
        for instance in Instance::all(song.clone(), &sizes, &request.bounds)? {
            if interrupt.is_set() {
                return Ok(forecasts);
            }
            let instance = instance.with_delivery(request.delivery);
            let forecast = forecast(loaded, &instance, request, walks, interrupt);
            forecasts.push(forecast.map_err(|why| {
                let problem = format!("executions cannot be counted here: {why}");
                Problem::new(problem).in_file(file)
            })?);
        }
    }
    Ok(forecasts)
}

fn forecast(
    loaded: &LoadedSong,
    instance: &Instance,
    request: &Request,
    walks: Walks,
    interrupt: &Interrupt,
) -> Result<Forecast, String> {
    let gave_up = |why: GaveUp| why.sentence().to_owned();
    let machine = Machine::new(instance, Subject::System);
    let began = Instant::now();
    let mut watch = Until {
        end: began + WHILE,
        interrupt,
    };
    let manner = Manner {
        limits: request.limits(),
        ..Manner::default()
    };
    let seen = explore(&machine, &[], &manner, &mut watch).map_err(gave_up)?;
    if let Completeness::Resource(why) = &seen.count.completeness {
        return Err(why.clone());
    }
    let seconds = began.elapsed().as_secs_f64();
    let visited = visited(&seen) as f64;
    let end = Instant::now() + WALK;
    let most = match seen.left.is_empty() {
        true => walks.most.min(100),
        false => walks.most,
    };
    let guess = estimate(&machine, walks.seed, &mut |drawn| {
        drawn < most && Instant::now() < end && !interrupt.is_set()
    });
    let guess = guess.map_err(gave_up)?;
    let mut rate = visited / seconds.max(1e-6);
    if !seen.left.is_empty() {
        rate = rate.min(rate_with_claims(&machine, &manner, interrupt).unwrap_or(rate));
    }
    let (executions, margin, seconds) = match seen.left.is_empty() {
        true => (visited, None, seconds),
        false => {
            let number = guess.number.executions.max(visited);
            (number, Some(guess.number.margin), number / rate.max(1.0))
        }
    };
    Ok(Forecast {
        file: loaded.source.name.clone(),
        bound: instance.bound(),
        executions,
        margin,
        is_rough: margin.is_some() && guess.number.is_rough(),
        walks: guess.number.walks,
        seconds,
        per_second: rate,
        interleavings: seen
            .interleavings(&machine)
            .map(|power| power + (executions / visited).log10()),
        causes: causes(loaded, &guess),
    })
}

/// Executions in a second when every state is looked at; nothing if no claim asks for that, or one is refuted at once.
fn rate_with_claims(machine: &Machine, manner: &Manner, interrupt: &Interrupt) -> Option<f64> {
    let properties = machine.instance().song().properties.iter().enumerate();
    let about_states = properties.filter(|(_, one)| matches!(one.claim, Claim::Always(_)));
    let checks: Vec<Check> = about_states.map(|(at, _)| Check::Property(at)).collect();
    if checks.is_empty() {
        return None;
    }
    let began = Instant::now();
    let mut watch = Until {
        end: began + WHILE,
        interrupt,
    };
    let seen = explore(machine, &checks, manner, &mut watch).ok()?;
    let is_long = !seen.left.is_empty();
    is_long.then(|| visited(&seen) as f64 / began.elapsed().as_secs_f64())
}

fn visited(explored: &Explored) -> u64 {
    let count = &explored.count;
    count.complete + count.blocked + count.failed + count.discarded
}

fn causes(loaded: &LoadedSong, guess: &Estimated) -> Vec<(String, f64)> {
    let many = guess.causes.iter().filter(|(_, factor)| *factor >= 1.05);
    let named = many.map(|(cause, factor)| (words(loaded, cause), *factor));
    named.take(CAUSES).collect()
}

/// `receive Vote(yes) from any db; at line 12`.
fn words(loaded: &LoadedSong, cause: &Cause) -> String {
    match cause {
        Cause::Receive(span) => {
            let text = &loaded.source.text;
            let line = line_and_column(text, span.start).line;
            let statement = text.get(span.start as usize..span.end as usize);
            let first = statement.unwrap_or_default().lines().next();
            let first = first.unwrap_or_default().trim_end_matches(['{', ';', ' ']);
            format!("`{first}` at line {line}")
        }
        Cause::Handlers(family) => format!("which message a `{family}` handles first"),
        Cause::Choices(family) => format!("what a `{family}` chooses"),
        Cause::Start => "how it starts".to_owned(),
    }
}

/// Goes on until some time.
struct Until<'a> {
    end: Instant,
    interrupt: &'a Interrupt,
}

impl Watch for Until<'_> {
    fn keep_going(&mut self, _: &Progress) -> bool {
        Instant::now() < self.end && !self.interrupt.is_set()
    }
}

//! Choreographies played: as a line, or as voices on a transport.

use crate::contain::{Crash, contained};
use crate::plan::Request;
use crate::sizes::{table, validate};
use crate::{Exit, LoadedSong, Problem};
use plainsong_diagnostics::Diagnostic;
use plainsong_ir::{Sizing, Song, Ty};
use plainsong_project::project;
use plainsong_run::{End, Line, NoStart, Voices};
use plainsong_runtime::{Error, Fault, tcp, threads};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::sizes::{Bounds, External, Sizes};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// On what to play.
#[derive(Clone, Debug)]
pub enum Way {
    /// Statement by statement, as it is written.
    Sequential,
    /// Every voice on a thread of its own.
    Threads,
    /// Every voice over TCP, all of them in this process.
    Tcp,
    /// Every voice in a simulator that draws turns from this number.
    Sim(u64),
    /// One voice over TCP: which one, and where all of them are, as `name=host:port,…`.
    One {
        /// The role to play.
        role: String,
        /// Where all roles are.
        peers: String,
    },
}

/// What to play, and how.
#[derive(Clone, Debug)]
pub struct PerformanceRequest {
    pub way: Way,
    /// Only the choreography of this name.
    pub line: Option<String>,
    /// Values of parameters that are no numbers, as text.
    pub written: Vec<(String, String)>,
    /// Where parameters and free choices come from.
    pub seed: u64,
    /// How long a receive waits at most.
    pub deadline: Duration,
    /// How long roles look for each other at the beginning.
    pub patience: Duration,
    /// Told why somebody at the port was refused.
    pub on_refusal: Option<fn(&str)>,
}

/// A choreography that was played.
#[derive(Clone, Debug)]
pub struct Performance {
    /// Its name.
    pub line: String,
    /// Its parameters, with their values.
    pub parameters: Vec<(String, String)>,
    /// The external functions of the song: what they returned was drawn among what their contracts allow.
    pub external: Vec<String>,
    /// How each role that was played ended; one error without a role when it was played as a line.
    pub ends: Vec<(Option<String>, Result<End, Error>)>,
}

impl Performance {
    /// What it contributes to the exit code: a program that goes wrong refutes something; a peer that is
    /// lost leaves everything open.
    pub fn exit(&self) -> Exit {
        let of = |end: &Result<End, Error>| match end.as_ref().map_err(Error::fault) {
            Ok(_) => Exit::Fine,
            Err(Fault::Undefined { .. } | Fault::Deadlock { .. } | Fault::WrongSite { .. }) => {
                Exit::Refuted
            }
            Err(_) => Exit::Unknown,
        };
        let exits = self.ends.iter().map(|(_, end)| of(end));
        exits.fold(Exit::Fine, Exit::and)
    }
}

/// Why nothing was played.
#[derive(Clone, Debug)]
pub enum NoPerformance {
    /// What was asked cannot be done.
    Problem(Problem),
    /// The choreography has no voices.
    Diagnostics(Vec<Diagnostic>),
    /// Our own bug.
    Bug(Crash),
}

/// Plays the choreographies of a song.
///
/// # Errors
///
/// When there is none, or when one of them cannot begin.
pub fn perform(
    loaded: &LoadedSong,
    song: &Arc<Song>,
    request: &Request,
    order: &PerformanceRequest,
) -> Result<Vec<Performance>, NoPerformance> {
    let of_file = |problem: Problem| NoPerformance::Problem(problem.in_file(&loaded.source.name));
    let lines = lines(song, order).map_err(of_file)?;
    let (sizes, given) = sizes(song, &lines, (&request.sizes, &order.written)).map_err(of_file)?;
    let bounds = Bounds {
        external: External::Drawn(order.seed),
        ..request.bounds.clone()
    };
    let instances = contained(|| Instance::all(song.clone(), &sizes, &bounds))
        .map_err(NoPerformance::Bug)?
        .map_err(|error| of_file(error.into()))?;
    // Parameters nobody chose are chosen by the seed too.
    let Some(instance) = instances.get((order.seed % instances.len().max(1) as u64) as usize)
    else {
        return Err(of_file(Problem::new(
            "no values of the parameters satisfy their `where`",
        )));
    };
    let play = |&number: &usize| {
        let instance = &of_choosers(instance, song, number, order)?;
        let stage = Stage {
            song,
            number,
            sizes: &sizes,
            order,
        };
        let line = contained(|| Line::new(instance, number, order.seed, &given))
            .map_err(NoPerformance::Bug)?
            .map_err(|why| stage.cannot_begin(why, &of_file))?;
        stage.play(&line, &of_file)
    };
    lines.iter().map(play).collect()
}

/// The instance to play a choreography from. As a line, choices that are nobody's in the text are made by whom
/// projection gives them to, so that all ways end alike.
fn of_choosers(
    instance: &Instance,
    song: &Song,
    number: usize,
    order: &PerformanceRequest,
) -> Result<Instance, NoPerformance> {
    if !matches!(order.way, Way::Sequential) {
        return Ok(instance.clone());
    }
    let owned = contained(|| {
        let owned = plainsong_project::owned(song, number, &Default::default());
        instance.with_song(Arc::new(owned))
    });
    owned.map_err(NoPerformance::Bug)
}

/// The choreographies that are asked for.
fn lines(song: &Song, order: &PerformanceRequest) -> Result<Vec<usize>, Problem> {
    let all: Vec<usize> = song.choreographies().collect();
    let names: Vec<&str> = all.iter().map(|&at| &*song.lines[at].name).collect();
    if names.is_empty() {
        return Err(Problem::new("there is no choreography to run")
            .help("processes and actions are executed by `plainsong sim`"));
    }
    let lines: Vec<usize> = match &order.line {
        None => all,
        Some(name) => {
            let found = all.iter().copied().find(|&at| song.lines[at].name == *name);
            vec![found.ok_or_else(|| Problem::unknown("choreography", name, &names))?]
        }
    };
    if matches!(order.way, Way::One { .. }) && lines.len() > 1 {
        return Err(Problem::new("a role belongs to one choreography")
            .help(format!("for example `--line {}`", names[0])));
    }
    Ok(lines)
}

/// Sizes of the song, and values of the choreographies' own parameters.
pub(crate) fn sizes(
    song: &Song,
    lines: &[usize],
    (asked, written): (&[Sizing], &[(String, String)]),
) -> Result<(Sizes, Sizes), Problem> {
    if let Some(range) = asked.iter().find(|sizing| sizing.low != sizing.high) {
        let problem = format!("one run has one size: `{}` was given a range", range.name);
        return Err(Problem::new(problem).help(format!(
            "for example `--size {}={}`",
            range.name, range.high
        )));
    }
    let mut named = asked
        .iter()
        .map(|sizing| &sizing.name)
        .chain(written.iter().map(|(name, _)| name));
    let mut seen = BTreeSet::new();
    if let Some(twice) = named.find(|name| !seen.insert(*name)) {
        return Err(Problem::new(format!(
            "`--size` says twice what `{twice}` is"
        )));
    }
    let parameter = |name: &str| {
        let own = lines.iter().flat_map(|&line| {
            let code = &song.lines[line].code;
            &code.locals[..code.arity]
        });
        own.into_iter().find(|param| param.name == name)
    };
    let is_number = |ty: &Ty| matches!(ty, Ty::Bool | Ty::Int | Ty::Nat | Ty::Sort(_));
    let wrong = asked.iter().filter_map(|sizing| parameter(&sizing.name));
    if let Some(wrong) = wrong.into_iter().find(|param| !is_number(&param.ty)) {
        let ty = plainsong_ir::print::ty(song, &wrong.ty);
        let problem = format!(
            "`{}` is of type {ty}, and what `--size` gives it is a number",
            wrong.name
        );
        return Err(Problem::new(problem).help(
            "values are written as they are shown: `--size 'l=[1, 2]'`, `--size 'm=map {0 => 5, 1 => 7}'`",
        ));
    }
    let is_own = |sizing: &Sizing| parameter(&sizing.name).is_some();
    let (own, others): (Vec<Sizing>, Vec<Sizing>) = asked.iter().cloned().partition(is_own);
    validate(&others, &[song])?;
    let mut sizes = Sizes::new();
    for (name, chosen) in table(song, None, &others) {
        sizes = sizes.with(name, chosen.low);
    }
    let mut given = own.into_iter().fold(Sizes::new(), |given, sizing| {
        given.with(sizing.name, sizing.low)
    });
    for (name, text) in written {
        let holder = match parameter(name) {
            Some(_) => &mut given,
            None => &mut sizes,
        };
        is_no_size(song, name, text)?;
        // What the file says about it counts no more.
        holder.chosen.remove(name);
        holder.written.insert(name.clone(), text.clone());
    }
    Ok((sizes, given))
}

/// How many members a sort has is a number.
fn is_no_size(song: &Song, name: &str, text: &str) -> Result<(), Problem> {
    match song.sorts.iter().any(|sort| sort.name == name) {
        true => Err(
            Problem::new(format!("`{text}` is no number of members of `{name}`"))
                .help(format!("for example `--size {name}=3`")),
        ),
        false => Ok(()),
    }
}

/// One choreography about to be played.
struct Stage<'a> {
    song: &'a Arc<Song>,
    number: usize,
    sizes: &'a Sizes,
    order: &'a PerformanceRequest,
}

impl Stage<'_> {
    fn play(
        &self,
        line: &Line,
        of_file: &impl Fn(Problem) -> NoPerformance,
    ) -> Result<Performance, NoPerformance> {
        let ends = match &self.order.way {
            Way::Sequential => {
                let roles = line.roles().into_iter().map(Some);
                match contained(|| line.play()).map_err(NoPerformance::Bug)? {
                    Ok(ends) => roles.zip(ends.into_iter().map(Ok)).collect(),
                    Err(error) => vec![(None, Err(error))],
                }
            }
            way => {
                let voices = self.voices(line, of_file)?;
                contained(|| self.play_voices(&voices, way))
                    .map_err(NoPerformance::Bug)?
                    .map_err(of_file)?
            }
        };
        Ok(Performance {
            line: line.name().to_owned(),
            parameters: line.parameters(),
            external: self.external(),
            ends,
        })
    }

    fn external(&self) -> Vec<String> {
        let functions = self.song.functions.iter();
        let external = functions.filter(|function| function.is_external());
        external.map(|function| function.name.clone()).collect()
    }

    fn voices(
        &self,
        line: &Line,
        of_file: &impl Fn(Problem) -> NoPerformance,
    ) -> Result<Voices, NoPerformance> {
        let projected = contained(|| project(self.song, self.number, &Default::default()))
            .map_err(NoPerformance::Bug)?
            .map_err(NoPerformance::Diagnostics)?;
        let voices = contained(|| line.voices(&Arc::new(projected.song), self.sizes));
        voices
            .map_err(NoPerformance::Bug)?
            .map_err(|why| self.cannot_begin(why, of_file))
    }

    #[expect(clippy::type_complexity, reason = "it is what a performance has")]
    fn play_voices(
        &self,
        voices: &Voices,
        way: &Way,
    ) -> Result<Vec<(Option<String>, Result<End, Error>)>, Problem> {
        let of_tcp = tcp::Options {
            deadline: Some(self.order.deadline),
            patience: self.order.patience,
            on_refusal: self.order.on_refusal,
            ..tcp::Options::default()
        };
        let of_threads = threads::Options {
            deadline: Some(self.order.deadline),
            ..threads::Options::default()
        };
        let ends = match way {
            Way::Sequential | Way::Threads => voices.on_threads(&of_threads),
            Way::Tcp => voices.over_tcp(&of_tcp),
            Way::Sim(turns) => voices.in_the_simulator(*turns),
            Way::One { role, peers } => {
                let cast = voices.cast();
                let addresses =
                    tcp::addresses(cast, peers).map_err(|error| Problem::new(error.to_string()))?;
                let names: Vec<&str> = cast.roles().iter().map(String::as_str).collect();
                let number = cast.role(role);
                let number = number.ok_or_else(|| Problem::unknown("role", role, &names))?;
                let end = voices.one_over_tcp(number, &addresses, &of_tcp);
                return Ok(vec![(Some(role.clone()), end)]);
            }
        };
        let roles = voices.cast().roles().iter().cloned().map(Some);
        Ok(roles.zip(ends).collect())
    }

    fn cannot_begin(
        &self,
        why: NoStart,
        of_file: &impl Fn(Problem) -> NoPerformance,
    ) -> NoPerformance {
        let line = &self.song.lines[self.number];
        of_file(match why {
            NoStart::Nothing => Problem {
                span: Some(line.span),
                ..Problem::new(format!(
                    "no parameters and starting values that were tried satisfy what `{}` requires",
                    line.name
                ))
                .help("choose them with `--size name=value`, or try more of them with `--bound`")
            },
            NoStart::Failed(failure) => Problem {
                span: Some(failure.span),
                ..Problem::new(failure.message)
            },
            NoStart::Instance(error) => error.into(),
            NoStart::Foreign => {
                return NoPerformance::Bug(Crash {
                    message: format!(
                        "the voices of `{}` do not begin as the line does",
                        line.name
                    ),
                    backtrace: String::new(),
                });
            }
        })
    }
}

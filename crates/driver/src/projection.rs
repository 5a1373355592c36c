//! The voices of a song's choreographies: `plainsong project`.

use crate::{Problem, Source, performance, runtime_sources};
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::unanimity::Owners;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{Choreography, Sizing, Song, Stmt, StmtKind, recursion};
pub use plainsong_project::rust::external;
use plainsong_project::rust::{File, Source as Made, crate_of};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::sizes::Bounds;
pub use plainsong_semantics::sizes::Sizes;
use plainsong_semantics::value::Value;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

pub use plainsong_project::codes::ALL as CODES;
pub use plainsong_project::{Options, Projection};

/// The choreography that is meant: the one of that name, or the only one that no other calls.
pub fn line(song: &Song, name: Option<&str>) -> Result<usize, Problem> {
    let names = || {
        let names = song
            .choreographies()
            .map(|at| format!("`{}`", song.lines[at].name));
        names.collect::<Vec<_>>().join(", ")
    };
    let lines: Vec<usize> = song.choreographies().collect();
    let is_part = |at: &usize| {
        let mut others = lines.iter();
        others.any(|other| recursion::parts(song, *other).contains(at))
    };
    let whole: Vec<usize> = lines.iter().copied().filter(|at| !is_part(at)).collect();
    match (name, whole.len()) {
        (_, 0) => Err(Problem::new("there is no choreography in this song").help(
            "processes are what `project` makes: `plainsong sequentialize` goes the other way",
        )),
        (None, 1) => Ok(whole[0]),
        (None, _) => Err(
            Problem::new("there are several choreographies in this song")
                .help(format!("choose one with `--line`: {}", names())),
        ),
        (Some(name), _) => {
            let found = lines.into_iter().find(|&at| song.lines[at].name == name);
            found.ok_or_else(|| {
                Problem::new(format!("there is no choreography `{name}` in this song"))
                    .help(format!("there are {}", names()))
            })
        }
    }
}

/// Is there a condition in a choreography that several endpoints decide, each for itself? Then they have to
/// agree, or its voices wait for each other.
pub fn has_to_agree(song: &Song, line: usize) -> bool {
    !divided(song, line).is_empty()
}

/// Is this place in such a condition, of any choreography of the song? A failure there is a disagreement.
pub fn is_for_several_to_decide(song: &Song, place: Span) -> bool {
    let conditions = song.choreographies().flat_map(|line| divided(song, line));
    let is_inside = |condition: Span| condition.start <= place.start && place.end <= condition.end;
    conditions.into_iter().any(is_inside)
}

/// The conditions of a choreography that several endpoints decide, each for itself.
fn divided(song: &Song, line: usize) -> Vec<Span> {
    struct Divided(Owners, Vec<Span>);
    impl Visit for Divided {
        fn stmt(&mut self, stmt: &Stmt) {
            if let StmtKind::If(condition, ..) | StmtKind::While(condition, ..) = &stmt.kind
                && self.0.divides(condition)
            {
                self.1.push(condition.span);
            }
            walk::stmt(self, stmt);
        }
    }
    let decl = &song.lines[line];
    let mut divided = Divided(Owners::of(song, decl), Vec::new());
    divided.block(&decl.code.body);
    divided.1
}

/// The voices of a choreography, or what stands against it.
pub fn project(song: &Song, line: usize, options: &Options) -> Result<Projection, Vec<Diagnostic>> {
    plainsong_project::project(song, line, options)
}

/// A song in which what projection repairs in a choreography is written out.
#[derive(Clone, Debug, Default)]
pub struct Mended {
    /// The text, in canonical style if it was before.
    pub text: String,
    /// How many fixes there were. What has no fix stays.
    pub fixes: usize,
    /// How many kinds of messages projection would have added before.
    pub added: usize,
    /// How many it still adds.
    pub messages: usize,
}

/// The text of a song with the fixes that projection offers for one of its choreographies.
///
/// # Errors
///
/// When a text that was mended is no song any more: our own bug.
pub fn mended(text: &str, line: &str, options: &Options) -> Result<Mended, Problem> {
    let was_formatted = plainsong_syntax::format(text).is_ok_and(|formatted| formatted == text);
    let mut mended = Mended {
        text: text.to_owned(),
        ..Mended::default()
    };
    for round in 0..MOST_MENDINGS {
        let Some(song) = plainsong_syntax::compile(&mended.text).song else {
            return Err(Problem::new(
                "the mended text is no song any more: a bug of plainsong",
            ));
        };
        let at = self::line(&song, Some(line))?;
        let (notes, added) = match project(&song, at, options) {
            Ok(projection) => (projection.notes, projection.added_messages),
            Err(problems) => (problems, 0),
        };
        if round == 0 {
            mended.added = added;
        }
        mended.messages = added;
        let (next, count) = plainsong_project::mended(&mended.text, &notes);
        if count == 0 {
            break;
        }
        mended.text = next;
        mended.fixes += count;
    }
    if let (true, Ok(formatted)) = (was_formatted, plainsong_syntax::format(&mended.text)) {
        mended.text = formatted;
    }
    Ok(mended)
}

/// A text that is no song, with the fixes that its mistakes come with, and how many those are. What is only a guess
/// (a name that is like another) is left alone; so is everything, if there are no fewer mistakes then.
pub fn corrected(text: &str) -> (String, usize) {
    let was_formatted = plainsong_syntax::format(text).is_ok_and(|formatted| formatted == text);
    let mistakes = |text: &str| {
        let mut found = plainsong_syntax::compile(text).diagnostics;
        found.retain(Diagnostic::is_error);
        found
    };
    let (mut corrected, mut fixes) = (text.to_owned(), 0);
    let before = mistakes(text).len();
    let mut left = before;
    for _ in 0..MOST_MENDINGS {
        let mut sure = mistakes(&corrected);
        left = sure.len();
        sure.retain(|one| !one.code.name.starts_with("unknown-"));
        let (next, count) = plainsong_project::mended(&corrected, &sure);
        if count == 0 {
            break;
        }
        corrected = next;
        fixes += count;
    }
    if left >= before {
        return (text.to_owned(), 0);
    }
    if let (true, Ok(formatted)) = (was_formatted, plainsong_syntax::format(&corrected)) {
        corrected = formatted;
    }
    (corrected, fixes)
}

/// More rounds than fixes that have to wait for each other.
const MOST_MENDINGS: usize = 20;

/// The crate of a projection: its files, with the runtime it links. Parameters are those of an
/// instance with the sizes that are given.
pub fn files(
    source: &Source,
    line: &Choreography,
    projection: &Projection,
    sizes: &Sizes,
) -> Result<Vec<File>, Rejected> {
    let voices = Arc::new(projection.song.clone());
    let sizes = of_voices(sizes, line, &voices);
    let instances = instances(&voices, &sizes)?;
    let instance = instances.iter().max_by_key(|instance| telling(instance));
    let Some(instance) = instance else {
        let message = "no values of the parameters are allowed";
        return Err(Rejected::Problem(Problem::new(message)));
    };
    let made = Made {
        voices: &projection.song,
        name: &line.name,
        parameters: &parameters(line),
        text: &source.text,
        instance,
    };
    let mut files = crate_of(&made).map_err(Rejected::Mistakes)?;
    let runtime = runtime_sources::FILES.iter();
    files.extend(runtime.map(|(path, text)| (format!("runtime/{path}"), (*text).to_owned())));
    Ok(files)
}

/// What `--size` says about the sorts, the parameters of the song and those of a choreography; of a range, its beginning.
///
/// # Errors
///
/// When there is nothing of such a name, or when it is said twice.
pub fn given(
    song: &Song,
    line: usize,
    (asked, written): (&[Sizing], &[(String, String)]),
) -> Result<Sizes, Problem> {
    let first = |sizing: &Sizing| Sizing {
        high: sizing.low,
        ..sizing.clone()
    };
    let asked: Vec<Sizing> = asked.iter().map(first).collect();
    performance::sizes(song, &[line], (&asked, written))?;
    let sizes = asked.iter().fold(Sizes::new(), |sizes, sizing| {
        sizes.with(sizing.name.clone(), sizing.low)
    });
    let mut sizes = sizes;
    sizes.written.extend(written.iter().cloned());
    Ok(sizes)
}

/// The same about the voices, where a parameter of the choreography that has the name of a variable has another one.
fn of_voices(sizes: &Sizes, line: &Choreography, voices: &Song) -> Sizes {
    let own = parameters(line);
    let first = voices.consts.len().saturating_sub(own.len());
    let mut renamed = sizes.clone();
    for (name, decl) in own.iter().zip(&voices.consts[first..]) {
        if let Some(value) = renamed.chosen.remove(name) {
            renamed.chosen.insert(decl.name.clone(), value);
        }
        if let Some(text) = renamed.written.remove(name) {
            renamed.written.insert(decl.name.clone(), text);
        }
    }
    renamed
}

/// Instances to take the parameters of runs from: within the bounds by default, or narrower ones where there are too
/// many.
fn instances(voices: &Arc<Song>, sizes: &Sizes) -> Result<Vec<Instance>, Rejected> {
    let narrower = |int: (i64, i64), length: usize| Bounds {
        int,
        nat: int.1,
        length,
        constants: false,
        ..Bounds::default()
    };
    let all = |bounds: &Bounds| Instance::all(Arc::clone(voices), sizes, bounds);
    let found = all(&Bounds::default()).or_else(|error| {
        let mut bounds = [
            narrower((0, 2), 2),
            narrower((0, 1), 1),
            narrower((1, 1), 1),
        ]
        .into_iter();
        bounds.find_map(|one| all(&one).ok()).ok_or(error)
    });
    found.map_err(|error| Rejected::Problem(Problem::new(error.message)))
}

/// The names of a choreography's parameters.
pub fn parameters(line: &Choreography) -> Vec<String> {
    let own = line.code.locals[..line.code.arity].iter();
    own.map(|param| param.name.clone()).collect()
}

/// Why there is no crate.
#[derive(Clone, Debug)]
pub enum Rejected {
    /// No instance.
    Problem(Problem),
    /// Things that cannot be said in Rust.
    Mistakes(Vec<Diagnostic>),
}

/// How much the parameters of an instance show: different values, not below zero; the first of
/// equals.
fn telling(instance: &Instance) -> (usize, usize, std::cmp::Reverse<Vec<Value>>) {
    let consts = instance.song().consts.iter().enumerate();
    let open = consts.filter(|(_, decl)| decl.value.is_none());
    let values: Vec<Value> = open
        .map(|(at, _)| instance.constant(at.into()).clone())
        .collect();
    let different: std::collections::BTreeSet<&Value> = values.iter().collect();
    let natural = values
        .iter()
        .filter(|value| !matches!(value, Value::Int(n) if *n < 0));
    (different.len(), natural.count(), std::cmp::Reverse(values))
}

/// Writes files under a directory and formats what is Rust. Files that belong to the user
/// once they are there stay as they are, if the song has external functions: returns those.
pub fn write(directory: &Path, song: &Song, files: &[File]) -> std::io::Result<Vec<File>> {
    let mut left_alone = Vec::new();
    for (name, text) in files {
        let path = directory.join(name);
        if external::has_external(song) && external::OWN_FILES.contains(&&**name) && path.exists() {
            left_alone.push((name.clone(), std::fs::read_to_string(path)?));
            continue;
        }
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, text)?;
    }
    let is_ours = |path: &&String| {
        path.starts_with("src/") && left_alone.iter().all(|(other, _)| other != *path)
    };
    let ours = files.iter().map(|(path, _)| path).filter(is_ours);
    for path in ours.map(|path| directory.join(path)) {
        format(&path);
    }
    Ok(left_alone)
}

/// Formats a file of Rust, if there is a formatter: without one the code is as good, only less pretty. The formatter
/// is given the text alone, so that it does not go on into modules, which may be the user's.
fn format(path: &Path) {
    let Ok(file) = std::fs::File::open(path) else {
        return;
    };
    let mut rustfmt = Command::new("rustfmt");
    rustfmt
        .args(["--edition", "2024", "--quiet"])
        .stdin(file)
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let formatted = plainsong_children::spawn_group(&mut rustfmt);
    if let Ok(formatted) = formatted.and_then(plainsong_children::Guarded::output)
        && formatted.status.success()
    {
        // The file is there as it was, if this does not succeed.
        let _ = std::fs::write(path, formatted.stdout);
    }
}

/// The voices as source text.
pub fn text(projection: &Projection) -> String {
    plainsong_ir::print::song(&projection.song)
}

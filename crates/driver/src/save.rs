//! Files that a run leaves behind: traces, and reports of our own bugs.

use crate::contain::Crash;
use crate::plan::Request;
use crate::simulation::Execution;
use crate::{LoadedSong, Problem, Source};
use plainsong_report::trace_file::{Header, SavedTrace, hash, read, write};
use plainsong_report::{Answer, svg};
use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

/// `plainsong 0.1.0`.
pub const TOOL: &str = concat!("plainsong ", env!("CARGO_PKG_VERSION"));

/// Writes into one folder, never twice to the same file, and never over the trace of another song.
pub struct Saver {
    folder: PathBuf,
    used: BTreeSet<PathBuf>,
}

impl Saver {
    /// Into `folder`, which is made when the first file is written. Names of traces begin with the song's.
    pub fn new(folder: PathBuf) -> Self {
        Saver {
            folder,
            used: BTreeSet::new(),
        }
    }

    /// Saves the execution that refutes an answer's property and enters the path; nothing to do
    /// when there is none.
    pub fn trace(
        &mut self,
        source: &Source,
        request: &Request,
        answer: &mut Answer,
    ) -> Result<(), Problem> {
        let Some(saved) = refuting_execution(source, request, answer) else {
            return Ok(());
        };
        let property = &answer.verdict.property;
        let title = format!("{property}: {}", answer.verdict.reason);
        let path = self.execution(source, property, &title, &saved)?;
        answer.trace_path = Some(path.display().to_string());
        Ok(())
    }

    /// Saves an execution of a song, of this name, and its picture, and returns where.
    pub fn execution(
        &mut self,
        source: &Source,
        name: &str,
        title: &str,
        saved: &SavedTrace,
    ) -> Result<PathBuf, Problem> {
        let path = self.fresh(source, name, "trace");
        self.put(&path, &write(saved))?;
        self.put(&path.with_extension("svg"), &svg(title, &saved.trace))?;
        Ok(path)
    }

    /// Saves a rendering under a name of its own, and returns where.
    pub fn rendering(&mut self, name: &str, text: &str) -> Result<PathBuf, Problem> {
        let path = self.folder.join(name);
        self.put(&path, text)?;
        Ok(path)
    }

    /// Saves what is needed to understand a bug of ours and returns where.
    pub fn bug(
        &mut self,
        source: Option<&Source>,
        arguments: &[String],
        crash: &Crash,
    ) -> Result<PathBuf, Problem> {
        let mut number = 1;
        let path = loop {
            let path = self.folder.join(format!("plainsong-bug-{number}.txt"));
            if !path.exists() {
                break path;
            }
            number += 1;
        };
        let mut text = format!(
            "{TOOL}\narguments: {arguments:?}\npanic: {}\n",
            crash.message
        );
        text.push_str(&format!("\nbacktrace:\n{}\n", crash.backtrace));
        if let Some(source) = source {
            text.push_str(&format!("\nsong {}:\n{}", source.name, source.text));
        }
        self.put(&path, &text)?;
        Ok(path)
    }

    /// A path of this run's own: `commit.agreement.trace`, then `commit.agreement-2.trace`. One that a song of the
    /// same name in another folder has left there is passed over, too.
    fn fresh(&mut self, source: &Source, name: &str, extension: &str) -> PathBuf {
        let stem = format!("{}.{name}", stem(source));
        let mut path = self.folder.join(format!("{stem}.{extension}"));
        let mut number = 1;
        while is_of_another(&path, source) || !self.used.insert(path.clone()) {
            number += 1;
            path = self.folder.join(format!("{stem}-{number}.{extension}"));
        }
        path
    }

    fn put(&self, path: &Path, text: &str) -> Result<(), Problem> {
        let made = std::fs::create_dir_all(&self.folder);
        made.and_then(|()| replace(path, text)).map_err(|error| {
            Problem::new(format!("cannot write {}: {error}", path.display()))
                .help("choose another folder with `--out`")
        })
    }
}

/// Is there a trace of another song?
fn is_of_another(path: &Path, source: &Source) -> bool {
    let plain = |name: &str| -> PathBuf {
        let parts = Path::new(name).components();
        parts.filter(|part| *part != Component::CurDir).collect()
    };
    let saved = std::fs::read_to_string(path).ok();
    let saved = saved.and_then(|text| read(&text).ok());
    saved.is_some_and(|saved| plain(&saved.header.file) != plain(&source.name))
}

/// Writes a whole file or nothing: into a neighbour first, which then takes its place. An existing
/// file keeps its permissions, and a link keeps pointing where it does.
pub fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    replace_with(path, &mut |file| file.write_all(text.as_bytes()))
}

/// The same with whatever is written into the neighbour.
pub(crate) fn replace_with(
    path: &Path,
    write: &mut dyn FnMut(&mut dyn std::io::Write) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = target
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    builder.prefix(".plainsong-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    // The neighbour is nobody's business: its name is not part of what is said.
    let made = builder.tempfile_in(folder.unwrap_or(Path::new(".")));
    let mut file = made.map_err(|error| match folder {
        Some(folder) if error.kind() == ErrorKind::NotFound => {
            let message = format!("there is no folder `{}`", folder.display());
            std::io::Error::new(ErrorKind::NotFound, message)
        }
        _ => error.kind().into(),
    })?;
    write(&mut file)?;
    if let Ok(existing) = std::fs::metadata(&target) {
        file.as_file().set_permissions(existing.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(&target)?;
    #[cfg(unix)]
    if let Ok(folder) = std::fs::File::open(folder.unwrap_or(Path::new("."))) {
        // The new name outlives a power cut, too, where folders can be written down.
        let _ = folder.sync_all();
    }
    Ok(())
}

/// The execution that refutes an answer's property, ready to be saved or shown; nothing where there is none.
pub fn refuting_execution(
    source: &Source,
    request: &Request,
    answer: &Answer,
) -> Option<SavedTrace> {
    Some(SavedTrace {
        header: header(source, request, answer),
        trace: answer.verdict.trace.clone()?,
    })
}

/// A random execution, ready to be saved.
pub fn saved_execution(
    loaded: &LoadedSong,
    request: &Request,
    execution: &Execution,
    seed: u64,
) -> SavedTrace {
    let mut header = header_of(&loaded.source, request, &execution.bound);
    header.property.clone_from(&execution.line);
    header.seed = Some(seed);
    SavedTrace {
        header,
        trace: execution.trace.clone(),
    }
}

/// Where the trace of an answer comes from.
pub(crate) fn header(source: &Source, request: &Request, answer: &Answer) -> Header {
    let bound = match &answer.account {
        Some(account) if !account.bound.is_empty() => &account.bound,
        _ => &answer.verdict.bound,
    };
    let mut header = header_of(source, request, bound);
    header.property = Some(answer.verdict.property.clone());
    header
}

fn header_of(source: &Source, request: &Request, bound: &BTreeMap<String, String>) -> Header {
    let mut header = Header {
        tool: TOOL.to_owned(),
        file: source.name.clone(),
        hash: hash(&source.text),
        delivery: request.delivery.map(|delivery| delivery.name().to_owned()),
        ..Header::default()
    };
    for (name, value) in bound {
        match value.parse() {
            Ok(size) => {
                header.sizes.insert(name.clone(), size);
            }
            Err(_) => {
                header.limits.insert(name.clone(), value.clone());
            }
        }
    }
    header
}

fn stem(source: &Source) -> String {
    source
        .path
        .as_deref()
        .and_then(Path::file_stem)
        .map_or_else(
            || "stdin".to_owned(),
            |stem| stem.to_string_lossy().into_owned(),
        )
}

//! Files that a run leaves behind: traces, and reports of our own bugs.

use crate::contain::Crash;
use crate::plan::Request;
use crate::{Problem, Source};
use plainsong_report::Answer;
use plainsong_report::trace_file::{Header, SavedTrace, hash, write};
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// `plainsong 0.1.0`.
pub const TOOL: &str = concat!("plainsong ", env!("CARGO_PKG_VERSION"));

/// Writes into one folder and never twice to the same file.
pub struct Saver {
    folder: PathBuf,
    several_files: bool,
    used: BTreeSet<PathBuf>,
}

impl Saver {
    /// Into `folder`, which is made when the first file is written. With several songs, names of
    /// traces begin with the song's.
    pub fn new(folder: PathBuf, several_files: bool) -> Self {
        Saver {
            folder,
            several_files,
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
        let Some(trace) = &answer.verdict.trace else {
            return Ok(());
        };
        let saved = SavedTrace {
            header: header(source, request, answer),
            trace: trace.clone(),
        };
        let stem = match self.several_files {
            true => format!("{}.{}", stem(source), answer.verdict.property),
            false => answer.verdict.property.clone(),
        };
        let path = self.fresh(&stem, "trace");
        self.put(&path, &write(&saved))?;
        answer.trace_path = Some(path.display().to_string());
        Ok(())
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

    /// A path of this run's own: `agreement.trace`, then `agreement-2.trace`.
    fn fresh(&mut self, stem: &str, extension: &str) -> PathBuf {
        let mut path = self.folder.join(format!("{stem}.{extension}"));
        let mut number = 1;
        while !self.used.insert(path.clone()) {
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

/// Writes a whole file or nothing: into a neighbour first, which then takes its place. An existing
/// file keeps its permissions, and a link keeps pointing where it does.
pub fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = target
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    builder.prefix(".plainsong-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
    file.write_all(text.as_bytes())?;
    if let Ok(existing) = std::fs::metadata(&target) {
        file.as_file().set_permissions(existing.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(&target)?;
    Ok(())
}

pub(crate) fn header(source: &Source, request: &Request, answer: &Answer) -> Header {
    let mut header = Header {
        tool: TOOL.to_owned(),
        file: source.name.clone(),
        hash: hash(&source.text),
        property: Some(answer.verdict.property.clone()),
        delivery: request.delivery.map(|delivery| delivery.name().to_owned()),
        ..Header::default()
    };
    for (name, value) in &answer.verdict.bound {
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

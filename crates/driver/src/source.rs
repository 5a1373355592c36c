//! Source texts: from a file or from standard input, whole and readable, or a clear no.

use crate::Problem;
use plainsong_diagnostics::line_and_column;
use plainsong_report::Text;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Larger texts are refused: nobody writes them by hand, and places are 32-bit numbers.
pub const LARGEST: u64 = 32 * 1024 * 1024;

/// A text with the name the user knows it by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The path as written, or `<stdin>`.
    pub name: String,
    /// What it contains.
    pub text: String,
    /// Where it lies; nothing for standard input.
    pub path: Option<PathBuf>,
}

impl Source {
    /// Reads `path`; `-` is standard input.
    pub fn load(path: &Path) -> Result<Source, Problem> {
        if path == Path::new("-") {
            let text =
                read(std::io::stdin().lock()).map_err(|problem| problem.in_file("<stdin>"))?;
            return Ok(Source {
                name: "<stdin>".to_owned(),
                text,
                path: None,
            });
        }
        let name = path.display().to_string();
        let text = read_file(path).map_err(|problem| problem.in_file(&name))?;
        Ok(Source {
            name,
            text,
            path: Some(path.to_owned()),
        })
    }

    /// For rendering.
    pub fn text(&self) -> Text<'_> {
        Text {
            name: &self.name,
            text: &self.text,
        }
    }
}

/// The songs in a folder, in the order of their names.
pub fn songs_in(folder: &Path) -> Result<Vec<PathBuf>, Problem> {
    let entries = std::fs::read_dir(folder)
        .map_err(|error| Problem::new(format!("cannot look into {}: {error}", folder.display())))?;
    let mut songs: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.path().is_file())
        .map(|entry| PathBuf::from(entry.file_name()))
        .filter(|name| {
            name.extension()
                .is_some_and(|extension| extension == "song")
        })
        .collect();
    songs.sort();
    if songs.is_empty() {
        return Err(
            Problem::new("no files were named and there is no `.song` file here")
                .help("name the files to use, or start with `plainsong new demo`"),
        );
    }
    Ok(songs)
}

/// The songs that are named, and all below the folders that are named, in the order of their names. A folder without
/// any is refused; hidden folders and `target` are passed over.
pub fn songs_below(named: &[PathBuf]) -> Result<Vec<PathBuf>, Problem> {
    let mut songs = Vec::new();
    for path in named {
        songs.append(&mut below(path)?);
    }
    Ok(once(songs))
}

/// The same, where a folder without songs stands for itself: who reads it is told, and the other songs are there.
pub fn songs_or_folders(named: &[PathBuf]) -> Vec<PathBuf> {
    let songs = named
        .iter()
        .flat_map(|path| below(path).unwrap_or_else(|_| vec![path.clone()]));
    once(songs.collect())
}

fn below(path: &Path) -> Result<Vec<PathBuf>, Problem> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    collect(path, &mut found)?;
    if found.is_empty() {
        let problem = Problem::new("there is no `.song` file in this folder, nor below it");
        return Err(problem.in_file(path.display().to_string()));
    }
    found.sort();
    Ok(found)
}

fn once(mut songs: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut seen = std::collections::BTreeSet::new();
    songs.retain(|song| seen.insert(song.clone()));
    songs
}

fn collect(folder: &Path, songs: &mut Vec<PathBuf>) -> Result<(), Problem> {
    let cannot = |error: std::io::Error| {
        Problem::new(format!("cannot look into {}: {error}", folder.display()))
    };
    for entry in std::fs::read_dir(folder).map_err(cannot)? {
        let entry = entry.map_err(cannot)?;
        let path = entry.path();
        let name = entry.file_name();
        let name = name.to_string_lossy();
        // A link may lead back up.
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && !name.starts_with('.') && name != "target" {
            collect(&path, songs)?;
        } else if path.is_file() && path.extension().is_some_and(|end| end == "song") {
            let plain = path.strip_prefix("./").map_or(path.clone(), Path::to_owned);
            songs.push(plain);
        }
    }
    Ok(())
}

fn read_file(path: &Path) -> Result<String, Problem> {
    let metadata = std::fs::metadata(path).map_err(|error| cannot_open(path, &error))?;
    if metadata.is_dir() {
        let problem = below(path).err();
        let is_folder = || Problem::new("this is a folder, not a file").help(inside(path));
        return Err(problem.unwrap_or_else(is_folder));
    }
    let file = File::open(path).map_err(|error| cannot_open(path, &error))?;
    read(file)
}

fn read(reader: impl Read) -> Result<String, Problem> {
    let mut bytes = Vec::new();
    let cannot = |error: std::io::Error| Problem::new(format!("cannot be read: {error}"));
    reader
        .take(LARGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(cannot)?;
    if bytes.len() as u64 > LARGEST {
        let most = LARGEST / (1024 * 1024);
        return Err(Problem::new(format!(
            "this is larger than {most} MB, the most a song may be"
        )));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(&error.as_bytes()[..valid]);
        let at = line_and_column(&before, valid as u32);
        Problem::new(format!(
            "this is not UTF-8 text: line {}, column {} has a byte that means nothing",
            at.line, at.column
        ))
        .help("a song is plain text; is this the file you meant?")
    })
}

fn cannot_open(path: &Path, error: &std::io::Error) -> Problem {
    if error.kind() != ErrorKind::NotFound {
        return Problem::new(format!("cannot be opened: {error}"));
    }
    let problem = Problem::new("there is no such file");
    match neighbour(path) {
        Some(near) => problem.help(format!("did you mean `{}`?", near.display())),
        None => problem,
    }
}

/// A song in the same folder with nearly this name, where a song was meant.
fn neighbour(path: &Path) -> Option<PathBuf> {
    let wanted = path.file_stem()?.to_str()?;
    let is_meant = match path.extension() {
        Some(extension) => extension == "song",
        None => wanted.len() > 1,
    };
    if !is_meant {
        return None;
    }
    let folder = path.parent()?;
    let listed = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let songs = songs_in(listed).ok()?;
    let stems = songs.iter().filter_map(|song| song.file_stem()?.to_str());
    let near = plainsong_diagnostics::nearest(wanted, stems)?;
    Some(folder.join(format!("{near}.song")))
}

fn inside(folder: &Path) -> String {
    match songs_in(folder) {
        Ok(songs) => format!(
            "name the files in it: `{}`",
            folder.join(&songs[0]).display()
        ),
        Err(_) => match deeper(folder) {
            Some(deeper) => format!("name the files in it: `{}`", deeper.display()),
            None => "there is no `.song` file in it either".to_owned(),
        },
    }
}

/// Some songs in a folder of this folder: `songs/explore/*.song`.
fn deeper(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?;
    let mut folders: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    folders.sort();
    let mut with_songs = folders
        .into_iter()
        .filter(|path| path.is_dir() && songs_in(path).is_ok());
    Some(with_songs.next()?.join("*.song"))
}

//! The songs to choose from: examples that come with the studio, and those of the folder it was opened on.

use plainsong_driver::save::replace;
use plainsong_driver::source::songs_below;
use serde_json::{Value, json};
use std::path::{Component, Path, PathBuf};

/// Each is a protocol with a mistake to find, but for the last one.
const EXAMPLES: [(&str, &str); 5] = [
    ("lock.song", include_str!("examples/lock.song")),
    ("order.song", include_str!("examples/order.song")),
    ("lease.song", include_str!("examples/lease.song")),
    ("commit.song", include_str!("examples/commit.song")),
    ("peterson.song", include_str!("examples/peterson.song")),
];

/// What can be opened.
pub(crate) fn list(folder: Option<&Path>) -> Value {
    let examples: Vec<&str> = EXAMPLES.iter().map(|(name, _)| *name).collect();
    let below = folder.map(|folder| {
        let songs = songs_below(&[folder.to_owned()]).unwrap_or_default();
        let songs = songs
            .iter()
            .filter_map(|song| song.strip_prefix(folder).ok());
        let names: Vec<String> = songs.map(|song| song.display().to_string()).collect();
        names
    });
    json!({ "examples": examples, "folder": below })
}

/// The text of an example.
pub(crate) fn example(name: &str) -> Option<&'static str> {
    let found = EXAMPLES.iter().find(|(other, _)| *other == name);
    found.map(|(_, text)| *text)
}

/// A song of the folder: its text and its path.
pub(crate) fn read(folder: &Path, name: &str) -> Result<Value, String> {
    let path = within(folder, name)?;
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{name}: {error}"))?;
    Ok(json!({ "text": text, "path": path }))
}

/// Writes a song of the folder; the old text is there until the new one is.
pub(crate) fn save(folder: &Path, name: &str, text: &str) -> Result<(), String> {
    let path = within(folder, name)?;
    replace(&path, text).map_err(|error| format!("{name}: {error}"))
}

/// The path of a song of the folder, wherever links lead: nothing outside, and nothing that is no song.
fn within(folder: &Path, name: &str) -> Result<PathBuf, String> {
    let relative = Path::new(name);
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    if !relative.components().all(is_plain) || relative.extension().is_none_or(|end| end != "song")
    {
        return Err(format!("`{name}` is not the name of a song"));
    }
    let said = |error: std::io::Error| format!("{name}: {error}");
    let root = folder.canonicalize().map_err(said)?;
    let path = root.join(relative);
    let place = path
        .parent()
        .unwrap_or(&root)
        .canonicalize()
        .map_err(said)?;
    let real = path.canonicalize().unwrap_or_else(|_| path.clone());
    match place.starts_with(&root) && real.starts_with(&root) {
        true => Ok(path),
        false => Err(format!("`{name}` is not in this folder")),
    }
}

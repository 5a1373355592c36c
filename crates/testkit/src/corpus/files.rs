//! Where the songs are.

use std::io;
use std::path::{Path, PathBuf};

/// The root of the workspace.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

/// Every `.song` file of the corpus, relative to the [`root`], in alphabetical order.
pub fn files() -> io::Result<Vec<PathBuf>> {
    let root = root();
    let mut found = Vec::new();
    for folder in ["examples", "songs"] {
        collect(&root.join(folder), &mut found)?;
    }
    let mut relative: Vec<PathBuf> = found
        .iter()
        .filter_map(|path| path.strip_prefix(&root).ok())
        .map(Into::into)
        .collect();
    relative.sort();
    Ok(relative)
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in folder.read_dir()? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, found)?;
        } else if path
            .extension()
            .is_some_and(|extension| extension == "song")
        {
            found.push(path);
        }
    }
    Ok(())
}

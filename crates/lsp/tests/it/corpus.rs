//! Every song of the repository.

use std::path::{Path, PathBuf};

/// The songs below `songs` and `examples`, with their texts.
pub(crate) fn songs() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut open = vec![root.join("songs"), root.join("examples")];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of the repository") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|end| end == "song") {
                let text = std::fs::read_to_string(&path).expect("a song");
                found.push((path, text));
            }
        }
    }
    found.sort();
    assert!(found.len() > 800, "the corpus is there");
    found
}

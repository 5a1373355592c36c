//! Every query as a file that any solver reads, with the obligation in words on top.
//!
//! Files are named by query and content, so that the same run writes the same files whichever thread
//! comes first.

use crate::install::sha256;
use crate::query::Query;
use crate::script;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Writes a query into a folder; gives its file.
pub fn dump(query: &Query, folder: &Path) -> io::Result<PathBuf> {
    let text = script::for_people(query);
    let digest = sha256(text.as_bytes())?;
    fs::create_dir_all(folder)?;
    let path = folder.join(format!("{}-{}.smt2", slug(&query.name), &digest[..8]));
    fs::write(&path, text)?;
    Ok(path)
}

/// A name that every file system takes.
fn slug(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let slug: String = name.chars().take(80).map(plain).collect();
    let trimmed = slug.trim_matches('-');
    if trimmed.is_empty() { "query" } else { trimmed }.to_owned()
}

//! Is what lies in the cache what was fetched?
//!
//! A solver decides what is proved, and the cache is where anything may happen to it: so its content is compared
//! with a digest that is compiled in. Digests of some tens of megabytes in every run would be felt. So a stamp says
//! which file was found intact, by all that the system knows about it; its last change is among it, which nobody can set
//! back. The stamp is sealed with the user's key ([`seal`](crate::seal)), or there is none.

use super::digest::sha256;
use super::pinned::Content;
use crate::seal::SealKey;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// What stamps are sealed for.
const PURPOSE: &str = "plainsong solver 1";

/// Has what lies there this digest?
pub(super) fn is_intact(
    target: &Path,
    content: &Content,
    expected: &str,
    key: Option<&Path>,
) -> bool {
    let key = key.and_then(|key| SealKey::open(key).ok());
    let about = described(target).map(|text| format!("{expected}\n{text}"));
    if let (Some(key), Some(about)) = (&key, &about)
        && fs::read_to_string(stamp(target)).is_ok_and(|seal| key.fits(&seal, PURPOSE, about))
    {
        return true;
    }
    let is_intact = digest(target, content).is_ok_and(|digest| digest == expected);
    if let (Some(key), Some(about), true) = (key, about, is_intact) {
        // Without it the digest is made again.
        let _ = fs::write(stamp(target), key.seal(PURPOSE, &about));
    }
    is_intact
}

fn stamp(target: &Path) -> PathBuf {
    let mut name = target.as_os_str().to_owned();
    name.push(".stamp");
    name.into()
}

/// The digest of a program, or of the names and digests of all files in a folder.
fn digest(target: &Path, content: &Content) -> io::Result<String> {
    if let Content::Program(_) = content {
        return sha256(File::open(target)?);
    }
    let mut text = String::new();
    for path in entries(target)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        text.push_str(&format!("{name} {}\n", sha256(File::open(&path)?)?));
    }
    sha256(text.as_bytes())
}

fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut paths: Vec<PathBuf> = entries.collect::<io::Result<_>>()?;
    paths.sort();
    Ok(paths)
}

/// What the system knows about a file, or about all in a folder.
#[cfg(unix)]
fn described(target: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt as _;
    let one = |path: &Path| {
        let data = fs::symlink_metadata(path).ok()?;
        let (modified, changed) = (data.mtime_nsec(), data.ctime_nsec());
        Some(format!(
            "{} {} {} {} {}.{modified} {}.{changed}\n",
            path.display(),
            data.dev(),
            data.ino(),
            data.len(),
            data.mtime(),
            data.ctime(),
        ))
    };
    let mut text = one(target)?;
    if target.is_dir() {
        for path in entries(target).ok()? {
            text.push_str(&one(&path)?);
        }
    }
    Some(text)
}

/// Elsewhere files can be set back to any time.
#[cfg(not(unix))]
fn described(_target: &Path) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_has_the_digest_is_intact_with_and_without_a_key() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("solver");
        let key = folder.path().join("key");
        let program = Content::Program("");
        let right = sha256(&b"right"[..]).expect("a digest");
        for key in [None, Some(key.as_path())] {
            let ask = || is_intact(&target, &program, &right, key);
            fs::write(&target, "wrong").expect("it can be written");
            assert!(!ask());
            fs::write(&target, "right").expect("it can be written");
            assert!(ask() && ask());
            fs::write(&target, "wrong").expect("it can be written");
            assert!(!ask(), "the stamp is of another content");
            fs::write(&target, "right").expect("it can be written");
            assert!(ask());
            let stamped = fs::metadata(&target).and_then(|data| data.modified());
            fs::write(&target, "wrong").expect("it can be written");
            let file = File::options().write(true).open(&target).expect("a file");
            let time = stamped.expect("a time");
            file.set_modified(time).expect("it can be set back");
            assert!(!ask(), "as long and as old, and another content");
            fs::remove_file(&target).expect("it is there");
            assert!(!ask());
        }
    }

    #[test]
    fn a_folder_is_what_is_in_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("libraries");
        let content = Content::Folder("");
        fs::create_dir(&target).expect("a folder");
        fs::write(target.join("a"), "1").expect("it can be written");
        let one = digest(&target, &content).expect("a digest");
        assert!(is_intact(&target, &content, &one, None));
        fs::write(target.join("b"), "1").expect("it can be written");
        assert!(!is_intact(&target, &content, &one, None));
    }
}

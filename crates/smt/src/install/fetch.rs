//! From the package index into the cache.
//!
//! Only a package with the digest that is compiled in is opened, and only the one program in it is
//! taken. It gets its final name by a rename, so that a program that is there is complete; a lock
//! lets the second of two runs find what the first has fetched.

use super::{digest, pinned, pip};
use crate::cancel::Cancel;
use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Puts the pinned Z3 at `program`, inside `folder`.
pub(crate) fn z3(folder: &Path, program: &Path, cancel: &Cancel) -> Result<(), String> {
    let digest = pinned::z3_digest().ok_or("there is no package for this kind of machine")?;
    let said = |error: io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(said)?;
    let lock = File::create(folder.join("lock")).map_err(said)?;
    lock.lock().map_err(said)?;
    if program.exists() {
        return Ok(());
    }
    // In the same folder, so that a rename is enough.
    let scratch = tempfile::tempdir_in(folder).map_err(said)?;
    let package = pip::download(pinned::Z3_PACKAGE, scratch.path(), cancel)?;
    check(&package, digest)?;
    let unpacked = scratch.path().join("program");
    extract(&package, pinned::Z3_MEMBER, &unpacked)?;
    fs::rename(&unpacked, program).map_err(said)
}

fn check(package: &Path, expected: &str) -> Result<(), String> {
    let file = File::open(package).map_err(|error| error.to_string())?;
    let actual = digest::sha256(file).map_err(|error| error.to_string())?;
    if actual == expected {
        Ok(())
    } else {
        Err(format!(
            "the package has the digest {actual} instead of {expected}"
        ))
    }
}

/// The one member whose name ends so, as a program.
fn extract(package: &Path, member: &str, to: &Path) -> Result<(), String> {
    let broken = |error: &dyn std::fmt::Display| format!("the package cannot be opened: {error}");
    let file = File::open(package).map_err(|error| broken(&error))?;
    let mut archive = zip::ZipArchive::new(file).map_err(|error| broken(&error))?;
    for at in 0..archive.len() {
        let mut entry = archive.by_index(at).map_err(|error| broken(&error))?;
        if entry.name().is_ok_and(|name| name.ends_with(member)) {
            let mut out = File::create(to).map_err(|error| error.to_string())?;
            io::copy(&mut entry, &mut out).map_err(|error| broken(&error))?;
            return make_executable(&out).map_err(|error| error.to_string());
        }
    }
    Err("the program is not in the package".to_owned())
}

#[cfg(unix)]
fn make_executable(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_file: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    fn package(folder: &Path) -> std::path::PathBuf {
        let path = folder.join("p.whl");
        let mut zip = zip::ZipWriter::new(File::create(&path).expect("a file"));
        let options = zip::write::SimpleFileOptions::default();
        for name in ["x/readme", "x-1.data/data/bin/z3", "other/z3.txt"] {
            zip.start_file(name, options).expect("a member");
            zip.write_all(name.as_bytes()).expect("its text");
        }
        zip.finish().expect("an archive");
        path
    }

    #[test]
    fn only_the_program_is_taken() {
        let folder = tempfile::tempdir().expect("a folder");
        let to = folder.path().join("out");
        extract(&package(folder.path()), "data/bin/z3", &to).expect("it is there");
        assert_eq!(
            fs::read_to_string(&to).ok().as_deref(),
            Some("x-1.data/data/bin/z3")
        );
        assert!(extract(&package(folder.path()), "bin/cvc5", &to).is_err());
    }

    #[test]
    fn a_package_with_another_digest_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let package = package(folder.path());
        let digest = digest::sha256(File::open(&package).expect("a file")).expect("a digest");
        assert_eq!(check(&package, &digest), Ok(()));
        let refused = check(&package, pinned::z3_digest().unwrap_or("0"));
        assert!(refused.is_err_and(|why| why.contains("instead of")));
    }
}

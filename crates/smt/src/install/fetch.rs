//! From the package index into the cache.
//!
//! Only a package with the digest that is compiled in is opened, and only what is needed is taken out
//! of it. A program is tried, once. It gets its final name by a rename, so that what is there is complete
//! and works; a lock lets the second of two runs find what the first has fetched.

use super::pinned::{Content, Package};
use super::{digest, pip};
use crate::cancel::Cancel;
use crate::solver::Solver;
use std::fmt::Display;
use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Puts what a package holds at `target`, inside `folder`, unless it is there and intact.
pub(crate) fn fetch(
    package: &Package,
    folder: &Path,
    target: &Path,
    is_intact: &dyn Fn() -> bool,
    cancel: &Cancel,
) -> Result<(), String> {
    let said = |error: io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(said)?;
    let lock = File::create(folder.join("lock")).map_err(said)?;
    lock.lock().map_err(said)?;
    if target.exists() {
        if is_intact() {
            return Ok(());
        }
        remove(target).map_err(said)?;
    }
    // In the same folder, so that a rename is enough.
    let scratch = tempfile::tempdir_in(folder).map_err(said)?;
    let file = pip::download(package, scratch.path(), cancel)?;
    check(&file, package.digest)?;
    let unpacked = scratch.path().join("unpacked");
    match package.content {
        Content::Program(member) => {
            extract_program(&file, member, &unpacked)?;
            let ran = Solver::z3(&unpacked);
            ran.map_err(|error| format!("the program does not run on this machine: {error}"))?;
        }
        Content::Folder(below) => extract_folder(&file, below, &unpacked)?,
    }
    fs::rename(&unpacked, target).map_err(said)?;
    match is_intact() {
        true => Ok(()),
        false => Err("what was taken out of the package is not what is expected".to_owned()),
    }
}

/// Removes what was changed since it was fetched.
fn remove(target: &Path) -> io::Result<()> {
    match target.is_dir() {
        true => fs::remove_dir_all(target),
        false => fs::remove_file(target),
    }
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
fn extract_program(package: &Path, member: &str, to: &Path) -> Result<(), String> {
    let taken = extract(package, |name| {
        name.ends_with(member).then(|| to.to_owned())
    })?;
    if taken == 0 {
        return Err("the program is not in the package".to_owned());
    }
    make_executable(to).map_err(|error| error.to_string())
}

/// All files directly below a folder of the package.
fn extract_folder(package: &Path, below: &str, to: &Path) -> Result<(), String> {
    fs::create_dir(to).map_err(|error| error.to_string())?;
    let taken = extract(package, |name| {
        let rest = name.strip_prefix(below)?;
        let is_file = !rest.is_empty() && !rest.contains(['/', '\\']);
        is_file.then(|| to.join(rest))
    })?;
    match taken {
        0 => Err("the libraries are not in the package".to_owned()),
        _ => Ok(()),
    }
}

/// Writes every member that has a place; says how many.
fn extract(
    package: &Path,
    place: impl Fn(&str) -> Option<std::path::PathBuf>,
) -> Result<usize, String> {
    let broken = |error: &dyn Display| format!("the package cannot be opened: {error}");
    let file = File::open(package).map_err(|error| broken(&error))?;
    let mut archive = zip::ZipArchive::new(file).map_err(|error| broken(&error))?;
    let mut taken = 0;
    for at in 0..archive.len() {
        let mut entry = archive.by_index(at).map_err(|error| broken(&error))?;
        let Some(to) = entry.name().ok().and_then(|name| place(&name)) else {
            continue;
        };
        let mut out = File::create(to).map_err(|error| error.to_string())?;
        io::copy(&mut entry, &mut out).map_err(|error| broken(&error))?;
        taken += 1;
    }
    Ok(taken)
}

#[cfg(unix)]
fn make_executable(file: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(file, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_file: &Path) -> io::Result<()> {
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
        let names = [
            "x/readme",
            "x-1.data/data/bin/z3",
            "libs/a.so",
            "libs/b/c",
            "libs/d.so",
        ];
        for name in names {
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
        extract_program(&package(folder.path()), "data/bin/z3", &to).expect("it is there");
        assert_eq!(
            fs::read_to_string(&to).ok().as_deref(),
            Some("x-1.data/data/bin/z3")
        );
        assert!(extract_program(&package(folder.path()), "bin/cvc5", &to).is_err());
    }

    #[test]
    fn only_files_directly_below_a_folder_are_taken() {
        let folder = tempfile::tempdir().expect("a folder");
        let to = folder.path().join("out");
        extract_folder(&package(folder.path()), "libs/", &to).expect("they are there");
        let entries = fs::read_dir(&to).expect("a folder");
        let mut names: Vec<_> = entries
            .map(|entry| entry.expect("one").file_name())
            .collect();
        names.sort();
        assert_eq!(names, ["a.so", "d.so"]);
    }

    #[test]
    fn a_package_with_another_digest_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let package = package(folder.path());
        let digest = digest::sha256(File::open(&package).expect("a file")).expect("a digest");
        assert_eq!(check(&package, &digest), Ok(()));
        let refused = check(&package, &digest.replace('a', "b"));
        assert!(refused.is_err_and(|why| why.contains("instead of")));
    }
}

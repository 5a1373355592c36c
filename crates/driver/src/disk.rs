//! Files in the folder of `--disk`: each search has a folder of its own in it, which is made with the first file and removed with the
//! last. What a killed run leaves there may be deleted.

use plainsong_states::Scratch;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// How many folders this process has made.
static FOLDERS: AtomicU64 = AtomicU64::new(0);

/// The folder of one search.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    files: AtomicU64,
}

impl Folder {
    /// In this folder.
    pub(crate) fn new(disk: &Path) -> Folder {
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let name = format!("plainsong-states-{}-{number}", std::process::id());
        Folder {
            path: disk.join(name),
            files: AtomicU64::new(0),
        }
    }

    fn file(&self, number: u64) -> PathBuf {
        self.path.join(number.to_string())
    }
}

impl Scratch for Folder {
    fn create(&self) -> io::Result<(u64, Box<dyn Write>)> {
        let number = self.files.fetch_add(1, Ordering::Relaxed);
        fs::create_dir_all(&self.path)?;
        let file = File::create_new(self.file(number))?;
        Ok((number, Box::new(file)))
    }

    fn open(&self, number: u64) -> io::Result<Box<dyn Read>> {
        Ok(Box::new(File::open(self.file(number))?))
    }

    fn remove(&self, number: u64) {
        // A file that stays goes with its folder.
        let _ = fs::remove_file(self.file(number));
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed is left to the user, who chose the folder.
        let _ = fs::remove_dir_all(&self.path);
    }
}

//! The user's key, and message authentication codes (HMAC-SHA-256) for what lies in the cache.
//!
//! Statement. An entry of the cache counts only if its code fits: whoever made it had the key.
//!
//! Why. A cache is shared more freely than a verdict should be: it is restored from a build server's
//! storage, mounted into containers, cleaned by scripts. A digest tells an accident from an entry, but
//! whoever can write an entry can also write its digest. The key lies apart from the cache, in the user's
//! data folder, in a file that only the user may read; a copied cache without it is ignored.
//!
//! NOT COVERED. Somebody who runs programs as the user reads the key, and may as well replace this program.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::Path;
use std::sync::Arc;

/// How many bytes a key has.
const LENGTH: usize = 32;

/// A key. Its debug form does not show it.
#[derive(Clone)]
pub(crate) struct SealKey(Arc<[u8; LENGTH]>);

impl fmt::Debug for SealKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("SealKey")
    }
}

impl SealKey {
    /// The key in this file, which is made if there is none. The error says why it cannot be used, and what
    /// to do.
    pub(crate) fn open(path: &Path) -> Result<SealKey, String> {
        let read = match read(path) {
            Err(Trouble::NotThere) => make(path).and_then(|()| read(path)),
            read => read,
        };
        read.map_err(|trouble| {
            let path = path.display();
            match trouble {
                Trouble::NotThere => format!("{path} vanished while it was made"),
                Trouble::Broken(error) => format!("{path} cannot be used: {error}"),
                Trouble::Unfit(why) => {
                    format!("{path} {why}: delete it, and the next run makes another one")
                }
            }
        })
    }

    /// The code of an entry, as hexadecimal text. The purpose keeps entries of one kind from being taken for those of
    /// another.
    pub(crate) fn seal(&self, purpose: &str, text: &str) -> String {
        let code = self.code(purpose, text).finalize().into_bytes();
        crate::install::hex(&code)
    }

    /// Is this the code of the entry? Takes as long whatever the difference is.
    pub(crate) fn fits(&self, seal: &str, purpose: &str, text: &str) -> bool {
        let seal = bytes(seal);
        seal.is_some_and(|seal| self.code(purpose, text).verify_slice(&seal).is_ok())
    }

    fn code(&self, purpose: &str, text: &str) -> Hmac<Sha256> {
        let mut code =
            Hmac::<Sha256>::new_from_slice(&*self.0).expect("HMAC takes keys of any length");
        // With its length, so that no part of one can be taken for a part of the other.
        code.update(&(purpose.len() as u64).to_le_bytes());
        code.update(purpose.as_bytes());
        code.update(text.as_bytes());
        code
    }
}

/// Why there is no key.
enum Trouble {
    NotThere,
    Broken(io::Error),
    Unfit(String),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Trouble {
        match error.kind() {
            io::ErrorKind::NotFound => Trouble::NotThere,
            _ => Trouble::Broken(error),
        }
    }
}

fn read(path: &Path) -> Result<SealKey, Trouble> {
    let file = File::open(path)?;
    is_private(&file)?;
    let mut text = String::new();
    file.take(1_000).read_to_string(&mut text)?;
    let key = bytes(text.trim_end()).and_then(|key| key.try_into().ok());
    let key = key.ok_or_else(|| Trouble::Unfit("is no key".to_owned()))?;
    Ok(SealKey(Arc::new(key)))
}

/// A key that others can read, or have put there, is none.
#[cfg(unix)]
fn is_private(file: &File) -> Result<(), Trouble> {
    use std::os::unix::fs::MetadataExt as _;
    let data = file.metadata()?;
    if data.mode() & 0o077 != 0 {
        let mode = data.mode() & 0o777;
        let why = format!("is open to others (mode {mode:o}), so it is no secret");
        return Err(Trouble::Unfit(why));
    }
    if data.uid() != rustix::process::geteuid().as_raw() {
        return Err(Trouble::Unfit("belongs to another user".to_owned()));
    }
    Ok(())
}

/// Data folders of other systems are their users' own.
#[cfg(not(unix))]
fn is_private(_file: &File) -> Result<(), Trouble> {
    Ok(())
}

/// Makes a key, unless another run is faster.
fn make(path: &Path) -> Result<(), Trouble> {
    let folder = path.parent().unwrap_or(Path::new("."));
    private_folder(folder)?;
    let mut key = [0; LENGTH];
    getrandom::fill(&mut key).map_err(|error| Trouble::Broken(io::Error::other(error)))?;
    // Only its owner may read what `tempfile` makes.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    writeln!(file, "{}", crate::install::hex(&key))?;
    file.as_file().sync_all()?;
    match file.persist_noclobber(path) {
        Err(error) if error.error.kind() != io::ErrorKind::AlreadyExists => {
            Err(Trouble::Broken(error.error))
        }
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn private_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn private_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

/// What hexadecimal text stands for.
fn bytes(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) || !text.bytes().all(|one| one.is_ascii_hexdigit()) {
        return None;
    }
    let pairs = (0..text.len()).step_by(2);
    pairs
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Test case 2 of RFC 4231 has no purpose; ours puts eight bytes of length before it. So this compares with
    /// the construction itself, by hand: H((k ^ opad) | H((k ^ ipad) | text)).
    #[test]
    fn a_code_is_the_one_of_the_standard() {
        use sha2::Digest as _;
        let key = SealKey(Arc::new([7; LENGTH]));
        let padded = |with: u8| {
            let mut block = [with; 64];
            block[..LENGTH].iter_mut().for_each(|byte| *byte ^= 7);
            block
        };
        let mut inner = Sha256::new();
        inner.update(padded(0x36));
        inner.update(1_u64.to_le_bytes());
        inner.update(b"pabc");
        let mut outer = Sha256::new();
        outer.update(padded(0x5c));
        outer.update(inner.finalize());
        let expected = crate::install::hex(&outer.finalize());
        assert_eq!(key.seal("p", "abc"), expected);
    }

    #[test]
    fn a_seal_fits_its_own_text_only() {
        let folder = tempfile::tempdir().expect("a folder");
        let key = SealKey::open(&folder.path().join("one")).expect("a key");
        let other = SealKey::open(&folder.path().join("other")).expect("a key");
        let seal = key.seal("answer", "text");
        assert!(key.fits(&seal, "answer", "text"));
        assert!(!key.fits(&seal, "answer", "texts") && !key.fits(&seal, "answe", "rtext"));
        assert!(!other.fits(&seal, "answer", "text"));
        assert!(!key.fits(&seal[..62], "answer", "text") && !key.fits("", "answer", "text"));
        assert!(!key.fits("ä", "answer", "text"));
    }

    #[test]
    fn a_key_is_made_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("deep/inside/key");
        let seal = SealKey::open(&path).expect("a key").seal("p", "x");
        let again = SealKey::open(&path).expect("a key");
        assert!(again.fits(&seal, "p", "x"));
        assert!(!format!("{again:?}").contains(fs::read_to_string(&path).expect("text").trim()));
    }

    #[test]
    fn what_is_no_key_is_not_used() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("key");
        SealKey::open(&path).expect("a key");
        for text in ["", "00", "no key"] {
            fs::write(&path, text).expect("it can be written");
            let why = SealKey::open(&path).expect_err("no key");
            assert!(why.contains("is no key"), "{why}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_key_that_others_can_read_is_not_used() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("key");
        SealKey::open(&path).expect("a key");
        let mode = |mode| {
            let permissions = fs::Permissions::from_mode(mode);
            fs::set_permissions(&path, permissions).expect("a mode");
        };
        for open in [0o644, 0o640, 0o620, 0o604] {
            mode(open);
            let why = SealKey::open(&path).expect_err("no secret");
            assert!(why.contains("open to others"), "{why}");
        }
        mode(0o600);
        SealKey::open(&path).expect("a secret again");
    }
}

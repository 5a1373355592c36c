//! How a solver gets onto a machine that has none.
//!
//! Nobody should have to install one by hand, so the first query that needs it looks, in this order:
//!
//! 1. the program that the user named (`PLAINSONG_Z3`): if that does not work, nothing else is tried;
//! 2. the pinned version in the user's cache, if it is what was fetched (`intact.rs`);
//! 3. the pinned version from the Python package index, by `pip`, into that cache (`fetch.rs`);
//! 4. any `z3` on the search path: answers are as good, but not the same on every machine.
//!
//! The version is pinned because solvers differ, and because later ones were seen to give wrong
//! models. What needs no solver never comes here.

mod digest;
mod fetch;
mod intact;
mod pinned;
mod pip;

pub(crate) use digest::{hex, sha256};
pub use pinned::{PINNED_CVC5, PINNED_Z3};

use crate::cancel::Cancel;
use crate::solver::Solver;
use pinned::{Content, Package};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// After a failure nobody tries again so soon: a machine without network should not wait each time.
const PATIENCE: Duration = Duration::from_secs(3_600);

/// Where to look for a solver.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// The program that the user named.
    pub named: Option<PathBuf>,
    /// Where solvers and answers are kept; without it none is fetched.
    pub cache: Option<PathBuf>,
    /// The file of the key that seals what is kept, apart from the cache; without it nothing is kept.
    pub key: Option<PathBuf>,
}

/// Where a solver was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The user named it.
    Named,
    Pinned,
    /// It is on the search path.
    SearchPath,
}

/// A solver, and where it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub solver: Solver,
    /// Where it was.
    pub origin: Origin,
    /// Why it is not the pinned one, if it could have been.
    pub remark: Option<String>,
}

impl Places {
    /// As this user's environment has it: `PLAINSONG_Z3`, and the usual folders for caches and data.
    pub fn from_environment() -> Places {
        use etcetera::BaseStrategy as _;
        let base = etcetera::choose_base_strategy().ok();
        let cache = base.as_ref().map(|base| base.cache_dir().join("plainsong"));
        let key = base.map(|base| base.data_dir().join("plainsong").join("cache-key"));
        // Whoever may write the cache must not find the key in it.
        let is_apart = |key: &PathBuf| cache.as_ref().is_none_or(|cache| !key.starts_with(cache));
        Places {
            named: std::env::var_os("PLAINSONG_Z3").map(PathBuf::from),
            key: key.filter(is_apart),
            cache,
        }
    }

    /// Finds Z3, fetching it if need be; before that, `notice` is told. The error says what to do.
    pub fn z3(
        &self,
        attempt: Attempt,
        notice: &dyn Fn(&str),
        cancel: &Cancel,
    ) -> Result<Found, String> {
        if let Some(program) = &self.named {
            return named(program);
        }
        let pinned = self.pinned_z3(attempt, notice, cancel);
        let remark = match pinned {
            Ok(solver) => return Ok(found(solver, Origin::Pinned, None)),
            Err(remark) => remark,
        };
        match Solver::z3("z3") {
            Ok(solver) => Ok(found(solver, Origin::SearchPath, Some(remark))),
            Err(_) => Err(format!(
                "Z3 {PINNED_Z3} could not be fetched ({remark}), and there is no `z3` on the search path. \
                 Install Python with `pip`, or a `z3` of version 4.8.12 or later, \
                 or name one with PLAINSONG_Z3, then run `plainsong doctor`."
            )),
        }
    }

    /// Finds the libraries of cvc5, fetching them if need be.
    pub(crate) fn cvc5(
        &self,
        attempt: Attempt,
        notice: &dyn Fn(&str),
        cancel: &Cancel,
    ) -> Result<PathBuf, String> {
        let package = pinned::cvc5();
        self.pinned(package, "cvc5", PINNED_CVC5, attempt, notice, cancel)
    }

    fn pinned_z3(
        &self,
        attempt: Attempt,
        notice: &dyn Fn(&str),
        cancel: &Cancel,
    ) -> Result<Solver, String> {
        let package = pinned::z3();
        let program = self.pinned(package, "z3", PINNED_Z3, attempt, notice, cancel)?;
        Ok(Solver::pinned_z3(program))
    }

    /// Where the content of a package is, after it was fetched if need be.
    fn pinned(
        &self,
        package: Option<Package>,
        name: &str,
        version: &str,
        attempt: Attempt,
        notice: &dyn Fn(&str),
        cancel: &Cancel,
    ) -> Result<PathBuf, String> {
        let none = "there is no folder for caches on this machine";
        let folder = self.cache.as_ref().ok_or(none)?.join("solvers");
        let package = package.ok_or("there is no package for this kind of machine")?;
        let suffix = match package.content {
            Content::Program(_) => std::env::consts::EXE_SUFFIX,
            Content::Folder(_) => "",
        };
        let target = folder.join(format!("{name}-{version}{suffix}"));
        let is_intact = || {
            intact::is_intact(
                &target,
                &package.content,
                package.taken,
                self.key.as_deref(),
            )
        };
        if is_intact() {
            return Ok(target);
        }
        let failed = folder.join(format!("{name}-failure"));
        if attempt == Attempt::IfNotFailedLately && is_recent(&failed) {
            let why = fs::read_to_string(&failed).unwrap_or_default();
            return Err(format!("it failed a short time ago: {why}"));
        }
        let why = match target.exists() {
            true => "what lies in the cache was changed",
            false => "only this once",
        };
        notice(&format!("fetching {name} {version} (some 20 MB, {why})"));
        let fetched = fetch::fetch(&package, &folder, &target, &is_intact, cancel);
        // Only a hint for the next run.
        let _ = match &fetched {
            Ok(()) => fs::remove_file(&failed),
            Err(why) => fs::write(&failed, why),
        };
        fetched.map(|()| target)
    }
}

/// Whether to try again what failed a short time ago.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Attempt {
    /// Not if it failed within the last hour.
    #[default]
    IfNotFailedLately,
    /// Now.
    Always,
}

fn named(program: &Path) -> Result<Found, String> {
    match Solver::z3(program) {
        Ok(solver) => Ok(found(solver, Origin::Named, None)),
        Err(error) => Err(format!(
            "PLAINSONG_Z3 names {}, which does not work: {error}. Name another one, or unset it.",
            program.display()
        )),
    }
}

fn found(solver: Solver, origin: Origin, remark: Option<String>) -> Found {
    Found {
        solver,
        origin,
        remark,
    }
}

fn is_recent(file: &Path) -> bool {
    let modified = fs::metadata(file).and_then(|data| data.modified());
    modified.is_ok_and(|time| time.elapsed().is_ok_and(|age| age < PATIENCE))
}

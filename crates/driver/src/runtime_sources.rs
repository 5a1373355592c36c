//! The sources of `plainsong-runtime`, which generated crates carry with them: so they build from any
//! directory, without this repository.

macro_rules! file {
    ($path:literal) => {
        (
            $path,
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../runtime/", $path)),
        )
    };
}

/// Every file of the runtime's crate that a build needs, with its text.
pub(crate) const FILES: &[(&str, &str)] = &[
    file!("Cargo.toml"),
    file!("src/cast.rs"),
    file!("src/command.rs"),
    file!("src/error.rs"),
    file!("src/failure.rs"),
    file!("src/lib.rs"),
    file!("src/net.rs"),
    file!("src/oracle.rs"),
    file!("src/perform.rs"),
    file!("src/protocol.rs"),
    file!("src/sim.rs"),
    file!("src/sim/stage.rs"),
    file!("src/tally.rs"),
    file!("src/tcp.rs"),
    file!("src/tcp/batch.rs"),
    file!("src/tcp/clock.rs"),
    file!("src/tcp/connection.rs"),
    file!("src/tcp/frame.rs"),
    file!("src/tcp/given.rs"),
    file!("src/tcp/greeting.rs"),
    file!("src/tcp/inbox.rs"),
    file!("src/tcp/keeper.rs"),
    file!("src/tcp/link.rs"),
    file!("src/tcp/lobby.rs"),
    file!("src/tcp/meeting.rs"),
    file!("src/tcp/refusals.rs"),
    file!("src/tcp/tally.rs"),
    file!("src/threads.rs"),
    file!("src/value.rs"),
    file!("src/value/all.rs"),
    file!("src/value/bag.rs"),
    file!("src/value/map.rs"),
    file!("src/value/number.rs"),
    file!("src/value/quantify.rs"),
    file!("src/value/read.rs"),
    file!("src/value/seq.rs"),
    file!("src/value/set.rs"),
    file!("src/value/sizes.rs"),
];

#[cfg(test)]
mod tests {
    use super::FILES;
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    fn sources(under: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(under).expect("the runtime is there") {
            let path = entry.expect("it can be read").path();
            match path.is_dir() {
                true => sources(&path, found),
                false => found.push(path),
            }
        }
    }

    #[test]
    fn no_file_of_the_runtime_is_forgotten() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime");
        let mut found = vec![root.join("Cargo.toml")];
        sources(&root.join("src"), &mut found);
        let found: BTreeSet<String> = found
            .iter()
            .map(|path| path.strip_prefix(&root).expect("it lies in there"))
            .map(|path| path.display().to_string())
            .collect();
        let listed: BTreeSet<String> = FILES.iter().map(|(path, _)| (*path).to_owned()).collect();
        assert_eq!(listed, found);
    }
}

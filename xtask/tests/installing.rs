//! `install.sh` installs an archive whose checksum is right, and nothing else.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder of the test, removed at its end.
struct Stage(PathBuf);

impl Drop for Stage {
    fn drop(&mut self) {
        // What is left in the folder for temporary files harms nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Stage {
    /// With an archive as `cargo xtask dist` makes it, around a command that only greets.
    fn new(name: &str) -> Stage {
        let stage =
            Stage(std::env::temp_dir().join(format!("plainsong-{name}-{}", std::process::id())));
        let folder = stage.0.join("plainsong-0.1.0-any");
        for place in ["completions", "man"] {
            fs::create_dir_all(folder.join(place)).expect("a folder");
        }
        for (file, text) in [
            ("plainsong", "#!/bin/sh\necho greetings\n"),
            ("completions/plainsong.bash", "complete\n"),
            ("man/plainsong.1", ".TH\n"),
        ] {
            fs::write(folder.join(file), text).expect("written");
        }
        stage.sh("tar czf a.tar.gz plainsong-0.1.0-any && sha256sum a.tar.gz > a.tar.gz.sha256");
        stage
    }

    fn sh(&self, line: &str) -> Output {
        let ran = Command::new("sh")
            .current_dir(&self.0)
            .args(["-c", line])
            .output();
        ran.expect("a shell")
    }

    fn install(&self) -> Output {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../install.sh");
        let ran = Command::new("sh")
            .arg(script)
            .arg("a.tar.gz")
            .current_dir(&self.0)
            .env("PREFIX", self.0.join("prefix"))
            .output();
        ran.expect("a shell")
    }
}

#[test]
fn an_archive_is_installed_with_its_manual_and_completions() {
    let stage = Stage::new("whole");
    let ran = stage.install();
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let greeted = stage.sh("prefix/bin/plainsong");
    assert_eq!(String::from_utf8_lossy(&greeted.stdout), "greetings\n");
    let share = stage.0.join("prefix/share");
    assert!(share.join("man/man1/plainsong.1").is_file());
    assert!(
        share
            .join("bash-completion/completions/plainsong")
            .is_file()
    );
    // A second time is fine.
    assert!(stage.install().status.success());
}

#[test]
fn an_archive_with_a_wrong_checksum_is_refused() {
    let stage = Stage::new("changed");
    stage.sh("echo more >> a.tar.gz");
    let ran = stage.install();
    assert!(!ran.status.success());
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(
        said.contains("checksum") && said.contains("nothing was installed"),
        "{said}"
    );
    assert!(!stage.0.join("prefix").exists());
    fs::remove_file(stage.0.join("a.tar.gz.sha256")).expect("removed");
    assert!(!stage.install().status.success());
}

//! Files a run leaves behind.

use plainsong_driver::Source;
use plainsong_driver::contain::Crash;
use plainsong_driver::save::{Saver, replace};

#[test]
fn a_file_is_replaced_as_a_whole_and_nothing_else_is_left() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.song");
    replace(&path, "one").expect("written");
    replace(&path, "two").expect("written");
    assert_eq!(std::fs::read_to_string(&path).expect("read"), "two");
    assert_eq!(std::fs::read_dir(folder.path()).expect("listed").count(), 1);
}

#[cfg(unix)]
#[test]
fn permissions_and_links_stay() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let (path, link) = (
        folder.path().join("a.song"),
        folder.path().join("link.song"),
    );
    std::fs::write(&path, "one").expect("written");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).expect("set");
    std::os::unix::fs::symlink(&path, &link).expect("linked");
    replace(&link, "two").expect("written");
    assert_eq!(std::fs::read_to_string(&path).expect("read"), "two");
    assert_eq!(
        std::fs::metadata(&path)
            .expect("there")
            .permissions()
            .mode()
            & 0o777,
        0o640
    );
    assert!(
        std::fs::symlink_metadata(&link)
            .expect("there")
            .is_symlink()
    );
}

#[test]
fn a_bug_has_a_file_to_attach_and_never_overwrites_another() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let mut saver = Saver::new(out.clone());
    let source = Source {
        name: "a.song".to_owned(),
        text: "sort Db;".to_owned(),
        path: None,
    };
    let crash = Crash {
        message: "broken".to_owned(),
        backtrace: "deep".to_owned(),
    };
    let arguments = ["plainsong".to_owned(), "check".to_owned()];
    let first = saver
        .bug(Some(&source), &arguments, &crash)
        .expect("written");
    let second = saver.bug(None, &arguments, &crash).expect("written");
    assert_ne!(first, second);
    let text = std::fs::read_to_string(first).expect("read");
    for part in ["check", "broken", "deep", "a.song", "sort Db;"] {
        assert!(text.contains(part), "{part} is missing");
    }
}

//! Files of every kind.

use plainsong_driver::source::{LARGEST, songs_in};
use plainsong_driver::{Problem, Source};
use std::path::Path;

fn load(path: &Path) -> Result<Source, Problem> {
    Source::load(path)
}

#[test]
fn a_text_is_read_with_its_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.song");
    std::fs::write(&path, "sort Db; // é\n").expect("written");
    let source = load(&path).expect("it is text");
    assert_eq!(source.text, "sort Db; // é\n");
    assert_eq!(source.name, path.display().to_string());
}

#[test]
fn what_is_no_text_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = |path: &Path| load(path).expect_err("refused");
    let missing = refused(&folder.path().join("b.song"));
    assert_eq!(
        (missing.message.as_str(), missing.help),
        ("there is no such file", None)
    );
    std::fs::write(folder.path().join("a.song"), "").expect("written");
    let near = refused(&folder.path().join("b.song"))
        .help
        .expect("a near name");
    assert!(near.contains("a.song"), "{near}");
    let directory = refused(folder.path());
    assert_eq!(directory.message, "this is a folder, not a file");
    assert!(directory.help.expect("a file inside").contains("a.song"));
    let binary = folder.path().join("binary.song");
    std::fs::write(&binary, b"sort Db;\n\xff\xfe").expect("written");
    assert!(
        refused(&binary)
            .message
            .contains("not UTF-8 text: line 2, column 1")
    );
}

#[test]
fn a_text_that_is_too_large_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("large.song");
    let file = std::fs::File::create(&path).expect("made");
    file.set_len(LARGEST + 1).expect("sparse");
    assert!(
        load(&path)
            .expect_err("refused")
            .message
            .contains("larger than 32 MB")
    );
    file.set_len(LARGEST).expect("sparse");
    assert!(load(&path).is_ok());
}

#[test]
fn songs_in_a_folder_come_in_order() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(songs_in(folder.path()).is_err());
    for name in ["b.song", "a.song", "c.txt"] {
        std::fs::write(folder.path().join(name), "").expect("written");
    }
    let songs = songs_in(folder.path()).expect("two");
    assert_eq!(songs, [Path::new("a.song"), Path::new("b.song")]);
}

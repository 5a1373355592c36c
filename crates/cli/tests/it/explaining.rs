//! `explain`.

use crate::stage::Stage;

#[test]
fn every_code_has_an_explanation() {
    let stage = Stage::new();
    let list = stage.run(&["explain", "--list"]).exits(0).out;
    let codes: Vec<&str> = list
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(codes.len() >= 20, "{list}");
    for code in &codes {
        let ran = stage.run(&["explain", code]).exits(0);
        let (title, explanation) = ran
            .out
            .split_once("\n\n")
            .expect("a title and an explanation");
        assert!(title.starts_with(&format!("{code}: ")), "{title}");
        assert!(explanation.trim().len() > 20, "{code} is not explained");
    }
    assert!(codes.is_sorted() && codes.contains(&"unknown-name"));
}

#[test]
fn as_copied_from_the_terminal() {
    let stage = Stage::new();
    let plain = stage.run(&["explain", "unknown-name"]).exits(0).out;
    for copied in [
        "error[unknown-name]",
        "[unknown-name]",
        "error[unknown-name]:",
        "warning[unknown-name]",
    ] {
        assert_eq!(stage.run(&["explain", copied]).exits(0).out, plain);
    }
}

#[test]
fn an_unknown_code_has_near_ones() {
    let stage = Stage::new();
    let ran = stage.run(&["explain", "unknwon-name"]).exits(3);
    assert!(
        ran.err.contains("did you mean `unknown-name`"),
        "{}",
        ran.err
    );
    let ran = stage.run(&["explain", "zzzzzz"]).exits(3);
    assert!(ran.err.contains("plainsong explain --list"), "{}", ran.err);
}

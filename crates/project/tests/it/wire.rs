//! What generated programs have to agree on to talk, and which of their roles are connected.

use plainsong_project::rust::{Source, crate_of};
use plainsong_project::{Options, project};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::sizes::{Bounds, Sizes};
use std::sync::Arc;

/// `src/lib.rs` of the crate of the only choreography of a song.
fn root(text: &str) -> String {
    let compiled = plainsong_syntax::compile(text);
    let song = compiled
        .song
        .unwrap_or_else(|| panic!("{:?}\n{text}", compiled.diagnostics));
    let projection = project(&song, 0, &Options::default())
        .unwrap_or_else(|problems| panic!("{problems:?}\n{text}"));
    let voices = Arc::new(projection.song);
    let instances = Instance::all(Arc::clone(&voices), &Sizes::default(), &Bounds::default());
    let instances = instances.expect("there is an instance");
    let code = &song.lines[0].code;
    let parameters: Vec<String> = code.locals[..code.arity]
        .iter()
        .map(|param| param.name.clone())
        .collect();
    let source = Source {
        voices: &voices,
        name: &song.lines[0].name,
        parameters: &parameters,
        text,
        instance: &instances[0],
    };
    let files = crate_of(&source).expect("it can be said in Rust");
    let root = files.into_iter().find(|(path, _)| path == "src/lib.rs");
    root.expect("a crate has a root").1
}

/// The digest that the runtime compares.
fn hash(text: &str) -> String {
    let root = root(text);
    let from = root.find("const HASH").expect("it has a digest");
    root[from..]
        .split(';')
        .next()
        .unwrap_or_default()
        .to_owned()
}

fn bank(ensures: &str, body: &str) -> String {
    format!(
        "fn half(n: int) -> int ensures true {{ n / 2 }}\n\
         choreography bank(x: int) {{\n endpoint a {{ var v: int = x; }}\n endpoint b {{ var v: int = 0; }}\n \
         {ensures}\n {body}\n}}\n"
    )
}

/// A rolling update may strengthen contracts, and may not change a message.
#[test]
fn contracts_are_no_part_of_what_programs_agree_on() {
    let body = "for i in 0..2 { b.v = a.v; }";
    let plain = hash(&bank("", body));
    for (ensures, same) in [
        ("ensures b.v == x;", body),
        ("ensures b.v == x && a.v == x;", body),
        ("", "for i in 0..2 invariant a.v == x { b.v = a.v; }"),
        ("", "for i in 0..2 { b.v = a.v; assert b.v == a.v; }"),
    ] {
        assert_eq!(hash(&bank(ensures, same)), plain, "{ensures} {same}");
    }
    let stronger = bank("", body).replace("ensures true", "ensures 2 * result <= n");
    assert_eq!(hash(&stronger), plain);
    for other in [
        "for i in 0..3 { b.v = a.v; }",
        "for i in 0..2 { b.v = a.v + 1; }",
        "for i in 0..2 { b.v = half(a.v); }",
        "for i in 0..2 { b.v = a.v; a.v = b.v; }",
        "for i in 0..2 { b.v = a.v; } a.v = 0;",
    ] {
        assert_ne!(hash(&bank("", other)), plain, "{other}");
    }
}

/// In a star only the hub is linked; endpoints that never talk are linked with nobody.
#[test]
fn only_those_who_talk_are_linked() {
    let star = root(
        "sort S;\nchoreography star() {\n endpoint hub { var sum: int = 0; }\n \
         endpoint s[i: S] { var x: int = 1; }\n endpoint idle { var y: int = 0; }\n \
         for i in S { hub.sum = hub.sum + s[i].x; }\n idle.y = 1;\n}\n",
    );
    let links = "Ok(Some(vec![(roles.hub..roles.hub + 1, roles.s.clone())]))";
    assert!(star.contains(links), "{star}");
    let alone = root(
        "choreography alone() {\n endpoint a { var x: int = 0; }\n endpoint b { var x: int = 0; }\n \
         a.x = 1;\n b.x = 2;\n}\n",
    );
    assert!(alone.contains("Ok(Some(Vec::new()))"), "{alone}");
}

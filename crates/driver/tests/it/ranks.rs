//! Ranking certificates are accepted; with another measure they are not.

use plainsong_certificate::{OwnRank, RankWay, Ranks};
use plainsong_driver::certificate::Rechecked;
use plainsong_driver::rank_certificate::{RankCertificate, again, certificate};
use plainsong_driver::{LoadedSong, Source, song};
use plainsong_smt::Caching;
use std::collections::BTreeMap;
use std::path::Path;

fn load(name: &str) -> LoadedSong {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../songs/diverge");
    let source = Source::load(&folder.join(format!("{name}.song"))).expect("the song is there");
    let loaded = song::compile(source).map_err(|(_, crash)| crash);
    loaded.unwrap_or_else(|_| panic!("{name} compiles"))
}

fn certified(loaded: &LoadedSong) -> Option<RankCertificate> {
    let song = loaded.song.as_ref().expect("it has no errors");
    let text = certificate(song, &loaded.source, &Caching::default())?;
    Some(serde_json::from_str(&text).expect("it is read back"))
}

/// What is done, or why it is not accepted.
fn checked(loaded: &LoadedSong, certificate: &RankCertificate) -> Result<String, String> {
    let song = loaded.song.as_ref().expect("it has no errors");
    match again(song, &loaded.source, certificate).expect("there are instances") {
        (Rechecked::Accepted, told, _) => Ok(told),
        (Rechecked::NotCovered(why) | Rechecked::Refused(why), ..) => Err(why),
    }
}

#[test]
fn measures_are_shown_again_and_looked_at_along_steps() {
    for (name, is_looked_at) in [
        ("spanning-tree", true),
        ("breadth-first-search", true),
        ("flooding-with-a-time-to-live", true),
        ("rumour-with-hops", false),
    ] {
        let loaded = load(name);
        let found = certified(&loaded).unwrap_or_else(|| panic!("{name} has a measure"));
        let told = checked(&loaded, &found).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert!(
            told.contains("shown again for every size"),
            "{name}: {told}"
        );
        assert_eq!(told.contains("looked at"), is_looked_at, "{name}: {told}");
    }
}

#[test]
fn other_measures_are_refused() {
    let loaded = load("spanning-tree");
    let found = certified(&loaded).expect("it has a measure");
    let own = |variable: &str, way: RankWay| {
        let variable = variable.to_owned();
        let rank = OwnRank { variable, way };
        Ranks::Own(BTreeMap::from([("node".to_owned(), rank)]))
    };
    for (decreases, why) in [
        (Ranks::Payload, "does not make less"),
        (own("parent", RankWay::Less), "is not measured in this way"),
        (own("children", RankWay::Filled), "does not make less"),
        (Ranks::Declared, "not proved again"),
        (Ranks::Own(BTreeMap::new()), "does not make less"),
    ] {
        let forged = RankCertificate {
            decreases,
            ..found.clone()
        };
        let refused = checked(&loaded, &forged).expect_err("it is another measure");
        assert!(refused.contains(why), "{refused}");
    }
    let other = load("spanning-tree-adopts-by-message");
    let refused = checked(&other, &found).expect_err("it is another song");
    assert!(refused.contains("not the one"), "{refused}");
}

/// What nobody declared is written into the song, which is otherwise the same.
#[test]
fn measures_that_were_supposed_are_written_down() {
    for name in [
        "barrier",
        "echo-wave",
        "queries-are-answered",
        "phases-move-on",
        "work-is-acknowledged",
    ] {
        let loaded = load(name);
        let found = certified(&loaded).unwrap_or_else(|| panic!("{name} has a measure"));
        let told = checked(&loaded, &found).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert!(
            told.contains("shown again for every size"),
            "{name}: {told}"
        );
    }
    let loaded = load("barrier");
    let found = certified(&loaded).expect("it has a measure");
    let Ranks::Written(text) = &found.decreases else {
        panic!("nothing is declared in the song");
    };
    let without: Vec<&str> = text
        .lines()
        .filter(|one| !one.contains("  decreases"))
        .collect();
    for (text, why) in [
        (without.join("\n"), "not proved again"),
        (text.replace("round < ROUNDS", "round < 1"), "another song"),
        (
            text.replace("send Arrive to server", "maybe { send Arrive to server; }"),
            "another song",
        ),
    ] {
        let forged = RankCertificate {
            decreases: Ranks::Written(text),
            ..found.clone()
        };
        let refused = checked(&loaded, &forged).expect_err("it is another text");
        assert!(refused.contains(why), "{refused}");
    }
}

#[test]
fn what_diverges_has_no_certificate() {
    assert!(certified(&load("spanning-tree-adopts-by-message")).is_none());
    assert!(certified(&load("rumour-with-hops-is-never-done")).is_none());
}

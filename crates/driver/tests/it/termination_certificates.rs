//! Termination certificates are accepted; with anything changed that matters they are not.

use plainsong_certificate::{Executions, Reason, Windows, hash};
use plainsong_diverge::Fairness;
use plainsong_driver::certificate::Rechecked;
use plainsong_driver::termination_certificate::{
    Asked, TerminationCertificate, again, certificate,
};
use plainsong_driver::{LoadedSong, Source, song};
use plainsong_ir::Delivery;
use plainsong_semantics::sizes::Bounds;
use std::path::Path;

/// Songs that terminate, and which executions are meant.
const SONGS: [(&str, Fairness); 8] = [
    ("spanning-tree", Fairness::Any),
    ("spanning-tree-adopts-by-message", Fairness::Fair),
    ("everybody-is-told-to-stop", Fairness::Fair),
    ("flooding-remembers-what-it-saw", Fairness::Any),
    ("flooding-with-a-time-to-live", Fairness::Any),
    ("retry-for-ever", Fairness::Fair),
    ("snapshot-markers", Fairness::Any),
    ("heartbeat-until-stopped", Fairness::Fair),
];

fn load(name: &str) -> LoadedSong {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../songs/diverge");
    let source = Source::load(&folder.join(format!("{name}.song"))).expect("the song is there");
    let loaded = song::compile(source).map_err(|(_, crash)| crash);
    loaded.unwrap_or_else(|_| panic!("{name} compiles"))
}

/// The certificate of the largest instance that is looked at when no sizes are given: three of each sort.
fn certified(loaded: &LoadedSong, fairness: Fairness) -> Option<TerminationCertificate> {
    let song = loaded.song.as_ref().expect("it has no errors");
    let asked = Asked {
        fairness: Some(fairness),
        ..Asked::default()
    };
    let text = certificate(song, &loaded.source, &asked);
    let text = text.unwrap_or_else(|problem| panic!("{}", problem.message));
    Some(serde_json::from_str(&text.ok()?).expect("it is read back"))
}

/// Why a certificate is not accepted, if it is not.
fn refusal(loaded: &LoadedSong, certificate: &TerminationCertificate) -> Option<String> {
    let song = loaded.song.as_ref().expect("it has no errors");
    match again(song, &loaded.source, certificate).0 {
        Rechecked::Accepted => None,
        Rechecked::NotCovered(why) | Rechecked::Refused(why) => Some(why),
    }
}

/// What is said of a certificate that is accepted.
fn claim(loaded: &LoadedSong, certificate: &TerminationCertificate) -> (String, Vec<String>) {
    assert_eq!(refusal(loaded, certificate), None);
    let song = loaded.song.as_ref().expect("it has no errors");
    let (_, claim, notes) = again(song, &loaded.source, certificate);
    (claim, notes.iter().map(ToString::to_string).collect())
}

fn is_accepted(loaded: &LoadedSong, certificate: &TerminationCertificate) -> bool {
    refusal(loaded, certificate).is_none()
}

/// Every song with its certificate.
fn all() -> impl Iterator<Item = (&'static str, Fairness, LoadedSong, TerminationCertificate)> {
    SONGS.into_iter().map(|(name, fairness)| {
        let loaded = load(name);
        let found = certified(&loaded, fairness);
        let found = found.unwrap_or_else(|| panic!("{name} is counted"));
        (name, fairness, loaded, found)
    })
}

#[test]
fn what_was_counted_is_accepted() {
    for (name, _, loaded, found) in all() {
        assert_eq!(refusal(&loaded, &found), None, "{name}");
    }
}

#[test]
fn a_certificate_with_a_strike_left_out_is_refused() {
    let (mut tried, mut refused) = (0, 0);
    for (_, _, loaded, whole) in all() {
        for at in 0..whole.strikes.len() {
            let mut less = whole.clone();
            less.strikes.remove(at);
            tried += 1;
            refused += usize::from(!is_accepted(&loaded, &less));
        }
    }
    // Now and then a later strike does the work of the one left out.
    assert!(
        tried > 10 && refused * 10 > tried * 8,
        "{refused} of {tried}"
    );
}

#[test]
fn numbers_turned_round_are_refused() {
    for (name, _, loaded, whole) in all() {
        for at in 0..whole.strikes.len() {
            let mut turned = whole.clone();
            let Reason::Ranked {
                potentials,
                weights,
            } = &mut turned.strikes[at].reason
            else {
                continue;
            };
            let most = potentials.values().chain(weights.values()).max();
            let most = *most.expect("there are numbers");
            let numbers = potentials.values_mut().chain(weights.values_mut());
            numbers.for_each(|one| *one = most - *one);
            assert!(!is_accepted(&loaded, &turned), "{name}, strike {at}");
        }
    }
}

#[test]
fn what_is_said_of_fair_executions_is_not_said_of_all() {
    for (name, fairness, loaded, mut whole) in all() {
        whole.executions = Executions::Any;
        let is_for_all = fairness == Fairness::Any;
        assert_eq!(is_accepted(&loaded, &whole), is_for_all, "{name}");
    }
}

#[test]
fn what_was_sent_before_may_be_ignored_by_those_fair_to_what_is_sent_again() {
    let loaded = load("heartbeat-until-stopped");
    assert!(certified(&loaded, Fairness::Resent).is_none());
    let mut whole = certified(&loaded, Fairness::Fair).expect("it is counted");
    whole.executions = Executions::Resent;
    assert!(!is_accepted(&loaded, &whole));
}

#[test]
fn a_certificate_of_another_song_or_size_is_refused() {
    let (good, broken) = (
        load("spanning-tree"),
        load("spanning-tree-adopts-by-message"),
    );
    let found = certified(&good, Fairness::Any).expect("it is counted");
    assert!(!is_accepted(&broken, &found));
    let mut larger = found.clone();
    larger.sizes.insert("Node".to_owned(), 4);
    assert!(!is_accepted(&good, &larger));
    let forged = TerminationCertificate {
        hash: hash(&broken.source.text),
        ..found
    };
    assert!(!is_accepted(&broken, &forged));
}

/// The certificate of a song within some windows, if there is one.
fn within(loaded: &LoadedSong, nat: i64) -> Option<TerminationCertificate> {
    let song = loaded.song.as_ref().expect("it has no errors");
    let asked = Asked {
        bounds: Bounds {
            nat,
            ..Bounds::default()
        },
        ..Asked::default()
    };
    let text = certificate(song, &loaded.source, &asked).expect("it is one instance");
    Some(serde_json::from_str(&text.ok()?).expect("it is read back"))
}

#[test]
fn a_certificate_says_through_which_windows_was_looked() {
    for name in [
        "a-patience-that-is-chosen",
        "a-patience-that-is-chosen-has-a-weak-spot",
    ] {
        let loaded = load(name);
        let found = within(&loaded, 3).expect("up to 3 it is counted");
        let (said, _) = claim(&loaded, &found);
        assert_eq!(said, "every execution with nat=0..=3 terminates", "{name}");
        let silent = TerminationCertificate {
            windows: Windows::default(),
            ..found.clone()
        };
        let why = refusal(&loaded, &silent).expect("it does not say what was tried");
        assert!(why.contains("which of infinitely many values"), "{why}");
        for nat in [4, -1] {
            let mut other = found.clone();
            other.windows.nat = Some(nat);
            assert!(refusal(&loaded, &other).is_some(), "{name}, nat={nat}");
        }
    }
    let broken = load("a-patience-that-is-chosen-has-a-weak-spot");
    assert!(within(&broken, 7).is_none());
    let wide = within(&load("a-patience-that-is-chosen"), 7).expect("it is counted");
    assert_eq!(wide.windows.nat, Some(7));
}

#[test]
fn processes_that_crash_and_restart_have_names_of_their_own() {
    let loaded = load("spanning-tree-with-a-crash");
    let found = certified(&loaded, Fairness::Any).expect("it is counted");
    let (said, _) = claim(&loaded, &found);
    assert_eq!(said, "every execution with Node=3 terminates");
    let broken = load("spanning-tree-with-a-crash-forgets");
    assert!(certified(&broken, Fairness::Any).is_none());
}

#[test]
fn what_is_trusted_and_what_fails_is_said() {
    let loaded = load("a-patience-that-is-chosen-is-trusted");
    let found = certified(&loaded, Fairness::Any).expect("it is counted");
    let (_, notes) = claim(&loaded, &found);
    assert!(notes[0].contains("`assume k < 3` is trusted"), "{notes:?}");
    assert!(notes[1].contains("fails ends there"), "{notes:?}");
}

#[test]
fn bodies_are_named_by_where_they_stand() {
    let loaded = load("bodies-ask-a-server");
    let found = certified(&loaded, Fairness::Any).expect("it is counted");
    let (said, _) = claim(&loaded, &found);
    assert_eq!(said, "every execution with Client=3 terminates");
    let mut weaker = found.clone();
    weaker.strikes.pop();
    let why = refusal(&loaded, &weaker).expect("something is not struck out");
    assert!(why.contains("may happen for ever"), "{why}");
    for broken in ["bodies-ask-a-server-again", "bodies-pass-a-token"] {
        let broken = load(broken);
        let song = broken.song.as_ref().expect("it has no errors");
        let answer = certificate(song, &broken.source, &Asked::default());
        assert!(!matches!(answer, Ok(Ok(_))), "{answer:?}");
    }
}

#[test]
fn states_without_names_of_their_own_have_no_certificate() {
    let loaded = load("bodies-ask-a-server");
    let song = loaded.song.as_ref().expect("it has no errors");
    let asked = Asked {
        delivery: Some(Delivery::Causal),
        ..Asked::default()
    };
    let answer = certificate(song, &loaded.source, &asked);
    let why = answer
        .expect("it is one instance")
        .expect_err("messages carry their past");
    assert!(why.contains("have the same name"), "{why}");
}

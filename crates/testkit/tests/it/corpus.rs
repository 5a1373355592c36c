//! The corpus runner notices whatever a song gets wrong about itself, and can mend it.

use plainsong_testkit::corpus::{bless, examine, files};

const RACE: &str = "\
// What: two senders race for two receives.
// expect check(Sender=2): holds
// expect explore(Sender=2): executions = 2, blocked = 0
// expect states(Sender=1): 4

sort Sender;

message Token;

process sender[s: Sender] {
    send Token to receiver;
}

process receiver {
    for s in Sender {
        receive Token from any sender;
    }
}
";

const REJECTED: &str = "\
// What: a slip.

process p {
    let n = m;
    //      ^ error[unknown-name]
    assert n == 0;
}
";

fn problems(text: &str) -> String {
    examine(text)
        .iter()
        .map(|problem| format!("{problem}\n"))
        .collect()
}

#[test]
fn a_song_that_is_right_has_no_problems() {
    assert_eq!(problems(&bless(RACE).unwrap()), "");
    assert_eq!(problems(REJECTED), "");
}

#[test]
fn whatever_is_wrong_is_noticed() {
    let race = bless(RACE).unwrap();
    for (from, to, noticed) in [
        ("executions = 2", "executions = 3", "line 3: expected"),
        ("blocked = 0", "blocked = 1", "line 3: expected"),
        (
            "check(Sender=2): holds",
            "check(Sender=2): no_deadlock refuted",
            "should be refuted",
        ),
        (
            "check(Sender=2): holds",
            "check(Sender=2): nothing holds",
            "no verdict for `nothing`",
        ),
        ("check(Sender=2)", "check(Sander=2)", "Sander"),
        (
            "states(Sender=1): ",
            "states(Sender=1): 1",
            "line 4: expected",
        ),
        ("// What: two", "// Two", "`// What: …`"),
        ("from any sender;", "from  any sender;", "not formatted"),
        (
            "receive Token from any sender;",
            "receive Token from any sender; let x = 1;",
            "unused-local",
        ),
        ("any sender;", "sender;", "family-index"),
    ] {
        assert!(race.contains(from), "{from}");
        let broken = race.replace(from, to);
        let found = problems(&broken);
        assert!(found.contains(noticed), "{from} -> {to}:\n{found}");
    }
}

#[test]
fn marks_must_match_exactly() {
    for (from, to, noticed) in [
        (
            "    //      ^ error[unknown-name]\n",
            "",
            "not expected: Error unknown-name",
        ),
        (
            "unknown-name",
            "unknown-nome",
            "did not come: Error unknown-nome",
        ),
        ("error[", "warning[", "did not come: Warning"),
        ("  ^ ", " ^ ", "did not come"),
        ("  ^ ", "  ^^ ", "did not come"),
        (
            "name]",
            "name] \"something else\"",
            "saying \"something else\"",
        ),
        (
            "What: a slip.\n",
            "What: a slip.\n// expect check: holds\n",
            "nothing can be asked",
        ),
    ] {
        assert!(REJECTED.contains(from), "{from}");
        let found = problems(&REJECTED.replacen(from, to, 1));
        assert!(found.contains(noticed), "{from} -> {to}:\n{found}");
    }
}

#[test]
fn a_song_must_expect_something() {
    let silent = "// What: nothing.\n\nprocess p {}\n";
    assert!(problems(silent).contains("nothing is expected"));
}

#[test]
fn blessing_mends_numbers_verdicts_and_marks_and_nothing_else() {
    let race = bless(RACE).unwrap();
    let broken = race
        .replace("executions = 2", "executions = 9")
        .replace(": holds", ": no_deadlock refuted");
    assert_eq!(bless(&broken).unwrap(), race);
    let unmarked = REJECTED.replace("    //      ^ error[unknown-name]\n", "");
    assert_eq!(bless(&unmarked).unwrap(), REJECTED);
    assert_eq!(
        bless(&race).unwrap(),
        race,
        "blessing what is right changes nothing"
    );
}

#[test]
fn the_corpus_has_all_its_folders() {
    let files = files().expect("the corpus lies beside the crates");
    let count = |folder: &str| files.iter().filter(|file| file.starts_with(folder)).count();
    for (folder, least) in [
        ("examples", 8),
        ("songs/language", 50),
        ("songs/explore", 40),
        ("songs/sequentialize", 40),
        ("songs/diverge", 20),
        ("songs/liveness", 15),
        ("songs/refine", 18),
        ("songs/project", 8),
        ("songs/rejected", 30),
    ] {
        assert!(count(folder) >= least, "{folder}: {}", count(folder));
    }
}

//! The table of exit codes.

use crate::songs;
use crate::stage::Stage;

#[test]
fn fine_is_zero() {
    let ran = Stage::with(songs::FINE).run(&["check", "a.song"]).exits(0);
    assert!(ran.out.contains("proved     all_done"), "{}", ran.out);
    assert!(ran.out.ends_with("3 fine.\n"), "{}", ran.out);
    assert_eq!(ran.err, "");
    let bounded = ["check", "a.song", "--size", "Client=2"];
    let ran = Stage::with(songs::FINE).run(&bounded).exits(0);
    assert!(ran.out.contains("holds      all_done"), "{}", ran.out);
    assert!(
        !ran.out.contains("proved"),
        "a bounded answer is never called a proof: {}",
        ran.out
    );
}

#[test]
fn refuted_is_one() {
    let stage = Stage::with(songs::RACE);
    let ran = stage.run(&["check", "a.song"]).exits(1);
    assert!(ran.out.contains("REFUTED    same"), "{}", ran.out);
    assert!(ran.out.contains("1 refuted, 3 fine."), "{}", ran.out);
    Stage::with(songs::DEADLOCK)
        .run(&["check", "a.song"])
        .exits(1);
    Stage::with(songs::ASSERTION)
        .run(&["check", "a.song"])
        .exits(1);
    Stage::with(songs::ACTIONS)
        .run(&["check", "a.song"])
        .exits(1);
}

/// Of a choreography, too, whatever is asked; and its execution can be taken again.
#[test]
fn a_refuted_property_of_a_choreography_is_one() {
    let stage = Stage::with(
        "choreography copy(x: int) {
    endpoint a {
        var v: int = x;
    }
    endpoint b {
        var v: int = 0;
    }
    b.v = a.v;
    assert b.v != 1;
}

property nothing: finally b.v == 0;
",
    );
    for verb in ["prove", "check"] {
        let ran = stage.run(&[verb, "a.song"]).exits(1);
        assert!(ran.out.contains("REFUTED    nothing"), "{}", ran.out);
        assert!(ran.out.contains("REFUTED    assertions"), "{}", ran.out);
        assert_eq!(ran.err, "");
    }
    for trace in ["out/a.nothing.trace", "out/a.assertions.trace"] {
        let ran = stage.run(&["replay", trace]).exits(1);
        assert_eq!(ran.err, "");
    }
}

/// Too many executions of processes that are alike: it says what else could be tried.
#[test]
fn unknown_names_what_helps() {
    let stage = Stage::with(
        "sort S;
        message T;
        process s[i: S] { send T to r; }
        process r { for k in S { receive T from any s; } }",
    );
    let few = [
        "explore",
        "a.song",
        "--size",
        "S=7",
        "--bound",
        "states=300",
    ];
    let ran = stage.run(&few).exits(2);
    assert!(
        ran.out.contains("one S is like another: --symmetry"),
        "{}",
        ran.out
    );
    let ran = stage.run(&[&few[..], &["--symmetry"]].concat()).exits(0);
    assert!(!ran.out.contains("is like another"), "{}", ran.out);
}

/// A result that nobody can read is not fine.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_three() {
    let full = || std::fs::File::create("/dev/full").expect("there is one");
    for arguments in [&["check", "a.song"][..], &["check", "--json", "a.song"]] {
        let stage = Stage::with(songs::FINE);
        let mut command = stage.command(arguments);
        let output = command.stdout(full()).output().expect("it runs");
        assert_eq!(output.status.code(), Some(3));
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(complaint.contains("cannot be written"), "{complaint}");
    }
}

#[test]
fn unknown_is_two() {
    let stage = Stage::with(songs::ENDLESS);
    let ran = stage
        .run(&["check", "a.song", "--bound", "states=1000"])
        .exits(2);
    assert!(
        ran.out.contains("limit on states: --bound states=1000"),
        "{}",
        ran.out
    );
    let ran = stage.run(&["check", "a.song", "--timeout", "1.5"]).exits(2);
    assert!(
        ran.out
            .contains(" s); see --timeout (nothing wrong in the first"),
        "{}",
        ran.out
    );
    let ran = Stage::with(songs::BY_ANOTHER)
        .run(&["check", "a.song"])
        .exits(2);
    assert!(
        ran.out
            .contains("refine: it answers for declared movers, procedures and schedules"),
        "{}",
        ran.out
    );
}

#[test]
fn refuted_beats_unknown() {
    let song = songs::ENDLESS.replace("1000000000", "3");
    let song = format!("{song}property natural by states: always clock.n >= 0;\n");
    let ran = Stage::with(&song)
        .run(&["check", "a.song", "--bound", "states=1000"])
        .exits(1);
    assert!(
        ran.out.contains("1 refuted, 1 unknown, 2 fine."),
        "{}",
        ran.out
    );
}

#[test]
fn an_empty_file_among_others_is_named() {
    let stage = Stage::with("// Nothing yet.\n");
    stage.write("b.song", songs::FINE);
    let ran = stage.run(&["check", "a.song", "b.song"]).exits(3);
    assert!(
        ran.err.contains("a.song: there is nothing to check"),
        "{}",
        ran.err
    );
    assert!(ran.out.contains("b.song\n"), "{}", ran.out);
    assert!(
        ran.out.ends_with("1 file rejected, 3 fine.\n"),
        "{}",
        ran.out
    );
}

#[test]
fn rejected_is_three_and_the_other_files_are_still_checked() {
    let stage = Stage::with(songs::SLIP);
    stage.write("b.song", songs::FINE);
    let ran = stage.run(&["check", "a.song", "b.song"]).exits(3);
    assert!(ran.err.contains("error[unknown-name]"), "{}", ran.err);
    assert!(ran.out.contains("b.song\n"), "{}", ran.out);
    assert!(
        ran.out.ends_with("1 file rejected, 3 fine.\n"),
        "{}",
        ran.out
    );
}

#[test]
fn a_folder_without_songs_does_not_take_the_other_files_down() {
    let stage = Stage::with(songs::FINE);
    std::fs::create_dir(stage.path("empty")).expect("a folder");
    let ran = stage.run(&["check", "empty", "a.song"]).exits(3);
    assert!(
        ran.err
            .contains("empty: there is no `.song` file in this folder"),
        "{}",
        ran.err
    );
    assert!(
        ran.out.ends_with("1 file rejected, 3 fine.\n"),
        "{}",
        ran.out
    );
    let alone = stage.run(&["check", "empty"]).exits(3);
    assert!(
        alone.err.contains("there is no `.song` file"),
        "{}",
        alone.err
    );
}

#[test]
fn a_bounded_answer_is_not_enough_where_a_proof_is_required() {
    let ran = Stage::with(songs::WATCHED)
        .run(&["check", "a.song", "--require", "proved"])
        .exits(2);
    assert!(
        ran.out
            .contains("--require proved: 1 hold only up to a bound."),
        "{}",
        ran.out
    );
    Stage::with(songs::FINE)
        .run(&["check", "a.song", "--require", "proved"])
        .exits(0);
}

#[test]
fn help_and_version_are_zero() {
    let stage = Stage::new();
    for arguments in [
        &["--help"][..],
        &["--version"],
        &["check", "--help"],
        &["help", "sim"],
    ] {
        let ran = stage.run(arguments).exits(0);
        assert!(!ran.out.is_empty());
    }
    assert!(stage.run(&["check", "--help"]).out.contains("Exit codes:"));
}

#[test]
fn misuse_is_three() {
    let stage = Stage::with(songs::FINE);
    let misuses: &[&[&str]] = &[
        &[],
        &["chekc", "a.song"],
        &["check", "a.song", "--no-such-flag"],
        &["check", "a.song", "--seed", "3"],
        &["sim", "a.song", "--property", "all_done"],
        &["sim"],
        &["fmt", "a.song", "--json"],
        &["fmt", "a.song", "--check", "--stdout"],
        &["check", "a.song", "--fail-fast", "--keep-going", "2"],
        &["check", "a.song", "--timeout", "0"],
        &["check", "a.song", "-q", "-v"],
        &["explain"],
    ];
    for arguments in misuses {
        let ran = stage.run(arguments).exits(3);
        assert!(!ran.err.is_empty(), "{arguments:?}");
    }
    assert!(stage.run(&["chekc"]).err.contains("'check'"));
}

#[test]
fn quiet_says_only_what_is_wrong() {
    let ran = Stage::with(songs::FINE)
        .run(&["check", "a.song", "-q"])
        .exits(0);
    assert_eq!(ran.out, "");
    let ran = Stage::with(songs::RACE)
        .run(&["check", "a.song", "-q"])
        .exits(1);
    assert_eq!(ran.out.lines().count(), 2, "{}", ran.out);
    assert!(ran.out.contains("REFUTED    same"), "{}", ran.out);
}

#[test]
fn enough_refutations_end_the_run() {
    let stage = Stage::with(songs::RACE);
    stage.write("b.song", songs::DEADLOCK);
    stage.write("c.song", songs::FINE);
    let files = ["check", "a.song", "b.song", "c.song"];
    let with = |flags: &[&str]| stage.run(&[&files[..], flags].concat()).exits(1).out;
    // The search that refutes the first property ends, too: it does not look for more.
    let hasty = with(&["--fail-fast"]);
    assert!(hasty.contains("1 refuted, 8 unknown."), "{hasty}");
    let patient = with(&["--keep-going", "2"]);
    assert!(
        patient.contains("2 refuted, 3 unknown, 4 fine."),
        "{patient}"
    );
    assert!(with(&[]).contains("2 refuted, 7 fine."));
}

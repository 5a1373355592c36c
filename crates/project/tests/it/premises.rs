//! Premises about values that endpoints choose, and choices that may find nothing: who checks them, and who is told.

use plainsong_project::{Options, project};

const ENDPOINTS: &str = "sort S;
choreography line(n: int) {
    endpoint a { var x: int = choose int; }
    endpoint b { var x: int = choose int; }
    endpoint c { var x: int = 0; }
    endpoint s[i: S] { var x: int = choose int; }
";

/// The processes as text.
fn voices(body: &str) -> String {
    let text = format!("{ENDPOINTS}{body}\n}}\n");
    let compiled = plainsong_syntax::compile(&text);
    let song = compiled.song.expect("it is a song");
    let projection = project(&song, 0, &Options::default());
    let projection = projection.unwrap_or_else(|problems| panic!("{body}: {problems:?}"));
    assert!(projection.notes.iter().all(|note| note.fix.is_none()));
    plainsong_ir::print::song(&projection.song)
}

/// The processes in whose code the text occurs.
fn having(body: &str, text: &str) -> Vec<&'static str> {
    let voices = voices(body);
    let code = |name: &str| {
        let at = voices.find(&format!("process {name}"));
        let code = &voices[at.expect("there is such a process")..];
        code[..code.find("\n}").unwrap_or(code.len())].to_owned()
    };
    let all = ["a", "b", "c", "s"];
    let has = all.into_iter().filter(|name| code(name).contains(text));
    has.collect()
}

#[test]
fn who_is_asked_checks_a_premise() {
    let checked = |body: &str, who: &[&str]| assert_eq!(having(body, "assume"), who, "{body}");
    checked("requires a.x > n;", &["a"]);
    checked("requires a.x > b.x;", &["a"]);
    checked("requires a.x > 0 && b.x > 0;", &["a", "b"]);
    checked("requires forall i: S :: s[i].x > n;", &["s"]);
    checked("requires forall i, j: S :: s[i].x == s[j].x;", &["a"]);
    checked("requires exists i: S :: s[i].x > c.x;", &["c"]);
    // A constraint on the parameter says it.
    checked("requires n > 0;", &[]);
    checked("requires c.x < n;", &[]);
    checked("requires n > 0 && a.x > 0;", &["a"]);
    assert!(voices("requires n > 0 && a.x > 0;").contains("param n: int where n > 0;"));
    // Without `a.x != 0`, it has no value.
    checked("requires a.x == n && a.x != 0 && 7 / n > 0;", &["a"]);
}

#[test]
fn who_could_fail_hears_first() {
    let told = |body: &str, who: &[&str]| {
        assert_eq!(having(body, "receive Passed"), who, "{body}");
    };
    told("requires a.x == n && n != 0; c.x = 7 / n;", &["c"]);
    // The next member is asked only if there is one.
    let each = "requires forall i: S :: s[i].x == n && n != 0; c.x = 7 / n;";
    assert!(having(each, "receive Passed").contains(&"c"));
    told("a.x = choose 0..n where x > n; c.x = 7 / n;", &["c"]);
    told("a.x = choose 0..n; c.x = 7 / n;", &["c"]);
    told("let _k = choose bool where n != 0; c.x = 7 / n;", &["c"]);
    // It cannot fail, or there is something to choose.
    told("requires a.x == n && n != 0; c.x = 7 * n;", &[]);
    told("a.x = choose {1, n}; c.x = 7 / n;", &[]);
    told("a.x = choose int; c.x = 7 / n;", &[]);
}

#[test]
fn where_all_are_families_nobody_compares_members() {
    let text = "sort S;
choreography line() {
    endpoint s[i: S] { var x: int = choose int; }
    requires forall i, j: S :: s[i].x == s[j].x;
}
";
    let song = plainsong_syntax::compile(text).song.expect("it is a song");
    let problems = project(&song, 0, &Options::default()).map(|_| ());
    let problems = problems.expect_err("nobody could check it");
    let names: Vec<&str> = problems.iter().map(|one| one.code.name).collect();
    assert_eq!(names, ["unstated-premise"]);
    let each = text.replace("i, j: S :: s[i].x == s[j].x", "i: S :: s[i].x > 0");
    let song = plainsong_syntax::compile(&each).song.expect("it is a song");
    assert!(project(&song, 0, &Options::default()).is_ok());
}
